"""Running notebooks: what is kept, what is said when it goes wrong, and the pages made of it."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from reproutils import paths
from reproutils.errors import NotebookError, ReproError
from reproutils.notebook import check_parameters, input_hash
from reproutils.results import Estimate, Results, RunRecord, read_results, write_results
from reproutils.runner import (
    keep_reference,
    page_copy,
    pair,
    paired_text,
    profile,
    run_notebook,
    stage_downloads,
)

ROOT = Path(__file__).resolve().parent.parent

# A notebook that leaves results without loading a model library.
TOY = """\
# %% [markdown]
# # A toy

# %% tags=["parameters"]
action = "finish"  # finish, error, mend, die or leave
dataset = "none"
n_items = 3
seed = 0
output_dir = ""

# %%
print("n_items is", n_items)

# %% tags=["hide-input"]
import os
import sys
from pathlib import Path

from reproutils.errors import ReproError

print("a warning", file=sys.stderr)
if action == "error":
    raise KeyError("first line\\nsecond line")
if action == "mend":
    raise ReproError("no layer 'block 99'; the layers are embed, block 1")
if action == "die":
    os.kill(os.getpid(), 9)

# %%
if action == "finish":
    template = Path.cwd().parent / "template.json"
    text = template.read_text().replace('"n_items": -1', f'"n_items": {n_items}')
    (Path(output_dir) / "results.json").write_text(text)
