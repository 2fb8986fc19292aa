"""Measures of spread against loops over pairs, other implementations and declared invariances."""

from __future__ import annotations

import math
import tracemalloc
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, pdist
from scipy.stats import ortho_group

from reproutils import dispersion
from reproutils.dispersion import (
    MORE_COLUMNS,
    REPETITION,
    ROW_SCALING,
    SAMPLE_SIZE,
    SPREAD_MEASURES,
    Dispersion,
    SpreadMeasure,
    cross_distance,
    dispersion_gap,
    from_resultant,
    iso_score,
    jackknife_interval,
    mean_pairwise_distance,
    vendi_score,
    weighted_dispersion,
    within_between,
)
from reproutils.errors import ReproError
from reproutils.similarity import ORTHOGONAL_JOINT, PERMUTATION, SCALING, TRANSLATION

SEEDS = st.integers(0, 10_000)


def rows(n: int, d: int, seed: int = 0, mean: float = 0.0) -> np.ndarray:
    return mean + np.random.default_rng(seed).normal(size=(n, d))


def loop(x: np.ndarray) -> float:
    return float(
        np.mean([1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in combinations(x, 2)])
    )


@given(seed=SEEDS, n=st.integers(2, 20), d=st.integers(1, 12), mean=st.floats(0, 50))
@settings(max_examples=40, deadline=None)
def test_closed_form_is_the_pairwise_loop(seed: int, n: int, d: int, mean: float) -> None:
    x = rows(n, d, seed, mean)
    assert mean_pairwise_distance(x) == pytest.approx(loop(x), abs=1e-12)


def test_closed_form_is_scipys_over_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispersion, "_BLOCK_BYTES", 7 * 16 * 8)
    x = rows(100, 16, 1, 0.5)
    assert mean_pairwise_distance(x) == pytest.approx(pdist(x, "cosine").mean(), abs=1e-13)


@pytest.mark.parametrize("scale", [1e-200, 1e-140, 1e140, 1e200])
def test_lengths_do_not_matter_however_extreme(scale: float) -> None:
    x = rows(6, 5, 2)
    mixed = x * np.array([scale, 1, scale, 1, 1, scale])[:, None]
    assert mean_pairwise_distance(mixed) == pytest.approx(loop(x), abs=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64])
def test_other_types_are_upcast_first(dtype: type) -> None:
    # In half precision the squares would overflow.
    x = (300 * rows(40, 30, 3, 0.5)).astype(dtype)
    kept = x.copy()
    assert mean_pairwise_distance(x) == pytest.approx(loop(x.astype(np.float64)), abs=1e-12)
    np.testing.assert_array_equal(x, kept)


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    file = np.memmap(tmp_path / "rows", np.float32, "w+", shape=(40_000, 64))
    file[:] = np.random.default_rng(0).standard_normal(file.shape, dtype=np.float32)
    labels = np.arange(len(file)) % 3
    calls = (
        lambda x: mean_pairwise_distance(x),
        lambda x: cross_distance(x, x),
        lambda x: vendi_score(x),
        lambda x: jackknife_interval(x),
        lambda x: within_between(x, labels),
    )
    for call in calls:
        tracemalloc.start()
        call(file)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        # The rows in float64 take 20 MB.
        assert peak < 8e6


def test_known_values() -> None:
    assert mean_pairwise_distance(np.eye(4)) == pytest.approx(1)
    assert mean_pairwise_distance([[1.0, 0.0], [-2.0, 0.0]]) == pytest.approx(2)
    assert mean_pairwise_distance(np.ones((5, 3))) == pytest.approx(0, abs=1e-15)


def test_nearly_parallel_rows_keep_their_digits() -> None:
    angle = 1e-7
    x = np.array([[1.0, 0.0], [np.cos(angle), np.sin(angle)]])
    # 1 - cos(angle) as a difference of numbers near 1 would be off by a per cent here.
    assert mean_pairwise_distance(x) == pytest.approx(2 * np.sin(angle / 2) ** 2, rel=1e-7)
    assert cross_distance(x[:1], x[1:]) == pytest.approx(2 * np.sin(angle / 2) ** 2, rel=1e-7)
    # Two tight clusters near each other: halves of mean squared distances, exactly rational.
    cluster = np.array([[1, 3e-7], [1, -3e-7], [1, 5e-7], [1, -5e-7]])
    within, between = within_between(cluster, list("aabb"))
    assert within == pytest.approx((6e-7**2 + 1e-6**2) / 4, rel=1e-6)
    assert between == pytest.approx((2 * 2e-7**2 + 2 * 8e-7**2) / 8, rel=1e-6)


