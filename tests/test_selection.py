"""Token sets, gaps of checkpoints, and rank statistics against enumeration and SciPy."""

from __future__ import annotations

import json
import keyword
import time
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from conftest import SENTENCES, save_tiny, train_tokenizer
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from reproutils.dispersion import cross_distance, mean_pairwise_distance
from reproutils.errors import ReproError
from reproutils.models import LoadedModel, load_model
from reproutils.selection import (
    DIGITS,
    EVERYDAY_WORDS,
    PYTHON_KEYWORDS,
    CheckpointGap,
    check_same_tokenizer,
    checkpoint_gap,
    exact_spearman_interval,
    resampled_gaps,
    token_set,
)

# --- token sets --------------------------------------------------------------------------------


def test_word_lists_do_not_overlap() -> None:
    assert len(EVERYDAY_WORDS) == len(set(EVERYDAY_WORDS)) >= 60
    assert tuple(keyword.kwlist) == PYTHON_KEYWORDS
    assert not {word.lower() for word in PYTHON_KEYWORDS + DIGITS} & set(EVERYDAY_WORDS)


def test_single_tokens_are_found_with_and_without_a_space() -> None:
    tokenizer = train_tokenizer()
    words = ["the", "he", "7", "on", "the", "xylophone", "é"]
    found = token_set(tokenizer, words)
    assert set(found.forms) | set(found.left_out) == {w for x in words for w in (x, f" {x}")}
    assert not set(found.forms) & set(found.left_out)
    assert {" the", "he", "7", " on"} <= set(found.forms)
    assert {"xylophone", " xylophone", " 7", "é"} <= set(found.left_out)
    assert len(set(found.ids)) == len(found.ids)
    # The definition itself, which holds for tokenizers without a dummy prefix.
    for form in (*found.forms, *found.left_out):
        ids = tokenizer(form)["input_ids"]
        assert (len(ids) == 1) == (form in found.forms)
    assert list(found.ids) == [tokenizer(form)["input_ids"][0] for form in found.forms]
    assert token_set(tokenizer.backend_tokenizer, words) == found


