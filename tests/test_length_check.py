"""The length check: known confounds, known content, invariances, bad input, and its page."""

from __future__ import annotations

import builtins
import contextlib
import io
import re
from collections.abc import Callable, Sequence
from typing import Any, get_args

import numpy as np
import pytest
from bs4 import BeautifulSoup
from conftest import SENTENCES
from matplotlib.colors import to_hex

from reproutils import length_check
from reproutils.errors import ReproError
from reproutils.figures import DARK_PALETTE, LIGHT_PALETTE
from reproutils.length_check import (
    CENTRED,
    COMMON,
    DEBIASED,
    EQUATION,
    MISMATCHED,
    NO_SINKS,
    NOISE,
    POOLED,
    PREDICTED,
    RATIO,
    LengthReport,
    check_arrays,
    check_pooled,
    check_texts,
)
from reproutils.models import LoadedModel
from reproutils.paths import project_root
from reproutils.similarity import pooled_cosine
from reproutils.theory import expected_cosine

N, WIDTH, FEW = 60, 64, 300
Pairs = tuple[list[np.ndarray], list[np.ndarray]]


def pairs(
    seed: int,
    *,
    mean: float = 0.0,
    content: float = 0.0,
    lengths: tuple[int, int] = (5, 80),
    keep: Callable[[int, int], float] = lambda m, n: 1.0,
    n: int = N,
) -> Pairs:
    """Rows of a shared mean, a content per pair, and noise; the second text keeps the share
    ``keep`` of the content's direction."""
    rng = np.random.default_rng(seed)
    shared = np.full(WIDTH, mean / np.sqrt(WIDTH))
    first, second = [], []
    for a, b in rng.integers(*lengths, (n, 2)):
        own, other = content * rng.standard_normal((2, WIDTH))
        share = keep(a, b)
        first.append(shared + own + rng.standard_normal((a, WIDTH)))
        mixed = share * own + np.sqrt(1 - share**2) * other
        second.append(shared + mixed + rng.standard_normal((b, WIDTH)))
    return first, second


def check(data: Pairs, **options: Any) -> LengthReport:
    return check_arrays(*data, resamples=FEW, **options)


@pytest.fixture(scope="module")
def confounded() -> Pairs:
    return pairs(0, mean=2.0)


@pytest.fixture(scope="module")
def report(confounded: Pairs) -> LengthReport:
    return check(confounded)


# What it finds -------------------------------------------------------------------------------


def test_a_shared_mean_is_called_an_artefact(report: LengthReport) -> None:
    assert report.verdict == "artefact"
    assert report.predictor == NOISE
    assert report.kept is not None
    assert report.kept.low > 0.5
    assert report.fit()["r2"] > 0.6
    assert report.fit(CENTRED)["r2_low"] == 0
    assert "artefact of length. Use instead: centred cosine" in report.sentence
    assert (report.n, report.units, report.unit) == (N, N, "pair")


def test_symmetric_lengths_hide_from_the_log_ratio(report: LengthReport) -> None:
    assert report.fit(predictor=RATIO)["r2"] < report.fit()["r2"] / 2


def test_without_a_mean_nothing_is_found() -> None:
    report = check(pairs(2))
    assert report.verdict == "none"
    assert report.kept is None
    assert "no confound" in report.sentence


def test_texts_that_truly_differ_are_no_artefact() -> None:
    data = pairs(
        1, mean=3.0, content=1.0, lengths=(60, 400), keep=lambda m, n: min(m, n) / max(m, n)
    )
    report = check(data)
    assert report.verdict == "content"
    assert "artefact of length. Correct for content" in report.sentence


def test_content_measured_with_noise_is_attenuation() -> None:
    report = check(pairs(2, content=0.3, n=200))
    assert report.verdict == "attenuation"
    assert report.fit(CENTRED)["r2_low"] > 0.2
    assert "Use instead: debiased cosine" in report.sentence


