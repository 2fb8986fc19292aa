"""Parallel text: surface tokens, filters, the three kinds of source and their errors."""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproutils import fetch as fetch_module
from reproutils.corpora import ParallelText, Provenance, load_parallel_text
from reproutils.corpora.parallel_text import (
    Pair,
    catalogue_sources,
    clean_message,
    clean_text,
    count_words,
    filter_pairs,
    has_markup,
    read_jed,
    read_po,
    shared_surface_tokens,
    surface_spans,
    surface_tokens,
)
from reproutils.errors import ReproError

# Words of both languages, punctuation, digits, placeholders and letters that folding changes.
PIECES = st.sampled_from(
    [
        "Die",
        "die",
        "on",
        "l'eau",
        "Straße",
        "STRASSE",
        "3,5",
        "%",
        "%(name)s",
        "{n}",
        "a_b",
        "É",
        "—",
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES).map(" ".join))


# Surface tokens ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't open the 2nd FILE!", ["don", "t", "open", "the", "2nd", "file"]),
        ("l\u2019été à 3,5 %", ["l", "été", "à", "3", "5"]),
        ("%(name)s in {count} of ${total} %1", ["name", "s", "in", "count", "of", "total", "1"]),
        ("_private file_name", ["private", "file", "name"]),
        ("Straße", ["strasse"]),
        (" \t«—» ", []),
    ],
)
def test_surface_tokens_by_example(text: str, tokens: list[str]) -> None:
    assert surface_tokens(text) == tokens


@given(TEXTS)
def test_surface_tokens_are_the_runs_of_letters_and_digits(text: str) -> None:
    runs = "".join(char if char.isalnum() else "\n" for char in text).split("\n")
    assert surface_tokens(text) == [run.casefold() for run in runs if run]


@given(TEXTS)
def test_spans_point_at_their_tokens(text: str) -> None:
    end_before = 0
    for token, start, end in surface_spans(text):
        assert end_before <= start < end
        assert text[start:end].casefold() == token
        end_before = end


def brute_force_shared(a: str, b: str) -> int:
    left = surface_tokens(b)
    count = 0
    for token in surface_tokens(a):
        if token in left:
            left.remove(token)
            count += 1
    return count


@given(TEXTS, TEXTS)
def test_shared_tokens_against_brute_force(a: str, b: str) -> None:
    shared = shared_surface_tokens(a, b)
    assert shared == brute_force_shared(a, b)
    assert shared == shared_surface_tokens(b, a)
    assert shared_surface_tokens(a, a) == len(surface_tokens(a))


@given(st.lists(PIECES), st.randoms(use_true_random=False))
def test_shared_tokens_ignore_order_case_and_punctuation(
    pieces: list[str], rng: random.Random
) -> None:
    shuffled = pieces.copy()
    rng.shuffle(shuffled)
    text = " ".join(pieces)
    assert shared_surface_tokens(text, " … ".join(shuffled).casefold()) == len(surface_tokens(text))


def test_repeated_tokens_count_as_often_as_in_both() -> None:
    assert shared_surface_tokens("the cat the cat", "the the the") == 2


# Cleaning ------------------------------------------------------------------------------------


@given(TEXTS)
def test_clean_text_leaves_single_spaces_and_is_idempotent(text: str) -> None:
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned
    assert cleaned.split(" ") == (cleaned.split() or [""])


def test_clean_text_composes_and_collapses() -> None:
    assert clean_text(" e\u0301te\u0301\u00a0:\n ok\r\n") == "été : ok"


@pytest.mark.parametrize(
    ("message", "cleaned"),
    [
        ("&File", "File"),
        ("E&xit now", "Exit now"),
        ("_Open", "Open"),
        ("Save _As", "Save As"),
        ("Search &amp; Replace", "Search & Replace"),
        ("Type&hellip;", "Type…"),
        ("&lt;name&gt; of it", "<name> of it"),
        ("R&D at AT&T", "R&D at AT&T"),
        ("&e = the event, &c = the context", "&e = the event, &c = the context"),
        ("&one and &two", "&one and &two"),
        ("file_name __init__", "file_name __init__"),
        ("%(n)s of {total} in ${place} %1", "%(n)s of {total} in ${place} %1"),
    ],
)
def test_clean_message(message: str, cleaned: str) -> None:
    assert clean_message(message) == cleaned


