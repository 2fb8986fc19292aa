"""Figures: what is written and shown, the same each time, in colours that can be told apart."""

from __future__ import annotations

import base64
import itertools
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from bs4 import BeautifulSoup
from matplotlib.figure import Figure
from PIL import Image

from reproutils.errors import ReproError
from reproutils.figures import (
    DARK_BACKGROUND,
    DARK_PALETTE,
    LIGHT_BACKGROUND,
    LIGHT_PALETTE,
    RASTERISE_ABOVE,
    ForestRow,
    forest,
    line_with_band,
    log_axis,
    scatter,
    show_figure,
    theme,
)

ALT = "A line that rises from the lower left to the upper right."

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


def diagonal(fig: Figure) -> None:
    fig.subplots().plot([0, 1], [0, 1])


def show(folder: Path, draw=diagonal, **changes) -> BeautifulSoup:  # type: ignore[no-untyped-def]
    arguments = {"name": "demo", "caption": "A caption.", "alt": ALT, **changes}
    return BeautifulSoup(show_figure(draw, folder=folder, **arguments).data, "html.parser")


def svg_of(image) -> bytes:  # type: ignore[no-untyped-def]
    head, _, content = image["src"].partition(",")
    assert head == "data:image/svg+xml;base64"
    return base64.b64decode(content)


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def luminance(colour: str) -> float:
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


def contrast(a: str, b: str) -> float:
    dark, light = sorted((luminance(a), luminance(b)))
    return (light + 0.05) / (dark + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x = to_xyz @ rgb / [0.9505, 1.0, 1.089]
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize(
    ("palette", "background"),
    [(LIGHT_PALETTE, LIGHT_BACKGROUND), (DARK_PALETTE, DARK_BACKGROUND)],
)
def test_colours_stand_out_and_stay_apart(palette: tuple[str, ...], background: str) -> None:
    assert min(contrast(colour, background) for colour in palette) >= 3
    for vision, matrix in VISION.items():
        seen = [lab(np.clip(matrix @ linear(colour), 0, 1)) for colour in palette]
        nearest = min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2))
        assert nearest > 20, vision


def test_theme_has_readable_text_and_is_undone() -> None:
    before = mpl.rcParams["axes.facecolor"]
    for dark, background in ((False, LIGHT_BACKGROUND), (True, DARK_BACKGROUND)):
        with theme(dark):
            assert mpl.rcParams["figure.facecolor"] == background
            assert contrast(mpl.rcParams["text.color"], background) >= 7
            assert mpl.rcParams["xtick.labelsize"] >= 11
    assert mpl.rcParams["axes.facecolor"] == before


def test_one_figure_with_both_versions(tmp_path: Path) -> None:
    soup = show(tmp_path)
    assert soup.figure["id"] == "fig-demo"
    assert soup.figure["class"] == ["repro-figure"]
    light, dark = soup.find_all("img")
    assert light["class"] == ["only-light"]
    assert dark["class"] == ["only-dark"]
    assert "display:none" not in light["style"]
    assert "display:none" in dark["style"]
    assert light["alt"] == dark["alt"] == ALT
    assert soup.figcaption.get_text() == "A caption."
    # The theme of the book hides captions that follow an image of the other mode.
    assert light.parent == dark.parent != soup.figcaption.parent
    backgrounds = [svg_of(image).decode().lower() for image in (light, dark)]
    assert LIGHT_BACKGROUND.lower() in backgrounds[0]
    assert DARK_BACKGROUND.lower() in backgrounds[1]


def test_files_are_the_light_version(tmp_path: Path) -> None:
    soup = show(tmp_path / "new", size=(5.0, 2.0))
    assert (tmp_path / "new" / "demo.svg").read_bytes() == svg_of(
        soup.find("img", class_="only-light")
    )
    with Image.open(tmp_path / "new" / "demo.png") as image:
        assert image.size == (1000, 400)
        assert image.convert("RGB").getpixel((0, 0)) == (255, 255, 255)


def test_same_drawing_gives_same_bytes(tmp_path: Path) -> None:
    first, second = show(tmp_path / "a"), show(tmp_path / "b")
    assert str(first) == str(second)
    assert (tmp_path / "a/demo.png").read_bytes() == (tmp_path / "b/demo.png").read_bytes()
    assert b"<dc:date>" not in (tmp_path / "a/demo.svg").read_bytes()


def test_text_is_drawn_as_outlines(tmp_path: Path) -> None:
    def labelled(fig: Figure) -> None:
        fig.subplots().set(xlabel="length")

    show(tmp_path, labelled)
    tags = {element.tag.rsplit("}", 1)[-1] for element in ET.parse(tmp_path / "demo.svg").iter()}
    assert "text" not in tags
    assert "path" in tags


