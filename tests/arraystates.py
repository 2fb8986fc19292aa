"""Pairs of texts given as plain token states, for tests that need no model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

from reproutils.pairs import PairStates
from reproutils.states import SINK_FACTOR, States

LAYERS = ("block 1", "block 2")


class ArrayStates:
    """What ``States`` offers, computed one text at a time from (n_layers, n_tokens, d) arrays."""

    def __init__(self, texts: Sequence[np.ndarray], layers: Sequence[str] = LAYERS) -> None:
        self.texts = [np.asarray(text, dtype=np.float64) for text in texts]
        self.layers = tuple(layers)
        self.n_tokens = np.array([text.shape[1] for text in self.texts])
        self.n_truncated = 0
        self.computed_tokens = int(self.n_tokens.sum())
        self.kept: list[tuple[int, ...]] = [tuple(range(n)) for n in self.n_tokens]
        self.prefix = self.n_tokens

    def __len__(self) -> int:
        return len(self.texts)

    def _positions(self, span: str, text: int, layer: int) -> np.ndarray:
        n = self.n_tokens[text]
        if span == "cut":
            return np.arange(self.prefix[text])
        if span != "no_sinks":
            return np.arange(1 if span == "no_first" else 0, n)
        norms = np.linalg.norm(self.texts[text][layer], axis=1)[1:]
        return 1 + np.flatnonzero(norms <= SINK_FACTOR * np.median(norms))

    def mean(self, span: str, layer: str) -> np.ndarray:
        at = self.layers.index(layer)
        return np.array(
            [text[at, self._positions(span, k, at)].mean(0) for k, text in enumerate(self.texts)]
        )

    def mean_square(self, span: str) -> np.ndarray:
        return np.array(
            [
                [
                    (text[at, self._positions(span, k, at)] ** 2).sum(1).mean()
                    for at in range(len(self.layers))
                ]
                for k, text in enumerate(self.texts)
            ]
        )

    def n_sinks(self) -> np.ndarray:
        return np.array(
            [
                [n - 1 - len(self._positions("no_sinks", k, at)) for at in range(len(self.layers))]
                for k, n in enumerate(self.n_tokens)
            ]
        )

    def rows(self) -> Iterator[np.ndarray]:
        for text, kept in zip(self.texts, self.kept, strict=True):
            yield text[:, list(kept)]


def array_pairs(
    first: Sequence[np.ndarray],
    second: Sequence[np.ndarray],
    rows: Sequence[tuple[Sequence[int], Sequence[int]]] | None = None,
    layers: Sequence[str] = LAYERS,
) -> PairStates:
    """Pairs of token states.

    Args:
        first, second: per text (n_layers, n_tokens, d).
        rows: per pair the aligned positions; None: the first tokens of both, as many as both have.
    """
    sides = [ArrayStates(texts, layers) for texts in (first, second)]
    shorter = np.minimum(sides[0].n_tokens, sides[1].n_tokens)
    for side in sides:
        side.prefix = shorter
    aligned = rows or [(range(n), range(n)) for n in shorter]
    rows_first = [tuple(a) for a, _ in aligned]
    rows_second = [tuple(b) for _, b in aligned]
    states: list[Any] = list(sides)
    a, b = (cast(States, side) for side in states)
    return PairStates(
        band=tuple(layers),
        first=a,
        second=b,
        cut_first=(a, "cut"),
        cut_second=(b, "cut"),
        rows_first=rows_first,
        rows_second=rows_second,
        picks_first=[np.array(picked, dtype=int) for picked in rows_first],
        picks_second=[np.array(picked, dtype=int) for picked in rows_second],
    )
