"""Multiple-choice questions: next sentences out of the embedded documents, and files as published.

Next-sentence choice
    The question is a passage of consecutive sentences of one paragraph, 40 to 80 words long; the
    right choice is the sentence that follows it there; the three wrong ones are sentences of three
    other documents of the same domain. All choices come from one pool: sentences of 8 to 40 words
    that begin and end like sentences and stand at the beginning of no paragraph (so of no document
    either), and of which no two consist of the same words. The wrong choices have the length of the
    right one in words, within ``LENGTH_TOLERANCE``. No two choices of a question share more than
    half of their words (Jaccard index), and no two questions have passages that are near duplicates
    (:func:`reproutils.corpora.documents.near_duplicates`, over words). A document gives at most
    ``MAX_PER_DOCUMENT`` questions, whose passages do not overlap.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from reproutils.corpora.base import Provenance, fingerprint_of, sample_rows
from reproutils.corpora.documents import Documents, load_documents, near_duplicates
from reproutils.corpora.sources import decoded_lines, hub_records, json_records
from reproutils.errors import ReproError
from reproutils.paths import named_path

NEXT_SENTENCE = "next-sentence"
NEXT_SENTENCE_DOMAINS = ("wikipedia", "news", "docstrings")
MAX_PER_DOCUMENT = 4
LENGTH_TOLERANCE = 0.15

_KNOWN_NAMES = f"{NEXT_SENTENCE}, path:FOLDER, path:FILE, hub:DATASET"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WRONG_CHOICES = 3
_PASSAGE_WORDS = range(40, 81)
_SENTENCE_WORDS = range(8, 41)
_MOST_SHARED_WORDS = 0.5
_PARAGRAPHS_PER_DOCUMENT = 12


@dataclass(frozen=True)
class Question:
    """One multiple-choice question.

    Attributes:
        id: unique within its set.
        group: subject, domain or file that it belongs to.
        question: what is asked; of next-sentence choice the passage to be continued.
        choices: two or more answers, in the order in which they are shown.
        answer: the place of the right one, from 0.

    Raises:
        ReproError: a text is empty, there are fewer than two choices, or ``answer`` is none of
            their places.
    """

    id: str
    group: str
    question: str
    choices: tuple[str, ...]
    answer: int

    def __post_init__(self) -> None:
        if not self.question or not all(self.choices):
            raise ReproError(f"question {self.id}: question or choice without text; correct it")
        if len(self.choices) < 2 or not 0 <= self.answer < len(self.choices):
            raise ReproError(
                f"question {self.id}: answer {self.answer} of {len(self.choices)} choices; "
                f"give two or more choices and the place of the right one, from 0"
            )


@dataclass(frozen=True)
class Questions:
    """A set of multiple-choice questions.

    Attributes:
        name: the set as the user named it.
        items: the questions.
        provenance: source, licence, citation and processing notes.

    Raises:
        ReproError: two questions have one identifier.
    """

    name: str
    items: tuple[Question, ...]
    provenance: Provenance

    def __post_init__(self) -> None:
        for identifier, times in Counter(item.id for item in self.items).most_common(1):
            if times > 1:
                raise ReproError(
                    f"{self.name}: the question id {identifier} occurs {times} times; "
                    f"give each question its own"
                )

    def __len__(self) -> int:
        """The number of questions."""
        return len(self.items)

    @property
    def groups(self) -> dict[str, int]:
        """How many questions each group has, in order of appearance."""
        return dict(Counter(item.group for item in self.items))

    @cached_property
    def fingerprint(self) -> str:
        """The first 16 hexadecimal digits of a SHA-256 over the questions. Name and provenance
        are left out."""
        columns = {
            "group": tuple(item.group for item in self.items),
            "question": tuple(item.question for item in self.items),
            "answer": tuple(str(item.answer) for item in self.items),
        }
        most = max((len(item.choices) for item in self.items), default=0)
        for place in range(most):
            columns[f"choice {place}"] = tuple(
                "".join(item.choices[place : place + 1]) for item in self.items
            )
        return fingerprint_of(tuple(columns), columns, tuple(item.id for item in self.items))

    def take(self, n: int, seed: int) -> Questions:
        """A random subsample without replacement, in the order of the whole.

        Args:
            n: the number of questions; 0, or at least ``len(self)``, keeps all of them.
            seed: the seed of the draw. The same ``n`` and ``seed`` always give the same questions.

        Raises:
            ReproError: ``n`` is negative.
        """
        rows = sample_rows(len(self), n, seed)
        return Questions(self.name, tuple(self.items[row] for row in rows), self.provenance)


# Loading by name -----------------------------------------------------------------------------


def load_questions(name: str = NEXT_SENTENCE, *, seed: int, n: int = 0) -> Questions:
    """Load multiple-choice questions.

    Args:
        name: one of

            - ``next-sentence``: built from the embedded documents, with the domains as groups;
            - ``path:FILE`` or ``path:FOLDER`` (a relative path starts at the project's root), with
              the files ``*.jsonl`` and ``*.csv`` of the folder, or else of its subfolder ``test``:

              - ARC: JSON lines with ``id``, ``question.stem``, ``question.choices`` (``text`` and
                ``label``) and ``answerKey``; labels are letters or numbers;
              - MMLU: headerless CSV with question, four choices and the answer's letter; the file
                name is the subject;
              - our own form: JSON lines with ``question``, ``choices`` (a list of strings) and
                ``answer`` (a letter, or a place from 0), if wanted ``id`` and ``group``;

            - ``hub:allenai/ai2_arc:ARC-Challenge``, ``hub:cais/mmlu:all`` and data sets of their
              form on the Hugging Face Hub, ``hub:OWNER/NAME:CONFIGURATION`` or
              ``hub:OWNER/NAME:CONFIGURATION:SPLIT`` (default ``test``); needs the package
              ``datasets`` and a network or a filled cache.
        seed: the seed of the draw, and of the choices of ``next-sentence``.
        n: how many questions; 0, or more than there are, takes all.

    Returns:
        The questions in the order of the source, every run of white space one space. Left out and
        counted in the notes of the provenance: later ones of those with the same question and
        choices, and published ones in which a choice stands twice.

    Raises:
        ReproError: unknown name; a file that is missing, empty or of another form, with file and
            line; an answer that is none of the choices; a text that is empty; no question left.
    """
    kind, _, place = name.partition(":")
    if name == NEXT_SENTENCE:
        return next_sentence_questions(
            [load_documents(domain) for domain in NEXT_SENTENCE_DOMAINS], seed
        ).take(n, seed)
    if kind == "path" and place:
        found, source = _read_path(named_path(name))
    elif kind == "hub" and place:
        found, source = _read_hub(name)
    else:
        near = get_close_matches(kind, (NEXT_SENTENCE, "path", "hub"), n=1, cutoff=0.0)[0]
        example = {"path": "path:FOLDER", "hub": "hub:DATASET"}.get(near, near)
        raise ReproError(
            f"unknown questions {name!r}; the nearest is {example} (known: {_KNOWN_NAMES})"
        )
    seen: set[tuple[str, ...]] = set()
    items = []
    twice = 0
    for candidate in found:
        if len(set(candidate.choices)) < len(candidate.choices):
            twice += 1
            continue
        key = (candidate.question, *sorted(candidate.choices))
        if key not in seen:
            seen.add(key)
            items.append(candidate)
    notes = [f"questions read: {len(found)}"]
    notes += [f"left out, a choice stands twice: {twice}"] if twice else []
    repeated = len(found) - twice - len(items)
    notes += [f"left out, same question and choices as before: {repeated}"] if repeated else []
    if not items:
        raise ReproError(f"{name} holds no usable question ({'; '.join(notes)}); use another")
    provenance = Provenance(source.source, source.licence, source.citation, tuple(notes))
    return Questions(name, tuple(items), provenance).take(n, seed)


# Next-sentence choice ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sentence:
    """A sentence of the pool, with its document, its length and its set of words."""

    text: str
    document: int
    n_words: int
    words: frozenset[str]


@dataclass(frozen=True)
class _Passage:
    """A passage and the sentence that follows it."""

    text: str
    following: _Sentence


def next_sentence_questions(corpora: Sequence[Documents], seed: int) -> Questions:
    """Build next-sentence questions; see the module for the rules.

    Args:
        corpora: one corpus per domain; wrong choices come from the same one.
        seed: the seed of the passages that are used, the wrong choices and their order.

    Returns:
        The questions by domain and document. The notes of the provenance say how many passages
        there were and why some are not used.

    Raises:
        ReproError: the package syntok is missing, or no question can be built.
    """
    items: list[Question] = []
    notes: list[str] = []
    for documents in corpora:
        more, counts = _domain_questions(documents, np.random.default_rng(seed))
        items += more
        notes += [f"{documents.domain}, {step}: {count}" for step, count in counts.items()]
    if not items:
        raise ReproError(
            f"no next-sentence question can be built ({'; '.join(notes)}); give longer documents, "
            f"or more of them"
        )
    provenances = [documents.provenance for documents in corpora]
    return Questions(
        name=NEXT_SENTENCE,
        items=tuple(items),
        provenance=Provenance(
            source="next-sentence choice from: " + "; ".join(p.source for p in provenances),
            licence=" AND ".join(dict.fromkeys(p.licence for p in provenances)),
            citation="; ".join(p.citation for p in provenances),
            notes=tuple(notes),
        ),
    )


def _domain_questions(
    documents: Documents, generator: np.random.Generator
) -> tuple[list[Question], dict[str, int]]:
    """The questions of one corpus and the number of passages left by each step."""
    passages: list[_Passage] = []
    pool: list[_Sentence] = []
    for row, text in enumerate(documents.texts):
        for paragraph in _drawn_paragraphs(text, generator):
            sentences = _split_sentences(paragraph)
            found = [_sentence(sentence, row) for sentence in sentences]
            pool += [sentence for sentence in found[1:] if sentence]
            passages += _passages(sentences, found)
    counts = {"passages": len(passages)}
    times = Counter(sentence.words for sentence in pool)
    pool = [sentence for sentence in pool if times[sentence.words] == 1]
    numbers: dict[str, int] = {}
    repeats = near_duplicates(
        [
            [numbers.setdefault(word, len(numbers)) for word in _words(passage.text)]
            for passage in passages
        ]
    )
    passages = [
        passage
        for passage, repeated in zip(passages, repeats, strict=True)
        if not repeated and times[passage.following.words] == 1
    ]
    counts["passages without near duplicates"] = len(passages)
    by_document: dict[int, list[_Passage]] = defaultdict(list)
    for passage in passages:
        by_document[passage.following.document].append(passage)
    by_length: dict[int, list[_Sentence]] = defaultdict(list)
    for sentence in pool:
        by_length[sentence.n_words].append(sentence)
    items = []
    for row, own in by_document.items():
        built: list[Question] = []
        # More are tried than needed, since some find no wrong choices.
        order = generator.permutation(len(own))
        for place in order:
            if len(built) == MAX_PER_DOCUMENT:
                break
            wrong = _wrong_choices(own[place].following, by_length, generator)
            if wrong is None:
                continue
            choices = [own[place].following.text, *wrong]
            shown = generator.permutation(len(choices))
            built.append(
                Question(
                    id=f"{documents.domain}/{documents.item_ids[row]}/{place + 1}",
                    group=documents.domain,
                    question=own[place].text,
                    choices=tuple(choices[number] for number in shown),
                    answer=int(np.flatnonzero(shown == 0)[0]),
                )
            )
        items += sorted(built, key=lambda item: int(item.id.rpartition("/")[2]))
    counts["questions"] = len(items)
    return items, counts


def _wrong_choices(
    right: _Sentence, by_length: Mapping[int, list[_Sentence]], generator: np.random.Generator
) -> list[str] | None:
    """Sentences of three other documents, as long as ``right``; none if there are too few."""
    slack = int(LENGTH_TOLERANCE * right.n_words)
    near = range(right.n_words - slack, right.n_words + slack + 1)
    candidates = [sentence for length in near for sentence in by_length.get(length, ())]
    chosen = [right]
    for place in generator.permutation(len(candidates)):
        candidate = candidates[place]
        if all(
            candidate.document != other.document
            and _shared_words(candidate, other) <= _MOST_SHARED_WORDS
            for other in chosen
        ):
            chosen.append(candidate)
            if len(chosen) > _WRONG_CHOICES:
                return [sentence.text for sentence in chosen[1:]]
    return None


def _shared_words(a: _Sentence, b: _Sentence) -> float:
    return len(a.words & b.words) / len(a.words | b.words)


def _passages(sentences: Sequence[str], found: Sequence[_Sentence | None]) -> Iterator[_Passage]:
    """Passages of a paragraph from its start, each beginning after what followed the last."""
    start = 0
    for number in range(1, len(sentences)):
        text = " ".join(sentences[start:number])
        n_words = len(text.split())
        following = found[number]
        if n_words in _PASSAGE_WORDS and following:
            yield _Passage(text, following)
            start = number + 1
        elif n_words >= _PASSAGE_WORDS.stop:
            start = number


_INDENTED = re.compile(r"\s")
_NO_PROSE = re.compile(r">>>|::|^\.\. |^[-*=~^#|]|https?://|:\w+:`|\]_|[{}\\$|]", re.MULTILINE)
_SENTENCE = re.compile(r"[\"“'‘(]?[A-ZÀ-Þ].*[.!?][\"”'’)]*")
_WORD = re.compile(r"[^\W_]+")


def _drawn_paragraphs(text: str, generator: np.random.Generator) -> list[str]:
    """Paragraphs that are long enough for a passage and what follows it, at most
    ``_PARAGRAPHS_PER_DOCUMENT``, in order: splitting all of a long article would take seconds."""
    least = _PASSAGE_WORDS.start + _SENTENCE_WORDS.start
    long = [paragraph for paragraph in _paragraphs(text) if len(paragraph.split()) >= least]
    rows = generator.permutation(len(long))[:_PARAGRAPHS_PER_DOCUMENT]
    return [long[row] for row in sorted(rows)]


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of running text, each on one line.

    Blank lines separate paragraphs. An indented one (a parameter's description, an example) and one
    with code, formulas, addresses, references or a heading's underline is left out.
    """
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.strip("\n").split("\n")
        if not any(_INDENTED.match(line) for line in lines) and not _NO_PROSE.search(paragraph):
            yield " ".join(paragraph.split())


def _split_sentences(paragraph: str) -> list[str]:
    try:
        from syntok import segmenter
    except ImportError as error:
        raise ReproError(
            f"{NEXT_SENTENCE} needs the package syntok; install it with `pip install syntok`"
        ) from error
    return [
        paragraph[tokens[0].offset : tokens[-1].offset + len(tokens[-1].value)]
        for block in segmenter.process(paragraph)
        for tokens in block
    ]


def _sentence(text: str, document: int) -> _Sentence | None:
    """The sentence for the pool, or none if it is too short, too long or no whole sentence."""
    n_words = len(text.split())
    if n_words not in _SENTENCE_WORDS or not _SENTENCE.fullmatch(text):
        return None
    return _Sentence(text, document, n_words, frozenset(_words(text)))


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


# Published files -----------------------------------------------------------------------------


def _read_path(place: Path) -> tuple[list[Question], Provenance]:
    paths = (
        [place] if place.is_file() else _question_files(place) or _question_files(place / "test")
    )
    if not paths:
        raise ReproError(
            f"{place} holds no .jsonl or .csv file with questions; give path:FILE or path:FOLDER"
            if place.is_dir()
            else f"no file or folder {place}; give path:FILE or path:FOLDER"
        )
    found: list[Question] = []
    for path in paths:
        if path.suffix.lower() == ".csv":
            found += _read_csv(path)
        elif path.suffix.lower() == ".jsonl":
            found += [
                _from_record(record, where, path.stem, f"{path.stem}#{number}")
                for number, (where, record) in enumerate(json_records(path), start=1)
            ]
        else:
            raise ReproError(f"{path}: unknown kind of file; give .jsonl or .csv")
    return found, Provenance(
        source=f"questions of {place.name} ({len(paths)} files)",
        licence="as stated by the owner of the files",
        citation=f"{place.name}, as named by the owner of the files",
    )


def _question_files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir() if p.suffix.lower() in {".jsonl", ".csv"})


