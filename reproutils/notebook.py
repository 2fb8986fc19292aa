"""What each notebook calls: check the parameters, collect numbers, show figures and tables, judge
the claims, leave ``results.json``.

A notebook begins with a cell tagged ``parameters`` that assigns literals, then calls
:func:`begin`, and ends with :meth:`Run.finish`. Numbers in prose are written by :meth:`Run.say`
from recorded estimates, never typed.
"""

from __future__ import annotations

import ast
import hashlib
import html
import importlib.metadata
import math
import platform
import re
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from string import Formatter
from types import SimpleNamespace
from typing import Any, TypeVar

import pandas as pd
from IPython.display import HTML, Markdown, display
from matplotlib.figure import Figure

from reproutils import figures, tables
from reproutils.claims import claims_of
from reproutils.corpora import ParallelCode, ParallelText
from reproutils.corpora.parallel_code import OWN_CORPUS, own_corpus_folder
from reproutils.errors import ReproError
from reproutils.models import LoadedModel
from reproutils.paths import named_path, project_root
from reproutils.progress import injected_parameters_source
from reproutils.regression import Interval
from reproutils.results import ClaimVerdict, Estimate, Results, RunRecord, write_results
from reproutils.states import States

PARAMETERS_CELL = '# %% tags=["parameters"'
VERSIONED = ("torch", "transformers", "numpy", "scipy", "statsmodels", "reproutils")
DOWNLOADS = "../../downloads"
Corpus = TypeVar("Corpus", ParallelCode, ParallelText)


