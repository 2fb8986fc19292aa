"""The same problems solved in Python, Java, JavaScript and Go."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

from reproutils.corpora.base import Provenance, check_rows, fingerprint_of, sample_rows
from reproutils.errors import ReproError
from reproutils.paths import data_dir, named_path

LANGUAGES = ("python", "java", "javascript", "go")
SOLUTION_FILES = {
    "python": "solution.py",
    "java": "Solution.java",
    "javascript": "solution.js",
    "go": "solution.go",
}
OWN_CORPUS = "parallel-code"
HUB_CORPUS = "humanevalpack"
HUB_DATASET = "bigcode/humanevalpack"
TEXT_DEFINITIONS = ("declaration+solution", "solution", "prompt+solution")

_KNOWN_NAMES = f"{OWN_CORPUS}, path:FOLDER, {HUB_CORPUS}"
# As upstream names its files, its configurations and its task identifiers.
_SHORT_NAMES = {"python": "python", "java": "java", "javascript": "js", "go": "go"}
_TASK_PREFIXES = {"python": "Python", "java": "Java", "javascript": "JavaScript", "go": "Go"}
_NOTES = (
    "main text: imports, declaration and canonical solution",
    "as upstream has it, a helper function that a problem gives stands in the declaration in some "
    "languages (there with its docstring in Python) and only in the prompt in others",
)
_FIELDS = ("task_id", "prompt", "declaration", "canonical_solution")
_SHOWN_IDS = 5


@dataclass(frozen=True)
class ParallelCode:
    """Problems with one solution per language.

    Attributes:
        name: the corpus as the user named it.
        languages: ``("python", "java", "javascript", "go")``.
        texts: for each language the main texts: declaration and solution, as in a file, without
            the problem statement. Row ``i`` of every language is item ``i``.
        item_ids: one unique, stable identifier per problem.
        provenance: source, licence, citation and processing notes.
        prompts: for each language what stands before the solution when a model is asked to write
            it: imports, declaration and statement. Empty for a corpus without prompts.
        bodies: for each language the solution alone, without its declaration. Empty for a corpus
            that does not separate the two.

    Raises:
        ReproError: languages, texts and identifiers do not fit together.
    """

    name: str
    languages: tuple[str, ...]
    texts: dict[str, tuple[str, ...]]
    item_ids: tuple[str, ...]
    provenance: Provenance
    prompts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    bodies: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_rows(self.name, self.languages, self.texts, self.item_ids)
        for part in (self.prompts, self.bodies):
            if part:
                check_rows(self.name, self.languages, part, self.item_ids)

    def __len__(self) -> int:
        """The number of problems."""
        return len(self.item_ids)

    @cached_property
    def fingerprint(self) -> str:
        """The first 16 hexadecimal digits of a SHA-256 over identifiers, languages, texts, prompts
        and bodies. Name and provenance are left out."""
        columns = dict(self.texts)
        for part, texts in (("prompt", self.prompts), ("body", self.bodies)):
            columns |= {f"{language} {part}": rows for language, rows in texts.items()}
        order = (*self.languages, *(name for name in columns if name not in self.languages))
        return fingerprint_of(order, columns, self.item_ids)

    def take(self, n: int, seed: int) -> ParallelCode:
        """A random subsample without replacement, in the order of the whole.

        Args:
            n: the number of problems; 0, or at least ``len(self)``, keeps all of them.
            seed: the seed of the draw. The same ``n`` and ``seed`` always give the same problems.

        Raises:
            ReproError: ``n`` is negative.
        """
        rows = sample_rows(len(self), n, seed)

        def chosen(part: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
            return {language: tuple(texts[row] for row in rows) for language, texts in part.items()}

        return ParallelCode(
            name=self.name,
            languages=self.languages,
            texts=chosen(self.texts),
            item_ids=tuple(self.item_ids[row] for row in rows),
            provenance=self.provenance,
            prompts=chosen(self.prompts),
            bodies=chosen(self.bodies),
        )

    @property
    def definitions(self) -> tuple[str, ...]:
        """Those of ``TEXT_DEFINITIONS`` that this corpus can form."""
        available = {
            "declaration+solution": True,
            "solution": bool(self.bodies),
            "prompt+solution": bool(self.prompts and self.bodies),
        }
        return tuple(name for name in TEXT_DEFINITIONS if available[name])

    def texts_as(self, definition: str) -> dict[str, tuple[str, ...]]:
        """The texts under one of ``TEXT_DEFINITIONS``, by language.

        Raises:
            ReproError: the definition is unknown or this corpus cannot form it.
        """
        if definition not in self.definitions:
            raise ReproError(
                f"corpus {self.name} has no text {definition!r}; "
                f"choose from {', '.join(self.definitions)}"
            )
        if definition == "declaration+solution":
            return dict(self.texts)
        if definition == "solution":
            return dict(self.bodies)
        return {
            language: tuple(
                prompt + body
                for prompt, body in zip(self.prompts[language], self.bodies[language], strict=True)
            )
            for language in self.languages
        }


def load_parallel_code(name: str = OWN_CORPUS) -> ParallelCode:
    """Load problems solved in four languages.

    Args:
        name: one of

            - ``parallel-code``: the project's own problems in ``data/parallel_code`` (embedded);
            - ``path:FOLDER`` (a relative path starts at the project's root): the HumanEval-X line
              files ``humaneval_python.jsonl``, ``_java``, ``_js`` and ``_go``, read in place;
            - ``humanevalpack``: the test split of ``bigcode/humanevalpack`` on the Hugging Face
              Hub; needs the package ``datasets`` and a network or a filled cache.

    Returns:
        Problems in the order of the Python file (own corpus: of the identifiers). Every text
        begins without blank lines and ends in one newline.

    Raises:
        ReproError: unknown name; a file, language or field that is missing or empty; repeated
            identifiers or sets of problems that differ between languages.
    """
    kind, _, place = name.partition(":")
    if name == OWN_CORPUS:
        return _read_own(own_corpus_folder())
    if name == HUB_CORPUS:
        return _read_hub()
    if kind == "path" and place:
        return _read_humaneval_x(name, named_path(name))
    near = get_close_matches(kind, (OWN_CORPUS, HUB_CORPUS, "path"), n=1, cutoff=0.0)[0]
    example = {"path": "path:FOLDER"}.get(near, near)
    raise ReproError(
        f"unknown parallel code {name!r}; the nearest is {example} (known: {_KNOWN_NAMES})"
    )


def own_corpus_folder() -> Path:
    """Where the problems of this project's own corpus lie, one folder each."""
    return data_dir() / "parallel_code" / "problems"


def _tidy(text: str) -> str:
    """Without blank lines at either end, with one newline at the end; indentation is kept."""
    lines = text.rstrip().split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    return "\n".join(lines[first:]) + "\n"


def _some(names: Iterable[str]) -> str:
    """The first few of these names, sorted, and how many more there are."""
    ordered = sorted(names)
    more = len(ordered) - _SHOWN_IDS
    shown = ", ".join(ordered[:_SHOWN_IDS])
    return f"{shown} and {more} more" if more > 0 else shown


# The project's own problems ----------------------------------------------------------------------


def _read_own(folder: Path) -> ParallelCode:
    ids = (
        sorted(
            path.name
            for path in folder.iterdir()
            if path.is_dir() and not path.name.startswith(".")
        )
        if folder.is_dir()
        else []
    )
    if not ids:
        raise ReproError(f"{folder} holds no problem folders; restore data/parallel_code")
    missing = {
        f"{name}/{file}"
        for name in ids
        for file in SOLUTION_FILES.values()
        if not (folder / name / file).is_file()
    }
    if missing:
        raise ReproError(f"{folder} lacks {_some(missing)}; every problem needs all four languages")
    texts: dict[str, tuple[str, ...]] = {}
    for language in LANGUAGES:
        rows = []
        for name in ids:
            path = folder / name / SOLUTION_FILES[language]
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                raise ReproError(f"{path} is not UTF-8; convert or restore the file") from None
            if not text.strip():
                raise ReproError(f"{path} is empty; restore the file")
            rows.append(_tidy(text))
        texts[language] = tuple(rows)
    return ParallelCode(
        name=OWN_CORPUS,
        languages=LANGUAGES,
        texts=texts,
        item_ids=tuple(ids),
        provenance=Provenance(
            source="the project's own parallel solutions, data/parallel_code",
            licence="CC0-1.0",
            citation="the parallel-code corpus of this project",
            notes=(f"{len(ids)} problems, each a whole file per language without comments",),
        ),
    )


# HumanEval in four languages ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Row:
    """One solution of a HumanEval problem."""

    item: str
    text: str
    prompt: str
    body: str


def _read_row(raw: object, language: str, where: str) -> _Row:
    """Check one record; ``where`` names its file and line in messages.

    The Go records keep their imports in a field of their own; the declarations of the others hold
    theirs, and the Java solution closes the class that the declaration opens.
    """
    if not isinstance(raw, Mapping):
        raise ReproError(f"{where}: not a record with fields; restore the file")
    for name in _FIELDS:
        value = raw.get(name)
        if value is None:
            raise ReproError(f"{where}: no field {name!r}; restore the file")
        if not isinstance(value, str) or not value.strip():
            raise ReproError(f"{where}: the field {name!r} holds no text; restore the file")
    prefix, _, number = raw["task_id"].partition("/")
    if prefix != _TASK_PREFIXES[language] or not number:
        raise ReproError(
            f"{where}: task_id {raw['task_id']!r} is not of the form "
            f"{_TASK_PREFIXES[language]}/NUMBER; is this the {language} file?"
        )
    imports = raw.get("import") or ""
    if not isinstance(imports, str):
        raise ReproError(f"{where}: the field 'import' holds no text; restore the file")
    if imports.strip() in raw["declaration"]:
        imports = ""
    return _Row(
        item=f"HumanEval/{number}",
        text=_tidy(f"{imports}{raw['declaration']}{raw['canonical_solution']}"),
        prompt=_tidy(raw["prompt"]),
        body=_tidy(raw["canonical_solution"]),
    )


def _join(
    name: str, rows: Mapping[str, list[_Row]], sources: Mapping[str, str], provenance: Provenance
) -> ParallelCode:
    """Bring the languages into the order of the Python rows; ``sources`` names them in messages."""
    for language, found in rows.items():
        if not found:
            raise ReproError(f"{sources[language]} holds no problems; restore the file")
        times = Counter(row.item for row in found)
        repeated = [item for item, count in times.items() if count > 1]
        if repeated:
            raise ReproError(f"{sources[language]} repeats {_some(repeated)}; keep one of each")
    order = tuple(row.item for row in rows["python"])
    tables = {language: {row.item: row for row in found} for language, found in rows.items()}
    for language, table in tables.items():
        for here, lacking, other in (
            (sources[language], set(order) - table.keys(), sources["python"]),
            (sources["python"], table.keys() - set(order), sources[language]),
        ):
            if lacking:
                raise ReproError(
                    f"{here} lacks {_some(lacking)} of {other}; all languages need the same "
                    f"problems"
                )
    ordered = {language: [table[item] for item in order] for language, table in tables.items()}
    return ParallelCode(
        name=name,
        languages=LANGUAGES,
        texts={lang: tuple(row.text for row in found) for lang, found in ordered.items()},
        item_ids=order,
        provenance=provenance,
        prompts={lang: tuple(row.prompt for row in found) for lang, found in ordered.items()},
        bodies={lang: tuple(row.body for row in found) for lang, found in ordered.items()},
    )


def _read_humaneval_x(name: str, folder: Path) -> ParallelCode:
    paths = {
        language: folder / f"humaneval_{_SHORT_NAMES[language]}.jsonl" for language in LANGUAGES
    }
    missing = [path.name for path in paths.values() if not path.is_file()]
    if missing:
        raise ReproError(
            f"{folder} lacks {', '.join(missing)}; give path:FOLDER with the four unpacked "
            f"HumanEval-X files"
        )
    rows = {language: _read_lines(path, language) for language, path in paths.items()}
    sources = {language: str(path) for language, path in paths.items()}
    return _join(
        name,
        rows,
        sources,
        Provenance(
            source="HumanEval-X line files, declaration and canonical solution",
            licence="Apache-2.0",
            citation="Zheng et al. 2023, CodeGeeX, arXiv 2303.17568",
            notes=(f"{len(rows['python'])} problems in {len(LANGUAGES)} languages", *_NOTES),
        ),
    )


def _read_lines(path: Path, language: str) -> list[_Row]:
    """The records of one line file; lines end at a line feed alone, as JSON lines do."""
    rows: list[_Row] = []
    content = path.read_bytes().removeprefix(b"\xef\xbb\xbf").removesuffix(b"\n")
    for number, line in enumerate(content.split(b"\n") if content else [], start=1):
        where = f"{path}, line {number}"
        try:
            raw: Any = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError:
            raise ReproError(f"{where}: not UTF-8; convert the file to UTF-8") from None
        except json.JSONDecodeError as error:
            raise ReproError(f"{where}: not JSON ({error.msg}); restore the file") from None
        rows.append(_read_row(raw, language, where))
    return rows


def _read_hub() -> ParallelCode:
    try:
        from datasets import load_dataset
    except ImportError as error:
        raise ReproError(
            f"{HUB_CORPUS} needs the package datasets; install it with `pip install datasets` "
            f"or use {OWN_CORPUS}"
        ) from error
    rows: dict[str, list[_Row]] = {}
    for language in LANGUAGES:
        config = _SHORT_NAMES[language]
        try:
            records: list[Any] = list(load_dataset(HUB_DATASET, config, split="test"))
        # The libraries below raise errors of many unrelated kinds for a missing network.
        except Exception as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise ReproError(
                f"cannot load {HUB_DATASET}, configuration {config}: {reason}; check the network, "
                f"or use {OWN_CORPUS} or path:FOLDER"
            ) from error
        rows[language] = [
            _read_row(record, language, f"{HUB_DATASET} {config}, row {number}")
            for number, record in enumerate(records, start=1)
        ]
    return _join(
        HUB_CORPUS,
        rows,
        {language: f"{HUB_DATASET} {_SHORT_NAMES[language]}" for language in LANGUAGES},
        Provenance(
            source=f"Hugging Face Hub data set {HUB_DATASET}, test split",
            licence="MIT",
            citation="Muennighoff et al. 2023, OctoPack, arXiv 2308.07124",
            notes=(f"{len(rows['python'])} problems in {len(LANGUAGES)} languages", *_NOTES),
        ),
    )
