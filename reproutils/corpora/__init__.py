"""Texts with provenance: a name becomes a typed table of parallel items."""

from reproutils.corpora.base import ParallelText, Provenance
from reproutils.corpora.parallel_code import ParallelCode, load_parallel_code
from reproutils.corpora.parallel_text import (
    catalogue_sources,
    fetch_catalogues,
    load_parallel_text,
)


def fetch_corpora(*, verify: bool = False) -> list[str]:
    """Bring all embedded texts into the cache; their names."""
    sources = catalogue_sources()
    fetch_catalogues(sources, verify=verify)
    return [source.name for source in sources]


def describe_corpora() -> dict[str, str]:
    """What each corpus name stands for."""
    return {
        "catalogues": "messages of free software, translated by people, EN-FR and EN-DE",
        "parallel-code": "164 problems in Python, Java, JavaScript and Go, written for this book",
        "humanevalpack": "the Hub's HumanEvalPack (needs the hub extra and a network)",
        "path:FOLDER": "WMT-style line files, or HumanEval-X line files",
        "hub:DATASET": "a translation data set of the Hub (needs the hub extra and a network)",
    }


__all__ = [
    "ParallelCode",
    "ParallelText",
    "Provenance",
    "describe_corpora",
    "fetch_corpora",
    "load_parallel_code",
    "load_parallel_text",
]
