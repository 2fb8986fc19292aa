"""Documents: Wikipedia's markup, wheels, files and the Hub; chunks, near duplicates and splits."""

from __future__ import annotations

import bz2
import hashlib
import json
import random
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproutils import fetch as fetch_module
from reproutils.corpora import (
    Documents,
    Provenance,
    chunk_documents,
    load_documents,
    split_documents,
    wikipedia,
)
from reproutils.corpora.documents import (
    DOMAINS,
    docstrings,
    document_sources,
    near_duplicates,
    split_articles,
)
from reproutils.corpora.wikipedia import plain_text, read_dump
from reproutils.errors import ReproError
from reproutils.models import LoadedModel


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# Wikipedia's markup --------------------------------------------------------------------------

PROSE = "The river rises in the hills and ends in a lake."


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("The '''[[Aar]]''' is a [[river|stream]] that ''rises'' in the hills.", None),
        (
            "The Aar is a stream<ref>Note {{cite|x}}.</ref> that rises<!-- no --> in the hills.",
            None,
        ),
        ("The Aar is a stream{{sfn|Smith|1990}} that rises{{citation needed}} in the hills.", None),
        ("The Aar ({{IPAc-en|a:r}}; {{lang-de|}}) is a stream that&nbsp;rises in the hills.", None),
        ("[[File:Aar.jpg|thumb|A stream]]The Aar is a stream that rises in the hills.", None),
        ("{{Infobox river|name=Aar}}The Aar is a stream that rises in the hills.", None),
        ("The [http://a.org Aar] is a stream that rises in\nthe hills.", None),
        ("* The Aar is a stream that rises in the hills.", None),
        ("The Aar is a stream that rises in the hills. {{Unknown note|x}}", None),
        (
            "It is {{convert|3|to|5|km|mi|abbr=on}} long, or {{convert|1,300|m|ft}} as some say.",
            "It is 3 to 5 km long, or 1,300 m as some say.",
        ),
        (
            "The word {{lang|grc|ποταμός}} is {{lang-la|flumen}}{{snd}}about 10<sup>3</sup> years.",
            "The word ποταμός is flumen – about 10³ years.",
        ),
        (
            "Water, H<sub>2</sub>O, is {{as of|2014|lc=y}} still {{nowrap|[[liquid|wet]] here}}.",
            "Water, H2O, is as of 2014 still wet here.",
        ),
    ],
)
def test_prose_stays_without_its_markup(wikitext: str, text: str | None) -> None:
    expected = "The Aar is a stream that rises in the hills." if text is None else text
    assert plain_text(wikitext) == (expected, Counter())


@pytest.mark.parametrize(
    ("wikitext", "reason"),
    [
        ("The sum <math>x+y</math> of two numbers is a number again.", "formula"),
        ("It lies at {{coord|1|N|2|E}}, in the middle of the ocean.", "formula or an unknown"),
        ("See https://a.org for all the names of this long river.", "formula or an unknown"),
        ("Too short a line.", "not prose"),
        ("* [[Anna]], a river in the south of the same old country", "not prose"),
        ("and so this line goes on from something that was lost.", "not prose"),
        ("The rivers of this country have the following long names:", "not prose"),
        ("The broken [[link in this line makes it no running text.", "markup left"),
    ],
)
def test_what_is_no_prose_goes_and_is_counted(wikitext: str, reason: str) -> None:
    text, dropped = plain_text(f"{PROSE}\n\n{wikitext}")
    assert text == PROSE
    assert [reason in key for key in dropped] == [True]
    assert list(dropped.values()) == [1]


def test_tables_galleries_and_bare_templates_leave_nothing() -> None:
    blocks = [
        '{| class="wikitable"\n! Head\n|-\n| A cell with quite a number of words in it.\n|}',
        "<gallery>\nFile:A.jpg|A picture with quite a number of words in it.\n</gallery>",
        "{{Infobox|a=b}}\n{{See also|Other}}",
        "[[Category:Rivers]]\n[[File:A.jpg|A picture with quite a number of words in it.]]",
    ]
    assert plain_text("\n\n".join(blocks)) == ("", Counter())


