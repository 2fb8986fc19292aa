"""kNN-LM: a language model that also looks up what followed similar contexts.

A datastore holds, for each context of a text, a key (the hidden state at the context's last token)
and a value (the token that came next). A new context x with state f(x) finds its k nearest keys by
squared Euclidean distance d, and its next token w gets

    p(w | x) = λ p_kNN(w | x) + (1 − λ) p_LM(w | x),
    p_kNN(w | x) = Σ_{i: value_i = w} exp(−d_i / T) / Σ_i exp(−d_i / T),

the sums running over the k neighbours (Khandelwal et al. 2020, arXiv:1911.00172). Any layer can
give the keys; the paper's choice is the input of the last feed-forward sublayer, after its norm:
:func:`standard_key`.

Keys lie on disk, in the cache of ``reproutils.states``, under the model's fingerprint, the layers
and the texts, so that no other model, layer or text can be mistaken for them. λ and T are chosen on
validation text, and text of the datastore is refused as a query: looking up its own continuation,
a model would seem to know it.

Search is exact. :func:`nearest` scores with float32 matrix products, recomputes the distances of
the best from the differences key − query, where nothing cancels, and looks again wherever rounding
could have hidden a neighbour. FAISS, when installed, can do the scoring instead (``IndexFlatL2``,
never a quantised index); the distances used are the recomputed ones here too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

import numpy as np
import torch
from numpy.typing import NDArray

from reproutils.corpora.documents import Chunks
from reproutils.errors import ReproError
from reproutils.models import FFN_INPUT, LoadedModel
from reproutils.states import Reductions, States, extract

Floats = NDArray[np.float64]
Keys = NDArray[np.float32]
Tokens = NDArray[np.int64]
Backend = Literal["exact", "faiss"]

# Finer near 0: a small datastore of another text deserves a share of a few percent, or none.
LAMBDAS: Final = (0.0, 0.01, 0.02, 0.03, *(round(0.05 * step, 2) for step in range(1, 20)))
# Temperatures are tried in units of the neighbours' own spread, see temperature_grid.
TEMPERATURE_STEPS: Final = tuple(2.0**power for power in range(-6, 3))

# The rows that one call of extract is to keep.
ROW_BYTES = 2**27
# Scores of one block of queries (256 MiB), at most this many queries, and the key rows whose
# differences are formed at a time: the sizes at which matrix products and gathers run fastest.
SCORES, QUERIES, GATHERED = 2**26, 512, 4096
UNIT_ROUNDOFF = 2.0**-24


@dataclass(frozen=True)
class Contexts:
    """Contexts of some chunks of text with the token that follows each, chunk by chunk.

    Attributes:
        chunks: the texts.
        layers: the layers whose states were kept.
        tokens: (n,) the token that follows each context.
        documents: (n,) the document of each context, as in ``chunks.documents``.
        log_probabilities: (n,) the model's own log-probability of ``tokens`` in nats, or None where
            only keys are wanted.
        states: the kept states, some chunks each.
    """

    chunks: Chunks
    layers: tuple[str, ...]
    tokens: Tokens
    documents: Tokens
    log_probabilities: Floats | None
    states: tuple[States, ...]

    def __len__(self) -> int:
        return len(self.tokens)

    def keys(self, layer: str) -> Keys:
        """(n, d) float32 states of the contexts' last tokens at ``layer``."""
        return np.concatenate([part.rows_at(layer) for part in self.states])


@dataclass(frozen=True)
class Neighbours:
    """The k nearest keys of each query, nearest first; equal distances in the keys' order.

    Attributes:
        distances: (n, k) float32 squared Euclidean distances.
        positions: (n, k) row numbers of the keys.
    """

    distances: Keys
    positions: Tokens


@dataclass(frozen=True)
class Choice:
    """λ and temperature with the lowest perplexity on validation text, and that perplexity."""

    lam: float
    temperature: float
    perplexity: float


