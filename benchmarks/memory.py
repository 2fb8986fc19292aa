"""Peak memory of ``states.extract`` on a corpus and on one ten times as long.

Each run is a process of its own that loads the model, extracts pooled means, last tokens, token
rows and token losses of every layer from an empty cache, and tells its highest resident memory.
The longer corpus repeats the texts of the shorter one under other numbers, so that the batches are
of the same size. The C library is told to give freed memory back at once: what it keeps for later
varies by a hundred megabytes from run to run and would hide what is held. ``tiny`` is a random
Llama model of two blocks with the tokenizer of SmolLM2: its weights hide nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks._common import empty_states

# Enough texts for full batches in the shorter corpus too.
MODELS = {"tiny": 400, "smollm2-135m": 64}
FACTOR = 10
# Read by glibc; other C libraries ignore them.
GIVE_BACK = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "MALLOC_TRIM_THRESHOLD_": "65536",
}


def run() -> dict[str, Any]:
    """Two processes for each model.

    Returns:
        For each model the texts of both corpora, the peak resident memory in MB after loading the
        model and after the extraction, and the ratio of the peaks.
    """
    return {model: compare(model, texts) for model, texts in MODELS.items()}


def compare(model: str, texts: int) -> dict[str, Any]:
    """Peaks for ``texts`` texts and for ``FACTOR`` times as many."""
    short, long = (measured(model, count) for count in (texts, FACTOR * texts))
    return {
        "texts": [short["texts"], long["texts"]],
        "tokens": [short["tokens"], long["tokens"]],
        "loaded_mb": [short["loaded_mb"], long["loaded_mb"]],
        "peak_mb": [short["peak_mb"], long["peak_mb"]],
        "ratio": long["peak_mb"] / short["peak_mb"],
    }


def measured(model: str, texts: int) -> dict[str, float]:
    """One run in a process of its own."""
    with empty_states():
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.memory", model, str(texts)],
            cwd=Path(__file__).parent.parent,
            env=os.environ | GIVE_BACK,
            stdout=subprocess.PIPE,
            check=True,
            encoding="utf-8",
        )
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def child(model_name: str, n_texts: int) -> dict[str, float]:
    """Extract ``n_texts`` numbered sentences and tell the peaks."""
    from reproutils.models import load_model
    from reproutils.states import Reductions, extract

    with tempfile.TemporaryDirectory() as folder:
        if model_name == "tiny":
            save_tiny(Path(folder))
        model = load_model(f"path:{folder}" if model_name == "tiny" else model_name)
    loaded = peak_mb()
    texts = [
        f"Item {n:05d}: the sack is heavier" + " than it looks" * (n % 4) for n in range(n_texts)
    ]
    states = extract(
        model,
        texts,
        layers=model.layer_names,
        reductions=Reductions(rows=((0, 1, 2),) * n_texts, last=True, loss=True),
    )
    return {
        "texts": n_texts,
        "tokens": int(states.n_tokens.sum()),
        "loaded_mb": loaded,
        "peak_mb": peak_mb(),
    }


def save_tiny(folder: Path) -> None:
    """A random Llama model of two blocks, width 64."""
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    from reproutils.models import fetch_model

    tokenizer = AutoTokenizer.from_pretrained(fetch_model("smollm2-135m"))
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=512,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def peak_mb() -> float:
    """Highest resident memory of this process so far, in MB."""
    status = Path("/proc/self/status")
    if status.is_file():
        # Unlike getrusage, this does not start at the memory of the parent process.
        lines = status.read_text(encoding="utf-8").splitlines()
        return (
            next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * 1024 / 1e6
        )
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


if __name__ == "__main__":
    print(json.dumps(child(sys.argv[1], int(sys.argv[2]))))
