"""A small CLIP, trained here on drawn scenes and their captions, and two networks beside it.

All three start from the same weights. ``contrastive`` learns, as CLIP does, to tell which of the
captions of a batch belongs to which of its images. ``untrained`` stays as it was. ``captioning``
reads the same captions in the same order for the same number of steps, but its text tower learns to
predict the next token, so that it has never seen an image and nothing has pulled captions apart;
its image tower and both projections stay as they were.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from torch import Tensor, nn
from transformers import (
    CLIPConfig,
    CLIPImageProcessorPil,
    CLIPModel,
    PreTrainedTokenizerFast,
)
from transformers.modeling_outputs import BaseModelOutputWithPooling, CausalLMOutput

from reproutils.corpora import captions as captions_module
from reproutils.corpora import scenes as scenes_module
from reproutils.corpora.captions import SCENES, describe_scenes, load_captions
from reproutils.corpora.scenes import BACKGROUNDS, Scene, draw_scenes, render_all
from reproutils.difficulty import unit_rows
from reproutils.errors import ReproError
from reproutils.models import LoadedClip
from reproutils.paths import cache_dir, locked
from reproutils.progress import progress
from reproutils.states import Reductions, embed_images, extract
from reproutils.training import CARD, Plan, _quiet, train

VARIANTS = ("contrastive", "untrained", "captioning")
START, END, PADDING = "<|startoftext|>", "<|endoftext|>", "<|pad|>"

_PART = 1024
# A batch of captions is run in so many parts of similar length, which saves half of the padding.
_LENGTH_GROUPS = 4


@dataclass(frozen=True)
class ClipRecipe:
    """What the small CLIP is made of and how it is trained.

    Attributes:
        width: of both towers, so that captions and images can be compared before the projection.
        heads: attention heads of each block.
        text_blocks: blocks of the text tower.
        vision_blocks: blocks of the image tower.
        context: the longest caption in tokens, start and end included.
        image_size: side of the images in pixels.
        patch_size: side of the patches that the image tower reads.
        projection: width after the projections.
        vocabulary: the largest vocabulary of the tokenizer.
        pairs: scenes, each with one caption of 3 to 60 words, that batches are drawn from.
        one_background: share of batches whose scenes all have the same background, so that it does
            not tell them apart and the towers have to look at the shapes.
        scale: what cosines are multiplied with at the start (CLIP's inverse temperature).
        vision_factor: on the standard deviations of the image tower's initial weights.
        seed: of tokenizer captions, initial weights, pairs and batches.
        plan: steps, batch size and learning rate.
    """

    width: int = 64
    heads: int = 4
    text_blocks: int = 2
    vision_blocks: int = 3
    context: int = 96
    image_size: int = 48
    patch_size: int = 16
    projection: int = 64
    vocabulary: int = 1000
    pairs: int = 32768
    one_background: float = 0.7
    scale: float = 6.0
    vision_factor: float = 4.0
    seed: int = 20260601
    plan: Plan = field(
        default=Plan(
            steps=700,
            batch_size=128,
            learning_rate=1.5e-3,
            seed=20260601,
            warmup_steps=50,
            save_every=150,
        )
    )


RECIPE = ClipRecipe()


def train_small_clip(variant: str, recipe: ClipRecipe = RECIPE) -> Path:
    """Train one of the ``VARIANTS``, or find it in the cache.

    Returns:
        A folder with safetensors, configuration, tokenizer, image preprocessor and model card, that
        ``transformers.AutoModel`` and ``load_clip(f"path:{folder}")`` read.

    Raises:
        ReproError: unknown variant, or as :func:`reproutils.training.train`.
    """
    if variant not in VARIANTS:
        raise ReproError(
            f"unknown variant {variant!r} of the small CLIP; choose from {', '.join(VARIANTS)}"
        )
    tokenizer = train_tokenizer(recipe)
    if variant == "untrained":
        return _keep_untrained(recipe, tokenizer)
    builder = _ContrastiveClip if variant == "contrastive" else _CaptioningClip
    run = train(
        initial_network(recipe, tokenizer, builder),
        _Batches(recipe, tokenizer, with_images=variant == "contrastive"),
        recipe.plan,
        name=f"small CLIP, {variant}",
        identity=[variant, *_identity(recipe)],
        minimum_loss=0.0,
        card=_card(variant),
        tokenizer=tokenizer,
        processor=image_processor(recipe),
    )
    return run.folder


@dataclass(frozen=True)
class Retrieval:
    """How well captions find their own pictures.

    Attributes:
        rank: (n,) place of a caption's own picture when all are sorted by their cosine with it, 1
            the nearest; another picture as near as the own one stands before it.
        n_words: (n,) words of each caption.
    """

    rank: np.ndarray
    n_words: np.ndarray

    @property
    def hit(self) -> np.ndarray:
        """(n,) whether the own picture is the nearest."""
        return np.asarray(self.rank == 1)


def retrieval(clip: LoadedClip, n: int = 200, *, seed: int) -> Retrieval:
    """Text to image retrieval among ``n`` held-out scenes; by chance 1 of ``n`` captions hits.

    The captions have 3 to 60 words, each length equally often.

    Raises:
        ReproError: ``n`` is below 1, or a caption longer than the context.
    """
    captions = load_captions(SCENES, seed=seed, n=n)
    layer = clip.text.layer_names[-1]
    states = extract(
        clip.text, captions.texts, layers=[layer], reductions=Reductions(spans=(), last=True)
    )
    images = embed_images(clip, captions.images(clip.image_size))
    rank = own_rank(states.last(layer) @ clip.text_projection, images.projected)
    return Retrieval(rank=rank, n_words=captions.n_words)


def own_rank(queries: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """(n,) rank of target i among all (n, d) targets by their cosine with query i, from 1.

    Targets as near as the own one are counted as nearer.
    """
    cosines = unit_rows(queries) @ unit_rows(targets).T
    return np.asarray((cosines >= np.diag(cosines)[:, None]).sum(1))


# Parts -------------------------------------------------------------------------------------------


@cache
def train_tokenizer(recipe: ClipRecipe = RECIPE) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer from training captions, which frames each text as CLIP's does."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    # The end must not have the id 2, which transformers takes for an old CLIP whose end has the
    # largest id.
    special = [START, END, PADDING]
    trainer = trainers.BpeTrainer(
        vocab_size=recipe.vocabulary,
        special_tokens=special,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    _, texts = _describe(recipe, range(1))
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{START} $A {END}",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in (START, END)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=START,
        eos_token=END,
        pad_token=PADDING,
        model_max_length=recipe.context,
    )


def image_processor(recipe: ClipRecipe = RECIPE) -> CLIPImageProcessorPil:
    """Scales the shorter side to ``image_size``, cuts the middle, and maps 0 … 255 to -1 … 1."""
    return CLIPImageProcessorPil(
        size={"shortest_edge": recipe.image_size},
        crop_size={"height": recipe.image_size, "width": recipe.image_size},
        image_mean=[0.5] * 3,
        image_std=[0.5] * 3,
    )


def initial_network(
    recipe: ClipRecipe,
    tokenizer: PreTrainedTokenizerFast,
    builder: type[CLIPModel] = CLIPModel,
) -> CLIPModel:
    """The weights that all variants start from, drawn from the recipe's seed.

    They are those of transformers but for the image tower. There, an image and another are at first
    told apart by their background alone, and training does not get past that for long. So its
    weights are larger, which lets it attend to some patches more than to others, and the filters
    that read the patches have a mean of zero, so that an empty patch looks the same on every
    background.
    """
    sizes = {
        "hidden_size": recipe.width,
        "intermediate_size": 4 * recipe.width,
        "num_attention_heads": recipe.heads,
        "projection_dim": recipe.projection,
        "hidden_act": "gelu",
    }
    config = CLIPConfig(
        text_config=sizes
        | {
            "num_hidden_layers": recipe.text_blocks,
            "max_position_embeddings": recipe.context,
            "vocab_size": len(tokenizer),
            "bos_token_id": tokenizer.bos_token_id,
            "eos_token_id": tokenizer.eos_token_id,
            "pad_token_id": tokenizer.pad_token_id,
        },
        vision_config=sizes
        | {
            "num_hidden_layers": recipe.vision_blocks,
            "image_size": recipe.image_size,
            "patch_size": recipe.patch_size,
            "initializer_factor": recipe.vision_factor,
        },
        projection_dim=recipe.projection,
        logit_scale_init_value=math.log(recipe.scale),
    )
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(recipe.seed)
        network = builder(config)
        filters = network.vision_model.embeddings.patch_embedding.weight
        filters.sub_(filters.mean(dim=(2, 3), keepdim=True))
    return network


class _TrainedClip(CLIPModel):  # type: ignore[misc]
    """A CLIP with a training objective of its own, which is saved as an ordinary CLIP."""

    def save_pretrained(self, *args: Any, **kwargs: Any) -> None:
        plain = copy.copy(self)
        plain.__class__ = CLIPModel
        plain.save_pretrained(*args, **kwargs)


class _ContrastiveClip(_TrainedClip):
    """CLIP with its own loss, and short captions that do not wait for the padding of long ones."""

    def get_text_features(self, input_ids: Tensor, **_: Any) -> BaseModelOutputWithPooling:
        parts, order = [], []
        for rows in _by_length(input_ids, self.config.text_config.pad_token_id):
            parts.append(super().get_text_features(rows.ids).pooler_output)
            order.append(rows.places)
        places = torch.cat(order).argsort()
        return BaseModelOutputWithPooling(pooler_output=torch.cat(parts)[places])


class _CaptioningClip(_TrainedClip):
    """The text tower of a CLIP as a language model, whose head is the token embedding."""

    def forward(self, input_ids: Tensor) -> CausalLMOutput:
        padding = self.config.text_config.pad_token_id
        head = self.text_model.embeddings.token_embedding.weight
        total = torch.zeros((), device=input_ids.device)
        for rows in _by_length(input_ids, padding):
            states = self.text_model(input_ids=rows.ids[:, :-1]).last_hidden_state
            total = total + nn.functional.cross_entropy(
                (states @ head.T).flatten(0, 1),
                rows.ids[:, 1:].flatten(),
                ignore_index=padding,
                reduction="sum",
            )
        return CausalLMOutput(loss=total / (input_ids[:, 1:] != padding).sum())


@dataclass(frozen=True)
class _Rows:
    """Rows of a batch: where they stand in it, and their tokens as far as the longest goes."""

    places: Tensor
    ids: Tensor


def _by_length(input_ids: Tensor, padding: int) -> Iterator[_Rows]:
    lengths = (input_ids != padding).sum(1)
    for places in lengths.argsort(stable=True).tensor_split(_LENGTH_GROUPS):
        if len(places):
            yield _Rows(places, input_ids[places, : int(lengths[places].max())])


# Data --------------------------------------------------------------------------------------------


class _Batches:
    """The batch of a step: different scenes of the training split with their captions.

    The pairs are made when the first batch is asked for: a run in the cache needs none.
    """

    def __init__(
        self, recipe: ClipRecipe, tokenizer: PreTrainedTokenizerFast, *, with_images: bool
    ) -> None:
        self._recipe = recipe
        self._tokenizer = tokenizer
        self._with_images = with_images

    @cached_property
    def _pairs(self) -> tuple[list[Scene], list[list[int]]]:
        parts = range(math.ceil(self._recipe.pairs / _PART))
        shown = progress(parts, label="small CLIP: captions", total=len(parts))
        scenes, texts = _describe(self._recipe, shown)
        return scenes, self._tokenizer(texts)["input_ids"]

    @cached_property
    def _of_background(self) -> list[np.ndarray]:
        backgrounds = np.array([scene.background for scene in self._pairs[0]])
        return [np.flatnonzero(backgrounds == background) for background in BACKGROUNDS]

    def __call__(self, step: int) -> dict[str, Tensor]:
        scenes, ids = self._pairs
        rng = np.random.default_rng([self._recipe.seed, step])
        members = np.arange(len(scenes))
        if rng.random() < self._recipe.one_background:
            members = self._of_background[rng.integers(len(BACKGROUNDS))]
        rows = rng.choice(members, self._recipe.plan.batch_size, replace=False)
        texts = [torch.tensor(ids[row]) for row in rows]
        batch = {
            "input_ids": nn.utils.rnn.pad_sequence(
                texts, batch_first=True, padding_value=self._tokenizer.pad_token_id
            )
        }
        if self._with_images:
            pictures = render_all([scenes[row] for row in rows], self._recipe.image_size)
            # What the image processor does with images of the right size, ten times as fast.
            channels_first = torch.from_numpy(pictures).permute(0, 3, 1, 2)
            batch["pixel_values"] = channels_first.float() / 127.5 - 1.0
        return batch


def _describe(recipe: ClipRecipe, parts: Iterable[int]) -> tuple[list[Scene], list[str]]:
    """Training scenes and a caption of each, in parts of a fixed size."""
    scenes: list[Scene] = []
    texts: list[str] = []
    for part in parts:
        drawn = draw_scenes(_PART, [recipe.seed, part])
        scenes += drawn
        texts += describe_scenes(drawn, [recipe.seed, part])
    return scenes, texts


# Keeping -----------------------------------------------------------------------------------------


def _identity(recipe: ClipRecipe) -> list[object]:
    """What the weights depend on, besides the plan: sizes, data, and the code that makes them."""
    settings = {key: value for key, value in asdict(recipe).items() if key != "plan"}
    files = [__file__, captions_module.__file__, scenes_module.__file__]
    sources = {
        Path(file).name: hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files
    }
    return [settings, sources]


def _keep_untrained(recipe: ClipRecipe, tokenizer: PreTrainedTokenizerFast) -> Path:
    versions = [torch.__version__, transformers.__version__]
    key = json.dumps(["untrained", *_identity(recipe), versions], sort_keys=True)
    entry = cache_dir("trained", hashlib.sha256(key.encode()).hexdigest()[:32])
    folder = entry / "model"
    with locked(entry):
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=entry) as scratch:
                made = Path(scratch) / "model"
                network = initial_network(recipe, tokenizer)
                with _quiet():
                    for part in (network, tokenizer, image_processor(recipe)):
                        part.save_pretrained(made)
                (made / CARD).write_text(_card("untrained"), encoding="utf-8")
                made.replace(folder)
    return folder


def _card(variant: str) -> str:
    """The model card, to which training adds its settings."""
    about = {
        "contrastive": "It was trained to match the captions of a batch with its images.",
        "untrained": "Its weights are as they were drawn: nothing was learnt.",
        "captioning": (
            "Only its text tower was trained, to predict the next token of captions, with the\n"
            "token embedding as the head. It has seen no image; its image tower and both\n"
            "projections are as they were drawn."
        ),
    }[variant]
    return (
        f"# Small CLIP, {variant}\n\n"
        "A CLIP with small towers of the same width, for drawn scenes of coloured shapes and\n"
        f"English captions of 3 to 60 words. {about}\n\n"
        "Its use is to study how the geometry of text states depends on the length of a text. It\n"
        "knows nothing of photographs.\n\n"
        "Licence: MIT. Data: scenes and captions drawn by this project (CC0-1.0).\n"
    )
