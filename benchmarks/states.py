"""Speed of ``states.extract`` beside the loop that a user would write.

Texts: 60 English-French pairs of the F4 corpus, both sides, under SmolLM2-135M. The loop takes one
text at a time in float32 through ``AutoModelForCausalLM`` with ``output_hidden_states=True`` and
averages each layer over the tokens. ``extract`` gives the same means of the same layers, from an
empty cache, in float32 and in bfloat16; and those of the middle blocks alone, which is all that F4
averages over, where it stops after the last of them. All are run in turn in one process.

Beside the ratios stand the achieved GFLOP/s and those of plain matrix products on this machine in
the same run, and the share of operator time spent in linear layers (torch profiler).
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.profiler import ProfilerActivity, profile

from benchmarks._common import Ratio, empty_states, seconds
from reproutils.corpora import load_parallel_text
from reproutils.models import DTYPES, LoadedModel, load_model
from reproutils.similarity import cosine_rows
from reproutils.states import BATCH_TOKENS, States, extract

MODEL = "smollm2-135m"
PAIRS, SEED = 60, 20260508
REPEATS = 3

Array = NDArray[np.float32]

# Operators by what they are for; the time of all others counts as "other".
KINDS = {
    "linear layers": (
        "aten::mm",
        "aten::addmm",
        "mkldnn::_linear_pointwise",
        "aten::mkldnn_linear",
    ),
    "attention": ("aten::_scaled_dot_product_flash_attention_for_cpu",),
    "pooling": ("aten::bmm",),
}


def user_loop(model: LoadedModel, texts: list[str]) -> Array:
    """(texts, layers, d) pooled means, one text at a time, all hidden states returned."""
    means = []
    for text in texts:
        inputs = model.tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            output = model.network(**inputs, output_hidden_states=True)
        means.append(torch.stack(output.hidden_states)[:, 0].mean(1).numpy())
    return np.stack(means)


def same_layers(model: LoadedModel) -> list[str]:
    """The layers in the order of ``hidden_states``, whose last is after the final norm."""
    return [*model.layer_names[: model.n_blocks], "final_norm"]


def run() -> dict[str, Any]:
    """Time all four in turn.

    Returns:
        Tokens per second, ratios to the loop, the largest relative difference of a pooled mean
        (norm of the difference over norm of the mean), what bfloat16 does to the pooled cosines of
        the pairs, GFLOP/s, and where the time goes.
    """
    corpus = load_parallel_text("catalogues", "en-fr").take(PAIRS, SEED)
    texts = [text for language in corpus.languages for text in corpus.texts[language]]
    exact, half = load_model(MODEL, "float32"), load_model(MODEL, "bfloat16")
    everything, band = same_layers(exact), exact.middle_blocks()
    found: dict[str, Any] = {}

    def extracted(model: LoadedModel, layers: tuple[str, ...] | list[str]) -> States:
        with empty_states():
            states = extract(model, texts, layers=layers)
            found[model.dtype] = np.stack([states.mean("all", layer) for layer in layers], axis=1)
        return states

    def looped() -> None:
        found["loop"] = user_loop(exact, texts)

    sides: dict[str, Callable[[], object]] = {
        "loop": looped,
        "middle_blocks_float32": lambda: extracted(exact, band),
        "float32": lambda: extracted(exact, everything),
        "bfloat16": lambda: extracted(half, everything),
    }
    user_loop(exact, texts[:2])
    for model in (exact, half):
        with empty_states():
            extract(model, texts[:2], layers=everything)
    times: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(REPEATS):
        for side, call in sides.items():
            times[side].append(seconds(call))

    tokens = sum(len(exact.encode(text)[0]) for text in texts)
    return {
        "model": MODEL,
        "texts": len(texts),
        "tokens": tokens,
        "batch_tokens": BATCH_TOKENS,
        "repeats": REPEATS,
        "tokens_per_s": {side: tokens / median(values) for side, values in times.items()},
        "against_the_loop": {
            side: Ratio(times["loop"], times[side]).as_dict() for side in sides if side != "loop"
        },
        "max_relative_difference": {
            dtype: relative_difference(found[dtype], found["loop"])
            for dtype in ("float32", "bfloat16")
        },
        "max_cosine_difference_bfloat16": float(
            np.abs(pair_cosines(found["bfloat16"]) - pair_cosines(found["loop"])).max()
        ),
        "gflops": {
            dtype: gflops(model, tokens, median(times[dtype]))
            for dtype, model in (("float32", exact), ("bfloat16", half))
        },
        "share_of_time": {
            model.dtype: shares(lambda model=model: extracted(model, everything))  # type: ignore[misc]
            for model in (exact, half)
        },
    }


def relative_difference(found: Array, expected: Array) -> float:
    """Largest ‖found − expected‖ / ‖expected‖ over texts and layers."""
    norms = np.linalg.norm(expected, axis=-1)
    return float((np.linalg.norm(found - expected, axis=-1) / norms).max())


def pair_cosines(means: Array) -> NDArray[np.float64]:
    """(pairs, layers) cosine of the two sides' means."""
    first, second = np.split(means.astype(np.float64), 2)
    return np.stack([cosine_rows(first[:, k], second[:, k]) for k in range(means.shape[1])], axis=1)


def gflops(model: LoadedModel, tokens: int, elapsed: float) -> dict[str, float]:
    """Achieved GFLOP/s in the blocks' linear layers, and those of matrix products alone."""
    weights = [
        module.weight
        for block in model.blocks
        for module in block.modules()
        if isinstance(module, torch.nn.Linear)
    ]
    work = 2.0 * tokens * sum(weight.numel() for weight in weights) / 1e9
    largest = max(weights, key=lambda weight: weight.numel())
    dtype = DTYPES[model.dtype]
    square = torch.randn(1536, 1536, dtype=dtype)
    batch = torch.randn(BATCH_TOKENS, largest.shape[1], dtype=dtype)
    achieved = work / elapsed
    product = matmul_rate(lambda: square @ square, 2.0 * 1536**3)
    with torch.no_grad():
        own_shape = matmul_rate(
            lambda: torch.nn.functional.linear(batch, largest),
            2.0 * BATCH_TOKENS * largest.numel(),
        )
    return {
        "achieved": achieved,
        "square_matrices": product,
        "largest_linear_layer": own_shape,
        "share_of_square_matrices": achieved / product,
    }


def matmul_rate(product: Callable[[], object], operations: float) -> float:
    """Best GFLOP/s over five timings of about 0.2 s."""
    product()
    once = seconds(product)
    times = max(1, round(0.2 / once))
    best = min(seconds(lambda: [product() for _ in range(times)]) for _ in range(5))
    return operations * times / best / 1e9


def shares(call: Callable[[], object]) -> dict[str, float]:
    """Share of the operators' own time by kind."""
    with profile(activities=[ProfilerActivity.CPU]) as recorded:
        call()
    own = {event.key: event.self_cpu_time_total for event in recorded.key_averages()}
    total = sum(own.values())
    kinds = {kind: sum(own.get(key, 0.0) for key in keys) / total for kind, keys in KINDS.items()}
    return kinds | {"other": 1.0 - sum(kinds.values())}
