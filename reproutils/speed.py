"""The page on speed: the kept benchmarks as a table, and what half precision does to estimates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from reproutils.paths import data_dir
from reproutils.results import Results
from reproutils.tables import show_table

HALF_RUN = "f4_translation--catalogues, bfloat16"

# (where the number stands in data/benchmarks.json, what it is, the target)
ROWS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("states", "against_the_loop", "float32", "ratio"),
        "tokens per second, float32, against one text at a time",
        "at least 2",
    ),
    (
        ("states", "against_the_loop", "bfloat16", "ratio"),
        "tokens per second, bfloat16, against the same loop",
        "at least 3",
    ),
    (
        ("states", "max_relative_difference", "float32"),
        "largest relative difference of a pooled mean from the loop's, float32",
        "at most 1e-4",
    ),
    (
        ("states", "max_relative_difference", "bfloat16"),
        "the same, bfloat16",
        "stated",
    ),
    (
        ("states", "max_cosine_difference_bfloat16"),
        "largest change of a pooled cosine, bfloat16",
        "stated",
    ),
    (
        ("states", "gflops", "float32", "share_of_square_matrices"),
        "share of the machine's own matrix-product rate reached, float32",
        "stated",
    ),
    (
        ("states", "share_of_time", "float32", "linear layers"),
        "share of the pass spent in linear layers, float32",
        "stated",
    ),
    (
        ("cka", "ratio"),
        "debiased CKA, 16 layers × 500 pairs, against a ckatorch loop",
        "at least 5",
    ),
    (("cka", "max_abs_difference"), "largest difference from ckatorch", "at most 1e-9"),
    (
        ("memory", "smollm2-135m", "ratio"),
        "peak memory for ten times as many texts, relative to once",
        "at most 1.1",
    ),
)


def speed_fragment(
    runs: Mapping[str, Results], references: Mapping[str, Results], folder: Path
) -> str:
    """Tables of the kept benchmarks and of the effect of bfloat16, as HTML."""
    path = data_dir() / "benchmarks.json"
    if not path.is_file():
        return "No benchmark is kept yet; run `make bench`."
    measured = json.loads(path.read_text(encoding="utf-8"))
    frame = pd.DataFrame(
        [
            {"quantity": label, "measured": f"{value:.3g}", "target": target}
            for place, label, target in ROWS
            if (value := _at(measured, place)) is not None
        ]
    )
    machine = measured["machine"]
    shown = show_table(
        frame,
        name="benchmarks",
        caption=f"Benchmarks on {machine['cpu']}, {machine['threads']} threads, "
        f"torch {machine['torch']}.",
        folder=folder,
    )
    return "\n\n".join([str(shown.data), _half_precision(runs, references, folder)])


def _half_precision(
    runs: Mapping[str, Results], references: Mapping[str, Results], folder: Path
) -> str:
    if HALF_RUN not in references or "f4_translation" not in runs:
        return ""
    exact = {estimate.id: estimate.value for estimate in runs["f4_translation"].estimates}
    rows = []
    for estimate in references[HALF_RUN].estimates:
        full = exact.get(estimate.id)
        if full is not None and estimate.value is not None:
            rows.append(
                {
                    "estimate": estimate.id,
                    "float32": full,
                    "bfloat16": estimate.value,
                    "difference": estimate.value - full,
                }
            )
    frame = pd.DataFrame(rows)
    order = frame["difference"].abs().sort_values(ascending=False).index
    shown = show_table(
        frame.loc[order].reset_index(drop=True),
        name="half-precision",
        caption="Each estimate of the translation notebook in both number formats, largest change "
        "first.",
        folder=folder,
        formats={"float32": ".3f", "bfloat16": ".3f", "difference": ".3f"},
    )
    return str(shown.data)


def _at(values: Any, place: tuple[str, ...]) -> float | None:
    for key in place:
        if not isinstance(values, dict) or key not in values:
            return None
        values = values[key]
    return float(values)
