"""Every correlation of dispersion and perplexity that one run reports: by definition, by control,
by layer, and with other measures of spread in place of dispersion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from reproutils.chunk_states import ChunkStates, context_span
from reproutils.dispersion import iso_score, vendi_score
from reproutils.perplexity_groups import (
    MIN_GROUPS,
    between_segments,
    grouped_correlation,
    groups_below,
    mean_within,
    over_domains,
    token_dispersion,
)
from reproutils.regression import RESAMPLES, Resampled, combine, resampled_correlation
from reproutils.states import NO_SINKS
from reproutils.tables import Interval

GROUPED = "over groups of like perplexity"
CHUNKWISE = "chunk by chunk"
SHORTER = "shorter contexts"
UNTRAINED = "untrained network"


@dataclass(frozen=True)
class CorrelationRow:
    """One way of asking, answered in each domain.

    Attributes:
        key: short name for estimate ids.
        label: what a reader sees.
        family: rows of one family differ in one thing.
        by_domain: domain -> correlation of dispersion and perplexity; domains in which it cannot be
            formed (too few groups below the cut) are missing.
        mean: over these domains; None if there is none.
    """

    key: str
    label: str
    family: str
    by_domain: Mapping[str, Resampled]
    mean: Resampled | None


def correlation_rows(
    read: Mapping[str, ChunkStates],
    twin: Mapping[str, ChunkStates],
    *,
    contexts: Sequence[int],
    size: int,
    cut: float,
    seed: int,
    resamples: int = RESAMPLES,
) -> list[CorrelationRow]:
    """Every correlation at the last layer, the released code's first.

    Args:
        read: domain -> chunks under the model.
        twin: domain -> some of these chunks under the untrained network; may be empty.
        contexts: shorter contexts that were read.
        size: chunks per group.
        cut: perplexity from which groups are left out in the row that does so.
    """

    def row(
        key: str, label: str, family: str, of: Callable[[str], Resampled | None]
    ) -> CorrelationRow:
        found = {domain: value for domain in read if (value := of(domain)) is not None}
        mean = over_domains(list(found.values())) if found else None
        return CorrelationRow(key, label, family, found, mean)

    def chunkwise(
        spread: np.ndarray, outcome: np.ndarray, part: ChunkStates, given: np.ndarray | None = None
    ) -> Resampled:
        return resampled_correlation(
            spread, outcome, part.documents, given=given, seed=seed, resamples=resamples
        )

    def grouped(
        part: ChunkStates, spread: Callable[[np.ndarray], np.ndarray], limit: float = np.inf
    ) -> Resampled | None:
        if groups_below(part.perplexity(), size, limit) < MIN_GROUPS:
            return None
        # Each resample groups anew, which takes its time; a quarter of the resamples will do.
        return grouped_correlation(
            part.perplexity(),
            spread,
            part.documents,
            size=size,
            seed=seed,
            cut=limit,
            resamples=max(resamples // 4, 50),
        )

    def tokens(part: ChunkStates, span: str = "all") -> np.ndarray:
        return part.dispersion(span, part.top)

    def log_perplexity(part: ChunkStates) -> np.ndarray:
        return np.asarray(np.log(part.perplexity()))

    rows = [
        row(
            "r_grouped",
            "tokens within a chunk, as in the released code",
            GROUPED,
            lambda d: grouped(read[d], mean_within(tokens(read[d]))),
        ),
        row(
            "r_cut",
            f"groups of perplexity {cut:g} and more left out",
            GROUPED,
            lambda d: grouped(read[d], mean_within(tokens(read[d])), cut),
        ),
        row(
            "r_segments",
            "segments of a group, last token, as in the text",
            GROUPED,
            lambda d: grouped(read[d], between_segments(read[d].states.last(read[d].top))),
        ),
        row(
            "r_segments_mean",
            "segments of a group, mean state",
            GROUPED,
            lambda d: grouped(read[d], between_segments(read[d].states.mean("all", read[d].top))),
        ),
        row(
            "r_chunk",
            "tokens within a chunk",
            CHUNKWISE,
            lambda d: chunkwise(tokens(read[d]), log_perplexity(read[d]), read[d]),
        ),
        row(
            "r_no_first",
            "position 0 left out",
            CHUNKWISE,
            lambda d: chunkwise(tokens(read[d], "no_first"), log_perplexity(read[d]), read[d]),
        ),
        row(
            "r_no_sinks",
            "sink tokens left out",
            CHUNKWISE,
            lambda d: chunkwise(tokens(read[d], NO_SINKS), log_perplexity(read[d]), read[d]),
        ),
        row(
            "r_centred",
            "mean of the domain subtracted",
            CHUNKWISE,
            lambda d: chunkwise(_centred(read[d]), log_perplexity(read[d]), read[d]),
        ),
        row(
            "r_partial",
            "given the share of distinct tokens",
            CHUNKWISE,
            lambda d: chunkwise(
                tokens(read[d]), log_perplexity(read[d]), read[d], read[d].distinct[:, None]
            ),
        ),
        row(
            "r_distinct",
            "share of distinct tokens in place of dispersion",
            CHUNKWISE,
            lambda d: chunkwise(read[d].distinct, log_perplexity(read[d]), read[d]),
        ),
        row(
            "r_last_token",
            "loss of the last token only",
            CHUNKWISE,
            lambda d: chunkwise(tokens(read[d]), read[d].last_loss(), read[d]),
        ),
        *(
            row(
                f"r_context_{context}",
                f"the first {context} tokens",
                SHORTER,
                lambda d, context=context: chunkwise(  # type: ignore[misc]
                    tokens(read[d], context_span(context)),
                    np.log(read[d].perplexity(context)),
                    read[d],
                ),
            )
            for context in contexts
        ),
    ]
    if not twin:
        return rows

    def same(domain: str, values: np.ndarray) -> np.ndarray:
        return np.asarray(values[twin[domain].items])

    own = row(
        "r_untrained",
        "untrained, its own perplexity",
        UNTRAINED,
        lambda d: chunkwise(tokens(twin[d]), log_perplexity(twin[d]), twin[d]),
    )
    of_text = row(
        "r_untrained_trained_perplexity",
        "untrained, the trained model's perplexity",
        UNTRAINED,
        lambda d: chunkwise(tokens(twin[d]), same(d, log_perplexity(read[d])), twin[d]),
    )
    trained = row(
        "r_trained_same_chunks",
        "trained, on the same chunks",
        UNTRAINED,
        lambda d: chunkwise(same(d, tokens(read[d])), same(d, log_perplexity(read[d])), twin[d]),
    )
    return [*rows, own, of_text, trained]


def training_gain(rows: Sequence[CorrelationRow]) -> Resampled | None:
    """What training changes of the correlation with the trained model's perplexity, on the same
    chunks; None without an untrained network."""
    known = {row.key: row.mean for row in rows}
    trained = known.get("r_trained_same_chunks")
    untrained = known.get("r_untrained_trained_perplexity")
    if trained is None or untrained is None:
        return None
    return combine(lambda after, before: after - before, [trained, untrained])


def together(
    read: Mapping[str, ChunkStates], *, seed: int, resamples: int = RESAMPLES
) -> Resampled:
    """The chunk-by-chunk correlation over all domains thrown together."""
    return resampled_correlation(
        np.concatenate([part.dispersion("all", part.top) for part in read.values()]),
        np.log(np.concatenate([part.perplexity() for part in read.values()])),
        [(domain, number) for domain, part in read.items() for number in part.documents],
        seed=seed,
        resamples=resamples,
    )


def count_opposed(row: CorrelationRow) -> int:
    """How many domains have a correlation above 0."""
    return sum(found.value > 0 for found in row.by_domain.values())


def groups_above(read: Mapping[str, ChunkStates], size: int, cut: float) -> int:
    """How many groups of like perplexity the released code's cut takes away, over all domains."""
    return sum(
        len(part) // size - groups_below(part.perplexity(), size, cut) for part in read.values()
    )


