"""Figures: one theme, light and dark, shown with a caption and a text alternative.

A notebook describes a figure once, as a function that draws onto an empty
:class:`~matplotlib.figure.Figure`. :func:`show_figure` calls it twice, under the light and under
the dark theme, and shows both as one ``<figure>``; the book's style sheet displays the one that
fits the page.

SVG text is written as outlines, not as text. The images are shown through ``<img>``, where text
can be neither selected nor searched and no web font can be loaded, so text would only make the
layout depend on the fonts of the reader's machine. What the text says reaches a screen reader
through ``alt``. With a fixed hash salt and no date, the same drawing gives the same bytes.
"""

from __future__ import annotations

import base64
import html
import io
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import seaborn as sns
from cycler import cycler
from IPython.display import HTML
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproutils.errors import ReproError
from reproutils.paths import atomic_write

#: Colours of the data, in the order of Matplotlib's cycle: blue, ochre, green, plum, brick, grey.
#: Each stands out from the page by a contrast of at least 3:1, and each two stay apart under
#: simulated protanopia, deuteranopia and tritanopia (both are tested).
LIGHT_PALETTE = ("#2760A5", "#B67E18", "#05A461", "#4B0B3B", "#893718", "#636363")
#: The same hues for a dark page.
DARK_PALETTE = ("#3B87F9", "#F3E833", "#65FBBC", "#F8A2EA", "#F1854E", "#7D7D7D")

#: Page backgrounds, those of the book's theme.
LIGHT_BACKGROUND = "#FFFFFF"
DARK_BACKGROUND = "#121212"

_LIGHT_INK, _LIGHT_GRID = "#222222", "#E3E3E3"
_DARK_INK, _DARK_GRID = "#DDE3E8", "#34383D"
_MARKERS = ("o", "s", "^", "D", "v", "P")

#: Scatter layers with more points than this are stored as pixels.
RASTERISE_ABOVE = 400
_RASTER_DPI = 200
_PNG_DPI = 200
_PIXELS_PER_INCH = 96
# 11 pt ticks are then 8.7 px high: the least that is still readable on a phone.
_LEAST_PIXELS_PER_INCH = 57
# What a page 380 px wide leaves for its text.
_PHONE_WIDTH = 344
_SHORTEST_ALT = 20
_LABEL_WIDTH = 30
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")


@contextmanager
def theme(dark: bool) -> Iterator[None]:
    """Apply the light or the dark theme inside a ``with`` block.

    It sets Matplotlib's parameters, so it holds for seaborn too, and restores them at the end.

    Args:
        dark: dark page if true.
    """
    ink, grid = (_DARK_INK, _DARK_GRID) if dark else (_LIGHT_INK, _LIGHT_GRID)
    background = DARK_BACKGROUND if dark else LIGHT_BACKGROUND
    palette = DARK_PALETTE if dark else LIGHT_PALETTE
    settings: Any = {
        **sns.axes_style("ticks"),
        **sns.plotting_context("notebook"),
        "axes.axisbelow": True,
        "axes.edgecolor": ink,
        "axes.facecolor": background,
        "axes.grid": True,
        "axes.labelcolor": ink,
        "axes.prop_cycle": cycler(color=list(palette)),
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlecolor": ink,
        "axes.titlelocation": "left",
        "figure.facecolor": background,
        "font.sans-serif": ["DejaVu Sans"],
        "grid.color": grid,
        "image.cmap": "cividis",
        "legend.facecolor": background,
        "legend.edgecolor": background,
        "legend.framealpha": 0.85,
        "savefig.facecolor": background,
        "svg.fonttype": "path",
        "text.color": ink,
        "xtick.color": ink,
        "ytick.color": ink,
    }
    with mpl.rc_context(settings):
        yield


