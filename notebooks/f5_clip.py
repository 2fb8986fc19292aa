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
# # F5: does a contrastive head remove the length effect?
#
# **The claim.** In CLIP, the similarity of captions to fixed noise images depends on caption length when the
# caption is read off at the end-of-text token (R² = 0.21), and does not when its tokens are averaged
# (R² < 0.01). The paper's reason: the effect lives on anisotropy, and the contrastive head suppresses
# it {cite:p}`mitra2026length`.
#
# **The idea.** Let a token state be a shared direction $\mu$ plus independent noise of relative energy $\rho$.
# The mean over $n$ tokens then has with any fixed vector $v$ the expected cosine
#
# $$ \cos(\mu, v)\,\Big(1+\frac{\rho}{n}\Big)^{-1/2}. $$
#
# Two things follow that the claim does not mention. How much length matters depends on $\cos(\mu, v)$, that is
# on the *image*: nothing happens if the image has no part in the shared direction, however anisotropic
# the captions are. And the end-of-text token is one token, $n = 1$: the theory gives it no length effect at all. So
# "mean pooling shows less of it than end-of-text pooling" is not what the theory predicts, and the reason
# has to be looked for.
#
# **What is measured.** Cosine of captions with fixed noise images at four points of the text tower: read off at the
# end-of-text token or averaged, before or after the projection. At each point the anisotropy: the mean cosine
# between captions, and $\rho$. Then the same network untrained, and trained *without* the contrastive loss; then
# captions with the pictures that they describe; and a sentence encoder that was trained contrastively on
# text alone. The thresholds behind the verdict stood in `data/claims.yml` before the first run.

# %% tags=["parameters"]
model = "small-clip"  # trained here on first use; or path:FOLDER or Hub id of a CLIP
controls = (
    "small-clip-untrained,small-clip-captioning"  # other networks at the same points; empty: none
)
encoder = "minilm-l6"  # a sentence encoder without images; empty: none
dataset = "scenes"  # scenes, or path:FOLDER with captions.txt
n_items = 400  # captions
noise_images = 16  # fixed images of random noise
anchors = 16  # fixed captions that take the part of images for the sentence encoder
retrieval_scenes = 200  # scenes among which a caption has to find its own
dtype = "float32"  # of the forward pass: float32, bfloat16 or float64
device = "cpu"
seed = 20260508
output_dir = ""  # empty: book/runs/f5_clip
resamples = 2000  # bootstrap resamples of captions
truncate = False  # cut captions longer than the context instead of refusing them

# %% tags=["hide-input"]
import numpy as np
import pandas as pd

from reproutils import caption_length as lengths
from reproutils import clip, notebook
from reproutils.corpora import load_captions
from reproutils.corpora.scenes import noise_images as draw_noise
from reproutils.figures import ForestRow, forest, log_axis, scatter
from reproutils.models import load_clip, load_model
from reproutils.regression import bootstrap_interval, combine, length_fit
from reproutils.states import embed_images
from reproutils.tables import Interval

run = notebook.begin("f5_clip", globals())
p = run.p
common = {"seed": p.seed, "resamples": p.resamples}
PAPER = {"eos_after": 0.21, "mean_after": 0.01}

# %% [markdown]
# ## The networks
#
# No CLIP can be had without a network, so a small one is trained here, once, on drawn scenes and captions that
# are true of them. Its two towers have the same width, so that a caption and an image can be compared before the
# projection too. That it works is shown by retrieval: among held-out scenes, how often is the picture
# nearest to a caption its own? The control networks have the same configuration and the same initial weights: one is
# left untrained, one has learnt to continue captions word by word and has never seen an image.

