"""Multiple-choice questions: next sentences, ARC and MMLU files, the Hub, bad input."""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reproutils.corpora import Documents, Provenance, Question, Questions, load_questions
from reproutils.corpora.questions import MAX_PER_DOCUMENT, next_sentence_questions
from reproutils.errors import ReproError


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def write_lines(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    return write(path, "".join(f"{json.dumps(record)}\n" for record in records))


def arc(identifier: str, texts: Sequence[str], labels: str, key: str) -> dict[str, Any]:
    choices = [
        {"text": text, "label": label, "para": "retrieved"}
        for text, label in zip(texts, labels, strict=True)
    ]
    question = {"stem": f"What is {identifier}?", "choices": choices}
    return {"id": identifier, "question": question, "answerKey": key}


# ARC -----------------------------------------------------------------------------------------


def test_arc_with_letters_numbers_and_three_to_five_choices(tmp_path: Path) -> None:
    records = [
        arc("q1", ["red", "green", "blue", "black"], "ABCD", "C"),
        arc("q2", ["one", "two", "three", "four"], "1234", "2"),
        arc("q3", ["x", " y  y\n", "z"], "ABC", "B"),
        arc("q4", ["a", "b", "c", "d", "e"], "ABCDE", "E"),
    ]
    path = write_lines(tmp_path / "arc_easy.jsonl", records)
    questions = load_questions(f"path:{path}", seed=0)
    assert questions.name == f"path:{path}"
    assert questions.items == (
        Question("q1", "arc_easy", "What is q1?", ("red", "green", "blue", "black"), 2),
        Question("q2", "arc_easy", "What is q2?", ("one", "two", "three", "four"), 1),
        Question("q3", "arc_easy", "What is q3?", ("x", "y y", "z"), 1),
        Question("q4", "arc_easy", "What is q4?", ("a", "b", "c", "d", "e"), 4),
    )
    assert questions.provenance.notes == ("questions read: 4",)
    assert load_questions(f"path:{tmp_path}", seed=0).items == questions.items
    assert load_questions(f"path:{path}", seed=5, n=2).items == questions.take(2, 5).items


def test_files_of_a_folder_are_groups(tmp_path: Path) -> None:
    write_lines(tmp_path / "hard.jsonl", [arc("q1", "ab", "AB", "A")])
    write_lines(tmp_path / "easy.jsonl", [arc("q2", "ab", "AB", "B"), arc("q3", "ab", "AB", "B")])
    write(tmp_path / "SOURCE.txt", "where they come from")
    questions = load_questions(f"path:{tmp_path}", seed=0)
    assert questions.groups == {"easy": 2, "hard": 1}


# MMLU ----------------------------------------------------------------------------------------

CSV = (
    '"Two lines,\nin one question?",a,"b, b",c,d,B\n'
    "Plain?,a,b,c,d,D\r\n"
    "Plain?,d,b,c,a,A\n"
    "Plain?,a,b,c,e,A\n"
    "Twice?,a,a,c,d,C\n"
)


def test_mmlu_rows_and_what_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "test" / "high_school_test.csv", CSV)
    write(tmp_path / "test" / "law_test.csv", "Plain?,a,b,c,d,D\nWhy?,a,b,c,d,C\n")
    write(tmp_path / "val" / "law_val.csv", "Not read?,a,b,c,d,C\n")
    questions = load_questions(f"path:{tmp_path}", seed=0)
    assert questions.items == (
        Question(
            "high_school#1",
            "high_school",
            "Two lines, in one question?",
            ("a", "b, b", "c", "d"),
            1,
        ),
        Question("high_school#2", "high_school", "Plain?", ("a", "b", "c", "d"), 3),
        Question("high_school#4", "high_school", "Plain?", ("a", "b", "c", "e"), 0),
        Question("law#2", "law", "Why?", ("a", "b", "c", "d"), 2),
    )
    assert questions.provenance.notes == (
        "questions read: 7",
        "left out, a choice stands twice: 1",
        "left out, same question and choices as before: 2",
    )


# Our own form --------------------------------------------------------------------------------


def test_our_own_form(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {"question": "A?", "choices": ["x", "y"], "answer": 1},
        {"question": "B?", "choices": ["x", "y", "z"], "answer": "C", "id": "mine"},
        {"question": "C?", "choices": ["x", "y"], "answer": "A", "group": "law"},
    ]
    path = write_lines(tmp_path / "own.jsonl", records)
    assert load_questions(f"path:{path}", seed=0).items == (
        Question("own#1", "own", "A?", ("x", "y"), 1),
        Question("mine", "own", "B?", ("x", "y", "z"), 2),
        Question("own#3", "law", "C?", ("x", "y"), 0),
    )


