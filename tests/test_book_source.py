"""The sources of the book: table of contents, labels, citations, left-overs; nothing is built."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
BIBLIOGRAPHY = BOOK / "references.bib"

_LABELS = (
    re.compile(r"^\(([^)\n]+)\)=\s*$", re.MULTILINE),
    re.compile(r"^:(?:label|name): *(\S+)\s*$", re.MULTILINE),
    re.compile(r"^\$\$ *\(([^)\n]+)\)\s*$", re.MULTILINE),
)
_ROLE = r"\{%s\}`([^`]+)`"
# Macros that the one file of MathJax would fetch from files that are not there.
_NOT_IN_MATHJAX = re.compile(
    r"\\(boldsymbol|pmb|bm|color|textcolor|colorbox|cancel|bcancel|xcancel|bbox|enclose|ce|pu|bra|ket"
    r"|braket|verb|href|class|cssId|style|unicode|require)\b"
)


def _entries(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("root", "file"):
                yield value
            elif isinstance(value, list):
                for item in value:
                    yield from _entries(item)


def _prose_of_notebook(path: Path) -> str:
    """The Markdown cells of a percent script, without the comment signs."""
    cells = re.split(r"^(?=# %%)", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = [
        line
        for cell in cells
        if cell.startswith("# %% [markdown]")
        for line in cell.splitlines()[1:]
    ]
    return "\n".join(re.sub(r"^# ?", "", line) for line in lines)


def _without_code(text: str) -> str:
    """``text`` without fenced code that is shown as it stands; directives stay."""
    kept, fence = [], None
    for line in text.splitlines():
        if fence is None and re.match(r"```", line):
            fence = "directive" if line.startswith("```{") else "code"
        elif fence is not None and line == "```":
            if fence == "directive":
                kept.append(line)
            fence = None
            continue
        if fence != "code":
            kept.append(line)
    return "\n".join(kept)


TOC = list(_entries(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))))
CONFIG: dict[str, Any] = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
SOURCES = {
    **{path.name: path.read_text(encoding="utf-8") for path in sorted(BOOK.glob("*.md"))},
    **{path.name: _prose_of_notebook(path) for path in NOTEBOOKS},
}
PROSE = {name: _without_code(text) for name, text in SOURCES.items()}
BIB = BIBLIOGRAPHY.read_text(encoding="utf-8")
KEYS = re.findall(r"^@\w+\{([^,\s]+),", BIB, flags=re.MULTILINE)
LABELS = [
    label.lower() for text in PROSE.values() for form in _LABELS for label in form.findall(text)
]


def _roles(name: str) -> Iterator[tuple[str, str]]:
    """Source and target of each role of that name; ``text <target>`` gives the target."""
    for source, text in PROSE.items():
        for content in re.findall(_ROLE % name, text):
            in_brackets = re.search(r"<([^<>]+)>$", content)
            yield source, in_brackets.group(1) if in_brackets else content


def test_toc_entries_are_pages_or_runs() -> None:
    written = {f"book/{path.stem}" for path in BOOK.glob("*.md")}
    runs = {f"book/runs/{path.stem}" for path in NOTEBOOKS}
    assert [entry for entry in TOC if entry not in written | runs] == []
    assert sorted(written - set(TOC)) == [], "a page that no reader can reach"
    assert len(TOC) == len(set(TOC))


def test_runs_of_the_toc_are_those_of_the_embedded_profile() -> None:
    profile = yaml.safe_load(
        (ROOT / "data" / "profiles" / "embedded.yml").read_text(encoding="utf-8")
    )
    shown = {entry.removeprefix("book/runs/") for entry in TOC if entry.startswith("book/runs/")}
    assert shown == set(profile)


def test_labels_are_unique() -> None:
    assert [label for label, count in Counter(LABELS).items() if count > 1] == []


def test_labels_begin_with_the_name_of_their_file() -> None:
    for name, text in PROSE.items():
        stem = re.sub(r"\W|_", "-", name.rsplit(".", 1)[0])
        for form in _LABELS:
            for label in form.findall(text):
                assert label.replace("_", "-").startswith(f"{stem}-"), (name, label)


def test_references_have_targets() -> None:
    wanted = [*_roles("ref"), *_roles("eq"), *_roles("numref")]
    assert wanted
    assert [(source, target) for source, target in wanted if target.lower() not in LABELS] == []


def test_documents_linked_to_exist() -> None:
    for source, target in _roles("doc"):
        folder = Path("book/runs" if source.endswith(".py") else "book")
        parts: list[str] = []
        for part in (folder / target).parts:
            if part == "..":
                parts.pop()
            else:
                parts.append(part)
        assert "/".join(parts) in TOC, (source, target)


def test_one_bibliography() -> None:
    ignored = {".venv", "_build", ".cache", ".git", "runs"}
    files = [
        path for path in ROOT.rglob("*.bib") if not ignored & set(path.relative_to(ROOT).parts)
    ]
    assert files == [BIBLIOGRAPHY]
    assert CONFIG["bibtex_bibfiles"] == ["book/references.bib"]
    lists = [
        name
        for name, text in SOURCES.items()
        for _ in re.findall(r"^```\{bibliography\}", text, re.M)
    ]
    assert lists == ["references.md"]


def test_bibliography_keys_are_unique_and_plain() -> None:
    assert len(KEYS) == len({key.lower() for key in KEYS})
    assert [key for key in KEYS if not re.fullmatch(r"[a-z]+(19|20)\d\d[a-z0-9]+", key)] == []


@pytest.mark.parametrize("field", ["author", "title", "year"])
def test_bibliography_entries_are_complete(field: str) -> None:
    entries = re.split(r"^@", BIB, flags=re.MULTILINE)[1:]
    assert [
        entry.split(",")[0] for entry in entries if not re.search(rf"^\s*{field}\s*=", entry, re.M)
    ] == []


def test_every_citation_has_an_entry() -> None:
    roles = (
        "cite",
        "cite:p",
        "cite:t",
        "cite:ps",
        "cite:ts",
        "cite:author",
        "cite:year",
        "footcite",
    )
    cited = [
        (source, key.strip())
        for role in roles
        for source, keys in _roles(role)
        for key in keys.split(",")
    ]
    assert cited
    assert [(source, key) for source, key in cited if key not in KEYS] == []


def test_models_are_cited_by_keys_of_the_bibliography() -> None:
    registry = (ROOT / "data" / "models.toml").read_text(encoding="utf-8")
    named = re.findall(
        r'^citation = "([a-z]+(?:19|20)\d\d[a-z0-9]+)"', registry, flags=re.MULTILINE
    )
    assert named
    assert [key for key in named if key not in KEYS] == []


@pytest.mark.parametrize("name", SOURCES)
def test_no_template_left_overs(name: str) -> None:
    found = re.findall(
        r"\b(?:TODO|FIXME|TBD|XXX|CHANGEME|notebook_name|lorem ipsum)\b|\{\{|\(label-here\)|\?\?\?",
        SOURCES[name],
        re.IGNORECASE,
    )
    assert found == []


@pytest.mark.parametrize("name", PROSE)
def test_mathematics_needs_no_further_file(name: str) -> None:
    assert _NOT_IN_MATHJAX.findall(PROSE[name]) == []


@pytest.mark.parametrize("name", SOURCES)
def test_one_top_heading(name: str) -> None:
    headings = re.findall(r"^(#+) \S", _without_code(SOURCES[name]), flags=re.MULTILINE)
    assert [len(signs) for signs in headings].count(1) == 1
    assert headings[0] == "#"


def test_home_page_takes_in_the_verdicts() -> None:
    taken = re.findall(r"^```\{include\} (\S+)$", SOURCES["index.md"], flags=re.MULTILINE)
    assert taken == ["runs/verdicts/verdict_table.md", "runs/verdicts/summary.md"]


def test_configuration_keeps_the_network_out() -> None:
    assert CONFIG["execute"]["execute_notebooks"] == "off"
    assert CONFIG["only_build_toc_files"] is True
    sphinx = CONFIG["sphinx"]["config"]
    assert not re.match(r"(https?:)?//", sphinx["mathjax_path"])
    assert sphinx["language"] == "en"
    assert not any(CONFIG["launch_buttons"].values())
    style = (BOOK / "_static" / "custom.css").read_text(encoding="utf-8")
    assert "http" not in style
    assert "@import" not in style


def _template(node: ast.expr) -> str:
    """A message as written in the source, with ``…`` for what is filled in."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_template, node.values))
    if isinstance(node, ast.BinOp):
        return _template(node.left) + _template(node.right)
    return "…"


def test_messages_explained_are_those_of_the_package() -> None:
    messages = [
        _template(node.args[0])
        for path in sorted((ROOT / "reproutils").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ReproError" and node.args
    ]
    ours = SOURCES["rerun.md"].partition("## Troubleshooting")[2].partition("### Other people")[0]
    terms = [
        term
        for line in re.findall(r"^(`.*)\n: ", ours, flags=re.MULTILINE)
        for term in re.findall("`([^`]+)`", line)
    ]
    assert terms
    patterns = {term: ".*".join(map(re.escape, re.split(r" ?… ?", term))) for term in terms}
    unknown = [
        term
        for term, pattern in patterns.items()
        if not any(re.search(pattern, message, re.DOTALL) for message in messages)
    ]
    assert unknown == []
