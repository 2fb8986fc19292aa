"""The command line: exit statuses, one clear line on mistakes, and how settings are read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# The book module takes names from the runner when it is first imported: that must not happen while
# a test has put a stand-in there.
from reproutils import book, cli, paths  # noqa: F401
from reproutils.errors import NotebookError, ReproError
from reproutils.results import ClaimVerdict, Estimate, Results, RunRecord, write_results
from reproutils.runner import pair

SOURCE = """\
# %% tags=["parameters"]
model = "tiny"
dataset = "none"
n_items = 3
ratio = 0.5
truncate = False
seed = 7
output_dir = ""

# %%
from reproutils.errors import ReproError

if n_items == 0:
    raise ReproError("no items are left; lower the filter")
if n_items == 1:
    raise ValueError("broken")

# %%
import os
import time
from pathlib import Path

if n_items == 2:
    (Path(output_dir) / "pid").write_text(str(os.getpid()))
    time.sleep(120)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the notebook ``toy``; the working directory is another one."""
    root = tmp_path / "project"
    for name, text in {
        "notebooks/toy.py": SOURCE,
        "data/models.toml": "",
        "data/profiles/quick.yml": "toy: {n_items: 9, model: small}\n",
        "requirements.lock": "",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    monkeypatch.setenv(paths.ROOT_VARIABLE, str(root))
    monkeypatch.setenv(paths.CACHE_VARIABLE, str(tmp_path / "cache"))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    pair()
    return root


@pytest.fixture
def asked(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The parameters, folder and force of each run asked for; nothing is executed."""
    found: list[dict[str, Any]] = []

    def run(notebook: str, given: dict[str, Any], out: Path, *, force: bool) -> tuple[None, bool]:
        found.append({"notebook": notebook, "given": given, "out": out, "force": force})
        return None, force

    monkeypatch.setattr("reproutils.runner.run_notebook", run)
    return found