def test_markup() -> None:
    assert has_markup("see <a href='x'>this</a>")
    assert has_markup("line<br />line")
    assert not has_markup("3 < 4 and 5 > 4")
    assert not has_markup("&lt;name&gt;")


def test_words_are_pieces_with_a_letter() -> None:
    assert count_words("Don't stop at 3 % \u2013 ok?") == 4


# Filtering -----------------------------------------------------------------------------------

ROWS = [
    ("The admin site of Django is here", "Le site admin de Django est ici"),  # 3 shared, kept
    ("", "seulement la traduction"),
    ("only the English text", " \n"),
    ("The <b>admin</b> site of Django", "Le site <b>admin</b> de Django"),
    ("Admin Site", "admin site"),
    ("The admin  site of Django is here", "Voici le site admin de Django"),  # English again
    ("A second text", "Le site admin de Django est ici"),  # translation again
    ("Plone site admin", "site admin Plone"),  # too few words
    ("The admin page of Django is here", "La page de Django est là"),  # 2 shared
]


def rows_as_pairs() -> list[Pair]:
    return [Pair(f"toy#{n}", *texts) for n, texts in enumerate(ROWS, start=1)]


def test_each_filter_step_takes_out_its_own() -> None:
    left, notes = filter_pairs(rows_as_pairs(), clean=clean_text)
    assert [pair.item_id for pair in left] == ["toy#1"]
    assert notes == (
        "entries: 9",
        "both sides present: 7",
        "without markup: 6",
        "translation differs: 5",
        "distinct English: 4",
        "distinct translation: 3",
        "at least 6 English words: 2",
        "at least 3 shared surface tokens: 1",
    )


def test_filter_thresholds_are_inclusive() -> None:
    left, _ = filter_pairs(rows_as_pairs(), clean=clean_text, min_words=7, min_shared=2)
    assert [pair.item_id for pair in left] == ["toy#1", "toy#9"]
    left, _ = filter_pairs(rows_as_pairs(), clean=clean_text, min_words=8, min_shared=0)
    assert left == []


def test_markup_is_looked_for_before_references_are_replaced() -> None:
    pairs = [Pair("toy#1", "Use &lt;name&gt; now", "Utilisez &lt;name&gt; ici")]
    left, _ = filter_pairs(pairs, clean=clean_message, min_words=0, min_shared=0)
    assert left[0].english == "Use <name> now"


def test_negative_threshold() -> None:
    with pytest.raises(ReproError, match="min_shared is -1"):
        filter_pairs([], clean=clean_text, min_shared=-1)


# Catalogue formats ---------------------------------------------------------------------------

PO = r"""# translators
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"POT-Creation-Date: YEAR-MO-DA\n"

#: file.py:1
msgid "Save \"all\"\n"
"files"
msgstr "Tout \"enregistrer\"\n"
"maintenant"

#. Default: "Your name"
#: form.pt
#, fuzzy, python-format
msgid "label_name"
msgstr "Votre nom"

#. Default: "A long "label" "
#. "of two lines"
msgctxt "form"
msgid "label_long"
msgstr "Un titre"
msgid "Next without a blank line"
msgstr "Suivant"

#, python-format
msgid "%d file"
msgid_plural "%d files"
msgstr[0] "%d fichier"
msgstr[1] "%d fichiers"

msgid "untranslated"
msgstr ""

#~ msgid "old"
#~ msgstr "vieux"
"""


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_read_po(tmp_path: Path) -> None:
    assert read_po(write(tmp_path / "a.po", PO)) == [
        ('Save "all"\nfiles', 'Tout "enregistrer"\nmaintenant'),
        ("Your name", ""),
        ('A long "label"  of two lines', "Un titre"),
        ("Next without a blank line", "Suivant"),
        ("%d file", "%d fichier"),
        ("untranslated", ""),
    ]


