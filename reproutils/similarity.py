"""Similarity of hidden states: cosines of pooled vectors, linear CKA, RV, neighbours, nulls.

Every function is pure, takes arrays of any real floating or integer type and computes in float64.
Shapes are written for one layer; unless a docstring says otherwise, further leading axes (layers)
are allowed, must agree between the two sides, and lead the result too. A result for input without
leading axes is a NumPy scalar.

Two kinds of rows occur. *Token rows* are the hidden states of one sequence, shape (m, d); two
sequences may differ in m. *Aligned rows* correspond one to one: token i of one side to token i of
the other, or item i to item i; the two sides share n but may differ in width.

Degenerate input (a zero vector, a constant matrix, NaN, too few rows) raises
:class:`~reproutils.errors.ReproError` with the reason. No measure adds a small constant to a
denominator: that would hide the degenerate case and break invariance to scale.

:data:`MEASURES` lists the measures with the invariances that each one has and lacks.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reproutils.errors import ReproError

FloatArray = NDArray[np.float64]
"""A float64 array; a NumPy scalar where the docstring speaks of one value."""

_EPS = float(np.finfo(np.float64).eps)


# --- checks ------------------------------------------------------------------------------------


def _matrix(values: ArrayLike, name: str) -> NDArray[Any]:
    """``values`` as an array (..., rows, width) of a real type, not yet converted to float64."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiu":
        raise ReproError(f"{name} has type {array.dtype}; convert it to a real floating type first")
    if array.ndim < 2 or 0 in array.shape:
        raise ReproError(
            f"{name} has shape {array.shape}; expected (..., rows, width) with no axis of length 0"
        )
    return array


def _same_leading(x: NDArray[Any], y: NDArray[Any]) -> None:
    if x.shape[:-2] != y.shape[:-2]:
        raise ReproError(
            f"x and y have leading axes {x.shape[:-2]} and {y.shape[:-2]}; "
            "give both the same layers"
        )


