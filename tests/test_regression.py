"""Regressions against SciPy, statsmodels' own formulas written out, and brute-force resampling."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reproutils.errors import ReproError
from reproutils.regression import (
    Interval,
    LengthFit,
    bootstrap_interval,
    bootstrap_weights,
    check_design,
    combine,
    correlation_in_time,
    length_fit,
    ols_table,
    r2_decomposition,
    resampled_correlation,
    standardise,
    within,
)


def sample(n: int, slope: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    return slope * x + rng.standard_normal(n), x


def clustered(n_units: int, size: int, slope: float, seed: int) -> tuple[np.ndarray, ...]:
    """Rows whose noise is shared within a unit, as is half of the predictor."""
    rng = np.random.default_rng(seed)
    unit = np.repeat(np.arange(n_units), size)
    x = rng.standard_normal(n_units)[unit] + 0.3 * rng.standard_normal(n_units * size)
    noise = rng.standard_normal(n_units)[unit] + 0.3 * rng.standard_normal(n_units * size)
    return slope * x + noise, x, unit


# --- one predictor -----------------------------------------------------------------------------


def test_standardised_slope_is_the_correlation() -> None:
    y, x = sample(50, 0.8, seed=1)
    fit = length_fit(y, x, seed=0)
    expected = stats.linregress(standardise(x), standardise(y))
    assert fit.beta.value == pytest.approx(expected.slope, abs=1e-12)
    assert fit.beta.value == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert fit.r2.value == pytest.approx(expected.rvalue**2, abs=1e-12)
    assert (fit.n, fit.beta.n, fit.r2.n) == (50, 50, 50)


@given(st.floats(0.1, 50), st.floats(-20, 20), st.floats(0.1, 50), st.floats(-20, 20))
def test_fit_does_not_depend_on_units_of_measurement(
    a: float, b: float, c: float, d: float
) -> None:
    y, x = sample(20, 0.5, seed=2)
    plain = length_fit(y, x, seed=3, resamples=50)
    scaled = length_fit(a * y + b, c * x + d, seed=3, resamples=50)
    for ours, other in zip((plain.beta, plain.r2), (scaled.beta, scaled.r2), strict=True):
        assert ours.value == pytest.approx(other.value, abs=1e-9)
        assert (ours.low, ours.high) == pytest.approx((other.low, other.high), abs=1e-9)
    assert plain.se == pytest.approx(scaled.se, abs=1e-9)


@pytest.mark.parametrize("sign", [1, -1])
def test_perfect_line_stays_within_bounds(sign: int) -> None:
    x = np.random.default_rng(4).random(9)
    fit = length_fit(3 * x + 1, sign * x, seed=0)
    assert fit.beta.value == pytest.approx(sign)
    assert -1 <= fit.beta.low <= fit.beta.high <= 1
    assert abs(fit.beta.value) <= 1
    assert fit.r2.value <= 1


def test_r2_interval_is_the_image_of_the_slope_interval() -> None:
    strong = length_fit(*sample(60, 2.0, seed=5), seed=0)
    assert strong.beta.low > 0
    assert strong.r2.low == pytest.approx(strong.beta.low**2)
    assert strong.r2.high == pytest.approx(strong.beta.high**2)
    negative = length_fit(*sample(60, -2.0, seed=5), seed=0)
    assert negative.beta.high < 0
    assert negative.r2.low == pytest.approx(negative.beta.high**2)
    assert negative.r2.high == pytest.approx(negative.beta.low**2)
    none = length_fit(*sample(60, 0.0, seed=6), seed=0)
    assert none.beta.low < 0 < none.beta.high
    assert none.r2.low == 0
    assert none.r2.high == pytest.approx(max(none.beta.low**2, none.beta.high**2))


def test_seed_fixes_the_interval() -> None:
    y, x = sample(30, 0.5, seed=7)
    assert length_fit(y, x, seed=1) == length_fit(y, x, seed=1)
    assert length_fit(y, x, seed=1).beta.low != length_fit(y, x, seed=2).beta.low


def test_undefined_rows_are_left_out() -> None:
    y, x = sample(30, 0.5, seed=8)
    unit = [f"item {k // 2}" for k in range(30)]
    holed, infinite = y.copy(), x.copy()
    holed[3], infinite[10], infinite[11] = np.nan, np.inf, np.nan
    keep = np.delete(np.arange(30), [3, 10, 11])
    fit = length_fit(holed, infinite, unit, seed=9)
    assert fit == length_fit(y[keep], x[keep], [unit[k] for k in keep], seed=9)
    assert fit.n == 27
    assert fit.beta.n == 14  # rows 10 and 11 were all of their unit


def test_units_may_be_tuples() -> None:
    y, x, unit = clustered(6, 4, 1.0, seed=10)
    named = [("file", int(k)) for k in unit]
    assert length_fit(y, x, named, seed=0) == length_fit(y, x, unit.tolist(), seed=0)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_too_few_rows(n: int) -> None:
    with pytest.raises(ReproError, match=f"only {n} usable rows .* at least 4"):
        length_fit(np.arange(float(n)), np.arange(float(n)), seed=0)


def test_four_rows_are_enough() -> None:
    fit = length_fit(np.array([1.0, 2.0, 4.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0]), seed=0)
    assert fit.beta.value == pytest.approx(0.8)
    assert fit.n == 4


def test_rows_of_one_unit_are_no_sample() -> None:
    y, x = sample(8, 0.5, seed=11)
    with pytest.raises(ReproError, match="one independent unit"):
        length_fit(y, x, ["a"] * 8, seed=0)


@pytest.mark.parametrize(
    ("y", "x", "named"),
    [
        (np.full(6, 0.3), np.arange(6.0), "similarity"),
        (np.arange(6.0), np.full(6, 7.0), "length predictor"),
    ],
)
def test_constant_columns_are_named(y: np.ndarray, x: np.ndarray, named: str) -> None:
    with pytest.raises(ReproError, match=f"{named} does not vary over the 6 rows"):
        length_fit(y, x, seed=0)


# --- clustered errors --------------------------------------------------------------------------


def sandwich(y: np.ndarray, x: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Clustered standard errors of (intercept, slopes), from the formula.

    (X'X)^-1 [sum over units of (X_g' e_g)(X_g' e_g)'] (X'X)^-1 times G/(G-1) * (n-1)/(n-k).
    """
    design = np.column_stack([np.ones(len(y)), x])
    bread = np.linalg.inv(design.T @ design)
    residual = y - design @ (bread @ design.T @ y)
    meat = np.zeros_like(bread)
    for label in np.unique(unit):
        score = design[unit == label].T @ residual[unit == label]
        meat += np.outer(score, score)
    n, k, g = len(y), design.shape[1], len(np.unique(unit))
    errors: np.ndarray = np.sqrt(np.diag(bread @ meat @ bread) * g / (g - 1) * (n - 1) / (n - k))
    return errors


