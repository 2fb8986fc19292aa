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
# # kNN-LM: does dispersion tell which layer gives the best keys?
#
# **The claim.** A kNN-LM looks up what followed similar contexts, and the states by which contexts are compared may
# come from any layer. In the last block, states after attention are more dispersed than states after the feed-forward
# sublayer, and make better keys; 5,000 tokens suffice to tell, and drawing 10, 50 or 100 states changes the mean
# dispersion by at most 1.5 % {cite:p}`li2026dispersion`. So one could choose the layer without running the
# lookup.
#
# **The idea.** A next token gets $\lambda\,p_\text{kNN} + (1 - \lambda)\,p_\text{LM}$, where $p_\text{kNN}$ weighs the
# values of the nearest keys by $e^{-d/T}$ in the squared distance $d$ ([Khandelwal et al. 2020](https://arxiv.org/abs/1911.00172)).
# The kNN-LM papers' standard key is the input of the last feed-forward sublayer: after attention, and after a norm. Three
# things could pass for a law of dispersion. The norm alone changes cosine distances and Euclidean neighbours alike. A
# direction that all states share lowers dispersion but moves no neighbour. And two states of one block are
# one comparison: the rule is of use if it also ranks the other layers.
#
# **What is measured.** Datastore, validation and test text are apart by document. For both sides of every block: the
# dispersion of random contexts of the datastore, as it is and with the mean subtracted, and the perplexity of the test
# tokens by an exact search, with λ and temperature chosen for each key on validation text. In the last block also the
# state after attention *before* the norm, and the one after the feed-forward sublayer *with* a norm. Position 0 of a
# chunk is left out throughout: it has seen nothing, and its state is an attention sink. Intervals resample documents,
# of the datastore for dispersion and of the test text for perplexity. The thresholds behind the verdict stood in
# `data/claims.yml` before the first run.

# %% tags=["parameters"]
model = "smollm2-135m"  # alias, path:FOLDER, path:FILE.gguf or Hub id
dataset = "python"  # wikipedia, news, python, docstrings, path:FOLDER, path:FILE or hub:NAME
n_items = 120  # chunks in the datastore, 0 for all
query_chunks = 48  # chunks to predict, half for validation and half for the test, 0 for all
chunk_tokens = 128  # tokens per chunk
neighbours = 128  # keys looked up per context
dispersion_tokens = 5000  # contexts of the datastore whose dispersion is measured
draws = 1000  # draws of 10, 50 and 100 states
dtype = "float32"  # of the forward pass: float32, bfloat16 or float64
device = "cpu"
seed = 20260508
output_dir = ""  # empty: book/runs/d3_knnlm_layer
resamples = 2000  # bootstrap resamples of documents

# %% tags=["hide-input"]
import numpy as np
import pandas as pd

from reproutils import knnlm, notebook
from reproutils import layer_choice as lc
from reproutils.chunk_states import chunks_of
from reproutils.corpora import load_documents
from reproutils.figures import line_with_band, scatter
from reproutils.models import load_model
from reproutils.tables import Interval

run = notebook.begin("d3_knnlm_layer", globals())
p = run.p

# %% [markdown]
# ## Datastore and queries

# %% tags=["hide-input"]
loaded = run.uses_model(load_model(p.model, p.dtype, p.device))
documents = run.uses_corpus(load_documents(p.dataset))
texts = lc.split_chunks(
    documents,
    chunks_of(loaded, documents, p.chunk_tokens, n_chunks=0, seed=p.seed, join=False),
    n_items=p.n_items,
    query_chunks=p.query_chunks,
    seed=p.seed,
)
layers = lc.key_layers(loaded)
last = loaded.n_blocks
datastore = knnlm.build_datastore(loaded, texts.datastore, layers=layers)
validation, test = (
    knnlm.read_queries(loaded, part, layers=layers) for part in (texts.validation, texts.test)
)
del loaded
for part in (datastore.contexts, validation, test):
    for states in part.states:
        run.uses_states(states)
run.table(
    pd.DataFrame(
        [
            {
                "part": name,
                "documents": part.chunks.n_documents,
                "chunks": len(part.chunks),
                "contexts": len(part),
                "perplexity": None
                if part.log_probabilities is None
                else knnlm.perplexity(part.log_probabilities),
            }
            for name, part in (
                ("datastore", datastore.contexts),
                ("validation", validation),
                ("test", test),
            )
        ]
    ),
    name="texts",
    caption=f"The three parts of the text, in chunks of {p.chunk_tokens} tokens, and the perplexity of the model by itself.",
    formats={"perplexity": ".2f"},
)

