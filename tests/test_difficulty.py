"""Right and wrong items apart, mixed and ranked, against loops over pairs and SciPy."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from reproutils.difficulty import (
    added_given,
    best_of,
    contributions,
    dispersion_gain,
    failure_auc,
    mixture_size,
    mixtures,
    slice_correlations,
    slice_table,
    slices_of,
    tail_precision,
    unit_rows,
)
from reproutils.dispersion import mean_pairwise_distance
from reproutils.errors import ReproError
from reproutils.regression import Resampled, bootstrap_weights


def cones(n: int, d: int = 8, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """``n`` right items spread widely, ``n`` wrong ones in a narrow cone."""
    rng = np.random.default_rng(seed)
    axis = np.ones(d) * 3
    states = np.concatenate(
        [axis + 3 * rng.normal(size=(n, d)), axis + 0.5 * rng.normal(size=(n, d))]
    )
    return states, np.arange(2 * n) < n


def test_gain_is_the_difference_of_two_pairwise_loops() -> None:
    states, correct = cones(12)
    gain = dispersion_gain(unit_rows(states), correct, seed=0, resamples=40)
    expected = mean_pairwise_distance(states[correct]) - mean_pairwise_distance(states[~correct])
    assert gain.value == pytest.approx(float(expected), abs=1e-12)
    assert gain.interval().low > 0
    assert gain.n == 24


def test_a_resample_compares_no_item_with_itself() -> None:
    states, correct = cones(6)
    unit = unit_rows(states)
    gain = dispersion_gain(unit, correct, seed=4, resamples=5)
    weights = bootstrap_weights(range(12), 5, np.random.default_rng(4)).astype(int)
    for draw, multiplicity in zip(gain.draws, weights, strict=True):
        sides = []
        for kind in (True, False):
            drawn = [i for i in np.flatnonzero(correct == kind) for _ in range(multiplicity[i])]
            pairs = [1 - unit[i] @ unit[j] for i, j in combinations(drawn, 2) if i != j]
            sides.append(np.mean(pairs) if pairs else np.nan)
        assert draw == pytest.approx(sides[0] - sides[1], abs=1e-12, nan_ok=True)


def test_gain_within_topics_drops_what_lies_between_them() -> None:
    rng = np.random.default_rng(1)
    # Right items come from two distant topics, wrong ones from one: mixed, right looks dispersed.
    far = np.array([10.0, 0, 0, 0]), np.array([0, 10.0, 0, 0])
    topics = np.repeat([0, 1], 100)
    states = np.stack([far[topic] + rng.normal(size=4) for topic in topics])
    correct = np.where(topics == 0, np.arange(200) % 2 == 0, np.arange(200) % 20 != 0)
    apart = dispersion_gain(unit_rows(states), correct, seed=0, resamples=200)
    inside = dispersion_gain(unit_rows(states), correct, topics, seed=0, resamples=200)
    assert apart.interval().low > 0.05
    assert abs(inside.value) < 0.02
    with pytest.raises(ReproError, match="no topic has 5 right and 5 wrong items"):
        dispersion_gain(unit_rows(states[:8]), correct[:8], seed=0)


def test_mixtures_hold_the_share_asked_for() -> None:
    states, correct = cones(30)
    table = mixtures(states, correct, size=20, shares=(0, 0.5, 1), draws=4, seed=0)
    assert table.groupby("share").size().to_dict() == {0: 4, 0.5: 4, 1: 4}
    means = table.groupby("share")["dispersion"].mean()
    assert means.is_monotonic_increasing
    assert table.equals(mixtures(states, correct, size=20, shares=(0, 0.5, 1), draws=4, seed=0))
    with pytest.raises(ReproError, match="need 40 right and 40 wrong ones; there are 30 and 30"):
        mixtures(states, correct, size=40, shares=(0,), draws=1, seed=0)


def test_contributions_average_to_the_dispersion() -> None:
    states, _ = cones(9)
    found = contributions(unit_rows(states))
    unit = unit_rows(states)
    first = np.mean([1 - unit[0] @ unit[j] for j in range(1, 18)])
    assert found[0] == pytest.approx(first)
    assert found.mean() == pytest.approx(float(mean_pairwise_distance(states)))


def test_centred_rows_have_no_common_direction() -> None:
    states, _ = cones(40)
    assert np.linalg.norm(unit_rows(states).mean(0)) > 0.6
    centred = unit_rows(states, centred=True)
    np.testing.assert_allclose(np.linalg.norm(centred, axis=1), 1)
    assert np.linalg.norm(centred.mean(0)) < 0.2


def test_auc_is_mann_whitneys() -> None:
    rng = np.random.default_rng(3)
    score = rng.integers(0, 6, size=60).astype(float)
    correct = rng.random(60) < 0.6
    found = failure_auc(score, correct, seed=0, resamples=200)
    statistic = stats.mannwhitneyu(score[~correct], score[correct]).statistic
    assert found.value == pytest.approx(statistic / ((~correct).sum() * correct.sum()))
    assert found.interval().low < found.value < found.interval().high
    assert failure_auc(-score, correct, seed=0, resamples=2).value == pytest.approx(1 - found.value)
    with pytest.raises(ReproError, match="answered alike"):
        failure_auc(score, np.ones(60, dtype=bool), seed=0)


def test_slices_are_seeded_clusters_of_the_states() -> None:
    states = np.concatenate([np.eye(4)[k] * 5 + 0.01 * np.ones((12, 4)) for k in range(4)])
    states = states + 0.1 * np.random.default_rng(0).normal(size=states.shape)
    labels = slices_of(unit_rows(states), 4, seed=1)
    assert [len(set(labels[12 * k : 12 * k + 12])) for k in range(4)] == [1] * 4
    assert len(set(labels)) == 4
    correct = np.arange(48) < 24
    table = slice_table(unit_rows(states), correct, {"place": np.arange(48.0)}, labels)
    assert table["items"].tolist() == [12] * 4
    assert sorted(table["accuracy"]) == [0, 0, 1, 1]
    assert sorted(table["place"]) == [5.5, 17.5, 29.5, 41.5]
    small = slice_table(unit_rows(states[:4]), correct[:4], {}, np.zeros(4))
    assert small.empty


def test_tail_precision_counts_the_wrong_items_at_the_top() -> None:
    score = np.arange(20.0)
    correct = np.arange(20) < 16
    found = tail_precision(score, correct, 0.25, seed=2, resamples=50)
    assert found.value == pytest.approx(4 / 5)
    weights = bootstrap_weights(range(20), 50, np.random.default_rng(2)).astype(int)
    for draw, multiplicity in zip(found.draws, weights, strict=True):
        drawn = np.repeat(np.arange(20), multiplicity)
        assert draw == pytest.approx((~correct[np.sort(drawn)[::-1][:5]]).mean())


def test_mixture_size_is_what_the_rarer_kind_allows() -> None:
    correct = np.arange(40) < 30
    assert mixture_size(correct, 100) == 10
    assert mixture_size(correct, 6) == 6
    with pytest.raises(ReproError, match="38 right and 2 wrong answers"):
        mixture_size(np.arange(40) < 38, 100)


def test_best_of_takes_the_best_rival_of_each_resample() -> None:
    one = Resampled(0.6, np.array([0.5, 0.7]), 9)
    others = [Resampled(0.4, np.array([0.8, 0.1]), 9), Resampled(0.5, np.array([0.2, 0.3]), 9)]
    gap = best_of(one, others)
    assert gap.value == pytest.approx(0.1)
    np.testing.assert_allclose(gap.draws, [-0.3, 0.4])


def test_a_copy_of_a_baseline_adds_nothing() -> None:
    rng = np.random.default_rng(8)
    baseline = rng.normal(size=300)
    correct = baseline + rng.normal(size=300) < 0
    copy = baseline + rng.normal(size=300)
    alone = added_given(copy, rng.normal(size=(300, 1)), correct, seed=0, resamples=200)
    given = added_given(copy, baseline[:, None], correct, seed=0, resamples=200)
    assert alone.interval().low > 0.1
    assert given.interval().low < 0 < given.interval().high


def test_slice_correlations_rank_slices_as_scipy_does() -> None:
    rng = np.random.default_rng(9)
    slices = np.repeat(np.arange(6), 10)
    scales = np.repeat([0.2, 0.5, 0.9, 1.4, 2.0, 3.0], 10)
    unit = unit_rows(np.ones(5) * 3 + scales[:, None] * rng.normal(size=(60, 5)))
    correct = np.concatenate([np.arange(10) < 2 * number for number in range(6)])
    score = rng.normal(size=60)
    found = slice_correlations(unit, correct, {"score": score}, slices, seed=0, resamples=30)
    table = slice_table(unit, correct, {"score": score}, slices)
    for name in ("dispersion", "score"):
        expected = stats.spearmanr(table[name], table["accuracy"]).statistic
        assert found[name].value == pytest.approx(expected)
    assert found["dispersion"].value > 0.9
    with pytest.raises(ReproError, match="3 slices of at least 5 items"):
        slice_correlations(unit, correct, {}, np.minimum(slices, 2), seed=0)