def test_mean_and_content_together_are_mixed() -> None:
    assert check(pairs(0, mean=2.0, content=0.3)).verdict == "mixed"


def test_a_length_effect_of_chance_level_is_found_under_content() -> None:
    rng = np.random.default_rng(3)
    # Same or opposite content moves the cosine more than anything that length does.
    report = check(
        pairs(3, mean=2.0, content=0.25, n=150, keep=lambda m, n: rng.choice((-1.0, 1.0)))
    )
    assert report.verdict == "hidden"
    assert report.fit(pairs=MISMATCHED)["r2_low"] > 0.05 > report.fit()["r2_low"]
    assert "content hides it" in report.sentence


def test_few_pairs_leave_it_undecided() -> None:
    report = check(pairs(0, n=20))
    assert report.verdict == "undecided"
    assert "Use more pairs" in report.sentence


def test_a_sink_token_is_seen_and_taken_out() -> None:
    first, second = pairs(3)
    sink = np.zeros(WIDTH)
    sink[0] = 300.0
    data = tuple([np.vstack([sink, item]) for item in side] for side in (first, second))
    report = check((data[0], data[1]))
    assert report.verdict == "artefact"
    assert report.fit()["beta"] < 0, "a sink makes short texts alike"
    assert report.fit(NO_SINKS)["r2_low"] == 0


# Its numbers ---------------------------------------------------------------------------------


def test_the_cosines_are_those_of_the_pairs(confounded: Pairs, report: LengthReport) -> None:
    true = report.cosine[report.cosine["pairs"] == "true"]
    expected = [float(pooled_cosine(a, b)) for a, b in zip(*confounded, strict=True)]
    np.testing.assert_allclose(true["cosine"], expected)
    ratio = [np.log(len(a) / len(b)) for a, b in zip(*confounded, strict=True)]
    np.testing.assert_allclose(true[RATIO], ratio)
    correlation = np.corrcoef(ratio, expected)[0, 1]
    assert report.fit(predictor=RATIO)["r2"] == pytest.approx(correlation**2)
    slope = np.polyfit(true[NOISE], true["cosine"], 1)[0]
    assert report.fit()["slope"] == pytest.approx(slope)


def test_equation_three_is_that_of_the_theory(confounded: Pairs, report: LengthReport) -> None:
    assert report.rho == pytest.approx((WIDTH / 4, WIDTH / 4), rel=0.15)
    true = report.cosine[report.cosine["pairs"] == "true"]
    m, n = ([len(item) for item in side] for side in confounded)
    expected = expected_cosine(m, n, WIDTH / 4)
    np.testing.assert_allclose(true[EQUATION], expected, rtol=0.1)
    assert report.fit(predictor=EQUATION, pairs=MISMATCHED)["r2"] > 0.6
    found, predicted = report.fit(pairs=MISMATCHED), report.fit(PREDICTED, pairs=MISMATCHED)
    assert predicted["slope"] == pytest.approx(found["slope"], rel=0.3)


def test_cut_texts_are_means_of_their_first_tokens(confounded: Pairs, report: LengthReport) -> None:
    shortest = min(len(item) for side in confounded for item in side)
    heads = ([item[:shortest] for item in side] for side in confounded)
    cut = np.mean([pooled_cosine(a, b) for a, b in zip(*heads, strict=True)])
    assert report.fit(COMMON)["mean"] == pytest.approx(cut)


def test_scale_changes_nothing(confounded: Pairs, report: LengthReport) -> None:
    scaled = check(([1e3 * a for a in confounded[0]], [1e-3 * b for b in confounded[1]]))
    assert scaled.sentence == report.sentence
    columns = ["r2", "r2_low", "r2_high", "beta", "slope", "mean"]
    np.testing.assert_allclose(scaled.table[columns], report.table[columns], rtol=1e-6, atol=1e-9)