# %% tags=["hide-input"]
choice = lc.measure(
    datastore,
    validation,
    test,
    neighbours=p.neighbours,
    dispersion_tokens=p.dispersion_tokens,
    seed=p.seed,
    resamples=p.resamples,
)
attention_key, ffn_key = f"block {last} ffn input", f"block {last}"
for name, found in lc.estimates(choice).items():
    run.record(name, found.interval() if found else None, unit="document")
for name, key in (("attention", attention_key), ("ffn", ffn_key)):
    run.record(f"lambda_{name}", choice.keys[key].evaluation.choice.lam)
run.record("dispersion_states", float(len(choice.drawn)))
run.record("n_keys", float(len(datastore)))

# %% [markdown]
# ## The last block
#
# A gain is the fall in ln perplexity against the model by itself. The second and third rows of the table are the
# comparison of the claim; the first and the last undo the norm on one side and add it on the other. Once their mean is
# subtracted, states point to all sides, so that dispersion lies near 1 at any layer and little is left to compare.

# %% tags=["hide-input"]
run.table(
    lc.key_table(choice, [f"block {last} attention", attention_key, ffn_key, "final_norm"]),
    name="last-block",
    caption="Keys of the last block: after attention before and after the feed-forward's norm, after the feed-forward sublayer, and "
    "the same after the final norm. Dispersion; perplexity of the test tokens and gain in ln perplexity, with λ chosen and "
    f"with λ = {lc.FIXED_LAMBDA}; share of test tokens found among the neighbours. 95 % intervals over documents.",
    formats=lc.KEY_FORMATS,
)
run.say(
    "After attention the last block's keys have a dispersion of {dispersion_attention:ci.3f}, after the feed-forward sublayer "
    "{dispersion_ffn:ci.3f} (n = {dispersion_ffn:n} documents): a difference of {dispersion_gain_attention:ci.3f}, and of "
    "{dispersion_gain_centred:ci.3f} with the mean subtracted. Without the norm on either side it is "
    "{dispersion_gain_without_norm:ci.3f}, with a norm on both {dispersion_gain_with_norm:ci.3f}."
)
run.say(
    "The model by itself has a perplexity of {base_perplexity:ci.2f} on the test tokens (n = {base_perplexity:n} documents), with keys "
    "after attention {perplexity_attention:ci.2f} (λ = {lambda_attention:.2f}), with keys after the feed-forward sublayer "
    "{perplexity_ffn:ci.2f} (λ = {lambda_ffn:.2f}). Document by document, the first keys lower ln perplexity by "
    "{perplexity_gain_attention:ci.4f} more than the second; with λ fixed by {perplexity_gain_attention_fixed:ci.4f}, without the norm "
    "on either side by {perplexity_gain_without_norm:ci.4f}, with a norm on both by {perplexity_gain_with_norm:ci.4f}."
)

# %% [markdown]
# ## How many states does it take?
#
# Mean pairwise distance is an average over pairs, and each pair of a random draw is as good as any other: the *expected* value
# does not depend on the number of states at all. That the mean over many draws hardly changes is arithmetic and says nothing
# about how many states suffice. What does depend on their number is the spread of a single draw, and with it how often a
# draw puts the two keys into the order that all states put them in.

# %% tags=["hide-input"]
samples = lc.small_samples(
    *(datastore.contexts.keys(layer)[choice.drawn] for layer in (attention_key, ffn_key)),
    draws=p.draws,
    seed=p.seed,
)
run.record(
    "dispersion_change_n", float(samples[["change_first", "change_second"]].abs().to_numpy().max())
)
for row in samples.iloc[:-1].itertuples():
    run.record(f"order_kept_{row.states}", row.order_kept)
    run.record(f"sd_attention_{row.states}", row.sd_first)
    run.record(f"sd_ffn_{row.states}", row.sd_second)