def test_headings_stay_where_prose_follows_and_appendices_go() -> None:
    wikitext = f"""{PROSE}
== Course ==
=== Upper ===
{PROSE}

{PROSE}
=== Empty ===
== Also empty ==
== See also ==
{PROSE}
=== Below it ===
{PROSE}
== Use{{{{anchor|x}}}} ==
{PROSE}
== References ==
{PROSE}"""
    text, _ = plain_text(wikitext)
    assert text.split("\n\n") == [PROSE, "Course", "Upper", PROSE, PROSE, "Use", PROSE]


DUMP = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">
<page><title>Aar</title><ns>0</ns><revision><text>{long}</text></revision></page>
<page><title>AaR</title><ns>0</ns><redirect title="Aar"/><revision><text>x</text></revision></page>
<page><title>Talk:Aar</title><ns>1</ns><revision><text>{long}</text></revision></page>
<page><title>Aar (other)</title><ns>0</ns><revision><text>Short.</text></revision></page>
</mediawiki>"""


def test_a_dump_gives_its_articles(tmp_path: Path) -> None:
    path = write(tmp_path / "dump.bz2", bz2.compress(DUMP.format(long="a &lt;b&gt;").encode()))
    pages, others = read_dump(path)
    assert [(page.title, page.wikitext) for page in pages] == [
        ("Aar", "a <b>"),
        ("Aar (other)", "Short."),
    ]
    assert others == 2
    for broken in (b"no bzip2", bz2.compress(b"<mediawiki>"), bz2.compress(b"x" * 999)[:-5]):
        with pytest.raises(ReproError, match=r"dump\.bz2 is no MediaWiki dump"):
            read_dump(write(path, broken))


def test_wikipedia_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mwparserfromhell", None)
    with pytest.raises(ReproError, match="needs the package mwparserfromhell"):
        plain_text(PROSE)


# The embedded domains by name ----------------------------------------------------------------

MODULE = (
    '"""A module.\n\nWith a docstring that is longer than others."""\n' + "x = 1  # é\r\n" * 200
)


@pytest.fixture
def toy_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose registry names small sources that are in the cache already."""
    root, cache = tmp_path / "project", tmp_path / "cache"
    monkeypatch.setenv("REPROUTILS_ROOT", str(root))
    monkeypatch.setenv("REPROUTILS_CACHE", str(cache))
    monkeypatch.setenv("REPROUTILS_OFFLINE", "1")
    write(root / "data" / "models.toml", "")
    wheel = tmp_path / "toy-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("toy/zebra.py", MODULE)
        archive.writestr("toy/apple.py", f"# apple\n{MODULE}")
        archive.writestr("toy/short.py", "x = 1\n")
        archive.writestr("toy/tests/test_zebra.py", MODULE)
        archive.writestr("toy/data.json", "{}")
    long = " ".join([PROSE] * 20)
    contents = {
        ("wikipedia", "mediawiki", "dump.bz2"): bz2.compress(DUMP.format(long=long).encode()),
        ("news", "lines", "news.cor"): b"First item.\n  Second   item.\n\nFirst item.\n",
        ("python", "modules", wheel.name): wheel.read_bytes(),
        ("docstrings", "docstrings", wheel.name): wheel.read_bytes(),
    }
    registry = ""
    for (name, form, member), content in contents.items():
        write(cache / "downloads" / "documents" / name / member, content)
        registry += (
            f'[documents.{name}]\ndescription = "toy {name}"\nformat = "{form}"\n'
            f'files = [{{ requirement = "toy==1.0", licence = "MIT", citation = "toy 1.0", '
            f'member = "{member}", size = {len(content)}, '
            f'sha256 = "{hashlib.sha256(content).hexdigest()}" }}]\n'
        )
    write(root / "data" / "corpora.toml", registry)
    return root


