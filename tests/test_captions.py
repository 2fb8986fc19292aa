"""Captions: drawn scenes described, folders of captions and images, and their errors."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scenereader import reads

from reproutils.corpora import Captions, describe_corpora, load_captions
from reproutils.corpora.base import Provenance
from reproutils.corpora.captions import describe_scenes
from reproutils.corpora.scenes import draw_scenes, render, split_of
from reproutils.errors import ReproError


def write_captions(folder: Path, lines: list[str]) -> str:
    """A caption file in ``folder``; its corpus name."""
    folder.mkdir(exist_ok=True)
    (folder / "captions.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"path:{folder}"


def save_image(folder: Path, name: str, colour: str, size: tuple[int, int] = (40, 40)) -> None:
    (folder / "images").mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, colour).save(folder / "images" / name)


# Drawn scenes ------------------------------------------------------------------------------------


def test_word_counts_are_spread_evenly_and_apart_from_the_scene() -> None:
    corpus = load_captions("scenes", seed=0)
    assert len(corpus) == 400
    counts = Counter(corpus.n_words.tolist())
    assert set(counts) == set(range(3, 61))
    assert set(counts.values()) == {6, 7}
    assert corpus.scenes is not None
    objects = [len(scene.objects) for scene in corpus.scenes]
    # Standard error of a correlation of 0 at n = 400: 0.05.
    assert abs(np.corrcoef(corpus.n_words, objects)[0, 1]) < 0.15


def test_captions_are_true_of_their_held_out_scenes() -> None:
    corpus = load_captions("scenes", seed=1, n=200)
    assert corpus.scenes is not None
    assert len(set(corpus.scenes)) == 200
    for text, scene in zip(corpus.texts, corpus.scenes, strict=True):
        assert reads(text, scene)
        assert split_of(scene) == "held-out"
    assert corpus.provenance.licence == "CC0-1.0"


def test_few_captions_reach_from_short_to_long() -> None:
    assert sorted(load_captions("scenes", seed=2, n=3).n_words.tolist()) == [3, 22, 41]
    assert load_captions("scenes", seed=2, n=1).n_words.tolist() == [3]


def test_the_draw_is_fixed_by_its_seed() -> None:
    corpus = load_captions("scenes", seed=3, n=30)
    assert corpus == load_captions("scenes", seed=3, n=30)
    assert corpus.fingerprint == load_captions("scenes", seed=3, n=30).fingerprint
    assert corpus.fingerprint != load_captions("scenes", seed=4, n=30).fingerprint


def test_images_of_scenes_are_rendered() -> None:
    corpus = load_captions("scenes", seed=3, n=5)
    assert corpus.scenes is not None
    pictures = corpus.images(side=48)
    assert pictures.shape == (5, 48, 48, 3)
    np.testing.assert_array_equal(pictures[3], render(corpus.scenes[3], 48))


def test_take_keeps_rows_together() -> None:
    corpus = load_captions("scenes", seed=5, n=40)
    part = corpus.take(10, seed=1)
    assert len(part) == 10
    assert part.scenes is not None
    assert corpus.scenes is not None
    for item, text, scene in zip(part.item_ids, part.texts, part.scenes, strict=True):
        row = corpus.item_ids.index(item)
        assert (corpus.texts[row], corpus.scenes[row]) == (text, scene)
    assert corpus.take(0, seed=1) == corpus


def test_training_pairs_come_without_end() -> None:
    seen = set()
    for step in range(3):
        scenes = draw_scenes(50, (0, step))
        texts = describe_scenes(scenes, (0, step))
        assert texts == describe_scenes(scenes, (0, step))
        assert all(reads(text, scene) for text, scene in zip(texts, scenes, strict=True))
        seen |= set(scenes)
    assert len(seen) == 150
    scenes = draw_scenes(2000, (0, 7))
    words = [len(text.split()) for text in describe_scenes(scenes, (0, 7))]
    assert abs(np.corrcoef(words, [len(scene.objects) for scene in scenes])[0, 1]) < 0.1
    lengths = [len(text.split()) for text in describe_scenes(draw_scenes(300, 1), 1, (20, 22))]
    assert set(lengths) == {20, 21, 22}


@pytest.mark.parametrize("words", [(2, 10), (10, 9), (50, 61)])
def test_ranges_of_words_out_of_bounds_are_refused(words: tuple[int, int]) -> None:
    with pytest.raises(ReproError, match="range within 3 to 60"):
        describe_scenes(draw_scenes(1, 0), 0, words)


# Folders -----------------------------------------------------------------------------------------


def test_one_caption_to_a_picture_with_long_ones_among_them(tmp_path: Path) -> None:
    # 50 pictures with four short captions each, ten of which have a long one too.
    lines = [
        f"{item}\t{' '.join(['word'] * count)}" for item in range(50) for count in (4, 5, 5, 5)
    ]
    lines += [f"{item}\t{' '.join(['word'] * 30)}" for item in range(10)]
    corpus = load_captions(write_captions(tmp_path / "c", lines), seed=0, n=30)
    assert len(set(corpus.item_ids)) == 30
    counts = Counter(corpus.n_words.tolist())
    # A shorter caption may have taken the picture of a long one.
    assert 7 <= counts[30] <= 10
    assert abs(counts[4] - counts[5]) <= 1
    assert corpus.provenance.notes[0] == "captions: 210 of 50 pictures"
    whole = load_captions(f"path:{tmp_path / 'c'}", seed=0, n=50)
    assert sorted(whole.item_ids) == sorted(map(str, range(50)))
    again = load_captions(f"path:{tmp_path / 'c'}", seed=1, n=30)
    assert again.item_ids != corpus.item_ids


def test_text_is_cleaned_and_blank_lines_are_passed_over(tmp_path: Path) -> None:
    name = write_captions(tmp_path, ["\ufeff7\t A  cat\u00a0sits. ", "", "8\tA dog , too ."])
    corpus = load_captions(name, seed=0, n=2)
    assert corpus.texts == ("A cat sits.", "A dog , too .")
    assert corpus.item_ids == ("7", "8")
    assert corpus.n_words.tolist() == [3, 3]
    assert corpus.scenes is None
    with pytest.raises(ReproError, match="no pictures"):
        corpus.images()


def test_images_of_a_folder(tmp_path: Path) -> None:
    name = write_captions(
        tmp_path, ["1\tall red", "2\tall blue", "3\twithout picture", "44\tgreen"]
    )
    save_image(tmp_path, "1.png", "red", (90, 30))
    save_image(tmp_path, "2.JPG", "blue", (33, 70))
    save_image(tmp_path, "000000000044.png", "lime")
    corpus = load_captions(name, seed=0, n=3)
    assert corpus.item_ids == ("1", "2", "44")
    pictures = corpus.images(side=20)
    assert pictures.shape == (3, 20, 20, 3)
    np.testing.assert_allclose(pictures[0], np.broadcast_to((255, 0, 0), (20, 20, 3)))
    np.testing.assert_allclose(pictures[1], np.broadcast_to((0, 0, 254), (20, 20, 3)), atol=2)
    np.testing.assert_allclose(pictures[2], np.broadcast_to((0, 255, 0), (20, 20, 3)))
    assert corpus.provenance.notes[1] == "with an image file: 3 of 3 pictures"
    part = corpus.take(1, seed=0)
    np.testing.assert_array_equal(
        part.images(20)[0], pictures[corpus.item_ids.index(part.item_ids[0])]
    )


def test_images_are_cut_to_the_middle(tmp_path: Path) -> None:
    name = write_captions(tmp_path, ["1\twide"])
    (tmp_path / "images").mkdir()
    wide = np.zeros((30, 90, 3), dtype=np.uint8)
    wide[:, 30:60] = 255
    Image.fromarray(wide).save(tmp_path / "images" / "1.png")
    (picture,) = load_captions(name, seed=0, n=1).images(side=30)
    assert (picture == 255).all()


def test_a_broken_image_is_named(tmp_path: Path) -> None:
    name = write_captions(tmp_path, ["1\tgood", "2\tbroken", "3\tcut off"])
    save_image(tmp_path, "1.png", "red")
    (tmp_path / "images" / "2.png").write_bytes(b"no picture")
    with pytest.raises(ReproError, match=r"2\.png is not a picture.*replace or remove"):
        load_captions(name, seed=0, n=2).images()
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "images" / "2.png")
    whole = (tmp_path / "images" / "2.png").read_bytes()
    (tmp_path / "images" / "3.png").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ReproError, match=r"3\.png is not a picture"):
        load_captions(name, seed=0, n=3).images()


def test_an_image_folder_without_the_pictures_is_refused(tmp_path: Path) -> None:
    name = write_captions(tmp_path, ["1\tone"])
    save_image(tmp_path, "5.png", "red")
    with pytest.raises(ReproError, match=r"images holds no picture of .*captions\.txt"):
        load_captions(name, seed=0, n=1)


@pytest.mark.parametrize(
    "line", ["no tab here", "\tno identifier", "9\t", "9\t . ", "../9\tout of the folder"]
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str) -> None:
    name = write_captions(tmp_path, ["1\tfine", "", line])
    with pytest.raises(ReproError, match=r"captions\.txt, line 3: .*mend the line"):
        load_captions(name, seed=0, n=1)


def test_missing_and_empty_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ReproError, match=r"no folder .*/gone; give path:FOLDER"):
        load_captions(f"path:{tmp_path / 'gone'}", seed=0)
    with pytest.raises(ReproError, match=r"no file .*captions\.txt"):
        load_captions(f"path:{tmp_path}", seed=0)
    name = write_captions(tmp_path, ["", ""])
    with pytest.raises(ReproError, match=r"captions\.txt holds no captions"):
        load_captions(name, seed=0)
    (tmp_path / "captions.txt").write_bytes(b"1\t\xff\xfe\n")
    with pytest.raises(ReproError, match=r"captions\.txt is not UTF-8"):
        load_captions(name, seed=0)


def test_more_captions_than_there_are_pictures_are_refused(tmp_path: Path) -> None:
    name = write_captions(tmp_path, ["1\ta cat", "1\ta grey cat", "2\ta dog"])
    with pytest.raises(ReproError, match=r"2 pictures, fewer than the 3 asked for.*at most 2"):
        load_captions(name, seed=0, n=3)


@pytest.mark.parametrize("n", [0, -5])
def test_numbers_below_one_are_refused(n: int) -> None:
    with pytest.raises(ReproError, match=f"cannot draw {n} captions"):
        load_captions("scenes", seed=0, n=n)


def test_an_unknown_name_brings_the_nearest() -> None:
    with pytest.raises(ReproError, match=r"'scene'.*nearest is scenes"):
        load_captions("scene", seed=0)
    with pytest.raises(ReproError, match=r"'path:'.*nearest is path:FOLDER"):
        load_captions("path:", seed=0)


def test_captions_pictures_and_identifiers_must_fit() -> None:
    provenance = Provenance("made by hand", "CC0-1.0", "none")
    with pytest.raises(ReproError, match="1 pictures for 2 captions"):
        Captions("c", ("a", "b"), ("1", "2"), provenance, scenes=tuple(draw_scenes(1, 0)))
    with pytest.raises(ReproError, match="the item id 1 occurs 2 times"):
        Captions("c", ("a", "b"), ("1", "1"), provenance)


def test_the_corpora_are_described() -> None:
    assert "scenes" in describe_corpora()
    assert "captions.txt" in describe_corpora()["path:FOLDER"]
