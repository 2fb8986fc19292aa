"""The controls that separate a length artefact from content, one row of a table each.

Each control is a similarity of paired texts together with the lengths of the two texts that it
compared. Regressed on the same predictor, the rows say what the length effect depends on: if it
stays when the content is exchanged, content is not what it measures; if it goes when position 0 or
the corpus mean is removed, these carry it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproutils.alignment import mismatch, mismatch_same_length
from reproutils.errors import ReproError
from reproutils.pairs import PairStates, SpanName, log_length_ratio, pooling_noise
from reproutils.regression import length_fit
from reproutils.tables import Interval

FIXED_ROWS = 5
FIXED_ROW_DRAWS = 5
SINK_CHOICES: dict[SpanName, str] = {
    "all": "kept",
    "no_first": "position 0 out",
    "no_sinks": "all out",
}


@dataclass(frozen=True)
class Control:
    """One row: a similarity and the length predictors that go with it.

    Attributes:
        key: short name for estimate ids.
        label: what a reader sees.
        family: ``cosine`` or ``cka``.
        similarity: (n_pairs,), NaN where undefined.
        ratio: (n_pairs,) log length ratio of the texts compared.
        noise: (n_pairs,) -(1/m + 1/n), the theory's own predictor.
        mean: mean similarity.
    """

    key: str
    label: str
    family: str
    similarity: np.ndarray
    ratio: np.ndarray
    noise: np.ndarray
    mean: float


def control(
    key: str, label: str, family: str, similarity: np.ndarray, first: np.ndarray, second: np.ndarray
) -> Control:
    """A control from the token counts (n_pairs,) of the texts that it compared."""
    defined = similarity[np.isfinite(similarity)]
    return Control(
        key,
        label,
        family,
        similarity,
        log_length_ratio(first, second),
        pooling_noise(first, second),
        float(defined.mean()) if len(defined) else float("nan"),
    )


@dataclass(frozen=True)
class Twin:
    """States of the untrained network, for all pairs or some of them.

    Attributes:
        states: its states.
        items: which pairs of the trained network's they are, in the same order.
    """

    states: PairStates
    items: np.ndarray

    def spread(self, values: np.ndarray, n: int) -> np.ndarray:
        """(n,) with ``values`` at the twin's items and NaN elsewhere."""
        whole = np.full(n, np.nan)
        whole[self.items] = values
        return whole


def cosine_controls(trained: PairStates, untrained: Twin | None, *, seed: int) -> Iterator[Control]:
    """The pooled-cosine rows, the paper's own measure first."""
    rng = np.random.default_rng(seed)
    first, second = trained.first.n_tokens, trained.second.n_tokens
    same = mismatch_same_length(second, rng)
    other = mismatch(len(trained), rng)

    def row(
        key: str, label: str, similarity: np.ndarray, partner: np.ndarray | None = None
    ) -> Control:
        lengths = second if partner is None else second[partner]
        return control(key, label, "cosine", similarity, first, lengths)

    yield row("cosine", "pooled cosine, as in the paper", trained.cosine())
    yield row("no_first", "position 0 left out", trained.cosine("no_first"))
    yield row("no_sinks", "all sink tokens left out", trained.cosine("no_sinks"))
    yield row("centred", "corpus mean subtracted", trained.cosine(centred=True))
    yield row(
        "no_sinks_centred",
        "sink tokens out, mean subtracted",
        trained.cosine("no_sinks", centred=True),
    )
    yield row("debiased", "debiased cosine, sink tokens out", trained.debiased())
    yield row("mismatched", "other text of the same length", trained.cosine(partner=same), same)
    yield row(
        "mismatched_no_sinks",
        "other text of the same length, sink tokens out",
        trained.cosine("no_sinks", partner=same),
        same,
    )
    yield row("mismatched_any", "other text of any length", trained.cosine(partner=other), other)
    yield row("cut", "both cut to the shorter length", trained.cosine("cut"))
    if untrained is not None:
        for key, label, centred in (
            ("untrained", "untrained network", False),
            ("untrained_centred", "untrained network, mean subtracted", True),
        ):
            similarity = untrained.states.cosine(centred=centred)
            yield row(key, label, untrained.spread(similarity, len(trained)))


def cka_controls(
    trained: PairStates, untrained: Twin | None, *, permutations: int, seed: int
) -> Iterator[Control]:
    """The token-level rows: CKA as in the paper, then what its bias and its outliers do."""
    first, second = trained.first.n_tokens, trained.second.n_tokens

    def row(key: str, label: str, similarity: np.ndarray) -> Control:
        return control(key, label, "cka", similarity, first, second)

    yield row("cka_biased", "linear CKA, as in the paper", trained.cka(debiased=False))
    yield row("cka_debiased", "debiased CKA", trained.cka(debiased=True))
    yield row(
        "cka_no_sinks",
        "linear CKA, sink rows left out",
        trained.cka(debiased=False, without_sinks=True),
    )
    yield row(
        "cka_debiased_no_sinks",
        "debiased CKA, sink rows left out",
        trained.cka(debiased=True, without_sinks=True),
    )
    yield row(
        "cka_fixed", f"linear CKA on {FIXED_ROWS} rows",
        trained.cka_fixed_rows(FIXED_ROWS, draws=FIXED_ROW_DRAWS, seed=seed),
    )  # fmt: skip
    yield row(
        "cka_excess",
        "linear CKA above its permutation null",
        trained.cka_excess(permutations=permutations, seed=seed),
    )
    yield row("adjusted_rv", "adjusted RV coefficient", trained.adjusted_rv())
    if untrained is not None:
        similarity = untrained.spread(untrained.states.cka(debiased=False), len(trained))
        yield row("cka_untrained", "linear CKA, untrained network", similarity)


