"""The parallel-code corpora, their verification and the predictors taken from code."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproutils.corpora import parallel_code, syntax
from reproutils.corpora.base import Provenance
from reproutils.corpora.code_drivers import go_literal, go_type, java_literal, java_type
from reproutils.corpora.code_problems import (
    ValueType,
    camel_case,
    corpus_hash,
    parse_type,
    pascal_case,
    read_problem,
    value_problem,
    values_agree,
)
from reproutils.corpora.code_verification import main, toolchain_version, verify
from reproutils.corpora.parallel_code import LANGUAGES, ParallelCode, load_parallel_code
from reproutils.corpora.syntax import ParseError, ast_depth, shared_token_fraction
from reproutils.errors import ReproError

TOOLS = {"python": ["python"], "java": ["javac", "java"], "javascript": ["node"], "go": ["go"]}


def with_toolchain(language: str) -> Any:
    """The language as a parameter, skipped where its tools are absent."""
    lacking = [] if language == "python" else [t for t in TOOLS[language] if not shutil.which(t)]
    reason = f"{', '.join(lacking)} not installed"
    return pytest.param(language, marks=pytest.mark.skipif(bool(lacking), reason=reason))


ALL_LANGUAGES = [with_toolchain(language) for language in LANGUAGES]


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go's build cache, shared by the tests of one run and away from the project."""
    base = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setenv("REPROUTILS_CACHE", str(base))


# Problems on disk ---------------------------------------------------------------------------------

SHELF = {
    "python": """\
def shelf_gaps(slots: list[int], step: int) -> list[int]:
    return [right - left - step for left, right in zip(slots, slots[1:])]
""",
    "java": """\
import java.util.ArrayList;
import java.util.List;

class Solution {
    public static List<Integer> shelfGaps(List<Integer> slots, int step) {
        List<Integer> gaps = new ArrayList<>();
        for (int i = 1; i < slots.size(); i++) {
            gaps.add(slots.get(i) - slots.get(i - 1) - step);
        }
        return gaps;
    }
}
""",
    "javascript": """\
function shelfGaps(slots, step) {
  return slots.slice(1).map((right, i) => right - slots[i] - step);
}
""",
    "go": """\
package solution

func ShelfGaps(slots []int, step int) []int {
\tvar gaps []int
\tfor i := 1; i < len(slots); i++ {
\t\tgaps = append(gaps, slots[i]-slots[i-1]-step)
\t}
\treturn gaps
}
""",
}
SHELF_CASES = [
    ([[1, 4, 9], 1], [2, 4]),
    ([[], 1], []),
    ([[5], 1], []),
    ([[5, 5], 0], [0]),
    ([[9, 2], -1], [-6]),
]
# For each language a text of the solution and what to put in its place, by kind of damage.
DAMAGE = {
    "python": {
        "wrong": ("- step", "+ step"),
        "broken": ("zip(", "zip(("),
        "endless": ("    return", "    while True:\n        step = 1\n    return"),
        "raises": ("    return", "    slots[7]\n    return"),
        "changes": (
            "    return",
            "    slots, o = slots[:], slots\n    o.append(3)\n    return",
        ),
        "exits": ("    return", "    import os\n    os._exit(7)\n    return"),
        "renamed": ("def shelf_gaps", "def gaps"),
        "signature": ("step", "width"),
    },
    "java": {
        "wrong": ("- step", "+ step"),
        "broken": ("int i = 1;", "int i = ;"),
        "endless": ("        for", "        while (step == step) { step += 0; }\n        for"),
        "raises": ("        for", "        slots.get(7);\n        for"),
        "changes": ("return gaps", "slots.add(3);\n        return gaps"),
        "exits": ("        for", "        System.exit(7);\n        for"),
        "renamed": ("shelfGaps", "gaps"),
        "signature": ("int step", "long step"),
    },
    "javascript": {
        "wrong": ("- step", "+ step"),
        "broken": ("slice(1)", "slice(1))"),
        "endless": ("  return", "  while (true) {}\n  return"),
        "raises": ("  return", "  slots[7].x;\n  return"),
        "changes": (
            "  return",
            "  const given = slots;\n  slots = [...given];\n  given.push(3);\n  return",
        ),
        "exits": ("  return", "  process.exit(7);\n  return"),
        "renamed": ("function shelfGaps", "function gaps"),
        "signature": ("(slots, step)", "(slots)"),
    },
    "go": {
        "wrong": ("-step", "+step"),
        "broken": ("i := 1;", "i := ;"),
        "endless": ("\tfor", "\tfor step == step {\n\t\tstep += 0\n\t}\n\tfor"),
        "raises": ("\tfor", "\t_ = slots[7]\n\tfor"),
        "changes": ("\treturn", "\tif len(slots) > 0 {\n\t\tslots[0] = 77\n\t}\n\treturn"),
        "exits": ("\tfor", "\tgo panic(7)\n\tfor {\n\t}\n\tfor"),
        "renamed": ("ShelfGaps", "Gaps"),
        "signature": ("step int", "step int64"),
    },
}


