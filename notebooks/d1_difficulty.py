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
# # Difficulty: does dispersion find the questions that a model gets wrong?
#
# **The claim.** Mix questions that a model answers rightly with questions that it answers wrongly: the more right
# ones, the higher the mean pairwise cosine distance between the questions' last-token states. So dispersion
# tells hard slices of unlabelled data from easy ones {cite:p}`li2026dispersion`.
#
# **The idea.** A mixture of right and wrong questions is made *with* the labels. That its dispersion follows its
# accuracy shows that right questions are spread more widely than wrong ones, which may be because they come from
# more topics, or because they share less of one direction. And the use that is promised, finding failures without
# labels, has rivals that are free of labels too: the perplexity of the question, and the entropy and the margin
# of the model's own answer distribution.
#
# **What is measured.** Multiple-choice questions and the model's own answers; the dispersion of mixtures from 0 % to
# 100 % right; the difference between right and wrong questions as they are, with the mean subtracted, and within
# topics; and how well each quantity finds the wrong answers. Intervals resample questions. The thresholds
# stood in `data/claims.yml` before the first run.

# %% tags=["parameters"]
model = "smollm2-135m"  # alias, path:FOLDER, path:FILE.gguf or Hub id
dataset = "next-sentence"  # next-sentence, path:FOLDER or path:FILE (ARC, MMLU, own), or hub:NAME
n_items = 220  # questions, 0 for all
template = "{question}"  # how a question is put; the choice follows after a space
mixture_size = 100  # questions per mixture
draws = 10  # mixtures per share of right answers
slices = 16  # clusters of states that stand for unlabelled slices
tail = 0.2  # share of the questions that a user would check
dtype = "float32"  # of the forward pass: float32, bfloat16 or float64
device = "cpu"
seed = 20260508
output_dir = ""  # empty: book/runs/d1_difficulty
resamples = 2000  # bootstrap resamples of questions

# %% tags=["hide-input"]
import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from reproutils import difficulty, notebook
from reproutils.answering import answer
from reproutils.corpora import load_questions
from reproutils.figures import ForestRow, forest, scatter
from reproutils.models import load_model
from reproutils.regression import bootstrap_interval
from reproutils.tables import Interval

run = notebook.begin("d1_difficulty", globals())
p = run.p
common = {"seed": p.seed, "resamples": p.resamples}

# %% [markdown]
# ## The questions, and how the model answers
#
# Each choice is scored by the log-likelihood of its text after the question, per character. The state is that
# of the question's last token, before any choice is read.

# %% tags=["hide-input"]
questions = run.uses_corpus(load_questions(p.dataset, seed=p.seed, n=p.n_items))
loaded = run.uses_model(load_model(p.model, p.dtype, p.device))
names = loaded.layer_names
shown_layers = [names[round(share * (len(names) - 2))] for share in (0.25, 0.5, 0.75)]
top = names[-1]
answers = answer(loaded, questions.items, layers=[*shown_layers, top], template=p.template)
run.uses_states(answers.extracted)
del loaded
groups = [item.group for item in questions.items]
correct = answers.correct
baselines = {
    "perplexity of the question": np.log(answers.question_perplexity),
    "entropy of the answers": answers.entropy,
    "small margin": -answers.margin,
}
run.record("accuracy", bootstrap_interval(correct.astype(float), **common), unit="question")
run.record("chance", float(np.mean([1 / len(item.choices) for item in questions.items])))
run.table(
    pd.DataFrame(
        [
            {
                "topic": group,
                "questions": len(members),
                "choices, mean": float(np.mean([len(questions.items[i].choices) for i in members])),
                "accuracy": float(correct[members].mean()),
                "question perplexity, median": float(
                    np.median(answers.question_perplexity[members])
                ),
                "entropy, mean": float(answers.entropy[members].mean()),
            }
            for group in dict.fromkeys(groups)
            for members in [np.flatnonzero(np.array(groups) == group)]
        ]
    ),
    name="questions",
    caption="Questions by topic, and how the model does on them. Entropy is relative to its largest value.",
    formats={
        "choices, mean": ".1f",
        "accuracy": ".2f",
        "question perplexity, median": ".1f",
        "entropy, mean": ".2f",
    },
)
run.say(
    "The model answers {accuracy:ci.2f} of the questions rightly (n = {accuracy:n}; guessing gives {chance:.2f})."
)

# %% [markdown]
# ## Mixtures, as in the paper

