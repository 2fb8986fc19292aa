"""What notebooks call: parameters, input hashes, numbers in prose, and the record of a run."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from matplotlib.figure import Figure

from reproutils import notebook, paths
from reproutils.corpora import ParallelText, Provenance
from reproutils.errors import ReproError
from reproutils.notebook import (
    Run,
    begin,
    check_parameters,
    input_hash,
    number_html,
    parameters_of,
    split,
    verdict_box,
)
from reproutils.regression import Interval
from reproutils.results import ClaimVerdict, Estimate, read_results

SOURCE = """\
# %% [markdown]
# # A toy
# width = 1 is no parameter here

# %% tags=["parameters"]
model = "tiny"  # an alias
dataset = "none"
n_items = 3
ratio = 0.5
truncate = False
dtype = "float32"
device = "cpu"
seed = 7
output_dir = ""

# %%
width = 2
"""
DEFAULTS = {
    "model": "tiny",
    "dataset": "none",
    "n_items": 3,
    "ratio": 0.5,
    "truncate": False,
    "dtype": "float32",
    "device": "cpu",
    "seed": 7,
    "output_dir": "",
}
CLAIMS = """\
- id: T1
  paper: A
  title: Toys work
  statement: Toys work.
  figure: none
  notebooks: [toy]
  paper_scale: [tiny]
  criteria:
    - kind: core
      estimate: gain
      bound: low
      op: ">"
      threshold: 0
      passes: gain {value}
      fails: no gain
- id: T2
  paper: A
  title: Toys talk
  statement: Toys talk.
  figure: none
  notebooks: [other]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the notebook ``toy`` and nothing else."""
    root = tmp_path / "project"
    for name, text in {
        "notebooks/toy.py": SOURCE,
        "notebooks/plain.py": "# %%\nx = 1\n",
        "data/models.toml": "",
        "data/claims.yml": CLAIMS,
        "reproutils/part.py": "a = 1\n",
        "requirements.lock": "numpy==1\n",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.setenv(paths.ROOT_VARIABLE, str(root))
    return root


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Everything that is displayed."""
    found: list[Any] = []
    monkeypatch.setattr(notebook, "display", found.append)
    return found


@pytest.fixture
def run(project: Path, shown: list[Any]) -> Run:
    return Run("toy", {**DEFAULTS, "output_dir": str(project / "out")})


# --- parameters ----------------------------------------------------------------------------------


def test_parameters_are_the_literals_of_the_tagged_cell(project: Path) -> None:
    assert parameters_of("toy") == DEFAULTS
    assert list(parameters_of("toy")) == list(DEFAULTS)


def test_notebook_without_parameters_cell(project: Path) -> None:
    with pytest.raises(ReproError, match=r"plain\.py has no cell tagged parameters"):
        parameters_of("plain")


def test_unknown_notebook_shows_the_nearest(project: Path) -> None:
    with pytest.raises(ReproError, match=r"unknown notebook 'tyo'; did you mean toy\?") as caught:
        parameters_of("tyo")
    assert "There are: plain, toy" in str(caught.value)


def test_given_parameters_replace_defaults(project: Path) -> None:
    given = {"n_items": 9, "model": "big", "truncate": True}
    assert check_parameters("toy", given) == {**DEFAULTS, **given}
    assert check_parameters("toy", {}) == DEFAULTS


def test_whole_number_stands_for_a_float(project: Path) -> None:
    assert check_parameters("toy", {"ratio": 2})["ratio"] == 2


@pytest.mark.parametrize(
    ("name", "near"), [("modle", "model"), ("n_item", "n_items"), ("outputdir", "output_dir")]
)
def test_unknown_parameter_shows_the_nearest(project: Path, name: str, near: str) -> None:
    with pytest.raises(ReproError, match=f"toy has no parameter '{name}'; did you mean '{near}'"):
        check_parameters("toy", {name: 1})


