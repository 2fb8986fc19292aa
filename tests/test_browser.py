"""The built book in headless Chromium: what a reader sees, on a desk and on a phone.

The pages are served from this machine by the test. Every request to anywhere else is refused and
counted as a failure.
"""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESK = {"width": 1250, "height": 900}
PHONE = {"width": 380, "height": 800}
WAIT_MS = 30_000

pytestmark = pytest.mark.browser

# Text that should have become something else: TeX between its signs, a role, a directive.
RAW_TEXT = r"""() => {
  const found = [];
  const article = document.querySelector('article') || document.body;
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  const raw = /\\\(|\\\[|\\begin\{|\$[^$\n]*[\\^_][^$\n]*\$|\{[a-z:]+\}`|^\s*:::/;
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest('pre, code, script, style, mjx-container')) continue;
    if (raw.test(node.data)) found.push(node.data.trim().slice(0, 80));
  }
  return found;
}"""
UNDRAWN_MATH = """() => [...document.querySelectorAll('.math')]
  .filter(math => !math.querySelector('mjx-container svg'))
  .map(math => math.textContent.trim().slice(0, 80))"""
# An undefined macro is drawn in red.
MATH_ERRORS = """() => [...document.querySelectorAll(
    'mjx-container [data-mjx-error], mjx-container [fill="red"]')]
  .map(math => math.getAttribute('data-mjx-error') || math.closest('mjx-container').textContent)"""
EMPTY_IMAGES = """() => [...document.images]
  .filter(image => image.offsetParent !== null && !(image.complete && image.naturalWidth > 0))
  .map(image => image.src.slice(0, 80))"""
FIGURES = """() => [...document.querySelectorAll('figure.repro-figure')].map(figure => {
  const [light, dark] = ['light', 'dark'].map(mode => figure.querySelector(`img.only-${mode}`));
  return {
    name: figure.id,
    light: light.offsetParent !== null,
    dark: dark.offsetParent !== null,
    same_alt: light.alt === dark.alt,
    caption: figure.querySelector('figcaption').offsetParent !== null,
  };
})"""
# A light ground behind light text is what goes wrong when the theme does not know our output.
GROUNDS = """() => [...document.querySelectorAll('.text_html, .repro-table table, .repro-table td')]
  .map(box => getComputedStyle(box).backgroundColor)
  .filter(colour => colour !== 'rgba(0, 0, 0, 0)')"""
SEARCHED = """() => /finished|did not match|found/i
  .test(document.querySelector('#search-results').innerText)"""
WIDTHS = "() => [document.documentElement.scrollWidth, window.innerWidth]"


