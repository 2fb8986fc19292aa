"""Texts with provenance: a name becomes a typed table of items."""

from reproutils.corpora.base import ParallelText, Provenance, places_of
from reproutils.corpora.captions import Captions, load_captions
from reproutils.corpora.documents import (
    Chunks,
    Documents,
    chunk_documents,
    document_sources,
    fetch_documents,
    load_documents,
    split_documents,
)
from reproutils.corpora.parallel_code import ParallelCode, load_parallel_code
from reproutils.corpora.parallel_text import (
    catalogue_sources,
    fetch_catalogues,
    load_parallel_text,
)
from reproutils.corpora.questions import Question, Questions, load_questions


def fetch_corpora(*, verify: bool = False) -> list[str]:
    """Bring all embedded texts into the cache; their names."""
    catalogues, documents = catalogue_sources(), document_sources()
    fetch_catalogues(catalogues, verify=verify)
    fetch_documents(documents, verify=verify)
    return [*(source.name for source in catalogues), *(source.name for source in documents)]


def describe_corpora() -> dict[str, str]:
    """What each corpus name stands for."""
    return {
        "catalogues": "messages of free software, translated by people, EN-FR and EN-DE",
        "parallel-code": "164 problems in Python, Java, JavaScript and Go, written for this book",
        "humanevalpack": "the Hub's HumanEvalPack (needs the hub extra and a network)",
        "scenes": "captions of 3 to 60 words of drawn scenes, written by this book",
        "wikipedia": "94 English Wikipedia articles of 2016, markup stripped",
        "news": "293 news items of the Australian Broadcasting Corporation",
        "python": "528 modules of Django and Scrapy",
        "docstrings": "1,648 docstrings of libraries for graphs, control and audio signals",
        "arithmetic": "additions such as 37+4, made by this book",
        "next-sentence": "questions out of wikipedia, news and docstrings: which sentence follows",
        "path:FOLDER": (
            "WMT-style line files, HumanEval-X line files, or captions.txt with images; text files "
            "or JSON lines as documents; ARC, MMLU or JSON lines as questions"
        ),
        "hub:DATASET": (
            "a data set of the Hub: translations, documents or questions (needs the hub extra and "
            "a network)"
        ),
    }


__all__ = [
    "Captions",
    "Chunks",
    "Documents",
    "ParallelCode",
    "ParallelText",
    "Provenance",
    "Question",
    "Questions",
    "chunk_documents",
    "describe_corpora",
    "fetch_corpora",
    "load_captions",
    "load_documents",
    "load_parallel_code",
    "load_parallel_text",
    "load_questions",
    "places_of",
    "split_documents",
]
