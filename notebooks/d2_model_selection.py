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
# # Choosing a checkpoint: does the dispersion gap rank as accuracy does?
#
# **The claim.** Without running a model, the rows of its output embedding tell how well it does in a domain. The
# *dispersion gap* is the mean cosine distance between the rows of the domain's tokens, plus the mean cosine distance from these to the rows
# of everyday tokens. Over nine Qwen checkpoints its rank correlation with accuracy in mathematics exceeds 0.95
# {cite:p}`li2026dispersion`. The list of checkpoints and the token sets are not published. Two of the gap's first parts are: 0.27 for
# Qwen2.5-Math-7B and 0.28 for a distilled model of the same size, whose accuracies lie 37 points apart.
#
# **The idea.** A model that has learned to tell digits apart has put their rows apart, and a row is a few kilobytes of a file
# of gigabytes. But a row also moves because its token is *frequent* in the training text, whatever there is to learn from it: a network
# trained on many wrong sums sees as many digits as one trained on right sums. And who can read a
# weights file can also run a few lines of domain text through it and look at the loss.
#
# **What is measured.** By default, a family of small networks trained here: one architecture, one tokenizer, the same initial weights and the same
# number of updates; they differ in the share of additions such as `37+4=41` among their training rows, the rest being English prose.
# Three more see the same additions with the answers of others. Accuracy is that of held-out additions. The gap is read by slice, with T the ten digits and T̄
# everyday words; beside it stand its two parts, the norms of the rows, the number of digits seen, and the loss on additions.
# The checkpoint is the independent unit of a rank correlation, and there are few: all orderings are counted. The
# thresholds behind the verdict stood in `data/claims.yml` before the first run; shares of additions and weight decay were
# chosen so that accuracies spread from 0 to 1 and depend little on rounding, before any gap of these networks was looked at (an earlier recipe: {ref}`deviations-verdicts`).

# %% tags=["parameters"]
model = "family"  # family: trained here; or checkpoints of one family, separated by commas
dataset = "arithmetic"  # additions, the only domain whose accuracy is measured here
n_items = 0  # held-out additions, 0 for all
arithmetic_rows = "0, 2, 4, 5, 6, 7, 8, 10, 14"  # of 16 in a batch, one member of the family each
scrambled_rows = "5, 8, 14"  # the same for networks trained on wrong answers
training_steps = 1400  # updates of each member of the family
largest = 5  # the second number of an addition goes up to this, at most 9
accuracies = ""  # known accuracies from 0 to 1, one per checkpoint; empty to measure them
run_models = True  # False, with accuracies given, to read the rows and nothing else
dtype = "float32"  # of the forward pass: float32, bfloat16 or float64
device = "cpu"
seed = 20260607
output_dir = ""  # empty: book/runs/d2_model_selection
resamples = 2000  # bootstrap resamples of tokens and of additions

# %% tags=["hide-input"]
import numpy as np

from reproutils import checkpoint_choice as cc
from reproutils import notebook
from reproutils.corpora.arithmetic import as_documents
from reproutils.family import add_up, held_out_problems, solved_problems
from reproutils.figures import ForestRow, forest, log_axis
from reproutils.models import load_model
from reproutils.progress import progress

run = notebook.begin("d2_model_selection", globals())
p = run.p
cc.check_domain(p.dataset)
recipe = cc.family_recipe(
    p.arithmetic_rows, p.scrambled_rows, largest=p.largest, steps=p.training_steps
)
chosen = cc.checkpoints(p.model, recipe)

# %% [markdown]
# ## The gap, from a few rows

# %% tags=["hide-input"]
gaps = cc.read_gaps(chosen)
run.record("gap_seconds", gaps.seconds)
run.record("n_checkpoints", float(len(chosen)))
run.record("bytes_read", float(np.mean([gap.bytes_read for gap in gaps.each])))
run.record("bytes_read_share", float(np.mean([g.bytes_read / g.file_size for g in gaps.each])))
run.say("**T**, the domain: {tokens}.", tokens=cc.token_list(gaps.domain))
run.say("**T̄**, everyday words: {tokens}.", tokens=cc.token_list(gaps.other))
run.say(
    "All {n_checkpoints:.0f} gaps took {gap_seconds:.2f} s. On average {bytes_read:,.0f} bytes were read of a checkpoint, {bytes_read_share:.2%} of "
    "its weights file."
)
if p.model == cc.FAMILY:
    # Small networks have small files; what counts is the bytes read of a larger one.
    (example,) = cc.read_gaps([cc.Checkpoint("SmolLM2-135M", "smollm2-135m")]).each
    run.record("example_bytes", float(example.bytes_read))
    run.record("example_share", example.bytes_read / example.file_size)
    run.say(
        "The same words of SmolLM2-135M, with a weights file of ordinary size, take {example_bytes:,.0f} bytes or {example_share:.3%}."
    )

