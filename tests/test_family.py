"""Additions, the small networks trained on them, and how well those add."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, AutoTokenizer

from reproutils import family, paths, small_gpt
from reproutils.corpora.arithmetic import additions, split_additions
from reproutils.corpora.documents import chunk_documents, load_documents
from reproutils.errors import ReproError
from reproutils.family import FamilyRecipe, Member, Mixture
from reproutils.models import load_model
from reproutils.selection import check_same_tokenizer

SEED = 4
TINY = FamilyRecipe(
    arithmetic_rows=(0, 2, 4),
    scrambled_rows=(2,),
    largest=5,
    steps=6,
    batch_size=4,
    width=16,
    context=24,
    vocabulary=300,
    seed=SEED,
)
TOKENIZER = small_gpt.train_tokenizer(["The river rose in May 1923 and fell."], 300, context=24)


# Additions -----------------------------------------------------------------------------------


def test_each_line_is_a_true_sum_of_eight_characters() -> None:
    problems = additions()
    assert (
        len(set(problems)) == len(problems) == sum(min(9, 99 - first) for first in range(10, 100))
    )
    for problem in problems:
        first, rest = problem.line.split("+")
        second, answer = rest.split("=")
        assert int(first) + int(second) == int(answer)
        assert len(problem.line) == 8
        assert problem.line.endswith("\n")


def test_the_second_number_has_a_limit() -> None:
    assert {problem.second for problem in additions(3)} == {1, 2, 3}
    for largest in (0, 10):
        with pytest.raises(ReproError, match="a digit from 1 to 9"):
            additions(largest)


def test_a_split_has_every_problem_once() -> None:
    problems = additions(2)
    learned, held_out = split_additions(problems, 0.25, SEED)
    assert sorted(learned + held_out) == sorted(problems)
    assert len(held_out) == round(0.25 * len(problems))
    assert split_additions(problems, 0.25, SEED) == (learned, held_out)
    assert split_additions(problems, 0.25, SEED + 1) != (learned, held_out)
    for share in (0.0, 0.001, 1.0):
        with pytest.raises(ReproError, match="both parts have some"):
            split_additions(problems, share, SEED)


# Small networks ------------------------------------------------------------------------------


@given(st.text(max_size=40))
def test_any_text_comes_back_from_its_tokens(text: str) -> None:
    ids = TOKENIZER(text)["input_ids"]
    assert TOKENIZER.backend_tokenizer.decode(ids, skip_special_tokens=False) == text


@given(st.integers(0, 10**12))
def test_each_digit_is_a_token(number: int) -> None:
    assert TOKENIZER.tokenize(str(number)) == list(str(number))


def test_one_matrix_is_input_and_output_embedding_and_comes_from_the_seed() -> None:
    shape = {"width": 16, "blocks": 1, "heads": 2, "context": 24}
    torch.manual_seed(0)
    before = torch.get_rng_state()
    first, again, other = (
        small_gpt.initial_gpt(TOKENIZER, seed=seed, **shape) for seed in (SEED, SEED, SEED + 1)
    )
    assert torch.equal(torch.get_rng_state(), before)
    weights = first.lm_head.weight
    assert weights is first.transformer.wte.weight
    assert torch.equal(weights, again.lm_head.weight)
    assert not torch.equal(weights, other.lm_head.weight)
    assert first.config.pad_token_id == TOKENIZER.convert_tokens_to_ids(small_gpt.END)


# The family ----------------------------------------------------------------------------------


def mixture(rows: int, *, scrambled: bool = False) -> Mixture:
    chunks = chunk_documents(
        load_documents("wikipedia"),
        lambda text: TOKENIZER(text[:400], verbose=False)["input_ids"],
        TINY.context,
        seed=SEED,
        n_chunks=40,
    )
    return Mixture(TINY, TOKENIZER, chunks, rows, scrambled=scrambled)


def lines_of(batches: Mixture, rows: int, steps: int = 30) -> list[str]:
    """All additions of the first steps."""
    found = []
    for step in range(steps):
        for ids in batches(step)["input_ids"][:rows]:
            found += TOKENIZER.decode(ids).split("\n")[:-1]
    return found


def test_members_see_true_sums_and_no_held_out_problem() -> None:
    lines = lines_of(mixture(3), 3)
    known = {problem.line.strip() for problem in family.solved_problems(TINY)}
    held_out = {problem.line.strip() for problem in family.held_out_problems(TINY)}
    assert len(set(lines)) > 50
    assert set(lines) <= known
    assert not set(lines) & held_out


def test_scrambled_twins_see_as_many_digits_and_few_true_sums() -> None:
    true, wrong = mixture(3), mixture(3, scrambled=True)
    lines = lines_of(wrong, 3)
    asked = [line.partition("=")[0] for line in lines]
    assert asked == [line.partition("=")[0] for line in lines_of(true, 3)]
    right = np.mean(
        [sum(map(int, line.split("=")[0].split("+"))) == int(line[-2:]) for line in lines]
    )
    assert right < 0.1
    assert wrong.n_digits() == true.n_digits()


def test_mixtures_differ_only_in_where_prose_begins() -> None:
    few, many = mixture(1)(5)["input_ids"], mixture(3)(5)["input_ids"]
    assert torch.equal(few[0], many[0])
    assert torch.equal(few[3], many[3])
    assert not torch.equal(few[1:3], many[1:3])
    with pytest.raises(ReproError, match="5 rows of additions in a batch of 4"):
        mixture(5)


def test_digits_are_counted() -> None:
    batches = mixture(2)
    texts = [
        TOKENIZER.decode(ids) for step in range(TINY.steps) for ids in batches(step)["input_ids"]
    ]
    assert batches.n_digits() == sum(char in "0123456789" for text in texts for char in text)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> list[Member]:
    """A family of three and a twin, after a handful of steps."""
    folder = tmp_path_factory.mktemp("cache")
    for part in ("downloads", "models"):
        (folder / part).symlink_to(paths.cache_dir(part).resolve(), target_is_directory=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(paths.CACHE_VARIABLE, str(folder))
        first = family.train_family(TINY)
        weights = [each.folder / "model.safetensors" for each in first]
        written = [path.stat().st_mtime_ns for path in weights]
        assert family.train_family(TINY) == first
        assert [path.stat().st_mtime_ns for path in weights] == written
    return first


def test_the_family_shares_a_tokenizer_and_differs_in_weights(trained: list[Member]) -> None:
    assert [(each.share, each.scrambled) for each in trained] == [
        (0.0, False), (0.5, False), (1.0, False), (0.5, True),
    ]  # fmt: skip
    assert len({each.label for each in trained}) == 4
    check_same_tokenizer([f"path:{each.folder}" for each in trained])
    weights = {(each.folder / "model.safetensors").read_bytes() for each in trained}
    assert len(weights) == 4
    assert trained[0].n_digits < trained[1].n_digits < trained[2].n_digits


def test_adding_up_is_the_plain_forward_pass(trained: list[Member], cache: Path) -> None:
    solved, asked = family.solved_problems(TINY), family.held_out_problems(TINY)[:12]
    # Trained on its own: 24 tokens hold two lines and a third.
    found = family.add_up(
        load_model(f"path:{trained[2].folder}"), asked, solved, shots=2, seed=SEED
    )
    network = AutoModelForCausalLM.from_pretrained(trained[2].folder)
    tokenizer = AutoTokenizer.from_pretrained(trained[2].folder)
    rng = np.random.default_rng(SEED)
    for number, problem in enumerate(asked):
        before = "".join(solved[row].line for row in rng.integers(len(solved), size=2))
        ids = torch.tensor([tokenizer(before + problem.line)["input_ids"]])
        n_line, n_answer = (len(tokenizer(text)["input_ids"]) for text in (problem.line, "12\n"))
        with torch.no_grad():
            log_p = network(ids).logits[0, :-1].log_softmax(-1)
        losses = -log_p.gather(1, ids[0, 1:, None])[-n_line:, 0]
        assert found.loss[number] == pytest.approx(float(losses.mean()), rel=1e-4)
        answered = log_p[-n_answer:].argmax(1)
        assert found.correct[number] == torch.equal(answered, ids[0, -n_answer:])


def test_a_family_that_cannot_be_split_is_refused() -> None:
    with pytest.raises(ReproError, match="both parts have some"):
        family.held_out_problems(replace(TINY, held_out=0.0))
