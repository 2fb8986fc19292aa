"""``results.json``: what a notebook run leaves behind for the book, other runs and tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from reproutils.errors import ReproError
from reproutils.paths import atomic_write

Verdict = Literal["holds", "holds in part", "fails", "not testable here"]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Estimate(_Record):
    """One number of a run.

    Attributes:
        id: unique within the notebook.
        value: the estimate; None where it is undefined.
        low, high: 95 % interval, where one exists.
        n: number of independent units.
        unit: what is counted by ``n``.
        paper: the paper's own figure, where it gives one.
    """

    id: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    unit: str | None = None
    paper: float | None = None


class ClaimVerdict(_Record):
    """What a run says about one claim."""

    id: str
    verdict: Verdict
    scale: str
    why: str


class RunRecord(_Record):
    """How a run was made."""

    model: str
    model_fingerprint: str
    dataset: str
    dataset_fingerprint: str
    seed: int
    dtype: str
    device: str
    versions: dict[str, str]
    input_hash: str
    wall_s: float
    tokens: int
    date: str
    parameters: dict[str, Any]


class Results(_Record):
    """The whole file."""

    notebook: str
    run: RunRecord
    estimates: list[Estimate]
    claims: list[ClaimVerdict]

    def estimate(self, name: str) -> Estimate | None:
        return next((item for item in self.estimates if item.id == name), None)


def write_results(results: Results, path: Path) -> None:
    """Write ``results`` atomically."""
    text = json.dumps(results.model_dump(), indent=1, ensure_ascii=False) + "\n"
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def read_results(path: Path) -> Results:
    """Read and check a ``results.json``.

    Raises:
        ReproError: the file is missing, is not JSON or does not fit the schema.
    """
    try:
        return Results.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise ReproError(f"no {path}; run that notebook first") from error
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(map(str, problem["loc"])) or "the file"
        raise ReproError(f"{path}: {place}: {problem['msg']}; run the notebook again") from error
