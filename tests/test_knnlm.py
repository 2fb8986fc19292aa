"""kNN-LM: the search, the mixture and a whole run, each against brute force; states inside
blocks against hooks; and what must be refused."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from conftest import VOCABULARY, WIDTH, tiny_config
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reproutils import knnlm
from reproutils.corpora.documents import Chunks
from reproutils.errors import ReproError
from reproutils.knnlm import (
    Contexts,
    Datastore,
    build_datastore,
    choose,
    interpolate,
    knn_log_probabilities,
    nearest,
    perplexity,
    read_queries,
    standard_key,
    temperature_grid,
)
from reproutils.models import LoadedModel
from reproutils.states import Reductions, extract

Array = NDArray[Any]

LENGTH = 12


def make_chunks(n: int, seed: int, documents: Sequence[str] = ("a", "b")) -> Chunks:
    """Random tokens, chunks of the documents in turn."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(3, VOCABULARY - 10, (n, LENGTH))
    rows = [i % len(documents) for i in range(n)]
    return Chunks(
        name="random",
        domain="random",
        ids=tuple(tuple(chunk) for chunk in ids.tolist()),
        documents=tuple(rows),
        offsets=tuple(LENGTH * i for i in range(n)),
        item_ids=tuple(f"{documents[row]}@{LENGTH * i}" for i, row in enumerate(rows)),
        dropped_near_duplicates=0,
    )


STORED, VALIDATION, TEST = (
    make_chunks(9, seed=1, documents=("a", "b", "c")),
    make_chunks(3, seed=2, documents=("d",)),
    make_chunks(4, seed=3, documents=("e", "f")),
)


def brute_distances(keys: Array, queries: Array) -> Array:
    """(n, n_keys) squared distances in float64, difference by difference."""
    wide = keys.astype(np.float64)
    return np.array([((wide - query) ** 2).sum(1) for query in queries.astype(np.float64)])


# Search --------------------------------------------------------------------------------------


def check_nearest(keys: Array, queries: Array, k: int) -> Array:
    """That the neighbours are right up to the rounding of their own distances."""
    found = nearest(keys, queries, k)
    assert found.distances.dtype == np.float32
    assert found.distances.shape == found.positions.shape == (len(queries), k)
    exact = brute_distances(keys, queries)
    np.testing.assert_allclose(found.distances, np.sort(exact, axis=1)[:, :k], rtol=1e-5)
    own = np.take_along_axis(exact, found.positions, axis=1)
    np.testing.assert_allclose(own, found.distances, rtol=1e-5)
    for row in found.positions:
        assert len(set(row.tolist())) == k
    return found.positions


@settings(deadline=None, max_examples=60)
@given(
    n_keys=st.integers(1, 200),
    width=st.integers(1, 40),
    offset=st.sampled_from([0.0, 1.0, 1e4]),
    seed=st.integers(0, 2**32 - 1),
    data=st.data(),
)
def test_the_nearest_keys_are_those_of_brute_force(
    n_keys: int, width: int, offset: float, seed: int, data: st.DataObject
) -> None:
    rng = np.random.default_rng(seed)
    scales = np.exp(rng.normal(0, 2, width))
    keys = (offset + scales * rng.standard_normal((n_keys, width))).astype(np.float32)
    queries = (offset + scales * rng.standard_normal((5, width))).astype(np.float32)
    check_nearest(keys, queries, data.draw(st.integers(1, n_keys)))


def test_queries_and_keys_may_come_in_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    keys, queries = (rng.standard_normal((n, 7)).astype(np.float32) for n in (300, 45))
    whole = nearest(keys, queries, 11)
    monkeypatch.setattr(knnlm, "SCORES", 2100)
    monkeypatch.setattr(knnlm, "GATHERED", 130)
    blocks = nearest(keys, queries, 11)
    np.testing.assert_array_equal(whole.positions, blocks.positions)
    np.testing.assert_array_equal(whole.distances, blocks.distances)


def test_equal_keys_are_taken_in_their_order() -> None:
    """Layers such as the embedding give one and the same key for every occurrence of a token."""
    rng = np.random.default_rng(1)
    distinct = rng.standard_normal((3, 16)).astype(np.float32)
    token = rng.integers(0, 3, 3000)
    found = nearest(distinct[token], distinct, 100)
    for number in range(3):
        np.testing.assert_array_equal(
            found.positions[number], np.flatnonzero(token == number)[:100]
        )
    assert (found.distances == 0).all()


