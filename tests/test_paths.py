"""Places: project, cache, named paths; and files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from reproutils import paths
from reproutils.errors import ReproError
from reproutils.paths import (
    CACHE_VARIABLE,
    ROOT_VARIABLE,
    atomic_write,
    cache_dir,
    data_dir,
    named_path,
    project_root,
    registry_file,
)

CHECKOUT = Path(__file__).resolve().parent.parent


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder that counts as a project."""
    root = tmp_path / "project"
    (root / "data").mkdir(parents=True)
    (root / "data" / "models.toml").touch()
    return root


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package as if it were installed away from any checkout."""
    monkeypatch.delenv(ROOT_VARIABLE, raising=False)
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    package = tmp_path / "site" / "reproutils"
    package.mkdir(parents=True)
    monkeypatch.setattr(paths, "__file__", str(package / "paths.py"))
    monkeypatch.chdir(tmp_path)
    return package


def refusal(call: Callable[[], object]) -> str:
    """The one line that ``call`` ends with."""
    with pytest.raises(ReproError) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    return message


def test_the_checkout_is_found_from_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ROOT_VARIABLE, raising=False)
    monkeypatch.chdir("/")
    assert project_root() == CHECKOUT
    assert data_dir() == CHECKOUT / "data"
    assert registry_file("models.toml") == CHECKOUT / "data" / "models.toml"


def test_the_variable_comes_first(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ROOT_VARIABLE, str(project))
    assert project_root() == project
    monkeypatch.setenv(ROOT_VARIABLE, str(project / "data"))
    message = refusal(project_root)
    assert str(project / "data") in message
    assert ROOT_VARIABLE in message


def test_an_installed_package_looks_above_the_working_directory(
    project: Path, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no project folder" in refusal(project_root)
    (project / "deep" / "down").mkdir(parents=True)
    monkeypatch.chdir(project / "deep" / "down")
    assert project_root() == project


def test_an_installed_package_has_its_own_registry(installed: Path) -> None:
    assert "no project folder" in refusal(lambda: registry_file("models.toml"))
    (installed / "_data").mkdir()
    (installed / "_data" / "models.toml").touch()
    assert registry_file("models.toml") == installed / "_data" / "models.toml"


def test_named_paths(project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(ROOT_VARIABLE, str(project))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir("/")
    assert named_path("path:models/mine") == project / "models" / "mine"
    assert named_path("path:../beside") == project / ".." / "beside"
    assert named_path("path:/abs/olute") == Path("/abs/olute")
    assert named_path("path:~/mine") == tmp_path / "home" / "mine"


def test_the_cache(project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "chosen"))
    assert cache_dir("states", "abc") == tmp_path / "chosen" / "states" / "abc"
    assert (tmp_path / "chosen" / "states" / "abc").is_dir()
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setenv(ROOT_VARIABLE, str(project))
    assert cache_dir() == project / ".cache"


def test_the_cache_without_a_checkout(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_dir("states") == tmp_path / "home" / ".cache" / "reproutils" / "states"


def test_a_cache_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    message = refusal(lambda: cache_dir("states"))
    assert str(tmp_path / "file" / "states") in message
    assert CACHE_VARIABLE in message


# Writing -------------------------------------------------------------------------------------


def test_a_file_appears_whole(tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder" / "results.json"
    with atomic_write(target) as temporary:
        assert temporary.parent == target.parent
        assert temporary.suffix == target.suffix
        temporary.write_text("one", encoding="utf-8")
        assert not target.exists()
    assert target.read_text(encoding="utf-8") == "one"
    assert stat.S_IMODE(target.stat().st_mode) == 0o644
    with atomic_write(target) as temporary:
        temporary.write_text("two", encoding="utf-8")
        assert target.read_text(encoding="utf-8") == "one"
    assert target.read_text(encoding="utf-8") == "two"
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("error", [ValueError("odd"), KeyboardInterrupt(), ReproError("said")])
def test_a_failed_write_leaves_the_old_file(error: BaseException, tmp_path: Path) -> None:
    target = tmp_path / "table.csv"
    target.write_text("old", encoding="utf-8")

    def write() -> None:
        with atomic_write(target) as temporary:
            temporary.write_text("half", encoding="utf-8")
            raise error

    with pytest.raises(type(error)) as raised:
        write()
    assert raised.value is error
    assert target.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
def test_a_disk_that_does_not_take_it(number: int, tmp_path: Path) -> None:
    target = tmp_path / "table.csv"
    target.write_text("old", encoding="utf-8")

    def write() -> None:
        with atomic_write(target) as temporary:
            temporary.write_text("half", encoding="utf-8")
            raise OSError(number, os.strerror(number))

    message = refusal(write)
    assert str(target) in message
    assert os.strerror(number) in message
    assert target.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_disk_that_fails_at_the_last_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "table.csv"

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)

    def write() -> None:
        with atomic_write(target) as temporary:
            temporary.write_text("whole", encoding="utf-8")

    assert "No space left on device" in refusal(write)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    def write() -> None:
        with atomic_write(tmp_path / "file" / "table.csv"):
            pytest.fail("nothing can be written here")

    assert str(tmp_path / "file" / "table.csv") in refusal(write)


def test_a_missing_input_is_not_blamed_on_the_output(tmp_path: Path) -> None:
    def write() -> None:
        with atomic_write(tmp_path / "copy") as temporary:
            temporary.write_bytes((tmp_path / "missing").read_bytes())

    with pytest.raises(FileNotFoundError, match="missing"):
        write()
    assert not list(tmp_path.iterdir())


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    target = tmp_path / "numbers"
    size = 100_000
    stop = threading.Event()

    def write(letter: str) -> None:
        while not stop.is_set():
            with atomic_write(target) as temporary:
                temporary.write_text(letter * size, encoding="utf-8")

    writers = [threading.Thread(target=write, args=(letter,)) for letter in "ab"]
    for writer in writers:
        writer.start()
    try:
        while not target.exists():
            pass
        seen = [target.read_text(encoding="utf-8") for _ in range(50)]
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert {(len(text), len(set(text))) for text in seen} == {(size, 1)}
    assert list(tmp_path.iterdir()) == [target]