def problem_record(name: str = "shelf_gaps") -> dict[str, Any]:
    return {
        "id": name,
        "title": "Shelf gaps",
        "category": "arrays",
        "statement": "Gaps between neighbouring slots, less a step.",
        "entry_point": name,
        "parameters": [{"name": "slots", "type": "list[int]"}, {"name": "step", "type": "int"}],
        "returns": "list[int]",
        "cases": deepcopy([{"args": args, "expected": value} for args, value in SHELF_CASES]),
    }


def write_problem(
    root: Path, record: dict[str, Any], solutions: dict[str, str] | None = None
) -> Path:
    folder = root / str(record["id"])
    folder.mkdir(parents=True)
    (folder / "problem.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    for language, text in (SHELF if solutions is None else solutions).items():
        path = folder / parallel_code.SOLUTION_FILES[language]
        path.write_text(text, encoding="utf-8")
    return folder


def write_damaged(root: Path, kind: str, language: str) -> None:
    """The shelf problem under the name of the damage, damaged in one language."""
    old, new = DAMAGE[language][kind]
    assert old in SHELF[language]
    text = SHELF[language].replace(old, new)
    for spelling in (str, camel_case, pascal_case):
        text = text.replace(spelling("shelf_gaps"), spelling(kind))
    write_problem(root, problem_record(kind), {language: text})


@pytest.mark.parametrize("language", ALL_LANGUAGES)
def test_each_kind_of_damage_is_named_and_spares_the_rest(tmp_path: Path, language: str) -> None:
    write_problem(tmp_path, problem_record())
    for kind in DAMAGE[language]:
        write_damaged(tmp_path, kind, language)
    report = verify(tmp_path, languages=[language], time_limit=2.0)

    assert (report.passed, report.total, report.ok) == (1, 1 + len(DAMAGE[language]), False)
    by_id: dict[str, list[Any]] = {}
    for failure in report.failures:
        assert failure.language == language
        by_id.setdefault(failure.id, []).append(failure)
    assert set(by_id) == set(DAMAGE[language])

    wrong = by_id["wrong"][0]
    assert (wrong.case, wrong.expected, wrong.got) == (1, "[2, 4]", "[4, 6]")
    assert [failure.case for failure in by_id["wrong"]] == [1, 5]
    assert [(f.case, f.message) for f in by_id["endless"]] == [(1, "no answer within 2 s")]
    (ended,) = by_id["exits"]
    assert ended.case == 1
    assert ended.message.startswith("the process ended")
    assert len(by_id["raises"]) == len(SHELF_CASES)
    assert "line " in by_id["raises"][0].message
    assert "changes its arguments" in by_id["changes"][-1].message
    for kind in ("broken", "renamed", "signature"):
        assert by_id[kind][0].case is None
    lines = {"python": 2, "java": 7, "javascript": 2, "go": 5}
    assert f"line {lines[language]}" in by_id["broken"][0].message


TYPED = {
    "python": """\
def crate_tags(a: int, b: int, c: float, d: bool, e: str, f: dict[str, list[int]],
               g_h: list[dict[str, str]]) -> dict[str, list[float]]:
    tags = {key: [float(value) for value in values] for key, values in f.items()}
    return tags | {e: [float(a), float(b), c, 1.0 if d else 0.0, float(len(g_h))]}
""",
    "java": """\
import java.util.*;

public class Solution {
    public static Map<String, List<Double>> crateTags(int a, long b, double c, boolean d, String e,
            Map<String, List<Long>> f, List<Map<String, String>> gH) {
        Map<String, List<Double>> tags = new TreeMap<>();
        f.forEach((key, values) -> tags.put(key, values.stream().map(v -> (double) v).toList()));
        tags.put(e, List.of((double) a, (double) b, c, d ? 1.0 : 0.0, (double) gH.size()));
        return tags;
    }
}
""",
    "javascript": """\
function crateTags(a, b, c, d, e, f, gH) {
  return { ...f, [e]: [a, b, c, d ? 1 : 0, gH.length] };
}
""",
    "go": """\
package solution

func CrateTags(
	a int, b int64, c float64, d bool, e string,
	f map[string][]int64, gH []map[string]string,
) map[string][]float64 {
	tags := map[string][]float64{}
	for key, values := range f {
		tags[key] = nil
		for _, value := range values {
			tags[key] = append(tags[key], float64(value))
		}
	}
	flag := 0.0
	if d {
		flag = 1
	}
	tags[e] = []float64{float64(a), float64(b), c, flag, float64(len(gH))}
	return tags
}
""",
}


@pytest.mark.parametrize("language", ALL_LANGUAGES)
def test_every_type_reaches_the_solution_and_comes_back(tmp_path: Path, language: str) -> None:
    names = ["a", "b", "c", "d", "e", "f", "g_h"]
    kinds = ["int", "long", "float", "bool", "str", "dict[str,list[long]]", "list[dict[str,str]]"]
    odd = 'q"\\ $%s \\u0041\n\t'
    calls = [
        ([-(2**31), 2**53, 1e-300, True, odd, {"k": [1, -2], "": []}, [{"x": odd}, {}]], 2.0),
        ([0, 0, 0.0, False, "", {}, []], 0.0),
        ([1, -(2**53), 1e22, False, "a", {}, [{}]], 1.0),
        ([2, 0, -0.1, True, "a", {"b": [7]}, []], 0.0),
        ([2**31 - 1, 1, 123456789.125, True, "a", {"a": [7]}, []], 0.0),
    ]
    cases = []
    for args, size in calls:
        expected = {key: [float(v) for v in values] for key, values in args[5].items()}  # type: ignore[attr-defined]
        numbers = [float(args[0]), float(args[1]), args[2], float(args[3]), size]  # type: ignore[arg-type]
        cases.append({"args": args, "expected": expected | {args[4]: numbers}})
    record = problem_record("crate_tags") | {
        "parameters": [{"name": n, "type": k} for n, k in zip(names, kinds, strict=True)],
        "returns": "dict[str, list[float]]",
        "cases": cases,
    }
    write_problem(tmp_path, record, TYPED)
    report = verify(tmp_path, languages=[language])
    assert report.failures == ()
    assert report.ok


def test_python_results_must_be_of_the_declared_kind(tmp_path: Path) -> None:
    text = SHELF["python"].replace("return [", "return tuple([").replace("])]", "])])")
    write_problem(tmp_path, problem_record(), {"python": text})
    report = verify(tmp_path, languages=["python"])
    assert {failure.message for failure in report.failures} == {"TypeError: returned a tuple"}


def test_report_counts_pairs_and_is_written(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    write_problem(corpus, problem_record(), {"python": SHELF["python"]})
    other = SHELF["python"].replace("shelf_gaps", "other_gaps")
    write_problem(corpus, problem_record("other_gaps"), {"python": other})
    record = tmp_path / "record.json"

    assert main([str(corpus), "--languages", "python", "--record", str(record)]) == 0
    written = json.loads(record.read_text(encoding="utf-8"))
    assert (written["passed"], written["total"], written["cases"]) == (2, 2, 10)
    assert written["toolchain"] == {"python": toolchain_version("python")}
    assert written["ids"] == ["other_gaps", "shelf_gaps"]

    digest = hashlib.sha256()
    for path in sorted(corpus.rglob("*.*"), key=lambda p: p.relative_to(corpus).as_posix()):
        name, content = path.relative_to(corpus).as_posix(), path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    assert written["corpus_sha256"] == digest.hexdigest()
    assert "2 of 2 passed" in verify(corpus, languages=["python"]).summary()


def test_corpus_hash_sees_content_and_names(tmp_path: Path) -> None:
    folder = write_problem(tmp_path, problem_record())
    first = corpus_hash([folder])
    (folder / "solution.py").write_text("x\n", encoding="utf-8")
    second = corpus_hash([folder])
    moved = folder.rename(tmp_path / "moved")
    assert len({first, second, corpus_hash([moved])}) == 3


def test_exit_status_tells_failure_from_misuse(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_damaged(tmp_path, "wrong", "python")
    assert main([str(tmp_path), "--languages", "python", "--ids", "wrong"]) == 1
    assert "wrong python case 1: wrong answer: expected [2, 4], got [4, 6]" in (
        capsys.readouterr().out
    )
    for arguments, message in (
        (["--ids", "absent"], "no problem absent"),
        (["--languages", "cobol"], "unknown language cobol"),
    ):
        assert main([str(tmp_path), *arguments]) == 2
        assert message in capsys.readouterr().err
    assert main([str(tmp_path / "nowhere")]) == 2


@pytest.mark.parametrize(
    ("language", "package"),
    [("java", "default-jdk-headless"), ("javascript", "nodejs"), ("go", "golang-go")],
)
def test_missing_toolchain_names_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, package: str
) -> None:
    write_problem(tmp_path, problem_record())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ReproError, match=f"install the Debian package {package}"):
        verify(tmp_path, languages=[language])


def test_files_of_a_problem_are_checked(tmp_path: Path) -> None:
    folder = write_problem(tmp_path, problem_record(), {"python": SHELF["python"].rstrip()})
    (folder / "notes.txt").write_text("x\n", encoding="utf-8")
    (tmp_path / "bare").mkdir()
    report = verify(tmp_path, languages=["python"])
    assert {str(failure) for failure in report.failures} == {
        "bare: problem.json is missing",
        "shelf_gaps: unexpected file notes.txt",
        "shelf_gaps python: solution.py does not end in a newline",
    }
    (folder / "solution.py").unlink()
    again = verify(tmp_path, languages=["python"], ids=["shelf_gaps"])
    assert "shelf_gaps python: solution.py is missing" in [str(f) for f in again.failures]
    assert (again.passed, again.total) == (0, 1)


def put(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda record: record.__setitem__(key, value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("id", "other"), "id 'other' differs from the folder's name 'shelf_gaps'"),
        (put("entry_point", "gaps"), "entry_point 'gaps' differs from the id"),
        (put("note", 1), "note: Extra inputs are not permitted"),
        (put("title", ""), "title"),
        (put("title", 3), "title: Input should be a valid string"),
        (put("statement", "two\nlines"), "statement"),
        (put("returns", "list[number]"), "unknown type 'list\\[number\\]'"),
        (put("parameters", []), "parameters"),
        (lambda r: r.pop("category"), "category: Field required"),
        (lambda r: r["cases"].pop(), "cases: List should have at least 5 items"),
        (lambda r: r["cases"][1]["args"].pop(), "case 2 has 1 arguments, not 2"),
        (lambda r: r["cases"][1]["args"].__setitem__(1, 1.0), "case 2: step is 1.0, not of type"),
        (lambda r: r["cases"][1]["args"].__setitem__(1, True), "case 2: step is true"),
        (lambda r: r["cases"][1]["args"].__setitem__(1, 2**31), "too large for int"),
        (lambda r: r["cases"][0]["expected"].append("x"), 'case 1: expected\\[2\\] is "x"'),
        (lambda r: r["cases"].append(r["cases"][0]), "case 6 has the same arguments as case 1"),
        (lambda r: r["parameters"][1].__setitem__("name", "slots"), "parameter names repeat"),
        (lambda r: r["parameters"][1].__setitem__("name", "lambda"), "'lambda' is a Python"),
        (lambda r: r["parameters"][1].__setitem__("name", "Step"), "parameters.1.name"),
    ],
)
def test_faults_of_the_problem_file(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    record = problem_record()
    change(record)
    folder = write_problem(tmp_path, problem_record())
    (folder / "problem.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(ReproError, match=message):
        read_problem(folder)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"step", "type": "int"', '"step", "type": "int", "type": "int"', "occurs twice"),
        ("[9, 2]", "[NaN, 2]", "NaN is not allowed"),
        ("{", "", "Extra data"),
    ],
)
def test_problem_file_is_strict_json(tmp_path: Path, old: str, new: str, message: str) -> None:
    folder = write_problem(tmp_path, problem_record())
    text = json.dumps(problem_record())
    assert old in text
    (folder / "problem.json").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ReproError, match=message):
        read_problem(folder)


