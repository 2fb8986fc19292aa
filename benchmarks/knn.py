"""Speed of the exact nearest-key search of ``knnlm``, and of building a datastore.

Search: normal keys and queries of SmolLM2-135M's width, float32, several numbers of neighbours;
where scikit-learn is installed its brute-force search answers the same queries in turn with ours,
and the largest relative difference between the distances is given. Building: chunks of news items
under SmolLM2-135M, keys at the last feed-forward's input, from an empty cache, with the time that
100,000 keys would take.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._common import Ratio, empty_states, seconds
from reproutils.corpora import load_documents
from reproutils.corpora.documents import chunk_documents
from reproutils.knnlm import build_datastore, nearest, standard_key
from reproutils.models import load_model

MODEL, DOMAIN = "smollm2-135m", "news"
KEYS, QUERIES, WIDTH, SEED = 100_000, 512, 576, 0
NEIGHBOURS = (64, 256, 1024)
REPEATS = 3
CHUNKS, CHUNK_TOKENS = 48, 128

Array = NDArray[np.float32]


def run() -> dict[str, Any]:
    """Queries per second for each number of neighbours, and keys per second of building."""
    rng = np.random.default_rng(SEED)
    keys, queries = (rng.standard_normal((n, WIDTH), dtype=np.float32) for n in (KEYS, QUERIES))
    return {
        "keys": KEYS,
        "queries": QUERIES,
        "width": WIDTH,
        "repeats": REPEATS,
        "search": {str(k): search(keys, queries, k) for k in NEIGHBOURS},
        "build": build(),
    }


def search(keys: Array, queries: Array, k: int) -> dict[str, Any]:
    """Both sides in turn; preparing the keys counts."""
    found: dict[str, Array] = {}

    def ours() -> None:
        found["ours"] = nearest(keys, queries, k).distances

    def theirs() -> None:
        from sklearn.neighbors import NearestNeighbors

        index = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(keys)
        found["theirs"] = index.kneighbors(queries)[0] ** 2

    sides: dict[str, Callable[[], None]] = {"ours": ours}
    if find_spec("sklearn"):
        sides["theirs"] = theirs
    times: dict[str, list[float]] = {side: [] for side in sides}
    nearest(keys[: 2 * k], queries[:2], k)
    for _ in range(REPEATS):
        for side, call in sides.items():
            times[side].append(seconds(call))
    result: dict[str, Any] = {"queries_per_s": QUERIES / median(times["ours"])}
    if "theirs" in sides:
        result |= {
            "scikit_learn_queries_per_s": QUERIES / median(times["theirs"]),
            **Ratio(times["theirs"], times["ours"]).as_dict(),
            "max_relative_difference": float(np.abs(found["ours"] / found["theirs"] - 1).max()),
        }
    return result


def build() -> dict[str, Any]:
    """One forward pass over the chunks, keys and values written to disk."""
    model = load_model(MODEL)
    chunks = chunk_documents(
        load_documents(DOMAIN),
        lambda text: model.encode(text)[0],
        CHUNK_TOKENS,
        n_chunks=CHUNKS,
        seed=SEED,
    )
    layers = [standard_key(model)]
    with empty_states():
        taken = seconds(lambda: build_datastore(model, chunks, layers=layers))
    n_keys = CHUNKS * (CHUNK_TOKENS - 2)
    return {
        "model": MODEL,
        "keys": n_keys,
        "keys_per_s": n_keys / taken,
        "seconds_for_100000_keys": 100_000 * taken / n_keys,
    }
