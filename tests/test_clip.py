"""The small CLIP: its data, objectives and retrieval; loading any CLIP with both towers."""

from __future__ import annotations

import copy
import json
import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import save_tiny
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from safetensors.torch import load_file, save_file
from tinyclip import SIDE, save_other_clip
from transformers import (
    AutoImageProcessor,
    AutoModel,
    AutoTokenizer,
    CLIPImageProcessorPil,
    CLIPModel,
    CLIPTextModel,
    SiglipConfig,
)

from reproutils import clip, paths
from reproutils.clip import ClipRecipe, Retrieval, own_rank, retrieval, train_small_clip
from reproutils.corpora.captions import describe_scenes
from reproutils.corpora.scenes import draw_scenes, noise_images, render_all
from reproutils.errors import ReproError
from reproutils.models import LoadedClip, load_clip, load_model, load_untrained, registry
from reproutils.states import Reductions, embed_images, extract
from reproutils.training import Plan

RECIPE = ClipRecipe(
    width=24,
    heads=2,
    text_blocks=2,
    vision_blocks=1,
    projection=16,
    pairs=1024,
    plan=Plan(steps=4, batch_size=16, learning_rate=2e-3, seed=1),
)
CAPTIONS = ("A red star.", "There are two small circles above a green cross.", "We see 3 rings!")


def refusal(call: Callable[[], object]) -> str:
    """The one line that ``call`` ends with."""
    with pytest.raises(ReproError) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    return message


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Variant -> its folder, after a training of a few steps; read only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(paths.CACHE_VARIABLE, str(tmp_path_factory.mktemp("cache")))
        return {variant: train_small_clip(variant, RECIPE) for variant in clip.VARIANTS}


@pytest.fixture(scope="module")
def weights(folders: dict[str, Path]) -> dict[str, dict[str, torch.Tensor]]:
    return {name: load_file(folder / "model.safetensors") for name, folder in folders.items()}


@pytest.fixture(scope="module")
def other_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_other_clip(tmp_path_factory.mktemp("clip") / "other")


@pytest.fixture
def damaged(other_folder: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(other_folder, tmp_path / "damaged"))


@pytest.fixture(scope="module")
def ours(folders: dict[str, Path]) -> LoadedClip:
    return load_clip(f"path:{folders['contrastive']}", "float64")


@pytest.fixture(scope="module")
def other(other_folder: Path) -> LoadedClip:
    return load_clip(f"path:{other_folder}", "float64")


@pytest.fixture(params=["ours", "other"])
def loaded(request: pytest.FixtureRequest) -> LoadedClip:
    found: LoadedClip = request.getfixturevalue(request.param)
    return found


# Training ----------------------------------------------------------------------------------------


def test_contrastive_training_moves_both_towers(
    weights: dict[str, dict[str, torch.Tensor]],
) -> None:
    start, end = weights["untrained"], weights["contrastive"]
    assert start.keys() == end.keys()
    # The bias of keys shifts all attention scores of a query alike, so that nothing depends on it.
    same = [key for key in start if start[key].equal(end[key]) and "k_proj.bias" not in key]
    assert not same


def test_captioning_trains_the_text_tower_alone(
    weights: dict[str, dict[str, torch.Tensor]],
) -> None:
    start, end = weights["untrained"], weights["captioning"]
    changed = {key for key in start if not start[key].equal(end[key])}
    assert changed == {
        key for key in start if key.startswith("text_model.") and "k_proj.bias" not in key
    } | {key for key in changed if "k_proj.bias" in key}
    assert all(key.startswith("text_model.") for key in changed)


def test_the_variants_start_from_the_same_weights(
    weights: dict[str, dict[str, torch.Tensor]],
) -> None:
    tokenizer = clip.train_tokenizer(RECIPE)
    for builder in (CLIPModel, clip._ContrastiveClip, clip._CaptioningClip):
        drawn = clip.initial_network(RECIPE, tokenizer, builder).state_dict()
        assert drawn.keys() == weights["untrained"].keys()
        assert all(drawn[key].equal(value) for key, value in weights["untrained"].items())


def test_the_random_state_of_the_caller_is_left_alone() -> None:
    before = torch.get_rng_state()
    clip.initial_network(RECIPE, clip.train_tokenizer(RECIPE))
    assert torch.get_rng_state().equal(before)