def show_figure(
    draw: Callable[[Figure], None],
    *,
    name: str,
    caption: str,
    alt: str,
    folder: Path | str,
    size: tuple[float, float] = (6.0, 4.0),
) -> HTML:
    """Draw a figure for light and dark pages, save it and return it for display.

    The light version is written to ``folder/NAME.svg`` and ``folder/NAME.png``.

    Args:
        draw: draws onto the empty figure that it is given. It is called once per theme, so it
            must draw the same thing each time, and take its colours from the theme (``"C0"`` to
            ``"C5"``, or none).
        name: lower-case name of the figure, unique on its page; the element's id is ``fig-NAME``.
        caption: plain text below the figure; LaTeX between ``\\(`` and ``\\)`` is drawn as
            mathematics in the book.
        alt: what the figure shows, for a reader who cannot see it: the axes, and what one sees.
        folder: where the files go; created when missing.
        size: width and height in inches. Up to 6 inches wide fits a phone; a wider figure scrolls
            sideways there.

    Returns:
        One ``<figure>`` with the light and the dark image. Without the book's style sheet (in
        JupyterLab, say) the light one is seen.

    Raises:
        ReproError: the name is not a plain one, the caption is empty, the text alternative is
            missing or says nothing, nothing was drawn, or the files cannot be written.
    """
    check_name(name, kind="figure")
    caption, alt = " ".join(caption.split()), " ".join(alt.split())
    if not caption:
        raise ReproError(f"figure {name} has no caption; say in a sentence what it shows")
    if len(alt) < _SHORTEST_ALT or _plain(alt) == _plain(name):
        raise ReproError(
            f"figure {name} needs a text alternative of at least {_SHORTEST_ALT} characters that "
            f"says what is seen; alt is {alt!r}"
        )
    light, png = _render(draw, name, size, dark=False)
    dark, _ = _render(draw, name, size, dark=True)
    for suffix, content in ((".svg", light), (".png", png)):
        with atomic_write(Path(folder) / f"{name}{suffix}") as path:
            path.write_bytes(content)
    # The images stand in a box of their own: the book's theme hides a caption that directly
    # follows an image meant for the other mode.
    box = '<div class="repro-figure-images" style="overflow-x:auto"'
    if size[0] * _LEAST_PIXELS_PER_INCH > _PHONE_WIDTH:
        label = html.escape(f"Figure {name}; scrolls sideways on a narrow screen", quote=True)
        box += f' tabindex="0" role="region" aria-label="{label}"'
    return HTML(
        f'<figure class="repro-figure" id="fig-{name}">{box}>'
        f"{_image(light, alt, size, dark=False)}{_image(dark, alt, size, dark=True)}</div>"
        f'<figcaption class="mathjax_process">{html.escape(caption)}</figcaption></figure>'
    )


def scatter(
    ax: Axes, x: npt.ArrayLike, y: npt.ArrayLike, *, label: str | None = None, **style: Any
) -> PathCollection:
    """Scatter ``y`` against ``x`` in the next colour of the cycle.

    With more than :data:`RASTERISE_ABOVE` points the layer is stored as pixels inside the
    otherwise sharp SVG, which keeps the page light, and the points are smaller and fainter.

    Args:
        ax: where to draw.
        x: abscissae, shape ``(n,)``.
        y: ordinates, shape ``(n,)``.
        label: name in the legend.
        **style: passed on to :meth:`matplotlib.axes.Axes.scatter`.
    """
    dense = np.size(x) > RASTERISE_ABOVE
    defaults = {"s": 8 if dense else 24, "alpha": 0.4 if dense else 0.75, "linewidths": 0}
    return ax.scatter(
        np.asarray(x), np.asarray(y), label=label, rasterized=dense, **{**defaults, **style}
    )


@dataclass(frozen=True)
class ForestRow:
    """One row of :func:`forest`.

    Attributes:
        label: what was estimated.
        value: the estimate; not finite if there is none.
        low: lower end of its interval.
        high: upper end of its interval.
        paper: the paper's value, if it gives one.
        series: rows of one series share colour and marker and an entry of the legend.
    """

    label: str
    value: float
    low: float
    high: float
    paper: float | None = None
    series: str = ""


