"""Which layer gives the best kNN-LM keys, and does dispersion tell?

Each block has two states that may serve as keys: ``block k ffn input``, after attention and as the
feed-forward sublayer reads it (after its norm: the standard key of kNN-LM), and ``block k``, the
residual stream after the feed-forward sublayer. They differ by a sublayer *and* by a norm. In the
last block two more tell these apart: ``block n attention``, after attention but before the norm,
and ``final_norm``, after the feed-forward sublayer and a norm.

For every key: its mean pairwise cosine distance over random contexts of the datastore, and the
perplexity of a kNN-LM that looks up by it (:mod:`reproutils.knnlm`). Datastore, validation and test
text share no document, and the document is the independent unit: of the datastore for dispersion,
of the test text for perplexity. Contexts, neighbours and the λ and temperature chosen on validation
text stay as they are in all resamples, and so do the layers, which are no independent sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from reproutils.chunk_states import chunks_at
from reproutils.corpora import Chunks, Documents
from reproutils.corpora.documents import split_documents
from reproutils.difficulty import unit_rows
from reproutils.dispersion import from_resultant
from reproutils.errors import ReproError
from reproutils.knnlm import LAMBDAS, Contexts, Datastore, Evaluation
from reproutils.models import AFTER_ATTENTION, FFN_INPUT, LoadedModel
from reproutils.progress import progress
from reproutils.regression import RESAMPLES, Resampled, combine, weights_with_data
from reproutils.tables import Interval

# The share of the text, by document, for the datastore, for validation and for the test.
SHARES = (0.7, 0.15, 0.15)
# The share of the lookup in the kNN-LM paper's WikiText-103 run.
FIXED_LAMBDA = 0.25
# How many states the dispersion paper draws.
SAMPLE_SIZES = (10, 50, 100)
DATASTORE_SHARES = (1 / 8, 1 / 4, 1 / 2, 1.0)

KEY_FORMATS: dict[str, str | Interval] = {
    "dispersion": Interval("dispersion_low", "dispersion_high", 3),
    "mean subtracted": Interval("centred_low", "centred_high", 3),
    "perplexity": ".3f",
    "gain": Interval("gain_low", "gain_high", 4),
    "λ": ".2f",
    "gain, λ fixed": Interval("fixed_low", "fixed_high", 4),
    "found": ".2f",
}


@dataclass(frozen=True)
class Texts:
    """Chunks of three sets of documents that have none in common."""

    datastore: Chunks
    validation: Chunks
    test: Chunks

    def __iter__(self) -> Iterator[tuple[str, Chunks]]:
        return iter(vars(self).items())


def split_chunks(
    documents: Documents, chunks: Chunks, *, n_items: int, query_chunks: int, seed: int
) -> Texts:
    """Divide chunks into datastore, validation and test by document, in the shares of
    :data:`SHARES`, and draw some of each in random order.

    The chunks must be cut from ``documents`` in one go, so that near duplicates are gone across the
    three parts too. Few chunks are spread over as many documents as possible.

    Args:
        documents: the corpus.
        chunks: all its chunks.
        n_items: chunks for the datastore; 0 for all.
        query_chunks: chunks for validation and test together, half each; 0 for all.
        seed: seed of the division and of the draws.

    Raises:
        ReproError: a negative or odd number, too few documents or too few chunks in a part, or a
            part with a single document, from which no interval follows.
    """
    if query_chunks < 0 or query_chunks % 2:
        raise ReproError(
            f"query_chunks is {query_chunks}; give an even number (half for validation, half for "
            f"the test), or 0 for all"
        )
    if n_items < 0:
        raise ReproError(f"n_items is {n_items}; give the chunks of the datastore, or 0 for all")
    rng = np.random.default_rng(seed)
    parts = []
    for name, part, wanted in zip(
        ("datastore", "validation", "test"),
        split_documents(documents, SHARES, seed),
        (n_items, query_chunks // 2, query_chunks // 2),
        strict=True,
    ):
        members = set(part.item_ids)
        rows = rng.permutation(
            [i for i, row in enumerate(chunks.documents) if documents.item_ids[row] in members]
        )
        if len(rows) < max(wanted, 1):
            raise ReproError(
                f"{documents.name} gives {len(rows)} chunks for {name}, {max(wanted, 1)} are "
                f"wanted; lower {'n_items' if name == 'datastore' else 'query_chunks'} or "
                f"chunk_tokens"
            )
        # A first chunk of every document, then a second of each that has one, and so on.
        places = pd.Series([chunks.documents[row] for row in rows])
        turns = places.groupby(places).cumcount().to_numpy()
        drawn = rows[np.argsort(turns, kind="stable")[: wanted or None]]
        parts.append(chunks_at(chunks, rng.permutation(drawn)))
        if parts[-1].n_documents < 2:
            raise ReproError(
                f"all {name} chunks of {documents.name} come from one document, and intervals "
                f"resample documents; use a corpus of more documents or more chunks"
            )
    return Texts(*parts)


class Resampling:
    """Bootstrap over the documents that contexts come from.

    Attributes:
        n: documents.
        weights: (1 + resamples, n) multiplicities of the documents; the first row, of ones, is the
            data as they are.
    """

    def __init__(self, documents: Sequence[int] | np.ndarray, *, seed: int, resamples: int) -> None:
        labels, self._at = np.unique(np.asarray(documents), return_inverse=True)
        self.n = len(labels)
        self._sizes = np.bincount(self._at).astype(np.float64)
        self.weights = weights_with_data(labels, resamples, seed)

    def mean(self, values: np.ndarray) -> Resampled:
        """Mean over the contexts of ``values`` (n_contexts,)."""
        sums = np.bincount(self._at, weights=values)
        return self._resampled(self.weights @ sums / (self.weights @ self._sizes))

    def dispersion(self, unit: np.ndarray) -> Resampled:
        """Mean cosine distance over pairs of different contexts.

        Pairs within a document count as often as it is drawn, pairs of two documents with the
        product, and pairs of a document and its own copy never: those would make a resample less
        dispersed than the data.

        Args:
            unit: (n_contexts, d) rows of length 1.
        """
        order = np.argsort(self._at, kind="stable")
        starts = np.concatenate([[0], np.cumsum(self._sizes)[:-1]]).astype(int)
        sums = np.add.reduceat(unit[order], starts, axis=0)
        own = (sums**2).sum(1)
        weights, sizes = self.weights, self._sizes
        inner = ((weights @ sums) ** 2).sum(1) - weights**2 @ own + weights @ (own - sizes)
        pairs = (weights @ sizes) ** 2 - weights**2 @ sizes**2 + weights @ (sizes * (sizes - 1))
        undefined = np.full(len(pairs), np.nan)
        return self._resampled(1.0 - np.divide(inner, pairs, out=undefined, where=pairs > 0))

    def _resampled(self, values: np.ndarray) -> Resampled:
        return Resampled(float(values[0]), values[1:], self.n)


@dataclass(frozen=True)
class Key:
    """What one layer gives as a key.

    Attributes:
        layer: its name.
        dispersion: mean pairwise cosine distance of the contexts drawn from the datastore.
        centred: the same after their mean is subtracted (the mean of the data, in every resample).
        evaluation: kNN-LM with λ and temperature chosen on validation text.
        loss: its ln perplexity on the test tokens.
        fixed_loss: the same with λ at :data:`FIXED_LAMBDA` and the temperature chosen for it.
    """

    layer: str
    dispersion: Resampled
    centred: Resampled
    evaluation: Evaluation
    loss: Resampled
    fixed_loss: Resampled


@dataclass(frozen=True)
class LayerChoice:
    """All keys of one model, measured on the same texts.

    Attributes:
        keys: every key by the name of its layer.
        n_blocks: the model's blocks.
        base: ln perplexity of the model by itself on the test tokens.
        drawn: the contexts of the datastore whose dispersion was measured.
        test: the resamples of test documents behind every loss.
    """

    keys: dict[str, Key]
    n_blocks: int
    base: Resampled
    drawn: np.ndarray
    test: Resampling

    @property
    def attention(self) -> list[Key]:
        """After attention, one key per block."""
        return [self.keys[f"block {k} {FFN_INPUT}"] for k in range(1, self.n_blocks + 1)]

    @property
    def feed_forward(self) -> list[Key]:
        """After the feed-forward sublayer, one key per block."""
        return [self.keys[f"block {k}"] for k in range(1, self.n_blocks + 1)]

    @property
    def both(self) -> list[Key]:
        """The keys that there are to choose from: both sides of every block."""
        return [key for pair in zip(self.attention, self.feed_forward, strict=True) for key in pair]

    @property
    def most_dispersed(self) -> Key:
        """The key that dispersion chooses."""
        return max(self.both, key=lambda key: key.dispersion.value)

    @cached_property
    def chosen(self) -> Key:
        """The key that validation perplexity chooses."""
        return min(self.both, key=lambda key: key.evaluation.choice.perplexity)

    def gain(self, key: Key) -> Resampled:
        """By how much a key lowers ln perplexity."""
        return difference(self.base, key.loss)

    def fixed_gain(self, key: Key) -> Resampled:
        """By how much it does with λ fixed."""
        return difference(self.base, key.fixed_loss)


def key_layers(model: LoadedModel) -> list[str]:
    """The layers measured: both sides of each block, and the two controls of the last one.

    Raises:
        ReproError: the model has no norm after its last block.
    """
    if model.final_norm is None:
        raise ReproError(
            f"model {model.name} has no norm after its last block, so the effect of a norm cannot "
            f"be told from that of a sublayer; use a pre-norm model such as GPT-2 or Llama"
        )
    blocks = range(1, model.n_blocks + 1)
    return [
        *(layer for k in blocks for layer in (f"block {k} {FFN_INPUT}", f"block {k}")),
        f"block {model.n_blocks} {AFTER_ATTENTION}",
        "final_norm",
    ]


def measure(
    datastore: Datastore,
    validation: Contexts,
    test: Contexts,
    *,
    neighbours: int,
    dispersion_tokens: int,
    seed: int,
    resamples: int = RESAMPLES,
) -> LayerChoice:
    """Dispersion and kNN-LM perplexity of every layer that :func:`key_layers` names.

    The keys of one layer are in memory at a time, and each layer is searched once for validation
    and once for the test.

    Args:
        datastore, validation, test: read at ``key_layers(model)``.
        neighbours: keys looked up per context.
        dispersion_tokens: contexts of the datastore whose dispersion is measured, drawn at random
            and the same ones for each layer; all of them if there are fewer.

    Raises:
        ReproError: see :meth:`reproutils.knnlm.Datastore.evaluate`.
    """
    stored = datastore.contexts
    if test.log_probabilities is None:
        raise ReproError("the test contexts have no log-probabilities; read them with read_queries")
    rng = np.random.default_rng(seed)
    size = min(dispersion_tokens, len(stored))
    drawn = np.sort(rng.choice(len(stored), size, replace=False))
    # Different seeds: documents of the two parts are drawn independently of each other.
    of_test = Resampling(test.documents, seed=seed, resamples=resamples)
    of_drawn = Resampling(stored.documents[drawn], seed=seed + 1, resamples=resamples)
    keys = {}
    for layer in progress(stored.layers, label="kNN-LM: layers", total=len(stored.layers)):
        rows = stored.keys(layer)[drawn]
        chosen, fixed = datastore.evaluate_each(
            layer, validation, test, neighbours, grids=[LAMBDAS, [FIXED_LAMBDA]]
        )
        keys[layer] = Key(
            layer=layer,
            dispersion=of_drawn.dispersion(unit_rows(rows)),
            centred=of_drawn.dispersion(unit_rows(rows, centred=True)),
            evaluation=chosen,
            loss=of_test.mean(-chosen.log_probabilities),
            fixed_loss=of_test.mean(-fixed.log_probabilities),
        )
    return LayerChoice(
        keys=keys,
        n_blocks=sum(layer.endswith(FFN_INPUT) for layer in stored.layers),
        base=of_test.mean(-test.log_probabilities),
        drawn=drawn,
        test=of_test,
    )


def difference(a: Resampled, b: Resampled) -> Resampled:
    """a − b, resample by resample."""
    return combine(lambda x, y: x - y, [a, b])


def perplexity(loss: Resampled) -> Resampled:
    """exp of a mean loss in nats."""
    return combine(np.exp, [loss])


def estimates(choice: LayerChoice) -> dict[str, Resampled | None]:
    """The numbers that the claim is about, by name; None where there is no estimate.

    ``gain`` in a name: of dispersion, after attention less after the feed-forward sublayer; of
    perplexity, by how much more ln perplexity falls with the first than with the second.
    """
    last = choice.n_blocks
    read, after = choice.keys[f"block {last} {FFN_INPUT}"], choice.keys[f"block {last}"]
    unnormed = choice.keys[f"block {last} {AFTER_ATTENTION}"]
    normed = choice.keys["final_norm"]
    return {
        "dispersion_attention": read.dispersion,
        "dispersion_ffn": after.dispersion,
        "dispersion_gain_attention": difference(read.dispersion, after.dispersion),
        "dispersion_gain_centred": difference(read.centred, after.centred),
        "dispersion_gain_without_norm": difference(unnormed.dispersion, after.dispersion),
        "dispersion_gain_with_norm": difference(read.dispersion, normed.dispersion),
        "base_perplexity": perplexity(choice.base),
        "perplexity_attention": perplexity(read.loss),
        "perplexity_ffn": perplexity(after.loss),
        "perplexity_gain_attention": difference(after.loss, read.loss),
        "perplexity_gain_attention_fixed": difference(after.fixed_loss, read.fixed_loss),
        "perplexity_gain_without_norm": difference(after.loss, unnormed.loss),
        "perplexity_gain_with_norm": difference(normed.loss, read.loss),
        "gain_standard": choice.gain(read),
        "gain_best": choice.gain(choice.chosen),
        "gain_most_dispersed": choice.gain(choice.most_dispersed),
        "gain_share_most_dispersed": gain_share(choice),
        "spearman_layers": spearman(choice.both),
        "spearman_layers_centred": spearman(choice.both, centred=True),
        "share_blocks_attention_dispersed": share_ahead(
            [key.dispersion for key in choice.attention],
            [key.dispersion for key in choice.feed_forward],
        ),
        "share_blocks_attention_better": share_ahead(
            [key.loss for key in choice.feed_forward], [key.loss for key in choice.attention]
        ),
    }


def spearman(keys: Sequence[Key], *, centred: bool = False) -> Resampled | None:
    """Rank correlation over keys of dispersion and ln perplexity.

    Each resample draws documents of the datastore for dispersion and, independently, documents of
    the test text for perplexity. The layers are held fixed: they are steps of one network and no
    independent sample, so the interval says nothing about other networks.

    Returns:
        ``n`` counts the test documents; None where one of the two does not vary over the keys.
    """
    spreads = [key.centred if centred else key.dispersion for key in keys]
    x, y = (
        _rank_deviations(np.array([[found.value, *found.draws] for found in series]).T)
        for series in (spreads, [key.loss for key in keys])
    )
    scale = np.sqrt((x**2).sum(1) * (y**2).sum(1))
    values = np.full(len(scale), np.nan)
    np.divide((x * y).sum(1), scale, out=values, where=scale > 0)
    if np.isnan(values[0]):
        return None
    return Resampled(float(values[0]), values[1:], keys[0].loss.n)


def _rank_deviations(values: np.ndarray) -> np.ndarray:
    ranks = rankdata(values, axis=1)
    return np.asarray(ranks - ranks.mean(1, keepdims=True))


def gain_share(choice: LayerChoice) -> Resampled | None:
    """The fall in ln perplexity by the most dispersed key, as a share of that by the key chosen on
    validation text; both keys stay the same in all resamples.

    Returns:
        None where the chosen key gains nothing: then there is nothing to have a share of. Resamples
        of that kind are NaN, which leaves them out of the interval.
    """
    best = choice.gain(choice.chosen)
    if best.value <= 0:
        return None

    def share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
        undefined = np.full(np.shape(whole), np.nan)
        return np.asarray(np.divide(part, whole, out=undefined, where=np.asarray(whole) > 0))

    return combine(share, [choice.gain(choice.most_dispersed), best])


def share_ahead(first: Sequence[Resampled], second: Sequence[Resampled]) -> Resampled:
    """The share of blocks in which the first number is the larger; a tie counts half."""

    def share(*parts: np.ndarray) -> np.ndarray:
        signs = np.sign(np.subtract(parts[: len(first)], parts[len(first) :]))
        return np.asarray((signs.mean(0) + 1) / 2)

    return combine(share, [*first, *second])


def small_samples(
    first: np.ndarray,
    second: np.ndarray,
    *,
    sizes: Sequence[int] = SAMPLE_SIZES,
    draws: int,
    seed: int,
) -> pd.DataFrame:
    """Dispersion of a few contexts, drawn without replacement, as keys of two layers.

    Args:
        first, second: (n, d) keys of the same contexts at two layers.
        sizes: contexts per draw.
        draws: draws per size; both layers see the same contexts.

    Returns:
        One row per size and a last row for all n: ``states``, for each layer the ``mean`` and
        ``sd`` over draws and the ``change`` of that mean relative to all n (``mean_first`` and so
        on), and ``order_kept``, the share of draws that order the two layers as all n do.

    Raises:
        ReproError: fewer contexts than the largest size.
    """
    if len(first) < max(sizes):
        raise ReproError(
            f"draws of {max(sizes)} states need as many, there are {len(first)}: raise "
            f"dispersion_tokens or n_items"
        )
    rng = np.random.default_rng(seed)
    units = unit_rows(first), unit_rows(second)
    whole = np.array([from_resultant(len(unit), (unit.mean(0) ** 2).sum()) for unit in units])
    rows = []
    for size in sizes:
        found = np.empty((draws, 2))
        for draw in range(draws):
            at = rng.choice(len(first), size, replace=False)
            squares = [(unit[at].mean(0) ** 2).sum() for unit in units]
            found[draw] = from_resultant(size, squares)
        same = np.sign(found[:, 0] - found[:, 1]) == np.sign(whole[0] - whole[1])
        rows.append(_sample_row(size, found.mean(0), found.std(0), whole, float(same.mean())))
    return pd.DataFrame([*rows, _sample_row(len(first), whole, np.zeros(2), whole, 1.0)])


def _sample_row(
    size: int, mean: np.ndarray, sd: np.ndarray, whole: np.ndarray, kept: float
) -> dict[str, float]:
    row: dict[str, float] = {"states": size}
    for number, name in enumerate(("first", "second")):
        row |= {
            f"mean_{name}": float(mean[number]),
            f"sd_{name}": float(sd[number]),
            f"change_{name}": float(mean[number] / whole[number] - 1),
        }
    return row | {"order_kept": kept}


def size_curve(
    choice: LayerChoice,
    datastore: Datastore,
    validation: Contexts,
    test: Contexts,
    layers: Sequence[str],
    *,
    shares: Sequence[float] = DATASTORE_SHARES,
) -> pd.DataFrame:
    """Perplexity with the first part of the datastore, whose chunks stand in random order.

    λ and temperature are chosen anew at each size. With fewer keys than neighbours all keys are
    neighbours.

    Returns:
        One row per layer and share: ``layer``, ``keys``, ``perplexity``, and the ``gain`` in ln
        perplexity over the model by itself with ``low`` and ``high``.
    """
    rows = []
    for layer in dict.fromkeys(layers):
        key = choice.keys[layer]
        for share in shares:
            n_keys = max(1, round(share * len(datastore)))
            loss = key.loss
            if n_keys < len(datastore):
                part = datastore.evaluate(
                    layer, validation, test, min(key.evaluation.k, n_keys), n_keys=n_keys
                )
                loss = choice.test.mean(-part.log_probabilities)
            gain = difference(choice.base, loss).interval()
            rows.append(
                {
                    "layer": layer,
                    "keys": n_keys,
                    "perplexity": float(np.exp(loss.value)),
                    "gain": gain.value,
                    "low": gain.low,
                    "high": gain.high,
                }
            )
    return pd.DataFrame(rows)


def key_table(choice: LayerChoice, layers: Sequence[str]) -> pd.DataFrame:
    """One row per key, to be shown with :data:`KEY_FORMATS`; gains are in ln perplexity over the
    model by itself, ``found`` is the share of test tokens among their neighbours' values."""
    rows = []
    for layer in layers:
        key = choice.keys[layer]
        row: dict[str, object] = {"key": layer}
        for column, prefix, found in (
            ("dispersion", "dispersion", key.dispersion),
            ("mean subtracted", "centred", key.centred),
            ("gain", "gain", choice.gain(key)),
            ("gain, λ fixed", "fixed", choice.fixed_gain(key)),
        ):
            interval = found.interval()
            row |= {
                column: interval.value,
                f"{prefix}_low": interval.low,
                f"{prefix}_high": interval.high,
            }
        row |= {
            "perplexity": key.evaluation.perplexity,
            "λ": key.evaluation.choice.lam,
            "found": key.evaluation.found,
        }
        rows.append(row)
    table = pd.DataFrame(rows)
    ends = [column for column in table.columns if column.endswith(("_low", "_high"))]
    return table[["key", *KEY_FORMATS, *ends]]
