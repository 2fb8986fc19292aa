"""Every notebook of the book, executed at smoke size, and the ways a reader may run one."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from PIL import Image
from tinyclip import save_other_clip

from reproutils import cli
from reproutils.checkpoint_choice import FAMILY
from reproutils.claims import claims_of
from reproutils.corpora import load_documents, load_parallel_text
from reproutils.errors import ReproError
from reproutils.models import registry
from reproutils.notebook import check_parameters, input_hash, parameters_of
from reproutils.paths import cache_dir
from reproutils.results import Results, read_results
from reproutils.runner import page_copy, profile, run_notebook

pytestmark = [pytest.mark.notebook, pytest.mark.embedded]

ROOT = Path(__file__).resolve().parent.parent
SMOKE = profile("smoke")
# The one that reads the others' results runs last.
COLLECTOR = "verdicts"


def parameters(notebook: str, parent: Path) -> dict[str, Any]:
    return SMOKE[notebook] | ({"runs": str(parent)} if notebook == COLLECTOR else {})


@pytest.fixture(scope="session")
def parent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds one folder per notebook, as ``book/runs`` does."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(params=list(SMOKE), scope="session")
def run(request: pytest.FixtureRequest, parent: Path) -> Path:
    """The folder of an executed notebook; each is executed once."""
    notebook: str = request.param
    if not (parent / notebook).exists():
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("REPROUTILS_OFFLINE", "1")
            _, ran = run_notebook(notebook, parameters(notebook, parent), parent / notebook)
        assert ran
    return parent / notebook


@pytest.fixture
def results(run: Path) -> Results:
    return read_results(run / "results.json")


@pytest.fixture
def executed(run: Path) -> nbformat.NotebookNode:
    return nbformat.read(run / f"{run.name}.ipynb", as_version=4)


def shown(notebook: nbformat.NotebookNode) -> BeautifulSoup:
    """All HTML and Markdown that the notebook displays."""
    parts = [
        output.data.get("text/html") or output.data.get("text/markdown") or ""
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "display_data"
    ]
    return BeautifulSoup("\n".join(parts), "html.parser")


# --- every notebook ------------------------------------------------------------------------------


def test_cells_ran_in_order_without_errors(executed: nbformat.NotebookNode) -> None:
    code = [cell for cell in executed.cells if cell.cell_type == "code" and cell.source.strip()]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell.outputs]
    assert [o.evalue for o in outputs if o.output_type == "error"] == []
    # Without ipywidgets a dependency says on import that its progress bars stay plain.
    warned = [output.text for output in outputs if output.get("name") == "stderr"]
    assert [text for text in warned if "Warning" in text and "TqdmWarning" not in text] == []


def test_record_tells_how_the_run_was_made(run: Path, parent: Path, results: Results) -> None:
    used = check_parameters(run.name, parameters(run.name, parent))
    record = results.run
    assert results.notebook == run.name
    assert record.parameters == {k: v for k, v in used.items() if k != "output_dir"}
    assert record.input_hash == input_hash(run.name, used)
    assert record.seed == used["seed"]
    assert record.model == used["model"]
    assert (record.model_fingerprint == "none") == (used["model"] == "none")
    assert (record.dataset_fingerprint == "none") == (used["dataset"] == "none")
    assert record.wall_s > 0
    assert (record.tokens > 0) <= (used["model"] != "none")
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", record.date)


def test_numbers_are_finite_and_intervals_upright(results: Results) -> None:
    assert results.estimates
    for estimate in results.estimates:
        numbers = [estimate.value, estimate.low, estimate.high]
        assert all(number is None or math.isfinite(number) for number in numbers), estimate.id
        assert (estimate.low is None) == (estimate.high is None), estimate.id
        if estimate.low is not None and estimate.high is not None and estimate.value is not None:
            assert estimate.low <= estimate.high, estimate.id
            assert estimate.n, estimate.id
        if estimate.id.startswith(("r2_", "win_rate_")) and "gain" not in estimate.id:
            assert estimate.value is not None, estimate.id
            assert 0 <= estimate.value <= 1, estimate.id
    assert len({estimate.id for estimate in results.estimates}) == len(results.estimates)


def test_every_claim_of_the_notebook_is_judged(run: Path, results: Results) -> None:
    assert [verdict.id for verdict in results.claims] == [claim.id for claim in claims_of(run.name)]
    for verdict in results.claims:
        assert verdict.verdict != "not testable here", verdict
        assert "not measured" not in verdict.why, verdict
        assert verdict.why.endswith("."), verdict


def test_every_criterion_has_its_estimate(run: Path, results: Results) -> None:
    recorded = {estimate.id: estimate for estimate in results.estimates}
    for claim in claims_of(run.name):
        for criterion in claim.criteria:
            estimate = recorded.get(criterion.estimate)
            assert estimate is not None, (claim.id, criterion.estimate)
            assert getattr(estimate, criterion.bound) is not None, (claim.id, criterion.estimate)


def test_every_table_has_its_csv(run: Path, executed: nbformat.NotebookNode) -> None:
    tables = shown(executed).select("div.repro-table")
    assert tables
    names = [str(table["id"]).removeprefix("tab-") for table in tables]
    assert len(set(names)) == len(names)
    for name, table in zip(names, tables, strict=True):
        frame = pd.read_csv(run / f"{name}.csv")
        assert len(frame) == len(table.select("tbody tr")) > 0, name
        shown_columns = [cell.get_text() for cell in table.select("thead th")]
        assert set(shown_columns) <= set(frame.columns), name


def test_every_figure_has_its_files(run: Path, executed: nbformat.NotebookNode) -> None:
    figures = shown(executed).select("figure.repro-figure")
    names = [str(figure["id"]).removeprefix("fig-") for figure in figures]
    assert len(set(names)) == len(names)
    assert bool(names) or run.name == COLLECTOR
    for name, figure in zip(names, figures, strict=True):
        images = figure.select("img")
        assert [image["class"] for image in images] == [["only-light"], ["only-dark"]], name
        assert all(len(str(image["alt"])) > 40 for image in images), name
        with Image.open(run / f"{name}.png") as picture:
            assert min(picture.size) > 400, name
            extremes = picture.convert("L").getextrema()
            assert extremes[0] != extremes[1], name
        assert ET.parse(run / f"{name}.svg").getroot().tag.endswith("svg"), name


def test_numbers_in_prose_are_those_of_the_results(
    executed: nbformat.NotebookNode, results: Results
) -> None:
    recorded = {estimate.id: estimate for estimate in results.estimates}
    for tag in shown(executed).select("data.repro-number"):
        estimate = recorded[str(tag["data-estimate"])]
        assert float(str(tag["value"])) == getattr(estimate, str(tag["data-field"]))
        assert tag["data-notebook"] == results.notebook


def test_last_cell_offers_everything_that_was_made(
    run: Path, executed: nbformat.NotebookNode
) -> None:
    last = "".join(o.data.get("text/markdown", "") for o in executed.cells[-1].outputs)
    offered = set(re.findall(r"\]\(\.\./\.\./downloads/[a-z0-9_]+/([^)]+)\)", last))
    made = {path.name for path in run.iterdir() if path.suffix in {".csv", ".svg", ".png"}}
    # What the prose pages take in is offered there.
    fragments = "".join(path.read_text(encoding="utf-8") for path in run.glob("*.md"))
    elsewhere = set(re.findall(rf'href="\.\./downloads/{run.name}/([^"]+)"', fragments))
    assert offered == made - elsewhere | {"results.json", f"{run.name}.ipynb"}
    assert elsewhere <= made


def test_page_holds_no_path_of_this_machine(run: Path, parent: Path, tmp_path: Path) -> None:
    page_copy(run / f"{run.name}.ipynb", tmp_path / "page.ipynb")
    texts = {"page": (tmp_path / "page.ipynb").read_text(encoding="utf-8")}
    texts |= {path.name: path.read_text(encoding="utf-8") for path in run.glob("*.csv")}
    texts |= {path.name: path.read_text(encoding="utf-8") for path in run.glob("*.md")}
    texts["results"] = (run / "results.json").read_text(encoding="utf-8")
    if run.name == COLLECTOR:
        # It is told where the runs are; in the book that is a relative folder.
        texts = {name: text.replace(str(parent), "") for name, text in texts.items()}
    for name, text in texts.items():
        for place in (str(parent), str(ROOT), str(Path.home()), str(cache_dir())):
            assert place not in text, name


def test_finished_run_is_up_to_date(run: Path, parent: Path) -> None:
    _, ran = run_notebook(run.name, parameters(run.name, parent), run)
    assert not ran


def test_verdicts_cover_every_claim_that_was_judged(parent: Path) -> None:
    folders = [parent / name for name in SMOKE if name != COLLECTOR]
    if not all((folder / "results.json").is_file() for folder in (*folders, parent / COLLECTOR)):
        pytest.skip("not all notebooks were run this time")
    judged = [v.id for folder in folders for v in read_results(folder / "results.json").claims]
    table = pd.read_csv(parent / COLLECTOR / "verdicts.csv")
    assert sorted(table["claim"]) == sorted(judged)
    recorded = read_results(parent / COLLECTOR / "results.json").estimates
    counts = {estimate.id: estimate.value for estimate in recorded}
    for verdict, count in table["verdict"].value_counts().items():
        assert counts[f"n_{str(verdict).replace(' ', '_')}"] == count
    for fragment in ("verdict_table.md", "summary.md", "stress.md"):
        assert (parent / COLLECTOR / fragment).stat().st_size > 50, fragment


@pytest.mark.parametrize("notebook", list(SMOKE))
def test_every_notebook_has_the_common_parameters(notebook: str) -> None:
    defaults = parameters_of(notebook)
    for name, kind in {
        "model": str,
        "dataset": str,
        "n_items": int,
        "dtype": str,
        "device": str,
        "seed": int,
        "output_dir": str,
    }.items():
        assert type(defaults[name]) is kind, name
    assert defaults["output_dir"] == ""
    assert defaults["model"] in {*registry(), "none", FAMILY}


# --- ways to run one -----------------------------------------------------------------------------


def papermill(target: Path, *options: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Plain papermill on f1_synthetic, as a reader would call it."""
    source = ROOT / "notebooks" / "f1_synthetic.ipynb"
    command = [sys.executable, "-m", "papermill", str(source), str(target), "--no-progress-bar"]
    environment = {**os.environ, "REPROUTILS_OFFLINE": "1"}
    return subprocess.run(
        [*command, *options],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


SMALL = ("-p", "n_items", "6", "-p", "width", "64", "-p", "mean_norm", "1.5", "-p", "draws", "20")


def test_plain_papermill_works_from_any_folder(tmp_path: Path) -> None:
    out = tmp_path / "results"
    done = papermill(
        tmp_path / "f1.ipynb", *SMALL, "-p", "output_dir", str(out), "-p", "seed", "3", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    record = read_results(out / "results.json").run
    assert (record.parameters["n_items"], record.parameters["mean_norm"]) == (6, 1.5)
    assert record.seed == 3
    assert (out / "paper-setting.svg").is_file()


def test_plain_papermill_stops_at_a_wrong_parameter(tmp_path: Path) -> None:
    # papermill itself only warns of it and runs on with the default.
    done = papermill(
        tmp_path / "f1.ipynb", "-p", "widht", "64", "-p", "output_dir", str(tmp_path), cwd=tmp_path
    )
    assert done.returncode != 0
    assert "f1_synthetic has no parameter 'widht'; did you mean 'width'?" in done.stderr
    assert not (tmp_path / "results.json").exists()


def line_files(folder: Path, n: int) -> str:
    """The first pairs of the embedded texts as WMT-style line files."""
    corpus = load_parallel_text("catalogues", "en-fr").take(n, 0)
    folder.mkdir()
    for language, code in zip(corpus.languages, ("eng", "fra"), strict=True):
        lines = [" ".join(text.split()) for text in corpus.texts[language]]
        (folder / f"texts.eng-fra.{code}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"path:{folder}"


def test_translation_runs_with_an_encoder_and_with_texts_from_a_folder(tmp_path: Path) -> None:
    dataset = line_files(tmp_path / "my texts", 12)
    given = {
        "model": "minilm-l6",
        "untrained": "",
        "dataset": dataset,
        "pairs": "en-fr",
        "permutations": 9,
        "resamples": 50,
    }
    results, _ = run_notebook("f4_translation", given, tmp_path / "out")
    assert results.run.model == "minilm-l6"
    estimate = results.estimate("r2_cosine_en_fr")
    assert estimate is not None
    assert estimate.n == 12
    assert results.estimate("r2_untrained_en_fr") is None
    # Neither an untrained twin nor a head to read words with: said, not failed.
    (claim,) = [verdict for verdict in results.claims if verdict.id == "A10"]
    assert "not measured in this run" in claim.why
    assert "lens_english_share" in claim.why


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"model": "smolm2-135m"}, "unknown model 'smolm2-135m'; did you mean smollm2-135m"),
        ({"n_items": 3}, "at least 4 pairs"),
    ],
)
def test_mistakes_inside_a_notebook_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: dict[str, Any], told: str
) -> None:
    options = [f"--set={name}={value}" for name, value in given.items()]
    status = cli.main(
        ["run", "f4_translation", "--profile", "smoke", *options, "--out", str(tmp_path / "out")]
    )
    (line,) = capsys.readouterr().err.splitlines()
    assert status == 2
    assert line.startswith("reproutils: ")
    assert told in line