# Types and literals -------------------------------------------------------------------------------

SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "int": st.integers(-(2**31), 2**31 - 1),
    "long": st.integers(-(2**53), 2**53),
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "bool": st.booleans(),
    "str": st.text(st.characters(max_codepoint=127), max_size=5),
}


def spelt(kind: ValueType) -> str:
    if kind.kind == "list":
        return f"list[{spelt(kind.element)}]"
    if kind.kind == "dict":
        return f"dict[str,{spelt(kind.element)}]"
    return kind.kind


KINDS = st.recursive(
    st.sampled_from(sorted(SCALARS)).map(ValueType),
    lambda inner: st.builds(ValueType, st.sampled_from(["list", "dict"]), inner),
    max_leaves=4,
)


def values(kind: ValueType) -> st.SearchStrategy[Any]:
    if kind.kind == "list":
        return st.lists(values(kind.element), max_size=3)
    if kind.kind == "dict":
        return st.dictionaries(SCALARS["str"], values(kind.element), max_size=3)
    return SCALARS[kind.kind]


@given(st.data())
def test_values_of_a_type_are_accepted_through_json(data: st.DataObject) -> None:
    kind = data.draw(KINDS)
    value = data.draw(values(kind))
    read = json.loads(json.dumps(value))
    assert parse_type(spelt(kind)) == kind
    assert value_problem(read, kind, "x") is None
    assert values_agree(value, read, kind)


