# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # F4: translations, length, and what is left when content is exchanged
#
# **The claim.** For English–French and English–German sentence pairs the token length ratio explains a
# good part of the variance of pooled cosine in Mistral-7B ($R^2$ 0.23 and 0.33), and next to nothing of CKA
# (below 0.01) {cite:p}`mitra2026length`. So the artefact is not special to code. Convergence between
# languages is nevertheless real, the paper adds, and a proper metric finds it.
#
# **The idea.** A sentence and its translation say the same thing in different numbers of tokens. If their
# pooled cosine depends on those numbers whatever is said, it must do so too when the translation is
# replaced by *another* sentence of the same length.
#
# **What is measured.** For each pair the cosine of the two mean hidden states, averaged over the middle
# blocks (n/4 to 3n/4), regressed on ln(tokens English / tokens other), both standardised. The pairs share
# at least three surface words, so that CKA has token rows to align. Everything below was fixed before any
# result was seen; the choices and how much they matter are in {doc}`../deviations`.

# %% tags=["parameters"]
model = "smollm2-135m"  # alias, path:FOLDER, path:FILE.gguf or Hub id
untrained = "twin"  # the same network with random weights; or a model; empty: leave it out
untrained_items = 150  # pairs per language pair that the twin reads, 0 for all
dataset = "catalogues"  # catalogues, path:FOLDER with line files, or hub:NAME
pairs = "en-fr,en-de"  # language pairs, English first
n_items = 0  # pairs per language pair, 0 for all
dtype = "float32"  # of the forward pass: float32, bfloat16 or float64
device = "cpu"
seed = 20260508
output_dir = ""  # empty: book/runs/f4_translation
permutations = 99  # row permutations per pair for the null of CKA
resamples = 2000  # bootstrap resamples
truncate = False  # cut texts longer than the context instead of refusing them

# %% tags=["hide-input"]
import numpy as np
import pandas as pd

from reproutils import controls, convergence, notebook
from reproutils.alignment import mismatch_same_length
from reproutils.corpora import load_parallel_text, places_of
from reproutils.errors import ReproError
from reproutils.figures import ForestRow, forest, line_with_band, same_rows, scatter
from reproutils.lens import read_lens
from reproutils.models import load_model, load_untrained
from reproutils.pairs import computed_states, extract_pairs, log_length_ratio
from reproutils.regression import bootstrap_interval
from reproutils.tables import Interval

run = notebook.begin("f4_translation", globals())
p = run.p
languages = notebook.split(p.pairs)
PAPER = {"en-fr": 0.23, "en-de": 0.33}

# %% [markdown]
# ## Texts and states

# %% tags=["hide-input"]
corpora = {
    pair: run.uses_corpus(load_parallel_text(p.dataset, pair).take(p.n_items, p.seed))
    for pair in languages
}


def states_of(network, layers, texts):
    """States of every language pair under one model."""
    found = {}
    for pair, corpus in texts.items():
        of_pair = extract_pairs(
            network,
            corpus.texts,
            layers=layers,
            band=network.middle_blocks(),
            truncate=p.truncate,
        )
        found[pair] = of_pair[corpus.languages[1]]
        for states in computed_states(of_pair):
            run.uses_states(states)
    return found


loaded = run.uses_model(load_model(p.model, p.dtype, p.device))
layer_names, band = loaded.layer_names, loaded.middle_blocks()
trained = states_of(loaded, layer_names, corpora)
try:
    lens, lens_states = read_lens(loaded)
    run.uses_states(lens_states)
except ReproError as reason:
    lens, no_lens = None, str(reason)
untrained_model = load_untrained(p.untrained, loaded)
del loaded
twin = {}
if untrained_model:
    parts = {pair: corpus.take(p.untrained_items, p.seed) for pair, corpus in corpora.items()}
    twin = {
        pair: controls.Twin(states, places_of(parts[pair].item_ids, corpora[pair].item_ids))
        for pair, states in states_of(untrained_model, band, parts).items()
    }
del untrained_model

run.table(
    pd.DataFrame(
        [
            {
                "pair": pair,
                "pairs": len(states),
                "tokens, English": int(np.median(states.first.n_tokens)),
                "tokens, other": int(np.median(states.second.n_tokens)),
                "sd of ln ratio": float(
                    log_length_ratio(states.first.n_tokens, states.second.n_tokens).std()
                ),
                "aligned rows": int(np.median(states.n_rows)),
                "pairs with 4 or more rows": int(states.usable.sum()),
                "texts cut to the context": states.first.n_truncated + states.second.n_truncated,
            }
            for pair, states in trained.items()
        ]
    ),
    name="texts",
    caption="The texts: medians of token counts and of token rows aligned by shared surface form.",
    formats={"sd of ln ratio": ".2f"},
)
for pair in languages:
    run.say(
        "Items left after each filter, {pair}: {notes}.",
        pair=pair.upper(),
        notes="; ".join(corpora[pair].provenance.notes),
    )