# %% [markdown]
# ## Accuracy
#
# Three solved additions stand before each question, none of them among the questions. An answer counts when each of its tokens, the end of the line included, is
# the most likely one after those before it. The loss is the mean over the tokens of the line asked about.

# %% tags=["hide-input"]
problems = held_out_problems(recipe)[: p.n_items or None]
run.uses_corpus(as_documents(problems))
sums, fingerprints = [], gaps.fingerprints()
for checkpoint in progress(chosen if p.run_models else [], label="adding", total=len(chosen)):
    loaded = load_model(checkpoint.name, p.dtype, p.device)
    fingerprints.append(loaded.fingerprint)
    sums.append(add_up(loaded, problems, solved_problems(recipe), seed=p.seed))
    run.uses_states(sums[-1].extracted)
    del loaded
run.uses_models(p.model, fingerprints)
abilities = cc.abilities_of(sums, p.accuracies, len(chosen))
common = {"seed": p.seed, "resamples": p.resamples}
checkpoint_table = cc.checkpoint_table(chosen, gaps, abilities, **common)
run.table(
    checkpoint_table,
    name="checkpoints",
    caption="The checkpoints. Gap with a 95 % interval over other tokens, its two parts, mean norm of the digits' rows over that of everyday words; "
    "accuracy with a Wilson interval over additions; loss in nats per token; what reading the rows took.",
    formats=cc.formats_of(checkpoint_table),
)

# %% [markdown]
# ## Who ranks best?

# %% tags=["hide-input"]
accuracy = abilities.accuracy
values = cc.predictors(chosen, gaps, abilities)
trained = np.array([not each.wrong_answers for each in chosen])
with_controls = not trained.all()
found = [cc.agreements(values, accuracy, np.flatnonzero(trained))]
for key, agreement in found[0].items():
    run.record(f"spearman_{key}", agreement.rho, unit="checkpoint", paper=cc.PAPER.get(key))
run.record("p_gap", found[0]["gap"].p_value)
without_one = cc.leave_one_out(values["gap"][trained], accuracy[trained])
run.record("spearman_gap_without_one_lowest", without_one.min())
run.record("spearman_gap_without_one_highest", without_one.max())
run.record("accuracy_lost_gap", cc.accuracy_lost(values["gap"][trained], accuracy[trained]))
if with_controls:
    found.append(cc.agreements(values, accuracy, np.arange(len(chosen))))
    for key, agreement in found[1].items():
        name = "spearman_with_scrambled" if key == "gap" else f"spearman_{key}_with_scrambled"
        run.record(name, agreement.rho, unit="checkpoint")
    run.record("accuracy_lost_gap_with_scrambled", cc.accuracy_lost(values["gap"], accuracy))
kept = np.flatnonzero(trained)
other_tokens, spread = cc.agreement_with_other_tokens(
    [gaps.each[row] for row in kept], accuracy[kept], **common
)
run.record("spearman_tokens", other_tokens.interval(), unit="token")
run.record("gap_se", spread)
if abilities.loss is not None:
    tested = abilities.only(kept)
    run.record(
        "spearman_gain_over_loss",
        cc.gain_over_loss(values["gap"][kept], tested, **common).interval(),
        unit="addition",
    )
    run.record("spearman_other_loss", cc.agreement_of_other_loss(tested))
    run.record("accuracy_lost_loss", cc.accuracy_lost(values["loss"], accuracy))


def draw_scatter(fig):
    shown = [key for key in ("gap", "loss") if key in values]
    axes = fig.subplots(1, len(shown), sharey=True, squeeze=False)[0]
    groups = [(trained, "C0", "o", "checkpoints")]
    if with_controls:
        groups.append((~trained, "C1", "s", "trained on wrong answers"))
    for ax, key in zip(axes, shown, strict=True):
        for rows, colour, marker, label in groups:
            part = checkpoint_table[rows]
            x = part[key]
            if "accuracy_low" in part:
                ax.vlines(x, part["accuracy_low"], part["accuracy_high"], color=colour, lw=1.5)
            if key == "gap":
                ax.hlines(part["accuracy"], part["gap_low"], part["gap_high"], color=colour, lw=1.5)
            ax.plot(x, part["accuracy"], marker, color=colour, ms=8, label=label)
    axes[0].set(xlabel="dispersion gap (mean cosine distances)", ylabel="accuracy on additions")
    if len(axes) > 1:
        losses = -values["loss"]
        log_axis(axes[1], 0.9 * losses.min(), 1.1 * losses.max())
        axes[1].set(xlabel="loss on additions (nats per token)")
        axes[1].invert_xaxis()
    fig.legend(
        *axes[0].get_legend_handles_labels(), fontsize=11, loc="outside lower center", ncols=2
    )


