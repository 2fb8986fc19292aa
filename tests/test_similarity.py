"""Similarity measures: analytic cases, brute-force oracles, declared invariances, errors."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.distance import cdist, cosine

from reproutils import similarity
from reproutils.errors import ReproError
from reproutils.similarity import (
    INVERTIBLE,
    LENGTH,
    MEASURES,
    ORTHOGONAL,
    ORTHOGONAL_JOINT,
    PERMUTATION,
    SCALING,
    TRANSLATION,
    Measure,
    adjusted_rv,
    centered_cosine,
    cosine_rows,
    debiased_cosine,
    linear_cka,
    linear_cka_null,
    linear_cka_pairs,
    mutual_knn,
    permutation_null,
    pooled_cosine,
    retrieval_accuracy,
    rv_coefficient,
    sufficient_statistics,
    unbiased_sq_norm,
)

Array = NDArray[np.float64]
SEEDS = st.integers(0, 2**32 - 1)


def normal(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


def related(seed: int, n: int, width_x: int, width_y: int) -> tuple[Array, Array]:
    """Two matrices that share three latent columns, far from the origin."""
    rng = np.random.default_rng(seed)
    latent = rng.standard_normal((n, 3))
    sides = [
        latent @ rng.standard_normal((3, width)) + rng.standard_normal((n, width)) + 1.5
        for width in (width_x, width_y)
    ]
    return sides[0], sides[1]


def orthogonal(rng: np.random.Generator, width: int) -> Array:
    q, _ = np.linalg.qr(rng.standard_normal((width, width)))
    return np.asarray(q)


# --- cosines -----------------------------------------------------------------------------------


def test_cosine_rows_known_angles() -> None:
    a = np.array([[1.0, 0.0], [1.0, 1.0], [2.0, 0.0]])
    b = np.array([[0.0, 3.0], [1.0, 0.0], [-5.0, 0.0]])
    np.testing.assert_allclose(cosine_rows(a, b), [0, math.sqrt(0.5), -1], atol=1e-15)


@given(SEEDS, st.integers(1, 6), st.integers(1, 9))
@settings(max_examples=30, deadline=None)
def test_cosine_rows_against_scipy(seed: int, n: int, d: int) -> None:
    a, b = normal(seed, 2, n, d), normal(seed + 1, 2, n, d)
    expected = [[1 - cosine(a[i, j], b[i, j]) for j in range(n)] for i in range(2)]
    np.testing.assert_allclose(cosine_rows(a, b), expected, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_cosine_of_extreme_lengths(scale: float) -> None:
    a = normal(0, 4, 7)
    np.testing.assert_allclose(cosine_rows(a * scale, a), 1, rtol=1e-14)


def test_cosine_never_exceeds_one() -> None:
    a = normal(1, 5000, 7)
    value = cosine_rows(a, 3 * a)
    assert value.max() <= 1
    np.testing.assert_allclose(value, 1, rtol=1e-14)


def test_half_precision_is_upcast() -> None:
    # A half-precision sum of squares would overflow: 300^2 > 65504.
    a = np.full((2, 64), 300, dtype=np.float16)
    np.testing.assert_allclose(cosine_rows(a, a), 1, rtol=1e-14)
    np.testing.assert_allclose(pooled_cosine(np.repeat(a, 400, 0), a), 1, rtol=1e-14)


def test_single_precision_is_upcast_before_pooling() -> None:
    x, y = normal(0, 3000, 6).astype(np.float32), normal(1, 50, 6).astype(np.float32)
    expected = pooled_cosine(x.astype(np.float64), y.astype(np.float64))
    assert pooled_cosine(x, y) == pytest.approx(expected, abs=1e-14)


def test_pooled_cosine_is_cosine_of_means() -> None:
    x, y = normal(2, 5, 8), normal(3, 9, 8)
    assert pooled_cosine(x, y) == pytest.approx(1 - cosine(x.mean(0), y.mean(0)), abs=1e-14)
    layers = pooled_cosine(np.stack([x, -x]), np.stack([y, y]))
    np.testing.assert_allclose(layers, [pooled_cosine(x, y), -pooled_cosine(x, y)], atol=1e-15)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cosine_rows(np.diag([1, 0]), np.ones((2, 2))), "row 1 of a is the zero"),
        (lambda: cosine_rows(np.ones((1, 2)), [[np.nan, 0]]), "row 0 of b has a value"),
        (
            lambda: cosine_rows(np.ones((2, 1, 2)), np.array([[[1, 0]], [[0, 0]]])),
            "row 0 of layer 1 of b",
        ),
        (lambda: cosine_rows(np.ones((2, 2)), np.ones((3, 2))), "must agree"),
        (lambda: cosine_rows(np.ones(2), np.ones(2)), "expected"),
        (lambda: cosine_rows(np.ones((1, 2)), np.ones((1, 2), complex)), "complex"),
        (lambda: pooled_cosine([[1.0], [-1.0]], [[1.0]]), "the pooled x is the zero vector"),
        (lambda: pooled_cosine(np.ones((2, 3)), np.ones((2, 4))), "widths 3 and 4"),
        (lambda: pooled_cosine(np.ones((2, 2, 3)), np.ones((2, 3))), "leading axes"),
        (lambda: centered_cosine(np.ones((1, 3)), np.ones((1, 3))), "one item"),
        (lambda: centered_cosine(np.full((3, 2), 0.1), normal(0, 3, 2)), "row 0 of a"),
        (lambda: centered_cosine(np.eye(2), np.eye(2), mean_a=[1.0]), "has shape"),
        (lambda: sufficient_statistics([[np.inf, 0.0], [-np.inf, 0.0]]), "not finite"),
        (lambda: pooled_cosine([[np.inf], [-np.inf]], [[1.0]]), "pooled x has a value"),
        (lambda: centered_cosine([[np.inf], [-np.inf]], np.eye(2)[:, :1]), "row 0 of a has"),
        (lambda: debiased_cosine([1.0], [1.0, 2.0], 1, 1, 3, 3), "widths"),
        (lambda: debiased_cosine([1.0], [1.0], np.nan, 1, 3, 3), "mean_sq_x"),
    ],
)
def test_cosine_errors(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ReproError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_centering_runs_over_items_not_components() -> None:
    # Offsets differ between sides; after removal both sides are +-(1, 1, 0).
    items = np.array([[1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]])
    a, b = items + np.full(3, 5.0), items + np.array([-9.0, 0.0, 2.0])
    np.testing.assert_allclose(centered_cosine(a, b), [1, 1], atol=1e-14)
    c = np.array([[3.0, 1.0], [1.0, 3.0], [2.0, 5.0]])
    by_hand = c - c.mean(axis=0)
    expected = [1 - cosine(u, v) for u, v in zip(by_hand, by_hand[:, ::-1], strict=True)]
    np.testing.assert_allclose(centered_cosine(c, c[:, ::-1]), expected, atol=1e-14)


def test_given_means_replace_the_corpus_means() -> None:
    a, b, common = normal(4, 3, 5), normal(5, 3, 5), normal(6, 5)
    np.testing.assert_allclose(
        centered_cosine(a, b, common, common), cosine_rows(a - common, b - common), atol=1e-14
    )
    np.testing.assert_allclose(centered_cosine(a[:1], b[:1], common, common).shape, (1,))


def test_centering_removes_the_artefact_for_unrelated_items() -> None:
    rng = np.random.default_rng(7)
    n_items, d = 400, 64
    a = 4 + rng.standard_normal((n_items, d)) / math.sqrt(10)
    b = 4 + rng.standard_normal((n_items, d)) / math.sqrt(10)
    raw, centred = cosine_rows(a, b), centered_cosine(a, b)
    assert raw.mean() > 0.99
    assert abs(centred.mean()) < 4 * centred.std() / math.sqrt(n_items)


def naive_sq_norm(rows: Array) -> float:
    return float(
        np.mean([rows[i] @ rows[j] for i, j in itertools.permutations(range(len(rows)), 2)])
    )


@given(SEEDS, st.integers(2, 6), st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_unbiased_norm_is_the_mean_over_distinct_pairs(seed: int, n: int, d: int) -> None:
    rows = normal(seed, n, d) + 0.5
    s = sufficient_statistics(rows)
    value = unbiased_sq_norm(s.mean @ s.mean, s.mean_sq, s.n)
    assert value == pytest.approx(naive_sq_norm(rows), rel=1e-9, abs=1e-12)


def test_debiased_cosine_from_definition() -> None:
    x, y = normal(8, 5, 6) + 2, normal(9, 7, 6) + 2
    expected = x.mean(0) @ y.mean(0) / math.sqrt(naive_sq_norm(x) * naive_sq_norm(y))
    s, t = sufficient_statistics(x), sufficient_statistics(y)
    assert debiased_cosine(s.mean, t.mean, s.mean_sq, t.mean_sq, 5, 7) == pytest.approx(expected)
    # Vectorised over items and layers, with a length per item.
    value = debiased_cosine(
        np.tile(s.mean, (2, 3, 1)),
        np.tile(t.mean, (2, 3, 1)),
        np.full((2, 3), s.mean_sq),
        np.full((2, 3), t.mean_sq),
        np.array([5, 5, 1]),
        7,
    )
    np.testing.assert_allclose(value[:, :2], expected)
    assert np.isnan(value[:, 2]).all()


def test_debiased_cosine_is_nan_without_a_common_direction_and_is_not_clipped() -> None:
    opposite = sufficient_statistics([[1.0, 0.0], [-1.0, 0.0]])
    fine = sufficient_statistics([[1.0, 0.0], [1.0, 0.0]])
    assert np.isnan(debiased_cosine(opposite.mean, fine.mean, opposite.mean_sq, fine.mean_sq, 2, 2))
    # Rows (1, 1) and (1, -1/2): mean (1, 1/4), U = 1/2; against itself 17/16 / (1/2) > 1.
    s = sufficient_statistics([[1.0, 1.0], [1.0, -0.5]])
    assert debiased_cosine(s.mean, s.mean, s.mean_sq, s.mean_sq, 2, 2) == pytest.approx(17 / 8)


# --- CKA, RV -----------------------------------------------------------------------------------


def naive_hsic(k: Array, m: Array) -> float:
    """U-statistic HSIC of Song et al. 2012, by its definition over distinct quadruples."""
    n = len(k)
    total = sum(
        k[i, j] * (m[i, j] + m[q, r] - 2 * m[i, q])
        for i, j, q, r in itertools.permutations(range(n), 4)
    )
    return float(total) / math.perm(n, 4)


def naive_debiased_cka(x: Array, y: Array) -> float:
    k, m = x @ x.T, y @ y.T
    return naive_hsic(k, m) / math.sqrt(naive_hsic(k, k) * naive_hsic(m, m))


def naive_cka(x: Array, y: Array) -> float:
    n = len(x)
    h = np.eye(n) - 1 / n
    k, m = h @ x @ x.T @ h, h @ y @ y.T @ h
    return float(np.trace(k @ m) / math.sqrt(np.trace(k @ k) * np.trace(m @ m)))


def naive_adjusted_rv(x: Array, y: Array) -> float:
    """Weighted adjusted R^2 of every pair of columns."""
    n = len(x)

    def weighted(u: Array, v: Array) -> float:
        total = 0.0
        for a in u.T:
            for b in v.T:
                r2 = np.corrcoef(a, b)[0, 1] ** 2
                adjusted = 1 - (1 - r2) * (n - 1) / (n - 2)
                total += a.var(ddof=1) * b.var(ddof=1) * adjusted
        return total

    return weighted(x, y) / math.sqrt(weighted(x, x) * weighted(y, y))


ORACLES: list[tuple[Callable[[Any, Any], Any], Callable[[Array, Array], float]]] = [
    (MEASURES["linear_cka"].function, naive_cka),
    (MEASURES["linear_cka_debiased"].function, naive_debiased_cka),
    (adjusted_rv, naive_adjusted_rv),
    (rv_coefficient, naive_cka),
]


@pytest.mark.parametrize(("function", "oracle"), ORACLES)
# Narrow sides use width x width products, wide ones Gram matrices.
@pytest.mark.parametrize(("n", "width_x", "width_y"), [(4, 9, 7), (7, 30, 2), (7, 2, 3), (6, 1, 1)])
def test_against_definition(
    function: Callable[[Any, Any], Any],
    oracle: Callable[[Array, Array], float],
    n: int,
    width_x: int,
    width_y: int,
) -> None:
    for seed in range(5):
        x, y = related(seed, n, width_x, width_y)
        assert function(x, y) == pytest.approx(oracle(x, y), abs=1e-12)


@pytest.mark.parametrize("kind", ["double", "u", "adjusted"])
@given(SEEDS, st.integers(5, 40), st.integers(2, 50), st.integers(2, 50))
@settings(max_examples=40, deadline=None)
def test_gram_and_feature_form_agree(
    kind: Any, seed: int, n: int, width_x: int, width_y: int
) -> None:
    x, y = related(seed, n, width_x, width_y)
    xs, ys = np.stack([x, 2 * x]), np.stack([y, y[::-1]])

    def nowhere(*_: int) -> str:
        return ""

    gram = similarity._gram_alignment([xs], [ys], kind, nowhere)[0]
    feature = similarity._feature_alignment(xs, ys, kind, nowhere)
    np.testing.assert_allclose(gram, feature, rtol=0, atol=1e-12)


def test_form_follows_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = related(0, 40, 20, 20)
    cheap = linear_cka(x, y)
    monkeypatch.setattr(similarity, "_feature_alignment", None)
    wide = related(0, 30, 20, 20)  # 30 * 40 = 3 * 20^2: the last n that uses Gram matrices
    linear_cka(*wide)
    with pytest.raises(TypeError):
        linear_cka(x, y)
    assert math.isfinite(cheap)


@given(SEEDS, st.integers(3, 30), st.integers(1, 40), st.integers(1, 40))
@settings(max_examples=50, deadline=None)
def test_rv_equals_biased_cka(seed: int, n: int, width_x: int, width_y: int) -> None:
    x, y = related(seed, n, width_x, width_y)
    assert rv_coefficient(x, y) == pytest.approx(linear_cka(x, y, debiased=False), abs=1e-12)


def test_rv_of_one_column_each_is_squared_correlation() -> None:
    x, y = related(3, 12, 1, 1)
    r2 = np.corrcoef(x[:, 0], y[:, 0])[0, 1] ** 2
    assert rv_coefficient(x, y) == pytest.approx(r2, abs=1e-13)
    # The adjusted one is then the adjusted R^2 itself, for r(x, x) = 1.
    assert adjusted_rv(x, y) == pytest.approx(1 - (1 - r2) * 11 / 10, abs=1e-13)


@pytest.mark.parametrize("n", [5, 40, 90])
@pytest.mark.parametrize("debiased", [True, False])
def test_against_ckatorch(n: int, debiased: bool) -> None:
    torch = pytest.importorskip("torch")
    ckatorch = pytest.importorskip("ckatorch")
    x, y = related(n, n, 70, 50)
    expected = ckatorch.cka_base(
        torch.from_numpy(x), torch.from_numpy(y), unbiased=debiased, method="fro_norm"
    )
    assert linear_cka(x, y, debiased=debiased) == pytest.approx(float(expected), abs=1e-10)


@pytest.mark.parametrize(
    "function", [MEASURES["linear_cka_debiased"].function, adjusted_rv], ids=["cka", "rv"]
)
def test_mean_over_all_permutations_is_zero(function: Callable[[Any, Any], Any]) -> None:
    """Exact for debiased numerators, since the denominators do not change."""
    x, y = related(11, 5, 6, 4)
    values = [function(x, y[list(order)]) for order in itertools.permutations(range(5))]
    assert np.mean(values) == pytest.approx(0, abs=1e-13)
    assert np.std(values) > 0.1


def test_biased_cka_of_all_permutations_is_not_zero() -> None:
    x, y = related(11, 5, 6, 4)
    values = [linear_cka(x, y[list(p)], False) for p in itertools.permutations(range(5))]
    assert np.mean(values) > 0.3


def test_layers_are_computed_one_by_one() -> None:
    for n in (6, 80):
        x = np.stack([related(s, n, 120, 7)[0] for s in range(6)]).reshape(2, 3, n, 120)
        y = np.stack([related(s, n, 120, 7)[1] for s in range(6)]).reshape(2, 3, n, 7)
        for function in (linear_cka, rv_coefficient, adjusted_rv):
            single = [[function(x[i, j], y[i, j]) for j in range(3)] for i in range(2)]
            np.testing.assert_allclose(function(x, y), single, rtol=0, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64])
@pytest.mark.parametrize(("n", "width"), [(9, 30), (70, 60), (30, 4)])
def test_other_types_are_upcast(dtype: Any, n: int, width: int) -> None:
    x, y = ((10 * side).astype(dtype) for side in related(1, n, width, width))
    for function in (linear_cka, rv_coefficient, adjusted_rv):
        expected = function(x.astype(np.float64), y.astype(np.float64))
        assert function(x, y) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("shift", [1e2, 1e4, 1e6])
@pytest.mark.parametrize("n", [12, 70])
def test_large_common_mean_costs_no_accuracy(shift: float, n: int) -> None:
    x, y = normal(0, 3, n, 20 + n) + shift, normal(1, 3, n, 20 + n) + shift
    for debiased in (True, False):
        # Subtracting the shift is exact: the values lie within a factor of two of it.
        expected = linear_cka(x - shift, y - shift, debiased)
        np.testing.assert_allclose(linear_cka(x, y, debiased), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("debiased", [True, False])
def test_pairs_equal_single_calls(debiased: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    lengths = [4, 7, 40, 4, 100, 9, 17, 7, 64, 65, 33, 8, 5, 60]
    pairs: list[tuple[Any, Any]] = [
        (rng.standard_normal((3, n, 24)).astype(np.float32), rng.standard_normal((3, n, 31)))
        for n in lengths
    ]
    pairs[3] = pairs[3][0], pairs[3][1] + 1e4  # mean-dominated: takes the explicit centring
    pairs[5] = pairs[5][0][..., :2], pairs[5][1][..., :3]
    expected = [linear_cka(x, y, debiased) for x, y in pairs]
    np.testing.assert_allclose(linear_cka_pairs(pairs, debiased), expected, rtol=0, atol=1e-13)
    # Portions of one pair and of one layer give the same.
    monkeypatch.setattr(similarity, "_GRAM_BYTES", 1)
    monkeypatch.setattr(similarity, "_BLOCK_BYTES", 1)
    np.testing.assert_allclose(linear_cka_pairs(pairs, debiased), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("n", range(3, 27))
def test_strips_make_the_whole_gram_matrix(n: int) -> None:
    for dtype in (np.float32, np.float64):
        x = normal(n, 2, n, 5).astype(dtype)
        expected = x.astype(np.float64) @ x.astype(np.float64).swapaxes(-1, -2)
        np.testing.assert_allclose(similarity._raw_grams([x, 2 * x])[1], 4 * expected, atol=1e-12)


def _with(x: Array, index: tuple[int, ...], value: float) -> Array:
    copy = x.copy()
    copy[index] = value
    return copy


WIDE, NARROW = normal(0, 2, 6, 9), normal(0, 2, 6, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: linear_cka(WIDE[0], WIDE[0][:5]), "x has 6 and y has 5"),
        (lambda: linear_cka(WIDE[0][:3], WIDE[0][:3]), "at least 4 aligned rows, got 3"),
        (lambda: linear_cka(WIDE[0][:2], WIDE[0][:2], False), "at least 3"),
        (lambda: linear_cka(WIDE, np.full((2, 6, 9), 0.1)), "y of layer 0 is constant"),
        (lambda: linear_cka(NARROW, np.full((2, 6, 2), 0.1)), "y of layer 0 is constant"),
        (lambda: linear_cka(np.full((80, 90), 0.1), normal(0, 80, 90)), "x is constant"),
        (lambda: linear_cka(WIDE, _with(WIDE, (1, 2, 3), np.nan)), "y of layer 1 holds a value"),
        (lambda: linear_cka(_with(NARROW, (1, 2, 1), np.inf), NARROW), "x of layer 1 holds"),
        (lambda: linear_cka(WIDE[0], 1e200 * WIDE[0]), "too large to square"),
        (lambda: linear_cka(WIDE[0], np.eye(6)), "y has no structure"),
        (lambda: adjusted_rv(np.eye(6), WIDE[0]), "adjusted RV: x has no structure"),
        (lambda: linear_cka(WIDE[0], _with(np.zeros((6, 9)), (0, 0), 1.0)), "all but one"),
        (lambda: linear_cka(NARROW[0], _with(np.zeros((6, 2)), (0, 0), 1.0)), "all but one"),
        (lambda: linear_cka(WIDE, WIDE[0]), "leading axes"),
        (lambda: rv_coefficient(WIDE[0], np.full((6, 2), 0.1)), "RV: y is constant"),
        (lambda: rv_coefficient(_with(WIDE, (1, 0, 0), np.nan), WIDE), "x of layer 1 holds"),
        (lambda: linear_cka_pairs([]), "no pairs"),
        (lambda: linear_cka_pairs([(WIDE, WIDE), (WIDE, WIDE[:, :5])]), "pair 1: .*x has 6"),
        (lambda: linear_cka_pairs([(WIDE, WIDE), (WIDE[:1], WIDE[:1])]), "pair 1 has shape"),
        (lambda: linear_cka_pairs([(WIDE[0], WIDE[0])]), "pair 0 has shape"),
        (
            lambda: linear_cka_pairs([(WIDE, WIDE), (WIDE, _with(WIDE, (1, 0, 0), np.nan))]),
            "y of pair 1, layer 1 holds",
        ),
        (
            lambda: linear_cka_pairs([(WIDE, WIDE), (np.ones((2, 6, 2)), NARROW)]),
            "x of pair 1, layer 0 is constant",
        ),
    ],
)
def test_alignment_errors(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ReproError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_biased_cka_accepts_what_only_debiasing_cannot() -> None:
    # Equidistant rows have a Gram matrix, H, but nothing off its diagonal once U-centred.
    assert linear_cka(np.eye(6), np.eye(6), debiased=False) == pytest.approx(1, abs=1e-14)


# --- permutation null --------------------------------------------------------------------------


def test_null_counts_and_score_by_hand() -> None:
    x = np.arange(8.0)[:, None]
    draws = np.random.default_rng(3)
    orders = [draws.permutation(8) for _ in range(19)]

    def agreement(a: Array, b: Array) -> float:
        return float(np.mean(a == b))

    result = permutation_null(agreement, x, x, 19, np.random.default_rng(3))
    null = [np.mean(order == np.arange(8)) for order in orders]
    np.testing.assert_array_equal(result.null, null)
    assert result.observed == 1
    assert result.p_value == pytest.approx((1 + sum(v >= 1 for v in null)) / 20)
    tau = sorted([1.0, *null])[18]  # the 19th of 20 at alpha = 0.05
    assert result.score == pytest.approx(1.0 if tau < 1 else 0.0)


def test_calibrated_score_formula() -> None:
    observed, null = np.array([0.9, 0.2]), np.tile(np.arange(1, 100) / 200, (2, 1)).T
    result = similarity._calibrated(observed, null, 0.05, 1.0)
    # 100 pooled values; the 95th is 0.475 for the first column, whose own value ranks 100th.
    assert result.score[0] == pytest.approx((0.9 - 0.475) / (1 - 0.475))
    assert result.score[1] == 0
    np.testing.assert_allclose(result.p_value, [0.01, (1 + 60) / 100])


@given(SEEDS, st.integers(1, 30), st.floats(0.01, 0.99))
@settings(max_examples=60, deadline=None)
def test_positive_score_implies_small_p(seed: int, k: int, alpha: float) -> None:
    rng = np.random.default_rng(seed)
    observed, null = rng.integers(0, 6, 8) / 5, rng.integers(0, 6, (k, 8)) / 5
    result = similarity._calibrated(observed, null, alpha, 1.0)
    assert np.all(result.p_value[result.score > 0] <= alpha + 1e-9)
    assert np.all((result.score >= 0) & (result.score <= 1))


def test_p_values_are_uniform_without_relation() -> None:
    rng = np.random.default_rng(0)
    p = [
        linear_cka_null(rng.standard_normal((8, 12)), rng.standard_normal((8, 12)), 19, rng).p_value
        for _ in range(400)
    ]
    counts = np.bincount(np.rint(np.array(p) * 20).astype(int), minlength=21)[1:]
    # 20 equally likely values, 20 expected in each; chi-square with 19 degrees of freedom.
    assert ((counts - 20) ** 2 / 20).sum() < 43.8  # 0.1 % point


@pytest.mark.parametrize("debiased", [True, False])
@pytest.mark.parametrize("shape", [(9, 20), (2, 3, 9, 20), (2, 70, 5)])
def test_fast_null_equals_general_null(debiased: bool, shape: tuple[int, ...]) -> None:
    x = normal(1, *shape)
    y = x[..., :4] + normal(2, *shape)[..., :4]
    fast = linear_cka_null(x, y, 12, np.random.default_rng(5), debiased=debiased)
    slow = permutation_null(
        lambda a, b: linear_cka(a, b, debiased), x, y, 12, np.random.default_rng(5)
    )
    for field in ("observed", "null", "p_value", "score"):
        np.testing.assert_allclose(getattr(fast, field), getattr(slow, field), atol=1e-12)
    assert fast.null.shape == (12, *shape[:-2])


def test_one_permutation_serves_all_layers() -> None:
    x, y = related(4, 10, 6, 6)
    null = permutation_null(
        linear_cka, np.stack([x, x]), np.stack([y, y]), 5, np.random.default_rng(0)
    ).null
    np.testing.assert_array_equal(null[:, 0], null[:, 1])
    assert np.ptp(null[:, 0]) > 0


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"n_permutations": 0}, "n_permutations"),
        ({"alpha": 1.0}, "alpha"),
        ({"statistic": lambda a, b: np.nan}, "not finite"),
        ({"maximum": 0.1}, "exceeds its stated maximum"),
    ],
)
def test_null_errors(kwargs: dict[str, Any], message: str) -> None:
    x = normal(0, 8, 3)
    arguments: dict[str, Any] = {
        "statistic": linear_cka,
        "x": x,
        "y": x,
        "n_permutations": 19,
        "rng": np.random.default_rng(0),
        **kwargs,
    }
    with pytest.raises(ReproError, match=message):
        permutation_null(**arguments)


# --- neighbours --------------------------------------------------------------------------------


@given(SEEDS, st.integers(5, 12), st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_mutual_knn_against_sets(seed: int, n: int, k: int) -> None:
    x, y = related(seed, n, 4, 6)
    distances = [cdist(side, side, "cosine") for side in (x, y)]
    overlap = 0
    for i in range(n):
        near = [set(sorted(set(range(n)) - {i}, key=lambda j: d[i, j])[:k]) for d in distances]
        overlap += len(near[0] & near[1])
    assert mutual_knn(x, y, k) == pytest.approx(overlap / (n * k), abs=1e-12)


def test_mutual_knn_levels() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3, 200, 10))
    np.testing.assert_array_equal(mutual_knn(x, 2 * x, 5), 1)
    y = rng.standard_normal((3, 200, 10))
    # 3000 neighbour slots, each shared with probability k/(n-1), nearly independent.
    chance = 5 / 199
    error = math.sqrt(chance * (1 - chance) / 3000)
    assert abs(mutual_knn(x, y, 5).mean() - chance) < 4 * error


def test_retrieval_by_hand_and_ties() -> None:
    x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    y = np.array([[1.0, 0.1], [1.0, 0.9], [0.0, 1.0]])
    result = retrieval_accuracy(x, y)
    # x0 finds y0, x1 finds y2, x2 finds y1; y0 finds x0, y1 finds x2, y2 finds x1.
    assert result.forward == pytest.approx(1 / 3)
    assert result.backward == pytest.approx(1 / 3)
    same = retrieval_accuracy(np.ones((5, 3)), np.ones((5, 3)))
    assert (same.forward, same.backward, same.mean) == pytest.approx((0.2, 0.2, 0.2))
    # Asymmetric: y1 duplicates y0, so only the forward search ties.
    z = np.array([[1.0, 0.0], [1.0, 0.0]])
    skewed = retrieval_accuracy(np.array([[1.0, 0.0], [0.0, 1.0]]), z)
    assert (skewed.forward, skewed.backward) == pytest.approx((0.5, 0.5))
    only = retrieval_accuracy(
        np.array([[1.0, 0.0], [1.0, 0.2]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    )
    assert (only.forward, only.backward) == pytest.approx((0.5, 1.0))


def test_retrieval_over_layers() -> None:
    x = normal(0, 2, 6, 8)
    y = np.stack([x[0], x[1][::-1]])
    np.testing.assert_allclose(retrieval_accuracy(x, y).mean, [1, 0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mutual_knn(normal(0, 5, 3), normal(0, 5, 3), 4), "5 rows allow 1 to 3"),
        (lambda: mutual_knn(normal(0, 5, 3), normal(0, 5, 3), 0), "k is 0"),
        (lambda: mutual_knn(np.zeros((5, 3)), normal(0, 5, 3), 2), "zero vector"),
        (lambda: retrieval_accuracy(normal(0, 5, 3), normal(0, 5, 4)), "widths 3 and 4"),
        (lambda: retrieval_accuracy(normal(0, 1, 3), normal(0, 1, 3)), "at least 2"),
    ],
)
def test_neighbour_errors(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ReproError, match=message):
        call()


# --- declared properties -----------------------------------------------------------------------

Transformation = Callable[[np.random.Generator, Array, Array], tuple[Array, Array]]


def _rotate_one(rng: np.random.Generator, x: Array, y: Array) -> tuple[Array, Array]:
    return x @ orthogonal(rng, x.shape[1]), y


def _rotate_both(rng: np.random.Generator, x: Array, y: Array) -> tuple[Array, Array]:
    q = orthogonal(rng, x.shape[1])
    return x @ q, y @ q


def _scale_one(rng: np.random.Generator, x: Array, y: Array) -> tuple[Array, Array]:
    return x * 10 ** rng.uniform(-3, 3), y


def _shift_one(rng: np.random.Generator, x: Array, y: Array) -> tuple[Array, Array]:
    return x + 5 * rng.standard_normal(x.shape[1]), y


def _map_one(rng: np.random.Generator, x: Array, y: Array) -> tuple[Array, Array]:
    # Condition number 1000, so that the map is safely invertible and far from orthogonal.
    d = x.shape[1]
    return x @ (orthogonal(rng, d) * np.geomspace(1, 1000, d)) @ orthogonal(rng, d), y


TRANSFORMATIONS: dict[str, Transformation] = {
    ORTHOGONAL: _rotate_one,
    ORTHOGONAL_JOINT: _rotate_both,
    SCALING: _scale_one,
    TRANSLATION: _shift_one,
    INVERTIBLE: _map_one,
}
ALL = list(MEASURES.values())


def _declared(invariant: bool, names: set[str]) -> list[Any]:
    return [
        pytest.param(measure, name, id=f"{measure.name}-{name}")
        for measure in ALL
        for name in sorted(measure.invariant_to if invariant else measure.not_invariant_to)
        if name in names
    ]


@pytest.mark.parametrize(("measure", "name"), _declared(True, set(TRANSFORMATIONS)))
@given(SEEDS, st.integers(0, 8), st.integers(2, 30))
@settings(max_examples=20, deadline=None)
def test_declared_invariances(
    measure: Measure, name: str, seed: int, extra: int, width: int
) -> None:
    x, y = related(seed, max(measure.min_rows, 4) + extra, width, width)
    before = measure.function(x, y)
    after = measure.function(*TRANSFORMATIONS[name](np.random.default_rng(seed), x, y))
    np.testing.assert_allclose(after, before, rtol=1e-7, atol=1e-9)
    if name not in {ORTHOGONAL_JOINT}:
        flipped, moved = TRANSFORMATIONS[name](np.random.default_rng(seed), y, x)
        np.testing.assert_allclose(measure.function(moved, flipped), before, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("measure", "name"), _declared(False, set(TRANSFORMATIONS)))
def test_declared_non_invariances(measure: Measure, name: str) -> None:
    changes = []
    for seed in range(10):
        x, y = related(seed, 20, 12, 12)
        moved = TRANSFORMATIONS[name](np.random.default_rng(seed), x, y)
        changes.append(np.abs(measure.function(*moved) - measure.function(x, y)).max())
    assert np.median(changes) > 0.02


@pytest.mark.parametrize(("measure", "name"), _declared(True, {PERMUTATION}))
@given(SEEDS, st.integers(0, 8), st.integers(2, 30))
@settings(max_examples=20, deadline=None)
def test_row_permutation(measure: Measure, name: str, seed: int, extra: int, width: int) -> None:
    n = max(measure.min_rows, 4) + extra
    x, y = related(seed, n, width, width)
    order = np.random.default_rng(seed).permutation(n)
    before = measure.function(x, y)
    expected = before[order] if np.ndim(before) else before
    np.testing.assert_allclose(measure.function(x[order], y[order]), expected, atol=1e-9)


@pytest.mark.parametrize("measure", ALL, ids=lambda m: m.name)
def test_every_property_is_decided(measure: Measure) -> None:
    everything = {*TRANSFORMATIONS, PERMUTATION, LENGTH}
    assert measure.invariant_to | measure.not_invariant_to == everything
    assert not measure.invariant_to & measure.not_invariant_to
    assert MEASURES[measure.name] is measure


@pytest.mark.parametrize("measure", ALL, ids=lambda m: m.name)
@given(SEEDS, st.integers(0, 8), st.integers(2, 30))
@settings(max_examples=20, deadline=None)
def test_range_and_symmetry(measure: Measure, seed: int, extra: int, width: int) -> None:
    x, y = related(seed, measure.min_rows + 3 + extra, width, width)
    value = measure.function(x, y)
    low, high = measure.range
    assert np.all((value >= low) & (value <= high) | np.isnan(value))
    assert measure.is_symmetric
    np.testing.assert_allclose(measure.function(y, x), value, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("measure", ALL, ids=lambda m: m.name)
def test_larger_is_more_similar(measure: Measure) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((40, 16)) + 0.5
    # The offset turns the mean too: the debiased cosine ignores noise around it.
    noise = rng.standard_normal((40, 16)) + rng.standard_normal(16)
    levels = [np.mean(measure.function(x, x + s * noise)) for s in (0.1, 1, 10)]
    assert measure.larger_is_more_similar
    assert levels[0] > levels[1] > levels[2]


@pytest.mark.parametrize("measure", ALL, ids=lambda m: m.name)
def test_row_requirements(measure: Measure) -> None:
    x, y = related(0, measure.min_rows, 5, 5)
    assert np.all(np.isfinite(measure.function(x + 10, y + 10)))
    if measure.min_rows > 1:
        short = x[: measure.min_rows - 1], y[: measure.min_rows - 1]
        if measure.name == "debiased_cosine":
            assert np.isnan(measure.function(*short))
        else:
            with pytest.raises(ReproError):
                measure.function(*short)
    longer = related(1, measure.min_rows + 1, 5, 5)[1]
    if measure.needs_aligned_rows:
        with pytest.raises(ReproError):
            measure.function(x, longer)
    else:
        measure.function(x + 10, longer + 10)


# Sequence length: mean over independent draws at two lengths, with its standard error.


def _token_pair(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    """Independent sequences around two means of cosine 0.8 in 64 dimensions, rho = 8."""
    d = 64
    mu = np.zeros((2, d))
    mu[0, 0], mu[1, :2] = 1.0, (0.8, 0.6)
    rows = [m + rng.standard_normal((n, d)) * math.sqrt(8 / d) for m in mu]
    return rows[0], rows[1]


def _aligned_pair(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    """Rows that share half of their variance, in 48 dimensions."""
    shared, a, b = (rng.standard_normal((n, 48)) for _ in range(3))
    return shared + a, shared + b


def _item_pair(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    """Thirty items with contents of their own, pooled over n tokens per side."""
    content = rng.standard_normal((30, 16))
    noise = rng.standard_normal((2, 30, 16)) * 3 / math.sqrt(n)
    return content + noise[0], content + noise[1]


def _length_model(measure: Measure) -> Callable[[np.random.Generator, int], tuple[Array, Array]]:
    if not measure.needs_aligned_rows:
        return _token_pair
    if measure.name in {"centered_cosine", "mutual_knn", "retrieval_accuracy"}:
        return _item_pair
    return _aligned_pair


def _length_means(measure: Measure) -> tuple[float, float]:
    """Difference of the means at 60 and at 12 rows, and its standard error."""
    draw, rng = _length_model(measure), np.random.default_rng(0)
    short, long = (
        [float(np.mean(measure.function(*draw(rng, n)))) for _ in range(repeats)]
        for n, repeats in ((12, 600), (60, 200))
    )
    error = math.hypot(np.std(short) / math.sqrt(600), np.std(long) / math.sqrt(200))
    return float(np.mean(long) - np.mean(short)), error


@pytest.mark.parametrize(("measure", "name"), _declared(True, {LENGTH}))
def test_sequence_length_invariance(measure: Measure, name: str) -> None:
    change, error = _length_means(measure)
    # A ratio of unbiased estimates keeps a small bias at 12 rows.
    assert abs(change) < 0.02 + 4 * error
    assert error < 0.01


@pytest.mark.parametrize(("measure", "name"), _declared(False, {LENGTH}))
def test_sequence_length_dependence(measure: Measure, name: str) -> None:
    change, error = _length_means(measure)
    assert abs(change) > 0.1 + 4 * error
