"""Hidden states: every reduction against a plain forward pass, the cache, and what can go wrong."""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from conftest import ARCHITECTURES, CAUSAL, CONTEXT, VOCABULARY, save_tiny
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import nn
from transformers import AutoModel, AutoModelForCausalLM

from reproutils import states as states_module
from reproutils.dispersion import from_resultant, mean_pairwise_distance
from reproutils.errors import ReproError
from reproutils.models import LoadedModel, load_model
from reproutils.paths import CACHE_VARIABLE
from reproutils.progress import progress
from reproutils.states import ALL_POSITIONS, WITHOUT_FIRST, Reductions, States, extract

Array = NDArray[np.float64]

# Of 2 to 50 tokens, not in the order of length, two of the same length, one with multibyte letters.
TEXTS = (
    "The rope is longer than the field.",
    "on",
    "A lamp, a letter, a table, and in the window the map of a river that nobody has named.",
    "Ça coûte 12 €, dit-elle à l'hôtel.",
    "No.",
    "Early trains are late.",
    "He found one more sack than he had bought, and counted them twice.",
    "on",
    "Rain",
    "Nobody's memory is a map; nobody's map is a memory of rain in winter.",
    "trains\nthat\nare\nlate",
)
SPANS = (("all", ALL_POSITIONS), ("no_first", WITHOUT_FIRST), ("start", (0, 3)), ("second", (1, 2)))
# The shortest texts end within the second one.
RESULTANTS = (("all", ALL_POSITIONS), ("begin", (0, 4)))

# Where each architecture keeps its blocks and its last norm, spelt out as an oracle.
PLACES = {
    "llama": ("model.layers", "model.norm"),
    "gpt2": ("transformer.h", "transformer.ln_f"),
    "neox": ("gpt_neox.layers", "gpt_neox.final_layer_norm"),
    "bert": ("encoder.layer", None),
}


@dataclass
class Plain:
    """One text's states by layer name, (tokens, d), and its token losses, all in float64."""

    states: dict[str, Array]
    losses: Array | None


def plain_forward(folder: Path, architecture: str, texts: Sequence[str]) -> list[Plain]:
    """What transformers gives for one text at a time, with no batch, mask or cache."""
    builder = AutoModel if architecture == "bert" else AutoModelForCausalLM
    network = builder.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager")
    blocks_place, norm_place = PLACES[architecture]
    last_block = network.get_submodule(blocks_place)[-1]
    raw: list[torch.Tensor] = []
    last_block.register_forward_hook(
        lambda _m, _i, output: raw.append(output[0] if isinstance(output, tuple) else output)
    )
    encode = load_model(f"path:{folder}").encode
    found = []
    for text in texts:
        ids = torch.tensor([encode(text)[0]])
        with torch.no_grad():
            output = network(input_ids=ids, output_hidden_states=True)
        hidden = [state[0].numpy() for state in output.hidden_states]
        named = {"embed": hidden[0]}
        named |= {f"block {k}": hidden[k] for k in range(1, len(hidden) - 1)}
        named[f"block {len(hidden) - 1}"] = raw.pop()[0].numpy()
        losses = None
        if norm_place is not None:
            named["final_norm"] = hidden[-1]
            log_p = torch.log_softmax(output.logits[0, :-1], -1)
            losses = -log_p.gather(1, ids[0, 1:, None])[:, 0].numpy()
        found.append(Plain(named, losses))
    return found


@pytest.fixture(scope="session")
def plain(tiny_folders: dict[str, Path]) -> dict[str, list[Plain]]:
    """Architecture -> the plain states of ``TEXTS``."""
    return {name: plain_forward(tiny_folders[name], name, TEXTS) for name in ARCHITECTURES}


def close(found: NDArray[Any], expected: NDArray[Any]) -> None:
    """Equal to the rounding of float32 results, relative to the largest number."""
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


def squared_resultant(states: Array) -> float:
    """‖mean of h/‖h‖‖² by its definition."""
    unit = states / np.linalg.norm(states, axis=1, keepdims=True)
    return float((unit.mean(0) ** 2).sum())


@contextmanager
def counted_calls(modules: Sequence[nn.Module]) -> Iterator[list[int]]:
    """How often each module was called."""
    calls = [0] * len(modules)

    def count(number: int) -> Callable[..., None]:
        def hook(*_: object) -> None:
            calls[number] += 1

        return hook

    handles = [
        module.register_forward_pre_hook(count(number)) for number, module in enumerate(modules)
    ]
    try:
        yield calls
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def altered(parameter: torch.Tensor, *where: int, value: float) -> Iterator[None]:
    """Set one row or element of a parameter for a while."""
    kept = parameter[where].detach().clone()
    with torch.no_grad():
        parameter[where] = value
    try:
        yield
    finally:
        with torch.no_grad():
            parameter[where] = kept


def one_entry(cache: Path) -> Path:
    """The only entry of the states cache."""
    (entry,) = (cache / "states").iterdir()
    return entry


def chunk_files(cache: Path) -> list[Path]:
    return sorted(one_entry(cache).glob("chunk-*.safetensors"))


