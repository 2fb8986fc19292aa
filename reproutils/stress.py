"""The stress tests in plain words: what the length effect is made of, corpus by corpus.

The sentences are chosen by rules over the runs' estimates, so that a book built with another model
says what that model's numbers say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproutils.figures import ForestRow, forest
from reproutils.notebook import kept_number_html
from reproutils.results import Estimate, Results

ROWS = {
    "cosine": "pooled cosine, as in the paper",
    "mismatched": "other text of the same length",
    "mismatched_no_sinks": "other text, sink tokens out",
    "no_sinks": "true pairs, sink tokens out",
    "no_sinks_centred": "true pairs, sinks and mean out",
    "cka_biased": "linear CKA, as in the paper",
    "cka_debiased": "debiased CKA",
    "cka_no_sinks": "linear CKA, sink rows out",
}
# A part counts as gone when less than half of it is left.
HALF = 0.5
# An explained variance is there when its interval clears this.
CLEAR = 0.05


@dataclass(frozen=True)
class Case:
    """A corpus on which the length regressions were run.

    Attributes:
        label: what a reader sees.
        suffix: the end of its estimate ids.
        notebooks: where its estimates stand.
    """

    label: str
    suffix: str
    notebooks: tuple[str, ...]

    def find(self, runs: Mapping[str, Results], name: str) -> tuple[str, Estimate] | None:
        """The estimate ``name`` of this corpus and the notebook that made it."""
        for notebook in self.notebooks:
            found = runs[notebook].estimate(f"{name}_{self.suffix}") if notebook in runs else None
            if found is not None and found.value is not None:
                return notebook, found
        return None


CASES = (
    Case("our code", "pooled", ("f2_code_length", "f3_code_cka")),
    Case("HumanEval-X", "pooled", ("f2_code_length--HumanEval-X", "f3_code_cka--HumanEval-X")),
    Case("messages EN–FR", "en_fr", ("f4_translation",)),
    Case("messages EN–DE", "en_de", ("f4_translation",)),
    Case("newstest EN–FR", "en_fr", ("f4_translation--newstest",)),
    Case("newstest EN–DE", "en_de", ("f4_translation--newstest",)),
)
CKA_RUNS = {"our code": "f3_code_cka", "HumanEval-X": "f3_code_cka--HumanEval-X"}


def stress_table(runs: Mapping[str, Results]) -> pd.DataFrame:
    """R² of each similarity on the log length ratio: ``similarity``, ``corpus``, ``R²``, ``low``,
    ``high``, ``paper`` (NaN where it gives none) and ``n``."""
    rows = []
    for key, label in ROWS.items():
        for case in CASES:
            if found := case.find(runs, f"r2_{key}"):
                estimate = found[1]
                rows.append(
                    {
                        "similarity": label,
                        "corpus": case.label,
                        "R²": estimate.value,
                        "low": estimate.low,
                        "high": estimate.high,
                        "paper": np.nan if estimate.paper is None else estimate.paper,
                        "n": estimate.n,
                    }
                )
    return pd.DataFrame(rows)


def draw_stress(figure: Figure, table: pd.DataFrame) -> None:
    """The whole message in one figure: one row per similarity and corpus."""
    ax = figure.subplots()
    forest(
        ax,
        [
            ForestRow(
                str(row["similarity"]),
                row["R²"],
                row["low"],
                row["high"],
                None if np.isnan(row["paper"]) else row["paper"],
                str(row["corpus"]),
            )
            for row in table.to_dict("records")
        ],
    )
    ax.set(xlabel="R² on the log length ratio", xlim=(-0.02, 1))


def stress_sentences(runs: Mapping[str, Results]) -> Iterator[str]:
    """One paragraph of Markdown per corpus, and then on CKA, chosen by the numbers.

    Args:
        runs: the book's own runs by notebook, and kept runs by the name of their file.
    """
    for case in CASES:
        told = _length_sentences(case, runs)
        if told:
            yield f"**{case.label[0].upper()}{case.label[1:]}.** {told}"
    for label, notebook in CKA_RUNS.items():
        if notebook in runs:
            told = _cka_sentences(notebook, runs[notebook])
            yield f"**Is CKA invariant, or at its ceiling? ({label})** {told}"


def _length_sentences(case: Case, runs: Mapping[str, Results]) -> str:
    found = {key: case.find(runs, f"r2_{key}") for key in ROWS}
    needed = ("cosine", "mismatched", "mismatched_no_sinks", "no_sinks", "no_sinks_centred")
    if any(found[key] is None for key in needed):
        return ""
    shown, value = {}, {}
    for key in needed:
        notebook, estimate = found[key]  # type: ignore[misc]
        shown[key] = kept_number_html(notebook, estimate, "ci.2f")
        value[key] = float(estimate.value or 0.0)
    lowest = found["no_sinks_centred"][1].low or 0.0  # type: ignore[index]
    told = f"The length ratio explains {shown['cosine']} of the variance of pooled cosine. "
    needs = (
        "shared content" if value["mismatched"] < HALF * value["cosine"] else "no shared content"
    )
    told += (
        f"When the other text is exchanged for one of the same length, {shown['mismatched']} is "
        f"left: most of the effect needs {needs}. "
    )
    if value["mismatched_no_sinks"] < HALF * value["mismatched"]:
        told += (
            "What is left is mostly the work of sink tokens: without them "
            f"{shown['mismatched_no_sinks']} remains. It is not the averaging-out of noise that "
            "equation 3 describes. "
        )
    else:
        told += (
            f"Sink tokens do not account for it: without them {shown['mismatched_no_sinks']} "
            f"remains, as averaging around a shared mean would give. "
        )
    told += (
        f"True pairs keep {shown['no_sinks']} without sink tokens, and {shown['no_sinks_centred']} "
        f"when the corpus mean goes too"
    )
    if lowest > value["mismatched_no_sinks"]:
        told += (
            "; what exceeds the exchanged pairs goes with the content: pairs of unequal length say "
            "less the same"
        )
    return f"{told}."


def _cka_sentences(notebook: str, results: Results) -> str:
    def number(name: str, spec: str) -> str:
        estimate = results.estimate(name)
        return kept_number_html(notebook, estimate, spec) if estimate else "an unknown amount"

    def value(name: str) -> float:
        estimate = results.estimate(name)
        return float(estimate.value or 0.0) if estimate else 0.0

    told = (
        f"Biased CKA averages {number('mean_cka_biased_pooled', '.2f')}, and the same "
        f"rows shuffled reach {number('cka_null_mean', '.2f')}: the excess is "
        f"{number('mean_excess', 'ci.2f')}. The number of aligned rows explains "
        f"{number('r2_rows_cka_biased', 'ci.2f')} of biased and "
        f"{number('r2_rows_cka_debiased', 'ci.2f')} of debiased CKA. "
    )
    dropped = value("r2_rows_cka_debiased") < HALF * value("r2_rows_cka_biased")
    high_null = value("cka_null_mean") > HALF * value("mean_cka_biased_pooled")
    if high_null:
        told += "More than half of its level is chance: a flat biased CKA is largely a ceiling. "
    else:
        told += "Less than half of its level is chance, so its flatness is not merely a ceiling. "
    if dropped:
        told += "Debiasing removes most of its dependence on the number of rows: it was bias. "
    else:
        told += "Debiasing does not remove its dependence on the number of rows: not bias alone. "
    without = results.estimate("r2_cka_no_sinks_pooled")
    flat = value("r2_cka_biased_pooled") < HALF * value("r2_cka_no_sinks_pooled")
    if flat and without is not None and (without.low or 0.0) > CLEAR:
        told += (
            f"The length ratio explains {number('r2_cka_biased_pooled', 'ci.2f')} of it, but "
            f"{number('r2_cka_no_sinks_pooled', 'ci.2f')} once sink rows are left out: a sink row "
            f"that both texts share dominates both matrices and hides the rest. "
        )
    return told.rstrip()
