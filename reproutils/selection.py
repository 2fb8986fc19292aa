"""Choosing among checkpoints of one family by the dispersion gap of their output embeddings.

The gap of a checkpoint, G = within(T) + between(T, T̄), needs no text and no forward pass: T holds
the tokens of a domain (digits for arithmetic, keywords for code), T̄ everyday tokens, and the
vectors are rows of the output embedding. Gaps compare only among checkpoints of one tokenizer.
"""

from __future__ import annotations

import json
import keyword
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp
from scipy.stats import rankdata
from tokenizers import Tokenizer
from tokenizers.pre_tokenizers import ByteLevel
from transformers import PreTrainedTokenizerBase

from reproutils.dispersion import dispersion_gap
from reproutils.errors import ReproError
from reproutils.regression import LEVEL, RESAMPLES, Interval, Resampled, bootstrap_weights
from reproutils.rows import read_output_rows, read_tokenizer

DIGITS = tuple("0123456789")
PYTHON_KEYWORDS = tuple(keyword.kwlist)
# Function words first, then content words; no keyword of Python and no word for a number.
_EVERYDAY = """
    the a of to that it he she they we you this these was are be have had will would can on at by
    but what when where who there very about
    house water day people man woman child hand year door food tree city road book music friend
    morning night school family street garden table window letter river summer bread old good
    small long
"""
EVERYDAY_WORDS = tuple(_EVERYDAY.split())

# A subset table of 2^12 rows takes 85 MB.
MOST_MODELS = 12
FEWEST_MODELS = 4


@dataclass(frozen=True)
class TokenSet:
    """Words that are single tokens of one tokenizer.

    Attributes:
        ids: row numbers in the embedding, without repeats.
        forms: the text of each token, with its leading space if it has one.
        left_out: forms that take several tokens, or that the vocabulary lacks.
    """

    ids: tuple[int, ...]
    forms: tuple[str, ...]
    left_out: tuple[str, ...]


def token_set(tokenizer: Tokenizer | PreTrainedTokenizerBase, words: Sequence[str]) -> TokenSet:
    """The words that are one token, each with and without a leading space.

    A form counts when the vocabulary holds it as one entry (``Ġword`` or ``▁word`` for a leading
    space) and the tokenizer reaches that entry: the encoding of the form ends in it.

    Raises:
        ReproError: fewer than two forms are single tokens, too few to have distances.
    """
    backend: Tokenizer = getattr(tokenizer, "backend_tokenizer", tokenizer)
    found: dict[int, str] = {}
    left_out = []
    for word in dict.fromkeys(words):
        for form in (word, f" {word}"):
            encoded = backend.encode(form, add_special_tokens=False).ids
            known = {backend.token_to_id(spelling) for spelling in _spellings(form)}
            # SentencePiece puts a space before a text, as a token of its own before a digit.
            if encoded and encoded[-1] in known:
                found.setdefault(encoded[-1], form)
            else:
                left_out.append(form)
    if len(found) < 2:
        raise ReproError(
            f"{len(found)} of the {len(words)} words from {words[0]!r} on are single tokens of "
            f"this tokenizer; at least 2 are needed: name other words"
            if words
            else "no words to look up in the tokenizer; name at least 2"
        )
    return TokenSet(tuple(found), tuple(found.values()), tuple(left_out))


def _spellings(form: str) -> tuple[str, ...]:
    """How vocabularies write a form: byte-level BPE, and SentencePiece."""
    pieces = ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(form)
    return "".join(piece for piece, _ in pieces), form.replace(" ", "▁")


def check_same_tokenizer(names: Sequence[str]) -> None:
    """Refuse checkpoints whose token ids do not mean the same.

    Model type, vocabulary and merges are compared, not the bytes of ``tokenizer.json``. Added
    tokens may differ, as they do between a base model and its chat variant: they follow the
    vocabulary and change no other id.

    Args:
        names: as for :func:`reproutils.rows.read_output_rows`.

    Raises:
        ReproError: two tokenizers differ (the first difference is named), or one is missing.
    """
    first: dict[str, Any] | None = None
    for name in names:
        model = json.loads(read_tokenizer(name).to_str())["model"]
        if first is None:
            first = model
        elif difference := _difference(first, model):
            raise ReproError(
                f"{names[0]} and {name} have different tokenizers ({difference}), so that gaps do "
                f"not compare; choose checkpoints of one family"
            )


def _difference(a: dict[str, Any], b: dict[str, Any]) -> str:
    """The first thing in which two tokenizer models differ; empty when they agree."""
    if a["type"] != b["type"]:
        return f"{a['type']} against {b['type']}"
    for part in ("vocab", "merges"):
        mine: Any = a.get(part) or ()
        theirs: Any = b.get(part) or ()
        if mine == theirs:
            continue
        if len(mine) != len(theirs):
            return f"{len(mine)} against {len(theirs)} {part} entries"
        if isinstance(mine, dict):
            token = next(token for token in mine if mine[token] != theirs.get(token))
            return f"token {token!r} is {mine[token]} in one and {theirs.get(token)} in the other"
        at = next(i for i, pair in enumerate(zip(mine, theirs, strict=True)) if pair[0] != pair[1])
        return f"{part} entry {at} is {mine[at]} in one and {theirs[at]} in the other"
    return ""


