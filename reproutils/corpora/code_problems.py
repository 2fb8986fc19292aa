"""The format of a parallel-code problem: its types, its fields and their checks."""

from __future__ import annotations

import hashlib
import json
import keyword
import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reproutils.errors import ReproError

PROBLEM_FILE = "problem.json"
MINIMUM_CASES = 5
FLOAT_TOLERANCE = 1e-9
_INT_LIMIT = 2**31
_LONG_LIMIT = 2**53
_SHOWN_CHARACTERS = 200


# Types ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ValueType:
    """A type of the signature language: ``kind`` is int, long, float, bool, str, list or dict;
    ``item`` is the element type of a list and the value type of a dict (whose keys are strings)."""

    kind: str
    item: ValueType | None = None

    @property
    def element(self) -> ValueType:
        """The element type; only lists and dicts have one."""
        assert self.item is not None, f"{self.kind} has no element type"
        return self.item


def parse_type(text: str) -> ValueType:
    """Read ``int``, ``long``, ``float``, ``bool``, ``str``, ``list[T]`` or ``dict[str,T]``.

    Raises:
        ReproError: the text is none of these.
    """
    kind = _type_of(text.replace(" ", ""))
    if kind is None:
        raise ReproError(
            f"unknown type {text!r}; use int, long, float, bool, str, list[T] or dict[str,T]"
        )
    return kind


def _type_of(compact: str) -> ValueType | None:
    if compact in {"int", "long", "float", "bool", "str"}:
        return ValueType(compact)
    for prefix, kind in (("list[", "list"), ("dict[str,", "dict")):
        if compact.startswith(prefix) and compact.endswith("]"):
            item = _type_of(compact[len(prefix) : -1])
            return ValueType(kind, item) if item else None
    return None


def value_problem(value: object, kind: ValueType, where: str) -> str | None:
    """Why ``value`` (as read from JSON) is not of this type, or None when it is.

    A float must have been written with a decimal point or an exponent, an int without one.
    """
    if kind.kind in {"int", "long"}:
        if type(value) is not int:
            return f"{where} is {shown(value)}, not of type {kind.kind}"
        low, high = (
            (-_INT_LIMIT, _INT_LIMIT - 1) if kind.kind == "int" else (-_LONG_LIMIT, _LONG_LIMIT)
        )
        return None if low <= value <= high else f"{where} is {value}, too large for {kind.kind}"
    if kind.kind == "float":
        if type(value) is float:
            return None if math.isfinite(value) else f"{where} is {value}, not a finite float"
        return f"{where} is {shown(value)}, not a float (write 1.0, not 1)"
    if kind.kind == "bool":
        return None if type(value) is bool else f"{where} is {shown(value)}, not a bool"
    if kind.kind == "str":
        if not isinstance(value, str):
            return f"{where} is {shown(value)}, not a str"
        return None if value.isascii() else f"{where} is {shown(value)}, not ASCII"
    children: Iterable[tuple[object, object]]
    if kind.kind == "list":
        if not isinstance(value, list):
            return f"{where} is {shown(value)}, not a list"
        children = enumerate(value)
    else:
        if not isinstance(value, dict):
            return f"{where} is {shown(value)}, not a dict"
        for key in value:
            if not key.isascii():
                return f"{where} has the key {shown(key)}, not ASCII"
        children = value.items()
    for key, child in children:
        problem = value_problem(child, kind.element, f"{where}[{json.dumps(key)}]")
        if problem:
            return problem
    return None


def values_agree(expected: object, got: object, kind: ValueType) -> bool:
    """Whether a result equals the expected value: floats to 1e-9 (absolute or relative), all else
    exactly. A whole number is accepted where a float is due, since JavaScript has no other."""
    if kind.kind == "float":
        return (
            isinstance(expected, float)
            and isinstance(got, (int, float))
            and not isinstance(got, bool)
            # An int beyond the floats cannot be compared with one.
            and abs(got) <= sys.float_info.max
            and math.isclose(expected, got, rel_tol=FLOAT_TOLERANCE, abs_tol=FLOAT_TOLERANCE)
        )
    if kind.kind == "list":
        return (
            isinstance(expected, list)
            and isinstance(got, list)
            and len(expected) == len(got)
            and all(values_agree(e, g, kind.element) for e, g in zip(expected, got, strict=True))
        )
    if kind.kind == "dict":
        return (
            isinstance(expected, dict)
            and isinstance(got, dict)
            and expected.keys() == got.keys()
            and all(values_agree(expected[key], got[key], kind.element) for key in expected)
        )
    return type(expected) is type(got) and expected == got