def test_errors_are_clustered_by_the_formula() -> None:
    y, x, unit = clustered(12, 5, 0.7, seed=12)
    z = np.random.default_rng(0).standard_normal(60)
    design = pd.DataFrame({"length": x, "depth": z})
    table = ols_table(y, design, unit)
    expected = sandwich(y, design.to_numpy(), unit)
    np.testing.assert_allclose(table["se"], expected, rtol=1e-10)
    plain = sm.OLS(y, sm.add_constant(design.to_numpy())).fit()
    np.testing.assert_allclose(table["beta"], plain.params, atol=1e-12)
    assert table["r2"].unique() == pytest.approx([plain.rsquared])
    # The interval uses Student's t with one degree of freedom less than there are units.
    width = stats.t.ppf(0.975, 11) * expected
    np.testing.assert_allclose(table["high"] - table["beta"], width, rtol=1e-8)
    np.testing.assert_allclose(table["beta"] - table["low"], width, rtol=1e-8)
    p = 2 * stats.t.sf(np.abs(table["beta"] / expected), 11)
    np.testing.assert_allclose(table["p"], p, rtol=1e-8)
    assert table["term"].tolist() == ["(intercept)", "length", "depth"]
    assert set(table["n"]) == {60}
    assert set(table["n_units"]) == {12}


