"""Pairs of texts under tiny models: every measure against the raw hidden states of one text at a
time, and the measures' own definitions on arrays."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import torch
from arraystates import array_pairs

from reproutils.errors import ReproError
from reproutils.models import LoadedModel
from reproutils.pairs import (
    MIN_ROWS,
    PairStates,
    SpanName,
    computed_states,
    extract_pairs,
    log_length_ratio,
    pooling_noise,
    sink_rows,
)
from reproutils.paths import CACHE_VARIABLE
from reproutils.states import SINK_FACTOR

Texts = dict[str, tuple[str, ...]]

ENGLISH: tuple[str, ...] = (
    "The miller counted the sacks twice and found one more than he had bought.",
    "On rainy days the children read maps of rivers that nobody has named.",
    "A lamp in the window, a letter on the table.",
    "She measured the field with a rope.",
    "Trains that are late in winter are early in nobody's memory, they say.",
)
FRENCH: tuple[str, ...] = (
    "Le miller compta the sacks twice, et found one de plus.",
    "Les days de pluie the children read maps of rivers sans nom.",
    "A lamp in la window, a letter sur the table, and no one at home tonight.",
    "Elle mesura the field with a rope, puis elle mesura le rope.",
    "Trains that are late en hiver are early in memory.",
)
GERMAN: tuple[str, ...] = (
    "Der Müller zählte the sacks zweimal.",
    "An Regentagen read the children maps of rivers ohne Namen und ohne Ende.",
    "A lamp in the Fenster, a letter on the Tisch.",
    "Sie vermaß the field with a Seil, dann vermaß sie das rope noch einmal.",
    "Züge that are late im Winter.",
)
TEXTS: Texts = {"en": ENGLISH, "fr": FRENCH}
BAND = ("block 1", "block 2")


def raw(model: LoadedModel, text: str, stop: int | None = None) -> np.ndarray:
    """(layers of the band, tokens, d) hidden states of one text cut after ``stop`` tokens."""
    ids = torch.tensor([model.encode(text)[0][:stop]])
    with torch.inference_mode():
        states = model.network.base_model(input_ids=ids, output_hidden_states=True).hidden_states
    return np.stack([states[int(layer.split()[1])][0].double().numpy() for layer in BAND])


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def band_cosine(x: list[np.ndarray], y: list[np.ndarray], *, centred: bool = False) -> np.ndarray:
    """Cosine of pooled vectors, averaged over layers; x, y: per text (layers, d)."""
    a, b = np.array(x), np.array(y)
    if centred:
        a, b = a - a.mean(0), b - b.mean(0)
    return np.array(
        [
            np.mean([cosine(u, v) for u, v in zip(s, t, strict=True)])
            for s, t in zip(a, b, strict=True)
        ]
    )


def naive_cka(x: np.ndarray, y: np.ndarray) -> float:
    """Biased linear CKA of (rows, d) matrices: centred Gram matrices, entry by entry."""
    n = len(x)
    centre = np.eye(n) - 1 / n
    k, m = centre @ x @ x.T @ centre, centre @ y @ y.T @ centre
    return float((k * m).sum() / np.sqrt((k * k).sum() * (m * m).sum()))


def naive_debiased_cka(x: np.ndarray, y: np.ndarray) -> float:
    """CKA from the unbiased HSIC of Song et al. (2012), term by term."""

    def hsic(p: np.ndarray, q: np.ndarray) -> float:
        n = len(p)
        k, m = p @ p.T, q @ q.T
        np.fill_diagonal(k, 0)
        np.fill_diagonal(m, 0)
        return float(
            (k * m).sum()
            + k.sum() * m.sum() / ((n - 1) * (n - 2))
            - 2 * (k.sum(1) @ m.sum(1)) / (n - 2)
        )

    return float(hsic(x, y) / np.sqrt(hsic(x, x) * hsic(y, y)))


@pytest.fixture(params=["llama", "bert"], scope="module")
def model(request: pytest.FixtureRequest, tiny_models: dict[str, LoadedModel]) -> LoadedModel:
    return tiny_models[request.param]


def extracted(model: LoadedModel, texts: Texts = TEXTS) -> dict[str, PairStates]:
    return extract_pairs(model, texts, layers=model.layer_names, band=BAND)


@pytest.fixture(scope="module")
def pairs(model: LoadedModel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PairStates]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE_VARIABLE, str(tmp_path_factory.mktemp("cache")))
        yield extracted(model)["fr"]


@pytest.fixture(scope="module")
def states(model: LoadedModel) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Per text (layers, tokens, d) of both sides."""
    return [raw(model, text) for text in ENGLISH], [raw(model, text) for text in FRENCH]


