"""Where things lie: the project root, the package data, the cache; and how files are written.

Paths are resolved from here, never from the working directory, so that a notebook gives the same
result from JupyterLab, papermill or another folder.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from reproutils.errors import ReproError

CACHE_VARIABLE = "REPROUTILS_CACHE"
ROOT_VARIABLE = "REPROUTILS_ROOT"


def project_root() -> Path:
    """The checkout that holds ``data/`` and ``notebooks/``.

    ``REPROUTILS_ROOT`` overrides it; otherwise it is the parent of the package when that holds
    ``data/models.toml`` (a checkout or an editable install), else the nearest such parent of the
    working directory.

    Raises:
        ReproError: no such folder is found.
    """
    override = os.environ.get(ROOT_VARIABLE)
    candidates = (
        [Path(override)]
        if override
        else [Path(__file__).resolve().parent.parent, Path.cwd(), *Path.cwd().parents]
    )
    for folder in candidates:
        if (folder / "data" / "models.toml").is_file():
            return folder.resolve()
    raise ReproError(
        f"no project folder with data/models.toml at {candidates[0]} or above the working "
        f"directory; run from the checkout or set {ROOT_VARIABLE} to it"
    )


def data_dir() -> Path:
    """The project's ``data/`` folder."""
    return project_root() / "data"


def named_path(name: str) -> Path:
    """The place that a ``path:PLACE`` name means: ``~`` is the home folder, and a relative place
    starts at the project root, whatever the working directory is."""
    place = Path(name.removeprefix("path:")).expanduser()
    return place if place.is_absolute() else project_root() / place


def registry_file(name: str) -> Path:
    """A registry such as ``models.toml``: from the checkout, or the copy inside the installed
    package when there is no checkout."""
    packaged = Path(__file__).parent / "_data" / name
    return packaged if packaged.is_file() else data_dir() / name


def cache_dir(*parts: str) -> Path:
    """A folder below the cache, created when missing.

    The cache is ``REPROUTILS_CACHE``; without it ``.cache`` in the checkout, or
    ``.cache/reproutils`` in the user's home when there is no checkout.

    Raises:
        ReproError: the folder cannot be created.
    """
    folder = _cache_root().joinpath(*parts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReproError(
            f"cannot create the cache folder {folder} ({error.strerror}); "
            f"set {CACHE_VARIABLE} to a folder you can write to"
        ) from error
    return folder


def _cache_root() -> Path:
    if base := os.environ.get(CACHE_VARIABLE):
        return Path(base)
    try:
        return project_root() / ".cache"
    except ReproError:
        return Path.home() / ".cache" / "reproutils"


@contextmanager
def locked(entry: Path) -> Iterator[None]:
    """Hold the lock of a cache entry; the operating system drops it if the process dies.

    Raises:
        ReproError: the cache cannot be written to.
    """
    lock = FileLock(entry / "lock")
    try:
        lock.acquire()
    except OSError as error:
        raise ReproError(
            f"cannot write to the cache folder {entry} ({error.strerror or error}); free some "
            f"space or set {CACHE_VARIABLE} to a folder you can write to"
        ) from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def atomic_write(target: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``target``; on success it replaces ``target`` in one step.

    A reader sees the old file or the new one, never half of it. If the block raises, the
    temporary file is removed and ``target`` stays as it was.

    Raises:
        ReproError: the disk is full or the folder cannot be written to.
    """
    temporary: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(
            prefix=f".{target.stem}.", suffix=target.suffix, dir=target.parent
        )
        os.close(handle)
        temporary = Path(name)
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.chmod(0o644)
        temporary.replace(target)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and temporary is not None:
            raise
        raise ReproError(
            f"cannot write {target}: {error.strerror or error}; "
            f"free some space or choose another folder, then run again (nothing was lost)"
        ) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
