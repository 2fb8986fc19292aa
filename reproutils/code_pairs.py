"""Parallel code under one model: Python against each other language, per language and pooled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproutils.controls import SINK_CHOICES, Control, Twin, fit_controls, length_predictors
from reproutils.corpora import ParallelCode, places_of
from reproutils.corpora.syntax import ParseError, ast_depth, shared_token_fraction
from reproutils.models import LoadedModel
from reproutils.pairs import PairStates, extract_pairs, log_length_ratio, sink_rows
from reproutils.paths import data_dir
from reproutils.regression import length_fit, within
from reproutils.results import Estimate, read_results
from reproutils.theory import participation_ratio

REFERENCE = "python"
POOLED = "pooled"


def code_states(
    model: LoadedModel, texts: Mapping[str, Sequence[str]], *, truncate: bool = False
) -> dict[str, PairStates]:
    """States of the pairs (Python, other) for each other language.

    Token rows are kept at every second block of the band: code aligns on dozens of rows, and
    neighbouring blocks are all but the same.
    """
    band = model.middle_blocks()
    return extract_pairs(
        model, texts, layers=band, band=band, row_layers=band[::2], truncate=truncate
    )


def twin_states(
    untrained: LoadedModel | None,
    corpus: ParallelCode,
    n_items: int,
    *,
    seed: int,
    truncate: bool = False,
) -> dict[str, Twin]:
    """States of the untrained network on a seeded part of the problems; empty without one."""
    if untrained is None:
        return {}
    part = corpus.take(n_items, seed)
    items = places_of(part.item_ids, corpus.item_ids)
    states = code_states(untrained, part.texts, truncate=truncate)
    return {language: Twin(pair, items) for language, pair in states.items()}


def predictors(
    corpus: ParallelCode,
    texts: Mapping[str, Sequence[str]],
    states: Mapping[str, PairStates],
    model: LoadedModel,
) -> tuple[pd.DataFrame, dict[str, int]]:
    """What the length paper puts beside length, one row per problem and other language.

    Returns:
        ``problem, language, log_ratio`` (ln of Python tokens over other tokens), ``depth`` (mean
        syntax depth of the two solutions; NaN where one does not parse) and ``shared`` (Jaccard
        index of the model's token types); and the number of texts per language that do not parse.
    """
    depths = {language: [_depth(text, language) for text in texts[language]] for language in texts}
    tokens = {
        language: [[t for t in model.encode(text)[1] if t] for text in texts[language]]
        for language in texts
    }
    frames = []
    for other, pair in states.items():
        frames.append(
            pd.DataFrame(
                {
                    "problem": corpus.item_ids,
                    "language": other,
                    "log_ratio": log_length_ratio(pair.first.n_tokens, pair.second.n_tokens),
                    "depth": np.mean([depths[REFERENCE], depths[other]], axis=0),
                    "shared": [
                        shared_token_fraction(a, b)
                        for a, b in zip(tokens[REFERENCE], tokens[other], strict=True)
                    ],
                }
            )
        )
    failures = {language: int(np.isnan(values).sum()) for language, values in depths.items()}
    return pd.concat(frames, ignore_index=True), failures


def fit_by_language(
    controls: Mapping[str, Sequence[Control]],
    problems: Sequence[str],
    *,
    seed: int,
    resamples: int,
) -> pd.DataFrame:
    """:func:`fit_controls` per language, and pooled with language effects.

    For the pooled rows similarity and predictors are deviations from the mean of their language,
    and the problem is the independent unit.

    Args:
        controls: language -> its controls, the same keys in each.

    Returns:
        The frame of :func:`fit_controls` with a column ``language`` in front.
    """
    frames = []
    for language, rows in controls.items():
        fitted = fit_controls(rows, groups=problems, seed=seed, resamples=resamples)
        frames.append(fitted.assign(language=language))
    by_key: dict[str, list[Control]] = {}
    labels: dict[str, list[str]] = {}
    for language, rows in controls.items():
        for row in rows:
            by_key.setdefault(row.key, []).append(row)
            labels.setdefault(row.key, []).extend([language] * len(row.similarity))
    pooled = [_pool(rows, labels[key]) for key, rows in by_key.items()]
    frames.append(
        fit_controls(
            pooled, groups=list(problems) * len(controls), seed=seed, resamples=resamples
        ).assign(language=POOLED)
    )
    whole = pd.concat(frames, ignore_index=True)
    return whole[["language", *(column for column in whole if column != "language")]]


def specification_rows(
    states: Mapping[str, PairStates],
    problems: Sequence[str],
    text: str,
    *,
    seed: int,
    resamples: int,
) -> list[dict[str, str | float]]:
    """R² of pooled cosine on length for each choice that the paper leaves open, for one text.

    Args:
        text: the name of the text definition that ``states`` belong to.

    Returns:
        One row per text, band, sink choice, predictor and language (each one, and pooled with
        language effects).
    """
    band = next(iter(states.values())).band
    bands = {"n/4 to 3n/4": band, "middle block": [band[len(band) // 2]]}
    labels = [language for language in states for _ in problems]
    rows: list[dict[str, str | float]] = []
    for name, layers in bands.items():
        for span, sinks in SINK_CHOICES.items():
            similarity = {
                language: pair.over(layers).cosine(span) for language, pair in states.items()
            }
            lengths = {language: length_predictors(pair) for language, pair in states.items()}
            for predictor in next(iter(lengths.values())):
                values = {language: lengths[language][predictor] for language in states}
                for language in (POOLED, *states):
                    if language == POOLED:
                        y = within(np.concatenate(list(similarity.values())), labels)
                        x = within(np.concatenate(list(values.values())), labels)
                        groups = list(problems) * len(states)
                    else:
                        y, x, groups = similarity[language], values[language], list(problems)
                    fit = length_fit(y, x, groups, seed=seed, resamples=resamples)
                    rows.append(
                        {
                            "text": text,
                            "band": name,
                            "sink tokens": sinks,
                            "predictor": predictor,
                            "language": language,
                            "r2": fit.r2.value,
                            "r2_low": fit.r2.low,
                            "r2_high": fit.r2.high,
                            "beta": fit.beta.value,
                        }
                    )
    return rows


def ratio_spread(estimates: Iterable[Estimate], quantiles: Sequence[float]) -> pd.DataFrame:
    """Quantiles of the log length ratio of this run and of each kept reference run.

    Args:
        estimates: this run's, with ids ``log_ratio_qPPP_LANGUAGE``, PPP in thousandths.

    Returns:
        One row per corpus and language: ``corpus, language`` and one column per quantile.
    """
    corpora = {"this corpus": list(estimates)}
    for path in sorted((data_dir() / "reference").glob("f2_code_length--*.json")):
        corpora.setdefault(path.stem.split("--")[1], read_results(path).estimates)
    rows = []
    for corpus, found in corpora.items():
        values = {estimate.id: estimate.value for estimate in found}
        for language in ("java", "javascript", "go"):
            names = [f"log_ratio_q{quantile * 1000:03.0f}_{language}" for quantile in quantiles]
            if all(values.get(name) is not None for name in names):
                row: dict[object, object] = {"corpus": corpus, "language": language}
                row |= {q: values[name] for q, name in zip(quantiles, names, strict=True)}
                rows.append(row)
    return pd.DataFrame(rows)


def draw_ratio_spread(figure: Figure, spread: pd.DataFrame) -> None:
    """Median, middle half and middle 95 % of each row of :func:`ratio_spread`."""
    ax = figure.subplots()
    low, lower, middle, upper, high = (column for column in spread if isinstance(column, float))
    corpora = list(dict.fromkeys(spread["corpus"]))
    rows = spread.sort_values(["language", "corpus"], ignore_index=True)
    for height, row in enumerate(rows.to_dict("records")):
        colour = f"C{corpora.index(row['corpus'])}"
        ax.plot([row[low], row[high]], [height, height], color=colour, lw=2)
        ax.plot([row[lower], row[upper]], [height, height], color=colour, lw=6)
        ax.plot([row[middle]], [height], "o", color=colour, ms=9)
    ax.set_yticks(range(len(rows)), [f"{row.language}, {row.corpus}" for row in rows.itertuples()])
    ax.set(xlabel="ln(tokens Python / other)", ylim=(len(rows) - 0.5, -0.5))
    ax.grid(axis="y", visible=False)


def participation_of_rows(states: Mapping[str, PairStates]) -> float:
    """Participation ratio of the aligned Python rows at the middle of the kept blocks, without
    sink rows."""
    pair = next(iter(states.values()))
    kept = []
    for rows in pair.first.rows():
        middle = rows[len(rows) // 2 : len(rows) // 2 + 1].astype(np.float64)
        kept.append(middle[0][~sink_rows(middle)])
    return float(participation_ratio(np.concatenate(kept)))


def _pool(rows: Sequence[Control], labels: Sequence[str]) -> Control:
    """One control over all languages, free of differences between languages.

    Similarity and both predictors are deviations from the mean of their language.
    """
    similarity = np.concatenate([row.similarity for row in rows])
    defined = np.isfinite(similarity)
    # Rows without a similarity must not shift the means of the predictors either.
    ratio, noise = (
        within(np.where(defined, np.concatenate(part), np.nan), labels)
        for part in ([row.ratio for row in rows], [row.noise for row in rows])
    )
    return replace(
        rows[0],
        similarity=within(similarity, labels),
        ratio=ratio,
        noise=noise,
        mean=float(np.nanmean(similarity)),
    )


def _depth(text: str, language: str) -> float:
    try:
        return float(ast_depth(text, language))
    except ParseError:
        return float("nan")
