"""Small language models trained with and without the push-away term, arm by arm.

An arm is a GPT trained from scratch with a weight λ of the push-away loss
(:mod:`reproutils.pushaway`): 0, above 0 to push hidden states apart, below 0 to pull them together.
The arms of one seed share initial weights, batches and the number of updates: only λ differs.

With one domain the term takes all pairs of a batch. With several it takes pairs of different
domains, and each batch has as many rows of one domain as of another.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from transformers import GPT2LMHeadModel, PreTrainedTokenizerFast

from reproutils import pushaway, small_gpt
from reproutils.chunk_states import ChunkStates, read_chunks
from reproutils.corpora.documents import (
    Chunks,
    Documents,
    chunk_documents,
    load_documents,
    split_documents,
)
from reproutils.dispersion import Dispersion
from reproutils.errors import ReproError
from reproutils.models import load_model
from reproutils.pushaway import PushAway
from reproutils.training import Plan, TrainedRun, train
from reproutils.workers import run_each

# Of each domain's characters: training, validation, test.
_SHARES = (0.8, 0.1, 0.1)
# States of each chunk of held-out text whose dispersion is measured.
_SAMPLED_TOKENS = 8
_CARD = """# Small GPT trained with push-away weight {weight:g}

A GPT-2 of {blocks} blocks and width {width} that was trained from scratch on {domains}, with a term
in its loss that pushes hidden states apart if its weight is above 0 and pulls them together if it
is below. Its use is to study what that term does.