def test_the_order_of_pairs_changes_no_estimate(confounded: Pairs, report: LengthReport) -> None:
    order = np.random.default_rng(5).permutation(N)
    shuffled = check(([confounded[0][i] for i in order], [confounded[1][i] for i in order]))
    assert shuffled.verdict == report.verdict
    columns = ["r2", "beta", "slope", "mean", "n"]
    left, right = (
        found.table[found.table["pairs"] == "true"][columns] for found in (shuffled, report)
    )
    np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-12)


def test_both_sides_may_change_places(confounded: Pairs, report: LengthReport) -> None:
    swapped = check((confounded[1], confounded[0]))
    assert swapped.fit()["r2"] == pytest.approx(report.fit()["r2"])
    assert swapped.fit(predictor=RATIO)["beta"] == pytest.approx(
        -report.fit(predictor=RATIO)["beta"]
    )


def test_groups_widen_intervals_and_partners_leave_the_group(confounded: Pairs) -> None:
    doubled = tuple(side[:30] * 2 for side in confounded)
    groups = [f"text {i % 30}" for i in range(60)]
    grouped = check((doubled[0], doubled[1]), groups=groups)
    apart = check((doubled[0], doubled[1]))
    assert (grouped.n, grouped.units, grouped.unit) == (60, 30, "group")
    assert "60 pairs in 30 groups" in str(grouped)
    # The second half of the pairs repeats the first, so it adds nothing.
    once = check((doubled[0][:30], doubled[1][:30]))
    width = {
        name: found.fit(predictor=RATIO)["beta_high"] - found.fit(predictor=RATIO)["beta_low"]
        for name, found in (("grouped", grouped), ("apart", apart), ("once", once))
    }
    assert width["grouped"] == pytest.approx(width["once"], rel=0.2)
    assert width["apart"] < 0.85 * width["grouped"]