def test_wikipedia_by_name(toy_project: Path) -> None:
    corpus = load_documents("wikipedia")
    assert (corpus.name, corpus.domain) == ("wikipedia", "wikipedia")
    assert corpus.item_ids == ("Aar",)
    assert corpus.texts == (" ".join([PROSE] * 20),)
    assert corpus.provenance == Provenance(
        "toy wikipedia (toy==1.0)",
        "MIT",
        "toy 1.0",
        (
            "left out, articles with fewer than 200 words of running text: 1",
            "left out, redirects and other pages: 2",
            "documents: 1",
        ),
    )


def test_wikipedia_is_stripped_once(
    toy_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load_documents("wikipedia")
    (kept,) = (tmp_path / "cache" / "documents").iterdir()

    def no_stripping(wikitext: str) -> None:
        raise AssertionError("the articles were stripped again")

    with monkeypatch.context() as patch:
        patch.setattr(wikipedia, "plain_text", no_stripping)
        assert load_documents("wikipedia") == first
    kept.write_text("{", encoding="utf-8")
    assert load_documents("wikipedia") == first
    monkeypatch.setattr(wikipedia, "parser_version", lambda: "another")
    assert load_documents("wikipedia") == first
    assert len(list((tmp_path / "cache" / "documents").iterdir())) == 2


def test_news_by_name(toy_project: Path) -> None:
    corpus = load_documents("news")
    assert dict(zip(corpus.item_ids, corpus.texts, strict=True)) == {
        "news#1": "First item.",
        "news#2": "Second item.",
    }
    assert corpus.provenance.notes == (
        "without text: 1",
        "identical to an earlier one: 1",
        "documents: 2",
    )


def test_python_by_name(toy_project: Path) -> None:
    corpus = load_documents("python")
    assert corpus.item_ids == ("toy/apple.py", "toy/zebra.py")
    assert corpus.texts[1] == MODULE.replace("\r\n", "\n")
    assert corpus.provenance.notes == (
        "left out, modules shorter than 2000 characters: 1",
        "documents: 2",
    )


def test_docstrings_that_are_too_short_are_left_out(toy_project: Path) -> None:
    with pytest.raises(ReproError, match=r"shorter than 400 characters: 2\); use another"):
        load_documents("docstrings")


def test_docstrings_without_importing() -> None:
    source = '''"""Module."""
raise ImportError
class A:
    """Class.

    And
        indented.
    """
    if True:
        def f(self):
            "One."
            async def g(): "Inner."
    else:
        def f(self): "Two."
    def no_text(self): pass
'''
    assert docstrings(source, "a.py") == [
        ("a.py", "Module."),
        ("a.py:A", "Class.\n\nAnd\n    indented."),
        ("a.py:A.f", "One."),
        ("a.py:A.f.g", "Inner."),
        ("a.py:A.f", "Two."),
    ]
    with pytest.raises(ReproError, match=r"a\.py, line 2: .*; restore the file"):
        docstrings("x = 1\nx = = 2\n", "a.py")


def test_a_damaged_or_missing_wheel(toy_project: Path, tmp_path: Path) -> None:
    path = next((tmp_path / "cache" / "downloads" / "documents" / "python").glob("*.whl"))
    content = path.read_bytes()
    registry = toy_project / "data" / "corpora.toml"
    damaged = bytes(len(content))
    path.write_bytes(damaged)
    digests = [hashlib.sha256(each).hexdigest() for each in (content, damaged)]
    write(registry, registry.read_text(encoding="utf-8").replace(*digests))
    with pytest.raises(ReproError, match=r"any\.whl is damaged .*reproutils fetch --verify"):
        load_documents("python")
    path.unlink()
    with pytest.raises(ReproError, match=r"toy==1\.0 is not in the cache"):
        load_documents("python")


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("[documents.x]\nformat = 'lines'\n", "KeyError: 'description'"),
        ("[documents.x]\nformat = 'xml'\n", "'xml' of x is none of mediawiki, lines"),
        ("[other]\n", "KeyError: 'documents'"),
    ],
)
def test_registry_errors(tmp_path: Path, content: str, named: str) -> None:
    with pytest.raises(ReproError, match="not a valid corpus registry") as caught:
        document_sources(write(tmp_path / "corpora.toml", content))
    assert named in str(caught.value)


