"""The runs together: which results are read, how they are ordered, and the pages' fragments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from reproutils import paths, verdicts
from reproutils.claims import load_claims
from reproutils.errors import ReproError
from reproutils.results import ClaimVerdict, Estimate, Results, RunRecord, write_results

RECORD: dict[str, Any] = {
    "model": "tiny",
    "model_fingerprint": "f",
    "dataset": "letters",
    "dataset_fingerprint": "f",
    "seed": 0,
    "dtype": "float32",
    "device": "cpu",
    "versions": {},
    "input_hash": "h",
    "wall_s": 1.0,
    "tokens": 0,
    "date": "2026-01-01",
    "parameters": {},
}


def results(
    notebook: str, judged: dict[str, str] | None = None, estimates: list[Estimate] | None = None
) -> Results:
    """Results with a verdict for each claim of ``judged``."""
    return Results(
        notebook=notebook,
        run=RunRecord.model_validate(RECORD),
        estimates=estimates or [],
        claims=[
            ClaimVerdict.model_validate(
                {"id": key, "verdict": verdict, "scale": "paper scale", "why": f"Why {key} < 1."}
            )
            for key, verdict in (judged or {}).items()
        ],
    )


RUNS = {
    "f4_translation": results("f4_translation", {"A10": "holds", "A8": "holds in part"}),
    "f1_synthetic": results("f1_synthetic", {"A2": "holds in part", "A1": "fails"}),
}


# --- reading -------------------------------------------------------------------------------------


def written(folder: Path, *names: str) -> None:
    for name in names:
        write_results(results(name), folder / name / "results.json")


def test_runs_are_read_by_notebook(tmp_path: Path) -> None:
    written(tmp_path, "f4_translation", "f1_synthetic", "verdicts")
    write_results(results("f5_clip"), tmp_path / "deep" / "er" / "results.json")
    # The collecting notebook's own results are no run, nor are copies further down.
    assert list(verdicts.read_runs(tmp_path)) == ["f1_synthetic", "f4_translation"]


def test_relative_folder_starts_at_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (project / "data").mkdir(parents=True)
    (project / "data" / "models.toml").write_text("", encoding="utf-8")
    elsewhere.mkdir()
    written(project / "book" / "runs", "f1_synthetic")
    monkeypatch.setenv(paths.ROOT_VARIABLE, str(project))
    monkeypatch.chdir(elsewhere)
    assert list(verdicts.read_runs("book/runs")) == ["f1_synthetic"]


def test_folder_without_runs_says_what_to_do(tmp_path: Path) -> None:
    written(tmp_path, "verdicts")
    with pytest.raises(ReproError, match=r"no results\.json below .*run the other notebooks"):
        verdicts.read_runs(tmp_path)


def test_damaged_run_is_named(tmp_path: Path) -> None:
    written(tmp_path, "f1_synthetic")
    (tmp_path / "f1_synthetic" / "results.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ReproError, match=r"f1_synthetic/results\.json: notebook: Field required"):
        verdicts.read_runs(tmp_path)


def test_references_go_by_their_file_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "data_dir", lambda: tmp_path)
    assert verdicts.read_references() == {}
    for name in ("news-b", "news-a"):
        write_results(results("f4_translation"), tmp_path / "reference" / f"{name}.json")
    assert list(verdicts.read_references()) == ["news-a", "news-b"]


# --- verdicts ------------------------------------------------------------------------------------


def test_verdicts_stand_in_the_order_of_the_claims() -> None:
    table = verdicts.verdict_table(RUNS)
    assert table["claim"].tolist() == ["A1", "A2", "A8", "A10"]
    assert table["tested in"].tolist() == ["f1_synthetic"] * 2 + ["f4_translation"] * 2
    first = table.iloc[0]
    claim = load_claims()["A1"]
    assert (first["what it says"], first["the paper"]) == (claim.title, claim.figure)
    assert (first["verdict"], first["scale"], first["why"]) == (
        "fails",
        "paper scale",
        "Why A1 < 1.",
    )


def test_fragments_link_each_claim_to_its_notebook(tmp_path: Path) -> None:
    verdicts.write_fragments(RUNS, {}, tmp_path)
    soup = BeautifulSoup((tmp_path / "verdict_table.md").read_text(encoding="utf-8"), "html.parser")
    links = {link.get_text(): link["href"] for link in soup.select("table a")}
    assert links == {
        "A1": "runs/f1_synthetic.html",
        "A2": "runs/f1_synthetic.html",
        "A8": "runs/f4_translation.html",
        "A10": "runs/f4_translation.html",
    }
    rows = [[cell.get_text() for cell in row.find_all(["th", "td"])] for row in soup.select("tr")]
    assert rows[0] == ["claim", "what it says", "the paper", "verdict", "scale"]
    assert [row[3] for row in rows[1:]] == ["fails", "holds in part", "holds in part", "holds"]
    assert all(cell["scope"] == "row" for cell in soup.select("tbody th"))
    # One raw block: a blank line would end it and the rest would be read as Markdown.
    blocks = (tmp_path / "verdict_table.md").read_text(encoding="utf-8").strip().split("\n\n")
    assert ["</table>" in block for block in blocks] == [True, False]
    offered = BeautifulSoup(blocks[1], "html.parser").find_all("a")
    assert [link["href"] for link in offered] == [
        f"../downloads/{tmp_path.name}/verdict-overview.csv"
    ]


def test_summary_counts_what_is_tested_and_what_waits(tmp_path: Path) -> None:
    verdicts.write_fragments(RUNS, {}, tmp_path)
    waiting = len(load_claims()) - 4
    assert (tmp_path / "summary.md").read_text(encoding="utf-8") == (
        f"Of the 4 claims tested so far: 1 fails, 2 holds in part, 1 holds. {waiting} more are "
        f"listed in `data/claims.yml` and wait for their notebooks.\n"
    )


def test_stress_page_says_when_there_is_nothing_yet(tmp_path: Path) -> None:
    verdicts.write_fragments(RUNS, {}, tmp_path)
    assert (tmp_path / "stress.md").read_text(encoding="utf-8") == (
        "No length regression has been run yet.\n"
    )


def test_stress_page_holds_figure_table_and_sentences(tmp_path: Path) -> None:
    runs = {"f4_translation": translation(0.4, 0.23)}
    runs["f4_translation"] = runs["f4_translation"].model_copy(
        update={"claims": RUNS["f4_translation"].claims}
    )
    verdicts.write_fragments(runs, {}, tmp_path)
    page = (tmp_path / "stress.md").read_text(encoding="utf-8")
    soup = BeautifulSoup(page, "html.parser")
    assert soup.find(id="fig-length-effect") is not None
    table = soup.find(id="tab-length-effect")
    assert table is not None
    assert "0.40 [0.35, 0.45]" in table.get_text()
    assert {path.name for path in tmp_path.iterdir()} >= {
        "length-effect.svg",
        "length-effect.png",
        "length-effect.csv",
    }


# --- runs side by side ---------------------------------------------------------------------------


def translation(value: float, paper: float | None = None) -> Results:
    """Length regressions of two similarities for two language pairs."""
    return results(
        "f4_translation",
        estimates=[
            Estimate(
                id=f"r2_{key}_{pair}", value=value, low=value - 0.05, high=value + 0.05, n=9,
                paper=paper if key == "cosine" else None,
            )
            for key in ("cosine", "cka_debiased")
            for pair in ("en_fr", "en_de")
        ]
        + [
            Estimate(id="r2_cut_en_fr", value=None),
            Estimate(id="r2_noise_cosine_en_fr", value=0.9),
            Estimate(id="r2_spread_pooled", value=0.9),
            Estimate(id="beta_cosine_en_fr", value=0.9),
        ],
    )  # fmt: skip


@pytest.fixture
def compared() -> pd.DataFrame:
    runs = {"f4_translation": translation(0.4, 0.23), "f1_synthetic": RUNS["f1_synthetic"]}
    return verdicts.compare_runs(runs, {"news": translation(0.1)})


def test_runs_are_compared_estimate_by_estimate(compared: pd.DataFrame) -> None:
    assert len(compared) == 8
    keys = compared[["similarity", "pair", "run"]].to_numpy().tolist()
    assert keys[:4] == [
        ["pooled cosine, as in the paper", "en-fr", "this book"],
        ["pooled cosine, as in the paper", "en-de", "this book"],
        ["pooled cosine, as in the paper", "en-fr", "news"],
        ["pooled cosine, as in the paper", "en-de", "news"],
    ]
    assert set(compared["similarity"]) == {"pooled cosine, as in the paper", "debiased CKA"}
    assert compared["R²"].tolist() == [0.4, 0.4, 0.1, 0.1] * 2
    np.testing.assert_allclose(compared["high"] - compared["low"], 0.1)
    assert compared["paper"].isna().tolist() == [False, False] + [True] * 6


def test_references_are_shown_without_an_embedded_run() -> None:
    frame = verdicts.compare_runs({}, {"f4_translation--news": translation(0.1)})
    assert set(frame["run"]) == {"news"}
    assert len(frame) == 4


def test_regression_that_two_notebooks_report_is_shown_once() -> None:
    both = [Estimate(id="r2_cosine_pooled", value=0.6, low=0.5, high=0.7, n=9)]
    runs = {name: results(name, estimates=both) for name in ("f2_code_length", "f3_code_cka")}
    references = {f"{name}--big": results(name, estimates=both) for name in runs}
    frame = verdicts.compare_runs(runs, references)
    assert frame[["pair", "run"]].to_numpy().tolist() == [
        ["pooled", "this book"],
        ["pooled", "big"],
    ]


def test_pooling_and_law_of_every_run_stand_together() -> None:
    def with_values(notebook: str, values: dict[str, float]) -> Results:
        estimates = [
            Estimate(id=name, value=value, low=value - 0.1, high=value + 0.1, n=40)
            for name, value in values.items()
        ]
        return results(notebook, estimates=estimates)

    runs = {
        "f5_clip": with_values("f5_clip", {"r2_eos_after": 0.3, "r2_mean_before": 0.2}),
        "d0_perplexity": with_values(
            "d0_perplexity", {"r_chunk_news": -0.4, "r_grouped_news": -0.7}
        ),
    }
    kept = {"f5_clip--COCO": with_values("f5_clip", {"r2_eos_after": 0.1})}
    pooling = verdicts.compare_pooling(runs, kept)
    assert pooling[["run", "R²"]].to_numpy().tolist() == [
        ["this book", 0.3],
        ["COCO", 0.1],
        ["this book", 0.2],
    ]
    (row,) = verdicts.compare_law(runs, kept).to_dict("records")
    assert (row["domain"], row["run"], row["documents"]) == ("news", "this book", 40)
    assert (row["grouped"], row["chunk by chunk"]) == (-0.7, -0.4)
    assert verdicts.compare_pooling({}, {}).empty
    assert verdicts.compare_law({}, {}).empty