"""


def toy_results(input_hash: str, **changes: Any) -> Results:
    fields: dict[str, Any] = {
        "model": "m",
        "model_fingerprint": "f",
        "dataset": "d",
        "dataset_fingerprint": "f",
        "seed": 0,
        "dtype": "float32",
        "device": "cpu",
        "versions": {},
        "input_hash": input_hash,
        "wall_s": 1.0,
        "tokens": 0,
        "date": "2026-01-01",
        "parameters": {"n_items": -1},
    }
    return Results(
        notebook="toy",
        run=RunRecord.model_validate(fields | changes),
        estimates=[Estimate(id="x", value=1.0)],
        claims=[],
    )


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the notebook ``toy`` in step."""
    root = tmp_path / "project"
    for name, text in {
        "notebooks/toy.py": TOY,
        "data/models.toml": "",
        "data/profiles/quick.yml": "toy: {n_items: 1}\n",
        "data/profiles/full.yml": "toy:\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    monkeypatch.setenv(paths.ROOT_VARIABLE, str(root))
    pair()
    return root


def hash_of(**given: Any) -> str:
    return input_hash("toy", check_parameters("toy", given))


def template(project: Path, **given: Any) -> None:
    """The results that the toy will leave when run with ``given``."""
    write_results(toy_results(hash_of(**given)), project / "template.json")


# --- executing -----------------------------------------------------------------------------------


@pytest.mark.notebook
def test_run_leaves_results_and_is_then_up_to_date(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    template(project, n_items=5)
    results, ran = run_notebook("toy", {"n_items": 5}, out)
    assert ran
    assert results.run.parameters == {"n_items": 5}
    executed = nbformat.read(out / "toy.ipynb", as_version=4)
    printed = [o.text for cell in executed.cells for o in cell.get("outputs", [])]
    assert "n_items is 5\n" in printed

    (out / "toy.ipynb").write_text("untouched", encoding="utf-8")
    again, ran = run_notebook("toy", {"n_items": 5}, out)
    assert not ran
    assert again == results
    assert (out / "toy.ipynb").read_text(encoding="utf-8") == "untouched"


@pytest.fixture
def executions(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The parameters of each execution; the toy is not really executed but leaves results."""
    made: list[dict[str, Any]] = []

    def execute(source: Path, target: Path, *, parameters: dict[str, Any], **_: Any) -> None:
        made.append(parameters)
        shutil.copyfile(source, target)
        given = {k: v for k, v in parameters.items() if k != "output_dir"}
        write_results(
            toy_results(hash_of(**given)), Path(parameters["output_dir"]) / "results.json"
        )

    monkeypatch.setattr("papermill.execute_notebook", execute)
    return made


def test_run_is_repeated_when_an_input_changes(
    project: Path, tmp_path: Path, executions: list[dict[str, Any]]
) -> None:
    out = tmp_path / "out"

    def ran(given: dict[str, Any], **options: bool) -> bool:
        return run_notebook("toy", given, out, **options)[1]

    assert ran({})
    assert not ran({})
    assert not ran({"n_items": 3})  # the default, spelled out
    assert ran({"n_items": 4})
    assert not ran({"n_items": 4})
    assert ran({"n_items": 4}, force=True)
    with (project / "data" / "models.toml").open("a", encoding="utf-8") as registry:
        registry.write("# a new model\n")
    assert ran({"n_items": 4})
    assert [made.get("n_items") for made in executions] == [None, 4, 4, 4]
    assert executions[0] == {"output_dir": str(out)}


@pytest.mark.parametrize("lost", ["results.json", "toy.ipynb"])
def test_run_is_repeated_when_a_part_is_missing(
    tmp_path: Path, executions: list[dict[str, Any]], lost: str
) -> None:
    run_notebook("toy", {}, tmp_path)
    (tmp_path / lost).unlink()
    assert run_notebook("toy", {}, tmp_path)[1]
    assert len(executions) == 2


def test_damaged_results_are_made_again_and_said_so(
    tmp_path: Path, executions: list[dict[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    run_notebook("toy", {}, tmp_path)
    (tmp_path / "results.json").write_text('{"notebook": "to', encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert run_notebook("toy", {}, tmp_path)[1]
    assert "results.json" in caplog.text
    assert "run the notebook again" in caplog.text
    assert read_results(tmp_path / "results.json").notebook == "toy"


def test_halves_that_differ_are_not_run(
    project: Path, tmp_path: Path, executions: list[dict[str, Any]]
) -> None:
    with (project / "notebooks" / "toy.py").open("a", encoding="utf-8") as source:
        source.write("\n# %%\nprint('new')\n")
    with pytest.raises(ReproError, match="halves of toy differ; run `reproutils pair`"):
        run_notebook("toy", {}, tmp_path)
    assert executions == []
    pair()
    assert run_notebook("toy", {}, tmp_path)[1]


def test_bad_parameters_stop_before_anything_is_written(
    project: Path, tmp_path: Path, executions: list[dict[str, Any]]
) -> None:
    out = tmp_path / "out"
    with pytest.raises(ReproError, match="no parameter 'n_itmes'"):
        run_notebook("toy", {"n_itmes": 1}, out)
    with pytest.raises(ReproError, match="unknown notebook"):
        run_notebook("tyo", {}, out)
    assert executions == []
    assert not out.exists()


def test_folder_that_cannot_be_written_to(project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ReproError, match=r"cannot write .*file/out.* another folder with --out"):
        run_notebook("toy", {}, tmp_path / "file" / "out")


def test_full_disk_is_one_line(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def execute(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("papermill.execute_notebook", execute)
    with pytest.raises(ReproError, match=r"cannot write .*: No space left on device; free some"):
        run_notebook("toy", {}, tmp_path)


@pytest.mark.notebook
def test_error_leaves_the_notebook_up_to_there(project: Path, tmp_path: Path) -> None:
    template(project)
    run_notebook("toy", {}, tmp_path)
    with pytest.raises(NotebookError) as caught:
        run_notebook("toy", {"action": "error"}, tmp_path)
    message = str(caught.value)
    assert caught.value.status == 1
    # Parameters, injected parameters, print, then the cell that fails.
    assert message.startswith("toy stopped in cell 4: KeyError: ")
    assert "first line" in message
    assert "\n" not in message
    assert message.endswith(str(tmp_path / "toy.ipynb"))
    partial = nbformat.read(tmp_path / "toy.ipynb", as_version=4)
    outputs = [o for cell in partial.cells for o in cell.get("outputs", [])]
    assert "n_items is 3\n" in [o.get("text") for o in outputs]
    assert "error" in [o.output_type for o in outputs]
    # The older run's results must not pass for this one's.
    assert not (tmp_path / "results.json").exists()


@pytest.mark.notebook
def test_error_that_the_user_can_mend_is_passed_on(project: Path, tmp_path: Path) -> None:
    with pytest.raises(ReproError) as caught:
        run_notebook("toy", {"action": "mend"}, tmp_path)
    assert str(caught.value) == "no layer 'block 99'; the layers are embed, block 1"
    assert (tmp_path / "toy.ipynb").is_file()


@pytest.mark.notebook
def test_dead_kernel_has_a_status_of_its_own(project: Path, tmp_path: Path) -> None:
    with pytest.raises(NotebookError, match=r"kernel of toy died.*fewer items") as caught:
        run_notebook("toy", {"action": "die"}, tmp_path)
    assert caught.value.status == 138
    partial = nbformat.read(tmp_path / "toy.ipynb", as_version=4)
    assert "n_items is 3\n" in [o.text for c in partial.cells for o in c.get("outputs", [])]


@pytest.mark.notebook
def test_notebook_that_leaves_no_results_has_not_succeeded(project: Path, tmp_path: Path) -> None:
    template(project)
    run_notebook("toy", {}, tmp_path)
    with pytest.raises(NotebookError, match="toy was stopped before its last cell"):
        run_notebook("toy", {"action": "leave"}, tmp_path)


# --- profiles ------------------------------------------------------------------------------------


def test_profile_gives_parameters_in_running_order(project: Path) -> None:
    assert profile("quick") == {"toy": {"n_items": 1}}
    assert profile("full") == {"toy": {}}


def test_unknown_profile_lists_the_known(project: Path) -> None:
    with pytest.raises(ReproError, match="unknown profile 'slow'; there are: full, quick"):
        profile("slow")


@pytest.mark.parametrize(
    ("text", "told"),
    [("tyo: {}\n", "unknown notebook 'tyo'"), ("toy: {n_item: 2}\n", "no parameter 'n_item'")],
)
def test_profile_is_checked_before_anything_runs(project: Path, text: str, told: str) -> None:
    (project / "data" / "profiles" / "quick.yml").write_text(text, encoding="utf-8")
    with pytest.raises(ReproError, match=told):
        profile("quick")


@pytest.mark.parametrize("name", ["smoke", "embedded", "paper"])
def test_profiles_of_the_book_fit_its_notebooks(name: str) -> None:
    assert list(profile(name))[-1] == "verdicts"


@pytest.mark.parametrize("name", ["smoke", "embedded"])
def test_every_notebook_is_in_the_profiles_that_are_run(name: str) -> None:
    assert set(profile(name)) == {path.stem for path in (ROOT / "notebooks").glob("*.py")}


# --- pages ---------------------------------------------------------------------------------------


def executed_notebook(*, injected: bool) -> nbformat.NotebookNode:
    marked = {"papermill": {"duration": 1.5}}
    parameters = new_code_cell(
        'n_items = 3\noutput_dir = ""', metadata={"tags": ["parameters"], **marked}
    )
    used = new_code_cell(
        '# Parameters\nn_items = 9\noutput_dir = "/home/reader/out"\nseed = 1\n',
        metadata={"tags": ["injected-parameters"], **marked},
    )
    work = new_code_cell(
        "work()",
        metadata={"tags": ["hide-input"], **marked},
        outputs=[
            new_output("stream", name="stderr", text="a warning\n"),
            new_output("stream", name="stdout", text="a result\n"),
            new_output("display_data", data={"text/html": "<b>shown</b>"}),
        ],
    )
    return new_notebook(
        cells=[new_markdown_cell("# Title"), parameters, *([used] if injected else []), work],
        metadata={"papermill": {"output_path": "/home/reader/out/toy.ipynb"}, "keep": {"x": 1}},
    )


def made_page(tmp_path: Path, *, injected: bool) -> nbformat.NotebookNode:
    nbformat.write(executed_notebook(injected=injected), tmp_path / "toy.ipynb")
    page_copy(tmp_path / "toy.ipynb", tmp_path / "pages" / "toy.ipynb")
    return nbformat.read(tmp_path / "pages" / "toy.ipynb", as_version=4)


def test_page_keeps_the_values_used_and_not_the_defaults(tmp_path: Path) -> None:
    page = made_page(tmp_path, injected=True)
    assert [cell.source for cell in page.cells] == [
        "# Title",
        "# Parameters\nn_items = 9\nseed = 1\n",
        "work()",
    ]
    assert page.cells[1].metadata.tags == ["injected-parameters", "hide-input"]
    nbformat.validate(page)


def test_page_without_injected_cell_keeps_the_parameters(tmp_path: Path) -> None:
    page = made_page(tmp_path, injected=False)
    assert page.cells[1].source.startswith("n_items = 3")
    assert page.cells[1].metadata.tags == ["parameters"]


def test_page_holds_nothing_of_the_machine(tmp_path: Path) -> None:
    page = made_page(tmp_path, injected=True)
    assert [output.get("name") for output in page.cells[2].outputs] == ["stdout", None]
    assert page.metadata == {"keep": {"x": 1}}
    assert not any("papermill" in cell.metadata for cell in page.cells)
    assert "/home/reader" not in (tmp_path / "pages" / "toy.ipynb").read_text(encoding="utf-8")
    # The executed notebook itself stays as it was.
    assert nbformat.read(tmp_path / "toy.ipynb", as_version=4).metadata.papermill


def test_downloads_are_those_of_the_last_run(tmp_path: Path) -> None:
    run, downloads = tmp_path / "run", tmp_path / "downloads"
    run.mkdir()
    (downloads / "toy").mkdir(parents=True)
    (downloads / "toy" / "old.csv").write_text("old", encoding="utf-8")
    for name in ("results.json", "a.csv", "b.svg", "b.png", "toy.ipynb", "notes.txt", ".a.tmp"):
        (run / name).write_text(name, encoding="utf-8")
    stage_downloads("toy", run, downloads)
    assert {path.name for path in (downloads / "toy").iterdir()} == {
        "results.json",
        "a.csv",
        "b.svg",
        "b.png",
        "toy.ipynb",
    }
    assert (downloads / "toy" / "a.csv").read_text(encoding="utf-8") == "a.csv"


# --- pairs of halves -----------------------------------------------------------------------------


def test_halves_are_written_one_way(project: Path) -> None:
    source, target = (project / "notebooks" / f"toy{end}" for end in (".py", ".ipynb"))
    assert pair(check=True) == []
    before = source.read_bytes()
    written = target.read_bytes()

    target.write_text(target.read_text(encoding="utf-8").replace("A toy", "A ploy"), "utf-8")
    assert pair(check=True) == ["toy"]
    assert "A ploy" in target.read_text(encoding="utf-8")  # a check writes nothing
    assert pair() == ["toy"]
    assert target.read_bytes() == written
    assert source.read_bytes() == before
    assert pair() == []

    target.unlink()
    assert pair() == ["toy"]
    assert target.read_bytes() == written


def test_half_is_always_the_same_bytes(project: Path) -> None:
    source = project / "notebooks" / "toy.py"
    text = paired_text(source)
    assert text == paired_text(source)
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    assert [cell.id for cell in notebook.cells] == [f"cell-{k:03d}" for k in range(5)]
    assert [cell.metadata.get("tags") for cell in notebook.cells] == [
        None,
        ["parameters"],
        None,
        ["hide-input"],
        None,
    ]
    assert notebook.metadata.kernelspec.name == "python3"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    assert not text.encode().count(b"\r")


def test_halves_of_the_book_are_in_step() -> None:
    assert pair(check=True) == []


# --- reference runs ------------------------------------------------------------------------------


def kept(project: Path, **changes: Any) -> tuple[Results, str]:
    write_results(toy_results("h", **changes), project / "run" / "results.json")
    target = keep_reference(project / "run", "news")
    assert target == project / "data" / "reference" / "news.json"
    return read_results(target), target.read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", ["/home/reader/texts/wmt", "/a/b c/wmt", '/q"uote/wmt', "~/wmt"])
def test_reference_names_folders_by_their_last_part(project: Path, folder: str) -> None:
    results, text = kept(
        project,
        dataset=f"path:{folder} en-fr, path:{folder} en-de",
        model=f"path:{folder}",
        parameters={"dataset": f"path:{folder}", "n_items": 3, "pairs": "en-fr/en-de"},
    )
    assert results.run.dataset == "path:wmt en-fr, path:wmt en-de"
    assert results.run.model == "path:wmt"
    assert results.run.parameters == {"dataset": "path:wmt", "n_items": 3, "pairs": "en-fr/en-de"}
    assert "reader" not in text


def test_reference_names_each_of_several_folders(project: Path) -> None:
    both = "path:/home/reader/data/one,path:/home/reader/data/one/two"
    results, text = kept(
        project,
        dataset="path:/home/reader/data/one, path:/home/reader/data/one/two",
        model="owner/name",
        parameters={"dataset": both},
    )
    assert results.run.dataset == "path:one, path:two"
    assert results.run.parameters == {"dataset": "path:one,path:two"}
    assert "reader" not in text


def test_reference_keeps_every_number(project: Path) -> None:
    results, _ = kept(project, model="owner/name", parameters={"model": "owner/name"})
    assert results == toy_results("h", model="owner/name", parameters={"model": "owner/name"})


def test_reference_needs_a_finished_run(project: Path) -> None:
    with pytest.raises(ReproError, match="run that notebook first"):
        keep_reference(project / "nothing", "news")


def test_references_of_the_book_name_no_folder() -> None:
    for path in (ROOT / "data" / "reference").glob("*.json"):
        record = read_results(path).run
        values = [record.model, record.dataset, *map(str, record.parameters.values())]
        assert not any("path:/" in value or "path:~" in value for value in values), path.name


# --- building the book ---------------------------------------------------------------------------


@pytest.fixture
def built(
    project: Path, executions: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Path]:
    """Build the toy's book but for the HTML."""
    from reproutils import book

    asset = project / "asset.js"
    asset.write_text("math", encoding="utf-8")
    monkeypatch.setattr(book, "fetch_book_assets", lambda: asset)
    monkeypatch.setattr(book, "_build_html", lambda root: root / "_build" / "html" / "index.html")
    return book.build_book


def test_book_runs_its_notebooks_and_stages_their_pages(
    project: Path, built: Callable[..., Path], executions: list[dict[str, Any]]
) -> None:
    assert built("quick") == project / "_build" / "html" / "index.html"
    assert [made["n_items"] for made in executions] == [1]
    runs = project / "book" / "runs"
    assert nbformat.read(runs / "toy.ipynb", as_version=4).cells
    assert (runs / "_extra" / "downloads" / "toy" / "results.json").is_file()
    mathjax = project / "book" / "_static" / "mathjax" / "tex-svg.js"
    assert mathjax.read_text(encoding="utf-8") == "math"
    built("quick")
    assert len(executions) == 1


def test_pages_alone_are_not_built_from_old_results(
    project: Path, built: Callable[..., Path], executions: list[dict[str, Any]]
) -> None:
    with pytest.raises(ReproError, match="run that notebook first"):
        built("quick", pages_only=True)
    built("quick")
    built("quick", pages_only=True)
    assert len(executions) == 1
    with (project / "data" / "models.toml").open("a", encoding="utf-8") as registry:
        registry.write("# a new model\n")
    with pytest.raises(ReproError, match="results of toy were made from other sources"):
        built("quick", pages_only=True)


def test_book_is_not_built_from_halves_that_differ(
    project: Path, built: Callable[..., Path]
) -> None:
    (project / "notebooks" / "toy.ipynb").unlink()
    with pytest.raises(ReproError, match="halves of toy differ"):
        built("quick")


def test_failed_build_tells_the_first_problem(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reproutils import book

    class Done:
        returncode = 1
        stdout = "reading sources\npage.md:3: WARNING: undefined label: nowhere\n"
        stderr = "later: ERROR: other\n"

    monkeypatch.setattr("reproutils.book.subprocess.run", lambda *_, **__: Done())
    with pytest.raises(NotebookError, match=r"page\.md:3: WARNING: undefined label") as caught:
        book._build_html(project)
    assert "\n" not in str(caught.value)
    log = project / "_build" / "build.log"
    assert log.read_text(encoding="utf-8") == Done.stdout + Done.stderr


def test_error_while_a_page_is_written_keeps_the_old_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_page(tmp_path, injected=True)
    page = tmp_path / "pages" / "toy.ipynb"
    before = page.read_bytes()

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("reproutils.runner.nbformat.write", fail)
    with pytest.raises(ReproError, match="No space left on device"):
        page_copy(tmp_path / "toy.ipynb", page)
    assert page.read_bytes() == before
    assert [path.name for path in page.parent.iterdir()] == ["toy.ipynb"]


def test_profiles_are_plain_mappings() -> None:
    for path in (ROOT / "data" / "profiles").glob("*.yml"):
        for notebook, parameters in yaml.safe_load(path.read_text(encoding="utf-8")).items():
            assert json.loads(json.dumps(parameters)) == parameters, (path.name, notebook)