@pytest.mark.parametrize("seed", range(3))
def test_partners_are_of_another_group_and_near_in_length(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(5, 200, 90)
    groups = [i // 3 for i in range(90)]
    partner = length_check._partners(lengths, groups, seed)
    assert sorted(partner) == list(range(90))
    assert all(groups[i] != groups[j] for i, j in enumerate(partner))
    assert np.abs(np.log(lengths[partner] / lengths)).mean() < 0.1


def test_pooled_vectors_give_the_same_cosines(confounded: Pairs, report: LengthReport) -> None:
    pooled = check_pooled(
        *(np.stack([item.mean(0) for item in side]) for side in confounded),
        *([len(item) for item in side] for side in confounded),
        resamples=FEW,
    )
    assert pooled.verdict == "artefact"
    assert pooled.rho is None
    for name in (POOLED, CENTRED):
        assert pooled.fit(name)["r2"] == pytest.approx(report.fit(name)["r2"])
    assert set(pooled.table["similarity"]) == {POOLED, CENTRED}
    (note,) = pooled.notes
    assert note.startswith(EQUATION)
    assert DEBIASED in note
    assert "needs token states" in note
    assert "Equation 3 was not evaluated" in str(pooled)


def test_content_and_attenuation_are_not_told_apart_without_tokens() -> None:
    data = pairs(2, content=0.3, n=200)
    pooled = check_pooled(
        *(np.stack([item.mean(0) for item in side]) for side in data),
        *([len(item) for item in side] for side in data),
        resamples=FEW,
    )
    assert pooled.verdict == "mixed"
    assert "cannot be told without the debiased cosine" in pooled.sentence


def test_single_tokens_leave_rows_out() -> None:
    first, second = pairs(0, mean=2.0)
    fixed = check((first, [item[:1] for item in second]))
    told = " ".join(fixed.notes)
    assert "single token" in told
    assert DEBIASED not in set(fixed.table["similarity"])
    assert fixed.rho is None


# How it shows --------------------------------------------------------------------------------


def test_the_report_as_text_and_page(report: LengthReport) -> None:
    text = str(report)
    for part in (report.sentence, "independent unit is the pair", "Verdict: artefact", "ρ ="):
        assert part in text
    soup = BeautifulSoup(report._repr_html_(), "html.parser")
    assert report.sentence in soup.get_text()
    rows = [[cell.get_text() for cell in row.find_all("td")] for row in soup.find_all("tr")[1:]]
    assert [row[0] for row in rows[:2]] == [POOLED, f"{POOLED}, mismatched"]
    assert [row[-1] for row in rows[:3]] == [str(N)] * 3
    fit = report.fit()
    assert f"{fit['r2']:.2f} [{fit['r2_low']:.2f}, {fit['r2_high']:.2f}]" in rows[0]


def test_a_predicted_slope_of_the_wrong_sign_is_told() -> None:
    first, second = pairs(3, mean=1.0)
    sink = np.zeros(WIDTH)
    sink[0] = 300.0
    data = tuple([np.vstack([sink, item]) for item in side] for side in (first, second))
    assert "The signs differ" in str(check((data[0], data[1])))


@pytest.mark.parametrize(("dark", "palette"), [(False, LIGHT_PALETTE), (True, DARK_PALETTE)])
def test_the_figure_shows_pairs_and_predictions(
    report: LengthReport, dark: bool, palette: Sequence[str]
) -> None:
    figure = report.figure(dark=dark)
    left, right = figure.axes
    assert (left.get_xlabel(), right.get_xlabel()) == (RATIO, NOISE)
    colours = [to_hex(line.get_color()) for line in left.lines]
    assert colours == [palette[1].lower(), palette[0].lower()]
    for kind, points in zip((MISMATCHED, "true"), left.collections, strict=True):
        shown = np.asarray(points.get_offsets())
        part = report.cosine[report.cosine["pairs"] == kind].sort_values(RATIO)
        np.testing.assert_allclose(shown, part[[RATIO, "cosine"]])
    figure.savefig(io.BytesIO(), format="png")


def test_without_matplotlib_the_way_out_is_named(
    report: LengthReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ReproError, match=r"reproutils\[book\]"):
        report.figure()


def test_a_row_that_is_not_there(report: LengthReport) -> None:
    with pytest.raises(ReproError, match="no row for 'linear CKA'"):
        report.fit("linear CKA")


# Bad input -----------------------------------------------------------------------------------


def spoilt(side: list[np.ndarray], item: int, values: np.ndarray) -> list[np.ndarray]:
    return [*side[:item], values, *side[item + 1 :]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a, b: (a, spoilt(b, 3, b[3] * np.nan)), "item 3 of second has NaN or infinite"),
        (lambda a, b: (spoilt(a, 2, a[2][:, :-1]), b), "widths 63, 64"),
        (lambda a, b: (a, b[:-1]), "60 items on one side and 59 on the other"),
        (lambda a, b: (spoilt(a, 4, a[4][:0]), b), r"item 4 of first has shape \(0, 64\)"),
        (lambda a, b: (spoilt(a, 4, a[4][0]), b), r"item 4 of first has shape \(64,\)"),
        (lambda a, b: (a[:19], b[:19]), "only 19 pairs; intervals need at least 20"),
        (lambda a, b: ([], []), "only 0 pairs"),
        (lambda a, b: ([x[:5] for x in a], [x[:5] for x in b]), "the lengths do not vary"),
        (lambda a, b: (a, a), "all 60 true pairs have the same cosine"),
        (lambda a, b: (spoilt(a, 1, 0 * a[1]), b), "cosine undefined: row 1"),
    ],
)
def test_bad_arrays_are_named(
    confounded: Pairs, change: Callable[..., Pairs], message: str
) -> None:
    with pytest.raises(ReproError, match=message) as caught:
        check(change(*confounded))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": [1, 2]}, "groups has 2 labels for 60 pairs"),
        ({"groups": [i % 19 for i in range(60)]}, "only 19 groups of pairs"),
        ({"groups": [max(0, i - 35) for i in range(60)]}, "group 0 holds more than half"),
        ({"resamples": 10}, "10 resamples give no interval"),
    ],
)
def test_bad_options_are_named(confounded: Pairs, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ReproError, match=message):
        check_arrays(*confounded, **options)


