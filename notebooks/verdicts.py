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
# # Verdicts
#
# Every claim that has been tested, what each run says about it, and the reference runs at other sizes. A
# verdict compares estimates, or the ends of their intervals, with thresholds that stand in `data/claims.yml`
# and were fixed before the numbers were looked at: *holds* if every criterion is met, *fails* if no core
# criterion is, *holds in part* between the two.

# %% tags=["parameters"]
runs = "book/runs"  # folder that holds one folder per notebook, each with its results.json
model = "none"  # no model is involved
dataset = "none"  # no text is involved
n_items = 0  # 0 for all runs
dtype = "float64"
device = "cpu"
seed = 0
output_dir = ""  # empty: book/runs/verdicts

# %% tags=["hide-input"]
from reproutils import notebook, verdicts

run = notebook.begin("verdicts", globals())
here = verdicts.read_runs(run.p.runs)
references = verdicts.read_references()

# %% [markdown]
# ## The embedded runs

# %% tags=["hide-input"]
table = verdicts.verdict_table(here)
run.table(
    table,
    name="verdicts",
    caption="Claims tested so far, with the paper's figure, ours, and the verdict at the scale of the run.",
)
for verdict, count in table["verdict"].value_counts().items():
    run.record(f"n_{verdict.replace(' ', '_')}", float(count))
run.say(
    "Tested so far: {count} of {total} claims.",
    count=str(len(table)),
    total=str(len(verdicts.load_claims())),
)

# %% [markdown]
# ## Reference runs
#
# Larger or slower runs are made once and their numbers kept in `data/reference`. Each line is one estimate
# that the embedded run reports too.

# %% tags=["hide-input"]
if references:
    frame = verdicts.compare_runs(here, references)
    run.table(
        frame,
        name="runs-compared",
        caption="The length regressions in every run kept, beside the embedded run and the paper.",
        formats=verdicts.COMPARISON_FORMATS,
    )
    run.say(
        "The same in one picture is on the page of {page}.",
        page="[stress tests](../stress_tests.html)",
    )

# %% tags=["hide-input"]
pooling = verdicts.compare_pooling(here, references)
if len(pooling):
    run.table(
        pooling,
        name="pooling-compared",
        caption="Explained variance of the cosine between captions and noise images by caption length, in every run kept.",
        formats=verdicts.COMPARISON_FORMATS,
    )
law = verdicts.compare_law(here, references)
if len(law):
    run.table(
        law,
        name="law-compared",
        caption="Correlation of dispersion and perplexity in every domain of every run kept; the paper's range is −0.92 to −0.62.",
        formats=verdicts.LAW_FORMATS,
    )

# %% tags=["hide-input"]
verdicts.write_fragments(here, references, run.folder)
results = run.finish()
