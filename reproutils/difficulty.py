"""Dispersion as a measure of difficulty: right and wrong items apart, mixed, and ranked.

The dispersion paper mixes items that a model answers rightly and wrongly and finds that accuracy
rises with the mean pairwise distance of the mixture. That says nothing yet about use: a mixture is
made with the labels. Here the same states are asked what a user would ask, which items or slices of
an unlabelled set the model gets wrong, beside quantities that are as free of labels: the perplexity
of the question, and the entropy and the margin of the answer distribution.

The item is the independent unit throughout. A resample never compares an item with itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.cluster.vq import kmeans2
from scipy.stats import rankdata

from reproutils.dispersion import mean_pairwise_distance, weighted_dispersion
from reproutils.errors import ReproError
from reproutils.regression import (
    RESAMPLES,
    Resampled,
    bootstrap_weights,
    combine,
    resampled_correlation,
    weights_with_data,
)

LEAST = 5
LEAST_SLICES = 4


def unit_rows(states: np.ndarray, *, centred: bool = False) -> np.ndarray:
    """(n, d) float64 rows of length 1, the mean of all rows subtracted first if ``centred``."""
    rows = np.asarray(states, dtype=np.float64)
    if centred:
        rows = rows - rows.mean(0)
    unit: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def dispersion_gain(
    unit: np.ndarray,
    correct: np.ndarray,
    groups: Sequence[object] | None = None,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Resampled:
    """Dispersion of the right items less that of the wrong ones.

    Args:
        unit: (n, d) rows of length 1.
        correct: (n,) whether the model answered rightly.
        groups: (n,) topics; if given, both dispersions are taken within each topic and the
            differences averaged with the topics' numbers of items as weights. Topics with fewer
            than :data:`LEAST` right or wrong items do not count.

    Raises:
        ReproError: no topic has enough items of either kind.
    """
    labels = (
        np.zeros(len(unit), dtype=int)
        if groups is None
        else pd.factorize(pd.Series(list(groups)))[0]
    )
    weights = weights_with_data(range(len(unit)), resamples, seed)
    total, sizes = np.zeros(len(weights)), 0
    for topic in np.unique(labels):
        right, wrong = (np.flatnonzero((labels == topic) & (correct == kind)) for kind in (1, 0))
        if min(len(right), len(wrong)) < LEAST:
            continue
        gap = _dispersion(unit, weights, right) - _dispersion(unit, weights, wrong)
        total += (len(right) + len(wrong)) * gap
        sizes += len(right) + len(wrong)
    if not sizes:
        raise ReproError(
            f"no topic has {LEAST} right and {LEAST} wrong items, so they cannot be compared; take "
            f"more items or other questions"
        )
    values = total / sizes
    return Resampled(float(values[0]), values[1:], len(unit))


def _dispersion(unit: np.ndarray, weights: np.ndarray, members: np.ndarray) -> np.ndarray:
    """(resamples,) dispersion of some of the items."""
    return weighted_dispersion(unit[members], weights[:, members])


def mixtures(
    states: np.ndarray,
    correct: np.ndarray,
    *,
    size: int,
    shares: Sequence[float],
    draws: int,
    seed: int,
) -> pd.DataFrame:
    """Dispersion of mixtures of right and wrong items, drawn without replacement.

    Returns:
        One row per share and draw: ``share`` (of right items), ``draw``, ``dispersion``.

    Raises:
        ReproError: there are not ``size`` items of either kind.
    """
    right, wrong = np.flatnonzero(correct), np.flatnonzero(~correct.astype(bool))
    if min(len(right), len(wrong)) < size:
        raise ReproError(
            f"mixtures of {size} items need {size} right and {size} wrong ones; there are "
            f"{len(right)} and {len(wrong)}: lower mixture_size or take more items"
        )
    rng = np.random.default_rng(seed)
    rows = []
    for share in shares:
        n_right = round(share * size)
        for draw in range(draws):
            chosen = np.concatenate(
                [
                    rng.choice(right, n_right, replace=False),
                    rng.choice(wrong, size - n_right, replace=False),
                ]
            )
            rows.append(
                {
                    "share": float(share),
                    "draw": draw,
                    "dispersion": float(mean_pairwise_distance(states[chosen])),
                }
            )
    return pd.DataFrame(rows)


def mixture_size(correct: np.ndarray, wanted: int) -> int:
    """``wanted``, or the number of right or of wrong items if that is smaller.

    Raises:
        ReproError: fewer than :data:`LEAST` right or wrong items.
    """
    right = int(correct.sum())
    found = min(wanted, right, len(correct) - right)
    if found < LEAST:
        raise ReproError(
            f"{right} right and {len(correct) - right} wrong answers: a mixture needs at least "
            f"{LEAST} of both; take more items"
        )
    return found


def contributions(unit: np.ndarray) -> np.ndarray:
    """(n,) mean cosine distance of each item to all others: what it adds to the dispersion."""
    n = len(unit)
    return np.asarray(1.0 - (unit @ unit.sum(0) - 1.0) / (n - 1))


def failure_auc(
    score: np.ndarray, correct: np.ndarray, *, seed: int, resamples: int = RESAMPLES
) -> Resampled:
    """Area under the curve of finding wrong items by a high ``score``.

    It is the chance that a wrong item scores higher than a right one, ties counting half.

    Raises:
        ReproError: all items are right, or all wrong.
    """
    wrong = ~correct.astype(bool)
    if wrong.all() or not wrong.any():
        raise ReproError("all items are answered alike; failures cannot be told from successes")
    weights = bootstrap_weights(range(len(score)), resamples, np.random.default_rng(seed))
    rows = (np.repeat(np.arange(len(score)), multiplicity.astype(int)) for multiplicity in weights)
    draws = np.array([_auc(score[drawn], wrong[drawn]) for drawn in rows])
    return Resampled(_auc(score, wrong), draws, len(score))


def _auc(score: np.ndarray, wrong: np.ndarray) -> float:
    n_wrong = int(wrong.sum())
    n_right = len(wrong) - n_wrong
    if not n_wrong or not n_right:
        return float("nan")
    ranks = rankdata(score)[wrong].sum()
    return float((ranks - n_wrong * (n_wrong + 1) / 2) / (n_wrong * n_right))


def best_of(one: Resampled, others: Sequence[Resampled]) -> Resampled:
    """``one`` less the largest of the others, resample by resample."""
    return combine(lambda value, *rest: value - np.max(rest, axis=0), [one, *others])


def added_given(
    score: np.ndarray,
    baselines: np.ndarray,
    correct: np.ndarray,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Resampled:
    """Partial correlation of ``score`` with being wrong, given the baselines (n, k)."""
    wrong = (~correct.astype(bool)).astype(np.float64)
    return resampled_correlation(score, wrong, given=baselines, seed=seed, resamples=resamples)


def slices_of(unit: np.ndarray, n_slices: int, seed: int) -> np.ndarray:
    """(n,) slice of each item: k-means clusters of the states, which need no label."""
    _, labels = kmeans2(unit, n_slices, minit="++", rng=np.random.default_rng(seed))
    return np.asarray(labels)


def slice_table(
    unit: np.ndarray,
    correct: np.ndarray,
    scores: Mapping[str, np.ndarray],
    slices: np.ndarray,
) -> pd.DataFrame:
    """One row per slice: ``slice, items, accuracy, dispersion`` and the mean of each score.

    Slices with fewer than :data:`LEAST` items are left out.
    """
    rows = []
    for number in np.unique(slices):
        members = np.flatnonzero(slices == number)
        if len(members) >= LEAST:
            row = {
                "slice": int(number),
                "items": len(members),
                "accuracy": float(correct[members].mean()),
                "dispersion": float(mean_pairwise_distance(unit[members])),
            }
            rows.append(row | {name: float(v[members].mean()) for name, v in scores.items()})
    return pd.DataFrame(rows)


def slice_correlations(
    unit: np.ndarray,
    correct: np.ndarray,
    scores: Mapping[str, np.ndarray],
    slices: np.ndarray,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> dict[str, Resampled]:
    """Rank correlation over slices of accuracy with dispersion and with each mean score.

    Items are resampled within the whole, so that slices grow and shrink; a slice left with fewer
    than two different items does not count in that resample.

    Raises:
        ReproError: fewer than four slices of :data:`LEAST` items or more.
    """
    members = [np.flatnonzero(slices == number) for number in np.unique(slices)]
    members = [rows for rows in members if len(rows) >= LEAST]
    if len(members) < LEAST_SLICES:
        raise ReproError(
            f"{len(members)} slices of at least {LEAST} items; a rank correlation needs "
            f"{LEAST_SLICES}: take more items or fewer slices"
        )
    weights = weights_with_data(range(len(unit)), resamples, seed)

    def mean(values: np.ndarray) -> np.ndarray:
        parts = []
        for rows in members:
            total = weights[:, rows].sum(1)
            sums = weights[:, rows] @ values[rows]
            parts.append(np.divide(sums, total, out=np.full(len(total), np.nan), where=total > 0))
        return np.stack(parts, axis=1)

    accuracy = mean(correct.astype(np.float64))
    by_slice = {
        "dispersion": np.stack([_dispersion(unit, weights, rows) for rows in members], axis=1),
        **{name: mean(values) for name, values in scores.items()},
    }
    found = {}
    for name, values in by_slice.items():
        draws = np.array([_rank_correlation(a, b) for a, b in zip(values, accuracy, strict=True)])
        found[name] = Resampled(float(draws[0]), draws[1:], len(unit))
    return found


def _rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    kept = np.isfinite(a) & np.isfinite(b)
    if kept.sum() < 4 or np.ptp(a[kept]) == 0 or np.ptp(b[kept]) == 0:
        return float("nan")
    return float(np.corrcoef(rankdata(a[kept]), rankdata(b[kept]))[0, 1])


def tail_precision(
    score: np.ndarray, correct: np.ndarray, share: float, *, seed: int, resamples: int = RESAMPLES
) -> Resampled:
    """Share of wrong items among the ``share`` of items with the highest score."""
    wrong = ~correct.astype(bool)
    weights = bootstrap_weights(range(len(score)), resamples, np.random.default_rng(seed))
    order = np.argsort(-score, kind="stable")
    kept = int(np.ceil(share * len(score)))

    # Each resample has as many items as the whole, so its tail is as long.
    sorted_weights = weights[:, order]
    before = np.cumsum(sorted_weights, axis=1) - sorted_weights
    taken = np.clip(kept - before, 0, sorted_weights)
    draws = (taken * wrong[order]).sum(1) / kept
    return Resampled(float(wrong[order][:kept].mean()), draws, len(score))
