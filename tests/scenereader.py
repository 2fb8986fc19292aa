"""A reader of scene captions: of which scenes a caption is true, worked out from its text alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import permutations

from reproutils.corpora.scenes import BACKGROUNDS, COLOURS, SHAPES, SIZES, Scene, SceneObject

Claim = Callable[[Scene], bool]
Kind = Callable[[SceneObject], bool]

NUMBERS = {"no": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
ROWS = {"top": 0, "middle": 1, "bottom": 2}
COLUMNS = {"left": 0, "middle": 1, "right": 2}
# One word for each thing before the grammar is applied.
SAME = (
    (r"\b(?:object|figure)(s?)\b", r"shape\1"),
    (r"\b(?:image|scene)\b", "picture"),
    (r"\bbig\b", "large"),
    (r"\blittle\b", "small"),
    (r"\bmedium-sized\b", "medium"),
    (r"\bof (small|medium) size\b", r"\1"),
    (r"\bupper\b", "top"),
    (r"\blower\b", "bottom"),
    (r" (?:in|of) the picture\b", ""),
    (r"\bvery centre\b", "centre"),
    (r"\b(?:lies|sits|is placed)\b", "is"),
    (r"\ban\b", "a"),
    (r"\bcrosses\b", "cross"),
    (rf"\b({'|'.join(SHAPES)}|shape)s\b", r"\1"),
)

V, H = "(?P<row>top|bottom)", "(?P<column>left|right)"
# What a phrase leaves unsaid is any row or column, unless it stands here.
PLACES = tuple(
    (re.compile(phrase), row, column)
    for phrases, row, column in (
        (("(?:in|at) the centre",), 1, 1),
        ((f"at the middle {H}", f"in the middle of the {H} column"), 1, None),
        ((f"on the {H} in the middle",), 1, None),
        ((f"at the {V} centre", f"in the middle of the {V} row"), None, 1),
        ((f"at the {V} in the middle",), None, 1),
        ((f"at the {V} {H}", f"in the {V} {H} corner", f"on the {H} of the {V} row"), None, None),
        ((f"at the {V}", "in the (?P<row>top|middle|bottom) row"), None, None),
        ((f"on the {H}", "in the (?P<column>left|middle|right) column"), None, None),
    )
    for phrase in phrases
)
PLACE = (
    r"(?:at the (?:top|bottom) in the middle|on the (?:left|right) in the middle"
    r"|(?:in the middle|on the left|on the right) of the \w+ (?:row|column)"
    r"|(?:at|in|on) the (?:centre|(?:top|middle|bottom|left|right)"
    r"(?: (?:centre|left|right|row|column)(?: corner)?)?))"
)
LOOK = rf"(?:(?:{'|'.join(SIZES)}) )?(?:(?:{'|'.join(COLOURS)}) )?(?:shape|{'|'.join(SHAPES)})"
THING = rf"{LOOK}(?: {PLACE})?"
VALUE = rf"(?:a )?(?:{'|'.join((*SIZES, *COLOURS, *SHAPES))})"
NUMBER = "|".join(NUMBERS)
RELATIONS: dict[str, Callable[[SceneObject, SceneObject], bool]] = {
    "above": lambda a, b: a.row < b.row,
    "below": lambda a, b: a.row > b.row,
    "left of": lambda a, b: a.column < b.column,
    "right of": lambda a, b: a.column > b.column,
    "directly above": lambda a, b: (a.row, a.column) == (b.row - 1, b.column),
    "directly below": lambda a, b: (a.row, a.column) == (b.row + 1, b.column),
    "next to": lambda a, b: a.row == b.row and abs(a.column - b.column) == 1,
    "in the same row as": lambda a, b: a.row == b.row,
    "in the same column as": lambda a, b: a.column == b.column,
    "larger than": lambda a, b: SIZES.index(a.size) > SIZES.index(b.size),
    "smaller than": lambda a, b: SIZES.index(a.size) < SIZES.index(b.size),
    "as large as": lambda a, b: a.size == b.size,
    "the same size as": lambda a, b: a.size == b.size,
    "the same colour as": lambda a, b: a.colour == b.colour,
    "the same shape as": lambda a, b: a.shape == b.shape,
}


def reads(text: str, scene: Scene) -> bool:
    """Whether every sentence of the caption is true of the scene."""
    return all(claim(scene) for claim in read(text))


def read(text: str) -> list[Claim]:
    """What each sentence claims; a sentence beyond the grammar fails."""
    assert text.endswith(".")
    return [read_sentence(normalise(sentence)) for sentence in text[:-1].split(". ")]


def normalise(sentence: str) -> str:
    assert sentence[0].isupper()
    sentence = sentence.lower()
    for pattern, plain in SAME:
        sentence = re.sub(pattern, plain, sentence)
    return sentence


def place_of(text: str) -> Kind:
    for pattern, row, column in PLACES:
        if found := pattern.fullmatch(text):
            said = found.groupdict()
            at_row = ROWS[said["row"]] if "row" in said else row
            at_column = COLUMNS[said["column"]] if "column" in said else column
            return lambda o: at_row in (None, o.row) and at_column in (None, o.column)
    raise AssertionError(f"no place: {text!r}")


def kind_of(text: str) -> Kind:
    """``small red star``, ``shape on the left``, ``medium``, ``a ring``."""
    found = re.fullmatch(rf"(?:a |the )?(.*?)(?: ({PLACE}))?", text)
    assert found
    place = place_of(found[2]) if found[2] else None
    words = set(found[1].split()) - {"shape"}
    assert words <= {*SIZES, *COLOURS, *SHAPES}, text
    return lambda o: (not place or place(o)) and words <= {o.size, o.colour, o.shape}


def the(text: str) -> Callable[[Scene], SceneObject | None]:
    """The one thing of a kind; nothing if there is none or another."""
    kind = kind_of(text)

    def find(scene: Scene) -> SceneObject | None:
        found = [o for o in scene.objects if kind(o)]
        return found[0] if len(found) == 1 else None

    return find


def exactly(number: str, kind: Kind) -> Claim:
    return lambda scene: sum(map(kind, scene.objects)) == NUMBERS[number]


def read_sentence(text: str) -> Claim:
    def match(pattern: str) -> re.Match[str] | None:
        return re.fullmatch(pattern, text)

    if m := match(rf"the background is ({'|'.join(BACKGROUNDS)})"):
        return lambda scene: scene.background == m[1]
    if m := match(rf"the picture has a ({'|'.join(BACKGROUNDS)}) background"):
        return lambda scene: scene.background == m[1]
    if m := match(rf"there are ({NUMBER}) shape in all|the picture holds exactly ({NUMBER}) shape"):
        return exactly(m[1] or m[2], lambda o: True)
    if m := match(rf"there (?:is|are) exactly ({NUMBER}) ({LOOK})"):
        return exactly(m[1], kind_of(m[2]))
    if m := match(rf"(all|only one|{NUMBER}) of the shape (?:is|are) ({VALUE})"):
        number, kind = m[1].removeprefix("only "), kind_of(m[2])
        return exactly(number, kind) if number != "all" else lambda s: all(map(kind, s.objects))
    if m := match(rf"there is no ({LOOK})|none of the shape is ({VALUE})"):
        return exactly("no", kind_of(m[1] or m[2]))
    if m := match(rf"(?:there is nothing|nothing is) ({PLACE})"):
        return exactly("no", place_of(m[1]))
    if m := match(rf"the ({THING}) is between the ({THING}) and the ({THING})"):
        return between(the(m[1]), the(m[2]), the(m[3]))
    relation = rf"(?:{'|'.join(RELATIONS)}|to the left of|to the right of)"
    if m := match(rf"the ({THING}) (?:is|has) ({relation}(?: and {relation})?) the ({THING})"):
        return related(the(m[1]), m[2].replace("to the ", ""), the(m[3]))
    if m := match(rf"the colour of the ({THING}) is (\w+)|the ({THING}) is ({VALUE})"):
        return predicated(the(m[1] or m[3]), kind_of(m[2] or m[4]))
    if m := match(rf"the ({THING}) is ({PLACE})"):
        return predicated(the(m[1]), place_of(m[2]))
    if m := match(rf"(a {LOOK}) is ({PLACE})|there is also (a {LOOK}) ({PLACE})"):
        text = f"{m[1] or m[3]} {m[2] or m[4]}"
    return read_list(text)


def predicated(subject: Callable[[Scene], SceneObject | None], kind: Kind) -> Claim:
    return lambda scene: (found := subject(scene)) is not None and kind(found)


def related(
    one: Callable[[Scene], SceneObject | None],
    relations: str,
    other: Callable[[Scene], SceneObject | None],
) -> Claim:
    tests = [RELATIONS[name] for name in relations.split(" and ")]

    def claim(scene: Scene) -> bool:
        a, b = one(scene), other(scene)
        return a is not None and b is not None and a != b and all(test(a, b) for test in tests)

    return claim


def between(*things: Callable[[Scene], SceneObject | None]) -> Claim:
    def claim(scene: Scene) -> bool:
        middle, *ends = (thing(scene) for thing in things)
        if middle is None or ends[0] is None or ends[1] is None or ends[0] == ends[1]:
            return False
        return (ends[0].row + ends[1].row, ends[0].column + ends[1].column) == (
            2 * middle.row,
            2 * middle.column,
        )

    return claim


def read_list(text: str) -> Claim:
    """``a red star at the top, a ring and a shape on a white background``, with or without verb."""
    text = re.sub("^(?:there is|there are|we see|the picture shows|a picture of) ", "", text)
    backdrop = re.search(r",? (?:on|in front of) a (\w+) background$", text)
    text = text[: backdrop.start()] if backdrop else text
    singles: list[Kind] = []
    numbers: list[Claim] = []
    for item in re.split(", | and ", text):
        if m := re.fullmatch(rf"a {THING}", item):
            singles.append(kind_of(item))
        else:
            m = re.fullmatch(rf"({NUMBER}) ({LOOK})", item)
            assert m, f"no item of a list: {item!r} in {text!r}"
            numbers.append(exactly(m[1], kind_of(m[2])))

    def claim(scene: Scene) -> bool:
        if backdrop and backdrop[1] != scene.background:
            return False
        return all(number(scene) for number in numbers) and any(
            all(kind(o) for kind, o in zip(singles, chosen, strict=True))
            for chosen in permutations(scene.objects, len(singles))
        )

    return claim