def _read_csv(path: Path) -> list[Question]:
    """Headerless rows of question, four choices and a letter."""
    subject = re.sub(r"_(test|val|dev)$", "", path.stem)
    reader = csv.reader((f"{line}\n" for line in decoded_lines(path)), strict=True)
    found: list[Question] = []
    line = 1
    while True:
        where = f"{path}, line {line}"
        try:
            row = next(reader)
        except StopIteration:
            return found
        except csv.Error as error:
            raise ReproError(f"{where}: not CSV ({error}); correct the row") from None
        line = reader.line_num + 1
        if not row:
            continue
        if len(row) != 6:
            raise ReproError(
                f"{where}: {len(row)} fields instead of question, four choices and letter; "
                f"correct the row"
            )
        question, *choices, letter = row
        found.append(
            _question(
                where, f"{subject}#{len(found) + 1}", subject, question, choices, "ABCD", letter
            )
        )


def _from_record(record: Mapping[str, Any], where: str, group: str, number: str) -> Question:
    """A question out of an object in one of the forms that :func:`load_questions` names."""
    question: Any = record.get("question")
    choices: Any = record.get("choices")
    answer = record.get("answerKey", record.get("answer"))
    if isinstance(question, dict):
        question, choices = question.get("stem"), question.get("choices")
    labels: Sequence[Any] | None = None
    if isinstance(choices, Mapping):  # columns, as the Hub has ARC
        labels, choices = choices.get("label"), choices.get("text")
    elif isinstance(choices, list) and all(isinstance(choice, Mapping) for choice in choices):
        labels = [choice.get("label") for choice in choices]
        choices = [choice.get("text") for choice in choices]
    if (
        not isinstance(question, str)
        or not isinstance(choices, list)
        or not all(isinstance(choice, str) for choice in choices)
        or not isinstance(answer, str | int)
        or (labels is not None and len(labels) != len(choices))
    ):
        raise ReproError(
            f"{where}: not a question with choices and an answer in a known form (ARC; or "
            f"question, choices and answer); correct the line"
        )
    if labels is None:
        labels = range(len(choices)) if isinstance(answer, int) else _LETTERS[: len(choices)]
    return _question(
        where,
        str(record.get("id") or number),
        str(record.get("group") or record.get("subject") or group),
        question,
        choices,
        [str(label) for label in labels],
        str(answer),
    )


