"""Closed forms against arbitrary precision, SciPy and Monte Carlo with stated errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import erf, gammaln, hyp1f1

from reproutils.errors import ReproError
from reproutils.similarity import linear_cka, pooled_cosine, sufficient_statistics
from reproutils.theory import (
    cka_null_level,
    estimate_rho,
    exact_expected_cosine,
    expected_cosine,
    expected_cosine_expansion,
    length_slope,
    mean_resultant,
    participation_ratio,
)

Array = NDArray[np.float64]
POSITIVE = st.floats(1e-3, 1e6)


# --- expected cosine ---------------------------------------------------------------------------


def test_expected_cosine_values() -> None:
    # rho/m = 3 and rho/n = 8 give 1/2 and 1/3.
    assert expected_cosine(8, 3, 24) == pytest.approx(1 / 6)
    assert expected_cosine(8, 3, 0) == 1
    # The synthetic test of section 3.5: sigma^2 d / ||mu||^2 = 40.96, n = 100 and 333.
    assert expected_cosine(100, 333, 40.96) == pytest.approx(0.79481, abs=5e-6)
    np.testing.assert_allclose(
        expected_cosine([[1], [2]], [1, 2, 3], 1.0),
        [[1 / math.sqrt((1 + 1 / m) * (1 + 1 / n)) for n in (1, 2, 3)] for m in (1, 2)],
    )


@given(POSITIVE, POSITIVE, POSITIVE)
def test_expected_cosine_increases_with_both_lengths(m: float, n: float, rho: float) -> None:
    value = expected_cosine(m, n, rho)
    assert 0 < value <= 1
    assert expected_cosine(1.5 * m, n, rho) >= value
    assert expected_cosine(n, m, rho) == pytest.approx(value, rel=1e-14)


def test_expansion_is_first_order() -> None:
    m, n = 5.0, 11.0
    assert expected_cosine_expansion(m, n, 0.3) == pytest.approx(1 - 0.15 * (1 / 5 + 1 / 11))
    # The remainder is of second order: halving rho quarters it.
    gap = [expected_cosine(m, n, r) - expected_cosine_expansion(m, n, r) for r in (2e-3, 1e-3)]
    assert gap[0] / gap[1] == pytest.approx(4, rel=2e-3)


def closed_form(q: float, d: int) -> float:
    """The 1F1 form at 50 digits, with a^2/2 = q."""
    with mpmath.workdps(50):
        b = mpmath.mpf(d) / 2 + 1
        factor = mpmath.gammaprod([b - mpmath.mpf(1) / 2], [b]) * mpmath.sqrt(mpmath.mpf(q))
        series = mpmath.hyp1f1(mpmath.mpf(1) / 2, b, -mpmath.mpf(q), maxterms=10**6)
        return float(factor * series)


@pytest.mark.parametrize("d", [1, 2, 3, 7, 64, 576, 4096, 100_000])
@pytest.mark.parametrize("q", [1e-6, 1e-3, 0.1, 1, 5, 30, 34, 68, 300, 1e4, 1e5, 1e7, 1e9])
def test_mean_resultant_against_arbitrary_precision(q: float, d: int) -> None:
    # q = k d / (2 rho), here with k = 1.
    assert mean_resultant(1, d / (2 * q), d) == pytest.approx(closed_form(q, d), rel=1e-13)


def test_mean_resultant_against_scipy() -> None:
    d, q = np.array([1, 2, 5, 20])[:, None], np.array([0.01, 0.5, 3.0])
    b = d / 2 + 1
    expected = np.exp(gammaln(b - 0.5) - gammaln(b)) * np.sqrt(q) * hyp1f1(0.5, b, -q)
    np.testing.assert_allclose(mean_resultant(1, d / (2 * q), d), expected, rtol=1e-12)


def test_mean_resultant_in_one_dimension_is_the_expected_sign() -> None:
    # E sign(a + z) = erf(a / sqrt 2), a = sqrt(k/rho).
    a = np.array([1e-3, 0.2, 1.0, 3.0, 40.0])
    np.testing.assert_allclose(mean_resultant(1, 1 / a**2, 1), erf(a / math.sqrt(2)), rtol=1e-13)


def test_mean_resultant_limits() -> None:
    assert mean_resultant(3, 0.0, 10) == 1
    # Large dimension: the factor of eq. 3, approached as 1/d.
    gaps = [abs(mean_resultant(4, 10.0, d) - 1 / math.sqrt(1 + 2.5)) for d in (1e4, 1e5)]
    assert gaps[0] < 1e-4
    assert gaps[0] / gaps[1] == pytest.approx(10, rel=1e-2)
    assert mean_resultant(4, 10.0, 1e9) == pytest.approx(1 / math.sqrt(1 + 2.5), rel=2e-9)
    # Small noise: 1 - (d-1)/(2 a^2).
    assert 1 - mean_resultant(1, 1e-6, 50) == pytest.approx(49 / (2 * 50 / 1e-6), rel=1e-4)


@given(st.floats(0.1, 1e4), st.floats(1e-4, 1e4), st.integers(1, 5000))
@settings(max_examples=60, deadline=None)
def test_mean_resultant_is_increasing_and_bounded(k: float, rho: float, d: int) -> None:
    low, high = mean_resultant(k, rho, d), mean_resultant(2 * k, rho, d)
    assert 0 < low <= high * (1 + 1e-13)
    assert high <= 1
    assert mean_resultant(2 * k, 2 * rho, d) == pytest.approx(low, rel=1e-13)


@pytest.mark.parametrize(
    ("m", "n", "rho", "d"), [(1, 1, 1.0, 1), (2, 5, 6.0, 3), (3, 10, 20.0, 16), (4, 4, 0.5, 64)]
)
def test_exact_expectation_against_monte_carlo(m: int, n: int, rho: float, d: int) -> None:
    rng = np.random.default_rng(0)
    draws, sigma = (400_000 if d <= 3 else 20_000), math.sqrt(rho / d)
    mu = np.zeros(d)
    mu[0] = 1.0
    x = mu + sigma * rng.standard_normal((draws, m, d))
    y = mu + sigma * rng.standard_normal((draws, n, d))
    cosines = pooled_cosine(x, y)
    error = cosines.std() / math.sqrt(draws)
    exact = exact_expected_cosine(m, n, rho, d)
    assert abs(cosines.mean() - exact) < 4 * error
    # Sharp enough to tell the exact value from eq. 3 in low dimension.
    if d <= 3:
        assert abs(cosines.mean() - expected_cosine(m, n, rho)) > 5 * error


def test_exact_expectation_broadcasts() -> None:
    value = exact_expected_cosine(np.array([[1], [10]]), np.array([2, 3, 4]), 5.0, 32)
    assert value.shape == (2, 3)
    assert value[1, 2] == pytest.approx(
        float(mean_resultant(10, 5.0, 32)) * float(mean_resultant(4, 5.0, 32))
    )


# --- slope, rho --------------------------------------------------------------------------------


@given(st.floats(1, 1e4), st.floats(1e-2, 1e4))
def test_length_slope_is_the_derivative(n: float, rho: float) -> None:
    step = 1e-4

    def factor(length: float) -> float:
        return 1 / math.sqrt(1 + rho / length)

    numeric = (factor(n * math.exp(step)) - factor(n * math.exp(-step))) / (2 * step)
    assert length_slope(n, rho) == pytest.approx(numeric, rel=1e-6, abs=1e-11)


def test_length_slope_peak_and_ends() -> None:
    u = np.geomspace(1e-6, 1e6, 120_001)
    slope = length_slope(1.0, u)
    assert u[np.argmax(slope)] == pytest.approx(2, rel=1e-3)
    assert length_slope(7, 14) == pytest.approx(1 / (3 * math.sqrt(3)), rel=1e-14)
    assert slope.max() <= length_slope(7, 14)
    assert slope[0] == pytest.approx(5e-7, rel=1e-4)
    assert slope[-1] == pytest.approx(5e-4, rel=1e-3)


def test_estimate_rho_by_hand() -> None:
    s = sufficient_statistics([[3.0, 1.0], [3.0, -1.0]])
    # <x1, x2> = 8 estimates ||mu||^2; the sample covariance has trace 2.
    assert estimate_rho(s.mean @ s.mean, s.mean_sq, s.n) == pytest.approx(2 / 8)


def test_estimate_rho_recovers_the_model() -> None:
    rng = np.random.default_rng(0)
    d, rho = 50, 12.0
    mu = rng.standard_normal(d)
    sigma = math.sqrt(rho * (mu @ mu) / d)
    stats = sufficient_statistics(mu + sigma * rng.standard_normal((200, 400, d)))
    of_mean = np.einsum("id,id->i", stats.mean, stats.mean)
    estimates = estimate_rho(of_mean, stats.mean_sq, stats.n)
    error = estimates.std() / math.sqrt(200)
    # The ratio of unbiased estimates keeps a relative bias of the order of its variance.
    bias = estimates.var() / rho
    assert abs(estimates.mean() - rho) < 4 * error + bias
    plug_in = (stats.mean_sq - of_mean) / of_mean
    assert abs(plug_in.mean() - rho) > 5 * error + bias


def test_estimate_rho_is_nan_where_nothing_can_be_estimated() -> None:
    assert np.isnan(estimate_rho(1.0, 1.0, 1))
    assert np.isnan(estimate_rho(0.0, 1.0, 5))
    np.testing.assert_array_equal(
        np.isnan(estimate_rho([1.0, 0.1], [1.5, 1.0], [4, 4])), [False, True]
    )


# --- chance level of CKA -----------------------------------------------------------------------


@pytest.mark.parametrize("n", [5, 20, 100])
@pytest.mark.parametrize("exponents", [(0.0, 0.0), (0.5, 0.5), (0.0, 1.0)])
def test_cka_null_level_against_monte_carlo(n: int, exponents: tuple[float, float]) -> None:
    rng = np.random.default_rng(0)
    spectra = [np.arange(1, 301) ** -e for e in exponents]
    x, y = (rng.standard_normal((40, n, 300)) * np.sqrt(s) for s in spectra)
    values = linear_cka(x, y, debiased=False)
    ratios = [s.sum() ** 2 / (s**2).sum() for s in spectra]
    error = values.std() / math.sqrt(40)
    # The formula is a ratio of expectations; 0.02 covers the difference at five rows.
    assert abs(values.mean() - cka_null_level(n, *ratios)) < 4 * error + (0.02 if n < 20 else 0.005)


def test_cka_null_level_values() -> None:
    assert cka_null_level(100, 4096) == pytest.approx(4096 / 4196)
    np.testing.assert_allclose(cka_null_level([1, 9], 3.0, 3.0), [0.75, 0.25])
    assert cka_null_level(6, 2.0, 12.0) == pytest.approx(math.sqrt(0.25 * 2 / 3))


@pytest.mark.parametrize("n", [6, 40])
def test_participation_ratio_from_the_spectrum(n: int) -> None:
    x = np.random.default_rng(n).standard_normal((2, n, 15)) + 3
    for layer, value in zip(x, participation_ratio(x), strict=True):
        eigenvalues = np.linalg.eigvalsh(np.cov(layer, rowvar=False))
        assert value == pytest.approx(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())


def test_participation_ratio_known_cases() -> None:
    line = np.outer(np.arange(5.0), [1.0, 2.0, 3.0]) + 7
    assert participation_ratio(line) == pytest.approx(1)
    assert participation_ratio(np.eye(6)) == pytest.approx(5)  # five equal directions
    isotropic = np.random.default_rng(0).standard_normal((300, 300))
    assert participation_ratio(isotropic) == pytest.approx(150, rel=0.02)  # d n / (d + n)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: expected_cosine(0, 1, 1), "m must be finite and greater than 0"),
        (lambda: expected_cosine(1, [1, -1], 1), "n must be"),
        (lambda: expected_cosine_expansion(1, 1, -0.1), "rho must be finite and at least 0"),
        (lambda: exact_expected_cosine(1, 1, np.inf, 8), "rho must be"),
        (lambda: mean_resultant(1, 1.0, 0.5), "d must be finite and at least 1"),
        (lambda: length_slope(np.nan, 1), "n must be"),
        (lambda: estimate_rho(-1.0, 1.0, 3), "sq_norm_of_mean"),
        (lambda: cka_null_level(5, 0), "participation_ratio must be"),
        (lambda: cka_null_level(5, 2, -1), "participation_ratio_y must be"),
        (lambda: participation_ratio(np.ones((1, 4))), "rows at least 2"),
        (lambda: participation_ratio(np.full((2, 5, 4), 0.1)), "constant at layer 0"),
        (lambda: participation_ratio([[1.0, np.nan], [0.0, 1.0]]), "not finite"),
    ],
)
def test_errors(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ReproError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
