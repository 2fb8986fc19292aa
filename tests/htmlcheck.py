"""Checks of built HTML pages: each takes a page and gives a list of problems in words.

Nothing here opens a network connection or a browser; ``test_browser.py`` does that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Tag

SHORTEST_ALT = 20
MINUS, MISSING = "\u2212", "\u2013"

_LOADED_LINKS = {
    "stylesheet",
    "preload",
    "icon",
    "modulepreload",
    "preconnect",
    "prefetch",
    "manifest",
}
_EXTERNAL = re.compile(r"(https?:)?//", re.IGNORECASE)
_CSS_URL = re.compile(r"(?:url\(\s*|@import\s+)['\"]?([^'\")\s;]+)", re.IGNORECASE)
_FILE_NAME = re.compile(r"\S+\.(svg|png|jpe?g|gif|webp)", re.IGNORECASE)


@dataclass(frozen=True)
class Page:
    """One HTML file of a site.

    Attributes:
        root: the folder that is served.
        name: path of the file below ``root``, with forward slashes.
        html: its text.
    """

    root: Path
    name: str
    html: str

    @cached_property
    def soup(self) -> BeautifulSoup:
        """The parsed page."""
        return BeautifulSoup(self.html, "html.parser")

    @property
    def article(self) -> Tag:
        """The page's own content, without the theme around it."""
        found = self.soup.find("article")
        return found if isinstance(found, Tag) else self.soup

    @cached_property
    def ids(self) -> frozenset[str]:
        """Every id and anchor name of the page."""
        return frozenset(
            str(tag.get(key))
            for tag in self.soup.find_all(True)
            for key in ("id", "name")
            if tag.get(key)
        )


def read_pages(root: Path) -> dict[str, Page]:
    """All HTML files below ``root`` by name, but for the theme's own."""
    names = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.html"))
    return {
        name: Page(root, name, (root / name).read_text(encoding="utf-8"))
        for name in names
        if not name.startswith("_static/")
    }


def traceback_problems(page: Page) -> list[str]:
    """Traces of a cell that failed or complained."""
    problems = []
    if "Traceback (most recent call last)" in page.soup.get_text():
        problems.append(f"{page.name}: shows a traceback")
    for kind in ("traceback", "stderr"):
        if page.soup.select(f".output.{kind}"):
            problems.append(f"{page.name}: shows {kind} output")
    return problems


def document_problems(page: Page) -> list[str]:
    """A page without language or title."""
    problems = []
    html = page.soup.find("html")
    if not isinstance(html, Tag) or html.get("lang") != "en":
        problems.append(f"{page.name}: html lang is not en")
    title = page.soup.find("title")
    if title is None or not title.get_text().strip():
        problems.append(f"{page.name}: no title")
    return problems


def alt_problems(page: Page) -> list[str]:
    """Images whose text alternative is missing, a file name or too short to say anything."""
    problems = []
    for image in page.soup.find_all("img"):
        alt, where = (
            str(image.get("alt") or "").strip(),
            f"{page.name}: image {str(image.get('src'))[:40]}",
        )
        if not alt:
            problems.append(f"{where} has no alt")
        elif _FILE_NAME.fullmatch(alt):
            problems.append(f"{where} has a file name as alt: {alt}")
        elif len(alt) < SHORTEST_ALT:
            problems.append(f"{where} has an alt that says nothing: {alt}")
    return problems


def id_problems(page: Page) -> list[str]:
    """Ids that occur more than once."""
    counts = Counter(str(tag["id"]) for tag in page.soup.find_all(id=True))
    return [f"{page.name}: id {name} occurs {n} times" for name, n in counts.items() if n > 1]


def heading_problems(page: Page) -> list[str]:
    """No or several top headings, or a level left out."""
    levels = [int(tag.name[1]) for tag in page.article.find_all(re.compile(r"h[1-6]"))]
    problems = []
    if levels.count(1) != 1 or levels[0] != 1:
        problems.append(f"{page.name}: headings should begin with the only h1; levels are {levels}")
    problems += [
        f"{page.name}: heading level jumps from h{before} to h{after}"
        for before, after in pairwise(levels)
        if after > before + 1
    ]
    return problems


def table_problems(page: Page) -> list[str]:
    """Tables without header cells, and tables of notebooks without scopes or caption.

    A header cell inside ``thead`` heads its column by the rules of HTML, which is all that a table
    written in Markdown needs. Tables that the project writes itself say more.
    """
    problems = []
    for number, table in enumerate(page.article.find_all("table"), start=1):
        where = f"{page.name}: table {number}"
        heads = table.find_all("th")
        own = table.find_parent(class_=["repro-table", "cell_output"]) is not None
        if not heads:
            problems.append(f"{where} has no header cell")
        for head in heads:
            if (own or head.find_parent("thead") is None) and head.get("scope") not in (
                "col",
                "row",
            ):
                problems.append(f"{where}: header {head.get_text().strip()!r} has no scope")
        if own and (table.caption is None or not table.caption.get_text().strip()):
            problems.append(f"{where} has no caption")
    return problems