def told(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line on stderr."""
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1, lines
    return lines[0]


# --- run: what is asked for ----------------------------------------------------------------------


def test_run_passes_everything_on(asked: list[dict[str, Any]]) -> None:
    arguments = [
        "--model",
        "big",
        "--dataset",
        "d",
        "--set",
        "n_items=5",
        "--out",
        "x/y",
        "--force",
    ]
    assert cli.main(["run", "toy", *arguments]) == 0
    assert asked == [
        {
            "notebook": "toy",
            "given": {"model": "big", "dataset": "d", "n_items": 5},
            "out": Path.cwd() / "x" / "y",
            "force": True,
        }
    ]


def test_run_says_where_and_whether_it_ran(
    asked: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", "toy"]) == 0
    assert capsys.readouterr().out == f"up to date: {Path.cwd() / 'runs' / 'toy'}\n"
    assert cli.main(["run", "toy", "--force"]) == 0
    assert capsys.readouterr().out.startswith("results in ")


@pytest.mark.parametrize(
    ("setting", "name", "value"),
    [
        ("n_items=5", "n_items", 5),
        ("n_items=-1", "n_items", -1),
        ("ratio=2", "ratio", 2),
        ("ratio=1e-3", "ratio", "1e-3"),  # YAML's floats need a point; the type check refuses this
        ("ratio=1.0e-3", "ratio", 0.001),
        ("truncate=true", "truncate", True),
        ("truncate=False", "truncate", False),
        ("truncate=0", "truncate", 0),
        ("model=123", "model", "123"),
        ("model=true", "model", "true"),
        ("model=2026-01-01", "model", "2026-01-01"),
        ("model=", "model", ""),
        ("model=a=b", "model", "a=b"),
        ("model=[a", "model", "[a"),
        ("n_items=[1", "n_items", "[1"),
        ("n_items=[1, 2]", "n_items", "[1, 2]"),
        ("n_items=null", "n_items", "null"),
        ("unknown=3", "unknown", 3),
    ],
)
def test_settings_are_read_by_the_type_of_the_parameter(
    asked: list[dict[str, Any]], setting: str, name: str, value: object
) -> None:
    assert cli.main(["run", "toy", "--set", setting]) == 0
    assert asked[0]["given"] == {name: value}
    assert type(asked[0]["given"][name]) is type(value)


def test_later_settings_win_over_profile_and_options(asked: list[dict[str, Any]]) -> None:
    assert cli.main(["run", "toy", "--profile", "quick"]) == 0
    assert cli.main(["run", "toy", "--profile", "quick", "--model", "big"]) == 0
    assert cli.main(["run", "toy", "--model", "big", "--set", "model=huge"]) == 0
    assert [run["given"] for run in asked] == [
        {"n_items": 9, "model": "small"},
        {"n_items": 9, "model": "big"},
        {"model": "huge"},
    ]


@pytest.mark.parametrize("option", [["--dataset", "path:texts"], ["--set", "dataset=path:texts"]])
def test_folders_are_those_of_the_working_directory(
    asked: list[dict[str, Any]], option: list[str]
) -> None:
    assert cli.main(["run", "toy", *option]) == 0
    assert asked[0]["given"]["dataset"] == f"path:{Path.cwd() / 'texts'}"


@pytest.mark.parametrize("option", ["--model", "--models"])
def test_each_of_several_folders_is_that_of_the_working_directory(
    asked: list[dict[str, Any]], option: str
) -> None:
    assert cli.main(["run", "toy", option, "path:base, owner/name,path:math"]) == 0
    here = Path.cwd()
    assert asked[0]["given"]["model"] == f"path:{here / 'base'}, owner/name,path:{here / 'math'}"


def test_home_folder_is_filled_in(
    asked: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cli.main(["run", "toy", "--model", "path:~/m"]) == 0
    assert asked[0]["given"]["model"] == f"path:{tmp_path.resolve() / 'm'}"


# --- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "tyo"], "unknown notebook 'tyo'; did you mean toy?"),
        (["run", "toy", "--profile", "slow"], "unknown profile 'slow'; there are: quick"),
        (["run", "toy", "--set", "n_itmes=3"], "no parameter 'n_itmes'; did you mean 'n_items'?"),
        (["run", "toy", "--set", "n_items=many"], "n_items must be of type int (such as 3)"),
        (["run", "toy", "--set", "truncate=maybe"], "truncate must be of type bool"),
        (["run", "toy", "--set", "ratio=.inf"], "ratio must be a finite number, not inf"),
        (["run", "toy", "--set", "n_items"], "--set n_items: write it as KEY=VALUE"),
        (["verdicts", "nowhere"], "no results.json below nowhere; run a notebook first"),
        (["reference", "nowhere", "news"], "nowhere/results.json; run that notebook first"),
    ],
)
def test_mistakes_end_in_one_line_and_status_2(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert cli.main(arguments) == 2
    line = told(capsys)
    assert line.startswith("reproutils: ")
    assert said in line
    assert list(Path.cwd().iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [[], ["runn"], ["run"], ["run", "toy", "--modle", "m"], ["corpora", "delete"]]
)
def test_wrong_usage_exits_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2


@pytest.fixture
def failing(project: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Make each run stop with an exception."""

    def fail_with(error: BaseException) -> None:
        def run(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr("reproutils.runner.run_notebook", run)
        monkeypatch.setattr("reproutils.book.build_book", run)

    return fail_with


@pytest.mark.parametrize("arguments", [["run", "toy"], ["book"]])
@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (ReproError("no such layer; use embed"), 2, "reproutils: no such layer; use embed"),
        (NotebookError("toy stopped in cell 3"), 1, "reproutils: toy stopped in cell 3"),
        (NotebookError("the kernel died", 138), 138, "reproutils: the kernel died"),
        (KeyboardInterrupt(), 130, "reproutils: stopped; what was finished is kept"),
    ],
)
def test_each_way_to_stop_has_its_status(
    failing: Callable[[BaseException], None],
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    error: BaseException,
    status: int,
    said: str,
) -> None:
    failing(error)
    assert cli.main(arguments) == status
    assert told(capsys).startswith(said)


