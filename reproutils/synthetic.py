"""The length paper's synthetic experiment: Gaussian rows around a shared mean, and no model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from reproutils import theory
from reproutils.similarity import cosine_rows, linear_cka, pooled_cosine

FIRST_LENGTH = 100
RATIO_RANGE = (0.3, 1.0)


def paper_pairs(n_pairs: int, width: int, mean_norm: float, *, seed: int) -> pd.DataFrame:
    """Pairs drawn as in section 3.5 of the length paper.

    One sequence has 100 rows, the other ⌊100 / r⌋ with r uniform on [0.3, 1]; rows are
    N(μ, I) with ‖μ‖ = ``mean_norm``.

    Returns:
        One row per pair: ``ratio``, ``second_length``, ``cosine`` (pooled), ``cka_100_rows`` and
        ``cka_debiased`` (linear CKA on the first 100 rows of both), and ``cka_all_rows`` (linear
        CKA of the longer sequence with an independent one of the same length).
    """
    rng = np.random.default_rng(seed)
    mean = np.zeros(width)
    mean[0] = mean_norm
    rows = []
    for ratio in rng.uniform(*RATIO_RANGE, n_pairs):
        length = int(FIRST_LENGTH / ratio)
        x = mean + rng.standard_normal((length, width))
        y = mean + rng.standard_normal((length, width))
        first, aligned = x[:FIRST_LENGTH], y[:FIRST_LENGTH]
        rows.append(
            {
                "ratio": ratio,
                "second_length": length,
                "cosine": float(pooled_cosine(first, y)),
                "cka_100_rows": float(linear_cka(first, aligned, debiased=False)),
                "cka_debiased": float(linear_cka(first, aligned, debiased=True)),
                "cka_all_rows": float(linear_cka(x, y, debiased=False)),
            }
        )
    return pd.DataFrame(rows)


def cka_by_rows(row_counts: Sequence[int], width: int, *, draws: int, seed: int) -> pd.DataFrame:
    """Linear CKA of independent standard normal matrices at several numbers of rows.

    Returns:
        One row per draw: ``rows``, ``biased``, ``debiased`` (NaN below the four rows it needs).
    """
    rng = np.random.default_rng(seed)
    found = []
    for count in row_counts:
        for _ in range(draws):
            x, y = rng.standard_normal((2, count, width))
            debiased = float(linear_cka(x, y, debiased=True)) if count >= 4 else np.nan
            biased = float(linear_cka(x, y, debiased=False))
            found.append({"rows": count, "biased": biased, "debiased": debiased})
    return pd.DataFrame(found)


def cka_change_under_invertible_map(*, seed: int, n: int = 200, width: int = 20) -> float:
    """|CKA(XA, Y) - CKA(X, Y)| for a random invertible A, on data with real similarity."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, width))
    y = x + rng.standard_normal((n, width))
    mapped = x @ rng.standard_normal((width, width))
    before = float(linear_cka(x, y, debiased=False))
    return abs(float(linear_cka(mapped, y, debiased=False)) - before)


def cosine_over_rho(
    rho: np.ndarray, *, lengths: Sequence[int], width: int, draws: int, seed: int, every: int = 6
) -> pd.DataFrame:
    """Expected cosine of two pooled vectors of the same length over a range of ρ.

    Returns:
        One row per length and ρ: ``n``, ``rho``, ``exact``, ``slope`` (change of one factor of the
        exact expectation with ln n), and at each ``every``-th ρ ``monte_carlo`` with its
        ``standard_error`` (NaN elsewhere). Pooled vectors are drawn directly from their own
        distribution N(μ, I σ²/n).
    """
    rng = np.random.default_rng(seed)
    step = 1e-4
    frames = []
    for n in lengths:
        exact = theory.exact_expected_cosine(n, n, rho, width)
        upper = theory.mean_resultant(n * np.exp(step), rho, width)
        lower = theory.mean_resultant(n * np.exp(-step), rho, width)
        frame = pd.DataFrame(
            {
                "n": n,
                "rho": rho,
                "exact": exact,
                "slope": (upper - lower) / (2 * step),
                "monte_carlo": np.nan,
                "standard_error": np.nan,
            }
        )
        for at in range(0, len(rho), every):
            noise = np.sqrt(rho[at] / (n * width))
            x, y = noise * rng.standard_normal((2, draws, width))
            x[:, 0] += 1
            y[:, 0] += 1
            cosines = cosine_rows(x, y)
            frame.loc[at, ["monte_carlo", "standard_error"]] = (
                cosines.mean(),
                cosines.std(ddof=1) / np.sqrt(draws),
            )
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def formula_accuracy(width: int, *, small_width: int = 16) -> pd.DataFrame:
    """How far equations 3 and 4 are from the exact expectation.

    Returns:
        ``name``, ``about`` and ``value`` of each quantity.
    """
    lengths = np.geomspace(1, 1e4, 25)
    m, n, rho = np.meshgrid(lengths, lengths, np.geomspace(1e-2, 1e4, 25), indexing="ij")
    gaps = {
        d: np.abs(theory.expected_cosine(m, n, rho) - theory.exact_expected_cosine(m, n, rho, d))
        for d in (width, small_width)
    }
    along = theory.exact_expected_cosine(m, n, rho, width)
    small = (rho / m <= 0.1) & (rho / n <= 0.1)
    expansion = np.abs(theory.expected_cosine_expansion(m, n, rho) - along)[small].max()
    # Steps along both length axes; equal values at the ends of the range are rounding.
    rises = [np.diff(along, axis=axis) > -1e-12 for axis in (0, 1)]
    # From (100, 100): the sum 1/m + 1/n grows by s at difference 0, or the difference grows by s at
    # the same sum.
    paper_rho = 40.96
    base = theory.exact_expected_cosine(100, 100, paper_rho, width)
    shift = 0.008
    by_sum = theory.exact_expected_cosine(2 / (0.02 + shift), 2 / (0.02 + shift), paper_rho, width)
    by_difference = theory.exact_expected_cosine(
        2 / (0.02 + shift), 2 / (0.02 - shift), paper_rho, width
    )
    effect = abs(float(by_difference - base)) / abs(float(by_sum - base))
    return pd.DataFrame(
        [
            ("eq3_gap_grid", f"largest gap of equation 3, d = {width:,}", gaps[width].max()),
            (
                "eq3_gap_small_d",
                f"largest gap of equation 3, d = {small_width}",
                gaps[small_width].max(),
            ),
            ("eq4_gap_small_ratio", "largest gap of equation 4 where ρ/n ≤ 0.1", expansion),
            (
                "monotone_share",
                "share of steps in length at which the expectation does not fall",
                np.mean([step.mean() for step in rises]),
            ),
            (
                "difference_to_sum_effect",
                "effect of |1/m − 1/n| relative to that of 1/m + 1/n",
                effect,
            ),
        ],
        columns=["name", "about", "value"],
    )