@pytest.mark.parametrize("line", ["msgstt oops", '"text without a keyword"', 'msgid "open'])
def test_read_po_names_the_bad_line(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "a.po", f"# head\n{line}\n")
    with pytest.raises(ReproError, match=r"a\.po, line 2: no gettext syntax"):
        read_po(path)


def test_read_jed(tmp_path: Path) -> None:
    catalogue = {
        "": {"domain": "toy", "language": "fr"},
        "Open": ["Ouvrir"],
        "menu\x04Close": ["Fermer"],
        "%1 cell": ["%1 cellule", "%1 cellules"],
    }
    path = write(tmp_path / "a.json", json.dumps(catalogue))
    assert read_jed(path) == [
        ("Open", "Ouvrir"),
        ("Close", "Fermer"),
        ("%1 cell", "%1 cellule"),
    ]


@pytest.mark.parametrize(
    ("content", "named"),
    [("{", "is not JSON"), ("[]", "no list of forms"), ('{"Open": "x"}', "'Open' has no list")],
)
def test_read_jed_errors(tmp_path: Path, content: str, named: str) -> None:
    with pytest.raises(ReproError, match=named):
        read_jed(write(tmp_path / "a.json", content))


# The catalogues by name ----------------------------------------------------------------------

JED = {
    "": {"language": "fr"},
    "The extension manager of JupyterLab is enabled": [
        "Le gestionnaire d'extension manager JupyterLab est actif"
    ],
    "Save &All": ["Tout &sauver"],
}
DOMAIN_PO = """
#. Default: "The site ${name} of the Plone domain is private"
msgid "site_private"
msgstr "Le site ${name} du domaine Plone est privé"
"""