@dataclass(frozen=True)
class Evaluation:
    """kNN-LM with the keys of one layer.

    Attributes:
        layer: where keys and queries were taken.
        n_keys: size of the datastore.
        k: neighbours looked up.
        choice: λ and temperature, chosen on the validation contexts.
        log_probabilities: (n,) log-probabilities of the test tokens in nats.
        found: share of the test tokens that are the value of one of their neighbours.
    """

    layer: str
    n_keys: int
    k: int
    choice: Choice
    log_probabilities: Floats
    found: float

    @property
    def perplexity(self) -> float:
        """Perplexity of the test tokens."""
        return perplexity(self.log_probabilities)


@dataclass(frozen=True)
class Datastore:
    """Keys and values to look contexts up in."""

    contexts: Contexts

    def __len__(self) -> int:
        return len(self.contexts)

    def search(
        self,
        layer: str,
        queries: Contexts,
        k: int,
        *,
        n_keys: int | None = None,
        backend: Backend = "exact",
    ) -> Neighbours:
        """The k nearest keys of each query at ``layer``.

        Args:
            n_keys: look among the first so many keys only; None: all.
            backend: as in :func:`nearest`.

        Raises:
            ReproError: the queries share a document or a text with the datastore, the layer was
                not kept, or there are fewer than k keys.
        """
        check_apart(self.contexts.chunks, queries.chunks, "the datastore", "the queries")
        if n_keys is not None and not 0 < n_keys <= len(self):
            raise ReproError(f"n_keys is {n_keys}, the datastore has {len(self)} keys")
        keys = self.contexts.keys(layer)[:n_keys]
        return nearest(keys, queries.keys(layer), k, backend=backend)

    def evaluate(
        self,
        layer: str,
        validation: Contexts,
        test: Contexts,
        k: int,
        *,
        n_keys: int | None = None,
        lambdas: Sequence[float] = LAMBDAS,
        backend: Backend = "exact",
    ) -> Evaluation:
        """Choose λ and temperature on ``validation`` and score ``test``.

        The temperatures tried are :func:`temperature_grid` of the validation neighbours.

        Raises:
            ReproError: as :meth:`search`; validation and test text overlap; or the queries were
                read without the model's log-probabilities.
        """
        (found,) = self.evaluate_each(
            layer, validation, test, k, grids=[lambdas], n_keys=n_keys, backend=backend
        )
        return found

    def evaluate_each(
        self,
        layer: str,
        validation: Contexts,
        test: Contexts,
        k: int,
        *,
        grids: Sequence[Sequence[float]],
        n_keys: int | None = None,
        backend: Backend = "exact",
    ) -> list[Evaluation]:
        """:meth:`evaluate` for each of several lists of λ, with one search for all."""
        check_apart(validation.chunks, test.chunks, "validation", "test")
        tuning = self.search(layer, validation, k, n_keys=n_keys, backend=backend)
        final = self.search(layer, test, k, n_keys=n_keys, backend=backend)
        values = self.contexts.tokens[final.positions]
        found = float((values == test.tokens[:, None]).any(axis=1).mean())
        evaluations = []
        for lambdas in grids:
            choice = choose(
                _scored(validation),
                tuning.distances,
                self.contexts.tokens[tuning.positions],
                validation.tokens,
                lambdas=lambdas,
                temperatures=temperature_grid(tuning.distances),
            )
            looked_up = knn_log_probabilities(
                final.distances, values, test.tokens, choice.temperature
            )
            evaluations.append(
                Evaluation(
                    layer=layer,
                    n_keys=n_keys or len(self),
                    k=k,
                    choice=choice,
                    log_probabilities=interpolate(_scored(test), looked_up, choice.lam),
                    found=found,
                )
            )
        return evaluations


def standard_key(model: LoadedModel) -> str:
    """The layer that the kNN-LM paper takes keys from: the last feed-forward's input."""
    return f"block {model.n_blocks} {FFN_INPUT}"


def build_datastore(
    model: LoadedModel, chunks: Chunks, *, layers: Sequence[str], skip: int = 1
) -> Datastore:
    """Run ``chunks`` through ``model`` once and keep keys at ``layers`` and values.

    A key takes 4 bytes per dimension and layer on disk: 100,000 keys of SmolLM2-135M are 230 MB at
    one layer and 14 GB at sixty.

    Args:
        layers: names out of ``model.layer_names`` and ``model.sublayer_names``.
        skip: leave out contexts that end before this position of their chunk. Position 0 has seen
            nothing, and its state is an attention sink in many models.

    Raises:
        ReproError: see :func:`reproutils.states.extract`; a bidirectional model, or no context
            left after ``skip``.
    """
    return Datastore(_read(model, chunks, layers, skip, scored=False))


