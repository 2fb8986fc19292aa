"""How widely a set of hidden states is spread: mean pairwise cosine distance and its rivals.

For unit vectors u_i with the mean m, the mean of 1 - u_i . u_j over pairs has a closed form,

    D = (N^2 - |sum u|^2) / (N (N - 1)) = sum |u_i - m|^2 / (N - 1),

the total variance of the unit vectors: O(N d) time, and O(d) memory beyond the rows, which are read
in blocks and put together as in Chan, Golub & LeVeque (1983). The second form, which is computed
here, keeps its digits where all vectors point nearly the same way.

Dispersion does not tell an isotropic set from a shifted one: a direction that all vectors share
lowers it. So it is no measure of isotropy (Rudman et al. 2022), and IsoScore and the Vendi score
stand beside it.

Every function is pure, takes rows (n, d) of any real floating or integer type and computes in
float64. Degenerate rows raise :class:`~reproutils.errors.ReproError` with the reason.
:data:`SPREAD_MEASURES` lists the measures with the invariances that each one has and lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr
from scipy.stats import t as student

from reproutils.errors import ReproError
from reproutils.regression import LEVEL, Interval
from reproutils.similarity import ORTHOGONAL_JOINT, PERMUTATION, SCALING, TRANSLATION, FloatArray
from reproutils.theory import participation_ratio

# A block of float64 rows that stays in the processor's cache.
_BLOCK_BYTES = 2**20
# Squared norms outside of this range may have lost digits or overflowed.
_SAFE_SQUARES = (1e-250, 1e250)


class Gap(NamedTuple):
    """The dispersion gap and its two parts."""

    gap: float
    within: float
    between: float


@dataclass(eq=False)
class Dispersion:
    """What is known of a set of vectors after reading it once: enough for its dispersion.

    Rows are taken in with :meth:`add` and sets put together with ``+``; the parts may come from
    batches, shards or machines in any order, which changes nothing but rounding.

    Attributes:
        n: vectors read.
        mean: (d,) mean of the unit vectors; of width 0 before the first one.
        scatter: sum of the squared distances of the unit vectors to ``mean``.
    """

    n: int = 0
    mean: FloatArray = field(default_factory=lambda: np.zeros(0))
    scatter: float = 0.0

    @classmethod
    def of(cls, x: ArrayLike, name: str = "x") -> Dispersion:
        """Read the rows of ``x`` (n, d), which messages call ``name``, a block at a time.

        Raises:
            ReproError: no rows, a row that is zero or not finite (its number is given), or a type
                that is not real.
        """
        return _read(_matrix(x, name), name)

    def add(self, rows: ArrayLike) -> None:
        """Take in further ``rows`` (m, d).

        Raises:
            ReproError: another width than before, or what :meth:`of` refuses; nothing is taken in
                then.
        """
        whole = self + Dispersion.of(rows, "the added rows")
        self.n, self.mean, self.scatter = whole.n, whole.mean, whole.scatter

    def __add__(self, other: Dispersion) -> Dispersion:
        if not (self.n and other.n):
            filled = self if self.n else other
            return Dispersion(filled.n, filled.mean, filled.scatter)
        self._check_width(other)
        n = self.n + other.n
        return Dispersion(
            n,
            self.mean + (other.mean - self.mean) * (other.n / n),
            self.scatter + other.scatter + self._between(other),
        )

    def _check_width(self, other: Dispersion) -> None:
        if self.mean.shape != other.mean.shape:
            raise ReproError(
                f"vectors of width {len(self.mean)} and {len(other.mean)} have no common "
                f"dispersion; take both from one model and layer"
            )

    def _between(self, other: Dispersion) -> float:
        """Scatter of the union beyond that of its two parts; 0 if one of them is empty."""
        if not (self.n and other.n):
            return 0.0
        step = other.mean - self.mean
        return float(step @ step) * self.n * other.n / (self.n + other.n)

    @property
    def resultant(self) -> FloatArray:
        """(d,) sum of the unit vectors."""
        return np.asarray(self.n * self.mean)

    def without(self, part: Dispersion) -> Dispersion:
        """The set less a part of it, which must not be all of it."""
        n = self.n - part.n
        mean = (self.n * self.mean - part.n * part.mean) / n
        step = part.mean - mean
        scatter = self.scatter - part.scatter - float(step @ step) * part.n * n / self.n
        return Dispersion(n, mean, max(scatter, 0.0))

    @property
    def value(self) -> float:
        """Mean cosine distance over pairs of different vectors, in [0, 2].

        Raises:
            ReproError: fewer than two vectors.
        """
        if self.n < 2:
            raise ReproError(f"dispersion takes at least 2 vectors, got {self.n}")
        return self.scatter / (self.n - 1)

    def distance_to(self, other: Dispersion) -> float:
        """Mean cosine distance over pairs of one vector of each set: 1 - m . m'.

        Computed as half of |m - m'|^2 + (1 - |m|^2) + (1 - |m'|^2), which loses no digits.

        Raises:
            ReproError: a set without vectors, or different widths.
        """
        if not (self.n and other.n):
            raise ReproError("a distance between two sets takes at least one vector of each")
        self._check_width(other)
        step = self.mean - other.mean
        spreads = self.scatter / self.n + other.scatter / other.n
        return 0.5 * (float(step @ step) + spreads)


def mean_pairwise_distance(x: ArrayLike) -> float:
    """Mean cosine distance 1 - cos(x_i, x_j) over pairs i < j of the rows of ``x`` (n, d).

    Raises:
        ReproError: fewer than two rows, or a row that is zero or not finite.
    """
    return Dispersion.of(x).value


def cross_distance(x: ArrayLike, y: ArrayLike) -> float:
    """Mean cosine distance over pairs of a row of ``x`` (n, d) and a row of ``y`` (m, d).

    Raises:
        ReproError: no rows, different widths, or a row that is zero or not finite.
    """
    a, b = Dispersion.of(x), Dispersion.of(y, "y")
    if a.mean.shape != b.mean.shape:
        raise ReproError(
            f"x has width {len(a.mean)} and y has width {len(b.mean)}; take both from one model "
            f"and layer"
        )
    return a.distance_to(b)


def within_between(x: ArrayLike, labels: Sequence[object]) -> tuple[float, float]:
    """Mean distance over pairs with the same label, and over pairs with different ones.

    Every pair counts once, so that a large cluster weighs more within.

    Args:
        x: (n, d).
        labels: (n,) the cluster of each row.

    Raises:
        ReproError: no two rows share a label, or all do; another number of labels than of rows; or
            a row that is zero or not finite.
    """
    rows = _matrix(x, "x")
    groups = list(_members(labels, len(rows), "labels"))
    n = len(rows)
    pairs_within = sum(len(members) * (len(members) - 1) for members in groups)
    pairs_between = n * (n - 1) - pairs_within
    if not pairs_within or not pairs_between:
        raise ReproError(
            "distances within and between clusters need two rows of one label and two labels"
        )
    # Twice the sum of cosine distances over pairs of rows of the clusters k and l, of n_k and n_l
    # rows with scatters s_k and s_l, is n_l s_k + n_k s_l + n_k n_l |m_k - m_l|^2. The last terms
    # add up to n times the scatter of the means, which gathers as the clusters are put together.
    whole, inside, apart, of_means = Dispersion(), 0.0, 0.0, 0.0
    for members in groups:
        part = _read(rows, "x", members)
        inside += part.n * part.scatter
        apart += (n - part.n) * part.scatter
        of_means += whole._between(part)
        whole = whole + part
    return inside / pairs_within, (apart + n * of_means) / pairs_between


def dispersion_gap(domain_rows: ArrayLike, other_rows: ArrayLike) -> Gap:
    """G = within(T) + between(T, T'): how far apart the vectors of domain tokens T are, plus how
    far from those of other tokens T'.

    Args:
        domain_rows: (n, d) rows of the output embedding for the domain's tokens.
        other_rows: (m, d) rows for everyday tokens.

    Raises:
        ReproError: fewer than two domain rows or no other row, different widths, or a row that is
            zero or not finite.
    """
    domain = Dispersion.of(domain_rows, "domain_rows")
    other = Dispersion.of(other_rows, "other_rows")
    if domain.mean.shape != other.mean.shape:
        raise ReproError(
            f"domain_rows has width {len(domain.mean)} and other_rows has width {len(other.mean)}; "
            f"take both from one model"
        )
    within, between = domain.value, domain.distance_to(other)
    return Gap(within + between, within, between)


def from_resultant(n: ArrayLike, squared_length: ArrayLike) -> FloatArray:
    """Dispersion of n unit vectors from the squared length R^2 of their mean:
    n / (n - 1) (1 - R^2).

    Args:
        n: numbers of vectors, as ``States.span_sizes`` gives them.
        squared_length: R^2, as ``States.resultant`` gives it; the two are broadcast. What rounding
            puts above 1 counts as 1.

    Raises:
        ReproError: an n below 2, or an R^2 outside of [0, 1] or NaN.
    """
    counts = np.asarray(n, dtype=np.float64)
    squares = np.asarray(squared_length, dtype=np.float64)
    if not np.all(counts >= 2):
        raise ReproError(f"dispersion takes at least 2 vectors, got {counts.min():.0f}")
    if not np.all((squares >= 0) & (squares <= 1 + 1e-6)):
        raise ReproError("a squared mean length of unit vectors is outside of 0 to 1, or NaN")
    return np.asarray(counts / (counts - 1) * (1.0 - np.minimum(squares, 1.0)))


def weighted_dispersion(unit: FloatArray, weights: FloatArray) -> FloatArray:
    """Dispersion of resamples: each pair of *different* rows counts with the product of their
    multiplicities, a row and its copies never.

    Args:
        unit: (n, d) rows of length 1.
        weights: (resamples, n) multiplicities.

    Returns:
        (resamples,); NaN where fewer than two different rows are left.
    """
    same = (weights**2).sum(1)
    pairs = weights.sum(1) ** 2 - same
    inner = ((weights @ unit) ** 2).sum(1) - same
    undefined = np.full(len(pairs), np.nan)
    return np.asarray(1.0 - np.divide(inner, pairs, out=undefined, where=pairs > 0))


def jackknife_interval(x: ArrayLike, units: Sequence[object] | None = None) -> Interval:
    """Dispersion of the rows of ``x`` (n, d) with a 95 % interval from leaving units out in turn.

    The value without a unit follows from the sums over all rows, in O(n d) for all units together.
    The interval reaches Student's quantile times the jackknife standard error to both sides, but
    not below 0.

    Args:
        units: (n,) the independent unit of each row; None: each row is one.

    Raises:
        ReproError: fewer than three units, another number of labels than of rows, or what
            :func:`mean_pairwise_distance` refuses.
    """
    rows = _matrix(x, "x")
    groups = None if units is None else list(_members(units, len(rows), "units"))
    n_units = len(rows) if groups is None else len(groups)
    if n_units < 3:
        raise ReproError(f"a jackknife needs at least 3 independent units, got {n_units}")
    whole = _read(rows, "x")
    values = (
        _without_each_row(rows, whole)
        if groups is None
        else np.array([whole.without(_read(rows, "x", members)).value for members in groups])
    )
    spread = (n_units - 1) * values.var()
    reach = float(student.ppf((1 + LEVEL) / 2, n_units - 1)) * float(spread**0.5)
    return Interval(whole.value, max(whole.value - reach, 0.0), whole.value + reach, n_units)


def _without_each_row(rows: NDArray[Any], whole: Dispersion) -> FloatArray:
    """(n,) dispersion of the others of ``whole``, which are ``rows``: :meth:`Dispersion.without`
    for every row."""
    n = whole.n
    distances = []
    for unit in _unit_blocks(rows, "x"):
        unit -= whole.mean
        distances.append(np.einsum("nd,nd->n", unit, unit))
    scatter = whole.scatter - n / (n - 1) * np.concatenate(distances)
    return np.asarray(np.maximum(scatter, 0.0) / (n - 2))


def vendi_score(x: ArrayLike) -> float:
    """Effective number of different rows of ``x`` (n, d): exp of the entropy of the eigenvalues of
    K / n with the cosine kernel K (Friedman & Dieng 2023), from 1 (all alike) to min(n, d).

    With fewer columns than rows the eigenvalues are taken from the d x d matrix sum u_i u_i^T / n.
    The score grows with n.

    Raises:
        ReproError: fewer than two rows, or a row that is zero or not finite.
    """
    rows = _matrix(x, "x")
    n, d = rows.shape
    if n < 2:
        raise ReproError(f"the Vendi score takes at least 2 rows, got {n}")
    if d < n:
        gram = np.zeros((d, d))
        for unit in _unit_blocks(rows, "x"):
            gram += unit.T @ unit
    else:
        unit = np.concatenate(list(_unit_blocks(rows, "x")))
        gram = unit @ unit.T
    values = np.maximum(np.linalg.eigvalsh(gram / n), 0.0)
    return float(np.exp(entr(values).sum()))


def iso_score(x: ArrayLike) -> float:
    """IsoScore of the rows of ``x`` (n, d): 1 if all directions vary alike, 0 if only one varies
    (Rudman et al. 2022).

    With the principal variances s scaled to the length of the vector of ones, the defect is
    |s - 1| / sqrt(2 (d - sqrt(d))) and the score (d phi - 1) / (d - 1) with
    phi = (d - defect^2 (d - sqrt(d)))^2 / d^2. Since |s - 1|^2 = 2 (d - sum s), this is
    phi = (sum s)^2 / d^2 = PR / d with the participation ratio PR of the covariance, and the score

        (PR - 1) / (d - 1).

    Like PR it is biased low, to about n / (n + d) for isotropic rows: trust it where n is many
    times d.

    Raises:
        ReproError: fewer than two rows or columns, rows that are all the same, or not finite.
    """
    rows = _matrix(x, "x")
    n, d = rows.shape
    if n < 2 or d < 2:
        raise ReproError(f"IsoScore takes at least 2 rows and 2 columns, got {n} and {d}")
    return float(np.clip((participation_ratio(rows) - 1.0) / (d - 1.0), 0.0, 1.0))


# Each row may be scaled by a positive factor of its own.
ROW_SCALING = "row scaling"
# Every row is there as often, more than once.
REPETITION = "repetition of all rows"
# Further dimensions, in which all rows are zero.
MORE_COLUMNS = "columns of zeros"
# The expectation for independent rows of a fixed population does not depend on their number.
SAMPLE_SIZE = "number of rows"


@dataclass(frozen=True)
class SpreadMeasure:
    """A measure of spread with what it does not see.

    Attributes:
        name: as in this module.
        function: of one matrix (n, d), or of two, which are then transformed alike.
        min_rows: the fewest rows of each matrix.
        range: its least and largest value; None where that depends on n and d.
        invariant_to, not_invariant_to: names of transformations.
        reference: the source of the definition.
    """

    name: str
    function: Callable[..., float]
    min_rows: tuple[int, ...]
    range: tuple[float, float | None]
    invariant_to: frozenset[str]
    not_invariant_to: frozenset[str]
    reference: str


def _gap(domain_rows: ArrayLike, other_rows: ArrayLike) -> float:
    return dispersion_gap(domain_rows, other_rows).gap


_ROTATION = frozenset({ORTHOGONAL_JOINT, SCALING, PERMUTATION})
_COSINE = _ROTATION | {ROW_SCALING, MORE_COLUMNS}

SPREAD_MEASURES: Mapping[str, SpreadMeasure] = MappingProxyType(
    {
        measure.name: measure
        for measure in (
            SpreadMeasure(
                name="mean_pairwise_distance",
                function=mean_pairwise_distance,
                min_rows=(2,),
                range=(0.0, 2.0),
                invariant_to=_COSINE | {SAMPLE_SIZE},
                not_invariant_to=frozenset({TRANSLATION, REPETITION}),
                reference="Li et al. 2026, arXiv 2506.24106",
            ),
            SpreadMeasure(
                name="cross_distance",
                function=cross_distance,
                min_rows=(1, 1),
                range=(0.0, 2.0),
                invariant_to=_COSINE | {SAMPLE_SIZE, REPETITION},
                not_invariant_to=frozenset({TRANSLATION}),
                reference="between(T, T') of Li et al. 2026, arXiv 2506.24106",
            ),
            SpreadMeasure(
                name="dispersion_gap",
                function=_gap,
                min_rows=(2, 1),
                range=(0.0, 4.0),
                invariant_to=_COSINE | {SAMPLE_SIZE},
                not_invariant_to=frozenset({TRANSLATION, REPETITION}),
                reference="G of Li et al. 2026, arXiv 2506.24106",
            ),
            SpreadMeasure(
                name="vendi_score",
                function=vendi_score,
                min_rows=(2,),
                range=(1.0, None),
                invariant_to=_COSINE | {REPETITION},
                not_invariant_to=frozenset({TRANSLATION, SAMPLE_SIZE}),
                reference="Friedman & Dieng 2023, arXiv 2210.02410",
            ),
            SpreadMeasure(
                name="iso_score",
                function=iso_score,
                min_rows=(2,),
                range=(0.0, 1.0),
                invariant_to=_ROTATION | {TRANSLATION, REPETITION},
                not_invariant_to=frozenset({ROW_SCALING, MORE_COLUMNS, SAMPLE_SIZE}),
                reference="Rudman et al. 2022, arXiv 2108.07344",
            ),
        )
    }
)


def _members(labels: Sequence[object], n: int, what: str) -> Iterator[NDArray[np.intp]]:
    """The rows of each label, the labels in order of appearance."""
    if len(labels) != n:
        raise ReproError(f"{len(labels)} {what} for {n} rows; give one for each")
    codes, names = pd.factorize(pd.Series(list(labels)), use_na_sentinel=False)
    order = np.argsort(codes, kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(codes, minlength=len(names)))[:-1])


def _matrix(values: ArrayLike, name: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in "fiu":
        raise ReproError(f"{name} has type {array.dtype}; convert it to a real floating type first")
    if array.ndim != 2 or 0 in array.shape:
        raise ReproError(
            f"{name} has shape {array.shape}; expected (rows, width), neither of them 0"
        )
    return array


def _read(rows: NDArray[Any], name: str, members: NDArray[np.intp] | None = None) -> Dispersion:
    """All ``rows``, or those in ``members``."""
    whole = Dispersion()
    for unit in _unit_blocks(rows, name, members):
        mean = unit.mean(axis=0)
        unit -= mean
        whole = whole + Dispersion(len(unit), mean, float(np.vdot(unit, unit)))
    return whole


def _unit_blocks(
    rows: NDArray[Any], name: str, members: NDArray[np.intp] | None = None
) -> Iterator[FloatArray]:
    """``rows``, or those in ``members``, scaled to length 1, a block at a time."""
    step = max(1, _BLOCK_BYTES // (8 * rows.shape[1]))
    numbers = range(len(rows)) if members is None else members
    for start in range(0, len(numbers), step):
        part = numbers[start : start + step]
        yield _unit(rows[start : start + step] if members is None else rows[part], name, part)


def _unit(rows: NDArray[Any], name: str, numbers: Sequence[int] | NDArray[np.intp]) -> FloatArray:
    """A copy of ``rows`` in float64 with length 1; ``numbers`` are theirs in messages."""
    array = np.array(rows, dtype=np.float64)
    low, high = _SAFE_SQUARES
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        squares = np.einsum("nd,nd->n", array, array)
    if not np.all((squares > low) & (squares < high)):
        # Scaling by the largest entry first keeps the squares within range.
        largest = np.abs(array).max(axis=1)
        bad = np.flatnonzero(~np.isfinite(largest) | (largest == 0))
        if len(bad):
            zero = largest[bad[0]] == 0
            raise ReproError(
                f"row {numbers[bad[0]]} of {name} "
                f"{'is the zero vector' if zero else 'has a value that is not finite'}; drop it or "
                f"mend its source"
            )
        array /= largest[:, None]
        squares = np.einsum("nd,nd->n", array, array)
    array /= np.sqrt(squares)[:, None]
    return array
