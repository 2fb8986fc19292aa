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
# # The law: does dispersion predict perplexity?
#
# **The claim.** The wider a language model spreads its hidden states, the better it predicts: over text
# chunks, mean pairwise cosine distance falls as perplexity rises, with correlations of −0.62 to −0.92 in
# several model families and domains. The relation holds for the perplexity of the last token and for short
# contexts, grows with depth, and is absent before training {cite:p}`li2026dispersion`.
#
# **The idea.** For $N$ states $h_i$, dispersion is
#
# $$ D = \binom N2^{-1} \sum_{i<j} \Big(1 - \frac{h_i \cdot h_j}{\lVert h_i\rVert \lVert h_j\rVert}\Big). $$
#
# The paper takes the states of $N$ *text segments*; its released code takes the *tokens within one chunk*
# and averages over chunks. These are two statistics, and both are computed here. Either could follow
# perplexity without any law of representation: a chunk that repeats itself is easy to predict, and its tokens
# are alike. So the share of distinct tokens is held constant in one control, an untrained network reads the
# same chunks in another, and position 0 and the shared mean are taken out in two more.
#
# **What is measured.** Chunks of equal length from four domains; the perplexity of each; both dispersions at
# every layer. Correlations are per domain, chunk by chunk with ln perplexity and over groups of like
# perplexity as the released code forms them. Intervals resample documents. The thresholds behind the verdicts
# stood in `data/claims.yml` before the first run.

# %% tags=["parameters"]
model = "smollm2-135m"  # alias, path:FOLDER, path:FILE.gguf or Hub id
untrained = "twin"  # the same network with random weights; or a model; empty: leave it out
untrained_items = 50  # chunks per domain that the twin reads, 0 for all
dataset = (
    "wikipedia,news,python,docstrings"  # domains; each may be path:FOLDER, path:FILE or hub:NAME
)
n_items = 150  # chunks per domain, 0 for all
chunk_tokens = 256  # tokens per chunk; the paper's is 512
join = "news"  # domains whose documents are too short for a chunk, so that chunks may cross into the next one
contexts = "16,64,128"  # shorter contexts, in tokens
group_size = 10  # chunks per group of like perplexity; the released code's is 100
cut = 25.0  # perplexity from which the released code drops groups from its plots
sampled_tokens = 32  # token states per chunk for the measures that need them one by one
dtype = "float32"  # of the forward pass: float32, bfloat16 or float64
device = "cpu"
seed = 20260508
output_dir = ""  # empty: book/runs/d0_perplexity
resamples = 2000  # bootstrap resamples of documents

# %% tags=["hide-input"]
import numpy as np
import pandas as pd

from reproutils import dispersion_law as law
from reproutils import notebook
from reproutils.chunk_states import chunks_of, read_chunks
from reproutils.corpora import load_documents
from reproutils.figures import ForestRow, forest, line_with_band, log_axis, scatter
from reproutils.models import load_model, load_untrained
from reproutils.perplexity_groups import group_table
from reproutils.tables import Interval

run = notebook.begin("d0_perplexity", globals())
p = run.p
contexts = [int(length) for length in notebook.split(p.contexts)]

# %% [markdown]
# ## Texts and states
#
# A chunk does not cross from one document into the next, save in the domains that `join` names, and
# near-duplicates of a chunk are dropped. The states are those after the final norm, the paper's default, unless a layer is named.

# %% tags=["hide-input"]
loaded = run.uses_model(load_model(p.model, p.dtype, p.device))
chunks = {}
for name in notebook.split(p.dataset):
    documents = run.uses_corpus(load_documents(name))
    chunks[documents.domain] = chunks_of(
        loaded,
        documents,
        p.chunk_tokens,
        n_chunks=p.n_items,
        seed=p.seed,
        join=documents.domain in notebook.split(p.join),
    )
read = {
    domain: read_chunks(loaded, part, contexts=contexts, sampled_tokens=p.sampled_tokens)
    for domain, part in chunks.items()
}
layers = loaded.layer_names
untrained_model = load_untrained(p.untrained, loaded)
del loaded
twin = {}
if untrained_model is not None:
    for domain, part in chunks.items():
        twin[domain] = read_chunks(untrained_model, part, n_chunks=p.untrained_items)
