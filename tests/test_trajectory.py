"""Loss and spread over the checkpoints of one run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproutils import trajectory as tr
from reproutils.corpora import chunk_documents, load_documents
from reproutils.dispersion import cross_distance, mean_pairwise_distance, within_between
from reproutils.errors import ReproError
from reproutils.models import load_model

RUN = tuple(range(100, 110))
OTHER_RUN = tuple(range(200, 210))


def noise(rng: np.random.Generator, n: int) -> list[int]:
    """Tokens among which no run of ten recurs."""
    return rng.integers(1000, 100_000, n).tolist()


def planted(*, copies: int = 6, seed: int = 0) -> list[list[int]]:
    """Documents with two runs in ``copies`` of them each, one of them twice in a document."""
    rng = np.random.default_rng(seed)
    documents = [
        noise(rng, 20) + list(run) + noise(rng, 15)
        for run in (RUN, OTHER_RUN)
        for _ in range(copies)
    ]
    documents[0] += list(RUN) + noise(rng, 5)
    # Too early for a context, and cut off by the end.
    documents.append([*noise(rng, 3), *RUN, *noise(rng, 30), *RUN[:9]])
    return documents


# Clusters ------------------------------------------------------------------------------------


def test_planted_runs_are_found_with_what_stands_before_them() -> None:
    documents = planted()
    found = tr.recurring_contexts(documents, before=8, n_clusters=9, per_cluster=4, seed=1)
    assert set(found.continuations) == {RUN, OTHER_RUN}
    assert len(found) == 2
    for run, contexts in zip(found.continuations, found.contexts, strict=True):
        assert len(set(contexts)) == 4
        owners = set()
        for context in contexts:
            assert len(context) == 8
            places = [
                (number, at)
                for number, ids in enumerate(documents)
                for at in range(8, len(ids) - 9)
                if tuple(ids[at - 8 : at]) == context and tuple(ids[at : at + 10]) == run
            ]
            assert len(places) == 1
            owners.add(places[0][0])
        assert len(owners) == 4


def test_a_longer_recurring_passage_makes_one_cluster() -> None:
    rng = np.random.default_rng(3)
    passage = list(range(300, 316))
    documents = [noise(rng, 20) + passage + noise(rng, 5) for _ in range(6)]
    documents += [noise(rng, 20) + list(RUN) + noise(rng, 5) for _ in range(5)]
    found = tr.recurring_contexts(documents, before=8, n_clusters=9, per_cluster=5, seed=1)
    assert len(found) == 2
    assert set(found.continuations[0]) <= set(passage)
    assert found.continuations[1] == RUN


def test_the_choice_of_contexts_follows_the_seed() -> None:
    documents = planted(copies=12)
    first, again, other = (
        tr.recurring_contexts(documents, before=8, n_clusters=2, per_cluster=4, seed=seed)
        for seed in (1, 1, 2)
    )
    assert first.contexts == again.contexts
    assert first.contexts != other.contexts


def test_too_few_recurring_runs_are_refused() -> None:
    with pytest.raises(ReproError, match="0 runs of 10 tokens stand in 7 documents with 8 tokens"):
        tr.recurring_contexts(planted(), before=8, n_clusters=2, per_cluster=7, seed=1)
    with pytest.raises(ReproError, match="no document has 110 tokens"):
        tr.recurring_contexts(planted(), before=100, n_clusters=2, per_cluster=4, seed=1)


# Growth --------------------------------------------------------------------------------------


def test_growth_is_that_of_the_distances_within_and_between() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(5), 4)
    states = [rng.normal(size=(20, 6)) + shift for shift in (3.0, 0.0)]
    first, last = (tr._distances(rows, labels) for rows in states)
    within, between = tr.growth(first, last, seed=1, resamples=50)
    expected = [within_between(rows, labels.tolist()) for rows in states]
    assert within.value == pytest.approx(expected[1][0] - expected[0][0])
    assert between.value == pytest.approx(expected[1][1] - expected[0][1])
    assert within.n == between.n == 5
    assert within.interval().low > 0


@settings(max_examples=20)
@given(seed=st.integers(0, 1000))
def test_a_cluster_drawn_twice_is_no_pair(seed: int) -> None:
    """Each draw is the brute-force mean over pairs of different clusters."""
    rng = np.random.default_rng(seed)
    change = rng.normal(size=(4, 4))
    change += change.T
    zero = np.zeros((4, 4))
    _, between = tr.growth((np.zeros(4), zero), (np.zeros(4), change), seed=seed, resamples=8)
    weights = tr.weights_with_data(range(4), 8, seed)[1:]
    for drawn, value in zip(weights, between.draws, strict=True):
        members = np.repeat(np.arange(4), drawn.astype(int))
        pairs = [change[k, m] for k in members for m in members if k != m]
        if pairs:
            assert value == pytest.approx(np.mean(pairs))
        else:
            assert np.isnan(value)


# Checkpoints ---------------------------------------------------------------------------------


def test_revisions_are_ordered_by_their_step() -> None:
    names = [f"step{step}" for step in (1000, 0, 16, 512, 64, 128, 256)]
    found = tr.revisions_of("owner/name", ", ".join([*names, "stage1-step2000-tokens9B"]))
    assert [each.step for each in found] == [0, 16, 64, 128, 256, 512, 1000, 2000]
    assert found[0].name == "owner/name@step0"
    assert found[-1].name == "owner/name@stage1-step2000-tokens9B"


def test_revisions_without_steps_or_too_few_are_refused() -> None:
    with pytest.raises(ReproError, match="'main' names no step"):
        tr.revisions_of("owner/name", "step0, main")
    with pytest.raises(ReproError, match="2 revisions; a trajectory takes at least 8"):
        tr.revisions_of("owner/name", "step0, step1")


def test_a_reading_is_made_of_plain_states() -> None:
    model = load_model("smollm2-135m")
    chunks = chunk_documents(
        load_documents("news"),
        lambda text: model.tokenizer(text, verbose=False)["input_ids"],
        24,
        n_chunks=3,
        seed=1,
    )
    rng = np.random.default_rng(1)
    contexts = tuple(
        tuple(tuple(rng.integers(500, 2000, 6).tolist()) for _ in range(3)) for _ in range(2)
    )
    found = tr.read_checkpoint(model, chunks, tr.Clusters((RUN, OTHER_RUN), contexts))
    import torch

    with torch.no_grad():
        outputs = model.network(
            torch.tensor([ids for cluster in contexts for ids in cluster]),
            output_hidden_states=True,
        )
    states = outputs.hidden_states[-1][:, -1].double().numpy()
    assert found.within == pytest.approx(
        [mean_pairwise_distance(states[:3]), mean_pairwise_distance(states[3:])], abs=1e-5
    )
    assert found.between[0, 1] == pytest.approx(cross_distance(states[:3], states[3:]), abs=1e-5)
    assert len(found.by_layer) == len(model.layer_names)
    assert 0 < found.loss < 12