Sides = tuple[list[np.ndarray], list[np.ndarray]]


def assert_close(found: np.ndarray, expected: list[float] | np.ndarray) -> None:
    """Equal but for the reductions' being kept in float32."""
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


# --- cosines -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("span", "start"), [("all", 0), ("no_first", 1), ("no_sinks", 1)])
@pytest.mark.parametrize("centred", [False, True])
def test_cosines_are_those_of_raw_states(
    pairs: PairStates, states: Sides, span: SpanName, start: int, centred: bool
) -> None:
    x, y = ([text[:, start:].mean(1) for text in side] for side in states)
    expected = band_cosine(x, y, centred=centred)
    assert_close(pairs.cosine(span, centred=centred), expected)


def test_partner_exchanges_the_other_text(pairs: PairStates, states: Sides) -> None:
    partner = np.array([2, 0, 4, 1, 3])
    x, y = ([text.mean(1) for text in side] for side in states)
    expected = band_cosine(x, [y[k] for k in partner])
    assert_close(pairs.cosine(partner=partner), expected)
    assert not np.allclose(pairs.cosine(), expected, atol=1e-3)


def test_token_counts_are_those_of_the_tokenizer(model: LoadedModel, pairs: PairStates) -> None:
    assert pairs.first.n_tokens.tolist() == [len(model.encode(text)[0]) for text in ENGLISH]
    assert pairs.second.n_tokens.tolist() == [len(model.encode(text)[0]) for text in FRENCH]
    assert len(pairs) == 5
    assert (pairs.first.n_tokens > pairs.second.n_tokens).any()
    assert (pairs.first.n_tokens < pairs.second.n_tokens).any()


def test_cut_is_the_text_really_cut(model: LoadedModel, pairs: PairStates) -> None:
    shorter = np.minimum(pairs.first.n_tokens, pairs.second.n_tokens)
    if model.causal:
        x, y = (
            [raw(model, text, stop=k).mean(1) for text, k in zip(side, shorter, strict=True)]
            for side in (ENGLISH, FRENCH)
        )
    else:
        # An encoder frames the cut text again; one closing token has to fit in.
        x, y = (
            [
                raw(model, model.cut(text, k - 1)).mean(1)
                for text, k in zip(side, shorter, strict=True)
            ]
            for side in (ENGLISH, FRENCH)
        )
    assert_close(pairs.cosine("cut"), band_cosine(x, y))
    assert_close(pairs.cosine("cut", centred=True), band_cosine(x, y, centred=True))
    assert not np.allclose(pairs.cosine("cut"), pairs.cosine(), atol=1e-3)


