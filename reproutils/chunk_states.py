"""Chunks of documents under one model: perplexity, and the spread of token states by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from reproutils.corpora import Chunks, Documents, chunk_documents
from reproutils.dispersion import from_resultant
from reproutils.models import LoadedModel
from reproutils.perplexity_groups import distinct_share, perplexity
from reproutils.states import ALL_POSITIONS, WITHOUT_FIRST, Reductions, States, extract

SPANS = {"all": ALL_POSITIONS, "no_first": WITHOUT_FIRST}


@dataclass(frozen=True)
class ChunkStates:
    """One domain's chunks under one model.

    Attributes:
        chunks: the chunks.
        items: which of the domain's chunks they are.
        states: their reduced states at every layer.
        top: the last layer, at which single token states are kept.
    """

    chunks: Chunks
    items: np.ndarray
    states: States
    top: str

    def __len__(self) -> int:
        return len(self.chunks.ids)

    @property
    def documents(self) -> list[int]:
        """The document of each chunk, the independent unit."""
        return [int(number) for number in self.chunks.documents]

    @cached_property
    def losses(self) -> list[np.ndarray]:
        """Per chunk its token losses in nats; entry t is the loss of token t + 1."""
        return self.states.losses()

    @cached_property
    def distinct(self) -> np.ndarray:
        """(n,) share of distinct tokens."""
        return distinct_share(self.chunks.ids)

    def perplexity(self, context: int = 0) -> np.ndarray:
        """(n,) perplexity of each chunk, or of its first ``context`` tokens."""
        return perplexity(self.losses, context)

    def last_loss(self) -> np.ndarray:
        """(n,) loss in nats of the last token given all before it."""
        return np.array([float(values[-1]) for values in self.losses])

    def dispersion(self, span: str, layer: str) -> np.ndarray:
        """(n,) mean pairwise cosine distance between the tokens of each chunk."""
        at = self.states.layers.index(layer)
        return from_resultant(
            self.states.span_sizes(span)[:, at], self.states.resultant(span)[:, at]
        )

    @cached_property
    def sampled(self) -> list[np.ndarray]:
        """Per chunk (n_sampled, d) token states at the last layer, evenly spaced, without
        position 0."""
        return [rows[0] for rows in self.states.rows()]


def context_span(context: int) -> str:
    """The name of the span of the first ``context`` tokens."""
    return f"first_{context}"


def chunks_of(
    model: LoadedModel, documents: Documents, n_tokens: int, *, n_chunks: int, seed: int, join: bool
) -> Chunks:
    """Chunks of ``n_tokens`` of the model's tokens; see
    :func:`reproutils.corpora.chunk_documents`."""
    return chunk_documents(
        documents,
        lambda text: model.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"],
        n_tokens,
        n_chunks=n_chunks,
        seed=seed,
        join=join,
    )


def chunks_at(chunks: Chunks, items: Sequence[int] | np.ndarray) -> Chunks:
    """Some of the chunks, in the order of ``items``."""
    return replace(
        chunks,
        ids=tuple(chunks.ids[item] for item in items),
        documents=tuple(chunks.documents[item] for item in items),
        offsets=tuple(chunks.offsets[item] for item in items),
        item_ids=tuple(chunks.item_ids[item] for item in items),
    )


def read_chunks(
    model: LoadedModel,
    chunks: Chunks,
    *,
    n_chunks: int = 0,
    contexts: Sequence[int] = (),
    sampled_tokens: int = 0,
) -> ChunkStates:
    """Run chunks through a language model.

    Args:
        n_chunks: how many of the chunks, evenly spaced in their order; 0 for all.
        contexts: lengths of shorter contexts whose dispersion is wanted too.
        sampled_tokens: token states kept one by one at the last layer, per chunk.

    Raises:
        ReproError: see :func:`reproutils.states.extract`; an encoder has no perplexity.
    """
    total = len(chunks)
    items = np.unique(np.linspace(0, total - 1, min(n_chunks or total, total)).astype(int))
    part = chunks_at(chunks, items)
    length = len(part.ids[0])
    spans = SPANS | {context_span(context): (0, context) for context in contexts}
    positions = np.unique(np.linspace(1, length - 1, max(sampled_tokens, 1)).astype(int))
    rows = tuple(int(position) for position in positions) if sampled_tokens else ()
    top = model.layer_names[-1]
    states = extract(
        model,
        part.ids,
        layers=model.layer_names,
        reductions=Reductions(
            spans=(("all", ALL_POSITIONS),),
            resultants=tuple(spans.items()),
            no_sinks=True,
            rows=(rows,) * len(part),
            row_layers=(top,),
            last=True,
            loss=True,
        ),
    )
    return ChunkStates(part, items, states, top)
