"""From executed notebooks to a built book, and what the pages need besides them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

from reproutils.errors import NotebookError, ReproError
from reproutils.fetch import WheelFile, fetch
from reproutils.notebook import check_parameters, input_hash
from reproutils.paths import atomic_write, project_root
from reproutils.results import read_results
from reproutils.runner import (
    page_copy,
    pair,
    profile,
    run_notebook,
    stage_downloads,
)

# MathJax as one file with its fonts as outlines: mathematics without a network.
MATHJAX = WheelFile(
    "django-static-mathjax==3.2.2.1",
    "mathjax/static/mathjax/es5/tex-svg.js",
    "2af9375000b5a3669be94d436ae1c61159855283cd18b3ee9817fb71c8f94c84",
    2108562,
)


def fetch_book_assets(*, verify: bool = False) -> Path:
    """Bring MathJax into the cache."""
    return fetch(MATHJAX, "book", verify=verify)


def build_book(name: str, *, pages_only: bool = False) -> Path:
    """Run the notebooks of a profile and build the HTML.

    Args:
        name: the profile.
        pages_only: run nothing; the stored results must be current.

    Returns:
        The first page.

    Raises:
        ReproError: a notebook pair is out of step, or stored results are not current.
        NotebookError: a notebook or the build failed.
    """
    if stale := pair(check=True):
        raise ReproError(f"the halves of {', '.join(stale)} differ; run `reproutils pair`")
    root = project_root()
    runs = root / "book" / "runs"
    extra = runs / "_extra"
    shutil.rmtree(extra, ignore_errors=True)
    for notebook, parameters in profile(name).items():
        folder = runs / notebook
        if pages_only:
            _refuse_stale(notebook, parameters, folder)
        else:
            started = time.perf_counter()
            print(f"{notebook}: running", flush=True)
            _, ran = run_notebook(notebook, parameters, folder)
            took = f"{time.perf_counter() - started:.0f} s"
            print(f"{notebook}: {f'done in {took}' if ran else 'up to date'}", flush=True)
        page_copy(folder / f"{notebook}.ipynb", runs / f"{notebook}.ipynb")
        stage_downloads(notebook, folder, extra / "downloads")
    with atomic_write(root / "book" / "_static" / "mathjax" / "tex-svg.js") as temporary:
        shutil.copyfile(fetch_book_assets(), temporary)
    return _build_html(root)


def _refuse_stale(notebook: str, parameters: dict[str, object], folder: Path) -> None:
    stored = read_results(folder / "results.json").run.input_hash
    wanted = input_hash(notebook, check_parameters(notebook, {**parameters, "output_dir": ""}))
    if stored != wanted:
        raise ReproError(
            f"the results of {notebook} were made from other sources (input hash {stored}, now "
            f"{wanted}); run `make book`"
        )


def _build_html(root: Path) -> Path:
    """A clean build in which each warning is an error."""
    # Sphinx reports a warning only for pages that it reads anew, so nothing old may stay.
    shutil.rmtree(root / "_build", ignore_errors=True)
    # The package has no __main__; its script stands beside the interpreter that runs this.
    script = Path(sys.executable).with_name("jupyter-book")
    command = [str(script), "build", ".", "-n", "-W", "--keep-going"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    page = root / "_build" / "html" / "index.html"
    if done.returncode or not page.is_file():
        log = root / "_build" / "build.log"
        log.parent.mkdir(exist_ok=True)
        log.write_text(done.stdout + done.stderr, encoding="utf-8")
        told = [
            line
            for line in (done.stdout + done.stderr).splitlines()
            if "WARNING" in line or "ERROR" in line or "Error" in line
        ]
        first = told[0] if told else f"exit status {done.returncode}"
        raise NotebookError(f"the pages could not be built: {first} (whole log: {log})")
    return page