def test_a_neighbour_hidden_by_rounding_is_found() -> None:
    """Far from the keys' mean the scores cannot tell near keys apart; the search must notice."""
    rng = np.random.default_rng(2)
    near = rng.standard_normal((800, 24)) + 3000.0
    keys = np.concatenate([near, -near]).astype(np.float32)[rng.permutation(1600)]
    queries = (rng.standard_normal((6, 24)) + 3000.0).astype(np.float32)
    centred, asked = keys - keys.mean(0), queries - keys.mean(0)
    scores = asked @ centred.T - (centred**2).sum(1) / 2
    k = 5
    exact = brute_distances(keys, queries)
    expected = np.argsort(exact, axis=1)[:, :k]
    by_score = np.argsort(-scores, axis=1)[:, : k + 32]
    missed = [set(a) - set(b) for a, b in zip(expected.tolist(), by_score.tolist(), strict=True)]
    assert any(missed), "the scores would have done: nothing is tested"
    np.testing.assert_array_equal(check_nearest(keys, queries, k), expected)


def test_faiss_finds_the_same() -> None:
    pytest.importorskip("faiss", reason="FAISS is not installed (pip install 'reproutils[knn]')")
    rng = np.random.default_rng(3)
    keys = (50 + rng.standard_normal((900, 32))).astype(np.float32)
    queries = (50 + rng.standard_normal((700, 32))).astype(np.float32)
    ours, theirs = (nearest(keys, queries, 20, backend=name) for name in ("exact", "faiss"))
    np.testing.assert_array_equal(ours.positions, theirs.positions)
    np.testing.assert_array_equal(ours.distances, theirs.distances)


def test_faiss_is_asked_for_by_name_when_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    keys = np.eye(4, dtype=np.float32)
    with pytest.raises(ReproError, match=r"reproutils\[knn\]"):
        nearest(keys, keys, 1, backend="faiss")


@pytest.mark.parametrize(
    ("shape", "k", "message"),
    [
        ((2, 5), 1, r"keys \(6, 4\) and queries \(2, 5\) do not fit"),
        ((2, 4), 7, "7 neighbours asked of 6 keys"),
        ((2, 4), 0, "0 neighbours"),
    ],
)
def test_a_search_that_makes_no_sense(shape: tuple[int, int], k: int, message: str) -> None:
    with pytest.raises(ReproError, match=message):
        nearest(np.zeros((6, 4), np.float32), np.zeros(shape, np.float32), k)


# The mixture ---------------------------------------------------------------------------------


def plain_knn(distances: Array, values: Array, temperature: float) -> dict[int, float]:
    """p_kNN over the vocabulary, for one query, term by term."""
    weights = [math.exp(-float(d) / temperature) for d in distances]
    found: dict[int, float] = {}
    for weight, value in zip(weights, values.tolist(), strict=True):
        found[value] = found.get(value, 0.0) + weight / math.fsum(weights)
    return found


@settings(deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 30), temperature=st.floats(0.05, 50))
def test_neighbours_share_out_probability_by_distance(
    seed: int, k: int, temperature: float
) -> None:
    rng = np.random.default_rng(seed)
    distances = np.sort(rng.exponential(3.0, (4, k)), axis=1).astype(np.float32)
    values = rng.integers(0, 6, (4, k))
    every = [
        knn_log_probabilities(distances, values, np.full(4, token), temperature)
        for token in range(6)
    ]
    np.testing.assert_allclose(np.exp(every).sum(0), 1.0, rtol=1e-12)
    for row in range(4):
        expected = plain_knn(distances[row], values[row], temperature)
        for token in range(6):
            assert np.exp(every[token][row]) == pytest.approx(expected.get(token, 0.0), rel=1e-9)


def test_far_neighbours_do_not_underflow() -> None:
    distances = np.array([[1e6, 1e6 + 5000.0]], dtype=np.float32)
    values = np.array([[1, 2]])
    near, far, absent = (
        knn_log_probabilities(distances, values, np.array([token]), 2.0)[0] for token in (1, 2, 3)
    )
    assert near == pytest.approx(0.0, abs=1e-12)
    assert far == pytest.approx(-2500.0)
    assert absent == -np.inf