def test_a_uniform_patch_says_nothing_of_its_colour(
    weights: dict[str, dict[str, torch.Tensor]],
) -> None:
    filters = weights["untrained"]["vision_model.embeddings.patch_embedding.weight"]
    assert filters.std() > 0.01
    assert filters.mean(dim=(2, 3)).abs().max() < 1e-6


@pytest.mark.parametrize("variant", clip.VARIANTS)
def test_what_is_saved_is_an_ordinary_clip(variant: str, folders: dict[str, Path]) -> None:
    folder = folders[variant]
    network, report = AutoModel.from_pretrained(folder, output_loading_info=True)
    assert type(network) is CLIPModel
    assert network.config.architectures == ["CLIPModel"]
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    text, vision = network.config.text_config, network.config.vision_config
    assert text.hidden_size == vision.hidden_size == RECIPE.width
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert tokenizer.model_max_length == text.max_position_embeddings == RECIPE.context
    trained = clip.train_tokenizer(RECIPE)
    assert [tokenizer(text).input_ids for text in CAPTIONS] == trained(list(CAPTIONS)).input_ids
    assert tokenizer.pad_token_id == text.pad_token_id
    assert isinstance(AutoImageProcessor.from_pretrained(folder), CLIPImageProcessorPil)
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert card.startswith(f"# Small CLIP, {variant}\n")
    assert str(paths.project_root()) not in card


