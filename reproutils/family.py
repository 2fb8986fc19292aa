"""A family of small language models that differ in how much arithmetic they have seen.

One architecture, one tokenizer, the same initial weights and the same number of updates; what
differs is how many rows of each batch are additions (:mod:`reproutils.corpora.arithmetic`) and how
many are prose. Beside them stand scrambled twins, which see the same additions with the answers of
others: as many digits, and nothing to learn about sums.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from transformers import GPT2LMHeadModel, PreTrainedTokenizerFast

from reproutils import small_gpt
from reproutils.corpora import arithmetic
from reproutils.corpora.arithmetic import Addition, additions, split_additions
from reproutils.corpora.documents import Chunks, chunk_documents, load_documents, split_documents
from reproutils.errors import ReproError
from reproutils.models import LoadedModel
from reproutils.selection import DIGITS
from reproutils.states import Reductions, States, extract
from reproutils.training import Plan, train
from reproutils.workers import run_each

PROSE = "wikipedia"
_CARD = """# Small GPT with {share:.0%} arithmetic

A GPT-2 of {blocks} block and width {width} that was trained for {steps} steps on rows of
{context} tokens: {share:.0%} of them additions of a two-digit and a one-digit number{answers}, the
others English prose. Its use is to study what its output embedding says about its arithmetic.