def test_length_fit_reports_the_clustered_error() -> None:
    y, x, unit = clustered(12, 5, 0.7, seed=13)
    fit = length_fit(y, x, unit.tolist(), seed=0)
    assert fit.se == pytest.approx(sandwich(standardise(y), standardise(x), unit)[1])
    # Shared noise: taking each row for a unit would promise too much.
    assert fit.se > 1.5 * length_fit(y, x, seed=0).se


# --- bootstrap -----------------------------------------------------------------------------------


def resampled(
    y: np.ndarray, x: np.ndarray, unit: np.ndarray, resamples: int, seed: int
) -> np.ndarray:
    """Correlations of resamples made one by one out of whole units."""
    rng = np.random.default_rng(seed)
    labels = np.unique(unit)
    found = []
    for _ in range(resamples):
        drawn = rng.choice(labels, len(labels))
        rows = np.concatenate([np.flatnonzero(unit == label) for label in drawn])
        found.append(np.corrcoef(x[rows], y[rows])[0, 1])
    return np.array(found)


def test_interval_agrees_with_resampling_units_one_by_one() -> None:
    y, x, unit = clustered(25, 3, 0.8, seed=14)
    fit = length_fit(y, x, unit.tolist(), seed=0, resamples=4000)
    draws = resampled(y, x, unit, 4000, seed=1)
    for end, quantile in ((fit.beta.low, 0.025), (fit.beta.high, 0.975)):
        # Standard error of an empirical quantile, its density from the draws around it; two ends
        # at four standard errors of their difference.
        step = 0.01
        spread = np.diff(np.quantile(draws, [quantile - step, quantile + step]))[0] / (2 * step)
        error = spread * np.sqrt(2 * quantile * (1 - quantile) / 4000)
        assert end == pytest.approx(np.quantile(draws, quantile), abs=4 * error)
    alone = length_fit(y, x, seed=0, resamples=4000)
    assert fit.beta.high - fit.beta.low > 1.3 * (alone.beta.high - alone.beta.low)


def test_every_resample_draws_whole_units() -> None:
    groups = ["a", "b", "b", "c", "c", "c"]
    weights = bootstrap_weights(groups, 500, np.random.default_rng(0))
    assert weights.shape == (500, 6)
    for columns in ([1, 2], [3, 4, 5]):
        assert (weights[:, columns] == weights[:, columns[:1]]).all()
    assert (weights[:, [0, 1, 3]].sum(1) == 3).all()
    # Each unit is drawn once on average, with the variance of a multinomial count.
    error = np.sqrt((1 - 1 / 3) / 500)
    assert weights.mean(0) == pytest.approx(np.ones(6), abs=4 * error)


def test_resample_of_one_repeated_row_counts_as_no_correlation() -> None:
    # With four rows many resamples have a constant column; none may end in NaN.
    fit = length_fit(np.array([0.0, 0.0, 0.0, 1.0]), np.array([0.0, 1.0, 2.0, 4.0]), seed=0)
    assert np.isfinite([fit.beta.low, fit.beta.high]).all()
    assert fit.beta.low == 0


def test_interval_of_a_mean_covers_as_often_as_it_says() -> None:
    trials, covered = 300, 0
    rng = np.random.default_rng(15)
    for trial in range(trials):
        effects = rng.standard_normal(40)
        values = 0.4 + np.repeat(effects, 3) + 0.2 * rng.standard_normal(120)
        unit = np.repeat(np.arange(40), 3).tolist()
        interval = bootstrap_interval(values, unit, seed=trial, resamples=400)
        covered += interval.low <= 0.4 <= interval.high
    # A percentile interval over 40 units covers about 94 %: nominal 95 %, less 1/40 of bias in
    # its width. Three Monte Carlo standard errors at 300 trials are 3.8 points.
    assert covered / trials == pytest.approx(0.94, abs=3 * np.sqrt(0.95 * 0.05 / trials))


