"""Captions of pictures: of scenes drawn here, or of a folder with a caption file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from reproutils.corpora.base import Provenance, check_rows, fingerprint_of, sample_rows
from reproutils.corpora.parallel_text import clean_text, count_words
from reproutils.corpora.scenes import (
    MAX_WORDS,
    MIN_WORDS,
    SPLITS,
    Scene,
    caption,
    draw_scenes,
    render_all,
)
from reproutils.errors import ReproError
from reproutils.paths import named_path

SCENES = "scenes"
CAPTION_FILE = "captions.txt"
IMAGE_FOLDER = "images"
DEFAULT_COUNT = 400

_HELD_OUT = SPLITS[-1]
_KNOWN_NAMES = f"{SCENES}, path:FOLDER"
_IMAGE_SUFFIXES = (".png", ".jpg")
# COCO writes the numbers of its pictures with leading zeros in the names of their files.
_COCO_DIGITS = 12


@dataclass(frozen=True)
class Captions:
    """Captions, each of a picture of its own.

    Attributes:
        name: the corpus as the user named it.
        texts: the captions.
        item_ids: one unique, stable identifier per caption: that of its picture.
        provenance: source, licence, citation and processing notes.
        scenes: what each caption describes, for drawn scenes.
        image_files: the picture that each caption describes, for a folder that holds them.

    Raises:
        ReproError: captions, identifiers and pictures do not fit together.
    """

    name: str
    texts: tuple[str, ...]
    item_ids: tuple[str, ...]
    provenance: Provenance
    scenes: tuple[Scene, ...] | None = None
    image_files: tuple[Path, ...] | None = None

    def __post_init__(self) -> None:
        check_rows(self.name, ("en",), {"en": self.texts}, self.item_ids)
        for pictures in (self.scenes, self.image_files):
            if pictures is not None and len(pictures) != len(self.texts):
                raise ReproError(
                    f"corpus {self.name}: {len(pictures)} pictures for {len(self.texts)} "
                    f"captions; every caption needs its own"
                )

    def __len__(self) -> int:
        """The number of captions."""
        return len(self.texts)

    @cached_property
    def fingerprint(self) -> str:
        """The first 16 hexadecimal digits of a SHA-256 over identifiers, captions and scenes.

        Name, provenance and the content of image files are left out.
        """
        columns = {"en": self.texts}
        if self.scenes is not None:
            columns["scene"] = tuple(repr(scene) for scene in self.scenes)
        return fingerprint_of(tuple(columns), columns, self.item_ids)

    @property
    def n_words(self) -> np.ndarray:
        """The number of words of each caption, of shape (n,)."""
        return np.array([count_words(text) for text in self.texts], dtype=np.int64)

    def take(self, n: int, seed: int) -> Captions:
        """A random subsample without replacement, in the order of the whole.

        Args:
            n: the number of captions; 0, or at least ``len(self)``, keeps all of them.
            seed: the seed of the draw. The same ``n`` and ``seed`` always give the same captions.

        Raises:
            ReproError: ``n`` is negative.
        """
        rows = sample_rows(len(self), n, seed)
        return Captions(
            name=self.name,
            texts=tuple(self.texts[row] for row in rows),
            item_ids=tuple(self.item_ids[row] for row in rows),
            provenance=self.provenance,
            scenes=self.scenes and tuple(self.scenes[row] for row in rows),
            image_files=self.image_files and tuple(self.image_files[row] for row in rows),
        )

    def images(self, side: int = 64) -> np.ndarray:
        """The pictures that the captions describe, of shape (n, side, side, 3) and type uint8.

        Scenes are rendered. Image files are scaled so that the shorter side fits, and cut to the
        square in the middle.

        Raises:
            ReproError: there are no pictures, or a file is not a picture that can be read.
        """
        if self.scenes is not None:
            return render_all(self.scenes, side)
        if self.image_files is None:
            raise ReproError(
                f"corpus {self.name} has captions and no pictures; put them into the folder "
                f"{IMAGE_FOLDER} beside {CAPTION_FILE}, as ID.png or ID.jpg"
            )
        pictures = np.empty((len(self), side, side, 3), dtype=np.uint8)
        for row, path in enumerate(self.image_files):
            pictures[row] = _read_image(path, side)
        return pictures


def load_captions(name: str = SCENES, *, seed: int, n: int = DEFAULT_COUNT) -> Captions:
    """Load captions whose word counts are spread as evenly as the source allows.

    Args:
        name: one of

            - ``scenes``: captions of 3 to 60 words of held-out random scenes (see
              :mod:`reproutils.corpora.scenes`), each length equally often, whatever the number of
              shapes;
            - ``path:FOLDER`` (a relative path starts at the project's root): a folder with the file
              ``captions.txt``, whose lines are ``ID<TAB>CAPTION`` with any number of captions to a
              picture, and if wanted a folder ``images`` with ``ID.png`` or ``ID.jpg`` (COCO's
              twelve-digit names are understood); with it, captions without picture are left out.
        seed: the seed of the draw.
        n: the number of captions, each of another picture.

    Raises:
        ReproError: unknown name; ``n`` below 1 or more than there are pictures; a folder or file
            that is missing, empty or of another encoding; a malformed line.
    """
    if n < 1:
        raise ReproError(f"cannot draw {n} captions; give a positive number")
    kind, _, place = name.partition(":")
    if name == SCENES:
        return _describe_held_out(n, seed)
    if kind == "path" and place:
        return _read_folder(name, named_path(name), n, seed)
    near = get_close_matches(kind, (SCENES, "path"), n=1, cutoff=0.0)[0]
    example = {"path": "path:FOLDER"}.get(near, near)
    raise ReproError(f"unknown captions {name!r}; the nearest is {example} (known: {_KNOWN_NAMES})")


# Drawn scenes ------------------------------------------------------------------------------------


def describe_scenes(
    scenes: Sequence[Scene],
    seed: int | Sequence[int],
    words: tuple[int, int] = (MIN_WORDS, MAX_WORDS),
) -> list[str]:
    """One caption for each scene; with :func:`draw_scenes`, pairs without end for training.

    Args:
        scenes: what to describe.
        seed: one number, or several, such as a seed and a training step.
        words: the least and the largest number of words; the number is uniform between them.

    Raises:
        ReproError: ``words`` is not a range within 3 … 60.
    """
    low, high = words
    if not MIN_WORDS <= low <= high <= MAX_WORDS:
        raise ReproError(
            f"cannot describe scenes in {low} to {high} words; "
            f"give a range within {MIN_WORDS} to {MAX_WORDS}"
        )
    rng = np.random.default_rng(seed)
    counts = rng.integers(low, high + 1, len(scenes))
    return [caption(scene, int(count), rng) for scene, count in zip(scenes, counts, strict=True)]


def _describe_held_out(n: int, seed: int) -> Captions:
    scenes = draw_scenes(n, seed, _HELD_OUT)
    rng = np.random.default_rng(seed)
    span = MAX_WORDS - MIN_WORDS + 1
    counts = rng.permutation(MIN_WORDS + np.arange(n) * span // n)
    return Captions(
        name=SCENES,
        texts=tuple(
            caption(scene, int(count), rng) for scene, count in zip(scenes, counts, strict=True)
        ),
        item_ids=tuple(f"{_HELD_OUT}-{seed}-{row:05d}" for row in range(n)),
        provenance=Provenance(
            source="scenes drawn at random and described by this project",
            licence="CC0-1.0",
            citation="the scene captions of this project",
            notes=(
                f"{n} held-out scenes, none of which is ever drawn for training",
                f"{MIN_WORDS} to {MAX_WORDS} words, each length equally often, "
                f"independent of the scene",
            ),
        ),
        scenes=tuple(scenes),
    )


# Folders -----------------------------------------------------------------------------------------


def _read_folder(name: str, folder: Path, n: int, seed: int) -> Captions:
    if not folder.is_dir():
        raise ReproError(f"no folder {folder}; give path:FOLDER with {CAPTION_FILE} in it")
    file = folder / CAPTION_FILE
    rows = _read_lines(file)
    notes = [f"captions: {len(rows)} of {len({item for item, _ in rows})} pictures"]
    images: dict[str, Path] | None = None
    if (folder / IMAGE_FOLDER).is_dir():
        images = _find_images(folder / IMAGE_FOLDER, {item for item, _ in rows})
        rows = [(item, text) for item, text in rows if item in images]
        notes.append(f"with an image file: {len(rows)} of {len(images)} pictures")
        if not rows:
            raise ReproError(
                f"{folder / IMAGE_FOLDER} holds no picture of {file}; name them ID.png or ID.jpg, "
                f"or remove the folder to use the captions alone"
            )
    chosen = _spread(rows, n, seed)
    if len(chosen) < n:
        raise ReproError(
            f"{file} gives captions of {len(chosen)} pictures, fewer than the {n} asked for; "
            f"ask for at most {len(chosen)}"
        )
    items, texts = zip(*(rows[row] for row in chosen), strict=True)
    notes.append(f"drawn: {n}, one caption to a picture, word counts spread evenly")
    return Captions(
        name=name,
        texts=texts,
        item_ids=items,
        provenance=Provenance(
            source=f"caption file {file.name} in {folder.name}",
            licence="as stated by the owner of the files",
            citation=f"{folder.name}, as named by the owner of the files",
            notes=tuple(notes),
        ),
        image_files=None if images is None else tuple(images[item] for item in items),
    )


def _read_lines(file: Path) -> list[tuple[str, str]]:
    """Picture and caption of each line; blank lines are passed over."""
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except FileNotFoundError:
        raise ReproError(f"no file {file}; its lines are to be ID<TAB>CAPTION") from None
    except UnicodeDecodeError:
        raise ReproError(f"{file} is not UTF-8; convert the file") from None
    except OSError as error:
        raise ReproError(f"cannot read {file} ({error.strerror}); check the file") from None
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        item, tab, text = line.partition("\t")
        item, text = item.strip(), clean_text(text)
        if not tab or not item or not count_words(text) or {"/", "\\"} & set(item):
            raise ReproError(
                f"{file}, line {number}: {line.strip()[:40]!r} is not ID<TAB>CAPTION with words in "
                f"the caption and no slash in the ID; mend the line"
            )
        rows.append((item, text))
    if not rows:
        raise ReproError(f"{file} holds no captions; fill it with lines ID<TAB>CAPTION")
    return rows


def _find_images(folder: Path, items: set[str]) -> dict[str, Path]:
    """The image file of each picture that has one."""
    files = {
        path.stem: path
        for path in sorted(folder.iterdir(), reverse=True)
        if path.suffix.lower() in _IMAGE_SUFFIXES
    }
    found = {item: files.get(item) or files.get(item.zfill(_COCO_DIGITS)) for item in items}
    return {item: path for item, path in found.items() if path is not None}


def _spread(rows: Sequence[tuple[str, str]], n: int, seed: int) -> list[int]:
    """Up to ``n`` row numbers, ascending, one to a picture, with word counts spread evenly.

    The word counts take turns, the rarest first, each giving a random caption of a picture that has
    none yet; a word count that has run dry passes.
    """
    order = np.random.default_rng(seed).permutation(len(rows))
    by_count: dict[int, list[int]] = {}
    for row in order:
        by_count.setdefault(count_words(rows[row][1]), []).append(int(row))
    queues = [by_count[count] for count in sorted(by_count, key=lambda c: (len(by_count[c]), c))]
    used: set[str] = set()
    chosen: list[int] = []
    while queues and len(chosen) < n:
        for queue in queues:
            while queue and rows[queue[-1]][0] in used:
                queue.pop()
            if queue and len(chosen) < n:
                row = queue.pop()
                used.add(rows[row][0])
                chosen.append(row)
        queues = [queue for queue in queues if queue]
    return sorted(chosen)


def _read_image(path: Path, side: int) -> np.ndarray:
    """A picture as RGB, scaled and cut to a square, of shape (side, side, 3)."""
    try:
        with Image.open(path) as image:
            square = ImageOps.fit(image.convert("RGB"), (side, side), Image.Resampling.BICUBIC)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ReproError(
            f"{path} is not a picture that can be read ({reason}); replace or remove it"
        ) from None
    return np.asarray(square)