def test_the_project_registry_names_the_domains() -> None:
    assert tuple(source.name for source in document_sources()) == DOMAINS


# Files, folders and the Hub ------------------------------------------------------------------

WIKITEXT = """ 
 = Homarus = 
 
 Lobsters weigh 0 @.@ 7 kg . 
 
 = = Habitat = = 
 
 The sea . 
 = no title within a paragraph = 
 = Rivers = 
 
 = Gambia = 
 
 A river , <unk> . 
"""


def test_wikitext_is_split_into_articles(tmp_path: Path) -> None:
    for suffix in (".txt", ".tokens"):
        path = write(tmp_path / f"wiki.test{suffix}", WIKITEXT)
        corpus = load_documents(f"path:{path}")
        assert corpus.domain == "wiki.test"
        assert corpus.item_ids == (f"{path.name}#1", f"{path.name}#2")
        first, second = corpus.texts
        assert first.startswith("= Homarus =")
        assert first.endswith("= Rivers =")
        assert second == "= Gambia = \n \n A river , <unk> ."


def test_articles_keep_every_line() -> None:
    lines = WIKITEXT.split("\n")
    kept = "\n".join(split_articles(lines))
    assert [line.strip() for line in kept.split("\n") if line.strip()] == [
        line.strip() for line in lines if line.strip()
    ]


def test_a_folder_of_files(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    write(folder / "b.txt", b"\xef\xbb\xbfTwo\r\nlines\r\n")
    write(folder / "a" / "deep.md", "# Heading\n\ntext\n")
    lines = [{"sentences": ["One.", "Two."]}, {"text": " spaced "}, {"text": ""}]
    write(folder / "c.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines))
    for ignored in ("README.md", "LICENSE.txt", "SOURCE.txt", "image.png"):
        write(folder / ignored, "not a document")
    corpus = load_documents(f"path:{folder}")
    assert (corpus.name, corpus.domain) == (f"path:{folder}", "mine")
    assert dict(zip(corpus.item_ids, corpus.texts, strict=True)) == {
        "a/deep.md": "# Heading\n\ntext",
        "b.txt": "Two\nlines",
        "c.jsonl#1": "One. Two.",
        "c.jsonl#2": "spaced",
    }
    assert corpus.provenance.notes == ("files: 3", "without text: 1", "documents: 4")


def test_a_relative_path_starts_at_the_root_of_the_project(
    toy_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "mine" / "a.txt", "text")
    monkeypatch.chdir(tmp_path / "cache")
    assert load_documents("path:../mine").texts == ("text",)


@pytest.mark.parametrize(
    ("file", "content", "named"),
    [
        ("a.txt", b"good\nb\xe9d\n", r"a\.txt, line 2: byte 0xe9 is not UTF-8"),
        ("a.txt", "", r"a\.txt is empty"),
        ("a.txt", " \n", r"no document of path:.* holds text \(files: 1; without text: 1\)"),
        ("a.pdf", "x", r"a\.pdf: unknown kind of file; give \.md, \.raw"),
        ("a.jsonl", '{"text": "x"}\n{"text": \n', r"a\.jsonl, line 2: not JSON"),
        ("a.jsonl", "[1]\n", r"a\.jsonl, line 1: not an object"),
        ("a.jsonl", '\n{"body": "x"}\n', r"a\.jsonl, line 2: no field 'text'"),
        ("a.jsonl", '{"sentences": ["x", 1]}\n', r"a\.jsonl, line 1: no field 'text'"),
    ],
)
def test_files_that_cannot_be_read(
    tmp_path: Path, file: str, content: str | bytes, named: str
) -> None:
    with pytest.raises(ReproError, match=named) as caught:
        load_documents(f"path:{write(tmp_path / file, content)}")
    assert "\n" not in str(caught.value)


def test_places_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(ReproError, match="no file or folder"):
        load_documents(f"path:{tmp_path}/nowhere")
    with pytest.raises(ReproError, match="holds no text files"):
        load_documents(f"path:{tmp_path}")


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("wikipeda", "wikipedia"),
        ("docstring", "docstrings"),
        ("paht:x", "path:FOLDER"),
        ("path:", "path:FOLDER"),
        ("hb:x", "hub:DATASET"),
    ],
)
def test_unknown_name_shows_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(ReproError, match=f"unknown documents {name!r}; the nearest is {nearest} "):
        load_documents(name)