def test_interval_of_a_slope_covers_as_often_as_it_says() -> None:
    trials, covered, rows_covered = 200, 0, 0
    for trial in range(trials):
        y, x, unit = clustered(60, 3, 0.5, seed=1000 + trial)
        # Population correlation: both sides have variance 1.09, the slope is 0.5.
        truth = 0.5 / np.sqrt(0.25 + 1)
        by_unit = length_fit(y, x, unit.tolist(), seed=trial, resamples=400).beta
        by_row = length_fit(y, x, seed=trial, resamples=400).beta
        covered += by_unit.low <= truth <= by_unit.high
        rows_covered += by_row.low <= truth <= by_row.high
    # Three Monte Carlo standard errors at 200 trials are 4.6 points.
    error = 3 * np.sqrt(0.95 * 0.05 / trials)
    assert covered / trials == pytest.approx(0.94, abs=error)
    assert rows_covered / trials < 0.94 - error


def test_mean_of_units_leaves_undefined_values_out() -> None:
    values = np.array([1.0, np.nan, 3.0, np.inf, 2.0])
    interval = bootstrap_interval(values, ["a", "b", "a", "c", "d"], seed=0)
    assert interval.value == pytest.approx(2.0)
    assert interval.n == 2
    assert interval == bootstrap_interval(values[[0, 2, 4]], ["a", "a", "d"], seed=0)
    assert bootstrap_interval(np.full(5, 0.25), seed=0) == Interval(0.25, 0.25, 0.25, 5)
    with pytest.raises(ReproError, match="no finite value"):
        bootstrap_interval(np.array([np.nan, np.nan]), seed=0)


# --- designs -------------------------------------------------------------------------------------


def test_singular_design_names_its_columns() -> None:
    rng = np.random.default_rng(16)
    a, b, c = rng.standard_normal((3, 20))
    check_design(pd.DataFrame({"a": a, "b": b, "c": c}))
    with pytest.raises(ReproError, match=r"singular design: a, sum, b are linear combinations"):
        check_design(pd.DataFrame({"a": a, "sum": a + b, "b": b, "c": c}))
    with pytest.raises(ReproError, match=r"singular design: level does not vary"):
        check_design(pd.DataFrame({"a": a, "level": np.full(20, 1e6)}))
    # A column of another order of magnitude is not a singular one.
    check_design(pd.DataFrame({"a": a, "tiny": 1e-9 * b, "huge": 1e9 * c}))


def test_values_that_are_not_finite_are_named() -> None:
    y, x = sample(10, 1.0, seed=17)
    holed = x.copy()
    holed[2] = np.nan
    with pytest.raises(ReproError, match="depth: not finite"):
        ols_table(y, pd.DataFrame({"length": x, "depth": holed}), range(10))
    with pytest.raises(ReproError, match=r"outcome .* not finite"):
        ols_table(holed, pd.DataFrame({"length": x}), range(10))


def test_regression_needs_more_rows_than_coefficients() -> None:
    with pytest.raises(ReproError, match="2 rows for 2 coefficients"):
        ols_table(np.array([0.0, 1.0]), pd.DataFrame({"length": [1.0, 2.0]}), range(2))


# --- several predictors --------------------------------------------------------------------------