@given(seed=SEEDS, cut=st.integers(1, 19))
@settings(max_examples=25, deadline=None)
def test_parts_add_up_in_any_order_and_can_be_taken_out(seed: int, cut: int) -> None:
    x = rows(20, 5, seed, 1.0)
    whole, a, b = Dispersion.of(x), Dispersion.of(x[:cut]), Dispersion.of(x[cut:])
    for merged in (a + b, b + a):
        assert merged.n == 20
        assert merged.value == pytest.approx(whole.value, abs=1e-13)
        np.testing.assert_allclose(merged.mean, whole.mean, atol=1e-14)
    rest = whole.without(a)
    assert rest.n == b.n
    assert rest.scatter == pytest.approx(b.scatter, abs=1e-11)
    np.testing.assert_allclose(rest.mean, b.mean, atol=1e-12)


def test_portions_in_any_order_and_nesting() -> None:
    x = rows(30, 7, 3, 2.0)
    stream = Dispersion()
    for start in range(0, 30, 4):
        stream.add(x[start : start + 4])
    assert stream.n == 30
    assert stream.value == pytest.approx(mean_pairwise_distance(x), abs=1e-13)
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    np.testing.assert_allclose(stream.resultant, unit.sum(0), atol=1e-12)
    a, b, c = (Dispersion.of(part) for part in np.split(x, [1, 12]))
    values = [
        merged.value
        for p, q, r in permutations((a, b, c))
        for merged in ((p + q) + r, p + (q + r), sum((p, q, r), Dispersion()))
    ]
    assert np.ptp([*values, stream.value]) < 1e-13
    # The parts are as they were.
    assert (a.n, b.n, c.n) == (1, 11, 18)
    assert b.value == pytest.approx(loop(x[1:12]), abs=1e-12)


def test_bad_rows_are_not_taken_in() -> None:
    stream = Dispersion()
    with pytest.raises(ReproError, match="at least 2 vectors, got 0"):
        _ = stream.value
    stream.add(rows(3, 4))
    before = stream.value
    bad = rows(5, 4)
    bad[2] = 0
    with pytest.raises(ReproError, match="row 2 of the added rows is the zero vector"):
        stream.add(bad)
    with pytest.raises(ReproError, match="width 4 and 5"):
        stream.add(rows(2, 5))
    assert (stream.n, stream.value) == (3, before)


@given(seed=SEEDS, n=st.integers(1, 9), m=st.integers(1, 9))
@settings(max_examples=25, deadline=None)
def test_cross_distance_is_scipys(seed: int, n: int, m: int) -> None:
    x, y = rows(n, 4, seed, 0.3), rows(m, 4, seed + 1)
    assert cross_distance(x, y) == pytest.approx(cdist(x, y, "cosine").mean(), abs=1e-13)


@pytest.mark.parametrize("labels", ["aaabbbbccccc", "abcabcabccbb", "abbbbbbbbbbb", "aabcdefghijk"])
def test_within_and_between_count_every_pair_once(labels: str) -> None:
    x = rows(12, 5, 4, 0.5)
    same, different = [], []
    for i, j in combinations(range(12), 2):
        (same if labels[i] == labels[j] else different).append(loop(x[[i, j]]))
    within, between = within_between(x, list(labels))
    assert within == pytest.approx(np.mean(same), abs=1e-12)
    assert between == pytest.approx(np.mean(different), abs=1e-12)


def test_gap_is_the_sum_of_its_parts() -> None:
    domain, other = rows(5, 8, 5, 0.4), rows(7, 8, 6)
    gap = dispersion_gap(domain, other)
    assert gap.within == pytest.approx(loop(domain), abs=1e-12)
    pairs = [loop(np.stack([a, b])) for a, b in product(domain, other)]
    assert gap.between == pytest.approx(np.mean(pairs), abs=1e-12)
    assert gap.gap == gap.within + gap.between


def test_resultant_form() -> None:
    x = rows(30, 6, 7, 0.5)
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    squared = (unit.mean(0) ** 2).sum()
    assert from_resultant(30, squared) == pytest.approx(loop(x), abs=1e-12)
    np.testing.assert_allclose(from_resultant([2, 3], [1.0, 0.0]), [0.0, 1.5])
    with pytest.raises(ReproError, match="at least 2 vectors, got 1"):
        from_resultant([2, 1], [0.5, 0.5])
    assert from_resultant(5, 1 + 1e-7) == 0
    for wrong in (1.01, -0.01, np.nan):
        with pytest.raises(ReproError, match="outside of 0 to 1"):
            from_resultant(5, [0.5, wrong])


