"""All runs together: the verdict table, reference runs beside the embedded one, and the fragments
that the home page takes in."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from bs4 import BeautifulSoup

from reproutils.caption_length import PLACES, POOLINGS
from reproutils.claims import load_claims
from reproutils.dispersion_use import use_fragment
from reproutils.errors import ReproError
from reproutils.figures import show_figure
from reproutils.paths import atomic_write, data_dir, named_path
from reproutils.results import Results, read_results
from reproutils.speed import speed_fragment
from reproutils.stress import draw_stress, stress_sentences, stress_table
from reproutils.tables import Interval, show_table

EMBEDDED = "this book"
COMPARED = {
    "cosine": "pooled cosine, as in the paper",
    "no_first": "position 0 left out",
    "no_sinks": "all sink tokens left out",
    "no_sinks_centred": "sink tokens out, mean subtracted",
    "mismatched": "other text of the same length",
    "mismatched_no_sinks": "other text of the same length, sink tokens out",
    "cut": "both cut to the shorter length",
    "untrained": "untrained network",
    "cka_biased": "linear CKA, as in the paper",
    "cka_debiased": "debiased CKA",
    "cka_no_sinks": "linear CKA, sink rows left out",
}
COMPARED_PAIRS = "[a-z]{2}_[a-z]{2}|pooled|java|javascript|go"
COMPARISON_FORMATS = {"R²": Interval("low", "high", 2), "paper": ".2f", "n": ",d"}
POOLING = "f5_clip"
POINTS = {
    f"{pooling}_{place}": f"{POOLINGS[pooling]}, {PLACES[place]}"
    for pooling in POOLINGS
    for place in PLACES
}
LAW = "d0_perplexity"
CORRELATIONS = {
    "r_grouped": "grouped",
    "r_segments": "grouped, segments",
    "r_chunk": "chunk by chunk",
    "r_partial": "given distinct tokens",
}
LAW_FORMATS = {name: Interval(f"{name}_low", f"{name}_high", 2) for name in CORRELATIONS.values()}


def read_runs(folder: str | Path) -> dict[str, Results]:
    """Notebook -> results of each run below ``folder``, the collecting notebook apart.

    Raises:
        ReproError: there is none.
    """
    place = named_path(str(folder))
    runs = {}
    for path in sorted(place.glob("*/results.json")):
        results = read_results(path)
        if results.notebook != "verdicts":
            runs[results.notebook] = results
    if not runs:
        raise ReproError(f"no results.json below {place}; run the other notebooks first")
    return runs


def read_references() -> dict[str, Results]:
    """Name -> results of each run kept in ``data/reference``."""
    return {
        path.stem: read_results(path) for path in sorted((data_dir() / "reference").glob("*.json"))
    }


def verdict_table(runs: Mapping[str, Results]) -> pd.DataFrame:
    """One row per tested claim, in the order of ``claims.yml``."""
    claims = load_claims()
    rows = [
        {
            "claim": verdict.id,
            "tested in": results.notebook,
            "what it says": claims[verdict.id].title,
            "the paper": claims[verdict.id].figure,
            "verdict": verdict.verdict,
            "scale": verdict.scale,
            "why": verdict.why,
        }
        for results in runs.values()
        for verdict in results.claims
    ]
    order = list(claims)
    rows.sort(key=lambda row: order.index(row["claim"]))
    return pd.DataFrame(rows)


def compare_runs(runs: Mapping[str, Results], references: Mapping[str, Results]) -> pd.DataFrame:
    """The length regressions of every run that made them.

    Args:
        runs: the book's own runs, by notebook.
        references: kept runs by the name of their file, ``NOTEBOOK--LABEL`` or ``LABEL``.

    Returns:
        One row per similarity, pair of languages (or ``pooled`` for code) and run: ``similarity,
        pair, run, R², low, high, paper, n``.
    """
    labelled = [(EMBEDDED, results) for results in runs.values()]
    labelled += [(name.partition("--")[2] or name, results) for name, results in references.items()]
    rows: dict[tuple[str, str, str], dict[str, object]] = {}
    for key, similarity in COMPARED.items():
        for label, results in labelled:
            for estimate in results.estimates:
                match = re.fullmatch(rf"r2_{key}_({COMPARED_PAIRS})", estimate.id)
                if match and estimate.value is not None:
                    pair = match[1].replace("_", "-")
                    # Two notebooks may report the same regression of one run.
                    rows.setdefault(
                        (similarity, pair, label),
                        {
                            "similarity": similarity,
                            "pair": pair,
                            "run": label,
                            "R²": estimate.value,
                            "low": estimate.low,
                            "high": estimate.high,
                            "paper": estimate.paper if estimate.paper is not None else np.nan,
                            "n": estimate.n,
                        },
                    )
    return pd.DataFrame(list(rows.values()))


def compare_pooling(runs: Mapping[str, Results], references: Mapping[str, Results]) -> pd.DataFrame:
    """The length regressions at the points of a CLIP text tower, one row per point and run:
    ``read off, run, R², low, high, paper, n``. Empty without such a run."""
    rows = []
    for key, point in POINTS.items():
        for label, results in _runs_of(POOLING, runs, references):
            estimate = results.estimate(f"r2_{key}")
            if estimate is not None:
                rows.append(
                    {
                        "read off": point,
                        "run": label,
                        "R²": estimate.value,
                        "low": estimate.low,
                        "high": estimate.high,
                        "paper": estimate.paper if estimate.paper is not None else np.nan,
                        "n": estimate.n,
                    }
                )
    return pd.DataFrame(rows)


def compare_law(runs: Mapping[str, Results], references: Mapping[str, Results]) -> pd.DataFrame:
    """Correlation of dispersion and perplexity in each domain of each run: ``domain``, ``run``, one
    column per way of asking with ``_low`` and ``_high``, and ``documents``. Empty without a run."""
    rows = []
    for label, results in _runs_of(LAW, runs, references):
        prefix = "r_chunk_"
        found = [e.id.removeprefix(prefix) for e in results.estimates if e.id.startswith(prefix)]
        for domain in found:
            row: dict[str, object] = {"domain": domain, "run": label}
            for key, name in CORRELATIONS.items():
                estimate = results.estimate(f"{key}_{domain}")
                if estimate is not None:
                    row |= {
                        name: estimate.value,
                        f"{name}_low": estimate.low,
                        f"{name}_high": estimate.high,
                    }
            by_chunk = results.estimate(f"{prefix}{domain}")
            rows.append(row | {"documents": by_chunk.n if by_chunk else None})
    return pd.DataFrame(rows)


def _runs_of(
    notebook: str, runs: Mapping[str, Results], references: Mapping[str, Results]
) -> list[tuple[str, Results]]:
    """Label and results of each run of one notebook, the book's own first."""
    own = [(EMBEDDED, runs[notebook])] if notebook in runs else []
    kept = [
        (name.partition("--")[2], results)
        for name, results in references.items()
        if name.partition("--")[0] == notebook
    ]
    return own + kept