# Bad input -----------------------------------------------------------------------------------

GOOD = '{"question": "A?", "choices": ["x", "y"], "answer": 0}\n'


@pytest.mark.parametrize(
    ("file", "content", "named"),
    [
        ("a.jsonl", GOOD + "{", r"a\.jsonl, line 2: not JSON"),
        ("a.jsonl", GOOD + "[]", r"a\.jsonl, line 2: not an object"),
        ("a.jsonl", GOOD + "{}", r"a\.jsonl, line 2: not a question with choices"),
        ("a.jsonl", GOOD.replace('["x", "y"]', '"xy"'), "line 1: not a question with choices"),
        ("a.jsonl", GOOD.replace('"y"', "2"), "line 1: not a question with choices"),
        ("a.jsonl", GOOD.replace('"y"', '{"text": "y"}'), "line 1: not a question with choices"),
        ("a.jsonl", GOOD.replace("0}", "null}"), "line 1: not a question with choices"),
        ("a.jsonl", GOOD.replace("0}", "2}"), "line 1: the answer '2' is not .* labels 0, 1"),
        ("a.jsonl", GOOD.replace("0}", '"C"}'), "line 1: the answer 'C' is not .* labels A, B"),
        ("a.jsonl", GOOD.replace("A?", " "), "line 1: the question or a choice holds no text"),
        ("a.jsonl", GOOD.replace('"y"', '""'), "line 1: the question or a choice holds no text"),
        ("a.jsonl", GOOD.replace(', "y"', ""), "line 1: 1 choices, at least 2"),
        ("a.jsonl", GOOD.replace('"y"', '"x"'), r"no usable question \(questions read: 1; left"),
        ("a.jsonl", json.dumps(arc("q", "ab", "AA", "A")), "line 1: the answer 'A' is not one"),
        ("a.jsonl", json.dumps(arc("q", "ab", "12", "B")), "answer 'B' is not .* labels 1, 2"),
        ("a.jsonl", "", r"a\.jsonl is empty"),
        ("a.csv", "Q?,a,b,c,d,A\nQ?,a,b,c,A\n", r"a\.csv, line 2: 5 fields instead of"),
        ("a.csv", '"Q\n?",a,b,c,d,A\nQ?,a,b,c,d,E\n', r"a\.csv, line 3: the answer 'E' is not"),
        ("a.csv", 'Q?,a,b,c,d,A\n"Q"?,a,b,c,d,A\n', r"a\.csv, line 2: not CSV"),
        ("a.csv", 'Q?,a,b,c,d,A\n"Q?,a,b,c,d,A\n', r"a\.csv, line 2: not CSV"),
        ("a.csv", "question,A,B,C,D,answer\n", r"a\.csv, line 1: the answer 'answer' is not"),
        ("a.csv", b"Q?,a,b,c,d,A\n\xff,a,b,c,d,A\n", r"a\.csv, line 2: byte 0xff is not UTF-8"),
        ("a.txt", "x", r"a\.txt: unknown kind of file"),
    ],
)
def test_bad_files(tmp_path: Path, file: str, content: str | bytes, named: str) -> None:
    with pytest.raises(ReproError, match=named) as caught:
        load_questions(f"path:{write(tmp_path / file, content)}", seed=0)
    assert "\n" not in str(caught.value)


def test_places_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(ReproError, match="no file or folder"):
        load_questions(f"path:{tmp_path}/nowhere", seed=0)
    with pytest.raises(ReproError, match=r"holds no \.jsonl or \.csv file"):
        load_questions(f"path:{tmp_path}", seed=0)


def test_repeated_identifiers(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [arc("q", "ab", "AB", "A"), arc("q", "ac", "AB", "A")])
    with pytest.raises(ReproError, match="the question id q occurs 2 times"):
        load_questions(f"path:{path}", seed=0)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("next-sentense", "next-sentence"), ("pth:x", "path:FOLDER"), ("hub:", "hub:DATASET")],
)
def test_unknown_name_shows_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(ReproError, match=f"unknown questions {name!r}; the nearest is {nearest} "):
        load_questions(name, seed=0)


# The Hub -------------------------------------------------------------------------------------