del untrained_model
for part in (*read.values(), *twin.values()):
    run.uses_states(part.states)

run.table(
    pd.DataFrame(
        [
            {
                "domain": domain,
                "documents": part.chunks.n_documents,
                "chunks": len(part),
                "near-duplicates dropped": chunks[domain].dropped_near_duplicates,
                "perplexity, median": float(np.median(part.perplexity())),
                "5 %": float(np.quantile(part.perplexity(), 0.05)),
                "95 %": float(np.quantile(part.perplexity(), 0.95)),
                "distinct tokens": float(np.median(part.distinct)),
                "dispersion, median": float(np.median(part.dispersion("all", layers[-1]))),
            }
            for domain, part in read.items()
        ]
    ),
    name="texts",
    caption=f"The chunks of {p.chunk_tokens} tokens, their perplexity, the share of distinct tokens, and the dispersion of "
    "their token states after the final norm.",
    formats={
        "perplexity, median": ".1f",
        "5 %": ".1f",
        "95 %": ".1f",
        "distinct tokens": ".2f",
        "dispersion, median": ".3f",
    },
)

# %% [markdown]
# ## The correlation, and what it depends on

# %% tags=["hide-input"]
rows = law.correlation_rows(
    read, twin, contexts=contexts, size=p.group_size, cut=p.cut, seed=p.seed, resamples=p.resamples
)
PAPER_RANGE = (-0.92, -0.62)
for row in rows:
    for domain, found in row.by_domain.items():
        run.record(f"{row.key}_{domain}", found.interval(), unit="document")
    run.record(row.key, row.mean.interval() if row.mean else None, unit="document")
gain = law.training_gain(rows)
if gain:
    run.record("r_training_gain", gain.interval(), unit="document")
run.record(
    "r_together", law.together(read, seed=p.seed, resamples=p.resamples).interval(), unit="document"
)
by_key = {row.key: row for row in rows}
run.record("domains_opposed", law.count_opposed(by_key["r_chunk"]))
run.record("groups_cut", law.groups_above(read, p.group_size, p.cut))
cut_domains = len(by_key["r_cut"].by_domain)

run.table(
    law.shown_rows(rows),
    name="correlations",
    caption="Correlation of dispersion and perplexity in each domain and averaged over domains, with 95 % intervals from "
    "resampled documents. Grouped rows use perplexity as it is, the others its logarithm.",
    formats=law.row_formats(rows),
)


def forest_rows(found, label, series):
    """The row of one correlation, if there is one."""
    if found is None:
        return []
    estimate = found.interval()
    return [ForestRow(label, estimate.value, estimate.low, estimate.high, None, series)]


def draw_means(fig):
    ax = fig.subplots()
    ax.axvspan(*PAPER_RANGE, color="C5", alpha=0.2, lw=0)
    forest(ax, [item for row in rows for item in forest_rows(row.mean, row.label, row.family)])
    ax.axvline(0, color="C5", lw=1.5, ls="--")
    ax.set(xlabel="correlation, mean over domains", xlim=(-1.02, 1.02))


run.figure(
    draw_means,
    name="correlations-figure",
    size=(7.2, 7.6),
    caption="Correlation of dispersion with perplexity, averaged over the domains. The grey band is the paper's range. Rows "
    "of one colour differ in one thing.",
    alt="Forest plot of the correlation between dispersion and perplexity with intervals: grouped by perplexity under both "
    "definitions, chunk by chunk with one control each, shorter contexts, and the untrained network; a grey band marks "
    "minus 0.92 to minus 0.62.",
)


def draw_domains(fig):
    ax = fig.subplots()
    ax.axvspan(*PAPER_RANGE, color="C5", alpha=0.2, lw=0)
    shown = ("r_grouped", "r_segments", "r_chunk", "r_partial")
    forest(
        ax,
        [
            item
            for key in shown
            for domain, found in by_key[key].by_domain.items()
            for item in forest_rows(found, by_key[key].label, domain)
        ],
    )
    ax.axvline(0, color="C5", lw=1.5, ls="--")
    ax.set(xlabel="correlation of dispersion and perplexity", xlim=(-1.02, 1.02))