def _aligned(
    x: ArrayLike, y: ArrayLike, measure: str, min_rows: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both sides as arrays with equal leading axes and the same, sufficient number of rows."""
    a, b = _matrix(x, "x"), _matrix(y, "y")
    _same_leading(a, b)
    n = a.shape[-2]
    if n != b.shape[-2]:
        raise ReproError(
            f"{measure} needs aligned rows, but x has {n} and y has {b.shape[-2]}; "
            "align the two sides first"
        )
    if n < min_rows:
        raise ReproError(
            f"{measure} needs at least {min_rows} aligned rows, got {n}; drop the pair"
        )
    return a, b


def _at(index: Sequence[int], noun: str) -> str:
    """A readable position: ``row 3``, ``row 3 of layer 1``, or nothing for a scalar index."""
    if not index:
        return ""
    *layers, last = (int(i) for i in index)
    position = f"{noun} {last}"
    if layers:
        position += f" of layer {layers[0] if len(layers) == 1 else tuple(layers)}"
    return position


def _unit_vectors(vectors: NDArray[Any], name: str, noun: str) -> FloatArray:
    """``vectors`` (..., d) scaled to length 1; a zero or non-finite one raises, named."""
    array = np.asarray(vectors, dtype=np.float64)
    # Scaling by the largest entry first keeps the squares within range.
    largest = np.max(np.abs(array), axis=-1, keepdims=True)
    bad = ~np.isfinite(largest[..., 0]) | (largest[..., 0] == 0)
    if np.any(bad):
        index = tuple(np.argwhere(bad)[0])
        what = "is the zero vector" if largest[index][0] == 0 else "has a value that is not finite"
        place = _at(index, noun)
        raise ReproError(
            f"cosine undefined: {f'{place} of ' if place else ''}{name} {what}; "
            "drop it or mend its source"
        )
    scaled = array / largest
    norm: FloatArray = np.linalg.norm(scaled, axis=-1, keepdims=True)
    return np.asarray(scaled / norm)


def _mean_row(rows: NDArray[Any]) -> FloatArray:
    """Mean over axis -2 in float64; infinities of both signs give NaN, for a check to find."""
    with np.errstate(invalid="ignore", over="ignore"):
        mean: FloatArray = rows.mean(axis=-2, dtype=np.float64)
    return mean


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("...d,...d->...", a, b))


def _result(values: FloatArray) -> FloatArray:
    """Unwrap a 0-d array into a NumPy scalar."""
    unwrapped: FloatArray = values[()]
    return unwrapped


# --- cosines of pooled vectors -----------------------------------------------------------------


def cosine_rows(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Cosine between row i of ``a`` and row i of ``b``.

    Args:
        a, b: (..., n, d), for instance pooled hidden states of n items in several layers.

    Returns:
        (..., n), in [-1, 1] (clipped, which removes rounding and nothing else).

    Raises:
        ReproError: shapes differ, or a row is zero or not finite (the row is named).
    """
    left, right = _matrix(a, "a"), _matrix(b, "b")
    if left.shape != right.shape:
        raise ReproError(f"a and b have shapes {left.shape} and {right.shape}; they must agree")
    cosine = _dot(_unit_vectors(left, "a", "row"), _unit_vectors(right, "b", "row"))
    return np.clip(cosine, -1.0, 1.0)


def pooled_cosine(x: ArrayLike, y: ArrayLike) -> FloatArray:
    """Cosine of the mean token rows of two sequences, the measure that paper A examines.

    Args:
        x, y: token rows (..., m, d) and (..., n, d); m and n may differ.

    Returns:
        (...), in [-1, 1]: one value per layer.

    Raises:
        ReproError: widths differ, or a mean is zero or not finite (the layer is named).
    """
    a, b = _matrix(x, "x"), _matrix(y, "y")
    _same_leading(a, b)
    if a.shape[-1] != b.shape[-1]:
        raise ReproError(
            f"x and y have widths {a.shape[-1]} and {b.shape[-1]}; a cosine needs one space"
        )
    mean_x, mean_y = _mean_row(a), _mean_row(b)
    cosine = _dot(
        _unit_vectors(mean_x, "the pooled x", "layer"),
        _unit_vectors(mean_y, "the pooled y", "layer"),
    )
    return _result(np.clip(cosine, -1.0, 1.0))


def _centre_items(rows: NDArray[Any], mean: ArrayLike | None, name: str) -> FloatArray:
    """Subtract the corpus mean (over items, axis -2); rounding residue counts as zero."""
    values = np.asarray(rows, dtype=np.float64)
    if mean is None:
        if values.shape[-2] < 2:
            raise ReproError(
                f"centred cosine: {name} holds one item, which equals its own mean; "
                "give more items or a mean taken from a corpus"
            )
        centre = _mean_row(values)[..., None, :]
    else:
        given = np.asarray(mean, dtype=np.float64)
        expected = (*values.shape[:-2], values.shape[-1])
        if given.shape != expected:
            raise ReproError(
                f"centred cosine: the mean of {name} has shape {given.shape}, expected {expected}"
            )
        centre = given[..., None, :]
    with np.errstate(invalid="ignore"):  # what is not finite is reported by name later
        centred = values - centre
    size = np.linalg.norm(values, axis=-1, keepdims=True)
    residue = np.linalg.norm(centred, axis=-1, keepdims=True)
    # An item equal to the mean leaves rounding noise, whose direction means nothing.
    return np.where(residue <= values.shape[-2] * _EPS * size, 0.0, centred)


def centered_cosine(
    a: ArrayLike,
    b: ArrayLike,
    mean_a: ArrayLike | None = None,
    mean_b: ArrayLike | None = None,
) -> FloatArray:
    """Cosine between row i of ``a`` and row i of ``b`` after removing a corpus mean.

    The mean runs over *items* (axis -2, the corpus) and is a vector of width d; the mean over a
    vector's own components is never touched. Each side has its own mean, because each language or
    modality has its own offset; for one common mean pass the same array as both ``mean_a`` and
    ``mean_b``.

    Removing the common direction removes the length artefact of eq. 3 (its mean vector becomes
    zero). The cosine of items that share content still rises with the number of pooled tokens,
    since pooling averages away what they do not share.

    Args:
        a, b: pooled rows (..., n, d), row i of both being the same item.
        mean_a, mean_b: (..., d); by default the mean of the n rows of that side.

    Returns:
        (..., n), in [-1, 1].

    Raises:
        ReproError: shapes differ, a side has one item and no mean is given, or an item is equal
            to the mean or not finite (the row is named).
    """
    left, right = _matrix(a, "a"), _matrix(b, "b")
    return cosine_rows(_centre_items(left, mean_a, "a"), _centre_items(right, mean_b, "b"))


class TokenStatistics(NamedTuple):
    """What :func:`debiased_cosine` and ``theory.estimate_rho`` need to know of one sequence."""

    mean: FloatArray
    """Mean row, (..., d)."""
    mean_sq: FloatArray
    """Mean squared norm of the rows, (...)."""
    n: int
    """Number of rows."""


def sufficient_statistics(tokens: ArrayLike) -> TokenStatistics:
    """Mean row, mean squared row norm and row count of token rows (..., n, d).

    Both means can be kept while streaming, so the rows themselves need not be stored.

    Raises:
        ReproError: a value is not finite.
    """
    rows = np.asarray(_matrix(tokens, "tokens"), dtype=np.float64)
    mean = _mean_row(rows)
    mean_sq = np.einsum("...nd,...nd->...", rows, rows) / rows.shape[-2]
    if not np.all(np.isfinite(mean_sq)):
        raise ReproError("tokens hold a value that is not finite; mend their source")
    return TokenStatistics(mean, _result(np.asarray(mean_sq)), rows.shape[-2])


def unbiased_sq_norm(sq_norm_of_mean: ArrayLike, mean_sq: ArrayLike, n: ArrayLike) -> FloatArray:
    """U-statistic for ||mu||^2 from n independent rows of mean mu.

    The mean of <x_i, x_j> over i != j, which is (||sum x||^2 - sum ||x_i||^2) / (n(n-1)), or in
    terms of means (n ||mean x||^2 - mean ||x||^2) / (n-1).

    Args:
        sq_norm_of_mean: ||mean x||^2, (...).
        mean_sq: mean ||x_i||^2, (...).
        n: number of rows, (...).

    Returns:
        (...); may be negative, since it is unbiased. NaN where n < 2.
    """
    count = np.asarray(n, dtype=np.float64)
    others = np.where(count >= 2, count - 1, np.nan)
    of_mean = np.asarray(sq_norm_of_mean, dtype=np.float64)
    return _result(np.asarray((count * of_mean - np.asarray(mean_sq, np.float64)) / others))


def debiased_cosine(
    mean_x: ArrayLike,
    mean_y: ArrayLike,
    mean_sq_x: ArrayLike,
    mean_sq_y: ArrayLike,
    n_x: ArrayLike,
    n_y: ArrayLike,
) -> FloatArray:
    """Cosine of the two population means mu_x, mu_y, with the noise taken out of both norms.

    <mean x, mean y> / sqrt(U_x U_y), where U is :func:`unbiased_sq_norm`. For independent
    sequences of independent rows the three parts are unbiased for <mu_x, mu_y>, ||mu_x||^2 and
    ||mu_y||^2, so that the length dependence of eq. 3 is gone; the ratio keeps a bias of lower
    order. Rows of real tokens are not independent: how far that matters is an empirical question.

    Args:
        mean_x, mean_y: pooled rows (..., d).
        mean_sq_x, mean_sq_y: mean squared row norms (...).
        n_x, n_y: numbers of rows (...); all as :func:`sufficient_statistics` gives them.

    Returns:
        (...). NaN where n < 2 or an estimate of ||mu||^2 is not positive, which says that the
        rows hold no measurable common direction. The value may leave [-1, 1]; it is not clipped,
        because clipping would bias its mean.

    Raises:
        ReproError: widths differ or a value is not finite.
    """
    a, b = np.asarray(mean_x, dtype=np.float64), np.asarray(mean_y, dtype=np.float64)
    if a.ndim < 1 or b.ndim < 1 or a.shape[-1] != b.shape[-1]:
        raise ReproError(
            f"mean_x and mean_y have shapes {a.shape} and {b.shape}; widths must agree"
        )
    for name, values in (
        ("mean_x", a),
        ("mean_y", b),
        ("mean_sq_x", mean_sq_x),
        ("mean_sq_y", mean_sq_y),
    ):
        if not np.all(np.isfinite(np.asarray(values, dtype=np.float64))):
            raise ReproError(f"{name} holds a value that is not finite; mend its source")
    u_x = unbiased_sq_norm(_dot(a, a), mean_sq_x, n_x)
    u_y = unbiased_sq_norm(_dot(b, b), mean_sq_y, n_y)
    root_x = np.sqrt(np.where(u_x > 0, u_x, np.nan))
    root_y = np.sqrt(np.where(u_y > 0, u_y, np.nan))
    return _result(np.asarray(_dot(a, b) / root_x / root_y))


def _debiased_cosine_of_tokens(x: ArrayLike, y: ArrayLike) -> FloatArray:
    """:func:`debiased_cosine` from token rows (..., m, d) and (..., n, d)."""
    _same_leading(_matrix(x, "x"), _matrix(y, "y"))
    s, t = sufficient_statistics(x), sufficient_statistics(y)
    return debiased_cosine(s.mean, t.mean, s.mean_sq, t.mean_sq, s.n, t.n)


# --- linear CKA --------------------------------------------------------------------------------
#
# Three measures are the cosine, in the space of n x n matrices, of two modified Gram matrices
# K = X X^T and L = Y Y^T (H = I - 11^T/n):
#   double    H K H                          biased linear CKA, equal to RV
#   u         U-centred, zero diagonal       debiased linear CKA
#   adjusted  H K H - (tr(HKH)/(n-1)) H      adjusted RV

_Kind = Literal["double", "u", "adjusted"]
_MIN_ROWS: dict[_Kind, int] = {"double": 3, "u": 4, "adjusted": 3}
_NAMES: dict[_Kind, str] = {
    "double": "linear CKA",
    "u": "debiased linear CKA",
    "adjusted": "adjusted RV",
}

# Up to this many rows Gram matrices are built in strips, see _raw_grams.
_STRIPPED_ROWS = 64
_STRIP = 8
# Rows converted to float64 at a time, so that they are still cached when they are multiplied.
_BLOCK_BYTES = 2**21
# Gram matrices held at a time: of two sides, raw and modified.
_GRAM_BYTES = 2**26
_GRAM_COPIES = 4
# A raw Gram matrix is centred in place while its mean part is at most this many times its
# centred part (the rounding error grows by that factor); beyond, the rows are centred first.
_MAX_MEAN_RATIO = 100.0
# A modified Gram matrix this small beside its trace is rounding noise.
_NO_STRUCTURE = 1e-12

# Names a position in an array of matrices, for messages.
_Label = Callable[..., str]


def _raw_grams(rows: Sequence[NDArray[Any]]) -> FloatArray:
    """Gram matrices of equally shaped stacks (layers, n, d): (stacks, layers, n, n).

    Only the lower triangle is multiplied out, in column strips. Each strip but the first starts
    one row early, so that no product is that of a block with its own transpose: NumPy would pass
    that to BLAS's symmetric update, which at these sizes is up to three times slower than the
    general product.
    """
    layers, n, d = rows[0].shape
    grams = np.empty((len(rows), layers, n, n))
    block = min(layers, max(1, _BLOCK_BYTES // (8 * n * d)))
    buffer = np.empty((block, n, d))
    strip = min(_STRIP, (n + 1) // 2)
    for stack, out in zip(rows, grams, strict=True):
        for first in range(0, layers, block):
            part = stack[first : first + block]
            if part.dtype != np.float64:
                buffer[: len(part)] = part
                part = buffer[: len(part)]
            for left in range(0, n, strip):
                top, right = max(left - 1, 0), min(left + strip, n)
                np.matmul(
                    part[:, top:],
                    np.swapaxes(part[:, left:right], -1, -2),
                    out=out[first : first + block, top:, left:right],
                )
    for left in range(strip, n, strip):
        right = min(left + strip, n)
        grams[..., :left, left:right] = np.swapaxes(grams[..., left:right, :left], -1, -2)
    return grams


def _centred(rows: NDArray[Any]) -> FloatArray:
    """One matrix (n, d) in float64 with its column means removed."""
    values = np.asarray(rows, dtype=np.float64)
    return np.asarray(values - values.mean(axis=0))


def _energy(rows: NDArray[Any]) -> float:
    """Sum of squares in float64."""
    values = np.asarray(rows, dtype=np.float64)
    return float(np.einsum("nd,nd->", values, values))


def _modified_grams(
    rows: Sequence[NDArray[Any]], kind: _Kind, label: _Label
) -> tuple[FloatArray, FloatArray]:
    """Modified Gram matrices of stacks (layers, n, d) and their Frobenius norms.

    Returns:
        (stacks, layers, n, n) and (stacks, layers).
    """
    layers, n, _ = rows[0].shape
    with np.errstate(over="ignore", invalid="ignore"):
        if n <= _STRIPPED_ROWS:
            grams = _raw_grams(rows)
            row_sums = np.einsum("...ij->...i", grams)
            energy = np.einsum("...ii->...", grams)
            mean_part = row_sums.sum(axis=-1) / n
            redo = np.argwhere(mean_part * (_MAX_MEAN_RATIO + 1) > energy * _MAX_MEAN_RATIO)
        else:
            grams = np.empty((len(rows), layers, n, n))
            row_sums = np.empty((len(rows), layers, n))
            energy = np.array([[_energy(layer) for layer in stack] for stack in rows])
            redo = np.argwhere(np.ones((len(rows), layers), dtype=bool))
    _require_finite(energy, label)
    for stack, layer in redo:
        centred = _centred(rows[stack][layer])
        grams[stack, layer] = centred @ centred.T
        row_sums[stack, layer] = grams[stack, layer].sum(axis=-1)
    diagonal = np.einsum("...ii->...i", grams)
    trace = diagonal.sum(axis=-1) - row_sums.sum(axis=-1) / n
    _require_spread(trace, energy, n, label)

    if kind == "u":
        shift = (row_sums - diagonal) / (n - 2)
        shift -= shift.sum(axis=-1, keepdims=True) / (2 * (n - 1))
    else:
        shift = row_sums / n
        shift -= shift.mean(axis=-1, keepdims=True) / 2
    modified = grams - shift[..., None]
    modified -= shift[..., None, :]
    own = np.einsum("...ii->...i", modified)  # a writeable view of the diagonals
    if kind == "u":
        own[...] = 0.0
    elif kind == "adjusted":
        own -= (trace / (n - 1))[..., None]
        modified += (trace / (n * (n - 1)))[..., None, None]
    flat = modified.reshape(len(rows), layers, n * n)
    norm = np.sqrt(_dot(flat, flat))
    _require_structure(norm / trace, _NO_STRUCTURE, label)
    return modified, norm


def _require_finite(energy: FloatArray, label: _Label) -> None:
    bad = np.argwhere(~np.isfinite(energy))
    if bad.size:
        raise ReproError(
            f"{label(*bad[0])} holds a value that is not finite, or too large to square; "
            "mend its source"
        )


def _require_spread(trace: FloatArray, energy: FloatArray, n: int, label: _Label) -> None:
    # Centring a constant column leaves at most about n/2 roundings of its value.
    bad = np.argwhere(~(trace > (n * _EPS) ** 2 * energy))
    if bad.size:
        raise ReproError(f"{label(*bad[0])} is constant: all {n} rows are the same; drop the pair")


def _require_structure(ratio: FloatArray, limit: float, label: _Label) -> None:
    bad = np.argwhere(~(ratio > limit))
    if bad.size:
        raise ReproError(
            f"{label(*bad[0])} has no structure besides the diagonal of its Gram matrix "
            "(rows all equally far apart, or all but one the same); use more rows or drop the pair"
        )


def _labels(kind: _Kind, side: str, name: _Label) -> _Label:
    def label(*index: int) -> str:
        place = name(*index)
        return f"{_NAMES[kind]}: {side}{f' of {place}' if place else ''}"

    return label


def _gram_alignment(
    xs: Sequence[NDArray[Any]],
    ys: Sequence[NDArray[Any]],
    kind: _Kind,
    name: _Label,
) -> FloatArray:
    """Cosines of modified Gram matrices, (stacks, layers), for stacks (layers, n, width).

    Layers are taken in portions that keep the Gram matrices within _GRAM_BYTES.
    """
    layers, n, _ = xs[0].shape
    portion = max(1, _GRAM_BYTES // (_GRAM_COPIES * 8 * len(xs) * n * n))
    values = np.empty((len(xs), layers))
    for first in range(0, layers, portion):
        here = slice(first, first + portion)

        def at(stack: int, layer: int, first: int = first) -> str:
            return name(stack, first + layer)

        k, norm_k = _modified_grams([x[here] for x in xs], kind, _labels(kind, "x", at))
        m, norm_m = _modified_grams([y[here] for y in ys], kind, _labels(kind, "y", at))
        flat = (*norm_k.shape, -1)
        values[:, here] = _dot(k.reshape(flat), m.reshape(flat)) / norm_k / norm_m
    return values


def _feature_alignment(x: NDArray[Any], y: NDArray[Any], kind: _Kind, name: _Label) -> FloatArray:
    """The same cosine from width x width products, (layers,), for one pair (layers, n, width).

    With rows centred, K1 = 0, k the diagonal of K and t its sum (likewise L, l, s), the inner
    products of the modified Gram matrices are

        double    ||X^T Y||^2
        u         ||X^T Y||^2 - n/(n-2) <k, l> + t s / ((n-1)(n-2))
        adjusted  ||X^T Y||^2 - t s / (n-1)

    The second line is the U-statistic of Song et al., for K' = K - diag(k), L' = L - diag(l)

        tr(K'L') + (1'K'1)(1'L'1)/((n-1)(n-2)) - 2/(n-2) 1'K'L'1

    without its factor 1/(n(n-3)), which cancels in the cosine: K1 = 0 and tr(KL) = ||X^T Y||^2
    give tr(K'L') = ||X^T Y||^2 - <k, l>, 1'K'1 = -t and 1'K'L'1 = <k, l>.
    """
    layers, n, _ = x.shape

    def inner(product: FloatArray, u: FloatArray, v: FloatArray) -> float:
        total = float(np.vdot(product, product))
        both = float(u.sum() * v.sum())
        if kind == "u":
            shared = float(np.vdot(u, v))
            total += both / ((n - 1) * (n - 2)) - shared * n / (n - 2)
        elif kind == "adjusted":
            total -= both / (n - 1)
        return total

    inners, traces, energies = np.empty((3, layers)), np.empty((2, layers)), np.empty((2, layers))
    with np.errstate(over="ignore", invalid="ignore"):
        for layer in range(layers):
            a, b = _centred(x[layer]), _centred(y[layer])
            k, m = _dot(a, a), _dot(b, b)
            inners[:, layer] = inner(a.T @ a, k, k), inner(b.T @ b, m, m), inner(a.T @ b, k, m)
            traces[:, layer] = k.sum(), m.sum()
            for row, rows in zip(energies, (x[layer], y[layer]), strict=True):
                row[layer] = _energy(rows)
    for side, own, trace, energy in zip("xy", inners[:2], traces, energies, strict=True):
        label = _labels(kind, side, name)
        _require_finite(energy, label)
        _require_spread(trace, energy, n, label)
        # The cancellation above leaves roundings of the squared trace, not of the trace.
        _require_structure(own / trace**2, 0.1 * _NO_STRUCTURE, label)
    return np.asarray(inners[2] / np.sqrt(inners[0]) / np.sqrt(inners[1]))


def _gram_is_cheaper(n: int, width_x: int, width_y: int) -> bool:
    """Compare multiplications: two Gram matrices against three width x width products."""
    return n * (width_x + width_y) <= width_x**2 + width_x * width_y + width_y**2


def _alignment(x: NDArray[Any], y: NDArray[Any], kind: _Kind) -> FloatArray:
    """The cosine of modified Gram matrices by the cheaper form; clipped against rounding."""
    lead, n = x.shape[:-2], x.shape[-2]
    flat_x, flat_y = x.reshape(-1, n, x.shape[-1]), y.reshape(-1, n, y.shape[-1])

    def name(*index: int) -> str:
        layers = np.unravel_index(index[-1], lead) if lead else ()
        return _at([int(i) for i in layers], "layer")

    if _gram_is_cheaper(n, x.shape[-1], y.shape[-1]):
        values = _gram_alignment([flat_x], [flat_y], kind, name)
    else:
        values = _feature_alignment(flat_x, flat_y, kind, name)
    return _result(np.clip(values.reshape(lead), -1.0, 1.0))


def linear_cka(x: ArrayLike, y: ArrayLike, debiased: bool = True) -> FloatArray:
    """Linear centred kernel alignment of two matrices with aligned rows.

    HSIC(K, L) / sqrt(HSIC(K, K) HSIC(L, L)) with linear kernels (Kornblith et al. 2019; paper A,
    eq. 5, after centring the columns). It is invariant to orthogonal maps, isotropic scaling and
    translation of either side, not to invertible linear maps.

    The biased estimate lies in [0, 1] and is about PR/(PR+n) for independent data, see
    :func:`reproutils.theory.cka_null_level`. The debiased one replaces HSIC by its U-statistic
    (Song et al. 2012; Székely & Rizzo 2014): the numerator then has mean zero for independent
    data, and the value lies in [-1, 1] and may be negative.

    Products of n x n or of width x width matrices are used, whichever is cheaper.

    Args:
        x, y: aligned rows (..., n, width_x) and (..., n, width_y).
        debiased: use the U-statistic.

    Returns:
        (...): one value per layer.

    Raises:
        ReproError: row counts differ; n < 3 (with two rows biased CKA is 1 whatever the data) or,
            debiased, n < 4; a side is constant, not finite, or without off-diagonal structure.
    """
    kind: _Kind = "u" if debiased else "double"
    return _alignment(*_aligned(x, y, _NAMES[kind], _MIN_ROWS[kind]), kind)


def linear_cka_pairs(
    pairs: Sequence[tuple[ArrayLike, ArrayLike]], debiased: bool = True
) -> FloatArray:
    """:func:`linear_cka` of many pairs whose number of rows differs, layer by layer.

    Pairs of equal shape share one batch of Gram matrices; at most about 64 MiB of these are held
    at a time, and rows are converted to float64 in small blocks.

    Args:
        pairs: (layers, n, width_x) and (layers, n, width_y) each; n and the widths may differ
            from pair to pair, the number of layers may not.
        debiased: as in :func:`linear_cka`.

    Returns:
        (pairs, layers).

    Raises:
        ReproError: as :func:`linear_cka`, naming the pair; or no pairs are given.
    """
    kind: _Kind = "u" if debiased else "double"
    if not pairs:
        raise ReproError("linear_cka_pairs got no pairs; check what was filtered out before")
    groups: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    arrays: list[tuple[NDArray[Any], NDArray[Any]]] = []
    for number, (x, y) in enumerate(pairs):
        try:
            a, b = _aligned(x, y, _NAMES[kind], _MIN_ROWS[kind])
        except ReproError as error:
            raise ReproError(f"pair {number}: {error}") from None
        if a.ndim != 3 or a.shape[0] != (arrays[0][0].shape[0] if arrays else a.shape[0]):
            raise ReproError(
                f"pair {number} has shape {a.shape}; expected (layers, rows, width) with the same "
                "number of layers in every pair"
            )
        arrays.append((a, b))
        groups[a.shape[1], a.shape[2], b.shape[2]].append(number)

    layers = arrays[0][0].shape[0]
    values = np.empty((len(pairs), layers))
    for (n, width_x, width_y), members in groups.items():
        in_gram_form = _gram_is_cheaper(n, width_x, width_y)
        step = max(1, _GRAM_BYTES // (_GRAM_COPIES * 8 * layers * n * n)) if in_gram_form else 1
        for first in range(0, len(members), step):
            chosen = members[first : first + step]

            def name(stack: int, layer: int, chosen: list[int] = chosen) -> str:
                return f"pair {chosen[stack]}, layer {layer}"

            if in_gram_form:
                xs, ys = zip(*(arrays[i] for i in chosen), strict=True)
                values[chosen] = _gram_alignment(xs, ys, kind, name)
            else:
                values[chosen[0]] = _feature_alignment(*arrays[chosen[0]], kind, partial(name, 0))
    return np.clip(values, -1.0, 1.0)


# --- RV ----------------------------------------------------------------------------------------


def rv_coefficient(x: ArrayLike, y: ArrayLike) -> FloatArray:
    """RV coefficient of Robert & Escoufier (1976), from covariance matrices.

    tr(S_xy S_yx) / sqrt(tr(S_xx^2) tr(S_yy^2)), with S the covariance matrices of the columns. It
    equals biased linear CKA (Kornblith et al. 2019), hence is no independent third measure; the
    two are computed here by separate code so that a test can show it.

    Args:
        x, y: aligned rows (..., n, width_x) and (..., n, width_y).

    Returns:
        (...), in [0, 1].

    Raises:
        ReproError: row counts differ, n < 3, or a side is constant or not finite.
    """
    a, b = _aligned(x, y, "RV", 3)
    values = np.empty(a.shape[:-2])
    for index in np.ndindex(values.shape):
        u, v = a[index].astype(np.float64), b[index].astype(np.float64)
        place = _at(index, "layer")
        for side, rows in (("x", u), ("y", v)):
            where = f"RV: {side}{f' of {place}' if place else ''}"
            if not np.all(np.isfinite(rows)):
                raise ReproError(f"{where} holds a value that is not finite; mend its source")
            if np.all(np.ptp(rows, axis=0) <= len(rows) * _EPS * np.max(np.abs(rows), axis=0)):
                raise ReproError(
                    f"{where} is constant: all {len(rows)} rows are the same; drop the pair"
                )
        covv, vav_x, vav_y = (
            np.square(_covariance(left, right)).sum() for left, right in ((u, v), (u, u), (v, v))
        )
        values[index] = covv / np.sqrt(vav_x) / np.sqrt(vav_y)
    return _result(np.clip(values, 0.0, 1.0))


def _covariance(u: FloatArray, v: FloatArray) -> FloatArray:
    """Sample covariance between the columns of ``u`` and those of ``v``."""
    deviations_u = u - np.mean(u, axis=0, keepdims=True)
    deviations_v = v - np.mean(v, axis=0, keepdims=True)
    return np.asarray(np.dot(deviations_u.T, deviations_v) / (len(u) - 1))


def adjusted_rv(x: ArrayLike, y: ArrayLike) -> FloatArray:
    """Adjusted RV coefficient after Mayer, Lorent & Horgan (2011), with columns as they are.

    RV is a weighted sum of squared correlations r^2 over all pairs of columns, the weight being
    the product of the two variances. The adjusted RV puts the adjusted R^2 of a regression on one
    predictor, 1 - (1 - r^2)(n-1)/(n-2), in place of r^2, in the numerator and in both parts of the
    denominator. Summed up, with S the covariance matrices,

        ((n-1) ||S_xy||^2 - tr S_xx tr S_yy)
        / sqrt(((n-1) ||S_xx||^2 - (tr S_xx)^2) ((n-1) ||S_yy||^2 - (tr S_yy)^2)).

    For standardised columns this is the published form; for other columns the variances weight it
    as they weight RV, which keeps it invariant to orthogonal maps (standardise the columns first
    for the other reading). The numerator is zero on average over row permutations. The value is
    the cosine of the two centred Gram matrices with their component along H = I - 11^T/n removed,
    so it lies in [-1, 1]. It is not the modified RV2 of Smilde et al. (2009), which sets the
    diagonals of the centred Gram matrices to zero.

    Args:
        x, y: aligned rows (..., n, width_x) and (..., n, width_y).

    Returns:
        (...), in [-1, 1].

    Raises:
        ReproError: row counts differ, n < 3, a side is constant, not finite, or its rows are all
            equally far apart.
    """
    return _alignment(*_aligned(x, y, _NAMES["adjusted"], _MIN_ROWS["adjusted"]), "adjusted")


# --- permutation null --------------------------------------------------------------------------


@dataclass(frozen=True)
class PermutationNull:
    """An observed statistic beside its values for permuted rows."""

    observed: FloatArray
    """The statistic, (...)."""
    null: FloatArray
    """Its values for permuted rows, (permutations, ...)."""
    p_value: FloatArray
    """(1 + #{null >= observed}) / (permutations + 1), one-sided, (...)."""
    score: FloatArray
    """Calibrated similarity max((observed - tau) / (maximum - tau), 0), (...)."""


def _calibrated(
    observed: FloatArray, null: FloatArray, alpha: float, maximum: float
) -> PermutationNull:
    pooled = np.sort(np.concatenate([observed[None], null]), axis=0)
    # The tolerance keeps 0.95 * 200 from becoming the 191st order statistic.
    tau = pooled[max(math.ceil((1 - alpha) * len(pooled) - 1e-9), 1) - 1]
    above = observed > tau
    span = np.where(above, maximum - tau, 1.0)
    if np.any(span <= 0):
        raise ReproError(
            f"the statistic exceeds its stated maximum {maximum}; pass the right maximum"
        )
    score = np.where(above, (observed - tau) / span, 0.0)
    p_value = (1 + np.sum(null >= observed, axis=0)) / len(pooled)
    return PermutationNull(
        _result(observed), null, _result(np.asarray(p_value)), _result(np.asarray(score))
    )


def _check_permutations(n_permutations: int, alpha: float) -> None:
    if n_permutations < 1:
        raise ReproError(f"n_permutations is {n_permutations}; it must be at least 1")
    if not 0 < alpha < 1:
        raise ReproError(f"alpha is {alpha}; it must lie between 0 and 1")


def permutation_null(
    statistic: Callable[[NDArray[Any], NDArray[Any]], ArrayLike],
    x: ArrayLike,
    y: ArrayLike,
    n_permutations: int,
    rng: np.random.Generator,
    *,
    alpha: float = 0.05,
    maximum: float = 1.0,
) -> PermutationNull:
    """Compare a statistic with its distribution when the rows of ``y`` are permuted.

    Follows the calibration of Groeger, Wen & Brbić (2026): tau is the (1 - alpha) order statistic
    of the observed and permuted values together, and the score is the part of the way from tau to
    the maximum. A positive score implies p <= alpha. One permutation acts on all leading axes, so
    that layers stay comparable and a maximum over layers can be taken of the null too.

    Args:
        statistic: takes x and y as passed here; (..., n, d) in, (...) out.
        x, y: aligned rows (..., n, width_x) and (..., n, width_y).
        n_permutations: number K of random permutations; the smallest p-value is 1/(K+1).
        rng: source of the permutations.
        alpha: level of tau.
        maximum: largest value that the statistic can take.

    Raises:
        ReproError: row counts differ, n < 2, an argument is out of range, or the statistic
            returns a value that is not finite or exceeds ``maximum``.
    """
    _check_permutations(n_permutations, alpha)
    a, b = _aligned(x, y, "the permutation null", 2)
    observed = np.asarray(statistic(a, b), dtype=np.float64)
    null = np.empty((n_permutations, *observed.shape))
    for draw in range(n_permutations):
        null[draw] = statistic(a, b[..., rng.permutation(b.shape[-2]), :])
    if not (np.all(np.isfinite(observed)) and np.all(np.isfinite(null))):
        raise ReproError("the statistic returned a value that is not finite; it has no null here")
    return _calibrated(observed, null, alpha, maximum)


def linear_cka_null(
    x: ArrayLike,
    y: ArrayLike,
    n_permutations: int,
    rng: np.random.Generator,
    *,
    debiased: bool = True,
    alpha: float = 0.05,
) -> PermutationNull:
    """``permutation_null(linear_cka, ...)`` without rebuilding the Gram matrices for each draw.

    Permuting the rows of y permutes the rows and columns of its Gram matrix and leaves its norm
    alone, so that a draw costs O(n^2) instead of O(n^2 d); the Gram matrices of all layers are
    held at once. With the same generator state the draws are those of :func:`permutation_null`.

    Args and raises as :func:`permutation_null` and :func:`linear_cka`.
    """
    _check_permutations(n_permutations, alpha)
    kind: _Kind = "u" if debiased else "double"
    a, b = _aligned(x, y, _NAMES[kind], _MIN_ROWS[kind])
    lead, n = a.shape[:-2], a.shape[-2]

    def name(_: int, layer: int) -> str:
        return f"layer {layer}" if lead else ""

    k, norm_k = _modified_grams([a.reshape(-1, n, a.shape[-1])], kind, _labels(kind, "x", name))
    m, norm_m = _modified_grams([b.reshape(-1, n, b.shape[-1])], kind, _labels(kind, "y", name))
    left = (k[0] / norm_k[0][:, None, None]).reshape(-1, n * n)
    right = m[0] / norm_m[0][:, None, None]

    def value(order: NDArray[np.intp]) -> FloatArray:
        permuted = right[:, order[:, None], order].reshape(-1, n * n)
        return np.clip(_dot(left, permuted), -1.0, 1.0).reshape(lead)

    observed = value(np.arange(n))
    null = np.stack([value(rng.permutation(n)) for _ in range(n_permutations)])
    return _calibrated(observed, null, alpha, 1.0)


# --- neighbours --------------------------------------------------------------------------------


def _neighbours(rows: NDArray[Any], k: int, name: str) -> NDArray[np.bool_]:
    """Which rows are among the k nearest of each row by cosine, (n, n), itself excluded."""
    unit = _unit_vectors(rows, name, "row")
    similarity = unit @ unit.T
    np.fill_diagonal(similarity, -np.inf)
    nearest = np.argsort(-similarity, axis=-1, kind="stable")[:, :k]
    member = np.zeros(similarity.shape, dtype=bool)
    np.put_along_axis(member, nearest, True, axis=-1)
    return member


def mutual_knn(x: ArrayLike, y: ArrayLike, k: int) -> FloatArray:
    """Mean overlap of the k nearest neighbours of each row within x and within y.

    Neighbours are by cosine and exclude the row itself; among exactly equal cosines the earlier
    row counts as nearer. For unrelated sides the expectation is k/(n-1).

    Args:
        x, y: aligned rows (..., n, width_x) and (..., n, width_y), usually pooled items.
        k: number of neighbours, 1 <= k <= n - 2 (at n - 1 the overlap is 1 whatever the data).

    Returns:
        (...), in [0, 1].

    Raises:
        ReproError: row counts differ, k is out of range, or a row is zero or not finite.
    """
    a, b = _aligned(x, y, "mutual k-nearest neighbours", 3)
    n = a.shape[-2]
    if not 1 <= k <= n - 2:
        raise ReproError(f"k is {k}, but {n} rows allow 1 to {n - 2}; choose another k")
    values = np.empty(a.shape[:-2])
    for index in np.ndindex(values.shape):
        both = _neighbours(a[index], k, "x") & _neighbours(b[index], k, "y")
        values[index] = both.sum() / (k * n)
    return _result(values)


class RetrievalAccuracy(NamedTuple):
    """How often the nearest row on the other side is the right one."""

    forward: FloatArray
    """Share of rows of x whose nearest row of y is their own, (...)."""
    backward: FloatArray
    """Share of rows of y whose nearest row of x is their own, (...)."""

    @property
    def mean(self) -> FloatArray:
        """Mean of the two directions, (...)."""
        return np.asarray((self.forward + self.backward) / 2)[()]


_TIE = 1e-12


def retrieval_accuracy(x: ArrayLike, y: ArrayLike) -> RetrievalAccuracy:
    """Nearest-neighbour retrieval by cosine between paired items, in both directions.

    Item i is a hit when row i of the other side is the nearest. If t rows tie with it (within
    1e-12, for instance duplicate items) the hit counts 1/t, so that identical rows score chance,
    1/n.

    Args:
        x, y: pooled items (..., n, d), row i of both being the same item.

    Raises:
        ReproError: shapes differ, n < 2, or a row is zero or not finite.
    """
    a, b = _aligned(x, y, "retrieval", 2)
    if a.shape[-1] != b.shape[-1]:
        raise ReproError(
            f"x and y have widths {a.shape[-1]} and {b.shape[-1]}; a cosine needs one space"
        )
    shares = np.empty((2, *a.shape[:-2]))
    for index in np.ndindex(a.shape[:-2]):
        cosine = _unit_vectors(a[index], "x", "row") @ _unit_vectors(b[index], "y", "row").T
        for direction, table in enumerate((cosine, cosine.T)):
            near = table >= table.max(axis=1, keepdims=True) - _TIE
            shares[direction, *index] = np.mean(np.diagonal(near) / near.sum(axis=1))
    return RetrievalAccuracy(_result(shares[0]), _result(shares[1]))


def _mean_retrieval(x: ArrayLike, y: ArrayLike) -> FloatArray:
    return retrieval_accuracy(x, y).mean


# --- what each measure is ----------------------------------------------------------------------

ORTHOGONAL = "orthogonal map"
ORTHOGONAL_JOINT = "orthogonal map (joint)"
SCALING = "isotropic scaling"
TRANSLATION = "translation"
INVERTIBLE = "invertible linear map"
PERMUTATION = "row permutation (joint)"
LENGTH = "sequence length"


@dataclass(frozen=True)
class Measure:
    """One similarity measure and the properties that the tests check.

    A property holds for a transformation of one side alone, unless it is called joint:

    - ``orthogonal map``: rows of one side times an orthogonal matrix; ``(joint)``: rows of both
      sides times the same one;
    - ``isotropic scaling``: one side times a positive number;
    - ``translation``: one vector added to all rows of one side;
    - ``invertible linear map``: rows of one side times an invertible, not orthogonal, matrix;
    - ``row permutation (joint)``: the rows of both sides in the same new order (a measure that
      gives one value per item then gives the same values in that order);
    - ``sequence length``: for independent token rows of a fixed population the expectation does
      not depend on how many rows are pooled or compared, up to the small-sample bias of a ratio
      of unbiased estimates. For measures of items this concerns the tokens pooled into an item.
    """

    name: str
    function: Callable[[ArrayLike, ArrayLike], FloatArray]
    range: tuple[float, float]
    needs_aligned_rows: bool
    min_rows: int
    invariant_to: frozenset[str]
    not_invariant_to: frozenset[str]
    larger_is_more_similar: bool
    is_symmetric: bool
    reference: str


_MUTUAL_K = 10
_ALIGNMENT = frozenset({ORTHOGONAL, ORTHOGONAL_JOINT, SCALING, TRANSLATION, PERMUTATION})
_COSINE = frozenset({ORTHOGONAL_JOINT, SCALING, PERMUTATION})

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure(
            name="pooled_cosine",
            function=pooled_cosine,
            range=(-1.0, 1.0),
            needs_aligned_rows=False,
            min_rows=1,
            invariant_to=_COSINE,
            not_invariant_to=frozenset({ORTHOGONAL, TRANSLATION, INVERTIBLE, LENGTH}),
            larger_is_more_similar=True,
            is_symmetric=True,
            reference="Mitra & Kumar 2026, arXiv 2605.07345, section 3",
        ),
        Measure(
            name="centered_cosine",
            function=centered_cosine,
            range=(-1.0, 1.0),
            needs_aligned_rows=True,
            min_rows=2,
            invariant_to=_COSINE | {TRANSLATION},
            not_invariant_to=frozenset({ORTHOGONAL, INVERTIBLE, LENGTH}),
            larger_is_more_similar=True,
            is_symmetric=True,
            reference="mean removal as in Mu & Viswanath 2018, arXiv 1702.01417",
        ),
        Measure(
            name="debiased_cosine",
            function=_debiased_cosine_of_tokens,
            range=(-math.inf, math.inf),
            needs_aligned_rows=False,
            min_rows=2,
            invariant_to=_COSINE | {LENGTH},
            not_invariant_to=frozenset({ORTHOGONAL, TRANSLATION, INVERTIBLE}),
            larger_is_more_similar=True,
            is_symmetric=True,
            reference="ratio of U-statistics (Hoeffding 1948)",
        ),
        Measure(
            name="linear_cka",
            function=partial(linear_cka, debiased=False),
            range=(0.0, 1.0),
            needs_aligned_rows=True,
            min_rows=_MIN_ROWS["double"],
            invariant_to=_ALIGNMENT,
            not_invariant_to=frozenset({INVERTIBLE, LENGTH}),
            larger_is_more_similar=True,
            is_symmetric=True,
            reference="Kornblith et al. 2019, arXiv 1905.00414",
        ),
        Measure(
            name="linear_cka_debiased",
            function=partial(linear_cka, debiased=True),
            range=(-1.0, 1.0),
            needs_aligned_rows=True,
            min_rows=_MIN_ROWS["u"],
            invariant_to=_ALIGNMENT | {LENGTH},
            not_invariant_to=frozenset({INVERTIBLE}),
            larger_is_more_similar=True,
            is_symmetric=True,
            reference="Song et al. 2012, JMLR 13; Székely & Rizzo 2014, Ann. Statist. 42",
        ),
        Measure(
            name="rv_coefficient",
            function=rv_coefficient,
            range=(0.0, 1.0),
            needs_aligned_rows=True,
            min_rows=3,
            invariant_to=_ALIGNMENT,
            not_invariant_to=frozenset({INVERTIBLE, LENGTH}),
            larger_is_more_similar=True,
            is_symmetric=True,
            reference="Robert & Escoufier 1976, Appl. Statist. 25",
        ),
        Measure(
            name="adjusted_rv",
            function=adjusted_rv,
            range=(-1.0, 1.0),
            needs_aligned_rows=True,
            min_rows=_MIN_ROWS["adjusted"],
            invariant_to=_ALIGNMENT | {LENGTH},
            not_invariant_to=frozenset({INVERTIBLE}),
            larger_is_more_similar=True,
            is_symmetric=True,
            reference="Mayer, Lorent & Horgan 2011, Stat. Appl. Genet. Mol. Biol. 10(14)",
        ),
        Measure(
            name="mutual_knn",
            function=partial(mutual_knn, k=_MUTUAL_K),
            range=(0.0, 1.0),
            needs_aligned_rows=True,
            min_rows=_MUTUAL_K + 2,
            invariant_to=frozenset({ORTHOGONAL, ORTHOGONAL_JOINT, SCALING, PERMUTATION}),
            not_invariant_to=frozenset({TRANSLATION, INVERTIBLE, LENGTH}),
            larger_is_more_similar=True,
            is_symmetric=True,
            reference="Huh et al. 2024, arXiv 2405.07987",
        ),
        Measure(
            name="retrieval_accuracy",
            function=_mean_retrieval,
            range=(0.0, 1.0),
            needs_aligned_rows=True,
            min_rows=2,
            invariant_to=_COSINE,
            not_invariant_to=frozenset({ORTHOGONAL, TRANSLATION, INVERTIBLE, LENGTH}),
            larger_is_more_similar=True,
            is_symmetric=True,
            reference="bitext retrieval, mean of both directions",
        ),
    )
}
"""The measures by name. ``function`` takes two matrices, token rows where ``needs_aligned_rows`` is
false, and gives one value per layer (``centered_cosine``: one per item; ``mutual_knn``: k = 10;
``retrieval_accuracy``: the mean of both directions)."""
