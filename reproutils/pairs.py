"""Paired texts under one model: every similarity and every control of the length paper.

Text i of one side is compared with text i of the other (a sentence and its translation, a function
and its counterpart). States are extracted once; the measures and controls are read from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from reproutils.alignment import align_corpus
from reproutils.errors import ReproError
from reproutils.models import LoadedModel
from reproutils.similarity import (
    adjusted_rv,
    cosine_rows,
    debiased_cosine,
    linear_cka_null,
    linear_cka_pairs,
    rv_coefficient,
)
from reproutils.states import (
    ALL_POSITIONS,
    NO_SINKS,
    SINK_FACTOR,
    WITHOUT_FIRST,
    Reductions,
    States,
    extract,
)
from reproutils.theory import estimate_rho

MIN_ROWS = 4
SPANS = (("all", ALL_POSITIONS), ("no_first", WITHOUT_FIRST))
SpanName = Literal["all", "no_first", "no_sinks", "cut"]


@dataclass(frozen=True)
class PairStates:
    """Extracted states of both sides.

    Attributes:
        band: the layers over which pooled similarities are averaged.
        first, second: states of the two sides; text i of both is one pair.
        cut_first, cut_second: states that hold both texts cut to the length of the shorter, each
            with the name of the span.
        rows_first, rows_second: aligned token positions of each pair.
        picks_first, picks_second: where these stand among the rows that the states keep.
    """

    band: tuple[str, ...]
    first: States
    second: States
    cut_first: tuple[States, str]
    cut_second: tuple[States, str]
    rows_first: list[tuple[int, ...]]
    rows_second: list[tuple[int, ...]]
    picks_first: list[np.ndarray]
    picks_second: list[np.ndarray]

    def __len__(self) -> int:
        return len(self.first)

    def over(self, band: Sequence[str]) -> PairStates:
        """The same states with pooled similarities averaged over another band."""
        return replace(self, band=tuple(band))

    @cached_property
    def n_rows(self) -> np.ndarray:
        """(n_pairs,) aligned token rows of each pair."""
        return np.array([len(rows) for rows in self.rows_first])

    @cached_property
    def usable(self) -> np.ndarray:
        """(n_pairs,) whether a pair has the rows that debiased CKA needs, position 0 apart."""
        return np.array([int(kept.sum()) >= MIN_ROWS for kept in self._after_first])

    @cached_property
    def _after_first(self) -> list[np.ndarray]:
        """Per pair, which aligned rows are position 0 on neither side."""
        return [
            (np.array(a, dtype=int) > 0) & (np.array(b, dtype=int) > 0)
            for a, b in zip(self.rows_first, self.rows_second, strict=True)
        ]

    # --- cosines, averaged over the band ---------------------------------------------------

    def cosine(
        self,
        span: SpanName = "all",
        *,
        centred: bool = False,
        partner: np.ndarray | None = None,
    ) -> np.ndarray:
        """(n_pairs,) pooled cosine over the band.

        Args:
            span: ``all``, ``no_first`` (position 0 left out), ``no_sinks`` (all sink tokens left
                out) or ``cut`` (both texts cut to the shorter one's length).
            centred: subtract each side's mean over the corpus first.
            partner: compare text i of the first side with text ``partner[i]`` of the second.
        """
        total = np.zeros(len(self))
        for layer in self.band:
            a, b = self.pooled(layer, span)
            if centred:
                a, b = a - a.mean(0), b - b.mean(0)
            total += cosine_rows(a, b if partner is None else b[partner])
        return total / len(self.band)

    def debiased(self) -> np.ndarray:
        """(n_pairs,) debiased cosine without sink tokens, over the band; NaN where it is
        undefined at any layer."""
        total = np.zeros(len(self))
        squares = [side.mean_square(NO_SINKS) for side in (self.first, self.second)]
        counts = [_ordinary_tokens(side) for side in (self.first, self.second)]
        for layer in self.band:
            a, b = self.pooled(layer, NO_SINKS)
            at = self.first.layers.index(layer)
            total += debiased_cosine(
                a, b, squares[0][:, at], squares[1][:, at], counts[0][:, at], counts[1][:, at]
            )
        return total / len(self.band)

    def pooled(self, layer: str, span: SpanName = "all") -> tuple[np.ndarray, np.ndarray]:
        """Both sides' (n_pairs, d) pooled states at one layer, in float64."""
        if span == "cut":
            sides = self.cut_first, self.cut_second
        else:
            sides = (self.first, span), (self.second, span)
        a, b = (states.mean(name, layer).astype(np.float64) for states, name in sides)
        return a, b

    # --- token-level measures, averaged over the band ---------------------------------------

    def cka(self, *, debiased: bool, without_sinks: bool = False) -> np.ndarray:
        """(n_pairs,) linear CKA on the aligned rows; NaN for pairs that are not usable.

        Args:
            without_sinks: leave out rows that are position 0, or a sink among the aligned rows,
                on either side.
        """
        return self._over_rows(
            lambda pairs: linear_cka_pairs(pairs, debiased=debiased).mean(1), without_sinks
        )

    def cka_fixed_rows(self, rows: int, *, draws: int, seed: int) -> np.ndarray:
        """(n_pairs,) biased CKA on ``rows`` aligned rows drawn at random, mean of ``draws``.

        NaN for pairs with fewer rows.
        """
        rng = np.random.default_rng(seed)

        def measure(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
            values = np.full(len(pairs), np.nan)
            enough = [k for k, (x, _) in enumerate(pairs) if x.shape[1] >= rows]
            total = np.zeros(len(enough))
            for _ in range(draws):
                drawn = []
                for k in enough:
                    keep = np.sort(rng.choice(pairs[k][0].shape[1], rows, replace=False))
                    drawn.append((pairs[k][0][:, keep], pairs[k][1][:, keep]))
                total += linear_cka_pairs(drawn, debiased=False).mean(1)
            values[enough] = total / draws
            return values

        return self._over_rows(measure)

    def cka_excess(self, *, permutations: int, seed: int) -> np.ndarray:
        """(n_pairs,) biased CKA less the mean of its null: rows of one side shuffled."""
        rng = np.random.default_rng(seed)

        def measure(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
            values = []
            for x, y in pairs:
                null = linear_cka_null(x, y, permutations, rng, debiased=False)
                values.append(float(np.mean(null.observed - null.null.mean(0))))
            return np.array(values)

        return self._over_rows(measure)

    def adjusted_rv(self) -> np.ndarray:
        """(n_pairs,) adjusted RV coefficient on the aligned rows."""
        return self._over_rows(
            lambda pairs: np.array([np.mean(adjusted_rv(x, y)) for x, y in pairs])
        )

    def rv_gap(self) -> float:
        """Largest difference between RV and biased CKA over all usable pairs and layers."""
        gaps = self._over_rows(
            lambda pairs: np.array(
                [
                    np.max(np.abs(rv_coefficient(x, y) - cka))
                    for (x, y), cka in zip(
                        pairs, linear_cka_pairs(pairs, debiased=False), strict=True
                    )
                ]
            )
        )
        return float(np.nanmax(gaps))

    def _over_rows(
        self,
        measure: Callable[[Sequence[tuple[np.ndarray, np.ndarray]]], np.ndarray],
        without_sinks: bool = False,
        batch: int = 64,
    ) -> np.ndarray:
        """Apply ``measure`` to the usable pairs' (layers, rows, d) matrices, a batch at a time."""
        values = np.full(len(self), np.nan)
        if not self.usable.any():
            raise ReproError(
                f"no pair has {MIN_ROWS} aligned token rows besides position 0; token-level CKA "
                f"needs them: use longer texts, or texts that share more words"
            )
        picks = zip(self.picks_first, self.picks_second, strict=True)
        held: list[tuple[np.ndarray, np.ndarray]] = []
        members: list[int] = []

        def flush() -> None:
            if held:
                values[members] = measure(held)
            held.clear()
            members.clear()

        rows = zip(self.first.rows(), self.second.rows(), picks, strict=True)
        for pair, (x, y, (at_x, at_y)) in enumerate(rows):
            if self.usable[pair]:
                x, y = x[:, at_x].astype(np.float64), y[:, at_y].astype(np.float64)
                if without_sinks:
                    kept = self._after_first[pair] & ~sink_rows(x) & ~sink_rows(y)
                    x, y = x[:, kept], y[:, kept]
                if x.shape[1] >= MIN_ROWS:
                    held.append((x, y))
                    members.append(pair)
            if len(held) == batch:
                flush()
        flush()
        return values

    # --- geometry -----------------------------------------------------------------------------

    def rho(self, span: Literal["all", "no_sinks"], layer: str) -> float:
        """Median over all texts of the estimated ρ = σ²d/‖μ‖² at one layer; ∞ where a text shows
        no common direction."""
        values = []
        for side in (self.first, self.second):
            at = side.layers.index(layer)
            n = side.n_tokens if span == "all" else _ordinary_tokens(side)[:, at]
            enough = n >= 2
            mean = side.mean(span, layer).astype(np.float64)[enough]
            square = side.mean_square(span)[enough, at].astype(np.float64)
            estimate = estimate_rho((mean**2).sum(1), square, n[enough])
            values.append(np.where(np.isnan(estimate), np.inf, estimate))
        return float(np.median(np.concatenate(values)))

    def texts_with_sinks(self, layer: str) -> float:
        """Share of texts with a sink token besides position 0 at one layer."""
        at = self.first.layers.index(layer)
        return float(np.mean([side.n_sinks()[:, at] > 0 for side in (self.first, self.second)]))


def _ordinary_tokens(states: States) -> np.ndarray:
    """(n_texts, n_layers) tokens in the span ``no_sinks``."""
    count: np.ndarray = states.n_tokens[:, None] - 1 - states.n_sinks()
    return count


def sink_rows(rows: np.ndarray) -> np.ndarray:
    """(n_rows,) whether a row of (layers, n_rows, d) is a sink at some layer."""
    norms = np.linalg.norm(rows, axis=2)
    sinks: np.ndarray = (norms > SINK_FACTOR * np.median(norms, axis=1, keepdims=True)).any(0)
    return sinks


def extract_pairs(
    model: LoadedModel,
    texts: Mapping[str, Sequence[str]],
    *,
    layers: Sequence[str],
    band: Sequence[str],
    row_layers: Sequence[str] | None = None,
    truncate: bool = False,
) -> dict[str, PairStates]:
    """Extract what all measures and controls need, in one forward pass per text.

    The first of ``texts`` is compared with each of the others. An encoder that reads in both
    directions needs a second pass over the cut texts, since the states of a prefix are not those
    of the cut text there.

    Args:
        texts: language -> texts; text i of every language is item i.
        layers: layers at which pooled states are kept; holds ``band``.
        band: layers over which similarities are averaged.
        row_layers: layers at which the aligned token rows are kept; None: ``band``.
        truncate: cut texts longer than the context instead of refusing them.

    Returns:
        Other language -> states of the pairs (first language, other language).
    """
    reference, *others = texts
    # A text that is cut to the context is aligned as far as the model will see it.
    limit = model.max_length if truncate else None
    surfaces = {name: [model.encode(text)[1][:limit] for text in texts[name]] for name in texts}
    lengths = {name: [len(tokens) for tokens in surfaces[name]] for name in texts}
    aligned = {other: align_corpus(surfaces[reference], surfaces[other]) for other in others}
    shorter = {
        other: tuple(map(min, zip(lengths[reference], lengths[other], strict=True)))
        for other in others
    }
    # The tokens that an encoder puts after each text come on top of what is left of a cut text.
    # The reference's rows serve all alignments: each text keeps the union.
    union = [
        tuple(sorted(set().union(*rows)))
        for rows in zip(*(aligned[other][0] for other in others), strict=True)
    ]

    def run(name: str, rows: list[tuple[int, ...]]) -> States:
        partners = others if name == reference else [name]
        prefixes = tuple((f"cut:{other}", shorter[other]) for other in partners)
        return extract(
            model,
            texts[name],
            layers=layers,
            reductions=Reductions(
                spans=SPANS,
                no_sinks=True,
                prefixes=prefixes if model.causal else (),
                rows=tuple(rows),
                row_layers=tuple(row_layers or band),
            ),
            truncate=truncate,
        )

    def cut(name: str, other: str, states: States) -> tuple[States, str]:
        if model.causal:
            return states, f"cut:{other}"
        cut_texts = [
            model.cut(text, k - model.n_closing)
            for text, k in zip(texts[name], shorter[other], strict=True)
        ]
        return extract(model, cut_texts, layers=layers, truncate=truncate), "all"

    first = run(reference, union)
    found = {}
    for other in others:
        rows_first, rows_second = aligned[other]
        second = run(other, rows_second)
        found[other] = PairStates(
            band=tuple(band),
            first=first,
            second=second,
            cut_first=cut(reference, other, first),
            cut_second=cut(other, other, second),
            rows_first=rows_first,
            rows_second=rows_second,
            picks_first=[
                np.searchsorted(kept, rows) for kept, rows in zip(union, rows_first, strict=True)
            ],
            picks_second=[np.arange(len(rows)) for rows in rows_second],
        )
    return found


def computed_states(found: Mapping[str, PairStates]) -> list[States]:
    """Each distinct set of states behind ``found`` once."""
    every = (
        states
        for pair in found.values()
        for states in (pair.first, pair.second, pair.cut_first[0], pair.cut_second[0])
    )
    return list({id(states): states for states in every}.values())


def log_length_ratio(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """ln(n_first / n_second), the main length predictor."""
    ratio: np.ndarray = np.log(first / second)
    return ratio


def pooling_noise(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """-(1/n_first + 1/n_second): the predictor that equation 4 itself calls for, signed so that it
    rises with length."""
    return -(1 / first + 1 / second)
