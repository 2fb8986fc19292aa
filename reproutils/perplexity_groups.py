"""Dispersion against perplexity: groups of like perplexity, correlations over documents.

The dispersion paper relates groups of chunks, not chunks. Its released code sorts chunks by
perplexity, cuts the order into groups of 100, keeps the group nearest to each of 100 equally spaced
perplexities, and averages over each group the mean pairwise cosine distance between the tokens
*within* a chunk. The paper writes of distances *between* text segments. Both are computed here,
grouped and ungrouped, with intervals from resampled documents, since the chunks of one document are
not independent of each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from reproutils.dispersion import mean_pairwise_distance
from reproutils.errors import ReproError
from reproutils.regression import RESAMPLES, Resampled, bootstrap_weights, combine

SPACED_TARGETS = 100
MIN_GROUPS = 4


def perplexity(losses: Sequence[np.ndarray], context: int = 0) -> np.ndarray:
    """(n,) exp of the mean token loss over each text, or over its first ``context`` tokens.

    Args:
        losses: per text its token losses in nats; entry t is the loss of token t + 1.

    Raises:
        ReproError: a context of one token, which has no loss, or longer than a text.
    """
    stop = context - 1 if context else None
    for number, values in enumerate(losses):
        if context and not 2 <= context <= len(values) + 1:
            raise ReproError(
                f"a context of {context} tokens does not fit text {number}, which has "
                f"{len(values) + 1}; a context takes at least 2"
            )
    return np.exp([float(np.mean(values[:stop], dtype=np.float64)) for values in losses])


def distinct_share(ids: Sequence[Sequence[int]]) -> np.ndarray:
    """(n,) number of distinct tokens of each text over its number of tokens."""
    return np.array([len(set(text)) / len(text) for text in ids])


def token_dispersion(
    rows: Sequence[np.ndarray],
    measure: Callable[[np.ndarray], float] = mean_pairwise_distance,
    centre: np.ndarray | None = None,
) -> np.ndarray:
    """(n,) a measure of spread of each text's token states.

    Args:
        rows: per text (n_tokens, d) states.
        measure: of one (n_tokens, d) matrix.
        centre: (d,) subtracted from each state first.
    """
    shift = 0.0 if centre is None else np.asarray(centre, dtype=np.float64)
    return np.array([float(measure(np.asarray(text, dtype=np.float64) - shift)) for text in rows])


def groups_of_like(perplexities: np.ndarray, size: int) -> np.ndarray:
    """(n_groups, size) chunk numbers, consecutive in order of perplexity; the rest is dropped.

    Raises:
        ReproError: fewer than :data:`MIN_GROUPS` groups would result.
    """
    n_groups = len(perplexities) // size
    if n_groups < MIN_GROUPS:
        raise ReproError(
            f"{len(perplexities)} chunks make {n_groups} groups of {size}; a correlation over "
            f"groups needs at least {MIN_GROUPS}: lower group_size or use more chunks"
        )
    order = np.argsort(perplexities, kind="stable")
    return order[: n_groups * size].reshape(n_groups, size)


def groups_below(perplexities: np.ndarray, size: int, cut: float) -> int:
    """How many of the groups of ``size`` have a mean perplexity below ``cut``."""
    return int((perplexities[groups_of_like(perplexities, size)].mean(axis=1) < cut).sum())


def equally_spaced(means: np.ndarray, targets: int = SPACED_TARGETS) -> np.ndarray:
    """Numbers of the groups nearest to equally spaced values between the extremes, each once.

    Extreme groups, which are few, then weigh as much as the dense middle.
    """
    wanted = np.linspace(means.min(), means.max(), targets)
    return np.unique(np.abs(means[None] - wanted[:, None]).argmin(axis=1))


def grouped_correlation(
    perplexities: np.ndarray,
    spread: Callable[[np.ndarray], np.ndarray],
    documents: Sequence[object],
    *,
    size: int,
    seed: int,
    cut: float = np.inf,
    resamples: int = RESAMPLES,
) -> Resampled:
    """Pearson correlation of group means of perplexity and spread, grouped as in the released code.

    Each resample draws documents anew and groups their chunks again.

    Args:
        perplexities: (n,) of each chunk.
        spread: takes (n_groups, size) chunk numbers and gives (n_groups,) spreads; numbers may
            repeat in a resample.
        documents: (n,) the independent unit of each chunk.
        size: chunks per group.
        cut: groups with a mean perplexity of this or more are left out, as the released code's
            plots do at 25.

    Raises:
        ReproError: too few chunks for four groups, or fewer than four groups below ``cut``.
    """
    labels = list(documents)
    weights = bootstrap_weights(labels, resamples, np.random.default_rng(seed)).astype(int)
    everything = np.arange(len(perplexities))
    value = _over_groups(perplexities, spread, everything, size, cut)
    if not np.isfinite(value):
        raise ReproError(
            f"fewer than {MIN_GROUPS} groups of {size} chunks have a perplexity below {cut:g}; "
            f"raise the cut or leave it out"
        )
    draws = np.array(
        [
            _over_groups(perplexities, spread, np.repeat(everything, multiplicity), size, cut)
            for multiplicity in weights
        ]
    )
    return Resampled(value, draws, len(set(labels)))


def _over_groups(
    perplexities: np.ndarray,
    spread: Callable[[np.ndarray], np.ndarray],
    chunks: np.ndarray,
    size: int,
    cut: float,
) -> float:
    """The grouped correlation over these chunks; NaN where too few groups are left."""
    if len(chunks) // size < MIN_GROUPS:
        return float("nan")
    groups = chunks[groups_of_like(perplexities[chunks], size)]
    means = perplexities[groups].mean(axis=1)
    groups, means = groups[means < cut], means[means < cut]
    if len(means) < MIN_GROUPS:
        return float("nan")
    kept = equally_spaced(means)
    values = spread(groups)
    if len(kept) < 3 or np.ptp(values[kept]) == 0 or np.ptp(means[kept]) == 0:
        return float("nan")
    return float(np.corrcoef(means[kept], values[kept])[0, 1])


def mean_within(values: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """The released code's spread of a group: the mean of its chunks' own dispersions."""

    def spread(groups: np.ndarray) -> np.ndarray:
        return np.asarray(values[groups].mean(axis=1))

    return spread


def between_segments(vectors: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """The paper's spread of a group: mean cosine distance between its segments' states.

    Args:
        vectors: (n, d) one state per chunk. A chunk that a resample repeats is not compared with
            itself.
    """
    states = np.asarray(vectors, dtype=np.float64)
    unit = states / np.linalg.norm(states, axis=1, keepdims=True)
    distance = 1.0 - unit @ unit.T

    def spread(groups: np.ndarray) -> np.ndarray:
        pairs = distance[groups[:, :, None], groups[:, None, :]]
        distinct = groups[:, :, None] != groups[:, None, :]
        return np.asarray((pairs * distinct).sum((1, 2)) / np.maximum(distinct.sum((1, 2)), 1))

    return spread


def over_domains(parts: Sequence[Resampled]) -> Resampled:
    """The plain mean over domains, whose documents were resampled independently."""
    return combine(lambda *values: np.mean(values, axis=0), parts, n=sum(part.n for part in parts))


def group_table(perplexities: np.ndarray, dispersions: np.ndarray, size: int) -> pd.DataFrame:
    """One row per group of like perplexity: ``perplexity``, ``dispersion``, ``kept`` (whether it is
    one of the equally spaced ones)."""
    groups = groups_of_like(perplexities, size)
    means = perplexities[groups].mean(axis=1)
    kept = np.zeros(len(means), dtype=bool)
    kept[equally_spaced(means)] = True
    return pd.DataFrame(
        {"perplexity": means, "dispersion": dispersions[groups].mean(axis=1), "kept": kept}
    )