def test_reader_that_goes_away_is_no_error() -> None:
    program = (
        "import sys\n"
        "from reproutils import cli\n"
        "cli._pair = lambda _: print('line\\n' * 1_000_000) or 0\n"
        "sys.exit(cli.main(['pair']))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1


# --- run: real notebooks -------------------------------------------------------------------------


@pytest.mark.notebook
def test_error_that_the_user_can_mend(
    project: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert cli.main(["run", "toy", "--set", "n_items=0", "--out", str(tmp_path / "out")]) == 2
    assert told(capsys) == "reproutils: no items are left; lower the filter"


@pytest.mark.notebook
def test_error_that_the_user_cannot_mend(
    project: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert cli.main(["run", "toy", "--set", "n_items=1", "--out", str(tmp_path / "out")]) == 1
    line = told(capsys)
    assert "toy stopped in cell 3: ValueError: broken" in line
    assert (tmp_path / "out" / "toy.ipynb").is_file()


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process that nobody has waited for yet is dead too.
    state = Path(f"/proc/{pid}/stat")
    return not state.is_file() or state.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.notebook
def test_ctrl_c_is_one_line_and_takes_the_kernel_along(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "reproutils.cli", "run", "toy", "--set", "n_items=2"]
    with subprocess.Popen([*command, "--out", str(out)], stderr=subprocess.PIPE) as process:
        wait_for(lambda: (out / "pid").is_file() and (out / "pid").read_text() != "")
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stderr.decode() == (
        "reproutils: stopped; what was finished is kept in the cache, run again to go on\n"
    )
    wait_for(lambda: not alive(int((out / "pid").read_text())))
    assert (out / "toy.ipynb").is_file()
    assert not (out / "results.json").exists()


# --- the other commands --------------------------------------------------------------------------


def test_models_and_corpora_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["models"]) == 0
    listed = capsys.readouterr().out
    for alias in ("smollm2-135m", "minilm-l6", "smollm2-135m-random", "path:FOLDER"):
        assert alias in listed
    assert cli.main(["corpora"]) == 0
    assert "catalogues" in capsys.readouterr().out


def test_halves_are_checked_and_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = project / "notebooks" / "toy.ipynb"
    target.unlink()
    assert cli.main(["pair", "--check"]) == 1
    assert capsys.readouterr().out == "toy: the halves differ\n"
    assert not target.exists()
    assert cli.main(["pair"]) == 0
    assert capsys.readouterr().out == "toy: written from the .py half\n"
    assert cli.main(["pair", "--check"]) == 0
    assert capsys.readouterr().out == ""


def results(notebook: str, verdict: str) -> Results:
    record: dict[str, Any] = {
        "model": "tiny",
        "model_fingerprint": "f",
        "dataset": "letters",
        "dataset_fingerprint": "f",
        "seed": 0,
        "dtype": "float32",
        "device": "cpu",
        "versions": {},
        "input_hash": "h",
        "wall_s": 1.0,
        "tokens": 0,
        "date": "2026-01-01",
        "parameters": {},
    }
    claim = {"id": "A1", "verdict": verdict, "scale": "paper scale", "why": "Gap 0.01."}
    return Results(
        notebook=notebook,
        run=RunRecord.model_validate(record),
        estimates=[Estimate(id="x", value=1.0)],
        claims=[ClaimVerdict.model_validate(claim)],
    )


def test_verdicts_of_all_runs_are_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_results(results("f1", "holds"), tmp_path / "f1" / "results.json")
    write_results(results("f2", "fails"), tmp_path / "deep" / "er" / "results.json")
    assert cli.main(["verdicts", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "f2: tiny on letters",
        "  A1   fails              paper scale: Gap 0.01.",
        "f1: tiny on letters",
        "  A1   holds              paper scale: Gap 0.01.",
    ]


def test_damaged_results_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "f1").mkdir()
    (tmp_path / "f1" / "results.json").write_text("{", encoding="utf-8")
    assert cli.main(["verdicts", str(tmp_path)]) == 2
    assert f"{tmp_path}/f1/results.json: the file: Invalid JSON" in told(capsys)


def test_reference_is_kept(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_results(results("f1", "holds"), tmp_path / "run" / "results.json")
    assert cli.main(["reference", str(tmp_path / "run"), "news"]) == 0
    assert capsys.readouterr().out == "kept news.json\n"
    assert (project / "data" / "reference" / "news.json").is_file()


def test_corpus_check_fails_with_its_report(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written: list[Path] = []

    class Report:
        ok = False

        def summary(self) -> str:
            return "2 of 3 pass"

        def write(self, path: Path) -> None:
            written.append(path)

    seen: list[list[str]] = []

    def verify(folder: Path, *, languages: list[str]) -> Report:
        seen.append(languages)
        return Report()

    monkeypatch.setattr("reproutils.corpora.code_verification.verify", verify)
    assert cli.main(["corpora", "verify", "--languages", "python,go"]) == 1
    assert cli.main(["corpora", "verify"]) == 1
    monkeypatch.setattr(Report, "ok", True)
    assert cli.main(["corpora", "verify", "--languages", "python"]) == 0
    assert written == []  # a part of the languages is no verification of the corpus
    assert cli.main(["corpora", "verify"]) == 0
    assert [path.name for path in written] == ["verification.json"]
    assert seen[0] == ["python", "go"]
    assert set(seen[1]) == {"python", "java", "javascript", "go"}
    assert capsys.readouterr().out == "2 of 3 pass\n" * 4


# --- doctor --------------------------------------------------------------------------------------


def doctor(capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    status = cli.main(["doctor"])
    return status, capsys.readouterr().out.splitlines()


def test_doctor_finds_a_sound_installation_well(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reproutils.doctor.LEAST_FREE_GB", 0.0)
    status, lines = doctor(capsys)
    assert status == 0
    assert lines[-1] == "all well"
    assert all(line.startswith("ok  ") for line in lines[:-1])


def test_doctor_compares_with_the_lock(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"torch": "2.13.0+cpu", "numpy": "2.0.0", "reproutils": "0.1.0"}

    def version(name: str) -> str:
        import importlib.metadata

        try:
            return found[name]
        except KeyError:
            raise importlib.metadata.PackageNotFoundError from None

    monkeypatch.setattr("reproutils.doctor.LEAST_FREE_GB", 0.0)
    monkeypatch.setattr("reproutils.doctor.importlib.metadata.version", version)
    lock = project / "requirements.lock"
    lock.write_text("# locked\ntorch==2.13.0\nnumpy==2.0.0 ; python_version > '3'\n", "utf-8")
    assert doctor(capsys)[0] == 0
    lock.write_text("torch==2.13.0+cu130\n", encoding="utf-8")
    assert doctor(capsys)[0] == 0
    lock.write_text("torch==2.12.0\nnumpy==2.0.0\npapermill==2.7.0\n", encoding="utf-8")
    status, lines = doctor(capsys)
    assert status == 1
    bad = [line for line in lines if line.startswith("BAD ")]
    assert len(bad) == 1
    assert "2 packages differ from requirements.lock" in bad[0]
    assert "torch 2.13.0 (wanted 2.12.0), papermill missing (wanted 2.7.0)" in bad[0]
    assert "run `make install`" in bad[0]
    assert lines[-1] == "1 problem(s)"


def test_doctor_finds_missing_weights_and_a_full_disk(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "data" / "models.toml").write_text(
        f"""
        [tiny]
        kind = "safetensors"
        about = "a model"
        licence = "MIT"
        wheel = "tiny==1"
        files = [{{ member = "tiny/model.safetensors", sha256 = "{"0" * 64}", size = 1 }}]
        """,
        encoding="utf-8",
    )
    monkeypatch.setattr("reproutils.doctor.LEAST_FREE_GB", 1e9)
    status, lines = doctor(capsys)
    assert status == 1
    assert "BAD  weights of tiny: run `reproutils fetch`" in lines
    assert any(line.startswith("BAD ") and "GB free for the cache" in line for line in lines)


def test_doctor_names_a_cache_that_cannot_be_made(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(paths.CACHE_VARIABLE, str(project / "requirements.lock" / "cache"))
    status, lines = doctor(capsys)
    assert status == 1
    assert any("cannot create the cache folder" in line for line in lines)