# %% tags=["hide-input"]
names = [p.model, *notebook.split(p.controls)]
networks = {name: load_clip(name, p.dtype, p.device) for name in names}
main = networks[p.model]
run.uses_model(main.text)
if p.retrieval_scenes:
    found = {
        name: clip.retrieval(network, p.retrieval_scenes, seed=p.seed)
        for name, network in networks.items()
    }
    rows = []
    for name, hits in found.items():
        for label, low, high in (
            ("all", 0, 99),
            ("3 to 9", 3, 9),
            ("10 to 19", 10, 19),
            ("20 to 60", 20, 60),
        ):
            part = hits.hit[(hits.n_words >= low) & (hits.n_words <= high)].astype(float)
            share = bootstrap_interval(part, **common)
            slug = f"{name}_{label}".replace(" ", "_").replace("-", "_")
            run.record(f"retrieval_{slug}", share, unit="caption")
            rows.append(
                {
                    "network": name,
                    "words": label,
                    "captions": len(part),
                    "own picture first": share.value,
                    "low": share.low,
                    "high": share.high,
                }
            )
    run.record("retrieval_chance", 1 / p.retrieval_scenes)
    run.record(
        "retrieval", bootstrap_interval(found[p.model].hit.astype(float), **common), unit="caption"
    )
    run.table(
        pd.DataFrame(rows),
        name="retrieval",
        caption=f"Share of held-out captions whose own picture is the nearest of {p.retrieval_scenes}, by the caption's length in words.",
        formats={"own picture first": Interval("low", "high", 2)},
    )
    run.say(
        "The contrastively trained network finds the picture in {retrieval:ci.2f} of cases (n = {retrieval:n} captions; chance is "
        "{retrieval_chance:.3f})."
    )

# %% [markdown]
# ## Four points of the text tower
#
# Every caption is compared with the same images of pure noise, which have nothing to do with any caption; what
# varies is the caption alone. The line is what the theory expects of the measured $\rho$ and of the
# measured cosine between the shared direction and the images; it is not fitted.

# %% tags=["hide-input"]
captions = run.uses_corpus(load_captions(p.dataset, seed=p.seed, n=p.n_items))
noise = draw_noise(p.noise_images, p.seed, main.image_size)
points, targets = {}, {}
for name, network in networks.items():
    points[name], states = lengths.text_points(
        network.text, captions.texts, network.text_projection, truncate=p.truncate
    )
    run.uses_states(states)
    images = embed_images(network, noise)
    targets[name] = {"after": images.projected}
    if network.comparable_before_projection:
        targets[name]["before"] = images.pooled
    if name == p.model:
        n_tokens, n_truncated = states.n_tokens, states.n_truncated
log_tokens = np.log(n_tokens)
if n_truncated:
    run.record("truncated", float(n_truncated))
    run.say("{truncated:.0f} captions were cut to the context of the text tower.")


def shown_points(name):
    """The claim's points of a network that can be compared with its images."""
    return {
        key: point
        for key, point in points[name].items()
        if point.pooling in lengths.POOLINGS and point.place in targets[name]
    }


similarity = {
    name: {
        key: point.similarity(targets[name][point.place])
        for key, point in shown_points(name).items()
    }
    for name in networks
}
explained, anisotropy, rows = {}, {}, []
for name in networks:
    slug = "" if name == p.model else f"_{name.replace('-', '_')}"
    for key, values in similarity[name].items():
        point = points[name][key]
        fit = length_fit(values, log_tokens, **common)
        explained[name, key] = lengths.explained(values, log_tokens, **common)
        anisotropy[name, key] = lengths.mean_cosine(point.vectors, **common)
        cosine = anisotropy[name, key].interval()
        run.record(
            f"r2_{key}{slug}", fit.r2, unit="caption", paper=PAPER.get(key) if not slug else None
        )
        run.record(f"beta_{key}{slug}", fit.beta, unit="caption")
        run.record(f"anisotropy_{key}{slug}", cosine, unit="caption")
        run.record(f"rho_{key}{slug}", point.rho if np.isfinite(point.rho) else None)
        per_doubling = float(np.polyfit(log_tokens / np.log(2), values, 1)[0])
        run.record(f"doubling_{key}{slug}", per_doubling)
        expected = point.expected(targets[name][point.place], point.pooled_tokens)
        # Of a single token it is zero; what is left of that is rounding.
        by_theory = round(float(np.polyfit(log_tokens / np.log(2), expected, 1)[0]), 12) + 0.0
        run.record(f"doubling_theory_{key}{slug}", by_theory)
        rows.append(
            {
                "network": name,
                "read off": lengths.POOLINGS[point.pooling],
                "place": lengths.PLACES[point.place],
                "R²": fit.r2.value, "R²_low": fit.r2.low, "R²_high": fit.r2.high,
                "change per doubling": per_doubling,
                "mean cosine": cosine.value, "mean cosine_low": cosine.low, "mean cosine_high": cosine.high,
                "ρ": point.rho,
                "cosine with noise": float(values.mean()),
            }
        )  # fmt: skip
