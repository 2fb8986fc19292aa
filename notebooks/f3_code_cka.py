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
# # F3: is CKA immune to length, or pinned to its ceiling?
#
# **The claim.** On the same 164 problems, linear CKA in place of the pooled cosine cuts the variance that
# length explains by 83 %, and the length slope changes sign, from +0.86 to −0.37. CKA is length-invariant,
# so conclusions drawn from cosine turn round {cite:p}`mitra2026length`.
#
# **The idea.** CKA compares two matrices with as many rows. Here a row is a token, and a Python token is
# paired with a token of the other solution that covers the same characters (in order, a longest common
# subsequence). Short texts align on few rows. But CKA of *unrelated* matrices with few rows and many columns
# is near 1 by chance, about PR/(PR + n) for n rows and a participation ratio PR {cite:p}`murphy2024correcting`.
# A measure that sits near its ceiling cannot depend on anything; that is not invariance. And since the
# ceiling falls as n grows, a negative slope on length can come from there.
#
# **What is measured.** CKA as in the paper (biased), debiased CKA, CKA on a fixed number of rows, CKA above
# the level that shuffled rows reach, without sink rows, and the RV coefficient, which the paper reports as a
# third metric. Each is regressed on the log length ratio as in {doc}`f2_code_length`, whose states are used.

# %% tags=["parameters"]
model = "smollm2-135m"  # alias, path:FOLDER, path:FILE.gguf or Hub id
untrained = "twin"  # the same network with random weights; or a model; empty: leave it out
untrained_items = 36  # problems that the twin reads, 0 for all
dataset = "parallel-code"  # parallel-code, path:FOLDER with HumanEval-X files, or humanevalpack
n_items = 0  # problems, 0 for all
dtype = "float32"  # of the forward pass: float32, bfloat16 or float64
device = "cpu"
seed = 20260508
output_dir = ""  # empty: book/runs/f3_code_cka
resamples = 2000  # bootstrap resamples
permutations = 99  # row permutations per pair for the null of CKA
truncate = False  # cut texts longer than the context instead of refusing them

# %% tags=["hide-input"]
import numpy as np
import pandas as pd

from reproutils import code_pairs, controls, notebook, theory
from reproutils.corpora import load_parallel_code
from reproutils.figures import ForestRow, forest, scatter
from reproutils.models import load_model, load_untrained
from reproutils.pairs import computed_states
from reproutils.regression import bootstrap_interval, length_fit, within

run = notebook.begin("f3_code_cka", globals())
p = run.p
PAPER_BETA = {"cosine": 0.86, "cka_biased": -0.37}

# %% [markdown]
# ## States, and how many rows align

# %%
corpus = run.uses_corpus(load_parallel_code(p.dataset).take(p.n_items, p.seed))
loaded = run.uses_model(load_model(p.model, p.dtype, p.device))
states = code_pairs.code_states(loaded, corpus.texts, truncate=p.truncate)
untrained_model = load_untrained(p.untrained, loaded)
twin = code_pairs.twin_states(
    untrained_model, corpus, p.untrained_items, seed=p.seed, truncate=p.truncate
)
del loaded, untrained_model
for used in (
    *computed_states(states),
    *computed_states({language: part.states for language, part in twin.items()}),
):
    run.uses_states(used)

run.table(
    pd.DataFrame(
        [
            {
                "language": language,
                "problems": len(pair),
                "rows, median": int(np.median(pair.n_rows)),
                "rows, least": int(pair.n_rows.min()),
                "rows, most": int(pair.n_rows.max()),
                "share of Python tokens": float(np.median(pair.n_rows / pair.first.n_tokens)),
                "usable": int(pair.usable.sum()),
            }
            for language, pair in states.items()
        ]
    ),
    name="rows",
    caption="Token rows aligned by surface form. A pair is usable if at least four rows besides position 0 align.",
    formats={"share of Python tokens": ".2f"},
)

# %% [markdown]
# ## The measurement and its controls

# %%
rows = {
    language: [
        *list(controls.cosine_controls(pair, None, seed=p.seed))[:1],
        *controls.cka_controls(pair, twin.get(language), permutations=p.permutations, seed=p.seed),
    ]
    for language, pair in states.items()
}
fits = code_pairs.fit_by_language(rows, corpus.item_ids, seed=p.seed, resamples=p.resamples)
for row in fits.itertuples():
    slug = f"{row.key}_{row.language}"
    paper = PAPER_BETA.get(row.key) if row.language == code_pairs.POOLED else None
    run.record_interval(f"r2_{slug}", row.r2, row.r2_low, row.r2_high, row.units, unit="problem")
    run.record_interval(
        f"beta_{slug}",
        row.beta,
        row.beta_low,
        row.beta_high,
        row.units,
        unit="problem",
        paper=paper,
    )
    run.record(f"mean_{slug}", row.mean, n=row.n)
of_pooled = fits[fits["language"] == code_pairs.POOLED].set_index("key")
run.record(
    "cka_r2_drop", 1 - of_pooled.loc["cka_biased", "r2"] / of_pooled.loc["cosine", "r2"], paper=0.83
)
run.record(
    "cka_null_mean", of_pooled.loc["cka_biased", "mean"] - of_pooled.loc["cka_excess", "mean"]
)
run.record("rv_cka_gap", max(pair.rv_gap() for pair in states.values()))

# %% tags=["hide-input"]
for language in [code_pairs.POOLED, *states]:
    run.table(
        controls.shown_fits(fits[fits["language"] == language]),
        name=f"controls-{language}",
        caption=f"Length regressions, Python against {'all three, with language effects' if language == code_pairs.POOLED else language}.",
        formats=controls.FIT_FORMATS,
    )


