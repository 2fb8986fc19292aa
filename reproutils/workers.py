"""Small training runs side by side: a process for each core, with one thread of its own.

Over several threads rounding depends on their number, and networks that are small enough to train
here end elsewhere by no more than that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

import torch

from reproutils.progress import progress

_Result = TypeVar("_Result")


def run_each(
    function: Callable[..., _Result], jobs: Sequence[tuple[Any, ...]], *, label: str
) -> list[_Result]:
    """``function(*job)`` for every job, in their order.

    Args:
        function: of a module, not of a notebook: the workers import it.
        jobs: arguments that can be pickled.
        label: what the progress bar says.

    Raises:
        Exception: the first one that a job raises; those that have not begun are dropped.
    """
    if not jobs:
        return []
    # Workers that are spawned, not forked: a fork would copy the locks of PyTorch's threads.
    with ProcessPoolExecutor(
        min(len(jobs), os.cpu_count() or 1),
        get_context("spawn"),
        initializer=torch.set_num_threads,
        initargs=(1,),
    ) as pool:
        results = pool.map(function, *zip(*jobs, strict=True))
        return list(progress(results, label=label, total=len(jobs)))