def forest(ax: Axes, rows: Sequence[ForestRow]) -> None:
    """Draw one estimate with its interval per row, from top to bottom.

    Neighbouring rows of one label (one estimate in several runs, say) stand together under a
    single label. The paper's values are open diamonds. A label without any finite estimate says "no
    estimate". The legend stands above the axes.

    Args:
        ax: where to draw.
        rows: at least one row.

    Raises:
        ReproError: there is no row, or an interval is upside down.
    """
    if not rows:
        raise ReproError("a forest plot needs at least one row; none was given")
    styles: dict[str, dict[str, Any]] = {
        name: {
            "color": f"C{number % len(LIGHT_PALETTE)}",
            "marker": _MARKERS[number % len(_MARKERS)],
            "markersize": 8,
            "linewidth": 2.5,
        }
        for number, name in enumerate(dict.fromkeys(row.series for row in rows))
    }
    diamond: dict[str, Any] = {
        "marker": "D",
        "markersize": 9,
        "markerfacecolor": "none",
        "markeredgecolor": mpl.rcParams["text.color"],
        "markeredgewidth": 1.5,
        "linestyle": "none",
    }
    groups = [(label, list(members)) for label, members in groupby(rows, lambda row: row.label)]
    gap = 0.7 if len(groups) < len(rows) else 0.0
    ticks, height = [], 0.0
    for _, members in groups:
        ticks.append(height + (len(members) - 1) / 2)
        if not any(np.isfinite(row.value) for row in members):
            across = ax.get_yaxis_transform()
            ax.text(0.02, ticks[-1], "no estimate", transform=across, va="center")
        for row in members:
            _forest_row(ax, row, height, styles[row.series], diamond)
            height += 1
        height += gap
    labels = [textwrap.fill(label, _LABEL_WIDTH) for label, _ in groups]
    ax.set_yticks(ticks, labels, va="center")
    ax.set_ylim(height - gap - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    handles = [
        Line2D([], [], label=name or "this run, with its interval", **style)
        for name, style in styles.items()
    ]
    if any(row.paper is not None for row in rows):
        handles.append(Line2D([], [], label="the paper", **diamond))
    ax.legend(
        handles=handles, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=min(len(handles), 2)
    )


def same_rows(panels: Sequence[Sequence[ForestRow]]) -> list[list[ForestRow]]:
    """Panels of forest plots that can share their vertical axis: the same labels and series in the
    same order in each. A row that a panel lacks has no estimate there."""
    every = [row for rows in panels for row in rows]
    labels = list(dict.fromkeys(row.label for row in every))
    series = list(dict.fromkeys(row.series for row in every))
    keys = sorted(
        {(row.label, row.series) for row in every},
        key=lambda key: (labels.index(key[0]), series.index(key[1])),
    )
    found = []
    for rows in panels:
        known = {(row.label, row.series): row for row in rows}
        missing = (math.nan, math.nan, math.nan)
        found.append(
            [
                known.get((label, name), ForestRow(label, *missing, None, name))
                for label, name in keys
            ]
        )
    return found


def _forest_row(
    ax: Axes, row: ForestRow, height: float, style: dict[str, Any], diamond: dict[str, Any]
) -> None:
    if row.low > row.high:
        raise ReproError(
            f"row {row.label!r}: the interval {row.low} to {row.high} is upside down; "
            "give the lower end first"
        )
    if np.isfinite(row.value):
        ax.plot([row.low, row.high], [height, height], **{**style, "marker": "none"})
        ax.plot([row.value], [height], **style)
    if row.paper is not None:
        ax.plot([row.paper], [height], **diamond)


def line_with_band(
    ax: Axes,
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    label: str | None = None,
    **style: Any,
) -> Line2D:
    """Draw a line and, in its colour, the band of its interval.

    Args:
        ax: where to draw.
        x: abscissae, shape ``(n,)``.
        y: the line, shape ``(n,)``.
        low: lower edge of the band, shape ``(n,)``; not a number where there is none.
        high: upper edge of the band, shape ``(n,)``.
        label: name in the legend.
        **style: passed on to :meth:`matplotlib.axes.Axes.plot`.
    """
    (line,) = ax.plot(np.asarray(x), np.asarray(y), label=label, **style)
    ax.fill_between(
        np.asarray(x),
        np.asarray(low),
        np.asarray(high),
        color=line.get_color(),
        alpha=0.22,
        linewidth=0,
    )
    return line


def log_axis(ax: Axes, low: float, high: float) -> None:
    """A logarithmic abscissa with plain numbers at 1, 2 and 5 times the powers of ten.

    Args:
        ax: where to set it.
        low: least value shown, above 0.
        high: largest value shown.
    """
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0**decade for decade in decades for step in (1, 2, 5)]
    shown = [tick for tick in ticks if low <= tick <= high]
    ax.set_xscale("log")
    ax.set_xticks(shown, [f"{tick:g}" for tick in shown])
    ax.minorticks_off()


def check_name(name: str, *, kind: str) -> None:
    """Refuse a name that would not do as a file name and as part of an element's id.

    Raises:
        ReproError: ``name`` has other characters than a-z, 0-9, ``_`` and ``-``.
    """
    if not _NAME.fullmatch(name):
        raise ReproError(
            f"{name!r} cannot name a {kind}; use lower-case letters, digits, - and _ only"
        )


def _render(
    draw: Callable[[Figure], None], name: str, size: tuple[float, float], *, dark: bool
) -> tuple[bytes, bytes]:
    """The figure as SVG and, for the light theme, as PNG (empty for the dark one)."""
    with theme(dark), mpl.rc_context({"svg.hashsalt": name}):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        if not figure.axes:
            raise ReproError(f"figure {name} is empty; draw must add axes to the figure it gets")
        svg, png = io.BytesIO(), io.BytesIO()
        figure.savefig(svg, format="svg", dpi=_RASTER_DPI, metadata={"Date": None, "Creator": None})
        if not dark:
            figure.savefig(png, format="png", dpi=_PNG_DPI, metadata={"Software": None})
    return svg.getvalue(), png.getvalue()


def _image(svg: bytes, alt: str, size: tuple[float, float], *, dark: bool) -> str:
    """An ``<img>`` that holds ``svg``, hidden at first if it is the dark one."""
    width, height = (round(inches * _PIXELS_PER_INCH) for inches in size)
    least = min(round(size[0] * _LEAST_PIXELS_PER_INCH), width)
    style = f"width:100%;max-width:{width}px;min-width:{least}px;height:auto"
    if dark:
        style += ";display:none"
    return (
        f'<img class="{"only-dark" if dark else "only-light"}" alt="{html.escape(alt)}" '
        f'width="{width}" height="{height}" style="{style}" '
        f'src="data:image/svg+xml;base64,{base64.b64encode(svg).decode("ascii")}">'
    )


def _plain(text: str) -> str:
    """``text`` without case, spaces and punctuation."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())