# %% [markdown]
# ## The measurement, and the controls that the paper leaves out
#
# Each row below is one regression on the same predictor. The first is the paper's. The next ones take away
# position 0 (an attention sink in many models {cite:p}`xiao2024sinks`), all sink tokens wherever they stand
# (norm above ten times the median of the text), the mean of the corpus, or both. Then the content goes:
# the other text is replaced by one of the same length from another pair. Then the lengths go: both texts
# are cut to the shorter one. Last, the same network with random weights, on a part of the pairs.

# %% tags=["hide-input"]
fits = {}
for pair, states in trained.items():
    rows = [
        *controls.cosine_controls(states, twin.get(pair), seed=p.seed),
        *controls.cka_controls(states, twin.get(pair), permutations=p.permutations, seed=p.seed),
    ]
    fits[pair] = controls.fit_controls(rows, seed=p.seed, resamples=p.resamples)
    for row in fits[pair].itertuples():
        slug = f"{row.key}_{pair.replace('-', '_')}"
        values = {
            "r2": (
                row.r2,
                row.r2_low,
                row.r2_high,
                PAPER.get(pair) if row.key == "cosine" else None,
            ),
            "beta": (row.beta, row.beta_low, row.beta_high, None),
            "r2_noise": (row.r2_noise, row.r2_noise_low, row.r2_noise_high, None),
        }
        for quantity, (value, low, high, paper) in values.items():
            run.record_interval(
                f"{quantity}_{slug}", value, low, high, row.units, unit="pair", paper=paper
            )

# %% tags=["hide-input"]
for pair, frame in fits.items():
    run.table(
        controls.shown_fits(frame),
        name=f"controls-{pair}",
        caption=f"Length regressions for {pair.upper()}: standardised slope and explained variance with 95 % "
        "bootstrap intervals over pairs.",
        formats=controls.FIT_FORMATS,
    )


def draw_forest(fig):
    axes = np.atleast_1d(fig.subplots(1, len(fits), sharey=True))
    panels = [
        [
            ForestRow(
                row.label, row.r2, row.r2_low, row.r2_high,
                PAPER.get(pair) if row.key == "cosine" else None,
                "pooled cosine" if row.family == "cosine" else "token-level",
            )
            for row in frame.itertuples()
        ]
        for pair, frame in fits.items()
    ]  # fmt: skip
    for ax, pair, rows in zip(axes, fits, same_rows(panels), strict=True):
        forest(ax, rows)
        ax.set(xlabel="R² on the log length ratio", xlim=(-0.02, 1))
        if ax is not axes[0]:
            ax.get_legend().remove()
        ax.annotate(
            pair.upper(), (0.98, 0.02), xycoords="axes fraction", ha="right", fontweight="bold"
        )


run.figure(
    draw_forest,
    name="controls",
    size=(9.6, 9.0),
    caption="How much of each similarity the length ratio explains. The open diamond is the paper's figure. "
    "Where the paper's row and the rows with exchanged content agree, length does it; where they part, content does.",
    alt="Forest plot of R squared with intervals for about twenty similarities, one panel per language pair, "
    "pooled cosines at the top, token-level measures at the bottom, with the paper's values of 0.23 and 0.33 as "
    "open diamonds in the first row.",
)

# %% [markdown]
# ## What one sees in the raw scatter

# %% tags=["hide-input"]
views = {
    "as in the paper": ("all", False),
    "sink tokens out": ("no_sinks", False),
    "sinks and mean out": ("no_sinks", True),
}


def draw_scatter(fig):
    axes = fig.subplots(len(trained), 3, sharex="row", squeeze=False)
    for row, (pair, states) in zip(axes, trained.items(), strict=True):
        x = log_length_ratio(states.first.n_tokens, states.second.n_tokens)
        for ax, (label, (span, centred)) in zip(row, views.items(), strict=True):
            y = states.cosine(span, centred=centred)
            scatter(ax, x, y, color="C0", s=10)
            slope, level = np.polyfit(x, y, 1)
            ends = np.array([x.min(), x.max()])
            ax.plot(ends, level + slope * ends, color="C4", lw=2.5)
            ax.set_title(f"{pair.upper()}: {label}", fontsize=10)
        row[0].set_ylabel("pooled cosine")
    for ax in axes[-1]:
        ax.set_xlabel("ln(tokens EN / other)")