# %% tags=["hide-input"]
size = difficulty.mixture_size(correct, p.mixture_size)
shares = np.round(np.arange(0, 1.01, 0.1), 1)
curves = {
    layer: difficulty.mixtures(
        answers.states[layer], correct, size=size, shares=shares, draws=p.draws, seed=p.seed
    )
    for layer in answers.states
}
means = curves[top].groupby("share")["dispersion"].mean()
run.record("mixture_items", float(size))
run.record("r_mixture", float(np.corrcoef(means.index, means)[0, 1]), n=len(means))
run.record("spearman_mixture", float(spearmanr(means.index, means).statistic), n=len(means))
raw, centred = (difficulty.unit_rows(answers.states[top], centred=flag) for flag in (False, True))
gains = {
    "dispersion_gain": ("as in the paper", raw, None),
    "dispersion_gain_centred": ("mean subtracted", centred, None),
    "dispersion_gain_within_groups": ("within topics", raw, groups),
    "dispersion_gain_centred_within_groups": ("within topics, mean subtracted", centred, groups),
}
gain_rows = []
for key, (label, unit, topics) in gains.items():
    gain = difficulty.dispersion_gain(unit, correct, topics, **common).interval()
    run.record(key, gain, unit="question")
    gain_rows.append(ForestRow(label, gain.value, gain.low, gain.high))


