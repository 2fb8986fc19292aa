"""Training: the steps against a loop spelt out, resuming to the bit, the cache, bad input."""

from __future__ import annotations

import copy
import gc
import json
import logging
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from conftest import train_tokenizer
from safetensors.torch import load
from torch import Tensor, nn
from transformers import CLIPConfig, CLIPModel, GPT2Config, GPT2LMHeadModel, PreTrainedModel
from transformers.utils import ModelOutput
from transformers.utils import logging as transformers_logging

from reproutils.errors import ReproError
from reproutils.models import load_model
from reproutils.training import Plan, TrainedRun, train

VOCABULARY, LENGTH, ROWS = 310, 8, 4
PLAN = Plan(steps=6, batch_size=ROWS, learning_rate=0.05, seed=3)

Weights = dict[str, Tensor]


@pytest.fixture(scope="module", autouse=True)
def frozen_memory() -> Iterator[None]:
    """Trainer collects garbage at each start, which need not look at all that was imported."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def tiny_gpt(seed: int = 0, **changes: Any) -> GPT2LMHeadModel:
    """One block of width 16, with dropout unless ``changes`` switches it off."""
    config = GPT2Config(
        vocab_size=VOCABULARY,
        n_positions=LENGTH,
        n_embd=16,
        n_layer=1,
        n_head=2,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        **changes,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return GPT2LMHeadModel(config)


NO_DROPOUT = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}


def batch_of(step: int) -> dict[str, Tensor]:
    """Random tokens drawn from the step alone."""
    generator = torch.Generator().manual_seed(step)
    ids = torch.randint(VOCABULARY, (ROWS, LENGTH), generator=generator)
    return {"input_ids": ids, "labels": ids}


@dataclass
class Recorder:
    """Batches that remember which steps asked for them, and can stop the run at one."""

    stop_at: int | None = None

    def __post_init__(self) -> None:
        self.steps: list[int] = []

    def __call__(self, step: int) -> dict[str, Tensor]:
        if step == self.stop_at:
            raise KeyboardInterrupt
        self.steps.append(step)
        return batch_of(step)


def run(
    network: PreTrainedModel | None = None,
    plan: Plan = PLAN,
    batches: Any = batch_of,
    **changes: Any,
) -> TrainedRun:
    options: dict[str, Any] = {"name": "tiny", "identity": ["random"], "card": "# Tiny", **changes}
    return train(network or tiny_gpt(), batches, plan, **options)


def weights(folder: Path) -> Weights:
    # Read whole, since a loaded file stays open and a test may write into it.
    return load(folder.joinpath("model.safetensors").read_bytes())


def same(found: Weights, expected: Mapping[str, Tensor]) -> bool:
    """Equal to the bit; a weight that is tied to another is stored once."""
    return all(torch.equal(tensor, expected[key]) for key, tensor in found.items())


def refusal(call: Callable[[], object]) -> str:
    """The one line that ``call`` ends with."""
    with pytest.raises(ReproError) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    return message


def one_entry(cache: Path) -> Path:
    """The only entry of the cache of trained networks."""
    (entry,) = (cache / "trained").iterdir()
    return entry


def published(entry: Path) -> list[str]:
    """What an entry holds besides its lock and resume points."""
    return sorted(path.name for path in entry.iterdir() if path.name not in ("lock", "resume"))


# The steps -----------------------------------------------------------------------------------


def rate(plan: Plan, updates: int) -> float:
    """The learning rate after so many updates, from the definition of each schedule."""
    if updates < plan.warmup_steps:
        return plan.learning_rate * updates / plan.warmup_steps
    gone = (updates - plan.warmup_steps) / (plan.steps - plan.warmup_steps)
    share = {
        "cosine": 0.5 * (1 + math.cos(math.pi * gone)),
        "linear": 1 - gone,
        "constant_with_warmup": 1.0,
    }
    return plan.learning_rate * share[plan.schedule]


def plain_loop(network: PreTrainedModel, plan: Plan) -> tuple[list[Weights], list[float]]:
    """Weights after each step, the initial ones first, and the losses: AdamW by its formulas."""
    network = copy.deepcopy(network).train()
    parameters = dict(network.named_parameters())
    first = {key: torch.zeros_like(value) for key, value in parameters.items()}
    second = copy.deepcopy(first)
    kept = [{key: value.detach().clone() for key, value in parameters.items()}]
    losses = []
    for step in range(1, plan.steps + 1):
        logits = network(input_ids=batch_of(step - 1)["input_ids"]).logits[:, :-1]
        targets = batch_of(step - 1)["labels"][:, 1:]
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
        losses.append(loss.item())
        gradients = dict(
            zip(parameters, torch.autograd.grad(loss, list(parameters.values())), strict=True)
        )
        norm = math.sqrt(sum(g.double().square().sum().item() for g in gradients.values()))
        shrink = min(1.0, plan.max_grad_norm / norm)
        lr = rate(plan, step - 1)
        with torch.no_grad():
            for key, value in parameters.items():
                gradient = gradients[key] * shrink
                first[key] = 0.9 * first[key] + 0.1 * gradient
                second[key] = 0.999 * second[key] + 0.001 * gradient**2
                if not (key.endswith("bias") or ".ln_" in key):
                    value -= lr * plan.weight_decay * value
                moment = first[key] / (1 - 0.9**step)
                value -= lr * moment / ((second[key] / (1 - 0.999**step)).sqrt() + 1e-8)
        kept.append({key: value.detach().clone() for key, value in parameters.items()})
    return kept, losses


@pytest.mark.parametrize("schedule", ["cosine", "linear", "constant_with_warmup"])
def test_steps_follow_the_formulas(schedule: str, cache: Path) -> None:
    network = tiny_gpt(**NO_DROPOUT)
    plan = replace(
        PLAN,
        schedule=schedule,
        learning_rate=0.01,
        warmup_steps=2,
        weight_decay=0.3,
        max_grad_norm=0.5,
        snapshots=(0, 1, 4, 6),
    )
    found = run(network, plan)
    expected, losses = plain_loop(network, plan)
    assert list(found.log.columns) == ["step", "loss", "learning_rate"]
    assert list(found.log["step"]) == [1, 2, 3, 4, 5, 6]
    np.testing.assert_allclose(found.log["loss"], losses, rtol=1e-5)
    rates = [rate(plan, updates) for updates in range(6)]
    np.testing.assert_allclose(found.log["learning_rate"], rates, rtol=1e-12, atol=0)
    assert list(found.snapshots) == [0, 1, 4, 6]
    for step, folder in [*found.snapshots.items(), (6, found.folder)]:
        for key, tensor in weights(folder).items():
            torch.testing.assert_close(tensor, expected[step][key], rtol=0, atol=2e-5)
    # The weights moved by far more than that, the decay and the limit of the gradient show in them.
    moved = (expected[6]["transformer.wte.weight"] - expected[0]["transformer.wte.weight"]).abs()
    assert moved.max() > 0.02
    for change in ({"weight_decay": 0.0}, {"max_grad_norm": 1e9}):
        other = plain_loop(network, replace(plan, **change))[0][6]
        assert max((other[key] - expected[6][key]).abs().max() for key in other) > 2e-4


def test_training_lowers_the_loss(cache: Path) -> None:
    plan = replace(PLAN, steps=30, learning_rate=0.01)
    log = run(plan=plan, batches=lambda step: batch_of(0)).log
    assert log["loss"].iloc[0] == pytest.approx(math.log(VOCABULARY), rel=0.02)
    assert log["loss"].iloc[-1] < 4.0


def test_the_seed_decides_the_dropout(cache: Path) -> None:
    first = weights(run().folder)
    shutil.rmtree(cache)
    assert same(weights(run().folder), first)
    assert not same(weights(run(plan=replace(PLAN, seed=4)).folder), first)


def test_prepared_batches(cache: Path) -> None:
    by_step = weights(run().folder)
    prepared = [batch_of(step) for step in range(PLAN.steps)]
    assert same(weights(run(batches=prepared, identity=["prepared"]).folder), by_step)
    message = refusal(lambda: run(batches=prepared[:-1], identity=["short"]))
    assert message == "tiny: 5 batches for 6 steps; give one for each step"


# The loss ------------------------------------------------------------------------------------


def test_a_loss_sees_outputs_and_batch(cache: Path) -> None:
    network = tiny_gpt(output_hidden_states=True, **NO_DROPOUT)

    def with_weights(step: int) -> dict[str, Tensor]:
        return {**batch_of(step), "importance": torch.arange(float(ROWS))}

    def loss(outputs: ModelOutput, batch: Mapping[str, Tensor]) -> Tensor:
        assert outputs.hidden_states[-1].shape == (ROWS, LENGTH, 16)
        assert torch.equal(batch["input_ids"], batch["labels"])
        spread = outputs.hidden_states[-1].var(1).sum(-1)
        return outputs.loss + 0.01 * (batch["importance"] * spread).sum()

    first = with_weights(0)
    with torch.no_grad():
        outputs = network(input_ids=first["input_ids"], labels=first["labels"])
        expected = loss(outputs, first).item()
        assert expected > outputs.loss.item() + 0.1
    given: set[tuple[str, ...]] = set()
    watch = network.register_forward_pre_hook(
        lambda _module, _args, kwargs: given.add(tuple(kwargs)), with_kwargs=True
    )
    log = run(network, batches=with_weights, loss=loss).log
    watch.remove()
    assert log["loss"].iloc[0] == pytest.approx(expected, rel=1e-6)
    assert given == {("input_ids", "labels")}
    message = refusal(lambda: run(network, batches=with_weights))
    assert message == (
        "tiny: GPT2LMHeadModel has no input importance; rename it, or give a loss that uses it"
    )


def test_a_batch_without_labels_gives_no_loss(cache: Path) -> None:
    message = refusal(lambda: run(batches=lambda step: {"input_ids": batch_of(step)["input_ids"]}))
    assert message == (
        "tiny: GPT2LMHeadModel returns no loss for a batch of input_ids; add labels, or give a loss"
    )


def test_a_contrastive_network_is_asked_for_its_loss(cache: Path) -> None:
    sizes = {
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
    }
    config = CLIPConfig(
        text_config={
            "vocab_size": 40,
            "max_position_embeddings": 8,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "pad_token_id": 0,
            **sizes,
        },
        vision_config={"image_size": 8, "patch_size": 4, **sizes},
        projection_dim=16,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = CLIPModel(config)

    def pairs(step: int) -> dict[str, Tensor]:
        generator = torch.Generator().manual_seed(step % 2)
        ids = torch.randint(3, 40, (ROWS, 8), generator=generator)
        ids[:, -1] = 2
        return {
            "input_ids": ids,
            "pixel_values": torch.rand((ROWS, 3, 8, 8), generator=generator),
        }

    found = run(network, Plan(40, ROWS, 3e-3, seed=0), pairs)
    assert found.log["loss"].iloc[0] == pytest.approx(math.log(ROWS), rel=0.3)
    assert found.log["loss"].iloc[-1] < 0.5
    assert same(weights(found.folder), CLIPModel.from_pretrained(found.folder).state_dict())
    # Trainer's own entry in the configuration does not stay.
    assert "use_cache" not in json.loads((found.folder / "config.json").read_text("utf-8"))
    network.save_pretrained(cache / "saved")
    read = CLIPModel.from_pretrained(cache / "saved")
    assert run(read, Plan(40, ROWS, 3e-3, seed=0), pairs).steps_run == 0


@pytest.mark.parametrize(
    ("value", "minimum", "said"),
    [
        (math.nan, None, "is nan"),
        (math.inf, None, "is inf"),
        (-0.5, 0.0, "is -0.5"),
    ],
)
def test_a_bad_loss_stops_the_run(
    value: float, minimum: float | None, said: str, cache: Path
) -> None:
    calls = 0

    def loss(outputs: ModelOutput, batch: Mapping[str, Tensor]) -> Tensor:
        nonlocal calls
        calls += 1
        return outputs.loss * 0 + (value if calls == 4 else 2.5)

    plan = replace(PLAN, save_every=2)
    message = refusal(lambda: run(plan=plan, loss=loss, minimum_loss=minimum))
    limit = "" if minimum is None else " and at least 0"
    assert message == (
        f"tiny: step 4: the loss {said} (2.5 at the step before), it has to be finite{limit}; "
        f"lower the learning rate, or check the loss and the batch"
    )
    assert published(one_entry(cache)) == []
    # The same run with the loss mended goes on.
    assert run(plan=plan, loss=loss, minimum_loss=minimum).steps_run == 4


def test_a_bad_loss_at_the_first_step(cache: Path) -> None:
    message = refusal(lambda: run(loss=lambda outputs, _: outputs.loss - 1e3, minimum_loss=0))
    assert "tiny: step 1: the loss is -994.2" in message
    assert "step before" not in message
    # A minimum that the loss touches is kept to.
    touching = run(loss=lambda outputs, _: outputs.loss * 0, minimum_loss=0, identity=["zero"])
    assert list(touching.log["loss"]) == [0.0] * 6


def test_weights_that_are_not_finite_are_not_published(cache: Path) -> None:
    # No loss follows the last update that could show it.
    message = refusal(lambda: run(plan=Plan(1, ROWS, 1e39, seed=0)))
    assert message == ("tiny: the weights are not finite after step 1; lower the learning rate")
    assert published(one_entry(cache)) == []


# What is left behind --------------------------------------------------------------------------


def test_the_folder_is_a_model(cache: Path) -> None:
    tokenizer = train_tokenizer()
    found = run(plan=replace(PLAN, snapshots=(2,), save_every=2), tokenizer=tokenizer)
    assert found.folder == one_entry(cache)
    assert found.steps_run == 6
    assert found.seconds > 0
    for folder in (found.folder, found.snapshots[2]):
        model = load_model(f"path:{folder}")
        assert same(weights(folder), model.network.state_dict())
        assert model.encode("a letter")[0] == tokenizer("a letter")["input_ids"]
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        assert (folder / "model.safetensors").stat().st_mode & 0o777 == 0o644
        assert config["use_cache"] is True
        assert config["architectures"] == ["GPT2LMHeadModel"]
    assert not same(weights(found.folder), weights(found.snapshots[2]))
    assert sorted(path.name for path in found.folder.iterdir()) == [
        "README.md",
        "complete.json",
        "config.json",
        "generation_config.json",
        "lock",
        "log.json",
        "model.safetensors",
        "snapshots",
        "tokenizer.json",
        "tokenizer_config.json",
    ]
    log = json.loads((found.folder / "log.json").read_text(encoding="utf-8"))
    assert log == found.log.to_dict("records")


def test_the_model_card(cache: Path) -> None:
    plan = replace(PLAN, snapshots=(0, 3))
    found = run(plan=plan, card="# Small\n\nMade for a test.\n", identity=["texts", 17])
    text = (found.folder / "README.md").read_text(encoding="utf-8")
    assert text.startswith("# Small\n\nMade for a test.\n\n## Training\n\n| setting | value |\n")
    for row in ("steps | 6", "learning rate | 0.05", "schedule | cosine", "snapshots | 0, 3"):
        assert f"\n| {row} |\n" in text
    assert f"\n| loss at the last step | {found.log['loss'].iloc[-1]:.6g} |\n" in text
    assert '[\n "texts",\n 17\n]' in text
    # Other words need no other training.
    again = run(plan=plan, card="# Tiny", identity=["texts", 17])
    assert again.steps_run == 0
    assert (found.folder / "README.md").read_text(encoding="utf-8").startswith("# Tiny\n")


def test_the_caller_is_left_alone(cache: Path) -> None:
    network = tiny_gpt().eval()
    before = copy.deepcopy(network.state_dict())
    config = network.config.to_dict()
    settings = [
        transformers_logging.get_verbosity,
        transformers_logging.is_progress_bar_enabled,
        random.getstate,
        lambda: np.random.get_state()[1].tolist(),
        lambda: torch.random.get_rng_state().tolist(),
    ]
    # Nowhere near a fresh seed.
    random.random(), np.random.random(), torch.rand(1)
    values = [setting() for setting in settings]
    run(network)
    with pytest.raises(ReproError):
        run(network, loss=lambda outputs, _: outputs.loss * math.nan)
    assert [setting() for setting in settings] == values
    assert same(before, network.state_dict())
    assert network.config.to_dict() == config
    assert not network.training
    assert all(parameter.grad is None for parameter in network.parameters())


@pytest.mark.filterwarnings("error")
def test_nothing_is_said_and_nothing_lies_about(
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    plan = replace(PLAN, save_every=2, snapshots=(1,))
    with pytest.raises(KeyboardInterrupt):
        run(plan=plan, batches=Recorder(stop_at=5))
    assert run(plan=plan).steps_run == 2
    assert capfd.readouterr() == ("", "")
    assert not caplog.records
    assert not list(here.iterdir())


def test_progress_counts_the_steps(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int, int]] = []

    def counted(iterable: range, *, label: str, total: int) -> Any:
        for count, item in enumerate(iterable):
            yield item
            seen.append((label, count + 1, total))

    monkeypatch.setattr("reproutils.training.progress", counted)
    plan = replace(PLAN, save_every=2)
    with pytest.raises(KeyboardInterrupt):
        run(plan=plan, batches=Recorder(stop_at=5))
    seen.clear()
    run(plan=plan)
    assert seen == [("tiny: training", 1, 2), ("tiny: training", 2, 2)]


# The cache -----------------------------------------------------------------------------------


def test_a_finished_run_is_not_trained_again(cache: Path) -> None:
    plan = replace(PLAN, snapshots=(6, 0, 6))
    first = run(plan=plan)
    batches = Recorder()
    second = run(plan=plan, batches=batches)
    assert batches.steps == []
    assert (second.seconds, second.steps_run) == (0.0, 0)
    assert second.folder == first.folder
    assert second.snapshots == first.snapshots
    assert list(second.snapshots) == [0, 6]
    assert second.log.equals(first.log)


def test_what_makes_another_run(cache: Path) -> None:
    tokenizer = train_tokenizer()
    longer = train_tokenizer()
    longer.model_max_length = 7
    framed = train_tokenizer(special_tokens=True)
    unpadded = train_tokenizer()
    unpadded.pad_token = "<end>"
    plan = replace(PLAN, steps=1)
    changes: list[dict[str, Any]] = [
        {},
        {"identity": ["random", 1]},
        {"identity": ["random", "1"]},
        {"identity": [["random"], 1]},
        {"plan": replace(plan, seed=4)},
        {"plan": replace(plan, snapshots=(0,))},
        {"plan": replace(plan, schedule="linear")},
        {"network": tiny_gpt(seed=1)},
        {"network": tiny_gpt(resid_pdrop=0.2)},
        {"loss": lambda outputs, _: outputs.loss},
        {"tokenizer": tokenizer},
        {"tokenizer": longer},
        {"tokenizer": framed},
        {"tokenizer": unpadded},
    ]
    found = [run(**{"plan": plan, **change}) for change in changes]
    assert [item.steps_run for item in found] == [1] * len(changes)
    assert len({item.folder for item in found}) == len(changes)

    # Using a tokenizer, and saving a network or reading it again, changes neither.
    tokenizer(["a", "a b"], padding=True, truncation=True, max_length=3)
    network = tiny_gpt()
    network.save_pretrained(cache / "saved")
    read = GPT2LMHeadModel.from_pretrained(cache / "saved")
    same_runs: list[tuple[int, dict[str, Any]]] = [
        (0, {"network": network}),
        (0, {"network": read}),
        (0, {"plan": replace(plan, save_every=1)}),
        (0, {"name": "other", "card": "# Other"}),
        (10, {"tokenizer": tokenizer}),
    ]
    for number, change in same_runs:
        again = run(**{"plan": plan, **change})
        assert (again.folder, again.steps_run) == (found[number].folder, 0)
    # A padding that one call asked for is not handed on.
    written = json.loads((found[10].folder / "tokenizer.json").read_text(encoding="utf-8"))
    assert written["padding"] is None


def test_the_identity_has_to_be_plain_values(cache: Path) -> None:
    with pytest.raises(TypeError, match="not JSON serializable"):
        run(identity=[np.arange(2000)])


def test_a_damaged_entry_is_trained_again(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    plan = replace(PLAN, snapshots=(2,))
    first = run(plan=plan)
    kept = [weights(folder) for folder in (first.folder, first.snapshots[2])]
    for damaged in (first.folder, first.snapshots[2]):
        path = damaged / "model.safetensors"
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
        with caplog.at_level(logging.WARNING):
            assert run(plan=plan).steps_run == 6
        assert f"tiny: cache entry {first.folder.name} is damaged" in caplog.text
        caplog.clear()
        found = [weights(folder) for folder in (first.folder, first.snapshots[2])]
        assert all(same(*pair) for pair in zip(found, kept, strict=True))
    first.folder.joinpath("log.json").unlink()
    assert run(plan=plan).steps_run == 6


def test_a_second_process_waits(cache: Path) -> None:
    started, go_on = threading.Event(), threading.Event()

    def waiting(step: int) -> dict[str, Tensor]:
        started.set()
        assert go_on.wait(30)
        return batch_of(step)

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(run, batches=waiting)
        assert started.wait(30)
        batches = Recorder()
        second = pool.submit(run, batches=batches)
        with pytest.raises(TimeoutError):
            second.result(timeout=0.3)
        go_on.set()
        assert first.result(timeout=30).steps_run == 6
        assert second.result(timeout=30).steps_run == 0
    assert batches.steps == []


@pytest.mark.parametrize("snapshots", [False, True])
def test_a_full_disk(snapshots: bool, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # torch says so with a RuntimeError, safetensors with an error of its own.
    plan = replace(PLAN, save_every=2, snapshots=(4,) if snapshots else ())
    with monkeypatch.context() as patch:
        if snapshots:
            save = GPT2LMHeadModel.save_pretrained

            def failing(self: GPT2LMHeadModel, folder: Path, **options: Any) -> None:
                if "snapshots" in str(folder):
                    raise OSError(28, "No space left on device")
                save(self, folder, **options)

            patch.setattr(GPT2LMHeadModel, "save_pretrained", failing)
        else:
            write = torch.save

            def torn(values: Any, path: str) -> None:
                if "checkpoint-4" in path:
                    raise RuntimeError("unexpected pos 704 vs 598\nframe 0")
                write(values, path)

            patch.setattr(torch, "save", torn)
        message = refusal(lambda: run(plan=plan))
    where = "snapshots/.step-000004" if snapshots else "resume"
    reason = "[Errno 28] No space left on device" if snapshots else "unexpected pos 704 vs 598"
    assert f"cannot write {one_entry(cache) / where} ({reason}); free some space" in message
    assert run(plan=plan).steps_run == 4


# Resuming ------------------------------------------------------------------------------------


def test_a_stopped_run_goes_on_to_the_same_bits(cache: Path) -> None:
    plan = replace(PLAN, steps=9, save_every=2, snapshots=(0, 3, 7), warmup_steps=3)
    whole = run(plan=plan)
    expected = [weights(folder) for folder in (whole.folder, *whole.snapshots.values())]
    shutil.rmtree(cache)

    for stop_at, begins_at in ((5, 0), (8, 4)):
        batches = Recorder(stop_at=stop_at)
        with pytest.raises(KeyboardInterrupt):
            run(plan=plan, batches=batches)
        # One batch is fetched ahead.
        assert batches.steps == list(range(begins_at, stop_at))
        points = [path.name for path in (one_entry(cache) / "resume").iterdir()]
        assert points == [f"checkpoint-{(stop_at - 1) // 2 * 2}"]
        assert published(one_entry(cache)) == ["snapshots"]
    batches = Recorder()
    resumed = run(plan=plan, batches=batches)
    assert batches.steps == [6, 7, 8]
    assert resumed.steps_run == 3
    found = [weights(folder) for folder in (resumed.folder, *resumed.snapshots.values())]
    assert all(same(*pair) for pair in zip(found, expected, strict=True))
    assert resumed.log.equals(whole.log)
    assert not (resumed.folder / "resume").exists()


def test_the_end_needs_no_resume_point(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = set()
    write = torch.save

    def noted(values: Any, path: str) -> None:
        points.add(Path(path).parent.name)
        write(values, path)

    monkeypatch.setattr(torch, "save", noted)
    run()
    assert points == set()
    run(plan=replace(PLAN, save_every=2, seed=4))
    assert points == {"checkpoint-2", "checkpoint-4"}


@pytest.mark.parametrize(
    ("damage", "steps_run"),
    [
        (lambda entry: None, 2),
        (lambda entry: (entry / "resume/checkpoint-4/complete.json").unlink(), 6),
        (lambda entry: (entry / "resume/checkpoint-4/optimizer.pt").write_bytes(b""), 6),
        (lambda entry: shutil.rmtree(entry / "snapshots/step-000003"), 6),
    ],
    ids=["none", "half-written", "damaged", "without a snapshot"],
)
def test_an_unusable_resume_point_is_left(
    damage: Callable[[Path], None], steps_run: int, cache: Path
) -> None:
    plan = replace(PLAN, save_every=4, snapshots=(3,))
    with pytest.raises(KeyboardInterrupt):
        run(plan=plan, batches=Recorder(stop_at=5))
    damage(one_entry(cache))
    resumed = run(plan=plan)
    assert resumed.steps_run == steps_run
    found = [weights(folder) for folder in (resumed.folder, resumed.snapshots[3])]
    shutil.rmtree(cache)
    whole = run(plan=plan)
    expected = [weights(folder) for folder in (whole.folder, whole.snapshots[3])]
    assert all(same(*pair) for pair in zip(found, expected, strict=True))


CHILD = """
import os, signal, sys
import torch
sys.path.insert(0, sys.argv[1])
import test_training