@given(st.data())
def test_values_wrapped_in_a_list_are_refused(data: st.DataObject) -> None:
    kind = data.draw(KINDS.filter(lambda kind: kind.kind != "list"))
    value = data.draw(values(kind))
    assert value_problem([value], kind, "x") is not None
    assert not values_agree(value, [value], kind)


def test_agreement_is_exact_but_for_floats() -> None:
    number, whole = ValueType("float"), ValueType("int")
    assert values_agree(1.0, 1, number)
    assert values_agree(1e9, 1e9 + 0.5, number)
    assert not values_agree(1.0, 1.0 + 1e-8, number)
    assert not values_agree(1.0, True, number)
    assert not values_agree(1.0, 10**400, number)
    assert not values_agree(1.0, float("nan"), number)
    assert not values_agree(1, 1.0, whole)
    assert not values_agree(1, True, whole)
    assert not values_agree([1], [1, 1], ValueType("list", whole))
    assert not values_agree({"a": 1}, {"b": 1}, ValueType("dict", whole))


def test_types_and_literals_of_java_and_go() -> None:
    kind = parse_type("list[dict[str, long]]")
    assert java_type(kind) == "java.util.List<java.util.Map<java.lang.String, java.lang.Long>>"
    assert go_type(kind) == "[]map[string]int64"
    assert java_type(parse_type("float")) == "double"
    assert java_literal([1], parse_type("list[long]")) == (
        "new java.util.ArrayList<java.lang.Long>(java.util.Arrays.<java.lang.Long>asList(1L))"
    )
    assert java_literal([], parse_type("list[str]")) == (
        "new java.util.ArrayList<java.lang.String>()"
    )
    assert go_literal({"a": [True]}, parse_type("dict[str,list[bool]]")) == (
        'map[string][]bool{"a": []bool{bool(true)}}'
    )
    with pytest.raises(ReproError, match="unknown type 'dict"):
        parse_type("dict[int,str]")