def draw_mixtures(fig):
    left, right = fig.subplots(1, 2)
    for number, (layer, curve) in enumerate(curves.items()):
        by_share = curve.groupby("share")["dispersion"]
        mean, sd = by_share.mean(), by_share.std()
        left.errorbar(
            mean.index * 100,
            mean - mean.iloc[0],
            yerr=sd,
            color=f"C{number}",
            marker="os^D"[number % 4],
            ms=6,
            capsize=3,
            label=layer.replace("_", " "),
        )
    left.axhline(0, color="C5", lw=1.5, ls="--")
    left.set(xlabel="right answers in the mixture (%)", ylabel="D less D of all wrong")
    left.legend(fontsize=10, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    forest(right, gain_rows)
    right.axvline(0, color="C5", lw=1.5, ls="--")
    right.set(xlabel="D of right less D of wrong")
    right.get_legend().remove()


run.figure(
    draw_mixtures,
    name="mixtures",
    size=(9.6, 4.8),
    caption="Left: dispersion of mixtures against their accuracy, with the spread over draws, at four depths. Right: the "
    "difference between right and wrong questions after the final norm, with 95 % intervals over questions.",
    alt="Left: lines of the change in dispersion against the percentage of right answers for four layers. Right: forest plot of "
    "the difference in dispersion between right and wrong questions as in the paper, with the mean subtracted, and within topics.",
)
run.table(
    pd.DataFrame(
        [
            {
                "share of right answers": share,
                **{
                    layer: float(curve[curve["share"] == share]["dispersion"].mean())
                    for layer, curve in curves.items()
                },
            }
            for share in shares
        ]
    ),
    name="mixtures",
    caption=f"Mean dispersion of {p.draws} mixtures of {size} questions each, by layer.",
    formats={"share of right answers": ".1f", **dict.fromkeys(curves, ".4f")},
)
run.say(
    "Over the eleven shares, accuracy and dispersion after the final norm correlate by {r_mixture:.2f} (rank "
    "correlation {spearman_mixture:.2f}), with {mixture_items:.0f} questions per mixture. Right questions are more dispersed than "
    "wrong ones by {dispersion_gain:ci.4f}; with the mean subtracted by {dispersion_gain_centred:ci.4f}, and within "
    "topics by {dispersion_gain_within_groups:ci.4f}."
)

# %% [markdown]
# ## Finding failures without labels
#
# What a single question adds to the dispersion is its mean distance to all others. If the claim is of use, wrong
# questions have a small one. The area under the curve (AUC) is the chance that a wrong question is ranked as harder
# than a right one; one half is chance.

# %% tags=["hide-input"]
scores = {
    "dispersion": -difficulty.contributions(raw),
    "dispersion, mean subtracted": -difficulty.contributions(centred),
    **baselines,
}
found = {name: difficulty.failure_auc(score, correct, **common) for name, score in scores.items()}
tails = {
    name: difficulty.tail_precision(score, correct, p.tail, **common)
    for name, score in scores.items()
}
for name in scores:
    slug = name.replace(", ", "_").replace(" ", "_")
    run.record(f"auc_{slug}", found[name].interval(), unit="question")
    run.record(f"tail_{slug}", tails[name].interval(), unit="question")
best = difficulty.best_of(found["dispersion"], [found[name] for name in baselines])
run.record("auc_gain_over_baselines", best.interval(), unit="question")
added = difficulty.added_given(
    scores["dispersion"], np.column_stack(list(baselines.values())), correct, **common
)
run.record("dispersion_given_baselines", added.interval(), unit="question")


def draw_auc(fig):
    left, right = fig.subplots(1, 2, sharey=True)
    for ax, values, label, level in (
        (left, found, "AUC for finding wrong answers", 0.5),
        (right, tails, f"wrong among the hardest {p.tail:.0%}", 1 - correct.mean()),
    ):
        estimates = {name: value.interval() for name, value in values.items()}
        forest(ax, [ForestRow(name, e.value, e.low, e.high) for name, e in estimates.items()])
        ax.axvline(level, color="C5", lw=1.5, ls="--")
        ax.set(xlabel=label, xlim=(0, 1))
        ax.get_legend().remove()


run.figure(
    draw_auc,
    name="failures",
    size=(9.6, 4.0),
    caption="How well each quantity finds wrong answers, with 95 % intervals over questions. The dashed lines are chance: one "
    "half, and the share of wrong answers overall.",
    alt="Two forest plots over five quantities, dispersion with and without the mean, perplexity of the question, entropy and "
    "margin of the answers: area under the curve at the left, share of wrong answers among the hardest questions at the right.",
)
run.table(
    pd.DataFrame(
        [
            {
                "ranked by": name,
                "AUC": (a := found[name].interval()).value,
                "AUC_low": a.low,
                "AUC_high": a.high,
                "wrong in the tail": (t := tails[name].interval()).value,
                "tail_low": t.low,
                "tail_high": t.high,
            }
            for name in scores
        ]
    ),
    name="failures",
    caption=f"Finding wrong answers: area under the curve, and share of wrong answers among the {p.tail:.0%} of questions ranked "
    "hardest.",
    formats={
        "AUC": Interval("AUC_low", "AUC_high", 2),
        "wrong in the tail": Interval("tail_low", "tail_high", 2),
    },
)
run.say(
    "Dispersion finds wrong answers with an AUC of {auc_dispersion:ci.2f}; the perplexity of the question with "
    "{auc_perplexity_of_the_question:ci.2f}, entropy with {auc_entropy_of_the_answers:ci.2f}, a small margin with "
    "{auc_small_margin:ci.2f}. Against the best of the three the difference is {auc_gain_over_baselines:ci.2f}. Given "
    "all three, the partial correlation of dispersion with being wrong is {dispersion_given_baselines:ci.2f}."
)

# %% [markdown]
# ## Ranking slices
#
# A user has slices, not mixtures: here clusters of the states, which need no label. The question is whether the
# slices with low dispersion are those with low accuracy.

# %% tags=["hide-input"]
labels = difficulty.slices_of(centred, max(1, min(p.slices, len(questions) // 10)), p.seed)
table = difficulty.slice_table(raw, correct, baselines, labels)
run.record("n_slices", float(len(table)))


def draw_slices(fig):
    axes = fig.subplots(1, 2, sharey=True)
    for ax, column, label in (
        (axes[0], "dispersion", "dispersion of the slice"),
        (axes[1], "entropy of the answers", "mean entropy of the answers"),
    ):
        scatter(ax, table[column], table["accuracy"], s=4 * table["items"], color="C0")
        ax.axhline(correct.mean(), color="C5", lw=1.5, ls="--")
        ax.set(xlabel=label)
    axes[0].set(ylabel="accuracy of the slice", ylim=(-0.03, 1.03))


if len(table) < difficulty.LEAST_SLICES:
    run.say(
        "With {n_slices:.0f} slices of five questions or more nothing can be ranked; take more questions."
    )
else:
    ranked = difficulty.slice_correlations(raw, correct, baselines, labels, **common)
    for name, estimate in ranked.items():
        slug = name.replace(" ", "_")
        run.record(f"slices_{slug}", estimate.interval(), unit="question")
    run.figure(
        draw_slices,
        name="slices",
        size=(9.6, 4.2),
        caption="Each disc is a slice, its area the number of questions. Left against dispersion, right against the mean entropy of the "
        "model's answers. The dashed line is the overall accuracy.",
        alt="Two scatter plots of the accuracy of slices, against their dispersion at the left and against the mean entropy of the "
        "answers at the right.",
    )
    run.table(
        table,
        name="slices",
        caption="The slices, by number of the cluster.",
        formats={"accuracy": ".2f", "dispersion": ".3f", **dict.fromkeys(baselines, ".2f")},
    )
    run.say(
        "Over {n_slices:.0f} slices the rank correlation of accuracy with dispersion is {slices_dispersion:ci.2f}; with the entropy of "
        "the answers it is {slices_entropy_of_the_answers:ci.2f} and with the perplexity of the question "
        "{slices_perplexity_of_the_question:ci.2f}."
    )

# %% [markdown]
# ## Verdict
#
# Rerun with another model or question set: `reproutils run d1_difficulty --model meta-llama/Llama-3.2-1B --dataset
# hub:allenai/ai2_arc --set template="Question: {question}\nAnswer:"`. See {doc}`../rerun`, and
# {doc}`../use_dispersion` for what follows from it.

# %% tags=["hide-input"]
results = run.finish()
