"""Groups of like perplexity against brute-force groups, SciPy, and cases whose answer is known."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from reproutils.dispersion import mean_pairwise_distance
from reproutils.errors import ReproError
from reproutils.perplexity_groups import (
    between_segments,
    distinct_share,
    equally_spaced,
    group_table,
    grouped_correlation,
    groups_below,
    groups_of_like,
    mean_within,
    over_domains,
    perplexity,
    token_dispersion,
)
from reproutils.regression import Resampled


def test_perplexity_of_a_context_uses_its_losses_only() -> None:
    losses = [np.log([2.0, 8.0, 4.0]), np.log([3.0, 3.0, 81.0])]
    np.testing.assert_allclose(perplexity(losses), [4.0, 9.0])
    np.testing.assert_allclose(perplexity(losses, 3), [4.0, 3.0])
    np.testing.assert_allclose(perplexity(losses, 4), perplexity(losses))


@pytest.mark.parametrize("context", [1, 5])
def test_perplexity_refuses_a_context_that_does_not_fit(context: int) -> None:
    with pytest.raises(ReproError, match=f"context of {context} tokens does not fit text 0"):
        perplexity([np.ones(3)], context)


def test_distinct_share_counts_types() -> None:
    np.testing.assert_allclose(distinct_share([(1, 1, 2, 2), (1, 2, 3, 4)]), [0.5, 1.0])


def test_token_dispersion_subtracts_the_centre() -> None:
    rng = np.random.default_rng(0)
    rows = [rng.normal(size=(5, 3)) + 4 for _ in range(2)]
    centre = np.full(3, 4.0)
    expected = [mean_pairwise_distance(text - 4) for text in rows]
    np.testing.assert_allclose(token_dispersion(rows, centre=centre), expected)
    assert (token_dispersion(rows) < token_dispersion(rows, centre=centre)).all()


def test_groups_are_consecutive_and_the_rest_is_dropped() -> None:
    values = np.array([5.0, 1.0, 9.0, 2.0, 7.0, 3.0, 8.0, 4.0, 6.0])
    groups = groups_of_like(values, 2)
    assert values[groups].tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]
    with pytest.raises(ReproError, match="9 chunks make 3 groups of 3"):
        groups_of_like(values, 3)


def test_equally_spaced_keeps_the_extremes_and_thins_the_dense_middle() -> None:
    means = np.concatenate([[1.0], np.linspace(5.0, 5.01, 50), [10.0]])
    kept = equally_spaced(means, targets=10)
    assert {0, 51} <= set(kept)
    assert len(kept) < 6
    np.testing.assert_array_equal(equally_spaced(np.arange(5.0), targets=5), np.arange(5))


def test_grouped_correlation_is_that_of_the_group_means() -> None:
    rng = np.random.default_rng(1)
    ppl = rng.uniform(5, 50, size=40)
    spread = -np.log(ppl) + rng.normal(size=40)
    found = grouped_correlation(ppl, mean_within(spread), range(40), size=4, seed=0, resamples=30)
    order = np.argsort(ppl)
    means = [
        (ppl[order[i : i + 4]].mean(), spread[order[i : i + 4]].mean()) for i in range(0, 40, 4)
    ]
    x, y = np.array(means).T
    kept = sorted({int(np.abs(x - target).argmin()) for target in np.linspace(x[0], x[-1], 100)})
    assert found.value == pytest.approx(stats.pearsonr(x[kept], y[kept]).statistic)
    assert found.n == 40
    assert np.isfinite(found.draws).all()
    assert np.std(found.draws) > 0


def test_grouping_makes_a_weak_relation_look_strong() -> None:
    rng = np.random.default_rng(2)
    ppl = rng.uniform(5, 50, size=400)
    spread = -0.02 * ppl + rng.normal(size=400)
    grouped = grouped_correlation(
        ppl, mean_within(spread), range(400), size=40, seed=0, resamples=2
    )
    assert abs(stats.pearsonr(ppl, spread).statistic) < 0.4
    assert grouped.value < -0.8


def test_cut_leaves_out_groups_of_high_perplexity() -> None:
    ppl = np.arange(1.0, 41.0)
    # Falls below 25, rises above: the whole and the cut disagree.
    spread = np.where(ppl < 25, -ppl, ppl)
    whole = grouped_correlation(ppl, mean_within(spread), range(40), size=2, seed=0, resamples=2)
    cut = grouped_correlation(
        ppl, mean_within(spread), range(40), size=2, seed=0, cut=25, resamples=2
    )
    assert cut.value == pytest.approx(-1)
    assert whole.value > 0
    with pytest.raises(ReproError, match="fewer than 4 groups of 2 chunks"):
        grouped_correlation(ppl, mean_within(spread), range(40), size=2, seed=0, cut=3, resamples=2)


def test_between_segments_is_the_pairwise_loop_without_repeats() -> None:
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(6, 4))
    spread = between_segments(vectors)
    groups = np.array([[0, 1, 2], [3, 3, 5]])

    def distance(i: int, j: int) -> float:
        a, b = vectors[i], vectors[j]
        return float(1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    expected = [np.mean([distance(i, j) for i, j in combinations((0, 1, 2), 2)]), distance(3, 5)]
    np.testing.assert_allclose(spread(groups), expected)


def test_over_domains_averages_values_and_draws() -> None:
    parts = [
        Resampled(0.2, np.array([0.1, 0.3]), 5),
        Resampled(-0.4, np.array([-0.5, -0.3]), 7),
    ]
    mean = over_domains(parts)
    assert mean.value == pytest.approx(-0.1)
    np.testing.assert_allclose(mean.draws, [-0.2, 0.0])
    assert mean.n == 12


def test_group_table_marks_the_kept_groups() -> None:
    table = group_table(np.arange(20.0), np.arange(20.0) * 2, 5)
    assert table["perplexity"].tolist() == [2, 7, 12, 17]
    assert table["dispersion"].tolist() == [4, 14, 24, 34]
    assert table["kept"].all()


def test_groups_below_counts_groups_not_chunks() -> None:
    assert groups_below(np.arange(20.0), 5, 10) == 2
    assert groups_below(np.arange(20.0), 5, np.inf) == 4