def test_dense_layers_become_pixels(tmp_path: Path) -> None:
    for n, pixels in ((RASTERISE_ABOVE, 0), (RASTERISE_ABOVE + 1, 1)):

        def cloud(fig: Figure, n: int = n) -> None:
            scatter(fig.subplots(), np.arange(n), np.sin(np.arange(n)), label="points")

        show(tmp_path, cloud)
        svg = ET.parse(tmp_path / "demo.svg")
        assert len(svg.findall(".//{http://www.w3.org/2000/svg}image")) == pixels


def test_text_is_escaped(tmp_path: Path) -> None:
    caption, alt = 'R² < 0.1 & "more" <script>', 'Where a < b and "c" > d, the line falls steeply.'
    soup = show(tmp_path, caption=caption, alt=alt)
    assert soup.figcaption.get_text() == caption
    assert soup.script is None
    assert {image["alt"] for image in soup.find_all("img")} == {alt}


@pytest.mark.parametrize(("width", "scrolls"), [(6.0, False), (9.0, True)])
def test_wide_figures_can_be_scrolled_by_keyboard(
    tmp_path: Path, width: float, scrolls: bool
) -> None:
    box = show(tmp_path, size=(width, 3.0)).find(class_="repro-figure-images")
    assert (box.get("tabindex") == "0") is scrolls
    assert (box.get("role") == "region") is scrolls
    assert bool(box.get("aria-label")) is scrolls


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"alt": ""}, "text alternative"),
        ({"alt": "   "}, "text alternative"),
        ({"alt": "too short"}, "text alternative"),
        ({"name": "a-name-of-some-length", "alt": "A name of some length"}, "text alternative"),
        ({"caption": " "}, "caption"),
        ({"name": "Two Words"}, "cannot name a figure"),
        ({"name": "../up"}, "cannot name a figure"),
        ({"draw": lambda fig: None}, "is empty"),
    ],
)
def test_bad_figures_are_refused(tmp_path: Path, changes: dict[str, object], words: str) -> None:
    with pytest.raises(ReproError, match=words):
        show(tmp_path, **changes)
    assert list(tmp_path.iterdir()) == []


def test_forest_shows_rows_from_top_to_bottom() -> None:
    ax = Figure().subplots()
    forest(
        ax,
        [
            ForestRow("first", 0.2, 0.1, 0.3, paper=0.25),
            ForestRow("second", float("nan"), 0.0, 0.0, series="other"),
            ForestRow("third", 0.4, 0.4, 0.5, series="other"),
        ],
    )
    assert [label.get_text() for label in ax.get_yticklabels()] == ["first", "second", "third"]
    bottom, top = ax.get_ylim()
    assert bottom > top
    drawn = {tuple(map(float, line.get_xdata())) for line in ax.lines}
    assert drawn == {(0.1, 0.3), (0.2,), (0.25,), (0.4, 0.5), (0.4,)}
    assert [text.get_text() for text in ax.texts] == ["no estimate"]
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        "this run, with its interval",
        "other",
        "the paper",
    ]


def test_forest_rows_of_one_label_stand_together() -> None:
    ax = Figure().subplots()
    forest(
        ax, [ForestRow(label, 0.2, 0.1, 0.3, series=run) for label in "ab" for run in ("x", "y")]
    )
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    heights = [float(line.get_ydata()[0]) for line in ax.lines if len(line.get_xdata()) == 1]
    assert heights == sorted(heights)
    steps = np.diff(heights)
    assert steps[0] == steps[2] < steps[1]
    assert list(ax.get_yticks()) == pytest.approx([np.mean(heights[:2]), np.mean(heights[2:])])


def test_forest_needs_rows_the_right_way_up() -> None:
    ax = Figure().subplots()
    with pytest.raises(ReproError, match="at least one row"):
        forest(ax, [])
    with pytest.raises(ReproError, match="upside down"):
        forest(ax, [ForestRow("a", 0.2, 0.3, 0.1)])


def test_band_has_the_colour_of_its_line() -> None:
    ax = Figure().subplots()
    ax.plot([0, 1], [0, 0])
    line = line_with_band(ax, [0, 1], [1, 2], [0, 1], [2, 3], "fit")
    band = ax.collections[0]
    assert mpl.colors.to_rgb(band.get_facecolor()[0]) == mpl.colors.to_rgb(line.get_color())
    assert line.get_label() == "fit"
    corners = {tuple(map(float, point)) for point in band.get_paths()[0].vertices}
    assert {(0.0, 0.0), (1.0, 1.0), (1.0, 3.0), (0.0, 2.0)} <= corners


def test_a_log_axis_has_plain_numbers() -> None:
    ax = Figure().subplots()
    log_axis(ax, 3.0, 120.0)
    assert ax.get_xscale() == "log"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["5", "10", "20", "50", "100"]
    assert len(ax.get_xticks(minor=True)) == 0
