"""The claims as data, and the rule from estimates to verdicts in every combination."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
import yaml

from reproutils import claims
from reproutils.claims import Claim, Criterion, claims_of, format_interval, load_claims
from reproutils.errors import ReproError
from reproutils.results import Estimate

NOTEBOOKS = {
    "f1_synthetic", "f2_code_length", "f3_code_cka", "f4_translation", "f5_clip", "d0_perplexity",
    "d1_difficulty", "d2_model_selection", "d3_knnlm_layer", "d4_push_away", "d5_trajectory",
}  # fmt: skip


def criterion(**changes: Any) -> Criterion:
    fields: dict[str, Any] = {
        "kind": "core",
        "estimate": "x",
        "op": ">",
        "threshold": 0.0,
        "passes": "x is {value}",
        "fails": "x is only {value}",
    }
    return Criterion.model_validate(fields | changes)


def claim(*criteria: Criterion, paper_scale: list[str] | None = None) -> Claim:
    return Claim(
        id="Z1",
        paper="A",
        title="t",
        statement="s",
        figure="f",
        notebooks=["n"],
        paper_scale=paper_scale or [],
        criteria=list(criteria),
    )


def estimates(*values: float | None) -> list[Estimate]:
    """e0, e1, … with these values; None: not recorded."""
    return [
        Estimate(id=f"e{number}", value=value)
        for number, value in enumerate(values)
        if value is not None
    ]


# --- one criterion -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "value", "met"),
    [(">", 1.0, True), (">", -1.0, False), ("<", -1.0, True), ("<", 1.0, False)],
)
def test_criterion_compares_the_value(op: str, value: float, met: bool) -> None:
    assert criterion(op=op).outcome(Estimate(id="x", value=value)) is met


@pytest.mark.parametrize("op", ["<", ">"])
def test_value_on_the_threshold_does_not_clear_it(op: str) -> None:
    assert criterion(op=op, threshold=0.05).outcome(Estimate(id="x", value=0.05)) is False


def test_criterion_can_ask_for_an_end_of_the_interval() -> None:
    estimate = Estimate(id="x", value=0.2, low=-0.1, high=0.5)
    assert criterion().outcome(estimate) is True
    assert criterion(bound="low").outcome(estimate) is False
    assert criterion(bound="high").outcome(estimate) is True
    assert criterion(bound="high", op="<", threshold=0.4).outcome(estimate) is False


def test_what_was_not_measured_is_neither_met_nor_missed() -> None:
    assert criterion().outcome(None) is None
    assert criterion().outcome(Estimate(id="x", value=None)) is None
    assert criterion(bound="low").outcome(Estimate(id="x", value=0.2)) is None


# --- the rule ------------------------------------------------------------------------------------


def expected_verdict(core: tuple[bool | None, ...], control: tuple[bool | None, ...]) -> str:
    """The rule in the words of the module's docstring."""
    evaluated = [outcome for outcome in core if outcome is not None]
    if not evaluated:
        return "not testable here"
    if not any(evaluated):
        return "fails"
    return "holds" if all((*core, *control)) else "holds in part"


OUTCOMES = (True, False, None)


@pytest.mark.parametrize("core", list(product(OUTCOMES, repeat=2)))
@pytest.mark.parametrize("control", list(product(OUTCOMES, repeat=2)))
def test_rule_for_every_combination(
    core: tuple[bool | None, ...], control: tuple[bool | None, ...]
) -> None:
    outcomes = (*core, *control)
    judged = claim(
        *(
            criterion(kind=kind, estimate=f"e{number}")
            for number, kind in enumerate(("core", "core", "control", "control"))
        )
    )
    values = (None if met is None else 1.0 if met else -1.0 for met in outcomes)
    verdict = judged.verdict(estimates(*values), "m")
    assert verdict.verdict == expected_verdict(core, control)
    missing = [f"e{number}" for number, met in enumerate(outcomes) if met is None]
    told = f"ot measured in this run: {', '.join(missing)}."
    assert (told in verdict.why) == bool(missing)


def test_claim_without_criteria_is_not_testable() -> None:
    verdict = claim().verdict([], "m")
    assert verdict.verdict == "not testable here"
    assert verdict.why == "This run measured nothing that bears on it."