def sentencepiece() -> Tokenizer:
    """BPE as Llama 2 has it: a space in front of every text, digits tokens of their own."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split("▁", "merged_with_next"),
            pre_tokenizers.Digits(individual_digits=True),
        ]
    )
    trainer = trainers.BpeTrainer(vocab_size=150, show_progress=False)
    tokenizer.train_from_iterator([*SENTENCES, "1 2 3"], trainer)
    return tokenizer


def test_digits_behind_a_dummy_prefix_are_found() -> None:
    tokenizer = sentencepiece()
    assert len(tokenizer.encode("2").ids) == 2
    found = token_set(tokenizer, ["1", "2", "3", "a", "the"])
    assert found.forms[:3] == ("1", "2", "3")
    assert [tokenizer.id_to_token(token) for token in found.ids[:3]] == ["1", "2", "3"]
    assert " the" in found.forms
    assert tokenizer.id_to_token(found.ids[found.forms.index(" the")]) == "▁the"


@pytest.mark.parametrize("words", [[], ["xylophone", "zzzz"]])
def test_too_few_single_tokens(words: list[str]) -> None:
    with pytest.raises(ReproError, match="at least 2"):
        token_set(train_tokenizer(), words)


@pytest.mark.embedded
def test_sets_of_the_embedded_model(smollm: LoadedModel) -> None:
    digits = token_set(smollm.tokenizer, DIGITS)
    assert digits.forms == DIGITS
    keywords = token_set(smollm.tokenizer, PYTHON_KEYWORDS)
    everyday = token_set(smollm.tokenizer, EVERYDAY_WORDS)
    assert len(everyday.ids) > 1.9 * len(EVERYDAY_WORDS)
    assert not set(everyday.ids) & (set(digits.ids) | set(keywords.ids))
    for form, token in zip(keywords.forms, keywords.ids, strict=True):
        assert smollm.tokenizer(form)["input_ids"] == [token]


def save_tokenizer(folder: Path, tokenizer: Tokenizer) -> str:
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    return f"path:{folder}"


def changed(part: str, change: object) -> Tokenizer:
    values = json.loads(train_tokenizer().backend_tokenizer.to_str())
    values["model"][part] = change(values["model"][part])  # type: ignore[operator]
    return Tokenizer.from_str(json.dumps(values))


def test_added_tokens_and_layout_do_not_make_another_tokenizer(tmp_path: Path) -> None:
    first = train_tokenizer().backend_tokenizer
    names = [save_tokenizer(tmp_path / "a", first), save_tokenizer(tmp_path / "b", first)]
    chat = Tokenizer.from_str(first.to_str())
    chat.add_special_tokens(["<user>"])
    names.append(save_tokenizer(tmp_path / "c", chat))
    compact = tmp_path / "b" / "tokenizer.json"
    compact.write_text(json.dumps(json.loads(compact.read_text("utf-8"))), "utf-8")
    check_same_tokenizer(names)


def swapped(vocabulary: dict[str, int]) -> dict[str, int]:
    return {**vocabulary, "a": vocabulary["b"], "b": vocabulary["a"]}


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda: changed("vocab", swapped), r"token '[ab]' is \d+ in one and \d+ in the other"),
        (lambda: changed("vocab", lambda v: {**v, "qqq": 400}), r"\d+ against \d+ vocab entries"),
        (
            lambda: changed("merges", lambda m: [*m[:3], m[4], m[3], *m[5:]]),
            r"merges entry 3 is \[.*\] in one and \[.*\] in the other",
        ),
        (lambda: Tokenizer(models.WordLevel({"a": 0, "?": 1}, "?")), "BPE against WordLevel"),
    ],
)
def test_other_tokenizers_are_refused(tmp_path: Path, other: object, message: str) -> None:
    first = save_tokenizer(tmp_path / "a", train_tokenizer().backend_tokenizer)
    second = save_tokenizer(tmp_path / "b", other())  # type: ignore[operator]
    with pytest.raises(ReproError, match=rf"{first} and {second} have different .*{message}"):
        check_same_tokenizer([first, second])


# --- gaps --------------------------------------------------------------------------------------


def test_gap_is_that_of_the_network(tiny_folders: dict[str, Path]) -> None:
    name = f"path:{tiny_folders['neox']}"
    weight = load_model(name).network.get_output_embeddings().weight.detach().double().numpy()
    domain, other = [5, 9, 20], [100, 7, 8, 33]
    found = checkpoint_gap(name, domain, other)
    assert found.within == pytest.approx(mean_pairwise_distance(weight[domain]))
    assert found.between == pytest.approx(cross_distance(weight[domain], weight[other]))
    assert found.gap == found.within + found.between
    norms = np.linalg.norm(weight, axis=1)
    assert found.mean_norm_domain == pytest.approx(norms[domain].mean())
    assert found.mean_norm_other == pytest.approx(norms[other].mean())
    assert found.name == name
    assert 0 < found.bytes_read < found.file_size


def test_a_token_in_both_sets_is_refused(tiny_folders: dict[str, Path]) -> None:
    with pytest.raises(ReproError, match="token 9 is in the domain set and in the everyday set"):
        checkpoint_gap(f"path:{tiny_folders['llama']}", [5, 9], [9, 7])


def gap_of(domain: np.ndarray, other: np.ndarray) -> CheckpointGap:
    within, between = mean_pairwise_distance(domain), cross_distance(domain, other)
    return CheckpointGap("x", within + between, within, between, 1.0, 1.0, 0, 0, domain, other)


def test_resampled_gaps_are_those_of_repeated_rows() -> None:
    rng = np.random.default_rng(0)
    checkpoints = [gap_of(rng.normal(size=(4, 6)) + k, rng.normal(size=(5, 6))) for k in (0, 1)]
    found = resampled_gaps(checkpoints, seed=3, resamples=40)
    counts = np.random.default_rng(3)
    domain_weights = counts.multinomial(4, np.full(4, 1 / 4), size=40)
    other_weights = counts.multinomial(5, np.full(5, 1 / 5), size=40)
    for checkpoint, draws in zip(checkpoints, found, strict=True):
        assert draws.value == checkpoint.gap
        assert draws.n == 9
        for draw, mine, others in zip(draws.draws, domain_weights, other_weights, strict=True):
            i, j = np.repeat(np.arange(4), mine), np.repeat(np.arange(5), others)
            across = cross_distance(checkpoint.domain_rows[i], checkpoint.other_rows[j])
            pairs = [
                mean_pairwise_distance(checkpoint.domain_rows[[a, b]])
                for place, a in enumerate(i)
                for b in i[place + 1 :]
                if a != b
            ]
            expected = np.mean(pairs) + across if pairs else np.nan
            assert draw == pytest.approx(expected, nan_ok=True)


def test_draws_with_one_domain_token_have_no_gap() -> None:
    rng = np.random.default_rng(0)
    (found,) = resampled_gaps(
        [gap_of(rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))], seed=0, resamples=100
    )
    assert 30 < np.isnan(found.draws).sum() < 70
    assert np.isfinite(found.interval().low)


def test_checkpoints_of_other_token_sets_are_refused() -> None:
    rows = np.random.default_rng(0).normal(size=(4, 3))
    with pytest.raises(ReproError, match="2 checkpoints with 2 sizes"):
        resampled_gaps([gap_of(rows, rows), gap_of(rows[:3], rows)], seed=0)


def test_nine_checkpoints_of_100_megabytes_in_a_second(tmp_path: Path) -> None:
    folders = [save_tiny(tmp_path / "0", "gpt2")]
    folders += [tmp_path / str(k) for k in range(1, 9)]
    n_rows, width = 50_000, 500
    for k, folder in enumerate(folders):
        folder.mkdir(exist_ok=True)
        embedding = {"dtype": "F32", "shape": [n_rows, width], "data_offsets": [0, 10**8]}
        header = json.dumps({"transformer.wte.weight": embedding}).encode()
        config = (folders[0] / "config.json").read_text("utf-8")
        (folder / "config.json").write_text(config, "utf-8")
        with (folder / "model.safetensors").open("wb") as stream:
            stream.write(len(header).to_bytes(8, "little") + header)
            start = stream.tell()
            stream.truncate(start + 10**8)
            for token in range(0, n_rows, 300):
                stream.seek(start + 4 * width * token)
                stream.write(np.random.default_rng([k, token]).normal(size=width).astype("<f4"))
    domain, other = range(0, 6000, 300), range(6000, n_rows, 300)
    begin = time.perf_counter()
    found = [checkpoint_gap(f"path:{folder}", domain, other) for folder in folders]
    assert time.perf_counter() - begin < 1
    assert all(each.bytes_read < 0.01 * each.file_size for each in found)
    assert len({each.gap for each in found}) == 9


# --- ranks -------------------------------------------------------------------------------------


ORDERINGS = {n: np.array(list(permutations(range(n)))) for n in (4, 5, 6)}


def enumerated(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Spearman's correlation of x with every ordering of y: its values and their shares."""
    a, b = (stats.zscore(stats.rankdata(values)) for values in (x, y))
    every = b[ORDERINGS[len(y)]] @ a / len(y)
    rhos, counts = np.unique(every.round(9), return_counts=True)
    return rhos, counts / counts.sum()


