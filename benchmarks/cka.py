"""Speed of ``linear_cka_pairs`` beside a loop over ckatorch's ``cka_base``.

Both sides are timed in one process, in turn, with the same number of threads, on the same arrays;
the ratio is that of the median times.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from ckatorch import cka_base
from numpy.typing import NDArray

from reproutils.similarity import linear_cka_pairs

Pair = tuple[NDArray[Any], NDArray[Any]]


def make_pairs(
    n_pairs: int, layers: int, width: int, dtype: str, rng: np.random.Generator
) -> list[Pair]:
    """Independent normal pairs (layers, n, width) with n drawn uniformly from 4 to 40."""
    shapes = [(layers, int(n), width) for n in rng.integers(4, 41, n_pairs)]
    return [
        (rng.standard_normal(s).astype(dtype), rng.standard_normal(s).astype(dtype)) for s in shapes
    ]


def _timed(function: Callable[[], NDArray[Any]]) -> tuple[tuple[float, float], NDArray[Any]]:
    """Seconds by the clock and of processor time, and the value."""
    start, busy = time.perf_counter(), time.process_time()
    values = function()
    return (time.perf_counter() - start, time.process_time() - busy), values


def run() -> dict[str, Any]:
    """:func:`compare` for float32 input, and under ``float64`` the same for float64."""
    return compare(dtype="float32") | {"float64": compare(dtype="float64")}


def compare(
    n_pairs: int = 500,
    layers: int = 16,
    width: int = 576,
    dtype: str = "float32",
    repeats: int = 5,
    seed: int = 0,
) -> dict[str, Any]:
    """Time both and compare their values.

    Returns:
        The settings, median seconds of each side, the ratio of the medians, the lowest and highest
        ratio over the repeats, the same for processor time (steadier on a shared machine), and the
        largest absolute difference between the values.
    """
    pairs = make_pairs(n_pairs, layers, width, dtype, np.random.default_rng(seed))
    tensors = [(torch.from_numpy(x), torch.from_numpy(y)) for x, y in pairs]

    def loop() -> NDArray[Any]:
        values = [
            [float(cka_base(x[i], y[i], unbiased=True, method="fro_norm")) for i in range(layers)]
            for x, y in tensors
        ]
        return np.array(values)

    linear_cka_pairs(pairs[:2])
    cka_base(tensors[0][0][0], tensors[0][1][0], unbiased=True, method="fro_norm")
    ours, theirs = [], []
    for _ in range(repeats):
        seconds, reference = _timed(loop)
        theirs.append(seconds)
        seconds, values = _timed(lambda: linear_cka_pairs(pairs, debiased=True))
        ours.append(seconds)
    ratios = [slow[0] / fast[0] for slow, fast in zip(theirs, ours, strict=True)]
    (wall, cpu), (wall_loop, cpu_loop) = (
        [statistics.median(column) for column in zip(*times, strict=True)]
        for times in (ours, theirs)
    )
    return {
        "n_pairs": n_pairs,
        "layers": layers,
        "width": width,
        "dtype": dtype,
        "repeats": repeats,
        "seed": seed,
        "ckatorch_s": wall_loop,
        "linear_cka_pairs_s": wall,
        "ratio": wall_loop / wall,
        "ratio_low": min(ratios),
        "ratio_high": max(ratios),
        "ckatorch_cpu_s": cpu_loop,
        "linear_cka_pairs_cpu_s": cpu,
        "cpu_ratio": cpu_loop / cpu,
        "max_abs_difference": float(np.max(np.abs(values - reference))),
    }