def test_names_in_the_other_languages() -> None:
    assert camel_case("top_3_seed_bins") == "top3SeedBins"
    assert pascal_case("ferry_loads") == "FerryLoads"


# Loading ------------------------------------------------------------------------------------------

PREFIXES = {"python": "Python", "java": "Java", "javascript": "JavaScript", "go": "Go"}
SHORT = {"python": "python", "java": "java", "javascript": "js", "go": "go"}
MARKS = {"python": "#", "java": "//", "javascript": "//", "go": "//"}
DECLARATIONS = {
    "python": "\n\ndef half(x: int) -> int:\n",
    "java": "import java.util.*;\n\nclass Solution {\n    public int half(int x) {\n",
    "javascript": "\nconst half = (x) => {\n",
    "go": "\nfunc Half(x int) int {\n",
}
SOLUTIONS = {
    "python": "    return x // 2\n",
    "java": "        return Math.floorDiv(x, 2);\n    }\n}",
    "javascript": "  return Math.floor(x / 2);\n}\n\n",
    "go": "    return int(math.Floor(float64(x) / 2))\n}\n\n",
}


def humaneval_rows(language: str, n: int = 3) -> list[dict[str, Any]]:
    rows = []
    for number in range(n):
        row = {
            "task_id": f"{PREFIXES[language]}/{number}",
            "prompt": f"{MARKS[language]} half number {number}\n{DECLARATIONS[language]}",
            "declaration": DECLARATIONS[language].replace("x", "xyz"[number]),
            "canonical_solution": SOLUTIONS[language].replace("x", "xyz"[number]),
        }
        if language == "go":
            row["import"] = 'import (\n    "math"\n)\n'
        rows.append(row)
    return rows


def write_lines(folder: Path, language: str, rows: list[dict[str, Any]]) -> None:
    path = folder / f"humaneval_{SHORT[language]}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def humaneval(tmp_path: Path) -> Path:
    for language in LANGUAGES:
        write_lines(tmp_path, language, humaneval_rows(language))
    return tmp_path


