"""What the arms of the push-away study tell."""

from __future__ import annotations

import math
from itertools import cycle, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reproutils import push_arms
from reproutils import push_study as ps
from reproutils.errors import ReproError
from reproutils.push_arms import ArmRecipe

RNG = np.random.default_rng(5)
RECIPE = ArmRecipe(
    domains=("news", "wikipedia"), steps=4, batch_size=4, width=16, blocks=1, context=24,
    vocabulary=300, held_out_chunks=6,
)  # fmt: skip


def results(gain: float, pull: float, domains: tuple[str, ...] = ("a", "b")) -> pd.DataFrame:
    """Made-up losses of five seeds at two steps; pushing lowers them by ``gain`` on average."""
    rows = []
    for number, step, (at, domain) in product(range(1, 6), (10, 20), enumerate(domains)):
        base = 5.0 - step / 20 + at + RNG.normal(0, 0.3)
        for arm, change in (("base", 0.0), ("push", -gain), ("pull", pull)):
            rows.append(
                {
                    "number": number,
                    "step": step,
                    "domain": domain,
                    "arm": arm,
                    "loss": base + change + RNG.normal(0, 0.01),
                    "dispersion": 0.5 + {"base": 0, "push": 0.1, "pull": -0.2}[arm],
                    "across": 0.6 + {"base": 0, "push": 0.3, "pull": -0.1}[arm]
                    if len(domains) > 1
                    else math.nan,
                }
            )
    return pd.DataFrame(rows)


def test_the_base_chooses_the_learning_rate_and_then_validation_the_weight() -> None:
    losses = {
        (0.1, 0.0): 3.0, (0.1, 0.01): 2.0, (0.1, 0.1): 2.5,
        (0.2, 0.0): 2.9, (0.2, 0.01): 2.8, (0.2, 0.1): 2.7,
    }  # fmt: skip
    found = pd.DataFrame(
        [
            {"learning_rate": rate, "weight": weight, "domain": domain, "loss": loss + shift}
            for (rate, weight), loss in losses.items()
            for domain, shift in (("a", 0.4), ("b", -0.4))
        ]
    )
    assert ps.choose(found) == (0.2, 0.1)


def test_a_search_without_a_weight_above_zero_is_refused() -> None:
    for rates, weights in (((), (0.1,)), ((0.1,), ()), ((0.1,), (0.1, 0.0)), ((0.1,), (-0.1,))):
        with pytest.raises(ReproError, match="one weight λ above 0"):
            ps.search(RECIPE, None, rates, weights)  # type: ignore[arg-type]


def test_one_seed_is_refused() -> None:
    with pytest.raises(ReproError, match="1 seeds show no spread"):
        ps.compare(RECIPE, None, ps.Choice(0.1, 0.1), seeds=1, steps=[4])  # type: ignore[arg-type]


def test_arms_differ_in_the_sign_of_the_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[push_arms.Arm] = []

    def run(
        recipe: object, texts: object, arms: list[push_arms.Arm], held_out: object, *, steps: object
    ) -> pd.DataFrame:
        asked.extend(arms)
        return pd.DataFrame([arm._asdict() for arm in arms])

    monkeypatch.setattr(ps, "run_arms", run)

    class Texts:
        test = validation = ()

    found = ps.compare(RECIPE, Texts(), ps.Choice(0.3, 0.1), seeds=2, steps=[4])  # type: ignore[arg-type]
    assert found.set_index(["number", "arm"])["weight"].to_dict() == {
        (number, arm): weight
        for number in (1, 2)
        for arm, weight in (("base", 0.0), ("push", 0.1), ("pull", -0.1))
    }
    # The seed that chooses is none of those that are compared.
    asked.clear()
    ps.search(RECIPE, Texts(), (0.3,), (0.1, 1.0))  # type: ignore[arg-type]
    assert asked == [(0.3, 0.0, 0), (0.3, 0.1, 0), (0.3, 1.0, 0)]


def test_differences_are_taken_seed_by_seed() -> None:
    found = results(0.2, 0.1)
    expected = []
    for number in range(1, 6):
        per_domain = []
        for domain in ("a", "b"):
            part = found.query(f"number == {number} and step == 20 and domain == '{domain}'")
            loss = part.set_index("arm")["loss"]
            per_domain.append(loss["base"] - loss["push"])
        expected.append(np.mean(per_domain))
    shuffled = found.sample(frac=1, random_state=1)
    found_differences = ps.differences(shuffled, "loss", "base", "push", 20)
    np.testing.assert_allclose(found_differences, expected, rtol=1e-12)
    only = ps.differences(shuffled, "loss", "base", "push", 20, "b")
    assert not np.allclose(only, expected)


def test_intervals_are_those_of_scipy() -> None:
    values, others = RNG.normal(0.3, 0.1, 5), RNG.normal(0.1, 0.4, 7)
    found = ps.over_seeds(values)
    low, high = stats.ttest_1samp(values, 0).confidence_interval()
    assert (found.value, found.low, found.high, found.n) == pytest.approx(
        (values.mean(), low, high, 5)
    )
    found = ps.difference_of_means(values, others)
    test = stats.ttest_ind(values, others, equal_var=False).confidence_interval()
    assert (found.value, found.low, found.high, found.n) == pytest.approx(
        (values.mean() - others.mean(), test.low, test.high, 12)
    )