def external_problems(page: Page) -> list[str]:
    """Scripts, styles, fonts, images and frames that a browser would fetch from elsewhere."""
    found = []
    for tag in page.soup.find_all(
        ["script", "img", "iframe", "source", "video", "audio", "embed", "track"]
    ):
        found += [tag.get("src"), tag.get("srcset"), tag.get("poster")]
    found += [tag.get("data") for tag in page.soup.find_all("object")]
    for link in page.soup.find_all("link"):
        if _LOADED_LINKS & set(link.get("rel") or []):
            found.append(link.get("href"))
    for style in page.soup.find_all("style"):
        found += _CSS_URL.findall(style.get_text())
    for tag in page.soup.find_all(style=True):
        found += _CSS_URL.findall(str(tag["style"]))
    return [
        f"{page.name}: loads {address}"
        for address in found
        if address and _EXTERNAL.match(str(address))
    ]


def stylesheet_problems(root: Path) -> list[str]:
    """Style sheets that load something from elsewhere."""
    return [
        f"{path.relative_to(root).as_posix()}: loads {address}"
        for path in sorted(root.rglob("*.css"))
        for address in _CSS_URL.findall(path.read_text(encoding="utf-8"))
        if _EXTERNAL.match(address)
    ]


def link_problems(page: Page, pages: Mapping[str, Page]) -> list[str]:
    """Internal links and resources that lead to no file or to no place in it."""
    problems = []
    for address in _internal_addresses(page):
        parts = urlsplit(address)
        target = _resolve(page.name, unquote(parts.path))
        if target is None or not (page.root / target).is_file():
            problems.append(f"{page.name}: {address} leads nowhere")
        elif (
            parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids
        ):
            problems.append(f"{page.name}: {address} has no such place")
    return problems


def download_problems(page: Page, notebook: str) -> list[str]:
    """A notebook's page without links to its results and to the executed notebook."""
    linked = {
        _resolve(page.name, unquote(urlsplit(address).path))
        for address in _internal_addresses(page)
    }
    wanted = (f"downloads/{notebook}/results.json", f"downloads/{notebook}/{notebook}.ipynb")
    return [f"{page.name}: no link to {name}" for name in wanted if name not in linked]


def hash_problems(page: Page, results: Mapping[str, Any]) -> list[str]:
    """A notebook's page that shows no input hash, or another one than its results."""
    shown = [tag.get_text().strip() for tag in page.article.select(".repro-input-hash")]
    expected = results["run"]["input_hash"]
    if not shown:
        return [f"{page.name}: shows no input hash"]
    return [
        f"{page.name}: shows the input hash {value}, results.json has {expected}"
        for value in shown
        if value != expected
    ]


def number_problems(page: Page, results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Numbers that disagree with the results of their run, or are not rounded from them.

    Args:
        page: the page.
        results: the content of results.json by notebook.
    """
    problems = []
    for tag in numbers(page):
        name, run = str(tag["data-estimate"]), str(tag.get("data-notebook"))
        where = f"{page.name}: number {run}/{name}"
        if run not in results:
            problems.append(f"{where}: no results of {run}")
            continue
        entry = next((item for item in results[run]["estimates"] if item["id"] == name), None)
        field = str(tag.get("data-field") or "value")
        expected = entry.get(field) if entry else None
        if expected is None:
            problems.append(f"{where}: results.json has no {field} of that name")
            continue
        stated = str(tag.get("value") or tag.get("data-value"))
        try:
            agrees = abs(float(stated) - expected) <= 1e-12 * max(1.0, abs(expected))
        except ValueError:
            agrees = False
        if not agrees:
            problems.append(f"{where}: the page says {stated}, results.json {expected!r}")
        shown = tag.get_text().strip()
        if not is_rounding(shown, expected):
            problems.append(f"{where}: shown as {shown}, which is no rounding of {expected!r}")
    return problems


def numbers(page: Page) -> list[Tag]:
    """The elements that show an estimate."""
    return list(page.soup.select("[data-estimate]"))


def is_rounding(shown: str, value: float) -> bool:
    """Whether ``shown`` is ``value`` rounded to the digits that it has.

    A true minus sign, thousands separators, an exponent and a percent sign are understood.
    """
    text = shown.replace(MINUS, "-").replace(",", "").replace("\u00a0", "").strip()
    exact = Decimal(value)
    if text.endswith("%"):
        text, exact = text[:-1].strip(), exact * 100
    try:
        number = Decimal(text)
    except InvalidOperation:
        return False
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int):
        return False
    half = Decimal(1).scaleb(exponent) / 2
    # Half a unit more or less, with a hair of room for a value that lies on the boundary.
    return abs(number - exact) <= half * (1 + Decimal("1e-9"))


def _internal_addresses(page: Page) -> Iterator[str]:
    for tag in page.soup.find_all(True):
        for key in ("href", "src"):
            address = str(tag.get(key) or "")
            if address and not _EXTERNAL.match(address) and not urlsplit(address).scheme:
                yield address


def _resolve(name: str, path: str) -> str | None:
    """The file that ``path`` on the page ``name`` leads to, or None above the root."""
    if not path:
        return name
    parts: list[str] = []
    start = PurePosixPath() if path.startswith("/") else PurePosixPath(name).parent
    for part in (start / path.lstrip("/")).parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part != ".":
            parts.append(part)
    target = "/".join(parts)
    return f"{target}/index.html".lstrip("/") if path.endswith("/") or not target else target