values = st.lists(st.integers(0, 4), min_size=4, max_size=6).filter(lambda v: len(set(v)) > 1)


@given(data=st.data(), x=values)
def test_against_all_orderings_with_ties(data: st.DataObject, x: list[int]) -> None:
    same = st.lists(st.integers(0, 4), min_size=len(x), max_size=len(x))
    y = data.draw(same.filter(lambda v: len(set(v)) > 1))
    found = exact_spearman_interval(np.array(x), np.array(y))
    rhos, share = enumerated(np.array(x), np.array(y))
    rho = stats.spearmanr(x, y).statistic
    assert found.rho.value == pytest.approx(rho, abs=1e-12)
    as_far = {r: share[np.abs(rhos) >= abs(r) - 1e-8].sum() for r in (rho, *rhos)}
    assert found.p_value == pytest.approx(as_far[rho])
    accepted = [r for r in rhos if as_far[r] > 0.05]
    assert found.chance_low == pytest.approx(min(accepted), abs=1e-8)
    assert found.chance_high == pytest.approx(max(accepted), abs=1e-8)
    assert found.rho.low <= rho + 1e-9
    assert rho - 1e-9 <= found.rho.high
    above, below = share[rhos >= rho - 1e-8].sum(), share[rhos <= rho + 1e-8].sum()
    if abs(above - 0.025) > 1e-9:
        assert (found.rho.low > 0) == (above < 0.025)
    if abs(below - 0.025) > 1e-9:
        assert (found.rho.high < 0) == (below < 0.025)