def fit_controls(
    controls: Iterable[Control],
    *,
    groups: Sequence[object] | None = None,
    seed: int,
    resamples: int,
) -> pd.DataFrame:
    """Regress each control on the log length ratio, and on the theory's own predictor.

    Returns:
        One row per control: ``key, label, family``, the standardised slope ``beta`` and ``r2`` on
        the log length ratio with intervals, ``r2_noise`` on -(1/m + 1/n) with its interval, ``se``
        (clustered), ``n`` (rows), ``units`` and ``mean`` similarity. A control that has fewer than
        four defined values or does not vary is left out.

    Raises:
        ReproError: no control is left.
    """
    rows = []
    for row in controls:
        try:
            fit = length_fit(row.similarity, row.ratio, groups, seed=seed, resamples=resamples)
            by_noise = length_fit(row.similarity, row.noise, groups, seed=seed, resamples=resamples)
        except ReproError:
            continue
        rows.append(
            {
                "key": row.key,
                "label": row.label,
                "family": row.family,
                "beta": fit.beta.value,
                "beta_low": fit.beta.low,
                "beta_high": fit.beta.high,
                "r2": fit.r2.value,
                "r2_low": fit.r2.low,
                "r2_high": fit.r2.high,
                "r2_noise": by_noise.r2.value,
                "r2_noise_low": by_noise.r2.low,
                "r2_noise_high": by_noise.r2.high,
                "se": fit.se,
                "n": fit.n,
                "units": fit.r2.n,
                "mean": row.mean,
            }
        )
    if not rows:
        raise ReproError(
            "no control can be regressed on length: that takes at least 4 pairs, and lengths and "
            "similarities that vary; use more pairs"
        )
    return pd.DataFrame(rows)


def specification_curve(
    states: PairStates, bands: dict[str, Sequence[str]], *, seed: int, resamples: int
) -> pd.DataFrame:
    """R² of pooled cosine on length for each reasonable choice that the paper leaves open.

    Args:
        bands: name -> layers to average over.

    Returns:
        One row per specification: ``predictor``, ``band``, ``sink tokens``, ``mean``, and ``r2``
        with its interval.
    """
    rows = []
    for band, layers in bands.items():
        for span, sinks in SINK_CHOICES.items():
            for centred in (False, True):
                similarity = states.over(layers).cosine(span, centred=centred)
                for predictor, values in length_predictors(states).items():
                    fit = length_fit(similarity, values, seed=seed, resamples=resamples)
                    rows.append(
                        {
                            "predictor": predictor,
                            "band": band,
                            "sink tokens": sinks,
                            "mean": "subtracted" if centred else "kept",
                            "r2": fit.r2.value,
                            "r2_low": fit.r2.low,
                            "r2_high": fit.r2.high,
                            "beta": fit.beta.value,
                        }
                    )
    return pd.DataFrame(rows).sort_values("r2", ascending=False, ignore_index=True)


def length_predictors(states: PairStates) -> dict[str, np.ndarray]:
    """The ways in which "length ratio" can be meant, and the theory's own predictor."""
    first, second = states.first.n_tokens, states.second.n_tokens
    return {
        "log ratio": log_length_ratio(first, second),
        "ratio": first / second,
        "min / max": np.minimum(first, second) / np.maximum(first, second),
        "−(1/m + 1/n)": pooling_noise(first, second),
    }


def draw_specifications(figure: Figure, curve: pd.DataFrame) -> None:
    """R² of each specification above marks for the choices that it makes.

    Args:
        curve: rows sorted by ``r2``; each column but ``r2*`` and ``beta`` is a choice.
    """
    choices = [name for name in map(str, curve) if not name.startswith(("r2", "beta"))]
    levels = [(column, level) for column in choices for level in curve[column].unique()]
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[1, 0.09 * len(levels)])
    x = np.arange(len(curve))
    top.vlines(x, curve["r2_low"], curve["r2_high"], color="C0", lw=1.2)
    top.plot(x, curve["r2"], "o", ms=3.5, color="C0")
    top.set(ylabel="R²", ylim=(-0.02, 1))
    for height, (column, level) in enumerate(levels):
        chosen = np.flatnonzero(curve[column] == level)
        heights = np.full(len(chosen), height)
        bottom.plot(chosen, heights, "|", ms=8, mew=2, color=f"C{choices.index(column) % 6}")
    labels = [f"{column}: {level}" for column, level in levels]
    bottom.set_yticks(range(len(levels)), labels, fontsize=9)
    bottom.set(xlabel="specification, sorted by R²", ylim=(len(levels) - 0.5, -0.5))
    bottom.grid(axis="y", visible=False)


_COLUMNS = {
    "label": "similarity",
    "beta": "β, log ratio",
    "r2": "R², log ratio",
    "r2_noise": "R², 1/m + 1/n",
    "se": "clustered SE of β",
    "n": "n",
    "units": "units",
    "mean": "mean",
}
FIT_FORMATS: dict[str, str | Interval] = {
    "β, log ratio": Interval("beta_low", "beta_high", 2),
    "R², log ratio": Interval("r2_low", "r2_high", 2),
    "R², 1/m + 1/n": Interval("r2_noise_low", "r2_noise_high", 2),
    "clustered SE of β": ".2f",
    "mean": ".2f",
}
"""How the columns of :func:`shown_fits` are written."""


def shown_fits(fits: pd.DataFrame) -> pd.DataFrame:
    """The frame of :func:`fit_controls` with the columns that a reader sees, intervals beside."""
    columns = [
        column
        for name in _COLUMNS
        for column in (name, f"{name}_low", f"{name}_high")
        if column in fits
    ]
    return fits[columns].rename(columns=_COLUMNS).reset_index(drop=True)
