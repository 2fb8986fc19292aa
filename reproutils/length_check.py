"""Is a comparison of texts confounded by their lengths? A report on one's own pairs.

Item i of one side is compared with item i of the other by the cosine of their mean-pooled token
states. The report says how much of that cosine the two lengths explain, what is left of it when
each text meets a text of other content but the same length, what equation 3 of paper A makes of the
measured geometry, and which other measures are free of it. The verdict follows from the intervals
by a fixed rule:

- Length *explains* the scores if the interval of R² lies above :data:`CLEAR`. Of the three length
  predictors the one with the largest R² over the true pairs is taken.
- If it does, the share of the slope that exchanged contents keep decides. Its whole interval above
  :data:`HALF`: ``artefact``. Its whole interval below: shared content is needed, and the share of
  the slope that the debiased cosine of the true pairs keeps decides further. Above :data:`HALF`:
  ``content``, long and short texts say different things; below: ``attenuation``, short texts
  measure the same content with more noise. All else: ``mixed``.
- If it does not: ``hidden`` if length explains the exchanged pairs all the same; else ``none`` if
  the interval of R² lies below :data:`LITTLE`, and ``undecided`` if it reaches further.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from reproutils.alignment import mismatch_same_length
from reproutils.errors import ReproError
from reproutils.models import LoadedModel, load_model
from reproutils.pairs import log_length_ratio, pooling_noise, sink_rows
from reproutils.regression import (
    RESAMPLES,
    Interval,
    Resampled,
    combine,
    length_fit,
    weights_with_data,
)
from reproutils.similarity import (
    TokenStatistics,
    centered_cosine,
    cosine_rows,
    debiased_cosine,
    sufficient_statistics,
    unbiased_sq_norm,
)
from reproutils.states import Reductions, extract
from reproutils.theory import expected_cosine

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MIN_UNITS = 20
MIN_RESAMPLES = 200
# An explained variance is there when its interval lies above the first, and little when below the
# second.
CLEAR, LITTLE = 0.05, 0.2
# A part counts as gone when less than half of it is left.
HALF = 0.5

Verdict = Literal["artefact", "attenuation", "content", "mixed", "hidden", "none", "undecided"]
TRUE, MISMATCHED = "true", "mismatched"
RATIO, MIN_MAX, NOISE, EQUATION = "ln(m/n)", "min/max", "−(1/m + 1/n)", "equation 3"
PREDICTORS = (RATIO, MIN_MAX, NOISE)
POOLED = "pooled cosine"
PREDICTED = "pooled cosine by equation 3"
CENTRED = "centred cosine"
NO_SINKS = "sink tokens out"
NO_SINKS_CENTRED = "sink tokens out, centred"
DEBIASED = "debiased cosine, sink tokens out"
COMMON = "all texts cut to the shortest of all"
CUT = "both cut to the shorter of the pair"
# In the order in which they are recommended.
REMEDIES = (CENTRED, NO_SINKS, NO_SINKS_CENTRED, DEBIASED, COMMON, CUT)
_NO_TOKENS = "it needs token states, and only pooled vectors were given"
_BINS = 8


@dataclass(frozen=True)
class LengthReport:
    """What the lengths of paired texts do to their pooled cosine.

    Attributes:
        verdict: ``artefact``, ``attenuation``, ``content``, ``mixed``, ``hidden``, ``none`` or
            ``undecided``, by the rule in the module's docstring.
        sentence: the verdict in words, with its numbers and what to use instead.
        predictor: the length predictor that the verdict rests on.
        kept: share of the slope on ``predictor`` that stays when contents are exchanged, with its
            interval over units; None where length does not explain the scores.
        table: one row per similarity and predictor: ``pairs`` (``true`` or ``mismatched``),
            ``similarity``, ``predictor``, the explained variance ``r2`` and the standardised slope
            ``beta`` with intervals (``_low``, ``_high``), ``slope`` (of the cosine per unit of the
            predictor), ``mean`` of the similarity, ``n`` (pairs for which it is defined) and
            ``units``.
        n: pairs.
        units: independent units, over which all intervals are drawn.
        unit: what they are, ``pair`` or ``group``.
        rho: for each side σ²d/‖μ‖², the energy of a text's tokens around their mean over that of
            the mean; None where it cannot be measured.
        cosine: one row per pair and kind of pair: ``pairs``, the length predictors, ``cosine``, and
            what equation 3 makes of it (``equation 3``, if ``rho`` is known).
        notes: rows that are missing and why.
    """

    verdict: Verdict
    sentence: str
    predictor: str
    kept: Interval | None
    table: pd.DataFrame
    n: int
    units: int
    unit: Literal["pair", "group"]
    rho: tuple[float, float] | None
    cosine: pd.DataFrame = field(repr=False)
    notes: tuple[str, ...] = ()

    def fit(
        self, similarity: str = POOLED, predictor: str | None = None, pairs: str = TRUE
    ) -> pd.Series:
        """One row of :attr:`table`; without a predictor that of :attr:`predictor`.

        Raises:
            ReproError: there is no such row.
        """
        wanted = predictor or self.predictor
        table = self.table
        found = table[
            (table["similarity"] == similarity)
            & (table["predictor"] == wanted)
            & (table["pairs"] == pairs)
        ]
        if found.empty:
            raise ReproError(
                f"the report has no row for {similarity!r} on {wanted!r} over {pairs} pairs; "
                f"its column table lists those that it has"
            )
        return found.iloc[0]

    def figure(self, *, dark: bool = False) -> Figure:
        """Cosine against the log length ratio, for true and mismatched pairs.

        Lines are what equation 3 predicts, averaged over pairs of about the same abscissa and
        scaled to the level of each kind of pair. A second panel shows the predictor of the verdict
        if that is another.

        Args:
            dark: for a dark page.

        Raises:
            ReproError: Matplotlib or seaborn, which come with the extra ``book``, are missing.
        """
        try:
            from matplotlib.figure import Figure

            from reproutils import figures
        except ImportError as error:
            raise ReproError(
                "drawing needs the book extra; install it with pip install 'reproutils[book]'"
            ) from error
        columns = list(dict.fromkeys([RATIO, self.predictor]))
        with figures.theme(dark):
            figure = Figure(figsize=(6.0 if len(columns) == 1 else 9.0, 4.0), layout="constrained")
            axes = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
            # A line looks up the name of a colour only when it is drawn, outside this theme.
            palette = figures.DARK_PALETTE if dark else figures.LIGHT_PALETTE
            for ax, column in zip(axes, columns, strict=True):
                self._draw(ax, column, {MISMATCHED: palette[1], TRUE: palette[0]})
            axes[0].set_ylabel("cosine")
            figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=2)
        return figure

    def _draw(self, ax: Axes, column: str, colours: Mapping[str, str]) -> None:
        from reproutils.figures import scatter

        for kind, colour in colours.items():
            part = self.cosine[self.cosine["pairs"] == kind].sort_values(column)
            scatter(ax, part[column], part["cosine"], label=f"{kind} pairs", color=colour)
            if EQUATION in part:
                bins = np.array_split(np.arange(len(part)), _BINS)
                x, y = (
                    [part[name].to_numpy()[members].mean() for members in bins]
                    for name in (column, EQUATION)
                )
                ax.plot(x, y, color=colour, lw=2.5, label=f"equation 3, {kind} pairs")
        ax.locator_params(axis="x", nbins=5)
        ax.set_xlabel(column)

    def __str__(self) -> str:
        lines = [
            self._heading(),
            "",
            self.sentence,
            "",
            self._shown().to_string(index=False),
            "",
            self._on_equation(),
            *self._missing(),
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks: verdict, table and notes."""
        table = self._shown().to_html(index=False, border=0, escape=True)
        below = [self._on_equation(), *self._missing()]
        return (
            f"<p>{html.escape(self._heading())}</p>"
            f"<p><strong>{html.escape(self.sentence)}</strong></p>"
            f'<div style="overflow-x:auto">{table}</div>'
            + "".join(f"<p>{html.escape(line)}</p>" for line in below)
        )

    def _missing(self) -> list[str]:
        return [f"Missing: {note}." for note in self.notes]

    def _heading(self) -> str:
        counted = f"{self.n} pairs"
        if self.unit == "group":
            counted += f" in {self.units} groups"
        return (
            f"Is the comparison confounded by length? Verdict: {self.verdict}. {counted}; the "
            f"independent unit is the {self.unit}; intervals are at 95 %."
        )

    def _on_equation(self) -> str:
        if self.rho is None:
            return "Equation 3 was not evaluated."
        told = [
            _number(self.fit(name, pairs=kind)["slope"], 3)
            for kind in (TRUE, MISMATCHED)
            for name in (PREDICTED, POOLED)
        ]
        found, predicted = (self.fit(name, pairs=MISMATCHED) for name in (POOLED, PREDICTED))
        told_of_sign = ""
        if found["beta_low"] * found["beta_high"] > 0 > found["beta"] * predicted["beta"]:
            told_of_sign = (
                " The signs differ: averaging around a shared mean is not what the mismatched "
                "pairs show."
            )
        return (
            f"Equation 3 with the measured ρ = {self.rho[0]:.3g} and {self.rho[1]:.3g} predicts a "
            f"slope of {told[0]} on {self.predictor} for the true pairs (found: {told[1]}) and of "
            f"{told[2]} for the mismatched ones (found: {told[3]}).{told_of_sign}"
        )

    def _shown(self) -> pd.DataFrame:
        """R² by similarity and predictor, as text."""
        rows = []
        slope = f"β on {self.predictor}"
        for (name, kind), part in self.table.groupby(["similarity", "pairs"], sort=False):
            if name == PREDICTED:
                continue
            row = {"similarity": f"{name}, mismatched" if kind == MISMATCHED else str(name)}
            for fit in part.to_dict("records"):
                row[f"R² on {fit['predictor']}"] = _cell(fit, "r2")
                if fit["predictor"] == self.predictor:
                    row[slope] = _cell(fit, "beta")
                row["n"] = str(fit["n"])
            rows.append(row)
        frame = pd.DataFrame(rows).fillna("–")
        return frame[[*(column for column in frame if column not in (slope, "n")), slope, "n"]]