def test_resamples_compare_no_row_with_its_copies() -> None:
    x = rows(6, 3, 8)
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    weights = np.array([[1, 1, 1, 1, 1, 1], [2, 0, 1, 3, 0, 0], [6, 0, 0, 0, 0, 0.0]])
    found = weighted_dispersion(unit, weights)
    assert found[0] == pytest.approx(loop(x), abs=1e-12)
    drawn = [0, 0, 2, 3, 3, 3]
    pairs = [loop(x[[i, j]]) for i, j in combinations(drawn, 2) if i != j]
    assert found[1] == pytest.approx(np.mean(pairs), abs=1e-12)
    assert np.isnan(found[2])


def test_jackknife_is_that_of_recomputed_values() -> None:
    x = rows(12, 4, 9, 0.5)
    for units in (None, list("aabbccddeeff")):
        interval = jackknife_interval(x, units)
        labels = np.array(units or list(range(12)))
        left = np.array([loop(x[labels != name]) for name in dict.fromkeys(labels)])
        g = len(left)
        se = np.sqrt((g - 1) / g * ((left - left.mean()) ** 2).sum())
        assert interval.n == g
        assert interval.value == pytest.approx(loop(x), abs=1e-12)
        reach = {12: 2.200985160082949, 6: 2.5705818366147395}[g]
        assert interval.high - interval.value == pytest.approx(reach * se, rel=1e-9)
        assert interval.value - interval.low == pytest.approx(reach * se, rel=1e-9)


def test_jackknife_interval_is_not_below_zero() -> None:
    x = np.array([[1.0, 0.0]] * 5 + [[1.0, 0.1]])
    interval = jackknife_interval(x)
    assert interval.low == 0 < interval.value < interval.high


def test_jackknife_over_units_covers_where_rows_do_not() -> None:
    rng = np.random.default_rng(11)
    units = np.repeat(np.arange(25), 8)

    def draw(n_units: int) -> np.ndarray:
        centres = 0.7 + rng.normal(size=(n_units, 1, 3))
        return (centres + 0.2 * rng.normal(size=(n_units, 8, 3))).reshape(-1, 3)

    # Pairs of one unit are near; in 25 units of 8 they are 7 of 199.
    between = mean_pairwise_distance(draw(20_000))
    truth = between + 7 / 199 * (
        within_between(draw(3000), np.repeat(np.arange(3000), 8))[0] - between
    )
    hits = {"units": 0, "rows": 0}
    for _ in range(200):
        x = draw(25)
        for name, labels in (("units", units), ("rows", None)):
            interval = jackknife_interval(x, labels)
            hits[name] += interval.low <= truth <= interval.high
    assert 0.89 <= hits["units"] / 200 <= 0.99
    assert hits["rows"] / 200 < 0.7


def test_jackknife_interval_covers() -> None:
    truth = mean_pairwise_distance(rows(40_000, 3, 10, 0.7))
    hits = [
        interval.low <= truth <= interval.high
        for interval in (jackknife_interval(rows(60, 3, seed, 0.7)) for seed in range(100, 400))
    ]
    assert 0.91 <= np.mean(hits) <= 0.98


def test_vendi_score_counts_the_different_rows() -> None:
    assert vendi_score(np.ones((5, 3))) == pytest.approx(1)
    assert vendi_score(np.eye(4)) == pytest.approx(4)
    assert vendi_score(np.repeat(np.eye(3), 5, axis=0)) == pytest.approx(3)
    x = rows(7, 3, 11)
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    values = np.linalg.eigvals(unit @ unit.T / 7).real
    kept = values[values > 1e-12]
    assert vendi_score(x) == pytest.approx(np.exp(-(kept * np.log(kept)).sum()), rel=1e-9)


@pytest.mark.parametrize(("n", "d"), [(7, 3), (3, 7), (5, 5), (40, 12)])
def test_vendi_score_is_that_of_the_kernel(n: int, d: int) -> None:
    x = rows(n, d, n, 0.4)
    values = np.linalg.eigvals((1 - cdist(x, x, "cosine")) / n).real
    kept = values[values > 1e-12]
    assert vendi_score(x) == pytest.approx(np.exp(-(kept * np.log(kept)).sum()), rel=1e-9)


