"""Controls on synthetic token states whose truth is known, and what is shown of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from arraystates import array_pairs
from matplotlib.figure import Figure

from reproutils import controls
from reproutils.controls import (
    FIT_FORMATS,
    Control,
    Twin,
    cka_controls,
    control,
    cosine_controls,
    draw_specifications,
    fit_controls,
    length_predictors,
    shown_fits,
    specification_curve,
)
from reproutils.errors import ReproError
from reproutils.pairs import PairStates
from reproutils.regression import length_fit
from reproutils.tables import show_table

COSINES = [
    "cosine",
    "no_first",
    "no_sinks",
    "centred",
    "no_sinks_centred",
    "debiased",
    "mismatched",
    "mismatched_no_sinks",
    "mismatched_any",
    "cut",
]
TOKEN_LEVEL = [
    "cka_biased",
    "cka_debiased",
    "cka_no_sinks",
    "cka_debiased_no_sinks",
    "cka_fixed",
    "cka_excess",
    "adjusted_rv",
]


def noise_pairs(n: int, *, seed: int, width: int = 48, sink: float = 0.0) -> PairStates:
    """Pairs that share a mean direction and nothing else, as equation 3 assumes.

    Args:
        sink: length of position 0, which stands still; 0: an ordinary token.
    """
    rng = np.random.default_rng(seed)
    mean = np.zeros(width)
    mean[0] = 2.0
    sides = []
    for _ in range(2):
        texts = []
        for length in rng.integers(6, 40, n):
            tokens = mean + rng.standard_normal((2, length, width))
            if sink:
                tokens[:, 0] = 0
                tokens[:, 0, 1] = sink
            texts.append(tokens)
        sides.append(texts)
    return array_pairs(sides[0], sides[1])


def table_of(pairs: PairStates, *, resamples: int = 50) -> pd.DataFrame:
    rows = cosine_controls(pairs, None, seed=0)
    return fit_controls(rows, seed=0, resamples=resamples).set_index("key")


# --- rows ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small() -> PairStates:
    return noise_pairs(12, seed=0)


def test_rows_come_with_the_papers_measure_first(small: PairStates) -> None:
    assert [row.key for row in cosine_controls(small, None, seed=0)] == COSINES
    rows = list(cka_controls(small, None, permutations=3, seed=0))
    assert [row.key for row in rows] == TOKEN_LEVEL
    twin = Twin(small, np.arange(12))
    rows = list(cosine_controls(small, twin, seed=0))
    assert [row.key for row in rows] == [*COSINES, "untrained", "untrained_centred"]
    assert {row.family for row in rows} == {"cosine"}
    rows = list(cka_controls(small, twin, permutations=3, seed=0))
    assert [row.key for row in rows] == [*TOKEN_LEVEL, "cka_untrained"]
    assert {row.family for row in rows} == {"cka"}
    assert len({row.label for row in rows}) == len(rows)


def test_each_row_holds_its_measure(small: PairStates) -> None:
    rows = {row.key: row for row in cosine_controls(small, None, seed=0)}
    for key, expected in {
        "cosine": small.cosine(),
        "no_first": small.cosine("no_first"),
        "no_sinks": small.cosine("no_sinks"),
        "centred": small.cosine(centred=True),
        "no_sinks_centred": small.cosine("no_sinks", centred=True),
        "debiased": small.debiased(),
        "cut": small.cosine("cut"),
    }.items():
        np.testing.assert_array_equal(rows[key].similarity, expected, err_msg=key)
        assert rows[key].mean == pytest.approx(np.nanmean(expected))
    rows = {row.key: row for row in cka_controls(small, None, permutations=3, seed=4)}
    for key, expected in {
        "cka_biased": small.cka(debiased=False),
        "cka_debiased": small.cka(debiased=True),
        "cka_no_sinks": small.cka(debiased=False, without_sinks=True),
        "cka_debiased_no_sinks": small.cka(debiased=True, without_sinks=True),
        "cka_fixed": small.cka_fixed_rows(5, draws=5, seed=4),
        "cka_excess": small.cka_excess(permutations=3, seed=4),
        "adjusted_rv": small.adjusted_rv(),
    }.items():
        np.testing.assert_array_equal(rows[key].similarity, expected, err_msg=key)


def test_exchanged_texts_go_with_their_own_lengths(small: PairStates) -> None:
    rows = {row.key: row for row in cosine_controls(small, None, seed=0)}
    first, second = small.first.n_tokens, small.second.n_tokens
    own = np.log(first / second)
    np.testing.assert_allclose(rows["cosine"].ratio, own)
    np.testing.assert_allclose(rows["cosine"].noise, -(1 / first + 1 / second))
    # The partner's length is near the own one where it was asked to be, and anything elsewhere.
    moved = {
        key: float(np.abs(np.exp(rows[key].ratio - own) - 1).mean())
        for key in ("mismatched", "mismatched_no_sinks", "mismatched_any")
    }
    assert moved["mismatched"] == moved["mismatched_no_sinks"] < 0.25
    assert moved["mismatched_any"] > 2 * moved["mismatched"]
    # Both rows use the same partners, whose lengths are a rearrangement of the others'.
    for key in ("mismatched", "mismatched_any"):
        lengths = first / np.exp(rows[key].ratio)
        np.testing.assert_allclose(np.sort(lengths), np.sort(second))
        assert not np.allclose(rows[key].similarity, rows["cosine"].similarity)


def test_seed_fixes_the_partners(small: PairStates) -> None:
    def exchanged(seed: int) -> list[np.ndarray]:
        return [row.similarity for row in cosine_controls(small, None, seed=seed)][6:9]

    np.testing.assert_array_equal(exchanged(1), exchanged(1))
    assert not np.array_equal(exchanged(1), exchanged(2))


def test_twin_of_some_pairs_leaves_the_others_undefined(small: PairStates) -> None:
    items = np.array([1, 4, 5, 7, 9])
    twin = Twin(noise_pairs(5, seed=3), items)
    rows = {row.key: row for row in cosine_controls(small, twin, seed=0)}
    found = rows["untrained"].similarity
    np.testing.assert_array_equal(found[items], twin.states.cosine())
    assert np.isnan(np.delete(found, items)).all()
    rows = {row.key: row for row in cka_controls(small, twin, permutations=3, seed=0)}
    np.testing.assert_array_equal(
        rows["cka_untrained"].similarity[items], twin.states.cka(debiased=False)
    )


# --- what the rows say where the truth is known --------------------------------------------------


def test_without_content_length_explains_cosine_and_centring_takes_it_away() -> None:
    table = table_of(noise_pairs(150, seed=1))
    by_noise = table["r2_noise"]
    for key in ("cosine", "no_first", "no_sinks", "mismatched", "mismatched_any"):
        assert by_noise[key] > 0.6, key
    for key in ("centred", "no_sinks_centred", "debiased"):
        assert by_noise[key] < 0.1, key
    # The theory's own predictor is the sum; the ratio of two independent lengths says little.
    assert table["r2"]["cosine"] < 0.3 * table["r2_noise"]["cosine"]
    # The shorter length is what is left after cutting: it still drives the cosine.
    assert table["r2_noise"]["cut"] > 0.3


def test_sink_token_makes_an_artefact_that_goes_with_it() -> None:
    table = table_of(noise_pairs(150, seed=2, sink=300.0))
    assert table["mean"]["cosine"] > 0.95
    # Without sinks it is the world of the test above.
    assert table["r2_noise"]["no_sinks"] > 0.6
    assert table["mean"]["no_sinks"] < 0.9
    assert table["mean"]["no_first"] == pytest.approx(table["mean"]["no_sinks"])


# --- regressions ---------------------------------------------------------------------------------


def row_of(similarity: np.ndarray, key: str = "x") -> Control:
    rng = np.random.default_rng(0)
    first, second = rng.integers(5, 30, (2, len(similarity)))
    return control(key, key.upper(), "cosine", similarity, first, second)


def test_table_holds_both_regressions() -> None:
    row = row_of(np.random.default_rng(1).random(20))
    groups = [k // 2 for k in range(20)]
    (found,) = fit_controls([row], groups=groups, seed=3, resamples=100).to_dict("records")
    ratio = length_fit(row.similarity, row.ratio, groups, seed=3, resamples=100)
    noise = length_fit(row.similarity, row.noise, groups, seed=3, resamples=100)
    assert found == {
        "key": "x",
        "label": "X",
        "family": "cosine",
        "beta": ratio.beta.value,
        "beta_low": ratio.beta.low,
        "beta_high": ratio.beta.high,
        "r2": ratio.r2.value,
        "r2_low": ratio.r2.low,
        "r2_high": ratio.r2.high,
        "r2_noise": noise.r2.value,
        "r2_noise_low": noise.r2.low,
        "r2_noise_high": noise.r2.high,
        "se": ratio.se,
        "n": 20,
        "units": 10,
        "mean": row.mean,
    }


def test_rows_that_cannot_be_regressed_are_left_out() -> None:
    values = np.random.default_rng(2).random(12)
    rare = np.full(12, np.nan)
    rare[:3] = values[:3]
    rows = [
        row_of(values, "good"),
        row_of(rare, "rare"),
        row_of(np.full(12, 0.5), "constant"),
        row_of(np.full(12, np.nan), "undefined"),
    ]
    assert fit_controls(rows, seed=0, resamples=20)["key"].tolist() == ["good"]


def test_no_row_left_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(ReproError, match=r"at least 4 pairs.*use more pairs"):
        fit_controls([row_of(np.array([0.1, 0.2, 0.3]))], seed=0, resamples=20)


def test_table_for_readers_hides_names_and_folds_intervals(
    small: PairStates, tmp_path: Path
) -> None:
    fits = fit_controls(cosine_controls(small, None, seed=0), seed=0, resamples=20)
    shown = shown_fits(fits)
    assert shown.columns[0] == "similarity"
    assert shown["similarity"].tolist() == fits["label"].tolist()
    assert not {"key", "family"} & set(shown.columns)
    page = str(
        show_table(shown, name="fits", caption="Fits.", folder=tmp_path, formats=FIT_FORMATS).data
    )
    assert "β, log ratio" in page
    assert "beta_low" not in page


# --- specification curve -------------------------------------------------------------------------


def test_curve_has_every_combination_once(small: PairStates) -> None:
    bands: dict[str, Sequence[str]] = {"both": ["block 1", "block 2"], "last": ["block 2"]}
    curve = specification_curve(small, bands, seed=0, resamples=20)
    choices = ["predictor", "band", "sink tokens", "mean"]
    assert len(curve) == 4 * 2 * 3 * 2
    assert not curve.duplicated(choices).any()
    assert curve["r2"].is_monotonic_decreasing
    for specification in (
        ("log ratio", "both", "kept", "kept"),
        ("−(1/m + 1/n)", "last", "all out", "subtracted"),
        ("min / max", "last", "position 0 out", "kept"),
    ):
        chosen = (curve[choices] == list(specification)).all(axis=1)
        predictor, band, sinks, mean = specification
        span = next(k for k, label in controls.SINK_CHOICES.items() if label == sinks)
        similarity = small.over(bands[band]).cosine(span, centred=mean == "subtracted")
        fit = length_fit(similarity, length_predictors(small)[predictor], seed=0, resamples=20)
        row = curve[chosen].iloc[0]
        assert (row["r2"], row["r2_low"], row["r2_high"], row["beta"]) == (
            fit.r2.value,
            fit.r2.low,
            fit.r2.high,
            fit.beta.value,
        )


def test_length_can_be_meant_in_four_ways(small: PairStates) -> None:
    found = length_predictors(small)
    first, second = small.first.n_tokens, small.second.n_tokens
    assert len(found) == 4
    np.testing.assert_allclose(found["ratio"], first / second)
    np.testing.assert_allclose(found["log ratio"], np.log(first) - np.log(second))
    assert (found["min / max"] <= 1).all()
    assert found["min / max"].max() > found["min / max"].min() > 0


def test_curve_is_drawn_with_a_mark_for_each_choice(small: PairStates) -> None:
    curve = specification_curve(small, {"both": ["block 1", "block 2"]}, seed=0, resamples=20)
    figure = Figure()
    draw_specifications(figure, curve)
    top, bottom = figure.axes
    labels = [label.get_text() for label in bottom.get_yticklabels()]
    assert len(labels) == 4 + 1 + 3 + 2
    assert "sink tokens: all out" in labels
    marks = {
        label: set(np.asarray(line.get_xdata()).tolist())
        for label, line in zip(labels, bottom.lines, strict=True)
    }
    expected = set(np.flatnonzero(curve["predictor"] == "ratio").tolist())
    assert marks["predictor: ratio"] == expected
    np.testing.assert_array_equal(np.asarray(top.lines[0].get_ydata()), curve["r2"])
