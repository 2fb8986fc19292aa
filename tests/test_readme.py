"""The README says what the Makefile and the book say."""

from __future__ import annotations

import re

import pytest

from reproutils.claims import load_claims
from reproutils.paths import project_root
from reproutils.verdicts import read_runs, verdict_table

ROOT = project_root()
README = (ROOT / "README.md").read_text(encoding="utf-8")


def shown_verdicts() -> dict[str, str]:
    """Claim -> verdict as the README's table gives them."""
    rows = re.findall(r"^\| (A\d+|B\d+) \|[^|]*\| \*\*([^|*]+)\*\* \|", README, flags=re.MULTILINE)
    return dict(rows)


def test_the_commands_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`?make ([a-z-]+)", README):
        if target not in {"and"}:
            assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_each_picture_exists() -> None:
    for path in re.findall(r"!\[[^\]]{20,}\]\(([^)]+)\)", README):
        assert (ROOT / path).is_file(), path
    assert README.count("![") == 1


def test_the_verdicts_are_of_known_claims() -> None:
    shown = shown_verdicts()
    assert shown
    assert set(shown) <= set(load_claims())


@pytest.mark.book
def test_the_verdicts_are_those_of_the_book() -> None:
    runs = ROOT / "book" / "runs"
    if not (runs / "verdicts" / "results.json").is_file():
        pytest.skip("the book is not built; run `make book` first")
    table = verdict_table(read_runs(runs))
    assert shown_verdicts() == dict(zip(table["claim"], table["verdict"], strict=True))