run.figure(
    draw_scatter,
    name="accuracy",
    size=(9.6, 4.8),
    caption="Accuracy against the dispersion gap and, where it was measured, against the loss on additions (falling to the right). Bars: 95 % intervals, of accuracy over additions and of the gap "
    "over other tokens. A quantity that chooses well has its points rise from left to right, those of the wrong answers included.",
    alt="Two scatter plots of accuracy, against the dispersion gap at the left and against the loss on additions at the right, circles for checkpoints and "
    "squares for networks trained on wrong answers, with error bars.",
)


def draw_ranks(fig):
    ax = fig.subplots()
    names = ("the checkpoints", "with those trained on wrong answers")
    forest(
        ax,
        [
            ForestRow(
                cc.PREDICTORS[key],
                part[key].rho.value,
                part[key].rho.low,
                part[key].rho.high,
                cc.PAPER.get(key) if name == names[0] else None,
                name,
            )
            for key in values
            for name, part in zip(names, found, strict=False)
        ],
    )
    ax.axvline(0, color="C5", lw=1.5, ls=":")
    ax.set(xlabel="rank correlation with accuracy")


run.figure(
    draw_ranks,
    name="ranks",
    size=(6.0, 6.4),
    caption="Rank correlation with accuracy, with exact 95 % intervals over checkpoints, and the paper's bound. What ranks well only without the networks trained on wrong answers "
    "has followed the amount of training text, not what was learned from it.",
    alt="Forest plot of rank correlations with accuracy for the dispersion gap, its two parts, norms, digits seen and loss, each with an interval, for the checkpoints and with "
    "those trained on wrong answers.",
)
run.table(
    cc.agreement_table(found),
    name="agreements",
    caption="Rank correlation with accuracy, exact interval and two-sided permutation p, and the band of correlations that chance gives as often as not to be rejected at 5 %.",
    formats=cc.AGREEMENT_FORMATS,
)

# %% tags=["hide-input"]
run.say(
    "Gap and accuracy have a rank correlation of {spearman_gap:ci.2f} (n = {spearman_gap:n} checkpoints, p = {p_gap:.4f}); within the digits alone "
    "{spearman_within:ci.2f}, between digits and everyday words {spearman_between:ci.2f}, for the norms {spearman_norm:ci.2f}. With other tokens in the two sets the first "
    "is {spearman_tokens:ci.2f} (n = {spearman_tokens:n} tokens drawn again). The standard error of one checkpoint's gap over tokens is {gap_se:.3f}: differences "
    "below that are not to be read."
)
labels = [chosen[row].label for row in kept]
run.say(
    "The checkpoint with the largest gap, {largest}, lies {accuracy_lost_gap:.2f} below the most accurate one. With one checkpoint left out the rank correlation "
    "runs from {spearman_gap_without_one_lowest:.2f} (without {lowest}) to {spearman_gap_without_one_highest:.2f} (without {highest}).",
    largest=labels[int(np.argmax(values["gap"][kept]))],
    lowest=labels[int(np.argmin(without_one))],
    highest=labels[int(np.argmax(without_one))],
)
if "digits" in values:
    run.say("The mere number of digits in the training text gives {spearman_digits:ci.2f}.")
if with_controls:
    run.say(
        "With networks that were trained on wrong answers among the checkpoints the gap's rank correlation is {spearman_with_scrambled:ci.2f} "
        "(n = {spearman_with_scrambled:n}), and the one with the largest gap lies {accuracy_lost_gap_with_scrambled:.2f} below the most accurate."
    )
if abilities.loss is not None:
    run.say(
        "The loss on the same additions gives {spearman_loss:ci.2f}, and on every second addition, with accuracy on the others, {spearman_other_loss:.2f}. The gap's rank "
        "correlation exceeds the loss's by {spearman_gain_over_loss:ci.2f} (n = {spearman_gain_over_loss:n} additions drawn again). The checkpoint with the lowest loss of all lies {accuracy_lost_loss:.2f} "
        "below the most accurate."
    )

# %% [markdown]
# ## Verdict
#
# Three things bound what this can tell. The family differs in *one* respect, the amount of a skill's training text, so anything that grows with it ranks
# well; the networks trained on wrong answers are what tells these apart. And the exact test takes the checkpoints for exchangeable, as it would a sample of models: networks that share initial
# weights and prose, or checkpoints of one training run, are not. And training amplifies rounding: on another kind of processor the accuracies, and with them the rank correlations, come out somewhat otherwise. Across sizes the paper itself reports that the gap fails: a distilled model of 14B is more accurate
# than one of 1.5B and has the smaller gap.
#
# With your own checkpoints, from folders or the Hub, of one tokenizer: `reproutils run d2_model_selection --models path:base,path:math,owner/name`. With
# `--set accuracies=0.31,0.55,0.62,0.70`, known from a benchmark, these are taken; with `--set run_models=false` nothing but the rows is then read. See {doc}`../rerun`.

# %% tags=["hide-input"]
results = run.finish()
