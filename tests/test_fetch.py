"""Files out of wheels: real pip against a folder of hand-made archives, no network."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from reproutils import fetch as fetch_module
from reproutils.errors import ReproError
from reproutils.fetch import WheelFile, fetch, fetch_all, offline

PAYLOAD = bytes(range(256)) * 20
NOTES = b"second file\n"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def item(
    member: str = "toy/weights.bin", content: bytes = PAYLOAD, requirement: str = "toy-data==1.0"
) -> WheelFile:
    return WheelFile(requirement, member, sha256(content), len(content))


def write_wheel(folder: Path, tag: str = "py3-none-any", version: str = "1.0") -> Path:
    info = f"toy_data-{version}.dist-info"
    path = folder / f"toy_data-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("toy/weights.bin", PAYLOAD)
        wheel.writestr("toy/notes.txt", NOTES)
        metadata = f"Metadata-Version: 2.1\nName: toy-data\nVersion: {version}\n"
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(
            f"{info}/WHEEL",
            f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n",
        )
        wheel.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REPROUTILS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("REPROUTILS_OFFLINE", raising=False)
    return tmp_path / "cache" / "downloads"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the only place where pip looks."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def pip_calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The extra arguments of every pip call."""
    calls: list[tuple[str, ...]] = []
    real = fetch_module._run_pip

    def counted(
        requirement: str, choice: Sequence[str], workspace: Path
    ) -> subprocess.CompletedProcess[str]:
        calls.append(tuple(choice))
        return real(requirement, choice, workspace)

    monkeypatch.setattr(fetch_module, "_run_pip", counted)
    return calls


def remaining(cache: Path) -> list[str]:
    return sorted(str(p.relative_to(cache)) for p in cache.rglob("*") if p.is_file())


def test_one_wheel_is_downloaded_once_for_all_its_files(
    cache: Path, index: Path, pip_calls: list[tuple[str, ...]]
) -> None:
    write_wheel(index)
    weights, notes = fetch_all([item(), item("toy/notes.txt", NOTES)], "models/toy")
    assert weights == cache / "models" / "toy" / "toy" / "weights.bin"
    assert weights.read_bytes() == PAYLOAD
    assert notes.read_bytes() == NOTES
    assert len(pip_calls) == 1
    # Only the two files and their stamps are left: no wheel, no working folder.
    assert remaining(cache) == [
        "models/toy/toy/.notes.txt.stamp",
        "models/toy/toy/.weights.bin.stamp",
        "models/toy/toy/notes.txt",
        "models/toy/toy/weights.bin",
    ]
    assert [p.name for p in cache.iterdir()] == ["models"]

    before = {p: p.stat().st_mtime_ns for p in cache.rglob("*")}
    assert fetch(item(), "models/toy") == weights
    assert len(pip_calls) == 1
    assert {p: p.stat().st_mtime_ns for p in cache.rglob("*")} == before


def place(cache: Path, content: bytes, folder: str = "models/toy") -> Path:
    path = cache / folder / "toy" / "weights.bin"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return path


def test_a_wheel_itself_is_kept_beside_its_files(
    cache: Path, index: Path, pip_calls: list[tuple[str, ...]]
) -> None:
    wheel = write_wheel(index)
    whole, weights = fetch_all([item(wheel.name, wheel.read_bytes()), item()], "documents/toy")
    assert whole == cache / "documents" / "toy" / wheel.name
    assert whole.read_bytes() == wheel.read_bytes()
    assert weights.read_bytes() == PAYLOAD
    assert len(pip_calls) == 1
    whole.unlink()
    with pytest.raises(ReproError, match=r"any\.whl of toy-data==1\.0 has SHA-256"):
        fetch(item(wheel.name, PAYLOAD), "documents/toy")


