"""Speed and memory of ``mean_pairwise_distance`` beside all pairs one by one.

Normal rows of SmolLM2-135M's width around a common mean, in single precision, in which states are
kept, and in double precision. Three sides: the closed form; the matrix of all cosines, formed in
strips of rows whose size does not matter to its time, so that it fits into memory; and a loop over
pairs as a user would write it, timed on a sample of its pairs and scaled up to all of them. The
memory that the whole matrix would take is calculated, that of the closed form measured (what NumPy
allocates beyond the rows). All sides sum in double precision; the matrix is formed in that of the
rows.
"""

from __future__ import annotations

import tracemalloc
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._common import seconds
from reproutils.dispersion import mean_pairwise_distance

ROWS, WIDTH, SEED = 20_000, 576, 0
STRIP = 1000
SAMPLED_PAIRS = 200_000
REPEATS = 5


def run() -> dict[str, Any]:
    """Both precisions, each with :func:`compare`."""
    return {
        "rows": ROWS,
        "width": WIDTH,
        "repeats": REPEATS,
        **{dtype: compare(dtype) for dtype in ("float32", "float64")},
    }


def compare(dtype: str) -> dict[str, float]:
    """Times, ratios to the closed form, memory in MB, and how far its value is from the matrix's.

    The slow sides run once, the closed form several times; its median counts.
    """
    rng = np.random.default_rng(SEED)
    rows = (0.3 + rng.standard_normal((ROWS, WIDTH))).astype(dtype)
    found: dict[str, float] = {}

    def closed_form() -> None:
        found["closed form"] = mean_pairwise_distance(rows)

    def matrix() -> None:
        found["matrix"] = by_matrix(rows)

    closed_form()
    fast = median(seconds(closed_form) for _ in range(REPEATS))
    slow = seconds(matrix)
    pairs = rng.integers(ROWS, size=(SAMPLED_PAIRS, 2))
    loop = seconds(lambda: by_loop(rows, pairs)) / SAMPLED_PAIRS * (ROWS * (ROWS - 1) / 2)
    tracemalloc.start()
    closed_form()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "closed_form_s": fast,
        "matrix_s": slow,
        "loop_s_scaled_up": loop,
        "matrix_ratio": slow / fast,
        "loop_ratio": loop / fast,
        "closed_form_mb": peak / 1e6,
        "matrix_mb": ROWS**2 * rows.itemsize / 1e6,
        "rows_mb": rows.nbytes / 1e6,
        "value": found["closed form"],
        "difference": abs(found["closed form"] - found["matrix"]),
    }


def by_matrix(rows: NDArray[Any]) -> float:
    """Mean over the matrix of all cosines less its diagonal, a strip of rows at a time."""
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    total = 0.0
    for start in range(0, len(unit), STRIP):
        total += float((unit[start : start + STRIP] @ unit.T).sum(dtype=np.float64))
    n = len(unit)
    return 1.0 - (total - n) / (n * (n - 1))


def by_loop(rows: NDArray[Any], pairs: NDArray[np.int64]) -> float:
    """Mean over the pairs given, one at a time; norms are formed once."""
    norms = np.linalg.norm(rows, axis=1)
    total = 0.0
    for i, j in pairs.tolist():
        total += 1.0 - float(rows[i] @ rows[j]) / (norms[i] * norms[j])
    return total / len(pairs)
