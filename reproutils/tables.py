"""Tables: a data frame as an accessible HTML table, and as CSV with every digit.

The HTML is written by pandas and completed here: a caption, ``scope`` on the header cells, the
first column as row headers, numbers aligned to the right. It carries no colours of its own, so
that it follows the page into dark mode; the style sheet of the book does the rest.
"""

from __future__ import annotations

import difflib
import html
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from bs4 import BeautifulSoup
from IPython.display import HTML

from reproutils.errors import ReproError
from reproutils.figures import check_name
from reproutils.paths import atomic_write

#: What stands for a value that is not there: an en dash.
MISSING = "\u2013"
#: The minus sign, which lines up with the digits as a hyphen does not.
MINUS = "\u2212"

_DEFAULT_DIGITS = 3
# Characters: texts up to the first stay on one line, beyond the second they get a wide column.
_SHORT_TEXT, _LONG_TEXT = 14, 100
_NUMBER = re.compile(
    rf"[{MINUS}+]?[\d,]+(\.\d+)?(e[{MINUS}+]?\d+)?%?( \[[^\]]*\])?|{MINUS}?∞|{MISSING}"
)


@dataclass(frozen=True)
class Interval:
    """How :func:`show_table` shows an estimate together with its interval.

    The column it is given for is shown as "0.23 [0.17, 0.30]" and the two other columns are left
    out of the page; the CSV keeps all three.

    Attributes:
        low: the column with the lower ends.
        high: the column with the upper ends.
        digits: decimals of all three numbers.
    """

    low: str
    high: str
    digits: int = 2


def number_cell(value: object, spec: str = f".{_DEFAULT_DIGITS}f") -> str:
    """A number as the book prints it: a true minus sign, no negative zero, a dash if missing.

    Args:
        value: a number, ``None`` or a missing value of pandas.
        spec: a format specification of Python, for instance ``".2f"`` or ``",d"``; whole
            numbers may be stored as floats.

    >>> number_cell(0.2312, ".2f"), number_cell(1234.0, ",d")
    ('0.23', '1,234')
    """
    if value is None or pd.isna(value):  # type: ignore[call-overload]
        return MISSING
    if isinstance(value, float) and math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if spec.endswith("d") and isinstance(value, float) and value.is_integer():
        value = int(value)
    text = format(value, spec)
    if text.startswith("-"):
        mantissa = re.split("[eE]", text)[0]
        text = (MINUS if re.search("[1-9]", mantissa) else "") + text[1:]
    return text.replace("e-", f"e{MINUS}")


def estimate_cell(value: float, low: float, high: float, digits: int = 2) -> str:
    """An estimate with its interval as the book prints it.

    Args:
        value: the estimate; a dash stands for a missing one.
        low: lower end of the interval; if either end is missing, the estimate stands alone.
        high: upper end of the interval.
        digits: decimals of all three numbers.

    Raises:
        ReproError: ``digits`` is negative.

    >>> estimate_cell(0.2312, 0.171, 0.298, 2)
    '0.23 [0.17, 0.30]'
    """
    if digits < 0:
        raise ReproError(f"cannot print {digits} decimals; give 0 or more")
    return interval_cell(value, low, high, f".{digits}f")


def interval_cell(value: float | None, low: float | None, high: float | None, spec: str) -> str:
    """:func:`estimate_cell` for any format specification, in which None is a missing number."""
    shown = number_cell(value, spec)
    if shown == MISSING or pd.isna(low) or pd.isna(high):
        return shown
    return f"{shown} [{number_cell(low, spec)}, {number_cell(high, spec)}]"


def show_table(
    frame: pd.DataFrame,
    *,
    name: str,
    caption: str,
    folder: Path | str,
    formats: Mapping[str, str | Interval] | None = None,
) -> HTML:
    """Write a table to ``folder/NAME.csv`` with full precision and return it for display.

    Args:
        frame: one row per row; the first column holds the row headers. Columns must be flat and
            unique; an unnamed index is left out.
        name: lower-case name, unique on its page; the element's id is ``tab-NAME``.
        caption: plain text above the table; LaTeX between ``\\(`` and ``\\)`` is drawn as
            mathematics in the book.
        folder: where the CSV goes; created when missing.
        formats: for a column, a format specification of Python (``".2f"``, ``".1%"``, ``",d"``)
            or an :class:`Interval`. Otherwise whole numbers are shown whole, other numbers with
            three decimals, truth values as yes and no.

    Returns:
        The table in a box that scrolls sideways and can be reached by keyboard.

    Raises:
        ReproError: the name, the caption, the columns or a format do not fit, or the CSV cannot
            be written.
    """
    check_name(name, kind="table")
    caption = " ".join(caption.split())
    if not caption:
        raise ReproError(f"table {name} has no caption; say in a sentence what it lists")
    formats = dict(formats or {})
    _check_columns(frame, name, formats)
    with atomic_write(Path(folder) / f"{name}.csv") as path:
        frame.to_csv(path, index=False, encoding="utf-8", lineterminator="\n")
    page = _to_html(_shown(frame, name, formats), name, caption)
    return HTML(page)


