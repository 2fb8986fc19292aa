"""Paired texts under one model: every similarity and every control of the length paper.

Text i of one side is compared with text i of the other (a sentence and its translation, a function
and its counterpart). States are extracted once; the measures and controls are read from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reproutils.alignment import align_corpus
from reproutils.errors import ReproError
from reproutils.models import LoadedModel
from reproutils.similarity import (
    adjusted_rv,
    centered_cosine,
    cosine_rows,
    debiased_cosine,
    linear_cka_null,
    linear_cka_pairs,
    rv_coefficient,
)
from reproutils.states import ALL_POSITIONS, WITHOUT_FIRST, Reductions, States, extract
from reproutils.theory import estimate_rho

MIN_ROWS = 4
SPANS = (("all", ALL_POSITIONS), ("no_first", WITHOUT_FIRST))


@dataclass(frozen=True)
class PairStates:
    """Extracted states of both sides.

    Attributes:
        band: the layers over which similarities are averaged.
        first, second: states of the two sides; text i of both is one pair.
        cut_first, cut_second: states of both texts cut to the length of the shorter, and the span
            that holds them.
        rows_first, rows_second: aligned token positions of each pair.
    """

    band: tuple[str, ...]
    first: States
    second: States
    cut_first: States
    cut_second: States
    cut_span: str
    rows_first: list[tuple[int, ...]]
    rows_second: list[tuple[int, ...]]

    def __len__(self) -> int:
        return len(self.first)

    @property
    def all_states(self) -> tuple[States, ...]:
        """Each distinct set of states once."""
        return tuple({id(s): s for s in (self.first, self.second, self.cut_first, self.cut_second)}.values())

    @cached_property
    def n_rows(self) -> np.ndarray:
        """(n_pairs,) aligned token rows of each pair."""
        return np.array([len(rows) for rows in self.rows_first])

    @cached_property
    def usable(self) -> np.ndarray:
        """(n_pairs,) whether a pair has the rows that debiased CKA needs, position 0 apart."""
        return np.array([len(kept) >= MIN_ROWS for kept in self._without_first()])

    def _without_first(self) -> list[list[int]]:
        """Per pair, the aligned rows that are position 0 on neither side."""
        return [
            [k for k, (i, j) in enumerate(zip(a, b, strict=True)) if i and j]
            for a, b in zip(self.rows_first, self.rows_second, strict=True)
        ]

    # --- cosines, averaged over the band ---------------------------------------------------

    def cosine(self, span: str = "all", *, centred: bool = False, partner: np.ndarray | None = None) -> np.ndarray:
        """(n_pairs,) pooled cosine over the band.

        Args:
            span: ``all``, ``no_first`` (position 0 left out) or ``cut`` (both texts cut to the
                shorter one's length).
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

    def debiased(self, span: str = "no_first") -> np.ndarray:
        """(n_pairs,) debiased cosine, from U-statistics, over the band; NaN where undefined at
        any layer."""
        total = np.zeros(len(self))
        skipped = dict(SPANS)[span][0]
        squares = self.first.mean_square(span), self.second.mean_square(span)
        for layer in self.band:
            a, b = self.pooled(layer, span)
            at = self.first.layers.index(layer)
            total += debiased_cosine(
                a, b, squares[0][:, at], squares[1][:, at],
                self.first.n_tokens - skipped, self.second.n_tokens - skipped,
            )  # fmt: skip
        return total / len(self.band)

    def pooled(self, layer: str, span: str = "all") -> tuple[np.ndarray, np.ndarray]:
        """Both sides' (n_pairs, d) pooled states at one layer, in float64."""
        if span == "cut":
            sides, span = (self.cut_first, self.cut_second), self.cut_span
        else:
            sides = (self.first, self.second)
        return sides[0].mean(span, layer).astype(np.float64), sides[1].mean(span, layer).astype(np.float64)

    # --- token-level measures, averaged over the band ---------------------------------------

    def cka(self, *, debiased: bool, without_first: bool = False) -> np.ndarray:
        """(n_pairs,) linear CKA on the aligned rows; NaN for pairs that are not usable."""
        return self._over_rows(
            lambda pairs: linear_cka_pairs(pairs, debiased=debiased).mean(1), without_first
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

        return self._over_rows(measure, False)

    def cka_excess(self, *, permutations: int, seed: int) -> np.ndarray:
        """(n_pairs,) biased CKA less the mean of its permutation null: rows of one side shuffled."""
        rng = np.random.default_rng(seed)

        def measure(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
            values = []
            for x, y in pairs:
                null = linear_cka_null(x, y, permutations, rng, debiased=False)
                values.append(float(np.mean(null.observed - null.null.mean(0))))
            return np.array(values)

        return self._over_rows(measure, False)

    def adjusted_rv(self) -> np.ndarray:
        """(n_pairs,) adjusted RV coefficient on the aligned rows."""
        return self._over_rows(
            lambda pairs: np.array([np.mean(adjusted_rv(x, y)) for x, y in pairs]), False
        )

    def rv_gap(self) -> float:
        """Largest difference between RV and biased CKA over all usable pairs and layers."""
        gaps = self._over_rows(
            lambda pairs: np.array(
                [
                    np.max(np.abs(rv_coefficient(x, y) - cka))
                    for (x, y), cka in zip(pairs, linear_cka_pairs(pairs, debiased=False), strict=True)
                ]
            ),
            False,
        )
        return float(np.nanmax(gaps))

    def _over_rows(
        self,
        measure: Callable[[Sequence[tuple[np.ndarray, np.ndarray]]], np.ndarray],
        without_first: bool,
        batch: int = 64,
    ) -> np.ndarray:
        """Apply ``measure`` to the usable pairs' (layers, rows, d) matrices, a batch at a time."""
        values = np.full(len(self), np.nan)
        if not self.usable.any():
            raise ReproError(
                f"no pair has {MIN_ROWS} aligned token rows besides position 0; token-level CKA "
                f"needs them: use longer texts, or texts that share more words"
            )
        kept = self._without_first() if without_first else [slice(None)] * len(self)
        held: list[tuple[np.ndarray, np.ndarray]] = []
        members: list[int] = []

        def flush() -> None:
            if held:
                values[members] = measure(held)
            held.clear()
            members.clear()

        for pair, (x, y) in enumerate(zip(self.first.rows(), self.second.rows(), strict=True)):
            if self.usable[pair]:
                held.append((x[:, kept[pair]].astype(np.float64), y[:, kept[pair]].astype(np.float64)))
                members.append(pair)
            if len(held) == batch:
                flush()
        flush()
        return values

    # --- geometry -----------------------------------------------------------------------------

    def rho(self, span: str, layer: str) -> float:
        """Median over all texts of the estimated ρ = σ²d/‖μ‖² at one layer; ∞ where a text shows
        no common direction."""
        skipped = dict(SPANS)[span][0]
        values = []
        for side in (self.first, self.second):
            n = side.n_tokens - skipped
            enough = n >= 2
            mean = side.mean(span, layer).astype(np.float64)[enough]
            square = side.mean_square(span)[enough, side.layers.index(layer)].astype(np.float64)
            estimate = estimate_rho((mean**2).sum(1), square, n[enough])
            values.append(np.where(np.isnan(estimate), np.inf, estimate))
        return float(np.median(np.concatenate(values)))


def extract_pairs(
    model: LoadedModel,
    first: Sequence[str],
    second: Sequence[str],
    *,
    layers: Sequence[str],
    band: Sequence[str],
    truncate: bool = False,
) -> PairStates:
    """Extract what all measures and controls need, in one forward pass per text.

    An encoder that reads in both directions needs a second pass over the cut texts, since the
    states of a prefix are not those of the cut text there.

    Args:
        layers: layers at which pooled states are kept; holds ``band``.
        band: layers at which the aligned token rows are kept.
    """
    rows_first, rows_second = align_corpus(first, second, model.encode)
    lengths = [(len(model.encode(a)[0]), len(model.encode(b)[0])) for a, b in zip(first, second, strict=True)]
    shorter = tuple(min(pair) for pair in lengths)

    def states(texts: Sequence[str], rows: list[tuple[int, ...]]) -> States:
        return extract(
            model,
            texts,
            layers=layers,
            reductions=Reductions(
                spans=SPANS,
                prefix_lengths=shorter if model.causal else None,
                rows=tuple(rows),
                row_layers=tuple(band),
            ),
            truncate=truncate,
        )

    sides = states(first, rows_first), states(second, rows_second)
    if model.causal:
        cut, cut_span = sides, "prefix"
    else:
        only_mean = Reductions()
        cut = tuple(
            extract(
                model,
                [model.cut(text, k) for text, k in zip(texts, shorter, strict=True)],
                layers=layers,
                reductions=only_mean,
                truncate=truncate,
            )
            for texts in (first, second)
        )  # type: ignore[assignment]
        cut_span = "all"
    return PairStates(
        band=tuple(band),
        first=sides[0],
        second=sides[1],
        cut_first=cut[0],
        cut_second=cut[1],
        cut_span=cut_span,
        rows_first=rows_first,
        rows_second=rows_second,
    )


def log_length_ratio(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """ln(n_first / n_second), the main length predictor."""
    return np.log(first / second)


def pooling_noise(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """-(1/n_first + 1/n_second): the predictor that equation 4 itself calls for, signed so that it
    rises with length."""
    return -(1 / first + 1 / second)
