"""Does the dispersion gap of the output embedding rank checkpoints as their accuracy does?

The gap G of a checkpoint is the mean cosine distance between the rows of domain tokens T, plus the
mean cosine distance of a domain row from a row of everyday tokens T̄ (:mod:`reproutils.selection`).
Here T are the digits and accuracy is that of additions (:mod:`reproutils.family`). Beside G stand
what else could rank checkpoints: either part of G, the norms of the rows, how many digits a
checkpoint was trained on, and the loss on a few additions, which is what one would compute
otherwise.

The checkpoint is the independent unit of a rank correlation: a handful, whose orderings can be
counted. Accuracies and losses are means over problems, gaps are means over tokens; either can be
drawn again with the checkpoints held fixed.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import rankdata
from statsmodels.stats.proportion import proportion_confint

from reproutils.corpora.arithmetic import ARITHMETIC
from reproutils.errors import ReproError
from reproutils.family import FamilyRecipe, Sums, train_family
from reproutils.notebook import split
from reproutils.regression import RESAMPLES, Resampled, weights_with_data
from reproutils.rows import read_tokenizer
from reproutils.selection import (
    DIGITS,
    EVERYDAY_WORDS,
    CheckpointGap,
    RankAgreement,
    TokenSet,
    check_same_tokenizer,
    checkpoint_gap,
    exact_spearman_interval,
    resampled_gaps,
    token_set,
)
from reproutils.tables import Interval

FAMILY = "family"
PREDICTORS = {
    "gap": "dispersion gap",
    "within": "its first part: digit from digit",
    "between": "its second part: digit from everyday word",
    "norm": "norms: digits over everyday words",
    "digits": "digits in the training text",
    "loss": "loss on additions, turned round",
}
# The paper's bound for its nine checkpoints.
PAPER = {"gap": 0.95}
CHECKPOINT_FORMATS: dict[str, str | Interval] = {
    "digits seen": ",d",
    "gap": Interval("gap_low", "gap_high", 3),
    "within": ".3f",
    "between": ".3f",
    "norms": ".2f",
    "accuracy": Interval("accuracy_low", "accuracy_high", 2),
    "loss": ".3f",
    "bytes read": ",d",
    "of the file": ".3%",
}
AGREEMENT_FORMATS: dict[str, str | Interval] = {
    "checkpoints": "d",
    "rank correlation": Interval("low", "high", 2),
    "p": ".4f",
    "chance, from": ".2f",
    "chance, to": ".2f",
}


@dataclass(frozen=True)
class Checkpoint:
    """One of the checkpoints to choose from.

    Attributes:
        label: what tables call it.
        name: what :func:`reproutils.models.load_model` and
            :func:`reproutils.rows.read_output_rows` call it.
        wrong_answers: whether it is a network trained on wrong answers, a control.
        n_digits: digits that it was trained on, if known.
    """

    label: str
    name: str
    wrong_answers: bool = False
    n_digits: int | None = None


@dataclass(frozen=True, eq=False)
class Gaps:
    """The dispersion gaps of some checkpoints.

    Attributes:
        domain, other: T and T̄.
        each: one per checkpoint.
        seconds: what reading all of them and computing took.
    """

    domain: TokenSet
    other: TokenSet
    each: tuple[CheckpointGap, ...]
    seconds: float

    def fingerprints(self) -> list[str]:
        """A digest of the rows read from each checkpoint."""
        return [
            hashlib.sha256(gap.domain_rows.tobytes() + gap.other_rows.tobytes()).hexdigest()
            for gap in self.each
        ]


@dataclass(frozen=True, eq=False)
class Abilities:
    """What the checkpoints can do.

    Attributes:
        accuracy: (checkpoints,) share of problems solved.
        correct: (checkpoints, problems) whether solved; None when the accuracies came from
            elsewhere.
        loss: (checkpoints, problems) nats per token; None when no checkpoint was run.
    """

    accuracy: np.ndarray
    correct: np.ndarray | None = None
    loss: np.ndarray | None = None

    def only(self, rows: np.ndarray) -> Abilities:
        """Those of some checkpoints."""
        correct, loss = (None if part is None else part[rows] for part in (self.correct, self.loss))
        return Abilities(self.accuracy[rows], correct, loss)


def check_domain(dataset: str) -> None:
    """Refuse a domain whose accuracy cannot be measured.

    Raises:
        ReproError: ``dataset`` is not ``arithmetic``.
    """
    if dataset != ARITHMETIC:
        raise ReproError(
            f"dataset {dataset!r}: accuracy is measured on additions only; leave it at "
            f"{ARITHMETIC!r} and choose the checkpoints with model"
        )


def family_recipe(
    arithmetic_rows: str, scrambled_rows: str, *, largest: int, steps: int
) -> FamilyRecipe:
    """The recipe that comma-separated numbers of rows describe.

    Raises:
        ReproError: an entry is no whole number.
    """
    return FamilyRecipe(
        _whole_numbers(arithmetic_rows),
        _whole_numbers(scrambled_rows),
        largest=largest,
        steps=steps,
    )


def checkpoints(model: str, recipe: FamilyRecipe) -> list[Checkpoint]:
    """The checkpoints that ``model`` names.

    Args:
        model: ``family`` for the networks that ``recipe`` describes, which are trained on first
            use, or names separated by commas.

    Raises:
        ReproError: no name, a name that stands there twice, or as :func:`train_family`.
    """
    if model == FAMILY:
        return [
            Checkpoint(each.label, f"path:{each.folder}", each.scrambled, each.n_digits)
            for each in train_family(recipe)
        ]
    names = split(model)
    if not names:
        raise ReproError("no checkpoints to choose from; name some, separated by commas")
    for name in names:
        if names.count(name) > 1:
            raise ReproError(f"{name} is named twice; name each checkpoint once")
    labels = [name.rstrip("/").rpartition("/")[2] for name in names]
    if len(set(labels)) < len(labels):
        labels = names
    return [Checkpoint(label, name) for label, name in zip(labels, names, strict=True)]


def read_gaps(chosen: Sequence[Checkpoint]) -> Gaps:
    """The gaps of checkpoints with one tokenizer, digits against everyday words.

    Raises:
        ReproError: their tokenizers differ, hold too few of the tokens, or the rows cannot be read.
    """
    names = [each.name for each in chosen]
    check_same_tokenizer(names)
    tokenizer = read_tokenizer(names[0])
    domain, other = token_set(tokenizer, DIGITS), token_set(tokenizer, EVERYDAY_WORDS)
    started = time.perf_counter()
    each = tuple(checkpoint_gap(name, domain.ids, other.ids) for name in names)
    return Gaps(domain, other, each, time.perf_counter() - started)


def token_list(tokens: TokenSet) -> str:
    """The tokens of a set as Markdown."""
    return f"{len(tokens.forms)} tokens, " + " ".join(f"`{form}`" for form in tokens.forms)


def abilities_of(sums: Sequence[Sums], accuracies: str, n_checkpoints: int) -> Abilities:
    """What the checkpoints can do.

    Args:
        sums: what each makes of the same problems; empty if none was run.
        accuracies: known from elsewhere, comma-separated; empty to take those of ``sums``.

    Raises:
        ReproError: not one accuracy from 0 to 1 per checkpoint, or neither sums nor accuracies.
    """
    correct = np.stack([each.correct for each in sums]) if sums else None
    loss = np.stack([each.loss for each in sums]) if sums else None
    if split(accuracies):
        return Abilities(_given(accuracies, n_checkpoints), None, loss)
    if correct is None:
        raise ReproError(
            "no accuracies to rank the checkpoints by; give them (accuracies) or let the "
            "checkpoints run (run_models=true)"
        )
    return Abilities(correct.mean(1), correct, loss)


def predictors(
    chosen: Sequence[Checkpoint], gaps: Gaps, abilities: Abilities
) -> dict[str, np.ndarray]:
    """Key of :data:`PREDICTORS` -> (checkpoints,) values, turned so that more should be better.

    What is not known is left out.
    """
    found = {
        key: np.array([getattr(gap, key) for gap in gaps.each])
        for key in ("gap", "within", "between")
    }
    found["norm"] = np.array([gap.mean_norm_domain / gap.mean_norm_other for gap in gaps.each])
    seen = [each.n_digits for each in chosen if each.n_digits is not None]
    if len(seen) == len(chosen):
        found["digits"] = np.array(seen, dtype=np.float64)
    if abilities.loss is not None:
        found["loss"] = -abilities.loss.mean(1)
    return found


def agreements(
    values: dict[str, np.ndarray], accuracy: np.ndarray, rows: np.ndarray
) -> dict[str, RankAgreement]:
    """How well each predictor ranks the checkpoints in ``rows``.

    Raises:
        ReproError: all have the same accuracy, or as :func:`exact_spearman_interval`.
    """
    if np.ptp(accuracy[rows]) == 0:
        raise ReproError(
            f"all {len(rows)} checkpoints have an accuracy of {accuracy[rows][0]:.2f}, so that "
            f"there is nothing to rank; choose other checkpoints, another second number (largest), "
            f"or give their accuracies on a benchmark (accuracies)"
        )
    return {
        key: exact_spearman_interval(value[rows], accuracy[rows]) for key, value in values.items()
    }


def agreement_with_other_tokens(
    gaps: Sequence[CheckpointGap], accuracy: np.ndarray, *, seed: int, resamples: int = RESAMPLES
) -> tuple[Resampled, float]:
    """The rank correlation of gap and accuracy, with both token sets drawn again.

    Returns:
        The rank correlation, and the standard deviation of a gap over the draws, averaged over the
        checkpoints.
    """
    drawn = resampled_gaps(gaps, seed=seed, resamples=resamples)
    values = np.array([each.value for each in drawn])
    draws = np.stack([each.draws for each in drawn], axis=1)
    rho = Resampled(float(spearman(values, accuracy)), spearman(draws, accuracy), drawn[0].n)
    return rho, float(np.nanstd(draws, axis=0).mean())


def gain_over_loss(
    gap: np.ndarray, abilities: Abilities, *, seed: int, resamples: int = RESAMPLES
) -> Resampled:
    """How much better the gap ranks than the loss does, with the problems drawn again.

    Accuracy and loss are of the same problems, unless the accuracies came from elsewhere: what a
    draw does to one it does to the other.

    Raises:
        ReproError: no loss was measured.
    """
    loss = _loss(abilities)
    weights = weights_with_data(range(loss.shape[1]), resamples, seed)

    def means(part: np.ndarray) -> np.ndarray:
        found: np.ndarray = weights @ part.T / weights.sum(1, keepdims=True)
        return found

    accuracy = abilities.accuracy
    if abilities.correct is not None:
        accuracy = means(abilities.correct.astype(np.float64))
    gains = spearman(gap, accuracy) - spearman(-means(loss), accuracy)
    return Resampled(float(gains[0]), gains[1:], loss.shape[1])


def agreement_of_other_loss(abilities: Abilities) -> float:
    """Rank correlation of accuracy on every second problem with the loss on the others.

    Accuracies that came from elsewhere are taken as they are.

    Raises:
        ReproError: no loss was measured.
    """
    accuracy = abilities.accuracy
    if abilities.correct is not None:
        accuracy = abilities.correct[:, ::2].mean(1)
    return float(spearman(-_loss(abilities)[:, 1::2].mean(1), accuracy))


def leave_one_out(value: np.ndarray, accuracy: np.ndarray) -> np.ndarray:
    """(checkpoints,) the rank correlation without each checkpoint."""
    return np.array(
        [
            float(spearman(np.delete(value, row), np.delete(accuracy, row)))
            for row in range(len(value))
        ]
    )


def accuracy_lost(value: np.ndarray, accuracy: np.ndarray) -> float:
    """How far the checkpoint with the largest value lies below the most accurate one."""
    return float(accuracy.max() - accuracy[int(np.argmax(value))])


def spearman(x: ArrayLike, y: ArrayLike) -> np.ndarray:
    """Spearman's ρ along the last axis; the others are broadcast. NaN where a side holds NaN or
    does not vary."""
    a, b = (rankdata(side, axis=-1, nan_policy="propagate") for side in (x, y))
    a, b = (ranks - ranks.mean(-1, keepdims=True) for ranks in (a, b))
    scale = np.sqrt((a**2).sum(-1) * (b**2).sum(-1))
    products = (a * b).sum(-1)
    found: np.ndarray = np.divide(
        products, scale, out=np.full_like(products, np.nan), where=scale > 0
    )
    return found


def checkpoint_table(
    chosen: Sequence[Checkpoint],
    gaps: Gaps,
    abilities: Abilities,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> pd.DataFrame:
    """One row per checkpoint, to be shown with :data:`CHECKPOINT_FORMATS`."""
    drawn = resampled_gaps(gaps.each, seed=seed, resamples=resamples)
    rows = []
    for number, (each, gap) in enumerate(zip(chosen, gaps.each, strict=True)):
        accuracy = float(abilities.accuracy[number])
        interval = drawn[number].interval()
        low = high = None
        if abilities.correct is not None:
            right = abilities.correct[number]
            low, high = proportion_confint(right.sum(), len(right), method="wilson")
        rows.append(
            {
                "checkpoint": each.label,
                "digits seen": each.n_digits,
                "gap": gap.gap,
                "gap_low": interval.low,
                "gap_high": interval.high,
                "within": gap.within,
                "between": gap.between,
                "norms": gap.mean_norm_domain / gap.mean_norm_other,
                "accuracy": accuracy,
                "accuracy_low": low,
                "accuracy_high": high,
                "loss": None if abilities.loss is None else float(abilities.loss[number].mean()),
                "bytes read": gap.bytes_read,
                "of the file": gap.bytes_read / gap.file_size,
            }
        )
    table = pd.DataFrame(rows)
    return table.dropna(axis="columns", how="all")


def formats_of(table: pd.DataFrame) -> dict[str, str | Interval]:
    """:data:`CHECKPOINT_FORMATS` for the columns that a table has."""
    found: dict[str, str | Interval] = {}
    for name, spec in CHECKPOINT_FORMATS.items():
        if name in table:
            known = not isinstance(spec, Interval) or spec.low in table
            found[name] = spec if known else ".2f"
    return found


def agreement_table(found: Sequence[dict[str, RankAgreement]]) -> pd.DataFrame:
    """One row per predictor and set of checkpoints, to be shown with :data:`AGREEMENT_FORMATS`."""
    return pd.DataFrame(
        [
            {
                "ranked by": PREDICTORS[key],
                "checkpoints": agreement.rho.n,
                "rank correlation": agreement.rho.value,
                "low": agreement.rho.low,
                "high": agreement.rho.high,
                "p": agreement.p_value,
                "chance, from": agreement.chance_low,
                "chance, to": agreement.chance_high,
            }
            for key in found[0]
            for agreement in (part[key] for part in found)
        ]
    )


def _whole_numbers(text: str) -> tuple[int, ...]:
    for part in split(text):
        if not part.isdecimal():
            raise ReproError(
                f"rows of additions: {part!r} is no whole number; write for example 0, 4, 8"
            )
    return tuple(int(part) for part in split(text))


def _given(accuracies: str, n_checkpoints: int) -> np.ndarray:
    found = []
    for part in split(accuracies):
        try:
            value = float(part)
        except ValueError:
            value = math.nan
        if not 0 <= value <= 1:
            raise ReproError(f"accuracies: {part!r} is no number from 0 to 1")
        found.append(value)
    if len(found) != n_checkpoints:
        raise ReproError(
            f"{len(found)} accuracies for {n_checkpoints} checkpoints; give one for each, in the "
            f"same order"
        )
    return np.array(found)


def _loss(abilities: Abilities) -> np.ndarray:
    if abilities.loss is None:
        raise ReproError("no checkpoint was run, so that there is no loss; let them run")
    return abilities.loss
