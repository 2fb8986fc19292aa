"""Additions such as ``37+4=41``, one to a line, split into problems to learn from and held-out
ones.

A two-digit number and a one-digit number with a two-digit sum: every line has eight characters, the
same number of them before each answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from reproutils.corpora.base import Provenance
from reproutils.corpora.documents import Documents
from reproutils.errors import ReproError

ARITHMETIC = "arithmetic"


class Addition(NamedTuple):
    """Two numbers to add."""

    first: int
    second: int

    @property
    def asked(self) -> str:
        """The problem up to the equals sign."""
        return f"{self.first}+{self.second}="

    @property
    def answer(self) -> str:
        """The sum and the end of the line."""
        return f"{self.first + self.second}\n"

    @property
    def line(self) -> str:
        """The problem with its answer."""
        return self.asked + self.answer


def additions(largest: int = 9) -> tuple[Addition, ...]:
    """All problems whose second number is 1 to ``largest`` and whose sum has two digits.

    Raises:
        ReproError: ``largest`` is no digit from 1 to 9.
    """
    if not 1 <= largest <= 9:
        raise ReproError(f"the second number goes up to {largest}; give a digit from 1 to 9")
    return tuple(
        Addition(first, second)
        for first in range(10, 100)
        for second in range(1, largest + 1)
        if first + second < 100
    )


def split_additions(
    problems: Iterable[Addition], held_out: float, seed: int
) -> tuple[tuple[Addition, ...], tuple[Addition, ...]]:
    """Problems to learn from and held-out problems, in random order; no problem is in both.

    Args:
        held_out: share of the problems, above 0 and below 1.

    Raises:
        ReproError: one of the parts has no problem.
    """
    every = list(problems)
    n = round(held_out * len(every))
    if not 0 < n < len(every):
        raise ReproError(
            f"a share of {held_out:g} of {len(every)} additions holds out {n}; choose it so that "
            f"both parts have some"
        )
    order = [every[row] for row in np.random.default_rng(seed).permutation(len(every))]
    return tuple(order[n:]), tuple(order[:n])


def as_documents(problems: Iterable[Addition]) -> Documents:
    """The problems with their answers, one to a document."""
    lines = [problem.line.strip() for problem in problems]
    return Documents(
        name=ARITHMETIC,
        domain=ARITHMETIC,
        texts=tuple(lines),
        item_ids=tuple(line.partition("=")[0] for line in lines),
        provenance=Provenance(
            source="additions of a two-digit and a one-digit number, made by this project",
            licence="CC0-1.0",
            citation="this book",
        ),
    )