@pytest.fixture
def toy_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose registry names two small catalogues that are in the cache already."""
    root = tmp_path / "project"
    cache = tmp_path / "cache"
    monkeypatch.setenv("REPROUTILS_ROOT", str(root))
    monkeypatch.setenv("REPROUTILS_CACHE", str(cache))
    monkeypatch.setenv("REPROUTILS_OFFLINE", "1")
    write(root / "data" / "models.toml", "")
    registry = ""
    for name, form, member, content in (
        ("lab", "jed", "lab/fr.json", json.dumps(JED)),
        ("cms", "po", "cms/fr/cms.po", DOMAIN_PO),
    ):
        write(cache / "downloads" / "catalogues" / name / member, content)
        digest = hashlib.sha256(content.encode()).hexdigest()
        registry += (
            f'[catalogues.{name}]\nrequirement = "{name}==1.0"\nlicence = "BSD-3-Clause"\n'
            f'description = "toy"\ncitation = "{name} 1.0"\nformat = "{form}"\n'
            f'files = [{{ language = "fr", domain = "main", member = "{member}", '
            f'size = {len(content.encode())}, sha256 = "{digest}" }}]\n'
        )
    write(root / "data" / "corpora.toml", registry)
    return root


def test_catalogues_by_name(toy_project: Path) -> None:
    corpus = load_parallel_text("catalogues", "en-fr")
    assert corpus.name == "catalogues-en-fr"
    assert corpus.languages == ("en", "fr")
    assert corpus.item_ids == ("lab/main#1", "cms/main#1")
    assert corpus.texts["en"][1] == "The site ${name} of the Plone domain is private"
    assert corpus.texts["fr"][1] == "Le site ${name} du domaine Plone est privé"
    assert corpus.provenance.licence == "BSD-3-Clause"
    assert corpus.provenance.citation == "lab 1.0; cms 1.0"
    assert corpus.provenance.notes[0] == "entries: 3"
    assert corpus.provenance.notes[-1] == "at least 3 shared surface tokens: 2"

    every = load_parallel_text("catalogues", "eng-fra", min_words=0, min_shared=0)
    assert every.texts["en"][1] == "Save All"
    assert every.texts["fr"][1] == "Tout sauver"


def test_catalogues_of_an_unknown_pair(toy_project: Path) -> None:
    with pytest.raises(ReproError, match=r"unknown language pair en-es .* known: en-fr"):
        load_parallel_text("catalogues", "en-es")


def test_catalogue_that_is_not_there(toy_project: Path, tmp_path: Path) -> None:
    (tmp_path / "cache" / "downloads" / "catalogues" / "cms" / "cms" / "fr" / "cms.po").unlink()
    with pytest.raises(ReproError, match=r"cms/fr/cms\.po of cms==1\.0 is not in the cache"):
        load_parallel_text("catalogues", "en-fr")


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("[catalogues.x]\nformat = 'po'\n", "KeyError: 'licence'"),
        ("[catalogues.x]\nformat = 'xml'\n", "'xml' of x is none of po, jed"),
        ("[other]\n", "KeyError: 'catalogues'"),
        ("catalogues = [", "TOMLDecodeError"),
    ],
)
def test_registry_errors(tmp_path: Path, content: str, named: str) -> None:
    path = write(tmp_path / "corpora.toml", content)
    with pytest.raises(ReproError, match="not a valid corpus registry") as caught:
        catalogue_sources(path)
    assert named in str(caught.value)


def test_the_project_registry_is_pinned_and_covers_both_pairs() -> None:
    sources = catalogue_sources()
    files = [entry for source in sources for entry in source.files]
    assert {entry.language for entry in files} == {"fr", "de"}
    assert len({(entry.file.requirement, entry.file.member) for entry in files}) == len(files)
    for source in sources:
        assert len({entry.file.requirement for entry in source.files}) == 1
        assert len({(entry.language, entry.domain) for entry in source.files}) == len(source.files)


# Line files ----------------------------------------------------------------------------------

ENGLISH = ["The Google office of Berlin is open", "Paris, Texas is a film of 1984 by Wenders"]
FRENCH = ["Le bureau Google de Berlin est open", "Paris, Texas est un film de 1984 de Wenders"]
GERMAN = ["Das Google office in Berlin ist open", "Paris, Texas ist ein Film von 1984 von Wenders"]


def write_lines(path: Path, lines: list[str]) -> Path:
    return write(path, "".join(f"{line}\n" for line in lines))


def write_news(folder: Path) -> Path:
    write_lines(folder / "news.eng-fra.eng", ENGLISH)
    write_lines(folder / "news.eng-fra.fra", FRENCH)
    write_lines(folder / "news.deu-eng.deu", GERMAN)
    write_lines(folder / "news.deu-eng.eng", ENGLISH)
    write(folder / "SOURCE.txt", "where they come from\n")
    return folder


def test_line_files_by_pair(tmp_path: Path) -> None:
    name = f"path:{write_news(tmp_path)}"
    french = load_parallel_text(name, "en-fr")
    assert french.name == f"{name}-en-fr"
    assert french.item_ids == ("news.eng-fra#1", "news.eng-fra#2")
    assert french.texts == {"en": tuple(ENGLISH), "fr": tuple(FRENCH)}
    german = load_parallel_text(name, "en-de")
    assert german.item_ids == ("news.deu-eng#1", "news.deu-eng#2")
    assert german.texts == {"en": tuple(ENGLISH), "de": tuple(GERMAN)}


def test_two_letter_extensions_bom_and_windows_lines(tmp_path: Path) -> None:
    write(tmp_path / "x.en", b"\xef\xbb\xbf" + "\r\n".join(ENGLISH).encode())
    # U+2028 and U+0085 end no line of the file.
    write_lines(tmp_path / "x.fr", [FRENCH[0] + "\u2028ici", FRENCH[1] + "\x85là"])
    corpus = load_parallel_text(f"path:{tmp_path}")
    assert corpus.texts["en"] == tuple(ENGLISH)
    assert corpus.texts["fr"] == (FRENCH[0] + " ici", FRENCH[1] + " là")


def test_a_relative_path_starts_at_the_root_of_the_project(
    toy_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_news(tmp_path / "news")
    monkeypatch.chdir(tmp_path / "cache")
    corpus = load_parallel_text("path:../news")
    assert corpus.name == "path:../news-en-fr"
    assert len(corpus) == 2


def test_several_fitting_files_ask_for_one(tmp_path: Path) -> None:
    write_news(tmp_path)
    write_lines(tmp_path / "talks.en", ENGLISH[:1])
    write_lines(tmp_path / "talks.fr", FRENCH[:1])
    with pytest.raises(ReproError, match=r"2 file pairs for en-fr \(news\.eng-fra, talks\)"):
        load_parallel_text(f"path:{tmp_path}")
    corpus = load_parallel_text(f"path:{tmp_path}/talks")
    assert corpus.item_ids == ("talks#1",)


def test_no_fitting_file_lists_what_is_there(tmp_path: Path) -> None:
    write_news(tmp_path)
    with pytest.raises(ReproError) as caught:
        load_parallel_text(f"path:{tmp_path}", "en-es")
    assert "for en-es" in str(caught.value)
    assert "news.deu-eng (de, en); news.eng-fra (en, fr)" in str(caught.value)
    with pytest.raises(ReproError, match="named talks for en-fr"):
        load_parallel_text(f"path:{tmp_path}/talks")
    with pytest.raises(ReproError, match="no folder"):
        load_parallel_text(f"path:{tmp_path}/nowhere/talks")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ReproError, match=r"found: none"):
        load_parallel_text(f"path:{empty}")


def make_unequal(folder: Path) -> None:
    write_lines(folder / "x.fr", FRENCH[:1])


def make_undecodable(folder: Path) -> None:
    write(folder / "x.fr", FRENCH[0].encode() + b"\nPr\xe9sident\n")


def make_empty(folder: Path) -> None:
    write(folder / "x.fr", "")


def make_untranslated(folder: Path) -> None:
    write_lines(folder / "x.fr", ["", "x y"])


@pytest.mark.parametrize(
    ("spoil", "parts"),
    [
        (make_unequal, ("x.en has 2 lines", "x.fr has 1;")),
        (make_undecodable, ("x.fr, line 2: byte 0xe9 is not UTF-8",)),
        (make_empty, ("x.fr is empty",)),
        (
            make_untranslated,
            ("no pair", "entries: 2; both sides present: 1; ", "surface tokens: 0", "min_words"),
        ),
    ],
)
def test_line_file_errors(
    tmp_path: Path, spoil: Callable[[Path], None], parts: tuple[str, ...]
) -> None:
    write_lines(tmp_path / "x.en", ENGLISH)
    spoil(tmp_path)
    with pytest.raises(ReproError) as caught:
        load_parallel_text(f"path:{tmp_path}")
    assert "\n" not in str(caught.value)
    for part in parts:
        assert part in str(caught.value)


# Names, pairs and the Hub --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("catalogs", "catalogues"),
        ("catalogues-en-fr", "catalogues"),
        ("paht:folder", "path:FOLDER"),
        ("path:", "path:FOLDER"),
        ("hb:wmt14", "hub:DATASET"),
    ],
)
def test_unknown_name_shows_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(ReproError) as caught:
        load_parallel_text(name)
    assert str(caught.value).startswith(
        f"unknown parallel text {name!r}; the nearest is {nearest} "
    )


@pytest.mark.parametrize("pair", ["fr-en", "en", "en-", "en-en", "english-french", "", "en_fr"])
def test_unknown_pair(pair: str) -> None:
    with pytest.raises(ReproError, match=r"unknown language pair .* en-fr or en-de"):
        load_parallel_text("catalogues", pair)


def test_hub_test_split(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str, str]] = []

    def load_dataset(dataset: str, config: str, split: str) -> dict[str, list[dict[str, str]]]:
        asked.append((dataset, config, split))
        rows = zip(ENGLISH, GERMAN, strict=True)
        return {"translation": [{"de": other, "en": english} for english, other in rows]}

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    corpus = load_parallel_text("hub:wmt/wmt16", "en-de")
    assert asked == [("wmt/wmt16", "de-en", "test")]
    assert corpus.texts == {"en": tuple(ENGLISH), "de": tuple(GERMAN)}
    assert corpus.item_ids == ("wmt16-test#1", "wmt16-test#2")


def test_hub_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ReproError, match="needs the package datasets; install it"):
        load_parallel_text("hub:wmt/wmt14")


def test_hub_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def load_dataset(*args: str, **kwargs: str) -> None:
        raise ConnectionError("Couldn't reach 'wmt/wmt14'\nmore lines")

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    with pytest.raises(ReproError) as caught:
        load_parallel_text("hub:wmt/wmt14")
    assert "configuration fr-en: Couldn't reach 'wmt/wmt14'; check" in str(caught.value)


# The type ------------------------------------------------------------------------------------


def toy_corpus(rows: int = 20, **changes: object) -> ParallelText:
    values: dict[str, object] = {
        "name": "toy",
        "languages": ("en", "fr"),
        "texts": {
            "en": tuple(f"text {row}" for row in range(rows)),
            "fr": tuple(f"texte {row}" for row in range(rows)),
        },
        "item_ids": tuple(f"toy#{row}" for row in range(rows)),
        "provenance": Provenance("made by hand", "CC0-1.0", "none"),
    }
    return ParallelText(**(values | changes))  # type: ignore[arg-type]


@given(st.integers(0, 25), st.integers(0, 2**32 - 1))
def test_take_is_an_ordered_seeded_subsample(n: int, seed: int) -> None:
    corpus = toy_corpus()
    part = corpus.take(n, seed)
    rows = [int(item.removeprefix("toy#")) for item in part.item_ids]
    assert len(part) == (n if 0 < n < 20 else 20)
    assert rows == sorted(set(rows))
    assert part.texts["fr"] == tuple(f"texte {row}" for row in rows)
    assert part.item_ids == corpus.take(n, seed).item_ids
    assert (part.fingerprint == corpus.fingerprint) == (len(part) == 20)


def test_take_depends_on_the_seed_and_refuses_a_negative_number() -> None:
    corpus = toy_corpus()
    assert len({corpus.take(5, seed).item_ids for seed in range(10)}) > 1
    with pytest.raises(ReproError, match="cannot take -1 items"):
        corpus.take(-1, 0)


def test_fingerprint_depends_on_the_items_alone() -> None:
    corpus = toy_corpus(2)
    assert corpus.fingerprint == toy_corpus(2, name="other").fingerprint
    assert len(corpus.fingerprint) == 16
    en, fr = corpus.texts["en"], corpus.texts["fr"]
    others = [
        toy_corpus(2, item_ids=("toy#0", "toy#2")),
        toy_corpus(2, texts={"en": en, "fr": fr[::-1]}),
        toy_corpus(2, texts={"en": ("text 0t", "ext 1"), "fr": fr}),
        toy_corpus(2, languages=("en", "de"), texts={"en": en, "de": fr}),
        toy_corpus(2, languages=("fr", "en")),
    ]
    assert len({corpus.fingerprint, *(other.fingerprint for other in others)}) == 6


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"languages": ("en", "de")}, "the languages are en, de but texts are given for en, fr"),
        ({"languages": ("en", "fr", "fr")}, "name each language once"),
        ({"item_ids": ("toy#0",)}, "2 texts in en for 1 items"),
        ({"item_ids": ("toy#0", "toy#0")}, "the item id toy#0 occurs 2 times"),
    ],
)
def test_rows_that_do_not_fit(changes: dict[str, object], named: str) -> None:
    with pytest.raises(ReproError, match=named):
        toy_corpus(2, **changes)


# The real catalogues -------------------------------------------------------------------------


@pytest.mark.embedded
@pytest.mark.parametrize(("pair", "entries", "kept"), [("en-fr", 7963, 451), ("en-de", 5708, 245)])
def test_embedded_catalogues(
    pair: str, entries: int, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_download(*args: object) -> None:
        raise AssertionError("a download was tried")

    monkeypatch.setattr(fetch_module, "_download", no_download)
    corpus = load_parallel_text("catalogues", pair)
    # The files are pinned by hash, so the counts are exact.
    assert corpus.provenance.notes[0] == f"entries: {entries}"
    assert len(corpus) == kept
    other = corpus.languages[1]
    for english, translation in zip(corpus.texts["en"], corpus.texts[other], strict=True):
        assert len(english.split()) >= 6
        assert brute_force_shared(english, translation) >= 3
        assert english.casefold() != translation.casefold()
    sources = {item.partition("/")[0] for item in corpus.item_ids}
    assert sources == {f"jupyterlab-{other}", "django", "plone"}
    assert len({item.partition("#")[0] for item in corpus.item_ids}) >= 10
