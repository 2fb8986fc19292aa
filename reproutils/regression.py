"""Length regressions: standardised slopes, explained variance, clustered errors, intervals.

Each interval is a bootstrap over the independent unit (a problem, a sentence pair), never over rows
that share one. A resample is a vector of multiplicities, so thousands of refits are one matrix
product over weighted moments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy.stats import norm
from statsmodels.tsa.stattools import acf

from reproutils.errors import ReproError

RESAMPLES = 2000
LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """A value with its 95 % interval and the number of independent units behind it."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class LengthFit:
    """A simple regression of a similarity on a length predictor, both standardised.

    Attributes:
        beta: the standardised slope, equal to the correlation.
        r2: the explained variance, ``beta**2``. Its interval is the image of the slope's
            interval, so that it reaches 0 exactly when the slope's interval does.
        se: standard error of the slope, clustered by the independent unit.
        n: rows; ``beta.n`` and ``r2.n`` count the independent units.
    """

    beta: Interval
    r2: Interval
    se: float
    n: int


@dataclass(frozen=True)
class Resampled:
    """A statistic together with its values on resampled units.

    Statistics that were resampled with the same weights can be combined draw by draw, so that a
    difference of two numbers from the same texts has an interval of its own.

    Attributes:
        value: on the data as they are.
        draws: (resamples,) under bootstrap weights.
        n: independent units.
    """

    value: float
    draws: np.ndarray
    n: int

    def interval(self) -> Interval:
        """The value with its 95 % percentile interval; draws that are NaN are left out."""
        low, high = _percentiles(self.draws[np.isfinite(self.draws)])
        return Interval(self.value, low, high, self.n)


def combine(
    function: Callable[..., Any], parts: Sequence[Resampled], *, n: int | None = None
) -> Resampled:
    """``function`` of several statistics, draw by draw.

    Args:
        function: takes as many numbers, or arrays of draws, as there are parts.
        n: independent units behind the result; None: those of the first part, for parts that share
            their units and weights.
    """
    return Resampled(
        float(function(*(part.value for part in parts))),
        np.asarray(function(*(part.draws for part in parts))),
        parts[0].n if n is None else n,
    )


def resampled_correlation(
    x: np.ndarray,
    y: np.ndarray,
    groups: Sequence[object] | None = None,
    *,
    given: np.ndarray | None = None,
    seed: int,
    resamples: int = RESAMPLES,
) -> Resampled:
    """Pearson correlation, or the partial one given further variables, with bootstrap draws.

    The same ``groups``, ``seed`` and ``resamples`` give the same resamples whatever the variables
    are. A resample in which a variable does not vary counts as a correlation of 0.

    Args:
        x, y: (n,) finite values.
        groups: (n,) label of the independent unit of each row; None: each row is one.
        given: (n, k) variables whose linear part is taken out of both.

    Raises:
        ReproError: fewer than 4 rows or 2 units, values that are not finite, or a constant column.
    """
    columns = np.column_stack([x, y] if given is None else [given, x, y]).astype(np.float64)
    if len(columns) < 4:
        raise ReproError(f"only {len(columns)} rows for a correlation; at least 4 are needed")
    names = [*(f"covariate {number}" for number in range(columns.shape[1] - 2)), "x", "y"]
    check_design(pd.DataFrame(columns[:, :-1], columns=names[:-1]))
    check_design(pd.DataFrame({"y": columns[:, -1]}))
    labels = _labels(groups, np.ones(len(columns), dtype=bool))
    n_units = len(set(labels))
    if n_units < 2:
        raise ReproError("all rows belong to one independent unit; a correlation needs at least 2")
    weights = weights_with_data(labels, resamples, seed)
    scaled = (columns - columns.mean(0)) / columns.std(0)
    moments = _weighted_covariances(scaled, weights)
    k = columns.shape[1] - 2
    inner, cross, left = moments[:, :k, :k], moments[:, :k, k:], moments[:, k:, k:]
    # What the covariates leave of the covariance of x and y (the Schur complement).
    rest = left - np.swapaxes(cross, 1, 2) @ np.linalg.pinv(inner, hermitian=True) @ cross
    product = rest[:, 0, 0] * rest[:, 1, 1]
    safe = product > 1e-24
    values = np.zeros(len(weights))
    values[safe] = rest[safe, 0, 1] / np.sqrt(product[safe])
    values = np.clip(values, -1.0, 1.0)
    return Resampled(float(values[0]), values[1:], n_units)


