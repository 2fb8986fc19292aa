"""Whether to use dispersion for finding failures: the page's figure, table and sentences.

The sentences are chosen by rules over the runs' estimates, so that a book built with another model
says what that model's numbers say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from reproutils.figures import ForestRow, forest, show_figure
from reproutils.notebook import kept_number_html
from reproutils.results import Estimate, Results
from reproutils.tables import Interval, show_table

NOTEBOOK = "d1_difficulty"
LAW = "d0_perplexity"
RANKED_BY = {
    "dispersion": "dispersion",
    "dispersion_mean_subtracted": "dispersion, mean subtracted",
    "perplexity_of_the_question": "perplexity of the question",
    "entropy_of_the_answers": "entropy of the answers",
    "small_margin": "small margin of the answers",
}
OWN_QUESTIONS = "next-sentence choice"
CHANCE = 0.5


def use_table(runs: Mapping[str, Results]) -> pd.DataFrame:
    """How well each quantity finds wrong answers: ``ranked by``, ``questions``, ``AUC``, ``low``,
    ``high``, ``wrong in the tail``, ``tail_low``, ``tail_high`` and ``n``, best first within each
    question set."""
    rows = []
    for label, notebook in _question_sets(runs):
        results, found = runs[notebook], []
        for key, name in RANKED_BY.items():
            auc, tail = results.estimate(f"auc_{key}"), results.estimate(f"tail_{key}")
            if auc is not None and tail is not None:
                found.append(
                    {
                        "ranked by": name,
                        "questions": label,
                        "AUC": auc.value,
                        "low": auc.low,
                        "high": auc.high,
                        "wrong in the tail": tail.value,
                        "tail_low": tail.low,
                        "tail_high": tail.high,
                        "n": auc.n,
                    }
                )
        rows += sorted(found, key=lambda row: -float(str(row["AUC"])))
    return pd.DataFrame(rows)


def draw_use(figure: Figure, table: pd.DataFrame) -> None:
    """AUC of each quantity, one row per quantity and question set."""
    ax = figure.subplots()
    order = [
        row
        for name in RANKED_BY.values()
        for row in table[table["ranked by"] == name].to_dict("records")
    ]
    forest(
        ax,
        [
            ForestRow(
                str(row["ranked by"]),
                row["AUC"],
                row["low"],
                row["high"],
                None,
                str(row["questions"]),
            )
            for row in order
        ],
    )
    ax.axvline(0.5, color="C5", lw=1.5, ls="--")
    ax.set(xlabel="AUC for finding wrong answers (0.5 is chance)", xlim=(0.2, 1))


def use_sentences(runs: Mapping[str, Results]) -> Iterator[str]:
    """One paragraph of Markdown per question set, and one on perplexity, chosen by the numbers."""
    for label, notebook in _question_sets(runs):
        yield f"**{label[0].upper()}{label[1:]}.** {_on_questions(notebook, runs[notebook])}"
    if LAW in runs:
        yield f"**Given perplexity.** {_on_law(LAW, runs[LAW])}"


def use_fragment(runs: Mapping[str, Results], folder: Path) -> str:
    """Figure, sentences and table as Markdown with HTML blocks."""
    table = use_table(runs)
    if table.empty:
        return "No question set has been run yet."
    figure = show_figure(
        lambda fig: draw_use(fig, table),
        name="finding-failures",
        caption="How well each label-free quantity finds the questions that a model answers "
        "wrongly, with 95 % intervals over questions.",
        alt="Forest plot of the area under the curve for finding wrong answers, by dispersion with "
        "and without the mean, perplexity of the question, entropy and margin of the answers, for "
        "each question set; the dashed line at one half is chance.",
        folder=folder,
        size=(7.2, 4.8),
    )
    shown = show_table(
        table,
        name="finding-failures",
        caption="Finding wrong answers: area under the curve, and share of wrong answers among the "
        "questions ranked hardest, with 95 % intervals. Best first within each question set.",
        folder=folder,
        formats={
            "AUC": Interval("low", "high", 2),
            "wrong in the tail": Interval("tail_low", "tail_high", 2),
        },
    )
    return "\n\n".join([str(figure.data), *use_sentences(runs), str(shown.data)])


def _question_sets(runs: Mapping[str, Results]) -> list[tuple[str, str]]:
    """Label and key of each run of the notebook on difficulty."""
    return [
        (name.partition("--")[2] or OWN_QUESTIONS, name)
        for name in runs
        if name.partition("--")[0] == NOTEBOOK
    ]


def _number(notebook: str, estimate: Estimate | None) -> str:
    return (
        "an unknown amount" if estimate is None else kept_number_html(notebook, estimate, "ci.2f")
    )


def _on_questions(notebook: str, results: Results) -> str:
    def number(name: str) -> str:
        return _number(notebook, results.estimate(name))

    own = results.estimate("auc_dispersion")
    gap = results.estimate("auc_gain_over_baselines")
    added = results.estimate("dispersion_given_baselines")
    told = f"Dispersion finds wrong answers with an AUC of {number('auc_dispersion')}"
    if own is None or own.low is None or own.high is None:
        told += ". "
    elif own.low > CHANCE:
        told += ", better than chance. "
    elif own.high < CHANCE:
        told += ": worse than chance, so wrong answers are the *more* dispersed ones here. "
    else:
        told += ", which may be chance. "
    if gap is not None and gap.low is not None and gap.high is not None:
        if gap.low > 0:
            verdict = "it beats them"
        elif gap.high < 0:
            verdict = "they find more"
        else:
            verdict = "neither is clearly better"
        told += (
            f"Against the best of perplexity, entropy and margin the difference is "
            f"{number('auc_gain_over_baselines')}: {verdict}. "
        )
    if added is not None and added.low is not None and added.high is not None:
        adds = added.low > 0 or added.high < 0
        told += (
            f"Given all three, its partial correlation with being wrong is "
            f"{number('dispersion_given_baselines')}, so it "
            + ("adds something to them." if adds else "adds nothing that can be shown.")
        )
    return told.rstrip()


def _on_law(notebook: str, results: Results) -> str:
    def number(name: str) -> str:
        return _number(notebook, results.estimate(name))

    raw, partial = results.estimate("r_chunk"), results.estimate("r_partial")
    told = (
        f"Over text chunks dispersion and ln perplexity correlate by {number('r_chunk')}, and by "
        f"{number('r_partial')} once the share of distinct tokens is given. "
    )
    clear = partial is not None and partial.high is not None and partial.high < 0
    if clear and raw is not None and raw.high is not None and raw.high >= 0:
        told += (
            "Repetition hides the relation: chunks that repeat themselves are easier to predict "
            "and less spread. Compare only chunks that repeat themselves alike; "
        )
    elif clear:
        told += "So dispersion is more than a count of repetitions; "
    else:
        told += "So what dispersion says of a chunk can largely be had by counting repetitions; "
    return told + (
        "but whoever can compute dispersion has run the model and can read perplexity off the same "
        "pass, without the detour."
    )