def test_training_is_the_same_again_and_then_comes_from_the_cache(
    folders: dict[str, Path], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variants = ("contrastive", "untrained")
    again = {variant: train_small_clip(variant, RECIPE) for variant in variants}
    for variant, folder in again.items():
        assert folder.is_relative_to(cache)
        for name in ("model.safetensors", "tokenizer.json", "config.json"):
            assert (folder / name).read_bytes() == (folders[variant] / name).read_bytes()

    def no_data(*_: object) -> None:
        raise AssertionError("pairs were made for a run in the cache")

    monkeypatch.setattr(clip._Batches, "__call__", no_data)
    assert {variant: train_small_clip(variant, RECIPE) for variant in variants} == again


def test_another_recipe_is_another_network(cache: Path) -> None:
    one = train_small_clip("untrained", RECIPE)
    two = train_small_clip("untrained", replace(RECIPE, seed=5))
    assert one != two
    assert (one / "model.safetensors").read_bytes() != (two / "model.safetensors").read_bytes()


def test_an_unknown_variant() -> None:
    assert refusal(lambda: train_small_clip("supervised")) == (
        "unknown variant 'supervised' of the small CLIP; choose from contrastive, untrained, "
        "captioning"
    )


def test_captioning_learns(cache: Path) -> None:
    plan = replace(RECIPE.plan, steps=40, learning_rate=1e-2)
    folder = train_small_clip("captioning", replace(RECIPE, plan=plan))
    log = json.loads((folder / "log.json").read_text(encoding="utf-8"))
    first = math.log(len(clip.train_tokenizer(RECIPE)))
    assert log[0]["loss"] == pytest.approx(first, rel=0.05)
    assert log[-1]["loss"] < 0.7 * first


# Objectives --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def batches() -> clip._Batches:
    return clip._Batches(RECIPE, clip.train_tokenizer(RECIPE), with_images=True)


def test_the_contrastive_loss_is_that_of_clip(batches: clip._Batches) -> None:
    tokenizer = clip.train_tokenizer(RECIPE)
    ours, plain = (
        clip.initial_network(RECIPE, tokenizer, builder).double()
        for builder in (clip._ContrastiveClip, CLIPModel)
    )
    inputs = batches(0)
    inputs["pixel_values"] = inputs["pixel_values"].double()
    padding = inputs["input_ids"] != tokenizer.pad_token_id
    assert not padding.all()
    losses = [
        ours(**inputs, return_loss=True).loss,
        plain(**inputs, attention_mask=padding.long(), return_loss=True).loss,
    ]
    assert losses[0].item() == pytest.approx(losses[1].item(), rel=1e-9)
    for loss in losses:
        loss.backward()
    for (name, one), two in zip(ours.named_parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(one.grad, two.grad, rtol=1e-6, atol=1e-9, msg=name)


def test_the_captioning_loss_is_the_mean_over_tokens(batches: clip._Batches) -> None:
    tokenizer = clip.train_tokenizer(RECIPE)
    network = clip.initial_network(RECIPE, tokenizer, clip._CaptioningClip).double()
    ids = batches(0)["input_ids"]
    losses = []
    for row in ids:
        text = row[row != tokenizer.pad_token_id]
        states = network.text_model(input_ids=text[None]).last_hidden_state[0]
        logits = states @ network.text_model.embeddings.token_embedding.weight.T
        predicted = logits[:-1].log_softmax(-1)
        losses += [-predicted[place, token] for place, token in enumerate(text[1:])]
    expected = torch.stack(losses).mean().item()
    assert network(input_ids=ids).loss.item() == pytest.approx(expected, rel=1e-9)


# Data --------------------------------------------------------------------------------------------


def test_a_batch_is_a_function_of_the_step(batches: clip._Batches) -> None:
    text = clip._Batches(RECIPE, clip.train_tokenizer(RECIPE), with_images=False)
    forwards = [batches(step) for step in range(4)]
    for step in (3, 1, 0, 2):
        assert text(step).keys() == {"input_ids"}
        assert text(step)["input_ids"].equal(forwards[step]["input_ids"])
        assert batches(step)["pixel_values"].equal(forwards[step]["pixel_values"])
    assert not forwards[0]["pixel_values"].equal(forwards[1]["pixel_values"])


def test_a_batch_pairs_each_scene_with_its_caption(batches: clip._Batches) -> None:
    tokenizer = clip.train_tokenizer(RECIPE)
    scenes = draw_scenes(1024, [RECIPE.seed, 0])
    texts = describe_scenes(scenes, [RECIPE.seed, 0])
    pictures = render_all(scenes, RECIPE.image_size)
    processor = clip.image_processor(RECIPE)
    found = batches(0)
    for ids, image in zip(found["input_ids"], found["pixel_values"], strict=True):
        picture = ((image.permute(1, 2, 0) + 1) * 127.5).round().byte().numpy()
        (row,) = np.flatnonzero((pictures == picture).all(axis=(1, 2, 3)))
        processed = processor([pictures[row]], return_tensors="pt")["pixel_values"][0]
        torch.testing.assert_close(image, processed, rtol=0, atol=1e-6)
        expected = torch.tensor(tokenizer(texts[row]).input_ids)
        assert ids[: len(expected)].equal(expected)
        assert (ids[len(expected) :] == tokenizer.pad_token_id).all()


@pytest.mark.parametrize(("share", "mixed"), [(1.0, 0), (0.0, 12), (0.5, None)])
def test_how_many_batches_have_one_background(
    share: float, mixed: int | None, batches: clip._Batches
) -> None:
    batches = copy.copy(batches)
    batches._recipe = replace(RECIPE, one_background=share)
    # No shape reaches into the corner of an image.
    counts = [len(batches(step)["pixel_values"][:, 0, 0, 0].unique()) for step in range(12)]
    several = sum(count > 1 for count in counts)
    assert several == mixed if mixed is not None else 0 < several < 12


def test_the_tokenizer_frames_a_caption() -> None:
    tokenizer = clip.train_tokenizer(RECIPE)
    assert len(tokenizer) <= RECIPE.vocabulary
    ids = tokenizer("A red star.").input_ids
    assert tokenizer.convert_ids_to_tokens(ids) == [
        clip.START, "A", "Ġred", "Ġstar", ".", clip.END,
    ]  # fmt: skip
    # 2 means something else to transformers.
    assert tokenizer.eos_token_id not in (2, tokenizer.pad_token_id)


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=40))
def test_the_tokenizer_can_write_anything(text: str) -> None:
    ids = clip.train_tokenizer(RECIPE)(text).input_ids
    assert clip.train_tokenizer(RECIPE).decode(ids[1:-1]) == text


def test_the_longest_captions_fit_the_context() -> None:
    texts = describe_scenes(draw_scenes(300, 1, "held-out"), 1, (60, 60))
    lengths = [len(ids) for ids in clip.train_tokenizer(clip.RECIPE)(texts).input_ids]
    assert max(lengths) <= clip.RECIPE.context


# Retrieval ---------------------------------------------------------------------------------------


def test_the_rank_of_the_own_picture() -> None:
    targets = np.array([[1.0, 0.0], [0.0, 2.0], [-3.0, 0.0], [0.0, -1.0]])
    queries = np.array([[5.0, 1.0], [3.0, 1.0], [2.0, 1.0], [1.0, -7.0]])
    assert own_rank(queries, targets).tolist() == [1, 2, 4, 1]


def test_ties_are_no_hits() -> None:
    assert own_rank(np.ones((5, 3)), np.ones((5, 3))).tolist() == [5] * 5


