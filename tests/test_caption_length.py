"""Captions at the points of a text tower, against the tower's own states and against theory."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from conftest import SENTENCES, WIDTH

from reproutils.caption_length import (
    TextPoint,
    explained,
    mean_cosine,
    shared_rho,
    text_points,
)
from reproutils.errors import ReproError
from reproutils.models import LoadedModel
from reproutils.theory import expected_cosine

PROJECTION = np.random.default_rng(0).normal(size=(WIDTH, 7))


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_points_are_those_of_the_tower(tiny_models: dict[str, LoadedModel], cache: object) -> None:
    model = tiny_models["bert"]
    points, states = text_points(model, SENTENCES, PROJECTION)
    assert set(points) == {
        f"{pooling}_{place}"
        for pooling in ("eos", "mean", "inner")
        for place in ("before", "after")
    }
    for number, text in enumerate(SENTENCES):
        ids = torch.tensor([model.encode(text)[0]])
        with torch.inference_mode():
            tokens = model.network(input_ids=ids).last_hidden_state[0].numpy()
        expected = {"eos": tokens[-1], "mean": tokens.mean(0), "inner": tokens[1:-1].mean(0)}
        for pooling, vector in expected.items():
            before, after = (points[f"{pooling}_{place}"] for place in ("before", "after"))
            np.testing.assert_allclose(before.vectors[number], vector, atol=1e-5)
            np.testing.assert_allclose(after.vectors[number], vector @ PROJECTION, atol=1e-4)
        n = ids.shape[1]
        assert states.n_tokens[number] == n
        assert [points[f"{p}_after"].pooled_tokens[number] for p in ("eos", "mean", "inner")] == [
            1,
            n,
            n - 2,
        ]
    assert "mean_after" not in text_points(model, SENTENCES, None)[0]


def test_a_caption_without_a_word_is_refused(
    tiny_models: dict[str, LoadedModel], cache: object
) -> None:
    with pytest.raises(ReproError, match="caption 1 has no token between start and end"):
        text_points(tiny_models["gpt2"], [SENTENCES[0], "a"], None)


def test_similarities_average_over_targets_or_go_pairwise() -> None:
    rng = np.random.default_rng(1)
    vectors, targets = rng.normal(size=(5, 4)), rng.normal(size=(3, 4))
    point = TextPoint("mean", "after", vectors, np.full(5, 6), 2.0)
    expected = [np.mean([cosine(vector, target) for target in targets]) for vector in vectors]
    np.testing.assert_allclose(point.similarity(targets), expected)
    others = rng.normal(size=(5, 4))
    pairs = [cosine(a, b) for a, b in zip(vectors, others, strict=True)]
    np.testing.assert_allclose(point.paired(others), pairs)


def test_rho_and_the_expected_curve_fit_the_model_that_they_come_from() -> None:
    rng = np.random.default_rng(2)
    d, rho = 400, 8.0
    shared = rng.normal(size=d)
    shared /= np.linalg.norm(shared)
    target = shared + 0.8 * rng.normal(size=d) / np.sqrt(d)
    lengths = np.tile([3, 6, 12, 24, 48], 80)
    pooled, squares = [], []
    for n in lengths:
        tokens = shared + np.sqrt(rho / d) * rng.normal(size=(n, d))
        pooled.append(tokens.mean(0))
        squares.append((tokens**2).sum(1).mean())
    vectors = np.array(pooled)
    found = shared_rho(vectors, float(np.mean(squares)))
    assert found == pytest.approx(rho, rel=0.05)
    point = TextPoint("mean", "before", vectors, lengths, found)
    similarity, curve = point.similarity(target[None]), point.expected(target[None], lengths)
    for n in (3, 12, 48):
        kept = lengths == n
        error = similarity[kept].std() / np.sqrt(kept.sum())
        assert abs(similarity[kept].mean() - curve[kept].mean()) < 4 * error + 0.01
    # The same as equation 3 with a second side of endless length.
    level = cosine(vectors.mean(0), target)
    np.testing.assert_allclose(curve, level * expected_cosine(lengths, 1e12, found), rtol=1e-6)


def test_texts_that_share_nothing_have_an_endless_rho() -> None:
    assert shared_rho(np.array([[1.0, 0], [-1.0, 0]]), 1.0) == np.inf
    assert shared_rho(np.array([[1.0, 0], [1.0, 0]]), 4.0) == pytest.approx(3.0)


def test_explained_and_mean_cosine_share_their_resamples() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=80)
    y = x + rng.normal(size=80)
    found = explained(y, x, seed=0, resamples=100)
    assert found.value == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2)
    assert (found.draws >= 0).all()
    vectors = rng.normal(size=(9, 5)) + 1
    anisotropy = mean_cosine(vectors, seed=0, resamples=50)
    pairs = [cosine(a, b) for a, b in combinations(vectors, 2)]
    assert anisotropy.value == pytest.approx(np.mean(pairs))
    assert anisotropy.n == 9
