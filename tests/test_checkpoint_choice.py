"""Choosing a checkpoint: gaps and abilities put side by side, rank correlations against SciPy, and
what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import save_tiny
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from reproutils import checkpoint_choice as cc
from reproutils.checkpoint_choice import Abilities, Checkpoint, Gaps
from reproutils.corpora.arithmetic import additions, as_documents
from reproutils.errors import ReproError
from reproutils.family import Sums
from reproutils.selection import CheckpointGap, TokenSet, checkpoint_gap

N_DOMAIN, N_OTHER, WIDTH, N_PROBLEMS = 6, 9, 5, 40
LABELS = ("none", "little", "some", "much", "wrong")
CHOSEN = [
    Checkpoint(label, f"path:/{label}", label == "wrong", 10 * number)
    for number, label in enumerate(LABELS)
]


def made_up_gaps() -> Gaps:
    """Rows whose domain part spreads more from checkpoint to checkpoint."""
    rng = np.random.default_rng(0)
    each = []
    for number, label in enumerate(LABELS):
        domain = np.eye(WIDTH)[0] + 0.2 * (1 + number) * rng.normal(size=(N_DOMAIN, WIDTH))
        other = rng.normal(size=(N_OTHER, WIDTH))
        within = float(np.mean(stats_distances(domain, domain)[np.triu_indices(N_DOMAIN, 1)]))
        between = float(np.mean(stats_distances(domain, other)))
        each.append(
            CheckpointGap(
                label,
                within + between,
                within,
                between,
                2.0 + number,
                4.0,
                100,
                1000,
                domain,
                other,
            )
        )
    tokens = TokenSet((1, 2), ("a", " a"), ())
    return Gaps(tokens, tokens, tuple(each), 0.1)


def stats_distances(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return 1 - (a @ b.T) / np.outer(np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1))


def made_up_abilities() -> Abilities:
    rng = np.random.default_rng(1)
    share = np.array([0.05, 0.3, 0.6, 0.9, 0.1])
    correct = rng.random((len(LABELS), N_PROBLEMS)) < share[:, None]
    loss = 2 - share[:, None] + 0.1 * rng.random((len(LABELS), N_PROBLEMS))
    return Abilities(correct.mean(1), correct, loss)


GAPS, ABILITIES = made_up_gaps(), made_up_abilities()


# --- rank correlations ---------------------------------------------------------------------------


@given(
    arrays(np.float64, (3, 7), elements=st.integers(0, 4)),
    arrays(np.float64, 7, elements=st.integers(0, 4)),
)
def test_spearman_is_scipys(x: np.ndarray, y: np.ndarray) -> None:
    found = cc.spearman(x, y)
    assert found.shape == (3,)
    for row, rho in zip(x, found, strict=True):
        if np.ptp(row) == 0 or np.ptp(y) == 0:
            assert np.isnan(rho)
        else:
            assert rho == pytest.approx(stats.spearmanr(row, y).statistic, abs=1e-12)


def test_a_missing_value_has_no_rank_correlation() -> None:
    found = cc.spearman(np.array([[1.0, 2.0, np.nan], [1.0, 2.0, 3.0]]), [1.0, 2.0, 3.0])
    assert_array_equal(found, [np.nan, 1.0])


def test_predictors_are_turned_so_that_more_is_better() -> None:
    values = cc.predictors(CHOSEN, GAPS, ABILITIES)
    assert list(values) == list(cc.PREDICTORS)
    assert_array_equal(values["gap"], [gap.gap for gap in GAPS.each])
    assert_allclose(values["gap"], values["within"] + values["between"])
    assert_array_equal(values["norm"], (2.0 + np.arange(5)) / 4)
    assert_array_equal(values["digits"], 10 * np.arange(5))
    assert ABILITIES.loss is not None
    assert_array_equal(values["loss"], -ABILITIES.loss.mean(1))


def test_what_is_not_known_predicts_nothing() -> None:
    own = [replace(each, n_digits=None) for each in CHOSEN]
    values = cc.predictors(own, GAPS, Abilities(ABILITIES.accuracy))
    assert list(values) == ["gap", "within", "between", "norm"]


def test_agreement_over_some_of_the_checkpoints() -> None:
    values, rows = cc.predictors(CHOSEN, GAPS, ABILITIES), np.arange(4)
    found = cc.agreements(values, ABILITIES.accuracy, rows)
    assert list(found) == list(values)
    for key, agreement in found.items():
        expected = stats.spearmanr(values[key][rows], ABILITIES.accuracy[rows]).statistic
        assert agreement.rho.value == pytest.approx(expected)
        assert agreement.rho.n == 4
    table = cc.agreement_table([found, cc.agreements(values, ABILITIES.accuracy, np.arange(5))])
    assert list(table["ranked by"][:2]) == [cc.PREDICTORS["gap"]] * 2
    assert list(table["checkpoints"]) == [4, 5] * len(values)
    assert {*cc.AGREEMENT_FORMATS, "low", "high"} <= set(table)


def test_nothing_to_rank() -> None:
    with pytest.raises(
        ReproError, match=r"all 4 checkpoints have an accuracy of 0\.50.*accuracies"
    ):
        cc.agreements({"gap": np.arange(4.0)}, np.full(4, 0.5), np.arange(4))


def test_leaving_one_out() -> None:
    value, accuracy = np.array([1.0, 2.0, 3.0, 9.0]), np.array([0.1, 0.2, 0.3, 0.0])
    found = cc.leave_one_out(value, accuracy)
    assert found[3] == pytest.approx(1.0)
    assert found[0] == pytest.approx(stats.spearmanr(value[1:], accuracy[1:]).statistic)


def test_accuracy_lost_by_a_choice() -> None:
    assert cc.accuracy_lost(np.array([1, 5, 3]), np.array([0.9, 0.4, 0.2])) == pytest.approx(0.5)
    assert cc.accuracy_lost(np.array([5, 1, 3]), np.array([0.9, 0.4, 0.2])) == 0


# --- what was drawn again ------------------------------------------------------------------------


def test_other_tokens() -> None:
    found, spread = cc.agreement_with_other_tokens(
        GAPS.each, ABILITIES.accuracy, seed=3, resamples=200
    )
    gaps = [gap.gap for gap in GAPS.each]
    assert found.value == pytest.approx(stats.spearmanr(gaps, ABILITIES.accuracy).statistic)
    assert found.draws.shape == (200,)
    assert found.n == N_DOMAIN + N_OTHER
    assert 0 < spread < 0.5
    # A gap that no choice of tokens can reorder.
    apart = [
        replace(gap, gap=float(k), domain_rows=row, other_rows=-row)
        for k, (gap, row) in enumerate(zip(GAPS.each, fans(), strict=True))
    ]
    rho, _ = cc.agreement_with_other_tokens(apart, np.arange(5.0), seed=3, resamples=200)
    assert rho.value == 1.0
    interval = rho.interval()
    assert interval.low <= interval.value <= interval.high


def fans() -> list[np.ndarray]:
    """Directions in a plane that spread more and more."""
    angles = [np.linspace(0, spread, N_DOMAIN) for spread in (0.1, 0.3, 0.6, 0.9, 1.2)]
    return [np.stack([np.cos(angle), np.sin(angle)], axis=1) for angle in angles]


def test_gain_over_the_loss_is_taken_on_the_same_problems() -> None:
    gap = np.array([gap.gap for gap in GAPS.each])
    found = cc.gain_over_loss(gap, ABILITIES, seed=5, resamples=100)
    assert ABILITIES.correct is not None
    assert ABILITIES.loss is not None
    expected = (
        stats.spearmanr(gap, ABILITIES.accuracy).statistic
        - stats.spearmanr(-ABILITIES.loss.mean(1), ABILITIES.accuracy).statistic
    )
    assert found.value == pytest.approx(expected)
    assert found.n == N_PROBLEMS
    assert found.draws.shape == (100,)
    same = cc.gain_over_loss(-ABILITIES.loss.mean(1), replace(ABILITIES), seed=5, resamples=100)
    assert same.value == 0


def test_loss_of_other_problems() -> None:
    assert ABILITIES.correct is not None
    assert ABILITIES.loss is not None
    accuracy, loss = ABILITIES.correct[:, ::2].mean(1), ABILITIES.loss[:, 1::2].mean(1)
    expected = stats.spearmanr(-loss, accuracy).statistic
    assert cc.agreement_of_other_loss(ABILITIES) == pytest.approx(expected)


def test_accuracies_from_elsewhere_stay_as_they_are() -> None:
    given = replace(ABILITIES, correct=None)
    assert given.loss is not None
    expected = stats.spearmanr(-given.loss[:, 1::2].mean(1), given.accuracy).statistic
    assert cc.agreement_of_other_loss(given) == pytest.approx(expected)
    # The gap and the accuracies are fixed: only the loss is drawn again.
    still = cc.gain_over_loss(
        np.arange(5.0),
        replace(given, loss=np.ones((5, 4)) * np.arange(5)[:, None]),
        seed=0,
        resamples=20,
    )
    assert np.ptp(still.draws) == 0


def test_without_a_run_there_is_no_loss() -> None:
    bare = Abilities(ABILITIES.accuracy)
    with pytest.raises(ReproError, match="no checkpoint was run"):
        cc.agreement_of_other_loss(bare)
    with pytest.raises(ReproError, match="no checkpoint was run"):
        cc.gain_over_loss(np.arange(5.0), bare, seed=0)


# --- tables --------------------------------------------------------------------------------------


def test_table_of_checkpoints() -> None:
    table = cc.checkpoint_table(CHOSEN, GAPS, ABILITIES, seed=0, resamples=50)
    assert list(table["checkpoint"]) == list(LABELS)
    assert set(cc.CHECKPOINT_FORMATS) <= set(table)
    assert (table["gap_low"] <= table["gap_high"]).all()
    assert (table["accuracy_low"] <= table["accuracy"]).all()
    assert (table["accuracy"] <= table["accuracy_high"]).all()
    assert_array_equal(table["of the file"], [0.1] * 5)
    bare = cc.checkpoint_table(
        [replace(each, n_digits=None) for each in CHOSEN],
        GAPS,
        Abilities(ABILITIES.accuracy),
        seed=0,
        resamples=50,
    )
    assert not {"digits seen", "loss", "accuracy_low"} & set(bare)
    assert set(cc.formats_of(bare)) < set(cc.CHECKPOINT_FORMATS)
    assert cc.formats_of(bare)["accuracy"] == ".2f"
    assert cc.formats_of(table) == cc.CHECKPOINT_FORMATS


def test_some_of_the_abilities() -> None:
    part = ABILITIES.only(np.array([3, 1]))
    assert_array_equal(part.accuracy, ABILITIES.accuracy[[3, 1]])
    assert part.correct is not None
    assert part.correct.shape == (2, N_PROBLEMS)
    assert Abilities(ABILITIES.accuracy).only(np.array([0])).loss is None


# --- parameters ----------------------------------------------------------------------------------


def test_recipe_out_of_parameters() -> None:
    recipe = cc.family_recipe("0, 2,4", "2", largest=3, steps=10)
    assert recipe.arithmetic_rows == (0, 2, 4)
    assert recipe.scrambled_rows == (2,)
    assert (recipe.largest, recipe.steps) == (3, 10)
    with pytest.raises(ReproError, match=r"'2\.5' is no whole number"):
        cc.family_recipe("0, 2.5", "", largest=3, steps=10)


def test_another_domain_is_refused() -> None:
    cc.check_domain("arithmetic")
    with pytest.raises(ReproError, match=r"dataset 'python'.*additions only"):
        cc.check_domain("python")


def test_checkpoints_by_name() -> None:
    recipe = cc.family_recipe("0", "", largest=3, steps=10)
    found = cc.checkpoints("path:/m/base, owner/math@v2", recipe)
    assert [(each.label, each.name) for each in found] == [
        ("base", "path:/m/base"), ("math@v2", "owner/math@v2"),
    ]  # fmt: skip
    assert not any(each.wrong_answers for each in found)
    same = cc.checkpoints("path:/a/last,path:/b/last", recipe)
    assert [each.label for each in same] == ["path:/a/last", "path:/b/last"]
    with pytest.raises(ReproError, match="no checkpoints"):
        cc.checkpoints(" , ", recipe)
    with pytest.raises(ReproError, match="a/b is named twice"):
        cc.checkpoints("a/b,c/d,a/b", recipe)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.1, 0.2", "2 accuracies for 3 checkpoints"),
        ("0.1, high, 0.2", "'high' is no number from 0 to 1"),
        ("0.1, 55.4, 0.2", r"'55\.4' is no number from 0 to 1"),
    ],
)
def test_bad_accuracies(text: str, message: str) -> None:
    with pytest.raises(ReproError, match=message):
        cc.abilities_of([], text, 3)


def test_accuracies_given_or_measured() -> None:
    sums = [
        Sums(np.array(correct), np.array([1.0, number]), None)  # type: ignore[arg-type]
        for number, correct in enumerate(([True, False], [True, True]))
    ]
    measured = cc.abilities_of(sums, "", 2)
    assert_array_equal(measured.accuracy, [0.5, 1.0])
    given = cc.abilities_of(sums, "0.1, 1", 2)
    assert_array_equal(given.accuracy, [0.1, 1.0])
    assert given.correct is None
    for found in (measured, given):
        assert found.loss is not None
        assert_array_equal(found.loss, [[1, 0], [1, 1]])
    assert cc.abilities_of([], "0.1, 1", 2).loss is None
    with pytest.raises(ReproError, match=r"no accuracies.*run_models"):
        cc.abilities_of([], " ", 2)


def test_gaps_are_those_of_the_rows(tmp_path: Path) -> None:
    folders = [save_tiny(tmp_path / name, "gpt2", seed) for seed, name in enumerate("ab")]
    chosen = [Checkpoint(folder.name, f"path:{folder}") for folder in folders]
    found = cc.read_gaps(chosen)
    for each, gap in zip(chosen, found.each, strict=True):
        assert gap.gap == checkpoint_gap(each.name, found.domain.ids, found.other.ids).gap
    assert len(set(found.fingerprints())) == 2
    assert found.fingerprints() == cc.read_gaps(chosen).fingerprints()
    text = cc.token_list(found.domain)
    assert text.startswith(f"{len(found.domain.forms)} tokens")
    assert f"`{found.domain.forms[0]}`" in text


def test_additions_as_a_corpus() -> None:
    problems = additions(2)
    corpus = as_documents(problems)
    assert len(corpus) == len(problems)
    assert corpus.texts[0] == problems[0].line.strip()
    assert corpus.fingerprint != as_documents(problems[1:]).fingerprint