def test_the_stamp_saves_hashing_until_the_file_changes(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPROUTILS_OFFLINE", "1")
    path = place(cache, PAYLOAD)
    hashed: list[Path] = []
    real = fetch_module._sha256

    def counted(target: Path) -> str:
        hashed.append(target)
        return real(target)

    monkeypatch.setattr(fetch_module, "_sha256", counted)
    assert fetch(item(), "models/toy") == path
    assert len(hashed) == 1
    fetch(item(), "models/toy")
    assert len(hashed) == 1
    fetch(item(), "models/toy", verify=True)
    assert len(hashed) == 2
    os.utime(path, ns=(0, 12345))
    fetch(item(), "models/toy")
    assert len(hashed) == 3

    # Same size, other content, other time: seen without verify.
    path.write_bytes(PAYLOAD[::-1])
    os.utime(path, ns=(0, 99))
    with pytest.raises(ReproError, match="is not in the cache"):
        fetch(item(), "models/toy")


def test_another_pinned_hash_is_not_satisfied_by_the_stamp(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPROUTILS_OFFLINE", "1")
    place(cache, PAYLOAD)
    fetch(item(), "models/toy")
    with pytest.raises(ReproError, match="is not in the cache"):
        fetch(item(content=PAYLOAD[::-1]), "models/toy")


def test_verify_finds_a_change_that_kept_size_and_time(
    cache: Path, index: Path, pip_calls: list[tuple[str, ...]]
) -> None:
    write_wheel(index)
    path = fetch(item(), "models/toy")
    times = path.stat()
    path.write_bytes(PAYLOAD[::-1])
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    fetch(item(), "models/toy")
    assert path.read_bytes() == PAYLOAD[::-1]
    fetch(item(), "models/toy", verify=True)
    assert path.read_bytes() == PAYLOAD
    assert len(pip_calls) == 2


def test_a_cut_off_file_is_replaced(cache: Path, index: Path) -> None:
    write_wheel(index)
    path = place(cache, PAYLOAD[:100])
    assert fetch(item(), "models/toy").read_bytes() == PAYLOAD
    assert path.stat().st_size == len(PAYLOAD)


def test_wrong_hash_names_both_and_keeps_nothing(cache: Path, index: Path) -> None:
    write_wheel(index)
    wanted = item(content=PAYLOAD[::-1])
    with pytest.raises(ReproError) as caught:
        fetch(wanted, "models/toy")
    message = str(caught.value)
    for part in ("toy/weights.bin", "toy-data==1.0", wanted.sha256, sha256(PAYLOAD), "make fetch"):
        assert part in message
    assert "\n" not in message
    assert remaining(cache) == []


def test_wrong_hash_leaves_the_older_file_alone(cache: Path, index: Path) -> None:
    write_wheel(index)
    path = place(cache, b"older")
    with pytest.raises(ReproError, match="is pinned"):
        fetch(item(content=PAYLOAD[::-1]), "models/toy")
    assert path.read_bytes() == b"older"


def test_missing_member_names_the_nearest(cache: Path, index: Path) -> None:
    write_wheel(index)
    with pytest.raises(ReproError, match=r"holds no file toy/weight\.bin \(nearest: toy/weights"):
        fetch(item("toy/weight.bin"), "models/toy")
    assert remaining(cache) == []


def test_damaged_member_is_reported(cache: Path, index: Path) -> None:
    wheel = write_wheel(index)
    content = bytearray(wheel.read_bytes())
    at = content.find(PAYLOAD)
    content[at : at + 4] = b"\xff\xff\xff\xff"
    wheel.write_bytes(bytes(content))
    with pytest.raises(ReproError, match=r"toy_data.* is damaged .*make fetch"):
        fetch(item(), "models/toy")
    assert remaining(cache) == []


def test_unknown_version_gives_pips_last_line(
    cache: Path, index: Path, pip_calls: list[tuple[str, ...]]
) -> None:
    write_wheel(index, version="2.0")
    with pytest.raises(ReproError) as caught:
        fetch(item(), "models/toy")
    assert str(caught.value) == (
        "could not download toy-data==1.0: No matching distribution found for toy-data==1.0; "
        "run `make fetch` with a network once"
    )
    assert len(pip_calls) == 2
    assert remaining(cache) == []
    assert list(cache.iterdir()) == []


def test_without_a_network_pip_is_asked_once(
    cache: Path, monkeypatch: pytest.MonkeyPatch, pip_calls: list[tuple[str, ...]]
) -> None:
    # The discard port of this machine: the connection is refused at once.
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_RETRIES", "1")
    with pytest.raises(ReproError, match=r"toy-data==1\.0.*make fetch"):
        fetch(item(), "models/toy")
    assert len(pip_calls) == 1


def test_a_wheel_of_another_platform_serves(
    cache: Path, index: Path, pip_calls: list[tuple[str, ...]]
) -> None:
    write_wheel(index, tag="cp312-cp312-manylinux2014_x86_64")
    assert fetch(item(), "models/toy").read_bytes() == PAYLOAD
    assert 1 <= len(pip_calls) <= 2


BACKEND = """
import os, zipfile
def prepare_metadata_for_build_wheel(folder, config_settings=None):
    name = "toy_data-1.0.dist-info"
    os.makedirs(os.path.join(folder, name))
    with open(os.path.join(folder, name, "METADATA"), "w") as out:
        out.write("Metadata-Version: 2.1\\nName: toy-data\\nVersion: 1.0\\n")
    return name
def build_wheel(folder, config_settings=None, metadata_directory=None):
    raise NotImplementedError
"""
BUILD = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'


def test_a_member_of_the_source_distribution(
    cache: Path, index: Path, pip_calls: list[tuple[str, ...]]
) -> None:
    with tarfile.open(index / "toy_data-1.0.tar.gz", "w:gz") as sdist:
        for name, content in (
            ("PKG-INFO", b"Metadata-Version: 2.1\nName: toy-data\nVersion: 1.0\n"),
            ("pyproject.toml", BUILD.encode()),
            ("backend.py", BACKEND.encode()),
            ("toy/weights.bin", PAYLOAD),
        ):
            member = tarfile.TarInfo(f"toy_data-1.0/{name}")
            member.size = len(content)
            sdist.addfile(member, io.BytesIO(content))
    path = fetch(item("toy_data-1.0/toy/weights.bin"), "models/toy")
    assert path.read_bytes() == PAYLOAD
    assert pip_calls == [("--no-binary=:all:",)]
    with pytest.raises(ReproError, match="No matching distribution"):
        fetch(item(), "models/toy")  # a wheel is wanted, and build code is never run for it
    assert all("--only-binary=:all:" in call for call in pip_calls[1:])


def test_offline_never_calls_pip(
    cache: Path, monkeypatch: pytest.MonkeyPatch, pip_calls: list[tuple[str, ...]]
) -> None:
    assert not offline()
    monkeypatch.setenv("REPROUTILS_OFFLINE", "1")
    assert offline()
    with pytest.raises(ReproError, match=r"toy/weights\.bin of toy-data==1\.0.*reproutils fetch"):
        fetch(item(), "models/toy")
    assert pip_calls == []


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"requirement": "toy-data"}, "name==version"),
        ({"requirement": "toy-data==1.0 --index-url x"}, "name==version"),
        ({"member": "../etc/passwd"}, "not a relative path"),
        ({"member": "/etc/passwd"}, "not a relative path"),
        ({"member": ""}, "not a relative path"),
        ({"sha256": "ab" * 31}, "64 lower-case"),
        ({"sha256": "AB" * 32}, "64 lower-case"),
        ({"size": -1}, "negative"),
    ],
)
def test_ill_formed_entries_are_refused(change: dict[str, object], named: str) -> None:
    values: dict[str, object] = {
        "requirement": "toy-data==1.0",
        "member": "toy/weights.bin",
        "sha256": "ab" * 32,
        "size": 1,
    }
    with pytest.raises(ReproError, match=named):
        WheelFile(**(values | change))  # type: ignore[arg-type]
