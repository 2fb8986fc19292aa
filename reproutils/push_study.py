"""Does pushing hidden states apart lower perplexity? What the arms tell.

Learning rate and λ are chosen on validation text with a seed of their own (number 0); the test text
is read with other seeds, and by the arms chosen only. The training run is the independent unit:
differences between arms are taken seed by seed, and intervals are Student's over seeds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from reproutils import tables
from reproutils.errors import ReproError
from reproutils.figures import ForestRow
from reproutils.notebook import split
from reproutils.push_arms import Arm, ArmRecipe, ArmTexts, Batches, initial_network, run_arms
from reproutils.pushaway import PushAway
from reproutils.regression import Interval, Resampled

# Arm -> the sign of its λ.
ARMS = {"base": 0.0, "push": 1.0, "pull": -1.0}
# The paper's test perplexities of GPT-2 small after 500 and 1000 steps, domain by domain.
PAPER: dict[str, dict[str, tuple[tuple[float, ...], tuple[float, ...]]]] = {
    "single": {"base": ((166.2,), (83.0,)), "push": ((165.6,), (82.0,))},
    "cross": {"base": ((304.4, 35.4), (175.7, 22.8)), "push": ((255.2, 31.9), (150.2, 20.8))},
}
# Setting -> what figures and tables call it.
SETTINGS = {"single": "one domain", "cross": "across domains"}
TEXT_COUNTS = ("training chunks", "validation chunks", "test chunks", "tokens seen")
PERPLEXITY_FORMATS: dict[str, str | tables.Interval] = {
    "steps": ",d",
    "perplexity": tables.Interval("perplexity_low", "perplexity_high", 2),
    "gain": tables.Interval("gain_low", "gain_high", 4),
    "seeds": "d",
}
_READINGS = 6


class Choice(NamedTuple):
    """The learning rate and λ that validation text chose."""

    learning_rate: float
    weight: float


def check_model(model: str) -> None:
    """Refuse a model that was trained elsewhere.

    Raises:
        ReproError: ``model`` is not ``none``.
    """
    if model != "none":
        raise ReproError(
            f"model {model!r}: the arms are trained from scratch; leave it at 'none' and set "
            f"width, blocks and heads instead"
        )


def recipes(domains: Sequence[str], **shared: Any) -> dict[str, ArmRecipe]:
    """Setting -> recipe: the first domain alone and, if there are more, all of them together.

    Raises:
        ReproError: as :class:`reproutils.push_arms.ArmRecipe`.
    """
    found = {"single": ArmRecipe(domains=tuple(domains[:1]), **shared)}
    if len(domains) > 1:
        found["cross"] = ArmRecipe(domains=tuple(domains), **shared)
    return found


def numbers(text: str, parameter: str) -> tuple[float, ...]:
    """The numbers of a comma-separated parameter.

    Raises:
        ReproError: an entry is no finite number.
    """
    found = []
    for part in split(text):
        try:
            value = float(part)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ReproError(f"{parameter}: {part!r} is no finite number; write for example 0.1, 1")
        found.append(value)
    return tuple(found)


def reading_steps(steps: int) -> tuple[int, ...]:
    """After which updates test text is read: evenly spaced, half of them and all among them."""
    return tuple(sorted({math.ceil(steps * k / _READINGS) for k in range(1, _READINGS + 1)}))


def early_step(steps: int) -> int:
    """The earlier of the two steps that are reported, as the paper's 500 of 1,000."""
    return math.ceil(steps / 2)


def search(
    recipe: ArmRecipe, texts: ArmTexts, learning_rates: Sequence[float], weights: Sequence[float]
) -> pd.DataFrame:
    """Each learning rate with each λ and without the term, on validation text.

    Returns:
        Rows as those of :func:`reproutils.push_arms.run_arms`, after the last step.

    Raises:
        ReproError: no learning rate, no λ or one that is not above 0, or as ``run_arms``.
    """
    if not learning_rates or not weights or min(weights) <= 0:
        raise ReproError(
            "the search takes at least one learning rate and one weight λ above 0; the arm that "
            "pulls states together takes the same λ with its sign turned"
        )
    arms = [Arm(rate, weight, 0) for rate, weight in product(learning_rates, (0.0, *weights))]
    return run_arms(recipe, texts, arms, texts.validation, steps=(recipe.steps,))


def choose(found: pd.DataFrame) -> Choice:
    """The learning rate at which the base has its lowest loss, and the λ with the lowest there.

    The base is as good as the search can make it; λ alone is chosen in favour of the term.

    Args:
        found: what :func:`search` returns; losses are averaged over domains.
    """
    loss = found.groupby(["weight", "learning_rate"])["loss"].mean().unstack("weight")
    rates = loss.index.to_numpy()
    best = int(np.argmin(loss[0.0].to_numpy()))
    with_term = loss.drop(columns=0.0)
    weights = with_term.columns.to_numpy()
    return Choice(float(rates[best]), float(weights[int(np.argmin(with_term.to_numpy()[best]))]))