run.table(
    pd.DataFrame(rows),
    name="points",
    caption="Cosine of captions with noise images, regressed on ln(tokens): explained variance, change of the cosine when the length "
    "doubles, mean cosine between captions (anisotropy), ρ of what was averaged, and the mean cosine with the images. Intervals resample captions.",
    formats={
        "R²": Interval("R²_low", "R²_high", 2),
        "change per doubling": ".4f",
        "mean cosine": Interval("mean cosine_low", "mean cosine_high", 2),
        "ρ": ".2f",
        "cosine with noise": ".3f",
    },
)

# %% tags=["hide-input"]


def draw_points(fig):
    shown = shown_points(p.model)
    places = list(dict.fromkeys(point.place for point in shown.values()))
    axes = fig.subplots(len(places), 2, sharex=True, squeeze=False)
    grid = np.geomspace(n_tokens.min(), n_tokens.max(), 60)
    for row, place in zip(axes, sorted(places, reverse=True), strict=True):
        for ax, pooling in zip(row, lengths.POOLINGS, strict=True):
            point = shown[f"{pooling}_{place}"]
            scatter(ax, n_tokens, similarity[p.model][point.key], color="C0", s=10)
            slope, level = np.polyfit(log_tokens, similarity[p.model][point.key], 1)
            ax.plot(grid, level + slope * np.log(grid), color="C4", lw=2.5, label="regression")
            pooled = np.ones_like(grid) if pooling == "eos" else grid
            ax.plot(
                grid,
                point.expected(targets[p.model][place], pooled),
                color="C3",
                ls="--",
                lw=2.5,
                label="theory",
            )
            ax.set_title(f"{lengths.POOLINGS[pooling]}, {lengths.PLACES[place]}", fontsize=10)
            log_axis(ax, n_tokens.min(), n_tokens.max())
        row[0].set_ylabel("cosine with noise")
    for ax in axes[-1]:
        ax.set_xlabel("tokens of the caption")
    axes[0, 1].legend(fontsize=9)


run.figure(
    draw_points,
    name="points",
    size=(9.6, 6.4),
    caption="Each point is a caption: its mean cosine with the noise images against its length, at each point of the text tower. "
    "Dashed: what averaging of noise around a shared direction would give.",
    alt="Scatter plots of the cosine between captions and noise images against caption length on a logarithmic axis, read off at the "
    "end-of-text token at the left and averaged at the right, before the projection at the top and after it below, each with a "
    "regression line and the theory's dashed curve.",
)
run.say(
    "Read off at the end-of-text token after the projection, length explains {r2_eos_after:ci.2f} of the variance (the paper: "
    "0.21); averaged, {r2_mean_after:ci.2f} (the paper: below 0.01), with n = {r2_eos_after:n} captions. A doubling of the "
    "length changes the cosine by {doubling_eos_after:.3f} and {doubling_mean_after:.3f}; by the theory it should be "
    "{doubling_theory_eos_after:.3f} and {doubling_theory_mean_after:.3f}."
)
if "before" in targets[p.model]:
    run.say("Before the projection it explains {r2_eos_before:ci.2f} and {r2_mean_before:ci.2f}.")

# %% [markdown]
# ## Is it the contrastive head?
#
# If the head removes the effect, averaged captions must depend on length less after the projection than before it, less than
# in the same network without contrastive training, and the mean cosine between captions must fall.

# %% tags=["hide-input"]


def difference(name, first, second):
    """Record how much the first exceeds the second, resample by resample."""
    gap = combine(lambda a, b: a - b, [first, second]).interval()
    run.record(name, gap, unit="caption")
    return gap


difference(
    "difference_pooling_after", explained[p.model, "eos_after"], explained[p.model, "mean_after"]
)
if "before" in targets[p.model]:
    difference(
        "difference_head_mean", explained[p.model, "mean_before"], explained[p.model, "mean_after"]
    )
    difference(
        "difference_head_eos", explained[p.model, "eos_before"], explained[p.model, "eos_after"]
    )
    difference(
        "difference_head_anisotropy_mean",
        anisotropy[p.model, "mean_before"],
        anisotropy[p.model, "mean_after"],
    )
    difference(
        "difference_head_anisotropy_eos",
        anisotropy[p.model, "eos_before"],
        anisotropy[p.model, "eos_after"],
    )
CAPTIONING = "small-clip-captioning"
if CAPTIONING in networks:
    difference(
        "difference_objective_mean",
        explained[CAPTIONING, "mean_after"],
        explained[p.model, "mean_after"],
    )
    difference(
        "difference_objective_eos",
        explained[CAPTIONING, "eos_after"],
        explained[p.model, "eos_after"],
    )


