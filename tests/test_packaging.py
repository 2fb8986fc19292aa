"""What `pip install .` gives: the light core alone, with its registries inside."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from reproutils.paths import project_root

ROOT = project_root()
LIGHT = ("similarity", "theory", "models", "states", "alignment", "regression", "fetch", "corpora")
# What the book needs and the light core must not import.
HEAVY = ("matplotlib", "seaborn", "bs4", "IPython", "jupytext", "papermill", "datasets", "faiss")

PROBE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {heavy!r}:
            raise ImportError("the light core imported " + name)

sys.meta_path.insert(0, Refuse())
sys.path.insert(0, {wheel!r})
import importlib
for module in {light!r}:
    importlib.import_module("reproutils." + module)
from reproutils.models import registry
from reproutils.corpora.parallel_text import catalogue_sources
import reproutils
assert reproutils.__file__.startswith({wheel!r}), reproutils.__file__
print(len(registry()), len(catalogue_sources()))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


def test_the_wheel_holds_the_registries(wheel: Path) -> None:
    for name in ("models.toml", "corpora.toml", "claims.yml"):
        assert (wheel / "reproutils" / "_data" / name).read_bytes() == (
            ROOT / "data" / name
        ).read_bytes()


def test_the_light_core_needs_none_of_the_books_tools(wheel: Path, tmp_path: Path) -> None:
    probe = PROBE.format(heavy=set(HEAVY), wheel=str(wheel), light=LIGHT)
    # Away from the checkout, so that only the wheel can answer.
    done = subprocess.run(
        [sys.executable, "-c", probe],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "", "HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    models, sources = map(int, done.stdout.split())
    assert models >= 3
    assert sources >= 3


def test_the_lock_pins_every_direct_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [
        project["dependencies"],
        *(project["optional-dependencies"][g] for g in ("book", "code", "lab", "test")),
    ]
    wanted = {
        item.split(">")[0].split("=")[0].split("<")[0].lower() for group in groups for item in group
    }
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in lock if "==" in line}
    assert wanted - pinned == set()
    assert all("==" in line for line in lock if line and not line.startswith("#"))