def iso_score_by_steps(x: np.ndarray) -> float:
    """The seven steps of Rudman et al."""
    d = x.shape[1]
    axes = np.linalg.eigh(np.cov(x.T))[1]
    variances = np.diag(np.cov((x @ axes).T))
    normalised = math.sqrt(d) * variances / np.linalg.norm(variances)
    defect = np.linalg.norm(normalised - 1) / math.sqrt(2 * (d - math.sqrt(d)))
    used = (d - defect**2 * (d - math.sqrt(d))) ** 2 / d**2
    return float((d * used - 1) / (d - 1))


@given(seed=SEEDS, n=st.integers(3, 40), d=st.integers(2, 12), power=st.floats(0, 2))
@settings(max_examples=40, deadline=None)
def test_iso_score_is_that_of_its_steps(seed: int, n: int, d: int, power: float) -> None:
    x = rows(n, d, seed, 3.0) * np.arange(1, d + 1) ** -power
    assert iso_score(x) == pytest.approx(iso_score_by_steps(x), abs=1e-9)


@pytest.mark.parametrize(("n", "d"), [(200, 5), (60, 30), (8, 20)])
def test_iso_score_is_that_of_its_authors(n: int, d: int) -> None:
    package = pytest.importorskip("IsoScore.IsoScore")
    x = rows(n, d, n, 1.0) * np.linspace(0.3, 2, d)
    # Part of the package computes in single precision.
    assert iso_score(x) == pytest.approx(float(package.IsoScore(x)), abs=2e-5)


def test_iso_score_at_its_ends_and_between() -> None:
    plus_minus = np.concatenate([np.eye(4), -np.eye(4)])
    assert iso_score(plus_minus) == pytest.approx(1)
    line = np.outer(np.arange(9.0), [1, 0, 0, 0])
    assert iso_score(line) == pytest.approx(0, abs=1e-12)
    # k of d directions with equal variance: phi = k / d, so the score is (k - 1) / (d - 1).
    assert iso_score(plus_minus * [1, 1, 0, 0]) == pytest.approx(1 / 3)
    assert iso_score(plus_minus * [1, 1, 1, 0]) == pytest.approx(2 / 3)