@given(st.permutations(range(7)), st.floats(0.01, 100))
def test_ranks_go_with_their_items(order: list[int], factor: float) -> None:
    rng = np.random.default_rng(0)
    queries, targets = rng.normal(size=(2, 7, 4))
    ranks = own_rank(queries, targets)
    assert own_rank(factor * queries[order], targets[order]).tolist() == ranks[order].tolist()


def test_retrieval_agrees_with_the_logits_of_clip(ours: LoadedClip, cache: Path) -> None:
    found = retrieval(ours, 40, seed=2)
    scenes = draw_scenes(40, 2, "held-out")
    captions = clip.load_captions("scenes", seed=2, n=40)
    assert captions.scenes == tuple(scenes)
    assert found.n_words.tolist() == [len(text.split()) for text in captions.texts]
    assert found.n_words.min() == 3
    inputs = ours.text.tokenizer(list(captions.texts), padding=True, return_tensors="pt")
    with torch.inference_mode():
        logits = ours.network(
            **{key: inputs[key] for key in ("input_ids", "attention_mask")},
            pixel_values=ours.pixels(render_all(scenes, ours.image_size)),
        ).logits_per_text.numpy()
    expected = [int((row >= row[own] - 1e-9).sum()) for own, row in enumerate(logits)]
    # float32 states may change places where cosines agree to seven digits.
    assert np.mean(found.rank == expected) > 0.9
    assert np.abs(found.rank - expected).max() <= 1
    assert found.hit.tolist() == (found.rank == 1).tolist()


def test_hits() -> None:
    hits = Retrieval(rank=np.array([1, 2, 1]), n_words=np.array([3, 9, 60])).hit
    assert hits.tolist() == [True, False, True]


@pytest.mark.embedded
def test_the_small_clip_retrieves_held_out_scenes() -> None:
    networks = {name: load_clip(name) for name in ("small-clip", "small-clip-untrained")}
    hits = {name: retrieval(network, 200, seed=11) for name, network in networks.items()}
    chance = 1 / 200
    assert hits["small-clip"].hit.mean() > 10 * chance
    assert hits["small-clip-untrained"].hit.mean() < 5 * chance


# Loading -----------------------------------------------------------------------------------------


def test_the_towers(loaded: LoadedClip) -> None:
    config = loaded.network.config
    assert loaded.image_size == config.vision_config.image_size
    assert loaded.text_projection.shape == (config.text_config.hidden_size, config.projection_dim)
    assert loaded.visual_projection.shape == (
        config.vision_config.hidden_size,
        config.projection_dim,
    )
    assert loaded.text.width == config.text_config.hidden_size
    assert loaded.text.causal
    assert not loaded.network.training
    blocks = [f"block {k}" for k in range(1, config.text_config.num_hidden_layers + 1)]
    assert loaded.text.layer_names == ("embed", *blocks, "final_norm")


def test_which_towers_compare_before_the_projection(ours: LoadedClip, other: LoadedClip) -> None:
    assert ours.comparable_before_projection
    assert not other.comparable_before_projection


def test_states_of_the_text_tower(loaded: LoadedClip, cache: Path) -> None:
    states = extract(
        loaded.text, CAPTIONS, layers=loaded.text.layer_names, reductions=Reductions(last=True)
    )
    encoded = [loaded.text.encode(text)[0] for text in CAPTIONS]
    assert states.n_tokens.tolist() == [len(ids) for ids in encoded]
    shared = states.last("final_norm") @ loaded.text_projection
    means = states.mean("all", "final_norm") @ loaded.text_projection
    for row, ids in enumerate(encoded):
        inputs = torch.tensor([ids])
        with torch.inference_mode():
            reference = loaded.network.text_model(inputs, output_hidden_states=True)
            features = loaded.network.get_text_features(inputs).pooler_output
            every = loaded.network.text_projection(reference.last_hidden_state)
        hidden = dict(zip(loaded.text.layer_names, reference.hidden_states, strict=False))
        for layer, values in (hidden | {"final_norm": reference.last_hidden_state}).items():
            expected = values[0].numpy()
            close = {"rtol": 1e-5, "atol": 1e-5}
            np.testing.assert_allclose(states.mean("all", layer)[row], expected.mean(0), **close)
            np.testing.assert_allclose(states.last(layer)[row], expected[-1], **close)
        np.testing.assert_allclose(
            states.last("final_norm")[row], reference.pooler_output[0].numpy(), **close
        )
        np.testing.assert_allclose(shared[row], features[0].numpy(), **close)
        np.testing.assert_allclose(means[row], every[0].mean(0).numpy(), **close)


