"""The page on the use of dispersion: which sentence a number chooses, and what the table holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from conftest import RUN

from reproutils.dispersion_use import RANKED_BY, use_fragment, use_sentences, use_table
from reproutils.results import Estimate, Results


def results(notebook: str, values: dict[str, tuple[float, float]]) -> Results:
    """Values with the half-widths of their intervals."""
    estimates = [
        Estimate(id=name, value=value, low=value - reach, high=value + reach, n=50)
        for name, (value, reach) in values.items()
    ]
    return Results(notebook=notebook, run=RUN, estimates=estimates, claims=[])


def questions(**changed: tuple[float, float]) -> Results:
    values = {
        name: (0.5 + 0.02 * number, 0.01)
        for number, key in enumerate(RANKED_BY)
        for name in (f"auc_{key}", f"tail_{key}")
    }
    values |= {"auc_gain_over_baselines": (-0.1, 0.05), "dispersion_given_baselines": (0.0, 0.1)}
    return results("d1_difficulty", values | changed)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"auc_dispersion": (0.7, 0.1)}, "better than chance"),
        ({"auc_dispersion": (0.52, 0.1)}, "which may be chance"),
        ({"auc_dispersion": (0.3, 0.1)}, "worse than chance"),
        ({"auc_gain_over_baselines": (0.1, 0.05)}, "it beats them"),
        ({"auc_gain_over_baselines": (-0.1, 0.05)}, "they find more"),
        ({"auc_gain_over_baselines": (0.0, 0.05)}, "neither is clearly better"),
        ({"dispersion_given_baselines": (0.3, 0.1)}, "it adds something"),
        ({"dispersion_given_baselines": (0.0, 0.1)}, "adds nothing that can be shown"),
    ],
)
def test_the_numbers_choose_the_sentence(
    changed: dict[str, tuple[float, float]], told: str
) -> None:
    (sentence,) = use_sentences({"d1_difficulty": questions(**changed)})
    assert sentence.startswith("**Next-sentence choice.**")
    assert told in sentence
    assert 'data-notebook="d1_difficulty"' in sentence


@pytest.mark.parametrize(
    ("raw", "partial", "told"),
    [
        ((-0.5, 0.1), (-0.4, 0.1), "more than a count of repetitions"),
        ((-0.5, 0.1), (-0.1, 0.2), "counting repetitions"),
        ((0.0, 0.1), (-0.4, 0.1), "Repetition hides the relation"),
    ],
)
def test_the_law_is_told_by_what_repetition_leaves(
    raw: tuple[float, float], partial: tuple[float, float], told: str
) -> None:
    law = results("d0_perplexity", {"r_chunk": raw, "r_partial": partial})
    (sentence,) = use_sentences({"d0_perplexity": law})
    assert sentence.startswith("**Given perplexity.**")
    assert told in sentence


def test_table_ranks_within_each_question_set() -> None:
    table = use_table({"d1_difficulty": questions(), "d1_difficulty--ARC-Easy": questions()})
    assert table["questions"].tolist() == ["next-sentence choice"] * 5 + ["ARC-Easy"] * 5
    assert table["AUC"].tolist()[:5] == sorted(table["AUC"].tolist()[:5], reverse=True)
    assert table["ranked by"].tolist()[0] == "small margin of the answers"


def test_fragment_shows_figure_table_and_kept_runs(tmp_path: Path) -> None:
    runs = {"d1_difficulty": questions(), "d1_difficulty--ARC-Easy": questions()}
    fragment = use_fragment(runs, tmp_path)
    soup = BeautifulSoup(fragment, "html.parser")
    assert soup.find(id="fig-finding-failures") is not None
    assert soup.find(id="tab-finding-failures") is not None
    assert (
        "**ARC-Easy.** Dispersion finds wrong answers with an AUC of 0.50 [0.49, 0.51]" in fragment
    )
    assert (tmp_path / "finding-failures.csv").is_file()
    assert use_fragment({}, tmp_path) == "No question set has been run yet."