def test_humaneval_x_texts_are_whole_and_tidy(humaneval: Path) -> None:
    corpus = load_parallel_code(f"path:{humaneval}")
    assert corpus.languages == LANGUAGES
    assert corpus.item_ids == ("HumanEval/0", "HumanEval/1", "HumanEval/2")
    assert corpus.texts["python"][1] == "def half(y: int) -> int:\n    return y // 2\n"
    assert corpus.texts["go"][0] == (
        'import (\n    "math"\n)\n\nfunc Half(x int) int {\n'
        "    return int(math.Floor(float64(x) / 2))\n}\n"
    )
    assert corpus.texts["java"][0].endswith("        return Math.floorDiv(x, 2);\n    }\n}\n")
    assert corpus.bodies["javascript"][2] == "  return Math.floor(z / 2);\n}\n"
    assert corpus.texts_as("prompt+solution")["python"][0] == (
        "# half number 0\n\n\ndef half(x: int) -> int:\n    return x // 2\n"
    )
    assert corpus.definitions == ("declaration+solution", "solution", "prompt+solution")
    for definition in corpus.definitions:
        for language, texts in corpus.texts_as(definition).items():
            assert all(ast_depth(text, language) > 3 for text in texts)


def test_languages_are_joined_by_problem_and_not_by_line(humaneval: Path) -> None:
    before = load_parallel_code(f"path:{humaneval}")
    write_lines(humaneval, "java", humaneval_rows("java")[::-1])
    after = load_parallel_code(f"path:{humaneval}")
    assert after == before
    assert after.fingerprint == before.fingerprint


def test_fingerprint_sees_every_part(humaneval: Path) -> None:
    fingerprints = {load_parallel_code(f"path:{humaneval}").fingerprint}
    for name in ("prompt", "declaration", "canonical_solution"):
        rows = humaneval_rows("go")
        rows[1][name] += "// end\n"
        write_lines(humaneval, "go", rows)
        fingerprints.add(load_parallel_code(f"path:{humaneval}").fingerprint)
    assert len(fingerprints) == 4


def test_take_keeps_the_parts_together(humaneval: Path) -> None:
    corpus = load_parallel_code(f"path:{humaneval}")
    part = corpus.take(2, seed=3)
    assert part == corpus.take(2, seed=3)
    assert corpus.take(0, seed=3) == corpus
    rows = [corpus.item_ids.index(item) for item in part.item_ids]
    assert rows == sorted(rows)
    assert len(part) == len(rows) == 2
    for mine, whole in (
        (part.texts, corpus.texts),
        (part.prompts, corpus.prompts),
        (part.bodies, corpus.bodies),
    ):
        assert mine == {lang: tuple(texts[r] for r in rows) for lang, texts in whole.items()}


def edit(name: str, value: Any) -> Callable[[list[dict[str, Any]]], None]:
    return lambda rows: rows[1].__setitem__(name, value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[1].pop("declaration"), r"_js.jsonl, line 2: no field 'declaration'"),
        (edit("canonical_solution", " \n"), r"line 2: the field 'canonical_solution' holds no"),
        (edit("prompt", 3), r"line 2: the field 'prompt' holds no text"),
        (edit("import", 3), r"line 2: the field 'import' holds no text"),
        (edit("task_id", "Java/1"), r"line 2: task_id 'Java/1' .* is this the javascript file"),
        (edit("task_id", "JavaScript/0"), r"_js.jsonl repeats HumanEval/0"),
        (edit("task_id", "JavaScript/9"), r"_js.jsonl lacks HumanEval/1 of .*_python.jsonl"),
        (lambda rows: rows.pop(), r"_js.jsonl lacks HumanEval/2 of"),
        (
            lambda rows: rows.append(rows[0] | {"task_id": "JavaScript/7"}),
            r"_python.jsonl lacks HumanEval/7 of .*_js.jsonl",
        ),
        (lambda rows: rows.clear(), r"_js.jsonl holds no problems"),
    ],
)
def test_faults_of_a_line_file(
    humaneval: Path, change: Callable[[list[dict[str, Any]]], object], message: str
) -> None:
    rows = humaneval_rows("javascript")
    change(rows)
    write_lines(humaneval, "javascript", rows)
    with pytest.raises(ReproError, match=message) as caught:
        load_parallel_code(f"path:{humaneval}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"task_id": \n', "line 1: not JSON"),
        (b"[1]\n", "line 1: not a record"),
        (b'{"task_id": "Go/\xff"}\n', "line 1: not UTF-8"),
    ],
)
def test_lines_that_are_no_records(humaneval: Path, content: bytes, message: str) -> None:
    (humaneval / "humaneval_go.jsonl").write_bytes(content)
    with pytest.raises(ReproError, match=message):
        load_parallel_code(f"path:{humaneval}")