def test_states_of_the_image_tower(loaded: LoadedClip, cache: Path) -> None:
    images = noise_images(70, 1, loaded.image_size)
    found = embed_images(loaded, images)
    assert found.computed_images == 70
    pixels = loaded.pixels(images)
    with torch.inference_mode():
        pooled = loaded.network.vision_model(pixels).pooler_output
        projected = loaded.network.get_image_features(pixels).pooler_output
    np.testing.assert_allclose(found.pooled, pooled, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found.projected, projected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        found.projected, found.pooled @ loaded.visual_projection, rtol=1e-4, atol=1e-4
    )
    assert found.pooled.dtype == found.projected.dtype == np.float32


def test_images_are_cached(ours: LoadedClip, cache: Path) -> None:
    images = noise_images(70, 1, ours.image_size)
    first = embed_images(ours, images)
    again = embed_images(ours, images)
    assert again.computed_images == 0
    assert np.array_equal(again.projected, first.projected)
    changed = images.copy()
    changed[3, 0, 0, 0] ^= 255
    assert embed_images(ours, changed).computed_images == 70
    damaged = sorted(cache.glob("states/*/chunk-00001.safetensors"))
    for path in damaged:
        path.write_bytes(b"damaged")
    assert embed_images(ours, images).computed_images == 70 - 64
    assert np.array_equal(embed_images(ours, images).pooled, first.pooled)


def test_images_are_scaled_cut_and_normalised(other: LoadedClip, other_folder: Path) -> None:
    images = noise_images(3, 4, 50)[:, :, :40]
    processor = AutoImageProcessor.from_pretrained(other_folder)
    expected = processor([Image.fromarray(image) for image in images], return_tensors="np")
    pixels = other.pixels(images)
    assert pixels.shape == (3, 3, SIDE, SIDE)
    assert pixels.dtype == torch.float64
    np.testing.assert_allclose(pixels, np.stack(expected["pixel_values"]), atol=1e-6)


@pytest.mark.parametrize(
    "images",
    [
        np.zeros((0, 8, 8, 3), np.uint8),
        np.zeros((8, 8, 3), np.uint8),
        np.zeros((2, 8, 8, 4), np.uint8),
        np.zeros((2, 3, 8, 8), np.uint8),
        np.zeros((2, 8, 8, 3), np.float32),
    ],
)
def test_arrays_that_are_no_images(images: np.ndarray, ours: LoadedClip, cache: Path) -> None:
    message = refusal(lambda: embed_images(ours, images))
    assert message.startswith("images are an array (n, height, width, 3) of uint8, not (")


def test_an_image_tower_that_breaks(damaged: Path, cache: Path) -> None:
    tensors = load_file(damaged / "model.safetensors")
    tensors["visual_projection.weight"][0] = float("nan")
    save_file(tensors, damaged / "model.safetensors", metadata={"format": "pt"})
    broken = load_clip(f"path:{damaged}")
    message = refusal(lambda: embed_images(broken, noise_images(2, 0, SIDE)))
    assert message == (
        f"model path:{damaged}, image 0: NaN or infinite states (projected); try dtype float32, or "
        f"leave the image out"
    )


def test_a_caption_longer_than_the_context(other: LoadedClip, cache: Path) -> None:
    texts = ["A star.", "one ring, " * 40]
    length = len(other.text.encode(texts[1])[0])
    message = refusal(lambda: extract(other.text, texts, layers=["final_norm"]))
    assert message == (
        f"text 1 has {length} tokens, the context of {other.name} is 48; shorten it, or allow "
        f"truncation"
    )
    cut = extract(
        other.text,
        texts,
        layers=["final_norm"],
        reductions=Reductions(last=True),
        truncate=True,
    )
    assert cut.n_truncated == 1
    # The end-of-text token stays, for it is what the caption is read off at.
    ids = other.text.encode(texts[1])[0]
    kept = torch.tensor([[*ids[:47], ids[-1]]])
    with torch.inference_mode():
        expected = other.network.text_model(kept).pooler_output[0]
    np.testing.assert_allclose(cut.last("final_norm")[1], expected, rtol=1e-5, atol=1e-5)