def three_predictors(n: int, seed: int) -> tuple[np.ndarray, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    length, depth, shared = rng.standard_normal((3, n))
    depth = depth + 0.8 * length
    outcome = length + 0.5 * depth - 0.3 * shared + rng.standard_normal(n)
    return outcome, pd.DataFrame({"length": length, "depth": depth, "shared": shared})


def r2_of(outcome: np.ndarray, columns: pd.DataFrame) -> float:
    return float(sm.OLS(outcome, sm.add_constant(columns.to_numpy())).fit().rsquared)


def test_shares_are_averages_over_every_order_of_entry() -> None:
    outcome, predictors = three_predictors(80, seed=18)
    table = r2_decomposition(outcome, predictors, range(80), seed=0, resamples=50)
    table = table.set_index("predictor")
    names = [str(name) for name in predictors]
    orders = list(permutations(names))
    for name in names:
        gains = []
        for order in orders:
            before = list(order[: order.index(name)])
            smaller = r2_of(outcome, predictors[before]) if before else 0.0
            gains.append(r2_of(outcome, predictors[[*before, name]]) - smaller)
        rest = [other for other in names if other != name]
        last = r2_of(outcome, predictors) - r2_of(outcome, predictors[rest])
        assert table["average"][name] == pytest.approx(np.mean(gains), abs=1e-10)
        assert table["alone"][name] == pytest.approx(r2_of(outcome, predictors[[name]]))
        assert table["last"][name] == pytest.approx(last, abs=1e-10)
    full = r2_of(outcome, predictors)
    for column in ("alone", "last", "average"):
        assert table[column]["all"] == pytest.approx(full)
    assert table["average"][names].sum() == pytest.approx(full)


def test_decomposition_resamples_units() -> None:
    outcome, predictors = three_predictors(60, seed=19)
    units = np.repeat(np.arange(20), 3)
    table = r2_decomposition(outcome, predictors, units.tolist(), seed=1, resamples=300)
    weights = bootstrap_weights(units.tolist(), 300, np.random.default_rng(1)).astype(int)
    draws = []
    for counts in weights:
        rows = np.repeat(np.arange(60), counts)
        draws.append(r2_of(outcome[rows], predictors.iloc[rows]))
    row = table.set_index("predictor").loc["all"]
    low, high = np.quantile(draws, [0.025, 0.975])
    assert (row["alone_low"], row["alone_high"]) == pytest.approx((low, high), abs=1e-9)


def test_decomposition_refuses_a_singular_design() -> None:
    outcome, predictors = three_predictors(30, seed=20)
    predictors["twice"] = 2 * predictors["length"]
    with pytest.raises(ReproError, match="length, twice are linear combinations"):
        r2_decomposition(outcome, predictors, range(30), seed=0, resamples=10)


def test_within_takes_out_the_mean_of_each_label() -> None:
    values = np.array([1.0, 3.0, np.nan, 10.0, 20.0, 6.0])
    labels = ["a", "a", "a", "b", "b", "c"]
    np.testing.assert_allclose(within(values, labels), [-1, 1, np.nan, -5, 5, 0])


def test_fixed_effects_are_those_of_dummy_variables() -> None:
    y, x, unit = clustered(6, 8, 0.9, seed=21)
    dummies = pd.get_dummies(pd.Series(unit), drop_first=True, dtype=float)
    full = sm.OLS(y, sm.add_constant(np.column_stack([x, dummies]))).fit()
    inner = stats.linregress(within(x, unit.tolist()), within(y, unit.tolist()))
    assert inner.slope == pytest.approx(full.params[1])


def test_fit_is_a_plain_record() -> None:
    fit = length_fit(*sample(10, 1.0, seed=22), seed=0)
    assert isinstance(fit, LengthFit)
    assert isinstance(fit.beta.value, float)
    assert isinstance(fit.se, float)


# --- resampled correlations ----------------------------------------------------------------------


def test_resampled_correlation_is_pearsons_and_refits_each_resample() -> None:
    rng = np.random.default_rng(5)
    x, groups = rng.normal(size=30), [number // 2 for number in range(30)]
    y = x + rng.normal(size=30)
    found = resampled_correlation(x, y, groups, seed=3, resamples=50)
    assert found.value == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert found.n == 15
    weights = bootstrap_weights(groups, 50, np.random.default_rng(3))
    for draw, multiplicity in zip(found.draws, weights, strict=True):
        rows = np.repeat(np.arange(30), multiplicity.astype(int))
        assert draw == pytest.approx(stats.pearsonr(x[rows], y[rows]).statistic, abs=1e-9)


def test_partial_correlation_is_that_of_the_residuals() -> None:
    rng = np.random.default_rng(6)
    covariates = rng.normal(size=(60, 2))
    x = covariates @ [1.0, -2.0] + rng.normal(size=60)
    y = covariates @ [0.5, 1.0] + rng.normal(size=60)
    design = np.column_stack([np.ones(60), covariates])
    left = [v - design @ np.linalg.lstsq(design, v, rcond=None)[0] for v in (x, y)]
    found = resampled_correlation(x, y, given=covariates, seed=0, resamples=20)
    assert found.value == pytest.approx(stats.pearsonr(*left).statistic, abs=1e-12)
    assert found.value != pytest.approx(stats.pearsonr(x, y).statistic, abs=0.05)


def test_a_difference_of_statistics_shares_its_resamples() -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=200)
    y = x + rng.normal(size=200)
    one = resampled_correlation(x, y, seed=1)
    other = resampled_correlation(x, y + 0.1 * rng.normal(size=200), seed=1)
    gap = combine(lambda a, b: a - b, [one, other]).interval()
    assert gap.value == pytest.approx(one.value - other.value)
    alone = one.interval()
    assert gap.high - gap.low < 0.3 * (alone.high - alone.low)
    assert combine(lambda a, b: (a + b) / 2, [one, other], n=400).n == 400


@pytest.mark.parametrize(
    ("x", "y", "groups", "covariates", "told"),
    [
        ([1, 2, 3], [1, 2, 3], None, None, "only 3 rows"),
        ([1, 2, 3, 4], [1, 1, 1, 1], None, None, "y does not vary"),
        ([1, 2, 3, 4], [1, 2, 3, 5], ["a"] * 4, None, "one independent unit"),
        ([1, 2, 3, 4], [1, 2, 3, float("nan")], None, None, "y: not finite"),
        ([1, 2, 3, 4], [1, 2, 3, 5], None, [[2], [4], [6], [8]], "linear combinations"),
    ],
)
def test_resampled_correlation_refuses(
    x: list[float], y: list[float], groups: Any, covariates: Any, told: str
) -> None:
    with pytest.raises(ReproError, match=told):
        resampled_correlation(
            np.array(x, dtype=float),
            np.array(y, dtype=float),
            groups,
            given=None if covariates is None else np.array(covariates, dtype=float),
            seed=0,
        )


# Correlation in time -------------------------------------------------------------------------


def drifting(rng: np.random.Generator, n: int, memory: float) -> np.ndarray:
    """A first-order autoregressive series."""
    series = np.zeros(n)
    series[0] = rng.normal() / np.sqrt(1 - memory**2)
    for at in range(1, n):
        series[at] = memory * series[at - 1] + rng.normal()
    return series


def test_without_memory_it_is_nearly_fishers_interval() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    y = x + rng.normal(size=400)
    found = correlation_in_time(x, y)
    usual = stats.pearsonr(x, y).confidence_interval()
    assert found.value == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert (found.low, found.high) == pytest.approx((usual.low, usual.high), abs=0.03)


def test_unrelated_series_with_memory_are_seldom_said_to_correlate() -> None:
    rng = np.random.default_rng(1)
    wrong = usual_wrong = 0
    for _ in range(300):
        x, y = drifting(rng, 60, 0.8), drifting(rng, 60, 0.8)
        found = correlation_in_time(x, y)
        wrong += found.low > 0 or found.high < 0
        usual_wrong += stats.pearsonr(x, y).pvalue < 0.05
    assert usual_wrong / 300 > 0.2
    assert wrong / 300 < 0.1


def test_two_trends_are_worth_few_points() -> None:
    time = np.arange(30.0)
    found = correlation_in_time(time, time**1.5)
    usual = stats.pearsonr(time, time**1.5).confidence_interval()
    assert found.n < 7
    assert found.low < usual.low - 0.1


@given(n=st.integers(8, 60), seed=st.integers(0, 1000), smoothing=st.integers(1, 60))
def test_the_interval_is_always_defined(n: int, seed: int, smoothing: int) -> None:
    """Also for the smoothest series: they are worth more than three points."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(2, n + smoothing - 1))
    x, y = (np.convolve(side, np.ones(smoothing), "valid") for side in noise)
    for pair in ((x, y), (x, -x), (np.linspace(0, 1, n) ** 3, np.cos(np.linspace(0, np.pi, n)))):
        found = correlation_in_time(*pair)
        assert -1 <= found.low <= found.value <= found.high <= 1
        assert 3 <= found.n <= n


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (np.arange(7.0), np.arange(7.0), "8 or more"),
        (np.arange(9.0), np.arange(8.0), "8 or more"),
        (np.full(9, 2.0), np.arange(9.0), "does not vary"),
        (np.array([np.nan, *range(8)]), np.arange(9.0), "not finite"),
    ],
)
def test_series_without_a_correlation_in_time_are_refused(
    x: np.ndarray, y: np.ndarray, words: str
) -> None:
    with pytest.raises(ReproError, match=words):
        correlation_in_time(x, y)
