"""The experiment without a model against theory, Monte Carlo and a second computation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from reproutils import synthetic, theory
from reproutils.similarity import linear_cka

WIDTH = 256


@pytest.fixture(scope="module")
def pairs() -> pd.DataFrame:
    return synthetic.paper_pairs(120, WIDTH, 2.5, seed=1)


def test_lengths_follow_the_ratio(pairs: pd.DataFrame) -> None:
    assert len(pairs) == 120
    assert pairs["ratio"].between(0.3, 1.0).all()
    # Uniform on [0.3, 1]: mean 0.65, standard deviation 0.7 / sqrt(12).
    error = 0.7 / np.sqrt(12) / np.sqrt(120)
    assert pairs["ratio"].mean() == pytest.approx(0.65, abs=4 * error)
    np.testing.assert_array_equal(pairs["second_length"], np.floor(100 / pairs["ratio"]))
    assert pairs["second_length"].between(100, 333).all()


def test_cosine_scatters_around_its_expectation(pairs: pd.DataFrame) -> None:
    rho = WIDTH / 2.5**2
    expected = theory.exact_expected_cosine(100, pairs["second_length"], rho, WIDTH)
    gap = pairs["cosine"] - expected
    assert gap.mean() == pytest.approx(0, abs=4 * gap.std() / np.sqrt(len(gap)))
    assert gap.std() < 0.05


def test_cka_is_chance_and_debiased_cka_is_nothing(pairs: pd.DataFrame) -> None:
    level = theory.cka_null_level(100, WIDTH)
    assert pairs["cka_100_rows"].mean() == pytest.approx(level, abs=0.01)
    spread = pairs["cka_debiased"].std()
    assert pairs["cka_debiased"].mean() == pytest.approx(0, abs=4 * spread / np.sqrt(120))
    # With rows as many as the longer sequence has, chance falls with that number.
    levels = theory.cka_null_level(pairs["second_length"].to_numpy(), WIDTH)
    np.testing.assert_allclose(pairs["cka_all_rows"], levels, atol=0.03)
    assert np.ptp(pairs["cka_all_rows"]) > 5 * np.ptp(pairs["cka_100_rows"])


def test_seed_fixes_the_pairs() -> None:
    first = synthetic.paper_pairs(3, 16, 1.0, seed=2)
    assert first.equals(synthetic.paper_pairs(3, 16, 1.0, seed=2))
    assert not first.equals(synthetic.paper_pairs(3, 16, 1.0, seed=3))


def test_cka_by_rows_is_that_of_independent_matrices() -> None:
    found = synthetic.cka_by_rows([3, 6, 40], 64, draws=40, seed=3)
    assert found.groupby("rows").size().to_dict() == {3: 40, 6: 40, 40: 40}
    assert found[found["rows"] == 3]["debiased"].isna().all()
    means = found.groupby("rows")["biased"].mean()
    for rows in (6, 40):
        assert means[rows] == pytest.approx(theory.cka_null_level(rows, 64), abs=0.02)
        part = found[found["rows"] == rows]["debiased"]
        assert part.mean() == pytest.approx(0, abs=4 * part.std() / np.sqrt(40))
    # The first draw, made again by hand.
    x, y = np.random.default_rng(3).standard_normal((2, 3, 64))
    assert found["biased"].iloc[0] == pytest.approx(float(linear_cka(x, y, debiased=False)))


def test_invertible_map_changes_cka() -> None:
    changes = [synthetic.cka_change_under_invertible_map(seed=seed) for seed in range(5)]
    assert min(changes) > 0.01
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 200, 20))
    rotation = np.linalg.qr(rng.standard_normal((20, 20)))[0]
    same = linear_cka(3 * x @ rotation + 1, y, debiased=False)
    assert same == pytest.approx(linear_cka(x, y, debiased=False), abs=1e-12)


def test_curves_over_rho() -> None:
    rho = np.geomspace(0.1, 1000, 25)
    curves = synthetic.cosine_over_rho(rho, lengths=(5, 20), width=64, draws=400, seed=4, every=8)
    assert len(curves) == 50
    wide = np.exp(0.01)
    for n in (5, 20):
        group = curves[curves["n"] == n]
        np.testing.assert_allclose(group["exact"], theory.exact_expected_cosine(n, n, rho, 64))
        # The change of one factor with ln n, by a plain difference of the expectation's root.
        upper, lower = (
            np.sqrt(theory.exact_expected_cosine(k, k, rho, 64)) for k in (n * wide, n / wide)
        )
        np.testing.assert_allclose(group["slope"], (upper - lower) / 0.02, atol=1e-4)
        drawn = group.dropna(subset=["monte_carlo"])
        np.testing.assert_array_equal(drawn["rho"], rho[::8])
        gap = np.abs(drawn["monte_carlo"] - drawn["exact"])
        assert (gap <= 4.5 * drawn["standard_error"]).all()
        assert (drawn["standard_error"] > 0).all()
    undrawn = curves["monte_carlo"].isna()
    assert curves["standard_error"].isna().equals(undrawn)


def test_slope_peaks_where_noise_is_twice_the_shared_energy() -> None:
    curves = synthetic.cosine_over_rho(
        np.geomspace(0.1, 1000, 200), lengths=(10,), width=4096, draws=2, seed=0, every=200
    )
    peak = curves["rho"][np.argmax(curves["slope"])]
    assert peak / 10 == pytest.approx(2, rel=0.05)


def test_accuracy_of_the_formulas() -> None:
    table = synthetic.formula_accuracy(4096).set_index("name")
    assert table.index.is_unique
    value = table["value"]
    # Equation 3 is the limit of large d.
    assert value["eq3_gap_grid"] < 1e-3 < value["eq3_gap_small_d"]
    assert (
        value["eq3_gap_grid"]
        < synthetic.formula_accuracy(512).set_index("name")["value"]["eq3_gap_grid"]
    )
    # Next order of the expansion at rho/n = 0.1 on both sides: 3/8 * 0.01 * 2 + 1/4 * 0.01.
    assert value["eq4_gap_small_ratio"] == pytest.approx(0.01, rel=0.15)
    assert value["monotone_share"] == 1.0
    assert 0 < value["difference_to_sum_effect"] < 1
    assert np.isfinite(value).all()


def test_difference_of_lengths_matters_less_than_their_sum() -> None:
    # Equation 3 by hand at rho = 40.96, 1/m + 1/n = 0.02 moved by 0.008 either way.
    def eq3(a: float, b: float) -> float:
        return float(((1 + 40.96 * a) * (1 + 40.96 * b)) ** -0.5)

    base = eq3(0.01, 0.01)
    by_sum = abs(eq3(0.014, 0.014) - base)
    by_difference = abs(eq3(0.014, 0.006) - base)
    table = synthetic.formula_accuracy(4096).set_index("name")
    found = table["value"]["difference_to_sum_effect"]
    assert found == pytest.approx(by_difference / by_sum, rel=0.02)