def test_a_text_tower_has_no_token_loss(ours: LoadedClip, cache: Path) -> None:
    wanted = Reductions(spans=(), loss=True)
    message = refusal(lambda: extract(ours.text, CAPTIONS, layers=["embed"], reductions=wanted))
    assert "predicts no next token" in message


def test_load_model_gives_the_text_tower(other: LoadedClip, other_folder: Path) -> None:
    text = load_model(f"path:{other_folder}", "float64")
    assert text.fingerprint == other.text.fingerprint
    assert text.layer_names == other.text.layer_names
    assert type(text.network) is CLIPTextModel


def test_the_untrained_twin_of_a_text_tower(other: LoadedClip) -> None:
    twin = load_untrained("twin", other.text)
    assert twin is not None
    assert twin.causal
    assert twin.layer_names == other.text.layer_names
    assert twin.fingerprint != other.text.fingerprint
    assert twin.encode(CAPTIONS[0]) == other.text.encode(CAPTIONS[0])


def test_the_registry_names_the_variants(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clip, "train_small_clip", lambda variant: folders[variant])
    trained = {alias: spec for alias, spec in registry().items() if spec.kind == "trained"}
    assert {spec.variant for spec in trained.values()} == set(clip.VARIANTS)
    found = {alias: load_clip(alias) for alias in trained}
    assert len({one.fingerprint for one in found.values()}) == len(found)
    for alias, one in found.items():
        assert one.name == one.text.name == alias
        assert one.about == one.text.about == trained[alias].about
        assert load_model(alias).fingerprint == one.text.fingerprint


# Refusals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("alias", ["smollm2-135m", "smollm2-135m-random", "minilm-l6"])
def test_a_text_model_by_alias(alias: str, cache: Path) -> None:
    assert refusal(lambda: load_clip(alias)) == (
        f"model {alias} has no image tower; use small-clip or small-clip-untrained or "
        f"small-clip-captioning, or a CLIP by path:FOLDER or Hub id"
    )


@pytest.mark.parametrize("architecture", ["llama", "bert"])
def test_a_text_model_by_folder(architecture: str, tmp_path: Path) -> None:
    save_tiny(tmp_path, architecture)
    message = refusal(lambda: load_clip(f"path:{tmp_path}"))
    assert message.startswith(f"model path:{tmp_path} has no image tower; use small-clip")


def test_towers_of_another_architecture(damaged: Path) -> None:
    SiglipConfig().save_pretrained(damaged)
    assert refusal(lambda: load_clip(f"path:{damaged}")) == (
        f"model path:{damaged}: its architecture is siglip, and only CLIP is supported with its "
        f"image tower; use a model of the type clip"
    )


@pytest.mark.parametrize("load", [load_clip, load_model])
def test_pickled_weights(load: Callable[[str], object], damaged: Path) -> None:
    (damaged / "model.safetensors").rename(damaged / "pytorch_model.bin")
    message = refusal(lambda: load(f"path:{damaged}"))
    assert "pytorch_model.bin is a pickle file, which can run code when loaded" in message


def test_a_checkpoint_without_the_image_tower(damaged: Path) -> None:
    tensors = load_file(damaged / "model.safetensors")
    text = {key: value for key, value in tensors.items() if not key.startswith("vis")}
    save_file(text, damaged / "model.safetensors", metadata={"format": "pt"})
    message = refusal(lambda: load_clip(f"path:{damaged}"))
    assert "the checkpoint lacks" in message
    assert "it does not fit its configuration" in message


def test_a_missing_preprocessor(damaged: Path) -> None:
    (damaged / "preprocessor_config.json").unlink()
    message = refusal(lambda: load_clip(f"path:{damaged}"))
    assert "no usable preprocessor_config.json in damaged (" in message
    assert message.endswith("); copy it beside the weights")


def test_a_preprocessor_of_another_model(damaged: Path) -> None:
    CLIPImageProcessorPil().save_pretrained(damaged)
    assert refusal(lambda: load_clip(f"path:{damaged}")) == (
        f"model path:{damaged}: preprocessor_config.json in damaged makes images of 224 pixels, "
        f"the image tower takes 32; copy the file that belongs to the weights"
    )


def test_an_unknown_name() -> None:
    message = refusal(lambda: load_clip("smal-clip"))
    assert message.startswith("unknown model 'smal-clip'; did you mean small-clip or ")


def test_an_unknown_dtype() -> None:
    assert "unknown dtype 'float16'" in refusal(lambda: load_clip("small-clip", "float16"))
