"""The push-away loss against sums over all pairs, in both training loops and the book's example."""

from __future__ import annotations

import copy
import gc
import math
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load
from scipy.stats import ortho_group
from torch import Tensor
from transformers import GPT2Config, GPT2LMHeadModel, TrainingArguments
from transformers.utils import ModelOutput

from reproutils.dispersion import cross_distance, mean_pairwise_distance, within_between
from reproutils.errors import ReproError
from reproutils.pushaway import PushAway, PushAwayTrainer, cross_loss, pairwise_loss
from reproutils.training import Batch, Plan, train

VOCABULARY, LENGTH, ROWS, WIDTH = 97, 8, 6, 32
PLAN = Plan(steps=20, batch_size=ROWS, learning_rate=5e-3, seed=0)
SEEDS = st.integers(0, 10_000)
PAGE = Path(__file__).parent.parent / "book" / "use_push_away.md"


@pytest.fixture(scope="module", autouse=True)
def frozen_memory() -> Iterator[None]:
    """Trainer collects garbage at each start, which need not look at all that was imported."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def normal(seed: int, *shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """Normal entries around a mean that all rows share, so that distances are far from 1."""
    generator = torch.Generator().manual_seed(seed)
    rows = torch.randn(shape, generator=generator, dtype=torch.float64)
    return (rows + torch.randn(shape[-1], generator=generator, dtype=torch.float64)).to(dtype)


def domains_of(seed: int, n: int, n_domains: int) -> Tensor:
    """A domain for each row, in any order and of unequal sizes; none of them is empty."""
    generator = torch.Generator().manual_seed(seed)
    free = torch.randint(n_domains, (n - n_domains,), generator=generator)
    drawn = torch.cat([torch.arange(n_domains), free])
    return drawn[torch.randperm(n, generator=generator)] * 5 - 3


def over_pairs(states: Tensor, counts: Tensor) -> Tensor:
    """Minus the mean of 1 - cos over the ordered pairs that ``counts`` (n, n) marks."""
    unit = states / states.norm(dim=1, keepdim=True)
    return -(1 - unit @ unit.T)[counts].mean()


def different(n: int) -> Tensor:
    return ~torch.eye(n, dtype=torch.bool)


def across(domains: Tensor) -> Tensor:
    return domains[:, None] != domains[None, :]


def with_gradient(loss: Callable[[Tensor], Tensor], states: Tensor) -> tuple[Tensor, Tensor]:
    """Value of the loss and its gradient in the states."""
    states = states.detach().clone().requires_grad_()
    value = loss(states)
    (gradient,) = torch.autograd.grad(value, states)
    return value.detach(), gradient


def refusal(call: Callable[[], object]) -> str:
    """The one line that ``call`` ends with."""
    with pytest.raises(ReproError) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    return message


# The closed forms -------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "limit"), [(torch.float64, 1e-10), (torch.float32, 1e-6)])
@pytest.mark.parametrize("n_domains", [0, 2, 4])
def test_values_and_gradients_are_those_over_all_pairs(
    n_domains: int, dtype: torch.dtype, limit: float
) -> None:
    n, d = 50, 16
    states = normal(2, n, d, dtype=dtype)
    if n_domains:
        domains = domains_of(3, n, n_domains)
        value, gradient = with_gradient(lambda x: cross_loss(x, domains), states)
        counts = across(domains)
    else:
        value, gradient = with_gradient(pairwise_loss, states)
        counts = different(n)
    expected, slope = with_gradient(lambda x: over_pairs(x, counts), states.double())
    assert value.dtype == gradient.dtype == dtype
    assert value.item() == pytest.approx(expected.item(), rel=limit)
    # Beside the largest entry of the gradient, which is far below 1.
    assert (gradient - slope).abs().max() < limit * slope.abs().max()


def test_digits_are_kept_where_states_are_alike() -> None:
    """There the squared length of the sum, in float32, has lost most of them."""
    states = (torch.ones(16) + 1e-3 * normal(0, 200, 16)).float()
    expected = over_pairs(states.double(), different(200)).item()
    assert pairwise_loss(states).item() == pytest.approx(expected, rel=1e-4)
    total = (states / states.norm(dim=1, keepdim=True)).sum(0)
    short = -(1 - (total.square().sum() - 200) / (200 * 199)).item()
    assert short != pytest.approx(expected, rel=1e-2)


def test_gradients_by_finite_differences() -> None:
    states = normal(4, 7, 5).requires_grad_()
    domains = domains_of(5, 7, 3)
    keep = torch.tensor([1, 1, 0, 1, 1, 1, 1])
    for loss in (
        pairwise_loss,
        lambda x: pairwise_loss(x, keep),
        lambda x: cross_loss(x, domains),
        lambda x: cross_loss(x, domains, keep),
    ):
        assert torch.autograd.gradcheck(loss, states)


@given(SEEDS, st.integers(2, 30), st.integers(2, 12))
@settings(max_examples=30, deadline=None)
def test_agreement_with_the_measures(seed: int, n: int, d: int) -> None:
    states = normal(seed, n, d)
    rows = states.numpy()
    domains = domains_of(seed, n, 2)
    first, second = domains.unique()
    assert pairwise_loss(states).item() == pytest.approx(-mean_pairwise_distance(rows), abs=1e-12)
    two = cross_distance(rows[(domains == first).numpy()], rows[(domains == second).numpy()])
    assert cross_loss(states, domains).item() == pytest.approx(-two, abs=1e-12)
    if n > 4:
        domains = domains_of(seed, n, 4)
        between = within_between(rows, domains.tolist())[1]
        assert cross_loss(states, domains).item() == pytest.approx(-between, abs=1e-12)


@given(SEEDS, st.integers(3, 20), st.integers(2, 8), st.integers(2, 3))
@settings(max_examples=30, deadline=None)
def test_invariances_and_bounds(seed: int, n: int, d: int, n_domains: int) -> None:
    states, domains = normal(seed, n, d), domains_of(seed, n, n_domains)
    random = np.random.default_rng(seed)
    scales = torch.as_tensor(10.0 ** random.uniform(-6, 6, (n, 1)))
    rotation = torch.as_tensor(ortho_group.rvs(d, random_state=random))
    order = torch.as_tensor(random.permutation(n))
    for loss in (lambda x, _: pairwise_loss(x), cross_loss):
        value = loss(states, domains).item()
        assert -2 <= value <= 0
        for rows, names in (
            (scales * states, domains),
            (states @ rotation, domains),
            (states[order], domains[order]),
            (states, 7 - domains),
        ):
            assert loss(rows, names).item() == pytest.approx(value, abs=1e-12)
    assert pairwise_loss(states).item() >= -n / (n - 1) - 1e-12


def test_bounds_are_reached() -> None:
    axes = torch.eye(4, dtype=torch.float64)
    assert pairwise_loss(axes[[0, 0, 0]]).item() == 0
    assert pairwise_loss(axes).item() == pytest.approx(-1)
    assert pairwise_loss(torch.cat([axes, -axes])).item() == pytest.approx(-8 / 7)
    opposite = torch.stack([axes[0], axes[0], -axes[0]])
    assert cross_loss(opposite, torch.tensor([0, 0, 1])).item() == pytest.approx(-2)
    assert cross_loss(opposite, torch.tensor([0, 1, 0])).item() == pytest.approx(-1)


@given(SEEDS, st.integers(6, 20))
@settings(max_examples=20, deadline=None)
def test_a_mask_leaves_rows_out(seed: int, n: int) -> None:
    states = normal(seed, n, 5)
    # What is left out may be anything, and belong to a domain of its own.
    keep = torch.as_tensor(np.random.default_rng(seed).permutation(n) > 1)
    domains = torch.zeros(n, dtype=torch.long)
    domains[keep] = domains_of(seed, n - 2, 2)
    states[~keep] = torch.tensor([0.0, math.nan, 1, 1, 1], dtype=torch.float64)
    for mask in (keep, keep.long()):
        for masked, alone in (
            (lambda x, m=mask: pairwise_loss(x, m), pairwise_loss),
            (
                lambda x, m=mask: cross_loss(x, domains, m),
                lambda x: cross_loss(x, domains[keep]),
            ),
        ):
            value, gradient = with_gradient(masked, states)
            expected, slope = with_gradient(alone, states[keep])
            assert value == expected
            assert torch.equal(gradient[keep], slope)
            assert (gradient[~keep] == 0).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_float32(dtype: torch.dtype) -> None:
    states = normal(6, 60, 16, dtype=dtype)
    domains = domains_of(7, 60, 2)
    for loss in (pairwise_loss, lambda x: cross_loss(x, domains)):
        value, gradient = with_gradient(loss, states)
        expected, _ = with_gradient(loss, states.float())
        assert value.dtype == torch.float32
        assert value == expected
        assert gradient.dtype == dtype
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert loss(states) == expected


def test_states_that_are_not_finite_give_nan() -> None:
    states = normal(8, 5, 4)
    for bad in (math.nan, math.inf):
        states[2, 1] = bad
        assert pairwise_loss(states).isnan()
        assert cross_loss(states, torch.tensor([0, 1, 0, 1, 0])).isnan()


def test_what_the_losses_refuse() -> None:
    states, domains = normal(9, 4, 3), torch.tensor([3, 3, 3, 3])
    none = torch.zeros(4)
    assert refusal(lambda: pairwise_loss(states[:1])) == (
        "the push-away loss takes pairs of tokens, and the batch has 1; give it longer or more "
        "texts"
    )
    assert "the batch has 0" in refusal(lambda: pairwise_loss(states, none))
    assert refusal(lambda: cross_loss(states, domains)) == (
        "the push-away loss across domains needs tokens of two domains, and the batch has only "
        "domain 3; put texts of each domain into every batch, or take all pairs (across=False)"
    )
    assert "has no tokens;" in refusal(lambda: cross_loss(states, domains, none))
    zero = states.clone()
    zero[2] = 0
    for loss in (pairwise_loss, lambda x: cross_loss(x, domains)):
        assert refusal(lambda loss=loss: loss(zero)) == (
            "1 of 4 hidden states are the zero vector, which has no direction; leave them out as "
            "padding is, or mend their source"
        )
        assert "shape (4, 3, 1) and type" in refusal(lambda loss=loss: loss(states[..., None]))
        assert "type torch.int64; expected" in refusal(lambda loss=loss: loss(states.long()))
    assert "keep has shape (3,) for 4" in refusal(lambda: pairwise_loss(states, none[:3]))
    assert "domains has shape (3,) for 4" in refusal(lambda: cross_loss(states, domains[:3]))
    assert "domains have type torch.float32" in refusal(lambda: cross_loss(states, none))
    for weight in (math.nan, math.inf, -math.inf):
        assert refusal(lambda weight=weight: PushAway(weight)) == (
            f"the weight of the push-away loss is {weight}; give a finite number"
        )


# The loss of a batch ----------------------------------------------------------------------------


def tiny_gpt(**changes: Any) -> GPT2LMHeadModel:
    """Two blocks of width 32 without dropout."""
    config = GPT2Config(
        vocab_size=VOCABULARY,
        n_positions=LENGTH,
        n_embd=WIDTH,
        n_layer=2,
        n_head=2,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        **{"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0, **changes},
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return GPT2LMHeadModel(config)


def batch_of(step: int) -> dict[str, Tensor]:
    """Random tokens drawn from the step alone, two rows of them padded; the odd rows' tokens have
    higher numbers and are the other domain."""
    generator = torch.Generator().manual_seed(step)
    ids = torch.randint(3, VOCABULARY // 2, (ROWS, LENGTH), generator=generator)
    domain = torch.arange(ROWS) % 2
    ids += domain[:, None] * (VOCABULARY // 2)
    mask = torch.ones_like(ids)
    mask[1, 5:] = mask[4, 3:] = 0
    ids[mask == 0] = 0
    labels = ids.masked_fill(mask == 0, -100)
    return {"input_ids": ids, "attention_mask": mask, "labels": labels, "domain": domain}


def outputs_of(network: GPT2LMHeadModel, batch: Batch, **options: Any) -> ModelOutput:
    known = {key: value for key, value in batch.items() if key != "domain"}
    return network(**known, **{"output_hidden_states": True, **options})


def expected_parts(network: GPT2LMHeadModel, batch: Batch, *, cross: bool) -> tuple[Tensor, Tensor]:
    """Cross-entropy and L_aux spelt out from logits and states."""
    inputs = {"input_ids": batch["input_ids"], "attention_mask": batch["attention_mask"]}
    logits = network(**inputs).logits[:, :-1].log_softmax(-1)
    targets = batch["labels"][:, 1:]
    counted = targets != -100
    chosen = logits.gather(2, targets.clamp(min=0)[..., None])[..., 0]
    states = network.transformer(**inputs).last_hidden_state
    rows, places = batch["attention_mask"].nonzero(as_tuple=True)
    counts = across(batch["domain"][rows]) if cross else different(len(rows))
    return -chosen[counted].mean(), over_pairs(states[rows, places], counts)


@pytest.mark.parametrize("cross", [False, True])
def test_the_parts_of_a_batch(cross: bool) -> None:
    network, batch = tiny_gpt(), batch_of(0)
    term = PushAway(0.3, across=cross)
    outputs = outputs_of(network, batch)
    parts = term.parts(outputs, batch)
    entropy, auxiliary = expected_parts(network, batch, cross=cross)
    torch.testing.assert_close(parts.cross_entropy, entropy, rtol=1e-6, atol=0)
    torch.testing.assert_close(parts.auxiliary, auxiliary, rtol=1e-5, atol=0)
    torch.testing.assert_close(parts.total, entropy + 0.3 * auxiliary, rtol=1e-6, atol=0)
    assert term(outputs, batch) == parts.total
    assert not math.isclose(
        auxiliary.item(), expected_parts(network, batch, cross=not cross)[1].item(), rel_tol=1e-3
    )


def gradients(network: GPT2LMHeadModel, loss: Callable[[ModelOutput], Tensor]) -> list[Tensor]:
    return list(
        torch.autograd.grad(loss(outputs_of(network, batch_of(0))), list(network.parameters()))
    )


@pytest.mark.parametrize("cross", [False, True])
def test_the_gradient_of_each_weight(cross: bool) -> None:
    network, batch = tiny_gpt(), batch_of(0)
    plain = gradients(network, lambda outputs: outputs.loss)
    zero = gradients(network, lambda outputs: PushAway(0.0, cross)(outputs, batch))
    assert all(torch.equal(*pair) for pair in zip(zero, plain, strict=True))
    # The part of the term alone is exactly opposite, and the total adds it up.
    term = [
        gradients(network, lambda o, w=w: w * PushAway(w, cross).auxiliary(o, batch))
        for w in (0.5, -0.5)
    ]
    assert all(torch.equal(a, -b) for a, b in zip(*term, strict=True))
    for weight, part in zip((0.5, -0.5), term, strict=True):
        whole = gradients(network, lambda o, w=weight: PushAway(w, cross)(o, batch))
        assert not all(torch.equal(*pair) for pair in zip(whole, plain, strict=True))
        for total, entropy, share in zip(whole, plain, part, strict=True):
            torch.testing.assert_close(total, entropy + share, rtol=1e-5, atol=1e-7)


def test_what_a_batch_lacks() -> None:
    network, batch = tiny_gpt(), batch_of(0)
    outputs = outputs_of(network, batch)
    lone = {**batch, "domain": torch.ones(ROWS, dtype=torch.long)}
    assert "has only domain 1;" in refusal(lambda: PushAway(0.1, across=True)(outputs, lone))
    nowhere = {key: value for key, value in batch.items() if key != "domain"}
    assert PushAway(0.1)(outputs, nowhere).isfinite()
    assert refusal(lambda: PushAway(0.1, across=True)(outputs, nowhere)) == (
        "the push-away loss across domains needs the batch entry domain with an integer for each "
        "of 6 rows, got none; add it (Trainer keeps such a column with remove_unused_columns=False)"
    )
    short = {**batch, "domain": batch["domain"][:2]}
    assert "got shape (2,);" in refusal(lambda: PushAway(0.1, across=True)(outputs, short))
    unmasked = {key: value for key, value in batch.items() if key != "attention_mask"}
    assert refusal(lambda: PushAway(0.1)(outputs, unmasked)) == (
        "a row of the batch ends in ignored labels, as padding does, and there is no "
        "attention_mask; add one, with 1 for each token that is none"
    )
    # Without padding no mask is needed, and tokens whose label is ignored count.
    ids = batch["input_ids"]
    plain = {"input_ids": ids, "labels": ids.index_fill(1, torch.arange(4), -100)}
    whole = PushAway(0.1).parts(outputs_of(network, plain), plain).auxiliary
    states = outputs_of(network, plain).hidden_states[-1].flatten(0, 1)
    torch.testing.assert_close(whole, over_pairs(states, different(ROWS * LENGTH)))
    bare = outputs_of(network, batch, output_hidden_states=False)
    assert refusal(lambda: PushAway(0.1)(bare, batch)) == (
        "the network's outputs have no hidden states; set output_hidden_states=True in its "
        "configuration"
    )
    unlabelled = {key: value for key, value in batch.items() if key != "labels"}
    assert refusal(lambda: PushAway(0.1)(outputs_of(network, unlabelled), unlabelled)) == (
        "the network's outputs have no loss; add labels to the batch"
    )


# The book's training loop -----------------------------------------------------------------------


def run(term: PushAway, plan: Plan = PLAN, **changes: Any) -> Any:
    options: dict[str, Any] = {
        "batches": batch_of,
        "name": "tiny",
        "identity": ["random", term.weight, term.across],
        "card": "# Tiny",
        "loss": term,
        **changes,
    }
    return train(tiny_gpt(output_hidden_states=True), plan=plan, **options)


def dispersion_after(folder: Path, *, cross: bool) -> float:
    """Mean cosine distance of the last hidden states of a batch that was not trained on."""
    batch = batch_of(1000)
    network = GPT2LMHeadModel.from_pretrained(folder).eval()
    with torch.no_grad():
        states = outputs_of(network, batch).hidden_states[-1]
    kept = batch["attention_mask"].bool()
    odd = (batch["domain"] == 1)[:, None] & kept
    if cross:
        return cross_distance(states[odd].numpy(), states[kept & ~odd].numpy())
    return mean_pairwise_distance(states[kept].numpy())


@pytest.mark.parametrize("cross", [False, True])
def test_training_pushes_apart_and_pulls_together(cross: bool, cache: Path) -> None:
    together, free, apart = (
        dispersion_after(run(PushAway(weight, cross)).folder, cross=cross)
        for weight in (-1.0, 0.0, 1.0)
    )
    assert together < free - 0.3
    # Nearly as far apart as states can be: the mean over N of them is at most N / (N - 1).
    assert apart > free + 0.03


def test_the_log_has_the_total_loss(cache: Path) -> None:
    term, network = PushAway(2.0, across=True), tiny_gpt()
    parts = term.parts(outputs_of(network, batch_of(0)), batch_of(0))
    log = run(term).log
    assert log["loss"].iloc[0] == pytest.approx(parts.total.item(), rel=1e-6)
    assert parts.total < parts.cross_entropy - 0.5


def test_a_large_weight_falls_below_the_least_loss(cache: Path) -> None:
    batch = batch_of(0)
    outputs = outputs_of(tiny_gpt(), batch)
    weight = round(0.95 * -(outputs.loss / PushAway(1.0).auxiliary(outputs, batch)).item(), 3)
    message = refusal(lambda: run(PushAway(weight), minimum_loss=0.0))
    found = re.fullmatch(
        r"tiny: step (\d+): the loss is (-\S+) \((\S+) at the step before\), it has to be finite "
        r"and at least 0; lower the learning rate, or check the loss and the batch",
        message,
    )
    assert found is not None, message
    assert int(found[1]) > 1
    assert float(found[2]) < 0 <= float(found[3])


def test_a_stopped_run_goes_on_to_the_same_bits(cache: Path) -> None:
    plan, term = replace(PLAN, steps=5, save_every=2), PushAway(0.5, across=True)
    whole = run(term, plan)
    expected = load((whole.folder / "model.safetensors").read_bytes())
    shutil.rmtree(cache)

    def stopping(step: int) -> dict[str, Tensor]:
        if step == 4:
            raise KeyboardInterrupt
        return batch_of(step)

    with pytest.raises(KeyboardInterrupt):
        run(term, plan, batches=stopping)
    resumed = run(term, plan)
    assert resumed.steps_run == 3
    found = load((resumed.folder / "model.safetensors").read_bytes())
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[key], expected[key]) for key in expected)
    assert resumed.log.equals(whole.log)


# Trainer ----------------------------------------------------------------------------------------

ROWS_OF_DATA = [
    {key: value[k] for key, value in batch_of(step).items()} for step in (0, 1) for k in range(ROWS)
]


def trainer(
    network: GPT2LMHeadModel, folder: Path, term: PushAway, *, size: int, passes: int = 1
) -> PushAwayTrainer:
    arguments = TrainingArguments(
        output_dir=str(folder),
        max_steps=1,
        per_device_train_batch_size=size,
        per_device_eval_batch_size=ROWS,
        gradient_accumulation_steps=passes,
        # One step of plain gradient descent shows the gradient in the weights.
        optim="sgd",
        learning_rate=1.0,
        lr_scheduler_type="constant",
        max_grad_norm=0.0,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        remove_unused_columns=False,
        train_sampling_strategy="sequential",
    )
    return PushAwayTrainer(
        network, arguments, train_dataset=ROWS_OF_DATA, eval_dataset=ROWS_OF_DATA, push_away=term
    )


def stepped(network: GPT2LMHeadModel, folder: Path, term: PushAway, **sizes: int) -> Any:
    """The log's entry of one step, and the gradient that it followed, by parameter."""
    trained = copy.deepcopy(network)
    found = trainer(trained, folder, term, **sizes)
    found.train()
    pairs = zip(network.parameters(), trained.parameters(), strict=True)
    return found.state.log_history[0], [(a - b).detach() for a, b in pairs]