run.figure(
    draw_domains,
    name="by-domain",
    size=(7.2, 5.6),
    caption="The same for four of the rows, domain by domain. Grouped rows have few points, so their intervals are wide.",
    alt="Forest plot of four correlations between dispersion and perplexity, each with one interval per domain.",
)

# %% tags=["hide-input"]
run.say(
    "Over groups of like perplexity, formed as in the released code, the correlation averages {r_grouped:ci.2f} over "
    "the domains (n = {r_grouped:n} documents); chunk by chunk it is {r_chunk:ci.2f}. Grouping averages away what "
    "perplexity does not explain, so the first number is larger in size by construction. The definition in the paper's "
    "text, distances between segments, gives {r_segments:ci.2f} in the same groups. Dropping groups from perplexity "
    f"{p.cut:.0f} on, as the released code's plots do, takes away {{groups_cut:.0f}} groups; in the {cut_domains} domains that keep at least four, it gives {{r_cut:ci.2f}}."
)
run.say(
    "The share of distinct tokens of a chunk by itself correlates with ln perplexity by {r_distinct:ci.2f}; given that share, "
    "dispersion does by {r_partial:ci.2f} instead of {r_chunk:.2f}. Without position 0 it is "
    "{r_no_first:ci.2f}, without sink tokens {r_no_sinks:ci.2f}, and with the mean state of the domain subtracted "
    "{r_centred:ci.2f}. All domains thrown together give {r_together:ci.2f}."
)

# %% [markdown]
# ## Perplexity against dispersion

# %% tags=["hide-input"]


def draw_scatter(fig):
    axes = fig.subplots(2, len(read), sharex="col", squeeze=False)
    for column, (domain, part) in zip(axes.T, read.items(), strict=True):
        spread = part.dispersion("all", layers[-1])
        scatter(column[0], part.perplexity(), spread, color="C0", s=10)
        column[0].set_title(domain, fontsize=11)
        table = group_table(part.perplexity(), spread, p.group_size)
        dropped = table["perplexity"] >= p.cut
        for marker, colour, chosen, label in (
            ("o", "C0", ~dropped, "group"),
            ("x", "C4", dropped, f"perplexity ≥ {p.cut:.0f}"),
        ):
            if chosen.any():
                column[1].plot(
                    table["perplexity"][chosen],
                    table["dispersion"][chosen],
                    marker,
                    color=colour,
                    ms=7,
                    label=label,
                )
        for ax in column:
            log_axis(ax, 0.95 * part.perplexity().min(), 1.05 * part.perplexity().max())
        column[1].set_xlabel("perplexity")
    axes[0, 0].set_ylabel("D of each chunk")
    axes[1, 0].set_ylabel(f"mean D of {p.group_size} chunks")
    named = [ax.get_legend_handles_labels() for ax in axes[1]]
    legend = {label: handle for found in named for handle, label in zip(*found, strict=True)}
    fig.legend(legend.values(), legend.keys(), loc="outside lower center", ncols=2)


run.figure(
    draw_scatter,
    name="scatter",
    size=(9.6, 5.4),
    caption="Perplexity against the dispersion of token states after the final norm. Above each chunk, below the groups that "
    "the released code forms; crosses are the groups that its plots leave out.",
    alt="Two rows of scatter plots, one column per domain: at the top dispersion of each chunk against its perplexity on a "
    "logarithmic axis, at the bottom means over groups of like perplexity with groups above the cut drawn as crosses.",
)

# %% [markdown]
# ## By depth, trained and untrained
#
# At each layer the chunk-by-chunk correlation with the perplexity of the trained model. The untrained twin
# reads a part of the same chunks; its own perplexity is near the size of the vocabulary throughout, so its dispersion
# is compared with the *trained* model's perplexity too: what it finds there is in the text, not in the training.