def check_arrays(
    first: Sequence[ArrayLike],
    second: Sequence[ArrayLike],
    *,
    groups: Sequence[object] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> LengthReport:
    """Check pairs that are given as token states.

    Args:
        first, second: for each of n items its token states (tokens, d) in the order of the text;
            item i of the first is compared with item i of the second. The number of tokens may
            differ, the width d may not.
        groups: (n,) label of the independent unit of each pair (a problem, a document); None: each
            pair is one. Exchanged partners come from another group.
        seed: of the partners and the bootstrap.
        resamples: bootstrap resamples.

    Raises:
        ReproError: unequal numbers of items, fewer than 20 units, items without tokens, of
            different widths or with values that are not finite (the item is named), lengths or
            cosines that do not vary, a zero pooled vector, or one group with more than half of the
            pairs.
    """
    sides = [_token_states(items, name) for name, items in (("first", first), ("second", second))]
    widths = sorted({item.shape[1] for side in sides for item in side})
    _check_counts(len(sides[0]), len(sides[1]), "items")
    _check_units(_labels(groups, len(sides[0])), groups)
    if len(widths) > 1:
        raise ReproError(
            f"the items have widths {', '.join(map(str, widths))}; compare states of one model and "
            f"layer"
        )
    every, ordinary = ([_statistics(side, out) for side in sides] for out in (False, True))
    lengths = _Lengths(every[0].n, every[1].n)
    shorter = np.minimum(*lengths)
    remedies: dict[str, np.ndarray | str] = {}
    usable = all(np.isfinite(side.mean).all() for side in ordinary)
    if usable:
        no_sinks = ordinary[0].mean, ordinary[1].mean
        remedies[NO_SINKS] = _attempt(cosine_rows, *no_sinks)
        remedies[NO_SINKS_CENTRED] = _attempt(centered_cosine, *no_sinks)
        a, b = ordinary
        remedies[DEBIASED] = debiased_cosine(a.mean, b.mean, a.mean_sq, b.mean_sq, a.n, b.n)
    else:
        why = "some text has a single token, which stands at position 0"
        remedies |= dict.fromkeys((NO_SINKS, NO_SINKS_CENTRED, DEBIASED), why)
    for name, limits in ((COMMON, np.full(len(shorter), shorter.min())), (CUT, shorter)):
        remedies[name] = _attempt(cosine_rows, *(_cut(side, limits) for side in sides))
    return _report(
        (every[0].mean, every[1].mean),
        lengths,
        remedies,
        (every[0], every[1]),
        groups=groups,
        seed=seed,
        resamples=resamples,
    )


def check_pooled(
    first: ArrayLike,
    second: ArrayLike,
    lengths_first: ArrayLike,
    lengths_second: ArrayLike,
    *,
    groups: Sequence[object] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> LengthReport:
    """Check pairs of which only the pooled vectors and the token counts are known.

    The rows that need token states (equation 3, sink tokens, debiased cosine, cut texts) are
    missing; ``LengthReport.notes`` lists them.

    Args:
        first, second: (n, d) mean-pooled states.
        lengths_first, lengths_second: (n,) tokens averaged, at least 1.
        groups, seed, resamples: as for :func:`check_arrays`.

    Raises:
        ReproError: as :func:`check_arrays`, or a length below 1.
    """
    pooled = []
    for name, values in (("first", first), ("second", second)):
        array = np.asarray(values)
        if array.ndim != 2 or array.dtype.kind not in "fiu":
            raise ReproError(
                f"{name} has shape {array.shape} and type {array.dtype}; give one pooled vector "
                f"per item, (n, d)"
            )
        bad = np.flatnonzero(~np.isfinite(array).all(1))
        if len(bad):
            raise _not_finite(int(bad[0]), name)
        pooled.append(array.astype(np.float64))
    _check_counts(len(pooled[0]), len(pooled[1]), "items")
    counts = []
    for name, values in (("lengths_first", lengths_first), ("lengths_second", lengths_second)):
        array = np.asarray(values, dtype=np.float64)
        if array.shape != (len(pooled[0]),) or not (np.isfinite(array) & (array >= 1)).all():
            raise ReproError(
                f"{name} must hold a number of tokens, 1 or more, for each of the {len(pooled[0])} "
                f"items"
            )
        counts.append(array)
    return _report(
        (pooled[0], pooled[1]),
        _Lengths(counts[0], counts[1]),
        dict.fromkeys((NO_SINKS, NO_SINKS_CENTRED, DEBIASED, COMMON, CUT), _NO_TOKENS),
        None,
        groups=groups,
        seed=seed,
        resamples=resamples,
    )


def check_texts(
    texts_a: Sequence[str],
    texts_b: Sequence[str],
    *,
    model: str | LoadedModel = "minilm-l6",
    layer: str | None = None,
    groups: Sequence[object] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> LengthReport:
    """Check pairs of texts under a model: :func:`check_arrays` on their token states.

    Tokens are those of the model's tokenizer, special ones included. In a model that reads in both
    directions the cut texts are the first states of the whole text, not those of a text that ends
    there.

    Args:
        texts_a, texts_b: n texts each; text i of one is compared with text i of the other.
        model: a loaded model, or a name as ``load_model`` takes it.
        layer: one of ``model.layer_names``; None: the last, which sentence encoders pool.
        groups, seed, resamples: as for :func:`check_arrays`.

    Raises:
        ReproError: as :func:`check_arrays`; an empty text, a text longer than the context, or an
            unknown model or layer.
    """
    _check_counts(len(texts_a), len(texts_b), "texts")
    for name, texts in (("texts_a", texts_a), ("texts_b", texts_b)):
        for number, text in enumerate(texts):
            if not text.strip():
                raise ReproError(f"text {number} of {name} is empty; leave the pair out")
    _check_units(_labels(groups, len(texts_a)), groups)
    loaded = load_model(model) if isinstance(model, str) else model
    at = layer or loaded.layer_names[-1]

    def states(texts: Sequence[str]) -> list[np.ndarray]:
        rows = tuple(tuple(range(len(loaded.encode(text)[0]))) for text in texts)
        found = extract(loaded, texts, layers=[at], reductions=Reductions(spans=(), rows=rows))
        return [kept[0] for kept in found.rows()]

    return check_arrays(
        states(texts_a), states(texts_b), groups=groups, seed=seed, resamples=resamples
    )


# --- from states to similarities -----------------------------------------------------------------


class _Lengths(NamedTuple):
    """Tokens of both texts of each pair, (n,) each."""

    first: np.ndarray
    second: np.ndarray

    def predictors(self) -> dict[str, np.ndarray]:
        return {
            RATIO: log_length_ratio(*self),
            MIN_MAX: np.minimum(*self) / np.maximum(*self),
            NOISE: pooling_noise(*self),
        }


class _Side(NamedTuple):
    """:class:`TokenStatistics` of all items of a side."""

    mean: np.ndarray
    mean_sq: np.ndarray
    n: np.ndarray


def _token_states(items: Sequence[ArrayLike], name: str) -> list[np.ndarray]:
    found = []
    for number, item in enumerate(items):
        array = np.asarray(item)
        if array.ndim != 2 or 0 in array.shape or array.dtype.kind not in "fiu":
            raise ReproError(
                f"item {number} of {name} has shape {array.shape} and type {array.dtype}; give "
                f"token states (tokens, width), with at least one token"
            )
        if not np.isfinite(array).all():
            raise _not_finite(number, name)
        found.append(array.astype(np.float64))
    return found


def _statistics(side: Sequence[np.ndarray], sinks_out: bool) -> _Side:
    """Statistics of each item; NaN for one of which nothing is left."""
    found = []
    for states in side:
        kept = states
        if sinks_out:
            kept = states[1:][~sink_rows(states[None, 1:])] if len(states) > 1 else states[:0]
        nothing = TokenStatistics(np.full(states.shape[1], np.nan), np.array(np.nan), 0)
        found.append(sufficient_statistics(kept) if len(kept) else nothing)
    means, squares, counts = zip(*found, strict=True)
    return _Side(np.stack(means), np.stack(squares), np.array(counts))


def _cut(side: Sequence[np.ndarray], limits: np.ndarray) -> np.ndarray:
    """(n, d) means of the first ``limits`` tokens."""
    return np.stack([states[:limit].mean(0) for states, limit in zip(side, limits, strict=True)])


def _attempt(
    measure: Callable[[np.ndarray, np.ndarray], np.ndarray], a: np.ndarray, b: np.ndarray
) -> np.ndarray | str:
    """(n,) values of a measure, or why it is undefined."""
    try:
        return measure(a, b)
    except ReproError as error:
        return str(error)


def _partners(second: np.ndarray, labels: Sequence[object], seed: int) -> np.ndarray:
    """(n,) for each pair another whose second text is about as long, of another unit."""
    rng = np.random.default_rng(seed)
    if len(set(labels)) == len(second):
        return mismatch_same_length(second, rng)
    largest, size = Counter(labels).most_common(1)[0]
    if 2 * size > len(second):
        raise ReproError(
            f"group {largest!r} holds more than half of the {len(second)} pairs, so that not each "
            f"text can be exchanged for one of another group; leave some of it out"
        )
    # The solver settles ties by the order of its input, which therefore must mean nothing.
    order = rng.permutation(len(second))
    logs = np.log(second)[order]
    units = pd.factorize(pd.Series(list(labels)))[0][order]
    cost = np.abs(logs[:, None] - logs[None, :])
    cost[units[:, None] == units[None, :]] = np.inf
    partner = np.empty(len(second), dtype=np.int64)
    partner[order] = order[linear_sum_assignment(cost)[1]]
    return partner


class _Geometry(NamedTuple):
    """Equation 3 with a ρ for each side, scaled to the cosine that is left without noise."""

    rho: tuple[float, float]
    size: float

    def predict(self, inner: np.ndarray, lengths: _Lengths) -> np.ndarray:
        """(n,) expected cosine.

        Args:
            inner: (n,) inner products of the pooled vectors, whose noises are independent.
        """
        first, second = (
            np.sqrt(expected_cosine(n, n, rho)) for n, rho in zip(lengths, self.rho, strict=True)
        )
        predicted: np.ndarray = inner.mean() / self.size * first * second
        return predicted


def _geometry(sides: tuple[_Side, _Side]) -> _Geometry | str:
    """ρ of each side over its texts, or why there is none."""
    rho, size = [], 1.0
    for name, side in zip(("first", "second"), sides, strict=True):
        known = side.n >= 2
        if not known.any():
            return f"all texts of the {name} side have a single token, whose noise is unknown"
        mean_sq = side.mean_sq[known]
        own = unbiased_sq_norm((side.mean[known] ** 2).sum(1), mean_sq, side.n[known]).mean()
        if own <= 0:
            return f"the tokens of the {name} side have no measurable mean"
        rho.append(max(0.0, float(mean_sq.mean() / own - 1)))
        size *= float(np.sqrt(own))
    return _Geometry((rho[0], rho[1]), size)


# --- the report ----------------------------------------------------------------------------------


def _report(
    pooled: tuple[np.ndarray, np.ndarray],
    lengths: _Lengths,
    remedies: Mapping[str, np.ndarray | str],
    sides: tuple[_Side, _Side] | None,
    *,
    groups: Sequence[object] | None,
    seed: int,
    resamples: int,
) -> LengthReport:
    n = len(lengths.first)
    labels = _labels(groups, n)
    units = _check_units(labels, groups)
    if resamples < MIN_RESAMPLES:
        raise ReproError(f"{resamples} resamples give no interval; take {MIN_RESAMPLES} or more")
    partner = _partners(lengths.second, labels, seed)
    kinds = {
        TRUE: (pooled[0], pooled[1], lengths),
        MISMATCHED: (
            pooled[0],
            pooled[1][partner],
            _Lengths(lengths.first, lengths.second[partner]),
        ),
    }
    lengths_of = [counts.predictors() for _, _, counts in kinds.values()]
    varying = [name for name in PREDICTORS if all(_varies(part[name]) for part in lengths_of)]
    if not varying:
        raise ReproError(
            f"the lengths do not vary over the {n} pairs, so that nothing can be told about their "
            f"effect, and nothing in the scores can be due to them; use pairs of other lengths"
        )
    frames = {}
    for kind, (a, b, counts) in kinds.items():
        frames[kind] = pd.DataFrame(counts.predictors()).assign(
            pairs=kind, cosine=cosine_rows(a, b)
        )
        if not _varies(frames[kind]["cosine"].to_numpy()):
            raise ReproError(
                f"all {n} {kind} pairs have the same cosine, so that there is nothing to explain; "
                f"compare texts that differ"
            )
    missing: dict[str, str] = {}
    geometry = _NO_TOKENS if sides is None else _geometry(sides)
    if not isinstance(geometry, str):
        predicted = {
            kind: geometry.predict((a * b).sum(1), counts) for kind, (a, b, counts) in kinds.items()
        }
        if all(map(_varies, predicted.values())):
            for kind, values in predicted.items():
                frames[kind][EQUATION] = values
        else:
            geometry = "it predicts the same for all pairs"
    if isinstance(geometry, str):
        missing[EQUATION] = geometry

    rows = []
    add = partial(_fit_row, labels=labels, seed=seed, resamples=resamples)
    for kind, frame in frames.items():
        for name in varying:
            rows.append(add(kind, POOLED, name, frame["cosine"], frame[name]))
            if EQUATION in frame:
                rows.append(add(kind, PREDICTED, name, frame[EQUATION], frame[name]))
        if EQUATION in frame:
            rows.append(add(kind, POOLED, EQUATION, frame["cosine"], frame[EQUATION]))
    found = {CENTRED: _attempt(centered_cosine, *pooled), **remedies}
    for remedy in REMEDIES:
        similarity = found[remedy]
        why = similarity if isinstance(similarity, str) else _why_not(similarity, labels)
        if why:
            missing[remedy] = why
        else:
            rows += [add(TRUE, remedy, name, similarity, frames[TRUE][name]) for name in varying]
    table = pd.DataFrame(rows)
    frames[TRUE][DEBIASED] = np.nan if isinstance(found[DEBIASED], str) else found[DEBIASED]
    verdict, sentence, predictor, kept = _judge(table, frames, labels, seed, resamples)
    return LengthReport(
        verdict=verdict,
        sentence=sentence,
        predictor=predictor,
        kept=kept,
        table=table,
        n=n,
        units=units,
        unit="pair" if groups is None else "group",
        rho=None if isinstance(geometry, str) else geometry.rho,
        cosine=pd.concat(frames.values(), ignore_index=True).drop(columns=DEBIASED),
        notes=tuple(
            f"{'; '.join(name for name in missing if missing[name] == why)}: {why}"
            for why in dict.fromkeys(missing.values())
        ),
    )


def _fit_row(
    pairs: str,
    similarity: str,
    predictor: str,
    outcome: ArrayLike,
    lengths: ArrayLike,
    *,
    labels: Sequence[object],
    seed: int,
    resamples: int,
) -> dict[str, object]:
    y, x = np.asarray(outcome), np.asarray(lengths)
    fit = length_fit(y, x, labels, seed=seed, resamples=resamples)
    known = np.isfinite(y)
    return {
        "pairs": pairs,
        "similarity": similarity,
        "predictor": predictor,
        "r2": fit.r2.value,
        "r2_low": fit.r2.low,
        "r2_high": fit.r2.high,
        "beta": fit.beta.value,
        "beta_low": fit.beta.low,
        "beta_high": fit.beta.high,
        "slope": fit.beta.value * float(y[known].std() / x[known].std()),
        "mean": float(y[known].mean()),
        "n": fit.n,
        "units": fit.beta.n,
    }


def _judge(
    table: pd.DataFrame,
    frames: Mapping[str, pd.DataFrame],
    labels: Sequence[object],
    seed: int,
    resamples: int,
) -> tuple[Verdict, str, str, Interval | None]:
    """Verdict, its sentence, the predictor behind both, and the share of the slope kept."""
    own = table[(table["similarity"] == POOLED) & table["predictor"].isin(PREDICTORS)]
    true = own[own["pairs"] == TRUE].sort_values("r2", ascending=False, kind="stable").iloc[0]
    name = str(true["predictor"])
    exchanged = own[(own["pairs"] == MISMATCHED) & (own["predictor"] == name)].iloc[0]
    instead = _instead(table, name, float(true["r2"]))
    told = (
        f"Length, as {name}, explains {_percent(true)} of the variance of your scores "
        f"(n = {true['units']} independent units)"
    )
    if true["r2_low"] > CLEAR:
        kept = _share(frames[MISMATCHED], frames[TRUE], name, "cosine", labels, seed, resamples)
        told += f"; {_shown_share(kept)} of the slope stays when contents are exchanged"
        if kept.low > HALF:
            return "artefact", f"{told}: it is an artefact of length. {instead}", name, kept
        if kept.high >= HALF:
            told += f": length and content may both be behind it. {instead}"
            return "mixed", f"{told} More pairs narrow the interval.", name, kept
        told += ", so that it needs shared content"
        if DEBIASED not in set(table["similarity"]):
            told += (
                "; whether long and short texts say different things, or short ones the same with "
                "more noise, cannot be told without the debiased cosine."
            )
            return "mixed", told, name, kept
        defined = frames[TRUE][DEBIASED].notna().to_numpy()
        part = frames[TRUE][defined]
        units = [label for label, there in zip(labels, defined, strict=True) if there]
        left = _share(part, part, name, DEBIASED, units, seed, resamples)
        told += f"; the debiased cosine keeps {_shown_share(left)}"
        if left.low > HALF:
            told += (
                ": it goes with what the texts say, and is no artefact of length. Correct for "
                "content, not for length."
            )
            return "content", told, name, kept
        if left.high < HALF:
            told += f": short texts measure the same content with more noise. {instead}"
            return "attenuation", told, name, kept
        told += ": noise of short texts and a difference in what they say may both be behind it."
        return "mixed", f"{told} More pairs narrow the interval.", name, kept
    if exchanged["r2_low"] > CLEAR:
        told += (
            f", which may be nothing; yet it explains {_percent(exchanged)} once contents are "
            f"exchanged: what two unrelated texts reach depends on length, and content hides it. "
            f"{instead}"
        )
        return "hidden", told, name, None
    if true["r2_high"] < LITTLE:
        return "none", f"{told}: no confound of note was found.", name, None
    told += ": that may be nothing or much. Use more pairs, or pairs whose lengths vary more."
    return "undecided", told, name, None


def _instead(table: pd.DataFrame, predictor: str, r2: float) -> str:
    """The first remedy whose R² is no longer clear, in a sentence."""
    for remedy in REMEDIES:
        found = table[(table["similarity"] == remedy) & (table["predictor"] == predictor)]
        if len(found) and found["r2_low"].iloc[0] <= CLEAR and found["r2"].iloc[0] < HALF * r2:
            return f"Use instead: {remedy}, of which length explains {_percent(found.iloc[0])}."
    return (
        "None of the other measures here is free of it: give the cosine of exchanged pairs of the "
        "same lengths beside yours."
    )


def _share(
    part: pd.DataFrame,
    whole: pd.DataFrame,
    predictor: str,
    similarity: str,
    labels: Sequence[object],
    seed: int,
    resamples: int,
) -> Interval:
    """Slope of a similarity in ``part`` over that of the pooled cosine in ``whole``, whose rows
    belong to the same units."""
    weights = weights_with_data(labels, resamples, seed)
    weights /= weights.sum(1, keepdims=True)

    def slope(frame: pd.DataFrame, name: str) -> Resampled:
        x, y = (frame[column].to_numpy() - frame[column].mean() for column in (predictor, name))
        mean_x, mean_y = weights @ x, weights @ y
        variance = weights @ x**2 - mean_x**2
        # A resample in which the lengths do not vary has no slope.
        variance[variance <= 0] = np.nan
        slopes = (weights @ (x * y) - mean_x * mean_y) / variance
        return Resampled(float(slopes[0]), slopes[1:], len(set(labels)))

    return combine(np.divide, [slope(part, similarity), slope(whole, "cosine")]).interval()


def _shown_share(share: Interval) -> str:
    return _percents(share.value, share.low, share.high)


def _percent(row: pd.Series) -> str:
    return _percents(row["r2"], row["r2_low"], row["r2_high"])


def _percents(value: float, low: float, high: float) -> str:
    shown, *ends = (_number(100 * part, 0) for part in (value, low, high))
    return f"{shown} % [{', '.join(ends)}]"


def _cell(row: Mapping[Hashable, Any], name: str) -> str:
    shown, low, high = (_number(row[name + end], 2) for end in ("", "_low", "_high"))
    return f"{shown} [{low}, {high}]"


def _number(value: float, digits: int) -> str:
    """With a true minus sign and no negative zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


# --- checks --------------------------------------------------------------------------------------


def _check_counts(first: int, second: int, noun: str) -> None:
    if first != second:
        raise ReproError(
            f"there are {first} {noun} on one side and {second} on the other; item i of one is "
            f"compared with item i of the other, so give as many of both"
        )


def _not_finite(number: int, name: str) -> ReproError:
    return ReproError(
        f"item {number} of {name} has NaN or infinite values; mend their source or leave the pair "
        f"out"
    )


def _labels(groups: Sequence[object] | None, n: int) -> list[object]:
    labels = list(range(n) if groups is None else groups)
    if len(labels) != n:
        raise ReproError(f"groups has {len(labels)} labels for {n} pairs; give one to each pair")
    return labels


def _check_units(labels: Sequence[object], groups: Sequence[object] | None) -> int:
    """The number of independent units, if there are enough."""
    units = len(set(labels))
    if units < MIN_UNITS:
        noun = "pairs" if groups is None else "groups of pairs"
        raise ReproError(
            f"only {units} {noun}; intervals need at least {MIN_UNITS} independent ones"
        )
    return units


def _why_not(similarity: np.ndarray, labels: Sequence[object]) -> str:
    """Why a similarity cannot be regressed on length; empty if it can."""
    known = np.isfinite(similarity)
    if len({label for label, kept in zip(labels, known, strict=True) if kept}) < MIN_UNITS:
        return f"undefined for {np.count_nonzero(~known)} of {len(known)} pairs"
    return "" if _varies(similarity[known]) else "it does not vary"


def _varies(values: np.ndarray) -> bool:
    return bool(np.ptp(values) > 1e-9 * np.abs(values).max())