@dataclass(frozen=True, eq=False)
class CheckpointGap:
    """The dispersion gap of one checkpoint and what goes with it.

    Attributes:
        gap: within + between.
        within: mean cosine distance over pairs of domain rows.
        between: mean cosine distance between a domain row and an everyday row.
        mean_norm_domain, mean_norm_other: mean Euclidean norms of the rows.
        bytes_read: what reading the rows took.
        file_size: bytes of the weights file they lie in.
        domain_rows, other_rows: (n, d) float32, for :func:`resampled_gaps`.
    """

    name: str
    gap: float
    within: float
    between: float
    mean_norm_domain: float
    mean_norm_other: float
    bytes_read: int
    file_size: int
    domain_rows: np.ndarray = field(repr=False)
    other_rows: np.ndarray = field(repr=False)


def checkpoint_gap(name: str, domain_ids: Sequence[int], other_ids: Sequence[int]) -> CheckpointGap:
    """The dispersion gap of a checkpoint, from the rows of its output embedding alone.

    Args:
        name: as for :func:`reproutils.rows.read_output_rows`.
        domain_ids: tokens of the domain, T.
        other_ids: everyday tokens, T̄.

    Raises:
        ReproError: a token is in both sets, or the rows cannot be read.
    """
    if shared := sorted(set(domain_ids) & set(other_ids)):
        raise ReproError(
            f"token {shared[0]} is in the domain set and in the everyday set; leave it out of one"
        )
    read = read_output_rows(name, [*domain_ids, *other_ids])
    domain, other = read.rows[: len(domain_ids)], read.rows[len(domain_ids) :]
    found = dispersion_gap(domain, other)
    return CheckpointGap(
        name=name,
        gap=found.gap,
        within=found.within,
        between=found.between,
        mean_norm_domain=float(np.linalg.norm(domain, axis=1).mean()),
        mean_norm_other=float(np.linalg.norm(other, axis=1).mean()),
        bytes_read=read.bytes_read,
        file_size=read.file_size,
        domain_rows=domain,
        other_rows=other,
    )


def resampled_gaps(
    checkpoints: Sequence[CheckpointGap], *, seed: int, resamples: int = RESAMPLES
) -> list[Resampled]:
    """The gaps with both token sets drawn again: how much they depend on the tokens chosen.

    Each draw takes as many tokens of each set, with replacement; a token drawn twice makes no
    pair with itself. All checkpoints share their draws, so that their ranking can be followed draw
    by draw.

    Args:
        checkpoints: of the same token sets.

    Returns:
        For each checkpoint the gap, its draws, and the number of tokens. A draw that holds one
        domain token only is NaN.

    Raises:
        ReproError: two checkpoints have different numbers of tokens.
    """
    sizes = {(len(each.domain_rows), len(each.other_rows)) for each in checkpoints}
    if len(sizes) != 1:
        raise ReproError(
            f"{len(checkpoints)} checkpoints with {len(sizes)} sizes of token sets; read all with "
            f"the same tokens"
        )
    ((n_domain, n_other),) = sizes
    rng = np.random.default_rng(seed)
    domain_weights = bootstrap_weights(range(n_domain), resamples, rng)
    other_weights = bootstrap_weights(range(n_other), resamples, rng)
    return [
        Resampled(
            each.gap,
            _weighted_gaps(each.domain_rows, each.other_rows, domain_weights, other_weights),
            n_domain + n_other,
        )
        for each in checkpoints
    ]


def _weighted_gaps(
    domain_rows: np.ndarray,
    other_rows: np.ndarray,
    domain_weights: np.ndarray,
    other_weights: np.ndarray,
) -> np.ndarray:
    """(resamples,) gaps of rows that count as often as their weights say."""
    domain, other = (
        rows / np.linalg.norm(rows, axis=1, keepdims=True)
        for rows in (domain_rows.astype(np.float64), other_rows.astype(np.float64))
    )
    inside, across = 1 - domain @ domain.T, 1 - domain @ other.T
    # Each draw has as many domain tokens as the set.
    pairs = len(domain) ** 2 - (domain_weights**2).sum(1)
    within = np.full(len(pairs), np.nan)
    sums = ((domain_weights @ inside) * domain_weights).sum(1)
    np.divide(sums, pairs, out=within, where=pairs > 0)
    between = ((domain_weights @ across) * other_weights).sum(1) / (len(domain) * len(other))
    gaps: np.ndarray = within + between
    return gaps


@dataclass(frozen=True)
class RankAgreement:
    """Spearman's correlation over a handful of models, with exact permutation statistics.

    Attributes:
        rho: the correlation, its interval (see :func:`exact_spearman_interval`) and the number of
            models.
        p_value: two-sided: the share of all orderings with a correlation as far from 0 or farther.
        chance_low, chance_high: the smallest and largest correlation that the two-sided test does
            not reject at 5 %. Inside this band the models say nothing against no association.
    """

    rho: Interval
    p_value: float
    chance_low: float
    chance_high: float


