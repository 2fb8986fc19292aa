"""The built book: what a reader's browser would be given, and whether its numbers are true."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from htmlcheck import (
    Page,
    alt_problems,
    document_problems,
    download_problems,
    external_problems,
    hash_problems,
    heading_problems,
    id_problems,
    is_rounding,
    link_problems,
    number_problems,
    numbers,
    read_pages,
    stylesheet_problems,
    table_problems,
    traceback_problems,
)

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"


# --- the built pages -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site() -> dict[str, Page]:
    """Every page of the built book."""
    if not (HTML / "index.html").is_file():
        pytest.skip("the book is not built; run `make book` first")
    return read_pages(HTML)


@pytest.fixture(scope="module")
def toc() -> list[str]:
    """The pages of the table of contents, as paths without suffix."""
    return list(_files(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))))


@pytest.fixture(scope="module")
def results(site: dict[str, Page]) -> dict[str, Any]:
    """The results that the book offers for download, by notebook."""
    found = sorted((HTML / "downloads").glob("*/results.json"))
    return {path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in found}


def _files(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("root", "file"):
                yield value
            elif isinstance(value, list):
                for item in value:
                    yield from _files(item)


def _notebooks(toc: list[str]) -> list[str]:
    return [name.removeprefix("book/runs/") for name in toc if name.startswith("book/runs/")]


@pytest.mark.book
def test_every_page_of_the_toc_is_built(site: dict[str, Page], toc: list[str]) -> None:
    assert [name for name in toc if f"{name}.html" not in site] == []


@pytest.mark.book
@pytest.mark.parametrize(
    "check", [traceback_problems, document_problems, alt_problems, external_problems, id_problems]
)
def test_every_page_is_sound(site: dict[str, Page], check: Callable[[Page], list[str]]) -> None:
    # The root's index.html only leads on to the first page.
    assert [
        problem for name, page in site.items() if name != "index.html" for problem in check(page)
    ] == []


@pytest.mark.book
@pytest.mark.parametrize("check", [heading_problems, table_problems])
def test_every_chapter_is_well_ordered(
    site: dict[str, Page], toc: list[str], check: Callable[[Page], list[str]]
) -> None:
    assert [problem for name in toc for problem in check(site[f"{name}.html"])] == []


@pytest.mark.book
def test_every_internal_link_and_resource_resolves(site: dict[str, Page]) -> None:
    assert [problem for page in site.values() for problem in link_problems(page, site)] == []


@pytest.mark.book
def test_no_style_sheet_loads_from_elsewhere(site: dict[str, Page]) -> None:
    assert stylesheet_problems(HTML) == []


@pytest.mark.book
def test_mathematics_is_drawn_by_a_local_script(site: dict[str, Page]) -> None:
    with_math = [page for page in site.values() if page.soup.select(".math")]
    assert with_math
    for page in with_math:
        sources = [str(script.get("src")) for script in page.soup.find_all("script")]
        assert [source for source in sources if "_static/mathjax/tex-svg.js" in source], page.name


@pytest.mark.book
def test_every_run_offers_its_results(
    site: dict[str, Page], toc: list[str], results: dict[str, Any]
) -> None:
    problems = []
    for notebook in _notebooks(toc):
        page = site[f"book/runs/{notebook}.html"]
        problems += download_problems(page, notebook)
        if notebook not in results:
            problems.append(f"downloads/{notebook}/results.json is missing")
            continue
        problems += hash_problems(page, results[notebook])
        if results[notebook]["notebook"] != notebook:
            problems.append(
                f"the results of {notebook} are those of {results[notebook]['notebook']}"
            )
    assert problems == []


@pytest.mark.book
def test_downloads_are_those_of_the_runs(results: dict[str, Any]) -> None:
    for notebook in results:
        run = ROOT / "book" / "runs" / notebook / "results.json"
        assert json.loads(run.read_text(encoding="utf-8")) == results[notebook], notebook


@pytest.mark.book
def test_every_number_agrees_with_its_run(site: dict[str, Page], results: dict[str, Any]) -> None:
    assert [problem for page in site.values() for problem in number_problems(page, results)] == []
    assert any(numbers(page) for page in site.values()), "no page shows a number of a run"


@pytest.mark.book
def test_every_claim_of_a_run_is_on_its_page(
    site: dict[str, Page], results: dict[str, Any]
) -> None:
    for notebook, record in results.items():
        if notebook == "verdicts":
            continue
        shown = site[f"book/runs/{notebook}.html"].article.select("[data-claim]")
        assert [tag["data-claim"] for tag in shown] == [claim["id"] for claim in record["claims"]]
        for tag, claim in zip(shown, record["claims"], strict=True):
            assert claim["verdict"] in tag.get_text(), (notebook, claim["id"])


# --- the checks themselves: each must find what it looks for -------------------------------------

TABLE = '<div class="repro-table"><table>{}</table></div>'
RESULTS = {
    "demo": {
        "run": {"input_hash": "abc123"},
        "estimates": [{"id": "r2", "value": 0.2312, "low": 0.171, "high": None, "n": 442}],
    }
}


def page_of(body: str, root: Path = Path(), name: str = "book/page.html") -> Page:
    return Page(root, name, f'<html lang="en"><title>t</title><article>{body}</article></html>')


def data(shown: str, value: str = "0.2312", **other: str) -> str:
    fields = {"data-notebook": "demo", "data-estimate": "r2", **other}
    listed = " ".join(f'{key.replace("_", "-")}="{text}"' for key, text in fields.items())
    return f'<data class="repro-number" {listed} value="{value}">{shown}</data>'


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (traceback_problems, "<p>ok</p>", "<pre>Traceback (most recent call last):</pre>"),
        (traceback_problems, "<p>ok</p>", '<div class="output stderr">warned</div>'),
        (alt_problems, '<img src="a" alt="Two lines that cross at two.">', '<img src="a">'),
        (alt_problems, '<img src="a" alt="Two lines that cross at two.">', '<img src="a" alt="">'),
        (
            alt_problems,
            '<img src="a" alt="Two lines that cross at two.">',
            '<img src="a" alt="../_images/output_12_0.png">',
        ),
        (
            alt_problems,
            '<img src="a" alt="Two lines that cross at two.">',
            '<img src="a" alt="figure">',
        ),
        (id_problems, '<p id="a"><p id="b">', '<p id="a"><p id="a">'),
        (heading_problems, "<h1>a</h1><h2>b</h2><h3>c</h3><h2>d</h2>", "<h1>a</h1><h3>b</h3>"),
        (heading_problems, "<h1>a</h1>", "<h1>a</h1><h1>b</h1>"),
        (heading_problems, "<h1>a</h1>", "<h2>a</h2><h1>b</h1>"),
        (heading_problems, "<h1>a</h1>", "<p>a</p>"),
        (
            table_problems,
            "<table><thead><tr><th>a</th></tr></thead></table>",
            "<table><tr><td>a</td></tr></table>",
        ),
        (
            table_problems,
            TABLE.format('<caption>c</caption><tr><th scope="row">a</th></tr>'),
            TABLE.format("<caption>c</caption><tr><th>a</th></tr>"),
        ),
        (
            table_problems,
            TABLE.format('<caption>c</caption><tr><th scope="row">a</th></tr>'),
            TABLE.format('<tr><th scope="row">a</th></tr>'),
        ),
        (
            external_problems,
            '<script src="a.js"></script>',
            '<script src="https://a.org/b.js"></script>',
        ),
        (external_problems, '<a href="https://a.org">a</a>', '<img src="//a.org/b.png">'),
        (
            external_problems,
            '<link rel="canonical" href="https://a.org">',
            '<link rel="stylesheet" href="https://a.org/b.css">',
        ),
        (
            external_problems,
            "<style>a{b:url(c.woff)}</style>",
            "<style>@font-face{src:url('https://a.org/b.woff')}</style>",
        ),
        (external_problems, "<p>a</p>", '<p style="background:url(https://a.org/b)">a</p>'),
    ],
)
def test_check_tells_good_from_bad(check: Callable[[Page], list[str]], good: str, bad: str) -> None:
    assert check(page_of(good)) == []
    assert len(check(page_of(bad))) == 1


def test_document_check_wants_language_and_title() -> None:
    assert document_problems(page_of("")) == []
    assert len(document_problems(Page(Path(), "a.html", "<html><p>a</p></html>"))) == 2


def test_style_sheet_check(tmp_path: Path) -> None:
    (tmp_path / "good.css").write_text('a{b:url("c.svg")} /* https://a.org */', encoding="utf-8")
    assert stylesheet_problems(tmp_path) == []
    (tmp_path / "bad.css").write_text('@import "https://a.org/b.css";', encoding="utf-8")
    assert stylesheet_problems(tmp_path) == ["bad.css: loads https://a.org/b.css"]


def test_link_check(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "a b.json").write_text("{}", encoding="utf-8")
    other = page_of('<p id="here">', tmp_path, "book/other.html")
    (tmp_path / other.name).write_text(other.html, encoding="utf-8")

    def problems(address: str) -> list[str]:
        page = page_of(f'<a href="{address}">a</a>', tmp_path)
        (tmp_path / page.name).write_text(page.html, encoding="utf-8")
        return link_problems(page, {page.name: page, other.name: other})

    good = [
        "other.html",
        "other.html#here",
        "#",
        "../a%20b.json?v=1",
        "https://a.org/none",
        "mailto:a@b.c",
    ]
    assert [problem for address in good for problem in problems(address)] == []
    bad = ["none.html", "other.html#there", "#there", "../../a.json", "../a.json", "../book/"]
    assert [len(problems(address)) for address in bad] == [1] * len(bad)


def test_download_and_hash_checks() -> None:
    links = "".join(
        f'<a href="../../downloads/demo/{name}">a</a>' for name in ("results.json", "demo.ipynb")
    )
    good = page_of(
        f'{links}<code class="repro-input-hash">abc123</code>', name="book/runs/demo.html"
    )
    assert download_problems(good, "demo") == []
    assert hash_problems(good, RESULTS["demo"]) == []
    bare = page_of("", name="book/runs/demo.html")
    assert len(download_problems(bare, "demo")) == 2
    assert len(hash_problems(bare, RESULTS["demo"])) == 1
    stale = page_of('<code class="repro-input-hash">abc124</code>')
    assert len(hash_problems(stale, RESULTS["demo"])) == 1


@pytest.mark.parametrize(
    "element",
    [
        data("0.23"),
        data("23 %"),
        data("0.17", "0.171", data_field="low"),
        data("442", "442", data_field="n"),
        '<span data-notebook="demo" data-estimate="r2" data-value="0.2312">0.231</span>',
    ],
)
def test_number_check_accepts_true_numbers(element: str) -> None:
    assert number_problems(page_of(element), RESULTS) == []


@pytest.mark.parametrize(
    "element",
    [
        data("0.24"),
        data("0.23", "0.2313"),
        data("0.23", "none"),
        data("high", "0.3", data_field="high"),
        data("\u2013"),
        data("0.23", data_estimate="r3"),
        data("0.23", data_notebook="other"),
        data("0.23", "0.2312", data_field="low"),
    ],
)
def test_number_check_finds_false_numbers(element: str) -> None:
    assert number_problems(page_of(element), RESULTS) != []


@pytest.mark.parametrize(
    ("shown", "value"),
    [
        ("0.23", 0.2312),
        ("\u22120.37", -0.374),
        ("0.00", -0.004),
        ("1,235", 1234.5),
        ("1,234", 1234.5),
        ("2.3e\u22124", 0.000234),
        ("52.0%", 0.52),
        ("0", 0.0),
    ],
)
def test_roundings(shown: str, value: float) -> None:
    assert is_rounding(shown, value)


@pytest.mark.parametrize(
    ("shown", "value"),
    [("0.24", 0.2312), ("0.37", -0.374), ("0.230", 0.2312), ("", 0.0), ("nan", 0.0), ("23", 0.23)],
)
def test_no_roundings(shown: str, value: float) -> None:
    assert not is_rounding(shown, value)
