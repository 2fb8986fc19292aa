"""Choosing the layer of kNN-LM keys: texts kept apart, dispersion and perplexity of every layer
against loops, and what happens where there is nothing to gain."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import VOCABULARY
from numpy.typing import NDArray
from scipy import stats

from reproutils import layer_choice as lc
from reproutils.corpora import Chunks, Documents, Provenance, chunk_documents
from reproutils.difficulty import unit_rows
from reproutils.dispersion import mean_pairwise_distance, weighted_dispersion
from reproutils.errors import ReproError
from reproutils.knnlm import (
    Choice,
    Contexts,
    Datastore,
    Evaluation,
    build_datastore,
    read_queries,
    standard_key,
)
from reproutils.models import LoadedModel
from reproutils.regression import Resampled

Array = NDArray[Any]

# Tokens of a chunk.
LENGTH = 6


def corpus(n_documents: int, n_chunks: int = 4) -> tuple[Documents, Chunks]:
    """Documents of random tokens of the tiny models, ``n_chunks`` chunks each, and all chunks."""
    rng = np.random.default_rng(n_documents)
    tokens = rng.integers(3, VOCABULARY - 10, (n_documents, n_chunks * LENGTH))
    documents = Documents(
        name="made up",
        domain="made up",
        texts=tuple(" ".join(map(str, row)) for row in tokens),
        item_ids=tuple(f"d{number}" for number in range(n_documents)),
        provenance=Provenance("made up", "CC0-1.0", "none"),
    )
    chunks = chunk_documents(
        documents, lambda text: [int(word) for word in text.split()], LENGTH, seed=0
    )
    return documents, chunks


def identifiers(chunks: Chunks) -> list[str]:
    return [item.rpartition("@")[0] for item in chunks.item_ids]


# Texts ---------------------------------------------------------------------------------------


def test_the_parts_share_no_document() -> None:
    documents, chunks = corpus(40)
    texts = lc.split_chunks(documents, chunks, n_items=0, query_chunks=0, seed=1)
    parts = dict(texts)
    assert list(parts) == ["datastore", "validation", "test"]
    assert sum(len(part) for part in parts.values()) == len(chunks) == 160
    for one, other in combinations(parts.values(), 2):
        assert not set(identifiers(one)) & set(identifiers(other))
    by_id = dict(zip(chunks.item_ids, chunks.ids, strict=True))
    for part in parts.values():
        assert [by_id[item] for item in part.item_ids] == list(part.ids)
        assert [documents.item_ids[row] for row in part.documents] == identifiers(part)
    assert len(parts["datastore"]) == pytest.approx(0.7 * 160, abs=8)


def test_few_chunks_come_from_many_documents_in_random_order() -> None:
    documents, chunks = corpus(40)
    texts = lc.split_chunks(documents, chunks, n_items=40, query_chunks=8, seed=1)
    assert (len(texts.datastore), len(texts.validation), len(texts.test)) == (40, 4, 4)
    assert texts.validation.n_documents == texts.test.n_documents == 4
    every = lc.split_chunks(documents, chunks, n_items=0, query_chunks=0, seed=1)
    counts = Counter(texts.datastore.documents)
    assert set(counts) == set(every.datastore.documents)
    assert max(counts.values()) - min(counts.values()) <= 1
    # The first keys are a sample of all documents, and no row of chunks of one document.
    assert list(texts.datastore.documents) != sorted(texts.datastore.documents)
    assert len(set(texts.datastore.documents[:10])) > 5
    again = lc.split_chunks(documents, chunks, n_items=40, query_chunks=8, seed=1)
    assert again == texts
    assert lc.split_chunks(documents, chunks, n_items=40, query_chunks=8, seed=2) != texts


@pytest.mark.parametrize(
    ("n_documents", "given", "message"),
    [
        (1, {}, "too few or too uneven"),
        (5, {}, "come from one document"),
        (40, {"query_chunks": 7}, "even number"),
        (40, {"query_chunks": 2}, "all validation chunks of made up come from one document"),
        (40, {"n_items": -1}, "n_items is -1"),
        (40, {"n_items": 150}, "150 are wanted; lower n_items"),
        (40, {"query_chunks": 100}, "chunks for validation, 50 are wanted; lower query_chunks"),
    ],
)
def test_texts_that_do_not_do(n_documents: int, given: dict[str, int], message: str) -> None:
    documents, chunks = corpus(n_documents)
    with pytest.raises(ReproError, match=message) as caught:
        lc.split_chunks(documents, chunks, **({"n_items": 0, "query_chunks": 0, "seed": 1} | given))
    assert "\n" not in str(caught.value)


# Resampling ----------------------------------------------------------------------------------


def test_resamples_are_those_of_whole_documents() -> None:
    rng = np.random.default_rng(0)
    documents = np.array([7, 7, 2, 9, 2, 7, 9, 2])
    unit, values = unit_rows(rng.normal(0.5, 1, (8, 4))), rng.normal(size=8)
    sampled = lc.Resampling(documents, seed=3, resamples=30)
    mean, spread = sampled.mean(values), sampled.dispersion(unit)
    assert (sampled.n, mean.n, spread.n) == (3, 3, 3)
    assert mean.value == pytest.approx(values.mean())
    assert spread.value == pytest.approx(mean_pairwise_distance(unit))
    assert len(mean.draws) == 30
    labels = [2, 7, 9]
    for draw, times in enumerate(sampled.weights[1:].astype(int)):
        # A context of the resample with the copy of the document that it is in.
        drawn = [
            (document, copy, i)
            for document, count in zip(labels, times, strict=True)
            for copy in range(count)
            for i in np.flatnonzero(documents == document)
        ]
        assert mean.draws[draw] == pytest.approx(np.mean([values[i] for _, _, i in drawn]))
        distances = [
            1 - unit[i] @ unit[j]
            for (d, c, i), (e, f, j) in combinations(drawn, 2)
            if d != e or c == f
        ]
        assert spread.draws[draw] == pytest.approx(np.mean(distances))


def test_resamples_of_dispersion_are_not_far_below_the_data() -> None:
    """Documents that differ much: pairs of a document and its own copy would show."""
    rng = np.random.default_rng(1)
    documents = np.repeat(np.arange(12), 10)
    unit = unit_rows(rng.normal(size=(12, 30))[documents] + 0.2 * rng.normal(size=(120, 30)))
    sampled = lc.Resampling(documents, seed=0, resamples=3000)
    found = sampled.dispersion(unit)
    with_copies = weighted_dispersion(unit, sampled.weights[1:, documents])
    assert found.value - with_copies.mean() > 0.05
    assert found.value - found.draws.mean() < 0.01


# Measurements --------------------------------------------------------------------------------


@pytest.fixture
def read(
    tiny_models: dict[str, LoadedModel], cache: Path
) -> tuple[LoadedModel, Datastore, Contexts, Contexts]:
    """A tiny Llama of three blocks with a datastore, validation and test contexts."""
    model = tiny_models["llama"]
    texts = lc.split_chunks(*corpus(30), n_items=24, query_chunks=12, seed=0)
    layers = lc.key_layers(model)
    return (
        model,
        build_datastore(model, texts.datastore, layers=layers),
        read_queries(model, texts.validation, layers=layers),
        read_queries(model, texts.test, layers=layers),
    )


Read = tuple[LoadedModel, Datastore, Contexts, Contexts]


def measured(read: Read, **changes: int) -> lc.LayerChoice:
    _, datastore, validation, test = read
    options = {"neighbours": 5, "dispersion_tokens": 40, "seed": 2, "resamples": 20} | changes
    return lc.measure(datastore, validation, test, **options)


def test_layers_are_both_sides_of_each_block_and_the_controls(
    tiny_models: dict[str, LoadedModel],
) -> None:
    model = tiny_models["gpt2"]
    assert lc.key_layers(model) == [
        "block 1 ffn input",
        "block 1",
        "block 2 ffn input",
        "block 2",
        "block 2 attention",
        "final_norm",
    ]
    assert lc.key_layers(model)[2] == standard_key(model)
    with pytest.raises(ReproError, match="no norm after its last block"):
        lc.key_layers(tiny_models["bert"])


def test_every_layer_is_measured_as_by_itself(read: Read) -> None:
    model, datastore, validation, test = read
    choice = measured(read)
    assert list(choice.keys) == lc.key_layers(model)
    assert choice.n_blocks == 3
    assert test.log_probabilities is not None
    assert choice.base.value == pytest.approx(-test.log_probabilities.mean())
    assert len(set(choice.drawn.tolist())) == 40
    for layer, key in choice.keys.items():
        rows = datastore.contexts.keys(layer)[choice.drawn].astype(np.float64)
        assert key.dispersion.value == pytest.approx(mean_pairwise_distance(rows))
        assert key.centred.value == pytest.approx(mean_pairwise_distance(rows - rows.mean(0)))
        assert key.dispersion.n == len(set(datastore.contexts.documents[choice.drawn]))
        alone = datastore.evaluate(layer, validation, test, 5)
        fixed = datastore.evaluate(layer, validation, test, 5, lambdas=[lc.FIXED_LAMBDA])
        assert key.evaluation.choice == alone.choice
        assert np.exp(key.loss.value) == pytest.approx(alone.perplexity)
        assert np.exp(key.fixed_loss.value) == pytest.approx(fixed.perplexity)
        assert fixed.choice.lam == 0.25
        assert key.loss.n == test.chunks.n_documents
    assert [key.layer for key in choice.attention] == [f"block {k} ffn input" for k in (1, 2, 3)]
    assert [key.layer for key in choice.feed_forward] == ["block 1", "block 2", "block 3"]


def test_each_layer_is_searched_once_per_part(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[tuple[str, int]] = []
    search = Datastore.search

    def counting(self: Datastore, layer: str, queries: Contexts, *args: Any, **kwargs: Any) -> Any:
        searched.append((layer, id(queries)))
        return search(self, layer, queries, *args, **kwargs)

    monkeypatch.setattr(Datastore, "search", counting)
    measured(read)
    model, _, validation, test = read
    assert sorted(searched) == sorted(
        (layer, id(part)) for layer in lc.key_layers(model) for part in (validation, test)
    )


def test_all_contexts_are_taken_where_fewer_are_there(read: Read) -> None:
    _, datastore, _, _ = read
    choice = measured(read, dispersion_tokens=10_000)
    np.testing.assert_array_equal(choice.drawn, np.arange(len(datastore)))


def test_queries_without_log_probabilities(read: Read) -> None:
    _, datastore, validation, test = read
    unscored = replace(test, log_probabilities=None)
    with pytest.raises(ReproError, match="read_queries"):
        lc.measure(datastore, validation, unscored, neighbours=5, dispersion_tokens=40, seed=0)


def test_the_size_curve_ends_at_the_whole_datastore(read: Read) -> None:
    _, datastore, validation, test = read
    choice = measured(read, neighbours=20)
    layers = ["block 3 ffn input", "block 3", "block 3"]
    curve = lc.size_curve(choice, datastore, validation, test, layers)
    n = len(datastore)
    assert curve["layer"].tolist() == ["block 3 ffn input"] * 4 + ["block 3"] * 4
    assert curve["keys"].tolist() == [n // 8, n // 4, n // 2, n] * 2
    # An eighth has fewer keys than there are neighbours to look up.
    assert n // 8 < 20
    for row in curve.itertuples():
        alone = datastore.evaluate(
            str(row.layer), validation, test, min(20, int(row.keys)), n_keys=int(row.keys)
        )
        assert row.perplexity == pytest.approx(alone.perplexity)
        assert row.gain == pytest.approx(choice.base.value - np.log(alone.perplexity))
        assert row.low <= row.high


def test_tables_show_what_was_measured(read: Read) -> None:
    choice = measured(read)
    layers = ["block 2", "final_norm"]
    table = lc.key_table(choice, layers)
    assert table["key"].tolist() == layers
    for row, layer in zip(table.to_dict("records"), layers, strict=True):
        key = choice.keys[layer]
        assert row["dispersion"] == key.dispersion.value
        assert row["mean subtracted"] == key.centred.value
        assert row["perplexity"] == key.evaluation.perplexity
        assert row["gain"] == pytest.approx(choice.base.value - np.log(row["perplexity"]))
        assert row["gain, λ fixed"] == choice.base.value - key.fixed_loss.value
        assert (row["λ"], row["found"]) == (key.evaluation.choice.lam, key.evaluation.found)


# Estimates -----------------------------------------------------------------------------------


def made_up(
    dispersions: Array, losses: Array, *, base: float = 2.0, validation: Array | None = None
) -> lc.LayerChoice:
    """A choice between the keys of ``key_layers`` of a model of ``len(losses) / 2 - 1`` blocks,
    in that order, with 50 resamples around the given values."""
    n_blocks = len(losses) // 2 - 1
    layers = [
        *(
            layer
            for k in range(1, n_blocks + 1)
            for layer in (f"block {k} ffn input", f"block {k}")
        ),
        f"block {n_blocks} attention",
        "final_norm",
    ]
    rng = np.random.default_rng(0)

    def around(value: float) -> Resampled:
        return Resampled(float(value), value + 0.1 * rng.normal(size=50), 9)

    keys = {}
    for number, layer in enumerate(layers):
        perplexity = np.exp(losses[number] if validation is None else validation[number])
        keys[layer] = lc.Key(
            layer=layer,
            dispersion=around(dispersions[number]),
            centred=around(1 - dispersions[number]),
            evaluation=Evaluation(layer, 9, 3, Choice(0.1, 1.0, perplexity), np.zeros(3), 0.5),
            loss=around(losses[number]),
            fixed_loss=around(losses[number] + 1),
        )
    test = lc.Resampling(np.arange(9), seed=0, resamples=50)
    return lc.LayerChoice(keys, n_blocks, around(base), np.arange(9), test)


def test_gains_are_positive_where_attention_is_ahead() -> None:
    choice = made_up(
        np.array([0.5, 0.3, 0.8, 0.2, 0.7, 0.4]), np.array([1.9, 1.95, 1.2, 1.5, 1.3, 1.4])
    )
    found = lc.estimates(choice)
    expected = {
        "dispersion_attention": 0.8,
        "dispersion_ffn": 0.2,
        "dispersion_gain_attention": 0.6,
        "dispersion_gain_centred": -0.6,
        "dispersion_gain_without_norm": 0.5,
        "dispersion_gain_with_norm": 0.4,
        "base_perplexity": np.exp(2.0),
        "perplexity_attention": np.exp(1.2),
        "perplexity_ffn": np.exp(1.5),
        "perplexity_gain_attention": 0.3,
        "perplexity_gain_attention_fixed": 0.3,
        "perplexity_gain_without_norm": 0.2,
        "perplexity_gain_with_norm": 0.2,
        "gain_standard": 0.8,
        "gain_best": 0.8,
        "gain_most_dispersed": 0.8,
        "gain_share_most_dispersed": 1.0,
        "share_blocks_attention_dispersed": 1.0,
        "share_blocks_attention_better": 1.0,
        "spearman_layers": stats.spearmanr([0.5, 0.3, 0.8, 0.2], [1.9, 1.95, 1.2, 1.5]).statistic,
    }
    expected["spearman_layers_centred"] = -expected["spearman_layers"]
    assert set(found) == set(expected)
    for name, value in expected.items():
        estimate = found[name]
        assert estimate is not None
        assert estimate.value == pytest.approx(value), name
        assert len(estimate.draws) == 50
    paired = found["perplexity_gain_attention"]
    assert paired is not None
    np.testing.assert_allclose(
        paired.draws,
        choice.keys["block 2"].loss.draws - choice.keys["block 2 ffn input"].loss.draws,
    )


def test_controls_are_no_keys_to_choose() -> None:
    """Before the norm and after the final norm come last in ``made_up``."""
    choice = made_up(
        np.array([0.5, 0.3, 0.4, 0.2, 0.9, 0.95]), np.array([1.9, 1.8, 1.7, 1.6, 1.0, 1.0])
    )
    assert choice.most_dispersed.layer == "block 1 ffn input"
    assert choice.chosen.layer == "block 2"


def test_the_share_of_the_gain_follows_the_choice_on_validation() -> None:
    dispersions, losses = np.array([0.5, 0.3, 0.4, 0.2, 0, 0]), np.array([1.8, 1, 1.6, 1.5, 2, 2])
    # On validation text block 2, not the best of the test, looks best.
    validation = np.array([1.8, 1.7, 1.65, 1.2, 2, 2])
    choice = made_up(dispersions, losses, validation=validation)
    assert choice.chosen.layer == "block 2"
    share = lc.gain_share(choice)
    assert share is not None
    assert share.value == pytest.approx(0.2 / 0.5)
    whole = choice.base.draws - choice.keys["block 2"].loss.draws
    part = choice.base.draws - choice.keys["block 1 ffn input"].loss.draws
    np.testing.assert_allclose(share.draws[whole > 0], (part / whole)[whole > 0])
    assert np.isnan(share.draws[whole <= 0]).all()


def test_where_nothing_is_gained_there_is_no_share() -> None:
    choice = made_up(np.array([0.5, 0.3, 0.4, 0.2, 0, 0]), np.full(6, 2.1), base=2.0)
    assert lc.gain_share(choice) is None
    assert lc.estimates(choice)["gain_share_most_dispersed"] is None
    equal = made_up(np.array([0.5, 0.3, 0.4, 0.2, 0, 0]), np.full(6, 2.0), base=2.0)
    assert lc.gain_share(equal) is None


def test_resamples_that_gain_nothing_do_not_count() -> None:
    choice = made_up(np.array([0.5, 0.3, 0.4, 0.2, 0, 0]), np.full(6, 1.95), base=2.0)
    share = lc.gain_share(choice)
    assert share is not None
    assert 0 < np.isnan(share.draws).sum() < 50
    assert np.isfinite([share.interval().low, share.interval().high]).all()


def test_rank_correlations_are_scipys_in_every_resample() -> None:
    rng = np.random.default_rng(5)
    choice = made_up(np.round(rng.uniform(size=12), 1), rng.uniform(1, 2, 12))
    keys = choice.both
    assert len(keys) == 10
    found = lc.spearman(keys)
    assert found is not None
    x, y = [key.dispersion for key in keys], [key.loss for key in keys]
    assert found.value == pytest.approx(
        stats.spearmanr([a.value for a in x], [b.value for b in y]).statistic
    )
    for draw in range(50):
        expected = stats.spearmanr([a.draws[draw] for a in x], [b.draws[draw] for b in y])
        assert found.draws[draw] == pytest.approx(expected.statistic)
    assert found.n == 9


def test_keys_that_all_do_the_same_have_no_rank_correlation() -> None:
    assert lc.spearman(made_up(np.linspace(0, 1, 6), np.full(6, 2.0)).both) is None


def test_ties_count_half() -> None:
    def one(value: float, draws: list[float]) -> Resampled:
        return Resampled(value, np.array(draws), 4)

    share = lc.share_ahead(
        [one(1.0, [1, 0, 0]), one(2.0, [5, 5, 5]), one(1.0, [0, 0, 0])],
        [one(0.0, [0, 0, 1]), one(2.0, [5, 0, 9]), one(3.0, [0, 0, 1])],
    )
    assert share.value == 0.5
    assert share.draws.tolist() == pytest.approx([2 / 3, 2 / 3, 0.0])
    assert share.n == 4


# A few states --------------------------------------------------------------------------------


def test_small_samples_by_loops_over_the_same_draws() -> None:
    rng = np.random.default_rng(6)
    first, second = rng.normal(0.3, 1, (40, 5)), rng.normal(0.5, 1, (40, 5))
    table = lc.small_samples(first, second, sizes=(3, 8), draws=12, seed=9)
    whole = [mean_pairwise_distance(rows) for rows in (first, second)]
    drawing = np.random.default_rng(9)
    for size in (3, 8):
        found = []
        for _ in range(12):
            at = drawing.choice(40, size, replace=False)
            found.append([mean_pairwise_distance(rows[at]) for rows in (first, second)])
        (row,) = table[table["states"] == size].to_dict("records")
        for number, name in enumerate(("first", "second")):
            values = np.array(found)[:, number]
            assert row[f"mean_{name}"] == pytest.approx(values.mean())
            assert row[f"sd_{name}"] == pytest.approx(values.std())
            assert row[f"change_{name}"] == pytest.approx(values.mean() / whole[number] - 1)
        kept = [(a > b) == (whole[0] > whole[1]) for a, b in found]
        assert row["order_kept"] == pytest.approx(np.mean(kept))
        assert 0 < row["order_kept"] < 1
    last = table.iloc[-1]
    assert (last["states"], last["order_kept"], last["sd_first"]) == (40, 1.0, 0.0)
    assert last["mean_first"] == pytest.approx(whole[0])


def test_the_mean_over_draws_does_not_depend_on_their_size() -> None:
    rng = np.random.default_rng(7)
    first, second = rng.normal(0.6, 1, (200, 6)), rng.normal(0.2, 1, (200, 6))
    table = lc.small_samples(first, second, sizes=(2, 50), draws=4000, seed=0).set_index("states")
    for name in ("first", "second"):
        error = table.loc[2, f"sd_{name}"] / np.sqrt(4000)
        gap = table.loc[2, f"mean_{name}"] - table.loc[200, f"mean_{name}"]
        assert abs(gap) < 4 * error
        assert table.loc[50, f"sd_{name}"] < table.loc[2, f"sd_{name}"] / 3
    assert table.loc[2, "order_kept"] < table.loc[50, "order_kept"]


def test_draws_of_more_states_than_there_are() -> None:
    rows = np.random.default_rng(8).normal(size=(9, 3))
    with pytest.raises(ReproError, match="draws of 100 states need as many, there are 9"):
        lc.small_samples(rows, rows, draws=2, seed=0)