def write_fragments(
    runs: Mapping[str, Results], references: Mapping[str, Results], folder: Path
) -> None:
    """``verdict_table.md`` and ``summary.md`` for the home page, ``stress.md`` for the stress
    tests, ``benchmarks.md`` for the page on speed and ``dispersion_use.md`` for that on the use of
    dispersion; each offers the files that it shows."""
    table = verdict_table(runs)
    notebooks = dict(zip(table["claim"], table["tested in"], strict=True))
    shown = show_table(
        table.drop(columns=["why", "tested in"]),
        name="verdict-overview",
        caption="Verdicts so far. Each links to the notebook that tests it.",
        folder=folder,
    )
    soup = BeautifulSoup(str(shown.data), "html.parser")
    for cell in soup.find_all("th", scope="row"):
        claim = cell.get_text()
        link = soup.new_tag("a", href=f"runs/{notebooks[claim]}.html")
        link.string = claim
        cell.clear()
        cell.append(link)
    counts = Counter(table["verdict"])
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    waiting = len(load_claims()) - len(table)
    summary = (
        f"Of the {len(table)} claims tested so far: {html.escape(told)}. {waiting} more are listed "
        f"in `data/claims.yml` and wait for their notebooks."
    )
    shown_files = {
        "verdict_table.md": ("verdict-overview",),
        "stress.md": ("length-effect",),
        "benchmarks.md": ("benchmarks", "half-precision"),
        "dispersion_use.md": ("finding-failures",),
    }
    fragments = {
        "verdict_table.md": str(soup),
        "summary.md": summary,
        "stress.md": _stress({**runs, **references}, folder),
        "benchmarks.md": speed_fragment(runs, references, folder),
        "dispersion_use.md": use_fragment({**runs, **references}, folder),
    }
    for name, files in shown_files.items():
        fragments[name] += _offered(folder, *files)
    for name, text in fragments.items():
        with atomic_write(folder / name) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8", newline="\n")


def _offered(folder: Path, *names: str) -> str:
    """Links to the files of these figures and tables, as a page beside the home page reaches
    them."""
    files = [
        path.name
        for name in names
        for path in sorted(folder.glob(f"{name}.*"))
        if path.suffix in {".csv", ".svg", ".png"}
    ]
    links = (f'<a href="../downloads/{folder.name}/{name}">{name}</a>' for name in files)
    return f'\n\n<p class="repro-downloads">Downloads: {", ".join(links)}</p>' if files else ""


def _stress(runs: Mapping[str, Results], folder: Path) -> str:
    """Figure, table and sentences of the stress tests as Markdown with HTML blocks."""
    table = stress_table(runs)
    if table.empty:
        return "No length regression has been run yet."
    figure = show_figure(
        lambda fig: draw_stress(fig, table),
        name="length-effect",
        caption="How much of each similarity the length ratio explains. From the first row to "
        "the third the content is exchanged and sink tokens are left out: what is left there is "
        "all that pooling alone can account for.",
        alt="Forest plot of R squared with intervals for eight similarities in each corpus: "
        "pooled cosine as in the paper, exchanged texts with and without sink tokens, true pairs "
        "without sink tokens and without the mean, and CKA plain, debiased, and without sink rows.",
        folder=folder,
        size=(7.2, 10.5),
    )
    shown = show_table(
        table,
        name="length-effect",
        caption="R² on the log length ratio with 95 % intervals; n counts problems or pairs.",
        folder=folder,
        formats={"R²": Interval("low", "high", 2), "paper": ".2f"},
    )
    return "\n\n".join([str(figure.data), *stress_sentences(runs), str(shown.data)])
