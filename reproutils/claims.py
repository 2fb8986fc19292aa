"""The papers' claims as data, and the rule that turns estimates into a verdict.

``data/claims.yml`` states for each claim the criteria that were fixed before any number was looked
at. A criterion compares one estimate, or an end of its interval, with a threshold. ``core``
criteria are what the claim says; ``control`` criteria are the explanations that its authors left
out.

The rule: no core criterion can be evaluated: *not testable here*. Every core criterion fails:
*fails*. Everything passes: *holds*. Anything between: *holds in part*.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from string import Formatter
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from reproutils.errors import ReproError
from reproutils.paths import registry_file
from reproutils.results import ClaimVerdict, Estimate, Verdict
from reproutils.tables import interval_cell

_OPERATORS: dict[str, Callable[[float, float], bool]] = {">": operator.gt, "<": operator.lt}


class Criterion(BaseModel):
    """One comparison.

    Attributes:
        kind: ``core`` or ``control``.
        estimate: id of the estimate.
        bound: the value itself, or the end of its interval that must clear the threshold.
        passes, fails: what a reader is told in either case; ``{value}`` is the estimate with its
            interval, ``{value:.3f}`` sets the digits.
    """

    model_config = ConfigDict(extra="forbid")

    kind: Literal["core", "control"]
    estimate: str
    bound: Literal["value", "low", "high"] = "value"
    op: Literal[">", "<"]
    threshold: float
    passes: str
    fails: str

    def outcome(self, estimate: Estimate | None) -> bool | None:
        """Whether the criterion is met; None when the estimate or its interval is missing."""
        number = getattr(estimate, self.bound) if estimate else None
        return None if number is None else _OPERATORS[self.op](number, self.threshold)


class Claim(BaseModel):
    """One claim of a paper.

    Attributes:
        paper_scale: models on which a run counts as ``paper scale``; ``*`` when no model is
            involved.
        figure: the paper's own figure in words.
    """

    model_config = ConfigDict(extra="forbid")

    id: str
    paper: Literal["A", "B"]
    title: str
    statement: str
    figure: str
    notebooks: list[str]
    paper_scale: list[str] = []
    criteria: list[Criterion] = []

    def verdict(self, estimates: Iterable[Estimate], model: str) -> ClaimVerdict:
        """Judge the claim by a run's estimates.

        Args:
            model: the run's model, which decides the scale.
        """
        known = {estimate.id: estimate for estimate in estimates}
        outcomes = [(item, item.outcome(known.get(item.estimate))) for item in self.criteria]
        core = [passed for item, passed in outcomes if item.kind == "core" and passed is not None]
        every = [passed for _, passed in outcomes if passed is not None]
        verdict: Verdict
        if not core:
            verdict = "not testable here"
        elif not any(core):
            verdict = "fails"
        elif all(every) and len(every) == len(outcomes):
            verdict = "holds"
        else:
            verdict = "holds in part"
        told = [
            _fill(item.passes if passed else item.fails, known[item.estimate])
            for item, passed in outcomes
            if passed is not None
        ]
        missing = [item.estimate for item, passed in outcomes if passed is None]
        if missing:
            told.append(f"not measured in this run: {', '.join(missing)}")
        scale = "paper scale" if {model, "*"} & set(self.paper_scale) else "small-scale analogue"
        why = "; ".join(told) or "this run measured nothing that bears on it"
        return ClaimVerdict(
            id=self.id, verdict=verdict, scale=scale, why=why[0].upper() + why[1:] + "."
        )


def load_claims() -> dict[str, Claim]:
    """All claims of ``data/claims.yml`` by id, in order.

    Raises:
        ReproError: the file does not fit the schema, or an id stands there twice.
    """
    entries: list[dict[str, Any]] = yaml.safe_load(
        registry_file("claims.yml").read_text(encoding="utf-8")
    )
    try:
        claims = [Claim.model_validate(entry) for entry in entries]
    except ValidationError as error:
        problem = error.errors()[0]
        raise ReproError(f"claims.yml: {problem['loc']}: {problem['msg']}") from error
    found = {claim.id: claim for claim in claims}
    if len(found) != len(claims):
        raise ReproError("claims.yml: a claim id stands there twice")
    return found


def claims_of(notebook: str) -> list[Claim]:
    """The claims that ``notebook`` tests."""
    return [claim for claim in load_claims().values() if notebook in claim.notebooks]


def format_interval(estimate: Estimate, spec: str = ".2f") -> str:
    """``0.23 [0.17, 0.30]``, or the value alone when there is no interval."""
    return interval_cell(estimate.value, estimate.low, estimate.high, spec)


def _fill(template: str, estimate: Estimate) -> str:
    parts = []
    for literal, name, spec, _ in Formatter().parse(template):
        parts.append(literal)
        if name:
            parts.append(format_interval(estimate, spec or ".2f"))
    return "".join(parts)
