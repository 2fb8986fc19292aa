"""Alignments against an exhaustive search, and partners that keep what they should keep."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproutils.alignment import align_corpus, align_tokens, mismatch, mismatch_same_length
from reproutils.errors import ReproError

Tokens = list[str]
Pairs = list[tuple[int, int]]

# Two letters make many ties; the empty token must never count.
WORDS = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=7)


def longest(first: Tokens, second: Tokens) -> int:
    """The length of a longest common subsequence by the recursion that defines it."""

    @cache
    def at(i: int, j: int) -> int:
        if i == len(first) or j == len(second):
            return 0
        if first[i] and first[i] == second[j]:
            return 1 + at(i + 1, j + 1)
        return max(at(i + 1, j), at(i, j + 1))

    return at(0, 0)


def every_longest(first: Tokens, second: Tokens) -> list[Pairs]:
    """All longest alignments, by trying each choice of positions."""
    size = longest(first, second)
    return [
        list(zip(left, right, strict=True))
        for left in combinations(range(len(first)), size)
        for right in combinations(range(len(second)), size)
        if all(first[i] and first[i] == second[j] for i, j in zip(left, right, strict=True))
    ]


def aligned(first: Tokens, second: Tokens) -> Pairs:
    return list(zip(*align_tokens(first, second), strict=True))


@given(WORDS, WORDS)
def test_alignment_is_a_longest_common_subsequence(first: Tokens, second: Tokens) -> None:
    pairs = aligned(first, second)
    assert len(pairs) == longest(first, second)
    assert all(first[i] == second[j] != "" for i, j in pairs)
    for positions in zip(*pairs, strict=True):
        assert list(positions) == sorted(set(positions))


@given(WORDS, WORDS)
def test_of_all_longest_alignments_the_earliest_is_taken(first: Tokens, second: Tokens) -> None:
    candidates = every_longest(first, second)
    earliest = min(candidates, key=lambda pairs: ([i for i, _ in pairs], [j for _, j in pairs]))
    assert aligned(first, second) == earliest


@given(WORDS, WORDS)
def test_alignment_is_as_long_in_either_order(first: Tokens, second: Tokens) -> None:
    assert len(aligned(first, second)) == len(aligned(second, first))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("x", "xx", [(0, 0)]),
        ("xx", "x", [(0, 0)]),
        ("ab", "ba", [(0, 1)]),  # the first text decides
        ("ba", "aa", [(1, 0)]),
        ("aa", "ba", [(0, 1)]),
        ("abcab", "ab", [(0, 0), (1, 1)]),
        ("aab", "ab", [(0, 0), (2, 1)]),
        ("abc", "xaybzc", [(0, 1), (1, 3), (2, 5)]),
        ("abc", "def", []),
        ("", "abc", []),
    ],
)
def test_ties_go_to_the_earliest_positions(first: str, second: str, expected: Pairs) -> None:
    assert aligned(list(first), list(second)) == expected


def test_case_counts_and_empty_tokens_are_never_paired() -> None:
    assert aligned(["", "The", ""], ["", "the", "", "The"]) == [(1, 3)]
    assert aligned(["", ""], ["", ""]) == []


def test_a_text_aligns_with_itself_token_by_token() -> None:
    words = ["on", "the", "table", "and", "on", "the", "shelf"]
    assert aligned(words, words) == [(k, k) for k in range(len(words))]


def test_long_texts_are_aligned_in_bounded_time() -> None:
    rng = np.random.default_rng(0)
    first, second = (rng.choice(list("abcdefgh"), 1500).tolist() for _ in range(2))
    left, right = align_tokens(first, second)
    assert [first[i] for i in left] == [second[j] for j in right]
    assert len(left) > 500


def test_corpus_is_aligned_pair_by_pair() -> None:
    first = [["a", "b"], ["c"]]
    second = [["b"], ["d", "c"]]
    assert align_corpus(first, second) == ([(1,), (0,)], [(0,), (1,)])
    with pytest.raises(ValueError, match="shorter"):
        align_corpus(first, second[:1])


# --- partners --------------------------------------------------------------------------------


@given(st.integers(2, 60), st.integers(0, 2**32 - 1))
def test_mismatch_is_one_cycle_over_all_items(n: int, seed: int) -> None:
    partner = mismatch(n, np.random.default_rng(seed))
    assert sorted(partner) == list(range(n))
    at, steps = int(partner[0]), 1
    while at:
        at, steps = int(partner[at]), steps + 1
    assert steps == n


@given(st.lists(st.integers(3, 40), min_size=2, max_size=60), st.integers(0, 2**32 - 1))
def test_mismatch_of_the_same_length_moves_each_item_to_a_neighbour(
    lengths: list[int], seed: int
) -> None:
    values = np.array(lengths)
    partner = mismatch_same_length(values, np.random.default_rng(seed))
    assert sorted(partner) == list(range(len(values)))
    assert (partner != np.arange(len(values))).all()
    # By length no item lies between further neighbours than the next but one.
    ranked = np.sort(values)
    span = ranked[2:] - ranked[:-2] if len(values) > 2 else ranked[1:] - ranked[:1]
    assert np.abs(values - values[partner]).max() <= span.max()


def test_mismatch_of_the_same_length_nearly_keeps_real_lengths() -> None:
    rng = np.random.default_rng(1)
    lengths = rng.integers(8, 60, 400)
    partner = mismatch_same_length(lengths, rng)
    moved = np.abs(lengths - lengths[partner])
    assert moved.mean() < 0.2
    assert moved.max() <= 2
    # A partner of any length moves by the spread of the lengths.
    assert np.abs(lengths - lengths[mismatch(400, rng)]).mean() > 10


def test_equal_lengths_get_random_partners() -> None:
    lengths = np.full(30, 7)
    draws = {tuple(mismatch_same_length(lengths, np.random.default_rng(seed))) for seed in range(5)}
    assert len(draws) == 5


@pytest.mark.parametrize("n", [0, 1])
def test_a_lone_item_has_no_partner(n: int) -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ReproError, match="at least 2"):
        mismatch(n, rng)
    with pytest.raises(ReproError, match="at least 2"):
        mismatch_same_length(np.full(n, 5), rng)