def test_hub_forms_of_arc_and_mmlu(monkeypatch: pytest.MonkeyPatch) -> None:
    tables: dict[tuple[str, str | None, str], list[dict[str, Any]]] = {
        ("allenai/ai2_arc", "ARC-Challenge", "test"): [
            {
                "id": "q1",
                "question": "What?",
                "choices": {"text": ["x", "y", "z"], "label": ["1", "2", "3"]},
                "answerKey": "3",
            }
        ],
        ("cais/mmlu", "all", "validation"): [
            {"question": "Who?", "subject": "law", "choices": ["a", "b", "c", "d"], "answer": 1}
        ],
    }

    def load_dataset(dataset: str, config: str | None, split: str) -> list[dict[str, Any]]:
        return tables[dataset, config, split]

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    first = load_questions("hub:allenai/ai2_arc:ARC-Challenge", seed=0)
    assert first.items == (Question("q1", "ai2_arc", "What?", ("x", "y", "z"), 2),)
    assert "configuration ARC-Challenge, test split" in first.provenance.source
    second = load_questions("hub:cais/mmlu:all:validation", seed=0)
    assert second.items == (Question("mmlu#1", "law", "Who?", ("a", "b", "c", "d"), 1),)
    with pytest.raises(ReproError, match=r"cannot load cais/mmlu, test split, from the Hub"):
        load_questions("hub:cais/mmlu", seed=0)


def test_hub_rows_of_another_form(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"question": "Who?", "choices": {"text": ["a", "b"], "label": ["A"]}, "answerKey": "A"}]
    stand_in = SimpleNamespace(load_dataset=lambda *args, **kwargs: rows)
    monkeypatch.setitem(sys.modules, "datasets", stand_in)
    with pytest.raises(ReproError, match="a/b, test split, row 1: not a question with choices"):
        load_questions("hub:a/b", seed=0)


# The types -----------------------------------------------------------------------------------


def questions_of(n: int) -> Questions:
    items = tuple(Question(f"q{i}", "g", f"Q{i}?", ("x", "y"), i % 2) for i in range(n))
    return Questions("toy", items, Provenance("made by hand", "CC0-1.0", "none"))


def test_a_draw_is_ordered_and_seeded() -> None:
    questions = questions_of(20)
    part = questions.take(5, 1)
    rows = [int(item.id[1:]) for item in part.items]
    assert len(part) == 5
    assert rows == sorted(set(rows))
    assert part == questions.take(5, 1) != questions.take(5, 2)
    assert questions.take(0, 1) == questions.take(99, 1) == questions


def test_fingerprint_depends_on_the_questions_alone() -> None:
    questions = questions_of(2)
    first, second = questions.items
    assert questions.fingerprint == replace(questions, name="other").fingerprint
    changed = [
        replace(first, id="other"),
        replace(first, group="other"),
        replace(first, question="other"),
        replace(first, answer=1),
        replace(first, choices=("x", "y", "z")),
        replace(first, choices=("y", "x")),
        replace(first, choices=("xy", "y")),
    ]
    prints = {replace(questions, items=(each, second)).fingerprint for each in changed}
    assert len(prints | {questions.fingerprint}) == 8


@pytest.mark.parametrize(
    "changes",
    [{"question": ""}, {"choices": ("x", "")}, {"choices": ("x",)}, {"answer": 2}, {"answer": -1}],
)
def test_questions_that_cannot_be(changes: dict[str, Any]) -> None:
    with pytest.raises(ReproError, match="question q: "):
        replace(Question("q", "g", "Q?", ("x", "y"), 0), **changes)


# Next-sentence choice ------------------------------------------------------------------------


def sentence(draw: random.Random, n_words: int) -> str:
    words = ["".join(draw.choices("abcdefghijklmnop", k=6)) for _ in range(n_words)]
    return f"{' '.join(words).capitalize()}."


def toy_documents(n: int, sentences: int = 12, domain: str = "toy") -> Documents:
    draw = random.Random(domain)
    texts = [
        "A heading\n\n"
        + " ".join(sentence(draw, draw.randint(8, 24)) for _ in range(sentences))
        + "\n\nToo short. It is.\n\n>>> code = 1\n\n    Indented text that is no paragraph."
        for _ in range(n)
    ]
    ids = tuple(f"d{row}" for row in range(n))
    provenance = Provenance(f"{domain} texts", "CC0-1.0", "none")
    return Documents(domain, domain, tuple(texts), ids, provenance)