@dataclass
class Visit:
    """What happened while one page was open."""

    console: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    found: dict[str, Any] = field(default_factory=dict)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address under which the built book is served."""
    if not (HTML / "index.html").is_file():
        pytest.skip("the book is not built; run `make book` first")
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Quiet, directory=str(HTML))
    )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Any]:
    """Headless Chromium of this machine."""
    api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed; pip install playwright"
    )
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield started
        started.close()


def open_page(
    browser: Any,
    address: str,
    name: str,
    visit: Visit,
    viewport: dict[str, int],
    scheme: str = "light",
) -> Any:
    """A new page in a context of its own, watched, with its mathematics drawn."""
    context = browser.new_context(viewport=viewport, color_scheme=scheme)
    context.set_default_timeout(WAIT_MS)

    def guard(route: Any) -> None:
        if route.request.url.startswith(address):
            route.continue_()
        else:
            visit.refused.append(route.request.url)
            route.abort()

    context.route("**/*", guard)
    page = context.new_page()
    page.on(
        "console",
        lambda message: visit.console.append(message.text) if message.type == "error" else None,
    )
    page.on("pageerror", lambda error: visit.console.append(str(error)))
    page.on("requestfailed", lambda request: visit.failed.append(request.url))
    page.on(
        "response",
        lambda answer: (
            visit.failed.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None
        ),
    )
    page.goto(address + name, wait_until="load")
    page.evaluate("() => window.MathJax && MathJax.startup && MathJax.startup.promise")
    return page


@pytest.fixture(scope="module")
def pages(address: str) -> list[str]:
    """Every page of the book itself."""
    found = sorted(path.relative_to(HTML).as_posix() for path in (HTML / "book").rglob("*.html"))
    return [*found, "search.html", "genindex.html"]


@pytest.fixture(scope="module")
def visits(browser: Any, address: str, pages: list[str]) -> dict[str, Visit]:
    """Each page opened once, on a desk, and once more on a phone for its width."""
    made = {}
    for name in pages:
        visit = Visit()
        page = open_page(browser, address, name, visit, DESK)
        for key, script in (
            ("raw", RAW_TEXT),
            ("undrawn", UNDRAWN_MATH),
            ("errors", MATH_ERRORS),
            ("images", EMPTY_IMAGES),
            ("math", "() => document.querySelectorAll('.math').length"),
        ):
            visit.found[key] = page.evaluate(script)
        page.set_viewport_size(PHONE)
        visit.found["widths"] = page.evaluate(WIDTHS)
        page.context.close()
        made[name] = visit
    return made


def test_no_console_error(visits: dict[str, Visit]) -> None:
    assert {name: visit.console for name, visit in visits.items() if visit.console} == {}


def test_no_request_fails(visits: dict[str, Visit]) -> None:
    assert {name: visit.failed for name, visit in visits.items() if visit.failed} == {}


def test_nothing_is_asked_of_another_machine(visits: dict[str, Visit]) -> None:
    assert {name: visit.refused for name, visit in visits.items() if visit.refused} == {}


def test_mathematics_is_drawn(visits: dict[str, Visit]) -> None:
    assert sum(visit.found["math"] for visit in visits.values()) > 0
    assert {
        name: visit.found["undrawn"] for name, visit in visits.items() if visit.found["undrawn"]
    } == {}
    assert {
        name: visit.found["errors"] for name, visit in visits.items() if visit.found["errors"]
    } == {}


def test_no_source_shows_through(visits: dict[str, Visit]) -> None:
    assert {name: visit.found["raw"] for name, visit in visits.items() if visit.found["raw"]} == {}


def test_visible_images_hold_something(visits: dict[str, Visit]) -> None:
    assert {
        name: visit.found["images"] for name, visit in visits.items() if visit.found["images"]
    } == {}


def test_no_page_scrolls_sideways_on_a_phone(visits: dict[str, Visit]) -> None:
    wide = {name: visit.found["widths"] for name, visit in visits.items()}
    assert {name: (is_, may) for name, (is_, may) in wide.items() if is_ > may} == {}


@pytest.mark.parametrize(("word", "expected"), [("anisotropy", True), ("zyzzyva", False)])
def test_search(browser: Any, address: str, word: str, expected: bool) -> None:
    visit = Visit()
    page = open_page(browser, address, f"search.html?q={word}", visit, DESK)
    page.wait_for_function(SEARCHED)
    hits = page.locator("#search-results ul.search li").count()
    page.context.close()
    assert (hits > 0) is expected
    assert visit.refused == []


def test_dark_mode_swaps_figures_and_darkens_tables(
    browser: Any, address: str, pages: list[str]
) -> None:
    with_figures = [
        name
        for name in pages
        if 'class="repro-figure"' in (HTML / name).read_text(encoding="utf-8")
    ]
    assert with_figures, "no page has a figure"
    for name in with_figures:
        page = open_page(browser, address, name, Visit(), DESK)
        for figure in page.evaluate(FIGURES):
            assert figure["light"], (name, figure)
            assert not figure["dark"], (name, figure)
            assert figure["same_alt"], (name, figure)
            assert figure["caption"], (name, figure)
        # The button goes round: as the system, light, dark.
        for _ in range(3):
            if page.evaluate("() => document.documentElement.dataset.theme") == "dark":
                break
            page.locator(".theme-switch-button:visible").first.click()
        assert page.evaluate("() => document.documentElement.dataset.theme") == "dark", name
        for figure in page.evaluate(FIGURES):
            assert figure["dark"], (name, figure)
            assert not figure["light"], (name, figure)
            assert figure["caption"], (name, figure)
        assert page.evaluate(EMPTY_IMAGES) == [], name
        assert page.evaluate(GROUNDS) == [], name
        page.context.close()


def test_dark_system_gets_dark_pages(browser: Any, address: str) -> None:
    page = open_page(browser, address, "book/index.html", Visit(), DESK, scheme="dark")
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"
    page.context.close()


def test_code_can_be_copied(browser: Any, address: str) -> None:
    page = open_page(browser, address, "book/rerun.html", Visit(), DESK)
    blocks = page.locator("article .highlight pre").count()
    assert blocks > 0
    assert page.locator("article button.copybtn").count() == blocks
    page.context.close()
