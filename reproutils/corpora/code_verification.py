"""Check the parallel-code corpus by running it: every solution, in every language, on every case.

A problem is a folder that holds ``problem.json`` and one solution file per language. All problems
of a language share one compiler call and one process, which is started again without a problem that
crashed it or ran out of time, so that a broken problem is named and does not take the others down.

    python -m reproutils.corpora.code_verification data/parallel_code/problems
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from reproutils.corpora.code_drivers import (
    GO_MAIN,
    JAVA_SUPPORT,
    NODE_DRIVER,
    PYTHON_DRIVER,
    go_driver,
    java_driver,
)
from reproutils.corpora.code_problems import (
    PROBLEM_FILE,
    Problem,
    camel_case,
    corpus_hash,
    read_problem,
    shown,
    values_agree,
)
from reproutils.corpora.parallel_code import LANGUAGES, SOLUTION_FILES
from reproutils.errors import ReproError
from reproutils.paths import atomic_write, cache_dir

TIME_LIMIT_S = 20.0
_STARTUP_LIMIT_S = 120.0
_COMPILE_LIMIT_S = 900.0
_POLL_S = 0.02

_TOOLS = {
    "python": ("python", (), ""),
    "java": ("javac", ("java",), "default-jdk-headless"),
    "javascript": ("node", (), "nodejs"),
    "go": ("go", (), "golang-go"),
}
_VERSION_ARGUMENTS = {"java": "-version", "javascript": "--version", "go": "version"}
_JAVA_RELEASE = 17


# Report -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Failure:
    """One thing that is wrong. ``language`` is empty for a fault of the problem itself; ``case``
    counts from 1 and is None for a fault that belongs to no case; ``expected`` and ``got`` are
    JSON texts, empty when there is nothing to compare."""

    id: str
    language: str
    case: int | None
    message: str
    expected: str = ""
    got: str = ""

    def __str__(self) -> str:
        parts = [self.id, self.language, f"case {self.case}" if self.case else ""]
        place = " ".join(part for part in parts if part)
        values = f": expected {self.expected}, got {self.got}" if self.expected else ""
        return f"{place}: {self.message}{values}"


@dataclass(frozen=True)
class VerificationReport:
    """What was run and what failed.

    ``total`` is problems × languages and ``passed`` how many of those pairs gave every expected
    value; ``toolchain`` maps each language to its version; ``corpus_sha256`` is
    :func:`corpus_hash` of the problems that were run.
    """

    ids: tuple[str, ...]
    languages: tuple[str, ...]
    cases: int
    passed: int
    total: int
    failures: tuple[Failure, ...]
    toolchain: dict[str, str] = field(hash=False)
    corpus_sha256: str

    @property
    def ok(self) -> bool:
        """Whether nothing at all is wrong."""
        return not self.failures and self.passed == self.total

    def summary(self) -> str:
        """A line per failure, then the counts, the toolchain and the corpus hash."""
        versions = ", ".join(f"{name} {version}" for name, version in self.toolchain.items())
        return "\n".join(
            [
                *(str(failure) for failure in self.failures),
                f"{self.passed} of {self.total} passed "
                f"({len(self.ids)} problems x {len(self.languages)} languages, "
                f"{self.cases} cases in each)",
                f"toolchain: {versions}",
                f"corpus sha256: {self.corpus_sha256}",
            ]
        )

    def to_record(self) -> dict[str, Any]:
        """The report as JSON-ready data; equal inputs give equal records."""
        return {
            "problems": len(self.ids),
            "languages": list(self.languages),
            "cases": self.cases,
            "passed": self.passed,
            "total": self.total,
            "toolchain": self.toolchain,
            "corpus_sha256": self.corpus_sha256,
            "failures": [asdict(failure) for failure in self.failures],
            "ids": list(self.ids),
        }

    def write(self, target: Path) -> None:
        """Write the record as a JSON file."""
        with atomic_write(target) as temporary:
            temporary.write_text(
                json.dumps(self.to_record(), indent=2, ensure_ascii=False) + "\n",
                encoding="utf-8",
            )


def _text_fault(path: Path) -> str | None:
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return "is not UTF-8"
    if not text.strip():
        return "is empty"
    if "\r" in text:
        return "has carriage returns"
    if not text.endswith("\n"):
        return "does not end in a newline"
    return next(
        (
            f"line {number} ends in white space"
            for number, line in enumerate(text.split("\n"), start=1)
            if line != line.rstrip()
        ),
        None,
    )


# Running ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Entry:
    """A problem that can be run: its content and its folder."""

    problem: Problem
    folder: Path

    def solution(self, language: str) -> Path:
        return self.folder / SOLUTION_FILES[language]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _call(command: Sequence[str], cwd: Path, environment: Mapping[str, str] | None = None) -> str:
    """Run a compiler; its complaints (standard output and error) when it fails, else nothing."""
    try:
        finished = subprocess.run(
            list(command),
            cwd=cwd,
            env=dict(environment) if environment else None,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_COMPILE_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ReproError(f"{command[0]} did not finish in {_COMPILE_LIMIT_S:.0f} s") from None
    if finished.returncode == 0:
        return ""
    return finished.stdout or f"{command[0]} exited with status {finished.returncode}"


def _compile_all(
    entries: Sequence[_Entry],
    language: str,
    compile_ids: Callable[[Sequence[_Entry]], str],
    pattern: re.Pattern[str],
) -> tuple[list[_Entry], list[Failure]]:
    """Compile; name and drop the problems with errors; compile the rest, until it goes through.

    ``pattern`` finds an error in the compiler's output: group ``id`` for an error in a solution,
    ``driver`` for one in the driver of that problem, ``line``, ``message`` and, where the compiler
    names it on a line of its own, ``symbol``.
    """
    left, failures = list(entries), []
    while left:
        output = compile_ids(left)
        if not output:
            break
        found: dict[str, list[str]] = {}
        for match in pattern.finditer(output):
            groups = match.groupdict()
            name = groups["id"]
            place = f"{SOLUTION_FILES[language]} line {groups['line']}"
            if name is None:
                name, place = groups["driver"], "call with the declared types"
            symbol = f" ({' '.join(groups['symbol'].split())})" if groups.get("symbol") else ""
            message = groups["message"].strip()
            found.setdefault(name, []).append(f"{place}: {message}{symbol}")
        known = {entry.problem.id for entry in left}
        if not known & found.keys():
            raise ReproError(f"the {language} compiler failed: {' '.join(output.split())[:600]}")
        for name in sorted(known & found.keys()):
            messages = list(dict.fromkeys(found[name]))
            failures += [
                Failure(name, language, None, f"compile error: {text}") for text in messages[:3]
            ]
        left = [entry for entry in left if entry.problem.id not in found]
    return left, failures


def _run_all(
    entries: Sequence[_Entry],
    language: str,
    command: Sequence[str],
    work: Path,
    time_limit: float,
    environment: Mapping[str, str] | None = None,
) -> list[Failure]:
    """Run the driver over all problems, starting it again after one that hangs or kills it."""
    failures: list[Failure] = []
    by_id = {entry.problem.id: entry for entry in entries}
    pending = list(by_id)
    chosen, results, errors = work / "chosen.txt", work / "results.jsonl", work / "errors.txt"
    while pending:
        _write(chosen, "\n".join(pending) + "\n")
        _write(results, "")
        with errors.open("wb") as stream:
            process = subprocess.Popen(
                [*command, str(chosen), str(results)],
                cwd=work,
                env=dict(environment) if environment else None,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stream,
            )
            try:
                records, timed_out = _follow(process, results, time_limit)
            finally:
                if process.poll() is None:
                    process.kill()
                process.wait()
        started = [record["start"] for record in records if "start" in record]
        ended = {record["end"] for record in records if "end" in record}
        for record in records:
            failure = _judge(record, by_id, language)
            if failure:
                failures.append(failure)
        unfinished = next((name for name in started if name not in ended), None)
        if unfinished is not None:
            done = sum(1 for r in records if r.get("id") == unfinished and "case" in r)
            said = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            why = (
                f"no answer within {time_limit:g} s"
                if timed_out
                else f"the process ended: {said[0] if said else f'status {process.returncode}'}"
            )
            failures.append(Failure(unfinished, language, done + 1, why))
        elif len(ended) < len(pending):
            said = errors.read_text(encoding="utf-8", errors="replace").split()
            raise ReproError(f"the {language} driver stopped: {' '.join(said)[:600]}")
        gone = {*ended, unfinished}
        pending = [name for name in pending if name not in gone]
    return failures


def _follow(
    process: subprocess.Popen[bytes], results: Path, time_limit: float
) -> tuple[list[dict[str, Any]], bool]:
    """Read result lines until the process ends or a problem takes too long (then True)."""
    records: list[dict[str, Any]] = []
    rest = b""
    running, since = False, time.monotonic()
    with results.open("rb") as stream:
        while True:
            ended = process.poll() is not None
            *lines, rest = (rest + stream.read()).split(b"\n")
            for line in lines:
                record = json.loads(line)
                records.append(record)
                if "start" in record or "end" in record:
                    running, since = "start" in record, time.monotonic()
            if ended:
                return records, False
            if time.monotonic() - since > (time_limit if running else _STARTUP_LIMIT_S):
                return records, running
            time.sleep(_POLL_S)


def _judge(
    record: Mapping[str, Any], entries: Mapping[str, _Entry], language: str
) -> Failure | None:
    if "id" not in record:
        return None
    name = record["id"]
    if "fault" in record:
        return Failure(name, language, None, record["fault"])
    number = record["case"]
    problem = entries[name].problem
    expected = problem.cases[number - 1].expected
    if "error" in record:
        return Failure(name, language, number, record["error"])
    if not values_agree(expected, record["value"], problem.return_type):
        return Failure(
            name, language, number, "wrong answer", shown(expected), shown(record["value"])
        )
    if record["changed"]:
        return Failure(name, language, number, "changes its arguments")
    return None


def _specification(entries: Sequence[_Entry], language: str) -> str:
    return json.dumps(
        [
            {
                "id": entry.problem.id,
                "path": str(entry.solution(language)),
                "entry_point": entry.problem.entry_point,
                "camel": camel_case(entry.problem.entry_point),
                "parameters": [parameter.name for parameter in entry.problem.parameters],
                "arguments": [json.dumps(case.args) for case in entry.problem.cases],
            }
            for entry in entries
        ]
    )


def _verify_python(entries: Sequence[_Entry], work: Path, time_limit: float) -> list[Failure]:
    _write(work / "driver.py", PYTHON_DRIVER)
    _write(work / "problems.json", _specification(entries, "python"))
    # -I keeps the user's site and the working directory out; -B keeps caches out of the corpus.
    command = [sys.executable, "-I", "-B", str(work / "driver.py"), str(work / "problems.json")]
    return _run_all(entries, "python", command, work, time_limit)


def _verify_javascript(entries: Sequence[_Entry], work: Path, time_limit: float) -> list[Failure]:
    _write(work / "driver.js", NODE_DRIVER)
    _write(work / "problems.json", _specification(entries, "javascript"))
    command = ["node", "--max-old-space-size=1024", str(work / "driver.js")]
    return _run_all(
        entries, "javascript", [*command, str(work / "problems.json")], work, time_limit
    )


def _verify_java(entries: Sequence[_Entry], work: Path, time_limit: float) -> list[Failure]:
    sources, classes = work / "sources", work / "classes"
    classes.mkdir()
    for name, text in JAVA_SUPPORT.items():
        _write(sources / "verifier" / f"{name}.java", text)
    for entry in entries:
        package = sources / f"p_{entry.problem.id}"
        # On the first line, so that the compiler's line numbers are those of the file.
        text = entry.solution("java").read_text(encoding="utf-8")
        _write(package / "Solution.java", f"package p_{entry.problem.id}; {text}")
        _write(package / "VerifierDriver.java", java_driver(entry.problem))

    # Start-up matters more than peak speed in both programs.
    quick = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")

    def compile_ids(left: Sequence[_Entry]) -> str:
        packages = ["verifier", *(f"p_{entry.problem.id}" for entry in left)]
        files = [f'"{path}"' for name in packages for path in sorted((sources / name).iterdir())]
        _write(work / "files.txt", "\n".join(files) + "\n")
        options = ["-encoding", "UTF-8", "-proc:none", "-nowarn", "-Xmaxerrs", "100000"]
        options += ["--release", str(_JAVA_RELEASE), "-d", str(classes)]
        return _call(["javac", *(f"-J{flag}" for flag in quick), *options, "@files.txt"], work)

    pattern = re.compile(
        r"^.*/p_(?:(?P<id>\w+)/Solution|(?P<driver>\w+)/VerifierDriver)\.java"
        r":(?P<line>\d+): error: (?P<message>.*)$(?:\n.*\n *\^\n  symbol: *(?P<symbol>.*)$)?",
        re.MULTILINE,
    )
    compiled, failures = _compile_all(entries, "java", compile_ids, pattern)
    command = ["java", "-Xmx1g", *quick, "-cp", str(classes), "verifier.Main"]
    return failures + _run_all(compiled, "java", command, work, time_limit)


def _verify_go(entries: Sequence[_Entry], work: Path, time_limit: float) -> list[Failure]:
    module = work / "module"
    _write(module / "go.mod", "module verifier\n\ngo 1.19\n")
    _write(module / "main.go", GO_MAIN)
    failures, usable = [], []
    for entry in entries:
        text = entry.solution("go").read_text(encoding="utf-8")
        if text.startswith("package solution\n"):
            usable.append(entry)
            _write(module / "p" / f"p_{entry.problem.id}" / "solution.go", text)
            # The name ends in _driver since Go reads other endings as a platform or a test.
            _write(module / f"p_{entry.problem.id}_driver.go", go_driver(entry.problem))
        else:
            message = "solution.go line 1: not 'package solution'"
            failures.append(Failure(entry.problem.id, "go", None, message))
    environment = {
        **os.environ,
        "GO111MODULE": "on",
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
        "CGO_ENABLED": "0",
        "GOPATH": str(work / "gopath"),
        "GOCACHE": os.environ.get("GOCACHE") or str(cache_dir("go-build")),
    }

    def compile_ids(left: Sequence[_Entry]) -> str:
        kept = {entry.problem.id for entry in left}
        for entry in entries:
            if entry.problem.id not in kept:
                (module / f"p_{entry.problem.id}_driver.go").unlink(missing_ok=True)
        # -e lists the errors of all drivers and not only the first ten.
        return _call(
            ["go", "build", "-gcflags=-e", "-o", str(work / "verifier.exe"), "."],
            module,
            environment,
        )

    pattern = re.compile(
        r"^\S*?(?:p_(?P<id>\w+)/solution\.go|p_(?P<driver>\w+)_driver\.go)"
        r":(?P<line>\d+)(?::\d+)?: (?P<message>.*)$",
        re.MULTILINE,
    )
    compiled, errors = _compile_all(usable, "go", compile_ids, pattern)
    command = [str(work / "verifier.exe")]
    return failures + errors + _run_all(compiled, "go", command, work, time_limit)


_RUNNERS: dict[str, Callable[[Sequence[_Entry], Path, float], list[Failure]]] = {
    "python": _verify_python,
    "java": _verify_java,
    "javascript": _verify_javascript,
    "go": _verify_go,
}


def toolchain_version(language: str) -> str:
    """The version of the interpreter or compiler that runs a language, such as ``17.0.15``.

    Raises:
        ReproError: it is not installed; the message names the Debian package.
    """
    if language == "python":
        return platform.python_version()
    tool, companions, package = _TOOLS[language]
    for name in (tool, *companions):
        if shutil.which(name) is None:
            raise ReproError(
                f"{name} is not installed, so the {language} solutions cannot be run; install the "
                f"Debian package {package} or leave {language} out with --languages"
            )
    printed = subprocess.run(
        [tool, _VERSION_ARGUMENTS[language]], capture_output=True, text=True, check=False
    )
    match = re.search(r"\d+(\.\d+)*", printed.stdout + printed.stderr)
    if match is None:
        raise ReproError(f"{tool} does not tell its version; install the package {package} anew")
    if language == "java" and int(match[0].split(".")[0]) < _JAVA_RELEASE:
        raise ReproError(
            f"javac {match[0]} is too old; install a JDK of release {_JAVA_RELEASE} or later"
        )
    return match[0]


def verify(
    folder: Path,
    languages: Sequence[str] = LANGUAGES,
    ids: Iterable[str] | None = None,
    workers: int = 1,
    time_limit: float = TIME_LIMIT_S,
) -> VerificationReport:
    """Check every problem folder below ``folder`` and run its solutions.

    Args:
        folder: holds one folder per problem.
        languages: which of python, java, javascript and go to run.
        ids: only these problems; all when None.
        workers: how many languages run at the same time.
        time_limit: seconds that one problem may take in one language, all cases together.

    Raises:
        ReproError: the folder or an id does not exist, a language is unknown, or a toolchain is
            not installed. Faults of the corpus itself are in the report instead.
    """
    languages = tuple(dict.fromkeys(languages))
    unknown = [language for language in languages if language not in LANGUAGES]
    if unknown or not languages:
        raise ReproError(
            f"unknown language {', '.join(unknown) or '(none)'}; choose from {', '.join(LANGUAGES)}"
        )
    if not folder.is_dir():
        raise ReproError(f"{folder} is not a folder")
    folders = {
        path.name: path.resolve()
        for path in sorted(folder.iterdir())
        if path.is_dir() and not path.name.startswith(".")
    }
    if ids is not None:
        wanted = list(dict.fromkeys(ids))
        missing = [name for name in wanted if name not in folders]
        if missing:
            raise ReproError(f"no problem {', '.join(missing)} in {folder}")
        folders = {name: folders[name] for name in sorted(wanted)}
    if not folders:
        raise ReproError(f"{folder} holds no problem folders")
    toolchain = {
        ("javac" if language == "java" else _TOOLS[language][0]): toolchain_version(language)
        for language in languages
    }

    failures: list[Failure] = []
    entries: list[_Entry] = []
    for name, path in folders.items():
        extra = {item.name for item in path.iterdir()} - {PROBLEM_FILE, *SOLUTION_FILES.values()}
        failures += [Failure(name, "", None, f"unexpected file {file}") for file in sorted(extra)]
        try:
            entries.append(_Entry(read_problem(path), path))
        except ReproError as error:
            failures.append(Failure(name, "", None, str(error).removeprefix(f"{name}/")))

    def run(language: str) -> list[Failure]:
        found: list[Failure] = []
        usable: list[_Entry] = []
        for entry in entries:
            file = entry.solution(language)
            fault = _text_fault(file) if file.is_file() else "is missing"
            if fault:
                found.append(Failure(entry.problem.id, language, None, f"{file.name} {fault}"))
            if fault not in {"is missing", "is not UTF-8", "is empty"}:
                usable.append(entry)
        with tempfile.TemporaryDirectory(prefix=f"verify-{language}-") as work:
            return found + _RUNNERS[language](usable, Path(work).resolve(), time_limit)

    with ThreadPoolExecutor(max_workers=max(1, workers)) as pool:
        for found in pool.map(run, languages):
            failures += found

    valid = {entry.problem.id for entry in entries}
    failed = {(failure.id, failure.language) for failure in failures}
    pairs = [(name, language) for name in folders for language in languages]
    return VerificationReport(
        ids=tuple(folders),
        languages=languages,
        cases=sum(len(entry.problem.cases) for entry in entries),
        passed=sum(1 for pair in pairs if pair[0] in valid and pair not in failed),
        total=len(pairs),
        failures=tuple(failures),
        toolchain=toolchain,
        corpus_sha256=corpus_hash(folders.values()),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line: 0 when everything passes, 1 when something fails, 2 when it cannot run."""
    parser = argparse.ArgumentParser(
        prog="python -m reproutils.corpora.code_verification",
        description="Check a folder of parallel-code problems by running every solution.",
    )
    parser.add_argument("folder", type=Path, help="holds one folder per problem")
    parser.add_argument("--languages", default=",".join(LANGUAGES), help="comma-separated")
    parser.add_argument("--ids", help="comma-separated; default: all problems")
    parser.add_argument("--workers", type=int, default=1, help="languages run at the same time")
    parser.add_argument(
        "--time-limit", type=float, default=TIME_LIMIT_S, help="seconds per problem and language"
    )
    parser.add_argument("--record", type=Path, help="write the report to this JSON file")
    options = parser.parse_args(arguments)
    try:
        report = verify(
            options.folder,
            languages=options.languages.split(","),
            ids=options.ids.split(",") if options.ids else None,
            workers=options.workers,
            time_limit=options.time_limit,
        )
        if options.record:
            report.write(options.record)
    except ReproError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(report.summary())
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
