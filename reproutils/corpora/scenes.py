"""Scenes of coloured shapes on a grid: drawn at random, rendered, and described in words.

A scene is a background and two to six shapes in the cells of a 3×3 grid. A longer caption says more
about it (colours, sizes, places, counts, relations, what is not there) and never pads. For every
scene there is a caption of any length from 3 to 60 words, so that the length of a caption and the
number of shapes can be drawn independently of each other.

What the words mean, for whoever checks a caption against its scene:

- *a red star* is at least one such shape, and the entries of a list are different shapes;
  *one*, *two*, *three* … are exact numbers; *the red star* is the only one of its kind.
- *at the top* is the top row, *on the left* the left column; *at the top left* is one cell.
- *above*, *below*, *left of* and *right of* compare rows and columns alone; *directly above* and
  *directly below* want neighbouring cells of one column, *next to* neighbouring cells of one row;
  *between* is the middle one of three cells in line.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations, pairwise
from math import cos, pi, sin
from typing import TypeVar

import numpy as np
from PIL import Image, ImageDraw

from reproutils.errors import ReproError

SHAPES = ("circle", "square", "triangle", "diamond", "star", "cross", "ring")
COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown")
SIZES = ("small", "medium", "large")
BACKGROUNDS = ("white", "grey", "black")
SPLITS = ("train", "validation", "held-out")
MIN_WORDS, MAX_WORDS = 3, 60
MIN_OBJECTS, MAX_OBJECTS = 2, 6
SMALLEST_SIDE = 24

_GRID = 3


@dataclass(frozen=True)
class SceneObject:
    """One shape of a scene.

    Attributes:
        shape: one of ``SHAPES``.
        colour: one of ``COLOURS``.
        size: one of ``SIZES``.
        row: 0 (top), 1 or 2 (bottom).
        column: 0 (left), 1 or 2 (right).
    """

    shape: str
    colour: str
    size: str
    row: int
    column: int


@dataclass(frozen=True)
class Scene:
    """Shapes in different cells of a 3×3 grid.

    Attributes:
        background: one of ``BACKGROUNDS``.
        objects: the shapes, cell by cell in reading order.

    Raises:
        ReproError: two shapes share a cell, or the order is another.
    """

    background: str
    objects: tuple[SceneObject, ...]

    def __post_init__(self) -> None:
        cells = [_GRID * shape.row + shape.column for shape in self.objects]
        if any(cell >= later for cell, later in pairwise(cells)):
            raise ReproError(
                f"the shapes of a scene stand in cells {cells}; give each a cell of its own, "
                f"in reading order"
            )


# Drawing at random -------------------------------------------------------------------------------

_CELLS = _GRID * _GRID
_LOOKS = len(SHAPES) * len(COLOURS) * len(SIZES)
_EMPTY = _CELLS * _LOOKS
_BLOCK = 512
# Of 16 classes of scenes one is held out, one is for validation and the others are for training.
_CLASSES = 16


def draw_scenes(n: int, seed: int | Sequence[int], split: str = "train") -> list[Scene]:
    """``n`` different random scenes of one split.

    Numbers of shapes, cells, shapes, colours, sizes and backgrounds are uniform. Each split has its
    own stream of random numbers, and which split a scene may appear in depends on the scene itself
    (see :func:`split_of`): no scene is ever drawn for two splits, whatever the seeds.

    Args:
        n: the number of scenes. Fewer scenes of the same seed are the first of more.
        seed: one number, or several, such as a seed and a training step.
        split: one of ``SPLITS``.

    Raises:
        ReproError: ``n`` is negative or the split is unknown.
    """
    if n < 0:
        raise ReproError(f"cannot draw {n} scenes; give 0 or a positive number")
    if split not in SPLITS:
        raise ReproError(f"unknown split {split!r} of the scenes; choose from {', '.join(SPLITS)}")
    # The key keeps this stream apart from what else a caller draws from the same seed.
    stream = np.random.SeedSequence(seed, spawn_key=(SPLITS.index(split),))
    rng = np.random.default_rng(stream)
    scenes: dict[bytes, Scene] = {}
    while len(scenes) < n:
        for codes in _draw_codes(rng):
            key = codes.tobytes()
            if _split_of_code(key) == split and key not in scenes:
                scenes[key] = _decode(codes)
                if len(scenes) == n:
                    break
    return list(scenes.values())


def split_of(scene: Scene) -> str:
    """The one split in which this scene can be drawn, by a checksum of what it holds."""
    codes = np.full(1 + MAX_OBJECTS, _EMPTY, dtype="<i2")
    codes[0] = BACKGROUNDS.index(scene.background)
    for place, shape in enumerate(scene.objects, start=1):
        code = _GRID * shape.row + shape.column
        code = code * len(SHAPES) + SHAPES.index(shape.shape)
        code = code * len(COLOURS) + COLOURS.index(shape.colour)
        codes[place] = code * len(SIZES) + SIZES.index(shape.size)
    return _split_of_code(codes.tobytes())


def _split_of_code(key: bytes) -> str:
    return {0: "held-out", 1: "validation"}.get(zlib.crc32(key) % _CLASSES, "train")


def _draw_codes(rng: np.random.Generator) -> np.ndarray:
    """A block of random scenes as numbers: the background, then the shapes by cell."""
    counts = rng.integers(MIN_OBJECTS, MAX_OBJECTS + 1, _BLOCK)
    cells = np.argsort(rng.random((_BLOCK, _CELLS)), axis=1)[:, :MAX_OBJECTS]
    codes = cells * _LOOKS + rng.integers(_LOOKS, size=cells.shape)
    codes[np.arange(MAX_OBJECTS) >= counts[:, None]] = _EMPTY
    backgrounds = rng.integers(len(BACKGROUNDS), size=(_BLOCK, 1))
    # Little-endian on every machine: the checksum of the split is taken over the bytes.
    return np.hstack([backgrounds, np.sort(codes, axis=1)]).astype("<i2")


def _decode(codes: np.ndarray) -> Scene:
    background, *objects = codes.tolist()
    shapes = tuple(_object(code) for code in objects if code != _EMPTY)
    return Scene(BACKGROUNDS[background], shapes)


@cache
def _object(code: int) -> SceneObject:
    rest, size = divmod(code, len(SIZES))
    rest, colour = divmod(rest, len(COLOURS))
    cell, shape = divmod(rest, len(SHAPES))
    row, column = divmod(cell, _GRID)
    return SceneObject(SHAPES[shape], COLOURS[colour], SIZES[size], row, column)


# Rendering ---------------------------------------------------------------------------------------

_RGB = {
    "red": (214, 39, 40),
    "orange": (247, 141, 30),
    "yellow": (246, 216, 46),
    "green": (46, 160, 67),
    "blue": (45, 96, 214),
    "purple": (136, 58, 172),
    "pink": (250, 150, 196),
    "brown": (122, 74, 40),
    "white": (255, 255, 255),
    "grey": (178, 178, 178),
    "black": (0, 0, 0),
}
# Radius of the circle around a shape, as a part of the side of a cell.
_RADII = {"small": 0.21, "medium": 0.33, "large": 0.47}
_OVERSAMPLING = 8


def render(scene: Scene, side: int = 64) -> np.ndarray:
    """A picture of the scene, antialiased, of shape (side, side, 3) and type uint8.

    Raises:
        ReproError: ``side`` is below ``SMALLEST_SIDE``, where shapes can no longer be told apart.
    """
    if side < SMALLEST_SIDE:
        raise ReproError(
            f"a picture of {side} pixels a side is too small for the shapes; "
            f"give at least {SMALLEST_SIDE}"
        )
    picture = np.empty((side, side, 3), dtype=np.uint8)
    picture[:] = _RGB[scene.background]
    cell = side // _GRID
    margin = (side - _GRID * cell) // 2
    for shape in scene.objects:
        top, left = margin + cell * shape.row, margin + cell * shape.column
        picture[top : top + cell, left : left + cell] = _sprite(
            shape.shape, shape.colour, shape.size, scene.background, cell
        )
    return picture


def render_all(scenes: Sequence[Scene], side: int = 64) -> np.ndarray:
    """The pictures of several scenes, of shape (n, side, side, 3) and type uint8.

    Raises:
        ReproError: as :func:`render`.
    """
    pictures = np.empty((len(scenes), side, side, 3), dtype=np.uint8)
    for row, scene in enumerate(scenes):
        pictures[row] = render(scene, side)
    return pictures


def noise_images(n: int, seed: int, side: int = 64) -> np.ndarray:
    """``n`` pictures whose every channel of every pixel is uniform on 0 … 255 and independent.

    Returns:
        Shape (n, side, side, 3), type uint8.
    """
    return np.random.default_rng(seed).integers(0, 256, (n, side, side, 3), dtype=np.uint8)


@cache
def _sprite(shape: str, colour: str, size: str, background: str, cell: int) -> np.ndarray:
    """One shape in the middle of its cell, of shape (cell, cell, 3).

    Drawn once for each look and pasted afterwards: training renders scenes by the hundred thousand.
    """
    canvas = Image.new("RGB", (cell * _OVERSAMPLING,) * 2, _RGB[background])
    pen = ImageDraw.Draw(canvas)
    centre, radius = canvas.width / 2, _RADII[size] * canvas.width
    if shape in ("circle", "ring"):
        pen.circle((centre, centre), radius, fill=_RGB[colour])
        if shape == "ring":
            pen.circle((centre, centre), 0.55 * radius, fill=_RGB[background])
    else:
        outline = [(centre + radius * x, centre + radius * y) for x, y in _outline(shape)]
        pen.polygon(outline, fill=_RGB[colour])
    return np.asarray(canvas.reduce(_OVERSAMPLING))


def _outline(shape: str) -> list[tuple[float, float]]:
    """The corners of a shape inside the unit circle, with y downwards."""
    if shape == "cross":
        arm, reach = 0.3, 0.95
        quarter = [(arm, -reach), (arm, -arm), (reach, -arm)]
        corners = []
        for _ in range(4):
            corners += quarter
            quarter = [(-y, x) for x, y in quarter]
        return corners
    count, inner, turn = {
        "square": (4, 1.0, pi / 4),
        "diamond": (4, 1.0, 0.0),
        "triangle": (3, 1.0, 0.0),
        "star": (10, 0.42, 0.0),
    }[shape]
    radii = [inner if corner % 2 else 1.0 for corner in range(count)]
    angles = [turn + 2 * pi * corner / count for corner in range(count)]
    return [
        (radius * sin(angle), -radius * cos(angle))
        for radius, angle in zip(radii, angles, strict=True)
    ]


# Describing --------------------------------------------------------------------------------------

# What a phrase says about a shape, as bits.
_SHAPE, _COLOUR, _SIZE, _ROW, _COLUMN = 1, 2, 4, 8, 16
_CELL = _ROW | _COLUMN

_BITS = {"shape": _SHAPE, "colour": _COLOUR, "size": _SIZE}
_VALUES = {"shape": SHAPES, "colour": COLOURS, "size": SIZES}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
_SIZE_WORDS = {
    "small": ("small", "little"),
    "medium": ("medium", "medium-sized"),
    "large": ("large", "big"),
}
_SIZE_PREDICATES = {
    "small": ("small", "of small size"),
    "medium": ("medium-sized", "of medium size"),
    "large": ("large", "big"),
}
_VERTICAL = (("top", "upper"), ("middle", "middle"), ("bottom", "lower"))
_HORIZONTAL = ("left", "middle", "right")
_LINES = tuple(
    tuple((row + step * down, column + step * right) for step in range(_GRID))
    for row, column, down, right in (
        *((row, 0, 0, 1) for row in range(_GRID)),
        *((0, column, 1, 0) for column in range(_GRID)),
        (0, 0, 1, 1),
        (0, 2, 1, -1),
    )
)
_NOUNS = ("shape", "object", "figure")
_PICTURES = ("picture", "image", "scene")
_VERBS = ("is", "lies", "sits", "is placed")

# What a phrase can tell of a look.
_LOOK_PARTS = (
    _SHAPE,
    _COLOUR,
    _SIZE,
    _SHAPE | _COLOUR,
    _SHAPE | _SIZE,
    _COLOUR | _SIZE,
    _SHAPE | _COLOUR | _SIZE,
)
# How often it tells what: most often the colour and the shape.
_LOOK_CHOICES = (*_LOOK_PARTS, *3 * (_SHAPE | _COLOUR, _SHAPE | _COLOUR | _SIZE))

_SHORTEST_SENTENCE = 4
_LIST_SHARE = 0.75
_SINGLE_SENTENCE_SHARE = 0.3
_NAMED_BY_LOOK_SHARE = 0.7
_SKIPPED_SHARE = 0.15
# Sentences with this many words for each word wanted give choice enough.
_OFFERED = 3
# So many sentences on pairs stand among the first details, and the others later.
_EARLY = 3
_ATTEMPTS = 200

_Item = TypeVar("_Item")
# A few sentences that say one thing, of which at most one is used.
_Topic = Callable[[], list[str]]


def caption(scene: Scene, words: int, rng: np.random.Generator) -> str:
    """A random true description of ``scene`` in exactly ``words`` words.

    The first sentence is a phrase that lists some of the shapes, or counts them. How many it lists
    and how much of the length it takes is random, so that of two captions of one length one may
    mention many shapes briefly and the other few in detail. Sentences about single shapes, pairs,
    counts, the background and what is not there follow.

    Args:
        scene: what to describe, of two to six shapes.
        words: the number of words (between white space), 3 … 60.
        rng: the source of chance; one number is drawn from it.

    Raises:
        ReproError: ``words`` is out of range.
    """
    if not MIN_WORDS <= words <= MAX_WORDS:
        raise ReproError(
            f"cannot describe a scene in {words} words; give {MIN_WORDS} to {MAX_WORDS}"
        )
    # A caption takes a hundred small choices, which this generator makes ten times as fast.
    draw = random.Random(int(rng.integers(2**63)))
    for _ in range(_ATTEMPTS):
        written = _Writer(scene, draw).write(words)
        if written is not None:
            return written
    raise RuntimeError(f"found no caption of {words} words for {scene}")


class _Writer:
    """One attempt at a caption: its scene, its source of chance and the nouns that it uses."""

    def __init__(self, scene: Scene, draw: random.Random) -> None:
        self.scene = scene
        self.objects = scene.objects
        self.draw = draw
        self.noun = draw.choice(_NOUNS)
        self.picture = draw.choice(_PICTURES)
        # What the first sentence says: bits for each shape in its list, what it counts by.
        self.said: dict[int, int] = {}
        self.counted_by = ""
        self.names_background = False

    def write(self, words: int) -> str | None:
        """The caption, or nothing where these choices leave no way to the exact length."""
        opening = self._opening(words)
        if opening is None:
            return None
        sentences = [opening]
        left = words - _length(opening)
        if left:
            topics: list[list[str]] = []
            offered = 0
            for topic in self._topics():
                options = topic()
                topics.append(options)
                offered += max(map(_length, options))
                if offered >= _OFFERED * left:
                    break
            lengths = [[0, *map(_length, options)] for options in topics]
            chosen = _choose_lengths(lengths, left, self.draw)
            if chosen is None:
                return None
            sentences += [
                self._of_length(options, length)
                for options, length in zip(topics, chosen, strict=True)
                if length
            ]
        return " ".join(f"{text[0].upper()}{text[1:]}." for text in sentences)

    def _of_length(self, options: Iterable[str], length: int) -> str:
        return self.draw.choice([option for option in options if _length(option) == length])

    # The first sentence

    def _opening(self, words: int) -> str | None:
        """A list of shapes in ``words`` words, or in so many fewer that a sentence still fits."""
        draw, background = self.draw, self.scene.background
        listing = draw.random() < _LIST_SHARE
        order = draw.sample(range(len(self.objects)), draw.randint(1, len(self.objects)))
        groups = [] if listing else self._counts()
        tables = [_mentions(*self._cell(i), self.picture) for i in order] if listing else []
        items = [list(table) for table in tables] or [[_length(group)] for group in groups]
        there = "there is" if listing or groups[0].startswith("one ") else "there are"
        frames = ["", there, "we see", f"the {self.picture} shows"]
        frames.append(f"{_with_article(self.picture)} of")
        ends = ["", f"on a {background} background", f"in front of a {background} background"]
        parts = [list(map(_length, frames)), [int(len(items) > 1)], *items]
        parts.append(list(map(_length, ends)))

        totals = _reachable(parts)[0]
        fitting = [
            total
            for total in range(MIN_WORDS, words + 1)
            if totals >> total & 1 and (total == words or total <= words - _SHORTEST_SENTENCE)
        ]
        if not fitting:
            return None
        single = fitting[-1] == words and draw.random() < _SINGLE_SENTENCE_SHARE
        chosen = _choose_lengths(parts, words if single else draw.choice(fitting), draw)
        assert chosen is not None
        frame, end = self._of_length(frames, chosen[0]), self._of_length(ends, chosen[-1])
        place = ""
        for i, table, length in zip(order, tables, chosen[2:-1], strict=False):
            look, place, told = draw.choice(table[length])
            self.said[i] = look | told
            groups.append(f"{self._indefinite(i, look)} {place}".rstrip())
        self.names_background = bool(end)
        listed = " and ".join([*filter(None, [", ".join(groups[:-1])]), groups[-1]])
        return f"{frame} {listed}{',' if place and end else ''} {end}".strip()

    def _counts(self) -> list[str]:
        """Phrases that count the shapes by one attribute, or all of them."""
        self.counted_by = self.draw.choice(("all", *_VALUES))
        if self.counted_by == "all":
            return [f"{_NUMBERS[len(self.objects)]} {self.noun}s"]
        found = self._tally(self.counted_by)
        values = self.draw.sample(list(found), self.draw.randint(1, len(found)))
        return [self._counted(found[value], self.counted_by, value) for value in values]

    def _counted(self, count: int, attribute: str, value: str) -> str:
        """``two red shapes``, ``no circles``, ``one star``."""
        if attribute == "shape":
            return f"{_NUMBERS[count]} {value if count == 1 else _plural(value)}"
        return f"{_NUMBERS[count]} {value} {self.noun}{'' if count == 1 else 's'}"

    # The sentences after it

    def _topics(self) -> list[_Topic]:
        """What can still be said, in the order in which it is offered and told."""
        shuffled, scene_range = self._shuffled, range(len(self.objects))
        single: list[_Topic] = []
        for i, said in self.said.items():
            lacking = [name for name, bit in _BITS.items() if not said & bit]
            single += [partial(self._attribute, i, name) for name in lacking]
            if said & _CELL != _CELL and self._own_looks(i, hidden=_CELL):
                single.append(partial(self._place, i))
        new: list[_Topic] = [
            partial(self._introduction, i) for i in scene_range if i not in self.said
        ]

        whole: list[_Topic] = [] if self.names_background else [self._background]
        if self.counted_by != "all":
            whole.append(self._total)
        absent: list[_Topic] = []
        for attribute, values in _VALUES.items():
            tally = self._tally(attribute)
            if attribute != self.counted_by:
                whole.append(partial(self._share, attribute, self.draw.choice(list(tally))))
            absent += [partial(self._absence, attribute, v) for v in values if v not in tally]

        near: list[_Topic] = []
        far: list[_Topic] = []
        for i, j in combinations(scene_range, 2):
            pair = near if i in self.said and j in self.said else far
            pair += [partial(self._relation, i, j), partial(self._comparison, i, j)]
        by_cell = {self._cell(i): i for i in scene_range}
        for line in _LINES:
            if all(cell in by_cell for cell in line):
                three = [by_cell[cell] for cell in line]
                row = near if all(i in self.said for i in three) else far
                row.append(partial(self._between, *three))
        empty: list[_Topic] = [partial(self._emptiness, where) for where in self._gaps()]

        related = [*shuffled(near), *shuffled(far)]
        told_last = shuffled([*empty, *shuffled(absent)[: len(empty) + 2]])
        if self.draw.random() < 0.5:
            whole += related[_EARLY:]
            order = (shuffled(single + related[:_EARLY]), shuffled(new), shuffled(whole), told_last)
        else:
            whole += related[:_EARLY]
            order = (shuffled(new), shuffled(single + whole), shuffled(related[_EARLY:]), told_last)
        return [topic for part in order for topic in part]

    def _introduction(self, i: int) -> list[str]:
        """A shape that the first sentence left out."""
        there_is = "there is also" if self.said else "there is"
        sentences = []
        for _ in range(2):
            thing = self._indefinite(i, self.draw.choice(_LOOK_CHOICES))
            place, _ = self.draw.choice(_places(*self._cell(i), self.picture))
            sentences.append(f"{there_is} {thing} {place}")
            thing = self._indefinite(i, self.draw.choice(_LOOK_CHOICES))
            place, _ = self.draw.choice(_places(*self._cell(i), self.picture))
            sentences.append(f"{thing} {self.draw.choice(_VERBS)} {place}")
        return sentences

    def _attribute(self, i: int, attribute: str) -> list[str]:
        value = getattr(self.objects[i], attribute)
        things = [self._definite(i, hidden=_BITS[attribute]) for _ in range(2)]
        if attribute == "shape":
            return [f"{thing} is {_with_article(value)}" for thing in things]
        if attribute == "size":
            return [f"{thing} is {self.draw.choice(_SIZE_PREDICATES[value])}" for thing in things]
        return [f"{things[0]} is {value}", f"the colour of {things[1]} is {value}"]

    def _place(self, i: int) -> list[str]:
        exact = self._exact_places(*self._cell(i))
        return [
            f"{self._definite(i, hidden=_CELL)} {self.draw.choice(_VERBS)} {place}"
            for place in self.draw.sample(exact, 3)
        ]

    def _relation(self, i: int, j: int) -> list[str]:
        """How two shapes lie to each other."""
        if self.draw.random() < 0.5:
            i, j = j, i
        (row, column), (other_row, other_column) = self._cell(i), self._cell(j)
        relations = []
        vertical = _direction(row, other_row, "above", "below")
        horizontal = _direction(column, other_column, "left of", "right of")
        to_the_side = horizontal and f"to the {horizontal}"
        if vertical:
            relations.append(vertical)
        if horizontal:
            relations += [horizontal, to_the_side]
        if vertical and horizontal:
            relations.append(f"{vertical} and {to_the_side}")
        if column == other_column:
            relations.append("in the same column as")
            if abs(row - other_row) == 1:
                relations.append(f"directly {vertical}")
        if row == other_row:
            relations.append("in the same row as")
            if abs(column - other_column) == 1:
                relations.append("next to")
        return [
            f"{self._definite(i)} is {self.draw.choice(relations)} {self._definite(j)}"
            for _ in range(3)
        ]

    def _comparison(self, i: int, j: int) -> list[str]:
        """What two shapes have in common, or which is larger."""
        if self.draw.random() < 0.5:
            i, j = j, i
        one, other = self.objects[i], self.objects[j]
        size, other_size = SIZES.index(one.size), SIZES.index(other.size)
        difference = _direction(size, other_size, "smaller than", "larger than")
        relations = (
            [f"is {difference}"] if difference else ["is as large as", "has the same size as"]
        )
        if one.colour == other.colour:
            relations.append("has the same colour as")
        if one.shape == other.shape:
            relations.append("has the same shape as")
        return [
            f"{self._definite(i)} {self.draw.choice(relations)} {self._definite(j)}"
            for _ in range(2)
        ]

    def _between(self, first: int, middle: int, last: int) -> list[str]:
        ends = self._shuffled([first, last])
        return [
            f"{self._definite(middle)} {self.draw.choice(_VERBS)} between "
            f"{self._definite(ends[0])} and {self._definite(ends[1])}"
        ]

    def _background(self) -> list[str]:
        colour = self.scene.background
        return [
            f"the background is {colour}",
            f"the {self.picture} has a {colour} background",
            f"the background of the {self.picture} is {colour}",
        ]

    def _total(self) -> list[str]:
        number = _NUMBERS[len(self.objects)]
        return [
            f"there are {number} {self.noun}s",
            f"there are {number} {self.noun}s in all",
            f"the {self.picture} holds exactly {number} {self.noun}s",
        ]

    def _share(self, attribute: str, value: str) -> list[str]:
        """How many of the shapes have this value, which at least one has."""
        count, total = self._tally(attribute)[value], len(self.objects)
        number = "all" if count == total else _NUMBERS[count]
        if count == 1:
            number, predicate = "only one", value if attribute != "shape" else _with_article(value)
        else:
            predicate = value if attribute != "shape" else _plural(value)
        be = "is" if count == 1 else "are"
        return [
            f"there {be} exactly {self._counted(count, attribute, value)}",
            f"{number} of the {self.noun}s {be} {predicate}",
        ]

    def _absence(self, attribute: str, value: str) -> list[str]:
        thing = value if attribute == "shape" else f"{value} {self.noun}"
        predicate = _with_article(value) if attribute == "shape" else value
        return [
            f"there is no {thing}",
            f"there is no {thing} in the {self.picture}",
            f"none of the {self.noun}s is {predicate}",
        ]

    def _emptiness(self, where: str) -> list[str]:
        return [f"there is nothing {where}", f"nothing is placed {where}"]

    def _gaps(self) -> list[str]:
        """Places without a shape: rows and columns, and cells outside these."""
        taken = {self._cell(i) for i in range(len(self.objects))}
        rows = set(range(_GRID)) - {row for row, _ in taken}
        columns = set(range(_GRID)) - {column for _, column in taken}
        gaps = [f"in the {_VERTICAL[row][0]} row" for row in sorted(rows)]
        gaps += [f"in the {_HORIZONTAL[column]} column" for column in sorted(columns)]
        for row in sorted(set(range(_GRID)) - rows):
            for column in sorted(set(range(_GRID)) - columns):
                if (row, column) not in taken:
                    gaps.append(self.draw.choice(self._exact_places(row, column)))
        return gaps

    # Phrases

    def _indefinite(self, i: int, look: int) -> str:
        return _with_article(self._look(i, look))

    def _definite(self, i: int, hidden: int = 0) -> str:
        """``the red star``: what fits this shape alone, and does not tell what is ``hidden``.

        What the first sentence said is used where it suffices, so that later sentences have
        something new to tell.
        """
        looks = self._own_looks(i, hidden)
        said = self.said.get(i, 0)
        looks = [look for look in looks if not look & ~said] or looks
        if hidden & _CELL or (looks and self.draw.random() < _NAMED_BY_LOOK_SHARE):
            return f"the {self._look(i, self.draw.choice(looks))}"
        thing = self.objects[i].shape if said & _SHAPE else self.noun
        return f"the {thing} {self.draw.choice(self._exact_places(*self._cell(i))[:2])}"

    def _own_looks(self, i: int, hidden: int) -> list[int]:
        """The looks, without what is ``hidden``, that no other shape of the scene has."""
        this, *others = self.objects[i], *self.objects[:i], *self.objects[i + 1 :]
        differing = [
            sum(bit for name, bit in _BITS.items() if getattr(this, name) != getattr(other, name))
            for other in others
        ]
        return [
            look
            for look in _LOOK_PARTS
            if not look & hidden and all(look & difference for difference in differing)
        ]

    def _exact_places(self, row: int, column: int) -> list[str]:
        return [place for place, told in _places(row, column, self.picture) if told == _CELL]

    def _look(self, i: int, look: int) -> str:
        """``small red star``, or the part of it that ``look`` has."""
        this = self.objects[i]
        size = self.draw.choice(_SIZE_WORDS[this.size]) if look & _SIZE else ""
        colour = this.colour if look & _COLOUR else ""
        shape = this.shape if look & _SHAPE else self.noun
        return " ".join(filter(None, (size, colour, shape)))

    def _cell(self, i: int) -> tuple[int, int]:
        return self.objects[i].row, self.objects[i].column

    def _tally(self, attribute: str) -> Counter[str]:
        return Counter(getattr(shape, attribute) for shape in self.objects)

    def _shuffled(self, items: Iterable[_Item]) -> list[_Item]:
        mixed = list(items)
        self.draw.shuffle(mixed)
        return mixed


def _length(text: str) -> int:
    return text.count(" ") + 1 if text else 0


def _plural(shape: str) -> str:
    return f"{shape}es" if shape.endswith("s") else f"{shape}s"


def _with_article(text: str) -> str:
    return f"{'an' if text[0] in 'aeiou' else 'a'} {text}"


def _direction(place: int, other: int, before: str, after: str) -> str:
    """The word for a smaller or a larger row or column, and none for the same."""
    return "" if place == other else before if place < other else after


@cache
def _places(row: int, column: int, picture: str) -> tuple[tuple[str, int], ...]:
    """Phrases for a cell, and whether each tells its row, its column or both.

    The first two that tell both are short.
    """
    (high, higher), side = _VERTICAL[row], _HORIZONTAL[column]
    if row == column == 1:
        exact = ["in the centre", "in the very centre", f"in the centre of the {picture}"]
        exact.append(f"at the centre of the {picture}")
    elif row == 1:
        exact = [f"at the middle {side}", f"in the middle of the {side} column"]
        exact.append(f"on the {side} in the middle")
    elif column == 1:
        exact = [f"at the {high} centre", f"in the middle of the {high} row"]
        exact.append(f"at the {high} in the middle")
    else:
        exact = [f"at the {high} {side}", f"in the {higher} {side} corner"]
        exact += [
            f"in the {high} {side} corner of the {picture}",
            f"on the {side} of the {high} row",
        ]
    rows = [f"in the {high} row"] + ([f"at the {high}"] if row != 1 else [])
    columns = [f"in the {side} column"] + ([f"on the {side}"] if column != 1 else [])
    return (
        *((place, _CELL) for place in exact),
        *((place, _ROW) for place in rows),
        *((place, _COLUMN) for place in columns),
    )


@cache
def _mentions(row: int, column: int, picture: str) -> dict[int, list[tuple[int, str, int]]]:
    """How a shape in this cell can be mentioned, by the number of words: what of its look is said,
    the phrase for its place and what that tells."""
    table: dict[int, list[tuple[int, str, int]]] = {}
    for look in _LOOK_CHOICES:
        words = 1 + look.bit_count() + (not look & _SHAPE)
        for place, said in (("", 0), *_places(row, column, picture)):
            table.setdefault(words + _length(place), []).append((look, place, said))
    return table


# Lengths -----------------------------------------------------------------------------------------


def _reachable(parts: Sequence[Iterable[int]]) -> list[int]:
    """For each part the sums that it and the later ones can have, as the set bits of a number."""
    sums = [1]
    for part in reversed(parts):
        later, here = sums[-1], 0
        for length in set(part):
            here |= later << length
        sums.append(here)
    return sums[::-1]


def _choose_lengths(
    parts: Sequence[Iterable[int]], total: int, draw: random.Random
) -> list[int] | None:
    """One length of each part, at random, with the sum ``total``; nothing if there is no way.

    A part that may be left out (length 0) rarely is while something else fits.
    """
    reachable = _reachable(parts)
    if not reachable[0] >> total & 1:
        return None
    chosen = []
    for part, later in zip(parts, reachable[1:], strict=True):
        fitting = sorted({n for n in part if n <= total and later >> (total - n) & 1})
        if fitting[0] == 0 and len(fitting) > 1 and draw.random() > _SKIPPED_SHARE:
            fitting.pop(0)
        length = draw.choice(fitting)
        chosen.append(length)
        total -= length
    return chosen