def test_the_law_runs_on_a_folder_of_texts(tmp_path: Path) -> None:
    corpus = load_documents("docstrings").take(24, 0)
    (tmp_path / "texts").mkdir()
    for number, text in enumerate(corpus.texts):
        (tmp_path / "texts" / f"{number}.txt").write_text(text, encoding="utf-8")
    given = {
        "dataset": f"path:{tmp_path / 'texts'}",
        "untrained": "",
        "n_items": 20,
        "chunk_tokens": 40,
        "contexts": "16",
        "group_size": 4,
        "sampled_tokens": 6,
        "resamples": 50,
    }
    results, _ = run_notebook("d0_perplexity", given, tmp_path / "out")
    estimate = results.estimate("r_chunk_texts")
    assert estimate is not None
    assert estimate.n is not None
    assert 4 <= estimate.n <= len(corpus)
    assert results.estimate("r_untrained") is None
    # One domain, no twin, one context: said, not failed.
    (claim,) = [verdict for verdict in results.claims if verdict.id == "B4"]
    assert claim.verdict == "not testable here"


def test_difficulty_runs_on_lines_of_questions(tmp_path: Path) -> None:
    things = ("leaf", "sky", "coal", "rose", "snow", "pig", "brick", "sea", "moss", "gold", "ash")
    colours = ("red", "green", "blue", "white")
    lines = [
        {
            "question": f"In {place}, the colour of the {thing} is",
            "choices": colours,
            # Right in a quarter of the cases, whatever the model prefers.
            "answer": (number + len(place)) % 4,
        }
        for place in ("Rome", "winter", "dreams")
        for number, thing in enumerate(things)
    ]
    file = tmp_path / "colours.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    given = {"dataset": f"path:{file}", "n_items": 0, "draws": 2, "resamples": 50}
    results, _ = run_notebook("d1_difficulty", given, tmp_path / "out")
    accuracy, mixed = results.estimate("accuracy"), results.estimate("mixture_items")
    assert accuracy is not None
    assert accuracy.n == len(lines)
    assert mixed is not None
    assert accuracy.value is not None
    # Mixtures are as large as the rarer kind of answer allows.
    rarer = round(min(accuracy.value, 1 - accuracy.value) * len(lines))
    assert mixed.value == rarer