def _check_columns(frame: pd.DataFrame, name: str, formats: Mapping[str, str | Interval]) -> None:
    columns = [str(column) for column in frame.columns]
    if frame.columns.nlevels > 1 or len(set(columns)) < len(columns) or not columns:
        raise ReproError(f"table {name} needs flat columns with different names; has {columns}")
    if frame.index.nlevels > 1 or frame.index.name is not None:
        raise ReproError(f"table {name} would lose its index; call reset_index() on the frame")
    wanted = list(formats)
    for spec in formats.values():
        if isinstance(spec, Interval):
            wanted += [spec.low, spec.high]
    for column in wanted:
        if column not in columns:
            near = difflib.get_close_matches(column, columns, n=1, cutoff=0.0)[0]
            raise ReproError(f"table {name} has no column {column!r}; the nearest is {near!r}")


def _shown(
    frame: pd.DataFrame, name: str, formats: Mapping[str, str | Interval]
) -> dict[str, list[str]]:
    """The text of every cell that the page shows, by column."""
    folded = {
        end
        for spec in formats.values()
        if isinstance(spec, Interval)
        for end in (spec.low, spec.high)
    }
    shown: dict[str, list[str]] = {}
    for column in map(str, frame.columns):
        if column in folded:
            continue
        spec = formats.get(column)
        values = frame[column]
        if isinstance(spec, Interval):
            shown[column] = [
                estimate_cell(value, low, high, spec.digits)
                for value, low, high in zip(values, frame[spec.low], frame[spec.high], strict=True)
            ]
            continue
        try:
            shown[column] = [_writer(values, spec)(value) for value in values]
        except (TypeError, ValueError) as error:
            raise ReproError(
                f"table {name}: column {column!r} cannot be written as {spec!r} ({error}); "
                "give a format that fits its values"
            ) from error
    return shown


def _writer(values: pd.Series, spec: str | None) -> Callable[[object], str]:
    if spec is not None:
        return lambda value: number_cell(value, spec)
    if pd.api.types.is_bool_dtype(values):
        return lambda value: MISSING if pd.isna(value) else ("yes" if value else "no")  # type: ignore[call-overload]
    if pd.api.types.is_integer_dtype(values):
        return lambda value: number_cell(value, "d")
    if pd.api.types.is_numeric_dtype(values):
        return number_cell
    return lambda value: MISSING if pd.isna(value) else str(value)  # type: ignore[call-overload]


def _to_html(shown: dict[str, list[str]], name: str, caption: str) -> str:
    """pandas' table with caption, scopes, row headers and the class of each column."""
    with pd.option_context("display.max_colwidth", None):
        plain = pd.DataFrame(shown, dtype=object).to_html(
            index=False, border=0, classes="table repro", justify="left"
        )
    soup = BeautifulSoup(plain, "html.parser")
    table = soup.table
    assert table is not None
    for row in table.find_all("tr"):
        del row["style"]
    label = soup.new_tag("caption")
    # A block inside the caption can stay in view while a wide table scrolls under it.
    inner = soup.new_tag("span", attrs={"class": "mathjax_process"})
    inner.string = caption
    label.append(inner)
    table.insert(0, label)
    kinds = [_kind(cells) for cells in shown.values()]
    for row in table.find_all("tr"):
        in_head = row.parent is not None and row.parent.name == "thead"
        for number, cell in enumerate(row.find_all(["td", "th"])):
            if in_head:
                cell["scope"] = "col"
            elif number == 0:
                cell.name = "th"
                cell["scope"] = "row"
            if kinds[number]:
                cell["class"] = kinds[number]
    return (
        f'<div class="repro-table" id="tab-{name}" tabindex="0" role="region" '
        f'aria-label="{html.escape(caption)}" style="overflow-x:auto">{table}</div>'
    )


def _kind(cells: list[str]) -> str:
    """The class of a column: ``num``, or by the length of its texts ``short``, ``long`` or none."""
    if all(map(_NUMBER.fullmatch, cells)) and any(cell != MISSING for cell in cells):
        return "num"
    longest = max(map(len, cells), default=0)
    return "short" if longest <= _SHORT_TEXT else "long" if longest > _LONG_TEXT else ""
