"""Small language models trained with and without the push-away term."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModelForCausalLM

from reproutils import paths, push_arms, training
from reproutils.errors import ReproError
from reproutils.push_arms import Arm, ArmRecipe, ArmTexts, Batches

SEED = 11
ALONE = ArmRecipe(
    domains=("news",), steps=24, batch_size=4, width=16, blocks=1, context=24, vocabulary=300,
    held_out_chunks=6, seed=SEED,
)  # fmt: skip
BOTH = ArmRecipe(
    domains=("news", "wikipedia"), steps=24, batch_size=4, width=16, blocks=1, context=24,
    vocabulary=300, held_out_chunks=6, seed=SEED,
)  # fmt: skip
STEPS = (12, 24)
RATE = 5e-3


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache without trained networks, that shares the texts."""
    folder = tmp_path_factory.mktemp("cache")
    for part in ("downloads", "documents"):
        (folder / part).symlink_to(paths.cache_dir(part).resolve(), target_is_directory=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(paths.CACHE_VARIABLE, str(folder))
        yield folder


@pytest.fixture(scope="module")
def texts() -> dict[ArmRecipe, ArmTexts]:
    return {recipe: push_arms.read_texts(recipe) for recipe in (ALONE, BOTH)}


@pytest.fixture(scope="module")
def found(own_cache: Path, texts: dict[ArmRecipe, ArmTexts]) -> pd.DataFrame:
    """Two seeds of a base and of two strong arms."""
    arms = [Arm(RATE, weight, number) for number in (1, 2) for weight in (0.0, 1.0, -1.0)]
    read = texts[BOTH]
    return push_arms.run_arms(BOTH, read, arms, read.test, steps=STEPS)


# Texts and batches ---------------------------------------------------------------------------


def test_no_document_is_in_two_parts(texts: dict[ArmRecipe, ArmTexts]) -> None:
    for read in texts.values():
        for parts in zip(read.training, read.validation, read.test, strict=True):
            documents = [{item.rpartition("@")[0] for item in part.item_ids} for part in parts]
            assert all(documents)
            assert not documents[0] & documents[1]
            assert not documents[0] & documents[2]
            assert not documents[1] & documents[2]
            assert [len(part) for part in parts[1:]] == [6, 6]


def test_a_batch_has_as_many_rows_of_each_domain(texts: dict[ArmRecipe, ArmTexts]) -> None:
    training_chunks = texts[BOTH].training
    known = [set(chunks.ids) for chunks in training_chunks]
    batches = Batches(training_chunks, 4, SEED)
    batch = batches(3)
    assert batch["domain"].tolist() == [0, 0, 1, 1]
    for ids, domain in zip(batch["input_ids"].tolist(), batch["domain"].tolist(), strict=True):
        assert tuple(ids) in known[domain]
    assert torch.equal(batch["labels"], batch["input_ids"])
    assert torch.equal(batch["input_ids"], batches(3)["input_ids"])
    assert not torch.equal(batch["input_ids"], batches(4)["input_ids"])
    assert not torch.equal(
        batch["input_ids"], Batches(training_chunks, 4, SEED + 1)(3)["input_ids"]
    )


def test_arms_of_a_seed_start_alike(texts: dict[ArmRecipe, ArmTexts]) -> None:
    first, again, other = (
        push_arms.initial_network(BOTH, texts[BOTH], number).lm_head.weight for number in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


# Training ------------------------------------------------------------------------------------


def test_each_arm_is_read_at_each_step_in_each_domain(found: pd.DataFrame) -> None:
    assert len(found) == 2 * 3 * len(STEPS) * 2
    assert not found.duplicated(["weight", "number", "step", "domain"]).any()
    assert np.isfinite(found.drop(columns="domain").to_numpy(dtype=float)).all()
    assert set(found["domain"]) == set(BOTH.domains)


def test_a_strong_term_moves_the_domains_as_its_sign_says(found: pd.DataFrame) -> None:
    last = found[found["step"] == STEPS[-1]]
    across = last.groupby(["number", "weight"])["across"].mean().unstack("weight")
    assert (across[1.0] > across[0.0]).all()
    assert (across[0.0] > across[-1.0]).all()


def test_without_weight_the_term_changes_nothing(
    own_cache: Path, texts: dict[ArmRecipe, ArmTexts]
) -> None:
    read = texts[ALONE]
    base = push_arms.train_arm(ALONE, read, Arm(RATE, 0.0, 1))
    batches = Batches(read.training, ALONE.batch_size, SEED + 1)
    plain = training.train(
        push_arms.initial_network(ALONE, read, 1),
        lambda step: {key: value for key, value in batches(step).items() if key != "domain"},
        training.Plan(
            steps=ALONE.steps,
            batch_size=ALONE.batch_size,
            learning_rate=RATE,
            seed=SEED + 1,
            warmup_steps=ALONE.steps // 10,
        ),
        name="plain",
        identity=[],
        card="# Plain",
    )
    weights = [
        AutoModelForCausalLM.from_pretrained(run.folder).state_dict() for run in (base, plain)
    ]
    for key, tensor in weights[0].items():
        assert torch.allclose(tensor, weights[1][key], atol=1e-6), key


def test_a_reading_is_the_plain_forward_pass(
    own_cache: Path, texts: dict[ArmRecipe, ArmTexts], found: pd.DataFrame
) -> None:
    read = texts[BOTH]
    run = push_arms.train_arm(BOTH, read, Arm(RATE, 1.0, 2), snapshots=[STEPS[0]])
    assert run.steps_run == 0
    network = AutoModelForCausalLM.from_pretrained(run.snapshots[STEPS[0]])
    states = []
    part = found.query(f"weight == 1 and number == 2 and step == {STEPS[0]}").set_index("domain")
    for domain, chunks in zip(BOTH.domains, read.test, strict=True):
        ids = torch.tensor(chunks.ids)
        with torch.no_grad():
            outputs = network(ids, labels=ids, output_hidden_states=True)
        assert part.loc[domain, "loss"] == pytest.approx(float(outputs.loss), rel=1e-5)
        places = np.unique(np.linspace(1, BOTH.context - 1, 8).astype(int))
        kept = outputs.hidden_states[-1][:, places].flatten(0, 1).double().numpy()
        states.append(kept)
        for column, rows in (("dispersion", kept), ("centred", kept - kept.mean(0))):
            unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
            distances = 1 - unit @ unit.T
            expected = distances[np.triu_indices(len(unit), 1)].mean()
            assert part.loc[domain, column] == pytest.approx(expected, abs=1e-5)
    units = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in states]
    expected = float((1 - units[0] @ units[1].T).mean())
    assert part["across"].tolist() == pytest.approx([expected, expected], abs=1e-5)


def test_one_domain_has_no_distance_to_others(
    own_cache: Path, texts: dict[ArmRecipe, ArmTexts]
) -> None:
    read = texts[ALONE]
    found = push_arms.run_arms(
        ALONE, read, [Arm(RATE, 0.0, 1)], read.validation, steps=[ALONE.steps]
    )
    assert found["across"].isna().all()
    assert found["loss"].between(0, np.log(300) + 1).all()


# What is refused -----------------------------------------------------------------------------


def test_a_weight_that_outweighs_the_cross_entropy_stops_the_run(
    own_cache: Path, texts: dict[ArmRecipe, ArmTexts]
) -> None:
    with pytest.raises(ReproError, match=r"λ 80, learning rate 0\.005: step 1: the loss is -\d"):
        push_arms.train_arm(ALONE, texts[ALONE], Arm(RATE, 80.0, 1))


def test_a_domain_with_one_document_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("The river rose in May and fell in June. " * 200)
    recipe = ArmRecipe(domains=(f"path:{tmp_path / 'one.txt'}",), steps=2)
    with pytest.raises(ReproError, match="has 1 documents, too few"):
        push_arms.read_texts(recipe)


def test_domains_that_cannot_be_shared_out_are_refused() -> None:
    for domains, size, words in (
        ((), 4, "name one or more"),
        (("news", "news"), 4, "each of them once"),
        (("news", "python", "wikipedia"), 16, "choose a multiple of 3"),
    ):
        with pytest.raises(ReproError, match=words):
            ArmRecipe(domains=domains, steps=2, batch_size=size)