@given(
    lm=st.floats(-30, 0), knn=st.one_of(st.floats(-30, 0), st.just(-np.inf)), lam=st.floats(0, 1)
)
def test_the_mixture_is_that_of_the_probabilities(lm: float, knn: float, lam: float) -> None:
    (mixed,) = interpolate(np.array([lm]), np.array([knn]), lam)
    assert np.exp(mixed) == pytest.approx(lam * np.exp(knn) + (1 - lam) * np.exp(lm), rel=1e-9)


def test_the_ends_of_the_mixture_are_its_parts() -> None:
    lm, knn = np.array([-1.0, -2.0]), np.array([-3.0, -np.inf])
    np.testing.assert_array_equal(interpolate(lm, knn, 0.0), lm)
    np.testing.assert_array_equal(interpolate(lm, knn, 1.0), knn)


def test_perplexity_of_a_uniform_guess_is_the_number_of_choices() -> None:
    assert perplexity(np.full(10, -math.log(37))) == pytest.approx(37)


def test_the_choice_is_the_best_of_the_grid() -> None:
    rng = np.random.default_rng(5)
    distances = np.sort(rng.exponential(3.0, (40, 8)), axis=1).astype(np.float32)
    values, targets = rng.integers(0, 4, (40, 8)), rng.integers(0, 4, 40)
    lm = np.log(rng.uniform(0.05, 0.6, 40))
    lambdas, temperatures = (0.0, 0.3, 0.6, 0.9), (0.1, 1.0, 10.0)
    chosen = choose(lm, distances, values, targets, lambdas=lambdas, temperatures=temperatures)
    expected = {}
    for lam in lambdas:
        for temperature in temperatures:
            total = 0.0
            for row in range(40):
                share = plain_knn(distances[row], values[row], temperature)
                p = lam * share.get(int(targets[row]), 0.0) + (1 - lam) * math.exp(lm[row])
                total -= math.log(p)
            expected[lam, temperature] = math.exp(total / 40)
    best = min(expected, key=lambda pair: expected[pair])
    assert (chosen.lam, chosen.temperature) == best
    assert 0 < chosen.lam < 0.9
    assert chosen.perplexity == pytest.approx(expected[best])


def test_useless_neighbours_are_switched_off() -> None:
    """No neighbour ever has the right value."""
    lm = np.full(3, -1.0)
    distances, values = np.ones((3, 2), np.float32), np.zeros((3, 2), np.int64)
    chosen = choose(lm, distances, values, np.ones(3, np.int64), temperatures=(1.0,))
    assert chosen.lam == 0.0
    assert chosen.perplexity == pytest.approx(math.e)


def test_temperatures_follow_the_scale_of_the_distances() -> None:
    rng = np.random.default_rng(6)
    distances = np.sort(rng.exponential(1.0, (9, 5)), axis=1).astype(np.float32)
    once, thousand = (np.array(temperature_grid(distances * s)) for s in (1, 1024))
    np.testing.assert_array_equal(thousand, 1024 * once)
    unit = np.median(distances[:, -1].astype(np.float64) - distances[:, 0])
    assert temperature_grid(distances, steps=(1.0,)) == (unit,)


def test_neighbours_that_are_all_equally_near_have_no_scale() -> None:
    tied = np.full((3, 4), 2.0, np.float32)
    assert temperature_grid(tied, steps=(0.5, 2.0)) == (0.5, 2.0)
    tied[0, 3] = 5.0
    assert temperature_grid(tied, steps=(1.0,)) == (3.0,)


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.nan])
def test_a_temperature_is_positive(temperature: float) -> None:
    ones = np.ones((1, 1), np.float32)
    with pytest.raises(ReproError, match="temperature"):
        knn_log_probabilities(ones, np.ones((1, 1), np.int64), np.ones(1, np.int64), temperature)


@pytest.mark.parametrize("lam", [-0.1, 1.1, math.nan])
def test_lambda_is_a_share(lam: float) -> None:
    with pytest.raises(ReproError, match="share"):
        interpolate(np.zeros(1), np.zeros(1), lam)


# A whole run ---------------------------------------------------------------------------------