def test_pooling_runs_with_a_clip_from_a_folder_and_captions_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "captions").mkdir()
    texts = [f"A {'very ' * (number % 9)}big dog number {number}." for number in range(24)]
    lines = [f"{number}\t{text}" for number, text in enumerate(texts)]
    (tmp_path / "captions" / "captions.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    given = {
        "model": f"path:{save_other_clip(tmp_path / 'clip')}",
        "controls": "",
        "encoder": "",
        "dataset": f"path:{tmp_path / 'captions'}",
        "n_items": 20,
        "noise_images": 2,
        "anchors": 3,
        "retrieval_scenes": 0,
        "resamples": 50,
        "truncate": True,
    }
    results, _ = run_notebook("f5_clip", given, tmp_path / "out")
    for key in ("eos_after", "mean_after"):
        estimate = results.estimate(f"r2_{key}")
        assert estimate is not None
        assert estimate.n == 20
    # Its towers have different widths, so there is nothing to compare before the projection.
    assert results.estimate("r2_mean_before") is None
    (claim,) = results.claims
    assert "not measured in this run: difference_head_mean" in claim.why


def test_collecting_without_runs_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ReproError, match="run the other notebooks first"):
        run_notebook(COLLECTOR, {"runs": str(tmp_path)}, tmp_path / "out")


def test_notebooks_hold_no_outputs() -> None:
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)
