"""Small training runs side by side."""

from __future__ import annotations

import os

import pytest
import torch

from reproutils.errors import ReproError
from reproutils.workers import run_each


def where(number: int, factor: int) -> tuple[int, int, int]:
    return number * factor, torch.get_num_threads(), os.getpid()


def refuse(number: int) -> None:
    raise ReproError(f"job {number} is refused; give another")


def test_results_come_in_order_from_processes_with_one_thread() -> None:
    found = run_each(where, [(number, 3) for number in range(5)], label="test")
    assert [value for value, *_ in found] == [0, 3, 6, 9, 12]
    assert {threads for _, threads, _ in found} == {1}
    assert os.getpid() not in {process for *_, process in found}


def test_nothing_to_do() -> None:
    assert run_each(where, [], label="test") == []


def test_what_a_job_refuses_is_refused() -> None:
    with pytest.raises(ReproError, match="job 1 is refused"):
        run_each(refuse, [(1,), (2,)], label="test")