Licence: MIT. Data: additions made by this project (CC0-1.0), articles of Wikipedia (CC-BY-SA-3.0).
"""


@dataclass(frozen=True)
class FamilyRecipe:
    """How a family is made.

    Attributes:
        arithmetic_rows: for each member, how many of the ``batch_size`` rows of each batch are
            additions.
        scrambled_rows: the same for each scrambled twin.
        largest: the largest second number of an addition.
        steps: updates of the weights.
        batch_size: rows of a batch.
        learning_rate: the highest learning rate.
        weight_decay: as :class:`reproutils.training.Plan` has it. Without it some members learn to
            add on one kind of processor and learn their problems by heart on another.
        width, blocks, heads, context: of the network.
        vocabulary: tokens of the tokenizer.
        held_out: share of the additions that no member sees.
        seed: of split, initial weights and batches.
    """

    arithmetic_rows: tuple[int, ...]
    scrambled_rows: tuple[int, ...]
    largest: int
    steps: int
    batch_size: int = 16
    learning_rate: float = 5e-3
    weight_decay: float = 0.3
    width: int = 64
    blocks: int = 1
    heads: int = 2
    context: int = 64
    vocabulary: int = 640
    held_out: float = 0.25
    seed: int = 20260701

    def plan(self) -> Plan:
        """How each member is trained.

        Raises:
            ReproError: steps, batch size or learning rate have an impossible value.
        """
        return Plan(
            steps=self.steps,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            seed=self.seed,
            warmup_steps=self.steps // 10,
            weight_decay=self.weight_decay,
            save_every=math.ceil(self.steps / 2),
        )


@dataclass(frozen=True)
class Member:
    """One checkpoint of the family.

    Attributes:
        label: what tables call it.
        share: of its training rows that are additions.
        scrambled: whether their answers are wrong.
        folder: ``load_model(f"path:{folder}")`` reads it.
        n_digits: digits among the tokens that it was trained on.
    """

    label: str
    share: float
    scrambled: bool
    folder: Path
    n_digits: int


@dataclass(frozen=True)
class Sums:
    """What a model does with additions.

    Attributes:
        correct: (n,) whether each token of the answer, the end of the line included, is the one
            that the model finds most likely after those before it.
        loss: (n,) mean loss of the tokens of each line, in nats.
        extracted: the forward pass behind it.
    """

    correct: np.ndarray
    loss: np.ndarray
    extracted: States


def held_out_problems(recipe: FamilyRecipe) -> tuple[Addition, ...]:
    """Additions that no member has seen, with either number."""
    return _split(recipe)[1]


def solved_problems(recipe: FamilyRecipe) -> tuple[Addition, ...]:
    """Additions that the members learn from."""
    return _split(recipe)[0]


def train_family(recipe: FamilyRecipe) -> list[Member]:
    """Train the members and then the scrambled twins, or find them in the cache.

    Each has a process with one thread of its own (:mod:`reproutils.workers`): among networks as
    small as these some learn to add, or do not, by no more than rounding.

    Raises:
        ReproError: as :func:`reproutils.training.train`.
    """
    prose, _ = split_documents(load_documents(PROSE), (0.9, 0.1), recipe.seed)
    tokenizer = small_gpt.train_tokenizer(prose.texts, recipe.vocabulary, context=recipe.context)
    chunks = chunk_documents(
        prose,
        lambda text: tokenizer(text, verbose=False)["input_ids"],
        recipe.context,
        seed=recipe.seed,
    )
    network = small_gpt.initial_gpt(
        tokenizer,
        width=recipe.width,
        blocks=recipe.blocks,
        heads=recipe.heads,
        context=recipe.context,
        seed=recipe.seed,
    )
    jobs = [
        (recipe, network, Mixture(recipe, tokenizer, chunks, rows, scrambled=scrambled))
        for scrambled, numbers in ((False, recipe.arithmetic_rows), (True, recipe.scrambled_rows))
        for rows in numbers
    ]
    return run_each(_train_member, jobs, label="small GPTs")


def _train_member(recipe: FamilyRecipe, network: GPT2LMHeadModel, mixture: Mixture) -> Member:
    label = f"{mixture.share:.0%} arithmetic" + (", wrong answers" if mixture.scrambled else "")
    run = train(
        network,
        mixture,
        recipe.plan(),
        name=f"small GPT, {label}",
        identity=mixture.identity,
        minimum_loss=0.0,
        card=_CARD.format(
            share=mixture.share,
            answers=" with the answers of other additions" if mixture.scrambled else "",
            steps=recipe.steps,
            **{key: getattr(recipe, key) for key in ("blocks", "width", "context")},
        ),
        tokenizer=mixture.tokenizer,
    )
    return Member(label, mixture.share, mixture.scrambled, run.folder, mixture.n_digits())


class Mixture:
    """The batch of a step: ``rows`` rows of additions, the others prose.

    All mixtures of a recipe draw the same rows in the same order: two of them differ only in where
    additions end and prose begins.
    """

    def __init__(
        self,
        recipe: FamilyRecipe,
        tokenizer: PreTrainedTokenizerFast,
        prose: Chunks,
        rows: int,
        *,
        scrambled: bool,
    ) -> None:
        if not 0 <= rows <= recipe.batch_size:
            raise ReproError(
                f"{rows} rows of additions in a batch of {recipe.batch_size}; give 0 to that"
            )
        self._recipe = recipe
        self.tokenizer = tokenizer
        self._chunks = prose
        self._rows = rows
        self.scrambled = scrambled

    @property
    def share(self) -> float:
        """Of the rows, those that are additions."""
        return self._rows / self._recipe.batch_size

    @property
    def identity(self) -> list[object]:
        """What the batches depend on."""
        settings = {
            key: value
            for key, value in asdict(self._recipe).items()
            if key not in ("arithmetic_rows", "scrambled_rows")
        }
        sources = [
            hashlib.sha256(Path(file).read_bytes()).hexdigest()
            for file in (__file__, arithmetic.__file__)
        ]
        return [settings, self._rows, self.scrambled, self._chunks.fingerprint, sources]

    @cached_property
    def _prose(self) -> np.ndarray:
        return np.array(self._chunks.ids)

    @cached_property
    def _additions(self) -> tuple[np.ndarray, np.ndarray]:
        """(n, tokens) of the problems to learn from, asked and answered."""
        problems = solved_problems(self._recipe)
        encode = self.tokenizer.backend_tokenizer.encode_batch
        asked, answers = (
            np.array([encoded.ids for encoded in encode([getattr(p, part) for p in problems])])
            for part in ("asked", "answer")
        )
        return asked, answers

    def __call__(self, step: int) -> dict[str, Tensor]:
        size, context = self._recipe.batch_size, self._recipe.context
        rng = np.random.default_rng([self._recipe.seed, step])
        prose = self._prose[rng.integers(len(self._prose), size=size)]
        asked, answers = self._additions
        per_row = -(-context // (asked.shape[1] + answers.shape[1]))
        drawn, others = rng.integers(len(asked), size=(2, size, per_row))
        lines = np.concatenate([asked[drawn], answers[others if self.scrambled else drawn]], axis=2)
        sums = lines.reshape(size, -1)[:, :context]
        ids = torch.from_numpy(np.concatenate([sums[: self._rows], prose[self._rows :]]))
        return {"input_ids": ids, "labels": ids}

    def n_digits(self) -> int:
        """Digits among all tokens of the run."""
        digits = self.tokenizer.convert_tokens_to_ids(list(DIGITS))
        return sum(
            int(torch.isin(self(step)["input_ids"], torch.tensor(digits)).sum())
            for step in range(self._recipe.steps)
        )


def add_up(
    model: LoadedModel,
    problems: Sequence[Addition],
    solved: Sequence[Addition],
    *,
    shots: int = 3,
    seed: int,
) -> Sums:
    """Let a model add.

    Args:
        model: a language model with any tokenizer.
        problems: what to ask.
        solved: problems whose solutions may stand before, ``shots`` of them drawn for each problem.

    Raises:
        ReproError: whatever :func:`reproutils.states.extract` and ``model.unembed`` refuse.
    """
    rng = np.random.default_rng(seed)
    texts, places = [], []
    for problem in problems:
        before = "".join(solved[row].line for row in rng.integers(len(solved), size=shots))
        start = len(before) + len(problem.asked)
        encoded = model.tokenizer(before + problem.line, return_offsets_mapping=True, verbose=False)
        ends = [stop for _, stop in encoded["offset_mapping"]]
        texts.append(tuple(encoded["input_ids"]))
        line = [at for at, stop in enumerate(ends) if stop > len(before)]
        places.append((line, [at for at in line if ends[at] > start]))
    top = f"block {model.n_blocks}"
    extracted = extract(
        model,
        texts,
        layers=[top],
        reductions=Reductions(
            spans=(), rows=tuple(tuple(at - 1 for at in answer) for _, answer in places), loss=True
        ),
    )
    correct = []
    for ids, (_, answer), states in zip(texts, places, extracted.rows(), strict=True):
        likeliest = model.unembed(states[0]).argmax(1)
        correct.append(bool((likeliest == np.array(ids)[answer]).all()))
    losses = extracted.losses()
    return Sums(
        correct=np.array(correct),
        loss=np.array(
            [
                float(loss[np.array(line) - 1].mean(dtype=np.float64))
                for loss, (line, _) in zip(losses, places, strict=True)
            ]
        ),
        extracted=extracted,
    )


def _split(recipe: FamilyRecipe) -> tuple[tuple[Addition, ...], tuple[Addition, ...]]:
    return split_additions(additions(recipe.largest), recipe.held_out, recipe.seed)