def test_next_sentences_keep_every_rule() -> None:
    corpora = [toy_documents(20, domain="first"), toy_documents(20, domain="second")]
    questions = next_sentence_questions(corpora, seed=0)
    sources = {corpus.domain: corpus for corpus in corpora}
    assert set(questions.groups) == {"first", "second"}
    per_document = Counter(item.id.rpartition("/")[0] for item in questions.items)
    assert 1 < max(per_document.values()) <= MAX_PER_DOCUMENT
    for item in questions.items:
        domain, document, _ = item.id.split("/")
        corpus = sources[domain]
        texts = dict(zip(corpus.item_ids, corpus.texts, strict=True))
        right = item.choices[item.answer]
        assert item.group == domain
        assert 40 <= len(item.question.split()) <= 80
        assert f"{item.question} {right}" in texts[document]
        homes = [key for choice in item.choices for key, text in texts.items() if choice in text]
        assert len(item.choices) == len(homes) == len(set(homes)) == 4
        for choice in item.choices:
            assert 8 <= len(choice.split()) <= 40
            assert abs(len(choice.split()) - len(right.split())) <= 0.15 * len(right.split())
            # In front of it stands another sentence, not the start of a paragraph.
            assert any(f". {choice}" in text for text in texts.values())
    # Passages of one document do not overlap.
    whole = [f"{item.question} {item.choices[item.answer]}" for item in questions.items]
    ends = [text for passage in whole for text in re.split(r"(?<=\.) ", passage)]
    assert len(ends) == len(set(ends))


def test_next_sentences_are_seeded_and_the_answers_spread() -> None:
    corpus = toy_documents(60)
    first = next_sentence_questions([corpus], seed=0)
    assert first.items == next_sentence_questions([corpus], seed=0).items
    assert first.fingerprint != next_sentence_questions([corpus], seed=1).fingerprint
    places = Counter(item.answer for item in first.items)
    assert len(first) > 60
    assert min(places.values()) > len(first) / 8
    steps = dict(note.rsplit(": ", 1) for note in first.provenance.notes)
    assert int(steps["toy, questions"]) == len(first)


def test_repeated_passages_and_sentences_are_left_out() -> None:
    corpus = toy_documents(12)
    copy = replace(
        corpus,
        texts=(*corpus.texts, corpus.texts[0].replace("Too short", "Too long")),
        item_ids=(*corpus.item_ids, "copy"),
    )
    items = next_sentence_questions([copy], seed=0).items
    # Every sentence of the two stands twice, so neither gives a right or a wrong choice.
    assert not any("/d0/" in item.id or "/copy/" in item.id for item in items)
    assert not any(choice in corpus.texts[0] for item in items for choice in item.choices)
    assert any("/d1/" in item.id for item in items)


def test_choices_with_common_words_do_not_meet() -> None:
    corpus = toy_documents(10, sentences=6)
    stock = "The same stock phrase with many common words ends in"
    draw = random.Random(0)
    texts = tuple(
        re.sub(r"(?<=\. )\S.*?\.", lambda _: f"{stock} {sentence(draw, 2).lower()}", text, count=3)
        for text in corpus.texts
    )
    questions = next_sentence_questions([replace(corpus, texts=texts)], seed=0)
    assert len(questions)
    for item in questions.items:
        assert sum(stock in choice for choice in item.choices) <= 1


def test_no_question_can_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ReproError, match=r"toy, passages: 0; .*give longer documents"):
        next_sentence_questions([toy_documents(5, sentences=2)], seed=0)
    with pytest.raises(ReproError, match="no next-sentence question can be built"):
        next_sentence_questions([toy_documents(3)], seed=0)
    monkeypatch.setitem(sys.modules, "syntok", None)
    with pytest.raises(ReproError, match="needs the package syntok"):
        next_sentence_questions([toy_documents(5)], seed=0)


@pytest.mark.embedded
def test_embedded_next_sentences() -> None:
    questions = load_questions("next-sentence", seed=0)
    assert set(questions.groups) == {"wikipedia", "news", "docstrings"}
    assert min(questions.groups.values()) >= 100
    assert len(questions) >= 900
    assert {len(item.choices) for item in questions.items} == {4}
    assert questions.provenance.licence.startswith("CC-BY-SA-3.0 AND ")
    for item in questions.items:
        lengths = [len(choice.split()) for choice in item.choices]
        assert max(lengths) <= 1.15 * lengths[item.answer]
        assert min(lengths) >= 0.85 * lengths[item.answer]
        assert len(set(item.choices)) == 4