@pytest.mark.parametrize("cross", [False, True])
def test_trainer_takes_the_step_of_the_loss(cross: bool, tmp_path: Path) -> None:
    network, batch, term = tiny_gpt(), batch_of(0), PushAway(0.7, across=cross)
    entry, slope = stepped(network, tmp_path, term, size=ROWS)
    parts = term.parts(outputs_of(network, batch), batch)
    assert entry["loss"] == pytest.approx(parts.total.item(), rel=1e-6)
    assert entry["auxiliary"] == pytest.approx(parts.auxiliary.item(), rel=1e-6)
    expected = gradients(network, lambda outputs: term(outputs, batch))
    for found, whole in zip(slope, expected, strict=True):
        torch.testing.assert_close(found, whole, rtol=1e-4, atol=1e-6)


def test_accumulation_is_the_mean_over_its_passes(tmp_path: Path) -> None:
    """The cross-entropy over all tokens, and the term over the passes, which differ in length."""
    network, term = tiny_gpt(), PushAway(0.7, across=True)
    entry, slope = stepped(network, tmp_path, term, size=2, passes=3)
    whole = batch_of(0)
    batches = [{key: value[k : k + 2] for key, value in whole.items()} for k in (0, 2, 4)]
    loss = outputs_of(network, whole).loss
    terms = [term.auxiliary(outputs_of(network, batch), batch) for batch in batches]
    loss = loss + 0.7 * torch.stack(terms).mean()
    assert entry["loss"] == pytest.approx(loss.item(), rel=1e-6)
    assert entry["auxiliary"] == pytest.approx(sum(terms).item() / 3, rel=1e-6)
    expected = torch.autograd.grad(loss, list(network.parameters()))
    for found, right in zip(slope, expected, strict=True):
        torch.testing.assert_close(found, right, rtol=1e-4, atol=1e-6)