def parameters_of(notebook: str) -> dict[str, Any]:
    """Names and default values in the parameters cell of ``notebooks/NOTEBOOK.py``.

    Raises:
        ReproError: there is no such notebook (the nearest names are shown) or no such cell.
    """
    path = notebook_source(notebook)
    for cell in re.split(r"^(?=# %%)", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
        if cell.startswith(PARAMETERS_CELL):
            return {name: ast.literal_eval(value) for name, value in _assignments(cell).items()}
    raise ReproError(f"{path.name} has no cell tagged parameters")


def notebook_source(notebook: str) -> Path:
    """``notebooks/NOTEBOOK.py``.

    Raises:
        ReproError: there is none; the nearest names are shown.
    """
    folder = project_root() / "notebooks"
    path = folder / f"{notebook}.py"
    if not path.is_file():
        known = sorted(item.stem for item in folder.glob("*.py"))
        near = get_close_matches(notebook, known, n=3, cutoff=0.3)
        raise ReproError(
            f"unknown notebook {notebook!r}; "
            + (f"did you mean {' or '.join(near)}? " if near else "")
            + f"There are: {', '.join(known)}"
        )
    return path


def check_parameters(notebook: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters of ``notebook``: the defaults with ``given`` in place.

    Raises:
        ReproError: a name that the notebook does not have (with the nearest one that it has), a
            value of another type than the default's, or a number that is not finite.
    """
    defaults = parameters_of(notebook)
    for name, value in given.items():
        if name not in defaults:
            near = get_close_matches(name, defaults, n=1, cutoff=0.4)
            raise ReproError(
                f"{notebook} has no parameter {name!r}; "
                + (f"did you mean {near[0]!r}? " if near else "")
                + f"It has: {', '.join(defaults)}"
            )
        wanted = type(defaults[name])
        fits = type(value) is wanted or (wanted is float and type(value) is int)
        if not fits:
            raise ReproError(
                f"{notebook}: parameter {name} must be of type {wanted.__name__} "
                f"(such as {defaults[name]!r}), not {value!r}"
            )
        if isinstance(value, float) and not math.isfinite(value):
            raise ReproError(f"{notebook}: parameter {name} must be a finite number, not {value}")
    return {**defaults, **given}


def input_hash(notebook: str, parameters: Mapping[str, Any]) -> str:
    """16 hexadecimal digits over everything a run depends on.

    These are the notebook, the package, the registries, claims and lock, the parameters (but not
    where the output goes), and the content of each folder or corpus of our own that a parameter
    names.
    """
    root = project_root()
    digest = hashlib.sha256()
    sources = [
        notebook_source(notebook),
        *sorted((root / "reproutils").rglob("*.py")),
        *sorted((root / "data").glob("*.toml")),
        root / "data" / "claims.yml",
        root / "requirements.lock",
    ]
    for name, value in sorted(parameters.items()):
        if name == "output_dir":
            continue
        digest.update(f"{name}={value!r}\x1f".encode())
        for part in split(value) if isinstance(value, str) else ():
            if part.startswith("path:"):
                place = named_path(part)
                files = place.rglob("*") if place.is_dir() else place.parent.glob(f"{place.name}*")
                sources += sorted(path for path in files if path.is_file())
            elif part == OWN_CORPUS:
                sources += sorted(own_corpus_folder().rglob("*"))
    if "runs" in parameters:
        runs = named_path(parameters["runs"]).glob("*/results.json")
        # Its own results lie beside those that it reads.
        sources += sorted(path for path in runs if path.parent.name != notebook)
        sources += sorted((root / "data" / "reference").glob("*.json"))
        sources.append(root / "data" / "benchmarks.json")
    for path in sources:
        # The package's folder of compiled caches and the output of other runs do not count.
        if path.suffix != ".pyc" and path.is_file():
            digest.update(path.name.encode() + b"\x1f" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def begin(notebook: str, namespace: Mapping[str, Any]) -> Run:
    """Check the parameters of the running notebook and start its record.

    Args:
        notebook: its name.
        namespace: ``globals()`` of the notebook.

    Raises:
        ReproError: an unknown or ill-typed parameter.
    """
    names = [*parameters_of(notebook), *_assignments(injected_parameters_source() or "")]
    given = {name: namespace[name] for name in names if name in namespace}
    return Run(notebook, check_parameters(notebook, given))


class Run:
    """One run of a notebook: parameters in, numbers out.

    Attributes:
        p: the parameters as attributes.
        folder: where the results go.
        seed: the seed that every random draw derives from.
    """

    def __init__(self, notebook: str, parameters: dict[str, Any]) -> None:
        self.notebook = notebook
        self.p = SimpleNamespace(**parameters)
        self.parameters = parameters
        self.folder = Path(parameters["output_dir"] or project_root() / "book/runs" / notebook)
        self.seed = int(parameters["seed"])
        self.estimates: dict[str, Estimate] = {}
        self._hash = input_hash(notebook, parameters)
        self._model, self._model_fingerprint = "none", "none"
        self._corpora: list[ParallelCode | ParallelText] = []
        self._tokens = 0
        self._files: list[str] = []
        self._started = time.perf_counter()

    def uses_model(self, model: LoadedModel) -> LoadedModel:
        """Record the model that the run is about."""
        # The model itself is not kept: its weights may be let go before the notebook ends.
        self._model, self._model_fingerprint = model.name, model.fingerprint
        return model

    def uses_models(self, name: str, fingerprints: Iterable[str]) -> None:
        """Record several models under one name.

        Args:
            fingerprints: a digest of each, in order.
        """
        digest = hashlib.sha256("\x1f".join(fingerprints).encode()).hexdigest()
        self._model, self._model_fingerprint = name, digest[:16]

    def uses_corpus(self, corpus: Corpus) -> Corpus:
        """Record a corpus that the run reads."""
        self._corpora.append(corpus)
        return corpus

    def uses_states(self, states: States) -> States:
        """Count the tokens that went through a model."""
        self._tokens += states.computed_tokens
        return states

    def record(
        self,
        name: str,
        value: float | Interval | None,
        *,
        unit: str | None = None,
        paper: float | None = None,
        n: int | None = None,
    ) -> None:
        """Record one number under a name that is unique in the notebook.

        Raises:
            ReproError: the name is taken.
        """
        if name in self.estimates:
            raise ReproError(f"{self.notebook}: estimate {name!r} is recorded twice")
        low = high = None
        if isinstance(value, Interval):
            low, high, n = value.low, value.high, value.n
            value = value.value
        number = None if value is None else float(value)
        self.estimates[name] = Estimate(
            id=name, value=number, low=low, high=high, n=n, unit=unit, paper=paper
        )

    def record_interval(
        self,
        name: str,
        value: float,
        low: float,
        high: float,
        n: int,
        *,
        unit: str | None = None,
        paper: float | None = None,
    ) -> None:
        """:meth:`record` for an interval that comes out of a table."""
        interval = Interval(float(value), float(low), float(high), int(n))
        self.record(name, interval, unit=unit, paper=paper)

    def say(self, text: str, **words: str) -> None:
        """Show Markdown in which ``{name:.2f}`` is a recorded estimate.

        ``{name:ci.2f}`` adds its interval, ``{name:n}`` is its number of independent units. Other
        fields are taken from ``words``.
        """
        parts = []
        for literal, name, spec, _ in Formatter().parse(text):
            parts.append(literal)
            if name:
                parts.append(words[name] if name in words else self._number(name, spec or ".2f"))
        display(Markdown("".join(parts)))

    def table(
        self,
        frame: pd.DataFrame,
        *,
        name: str,
        caption: str,
        formats: Mapping[str, str | tables.Interval] | None = None,
    ) -> None:
        """Show a table and keep it as CSV."""
        display(
            tables.show_table(
                frame, name=name, caption=caption, folder=self.folder, formats=formats
            )
        )
        self._files.append(f"{name}.csv")

    def figure(
        self,
        draw: Callable[[Figure], None],
        *,
        name: str,
        caption: str,
        alt: str,
        size: tuple[float, float] = (6.0, 4.0),
    ) -> None:
        """Show a figure and keep it as SVG and PNG."""
        display(
            figures.show_figure(
                draw, name=name, caption=caption, alt=alt, folder=self.folder, size=size
            )
        )
        self._files += [f"{name}.svg", f"{name}.png"]

    def finish(self) -> Results:
        """Judge the claims, write ``results.json``, and show verdicts, provenance and downloads."""
        verdicts = [
            claim.verdict(self.estimates.values(), self.parameters.get("model", "*"))
            for claim in claims_of(self.notebook)
        ]
        results = Results(
            notebook=self.notebook,
            run=self._run_record(),
            estimates=list(self.estimates.values()),
            claims=verdicts,
        )
        write_results(results, self.folder / "results.json")
        for verdict in verdicts:
            display(verdict_box(verdict))
        display(Markdown(self._provenance(results.run)))
        return results

    def _number(self, name: str, spec: str) -> str:
        try:
            estimate = self.estimates[name]
        except KeyError:
            near = get_close_matches(name, self.estimates, n=1, cutoff=0.0)
            raise ReproError(
                f"{self.notebook}: no estimate {name!r} is recorded"
                + (f"; the nearest is {near[0]!r}" if near else "")
            ) from None
        return number_html(self.notebook, estimate, spec)

    def _run_record(self) -> RunRecord:
        corpora = self._corpora
        return RunRecord(
            model=self._model,
            model_fingerprint=self._model_fingerprint,
            dataset=", ".join(corpus.name for corpus in corpora) or "none",
            dataset_fingerprint=", ".join(corpus.fingerprint for corpus in corpora) or "none",
            seed=self.seed,
            dtype=self.parameters["dtype"],
            device=self.parameters["device"],
            versions={
                "python": platform.python_version(),
                **{package: importlib.metadata.version(package) for package in VERSIONED},
            },
            input_hash=self._hash,
            wall_s=round(time.perf_counter() - self._started, 1),
            tokens=self._tokens,
            date=datetime.now(UTC).date().isoformat(),
            parameters={k: v for k, v in self.parameters.items() if k != "output_dir"},
        )

    def _provenance(self, run: RunRecord) -> str:
        files = ["results.json", f"{self.notebook}.ipynb", *self._files]
        links = ", ".join(f"[{name}]({DOWNLOADS}/{self.notebook}/{name})" for name in files)
        versions = ", ".join(f"{package} {version}" for package, version in run.versions.items())
        corpora = "; ".join(
            f"{corpus.name} ({len(corpus)} items, `{corpus.fingerprint}`, "
            f"{corpus.provenance.licence})"
            for corpus in self._corpora
        )
        lines = [
            f"**Model** {run.model} (`{run.model_fingerprint}`), {run.dtype} on {run.device}",
            f"**Texts** {corpora}" if corpora else "**Texts** none",
            f"**Seed** {run.seed}, **run on** {run.date}, **wall time** {run.wall_s:.0f} s, "
            f"{run.tokens:,} tokens through a model (0: all from the cache)",
            f"**Versions** {versions}",
            f'**Input hash** <code class="repro-input-hash">{run.input_hash}</code>',
            f"**Downloads** {links}",
        ]
        return "\n\n".join(lines)


def number_html(notebook: str, estimate: Estimate, spec: str) -> str:
    """An estimate as a ``<data>`` element that a test can compare with ``results.json``."""

    def element(field: str, number: float | None, digits: str) -> str:
        if number is None:
            return tables.MISSING
        shown = tables.number_cell(number, digits)
        return (
            f'<data class="repro-number" data-notebook="{notebook}" '
            f'data-estimate="{html.escape(estimate.id)}" data-field="{field}" '
            f'value="{number!r}">{shown}</data>'
        )

    if spec == "n":
        return element("n", estimate.n, "d")
    digits = spec.removeprefix("ci")
    text = element("value", estimate.value, digits)
    if spec.startswith("ci") and estimate.low is not None and estimate.high is not None:
        low, high = element("low", estimate.low, digits), element("high", estimate.high, digits)
        text += f" [{low}, {high}]"
    return text


def kept_number_html(run: str, estimate: Estimate, spec: str) -> str:
    """:func:`number_html` for a run of the book; plain text for a kept one, whose name has a label
    after ``--``, since no page of the book holds its results."""
    if "--" not in run:
        return number_html(run, estimate, spec)
    low = estimate.low if spec.startswith("ci") else None
    return tables.interval_cell(estimate.value, low, estimate.high, spec.removeprefix("ci"))


def verdict_box(verdict: ClaimVerdict) -> HTML:
    """A verdict as a box whose wording, not its colour alone, carries the outcome."""
    slug = verdict.verdict.replace(" ", "-")
    return HTML(
        f'<div class="repro-verdict repro-verdict-{slug}" data-claim="{verdict.id}">'
        f"<p><strong>{verdict.id}: {verdict.verdict}</strong> ({verdict.scale}). "
        f"{html.escape(verdict.why)}</p></div>"
    )


def split(text: str) -> list[str]:
    """A comma-separated parameter as a list."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _assignments(source: str) -> dict[str, ast.expr]:
    """What ``source`` assigns to plain names."""
    found: dict[str, ast.expr] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            found |= dict.fromkeys(names, node.value)
    return found