@given(order=st.permutations(range(6)))
def test_interval_inverts_tilted_tests(order: list[int]) -> None:
    x, y = np.arange(6), np.array(order)
    found = exact_spearman_interval(x, y)
    rhos, share = enumerated(x, y)
    thetas = np.linspace(-60, 60, 4001)
    logs = thetas[:, None] * rhos
    weights = share * np.exp(logs - logs.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    means = weights @ rhos
    upper = weights[:, rhos >= found.rho.value - 1e-8].sum(1)
    lower = weights[:, rhos <= found.rho.value + 1e-8].sum(1)
    inside = means[(upper >= 0.025) & (lower >= 0.025)]
    assert found.rho.low == pytest.approx(inside.min(), abs=0.01)
    assert found.rho.high == pytest.approx(inside.max(), abs=0.01)


def test_nine_models_ranked_without_an_error() -> None:
    found = exact_spearman_interval(np.arange(9), np.arange(9) ** 3)
    assert (found.rho.value, found.rho.high, found.rho.n) == (1.0, 1.0, 9)
    # One of 9! orderings has the tilted probability 2.5 %; a bootstrap would say 1.
    assert 0.9 < found.rho.low < 0.95
    assert found.p_value == pytest.approx(2 / 362880)
    # The tabulated two-sided 5 % critical value for n = 9 is 0.700.
    assert found.chance_high == pytest.approx(0.6833, abs=1e-4)
    assert found.chance_low == -found.chance_high


def test_four_models_cannot_reject() -> None:
    found = exact_spearman_interval(np.arange(4), np.arange(4))
    assert (found.chance_low, found.chance_high) == (-1.0, 1.0)
    assert found.rho.low < 0


def test_a_sign_turns_everything() -> None:
    x = np.arange(9.0)
    y = np.array([1.0, 0, 3, 2, 4, 7, 5, 5, 8])
    up, down = exact_spearman_interval(x, y), exact_spearman_interval(x, -y)
    assert down.p_value == pytest.approx(up.p_value)
    assert down.rho.low == pytest.approx(-up.rho.high)
    assert down.rho.high == pytest.approx(-up.rho.low)


def test_twelve_models_agree_with_random_orderings() -> None:
    rng = np.random.default_rng(0)
    x, y = np.arange(12), np.arange(12) + 4 * rng.normal(size=12)
    found = exact_spearman_interval(x, y)
    ranks = stats.rankdata(y)
    drawn = np.array([np.corrcoef(x, rng.permutation(ranks))[0, 1] for _ in range(4000)])
    share = np.mean(np.abs(drawn) >= found.rho.value - 1e-9)
    assert found.p_value == pytest.approx(share, abs=4 * np.sqrt(share / 4000) + 1e-3)


def test_interval_covers_the_mean_of_normal_models() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(1500, 9))
    y = 0.8 * x + 0.6 * rng.normal(size=x.shape)
    ranks = np.stack([stats.rankdata(x, axis=1), stats.rankdata(y, axis=1)], axis=1)
    # The interval depends on the sum of products of the ranks alone.
    known = {}
    for a, b in ranks:
        if a @ b not in known:
            known[a @ b] = exact_spearman_interval(a, b).rho
    found = [known[a @ b] for a, b in ranks]
    mean = np.mean([each.value for each in found])
    covered = np.mean([each.low <= mean <= each.high for each in found])
    assert 0.90 < covered < 0.98


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (np.arange(3), np.arange(3), "3 models: orderings are counted for 4 to 12"),
        (np.arange(13), np.arange(13), "13 models: orderings are counted for 4 to 12"),
        (np.arange(5), np.arange(4), "one finite value of each variable per model; got 5 and 4"),
        (np.arange(4), np.array([1, 2, np.nan, 3]), "one finite value"),
        (np.arange(4), np.ones(4), "all 4 models have the same value"),
    ],
)
def test_refuses_what_has_no_ranks(x: np.ndarray, y: np.ndarray, message: str) -> None:
    with pytest.raises(ReproError, match=message):
        exact_spearman_interval(x, y)