def plain_run(model: LoadedModel, chunks: Chunks, place: str, skip: int) -> tuple[Array, Array]:
    """Keys before ``place`` and log-probabilities over the vocabulary, one chunk at a time."""
    keys, scores = [], []
    module = model.network.get_submodule(place)
    seen: list[torch.Tensor] = []
    hook = module.register_forward_pre_hook(lambda _m, args: seen.append(args[0]))
    with torch.no_grad():
        for ids in chunks.ids:
            logits = model.network(input_ids=torch.tensor([ids])).logits[0].double()
            keys.append(seen.pop()[0, skip : LENGTH - 1].numpy())
            scores.append(torch.log_softmax(logits, -1)[skip : LENGTH - 1].numpy())
    hook.remove()
    return np.concatenate(keys), np.concatenate(scores)


def plain_knnlm(
    stored: tuple[Array, Array], asked: tuple[Array, Array], k: int, lam: float, temperature: float
) -> Array:
    """(n, vocabulary) kNN-LM probabilities by the definition, in float64.

    Args:
        stored: keys and values.
        asked: queries and the model's log-probabilities over the vocabulary.
    """
    keys, values = stored
    mixed = []
    for query, lm in zip(*asked, strict=True):
        distances = ((keys - query) ** 2).sum(1)
        best = np.argsort(distances)[:k]
        p = (1 - lam) * np.exp(lm)
        for token, share in plain_knn(distances[best], values[best], temperature).items():
            p[token] += lam * share
        mixed.append(p)
    return np.array(mixed)


@pytest.mark.parametrize(
    ("architecture", "place"), [("llama", "model.layers.2.mlp"), ("gpt2", "transformer.h.1.mlp")]
)
@pytest.mark.parametrize(("skip", "n_keys"), [(1, None), (4, None), (1, 30)])
def test_a_run_equals_a_plain_knnlm(
    tiny_models: dict[str, LoadedModel],
    cache: Path,
    architecture: str,
    place: str,
    skip: int,
    n_keys: int | None,
) -> None:
    model, k = tiny_models[architecture], 7
    layer = standard_key(model)
    datastore = build_datastore(model, STORED, layers=[layer], skip=skip)
    validation, test = (
        read_queries(model, chunks, layers=[layer], skip=skip) for chunks in (VALIDATION, TEST)
    )
    plain = {
        name: plain_run(model, chunks, place, skip)
        for name, chunks in (("stored", STORED), ("validation", VALIDATION), ("test", TEST))
    }
    np.testing.assert_allclose(
        datastore.contexts.keys(layer), plain["stored"][0], rtol=1e-5, atol=1e-6
    )
    values = np.array([token for ids in STORED.ids for token in ids[skip + 1 :]])
    np.testing.assert_array_equal(datastore.contexts.tokens, values)
    targets = {
        name: np.array([token for ids in chunks.ids for token in ids[skip + 1 :]])
        for name, chunks in (("validation", VALIDATION), ("test", TEST))
    }
    np.testing.assert_allclose(
        test.log_probabilities,
        plain["test"][1][np.arange(len(test)), targets["test"]],
        rtol=1e-5,
    )

    found = datastore.evaluate(layer, validation, test, k, n_keys=n_keys)
    stored = plain["stored"][0][:n_keys], values[:n_keys]
    for name, result in (
        ("validation", found.choice.perplexity),
        ("test", found.perplexity),
    ):
        mixed = plain_knnlm(stored, plain[name], k, found.choice.lam, found.choice.temperature)
        np.testing.assert_allclose(mixed.sum(1), 1.0)
        p = mixed[np.arange(len(mixed)), targets[name]]
        assert result == pytest.approx(np.exp(-np.log(p).mean()), rel=1e-5)
    assert found.perplexity == perplexity(found.log_probabilities)
    assert (found.layer, found.n_keys, found.k) == (layer, len(stored[1]), k)
    hits = [
        targets["test"][i] in stored[1][np.argsort(((stored[0] - q) ** 2).sum(1))[:k]]
        for i, q in enumerate(plain["test"][0])
    ]
    assert found.found == pytest.approx(np.mean(hits))