# %% tags=["hide-input"]
depth = law.depth_table(read, twin, layers, seed=p.seed, resamples=p.resamples)
for name, found in law.depth_estimates(read, layers, seed=p.seed, resamples=p.resamples).items():
    run.record(name, found.interval(), unit="document")


def draw_depth(fig):
    left, right = fig.subplots(1, 2, sharey=True)
    x = np.arange(len(layers))
    series = [("C0", "trained", "trained"), ("C1", "trained_no_sinks", "trained, sink tokens out")]
    if twin:
        series.append(("C4", "untrained", "untrained, same chunks"))
    for colour, key, label in series:
        part = depth[(depth["series"] == key) & (depth["domain"] == "mean")]
        line_with_band(left, x, part["r"], part["low"], part["high"], label, color=colour)
    for number, domain in enumerate(read):
        part = depth[(depth["series"] == "trained") & (depth["domain"] == domain)]
        right.plot(
            x,
            part["r"],
            color=f"C{number}",
            ls=("-", "--", "-.", ":")[number % 4],
            lw=2.5,
            label=domain,
        )
    for ax in (left, right):
        ax.axhline(0, color="C5", lw=1.5, ls="--")
        step = max(1, len(layers) // 6)
        ticks = [*range(0, len(layers) - step, step), len(layers) - 1]
        ax.set_xticks(
            ticks, [layers[i].replace("block ", "").replace("final_norm", "norm") for i in ticks]
        )
        ax.set_xlabel("layer (embed, block, final norm)")
        ax.legend(fontsize=10, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=1)
    left.set(ylabel="correlation of D and ln perplexity", ylim=(-1.02, 1.02))


run.figure(
    draw_depth,
    name="depth",
    size=(9.6, 5.2),
    caption="Correlation by depth: mean over domains with intervals at the left, each domain at the right.",
    alt="Two line plots of the correlation between dispersion and log perplexity over the layers. Left: trained model with "
    "and without sink tokens and untrained network, with bands. Right: one line per domain for the trained model.",
)
run.table(
    depth[depth["domain"] == "mean"].drop(columns="domain").reset_index(drop=True),
    name="depth",
    caption="Chunk-by-chunk correlation with ln perplexity by layer, averaged over domains.",
    formats={"r": Interval("low", "high", 2)},
)
run.say(
    "From the first third of the blocks to the last the correlation changes by {r_depth_change:ci.2f}, from "
    "{r_first_third:ci.2f} to {r_last_third:ci.2f}; without sink tokens by {r_depth_change_no_sinks:ci.2f}."
)
if twin:
    run.say(
        "In the untrained network dispersion and its own perplexity correlate by {r_untrained:ci.2f}. With the trained "
        "model's perplexity its dispersion correlates by {r_untrained_trained_perplexity:ci.2f}; on the same chunks the "
        "trained model's own dispersion does by {r_trained_same_chunks:ci.2f}, a difference of {r_training_gain:ci.2f}."
    )

# %% [markdown]
# ## Other measures of spread
#
# Mean cosine distance is not a valid measure of isotropy: one direction that all states share moves it
# {cite:p}`rudman2022isoscore`. Beside it on the same sampled tokens: the distance after the mean is subtracted, the
# Vendi score (the effective number of distinct states {cite:p}`friedman2023vendi`) and IsoScore.

# %% tags=["hide-input"]
others = law.other_measures(read, seed=p.seed, resamples=p.resamples)
for key, (_, found) in others.items():
    run.record(f"r_{key}", found.interval(), unit="document")
run.table(
    pd.DataFrame(
        [
            {"measure": label, "r": (e := found.interval()).value, "low": e.low, "high": e.high}
            for label, found in others.values()
        ]
    ),
    name="other-measures",
    caption=f"Correlation with ln perplexity of several measures of spread of {p.sampled_tokens} token states per chunk, averaged "
    "over domains.",
    formats={"r": Interval("low", "high", 2)},
)

# %% [markdown]
# ## Verdicts
#
# Rerun with another model or text: `reproutils run d0_perplexity --model meta-llama/Llama-3.2-1B --dataset
# path:wikitext2 --set chunk_tokens=512`. See {doc}`../rerun`.

# %% tags=["hide-input"]
results = run.finish()