def test_unknown_parameter_far_from_all_lists_them(project: Path) -> None:
    with pytest.raises(ReproError, match="no parameter 'zzzz'; It has: model, dataset"):
        check_parameters("toy", {"zzzz": 1})


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("n_items", "9", "int"),
        ("n_items", 9.0, "int"),
        ("n_items", True, "int"),
        ("ratio", "0.5", "float"),
        ("ratio", True, "float"),
        ("truncate", "false", "bool"),
        ("truncate", 0, "bool"),
        ("model", 3, "str"),
        ("model", None, "str"),
        ("dtype", ["float32"], "str"),
    ],
)
def test_ill_typed_parameter_names_the_type(
    project: Path, name: str, value: object, wanted: str
) -> None:
    with pytest.raises(ReproError, match=f"parameter {name} must be of type {wanted}") as caught:
        check_parameters("toy", {name: value})
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_numbers_must_be_finite(project: Path, value: float) -> None:
    with pytest.raises(ReproError, match="ratio must be a finite number"):
        check_parameters("toy", {"ratio": value})


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Pretend to run in a kernel that has executed these cells."""

    def execute(*sources: str) -> None:
        shell = SimpleNamespace(user_ns={"In": ["", *sources]})
        kernel = SimpleNamespace(get_ipython=lambda: shell)
        monkeypatch.setitem(sys.modules, "IPython", kernel)

    return execute


def executed(*sources: str) -> Mapping[str, Any]:
    namespace: dict[str, Any] = {}
    for source in sources:
        exec(source, namespace)
    return namespace


DEFAULT_CELL = "\n".join(f"{name} = {value!r}" for name, value in DEFAULTS.items())


def test_begin_takes_what_the_reader_edited(project: Path, cells: Callable[..., None]) -> None:
    edited = DEFAULT_CELL.replace("n_items = 3", "n_items = 5")
    cells(edited)
    run = begin("toy", executed(edited))
    assert run.p.n_items == 5
    assert run.seed == 7
    assert run.folder == project / "book" / "runs" / "toy"


def test_begin_takes_what_papermill_injected(project: Path, cells: Callable[..., None]) -> None:
    injected = f"# Parameters\nn_items = 11\noutput_dir = {str(project / 'elsewhere')!r}\n"
    cells(DEFAULT_CELL, injected)
    run = begin("toy", executed(DEFAULT_CELL, injected))
    assert run.p.n_items == 11
    assert run.p.model == "tiny"
    assert run.folder == project / "elsewhere"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("n_itmes = 11", "no parameter 'n_itmes'; did you mean 'n_items'"),
        ('truncate = "false"', "truncate must be of type bool"),
        ('ratio = float("inf")', "ratio must be a finite number"),
    ],
)
def test_begin_refuses_what_papermill_only_warns_of(
    project: Path, cells: Callable[..., None], line: str, told: str
) -> None:
    injected = f"# Parameters\n{line}\n"
    cells(DEFAULT_CELL, injected)
    with pytest.raises(ReproError, match=told):
        begin("toy", executed(DEFAULT_CELL, injected))


def test_comma_separated_parameter() -> None:
    assert split("en-fr, en-de ,") == ["en-fr", "en-de"]
    assert split("") == []


# --- input hash ----------------------------------------------------------------------------------


def test_hash_is_a_function_of_the_inputs(project: Path) -> None:
    first = input_hash("toy", DEFAULTS)
    assert len(first) == 16
    assert int(first, 16) >= 0
    assert input_hash("toy", dict(reversed(DEFAULTS.items()))) == first


@pytest.mark.parametrize(
    "name",
    [
        "notebooks/toy.py",
        "data/models.toml",
        "data/claims.yml",
        "reproutils/part.py",
        "requirements.lock",
    ],
)
def test_hash_follows_each_file(project: Path, name: str) -> None:
    before = input_hash("toy", DEFAULTS)
    with (project / name).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert input_hash("toy", DEFAULTS) != before


def test_hash_follows_new_modules_and_registries(project: Path) -> None:
    seen = {input_hash("toy", DEFAULTS)}
    for name in ("reproutils/corpora/more.py", "data/corpora.toml"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("b = 2\n", encoding="utf-8")
        seen.add(input_hash("toy", DEFAULTS))
    assert len(seen) == 3


@pytest.mark.parametrize("name", [name for name in DEFAULTS if name != "output_dir"])
def test_hash_follows_each_parameter(project: Path, name: str) -> None:
    assert input_hash("toy", {**DEFAULTS, name: "other"}) != input_hash("toy", DEFAULTS)


def test_hash_does_not_depend_on_output_or_on_other_notebooks(project: Path) -> None:
    before = input_hash("toy", DEFAULTS)
    assert input_hash("toy", {**DEFAULTS, "output_dir": "/elsewhere"}) == before
    (project / "notebooks" / "plain.py").write_text("# %%\nx = 2\n", encoding="utf-8")
    compiled = project / "reproutils" / "__pycache__" / "part.cpython-311.pyc"
    compiled.parent.mkdir()
    compiled.write_bytes(b"compiled")
    (project / "book").mkdir()
    (project / "book" / "index.md").write_text("text", encoding="utf-8")
    assert input_hash("toy", DEFAULTS) == before


def test_hash_follows_the_content_of_a_named_folder(project: Path) -> None:
    folder = project / "texts"
    folder.mkdir()
    (folder / "news.en").write_text("one\n", encoding="utf-8")
    parameters = {**DEFAULTS, "dataset": f"path:{folder}"}
    seen = {input_hash("toy", parameters)}
    (folder / "news.en").write_text("two\n", encoding="utf-8")
    seen.add(input_hash("toy", parameters))
    (folder / "news.fr").write_text("deux\n", encoding="utf-8")
    seen.add(input_hash("toy", parameters))
    assert len(seen) == 3


def test_relative_folder_starts_at_the_project(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (project / "texts").mkdir()
    (project / "texts" / "a").write_text("one", encoding="utf-8")
    parameters = {**DEFAULTS, "dataset": "path:texts"}
    seen = set()
    for place in (project, tmp_path):
        monkeypatch.chdir(place)
        seen.add(input_hash("toy", parameters))
    assert len(seen) == 1
    (project / "texts" / "a").write_text("two", encoding="utf-8")
    assert input_hash("toy", parameters) not in seen


def test_hash_of_a_named_file_follows_its_content(project: Path) -> None:
    weights = project / "weights.gguf"
    weights.write_bytes(b"one")
    parameters = {**DEFAULTS, "model": f"path:{weights}"}
    before = input_hash("toy", parameters)
    weights.write_bytes(b"two")
    assert input_hash("toy", parameters) != before


def test_hash_follows_each_of_several_named_folders(project: Path) -> None:
    weights = [project / name / "model.safetensors" for name in ("base", "math")]
    for path in weights:
        path.parent.mkdir()
        path.write_bytes(b"one")
    names = f"path:{weights[0].parent}, owner/name,path:{weights[1].parent}"
    parameters = {**DEFAULTS, "model": names}
    seen = {input_hash("toy", parameters)}
    for path in weights:
        path.write_bytes(b"two")
        seen.add(input_hash("toy", parameters))
    assert len(seen) == 3


def test_hash_follows_our_own_code_corpus_where_it_is_read(project: Path) -> None:
    solution = project / "data" / "parallel_code" / "problems" / "sum" / "solution.py"
    solution.parent.mkdir(parents=True)
    reading, other = {**DEFAULTS, "dataset": "parallel-code"}, DEFAULTS
    hashes: list[tuple[str, str]] = []
    for text in ("def f(): return 1\n", "def f(): return 2\n"):
        solution.write_text(text, encoding="utf-8")
        hashes.append((input_hash("toy", reading), input_hash("toy", other)))
    assert hashes[0][0] != hashes[1][0]
    assert hashes[0][1] == hashes[1][1]


def test_hash_of_a_collecting_notebook_follows_the_other_runs_only(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    parameters = {**DEFAULTS, "runs": "book/runs"}
    hashes: list[str] = []
    for name in ("f1/results.json", "f1/results.json", "toy/results.json", "f1/notes.txt"):
        path = project / "book" / "runs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{{{len(hashes)}}}", encoding="utf-8")
        hashes.append(input_hash("toy", parameters))
    assert hashes[0] != hashes[1]
    # Its own results, which it writes itself, must not make it out of date.
    assert hashes[1] == hashes[2] == hashes[3]
    monkeypatch.chdir(tmp_path)
    assert input_hash("toy", parameters) == hashes[-1]
    reference = project / "data" / "reference" / "news.json"
    reference.parent.mkdir()
    reference.write_text("{}", encoding="utf-8")
    assert input_hash("toy", parameters) != hashes[-1]


# --- numbers -------------------------------------------------------------------------------------


def test_recorded_numbers_keep_order_and_fields(run: Run) -> None:
    run.record("plain", np.float64(0.25), n=4, unit="pair", paper=0.3)
    run.record("interval", Interval(0.5, 0.1, 0.9, 12), unit="text")
    run.record("undefined", None)
    run.record_interval("table", np.float64(1), np.float64(0), np.float64(2), 5)
    assert list(run.estimates.values()) == [
        Estimate(id="plain", value=0.25, n=4, unit="pair", paper=0.3),
        Estimate(id="interval", value=0.5, low=0.1, high=0.9, n=12, unit="text"),
        Estimate(id="undefined", value=None),
        Estimate(id="table", value=1.0, low=0.0, high=2.0, n=5),
    ]


def test_a_name_is_recorded_once(run: Run) -> None:
    run.record("gain", 1.0)
    with pytest.raises(ReproError, match="toy: estimate 'gain' is recorded twice"):
        run.record("gain", 2.0)
    assert run.estimates["gain"].value == 1.0


def prose(shown: list[Any]) -> str:
    return str(shown[-1].data)


def test_prose_shows_numbers_that_can_be_checked(run: Run, shown: list[Any]) -> None:
    run.record("gain", Interval(-0.12345, -0.2, 0.0, 1234))
    run.say("It is {gain:.3f}, that is {gain:ci.1f} of {gain:n}; {name} stays. {gain}", name="it")
    soup = BeautifulSoup(prose(shown), "html.parser")
    assert soup.get_text() == "It is −0.123, that is −0.1 [−0.2, 0.0] of 1234; it stays. −0.12"
    data = soup.find_all("data")
    assert all(tag["data-notebook"] == "toy" for tag in data)
    assert {tag["data-estimate"] for tag in data} == {"gain"}
    assert [(tag["data-field"], float(str(tag["value"]))) for tag in data] == [
        ("value", -0.12345),
        ("value", -0.12345),
        ("low", -0.2),
        ("high", 0.0),
        ("n", 1234),
        ("value", -0.12345),
    ]


def test_prose_marks_what_is_undefined(run: Run, shown: list[Any]) -> None:
    run.record("rho", None)
    run.record("plain", 0.5)
    run.say("{rho:.1f} {plain:ci.1f} {plain:n}")
    assert BeautifulSoup(prose(shown), "html.parser").get_text() == "– 0.5 –"


def test_prose_with_an_unknown_number_names_the_nearest(run: Run) -> None:
    with pytest.raises(ReproError, match=r"no estimate 'gian' is recorded$"):
        run.say("{gian}")
    run.record("gain", 1.0)
    with pytest.raises(ReproError, match="no estimate 'gian' is recorded; the nearest is 'gain'"):
        run.say("{gian}")


def test_names_are_escaped_in_attributes() -> None:
    text = number_html("toy", Estimate(id='a"<b', value=1.0), ".0f")
    tag = BeautifulSoup(text, "html.parser").find("data")
    assert tag is not None
    assert tag["data-estimate"] == 'a"<b'


def test_value_attribute_has_every_digit() -> None:
    value = 0.1 + 0.2
    tag = BeautifulSoup(
        number_html("toy", Estimate(id="x", value=value), ".2f"), "html.parser"
    ).data
    assert tag is not None
    assert float(str(tag["value"])) == value
    assert tag.get_text() == "0.30"


# --- figures, tables, end ------------------------------------------------------------------------


def draw(figure: Figure) -> None:
    figure.subplots().plot([0, 1], [0, 1])


def corpus() -> ParallelText:
    return ParallelText(
        name="letters",
        languages=("en", "fr"),
        texts={"en": ("a", "b"), "fr": ("c", "d")},
        item_ids=("1", "2"),
        provenance=Provenance("made here", "CC0-1.0", "none"),
    )


def test_finished_run_leaves_results_and_links(run: Run, project: Path, shown: list[Any]) -> None:
    run.record("gain", Interval(0.5, 0.1, 0.9, 12))
    run.uses_corpus(corpus())
    run.uses_model(SimpleNamespace(name="tiny", fingerprint="ab12"))  # type: ignore[arg-type]
    for tokens in (30, 12):
        run.uses_states(SimpleNamespace(computed_tokens=tokens))  # type: ignore[arg-type]
    run.table(pd.DataFrame({"a": ["x"], "b": [1.5]}), name="numbers", caption="Numbers.")
    run.figure(draw, name="line", caption="A line.", alt="A line that rises from 0 to 1.")
    returned = run.finish()

    results = read_results(project / "out" / "results.json")
    assert results == returned
    assert results.notebook == "toy"
    assert [(c.id, c.verdict, c.scale) for c in results.claims] == [("T1", "holds", "paper scale")]
    assert results.claims[0].why == "Gain 0.50 [0.10, 0.90]."
    record = results.run
    assert (record.model, record.model_fingerprint) == ("tiny", "ab12")
    assert (record.dataset, record.dataset_fingerprint) == ("letters", corpus().fingerprint)
    assert (record.seed, record.dtype, record.device, record.tokens) == (7, "float32", "cpu", 42)
    assert record.input_hash == input_hash("toy", run.parameters)
    assert "output_dir" not in record.parameters
    assert str(project) not in (project / "out" / "results.json").read_text(encoding="utf-8")
    assert {"python", "numpy", "torch", "reproutils"} <= set(record.versions)

    files = {path.name for path in (project / "out").iterdir()}
    assert files == {"results.json", "numbers.csv", "line.svg", "line.png"}
    provenance = prose(shown)
    for name in (*files, "toy.ipynb"):
        assert f"[{name}](../../downloads/toy/{name})" in provenance
    assert f'<code class="repro-input-hash">{record.input_hash}</code>' in provenance
    assert "letters (2 items" in provenance
    assert str(project) not in "".join(str(item.data) for item in shown)


def test_several_models_are_recorded_under_one_name(run: Run, project: Path) -> None:
    digests = []
    for fingerprints in (["ab", "cd"], ["ab", "cd"], ["cd", "ab"], ["abc", "d"]):
        run.uses_models("several", iter(fingerprints))
        record = run.finish().run
        assert record.model == "several"
        digests.append(record.model_fingerprint)
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


def test_run_without_model_and_texts_says_none(run: Run, project: Path) -> None:
    run.finish()
    record = read_results(project / "out" / "results.json").run
    assert (record.model, record.model_fingerprint) == ("none", "none")
    assert (record.dataset, record.dataset_fingerprint) == ("none", "none")
    assert record.tokens == 0


def test_estimate_that_is_not_finite_does_not_reach_the_file(run: Run, project: Path) -> None:
    with pytest.raises(ValueError, match="finite"):
        run.record("broken", math.nan)
    run.finish()
    assert json.loads((project / "out" / "results.json").read_text("utf-8"))["estimates"] == []


def test_verdict_says_its_outcome_in_words() -> None:
    verdict = ClaimVerdict(
        id="A4", verdict="holds in part", scale="small-scale analogue", why="x < 1 & y."
    )
    soup = BeautifulSoup(str(verdict_box(verdict).data), "html.parser")
    box = soup.div
    assert box is not None
    assert box["class"] == ["repro-verdict", "repro-verdict-holds-in-part"]
    assert box["data-claim"] == "A4"
    assert soup.get_text() == "A4: holds in part (small-scale analogue). x < 1 & y."