def camel_case(name: str) -> str:
    """``ferry_loads`` to ``ferryLoads``, the spelling used in Java, JavaScript and parameters."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def pascal_case(name: str) -> str:
    """``ferry_loads`` to ``FerryLoads``, the spelling of an exported Go function."""
    return "".join(part.capitalize() for part in name.split("_"))


def shown(value: object) -> str:
    """The value as JSON, cut when it is long."""
    text = json.dumps(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + " ..."


# Problems ---------------------------------------------------------------------------------------

_Slug = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$")]
_Text = Annotated[str, Field(min_length=1, pattern=r"^\S(.*\S)?$")]


class Parameter(BaseModel):
    """A parameter of the entry point: its Python name and its type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    name: _Slug
    type: str


class Case(BaseModel):
    """One call: the arguments in order and the value it must return."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    args: list[Any]
    expected: Any


class Problem(BaseModel):
    """The content of ``problem.json``."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    id: _Slug
    title: _Text
    category: Annotated[str, Field(pattern=r"^[a-z][a-z0-9 _-]*$")]
    statement: _Text
    entry_point: _Slug
    parameters: Annotated[list[Parameter], Field(min_length=1)]
    returns: str
    cases: Annotated[list[Case], Field(min_length=MINIMUM_CASES)]

    @property
    def parameter_types(self) -> tuple[ValueType, ...]:
        return tuple(parse_type(parameter.type) for parameter in self.parameters)

    @property
    def return_type(self) -> ValueType:
        return parse_type(self.returns)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"the key {key!r} occurs twice")
            seen.add(key)
    return result


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not allowed")


def read_problem(folder: Path) -> Problem:
    """Read and check the ``problem.json`` of one problem folder.

    Raises:
        ReproError: it is missing, is not JSON, has unknown, missing or ill-typed fields, or its
            cases do not fit its signature. The message lists every fault found.
    """
    path = folder / PROBLEM_FILE
    try:
        raw = json.loads(
            path.read_text(encoding="utf-8"),
            object_pairs_hook=_without_repeats,
            parse_constant=_no_constant,
        )
        problem = Problem.model_validate(raw)
    except FileNotFoundError:
        raise ReproError(f"{folder.name}/{PROBLEM_FILE} is missing") from None
    except ValidationError as error:
        faults = [
            f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}"
            for item in error.errors()
        ]
        raise ReproError(f"{folder.name}/{PROBLEM_FILE}: {'; '.join(faults)}") from None
    except ValueError as error:
        raise ReproError(f"{folder.name}/{PROBLEM_FILE}: {error}") from None
    faults = _problem_faults(problem, folder.name)
    if faults:
        raise ReproError(f"{folder.name}/{PROBLEM_FILE}: {'; '.join(faults)}")
    return problem


def _problem_faults(problem: Problem, folder_name: str) -> list[str]:
    faults: list[str] = []
    if problem.id != folder_name:
        faults.append(f"id {problem.id!r} differs from the folder's name {folder_name!r}")
    if problem.entry_point != problem.id:
        faults.append(f"entry_point {problem.entry_point!r} differs from the id {problem.id!r}")
    names = [parameter.name for parameter in problem.parameters]
    if len(set(names)) != len(names):
        faults.append(f"parameter names repeat: {', '.join(names)}")
    faults += [
        f"{name!r} is a Python keyword"
        for name in (problem.entry_point, *names)
        if keyword.iskeyword(name)
    ]
    try:
        kinds, returned = problem.parameter_types, problem.return_type
    except ReproError as error:
        return [*faults, str(error)]
    seen: dict[str, int] = {}
    for number, case in enumerate(problem.cases, start=1):
        if len(case.args) != len(kinds):
            faults.append(f"case {number} has {len(case.args)} arguments, not {len(kinds)}")
            continue
        checks = [
            value_problem(value, kind, f"case {number}: {name}")
            for value, kind, name in zip(case.args, kinds, names, strict=True)
        ]
        checks.append(value_problem(case.expected, returned, f"case {number}: expected"))
        faults += [check for check in checks if check]
        earlier = seen.setdefault(json.dumps(case.args, sort_keys=True), number)
        if earlier != number:
            faults.append(f"case {number} has the same arguments as case {earlier}")
    return faults


def corpus_hash(folders: Iterable[Path]) -> str:
    """SHA-256 (hex) over every file below these problem folders, in sorted order of
    ``<problem>/<file>``: for each, the name, a zero byte, the length in bytes and the bytes."""
    digest = hashlib.sha256()
    files = {
        f"{folder.name}/{path.relative_to(folder).as_posix()}": path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    }
    for name in sorted(files):
        content = files[name].read_bytes()
        digest.update(name.encode("utf-8") + b"\0" + str(len(content)).encode() + b"\0" + content)
    return digest.hexdigest()