def draw_networks(fig):
    left, right = fig.subplots(1, 2, width_ratios=[1.3, 1])
    forest(
        left,
        [
            ForestRow(
                f"{lengths.POOLINGS[pooling]}, {place}",
                (e := run.estimates[f"r2_{pooling}_{place}" + ("" if name == p.model else f"_{name.replace('-', '_')}")]).value,
                e.low, e.high, e.paper, name,
            )
            for pooling in lengths.POOLINGS
            for place in lengths.PLACES
            for name in networks
            if (name, f"{pooling}_{place}") in explained
        ],
    )  # fmt: skip
    left.set(xlabel="R² on ln(tokens)", xlim=(-0.03, 1))
    for number, name in enumerate(networks):
        for key in similarity[name]:
            right.plot(
                anisotropy[name, key].value, explained[name, key].value,
                marker="o" if key.startswith("eos") else "s", ls="none", ms=9, color=f"C{number}",
                markerfacecolor="none" if key.endswith("before") else f"C{number}",
            )  # fmt: skip
    right.set(xlabel="mean cosine of captions", ylabel="R² on ln(tokens)", ylim=(-0.03, 1))


run.figure(
    draw_networks,
    name="networks",
    size=(9.6, 5.0),
    caption="Left: explained variance at each point of each network; open diamonds are the paper's. Right: the same against "
    "anisotropy; squares are means, circles end-of-text tokens, open before the projection. If anisotropy were the cause, the "
    "points would rise to the right.",
    alt="Left: forest plot of R squared for end-of-text and mean pooling before and after the projection in three networks. Right: "
    "scatter of R squared against the mean cosine between captions.",
)
pairs = [(anisotropy[key].value, explained[key].value) for key in explained]
if len(pairs) > 3:
    run.record(
        "anisotropy_r2_correlation", float(np.corrcoef(np.array(pairs).T)[0, 1]), n=len(pairs)
    )
    run.say(
        "Over the {anisotropy_r2_correlation:n} points, anisotropy and explained variance correlate by {anisotropy_r2_correlation:.2f}."
    )
if "difference_head_mean" in run.estimates:
    run.say(
        "The projection changes the explained variance of averaged captions by {difference_head_mean:ci.2f} (positive: it falls), of the end-of-text "
        "token by {difference_head_eos:ci.2f}, and the mean cosine between captions by {difference_head_anisotropy_mean:ci.2f} and "
        "{difference_head_anisotropy_eos:ci.2f}."
    )
if "difference_objective_mean" in run.estimates:
    run.say(
        "The network trained on captions alone explains more than the contrastive one by {difference_objective_mean:ci.2f} (averaged) and "
        "{difference_objective_eos:ci.2f} (end-of-text token)."
    )

# %% [markdown]
# ## Captions with their own pictures
#
# With noise for images nothing but length can be found. With the picture that a caption describes, a longer caption says
# more, and more of it should be found in the picture; with the picture of another caption, only length is left again.

# %% tags=["hide-input"]
own_rows = []
if captions.scenes is not None or captions.image_files is not None:
    pictures = embed_images(main, captions.images(main.image_size))
    other = np.roll(np.arange(len(captions)), 1)
    for pooling in lengths.POOLINGS:
        point = points[p.model][f"{pooling}_after"]
        for label, partner in (("own", np.arange(len(captions))), ("other", other)):
            values = point.paired(pictures.projected[partner])
            fit = length_fit(values, log_tokens, **common)
            run.record(f"r2_{pooling}_{label}", fit.r2, unit="caption")
            run.record(f"beta_{pooling}_{label}", fit.beta, unit="caption")
            own_rows.append(
                {
                    "read off": lengths.POOLINGS[pooling],
                    "picture": "its own" if label == "own" else "another caption's",
                    "R²": fit.r2.value, "R²_low": fit.r2.low, "R²_high": fit.r2.high,
                    "β": fit.beta.value, "β_low": fit.beta.low, "β_high": fit.beta.high,
                    "mean": float(values.mean()),
                }
            )  # fmt: skip
    run.table(
        pd.DataFrame(own_rows),
        name="pictures",
        caption="Cosine of captions with pictures after the projection, regressed on ln(tokens).",
        formats={
            "R²": Interval("R²_low", "R²_high", 2),
            "β": Interval("β_low", "β_high", 2),
            "mean": ".2f",
        },
    )
    run.say(
        "With its own picture, length explains {r2_eos_own:ci.2f} of the end-of-text similarity and {r2_mean_own:ci.2f} of the "
        "averaged one; with another's, {r2_eos_other:ci.2f} and {r2_mean_other:ci.2f}."
    )