def compare(
    recipe: ArmRecipe, texts: ArmTexts, choice: Choice, *, seeds: int, steps: Sequence[int]
) -> pd.DataFrame:
    """The three arms with seeds 1, 2, … on test text.

    Args:
        seeds: how many, at least 2.
        steps: after how many updates the text is read; the last is the recipe's.

    Returns:
        Rows as those of :func:`reproutils.push_arms.run_arms`, with a column ``arm``.

    Raises:
        ReproError: fewer than two seeds, or as ``run_arms``.
    """
    if seeds < 2:
        raise ReproError(f"{seeds} seeds show no spread; train with at least 2, better 5")
    names = {sign * choice.weight: name for name, sign in ARMS.items()}
    arms = [
        Arm(choice.learning_rate, weight, number)
        for number in range(1, seeds + 1)
        for weight in names
    ]
    found = run_arms(recipe, texts, arms, texts.test, steps=steps)
    return found.assign(arm=found["weight"].map(names))


def differences(
    found: pd.DataFrame, what: str, arm: str, against: str, step: int, domain: str | None = None
) -> np.ndarray:
    """(seeds,) ``what`` of ``arm`` less that of ``against``, seed by seed, averaged over domains
    or for one of them.

    Args:
        found: what :func:`compare` returns.
        what: a column: ``loss``, ``dispersion``, ``centred`` or ``across``.
    """
    part = found[found["step"] == step]
    if domain is not None:
        part = part[part["domain"] == domain]
    means = part.groupby(["number", "arm"])[what].mean().unstack("arm")
    return (means[arm] - means[against]).to_numpy()


def over_seeds(values: np.ndarray) -> Interval:
    """Mean with Student's interval; the seed is the unit."""
    low, high = DescrStatsW(values).tconfint_mean()
    return Interval(float(np.mean(values)), float(low), float(high), len(values))


def difference_of_means(first: np.ndarray, second: np.ndarray) -> Interval:
    """Mean of ``first`` less that of ``second``, with Welch's interval: the seeds of two settings
    are no pairs."""
    test = CompareMeans(DescrStatsW(first), DescrStatsW(second))
    low, high = test.tconfint_diff(usevar="unequal")
    value = float(np.mean(first) - np.mean(second))
    return Interval(value, float(low), float(high), len(first) + len(second))


def _acts_on(found: pd.DataFrame) -> str:
    """The column of what the term acts on."""
    return "across" if found["domain"].nunique() > 1 else "dispersion"


def paper_gain(setting: str, *, early: bool = False) -> float:
    """Fall of ln perplexity in the paper, averaged over domains, after 1,000 steps or after 500."""
    base, push = (np.log(PAPER[setting][arm][0 if early else 1]) for arm in ("base", "push"))
    return float(np.mean(base - push))


def paper_value(name: str) -> float | None:
    """What the paper has for an estimate of :func:`estimates`, if anything."""
    for setting in PAPER:
        if name in (f"gain_{setting}", f"early_gain_{setting}"):
            return paper_gain(setting, early=name.startswith("early"))
    return None


def more_across(settings: Mapping[str, pd.DataFrame]) -> Interval:
    """How much more pushing lowers ln perplexity across domains than in one."""
    single, cross = (
        differences(settings[name], "loss", "base", "push", int(settings[name]["step"].max()))
        for name in SETTINGS
    )
    return difference_of_means(cross, single)


def estimates(setting: str, found: pd.DataFrame) -> dict[str, Interval]:
    """Name -> estimate, of one setting.

    ``gain_SETTING`` is the fall of ln perplexity that pushing brings against the base after the
    last step, ``early_gain_SETTING`` the same at :func:`early_step`, ``push_over_pull_SETTING`` the
    fall against pulling together, ``pull_gain_SETTING`` that of pulling against the base, and
    ``spread_SETTING`` the rise of what the term acts on: dispersion or, with several domains, the
    distance between them.
    """
    last = int(found["step"].max())
    acts_on = _acts_on(found)
    of = {
        "gain": ("loss", "base", "push", last),
        "early_gain": ("loss", "base", "push", early_step(last)),
        "pull_gain": ("loss", "base", "pull", last),
        "push_over_pull": ("loss", "pull", "push", last),
        "spread": (acts_on, "push", "base", last),
        "spread_pull": (acts_on, "pull", "base", last),
    }
    return {
        f"{name}_{setting}": over_seeds(differences(found, *arguments))
        for name, arguments in of.items()
    }


