"""Chunks under a tiny model, and every correlation that the law's page reports."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from conftest import SENTENCES
from scipy import stats

from reproutils import dispersion_law as law
from reproutils.chunk_states import ChunkStates, chunks_of, context_span, read_chunks
from reproutils.corpora import Documents, Provenance
from reproutils.errors import ReproError
from reproutils.models import LoadedModel
from reproutils.states import NO_SINKS

TOKENS, CHUNKS = 16, 24
CONTEXTS = (4, 8)


def documents(domain: str, seed: int) -> Documents:
    rng = np.random.default_rng(seed)
    words = " ".join(SENTENCES).split()
    texts = tuple(" ".join(rng.choice(words, 40)) for _ in range(12))
    provenance = Provenance("drawn", "CC0-1.0", "none")
    return Documents(domain, domain, texts, tuple(f"{domain}{i}" for i in range(12)), provenance)


@pytest.fixture
def read(tiny_models: dict[str, LoadedModel], cache: object) -> dict[str, ChunkStates]:
    found = {}
    for seed, domain in enumerate(("one", "two")):
        chunks = chunks_of(
            tiny_models["llama"],
            documents(domain, seed),
            TOKENS,
            n_chunks=CHUNKS,
            seed=0,
            join=False,
        )
        found[domain] = read_chunks(
            tiny_models["llama"], chunks, contexts=CONTEXTS, sampled_tokens=5
        )
    return found


@pytest.fixture
def twin(
    tiny_models: dict[str, LoadedModel], read: dict[str, ChunkStates]
) -> dict[str, ChunkStates]:
    return {
        domain: read_chunks(tiny_models["gpt2"], part.chunks, n_chunks=10)
        for domain, part in read.items()
    }


def loop(rows: np.ndarray) -> float:
    distances = [
        1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in combinations(rows, 2)
    ]
    return float(np.mean(distances))


def test_dispersion_and_perplexity_are_those_of_transformers(
    read: dict[str, ChunkStates], tiny_models: dict[str, LoadedModel]
) -> None:
    part = read["one"]
    assert len(part) == CHUNKS
    assert all(len(ids) == TOKENS for ids in part.chunks.ids)
    network = tiny_models["llama"].network
    for number in (0, 7):
        ids = torch.tensor([part.chunks.ids[number]])
        with torch.inference_mode():
            output = network(input_ids=ids, output_hidden_states=True, labels=ids)
        block, top = (output.hidden_states[at][0].double().numpy() for at in (2, -1))
        assert part.perplexity()[number] == pytest.approx(float(output.loss.exp()), rel=1e-5)
        # Pooled statistics are kept in float32.
        for layer, states in (("block 2", block), ("final_norm", top)):
            assert part.dispersion("all", layer)[number] == pytest.approx(loop(states), abs=1e-5)
            assert part.dispersion("no_first", layer)[number] == pytest.approx(
                loop(states[1:]), abs=1e-5
            )
            for context in CONTEXTS:
                found = part.dispersion(context_span(context), layer)[number]
                assert found == pytest.approx(loop(states[:context]), abs=1e-5)
        np.testing.assert_allclose(part.sampled[number], top[[1, 4, 8, 11, 15]], atol=1e-4)
        shorter = float(torch.tensor(part.losses[number][:3]).double().mean().exp())
        assert part.perplexity(4)[number] == pytest.approx(shorter)


def test_the_twin_reads_evenly_spaced_chunks(
    read: dict[str, ChunkStates], twin: dict[str, ChunkStates]
) -> None:
    part = twin["one"]
    assert len(part) == 10
    assert part.items[0] == 0
    assert part.items[-1] == CHUNKS - 1
    assert part.chunks.ids == tuple(read["one"].chunks.ids[item] for item in part.items)


def rows(
    read: dict[str, ChunkStates], twin: dict[str, ChunkStates], cut: float = np.inf
) -> dict[str, law.CorrelationRow]:
    found = law.correlation_rows(
        read, twin, contexts=CONTEXTS, size=4, cut=cut, seed=0, resamples=100
    )
    return {row.key: row for row in found}


def test_each_row_is_the_correlation_that_it_names(
    read: dict[str, ChunkStates], twin: dict[str, ChunkStates]
) -> None:
    found = rows(read, twin)
    part, small = read["two"], twin["two"]
    log_perplexity = np.log(part.perplexity())
    expected = {
        "r_chunk": (part.dispersion("all", part.top), log_perplexity),
        "r_no_sinks": (part.dispersion(NO_SINKS, part.top), log_perplexity),
        "r_distinct": (part.distinct, log_perplexity),
        "r_last_token": (part.dispersion("all", part.top), [x[-1] for x in part.losses]),
        "r_context_8": (part.dispersion("first_8", part.top), np.log(part.perplexity(8))),
        "r_untrained": (small.dispersion("all", small.top), np.log(small.perplexity())),
        "r_untrained_trained_perplexity": (
            small.dispersion("all", small.top),
            log_perplexity[small.items],
        ),
        "r_trained_same_chunks": (
            part.dispersion("all", part.top)[small.items],
            log_perplexity[small.items],
        ),
    }
    for key, (x, y) in expected.items():
        assert found[key].by_domain["two"].value == pytest.approx(
            stats.pearsonr(x, y).statistic, abs=1e-9
        ), key
        values = [found[key].by_domain[domain].value for domain in read]
        assert found[key].mean is not None
        assert found[key].mean.value == pytest.approx(np.mean(values)), key
    gain = law.training_gain(list(found.values()))
    assert gain is not None
    trained, untrained = (
        found[key].mean for key in ("r_trained_same_chunks", "r_untrained_trained_perplexity")
    )
    assert gain.value == pytest.approx(trained.value - untrained.value)  # type: ignore[union-attr]


def test_without_a_twin_its_rows_are_missing(read: dict[str, ChunkStates]) -> None:
    found = rows(read, {})
    assert not any("untrained" in key for key in found)
    assert law.training_gain(list(found.values())) is None
    series = law.depth_table(read, {}, ["embed", "block 1"], seed=0, resamples=20)["series"]
    assert set(series) == {"trained", "trained_no_sinks"}


def test_a_cut_that_leaves_too_few_groups_gives_no_number(read: dict[str, ChunkStates]) -> None:
    found = rows(read, {}, cut=1.0)
    assert found["r_cut"].mean is None
    assert not found["r_cut"].by_domain
    assert law.groups_above(read, 4, 1.0) == 2 * (CHUNKS // 4)
    assert law.groups_above(read, 4, np.inf) == 0
    table = law.shown_rows(list(found.values()))
    cut_row = table[table["dispersion of"].str.contains("left out") & (table["documents"] == 0)]
    assert cut_row["mean"].isna().all()
    assert set(law.row_formats(list(found.values()))) == {"one", "two", "mean"}


def test_depth_follows_the_layers(
    read: dict[str, ChunkStates], twin: dict[str, ChunkStates]
) -> None:
    layers = ["embed", "block 1", "block 2"]
    table = law.depth_table(read, twin, layers, seed=0, resamples=50)
    assert len(table) == 3 * 3 * 3
    part = read["one"]
    expected = stats.pearsonr(part.dispersion("all", "block 1"), np.log(part.perplexity()))
    cell = table.query("layer == 'block 1' and series == 'trained' and domain == 'one'")["r"]
    assert cell.item() == pytest.approx(expected.statistic, abs=1e-9)
    ends = law.depth_estimates(read, [*layers, "block 3"], seed=0, resamples=50)
    mean = table.query("layer == 'block 1' and series == 'trained' and domain == 'mean'")["r"]
    assert ends["r_first_third"].value == pytest.approx(mean.item())
    change = ends["r_last_third"].value - ends["r_first_third"].value
    assert ends["r_depth_change"].value == pytest.approx(change)


def test_other_measures_use_the_sampled_states(read: dict[str, ChunkStates]) -> None:
    found = law.other_measures(read, seed=0, resamples=20)
    values = [
        stats.pearsonr([loop(rows) for rows in part.sampled], np.log(part.perplexity())).statistic
        for part in read.values()
    ]
    assert found["sampled"][1].value == pytest.approx(np.mean(values), abs=1e-6)
    assert {"sampled", "sampled_centred", "vendi", "iso_score"} == set(found)


def test_together_and_opposed(read: dict[str, ChunkStates]) -> None:
    whole = law.together(read, seed=0, resamples=20)
    assert whole.n == sum(part.chunks.n_documents for part in read.values())
    row = rows(read, {})["r_chunk"]
    assert law.count_opposed(row) == sum(found.value > 0 for found in row.by_domain.values())


def test_an_encoder_has_no_perplexity(tiny_models: dict[str, LoadedModel], cache: object) -> None:
    chunks = chunks_of(
        tiny_models["bert"], documents("one", 0), TOKENS, n_chunks=4, seed=0, join=False
    )
    with pytest.raises(ReproError, match="no token loss"):
        read_chunks(tiny_models["bert"], chunks)