def test_a_network_that_averages_by_itself(tmp_path: Path) -> None:
    """Its loss is not divided by the tokens of the update; Trainer divides the total then."""
    network, term = tiny_gpt(), PushAway(0.7)
    network.accepts_loss_kwargs = False
    entry, slope = stepped(network, tmp_path, term, size=3, passes=2)
    loss = torch.zeros(())
    for part in (slice(0, 3), slice(3, 6)):
        batch = {key: value[part] for key, value in batch_of(0).items()}
        loss = loss + term(outputs_of(network, batch), batch) / 2
    assert entry["loss"] == pytest.approx(loss.item(), rel=1e-6)
    expected = torch.autograd.grad(loss, list(network.parameters()))
    for found, right in zip(slope, expected, strict=True):
        torch.testing.assert_close(found, right, rtol=1e-4, atol=1e-6)


def test_the_log_has_the_term_since_the_last_entry(tmp_path: Path) -> None:
    network, term = tiny_gpt(), PushAway(0.7)
    found = trainer(network, tmp_path, term, size=ROWS)
    found.args.max_steps, found.args.learning_rate = 2, 0.0
    found.train()
    logged = [row["auxiliary"] for row in found.state.log_history if "loss" in row]
    expected = [
        term.auxiliary(outputs_of(network, batch_of(step)), batch_of(step)).item()
        for step in (0, 1)
    ]
    assert logged == pytest.approx(expected, rel=1e-6)
    assert abs(expected[0] - expected[1]) > 1e-4