shown_samples = {
    f"{what}_{position}": f"{name}: {shown}"
    for position, name in (("first", "after attention"), ("second", "after feed-forward"))
    for what, shown in (("mean", "mean"), ("sd", "SD"), ("change", "change of mean"))
}
run.table(
    samples.rename(columns={**shown_samples, "order_kept": "same order"}),
    name="sample-size",
    caption=f"Dispersion of the last block's two keys in {p.draws} draws of a few states, the same contexts for both: mean and standard "
    "deviation over draws, change of the mean against all states, and share of draws that give the same order as all.",
    formats={
        "states": "d",
        **{
            shown: ".2%" if key.startswith("change") else ".3f"
            for key, shown in shown_samples.items()
        },
        "same order": ".3f",
    },
)
run.say(
    "Over the draws the mean changes by at most {dispersion_change_n:.2%}. The standard deviation of a single draw after attention is "
    "{sd_attention_10:.3f} with 10 states, {sd_attention_50:.3f} with 50 and {sd_attention_100:.3f} with 100. The order of the two keys is "
    "that of all {dispersion_states:,.0f} states in a share of {order_kept_10:.3f}, {order_kept_50:.3f} and {order_kept_100:.3f} of the draws."
)

# %% [markdown]
# ## Every block
#
# The curves ask whether the difference between the two sides is one of the last block or of all, and whether perplexity follows.

# %% tags=["hide-input"]
SIDES = (
    ("C0", "-", "o", "after attention", choice.attention),
    ("C1", "--", "s", "after feed-forward", choice.feed_forward),
)
base = float(np.exp(choice.base.value))


def draw_blocks(fig):
    left, right = fig.subplots(1, 2)
    blocks = np.arange(1, last + 1)
    for colour, line, _, label, keys in SIDES:
        style = {"color": colour, "ls": line, "lw": 2.5}
        spread = [key.dispersion.interval() for key in keys]
        gains = [choice.gain(key).interval() for key in keys]
        for ax, values in (
            (left, [(e.value, e.low, e.high) for e in spread]),
            (right, [base * np.exp([-e.value, -e.high, -e.low]) for e in gains]),
        ):
            line_with_band(ax, blocks, *np.transpose(values), label, **style)
    right.axhline(base, color="C5", lw=1.5, ls=":", label="the model by itself")
    left.set(xlabel="block", ylabel="dispersion of the keys")
    right.set(xlabel="block", ylabel="perplexity of the test tokens")
    for ax in (left, right):
        ax.legend(fontsize=10, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=1)


run.figure(
    draw_blocks,
    name="blocks",
    size=(9.6, 4.8),
    caption="Both sides of every block. Left: dispersion. Right: perplexity with keys from there, and the model by itself (dotted); "
    "a band is the 95 % interval of the difference from the model by itself. If dispersion decided, the curve that is higher at the "
    "left would be lower at the right, block by block.",
    alt="Two line plots over the blocks with one line for keys after attention and one for keys after the feed-forward sublayer: "
    "dispersion at the left, kNN-LM perplexity at the right with a dotted line for the model by itself.",
)


def draw_keys(fig):
    ax = fig.subplots()
    for colour, _, marker, label, keys in SIDES:
        x, y = [key.dispersion.value for key in keys], [key.evaluation.perplexity for key in keys]
        scatter(ax, x, y, color=colour, marker=marker, s=36, label=label)
    marks = (
        ("D", 15, "largest dispersion", choice.most_dispersed),
        ("o", 20, "lowest validation perplexity", choice.chosen),
        ("s", 25, "standard key", choice.keys[attention_key]),
    )
    for marker, size, label, key in marks:
        ax.plot(
            [key.dispersion.value],
            [key.evaluation.perplexity],
            marker,
            ms=size,
            mfc="none",
            mec="C4",
            mew=1.5,
            label=label,
        )
    ax.axhline(base, color="C5", lw=1.5, ls=":", label="the model by itself")
    ax.set(xlabel="dispersion of the keys", ylabel="perplexity of the test tokens")
    handles, labels = ax.get_legend_handles_labels()
    for handle in handles[2:5]:
        handle.set_markersize(9)
    fig.legend(handles, labels, fontsize=10, loc="outside lower center", ncols=2)


run.figure(
    draw_keys,
    name="keys",
    size=(6.0, 5.4),
    caption="Perplexity against dispersion, one point per key: both sides of every block. Marked are the key that dispersion would choose, the "
    "one that validation text chooses, and the standard one. If dispersion told the best layer, the points would fall from left to right.",
    alt="Scatter plot of kNN-LM perplexity against dispersion, circles for keys after attention and squares for keys after the "
    "feed-forward sublayer, with outlined marks at the most dispersed, the chosen and the standard key and a dotted line for the model "
    "by itself.",
)