def test_bad_pooled_vectors_are_named() -> None:
    good, counts = np.random.default_rng(0).standard_normal((N, 8)), np.arange(1, N + 1)
    holed = good.copy()
    holed[7] = np.inf
    for first, lengths, message in (
        (good[0], counts, r"first has shape \(8,\)"),
        (holed, counts, "item 7 of first has NaN or infinite"),
        (good[:-1], counts, "59 items on one side and 60"),
        (good, counts - 1, "lengths_first must hold a number of tokens, 1 or more"),
        (good, counts[:-1], "lengths_first must hold"),
    ):
        with pytest.raises(ReproError, match=message):
            check_pooled(first, good, lengths, counts)


# Texts ---------------------------------------------------------------------------------------


def text_pairs() -> tuple[list[str], list[str]]:
    words = " ".join(SENTENCES).split()
    texts = [" ".join(words[i : i + 1 + i % 5]) for i in range(2 * 24)]
    return texts[:24], texts[24:]


@pytest.mark.parametrize("architecture", ["gpt2", "bert"])
def test_texts_are_their_token_states(
    tiny_models: dict[str, LoadedModel], cache: object, architecture: str
) -> None:
    model = tiny_models[architecture]
    a, b = text_pairs()
    report = check_texts(a, b, model=model, layer="block 1", resamples=FEW)
    states = [
        [
            model.network(**model.tokenizer(text, return_tensors="pt"), output_hidden_states=True)
            .hidden_states[1][0]
            .detach()
            .numpy()
            for text in texts
        ]
        for texts in (a, b)
    ]
    direct = check_arrays(*states, resamples=FEW)
    np.testing.assert_allclose(report.table["r2"], direct.table["r2"], atol=1e-4)
    assert report.verdict == direct.verdict


def test_the_last_layer_is_the_default(tiny_models: dict[str, LoadedModel], cache: object) -> None:
    model = tiny_models["gpt2"]
    by_default, last = (
        check_texts(*text_pairs(), model=model, layer=layer, resamples=FEW)
        for layer in (None, model.layer_names[-1])
    )
    assert by_default.sentence == last.sentence


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a, b: (a, [*b[:5], " ", *b[6:]]), "text 5 of texts_b is empty"),
        (lambda a, b: (a[:-1], b), "23 texts on one side and 24 on the other"),
        (lambda a, b: (a[:3], b[:3]), "only 3 pairs"),
    ],
)
def test_bad_texts_are_named_before_a_model_is_loaded(
    change: Callable[..., tuple[list[str], list[str]]], message: str
) -> None:
    with pytest.raises(ReproError, match=message):
        check_texts(*change(*text_pairs()), model="no-such-model")


def test_an_unknown_layer_is_named(tiny_models: dict[str, LoadedModel], cache: object) -> None:
    with pytest.raises(ReproError, match="no layer block 9"):
        check_texts(*text_pairs(), model=tiny_models["gpt2"], layer="block 9")


# The page ------------------------------------------------------------------------------------

PAGE = (project_root() / "book" / "length_check.md").read_text(encoding="utf-8")


@pytest.mark.embedded
def test_the_code_of_the_page_prints_what_the_page_says(embedded_cache: object) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", PAGE, re.M | re.S)
    assert len(blocks) == PAGE.count("```python")
    names: dict[str, Any] = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "length_check.md", "exec"), names)
        assert printed.getvalue().split() == expected.split()


def test_the_page_gives_the_rule_of_the_module() -> None:
    verdicts = re.findall(r"^\| `(\w+)` \|", PAGE, re.M)
    assert sorted(verdicts) == sorted(get_args(length_check.Verdict))
    prose = " ".join(PAGE.split())
    assert f"lies above {length_check.CLEAR}" in prose
    assert f"ends below {length_check.LITTLE}" in prose
    assert f"at least {length_check.MIN_UNITS} units" in prose