def transformed(kind: str, matrices: list[np.ndarray], seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    width = matrices[0].shape[1]
    if kind == ORTHOGONAL_JOINT:
        turned = ortho_group.rvs(width, random_state=rng)
        return [x @ turned for x in matrices]
    if kind == SCALING:
        return [7.5 * x for x in matrices]
    if kind == PERMUTATION:
        return [rng.permutation(x) for x in matrices]
    if kind == ROW_SCALING:
        return [x * rng.uniform(0.1, 10, size=(len(x), 1)) for x in matrices]
    if kind == REPETITION:
        return [np.tile(x, (3, 1)) for x in matrices]
    if kind == MORE_COLUMNS:
        return [np.pad(x, ((0, 0), (0, 4))) for x in matrices]
    assert kind == TRANSLATION
    shift = 3 * rng.normal(size=width)
    return [x + shift for x in matrices]


KINDS = {
    ORTHOGONAL_JOINT,
    SCALING,
    PERMUTATION,
    ROW_SCALING,
    REPETITION,
    MORE_COLUMNS,
    TRANSLATION,
}
EACH = pytest.mark.parametrize("measure", SPREAD_MEASURES.values(), ids=SPREAD_MEASURES)


def matrices_for(measure: SpreadMeasure, seed: int) -> list[np.ndarray]:
    return [rows(9 - 2 * k, 6, seed + k, 0.5) for k in range(len(measure.min_rows))]


@EACH
def test_every_property_is_decided(measure: SpreadMeasure) -> None:
    assert measure.invariant_to | measure.not_invariant_to == KINDS | {SAMPLE_SIZE}
    assert not measure.invariant_to & measure.not_invariant_to
    assert SPREAD_MEASURES[measure.name] is measure


@EACH
@given(seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_declared_invariances_hold(measure: SpreadMeasure, seed: int) -> None:
    matrices = matrices_for(measure, seed)
    value = measure.function(*matrices)
    for kind in measure.invariant_to & KINDS:
        found = measure.function(*transformed(kind, matrices, seed))
        assert found == pytest.approx(value, rel=1e-9), kind
    low, high = measure.range
    assert low - 1e-12 <= value
    assert high is None or value <= high + 1e-12


@EACH
def test_declared_dependences_are_real(measure: SpreadMeasure) -> None:
    matrices = matrices_for(measure, 0)
    for kind in measure.not_invariant_to & KINDS:
        changed = measure.function(*transformed(kind, matrices, 1))
        assert abs(changed / measure.function(*matrices) - 1) > 1e-3, kind


@EACH
def test_dependence_on_the_number_of_rows(measure: SpreadMeasure) -> None:
    rng = np.random.default_rng(0)

    def values(n: int, repeats: int) -> np.ndarray:
        sides = range(len(measure.min_rows))
        return np.array(
            [
                measure.function(*(0.4 + rng.normal(size=(n, 6)) for _ in sides))
                for _ in range(repeats)
            ]
        )

    few, many = values(5, 800), values(50, 200)
    error = math.hypot(few.std() / math.sqrt(len(few)), many.std() / math.sqrt(len(many)))
    change = abs(many.mean() - few.mean()) / few.mean()
    assert error / few.mean() < 0.02
    if SAMPLE_SIZE in measure.invariant_to:
        assert change < 4 * error / few.mean()
    else:
        assert change > 0.2


@EACH
def test_the_fewest_rows(measure: SpreadMeasure) -> None:
    enough = [rows(n, 6, n + k) for k, n in enumerate(measure.min_rows)]
    assert np.isfinite(measure.function(*enough))
    for k, n in enumerate(measure.min_rows):
        short = [x[: n - 1] if at == k else x for at, x in enumerate(enough)]
        with pytest.raises(ReproError):
            measure.function(*short)


@pytest.mark.parametrize(
    ("x", "told"),
    [
        (np.ones((1, 3)), "at least 2 vectors, got 1"),
        (np.ones((0, 3)), r"shape \(0, 3\)"),
        (np.ones(3), r"shape \(3,\)"),
        (np.array([[1.0, 2], [0, 0]]), "row 1 of x is the zero vector"),
        (np.array([[1.0, 2], [np.nan, 0]]), "row 1 of x has a value that is not finite"),
        (np.array([["a", "b"]]), "has type"),
    ],
)
def test_bad_rows_are_named(x: np.ndarray, told: str) -> None:
    with pytest.raises(ReproError, match=told):
        mean_pairwise_distance(x)


def test_the_row_number_counts_over_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispersion, "_BLOCK_BYTES", 4 * 3 * 8)
    x = rows(10, 3)
    x[9] = 0
    with pytest.raises(ReproError, match="row 9 of x is the zero vector"):
        mean_pairwise_distance(x)


def test_other_refusals() -> None:
    with pytest.raises(ReproError, match="x has width 3 and y has width 4"):
        cross_distance(rows(2, 3), rows(2, 4))
    with pytest.raises(ReproError, match="row 1 of y is the zero vector"):
        cross_distance(rows(2, 3), np.diag([1, 0, 1]))
    with pytest.raises(ReproError, match="domain_rows has width 3 and other_rows has width 4"):
        dispersion_gap(rows(2, 3), rows(2, 4))
    with pytest.raises(ReproError, match="row 0 of other_rows has a value that is not finite"):
        dispersion_gap(rows(2, 3), np.full((1, 3), np.inf))
    with pytest.raises(ReproError, match="at least one vector of each"):
        Dispersion.of(rows(2, 3)).distance_to(Dispersion())
    with pytest.raises(ReproError, match="width 3 and 1"):
        Dispersion.of(rows(2, 3)).distance_to(Dispersion.of(rows(2, 1)))
    with pytest.raises(ReproError, match="row 3 of x is the zero vector"):
        within_between([[1, 0], [1, 1], [0, 1], [0, 0]], list("abba"))
    with pytest.raises(ReproError, match="3 units for 4 rows"):
        jackknife_interval(rows(4, 3), list("aab"))
    with pytest.raises(ReproError, match="width 3 and 4"):
        Dispersion.of(rows(2, 3)) + Dispersion.of(rows(2, 4))
    with pytest.raises(ReproError, match="two labels"):
        within_between(rows(4, 3), ["a"] * 4)
    with pytest.raises(ReproError, match="3 labels for 4 rows"):
        within_between(rows(4, 3), ["a"] * 3)
    with pytest.raises(ReproError, match="at least 3 independent units, got 2"):
        jackknife_interval(rows(4, 3), list("aabb"))
    with pytest.raises(ReproError, match="all 4 rows are the same"):
        iso_score(np.ones((4, 3)))
    with pytest.raises(ReproError, match="2 rows and 2 columns"):
        iso_score(np.ones((4, 1)))