def exact_spearman_interval(x: np.ndarray, y: np.ndarray) -> RankAgreement:
    r"""Spearman's ρ between two properties of 4 to 12 models, without asymptotics.

    The n! orderings of one variable against the other are counted, not sampled; ties share their
    mean rank and stay tied. With all orderings equally likely this gives the p-value.

    An interval needs orderings that are not equally likely. Mallows' model tilts the permutation
    distribution, :math:`P_\theta(\pi) \propto e^{\theta\rho(\pi)}`: the one-parameter exponential
    family through it whose sufficient statistic is ρ. Its exact tests are inverted as Clopper and
    Pearson do for a proportion: the lower end is the expected ρ under the θ at which a correlation
    as high as the observed has probability 2.5 %, the upper end that under the θ at which one as
    low has. The interval is for the ρ that as many further checkpoints would give on average. It
    leaves out 0 exactly when the one-sided permutation test rejects at 2.5 %. Of nine models whose
    two properties are jointly normal, for which Mallows' model is only an approximation, it covers
    that average in 92 to 95 % of draws.

    A bootstrap over models would shrink to the point 1 when the models are ranked without an
    error, since every resample then is, too; this interval does not. The models are taken to be
    exchangeable: checkpoints of one training run are not, and the interval does not know that.

    Args:
        x, y: (n,) finite values.

    Raises:
        ReproError: another number of models, lengths that differ, values that are not finite, or
            a variable that does not vary.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    n = len(x)
    if x.shape != y.shape or not np.isfinite([x, y]).all():
        raise ReproError(
            f"ranks need one finite value of each variable per model; got {n} and {len(y)}"
        )
    if not FEWEST_MODELS <= n <= MOST_MODELS:
        raise ReproError(
            f"{n} models: orderings are counted for {FEWEST_MODELS} to {MOST_MODELS}; name more "
            f"or fewer models"
        )
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        raise ReproError(f"all {n} models have the same value; there is nothing to rank")
    # Twice the mean ranks, so that ties stay whole numbers.
    a, b = ((2 * rankdata(values)).astype(np.int64) for values in (x, y))
    counts = _ordering_counts(a, b)
    sums = np.flatnonzero(counts)
    counts = counts[sums]
    # Whole numbers up to the division: n³ times covariances and variances.
    covariances = n * (n * sums - a.sum() * b.sum())
    a, b = n * a - a.sum(), n * b - b.sum()
    rhos = covariances / math.sqrt(int(a @ a) * int(b @ b))
    share = counts / counts.sum()
    two_sided = np.array([share[np.abs(covariances) >= abs(value)].sum() for value in covariances])
    kept = rhos[two_sided > 1 - LEVEL]
    at = int(np.searchsorted(covariances, a @ b))
    low, high = _tilted_interval(rhos, np.log(counts), at)
    return RankAgreement(
        Interval(float(rhos[at]), low, high, n),
        float(two_sided[at]),
        float(kept.min()),
        float(kept.max()),
    )


def _ordering_counts(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How many of the n! orderings π give each value of Σ aᵢ·b_π(i), for whole numbers.

    Places are filled one after the other; what matters of the past is which entries of ``b`` are
    used up and the sum so far.
    """
    n = len(a)
    size = int(np.sort(a) @ np.sort(b)) + 1
    counts = np.zeros((1 << n, size))
    counts[0, 0] = 1
    for used in range((1 << n) - 1):
        place = used.bit_count()
        for entry in range(n):
            if not used >> entry & 1:
                step = int(a[place] * b[entry])
                counts[used | 1 << entry, step:] += counts[used, : size - step]
    last: np.ndarray = counts[-1]
    return last


def _tilted_interval(rhos: np.ndarray, log_counts: np.ndarray, at: int) -> tuple[float, float]:
    """Ends of the 95 % interval for the mean of a tilted distribution with ``rhos[at]`` seen.

    Args:
        rhos: ascending values with ``log_counts`` the logarithms of their numbers.
    """

    def log_share(theta: float, part: slice) -> float:
        tilted = log_counts + theta * rhos
        return float(logsumexp(tilted[part]) - logsumexp(tilted))

    def mean(theta: float) -> float:
        tilted = log_counts + theta * rhos
        return float(np.exp(tilted - logsumexp(tilted)) @ rhos)

    tail = np.log((1 - LEVEL) / 2)
    upper, lower = slice(at, None), slice(None, at + 1)
    # Far beyond any θ at which the largest of a handful of models' correlations stands out.
    limit = 1e5
    low, high = float(rhos[0]), float(rhos[-1])
    if at > 0:
        low = mean(brentq(lambda theta: log_share(theta, upper) - tail, -limit, limit))
    if at < len(rhos) - 1:
        high = mean(brentq(lambda theta: log_share(theta, lower) - tail, -limit, limit))
    return low, high