def test_evaluation_reports_the_cross_entropy(tmp_path: Path) -> None:
    network = tiny_gpt()
    found = trainer(network, tmp_path, PushAway(50.0, across=True), size=ROWS)
    metrics = found.evaluate()
    losses = [outputs_of(network, batch_of(step)).loss.item() for step in (0, 1)]
    assert metrics["eval_loss"] == pytest.approx(np.mean(losses), rel=1e-6)
    assert "auxiliary" not in metrics
    # Whatever the count of tokens that Trainer arrives at.
    loss = found.compute_loss(network.eval(), batch_of(0), num_items_in_batch=torch.tensor(3))
    assert loss.item() == pytest.approx(losses[0], rel=1e-6)


# The page ---------------------------------------------------------------------------------------


def test_the_example_of_the_book_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    names: dict[str, Any] = {}
    with torch.random.fork_rng(devices=[]):
        exec(compile(code, str(PAGE), "exec"), names)
    printed = float(capsys.readouterr().out.split()[-1])
    assert printed == pytest.approx(math.log(100), rel=0.1)
    logged = [row for row in names["trainer"].state.log_history if "auxiliary" in row]
    assert [row["step"] for row in logged] == [5, 10]
    assert all(-1.1 < row["auxiliary"] < -0.9 for row in logged)
