"""The stress-test page: which sentence a number chooses, and that numbers stand in place."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup
from conftest import RUN

from reproutils.results import Estimate, Results
from reproutils.stress import CASES, stress_sentences, stress_table


def results(notebook: str, values: dict[str, float]) -> Results:
    estimates = [
        Estimate(id=name, value=value, low=value - 0.01, high=value + 0.01, n=50)
        for name, value in values.items()
    ]
    return Results(notebook=notebook, run=RUN, estimates=estimates, claims=[])


def translation(**values: float) -> dict[str, Results]:
    named = {f"r2_{key}_en_fr": value for key, value in values.items()}
    return {"f4_translation": results("f4_translation", named)}


BASE = {
    "cosine": 0.4,
    "mismatched": 0.3,
    "mismatched_no_sinks": 0.02,
    "no_sinks": 0.3,
    "no_sinks_centred": 0.25,
}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, "most of the effect needs no shared content"),
        ({"mismatched": 0.1}, "most of the effect needs shared content"),
        ({}, "mostly the work of sink tokens"),
        ({"mismatched_no_sinks": 0.29}, "Sink tokens do not account for it"),
        ({}, "goes with the content"),
    ],
)
def test_the_numbers_choose_the_sentence(changed: dict[str, float], expected: str) -> None:
    (sentence,) = stress_sentences(translation(**{**BASE, **changed}))
    assert expected in sentence
    assert sentence.startswith("**Messages EN–FR.**")


def test_content_is_not_named_when_true_pairs_lose_the_effect() -> None:
    lost = {**BASE, "no_sinks": 0.05, "no_sinks_centred": 0.025}
    (sentence,) = stress_sentences(translation(**lost))
    assert "goes with the content" not in sentence


def test_each_number_is_bound_to_its_estimate() -> None:
    (sentence,) = stress_sentences(translation(**BASE))
    elements = BeautifulSoup(sentence, "html.parser").find_all("data")
    values = {
        (element["data-estimate"], element["data-field"]): float(str(element["value"]))
        for element in elements
    }
    assert values["r2_cosine_en_fr", "value"] == 0.4
    assert values["r2_cosine_en_fr", "low"] == pytest.approx(0.39)
    assert {element["data-notebook"] for element in elements} == {"f4_translation"}


@pytest.mark.parametrize(
    ("null", "rows_debiased", "level", "bias"),
    [
        (0.9, 0.01, "More than half of its level is chance", "it was bias"),
        (0.1, 0.6, "Less than half of its level is chance", "not bias alone"),
    ],
)
def test_the_verdict_on_cka_follows_its_null(
    null: float, rows_debiased: float, level: str, bias: str
) -> None:
    values = {
        "mean_cka_biased_pooled": 0.95,
        "cka_null_mean": null,
        "mean_excess": 0.05,
        "r2_rows_cka_biased": 0.5,
        "r2_rows_cka_debiased": rows_debiased,
    }
    (sentence,) = stress_sentences({"f3_code_cka": results("f3_code_cka", values)})
    assert level in sentence
    assert bias in sentence


def test_without_runs_there_is_nothing_to_say() -> None:
    assert not list(stress_sentences({}))
    assert stress_table({}).empty


def test_the_table_takes_every_corpus_that_was_run() -> None:
    table = stress_table(translation(**BASE))
    assert set(table["corpus"]) == {"messages EN–FR"}
    assert len(table) == len(BASE)
    assert len({case.label for case in CASES}) == len(CASES)


def test_a_kept_run_is_told_without_binding_its_numbers() -> None:
    named = {f"r2_{key}_en_fr": value for key, value in BASE.items()}
    runs = {"f4_translation--newstest": results("f4_translation", named)}
    (sentence,) = stress_sentences(runs)
    assert sentence.startswith("**Newstest EN–FR.** The length ratio explains 0.40 [0.39, 0.41]")
    assert "<data" not in sentence


def test_a_hidden_length_effect_of_cka_is_told() -> None:
    values = {"r2_cka_biased_pooled": 0.01, "r2_cka_no_sinks_pooled": 0.2}
    (sentence,) = stress_sentences({"f3_code_cka": results("f3_code_cka", values)})
    assert "once sink rows are left out" in sentence
    values["r2_cka_biased_pooled"] = 0.2
    (sentence,) = stress_sentences({"f3_code_cka": results("f3_code_cka", values)})
    assert "once sink rows are left out" not in sentence