def test_missing_language_is_named(humaneval: Path) -> None:
    (humaneval / "humaneval_go.jsonl").unlink()
    with pytest.raises(ReproError, match=r"lacks humaneval_go\.jsonl"):
        load_parallel_code(f"path:{humaneval}")


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("paralel-code", "parallel-code"), ("human-eval-pack", "humanevalpack"), ("path:", "path:F")],
)
def test_unknown_name_gives_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(ReproError, match=f"the nearest is {nearest}"):
        load_parallel_code(name)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A stand-in for ``datasets`` that serves the rows in the returned dictionary."""
    tables: dict[str, Any] = {SHORT[language]: humaneval_rows(language) for language in LANGUAGES}

    def load_dataset(path: str, name: str, split: str) -> Any:
        assert (path, split) == ("bigcode/humanevalpack", "test")
        if isinstance(tables[name], Exception):
            raise tables[name]
        return tables[name]

    module = ModuleType("datasets")
    module.load_dataset = load_dataset  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", module)
    return tables


def test_hub_rows_give_the_same_corpus(hub: dict[str, Any], humaneval: Path) -> None:
    corpus = load_parallel_code("humanevalpack")
    assert len(hub) == len(corpus.languages)
    assert corpus.fingerprint == load_parallel_code(f"path:{humaneval}").fingerprint
    assert corpus.provenance.licence == "MIT"


def test_hub_errors_are_one_line(hub: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    hub["js"][1]["declaration"] = ""
    with pytest.raises(ReproError, match="bigcode/humanevalpack js, row 2: the field 'decl"):
        load_parallel_code("humanevalpack")
    hub["java"] = ConnectionError("no route\nto host")
    with pytest.raises(ReproError, match="configuration java: no route; check the network"):
        load_parallel_code("humanevalpack")
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ReproError, match="pip install datasets"):
        load_parallel_code("humanevalpack")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder with two problems of its own; its problem folder is returned."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "models.toml").touch()
    monkeypatch.setenv("REPROUTILS_ROOT", str(tmp_path))
    problems = tmp_path / "data" / "parallel_code" / "problems"
    write_problem(problems, problem_record())
    write_problem(problems, problem_record("a_first"))
    return problems


def test_own_corpus_is_read_in_order_of_ids(project: Path) -> None:
    corpus = load_parallel_code()
    assert corpus.name == "parallel-code"
    assert corpus.item_ids == ("a_first", "shelf_gaps")
    assert corpus.texts == {language: (SHELF[language],) * 2 for language in LANGUAGES}
    assert corpus.definitions == ("declaration+solution",)
    with pytest.raises(ReproError, match=r"no text 'solution'; choose from declaration\+solution"):
        corpus.texts_as("solution")
    assert len(corpus.take(1, seed=0)) == 1
    assert project.is_dir()


def test_faults_of_the_own_corpus(project: Path) -> None:
    (project / "shelf_gaps" / "solution.go").write_text(" \n", encoding="utf-8")
    with pytest.raises(ReproError, match=r"solution\.go is empty"):
        load_parallel_code()
    (project / "shelf_gaps" / "solution.go").unlink()
    with pytest.raises(ReproError, match=r"lacks shelf_gaps/solution\.go"):
        load_parallel_code()
    shutil.rmtree(project)
    with pytest.raises(ReproError, match="holds no problem folders"):
        load_parallel_code()


def test_rows_must_fit_together() -> None:
    with pytest.raises(ReproError, match="1 texts in go for 2 items"):
        ParallelCode(
            name="x",
            languages=("go",),
            texts={"go": ("a", "b")},
            item_ids=("1", "2"),
            provenance=Provenance("", "", ""),
            bodies={"go": ("a",)},
        )


# Syntax -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "code", "depth"),
    [
        # module, expression statement, identifier
        ("python", "x\n", 3),
        # module, function, block, return statement, identifier
        ("python", "def f():\n    return x\n", 5),
        # program, class, class body, method, block, return statement, literal
        ("java", "class C { int f() { return 1; } }", 7),
        # program, method, block, return statement, literal
        ("java", "int f() { return 1; }", 5),
        # program, function, statement block, return statement, number
        ("javascript", "function f() { return 1; }", 5),
        # source file, function, block, statement list, return, expression list, literal
        ("go", "package p\n\nfunc f() int { return 1 }\n", 7),
        ("go", "func f() int { return 1 }\n", 7),
    ],
)
def test_depth_counted_by_hand(language: str, code: str, depth: int) -> None:
    assert ast_depth(code, language) == depth


@pytest.mark.parametrize(
    ("language", "fragment", "same"),
    [
        ("java", "return 1;\n}\n}\n", "return 1;"),
        ("java", "return 1;\n}\n", "return 1;"),
        ("javascript", "return 1;\n}\n", "return 1;"),
        ("go", "    return 1\n}\n", "return 1\n"),
        (
            "python",
            "    if x:\n        return 1\n    return 2\n",
            "if x:\n    return 1\nreturn 2\n",
        ),
    ],
)
def test_a_shell_adds_no_depth(language: str, fragment: str, same: str) -> None:
    assert ast_depth(fragment, language) == ast_depth(same, language)


def test_a_constructor_needs_a_class_around_it() -> None:
    alone, inside = "C(int x) { this.x = x; }", "class C { C(int x) { this.x = x; } }"
    assert ast_depth(alone, "java") == ast_depth(inside, "java") - 2


@given(st.integers(0, 40))
def test_each_bracket_adds_one(depth: int) -> None:
    assert ast_depth("[" * depth + "x" + "]" * depth, "python") == 3 + depth


@pytest.mark.parametrize("language", LANGUAGES)
def test_deep_code_does_not_exhaust_recursion(language: str) -> None:
    n = 5 * sys.getrecursionlimit()
    end = "" if language in {"python", "go"} else ";"
    code = {"java": "int y = ", "go": "var y = "}.get(language, "")
    shallow = ast_depth(f"{code}(x){end}\n", language)
    assert ast_depth(f"{code}{'(' * n}x{')' * n}{end}\n", language) == shallow + n - 1


@pytest.mark.parametrize(
    ("language", "code"),
    [(language, SHELF[language]) for language in LANGUAGES],
)
def test_depth_equals_a_recursive_count(language: str, code: str) -> None:
    def count(node: Any) -> int:
        return int(node.is_named) + max((count(child) for child in node.children), default=0)

    assert ast_depth(code, language) == count(
        syntax._parser(language).parse(code.encode()).root_node
    )


@pytest.mark.parametrize(("language", "mark"), MARKS.items())
def test_comments_do_not_count(language: str, mark: str) -> None:
    lines = SHELF[language].splitlines()
    inner = {"java": "class C {{ {}}}", "go": "func f() {{ {}}}"}.get(language, "x\n{}")
    assert ast_depth(inner.format(f"{mark} note\n"), language) == ast_depth(
        inner.format(""), language
    )
    commented = "\n".join(f"{line} {mark} {'('.join('abc')}" for line in lines)
    assert ast_depth(commented, language) == ast_depth(SHELF[language], language)
    with pytest.raises(ParseError, match=f"no {language} code"):
        ast_depth(f"{mark} nothing here\n", language)


@pytest.mark.parametrize(
    ("language", "code", "place"),
    [
        ("python", "x = 1\ny = (2\n", "line 2"),
        ("java", "class C {\n  int f( { return 1; }\n}\n", "line 2"),
        ("javascript", "const x = 1;\nfunction f( { return 1; }}\n", "line 2"),
        ("go", "package p\n\nfunc f( { return 1 }\n", "line 3"),
    ],
)
def test_code_that_does_not_parse_is_a_failure(language: str, code: str, place: str) -> None:
    with pytest.raises(ParseError, match=f"{language} syntax error in {place}"):
        ast_depth(code, language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", [" \n", "}\n", "}\n}\n"])
def test_nothing_has_no_depth(language: str, code: str) -> None:
    with pytest.raises(ParseError):
        ast_depth(code, language)


def test_unknown_and_missing_grammars(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ReproError, match="no grammar for 'cobol'"):
        ast_depth("x", "cobol")
    syntax._parser.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)
    with pytest.raises(ReproError, match="pip install tree-sitter tree-sitter-go"):
        ast_depth("x", "go")


TOKENS = st.lists(st.text("abcd", max_size=2), max_size=8)


@given(TOKENS, TOKENS)
def test_shared_fraction_is_the_jaccard_index_of_types(a: list[str], b: list[str]) -> None:
    types = [token for n, token in enumerate(a + b) if token not in (a + b)[:n]]
    if not types:
        with pytest.raises(ReproError, match="without tokens"):
            shared_token_fraction(a, b)
        return
    common = sum(1 for token in types if token in a and token in b)
    value = shared_token_fraction(a, b)
    assert value == pytest.approx(common / len(types))
    assert value == shared_token_fraction(b, a * 3)


def test_shared_fraction_of_known_texts() -> None:
    assert shared_token_fraction(["a", "b", "b"], ["b", "c"]) == pytest.approx(1 / 3)
    assert shared_token_fraction(["a"], []) == 0.0
    assert shared_token_fraction(["a", "a"], ["a"]) == 1.0