def perplexity_table(settings: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Test perplexity by setting, step, domain and arm, with the fall in ln perplexity against the
    base."""
    rows = []
    for setting, found in settings.items():
        for step, domain in product(sorted(found["step"].unique()), found["domain"].unique()):
            part = found[(found["step"] == step) & (found["domain"] == domain)]
            for arm in ARMS:
                loss = over_seeds(part.loc[part["arm"] == arm, "loss"].to_numpy())
                gain = None
                if arm != "base":
                    gain = over_seeds(differences(found, "loss", "base", arm, step, domain))
                rows.append(
                    {
                        "setting": SETTINGS[setting],
                        "steps": step,
                        "domain": domain,
                        "arm": arm,
                        "perplexity": math.exp(loss.value),
                        "perplexity_low": math.exp(loss.low),
                        "perplexity_high": math.exp(loss.high),
                        "gain": gain and gain.value,
                        "gain_low": gain and gain.low,
                        "gain_high": gain and gain.high,
                        "seeds": loss.n,
                    }
                )
    return pd.DataFrame(rows)


def gain_rows(settings: Mapping[str, pd.DataFrame], steps: Sequence[int]) -> list[ForestRow]:
    """The fall in ln perplexity of the two arms with the term, to be drawn; ``steps`` are the
    earlier and the later one."""
    rows = []
    for setting, found in settings.items():
        for step in steps:
            for arm, series in (("push", "push apart"), ("pull", "pull together")):
                gain = over_seeds(differences(found, "loss", "base", arm, step))
                paper = paper_gain(setting, early=step == steps[0]) if arm == "push" else None
                label = f"{SETTINGS[setting]}, {step:,} steps"
                rows.append(ForestRow(label, gain.value, gain.low, gain.high, paper, series))
    return rows


def spread_curve(found: pd.DataFrame, arm: str) -> pd.DataFrame:
    """What the term acts on, over the steps of an arm: ``step, value, low, high``."""
    part = found[found["arm"] == arm]
    means = part.groupby(["step", "number"])[_acts_on(found)].mean().unstack("number")
    intervals = [over_seeds(values) for values in means.to_numpy()]
    return pd.DataFrame(
        {
            "step": means.index.to_numpy(),
            "value": [each.value for each in intervals],
            "low": [each.low for each in intervals],
            "high": [each.high for each in intervals],
        }
    )


def search_table(
    searched: Mapping[str, pd.DataFrame], choices: Mapping[str, Choice]
) -> pd.DataFrame:
    """Validation perplexity by setting, learning rate and λ, with what was chosen."""
    rows = []
    for setting, found in searched.items():
        chosen = choices[setting]
        means = found.groupby(["learning_rate", "weight"], as_index=False)["loss"].mean()
        for row in means.itertuples():
            mark = {0.0: "base", chosen.weight: "push"}.get(row.weight, "")
            rows.append(
                {
                    "setting": SETTINGS[setting],
                    "learning rate": row.learning_rate,
                    "λ": row.weight,
                    "perplexity": math.exp(row.loss),
                    "chosen for": mark if row.learning_rate == chosen.learning_rate else "",
                }
            )
    return pd.DataFrame(rows)


def text_table(recipes_: Mapping[str, ArmRecipe], texts: Mapping[str, ArmTexts]) -> pd.DataFrame:
    """The texts of each setting, one row per domain."""
    rows = []
    for setting, recipe in recipes_.items():
        read = texts[setting]
        parts = zip(read.training, read.validation, read.test, strict=True)
        seen = recipe.steps * recipe.batch_size * recipe.context // len(recipe.domains)
        for domain, (training, validation, test) in zip(recipe.domains, parts, strict=True):
            counts = (len(training), len(validation), len(test), seen)
            rows.append(
                {"setting": SETTINGS[setting], "domain": domain}
                | dict(zip(TEXT_COUNTS, counts, strict=True))
            )
    return pd.DataFrame(rows)


def step_cost(recipe: ArmRecipe, texts: ArmTexts, *, repeats: int, seed: int) -> Resampled:
    """Time of a forward and backward pass with the term over one without it.

    The two take turns, and each batch's two times are one pair: the ratio of the medians, with the
    pairs drawn again.
    """
    network = initial_network(recipe, texts, 0)
    batches = Batches(texts.training, recipe.batch_size, seed)
    term = PushAway(1.0, across=recipe.across)
    # The first pass sets up more than later ones do; the last one overwrites its row.
    times = np.empty((repeats, 2))
    for repeat in range(-1, repeats):
        batch = batches(repeat + 1)
        for with_term in (False, True):
            started = time.perf_counter()
            outputs = network(
                input_ids=batch["input_ids"],
                labels=batch["labels"],
                output_hidden_states=with_term,
            )
            loss = term(outputs, batch) if with_term else outputs.loss
            network.zero_grad()
            loss.backward()
            times[repeat, int(with_term)] = time.perf_counter() - started
    drawn = np.random.default_rng(seed).integers(repeats, size=(500, repeats))
    medians, resampled = np.median(times, axis=0), np.median(times[drawn], axis=1)
    return Resampled(
        float(medians[1] / medians[0]), np.asarray(resampled[:, 1] / resampled[:, 0]), repeats
    )
