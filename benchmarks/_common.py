"""What the benchmarks share: facts of the machine, times, and a cache of their own."""

from __future__ import annotations

import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import torch

from reproutils.paths import CACHE_VARIABLE, cache_dir


def machine() -> dict[str, Any]:
    """The processor, how much of it is used, and the versions that matter."""
    return {
        "cpu": _cpu_model(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "threads": torch.get_num_threads(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "torch", "transformers", "ckatorch")},
    }


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def seconds(function: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


@dataclass(frozen=True)
class Ratio:
    """How many times as long ``slow`` took as ``fast``, run in turn."""

    slow: Sequence[float]
    fast: Sequence[float]

    def as_dict(self) -> dict[str, float]:
        """The ratio of the medians, and the lowest and highest ratio of one turn."""
        ratios = [a / b for a, b in zip(self.slow, self.fast, strict=True)]
        return {
            "ratio": median(self.slow) / median(self.fast),
            "ratio_low": min(ratios),
            "ratio_high": max(ratios),
        }


@contextmanager
def empty_states() -> Iterator[Path]:
    """A cache with the fetched weights and texts of the usual one, and with no states."""
    fetched = {part: cache_dir(part).resolve() for part in ("downloads", "models")}
    before = os.environ.get(CACHE_VARIABLE)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part, place in fetched.items():
            (folder / part).symlink_to(place, target_is_directory=True)
        os.environ[CACHE_VARIABLE] = name
        try:
            yield folder
        finally:
            if before is None:
                del os.environ[CACHE_VARIABLE]
            else:
                os.environ[CACHE_VARIABLE] = before