run.figure(
    draw_scatter,
    name="scatter",
    size=(9.6, 3.2 * len(trained) + 0.4),
    caption="Each point is a sentence pair. Sink tokens pull all cosines towards 1; without them, and without the "
    "corpus mean, the scale opens up.",
    alt="Scatter plots of pooled cosine against the log length ratio with a fitted line, one row per language "
    "pair and three columns: as in the paper with cosines close to 1, with sink tokens left out, and with the mean "
    "subtracted as well, where cosines spread over a wide range.",
)
middle = band[len(band) // 2]
for pair, states in trained.items():
    slug = pair.replace("-", "_")
    for span in ("all", "no_sinks"):
        rho = states.rho(span, middle)
        run.record(
            f"rho_{span}_{slug}", rho if np.isfinite(rho) else None, n=2 * len(states), unit="text"
        )
    run.record(
        f"median_tokens_{slug}",
        float(np.median(np.r_[states.first.n_tokens, states.second.n_tokens])),
    )
    run.record(
        f"texts_with_sinks_{slug}", states.texts_with_sinks(middle), n=2 * len(states), unit="text"
    )

# %% tags=["hide-input"]
for pair in languages:
    slug = pair.replace("-", "_")
    run.say(
        f"**{pair.upper()}** (n = {{r2_cosine_{slug}:n}} pairs). The length ratio explains {{r2_cosine_{slug}:ci.2f}} of "
        f"the variance of pooled cosine, with a slope of {{beta_cosine_{slug}:ci.2f}}. With the other text exchanged for one "
        f"of the same length it still explains {{r2_mismatched_{slug}:ci.2f}}: that part needs no shared content. But with "
        f"sink tokens left out of the exchanged pairs {{r2_mismatched_no_sinks_{slug}:ci.2f}} is left, while the true pairs "
        f"keep {{r2_no_sinks_{slug}:ci.2f}}, or {{r2_no_sinks_centred_{slug}:ci.2f}} when the corpus mean is subtracted as well. "
        f"That remainder depends on what is said: translations of unequal length say less the same. Cutting both texts to "
        f"the same length leaves {{r2_cut_{slug}:ci.2f}} of variance to a ratio that is no longer there. Of CKA the ratio "
        f"explains {{r2_cka_biased_{slug}:ci.2f}} (biased) and {{r2_cka_debiased_{slug}:ci.2f}} (debiased)."
    )
main = languages[0].replace("-", "_")
run.say(
    "How the states compare with the paper's model of them: ρ, noise over shared energy, estimated within texts at "
    f"{{layer}}, is {{rho_all_{main}:.1f}} with sink tokens and {{rho_no_sinks_{main}:.1f}} without, for texts of "
    f"{{median_tokens_{main}:.0f}} tokens in the median. The large value is not noise spread over all tokens, as equation 3 "
    "assumes: it is one token that carries nearly all of the energy and enters the mean with weight 1/n. A share "
    f"{{texts_with_sinks_{main}:.2f}} of the texts has a sink token besides position 0, so leaving out position 0 alone is not "
    "enough.",
    layer=middle,
)

# %% [markdown]
# ## How much the answer depends on our choices

# %% tags=["hide-input"]
main_pair = languages[0]
blocks = [name for name in layer_names if name.startswith("block")]
curve = controls.specification_curve(
    trained[main_pair],
    {"n/4 to 3n/4": band, "middle block": [band[len(band) // 2]], "all blocks": blocks},
    seed=p.seed,
    resamples=min(p.resamples, 500),
)
run.record("spec_lowest", curve["r2"].min())
run.record("spec_highest", curve["r2"].max())
run.record("spec_count", float(len(curve)))
run.table(
    curve,
    name="specification-curve",
    caption=f"Pooled cosine of {main_pair.upper()} on length, one row per reasonable choice that the paper leaves open.",
    formats={"r2": Interval("r2_low", "r2_high", 2), "beta": ".2f"},
)


run.figure(
    lambda fig: controls.draw_specifications(fig, curve),
    name="specification-curve-figure",
    size=(8.0, 6.4),
    caption="One point per specification. The marks below say which choice each one makes.",
    alt="Specification curve: R squared with intervals for 48 specifications sorted from high to low above a "
    "grid of marks for the predictor, the layer band, whether position 0 is kept and whether the mean is subtracted.",
)
run.say(
    "Over {spec_count:.0f} specifications R² runs from {spec_lowest:.2f} to {spec_highest:.2f}. What moves it most is "
    "visible in the marks below the curve."
)

# %% [markdown]
# ## Positive control: is a translation nearer than another sentence of the same length?
#
# If convergence is real, a translation must beat a sentence of equal length from another pair. Since the
# pairs share words, an untrained network can win by the shared words alone; only what goes beyond it is
# learned.

# %% tags=["hide-input"]
for pair, states in trained.items():
    slug = pair.replace("-", "_")
    partner = mismatch_same_length(states.second.n_tokens, np.random.default_rng(p.seed))
    common = {"seed": p.seed, "resamples": p.resamples}
    for name, span, centred in (
        ("raw", "all", False),
        ("no_sinks", "no_sinks", False),
        ("centred", "no_sinks", True),
    ):
        rate = convergence.win_rate(states, partner, span=span, centred=centred, **common)
        run.record(f"win_rate_{name}_{slug}", rate, unit="pair")
    if pair in twin:
        won = convergence.twin_wins(states, twin[pair], seed=p.seed)
        run.record(f"win_rate_untrained_{slug}", bootstrap_interval(won[1], **common), unit="pair")
        run.record(
            f"win_rate_gain_{slug}", bootstrap_interval(won[0] - won[1], **common), unit="pair"
        )
    null = convergence.item_cka(
        states, band[len(band) // 2], permutations=max(p.permutations, 199), seed=p.seed
    )
    run.record(f"item_cka_{slug}", float(null.observed), n=len(states), unit="pair")
    run.record(f"item_cka_null_{slug}", float(np.quantile(null.null, 0.975)), n=len(states))
    run.record(f"item_cka_p_{slug}", float(null.p_value), n=len(states))

partner = mismatch_same_length(trained[main_pair].second.n_tokens, np.random.default_rng(p.seed))
depth = convergence.by_layer(
    trained[main_pair], layer_names, partner, seed=p.seed, resamples=min(p.resamples, 500)
)
run.record("retrieval_best", depth["retrieval"].max(), n=len(trained[main_pair]))
run.record("mutual_knn_best", depth["mutual_knn"].max(), n=len(trained[main_pair]))
run.record(
    "mutual_knn_chance",
    convergence.neighbours(len(trained[main_pair])) / (len(trained[main_pair]) - 1),
)

# %% tags=["hide-input"]


def draw_depth(fig):
    left, right = fig.subplots(1, 2, sharex=True)
    x = np.arange(len(depth))
    for colour, key, label in (
        ("C0", "win_raw", "pooled cosine, as in the paper"),
        ("C1", "win_no_sinks", "sink tokens left out"),
        ("C2", "win_centred", "sink tokens out, mean subtracted"),
    ):
        line_with_band(
            left, x, depth[key], depth[f"{key}_low"], depth[f"{key}_high"], label, color=colour
        )
    left.axhline(0.5, color="C5", ls="--", lw=1.5, label="chance")
    left.set(ylabel="share of pairs won by the translation", ylim=(0.4, 1.02))
    left.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), fontsize=10)
    right.plot(x, depth["retrieval"], color="C2", label="retrieval by centred cosine")
    right.plot(x, depth["mutual_knn"], color="C3", ls="-.", label="mutual 10-nearest neighbours")
    right.axhline(
        run.estimates["mutual_knn_chance"].value,
        color="C5",
        ls="--",
        lw=1.5,
        label="chance, neighbours",
    )
    right.set(ylabel="accuracy or overlap", ylim=(-0.02, 1.02))
    right.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), fontsize=10)
    step = max(1, len(depth) // 8)
    for ax in (left, right):
        ax.set_xticks(
            x[::step], [name.replace("block ", "") for name in depth["layer"][::step]], rotation=45
        )
        ax.set_xlabel("layer (embed, then block)")


run.figure(
    draw_depth,
    name="convergence",
    size=(9.6, 5.2),
    caption="Left: how often a translation is nearer than another sentence of the same length. Right: how often it "
    "is the nearest of all, and how far the two languages agree on neighbours.",
    alt="Two panels over the layers. Left: share of pairs in which the true translation wins, for raw cosine, with "
    "position 0 left out and with the mean subtracted, against the chance level of one half. Right: retrieval accuracy "
    "and mutual nearest neighbours with their chance level.",
)
run.table(
    depth[
        [
            "layer",
            "win_raw",
            "win_raw_low",
            "win_raw_high",
            "win_centred",
            "win_centred_low",
            "win_centred_high",
            "retrieval",
            "mutual_knn",
        ]
    ],
    name="convergence-by-layer",
    caption=f"Convergence by layer, {main_pair.upper()}.",
    formats={
        "win_raw": Interval("win_raw_low", "win_raw_high", 2),
        "win_centred": Interval("win_centred_low", "win_centred_high", 2),
        "retrieval": ".2f",
        "mutual_knn": ".2f",
    },
)
for pair in languages:
    slug = pair.replace("-", "_")
    run.say(
        f"**{pair.upper()}.** The translation wins in {{win_rate_raw_{slug}:ci.2f}} of pairs by raw cosine and in "
        f"{{win_rate_centred_{slug}:ci.2f}} after sink tokens and the mean are removed. Item-level debiased CKA at the middle of "
        f"the band is {{item_cka_{slug}:.2f}} (97.5 % of its null lies below {{item_cka_null_{slug}:.2f}}, "
        f"p = {{item_cka_p_{slug}:.3f}})."
        + (
            f" The untrained network already wins {{win_rate_untrained_{slug}:ci.2f}}; training adds "
            f"{{win_rate_gain_{slug}:ci.2f}}."
            if f"win_rate_gain_{slug}" in run.estimates
            else ""
        )
    )

# %% [markdown]
# ## Positive control: do the middle blocks speak English?
#
# French beginnings such as *On ouvre la porte avec une …* are read at each block with the model's own final
# norm and output embedding (the logit lens {cite:p}`wendler2024llamas`). If French is routed through
# English, the English word (*key*) gets more probability than the French one (*clé*) in the middle and the
# French one wins at the end. An English word may be likely anyway, so its probability under the other
# prompts stands beside it.

# %% tags=["hide-input"]
if lens is None:
    run.say("This check was left out: {reason}.", reason=no_lens)
else:
    inside = [lens.layers.index(name) for name in band]
    english_first = (lens.english > lens.french)[inside].mean(0)
    own_prompt = (lens.english > lens.english_other)[inside].mean(0)
    run.record("lens_english_share", bootstrap_interval(english_first, seed=p.seed), unit="prompt")
    run.record("lens_own_prompt_share", bootstrap_interval(own_prompt, seed=p.seed), unit="prompt")
    run.record(
        "lens_french_last_share",
        bootstrap_interval((lens.french > lens.english)[-1].astype(float), seed=p.seed),
        unit="prompt",
    )
    run.record("lens_dropped", float(lens.n_dropped))

    def draw_lens(fig):
        ax = fig.subplots()
        x = np.arange(1, len(lens.layers) + 1)
        for colour, style, values, label in (
            ("C0", "-", lens.french, "French word"),
            ("C1", "-", lens.english, "English word"),
            ("C1", ":", lens.english_other, "English word, other prompts"),
        ):
            spread = 1.96 * values.std(1, ddof=1) / np.sqrt(values.shape[1])
            line_with_band(
                ax,
                x,
                values.mean(1),
                values.mean(1) - spread,
                values.mean(1) + spread,
                label,
                color=colour,
                ls=style,
            )
        ax.axvspan(x[inside[0]], x[inside[-1]], color="C5", alpha=0.12, lw=0)
        ax.set(xlabel="block (shaded: the middle band)", ylabel="mean log-probability (nats)")
        ax.legend()

    run.figure(
        draw_lens,
        name="logit-lens",
        size=(7.0, 4.4),
        caption="What each block would say next. If the solid English line stays close to the dotted one, the English "
        "word is likely in general, not because of the French prompt.",
        alt="Mean log-probability of the French and the English word at each block with 95 % bands, and of the "
        "English word under other prompts; the middle band is shaded.",
    )
    run.say(
        "Over {lens_english_share:n} prompts (and {lens_dropped:.0f} left out because the first token does not tell the words "
        "apart) the English word beats the French one in {lens_english_share:ci.2f} of cases in the middle band. But it "
        "gets more probability from its own prompt than from the other prompts in {lens_own_prompt_share:ci.2f} only, where "
        "0.5 is no routing at all. At the last block the French word wins in {lens_french_last_share:ci.2f}."
    )

# %% [markdown]
# ## Verdicts
#
# Rerun with another model or corpus: `reproutils run f4_translation --model minilm-l6`, or
# `--dataset path:FOLDER` with two files such as `news.eng-fra.eng` and `news.eng-fra.fra`. See
# {doc}`../rerun`.

# %% tags=["hide-input"]
results = run.finish()