save = torch.save

def deadly(values, path):
    save(values, path)
    if "checkpoint-4" in path:
        os.kill(os.getpid(), signal.SIGKILL)

torch.save = deadly
test_training.run(plan=test_training.KILLED)
"""
KILLED = replace(PLAN, save_every=2)


def test_a_killed_run_goes_on_to_the_same_bits(cache: Path) -> None:
    here = Path(__file__).parent
    killed = subprocess.run(
        [sys.executable, "-c", CHILD, str(here)],
        env={**os.environ, "PYTHONPATH": str(here.parent)},
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    # It died in the middle of its second resume point.
    points = sorted(path.name for path in (one_entry(cache) / "resume").iterdir())
    assert points == ["checkpoint-2", "checkpoint-4"]
    resumed = run(plan=KILLED)
    assert resumed.steps_run == 4
    found = weights(resumed.folder)
    shutil.rmtree(cache)
    assert same(weights(run(plan=KILLED).folder), found)


# Plans and batches ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"steps": 0}, "steps 0 of a training plan is outside its range 1 to inf"),
        ({"batch_size": 0}, "batch_size 0 of a training plan is outside its range 1 to inf"),
        ({"learning_rate": -1e-3}, "learning_rate -0.001 of a training plan is outside"),
        ({"learning_rate": math.nan}, "learning_rate nan of a training plan is outside"),
        ({"warmup_steps": 7}, "warmup_steps 7 of a training plan is outside its range 0 to 6"),
        ({"weight_decay": -1.0}, "weight_decay -1 of a training plan is outside"),
        ({"max_grad_norm": -1.0}, "max_grad_norm -1 of a training plan is outside"),
        ({"save_every": -1}, "save_every -1 of a training plan is outside"),
        ({"snapshots": (0, 7)}, "snapshot 7 of a training plan is outside its range 0 to 6"),
        ({"schedule": "cosin"}, "unknown schedule 'cosin'; choose one of cosine, linear"),
    ],
)
def test_an_impossible_plan(change: dict[str, Any], message: str) -> None:
    assert message in refusal(lambda: replace(PLAN, **change))


def test_a_batch_of_another_size(cache: Path) -> None:
    def growing(step: int) -> dict[str, Tensor]:
        return batch_of(step) if step < 2 else {"input_ids": torch.zeros((5, 8), dtype=torch.long)}

    assert refusal(lambda: run(batches=growing)) == (
        "tiny: step 3: nothing in the batch (input_ids (5, 8)) has 4 rows, the batch size of the "
        "plan; correct one of them"
    )