Licence: MIT. Data: {licences}.
"""


@dataclass(frozen=True)
class ArmRecipe:
    """What all arms share.

    Attributes:
        domains: names of documents, as :func:`reproutils.corpora.load_documents` takes them.
        steps: updates of the weights.
        device: a torch device such as ``cpu`` or ``cuda``, to train and to read text on.
        dtype: of the forward passes over held-out text; training is in float32.
        batch_size: rows of a batch, a multiple of the number of domains.
        width, blocks, heads, context: of the network.
        vocabulary: tokens of the tokenizer.
        held_out_chunks: chunks of validation text and of test text of each domain; 0 for all.
        seed: of the splits; seed number k of the arms adds k to it.

    Raises:
        ReproError: no domain, or one that stands there twice, or a batch that cannot be shared out.
    """

    domains: tuple[str, ...]
    steps: int
    device: str = "cpu"
    dtype: str = "float32"
    batch_size: int = 16
    width: int = 64
    blocks: int = 2
    heads: int = 2
    context: int = 64
    vocabulary: int = 1024
    held_out_chunks: int = 128
    seed: int = 20260803

    def __post_init__(self) -> None:
        if not self.domains or len(set(self.domains)) < len(self.domains):
            raise ReproError(
                f"domains {', '.join(self.domains) or '(none)'}; name one or more, each of them "
                f"once"
            )
        if self.batch_size % len(self.domains):
            raise ReproError(
                f"a batch of {self.batch_size} rows cannot have as many of each of "
                f"{len(self.domains)} domains; choose a multiple of {len(self.domains)}"
            )

    @property
    def across(self) -> bool:
        """Whether the term takes pairs of different domains only."""
        return len(self.domains) > 1


class Arm(NamedTuple):
    """One training run: the highest learning rate, λ, and the number of its seed."""

    learning_rate: float
    weight: float
    number: int


@dataclass(frozen=True, eq=False)
class ArmTexts:
    """The texts of all arms, split by document; one entry per domain.

    Attributes:
        tokenizer: learnt from the training text.
        licences: of the texts.
    """

    tokenizer: PreTrainedTokenizerFast
    training: tuple[Chunks, ...]
    validation: tuple[Chunks, ...]
    test: tuple[Chunks, ...]
    licences: tuple[str, ...]


def read_texts(recipe: ArmRecipe) -> ArmTexts:
    """Split the domains by document, learn a tokenizer and cut chunks.

    Raises:
        ReproError: an unknown domain, or one with too few documents to split or too little text.
    """
    documents = [load_documents(name) for name in recipe.domains]
    parts = [split_documents(each, _SHARES, recipe.seed) for each in documents]
    tokenizer = small_gpt.train_tokenizer(
        (text for training, *_ in parts for text in training.texts),
        recipe.vocabulary,
        context=recipe.context,
    )

    def cut(which: int, n_chunks: int) -> tuple[Chunks, ...]:
        return tuple(
            chunk_documents(
                part[which],
                lambda text: tokenizer(text, verbose=False)["input_ids"],
                recipe.context,
                n_chunks=n_chunks,
                seed=recipe.seed,
            )
            for part in parts
        )

    return ArmTexts(
        tokenizer,
        training=cut(0, 0),
        validation=cut(1, recipe.held_out_chunks),
        test=cut(2, recipe.held_out_chunks),
        licences=tuple(each.provenance.licence for each in documents),
    )


def unseen_documents(recipe: ArmRecipe) -> tuple[Documents, ...]:
    """The documents of validation and test text together, of each domain.

    Raises:
        ReproError: as :func:`read_texts`.
    """
    training, *others = _SHARES
    shares = (training, sum(others))
    return tuple(
        split_documents(load_documents(name), shares, recipe.seed)[1] for name in recipe.domains
    )


class Batches:
    """The batch of a step: as many rows of one domain as of another, drawn at random."""

    def __init__(self, training: Sequence[Chunks], batch_size: int, seed: int) -> None:
        self._training = tuple(training)
        self._rows = batch_size // len(self._training)
        self._seed = seed

    @property
    def identity(self) -> list[object]:
        """What the batches depend on."""
        source = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
        texts = [chunks.fingerprint for chunks in self._training]
        return [self._seed, self._rows, texts, source]

    @cached_property
    def _ids(self) -> list[np.ndarray]:
        return [np.array(chunks.ids) for chunks in self._training]

    def __call__(self, step: int) -> dict[str, Tensor]:
        rng = np.random.default_rng([self._seed, step])
        rows = [ids[rng.integers(len(ids), size=self._rows)] for ids in self._ids]
        ids = torch.from_numpy(np.concatenate(rows))
        domain = torch.arange(len(rows)).repeat_interleave(self._rows)
        return {"input_ids": ids, "labels": ids, "domain": domain}


def initial_network(recipe: ArmRecipe, texts: ArmTexts, number: int) -> GPT2LMHeadModel:
    """The network that all arms with this seed number start from, on the CPU."""
    return small_gpt.initial_gpt(
        texts.tokenizer,
        width=recipe.width,
        blocks=recipe.blocks,
        heads=recipe.heads,
        context=recipe.context,
        seed=recipe.seed + number,
    )


def train_arm(
    recipe: ArmRecipe, texts: ArmTexts, arm: Arm, *, snapshots: Sequence[int] = ()
) -> TrainedRun:
    """Train one arm, or find it in the cache.

    Raises:
        ReproError: a loss that is not finite or, with a λ that outweighs the cross-entropy,
            negative (arm, step and values are named), and as :func:`reproutils.training.train`.
    """
    batches = Batches(texts.training, recipe.batch_size, recipe.seed + arm.number)
    network = initial_network(recipe, texts, arm.number).to(recipe.device)
    network.config.output_hidden_states = True
    source = hashlib.sha256(Path(pushaway.__file__).read_bytes()).hexdigest()
    return train(
        network,
        batches,
        Plan(
            steps=recipe.steps,
            batch_size=recipe.batch_size,
            learning_rate=arm.learning_rate,
            seed=recipe.seed + arm.number,
            warmup_steps=recipe.steps // 10,
            snapshots=tuple(snapshots),
            save_every=math.ceil(recipe.steps / 2),
        ),
        name=f"small GPT, λ {arm.weight:g}, learning rate {arm.learning_rate:g}",
        identity=[*batches.identity, arm.weight, recipe.across, source],
        # With λ = 0 the gradients are those of the cross-entropy.
        loss=PushAway(arm.weight, across=recipe.across),
        minimum_loss=0.0,
        card=_CARD.format(
            weight=arm.weight,
            blocks=recipe.blocks,
            width=recipe.width,
            domains=" and ".join(recipe.domains),
            licences=", ".join(texts.licences),
        ),
        tokenizer=texts.tokenizer,
    )


def run_arms(
    recipe: ArmRecipe,
    texts: ArmTexts,
    arms: Sequence[Arm],
    held_out: Sequence[Chunks],
    *,
    steps: Sequence[int],
) -> pd.DataFrame:
    """Train the arms side by side, or find them in the cache, and read held-out text.

    Args:
        held_out: of each domain.
        steps: after how many updates the text is read.

    Returns:
        One row per arm, step and domain: ``learning_rate``, ``weight`` and ``number`` of the arm,
        ``step``, ``domain``, ``loss`` (mean over chunks, nats per token), ``dispersion`` (mean
        pairwise cosine distance of last hidden states from all chunks, position 0 left out),
        ``centred`` (the same with their mean subtracted) and ``across`` (mean cosine distance from
        the states of the other domains; NaN with one domain).

    Raises:
        ReproError: as :func:`train_arm` and :func:`reproutils.chunk_states.read_chunks`.
    """
    jobs = [(recipe, texts, arm, tuple(held_out), tuple(steps)) for arm in arms]
    label = f"small GPTs on {' and '.join(recipe.domains)}"
    return pd.concat(run_each(_run_arm, jobs, label=label), ignore_index=True)


def _run_arm(
    recipe: ArmRecipe,
    texts: ArmTexts,
    arm: Arm,
    held_out: tuple[Chunks, ...],
    steps: tuple[int, ...],
) -> pd.DataFrame:
    earlier = [step for step in steps if step < recipe.steps]
    run = train_arm(recipe, texts, arm, snapshots=earlier)
    folders = {**run.snapshots, recipe.steps: run.folder}
    return pd.concat(
        [
            _read(recipe, folders[step], held_out).assign(**arm._asdict(), step=step)
            for step in steps
        ]
    )


def _read(recipe: ArmRecipe, folder: Path, held_out: Sequence[Chunks]) -> pd.DataFrame:
    """What one checkpoint makes of the text of each domain."""
    model = load_model(f"path:{folder}", recipe.dtype, recipe.device)
    read = [read_chunks(model, chunks, sampled_tokens=_SAMPLED_TOKENS) for chunks in held_out]
    states = [np.concatenate(part.sampled).astype(np.float64) for part in read]
    return pd.DataFrame(
        {
            "domain": domain,
            "loss": _mean_loss(part),
            "dispersion": Dispersion.of(rows).value,
            "centred": Dispersion.of(rows - rows.mean(0)).value,
            "across": _distance_to_others(states, number),
        }
        for number, (domain, part, rows) in enumerate(
            zip(recipe.domains, read, states, strict=True)
        )
    )


def _mean_loss(part: ChunkStates) -> float:
    return float(np.mean([values.mean(dtype=np.float64) for values in part.losses]))


def _distance_to_others(states: Sequence[np.ndarray], number: int) -> float:
    others = [rows for other, rows in enumerate(states) if other != number]
    if not others:
        return math.nan
    return Dispersion.of(states[number]).distance_to(Dispersion.of(np.concatenate(others)))