def test_cut_texts_of_an_encoder_have_the_same_length(
    tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    pairs = extracted(tiny_models["bert"])["fr"]
    shorter = np.minimum(pairs.first.n_tokens, pairs.second.n_tokens)
    cut = pairs.cut_first[0].n_tokens, pairs.cut_second[0].n_tokens
    np.testing.assert_array_equal(cut[0], cut[1])
    np.testing.assert_array_equal(cut[0], shorter)


def test_debiased_cosine_is_that_of_pairs_of_tokens(pairs: PairStates, states: Sides) -> None:
    def products(x: np.ndarray, y: np.ndarray, *, same: bool) -> float:
        gram = x @ y.T
        return float(gram[~np.eye(len(x), dtype=bool)].mean() if same else gram.mean())

    expected = []
    for x, y in zip(*states, strict=True):
        layers = []
        for u, v in zip(x[:, 1:], y[:, 1:], strict=True):
            own = products(u, u, same=True) * products(v, v, same=True)
            layers.append(products(u, v, same=False) / np.sqrt(own))
        expected.append(np.mean(layers))
    np.testing.assert_allclose(pairs.debiased(), expected, rtol=1e-3)


def test_other_bands_use_the_same_states(pairs: PairStates, states: Sides) -> None:
    x, y = ([text[1:].mean(1) for text in side] for side in states)
    assert_close(pairs.over(["block 2"]).cosine(), band_cosine(x, y))
    assert pairs.over(["block 2"]).first is pairs.first
    assert pairs.band == BAND


# --- aligned rows --------------------------------------------------------------------------------


def test_aligned_rows_have_the_same_surface(model: LoadedModel, pairs: PairStates) -> None:
    for k, (a, b) in enumerate(zip(ENGLISH, FRENCH, strict=True)):
        first, second = model.encode(a)[1], model.encode(b)[1]
        left = [first[i] for i in pairs.rows_first[k]]
        assert left == [second[j] for j in pairs.rows_second[k]]
        assert "" not in left
        assert pairs.n_rows[k] == len(left) >= 4


@pytest.mark.parametrize("debiased", [False, True])
def test_cka_is_that_of_the_aligned_raw_rows(
    pairs: PairStates, states: Sides, debiased: bool
) -> None:
    measure = naive_debiased_cka if debiased else naive_cka
    expected = []
    for k, (x, y) in enumerate(zip(*states, strict=True)):
        a, b = x[:, list(pairs.rows_first[k])], y[:, list(pairs.rows_second[k])]
        expected.append(np.mean([measure(u, v) for u, v in zip(a, b, strict=True)]))
    np.testing.assert_allclose(pairs.cka(debiased=debiased), expected, rtol=1e-4, atol=1e-5)


def test_rows_at_position_0_are_left_out_with_the_sinks(
    tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models["llama"]
    pairs = extracted(model)["fr"]
    # "A lamp …" begins both texts, so that position 0 is among its aligned rows.
    assert pairs.rows_first[2][0] == pairs.rows_second[2][0] == 0
    x, y = raw(model, ENGLISH[2]), raw(model, FRENCH[2])
    a, b = x[:, list(pairs.rows_first[2][1:])], y[:, list(pairs.rows_second[2][1:])]
    expected = np.mean([naive_cka(u, v) for u, v in zip(a, b, strict=True)])
    found = pairs.cka(debiased=False, without_sinks=True)
    assert found[2] == pytest.approx(expected, rel=1e-4)
    assert found[2] != pytest.approx(pairs.cka(debiased=False)[2], rel=1e-3)


def test_several_languages_share_the_rows_of_the_first(model: LoadedModel, cache: Path) -> None:
    together = extracted(model, {**TEXTS, "de": GERMAN})
    assert list(together) == ["fr", "de"]
    assert together["fr"].first is together["de"].first
    for other, texts in (("fr", FRENCH), ("de", GERMAN)):
        alone = extracted(model, {"en": ENGLISH, other: texts})[other]
        both = together[other]
        assert both.rows_first == alone.rows_first
        np.testing.assert_allclose(both.cka(debiased=False), alone.cka(debiased=False), rtol=1e-5)
        np.testing.assert_allclose(both.cosine("cut"), alone.cosine("cut"), rtol=1e-5)


def test_row_layers_may_differ_from_the_band(
    tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models["llama"]
    pairs = extract_pairs(
        model, TEXTS, layers=model.layer_names, band=BAND, row_layers=["block 2"]
    )["fr"]
    x, y = raw(model, ENGLISH[0])[1], raw(model, FRENCH[0])[1]
    expected = naive_cka(x[list(pairs.rows_first[0])], y[list(pairs.rows_second[0])])
    assert pairs.cka(debiased=False)[0] == pytest.approx(expected, rel=1e-4)


def test_every_forward_pass_is_counted_once(
    tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    texts = {**TEXTS, "de": GERMAN}
    causal = computed_states(extracted(tiny_models["llama"], texts))
    assert len(causal) == 3
    tokens = sum(
        len(tiny_models["llama"].encode(text)[0]) for side in texts.values() for text in side
    )
    assert sum(states.computed_tokens for states in causal) == tokens
    # An encoder reads the cut texts as well: two sides for each of two pairs of languages.
    assert len(computed_states(extracted(tiny_models["bert"], texts))) == 7


def test_long_texts_are_cut_to_the_context_only_when_told_to(
    model: LoadedModel, cache: Path
) -> None:
    long = {"en": (ENGLISH[0] + " " + ENGLISH[1] * 3, *ENGLISH[1:]), "fr": FRENCH}
    with pytest.raises(ReproError, match=r"text 0 has \d+ tokens, the context"):
        extracted(model, long)
    pairs = extract_pairs(model, long, layers=model.layer_names, band=BAND, truncate=True)["fr"]
    assert pairs.first.n_truncated == 1
    assert pairs.first.n_tokens[0] == model.max_length
    assert max(pairs.rows_first[0]) < model.max_length
    for values in (pairs.cosine("cut"), pairs.cka(debiased=False)):
        assert np.isfinite(values).all()


def test_geometry_is_estimated_within_texts(pairs: PairStates, states: Sides) -> None:
    expected = []
    for x in (*states[0], *states[1]):
        tokens = x[0]
        gram = tokens @ tokens.T
        shared = gram[~np.eye(len(gram), dtype=bool)].mean()
        spread = np.trace(np.cov(tokens.T))
        expected.append(spread / shared if shared > 0 else np.inf)
    assert pairs.rho("all", "block 1") == pytest.approx(np.median(expected), rel=1e-3)


# --- definitions on arrays -----------------------------------------------------------------------


def random_texts(
    lengths: list[int], seed: int, width: int = 12, mean: float = 1.0
) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [mean + rng.standard_normal((2, n, width)) for n in lengths]


def related_pairs(lengths: list[int], seed: int = 0) -> PairStates:
    """Second texts that are the first ones with noise, row by row."""
    first = random_texts(lengths, seed)
    rng = np.random.default_rng(seed + 1)
    return array_pairs(first, [x + 0.7 * rng.standard_normal(x.shape) for x in first])


def test_pairs_with_too_few_rows_are_undefined() -> None:
    pairs = related_pairs([4, 5, 9])  # position 0 apart, 3, 4 and 8 rows
    assert pairs.usable.tolist() == [False, True, True]
    for values in (
        pairs.cka(debiased=False),
        pairs.cka(debiased=True),
        pairs.adjusted_rv(),
        pairs.cka_excess(permutations=5, seed=0),
    ):
        assert np.isfinite(values).tolist() == [False, True, True]
    assert np.isfinite(pairs.cosine()).all()


def test_no_usable_pair_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(ReproError, match=f"no pair has {MIN_ROWS} aligned .* use longer texts"):
        related_pairs([4, 3]).cka(debiased=False)


def test_batches_do_not_matter() -> None:
    pairs = related_pairs([6, 8] * 70)
    x, y = (list(side.rows()) for side in (pairs.first, pairs.second))
    expected = [
        np.mean([naive_cka(u, v) for u, v in zip(a, b, strict=True)])
        for a, b in zip(x, y, strict=True)
    ]
    np.testing.assert_allclose(pairs.cka(debiased=False), expected, atol=1e-12)


def test_fixed_rows_are_drawn_and_averaged() -> None:
    pairs = related_pairs([5, 6, 12])
    fixed = pairs.cka_fixed_rows(5, draws=3, seed=1)
    plain = pairs.cka(debiased=False)
    assert fixed[0] == pytest.approx(plain[0])  # all five rows in each draw
    np.testing.assert_array_equal(fixed, pairs.cka_fixed_rows(5, draws=3, seed=1))
    assert fixed[2] != pairs.cka_fixed_rows(5, draws=3, seed=2)[2]
    assert np.isnan(pairs.cka_fixed_rows(6, draws=3, seed=1)[0])
    # Six rows leave six choices of five; many draws average over them.
    x, y = (list(side.rows())[1] for side in (pairs.first, pairs.second))
    every = [
        np.mean(
            [naive_cka(u, v) for u, v in zip(np.delete(x, k, 1), np.delete(y, k, 1), strict=True)]
        )
        for k in range(6)
    ]
    many = pairs.cka_fixed_rows(5, draws=400, seed=3)[1]
    assert many == pytest.approx(np.mean(every), abs=4 * np.std(every) / 20)
    # Fewer rows raise the chance level: the reason for fixing them.
    assert fixed[2] > plain[2]


def test_excess_is_taken_over_the_mean_of_all_orders() -> None:
    pairs = related_pairs([5])
    x, y = (next(side.rows()) for side in (pairs.first, pairs.second))
    shuffled = np.array(
        [
            [naive_cka(u, v[list(order)]) for u, v in zip(x, y, strict=True)]
            for order in permutations(range(5))
        ]
    )
    expected = pairs.cka(debiased=False)[0] - shuffled.mean()
    draws = 2000
    error = shuffled.mean(1).std() / np.sqrt(draws)
    found = pairs.cka_excess(permutations=draws, seed=0)[0]
    assert found == pytest.approx(expected, abs=4 * error)
    assert expected > 10 * error


def test_rv_is_cka() -> None:
    pairs = related_pairs([6, 8, 20])
    assert pairs.rv_gap() < 1e-12
    assert np.all(pairs.adjusted_rv() < pairs.cka(debiased=False))


def test_sinks_are_rows_far_longer_than_the_others() -> None:
    rows = np.ones((2, 6, 4))
    rows[0, 2] *= SINK_FACTOR * 1.01
    rows[1, 4] *= SINK_FACTOR * 0.99
    assert sink_rows(rows).tolist() == [False, False, True, False, False, False]


def with_sink(texts: list[np.ndarray], position: int, layer: int) -> list[np.ndarray]:
    changed = [text.copy() for text in texts]
    for text in changed:
        text[layer, position] *= 1000
    return changed


def test_sink_rows_of_either_side_leave_both() -> None:
    first, second = random_texts([9, 9], 0), random_texts([9, 9], 1)
    plain = array_pairs(first, second, rows=[((1, 2, 4, 5, 7, 8),) * 2] * 2)
    sunk = array_pairs(with_sink(first, 3, layer=1), with_sink(second, 6, layer=0))
    for debiased in (False, True):
        np.testing.assert_allclose(
            sunk.cka(debiased=debiased, without_sinks=True),
            plain.cka(debiased=debiased),
            atol=1e-12,
        )
    assert not np.allclose(sunk.cka(debiased=False), plain.cka(debiased=False), atol=0.01)


def test_pair_is_undefined_when_sinks_take_too_many_rows() -> None:
    first, second = random_texts([5, 9], 0), random_texts([5, 9], 1)
    pairs = array_pairs(with_sink(first, 2, layer=0), second)
    assert pairs.usable.all()
    found = pairs.cka(debiased=False, without_sinks=True)
    assert np.isnan(found).tolist() == [True, False]


def test_sinks_are_counted_and_left_out_of_pooled_states() -> None:
    first, second = random_texts([6, 7], 0), random_texts([6, 7], 1)
    sunk = array_pairs(with_sink(first, 3, layer=1), second)
    assert sunk.texts_with_sinks("block 1") == 0
    assert sunk.texts_with_sinks("block 2") == 0.5
    without = [np.delete(text, [0, 3], axis=1) for text in first]
    rest = [text[:, 1:] for text in second]
    expected = band_cosine([x[1:].mean(1) for x in without], [y[1:].mean(1) for y in rest])
    np.testing.assert_allclose(sunk.over(["block 2"]).cosine("no_sinks"), expected)
    assert (sunk.rho("all", "block 2")) > 10 * sunk.rho("no_sinks", "block 2")


def test_debiased_cosine_does_not_follow_length() -> None:
    rng = np.random.default_rng(5)
    mean = np.zeros(64)
    mean[0] = 2.0

    def texts(n: int) -> list[np.ndarray]:
        return [mean + rng.standard_normal((2, n, 64)) for _ in range(300)]

    means: dict[int, tuple[float, float]] = {}
    for n in (9, 41):
        pairs = array_pairs(texts(n), texts(n))
        debiased = pairs.debiased()
        means[n] = float(np.mean(pairs.cosine())), float(np.nanmedian(debiased))
    # Equation 3 with rho = 16: 0.36 and 0.72.
    assert means[41][0] - means[9][0] > 0.3
    assert means[9][1] == pytest.approx(1, abs=0.1)
    assert means[41][1] == pytest.approx(1, abs=0.05)


def test_debiased_cosine_is_undefined_without_a_common_direction() -> None:
    # Two tokens that point away from each other: the estimate of their shared energy is negative.
    one = np.zeros((2, 3, 2))
    one[:, 1, 0], one[:, 2, 0] = 1, -1
    other = np.ones((2, 3, 2))
    assert np.isnan(array_pairs([one], [other]).debiased()).all()


# --- predictors ----------------------------------------------------------------------------------


def test_length_predictors() -> None:
    first, second = np.array([10, 20, 8]), np.array([10, 10, 16])
    assert log_length_ratio(first, second) == pytest.approx([0, np.log(2), -np.log(2)])
    assert pooling_noise(first, second) == pytest.approx([-0.2, -0.15, -0.1875])
    by_length = pooling_noise(np.array([5, 50, 500]), np.array([5, 50, 500]))
    assert (np.diff(by_length) > 0).all()
    assert (by_length < 0).all()