# %% [markdown]
# ## A contrastive encoder of text alone
#
# A sentence encoder trained contrastively has no images, so fixed captions of other scenes take their part. The
# text tower of the small CLIP is compared in the same way.

# %% tags=["hide-input"]
fixed = load_captions("scenes", seed=p.seed + 1, n=p.anchors)
towers = {p.model: main.text} | (
    {p.encoder: load_model(p.encoder, p.dtype, p.device)} if p.encoder else {}
)
tower_rows = []
for name, tower in towers.items():
    text, states = lengths.text_points(tower, captions.texts, None, truncate=p.truncate)
    anchors, more = lengths.text_points(tower, fixed.texts, None, truncate=p.truncate)
    for used in (states, more):
        run.uses_states(used)
    predictor = np.log(states.n_tokens)
    for key, label in (
        ("mean_before", "mean over tokens"),
        ("inner_before", "mean without first and last token"),
        ("eos_before", "last token"),
    ):
        values = text[key].similarity(anchors[key].vectors)
        fit = length_fit(values, predictor, **common)
        slug = f"text_{key.split('_')[0]}_{name.replace('-', '_')}"
        run.record(f"r2_{slug}", fit.r2, unit="caption")
        run.record(
            f"anisotropy_{slug}",
            lengths.mean_cosine(text[key].vectors, **common).interval(),
            unit="caption",
        )
        tower_rows.append(
            {
                "tower": name, "read off": label,
                "R²": fit.r2.value, "R²_low": fit.r2.low, "R²_high": fit.r2.high,
                "β": fit.beta.value, "β_low": fit.beta.low, "β_high": fit.beta.high,
                "mean cosine": run.estimates[f"anisotropy_{slug}"].value, "ρ": text[key].rho,
            }
        )  # fmt: skip
run.table(
    pd.DataFrame(tower_rows),
    name="text-towers",
    caption=f"Cosine of captions with {p.anchors} fixed captions of other scenes, regressed on ln(tokens), before any projection.",
    formats={
        "R²": Interval("R²_low", "R²_high", 2),
        "β": Interval("β_low", "β_high", 2),
        "mean cosine": ".2f",
        "ρ": ".2f",
    },
)

# %% [markdown]
# ## Choices that the paper leaves open

# %% tags=["hide-input"]
words = captions.n_words
choices = {
    "ln tokens": log_tokens,
    "tokens": n_tokens.astype(float),
    "−1 / tokens": -1 / n_tokens,
    "ln words": np.log(words),
}
curve = []
for key in ("eos_after", "mean_after", "inner_after"):
    point = points[p.model][key]
    for images, chosen in (
        ("all averaged", targets[p.model]["after"]),
        ("the first only", targets[p.model]["after"][:1]),
    ):
        for label, predictor in choices.items():
            fit = length_fit(
                point.similarity(chosen), predictor, seed=p.seed, resamples=min(p.resamples, 500)
            )
            curve.append(
                {
                    "read off": lengths.POOLINGS.get(point.pooling, "mean without first and last token"),
                    "noise images": images,
                    "predictor": label,
                    "R²": fit.r2.value, "R²_low": fit.r2.low, "R²_high": fit.r2.high,
                }
            )  # fmt: skip
curve = pd.DataFrame(curve)
run.table(
    curve,
    name="specifications",
    caption="Explained variance after the projection for each choice of what is averaged, how many noise images there are, and how length is counted.",
    formats={"R²": Interval("R²_low", "R²_high", 2)},
)
for key, label in (("eos", "end-of-text token"), ("mean", "mean over tokens")):
    part = curve[curve["read off"] == label]["R²"]
    run.record(f"spec_lowest_{key}", part.min())
    run.record(f"spec_highest_{key}", part.max())
run.say(
    "Over these choices R² runs from {spec_lowest_eos:.2f} to {spec_highest_eos:.2f} for the end-of-text token and from "
    "{spec_lowest_mean:.2f} to {spec_highest_mean:.2f} for the mean."
)

# %% [markdown]
# ## Verdict
#
# Rerun with the paper's model, or with captions of your own: `reproutils run f5_clip --model
# openai/clip-vit-base-patch32 --set controls="" --dataset path:coco_captions`. Its towers have different widths, so the points
# before the projection are left out. See {doc}`../rerun`.

# %% tags=["hide-input"]
results = run.finish()