def correlation_in_time(x: np.ndarray, y: np.ndarray) -> Interval:
    """Correlation of two series with an interval that heeds that neighbours in time are alike.

    Two series that each wander correlate whether or not they have to do with each other. What they
    are worth in independent points is

        1/n* = 1/n + 2/n sum_k (1 - k/n) r_x(k) r_y(k)

    with the autocorrelations r_x, r_y at lags up to n/5 (Pyper & Peterman 1998); Fisher's z then
    has the variance 1 / (n* - 3).

    This takes the series for stationary. Two steady trends still correlate for no other reason:
    look at their changes as well.

    Args:
        x, y: (n,) values at points evenly spaced in time or nearly so.

    Returns:
        The correlation with its interval; ``n`` is n*, rounded.

    Raises:
        ReproError: fewer than 8 points, a value that is not finite, or a series that does not vary.
    """
    x, y = (np.asarray(side, dtype=np.float64) for side in (x, y))
    n = len(x)
    if n < 8 or len(y) != n:
        raise ReproError(f"series of {n} and {len(y)} points; give two of the same 8 or more")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ReproError("a series holds a value that is not finite; drop that point from both")
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        raise ReproError("a series that does not vary has no correlation; use other points")
    lags = np.arange(1, n // 5 + 1)
    a, b = (acf(side, nlags=n // 5, fft=False)[1:] for side in (x, y))
    share = 1 / n + 2 / n * float(((1 - lags / n) * a * b).sum())
    # More than 3: over so few lags no series has autocorrelations near enough to 1.
    effective = min(1 / share, n) if share > 0 else n
    value = float(np.clip(np.corrcoef(x, y)[0, 1], -1.0, 1.0))
    if abs(value) == 1:
        return Interval(value, value, value, round(effective))
    reach = norm.ppf((1 + LEVEL) / 2) / math.sqrt(effective - 3)
    low, high = np.tanh(np.arctanh(value) + np.array([-reach, reach]))
    return Interval(value, float(low), float(high), round(effective))


def length_fit(
    similarity: np.ndarray,
    predictor: np.ndarray,
    groups: Sequence[object] | None = None,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> LengthFit:
    """Regress a similarity on a length predictor.

    Args:
        similarity: (n,) outcome; rows with NaN are left out (``LengthFit.n`` counts the rest).
        predictor: (n,) for instance the log length ratio.
        groups: (n,) label of the independent unit of each row; None: each row is one.
        seed: seed of the bootstrap.

    Raises:
        ReproError: fewer than 4 usable rows or 2 units, or a constant column.
    """
    y, x = np.asarray(similarity, dtype=np.float64), np.asarray(predictor, dtype=np.float64)
    keep = np.isfinite(y) & np.isfinite(x)
    y, x = y[keep], x[keep]
    labels = _labels(groups, keep)
    if len(y) < 4:
        raise ReproError(f"only {len(y)} usable rows for a regression; at least 4 are needed")
    check_design(pd.DataFrame({"similarity": y}))
    check_design(pd.DataFrame({"length predictor": x}))
    y, x = standardise(y), standardise(x)
    table = ols_table(y, pd.DataFrame({"length": x}), labels)
    beta = resampled_correlation(x, y, labels, seed=seed, resamples=resamples).interval()
    spans_zero = beta.low <= 0 <= beta.high
    squares = (beta.low**2, beta.high**2)
    lowest = 0.0 if spans_zero else min(squares)
    return LengthFit(
        beta=beta,
        r2=Interval(beta.value**2, lowest, max(squares), beta.n),
        se=float(table.loc[table["term"] == "length", "se"].iloc[0]),
        n=len(y),
    )


def ols_table(
    outcome: np.ndarray, design: pd.DataFrame, groups: Sequence[object] | np.ndarray
) -> pd.DataFrame:
    """Ordinary least squares with an intercept and errors clustered by ``groups``.

    Returns:
        One row per term: ``term, beta, se, low, high, p, n, n_units, r2``.

    Raises:
        ReproError: the design is singular or a value is not finite (the columns are named), or
            there are no more rows than coefficients, or fewer than 2 units.
    """
    if not np.isfinite(outcome).all():
        raise ReproError("the outcome of a regression holds values that are not finite")
    check_design(design)
    codes, uniques = pd.factorize(pd.Series(list(groups)))
    if len(uniques) < 2:
        raise ReproError("all rows belong to one independent unit; a regression needs at least 2")
    if len(outcome) <= design.shape[1] + 1:
        raise ReproError(
            f"{len(outcome)} rows for {design.shape[1] + 1} coefficients; a regression needs more"
        )
    fitted = sm.OLS(outcome, sm.add_constant(design.to_numpy(dtype=np.float64))).fit(
        cov_type="cluster", cov_kwds={"groups": codes}, use_t=True
    )
    bounds = fitted.conf_int(alpha=1 - LEVEL)
    return pd.DataFrame(
        {
            "term": ["(intercept)", *design.columns],
            "beta": fitted.params,
            "se": fitted.bse,
            "low": bounds[:, 0],
            "high": bounds[:, 1],
            "p": fitted.pvalues,
            "n": len(outcome),
            "n_units": len(uniques),
            "r2": fitted.rsquared,
        }
    )


def check_design(design: pd.DataFrame) -> None:
    """Refuse a design whose columns, with an intercept, do not have full rank.

    Raises:
        ReproError: naming the columns that are constant, combinations of the others or not finite.
    """
    values = design.to_numpy(dtype=np.float64)
    unknown = ~np.isfinite(values).all(axis=0)
    if unknown.any():
        raise ReproError(f"{', '.join(design.columns[unknown])}: not finite in some rows")
    scale = np.abs(values).max(axis=0)
    constant = np.ptp(values, axis=0) <= 1e-12 * np.where(scale > 0, scale, 1.0)
    if constant.any():
        names = ", ".join(design.columns[constant])
        raise ReproError(f"singular design: {names} does not vary over the {len(design)} rows")
    full = np.column_stack([np.ones(len(values)), (values - values.mean(0)) / values.std(0)])
    if np.linalg.matrix_rank(full) == full.shape[1]:
        return
    dependent = [
        name
        for column, name in enumerate(design.columns, start=1)
        if np.linalg.matrix_rank(np.delete(full, column, axis=1)) == np.linalg.matrix_rank(full)
    ]
    raise ReproError(
        f"singular design: {', '.join(dependent)} are linear combinations of each other over the "
        f"{len(design)} rows; leave one out"
    )


def bootstrap_interval(
    values: np.ndarray,
    groups: Sequence[object] | None = None,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Interval:
    """Mean of ``values`` with a percentile interval over resampled units; NaN is left out."""
    values = np.asarray(values, dtype=np.float64)
    keep = np.isfinite(values)
    labels = _labels(groups, keep)
    kept = values[keep]
    if len(kept) == 0:
        raise ReproError("no finite value to average; every row was undefined")
    weights = bootstrap_weights(labels, resamples, np.random.default_rng(seed))
    low, high = _percentiles(weights @ kept / weights.sum(1))
    return Interval(float(kept.mean()), low, high, len(set(labels)))


def bootstrap_weights(
    groups: Sequence[object] | np.ndarray, resamples: int, rng: np.random.Generator
) -> np.ndarray:
    """(resamples, n) multiplicity of each row when whole units are drawn with replacement."""
    codes, uniques = pd.factorize(pd.Series(list(groups)))
    n_units = len(uniques)
    counts = rng.multinomial(n_units, np.full(n_units, 1 / n_units), size=resamples)
    return counts[:, codes].astype(np.float64)


def weights_with_data(
    groups: Sequence[object] | np.ndarray, resamples: int, seed: int
) -> np.ndarray:
    """(1 + resamples, n): a row of ones, which is the data as they are, above
    :func:`bootstrap_weights`."""
    drawn = bootstrap_weights(groups, resamples, np.random.default_rng(seed))
    return np.vstack([np.ones(drawn.shape[1]), drawn])


def standardise(values: np.ndarray) -> np.ndarray:
    """Mean 0, population standard deviation 1."""
    scaled: np.ndarray = (values - values.mean()) / values.std()
    return scaled


def _labels(groups: Sequence[object] | None, keep: np.ndarray) -> list[object]:
    """The independent unit of each kept row; without ``groups`` each row is one."""
    labels = range(len(keep)) if groups is None else groups
    return [label for label, kept in zip(labels, keep, strict=True) if kept]


def _percentiles(draws: np.ndarray) -> tuple[float, float]:
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def r2_decomposition(
    outcome: np.ndarray,
    predictors: pd.DataFrame,
    groups: Sequence[object],
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> pd.DataFrame:
    """What each predictor adds to R², alone, last, and on average over all orders of entry.

    The average over orders is the Shapley (LMG) share; the shares add up to the full R².

    Args:
        outcome: (n,) finite values.
        predictors: (n, k) columns with k of at most 6 or so: all 2^k subsets are fitted.
        groups: (n,) independent unit of each row.

    Returns:
        One row per predictor and a last row ``all``: ``predictor``, and ``alone``, ``last``,
        ``average`` each with ``_low`` and ``_high``.

    Raises:
        ReproError: the design is singular.
    """
    check_design(predictors)
    names = list(predictors.columns)
    k = len(names)
    columns = np.column_stack([predictors.to_numpy(dtype=np.float64), outcome])
    weights = weights_with_data(groups, resamples, seed)
    moments = _weighted_covariances(columns, weights)
    subsets = [tuple(i for i in range(k) if code >> i & 1) for code in range(2**k)]
    r2 = np.stack([_subset_r2(moments, subset) for subset in subsets])

    rows = []
    for i, name in enumerate(names):
        without = [code for code in range(2**k) if not code >> i & 1]
        average = np.zeros(len(weights))
        for code in without:
            size = len(subsets[code])
            share = 1 / (k * math.comb(k - 1, size))
            average += share * (r2[code | 1 << i] - r2[code])
        last = r2[-1] - r2[(2**k - 1) & ~(1 << i)]
        rows.append(_r2_row(name, r2[1 << i], last, average))
    rows.append(_r2_row("all", r2[-1], r2[-1], r2[-1]))
    return pd.DataFrame(rows)


def within(values: np.ndarray, labels: Sequence[object]) -> np.ndarray:
    """``values`` less the mean of their label: what a fixed effect per label leaves.

    NaN stays NaN and does not enter a mean.
    """
    series = pd.Series(values, dtype=np.float64)
    left: np.ndarray = (
        series - series.groupby(pd.Series(list(labels))).transform("mean")
    ).to_numpy()
    return left


def _r2_row(name: str, *quantities: np.ndarray) -> dict[str, float | str]:
    row: dict[str, float | str] = {"predictor": name}
    for label, draws in zip(("alone", "last", "average"), quantities, strict=True):
        low, high = _percentiles(draws[1:])
        row |= {label: float(draws[0]), f"{label}_low": low, f"{label}_high": high}
    return row


def _weighted_covariances(columns: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(resamples, k, k) covariance matrices of ``columns`` (n, k) under each row of weights."""
    total = weights.sum(1)
    means = weights @ columns / total[:, None]
    products = np.einsum("rn,ni,nj->rij", weights, columns, columns, optimize=True)
    result: np.ndarray = products / total[:, None, None] - means[:, :, None] * means[:, None, :]
    return result


def _subset_r2(covariances: np.ndarray, subset: tuple[int, ...]) -> np.ndarray:
    """(resamples,) R² of the last column on the columns in ``subset``."""
    if not subset:
        return np.zeros(len(covariances))
    at = list(subset)
    inner = covariances[:, at][:, :, at]
    cross = covariances[:, at, -1]
    # A pseudo-inverse: a resample of few units can make a column constant.
    explained = np.einsum("ri,rij,rj->r", cross, np.linalg.pinv(inner, hermitian=True), cross)
    result: np.ndarray = explained / covariances[:, -1, -1]
    return result
