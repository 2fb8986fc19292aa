"""Aligned rows for two texts: which tokens of one stand for which tokens of the other.

Token-level CKA needs as many rows on both sides. Rows are aligned by shared surface form: a token
of one text is paired with a token of the other that covers the same characters (stripped of blanks,
case kept), and pairs keep their order in both texts (a longest common subsequence).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reproutils.errors import ReproError


def align_tokens(first: Sequence[str], second: Sequence[str]) -> tuple[list[int], list[int]]:
    """Positions of a longest common subsequence of two token sequences.

    Of equally long alignments the one whose positions in ``first`` come earliest is taken (compared
    from the left), and of these the one whose positions in ``second`` do. Empty tokens (special
    tokens, tokens that hold part of a character) are never paired.

    Args:
        first: m surface forms.
        second: n surface forms.

    Returns:
        Two lists of equal length k, strictly increasing: ``first[i]`` is paired with
        ``second[j]`` for each (i, j) of their zip.
    """
    codes = {token: code for code, token in enumerate({*first, *second} - {""})}
    a = np.array([codes.get(token, -1) for token in first])
    b = np.array([codes.get(token, -2) for token in second])
    # length[i, j]: longest common subsequence of first[i:] and second[j:]. Along a row the lengths
    # differ by at most one, so a running maximum resolves the dependence on the row's own entries.
    length = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int32)
    for i in range(len(a) - 1, -1, -1):
        below = length[i + 1]
        candidates = np.maximum(below[:-1], below[1:] + (a[i] == b))
        length[i, :-1] = np.maximum.accumulate(candidates[::-1])[::-1]
    pairs: tuple[list[int], list[int]] = ([], [])
    j = 0
    for i in range(len(a)):
        # The first place that a[i] could go to leaves the most of the second text.
        places = j + np.flatnonzero(b[j:] == a[i])
        if len(places) and length[i + 1, places[0] + 1] + 1 == length[i, j]:
            pairs[0].append(i)
            pairs[1].append(int(places[0]))
            j = int(places[0]) + 1
    return pairs


def align_corpus(
    first: Sequence[Sequence[str]], second: Sequence[Sequence[str]]
) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """:func:`align_tokens` for each of n pairs of token sequences."""
    rows_first, rows_second = [], []
    for a, b in zip(first, second, strict=True):
        left, right = align_tokens(a, b)
        rows_first.append(tuple(left))
        rows_second.append(tuple(right))
    return rows_first, rows_second


def mismatch(n: int, rng: np.random.Generator) -> np.ndarray:
    """(n,) random partner for each item, never the item itself (a single random cycle).

    Raises:
        ReproError: there are fewer than two items.
    """
    _check_partners(n)
    order = rng.permutation(n)
    partner = np.empty(n, dtype=np.int64)
    partner[order] = np.roll(order, 1)
    return partner


def mismatch_same_length(lengths: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(n,) partner for each item whose own length is as near as can be, never the item itself.

    Items are sorted by length with random order among equals and shifted by one within windows of
    two to three neighbours, so that the content is exchanged while the lengths stay.

    Raises:
        ReproError: there are fewer than two items.
    """
    n = len(lengths)
    _check_partners(n)
    order = np.lexsort((rng.random(n), lengths))
    partner = np.empty(n, dtype=np.int64)
    starts = list(range(0, n - n % 2, 2))
    for start in starts:
        stop = n if start == starts[-1] else start + 2
        window = order[start:stop]
        partner[window] = np.roll(window, 1)
    return partner


def _check_partners(n: int) -> None:
    if n < 2:
        raise ReproError(f"{n} item(s) cannot exchange partners; use at least 2")