def test_a_context_met_before_is_looked_up(
    tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    """Chunks that differ from stored ones in their last token alone: the nearest key is the same
    context, and the value is what followed there."""
    model = tiny_models["llama"]
    again = make_chunks(9, seed=1, documents=("x", "y"))
    ids = tuple((*chunk[:-1], 5 if chunk[-1] != 5 else 6) for chunk in again.ids)
    queries_of = Chunks(**(vars(again) | {"ids": ids}))
    layer = "block 2"
    datastore = build_datastore(model, STORED, layers=[layer], skip=3)
    queries = read_queries(model, queries_of, layers=[layer], skip=3)
    found = datastore.search(layer, queries, 1)
    np.testing.assert_array_equal(found.positions[:, 0], np.arange(len(queries)))
    assert (found.distances < 1e-6).all()
    some = datastore.search(layer, queries, 1, n_keys=8)
    assert set(some.positions[:, 0].tolist()) <= set(range(8))
    np.testing.assert_array_equal(some.positions[:8, 0], np.arange(8))


def test_contexts_know_their_documents(tiny_models: dict[str, LoadedModel], cache: Path) -> None:
    queries = read_queries(tiny_models["gpt2"], TEST, layers=["block 1"], skip=9)
    assert queries.documents.tolist() == [0, 0, 1, 1, 0, 0, 1, 1]
    assert queries.tokens.tolist() == [token for ids in TEST.ids for token in ids[10:]]


def test_many_small_passes_give_the_same_datastore(
    tiny_models: dict[str, LoadedModel], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, layers = tiny_models["llama"], ["embed", "block 1 attention", "final_norm"]
    whole = read_queries(model, STORED, layers=layers)
    # The rows of four chunks: 9 chunks go in passes of 4, 4 and 1.
    monkeypatch.setattr(knnlm, "ROW_BYTES", 4 * 3 * (LENGTH - 2) * WIDTH * 4)
    parts = read_queries(model, STORED, layers=layers)
    assert [len(part) for part in parts.states] == [4, 4, 1]
    for layer in layers:
        np.testing.assert_allclose(parts.keys(layer), whole.keys(layer), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(parts.tokens, whole.tokens)
    np.testing.assert_allclose(parts.log_probabilities, whole.log_probabilities, rtol=1e-6)


def computed(datastore: Datastore) -> int:
    return sum(part.computed_tokens for part in datastore.contexts.states)


def test_a_datastore_is_kept_for_its_model_layers_and_texts(
    tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    llama, gpt2 = tiny_models["llama"], tiny_models["gpt2"]
    first = build_datastore(llama, STORED, layers=["block 1"])
    again = build_datastore(llama, STORED, layers=["block 1"])
    assert computed(first) == 9 * LENGTH
    assert computed(again) == 0
    np.testing.assert_array_equal(first.contexts.keys("block 1"), again.contexts.keys("block 1"))
    for model, chunks, layer in (
        (gpt2, STORED, "block 1"),
        (llama, VALIDATION, "block 1"),
        (llama, STORED, "block 1 attention"),
    ):
        assert computed(build_datastore(model, chunks, layers=[layer])) > 0


# States inside blocks ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("architecture", "block", "attention", "norm"),
    [
        ("llama", "model.layers.1", "self_attn", "post_attention_layernorm"),
        ("gpt2", "transformer.h.1", "attn", "ln_2"),
    ],
)
def test_states_inside_a_block(
    tiny_models: dict[str, LoadedModel],
    cache: Path,
    architecture: str,
    block: str,
    attention: str,
    norm: str,
) -> None:
    """After attention: the block's input plus the attention's output. The feed-forward reads its
    norm, and adds up to the block's output."""
    model, ids = tiny_models[architecture], TEST.ids[:1]
    layers = ["block 1", "block 2 attention", "block 2 ffn input", "block 2"]
    rows = (tuple(range(LENGTH)),)
    states = extract(model, ids, layers=layers, reductions=Reductions(spans=(), rows=rows))
    before, after_attention, read, after = (states.rows_at(layer) for layer in layers)
    module = model.network.get_submodule(block)
    added: list[torch.Tensor] = []
    hook = module.get_submodule(attention).register_forward_hook(
        lambda _m, _i, output: added.append(output[0])
    )
    with torch.no_grad():
        model.network(input_ids=torch.tensor(ids))
        hook.remove()
        expected = before + added[0][0].numpy()
        normed = module.get_submodule(norm)(torch.from_numpy(after_attention).double())
        fed = module.get_submodule("mlp")(torch.from_numpy(read).double())
    close = {"rtol": 1e-4, "atol": 1e-5}
    np.testing.assert_allclose(after_attention, expected, **close)
    np.testing.assert_allclose(read, normed.numpy(), **close)
    np.testing.assert_allclose(after, after_attention + fed.numpy(), **close)
    assert np.abs(after_attention - before).max() > 0.01
    assert np.abs(after_attention - read).max() > 0.01


def test_names_inside_blocks(tiny_models: dict[str, LoadedModel]) -> None:
    model = tiny_models["gpt2"]
    assert model.sublayer_names == (
        "block 1 attention",
        "block 1 ffn input",
        "block 2 attention",
        "block 2 ffn input",
    )
    assert not set(model.sublayer_names) & set(model.layer_names)
    assert standard_key(model) == "block 2 ffn input"


def loaded(like: LoadedModel, **changes: Any) -> LoadedModel:
    """GPT-NeoX of another configuration, under the tokenizer of ``like``."""
    from transformers import GPTNeoXForCausalLM

    config = tiny_config("neox")
    config.update(changes)
    network = GPTNeoXForCausalLM(config).double().eval()
    values = {name: getattr(like, name) for name in ("tokenizer", "causal", "dtype", "device")}
    return LoadedModel(name="neox", network=network, fingerprint=repr(changes), **values)


def test_blocks_side_by_side_have_no_state_after_attention(
    tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    parallel = tiny_models["neox"]
    with pytest.raises(ReproError, match="attention and feed-forward side by side"):
        build_datastore(parallel, STORED, layers=["block 1 attention"])
    side = build_datastore(parallel, STORED, layers=["block 1", "block 1 ffn input"])
    sequential = loaded(parallel, use_parallel_residual=False)
    layers = ["block 1 attention", "block 1 ffn input"]
    after = build_datastore(sequential, STORED, layers=layers).contexts
    norm = sequential.blocks[0].get_submodule("post_attention_layernorm")
    with torch.no_grad():
        normed = norm(torch.from_numpy(after.keys(layers[0])).double()).numpy()
    np.testing.assert_allclose(after.keys(layers[1]), normed, rtol=1e-4, atol=1e-5)
    assert len(side) == len(after)


@pytest.mark.parametrize("architecture", ["gemma2", "olmo2", "bert"])
def test_norms_after_a_sublayer_are_not_taken_for_the_feed_forwards(
    tiny_models: dict[str, LoadedModel], cache: Path, architecture: str
) -> None:
    """Gemma 2 has a norm on either side of each sublayer, OLMo 2 only after, BERT none to find."""
    from transformers import Gemma2Config, Gemma2ForCausalLM, Olmo2Config, Olmo2ForCausalLM

    like = tiny_models["llama"]
    if architecture == "bert":
        with pytest.raises(ReproError, match="none was recognised in BertLayer"):
            extract(tiny_models["bert"], ["a map"], layers=["block 1 attention"])
        return
    sizes = {
        "vocab_size": VOCABULARY,
        "hidden_size": WIDTH,
        "intermediate_size": 2 * WIDTH,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "max_position_embeddings": 64,
        "pad_token_id": 0,
    }
    network = (
        Gemma2ForCausalLM(Gemma2Config(**sizes))
        if architecture == "gemma2"
        else Olmo2ForCausalLM(Olmo2Config(**{k: v for k, v in sizes.items() if k != "head_dim"}))
    )
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if "norm" in name:
                parameter.normal_(1.0, 0.2)
    values = {name: getattr(like, name) for name in ("tokenizer", "causal", "dtype", "device")}
    model = LoadedModel(
        name=architecture, network=network.double().eval(), fingerprint=architecture, **values
    )
    layer = "block 1 attention"
    if architecture == "olmo2":
        with pytest.raises(ReproError, match="none was recognised in Olmo2DecoderLayer"):
            build_datastore(model, STORED, layers=[layer])
        return
    states = extract(
        model,
        TEST.ids[:1],
        layers=["embed", layer],
        reductions=Reductions(spans=(), rows=(tuple(range(LENGTH)),)),
    )
    added: list[torch.Tensor] = []
    norm = model.blocks[0].get_submodule("post_attention_layernorm")
    hook = norm.register_forward_hook(lambda _m, _i, output: added.append(output))
    with torch.no_grad():
        network(input_ids=torch.tensor(TEST.ids[:1]))
    hook.remove()
    np.testing.assert_allclose(
        states.rows_at(layer), states.rows_at("embed") + added[0][0].numpy(), rtol=1e-4, atol=1e-5
    )


def test_rows_at_a_layer_stand_in_the_order_of_the_texts(
    tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    """Texts of different lengths, so that they run in another order, in two chunk files."""
    model = tiny_models["llama"]
    texts = [" rope" * (1 + 7 * i % 10) for i in range(70)]
    lengths = [len(model.encode(text)[0]) for text in texts]
    rows = tuple(tuple(range(0, n, 2)) if i % 3 else () for i, n in enumerate(lengths))
    states = extract(
        model,
        texts,
        layers=["embed", "block 1", "block 3"],
        reductions=Reductions(spans=(), rows=rows, row_layers=("block 1", "block 3")),
    )
    expected = np.concatenate(list(states.rows()), axis=1)
    for at, layer in enumerate(("block 1", "block 3")):
        np.testing.assert_array_equal(states.rows_at(layer), expected[at])
    with pytest.raises(ReproError, match="no rows were kept at layer 'embed'"):
        states.rows_at("embed")


def test_no_rows_at_all(tiny_models: dict[str, LoadedModel], cache: Path) -> None:
    reductions = Reductions(spans=(), rows=((), ()))
    states = extract(tiny_models["gpt2"], ["on", "No."], layers=["embed"], reductions=reductions)
    assert states.rows_at("embed").shape == (0, WIDTH)


# Refusals ------------------------------------------------------------------------------------


@pytest.fixture
def small(tiny_models: dict[str, LoadedModel], cache: Path) -> tuple[Datastore, Contexts, Contexts]:
    model = tiny_models["gpt2"]
    validation, test = (
        read_queries(model, chunks, layers=["block 1"]) for chunks in (VALIDATION, TEST)
    )
    return build_datastore(model, STORED, layers=["block 1"]), validation, test


def test_text_of_the_datastore_is_no_query(
    tiny_models: dict[str, LoadedModel], small: tuple[Datastore, Contexts, Contexts]
) -> None:
    datastore, validation, test = small
    model = tiny_models["gpt2"]
    same_document = make_chunks(2, seed=9, documents=("z", "b"))
    other = make_chunks(4, seed=10, documents=("y", "z"))
    same_tokens = Chunks(**(vars(other) | {"ids": (*other.ids[:3], STORED.ids[4])}))
    for chunks, message in (
        (same_document, "the datastore and the queries both hold document b"),
        (same_tokens, "the datastore and the queries both hold 1 chunks of the same tokens"),
    ):
        queries = read_queries(model, chunks, layers=["block 1"])
        with pytest.raises(ReproError, match=message):
            datastore.search("block 1", queries, 2)
        with pytest.raises(ReproError, match=message):
            datastore.evaluate("block 1", validation, queries, 2)
        with pytest.raises(ReproError, match=message):
            datastore.evaluate("block 1", queries, test, 2)
    with pytest.raises(ReproError, match="validation and test both hold document e"):
        datastore.evaluate("block 1", test, test, 2)


def test_what_an_evaluation_needs(
    tiny_models: dict[str, LoadedModel], small: tuple[Datastore, Contexts, Contexts]
) -> None:
    datastore, _, test = small
    with pytest.raises(ReproError, match="91 neighbours asked of 90 keys"):
        datastore.search("block 1", test, 91)
    for n_keys in (0, 91):
        with pytest.raises(ReproError, match=f"n_keys is {n_keys}, the datastore has 90"):
            datastore.search("block 1", test, 2, n_keys=n_keys)
    with pytest.raises(ReproError, match="no rows were kept at layer 'block 2'"):
        datastore.search("block 2", test, 2)
    unscored = build_datastore(tiny_models["gpt2"], VALIDATION, layers=["block 1"]).contexts
    with pytest.raises(ReproError, match="read_queries"):
        datastore.evaluate("block 1", unscored, test, 2)


def test_what_a_datastore_needs(tiny_models: dict[str, LoadedModel], cache: Path) -> None:
    with pytest.raises(ReproError, match="reads in both directions"):
        build_datastore(tiny_models["bert"], STORED, layers=["block 1"])
    for skip in (-1, LENGTH - 1):
        with pytest.raises(ReproError, match=f"skip is {skip}.*from 0 to 10"):
            build_datastore(tiny_models["gpt2"], STORED, layers=["block 1"], skip=skip)
    with pytest.raises(ReproError, match="no layer block 9 attention"):
        build_datastore(tiny_models["gpt2"], STORED, layers=["block 9 attention"])
