"""Tables: structure, alignment and wording of the HTML, and the digits of the CSV."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from reproutils.errors import ReproError
from reproutils.tables import MINUS, MISSING, Interval, estimate_cell, number_cell, show_table


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "measure": ["cosine", "CKA <biased>"],
            "R²": [0.2312345678901234, np.nan],
            "low": [0.171, np.nan],
            "high": [0.298, np.nan],
            "β": [-0.374, 0.0004],
            "n": [442, 1428],
            "ok": [True, False],
        }
    )


def show(folder: Path, table: pd.DataFrame | None = None, **changes: object) -> BeautifulSoup:
    arguments: dict[str, object] = {"name": "demo", "caption": "A caption.", **changes}
    shown = show_table(frame() if table is None else table, folder=folder, **arguments)  # type: ignore[arg-type]
    return BeautifulSoup(shown.data, "html.parser")


def texts(soup: BeautifulSoup) -> list[list[str]]:
    return [[cell.get_text() for cell in row.find_all(["th", "td"])] for row in soup.find_all("tr")]


def test_structure_for_screen_readers(tmp_path: Path) -> None:
    soup = show(tmp_path)
    box = soup.div
    assert box["class"] == ["repro-table"]
    assert (box["id"], box["tabindex"], box["role"]) == ("tab-demo", "0", "region")
    assert box["aria-label"] == "A caption."
    assert soup.table.find(True).name == "caption"
    assert soup.caption.get_text() == "A caption."
    assert all(head["scope"] == "col" for head in soup.thead.find_all("th"))
    for row in soup.tbody.find_all("tr"):
        first, *others = row.find_all(["th", "td"])
        assert (first.name, first["scope"]) == ("th", "row")
        assert {cell.name for cell in others} == {"td"}
    assert not soup.find_all(style=lambda style: style and "color" in style)
    assert soup.table.get("border") in (None, "0")


def test_numbers_are_formatted_and_aligned(tmp_path: Path) -> None:
    soup = show(tmp_path, formats={"R²": Interval("low", "high"), "β": ".2f", "n": ",d"})
    assert texts(soup) == [
        ["measure", "R²", "β", "n", "ok"],
        ["cosine", "0.23 [0.17, 0.30]", f"{MINUS}0.37", "442", "yes"],
        ["CKA <biased>", MISSING, "0.00", "1,428", "no"],
    ]
    numeric = [
        ["num" in cell.get("class", []) for cell in row.find_all(["th", "td"])]
        for row in soup.find_all("tr")
    ]
    assert numeric == [[False, True, True, True, False]] * 3


def test_defaults(tmp_path: Path) -> None:
    assert texts(show(tmp_path))[1] == [
        "cosine", "0.231", "0.171", "0.298", f"{MINUS}0.374", "442", "yes",
    ]  # fmt: skip


def test_csv_keeps_every_digit_and_column(tmp_path: Path) -> None:
    show(tmp_path / "new", formats={"R²": Interval("low", "high", 1)})
    content = (tmp_path / "new" / "demo.csv").read_bytes()
    assert b"\r" not in content
    back = pd.read_csv(tmp_path / "new" / "demo.csv")
    pd.testing.assert_frame_equal(back, frame(), check_exact=True, check_dtype=False)


def test_long_tables_and_cells_are_whole(tmp_path: Path) -> None:
    table = pd.DataFrame({"text": [f"{'word ' * 60}{i}" for i in range(120)]})
    cells = show(tmp_path, table).tbody.find_all("th")
    assert [cell.get_text() for cell in cells] == list(table["text"])


def test_empty_table_keeps_its_head(tmp_path: Path) -> None:
    soup = show(tmp_path, frame().iloc[:0])
    assert texts(soup) == [["measure", "R²", "low", "high", "β", "n", "ok"]]


def test_filtered_rows_lose_only_their_numbers(tmp_path: Path) -> None:
    table = frame()
    assert texts(show(tmp_path, table[table["n"] > 1000]))[1][0] == "CKA <biased>"


def test_caption_is_escaped(tmp_path: Path) -> None:
    soup = show(tmp_path, caption='a < b & "c"')
    assert soup.caption.get_text() == soup.div["aria-label"] == 'a < b & "c"'


@pytest.mark.parametrize(
    ("table", "changes", "words"),
    [
        (None, {"formats": {"R2": ".2f"}}, "nearest is 'R²'"),
        (None, {"formats": {"R²": Interval("low", "hihg")}}, "nearest is 'high'"),
        (None, {"formats": {"measure": ".2f"}}, "'measure' cannot be written"),
        (None, {"formats": {"β": "d"}}, "'β' cannot be written"),
        (None, {"caption": "  "}, "caption"),
        (None, {"name": "a b"}, "cannot name a table"),
        (frame().set_index("measure"), {}, "lose its index"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), {}, "different names"),
        (pd.DataFrame(), {}, "flat columns"),
    ],
)
def test_bad_tables_are_refused(
    tmp_path: Path, table: pd.DataFrame | None, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(ReproError, match=words):
        show(tmp_path, table, **changes)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((0.2312, 0.171, 0.298, 2), "0.23 [0.17, 0.30]"),
        ((-0.374, -0.452, -0.004, 2), f"{MINUS}0.37 [{MINUS}0.45, 0.00]"),
        ((0.2312, float("nan"), 0.3, 3), "0.231"),
        ((float("nan"), 0.1, 0.3, 2), MISSING),
        ((442.0, 400.4, 480.6, 0), "442 [400, 481]"),
        ((float("inf"), 1.0, float("inf"), 1), "∞ [1.0, ∞]"),
    ],
)
def test_estimate_cell(arguments: tuple[float, float, float, int], expected: str) -> None:
    assert estimate_cell(*arguments) == expected


def test_estimate_cell_needs_a_number_of_decimals() -> None:
    with pytest.raises(ReproError, match="decimals"):
        estimate_cell(0.1, 0.0, 0.2, -1)


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_number_cell_is_the_rounded_number(value: float, digits: int) -> None:
    shown = number_cell(value, f".{digits}f")
    assert "-" not in shown
    assert not (shown.startswith(MINUS) and float(shown.replace(MINUS, "-")) == 0)
    assert float(shown.replace(MINUS, "-")) == float(f"{value:.{digits}f}")


@pytest.mark.parametrize("value", [None, float("nan"), pd.NA, np.float64("nan")])
def test_missing_numbers(value: object) -> None:
    assert number_cell(value) == MISSING


def test_exponents_and_whole_floats() -> None:
    assert number_cell(0.000123, ".1e") == f"1.2e{MINUS}04"
    assert number_cell(7.0, "d") == "7"
    assert number_cell(np.int64(7), "d") == "7"