def test_estimates_have_the_signs_of_what_was_planted() -> None:
    for domains in (("a",), ("a", "b")):
        found = ps.estimates("x", results(0.2, 0.1, domains))
        assert found["gain_x"].low > 0.15
        assert found["early_gain_x"].value == pytest.approx(0.2, abs=0.03)
        assert found["pull_gain_x"].high < -0.05
        assert found["push_over_pull_x"].value == pytest.approx(
            found["gain_x"].value - found["pull_gain_x"].value
        )
        assert found["spread_x"].value == pytest.approx(0.3 if len(domains) > 1 else 0.1)
        assert found["spread_pull_x"].value == pytest.approx(-0.1 if len(domains) > 1 else -0.2)
    nothing = ps.estimates("x", results(0.0, 0.0))["gain_x"]
    assert nothing.low < 0 < nothing.high


def test_the_papers_gains() -> None:
    assert ps.paper_gain("single") == pytest.approx(math.log(83.0 / 82.0))
    assert ps.paper_gain("single", early=True) == pytest.approx(math.log(166.2 / 165.6))
    assert ps.paper_gain("cross") == pytest.approx(
        (math.log(175.7 / 150.2) + math.log(22.8 / 20.8)) / 2
    )


def test_the_table_has_a_row_per_step_domain_and_arm() -> None:
    made_up = results(0.2, 0.1)
    table = ps.perplexity_table({"single": made_up, "cross": made_up})
    assert len(table) == 2 * 2 * 2 * 3
    row = table.query(
        "setting == 'across domains' and steps == 20 and domain == 'a' and arm == 'push'"
    ).iloc[0]
    part = made_up.query("step == 20 and domain == 'a' and arm == 'push'")["loss"]
    assert row["perplexity"] == pytest.approx(math.exp(part.mean()))
    assert row["perplexity_low"] < row["perplexity"] < row["perplexity_high"]
    assert row["gain"] == pytest.approx(0.2, abs=0.03)
    assert table.query("arm == 'base'")["gain"].isna().all()


def test_the_earlier_step_is_half_of_the_steps() -> None:
    for steps in (6, 20, 300, 301):
        found = ps.reading_steps(steps)
        assert len(found) == 6
        assert found[-1] == steps
        assert ps.early_step(steps) in found


def test_more_across_is_a_difference_of_gains() -> None:
    settings = {"single": results(0.1, 0.0, ("a",)), "cross": results(0.4, 0.0)}
    found = ps.more_across(settings)
    assert found.value == pytest.approx(0.3, abs=0.03)
    assert found.low > 0.2
    assert found.n == 10


def test_tables_and_figures_show_what_was_chosen_and_found() -> None:
    searched = pd.DataFrame(
        {
            "learning_rate": [0.1, 0.1, 0.2, 0.2],
            "weight": [0.0, 0.5, 0.0, 0.5],
            "loss": [1.0, 0.9, 1.2, 0.8],
        }
    )
    table = ps.search_table({"single": searched}, {"single": ps.choose(searched)})
    assert table["chosen for"].tolist() == ["base", "push", "", ""]
    assert table["perplexity"].tolist() == pytest.approx(np.exp(searched["loss"]))
    found = results(0.2, 0.1)
    rows = ps.gain_rows({"cross": found}, (10, 20))
    assert [row.series for row in rows] == ["push apart", "pull together"] * 2
    assert [row.paper for row in rows] == [
        ps.paper_gain("cross", early=True), None, ps.paper_gain("cross"), None,
    ]  # fmt: skip
    assert rows[2].value == pytest.approx(0.2, abs=0.03)
    curve = ps.spread_curve(found, "push")
    assert curve["step"].tolist() == [10, 20]
    assert curve["value"].tolist() == pytest.approx([0.9, 0.9])


def test_parameters_of_the_study_are_read() -> None:
    both = ps.recipes(["news", "wikipedia"], steps=4)
    assert {name: recipe.domains for name, recipe in both.items()} == {
        "single": ("news",),
        "cross": ("news", "wikipedia"),
    }
    assert list(ps.recipes(["news"], steps=4)) == ["single"]
    assert ps.numbers("0.1, 2", "weights") == (0.1, 2.0)
    for text in ("a", "0.1, nan"):
        with pytest.raises(ReproError, match=r"weights: .* is no finite number"):
            ps.numbers(text, "weights")
    ps.check_model("none")
    with pytest.raises(ReproError, match="model 'gpt2': the arms are trained from scratch"):
        ps.check_model("gpt2")


def test_the_text_table_counts_chunks() -> None:
    table = ps.text_table({"cross": RECIPE}, {"cross": push_arms.read_texts(RECIPE)})
    assert table["domain"].tolist() == list(RECIPE.domains)
    assert (table["test chunks"] == 6).all()
    assert (table["tokens seen"] == 4 * 2 * 24).all()


def test_the_cost_of_the_term_is_a_ratio_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    now, durations = [0.0], cycle([1.0, 1.5])

    def clock() -> float:
        clock.running = not clock.running  # type: ignore[attr-defined]
        now[0] += 0.1 if clock.running else next(durations)  # type: ignore[attr-defined]
        return now[0]

    clock.running = False  # type: ignore[attr-defined]
    texts = push_arms.read_texts(RECIPE)
    monkeypatch.setattr(ps.time, "perf_counter", clock)
    found = ps.step_cost(RECIPE, texts, repeats=5, seed=1)
    assert found.n == 5
    assert found.value == pytest.approx(1.5)
    assert found.draws == pytest.approx(np.full(500, 1.5))