def shown_rows(rows: Sequence[CorrelationRow]) -> pd.DataFrame:
    """The rows as a table: family, label, and each domain's correlation with its interval."""
    table = []
    for row in rows:
        shown: dict[str, object] = {"dispersion of": row.label, "asked": row.family}
        for domain, found in [*row.by_domain.items(), ("mean", row.mean)]:
            if found is not None:
                estimate = found.interval()
                shown |= {
                    domain: estimate.value,
                    f"{domain}_low": estimate.low,
                    f"{domain}_high": estimate.high,
                }
        shown["documents"] = row.mean.n if row.mean else 0
        table.append(shown)
    return pd.DataFrame(table)


def row_formats(rows: Sequence[CorrelationRow]) -> dict[str, str | Interval]:
    """How the columns of :func:`shown_rows` are written."""
    columns = dict.fromkeys([*(domain for row in rows for domain in row.by_domain), "mean"])
    return {name: Interval(f"{name}_low", f"{name}_high", 2) for name in columns}


def depth_table(
    read: Mapping[str, ChunkStates],
    twin: Mapping[str, ChunkStates],
    layers: Sequence[str],
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> pd.DataFrame:
    """Chunk-by-chunk correlation with the trained model's ln perplexity at each layer.

    Returns:
        ``layer, series, domain, r, low, high``; the series are ``trained``, ``trained_no_sinks``
        and, if there is a twin, ``untrained``; one domain is ``mean``.
    """
    series: dict[str, tuple[Mapping[str, ChunkStates], str]] = {
        "trained": (read, "all"),
        "trained_no_sinks": (read, NO_SINKS),
    }
    if twin:
        series["untrained"] = (twin, "all")
    rows = []
    for layer in layers:
        for name, (parts, span) in series.items():
            by_domain = {
                domain: _at_layer(part, read[domain], span, layer, seed, resamples)
                for domain, part in parts.items()
            }
            mean = over_domains(list(by_domain.values()))
            for domain, found in [*by_domain.items(), ("mean", mean)]:
                estimate = found.interval()
                rows.append(
                    {
                        "layer": layer,
                        "series": name,
                        "domain": domain,
                        "r": estimate.value,
                        "low": estimate.low,
                        "high": estimate.high,
                    }
                )
    return pd.DataFrame(rows)


def depth_estimates(
    read: Mapping[str, ChunkStates],
    layers: Sequence[str],
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> dict[str, Resampled]:
    """The correlation averaged over the first and over the last third of the blocks, and its
    change, with and without sink tokens."""
    blocks = [layer for layer in layers if layer.startswith("block")]
    third = max(len(blocks) // 3, 1)
    found: dict[str, Resampled] = {}
    for span, suffix in (("all", ""), (NO_SINKS, "_no_sinks")):
        ends = {
            name: over_domains(
                [
                    combine(
                        lambda *values: np.mean(values, axis=0),
                        [_at_layer(part, part, span, layer, seed, resamples) for layer in part_of],
                    )
                    for part in read.values()
                ]
            )
            for name, part_of in (("first", blocks[:third]), ("last", blocks[-third:]))
        }
        found[f"r_first_third{suffix}"] = ends["first"]
        found[f"r_last_third{suffix}"] = ends["last"]
        found[f"r_depth_change{suffix}"] = combine(
            lambda last, first: last - first, [ends["last"], ends["first"]]
        )
    return found


def other_measures(
    read: Mapping[str, ChunkStates], *, seed: int, resamples: int = RESAMPLES
) -> dict[str, tuple[str, Resampled]]:
    """Chunk-by-chunk correlation of other measures of spread, on the sampled token states.

    Returns:
        key -> label and the mean correlation over domains.
    """
    measures: dict[str, tuple[str, Callable[[ChunkStates], np.ndarray]]] = {
        "sampled": ("mean pairwise distance", lambda part: token_dispersion(part.sampled)),
        "sampled_centred": ("mean pairwise distance, mean subtracted", _centred),
        "vendi": ("Vendi score", lambda part: token_dispersion(part.sampled, vendi_score)),
        "iso_score": ("IsoScore", lambda part: token_dispersion(part.sampled, iso_score)),
    }
    return {
        key: (
            label,
            over_domains(
                [
                    resampled_correlation(
                        spread(part),
                        np.log(part.perplexity()),
                        part.documents,
                        seed=seed,
                        resamples=resamples,
                    )
                    for part in read.values()
                ]
            ),
        )
        for key, (label, spread) in measures.items()
    }


def _at_layer(
    part: ChunkStates, trained: ChunkStates, span: str, layer: str, seed: int, resamples: int
) -> Resampled:
    return resampled_correlation(
        part.dispersion(span, layer),
        np.log(trained.perplexity()[part.items]),
        part.documents,
        seed=seed,
        resamples=resamples,
    )


def _centred(part: ChunkStates) -> np.ndarray:
    """(n,) dispersion of the sampled token states less the mean of the domain's."""
    return token_dispersion(part.sampled, centre=np.concatenate(part.sampled).mean(0))