def _question(
    where: str,
    identifier: str,
    group: str,
    question: str,
    choices: Sequence[str],
    labels: Sequence[str],
    answer: str,
) -> Question:
    """White space tidied, the answer found among the labels, no text empty."""
    question = " ".join(question.split())
    tidied = tuple(" ".join(choice.split()) for choice in choices)
    if not question or not all(tidied):
        raise ReproError(f"{where}: the question or a choice holds no text; correct the line")
    if len(tidied) < 2:
        raise ReproError(f"{where}: {len(tidied)} choices, at least 2 are needed; correct the line")
    if list(labels).count(answer.strip()) != 1:
        raise ReproError(
            f"{where}: the answer {answer.strip()!r} is not one of the labels "
            f"{', '.join(labels)}; correct the line"
        )
    return Question(identifier, group, question, tidied, list(labels).index(answer.strip()))


def _read_hub(name: str) -> tuple[list[Question], Provenance]:
    loaded, rows = hub_records(name, "test")
    short = name.removeprefix("hub:").partition(":")[0].rpartition("/")[2]
    found = [
        _from_record(row, f"{loaded}, row {number}", short, f"{short}#{number}")
        for number, row in enumerate(rows, start=1)
    ]
    return found, Provenance(
        source=f"Hugging Face Hub data set {loaded}",
        licence="as stated on the data set's page",
        citation=loaded,
    )