# Values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_reduction_equals_a_plain_forward_pass(
    architecture: str,
    tiny_models: dict[str, LoadedModel],
    plain: dict[str, list[Plain]],
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(states_module, "CHUNK_TEXTS", 4)
    model = tiny_models[architecture]
    expected = plain[architecture]
    lengths = [len(item.states["embed"]) for item in expected]
    # Nothing, one row or several; in the first chunk, of the shortest texts, nothing at all.
    rows = tuple(tuple(range(i % 3, n, 3)) if n > 5 else () for i, n in enumerate(lengths))
    prefixes = (("half", tuple(max(1, n // 2) for n in lengths)), ("one", (1,) * len(lengths)))
    row_layers = (f"block {model.n_blocks}", "embed")
    found = extract(
        model,
        TEXTS,
        layers=model.layer_names,
        reductions=Reductions(
            spans=SPANS,
            prefixes=prefixes if model.causal else (),
            resultants=RESULTANTS,
            rows=rows,
            row_layers=row_layers,
            last=True,
            loss=model.causal,
        ),
        batch_tokens=48,
    )
    assert len(chunk_files(cache)) == 3
    assert len(found) == len(TEXTS)
    assert found.n_tokens.tolist() == lengths
    assert found.computed_tokens == sum(lengths)

    bounds = {name: [(a, b or n) for n in lengths] for name, (a, b) in SPANS}
    if model.causal:
        bounds |= {name: [(0, stop) for stop in stops] for name, stops in prefixes}
    for layer in model.layer_names:
        at = found.layers.index(layer)
        close(found.last(layer), np.array([item.states[layer][-1] for item in expected]))
        for span, ranges in bounds.items():
            cut = [item.states[layer][a:b] for item, (a, b) in zip(expected, ranges, strict=True)]
            close(found.mean(span, layer), np.array([part.mean(0) for part in cut]))
            squares = np.array([(part**2).sum(1).mean() for part in cut])
            close(found.mean_square(span)[:, at], squares)
        for span, (start, stop) in RESULTANTS:
            cut = [item.states[layer][start:stop] for item in expected]
            np.testing.assert_allclose(
                found.resultant(span)[:, at], [squared_resultant(part) for part in cut], atol=1e-6
            )
            assert found.span_sizes(span)[:, at].tolist() == [len(part) for part in cut]
    for got, item, picked in zip(found.rows(), expected, rows, strict=True):
        wanted = np.array([item.states[layer][list(picked)] for layer in row_layers])
        assert got.shape == wanted.shape
        if picked:
            close(got, wanted)
    if model.causal:
        for loss, item in zip(found.losses(), expected, strict=True):
            assert item.losses is not None
            np.testing.assert_allclose(loss, item.losses, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_layer_names(
    architecture: str, tiny_models: dict[str, LoadedModel], plain: dict[str, list[Plain]]
) -> None:
    model = tiny_models[architecture]
    n = model.n_blocks
    names = ["embed", *(f"block {k}" for k in range(1, n + 1))]
    if architecture != "bert":
        names.append("final_norm")
    assert list(model.layer_names) == names
    assert list(plain[architecture][0].states) == names


@pytest.mark.parametrize("architecture", CAUSAL)
def test_the_last_hidden_state_is_the_norm_of_the_last_block(
    architecture: str,
    tiny_models: dict[str, LoadedModel],
    plain: dict[str, list[Plain]],
    cache: Path,
) -> None:
    model = tiny_models[architecture]
    last = f"block {model.n_blocks}"
    rows = tuple((0, len(item.states["embed"]) - 1) for item in plain[architecture])
    found = extract(
        model, TEXTS, layers=(last, "final_norm"), reductions=Reductions(spans=(), rows=rows)
    )
    norm = model.network.get_submodule(PLACES[architecture][1] or "")
    for block_rows, norm_rows in found.rows():
        with torch.no_grad():
            normed = norm(torch.from_numpy(block_rows).double()).numpy()
        np.testing.assert_allclose(norm_rows, normed, rtol=1e-5, atol=1e-5)
        assert np.abs(norm_rows - block_rows).max() > 0.1


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_sinks_are_left_out(
    architecture: str,
    tiny_models: dict[str, LoadedModel],
    plain: dict[str, list[Plain]],
    cache: Path,
) -> None:
    model = tiny_models[architecture]
    texts = ["A lamp ζ in the window", "ζ late ζ", "Rain and rain", "of"]
    long_token = model.encode("ζ")[0][-1]
    embedding = model.network.get_input_embeddings().weight
    with altered(embedding, long_token, value=60.0):
        found = extract(
            model,
            texts,
            layers=model.layer_names,
            reductions=Reductions(
                no_sinks=True,
                rows=tuple(tuple(range(len(model.encode(text)[0]))) for text in texts),
            ),
        )
    n_sinks = found.n_sinks()
    for text, rows in enumerate(found.rows()):
        for at, layer in enumerate(model.layer_names):
            states = rows[at].astype(np.float64)
            norms = np.linalg.norm(states, axis=1)
            # Of an even number of tokens, the lower middle one.
            middle = np.sort(norms[1:])[(len(norms) - 2) // 2]
            kept = [i for i in range(1, len(norms)) if norms[i] <= 10 * middle]
            assert n_sinks[text, at] == len(norms) - 1 - len(kept)
            close(found.mean("no_sinks", layer)[text], states[kept].mean(0))
            close(found.mean_square("no_sinks")[text, at], (norms[kept] ** 2).mean())
    if model.causal:
        assert n_sinks[:, 0].tolist() == [1, 2, 0, 0]


@pytest.mark.parametrize("architecture", ["llama", "bert"])
@pytest.mark.parametrize("no_sinks", [True, False])
def test_dispersion_within_a_text(
    no_sinks: bool, architecture: str, tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models[architecture]
    texts = ["A lamp ζ in the window", "ζ late ζ, and late again", "Rain and rain"]
    long_token = model.encode("ζ")[0][-1]
    every_row = tuple(tuple(range(len(model.encode(text)[0]))) for text in texts)
    with altered(model.network.get_input_embeddings().weight, long_token, value=60.0):
        found = extract(
            model,
            texts,
            layers=model.layer_names,
            reductions=Reductions(
                spans=(),
                resultants=(("all", ALL_POSITIONS), ("no_first", WITHOUT_FIRST)),
                no_sinks=no_sinks,
                rows=every_row,
            ),
        )
    spread = {
        span: from_resultant(found.span_sizes(span), found.resultant(span))
        for span in ("all", "no_first", *(["no_sinks"] if no_sinks else []))
    }
    for text, rows in enumerate(found.rows()):
        for at in range(len(model.layer_names)):
            states = rows[at].astype(np.float64)
            kept = {"all": states, "no_first": states[1:]}
            if no_sinks:
                norms = np.linalg.norm(states[1:], axis=1)
                middle = np.sort(norms)[(len(norms) - 1) // 2]
                kept["no_sinks"] = states[1:][norms <= 10 * middle]
                assert found.span_sizes("no_sinks")[text, at] == len(kept["no_sinks"])
            for span, part in kept.items():
                assert spread[span][text, at] == pytest.approx(
                    mean_pairwise_distance(part), abs=2e-6
                )
    assert found.resultant("all").dtype == np.float64
    if no_sinks and model.causal:
        # The sinks of the embedding are none in the norm's output: the counts differ by layer.
        assert found.n_sinks()[:, 0].tolist() == [1, 2, 0]
        assert len(set(found.span_sizes("no_sinks")[1].tolist())) > 1
    if not no_sinks:
        assert "'resultant:no_sinks' was not" in refusal(lambda: found.resultant("no_sinks"))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_resultants_of_nearly_parallel_states(
    dtype: str, tiny_folders: dict[str, Path], cache: Path
) -> None:
    model = load_model(f"path:{tiny_folders['llama']}", dtype)
    embedding = model.network.get_input_embeddings().weight
    ids = tuple(range(3, 60))
    kept = embedding.detach().clone()
    with torch.no_grad():
        # All components near 16, where bfloat16 still tells them apart.
        embedding.copy_(16 + embedding)
    try:
        found = extract(
            model,
            [ids],
            layers=["embed"],
            reductions=Reductions(spans=(), resultants=RESULTANTS, rows=(tuple(range(57)),)),
        )
    finally:
        with torch.no_grad():
            embedding.copy_(kept)
    expected = mean_pairwise_distance(next(found.rows())[0])
    assert 1e-5 < expected < 1e-3
    value = from_resultant(found.span_sizes("all"), found.resultant("all"))[0, 0]
    assert value == pytest.approx(expected, abs=3e-7)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_token_ids_give_the_states_of_the_string(
    architecture: str, tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models[architecture]
    ids = [tuple(model.encode(text)[0]) for text in TEXTS]
    mixed: list[str | tuple[int, ...]] = [
        pair[number % 2] for number, pair in enumerate(zip(TEXTS, ids, strict=True))
    ]
    what = Reductions(spans=SPANS, resultants=RESULTANTS, last=True, loss=model.causal)
    strings, numbers, both = (
        extract(model, texts, layers=model.layer_names, reductions=what)
        for texts in (TEXTS, ids, mixed)
    )
    assert strings.computed_tokens == numbers.computed_tokens == both.computed_tokens > 0
    for found in (numbers, both):
        assert found.n_tokens.tolist() == strings.n_tokens.tolist()
        np.testing.assert_array_equal(found.resultant("all"), strings.resultant("all"))
        for layer in model.layer_names:
            np.testing.assert_array_equal(found.mean("all", layer), strings.mean("all", layer))
            np.testing.assert_array_equal(found.last(layer), strings.last(layer))
        if model.causal:
            for loss, same in zip(found.losses(), strings.losses(), strict=True):
                np.testing.assert_array_equal(loss, same)


@pytest.mark.parametrize("architecture", CAUSAL)
def test_the_mean_of_a_prefix_is_that_of_the_cut_text(
    architecture: str, tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models[architecture]
    text = TEXTS[2]
    prefix = extract(
        model,
        [text],
        layers=model.layer_names,
        reductions=Reductions(prefixes=(("cut", (7,)),)),
    )
    cut = extract(model, [model.cut(text, 7)], layers=model.layer_names)
    assert cut.n_tokens.tolist() == [7]
    for layer in model.layer_names:
        close(prefix.mean("cut", layer), cut.mean("all", layer))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_batch_equals_one_by_one(
    architecture: str, tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models[architecture]
    what = Reductions(spans=SPANS, last=True, loss=model.causal)
    together, alone = (
        extract(model, TEXTS, layers=model.layer_names, reductions=what, batch_tokens=size)
        for size in (10**6, 1)
    )
    assert together.computed_tokens == alone.computed_tokens > 0
    for layer in model.layer_names:
        close(together.mean("all", layer), alone.mean("all", layer))
        close(together.last(layer), alone.last(layer))
    close(together.mean_square("no_first"), alone.mean_square("no_first"))
    if model.causal:
        close(np.concatenate(together.losses()), np.concatenate(alone.losses()))


@pytest.mark.parametrize("batch_tokens", [1, 30, 64, 10**6])
def test_batches_stay_within_their_size(
    batch_tokens: int, tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models["llama"]
    shapes: list[torch.Size] = []
    handle = model.blocks[0].register_forward_pre_hook(
        lambda _module, args: shapes.append(args[0].shape[:2])
    )
    extract(model, TEXTS, layers=["block 1"], batch_tokens=batch_tokens)
    handle.remove()
    assert sum(texts for texts, _ in shapes) == len(TEXTS)
    assert all(texts == 1 or texts * longest <= batch_tokens for texts, longest in shapes)
    # Neighbours in length share a batch, in ascending order.
    assert [longest for _, longest in shapes] == sorted(longest for _, longest in shapes)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_padding_never_enters(
    architecture: str, tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models[architecture]
    what = Reductions(spans=SPANS, resultants=RESULTANTS, last=True, loss=model.causal)
    with counted_calls([model.blocks[0]]) as calls:
        before = extract(model, TEXTS, layers=model.layer_names, reductions=what)
    assert calls == [1]
    embedding = model.network.get_input_embeddings().weight
    # Under another fingerprint, so that nothing comes from the cache.
    twin = replace(model, fingerprint="other padding")
    with altered(embedding, model.tokenizer.pad_token_id, value=1e3):
        after = extract(twin, TEXTS, layers=model.layer_names, reductions=what)
    assert after.computed_tokens == before.computed_tokens
    for layer in model.layer_names:
        np.testing.assert_array_equal(after.last(layer), before.last(layer))
        for span, _ in SPANS:
            np.testing.assert_array_equal(after.mean(span, layer), before.mean(span, layer))
    np.testing.assert_array_equal(after.mean_square("all"), before.mean_square("all"))
    for span, _ in RESULTANTS:
        np.testing.assert_array_equal(after.resultant(span), before.resultant(span))
    # An output embedding tied to the input one does move the losses.
    if model.causal and model.network.get_output_embeddings().weight is not embedding:
        for loss, same in zip(after.losses(), before.losses(), strict=True):
            np.testing.assert_array_equal(loss, same)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_lower_precision_stays_near(
    dtype: str, tiny_folders: dict[str, Path], tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    exact = extract(tiny_models["llama"], TEXTS, layers=["block 2"]).mean("all", "block 2")
    model = load_model(f"path:{tiny_folders['llama']}", dtype)
    found = extract(model, TEXTS, layers=["block 2"]).mean("all", "block 2")
    error = np.abs(found - exact).max() / np.abs(exact).max()
    low, high = {"float32": (0.0, 1e-5), "bfloat16": (1e-5, 3e-2)}[dtype]
    assert low <= error < high


@settings(max_examples=12, deadline=None)
@given(order=st.permutations(range(len(TEXTS))), batch_tokens=st.integers(1, 200))
def test_the_order_of_texts_does_not_matter(
    order: list[int], batch_tokens: int, tiny_models: dict[str, LoadedModel], shared_cache: Path
) -> None:
    model = tiny_models["neox"]
    rows = tuple((i % 2,) for i in range(len(TEXTS)))
    stops = tuple(1 + i % 2 for i in range(len(TEXTS)))

    def run(numbers: Sequence[int]) -> States:
        return extract(
            model,
            [TEXTS[i] for i in numbers],
            layers=["block 1"],
            reductions=Reductions(
                prefixes=(("cut", tuple(stops[i] for i in numbers)),),
                rows=tuple(rows[i] for i in numbers),
                loss=True,
            ),
            batch_tokens=batch_tokens,
        )

    straight, mixed = run(range(len(TEXTS))), run(order)
    for span in ("all", "cut"):
        close(mixed.mean(span, "block 1"), straight.mean(span, "block 1")[order])
    close(np.array(list(mixed.rows())), np.array(list(straight.rows()))[order])
    wanted = straight.losses()
    for place, loss in zip(order, mixed.losses(), strict=True):
        np.testing.assert_allclose(loss, wanted[place], rtol=1e-5, atol=1e-6)


@pytest.fixture(scope="module")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One cache for all examples of a property test."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv(CACHE_VARIABLE, str(folder))
        yield folder


# Work saved ----------------------------------------------------------------------------------


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_pass_stops_after_the_highest_layer(
    architecture: str, tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models[architecture]
    n = model.n_blocks
    head = model.network.get_output_embeddings() if model.causal else None
    watched = [*(block for block in model.blocks), *([head] if head is not None else [])]

    def calls_for(*layers: str, loss: bool = False) -> list[int]:
        with counted_calls(watched) as calls:
            extract(model, TEXTS[:3], layers=layers, reductions=Reductions(loss=loss))
        return calls[:n] + ([calls[n]] if head is not None else [0])

    # Pre-hooks run in the order they were put in place, so the count sees block 1 being called.
    assert calls_for("embed") == [1] + [0] * n
    assert calls_for("block 1") == [1] + [0] * n
    assert calls_for("block 2", "embed") == [1, 1] + [0] * (n - 1)
    assert calls_for(model.layer_names[-1]) == [1] * n + [0]
    if model.causal:
        assert calls_for("block 1", loss=True) == [1] * (n + 1)


def test_the_embedding_runs_no_block(tiny_models: dict[str, LoadedModel], cache: Path) -> None:
    model = tiny_models["llama"]
    with counted_calls([model.blocks[0].self_attn]) as calls:
        extract(model, TEXTS, layers=["embed"])
    assert calls == [0]


def hooks_of(model: LoadedModel) -> list[tuple[str, int, object]]:
    """Each hook of each module, with the module's name and the hook's number."""
    return [
        (name, number, hook)
        for name, module in model.network.named_modules()
        for hooks in (module._forward_hooks, module._forward_pre_hooks)
        for number, hook in hooks.items()
    ]


@pytest.mark.parametrize("fails", [False, True])
def test_no_hook_stays_behind(
    fails: bool,
    tiny_models: dict[str, LoadedModel],
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = tiny_models["gpt2"]
    # Transformers leaves hooks of its own in a network that was once asked for its hidden states.
    before = hooks_of(model)
    if fails:

        def broken(*_: object) -> None:
            raise RuntimeError("out of memory")

        monkeypatch.setattr(states_module._Collector, "consume", broken)
        with pytest.raises(RuntimeError, match="out of memory"):
            extract(model, TEXTS, layers=["block 1"])
    else:
        extract(model, TEXTS, layers=["block 1"])
    assert hooks_of(model) == before


# The cache -----------------------------------------------------------------------------------


def test_a_second_call_computes_nothing(tiny_models: dict[str, LoadedModel], cache: Path) -> None:
    model = tiny_models["llama"]
    what = Reductions(rows=((0,),) * len(TEXTS), last=True, loss=True)
    first = extract(model, TEXTS, layers=["block 2"], reductions=what)
    with counted_calls([model.blocks[0]]) as calls:
        second = extract(model, TEXTS, layers=["block 2"], reductions=what)
    assert calls == [0]
    assert second.computed_tokens == 0
    assert first.computed_tokens == first.n_tokens.sum()
    for get in (
        lambda s: s.mean("all", "block 2"),
        lambda s: s.mean_square("all"),
        lambda s: s.last("block 2"),
        lambda s: np.array(list(s.rows())),
        lambda s: np.concatenate(s.losses()),
        lambda s: s.n_tokens,
    ):
        np.testing.assert_array_equal(get(first), get(second))


def test_the_key_holds_everything_that_matters(
    tiny_folders: dict[str, Path],
    tiny_models: dict[str, LoadedModel],
    cache: Path,
    tmp_path: Path,
) -> None:
    name = f"path:{tiny_folders['llama']}"
    other_weights = load_model(f"path:{save_tiny(tmp_path / 'seed', 'llama', seed=1)}", "float64")
    other_tokenizer = tmp_path / "tokenizer"
    shutil.copytree(tiny_folders["llama"], other_tokenizer)
    tokens = json.loads((other_tokenizer / "tokenizer.json").read_text(encoding="utf-8"))
    tokens["pre_tokenizer"]["add_prefix_space"] = True
    (other_tokenizer / "tokenizer.json").write_text(json.dumps(tokens), encoding="utf-8")
    base: dict[str, Any] = {
        "model": tiny_models["llama"],
        "texts": TEXTS[:3],
        "layers": ("block 1", "block 2"),
        "reductions": Reductions(),
    }
    changes: list[dict[str, Any]] = [
        {"texts": TEXTS[:4]},
        {"texts": (*TEXTS[:2], TEXTS[2] + " ")},
        {"texts": (TEXTS[0] + "o", "n", TEXTS[2])},
        {"texts": tuple(tuple(tiny_models["llama"].encode(text)[0]) for text in TEXTS[:3])},
        {"texts": (TEXTS[0], (5, 6), (7, 8, 9))},
        {"texts": (TEXTS[0], (5, 6, 7), (8, 9))},
        {"texts": (TEXTS[0], (5, 6, 7), (9, 8))},
        {"layers": ("block 1",)},
        {"layers": ("block 2", "block 1")},
        {"reductions": Reductions(spans=SPANS)},
        {"reductions": Reductions(prefixes=(("all2", (1, 1, 1)),))},
        {"reductions": Reductions(prefixes=(("all2", (1, 1, 2)),))},
        {"reductions": Reductions(resultants=RESULTANTS)},
        {"reductions": Reductions(resultants=RESULTANTS[:1])},
        {"reductions": Reductions(rows=((0,), (), ()))},
        {"reductions": Reductions(rows=((), (0,), ()))},
        {"reductions": Reductions(rows=((), (0,), ()), row_layers=("block 1",))},
        {"reductions": Reductions(last=True)},
        {"reductions": Reductions(loss=True)},
        {"truncate": True},
        {"batch_tokens": 7},
        {"model": load_model(name, "float32")},
        {"model": other_weights},
        {"model": load_model(f"path:{other_tokenizer}", "float64")},
    ]

    def computed(change: dict[str, Any]) -> int:
        arguments = base | change
        return extract(arguments.pop("model"), arguments.pop("texts"), **arguments).computed_tokens

    assert computed({}) > 0
    for change in changes:
        assert computed(change) > 0, change
    for change in ({}, *changes):
        assert computed(change) == 0, change
    # The same files in another place are the same model.
    moved = tmp_path / "moved"
    shutil.copytree(tiny_folders["llama"], moved)
    assert computed({"model": load_model(f"path:{moved}", "float64")}) == 0


def test_another_context_is_another_key(
    tiny_folders: dict[str, Path], cache: Path, tmp_path: Path
) -> None:
    short = tmp_path / "short"
    shutil.copytree(tiny_folders["llama"], short)
    settings_file = short / "tokenizer_config.json"
    values = json.loads(settings_file.read_text(encoding="utf-8"))
    settings_file.write_text(json.dumps(values | {"model_max_length": 8}), encoding="utf-8")
    whole, cut = (load_model(f"path:{folder}") for folder in (tiny_folders["llama"], short))
    assert whole.fingerprint == cut.fingerprint
    lengths = []
    for model in (whole, cut):
        found = extract(model, TEXTS, layers=["embed"], truncate=True)
        assert found.computed_tokens == found.n_tokens.sum()
        lengths.append(found.n_tokens.max())
    assert lengths[0] > lengths[1] == 8


def flip_a_byte(chunk: Path, checksum: Path) -> None:
    data = bytearray(chunk.read_bytes())
    data[-3] ^= 0x40
    chunk.write_bytes(data)


def cut_short(chunk: Path, checksum: Path) -> None:
    chunk.write_bytes(chunk.read_bytes()[:-8])


def empty(chunk: Path, checksum: Path) -> None:
    chunk.write_bytes(b"")


def damaged_checksum(chunk: Path, checksum: Path) -> None:
    checksum.write_bytes(b"\xff\x00")


def lost_checksum(chunk: Path, checksum: Path) -> None:
    checksum.unlink()


def lost_chunk(chunk: Path, checksum: Path) -> None:
    chunk.unlink()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (flip_a_byte, True),
        (cut_short, True),
        (empty, True),
        (damaged_checksum, True),
        (lost_checksum, False),
        (lost_chunk, False),
    ],
)
def test_a_damaged_chunk_is_computed_again(
    damage: Callable[[Path, Path], None],
    said: bool,
    tiny_models: dict[str, LoadedModel],
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(states_module, "CHUNK_TEXTS", 4)
    model = tiny_models["gpt2"]
    first = extract(model, TEXTS, layers=["block 2"])
    before = first.mean("all", "block 2")
    chunk = chunk_files(cache)[1]
    damage(chunk, chunk.with_suffix(".sha256"))
    with caplog.at_level(logging.WARNING):
        second = extract(model, TEXTS, layers=["block 2"])
    assert second.computed_tokens == np.sort(first.n_tokens)[4:8].sum()
    np.testing.assert_array_equal(second.mean("all", "block 2"), before)
    warnings = [record.getMessage() for record in caplog.records]
    assert len(warnings) == said
    assert all("chunk-00001" in text and "computed again" in text for text in warnings)
    caplog.clear()
    assert extract(model, TEXTS, layers=["block 2"]).computed_tokens == 0
    assert not caplog.records


def test_a_half_written_file_is_not_read(
    tiny_models: dict[str, LoadedModel],
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(states_module, "CHUNK_TEXTS", 4)
    model = tiny_models["gpt2"]
    first = extract(model, TEXTS, layers=["block 2"])
    before = first.mean("all", "block 2")
    chunk = chunk_files(cache)[0]
    chunk.rename(chunk.with_name(f".{chunk.stem}.k3x9.safetensors"))
    (chunk.parent / f".{chunk.stem}.q7v2.safetensors").write_bytes(b"\x10\x00\x00")
    second = extract(model, TEXTS, layers=["block 2"])
    assert second.computed_tokens == np.sort(first.n_tokens)[:4].sum()
    np.testing.assert_array_equal(second.mean("all", "block 2"), before)
    assert not caplog.records


# Killed, shared, full, stopped ---------------------------------------------------------------

CORPUS = [f"{text} {number}" for number in range(3) for text in TEXTS]
CHILD = """
import json, os, signal, sys, time
from pathlib import Path
from reproutils import states
from reproutils.errors import ReproError
from reproutils.models import load_model

job = json.loads(sys.argv[1])
states.CHUNK_TEXTS = 4
model = load_model(job["model"], "float64")
run_chunk, write_bytes = states._run_chunk, Path.write_bytes
written = 0

def slow(*arguments):
    time.sleep(job["pause"])
    return run_chunk(*arguments)

def deadly(path, data):
    global written
    if path.suffix == ".safetensors":
        written += 1
        if written > job["kill_after"]:
            write_bytes(path, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
    return write_bytes(path, data)

states._run_chunk = slow
if job["kill_after"]:
    Path.write_bytes = deadly
if job["barrier"]:
    Path(job["barrier"], str(os.getpid())).touch()
    while len(list(Path(job["barrier"]).iterdir())) < 2:
        time.sleep(0.01)
try:
    found = states.extract(model, job["texts"], layers=["block 2"])
except ReproError as error:
    print(json.dumps({"error": str(error)}))
else:
    print(json.dumps({"computed": found.computed_tokens}))
"""


def child(
    model: Path,
    *,
    kill_after: int = 0,
    pause: float = 0.0,
    barrier: Path | None = None,
    before: Sequence[str] = (),
    texts: Sequence[str] = CORPUS,
) -> subprocess.Popen[str]:
    """Another process that extracts block 2 of ``texts`` in chunks of four."""
    job = {
        "model": f"path:{model}",
        "texts": list(texts),
        "kill_after": kill_after,
        "pause": pause,
        "barrier": str(barrier) if barrier else "",
    }
    return subprocess.Popen(
        [*before, sys.executable, "-c", CHILD, json.dumps(job)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def test_a_killed_run_goes_on_where_it_stopped(
    tiny_folders: dict[str, Path],
    tiny_models: dict[str, LoadedModel],
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    process = child(tiny_folders["llama"], kill_after=3)
    process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL
    assert len(chunk_files(cache)) == 3
    # The half of a file that it left behind.
    assert len(list(one_entry(cache).glob(".chunk-00003.*.safetensors"))) == 1

    monkeypatch.setattr(states_module, "CHUNK_TEXTS", 4)
    model = tiny_models["llama"]
    resumed = extract(model, CORPUS, layers=["block 2"])
    assert resumed.computed_tokens == np.sort(resumed.n_tokens)[12:].sum()
    values = resumed.mean("all", "block 2")
    shutil.rmtree(cache)
    np.testing.assert_array_equal(
        values, extract(model, CORPUS, layers=["block 2"]).mean("all", "block 2")
    )


def test_two_processes_share_the_work(
    tiny_folders: dict[str, Path],
    tiny_models: dict[str, LoadedModel],
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    barrier = tmp_path / "barrier"
    barrier.mkdir()
    processes = [child(tiny_folders["llama"], pause=0.05, barrier=barrier) for _ in range(2)]
    computed = [answer(process)["computed"] for process in processes]
    monkeypatch.setattr(states_module, "CHUNK_TEXTS", 4)
    found = extract(tiny_models["llama"], CORPUS, layers=["block 2"])
    assert found.computed_tokens == 0
    assert sum(computed) == found.n_tokens.sum()


def fail_after(monkeypatch: pytest.MonkeyPatch, n_chunks: int, error: BaseException) -> None:
    """Let the write of each chunk after the first ``n_chunks`` fail halfway."""
    write_bytes = Path.write_bytes
    written = 0

    def failing(path: Path, data: bytes) -> int:
        nonlocal written
        if path.suffix == ".safetensors":
            written += 1
            if written > n_chunks:
                write_bytes(path, data[: len(data) // 2])
                raise error
        return write_bytes(path, data)

    monkeypatch.setattr(Path, "write_bytes", failing)


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), KeyboardInterrupt()],
    ids=["full disk", "Ctrl-C"],
)
def test_a_stopped_run_keeps_its_finished_chunks(
    error: BaseException,
    tiny_models: dict[str, LoadedModel],
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(states_module, "CHUNK_TEXTS", 4)
    model = tiny_models["llama"]
    with monkeypatch.context() as patch:
        fail_after(patch, 2, error)
        expected = ReproError if isinstance(error, OSError) else KeyboardInterrupt
        with pytest.raises(expected) as raised:
            extract(model, TEXTS, layers=["block 2"])
    if isinstance(error, OSError):
        message = str(raised.value)
        assert "No space left on device" in message
        assert "chunk-00002" in message
        assert "\n" not in message
    names = sorted(path.name for path in one_entry(cache).iterdir() if path.name != "lock")
    assert names == [
        f"chunk-0000{number}.{suffix}" for number in (0, 1) for suffix in ("safetensors", "sha256")
    ]
    found = extract(model, TEXTS, layers=["block 2"])
    assert found.computed_tokens == np.sort(found.n_tokens)[8:].sum()


def test_a_disk_that_is_really_full(
    tiny_folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system of 48 kB in a mount namespace of its own, which ends with the process."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size=48k none {disk}"
    if (
        not shutil.which("unshare")
        or subprocess.run(
            ["unshare", "--mount", "sh", "-c", mount], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("this user may not mount a file system")
    monkeypatch.setenv(CACHE_VARIABLE, str(disk))
    script = f'{mount} && "$@" && ls {disk}/states/*'
    process = child(
        tiny_folders["llama"],
        before=["unshare", "--mount", "sh", "-c", script, "sh"],
        texts=CORPUS * 20,
    )
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    line, *left = out.splitlines()
    assert "No space left on device" in json.loads(line)["error"]
    assert "chunk-00000.safetensors" in left


def test_a_cache_that_cannot_be_locked(
    tiny_models: dict[str, LoadedModel], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny_models["llama"]
    extract(model, TEXTS, layers=["block 1"])
    lock = one_entry(cache) / "lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    with pytest.raises(ReproError, match=r"cannot write to the cache folder .*REPROUTILS_CACHE"):
        extract(model, TEXTS, layers=["block 1"])


# Bad input -----------------------------------------------------------------------------------


def refusal(call: Callable[[], object]) -> str:
    """The one line that ``call`` ends with."""
    with pytest.raises(ReproError) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ((), "no texts to run: the corpus is empty"),
        (("on", "", "on"), "text 1 is empty; remove it from the corpus"),
        (("on", "Rain", " \n\t"), "text 2 is empty; remove it from the corpus"),
        (("on", (5, 6), ()), "text 2 is empty; remove it from the corpus"),
    ],
)
def test_nothing_to_read(
    texts: tuple[str | tuple[int, ...], ...],
    message: str,
    tiny_models: dict[str, LoadedModel],
    cache: Path,
) -> None:
    assert refusal(lambda: extract(tiny_models["bert"], texts, layers=["block 1"])) == message


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_text_longer_than_the_context(
    architecture: str, tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models[architecture]
    texts = ["on", "lamp " * 200, "Rain", "rope " * 100]
    n = len(model.encode(texts[1])[0])
    layer = f"block {model.n_blocks}"
    message = refusal(lambda: extract(model, texts, layers=[layer]))
    assert message.startswith(f"text 1 has {n} tokens, the context of {model.name} is {CONTEXT}")
    found = extract(model, texts, layers=[layer], truncate=True)
    assert found.n_truncated == 2
    assert found.n_tokens.tolist()[1::2] == [CONTEXT, CONTEXT]
    if model.causal:
        cut = extract(model, [model.cut(texts[1], CONTEXT)], layers=[layer])
        assert cut.n_truncated == 0
        close(found.mean("all", layer)[1:2], cut.mean("all", layer))


def test_ids_that_are_none(tiny_models: dict[str, LoadedModel], cache: Path) -> None:
    model = tiny_models["llama"]
    for odd in (VOCABULARY, -1):
        said = refusal(lambda odd=odd: extract(model, ["on", (5, odd)], layers=["embed"]))
        assert said.startswith(
            f"text 1 holds the token id {odd}, those of {model.name} go from 0 to {VOCABULARY - 1}"
        )
    for wrong in ((0.5, 1.0), ("on", "Rain")):
        texts: list[Any] = ["on", wrong]
        said = refusal(lambda texts=texts: extract(model, texts, layers=["embed"]))
        assert "text 1 is neither a string nor a tuple of token ids" in said
    long = (5,) * (CONTEXT + 1)
    assert "text 0 has 65 tokens" in refusal(lambda: extract(model, [long], layers=["embed"]))
    assert extract(model, [long], layers=["embed"], truncate=True).n_truncated == 1


def test_layers_that_do_not_exist(tiny_models: dict[str, LoadedModel], cache: Path) -> None:
    llama, bert = tiny_models["llama"], tiny_models["bert"]
    message = refusal(lambda: extract(llama, TEXTS, layers=["block 1", "block 4"]))
    assert message == (
        f"model {llama.name} has no layer block 4; its layers are embed, block 1 … final_norm"
    )
    assert "no layer (none given)" in refusal(lambda: extract(llama, TEXTS, layers=[]))
    assert "no layer final_norm" in refusal(lambda: extract(bert, TEXTS, layers=["final_norm"]))
    found = extract(llama, TEXTS, layers=["block 1"])
    assert refusal(lambda: found.mean("all", "block 2")) == (
        "layer 'block 2' was not extracted; the layers are block 1"
    )
    assert "'mean:no_first' was not among" in refusal(lambda: found.mean("no_first", "block 1"))
    assert "'last' was not among" in refusal(lambda: found.last("block 1"))
    assert "'resultant:all' was not among" in refusal(lambda: found.resultant("all"))
    assert "'no_first' was not among the spans" in refusal(lambda: found.span_sizes("no_first"))


@pytest.mark.parametrize(
    ("reductions", "message"),
    [
        (Reductions(rows=((0,), (2,))), "rows of text 1 reach beyond its 2 tokens"),
        (Reductions(rows=((-1,), (0,))), "rows are counted from 0"),
        (Reductions(rows=((0,),)), "rows given for 1 texts, the corpus has 2"),
        (
            Reductions(rows=((0,), (0,)), row_layers=("block 2",)),
            "rows can be kept only at layers that are extracted",
        ),
        (Reductions(prefixes=(("cut", (1, 3)),)), "prefix cut of text 1 reach beyond its 2 tokens"),
        (Reductions(prefixes=(("cut", (0, 1)),)), "prefix lengths start at 1"),
        (Reductions(prefixes=(("cut", (1,)),)), "prefix cut given for 1 texts, the corpus has 2"),
        (
            Reductions(spans=(("late", (2, None)),)),
            "text 1 has 2 tokens: nothing is left in the span late from position 2",
        ),
        (Reductions(spans=(("odd", (1, 1)),)), "span odd from 1 to 1 is not a range"),
        (Reductions(spans=(("odd", (-1, None)),)), "span odd from -1 to None is not a range"),
        (Reductions(resultants=(("odd", (1, 1)),)), "span odd from 1 to 1 is not a range"),
        (
            Reductions(resultants=(("late", (1, None)),)),
            "text 1 has fewer than 2 tokens in the span late: one state has no dispersion",
        ),
        (
            Reductions(resultants=(("one", (0, 1)),)),
            "text 0 has fewer than 2 tokens in the span one",
        ),
        (
            Reductions(resultants=(("begin", (0, 2)),), no_sinks=True),
            "text 1 has fewer than 2 tokens in the span no_sinks",
        ),
        (
            Reductions(spans=(("all", (0, 2)),), resultants=(("all", ALL_POSITIONS),)),
            "all names two different spans",
        ),
    ],
)
def test_positions_outside_the_text(
    reductions: Reductions, message: str, tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models["llama"]
    texts = [TEXTS[0], "No"]
    assert len(model.encode(texts[1])[0]) == 2
    said = refusal(lambda: extract(model, texts, layers=["block 1"], reductions=reductions))
    assert message in said
    assert not list(cache.rglob("chunk*"))


@pytest.mark.parametrize(
    "reductions", [Reductions(loss=True), Reductions(prefixes=(("cut", (1,) * len(TEXTS)),))]
)
def test_what_an_encoder_cannot_give(
    reductions: Reductions, tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models["bert"]
    message = refusal(lambda: extract(model, TEXTS, layers=["block 1"], reductions=reductions))
    assert message.startswith(f"model {model.name} reads in both directions")


def test_nan_states_are_named(
    tiny_models: dict[str, LoadedModel], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states_module, "CHUNK_TEXTS", 4)
    model = tiny_models["llama"]
    longest = 2
    rows = tuple((1,) if i == longest else () for i in range(len(TEXTS)))
    broken = model.blocks[1].mlp.down_proj.weight
    for reductions, key in (
        (Reductions(), "mean:all"),
        (Reductions(spans=(), rows=rows), "rows"),
        (Reductions(spans=(), rows=rows, row_layers=("block 2",)), "rows"),
        (Reductions(spans=(), last=True), "last"),
    ):
        with altered(broken, 0, 0, value=float("nan")):
            message = refusal(
                lambda what=reductions: extract(
                    model, TEXTS, layers=["block 1", "block 2"], reductions=what
                )
            )
        # Every text is hit; the first one read is the shortest that keeps something.
        shortest = longest if key == "rows" else min(range(len(TEXTS)), key=lambda i: len(TEXTS[i]))
        assert message.startswith(
            f"model {model.name}, block 2, text {shortest}: NaN or infinite states ({key})"
        )


def test_a_text_of_sinks_has_no_dispersion(
    tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models["llama"]
    long_token = model.encode("ζ")[0][-1]
    texts = ["Rain and rain", (5, 6, long_token)]
    what = Reductions(resultants=RESULTANTS, no_sinks=True)
    with altered(model.network.get_input_embeddings().weight, long_token, value=60.0):
        message = refusal(lambda: extract(model, texts, layers=["embed"], reductions=what))
    assert message.startswith("text 1 has one token in the span no_sinks at embed")


def test_a_state_of_length_zero_has_no_direction(
    tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models["llama"]
    texts = [(5, 6, 7), (9, 5, 6, 8)]

    def run(name: str, start: int) -> States:
        what = Reductions(resultants=((name, (start, None)),))
        return extract(model, texts, layers=["embed"], reductions=what)

    with altered(model.network.get_input_embeddings().weight, 9, value=0.0):
        message = refusal(lambda: run("whole", 0))
        assert message.startswith(
            f"model {model.name}, embed, text 1: NaN, infinite or zero states (resultant:whole)"
        )
        # Outside the span it does no harm.
        assert np.isfinite(run("rest", 1).resultant("rest")).all()


@pytest.mark.parametrize(("value", "where"), [(float("nan"), "last"), (1e300, "middle")])
def test_one_bad_text_is_named_and_the_others_are_kept(
    value: float,
    where: str,
    tiny_models: dict[str, LoadedModel],
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(states_module, "CHUNK_TEXTS", 4)
    model = tiny_models["gpt2"]
    texts = list(TEXTS)
    # A letter that no other text holds; in the longest text, so that its chunk comes last.
    texts[2] = f"{texts[2]}ζ" if where == "last" else f"A ζ {texts[2]}"
    odd = model.encode("ζ")[0][-1]
    assert odd not in {token for text in TEXTS for token in model.encode(text)[0]}
    with altered(model.network.get_input_embeddings().weight, odd, value=value):
        message = refusal(lambda: extract(model, texts, layers=["embed"]))
    assert message.startswith(f"model {model.name}, embed, text 2: NaN or infinite states")
    found = extract(model, texts, layers=["embed"])
    assert found.computed_tokens == np.sort(found.n_tokens)[8:].sum()


def test_a_bad_loss_is_named(tiny_models: dict[str, LoadedModel], cache: Path) -> None:
    model = tiny_models["neox"]
    head = model.network.get_output_embeddings().weight
    texts = ["Rain", *TEXTS]
    with altered(head, 5, value=float("nan")):
        message = refusal(
            lambda: extract(model, texts, layers=["embed"], reductions=Reductions(loss=True))
        )
    assert "the output, text" in message
    assert "(loss)" in message


def test_a_layer_that_does_not_run(tiny_models: dict[str, LoadedModel], cache: Path) -> None:
    model = tiny_models["llama"]
    stray = replace(model)
    stray.blocks = [*list(model.blocks)[:2], nn.Identity()]
    message = refusal(lambda: extract(stray, TEXTS, layers=["block 3"]))
    assert "a layer asked for did not run" in message


# Progress ------------------------------------------------------------------------------------


def test_no_bar_in_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(progress(range(3), label="states", total=3)) == [0, 1, 2]
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_no_bar_under_papermill(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = ["import os", "# Parameters\nmodel = 'x'\n"]
    shell = SimpleNamespace(user_ns={"In": cells})
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert list(progress(range(3), label="states", total=3)) == [0, 1, 2]
    assert capsys.readouterr().err == ""


def test_a_bar_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for _ in progress(range(3), label="states", total=3):
        time.sleep(0.15)
    assert "states" in capsys.readouterr().err


def test_a_cut_text_keeps_what_the_encoder_puts_at_its_end(
    tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models["bert"]
    long = " ".join(TEXTS) * 3
    ids = model.encode(long)[0]
    assert len(ids) > model.max_length
    found = extract(
        model, [long], layers=["block 1"], reductions=Reductions(last=True), truncate=True
    )
    kept = (*ids[: model.max_length - 1], ids[-1])
    same = extract(model, [kept], layers=["block 1"], reductions=Reductions(last=True))
    np.testing.assert_array_equal(found.last("block 1"), same.last("block 1"))
    assert found.n_truncated == 1
