"""Running notebooks with papermill, and keeping the two halves of a notebook pair in step."""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import yaml

from reproutils.errors import NotebookError, ReproError
from reproutils.notebook import check_parameters, input_hash, notebook_source, split
from reproutils.paths import atomic_write, data_dir, project_root
from reproutils.results import Results, read_results

log = logging.getLogger(__name__)

KERNEL = "python3"
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def profile(name: str) -> dict[str, dict[str, Any]]:
    """Notebook -> parameters of ``data/profiles/NAME.yml``, in running order.

    Raises:
        ReproError: there is no such profile, or a notebook or parameter in it is unknown.
    """
    path = data_dir() / "profiles" / f"{name}.yml"
    if not path.is_file():
        known = ", ".join(sorted(item.stem for item in path.parent.glob("*.yml")))
        raise ReproError(f"unknown profile {name!r}; there are: {known}")
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    found = {notebook: dict(parameters or {}) for notebook, parameters in entries.items()}
    for notebook, parameters in found.items():
        check_parameters(notebook, parameters)
    return found


def run_notebook(
    notebook: str, given: Mapping[str, Any], out: Path, *, force: bool = False
) -> tuple[Results, bool]:
    """Execute ``notebooks/NOTEBOOK.ipynb`` into ``out`` unless it is up to date.

    Args:
        given: parameters that differ from the defaults.
        out: folder for ``results.json``, figures, tables and the executed notebook.
        force: run even if the stored results have the same input hash.

    ``results.json`` is there only if the notebook ran to its end: an older one is removed first.

    Returns:
        The results, and whether the notebook ran.

    Raises:
        ReproError: bad parameters, halves of the notebook that differ, a folder that cannot be
            written to, or an error inside the notebook that the user can mend.
        NotebookError: any other error; the partial notebook stays in ``out``.
    """
    from nbclient.exceptions import DeadKernelError
    from papermill import execute_notebook
    from papermill.exceptions import PapermillExecutionError

    parameters = check_parameters(notebook, {**given, "output_dir": str(out)})
    executed = out / f"{notebook}.ipynb"
    stored = out / "results.json"
    if not force and stored.is_file() and executed.is_file():
        results = _readable(stored)
        if results and results.run.input_hash == input_hash(notebook, parameters):
            return results, False
    source = notebook_source(notebook)
    if not _in_step(source):
        raise ReproError(
            f"the halves of {notebook} differ; run `reproutils pair`, which writes the .ipynb half "
            f"from the .py half"
        )
    try:
        out.mkdir(parents=True, exist_ok=True)
        stored.unlink(missing_ok=True)
        execute_notebook(
            source.with_suffix(".ipynb"),
            executed,
            parameters={**given, "output_dir": str(out.resolve())},
            kernel_name=KERNEL,
            progress_bar=False,
            cwd=source.parent,
            # Errors of cells come back in the notebook; what the kernel itself logs is noise: that
            # its local socket is not encrypted, or that it was shut down.
            extra_arguments=["--log-level=CRITICAL"],
        )
    except OSError as error:
        raise ReproError(
            f"cannot write {executed}: {error.strerror or error}; free some space or choose "
            f"another folder with --out"
        ) from error
    except PapermillExecutionError as error:
        if error.ename == "ReproError":
            raise ReproError(error.evalue) from None
        raise NotebookError(
            f"{notebook} stopped in cell {error.exec_count}: {error.ename}: "
            f"{' '.join(_ANSI.sub('', str(error.evalue)).split())}; the notebook up to there is "
            f"{executed}"
        ) from None
    except DeadKernelError:
        raise NotebookError(
            f"the kernel of {notebook} died, most often for want of memory; use fewer items "
            f"(--set n_items=100) or a smaller model. The notebook up to there is {executed}",
            status=138,
        ) from None
    if not stored.is_file():
        raise NotebookError(
            f"{notebook} was stopped before its last cell; the notebook up to there is {executed}"
        )
    return read_results(stored), True


def page_copy(executed: Path, page: Path) -> None:
    """The executed notebook as a page of the book.

    Of the parameters cell and the injected one only the values that were used are kept, folded;
    what the run printed to stderr is left out.
    """
    notebook = nbformat.read(executed, as_version=4)
    tagged = [set(cell.metadata.get("tags", ())) for cell in notebook.cells]
    injected = any("injected-parameters" in tags for tags in tagged)
    cells = []
    for cell, tags in zip(notebook.cells, tagged, strict=True):
        if injected and "parameters" in tags:
            continue
        if "injected-parameters" in tags:
            cell.metadata["tags"] = ["injected-parameters", "hide-input"]
            cell.source = re.sub(r"^output_dir = .*\n?", "", cell.source, flags=re.MULTILINE)
        if cell.cell_type == "code":
            cell.outputs = [out for out in cell.outputs if out.get("name") != "stderr"]
            cell.metadata.pop("papermill", None)
        cells.append(cell)
    notebook.cells = cells
    notebook.metadata.pop("papermill", None)
    with atomic_write(page) as temporary:
        nbformat.write(notebook, temporary)


def paired_text(source: Path) -> str:
    """The ``.ipynb`` half of ``source`` (percent format): no outputs, and always the same bytes."""
    notebook = jupytext.read(source, fmt="py:percent")
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:03d}"
    # Only what a runner needs; version marks would make every tool update a change.
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": KERNEL},
        "language_info": {"name": "python"},
        "jupytext": {"formats": "ipynb,py:percent"},
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def pair(*, check: bool = False) -> list[str]:
    """Write each notebook's ``.ipynb`` half from its ``.py`` half; never the other way.

    Args:
        check: write nothing.

    Returns:
        The notebooks whose halves differed.
    """
    sources = sorted((project_root() / "notebooks").glob("*.py"))
    stale = [source for source in sources if not _in_step(source)]
    for source in stale if not check else ():
        with atomic_write(source.with_suffix(".ipynb")) as temporary:
            temporary.write_text(paired_text(source), encoding="utf-8", newline="\n")
    return [source.stem for source in stale]


def _in_step(source: Path) -> bool:
    target = source.with_suffix(".ipynb")
    return target.is_file() and target.read_text(encoding="utf-8") == paired_text(source)


def keep_reference(folder: Path, name: str) -> Path:
    """Copy the numbers of a run to ``data/reference/NAME.json``.

    A folder named by ``path:`` is kept by its last part only.
    """
    results = read_results(folder / "results.json")
    text = json.dumps(results.model_dump(), indent=1, ensure_ascii=False) + "\n"
    named = [
        part
        for value in results.run.parameters.values()
        if isinstance(value, str)
        for part in split(value)
        if part.startswith("path:")
    ]
    # The longest first: one folder may lie in another.
    for part in sorted(named, key=len, reverse=True):
        text = text.replace(json.dumps(part, ensure_ascii=False)[1:-1], _without_parents(part))
    target = data_dir() / "reference" / f"{name}.json"
    with atomic_write(target) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    return target


def _without_parents(name: str) -> str:
    return f"path:{Path(name.removeprefix('path:')).name}"


def stage_downloads(notebook: str, run: Path, downloads: Path) -> None:
    """Copy what a reader may download of a run into the folder that the book publishes."""
    target = downloads / notebook
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for path in sorted(run.iterdir()):
        if path.suffix in {".json", ".csv", ".svg", ".png", ".ipynb"}:
            shutil.copyfile(path, target / path.name)


def _readable(path: Path) -> Results | None:
    try:
        return read_results(path)
    except ReproError as error:
        log.warning("%s", error)
        return None