def read_queries(
    model: LoadedModel, chunks: Chunks, *, layers: Sequence[str], skip: int = 1
) -> Contexts:
    """Contexts to look up, with the model's own log-probabilities from the same forward pass.

    Arguments and errors are those of :func:`build_datastore`.
    """
    return _read(model, chunks, layers, skip, scored=True)


def check_apart(first: Chunks, second: Chunks, name: str, other: str) -> None:
    """Refuse two sets of chunks that have text in common.

    Raises:
        ReproError: they share a document (by its identifier) or a chunk (by its tokens).
    """
    shared = _document_ids(first) & _document_ids(second)
    repeated = set(first.ids) & set(second.ids)
    if shared or repeated:
        what = f"document {min(shared)}" if shared else f"{len(repeated)} chunks of the same tokens"
        raise ReproError(
            f"{name} and {other} both hold {what}: the perplexity would be that of text already "
            f"seen; split the corpus by document and drop repeats"
        )


def nearest(keys: Keys, queries: Keys, k: int, *, backend: Backend = "exact") -> Neighbours:
    """The k keys nearest to each query by squared Euclidean distance.

    Keys and queries are centred on the keys' mean, which leaves distances as they are and makes
    float32 scores of −d/2 accurate; the best k and some more are taken by score, and their
    distances computed anew from key − query of the given arrays in float32 (relative error below
    10⁻⁵). A query for which a key outside these could be as near, by the error bound of the scores
    (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1), is searched again
    among all keys within that bound.

    Args:
        keys: (n_keys, d) float32.
        queries: (n, d) float32.
        backend: ``exact``, or ``faiss`` to let ``faiss.IndexFlatL2`` find the best k and some more,
            which is exact up to the rounding of its float32 distances.

    Raises:
        ReproError: shapes do not fit, fewer than k keys, or FAISS asked for and not installed.
    """
    if keys.ndim != 2 or queries.ndim != 2 or keys.shape[1] != queries.shape[1]:
        raise ReproError(
            f"keys {keys.shape} and queries {queries.shape} do not fit: both have one row per "
            f"context and the same width"
        )
    if not 1 <= k <= len(keys):
        raise ReproError(f"{k} neighbours asked of {len(keys)} keys; choose k from 1 to that")
    centre = keys.mean(axis=0, dtype=np.float64).astype(np.float32)
    n_candidates = min(len(keys), k + max(32, k // 8))
    arguments = (
        torch.from_numpy(np.ascontiguousarray(keys)),
        torch.from_numpy(np.ascontiguousarray(queries)),
        torch.from_numpy(keys - centre),
        torch.from_numpy(queries - centre),
        k,
        n_candidates,
    )
    found = list((_search_exactly if backend == "exact" else _search_faiss)(*arguments))
    return Neighbours(
        distances=torch.cat([distances for distances, _ in found]).numpy(),
        positions=torch.cat([positions for _, positions in found]).numpy(),
    )


def knn_log_probabilities(
    distances: Keys, values: Tokens, targets: Tokens, temperature: float
) -> Floats:
    """log p_kNN of each target, by log-sum-exp in float64.

    Args:
        distances: (n, k) squared distances of the neighbours.
        values: (n, k) the tokens that followed them.
        targets: (n,) the tokens to score.
        temperature: T > 0, in the unit of ``distances``.

    Returns:
        (n,) nats; −∞ where no neighbour has the target as its value.

    Raises:
        ReproError: the temperature is not positive.
    """
    if not temperature > 0:
        raise ReproError(f"the temperature is {temperature:g}; it must be above 0")
    scores = torch.from_numpy(distances).double() / -temperature
    other = torch.from_numpy(values != targets[:, None])
    hits = torch.logsumexp(scores.masked_fill(other, -torch.inf), dim=1)
    return cast(Floats, (hits - torch.logsumexp(scores, dim=1)).numpy())


def interpolate(lm: Floats, knn: Floats, lam: float) -> Floats:
    """log(λ p_kNN + (1 − λ) p_LM) from the two log-probabilities.

    Raises:
        ReproError: λ outside 0 … 1.
    """
    if not 0.0 <= lam <= 1.0:
        raise ReproError(f"λ is {lam:g}; it is a share, from 0 to 1")
    with np.errstate(divide="ignore"):
        return cast(Floats, np.logaddexp(np.log1p(-lam) + lm, np.log(lam) + knn))


def perplexity(log_probabilities: Floats) -> float:
    """exp of minus the mean log-probability (nats)."""
    return float(np.exp(-np.mean(log_probabilities, dtype=np.float64)))


def temperature_grid(
    distances: Keys, steps: Sequence[float] = TEMPERATURE_STEPS
) -> tuple[float, ...]:
    """Temperatures to choose from, on the scale of these neighbours.

    Squared distances of different layers differ by orders of magnitude, so that no fixed list of
    temperatures is fair to all. The unit is the median over queries of the distance of the farthest
    neighbour minus that of the nearest; queries whose neighbours are all equally near have no
    scale and are left out (1 if all are like that: then any temperature gives the same weights).
    """
    spread = distances[:, -1].astype(np.float64) - distances[:, 0]
    spread = spread[spread > 0]
    unit = float(np.median(spread)) if len(spread) else 1.0
    return tuple(step * unit for step in steps)


def choose(
    lm: Floats,
    distances: Keys,
    values: Tokens,
    targets: Tokens,
    *,
    lambdas: Sequence[float] = LAMBDAS,
    temperatures: Sequence[float],
) -> Choice:
    """The λ and temperature with the lowest perplexity of ``targets``.

    Args:
        lm: (n,) the model's own log-probabilities of ``targets``.
        distances, values: (n, k), as in :func:`knn_log_probabilities`.

    Returns:
        The best of all pairs; of equals the first, temperatures before λ.
    """
    tried = [
        Choice(lam, temperature, perplexity(interpolate(lm, knn, lam)))
        for temperature in temperatures
        for knn in [knn_log_probabilities(distances, values, targets, temperature)]
        for lam in lambdas
    ]
    return min(tried, key=lambda choice: choice.perplexity)


def _scored(contexts: Contexts) -> Floats:
    if contexts.log_probabilities is None:
        raise ReproError("these contexts have no log-probabilities; read them with read_queries")
    return contexts.log_probabilities


def _document_ids(chunks: Chunks) -> set[str]:
    """Of identifiers DOCUMENT@OFFSET the documents."""
    return {item.rpartition("@")[0] for item in chunks.item_ids}


def _read(
    model: LoadedModel, chunks: Chunks, layers: Sequence[str], skip: int, *, scored: bool
) -> Contexts:
    if not model.causal:
        raise ReproError(
            f"model {model.name} reads in both directions: its states have seen the token that "
            f"follows; use a causal model"
        )
    ids = np.array(chunks.ids, dtype=np.int64)
    rows = range(skip, ids.shape[1] - 1)
    if skip < 0 or not rows:
        raise ReproError(
            f"skip is {skip}: no context of a chunk of {ids.shape[1]} tokens is left, or it is "
            f"negative; choose from 0 to {ids.shape[1] - 2}"
        )
    # One call of extract holds the rows of 64 texts in memory, at sixty layers gigabytes.
    step = max(1, ROW_BYTES // (len(rows) * len(layers) * model.width * 4))
    states = tuple(
        extract(
            model,
            chunks.ids[start : start + step],
            layers=layers,
            reductions=Reductions(
                spans=(), rows=(tuple(rows),) * len(ids[start : start + step]), loss=scored
            ),
        )
        for start in range(0, len(ids), step)
    )
    losses = [loss[skip:] for part in states for loss in part.losses()] if scored else []
    return Contexts(
        chunks=chunks,
        layers=tuple(layers),
        tokens=ids[:, skip + 1 :].reshape(-1),
        documents=np.repeat(np.array(chunks.documents, dtype=np.int64), len(rows)),
        log_probabilities=-np.concatenate(losses, dtype=np.float64) if scored else None,
        states=states,
    )


def _search_exactly(
    keys: torch.Tensor,
    queries: torch.Tensor,
    centred_keys: torch.Tensor,
    centred_queries: torch.Tensor,
    k: int,
    n_candidates: int,
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """(distances, positions) of one block of queries after another."""
    n, width = keys.shape
    offset = _squared_norms(centred_keys).div(-2.0).float()
    # The error bound of a sum of width + 2 terms in any order, times 8, see below.
    rounding = 8.0 * (width + 2) * UNIT_ROUNDOFF / (1.0 - (width + 2) * UNIT_ROUNDOFF)
    size = max(1, min(QUERIES, SCORES // n))
    for block, centred in zip(
        torch.split(queries, size), torch.split(centred_queries, size), strict=True
    ):
        # −(d − ‖q‖²)/2 of all keys.
        scores = torch.addmm(offset, centred, centred_keys.T)
        best = torch.topk(scores, n_candidates, dim=1, sorted=False)
        distances, positions = _nearest_of(keys, block, best.indices, k)
        # A key at least as near as the k-th found has a norm of at most R = ‖q‖ + √d_k. The terms
        # of its doubled score sum to at most 3 R², its squared norm and its distance are at most
        # R², and centring moves a distance by a few roundings of R².
        squares = _squared_norms(centred)
        reach = distances[:, -1].double()
        error = rounding * (squares.sqrt() + reach.sqrt()).square()
        outside = squares - 2.0 * best.values.amin(1).double() if n_candidates < n else torch.inf
        for row in torch.nonzero(outside <= reach + error).flatten().tolist():
            limit = (squares[row] - reach[row] - error[row]) / 2.0
            possible = torch.nonzero(scores[row] >= limit).T
            distances[row], positions[row] = (
                part[0] for part in _nearest_of(keys, block[row : row + 1], possible, k)
            )
        yield distances, positions


def _search_faiss(
    keys: torch.Tensor,
    queries: torch.Tensor,
    centred_keys: torch.Tensor,
    centred_queries: torch.Tensor,
    k: int,
    n_candidates: int,
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """The same with FAISS for the scores."""
    # Imported late: on macOS FAISS and torch bring an OpenMP runtime each.
    try:
        import faiss
    except ImportError as error:
        raise ReproError(
            "FAISS is not installed: pip install 'reproutils[knn]', or use the backend exact"
        ) from error
    index = faiss.IndexFlatL2(keys.shape[1])
    index.add(centred_keys.numpy())
    for block, centred in zip(
        torch.split(queries, QUERIES), torch.split(centred_queries, QUERIES), strict=True
    ):
        _, positions = index.search(centred.numpy(), n_candidates)
        yield _nearest_of(keys, block, torch.from_numpy(positions), k)


def _nearest_of(
    keys: torch.Tensor, queries: torch.Tensor, candidates: torch.Tensor, k: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Of each query's candidates, (n, c) row numbers, the k nearest with distances from
    differences."""
    positions = candidates.sort(dim=1).values
    step = max(1, GATHERED // positions.shape[1])
    # One buffer for all: pages new to the process cost more than the arithmetic.
    buffer = keys.new_empty((step * positions.shape[1], keys.shape[1]))
    parts = []
    for start, some in zip(range(0, len(queries), step), torch.split(positions, step), strict=True):
        rows = torch.index_select(keys, 0, some.reshape(-1), out=buffer[: some.numel()])
        differences = rows.view(*some.shape, -1).sub_(queries[start : start + step, None])
        parts.append(torch.linalg.vector_norm(differences, dim=-1).square_())
    ordered = torch.cat(parts).sort(dim=1, stable=True)
    nearest_first = positions.gather(1, ordered.indices[:, :k])
    return ordered.values[:, :k].contiguous(), nearest_first


def _squared_norms(rows: torch.Tensor) -> torch.Tensor:
    """(n,) float64, of norms taken in float32."""
    norms: torch.Tensor = torch.linalg.vector_norm(rows, dim=1).double()
    return norms.square_()