class Hub:
    """A stand-in for the package ``datasets``."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, rows: Sequence[dict[str, object]]) -> None:
        self.asked: list[tuple[str, str | None, str]] = []
        self.rows = rows
        monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=self.load))

    def load(self, dataset: str, config: str | None, split: str) -> Sequence[dict[str, object]]:
        self.asked.append((dataset, config, split))
        return self.rows


def test_hub_by_column_configuration_and_split(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(monkeypatch, [{"id": 1, "article": "One."}, {"id": 2, "article": None}])
    corpus = load_documents("hub:abisee/cnn_dailymail:3.0.0:validation")
    load_documents("hub:abisee/cnn_dailymail")
    assert hub.asked == [
        ("abisee/cnn_dailymail", "3.0.0", "validation"),
        ("abisee/cnn_dailymail", None, "test"),
    ]
    assert (corpus.domain, corpus.texts) == ("cnn_dailymail", ("One.",))
    assert corpus.item_ids == ("cnn_dailymail#1",)
    assert "configuration 3.0.0, validation split" in corpus.provenance.source


def test_hub_rows_that_are_lines_of_wikitext(monkeypatch: pytest.MonkeyPatch) -> None:
    Hub(monkeypatch, [{"text": f"{line}\n"} for line in WIKITEXT.split("\n")])
    corpus = load_documents("hub:Salesforce/wikitext:wikitext-2-raw-v1")
    assert [text.partition(" \n")[0] for text in corpus.texts] == ["= Homarus =", "= Gambia ="]


def test_hub_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(monkeypatch, [{"label": 1}])
    with pytest.raises(ReproError, match=r"a/b, test split, has no column text.*it has: label"):
        load_documents("hub:a/b")
    hub.rows = []
    with pytest.raises(ReproError, match="it has: no rows"):
        load_documents("hub:a/b")

    def unreachable(*args: str, **kwargs: str) -> None:
        raise ConnectionError("Couldn't reach 'a/b'\nmore lines")

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=unreachable))
    with pytest.raises(ReproError, match="from the Hub: Couldn't reach 'a/b'; check the name"):
        load_documents("hub:a/b:c")
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ReproError, match="needs the package datasets; install it"):
        load_documents("hub:a/b")


# The type ------------------------------------------------------------------------------------


def corpus_of(*texts: str, **changes: object) -> Documents:
    values: dict[str, object] = {
        "name": "toy",
        "domain": "toy",
        "texts": texts,
        "item_ids": tuple(f"d{row}" for row in range(len(texts))),
        "provenance": Provenance("made by hand", "CC0-1.0", "none"),
    }
    return Documents(**(values | changes))  # type: ignore[arg-type]


def test_take_and_fingerprint() -> None:
    corpus = corpus_of(*(f"text {row}" for row in range(20)))
    part = corpus.take(5, 1)
    rows = [corpus.item_ids.index(item) for item in part.item_ids]
    assert len(rows) == 5
    assert rows == sorted(set(rows))
    assert part.texts == tuple(corpus.texts[row] for row in rows)
    assert part == corpus.take(5, 1) != corpus.take(5, 2)
    assert corpus.take(0, 1) == corpus
    assert corpus.fingerprint == replace(corpus, name="x", domain="y").fingerprint
    others = [corpus_of("ab", "c"), corpus_of("a", "bc"), corpus_of("c", "ab")]
    others.append(corpus_of("ab", "c", item_ids=("d0", "d2")))
    assert len({each.fingerprint for each in others}) == 4
    with pytest.raises(ReproError, match="the item id d0 occurs 2 times"):
        corpus_of("ab", "c", item_ids=("d0", "d0"))


# Chunks --------------------------------------------------------------------------------------


def letters(text: str) -> list[int]:
    """A tokenizer with one token per character."""
    return [ord(char) for char in text]


def random_text(length: int, seed: int) -> str:
    return "".join(random.Random(seed).choices([chr(n) for n in range(33, 120)], k=length))


LENGTHS = st.lists(st.integers(1, 120), min_size=1, max_size=8)


@settings(max_examples=50, deadline=None)
@given(LENGTHS, st.integers(6, 20), st.integers(0, 5))
def test_all_chunks_lie_in_their_documents(lengths: list[int], n_tokens: int, seed: int) -> None:
    # Random letters have no near duplicates, so every whole chunk is there.
    corpus = corpus_of(*(random_text(length, row) for row, length in enumerate(lengths)))
    expected = [
        (row, start, corpus.texts[row][start : start + n_tokens])
        for row, length in enumerate(lengths)
        for start in range(0, length - n_tokens + 1, n_tokens)
    ]
    if not expected:
        with pytest.raises(ReproError, match="gives 0 chunks"):
            chunk_documents(corpus, letters, n_tokens, seed=seed)
        return
    chunks = chunk_documents(corpus, letters, n_tokens, seed=seed)
    texts = ["".join(map(chr, ids)) for ids in chunks.ids]
    assert list(zip(chunks.documents, chunks.offsets, texts, strict=True)) == expected
    assert chunks.item_ids == tuple(f"d{row}@{start}" for row, start, _ in expected)
    assert len(chunks) == len(expected)
    assert chunks.n_documents == len({row for row, _, _ in expected})
    assert chunks.dropped_near_duplicates == 0


@settings(max_examples=50, deadline=None)
@given(LENGTHS, st.integers(1, 40), st.integers(0, 4), st.integers(0, 5))
def test_a_sample_is_spread_over_the_documents(
    lengths: list[int], n_chunks: int, most: int, seed: int
) -> None:
    corpus = corpus_of(*(random_text(length, row) for row, length in enumerate(lengths)))
    whole = [min(length // 6, most or length) for length in lengths]
    if n_chunks > sum(whole):
        with pytest.raises(ReproError, match=rf"gives {sum(whole)} chunks .* {n_chunks} are"):
            chunk_documents(corpus, letters, 6, n_chunks=n_chunks, seed=seed, max_per_document=most)
        return
    chunks = chunk_documents(
        corpus, letters, 6, n_chunks=n_chunks, seed=seed, max_per_document=most
    )
    assert len(chunks) == n_chunks
    assert list(zip(chunks.documents, chunks.offsets, strict=True)) == sorted(
        set(zip(chunks.documents, chunks.offsets, strict=True))
    )
    given_ = Counter(chunks.documents)
    for row, available in enumerate(whole):
        # A document that still has chunks gives at most one fewer than any other.
        if given_[row] < available:
            assert max(given_.values()) <= given_[row] + 1


def test_samples_depend_on_the_seed_alone() -> None:
    corpus = corpus_of(*(random_text(300, row) for row in range(10)))

    def sample(seed: int) -> tuple[str, ...]:
        return chunk_documents(corpus, letters, 10, n_chunks=15, seed=seed).item_ids

    assert sample(0) == sample(0)
    assert len({sample(seed) for seed in range(5)}) == 5
    first, second = (chunk_documents(corpus, letters, 10, n_chunks=15, seed=s) for s in (0, 1))
    assert first.fingerprint != second.fingerprint
    assert (
        first.fingerprint == chunk_documents(corpus, letters, 10, n_chunks=15, seed=0).fingerprint
    )


def test_joined_documents_are_cut_as_one_text() -> None:
    corpus = corpus_of(*(random_text(length, length) for length in (37, 5, 64, 11)))
    chunks = chunk_documents(corpus, letters, 10, seed=3, join=True)
    # The order in which documents first occur is the order of the long text, unless one is skipped.
    whole = "".join("".join(map(chr, ids)) for ids in chunks.ids)
    order = sorted(range(4), key=lambda row: whole.find(corpus.texts[row][:5]))
    joined = "".join(f"{corpus.texts[row]}\n\n" for row in order)
    assert whole == joined[: len(whole)]
    assert len(joined) - len(whole) < 10
    for number, (row, offset) in enumerate(zip(chunks.documents, chunks.offsets, strict=True)):
        assert joined.index(corpus.texts[row]) + offset == 10 * number
    orders = {chunk_documents(corpus, letters, 10, seed=s, join=True).ids for s in range(6)}
    assert len(orders) > 1


def test_near_duplicate_chunks_are_dropped_and_counted() -> None:
    first = random_text(100, 0)
    corpus = corpus_of(first, random_text(100, 1), f"{first[:80]}{random_text(20, 2)}")
    chunks = chunk_documents(corpus, letters, 50, seed=0)
    assert chunks.item_ids == ("d0@0", "d0@50", "d1@0", "d1@50", "d2@50")
    assert chunks.dropped_near_duplicates == 1


def test_errors_of_chunking() -> None:
    corpus = corpus_of(random_text(50, 0), random_text(50, 1))
    with pytest.raises(ReproError, match="n_tokens is 0; give at least 1"):
        chunk_documents(corpus, letters, 0, seed=0)
    with pytest.raises(ReproError, match="max_per_document is -1"):
        chunk_documents(corpus, letters, 5, seed=0, max_per_document=-1)
    with pytest.raises(ReproError) as caught:
        chunk_documents(corpus, letters, 20, n_chunks=9, seed=0, max_per_document=1)
    assert str(caught.value) == (
        "toy gives 2 chunks of 20 tokens (0 near duplicates left out, at most 1 of each document), "
        "9 are wanted; lower n_tokens or n_chunks or join the documents"
    )
    with pytest.raises(ReproError, match=r"1 are wanted; lower n_tokens$"):
        chunk_documents(corpus, letters, 200, seed=0, join=True)


def brute_force_repeats(rows: Sequence[Sequence[int]]) -> list[bool]:
    kept: list[set[tuple[int, ...]]] = []
    repeats = []
    for row in rows:
        width = min(5, len(row))
        shingles = {tuple(row[i : i + width]) for i in range(len(row) - width + 1)}
        repeats.append(any(2 * len(shingles & old) > len(shingles | old) for old in kept))
        if not repeats[-1]:
            kept.append(shingles)
    return repeats


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=12), max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 8), st.integers(0, 8)), max_size=6),
)
def test_near_duplicates_against_brute_force(
    rows: list[list[int]], copies: list[tuple[int, int, int]]
) -> None:
    # Parts of other rows make overlaps on both sides of one half.
    for source, start, extra in copies:
        if source < len(rows):
            rows.append([*rows[source][start:], *range(3, 3 + extra), 7])
    assert near_duplicates(rows).tolist() == brute_force_repeats(rows)


def test_near_duplicates_of_a_grid() -> None:
    generator = np.random.default_rng(0)
    grid = generator.integers(0, 50_000, (60, 40))
    for row in range(30, 60):
        # The first part comes from an earlier row: from almost nothing to all of it.
        grid[row, : row - 20] = grid[row - 30, : row - 20]
    repeats = near_duplicates(grid)
    assert repeats.tolist() == brute_force_repeats(grid.tolist())
    assert 0 < repeats.sum() < 30
    assert near_duplicates(grid[:0]).shape == (0,)


# Splits --------------------------------------------------------------------------------------


@given(st.lists(st.integers(10, 60), min_size=20, max_size=40), st.integers(0, 20))
def test_splits_share_no_document_and_hold_their_share(lengths: list[int], seed: int) -> None:
    corpus = corpus_of(*("x" * length for length in lengths))
    shares = (0.5, 0.25, 0.25)
    parts = split_documents(corpus, shares, seed)
    ids = [item for part in parts for item in part.item_ids]
    assert sorted(ids) == sorted(corpus.item_ids)
    for part, share in zip(parts, shares, strict=True):
        rows = [corpus.item_ids.index(item) for item in part.item_ids]
        assert all(a < b for a, b in pairwise(rows))
        held = sum(map(len, part.texts)) / sum(lengths)
        # Each end of a part lies within half a document of its place.
        assert abs(held - share) <= max(lengths) / sum(lengths) + 1e-9


def test_split_errors_and_seeds() -> None:
    corpus = corpus_of(*(f"text {row}" for row in range(10)))
    splits = {split_documents(corpus, (0.5, 0.5), seed)[0].item_ids for seed in range(5)}
    assert len(splits) > 1
    assert split_documents(corpus, (0.5, 0.5), 0) == split_documents(corpus, (0.5, 0.5), 0)
    for shares in ((), (0.5, 0.4), (1.2, -0.2), (1.0, 0.0)):
        with pytest.raises(ReproError, match="not positive numbers with the sum 1"):
            split_documents(corpus, shares, 0)
    with pytest.raises(ReproError, match="toy has 10 documents, too few or too uneven"):
        split_documents(corpus, (0.98, 0.01, 0.01), 0)


# The real texts ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def embedded() -> dict[str, Documents]:
    """All embedded domains, loaded without a download."""

    def no_download(*args: object) -> None:
        raise AssertionError("a download was tried")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fetch_module, "_download", no_download)
        return {name: load_documents(name) for name in DOMAINS}


@pytest.mark.embedded
def test_embedded_sizes(embedded: dict[str, Documents]) -> None:
    # The files are pinned by hash, so the counts are exact.
    sizes = {name: len(corpus) for name, corpus in embedded.items()}
    assert sizes == {"wikipedia": 94, "news": 293, "python": 528, "docstrings": 1648}
    for corpus in embedded.values():
        assert corpus.provenance.notes[-1] == f"documents: {len(corpus)}"
        assert all(text == text.strip("\n") or corpus.domain == "python" for text in corpus.texts)


@pytest.mark.embedded
def test_no_markup_is_left_in_the_articles(embedded: dict[str, Documents]) -> None:
    text = "\n\n".join(embedded["wikipedia"].texts)
    for markup in (r"\[\[", r"\]\]", r"\{\{", r"\}\}", r"'''", r"</?(ref|small|sub|br|div)\b"):
        assert not re.search(markup, text), markup
    for trace in (r"\( ?\)", r"\([,;]", r" ,(?=\s)", r"[\x00-\x09\x0b-\x1f\x7f]", r"&[a-z]+;"):
        assert not re.search(trace, text), trace
    assert not re.search(r"^(See also|References|External links)$", text, re.MULTILINE)
    # Long articles are there nearly whole.
    lengths = [len(article.split()) for article in embedded["wikipedia"].texts]
    assert max(lengths) > 10_000
    assert 4_000 < float(np.mean(lengths)) < 6_000


@pytest.mark.embedded
@pytest.mark.parametrize(
    ("name", "n_tokens", "join"),
    [
        ("wikipedia", 256, False),
        ("news", 224, False),
        ("news", 256, True),
        ("python", 256, False),
        ("docstrings", 256, False),
    ],
)
def test_there_are_150_chunks_of_each_domain(
    embedded: dict[str, Documents], smollm: LoadedModel, name: str, n_tokens: int, join: bool
) -> None:
    def encode(text: str) -> list[int]:
        ids: list[int] = smollm.tokenizer(text, add_special_tokens=False, verbose=False).input_ids
        return ids

    # A part suffices where there are far more.
    part = {"wikipedia": 40, "python": 80, "docstrings": 300}.get(name, 0)
    corpus = embedded[name].take(part, 0)
    chunks = chunk_documents(corpus, encode, n_tokens, n_chunks=150, seed=0, join=join)
    assert {len(ids) for ids in chunks.ids} == {n_tokens}
    assert len(set(chunks.item_ids)) == 150
    assert chunks.n_documents >= 40
    first = chunks.documents[0]
    if not join:
        whole = encode(corpus.texts[first])
        start = chunks.offsets[0]
        assert tuple(whole[start : start + n_tokens]) == chunks.ids[0]