def draw_forest(fig):
    axes = fig.subplots(1, 2, sharey=True)
    for ax, quantity in zip(axes, ("r2", "beta"), strict=True):
        forest(
            ax,
            [
                ForestRow(
                    row.label, getattr(row, quantity), getattr(row, f"{quantity}_low"), getattr(row, f"{quantity}_high"),
                    PAPER_BETA.get(row.key) if quantity == "beta" else None,
                )
                for row in fits[fits["language"] == code_pairs.POOLED].itertuples()
            ],
        )  # fmt: skip
    axes[0].set(xlabel="R² on the log length ratio", xlim=(-0.03, 1))
    axes[0].get_legend().remove()
    axes[1].axvline(0, color="C5", lw=1.5, ls="--")
    axes[1].set(xlabel="standardised slope β", xlim=(-1, 1))


run.figure(
    draw_forest,
    name="controls",
    size=(9.6, 5.4),
    caption="Explained variance and slope of each similarity on the length ratio, pooled over three languages with "
    "language effects. Open diamonds are the paper's slopes.",
    alt="Two forest plots over pooled cosine and eight variants of CKA: R squared at the left and the standardised "
    "slope at the right, with the paper's slopes of 0.86 for cosine and minus 0.37 for CKA as open diamonds.",
)

# %% [markdown]
# ## CKA against the number of rows
#
# If biased CKA is governed by its chance level, it falls with the number of aligned rows and the debiased
# estimate does not. The dashed line is PR/(PR + n) with the participation ratio of all aligned rows at the
# middle block, sink rows left out.

# %%
counts = np.concatenate([pair.n_rows for pair in states.values()])
labels = [language for language, pair in states.items() for _ in range(len(pair))]
problems = list(corpus.item_ids) * len(states)
values = {
    key: np.concatenate(
        [next(c for c in rows[language] if c.key == key).similarity for language in states]
    )
    for key in ("cka_biased", "cka_debiased", "cka_no_sinks", "cka_debiased_no_sinks", "cka_excess")
}
for key, similarity in values.items():
    log_rows = np.where(np.isfinite(similarity), np.log(np.maximum(counts, 1)), np.nan)
    fit = length_fit(
        within(similarity, labels),
        within(log_rows, labels),
        problems,
        seed=p.seed,
        resamples=p.resamples,
    )
    run.record(f"r2_rows_{key}", fit.r2, unit="problem")
    run.record(f"beta_rows_{key}", fit.beta, unit="problem")
run.record(
    "mean_excess", bootstrap_interval(values["cka_excess"], problems, seed=p.seed), unit="problem"
)
participation = code_pairs.participation_of_rows(states)
run.record("participation_ratio", participation)

# %% tags=["hide-input"]


def draw_rows(fig):
    left, right = fig.subplots(1, 2, sharey=True)
    grid = np.geomspace(max(counts.min(), 3), counts.max(), 60)
    for ax, keys, title in (
        (left, ("cka_biased", "cka_debiased"), "all aligned rows"),
        (right, ("cka_no_sinks", "cka_debiased_no_sinks"), "sink rows left out"),
    ):
        for colour, marker, key in zip(("C0", "C2"), ("o", "^"), keys, strict=True):
            scatter(
                ax,
                counts,
                values[key],
                color=colour,
                marker=marker,
                s=10,
                label="debiased" if "debiased" in key else "biased",
            )
        ax.plot(
            grid,
            theory.cka_null_level(grid, participation),
            color="C3",
            ls="--",
            lw=2.5,
            label="chance level",
        )
        ax.set(xscale="log", xlabel="aligned rows n")
        ax.set_title(title, fontsize=11)
    left.set_ylabel("linear CKA, mean over blocks")
    left.legend()


run.figure(
    draw_rows,
    name="cka-rows",
    size=(9.6, 4.6),
    caption="CKA of each Python solution and its counterpart against the number of aligned token rows. Where biased and "
    "debiased values part, the difference is chance.",
    alt="Two scatter plots of CKA against the number of aligned rows on a logarithmic axis, with all rows at the left and "
    "without sink rows at the right; biased and debiased estimates and the dashed chance level.",
)
run.say(
    "Pooled over three languages (n = {r2_cosine_pooled:n} problems), the length ratio explains {r2_cosine_pooled:ci.2f} of the "
    "cosine and {r2_cka_biased_pooled:ci.2f} of biased CKA: a drop of {cka_r2_drop:.2f} of the share. The slope goes from "
    "{beta_cosine_pooled:ci.2f} to {beta_cka_biased_pooled:ci.2f}; debiased it is {beta_cka_debiased_pooled:ci.2f}, and "
    "with sink rows left out {beta_cka_no_sinks_pooled:ci.2f} (biased) and {beta_cka_debiased_no_sinks_pooled:ci.2f} "
    "(debiased).\n\n"
    "Biased CKA averages {mean_cka_biased_pooled:.2f}; the same rows shuffled average {cka_null_mean:.2f}, so "
    "{mean_excess:ci.2f} is similarity and the rest is chance. The number of aligned rows explains "
    "{r2_rows_cka_biased:ci.2f} of the variance of biased CKA (slope {beta_rows_cka_biased:ci.2f}) and "
    "{r2_rows_cka_debiased:ci.2f} of debiased CKA. RV and CKA differ by at most {rv_cka_gap:.1e}: the third metric is the "
    "second under another name."
)

# %% [markdown]
# ## Verdicts
#
# Rerun with another model or corpus: `reproutils run f3_code_cka --model Qwen/Qwen2.5-Coder-7B --dataset
# humanevalpack`. The states are shared with `f2_code_length` through the cache. See {doc}`../rerun`.

# %% tags=["hide-input"]
results = run.finish()