def test_why_tells_each_outcome_with_its_number() -> None:
    judged = claim(
        criterion(estimate="a", passes="slope {value}", fails="no slope"),
        criterion(
            estimate="b",
            kind="control",
            op="<",
            passes="gone",
            fails="left: {value:.3f} of {value}",
        ),
    )
    verdict = judged.verdict(
        [
            Estimate(id="a", value=0.234, low=0.171, high=0.298),
            Estimate(id="b", value=0.5),
            Estimate(id="unrelated", value=9.0),
        ],
        "m",
    )
    assert verdict.id == "Z1"
    assert verdict.why == "Slope 0.23 [0.17, 0.30]; left: 0.500 of 0.50."


@pytest.mark.parametrize(
    ("paper_scale", "model", "scale"),
    [
        (["big/model"], "big/model", "paper scale"),
        (["big/model"], "small", "small-scale analogue"),
        (["*"], "none", "paper scale"),
        ([], "big/model", "small-scale analogue"),
    ],
)
def test_scale_follows_the_model(paper_scale: list[str], model: str, scale: str) -> None:
    assert claim(paper_scale=paper_scale).verdict([], model).scale == scale


def test_interval_in_words() -> None:
    assert format_interval(Estimate(id="x", value=None)) == "–"
    assert format_interval(Estimate(id="x", value=0.5, low=0.1)) == "0.50"
    assert (
        format_interval(Estimate(id="x", value=-0.5, low=-1, high=0), ".1f") == "−0.5 [−1.0, 0.0]"
    )


# --- claims.yml ----------------------------------------------------------------------------------


def test_every_claim_of_both_papers_is_there_in_order() -> None:
    found = load_claims()
    wanted = [f"A{k}" for k in range(1, 12)] + [f"B{k}" for k in range(1, 11)]
    assert list(found) == wanted
    assert all(item.paper == item.id[0] for item in found.values())


def test_every_claim_names_notebooks_of_the_book() -> None:
    for item in load_claims().values():
        assert item.notebooks, item.id
        assert set(item.notebooks) <= NOTEBOOKS, item.id
        assert item.title.strip(), item.id
        assert item.statement.endswith("."), item.id
        assert not item.title.endswith("."), item.id


def test_criteria_can_reach_every_verdict() -> None:
    for item in load_claims().values():
        if not item.criteria:
            continue
        assert any(criterion.kind == "core" for criterion in item.criteria), item.id
        seen = [(criterion.estimate, criterion.bound) for criterion in item.criteria]
        assert len(set(seen)) == len(seen), item.id


def test_criteria_tell_only_of_their_value() -> None:
    for item in load_claims().values():
        for one in item.criteria:
            for text in (one.passes, one.fails):
                fields = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
                assert fields <= {"value"}, (item.id, text)
                assert text == " ".join(text.split()), (item.id, text)
                assert not text.endswith((".", ";")), (item.id, text)


def test_claims_of_a_notebook_keep_the_order_of_the_file() -> None:
    ids = [item.id for item in claims_of("f1_synthetic")]
    assert ids[:3] == ["A1", "A2", "A3"]
    assert ids == [key for key, item in load_claims().items() if "f1_synthetic" in item.notebooks]
    assert claims_of("verdicts") == []


@pytest.fixture
def claims_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A claims.yml of our own with one valid claim."""
    path = tmp_path / "claims.yml"
    entry = claim(criterion()).model_dump()
    path.write_text(yaml.safe_dump([entry]), encoding="utf-8")
    monkeypatch.setattr(claims, "registry_file", lambda name: tmp_path / name)
    return path


def test_valid_file_is_read(claims_file: Path) -> None:
    assert load_claims() == {"Z1": claim(criterion())}


def edited(claims_file: Path, **changes: Any) -> None:
    entries = yaml.safe_load(claims_file.read_text(encoding="utf-8"))
    entries[0] |= changes
    claims_file.write_text(yaml.safe_dump(entries), encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"paper": "C"}, "paper"),
        ({"titel": "t"}, "titel"),
        ({"criteria": [{**criterion().model_dump(), "op": ">="}]}, "op"),
        ({"criteria": [{**criterion().model_dump(), "bound": "median"}]}, "bound"),
        ({"criteria": [{**criterion().model_dump(), "threshold": "much"}]}, "threshold"),
    ],
)
def test_file_that_does_not_fit_names_the_place(
    claims_file: Path, changes: dict[str, Any], named: str
) -> None:
    edited(claims_file, **changes)
    with pytest.raises(ReproError, match=rf"claims\.yml: .*{named}"):
        load_claims()


def test_claim_that_stands_twice_is_refused(claims_file: Path) -> None:
    entries = yaml.safe_load(claims_file.read_text(encoding="utf-8"))
    claims_file.write_text(yaml.safe_dump(entries * 2), encoding="utf-8")
    with pytest.raises(ReproError, match="twice"):
        load_claims()
