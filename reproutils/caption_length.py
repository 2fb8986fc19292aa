"""How the similarity of captions with fixed targets depends on their length, at each point of a
text tower: at the end-of-text token or averaged over all tokens, before or after the projection.

In the length paper's model a token state is a shared direction plus independent noise of relative
energy rho. Then the cosine of a mean over n tokens with a fixed target v is
``cos(mu, v) (1 + rho / n)**-0.5``: it depends on length only as far as the target has to do with
the shared direction, and a single token, such as the end-of-text one, has no length effect at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reproutils.difficulty import unit_rows
from reproutils.dispersion import weighted_dispersion
from reproutils.errors import ReproError
from reproutils.models import LoadedModel
from reproutils.regression import (
    RESAMPLES,
    Resampled,
    combine,
    resampled_correlation,
    weights_with_data,
)
from reproutils.states import Reductions, States, extract

POOLINGS = {"eos": "end-of-text token", "mean": "mean over tokens"}
PLACES = {"before": "before projection", "after": "after projection"}
# Beyond the two claims: the mean without the start and end tokens, which every caption has.
INNER = "inner"


@dataclass(frozen=True)
class TextPoint:
    """Captions at one point of a text tower.

    Attributes:
        pooling: ``eos``, ``mean`` or ``inner`` (the mean without first and last token).
        place: ``before`` or ``after`` the projection.
        vectors: (n, d) float64 pooled states.
        pooled_tokens: (n,) tokens averaged.
        rho: noise energy over shared energy of the states that were pooled.
    """

    pooling: str
    place: str
    vectors: np.ndarray
    pooled_tokens: np.ndarray
    rho: float

    @property
    def key(self) -> str:
        return f"{self.pooling}_{self.place}"

    def similarity(self, targets: np.ndarray) -> np.ndarray:
        """(n,) cosine with each of the targets (k, d), averaged over them."""
        return np.asarray((unit_rows(self.vectors) @ unit_rows(targets).T).mean(1))

    def paired(self, targets: np.ndarray) -> np.ndarray:
        """(n,) cosine of caption i with target i."""
        return np.asarray((unit_rows(self.vectors) * unit_rows(targets)).sum(1))

    def expected(self, targets: np.ndarray, tokens: np.ndarray) -> np.ndarray:
        """The length paper's expectation of :meth:`similarity` for these numbers of tokens."""
        mean = self.vectors.mean(0, keepdims=True)
        level = float((unit_rows(mean) @ unit_rows(targets).T).mean())
        return np.asarray(level / np.sqrt(1.0 + self.rho / tokens))


def text_points(
    model: LoadedModel,
    texts: Sequence[str],
    projection: np.ndarray | None,
    *,
    truncate: bool = False,
) -> tuple[dict[str, TextPoint], States]:
    """Captions at every point after the last layer of a text tower.

    Args:
        model: the tower, whose tokenizer puts one token before and one after the text.
        projection: (d, d_shared), applied to token states without a bias, so that it commutes with
            the mean; None for a tower without one, which has only points ``before``.
        truncate: cut captions longer than the context instead of refusing them.

    Returns:
        The points by their keys, and the states behind them.

    Raises:
        ReproError: a caption of fewer than three tokens, start and end included.
    """
    top = model.layer_names[-1]
    lengths = [len(model.encode(text)[0]) for text in texts]
    if truncate:
        lengths = [min(length, model.max_length) for length in lengths]
    if min(lengths) < 3:
        raise ReproError(
            f"caption {int(np.argmin(lengths))} has no token between start and end; leave it out"
        )
    states = extract(
        model,
        texts,
        layers=[top],
        reductions=Reductions(spans=(), rows=tuple(tuple(range(length)) for length in lengths)),
        truncate=truncate,
    )
    maps: dict[str, np.ndarray | None] = {"before": None}
    if projection is not None:
        maps["after"] = projection
    # pooling and place -> per caption: pooled state and mean squared norm of what was pooled
    pooled: dict[tuple[str, str], list[tuple[np.ndarray, float]]] = {}
    for rows in states.rows():
        for place, matrix in maps.items():
            tokens = rows[0].astype(np.float64)
            tokens = tokens if matrix is None else tokens @ matrix
            squares = (tokens**2).sum(1)
            for pooling, part in (
                ("eos", slice(-1, None)),
                ("mean", slice(None)),
                (INNER, slice(1, -1)),
            ):
                pooled.setdefault((pooling, place), []).append(
                    (tokens[part].mean(0), float(squares[part].mean()))
                )
    counts = np.array(lengths)
    n_pooled = {"eos": np.ones_like(counts), "mean": counts, INNER: counts - 2}
    points = {}
    for (pooling, place), found in pooled.items():
        vectors = np.stack([vector for vector, _ in found])
        energy = float(np.mean([square for _, square in found]))
        point = TextPoint(pooling, place, vectors, n_pooled[pooling], shared_rho(vectors, energy))
        points[point.key] = point
    return points, states


def shared_rho(pooled: np.ndarray, energy: float) -> float:
    """Noise energy over shared energy, the shared direction being that of different texts.

    Args:
        pooled: (n, d) pooled states; the inner products of different texts estimate the squared
            norm of what they share without bias.
        energy: mean squared norm of the states that were pooled.

    Returns:
        Infinity where the texts share nothing.
    """
    n = len(pooled)
    shared = (np.sum(pooled.sum(0) ** 2) - np.sum(pooled**2)) / (n * (n - 1))
    return float(energy / shared - 1.0) if shared > 0 else float("inf")


def explained(
    similarity: np.ndarray, predictor: np.ndarray, *, seed: int, resamples: int = RESAMPLES
) -> Resampled:
    """R² of a similarity on a length predictor, with draws; the caption is the independent unit."""
    return combine(
        lambda r: r**2,
        [resampled_correlation(predictor, similarity, seed=seed, resamples=resamples)],
    )


def mean_cosine(vectors: np.ndarray, *, seed: int, resamples: int = RESAMPLES) -> Resampled:
    """Anisotropy: mean cosine over pairs of different captions; a resample compares none with
    itself."""
    unit = unit_rows(vectors)
    weights = weights_with_data(range(len(unit)), resamples, seed)
    values = 1.0 - weighted_dispersion(unit, weights)
    return Resampled(float(values[0]), values[1:], len(unit))
