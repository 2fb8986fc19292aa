"""Does a model represent a sentence and its translation alike? The positive control, by layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from reproutils.alignment import mismatch_same_length
from reproutils.controls import Twin
from reproutils.errors import ReproError
from reproutils.pairs import PairStates, SpanName
from reproutils.regression import Interval, bootstrap_interval
from reproutils.similarity import (
    PermutationNull,
    cosine_rows,
    linear_cka_null,
    mutual_knn,
    retrieval_accuracy,
)

NEIGHBOURS = 10


def wins(true: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(n,) 1 where the true partner is more similar than the other, 1/2 on a tie."""
    won: np.ndarray = (true > other) + 0.5 * (true == other)
    return won


def win_rate(
    states: PairStates,
    partner: np.ndarray,
    *,
    span: SpanName,
    centred: bool,
    seed: int,
    resamples: int,
) -> Interval:
    """Share of pairs whose true partner beats ``partner`` by pooled cosine over the band."""
    true = states.cosine(span, centred=centred)
    other = states.cosine(span, centred=centred, partner=partner)
    return bootstrap_interval(wins(true, other), seed=seed, resamples=resamples)


def twin_wins(trained: PairStates, twin: Twin, *, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Which pairs win against another text of the same length, in the trained network and in its
    untrained twin: the twin's items with the same partners, by centred cosine without sink tokens.
    """
    partner = mismatch_same_length(twin.states.second.n_tokens, np.random.default_rng(seed))
    partner_among_all = np.arange(len(trained))
    partner_among_all[twin.items] = twin.items[partner]

    def won(states: PairStates, other: np.ndarray) -> np.ndarray:
        return wins(
            states.cosine("no_sinks", centred=True),
            states.cosine("no_sinks", centred=True, partner=other),
        )

    return won(trained, partner_among_all)[twin.items], won(twin.states, partner)


def by_layer(
    states: PairStates, layers: Sequence[str], partner: np.ndarray, *, seed: int, resamples: int
) -> pd.DataFrame:
    """Measures of convergence at each layer.

    Args:
        partner: (n_pairs,) another text of the same length for each pair.

    Returns:
        One row per layer: ``layer``; ``win_raw``, ``win_no_sinks`` and ``win_centred`` (share of
        pairs whose true partner is the more similar one) with ``_low`` and ``_high``;
        ``retrieval`` (nearest-neighbour accuracy by centred cosine, mean of both directions) and
        ``mutual_knn``.
    """
    k = neighbours(len(states))
    rows = []
    for layer in layers:
        row: dict[str, float | str] = {"layer": layer}
        a, b = states.pooled(layer, "no_sinks")
        centred = a - a.mean(0), b - b.mean(0)
        for name, (left, right) in {
            "win_raw": states.pooled(layer, "all"),
            "win_no_sinks": (a, b),
            "win_centred": centred,
        }.items():
            won = wins(cosine_rows(left, right), cosine_rows(left, right[partner]))
            interval = bootstrap_interval(won, seed=seed, resamples=resamples)
            row |= {
                name: interval.value,
                f"{name}_low": interval.low,
                f"{name}_high": interval.high,
            }
        row["retrieval"] = float(retrieval_accuracy(*centred).mean)
        row["mutual_knn"] = float(mutual_knn(*centred, k))
        rows.append(row)
    return pd.DataFrame(rows)


def neighbours(n: int) -> int:
    """The k of mutual k-nearest neighbours: ten, or fewer for a handful of items."""
    if n < 4:
        raise ReproError(f"{n} pairs are too few for nearest neighbours; use at least 4")
    return min(NEIGHBOURS, n - 2)


def item_cka(states: PairStates, layer: str, *, permutations: int, seed: int) -> PermutationNull:
    """Debiased CKA between the two sides' pooled states (rows are items), with its null."""
    a, b = states.pooled(layer, "no_sinks")
    return linear_cka_null(a, b, permutations, np.random.default_rng(seed))
