"""``results.json``: what goes in comes out, and nothing that does not fit goes in."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from reproutils.errors import ReproError
from reproutils.results import (
    ClaimVerdict,
    Estimate,
    Results,
    RunRecord,
    read_results,
    write_results,
)

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def record(**changes: Any) -> RunRecord:
    fields: dict[str, Any] = {
        "model": "m",
        "model_fingerprint": "0123456789abcdef",
        "dataset": "d",
        "dataset_fingerprint": "f",
        "seed": 1,
        "dtype": "float32",
        "device": "cpu",
        "versions": {"python": "3.11"},
        "input_hash": "h",
        "wall_s": 1.5,
        "tokens": 10,
        "date": "2026-01-01",
        "parameters": {"seed": 1, "pairs": "en-fr"},
    }
    return RunRecord.model_validate(fields | changes)


def results(*estimates: Estimate) -> Results:
    verdict = ClaimVerdict(id="A1", verdict="holds", scale="paper scale", why="Größe ≥ 2.")
    return Results(notebook="n", run=record(), estimates=list(estimates), claims=[verdict])


@given(
    st.lists(st.builds(Estimate, id=st.text(), value=FINITE | st.none(), low=FINITE), max_size=3)
)
def test_every_digit_survives(
    tmp_path_factory: pytest.TempPathFactory, given: list[Estimate]
) -> None:
    path = tmp_path_factory.mktemp("r") / "results.json"
    write_results(results(*given), path)
    assert read_results(path) == results(*given)


def test_file_is_plain_readable_json(tmp_path: Path) -> None:
    path = tmp_path / "new" / "results.json"
    write_results(results(Estimate(id="x", value=0.1, n=3, unit="pair")), path)
    text = path.read_text(encoding="utf-8")
    assert "Größe ≥ 2." in text
    assert text.endswith("}\n")
    data = json.loads(text)
    assert list(data) == ["notebook", "run", "estimates", "claims"]
    assert data["estimates"] == [
        {"id": "x", "value": 0.1, "low": None, "high": None, "n": 3, "unit": "pair", "paper": None}
    ]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("field", ["value", "low", "high", "paper"])
def test_numbers_that_json_cannot_hold_are_refused(field: str, number: float) -> None:
    with pytest.raises(ValidationError, match="finite"):
        Estimate.model_validate({"id": "x", "value": 0.0} | {field: number})


def test_fields_that_nobody_reads_are_refused() -> None:
    with pytest.raises(ValidationError, match="extra"):
        Estimate.model_validate({"id": "x", "value": 0.0, "p": 0.04})


def test_missing_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ReproError, match=r"no .*results\.json; run that notebook first"):
        read_results(tmp_path / "results.json")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "the file"),
        ("{", "the file"),
        ('{"notebook": "n"}', "run: Field required"),
        ("[]", "the file"),
    ],
)
def test_file_that_does_not_fit_names_the_place(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(
        ReproError, match=rf"results\.json: {named}.*run the notebook again"
    ) as caught:
        read_results(path)
    assert "\n" not in str(caught.value)


def test_wrong_verdict_is_named_by_its_place(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    data = results().model_dump()
    data["claims"][0]["verdict"] = "proved"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ReproError, match=r"claims\.0\.verdict"):
        read_results(path)
