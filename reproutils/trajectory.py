"""How loss and the spread of hidden states move over the checkpoints of one training run.

Two things are followed. The dispersion of the tokens of held-out text at every layer, beside the
loss. And clusters: contexts after which the same run of tokens follows (a 10-gram, say), of which
the state of the last token is taken, just before that run; the distance within a cluster is between
contexts that have one continuation, the distance between clusters between contexts that have none
in common.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from reproutils.chunk_states import chunks_of, read_chunks
from reproutils.corpora.documents import Chunks, Documents
from reproutils.dispersion import Dispersion
from reproutils.errors import ReproError
from reproutils.models import LoadedModel
from reproutils.push_arms import Arm, ArmRecipe, read_texts, train_arm
from reproutils.regression import Interval, Resampled, correlation_in_time, weights_with_data
from reproutils.results import Estimate
from reproutils.states import Reductions, extract
from reproutils.workers import run_each

# Tokens of a continuation by which contexts are put together.
RUN = 10
# Fewer checkpoints have no trajectory.
MIN_CHECKPOINTS = 8
# States of each chunk that are taken one by one at the last layer.
_SAMPLED_TOKENS = 8
# Correlations in time of the negative loss, by what it is correlated with.
TRACKING = {
    "r_loss": "dispersion of a chunk's tokens",
    "r_given_step": "the same, both given the logarithm of the steps",
    "r_changes": "the same, changes from checkpoint to checkpoint",
    "r_late": "the same, second half of the run",
    "r_centred": "dispersion of states of all chunks, mean subtracted",
    "r_pairs": "dispersion of states of all chunks",
    "r_step": "logarithm of the steps alone",
}


class Checkpoint(NamedTuple):
    """A point of the run: the updates made, and what ``load_model`` calls the weights."""

    step: int
    name: str


@dataclass(frozen=True, eq=False)
class Clusters:
    """Contexts by what follows them.

    Attributes:
        continuations: the shared runs of tokens, one per cluster.
        contexts: per cluster the token ids of its contexts, all of one length and each out of
            another document.
    """

    continuations: tuple[tuple[int, ...], ...]
    contexts: tuple[tuple[tuple[int, ...], ...], ...]

    def __len__(self) -> int:
        return len(self.continuations)


@dataclass(frozen=True, eq=False)
class Reading:
    """What one checkpoint makes of the text.

    Attributes:
        loss: mean over chunks, nats per token.
        by_layer: (layers,) dispersion of the tokens of a chunk without position 0, averaged over
            chunks.
        pairs: dispersion of states of the last layer, sampled from all chunks.
        centred: the same with their mean subtracted.
        within: (clusters,) dispersion of each cluster's states at the last layer.
        between: (clusters, clusters) mean distance between the states of two clusters.
        within_centred, between_centred: the same with the mean of all states subtracted.
    """

    loss: float
    by_layer: np.ndarray
    pairs: float
    centred: float
    within: np.ndarray
    between: np.ndarray
    within_centred: np.ndarray
    between_centred: np.ndarray


def revisions_of(model: str, revisions: str) -> list[Checkpoint]:
    """The checkpoints of a public run, in the order of their steps.

    Args:
        model: a Hub id.
        revisions: their names, separated by commas; the last number in a name is its step, as in
            ``step1000`` or ``stage1-step1000-tokens2B``'s ``step1000``.

    Raises:
        ReproError: too few revisions, or one in whose name there is no number.
    """
    found = []
    for name in (part.strip() for part in revisions.split(",") if part.strip()):
        number = re.search(r"step[-_]?(\d+)", name) or re.fullmatch(r"\D*(\d+)", name)
        if number is None:
            raise ReproError(
                f"revision {name!r} names no step; take revisions such as step0, step1000"
            )
        found.append(Checkpoint(int(number[1]), f"{model}@{name}"))
    if len(found) < MIN_CHECKPOINTS:
        raise ReproError(
            f"{len(found)} revisions; a trajectory takes at least {MIN_CHECKPOINTS}, separated by "
            f"commas"
        )
    return sorted(found)


def base_run(recipe: ArmRecipe, learning_rate: float, *, n_checkpoints: int) -> list[Checkpoint]:
    """Train the base of the push-away study; the initial weights and evenly spaced checkpoints.

    Raises:
        ReproError: more checkpoints than steps or too few of them, or as
            :func:`reproutils.push_arms.train_arm`.
    """
    if not MIN_CHECKPOINTS <= n_checkpoints <= recipe.steps:
        raise ReproError(
            f"{n_checkpoints} checkpoints of a run of {recipe.steps} steps; take at least "
            f"{MIN_CHECKPOINTS} and at most one per step"
        )
    steps = [round(recipe.steps * k / n_checkpoints) for k in range(n_checkpoints + 1)]
    # In a worker, as the study's arms: rounding depends on the number of threads.
    (folders,) = run_each(_train, [(recipe, learning_rate, steps)], label="small GPT")
    return [Checkpoint(step, f"path:{folder}") for step, folder in zip(steps, folders, strict=True)]


def _train(recipe: ArmRecipe, learning_rate: float, steps: Sequence[int]) -> list[Path]:
    run = train_arm(recipe, read_texts(recipe), Arm(learning_rate, 0.0, 1), snapshots=steps[:-1])
    return [*(run.snapshots[step] for step in steps[:-1]), run.folder]


def texts_of(
    model: LoadedModel,
    documents: Documents,
    *,
    chunk_tokens: int,
    n_chunks: int,
    before: int,
    n_clusters: int,
    per_cluster: int,
    seed: int,
) -> tuple[Chunks, Clusters]:
    """What every checkpoint of the run reads; see :func:`chunk_documents` and
    :func:`recurring_contexts`.

    Args:
        model: any checkpoint, for its tokenizer.

    Raises:
        ReproError: as these two.
    """
    chunks = chunks_of(model, documents, chunk_tokens, n_chunks=n_chunks, seed=seed, join=False)
    encoded = model.tokenizer(list(documents.texts), add_special_tokens=False, verbose=False)
    groups = recurring_contexts(
        encoded["input_ids"],
        before=before,
        n_clusters=n_clusters,
        per_cluster=per_cluster,
        seed=seed,
    )
    return chunks, groups


def recurring_contexts(
    documents: Sequence[Sequence[int]],
    *,
    before: int,
    n_clusters: int,
    per_cluster: int,
    seed: int,
) -> Clusters:
    """Contexts that have a run of tokens in common as their continuation.

    The runs found in most documents come first; one that overlaps with a chosen run in more than
    half of its places is passed over, and a document gives a cluster one context at most.

    Args:
        documents: token ids of each.
        before: tokens of each context.
        n_clusters: how many clusters at most.
        per_cluster: contexts of each.
        seed: of the choice of contexts.

    Raises:
        ReproError: fewer than two runs stand in enough documents.
    """
    lengths = np.array([len(ids) for ids in documents])
    stream = np.concatenate([np.asarray(ids, dtype=np.int64) for ids in documents])
    starts = np.cumsum(lengths) - lengths
    # Places where a RUN begins that has its context before it and ends in the same document.
    places = np.concatenate(
        [
            start + np.arange(before, length - RUN + 1)
            for start, length in zip(starts, lengths, strict=True)
        ]
    ).astype(np.int64)
    if not len(places):
        raise ReproError(
            f"no document has {before + RUN} tokens; give longer documents or shorter contexts"
        )
    owners = np.searchsorted(starts, places, side="right") - 1
    _, kinds = np.unique(stream[places[:, None] + np.arange(RUN)], axis=0, return_inverse=True)
    kinds = kinds.ravel()
    order = np.argsort(kinds, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(kinds))[:-1])
    # The first occurrence in each document.
    firsts = [
        group[np.unique(owners[group], return_index=True)[1]]
        for group in groups
        if len(group) >= per_cluster
    ]
    firsts = sorted(
        (f for f in firsts if len(f) >= per_cluster), key=lambda f: (-len(f), int(f[0]))
    )
    rng = np.random.default_rng(seed)
    taken = np.zeros(len(stream), dtype=bool)
    continuations: list[tuple[int, ...]] = []
    contexts: list[tuple[tuple[int, ...], ...]] = []
    for first in firsts:
        at = places[first]
        if taken[at].mean() > 0.5 or len(contexts) == n_clusters:
            continue
        for place in at:
            taken[max(place - RUN + 1, 0) : place + RUN] = True
        chosen = np.sort(rng.choice(at, per_cluster, replace=False))
        continuations.append(tuple(stream[at[0] : at[0] + RUN].tolist()))
        contexts.append(tuple(tuple(stream[place - before : place].tolist()) for place in chosen))
    if len(contexts) < 2:
        raise ReproError(
            f"{len(contexts)} runs of {RUN} tokens stand in {per_cluster} documents with {before} "
            f"tokens before them; give more documents, shorter runs or contexts, or fewer contexts "
            f"per cluster"
        )
    return Clusters(tuple(continuations), tuple(contexts))


def read_checkpoint(model: LoadedModel, chunks: Chunks, clusters: Clusters) -> Reading:
    """Run held-out chunks and the contexts of the clusters through one checkpoint.

    Raises:
        ReproError: see :func:`reproutils.states.extract`.
    """
    read = read_chunks(model, chunks, sampled_tokens=_SAMPLED_TOKENS)
    rows = np.concatenate(read.sampled).astype(np.float64)
    top = model.layer_names[-1]
    contexts = [ids for cluster in clusters.contexts for ids in cluster]
    states = extract(
        model, contexts, layers=[top], reductions=Reductions(spans=(), last=True)
    ).last(top)
    labels = np.repeat(np.arange(len(clusters)), [len(cluster) for cluster in clusters.contexts])
    states = states.astype(np.float64)
    within, between = _distances(states, labels)
    within_centred, between_centred = _distances(states - states.mean(0), labels)
    return Reading(
        loss=float(np.mean([values.mean(dtype=np.float64) for values in read.losses])),
        by_layer=np.array(
            [float(read.dispersion("no_first", layer).mean()) for layer in read.states.layers]
        ),
        pairs=Dispersion.of(rows).value,
        centred=Dispersion.of(rows - rows.mean(0)).value,
        within=within,
        between=between,
        within_centred=within_centred,
        between_centred=between_centred,
    )


def _distances(states: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    parts = [Dispersion.of(states[labels == label]) for label in np.unique(labels)]
    between = np.array([[a.distance_to(b) for b in parts] for a in parts])
    return np.array([part.value for part in parts]), between


def course(points: Sequence[Checkpoint], readings: Sequence[Reading]) -> pd.DataFrame:
    """One row per checkpoint: ``step, loss``, ``dispersion`` (of a chunk's tokens at the last
    layer), ``pairs`` and ``centred`` (of states of all chunks)."""
    return pd.DataFrame(
        {
            "step": point.step,
            "loss": reading.loss,
            "dispersion": reading.by_layer[-1],
            "pairs": reading.pairs,
            "centred": reading.centred,
        }
        for point, reading in zip(points, readings, strict=True)
    )


def tracking(frame: pd.DataFrame) -> dict[str, Interval]:
    """Name of :data:`TRACKING` -> correlation in time, the initial weights left out.

    Args:
        frame: what :func:`course` returns.

    Raises:
        ReproError: as :func:`reproutils.regression.correlation_in_time`.
    """
    part = frame[frame["step"] > 0]
    quality, dispersion = -part["loss"].to_numpy(), part["dispersion"].to_numpy()
    log_step = np.log(part["step"].to_numpy(dtype=np.float64))
    late = slice(len(part) // 2, None)
    return {
        "r_loss": correlation_in_time(dispersion, quality),
        "r_given_step": correlation_in_time(
            _residual(dispersion, log_step), _residual(quality, log_step)
        ),
        "r_changes": correlation_in_time(np.diff(dispersion), np.diff(quality)),
        "r_late": correlation_in_time(dispersion[late], quality[late]),
        "r_centred": correlation_in_time(part["centred"].to_numpy(), quality),
        "r_pairs": correlation_in_time(part["pairs"].to_numpy(), quality),
        "r_step": correlation_in_time(log_step, quality),
    }


def _residual(values: np.ndarray, given: np.ndarray) -> np.ndarray:
    slope, intercept = np.polyfit(given, values, 1)
    return np.asarray(values - slope * given - intercept)


def tracking_table(estimates: Mapping[str, Estimate]) -> pd.DataFrame:
    """One row per correlation of :data:`TRACKING`."""
    return pd.DataFrame(
        {
            "with the negative loss": label,
            "correlation": estimates[name].value,
            "low": estimates[name].low,
            "high": estimates[name].high,
            "effective checkpoints": estimates[name].n,
        }
        for name, label in TRACKING.items()
    )


def cluster_table(model: LoadedModel, clusters: Clusters) -> pd.DataFrame:
    """The continuations as text, and how many contexts stand before each."""
    return pd.DataFrame(
        {
            "continuation": repr(model.tokenizer.decode(list(ids))),
            "contexts": len(contexts),
        }
        for ids, contexts in zip(clusters.continuations, clusters.contexts, strict=True)
    )


def growths(
    points: Sequence[Checkpoint], readings: Sequence[Reading], *, seed: int, resamples: int
) -> dict[str, Resampled]:
    """Name -> how much a mean distance has grown at the last checkpoint.

    ``within_growth`` and ``between_growth`` since the first checkpoint after the initial weights,
    ``…_from_start`` since the first of all, ``…_centred`` as the former with the mean of all states
    subtracted.
    """
    first = next(reading for point, reading in zip(points, readings, strict=True) if point.step > 0)
    start, last = readings[0], readings[-1]
    drawn = {"seed": seed, "resamples": resamples}
    within, between = growth((first.within, first.between), (last.within, last.between), **drawn)
    within_start, between_start = growth(
        (start.within, start.between), (last.within, last.between), **drawn
    )
    within_centred, between_centred = growth(
        (first.within_centred, first.between_centred),
        (last.within_centred, last.between_centred),
        **drawn,
    )
    return {
        "within_growth": within,
        "between_growth": between,
        "within_growth_from_start": within_start,
        "between_growth_from_start": between_start,
        "within_growth_centred": within_centred,
        "between_growth_centred": between_centred,
    }


def distance_curves(
    points: Sequence[Checkpoint], readings: Sequence[Reading], *, seed: int, resamples: int
) -> pd.DataFrame:
    """``distance, step, value, low, high``: the mean distances within and between clusters at each
    checkpoint."""
    rows = []
    for at, name in enumerate(("within", "between")):
        for point, reading in zip(points, readings, strict=True):
            nothing = np.zeros_like(reading.within), np.zeros_like(reading.between)
            found = growth(
                nothing, (reading.within, reading.between), seed=seed, resamples=resamples
            )[at].interval()
            rows.append(
                {
                    "distance": name,
                    "step": point.step,
                    "value": found.value,
                    "low": found.low,
                    "high": found.high,
                }
            )
    return pd.DataFrame(rows)


def growth(
    first: tuple[np.ndarray, np.ndarray],
    last: tuple[np.ndarray, np.ndarray],
    *,
    seed: int,
    resamples: int,
) -> tuple[Resampled, Resampled]:
    """How much the mean distances within and between clusters have grown, the clusters drawn again.

    Args:
        first, last: ``within`` and ``between`` of two checkpoints.
    """
    n = len(first[0])
    weights = weights_with_data(range(n), resamples, seed)
    within = (weights @ (last[0] - first[0])) / weights.sum(1)
    # A cluster drawn twice is not two clusters: its pairs with itself do not count.
    change = last[1] - first[1]
    np.fill_diagonal(change, 0.0)
    pairs = weights.sum(1) ** 2 - (weights**2).sum(1)
    sums = np.einsum("rk,kl,rl->r", weights, change, weights)
    between = np.divide(sums, pairs, out=np.full(len(sums), np.nan), where=pairs > 0)
    return (
        Resampled(float(within[0]), within[1:], n),
        Resampled(float(between[0]), between[1:], n),
    )
