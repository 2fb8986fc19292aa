"""The controls that separate a length artefact from content, one row of a table each.

Each control is a similarity of paired texts together with the lengths of the two texts that it
compared. Regressed on the same predictor, the rows say what the length effect depends on: if it
stays when the content is exchanged, content is not what it measures; if it goes when position 0 or
the corpus mean is removed, these carry it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from reproutils.alignment import mismatch, mismatch_same_length
from reproutils.errors import ReproError
from reproutils.pairs import PairStates, log_length_ratio, pooling_noise
from reproutils.regression import length_fit

FIXED_ROWS = 5
FIXED_ROW_DRAWS = 5


@dataclass(frozen=True)
class Control:
    """One row: a similarity and the lengths that go with it.

    Attributes:
        key: short name for estimate ids.
        label: what a reader sees.
        family: ``cosine`` or ``cka``.
        similarity: (n_pairs,), NaN where undefined.
        n_first, n_second: (n_pairs,) token counts of the texts compared.
    """

    key: str
    label: str
    family: str
    similarity: np.ndarray
    n_first: np.ndarray
    n_second: np.ndarray


def cosine_controls(
    trained: PairStates, untrained: PairStates | None, *, seed: int
) -> Iterator[Control]:
    """The pooled-cosine rows, the paper's own measure first."""
    rng = np.random.default_rng(seed)
    first, second = trained.first.n_tokens, trained.second.n_tokens
    same = mismatch_same_length(second, rng)
    other = mismatch(len(trained), rng)

    def row(key: str, label: str, similarity: np.ndarray, partner: np.ndarray | None = None) -> Control:
        lengths = second if partner is None else second[partner]
        return Control(key, label, "cosine", similarity, first, lengths)

    yield row("cosine", "pooled cosine, as in the paper", trained.cosine())
    yield row("no_first", "position 0 left out", trained.cosine("no_first"))
    yield row("centred", "corpus mean subtracted", trained.cosine(centred=True))
    yield row("no_first_centred", "position 0 out, mean subtracted", trained.cosine("no_first", centred=True))
    yield row("debiased", "debiased cosine, position 0 out", trained.debiased())
    yield row("mismatched", "other text of the same length", trained.cosine(partner=same), same)
    yield row(
        "mismatched_no_first", "other text of the same length, position 0 out",
        trained.cosine("no_first", partner=same), same,
    )  # fmt: skip
    yield row("mismatched_any", "other text of any length", trained.cosine(partner=other), other)
    yield row("cut", "both cut to the shorter length", trained.cosine("cut"))
    if untrained is not None:
        yield row("untrained", "untrained network", untrained.cosine())
        yield row("untrained_centred", "untrained network, mean subtracted", untrained.cosine(centred=True))


def cka_controls(
    trained: PairStates, untrained: PairStates | None, *, permutations: int, seed: int
) -> Iterator[Control]:
    """The token-level rows: CKA as in the paper, then what its bias and its outliers do."""
    first, second = trained.first.n_tokens, trained.second.n_tokens

    def row(key: str, label: str, similarity: np.ndarray) -> Control:
        return Control(key, label, "cka", similarity, first, second)

    yield row("cka_biased", "linear CKA, as in the paper", trained.cka(debiased=False))
    yield row("cka_debiased", "debiased CKA", trained.cka(debiased=True))
    yield row("cka_no_first", "linear CKA, position 0 left out", trained.cka(debiased=False, without_first=True))
    yield row("cka_debiased_no_first", "debiased CKA, position 0 left out", trained.cka(debiased=True, without_first=True))
    yield row(
        "cka_fixed", f"linear CKA on {FIXED_ROWS} rows",
        trained.cka_fixed_rows(FIXED_ROWS, draws=FIXED_ROW_DRAWS, seed=seed),
    )  # fmt: skip
    yield row("cka_excess", "linear CKA above its permutation null", trained.cka_excess(permutations=permutations, seed=seed))
    yield row("adjusted_rv", "adjusted RV coefficient", trained.adjusted_rv())
    if untrained is not None:
        yield row("cka_untrained", "linear CKA, untrained network", untrained.cka(debiased=False))


def fit_controls(
    controls: Iterable[Control], *, groups: Sequence[object] | None = None, seed: int, resamples: int
) -> pd.DataFrame:
    """Regress each control on the log length ratio, and on the theory's own predictor.

    Returns:
        One row per control: ``key, label, family``, the standardised slope ``beta`` and ``r2`` on
        the log length ratio with intervals, ``r2_noise`` on -(1/m + 1/n) with its interval, ``se``
        (clustered), ``n`` (rows), ``units`` and ``mean`` similarity. A control that has fewer than
        four defined values or does not vary is left out.
    """
    rows = []
    for control in controls:
        ratio = log_length_ratio(control.n_first, control.n_second)
        noise = pooling_noise(control.n_first, control.n_second)
        try:
            fit = length_fit(control.similarity, ratio, groups, seed=seed, resamples=resamples)
            by_noise = length_fit(control.similarity, noise, groups, seed=seed, resamples=resamples)
        except ReproError:
            continue
        rows.append(
            {
                "key": control.key,
                "label": control.label,
                "family": control.family,
                "beta": fit.beta.value,
                "beta_low": fit.beta.low,
                "beta_high": fit.beta.high,
                "r2": fit.r2.value,
                "r2_low": fit.r2.low,
                "r2_high": fit.r2.high,
                "r2_noise": by_noise.r2.value,
                "r2_noise_low": by_noise.r2.low,
                "r2_noise_high": by_noise.r2.high,
                "se": fit.se,
                "n": fit.n,
                "units": fit.r2.n,
                "mean": float(np.nanmean(control.similarity)),
            }
        )
    return pd.DataFrame(rows)


def specification_curve(
    states: PairStates, bands: dict[str, Sequence[str]], *, seed: int, resamples: int
) -> pd.DataFrame:
    """R² of pooled cosine on length for each reasonable choice that the paper leaves open.

    Args:
        bands: name -> layers to average over.

    Returns:
        One row per specification: ``predictor``, ``band``, ``position 0``, ``mean``, and ``r2``
        with its interval.
    """
    first, second = states.first.n_tokens, states.second.n_tokens
    predictors = {
        "log ratio": log_length_ratio(first, second),
        "ratio": first / second,
        "min / max": np.minimum(first, second) / np.maximum(first, second),
        "−(1/m + 1/n)": pooling_noise(first, second),
    }
    rows = []
    for band, layers in bands.items():
        at_band = PairStates(
            tuple(layers), states.first, states.second, states.cut_first, states.cut_second,
            states.cut_span, states.rows_first, states.rows_second,
        )  # fmt: skip
        for span, position in (("all", "kept"), ("no_first", "left out")):
            for centred in (False, True):
                similarity = at_band.cosine(span, centred=centred)
                for predictor, values in predictors.items():
                    fit = length_fit(similarity, values, seed=seed, resamples=resamples)
                    rows.append(
                        {
                            "predictor": predictor,
                            "band": band,
                            "position 0": position,
                            "mean": "subtracted" if centred else "kept",
                            "r2": fit.r2.value,
                            "r2_low": fit.r2.low,
                            "r2_high": fit.r2.high,
                            "beta": fit.beta.value,
                        }
                    )
    return pd.DataFrame(rows).sort_values("r2", ascending=False, ignore_index=True)
