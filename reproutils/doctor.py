"""Checks of an installation: what is missing, and what to do about it."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import sys
from collections.abc import Iterator

from reproutils.errors import ReproError
from reproutils.fetch import is_cached
from reproutils.models import registry
from reproutils.paths import cache_dir, project_root

LEAST_FREE_GB = 4.0


def findings() -> Iterator[tuple[bool, str]]:
    """Each check as (fine or not, what was found and the way out)."""
    version = sys.version_info
    yield version >= (3, 11), f"Python {version.major}.{version.minor} (3.11 or newer is needed)"
    yield from _lock_findings()
    try:
        folder = cache_dir()
    except ReproError as error:
        yield False, str(error)
        return
    free = shutil.disk_usage(folder).free / 1e9
    yield free > LEAST_FREE_GB, f"{free:.0f} GB free for the cache {folder}"
    for alias, spec in registry().items():
        if spec.files:
            there = all(is_cached(item, f"models/{alias}") for item in spec.files)
            yield there, f"weights of {alias}" + ("" if there else ": run `reproutils fetch`")
    yield True, f"{os.cpu_count()} processors"


def _lock_findings() -> Iterator[tuple[bool, str]]:
    lock = project_root() / "requirements.lock"
    wrong = []
    for line in lock.read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([A-Za-z0-9._-]+)==([^\s;]+)", line):
            name, wanted = match[1], match[2].partition("+")[0]
            try:
                found = importlib.metadata.version(name).partition("+")[0]
            except importlib.metadata.PackageNotFoundError:
                found = "missing"
            if found != wanted:
                wrong.append(f"{name} {found} (wanted {wanted})")
    if wrong:
        listed = ", ".join(wrong[:5])
        yield (
            False,
            f"{len(wrong)} packages differ from requirements.lock: {listed}; run `make install`",
        )
    else:
        yield True, "all packages as in requirements.lock"
