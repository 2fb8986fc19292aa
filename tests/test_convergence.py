"""The positive control on states whose convergence is known."""

from __future__ import annotations

import numpy as np
import pytest
from arraystates import LAYERS, array_pairs

from reproutils import convergence
from reproutils.alignment import mismatch
from reproutils.controls import Twin
from reproutils.errors import ReproError
from reproutils.pairs import PairStates, SpanName

N = 30


def converged(share: tuple[float, float], *, seed: int = 0, offset: float = 4.0) -> PairStates:
    """Pairs whose items have a direction of their own in common.

    Args:
        share: per layer, how much of the item's direction both sides hold.
        offset: length of a direction that all texts of a side share.
    """
    rng = np.random.default_rng(seed)
    width = 40
    items = rng.standard_normal((N, width))
    sides = []
    for side in range(2):
        common = np.zeros(width)
        common[side] = offset
        texts = []
        for item in items:
            noise = rng.standard_normal((2, int(rng.integers(5, 12)), width))
            texts.append(common + np.array(share)[:, None, None] * item + noise)
        sides.append(texts)
    return array_pairs(*sides)


@pytest.fixture(scope="module")
def partner() -> np.ndarray:
    return mismatch(N, np.random.default_rng(0))


def test_a_tie_counts_half() -> None:
    won = convergence.wins(np.array([1.0, 0.0, 0.5]), np.array([0.0, 1.0, 0.5]))
    assert won.tolist() == [1.0, 0.0, 0.5]


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("span", ["all", "no_first", "no_sinks"])
def test_win_rate_is_a_share_of_pairs(partner: np.ndarray, span: SpanName, centred: bool) -> None:
    states = converged((0.4, 0.4))
    rate = convergence.win_rate(states, partner, span=span, centred=centred, seed=1, resamples=200)
    true = states.cosine(span, centred=centred)
    other = states.cosine(span, centred=centred, partner=partner)
    assert rate.value == pytest.approx(np.mean(true > other))
    assert rate.low <= rate.value <= rate.high
    assert rate.n == N
    assert rate.low > 0.5


def test_layers_are_told_apart(partner: np.ndarray) -> None:
    table = convergence.by_layer(converged((0.0, 2.0)), LAYERS, partner, seed=0, resamples=100)
    table = table.set_index("layer")
    assert table.index.tolist() == list(LAYERS)
    nothing, much = table.loc["block 1"], table.loc["block 2"]
    for name in ("win_raw", "win_no_sinks", "win_centred"):
        assert nothing[f"{name}_low"] < 0.5 < nothing[f"{name}_high"]
        assert much[name] == 1.0
    assert nothing["retrieval"] < 0.2
    assert much["retrieval"] == 1.0
    chance = convergence.NEIGHBOURS / (N - 1)
    assert nothing["mutual_knn"] == pytest.approx(chance, abs=0.12)
    assert much["mutual_knn"] > 2 * chance


def test_number_of_neighbours_follows_the_items() -> None:
    assert convergence.neighbours(400) == 10
    assert convergence.neighbours(12) == 10
    assert convergence.neighbours(8) == 6
    assert convergence.neighbours(4) == 2
    with pytest.raises(ReproError, match="3 pairs are too few"):
        convergence.neighbours(3)


def test_item_level_cka_has_its_null() -> None:
    states = converged((0.0, 2.0))
    apart = convergence.item_cka(states, "block 1", permutations=199, seed=0)
    together = convergence.item_cka(states, "block 2", permutations=199, seed=0)
    assert apart.p_value > 0.05
    assert abs(float(apart.observed)) < 0.1
    assert together.p_value == 1 / 200
    assert float(together.observed) > 0.8 > np.quantile(together.null, 0.99)
    again = convergence.item_cka(states, "block 2", permutations=199, seed=0)
    np.testing.assert_array_equal(again.null, together.null)


def test_the_twin_meets_the_same_partners_as_the_trained_network() -> None:
    trained = converged((2.0, 2.0), seed=3)
    items = np.array([2, 5, 7, 11, 13, 19, 23, 28])

    def part(texts: list[np.ndarray]) -> list[np.ndarray]:
        return [texts[item] for item in items]

    sides = [part(side.texts) for side in (trained.first, trained.second)]  # type: ignore[attr-defined]
    twin = Twin(array_pairs(*sides), items)
    in_trained, in_twin = convergence.twin_wins(trained, twin, seed=0)
    assert len(in_trained) == len(in_twin) == len(items)
    assert in_trained.mean() > 0.8
    # The twin's states are the trained ones: only the mean subtracted is that of fewer texts.
    assert np.mean(in_trained == in_twin) > 0.7
    # States without any convergence lose it.
    nothing = Twin(array_pairs(*[part(side) for side in unrelated()]), items)
    assert convergence.twin_wins(trained, nothing, seed=0)[1].mean() < 0.9


def unrelated() -> list[list[np.ndarray]]:
    rng = np.random.default_rng(4)
    return [[rng.standard_normal((2, 6, 40)) for _ in range(N)] for _ in range(2)]