# %% tags=["hide-input"]
run.say(
    "States after attention are the more dispersed ones in a share of {share_blocks_attention_dispersed:ci.2f} of the blocks, and the better "
    "keys in {share_blocks_attention_better:ci.2f}. Over both sides of all blocks, dispersion and ln perplexity have a rank correlation "
    "of {spearman_layers:ci.2f}, with the mean subtracted {spearman_layers_centred:ci.2f} (the layers are held fixed: the intervals are "
    "about other text, not about other networks)."
)
run.say(
    "The key chosen on validation text, `{chosen}`, lowers ln perplexity by {gain_best:ci.4f}; the most dispersed one, `{dispersed}`, by "
    "{gain_most_dispersed:ci.4f}; the standard one by {gain_standard:ci.4f}.",
    chosen=choice.chosen.layer,
    dispersed=choice.most_dispersed.layer,
)
if run.estimates["gain_share_most_dispersed"].value is None:
    run.say(
        "A lookup by the chosen key gains nothing on this test text, so there is no share of its gain to report."
    )
else:
    run.say(
        "Choosing by dispersion thus gives a share of {gain_share_most_dispersed:ci.2f} of the gain of choosing on validation text."
    )
run.table(
    lc.key_table(choice, layers),
    name="all-layers",
    caption="All keys; columns as for the last block above.",
    formats=lc.KEY_FORMATS,
)

# %% [markdown]
# ## A larger datastore
#
# Keys matter more the more there is to find. The chunks of the datastore stand in random order, so its first eighth is a small random
# datastore. λ and temperature are chosen anew at each size.

# %% tags=["hide-input"]
curve = lc.size_curve(
    choice, datastore, validation, test, [attention_key, ffn_key, choice.chosen.layer]
)


def draw_sizes(fig):
    ax = fig.subplots()
    names = {attention_key: "after attention", ffn_key: "after feed-forward"}
    for number, (layer, part) in enumerate(curve.groupby("layer", sort=False)):
        x = part["keys"] * 1.05 ** (number - 1)
        ax.vlines(x, part["low"], part["high"], color=f"C{number}", lw=1.5)
        ax.plot(
            x,
            part["gain"],
            color=f"C{number}",
            marker="os^"[number],
            ms=8,
            ls=("-", "--", "-.")[number],
            lw=2.5,
            label=f"{layer}, {names[layer]}"
            if layer in names
            else f"{layer}, chosen on validation",
        )
    ax.axhline(0, color="C5", lw=1.5, ls=":")
    ax.set_xscale("log", base=2)
    ax.set_xticks(curve["keys"].unique(), [f"{keys:,}" for keys in curve["keys"].unique()])
    ax.set(xlabel="keys in the datastore", ylabel="fall in ln perplexity")
    fig.legend(fontsize=10, loc="outside lower center", ncols=1)


run.figure(
    draw_sizes,
    name="sizes",
    size=(6.0, 5.2),
    caption="Gain in ln perplexity over the model by itself (dotted) against the number of keys, with 95 % intervals over test documents, "
    "the points set apart sideways. What to look for: whether the curves keep their order, and whether they still rise at the right.",
    alt="Line plot of the gain in log perplexity against the number of keys on a logarithmic axis, with error bars, for the keys of the "
    "last block after attention and after the feed-forward sublayer and for the key chosen on validation text.",
)
run.table(
    curve.rename(columns={"layer": "key"}),
    name="sizes-table",
    caption="Perplexity of the test tokens and gain in ln perplexity by the number of keys.",
    formats={"keys": ",d", "perplexity": ".3f", "gain": Interval("low", "high", 4)},
)

# %% [markdown]
# ## Verdict
#
# A datastore of this size is tiny; published ones hold a hundred million keys. Rerun with more text or another model:
# `reproutils run d3_knnlm_layer --model openai-community/gpt2-medium --dataset path:wikitext2 --set n_items=600`. At all layers, keys
# take 4 bytes per dimension, context and layer on disk. See {doc}`../rerun`, and {doc}`../use_dispersion` for what follows from it.

# %% tags=["hide-input"]
results = run.finish()
