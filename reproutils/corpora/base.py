"""What every corpus of parallel items looks like to the rest of the package."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reproutils.errors import ReproError

_FINGERPRINT_LENGTH = 16


@dataclass(frozen=True)
class Provenance:
    """Where the texts come from and what was done to them.

    Attributes:
        source: the published object (wheel, file set, data set) in words.
        licence: the licence of the texts, as an SPDX expression where one exists.
        citation: what to cite, with a version.
        notes: processing facts in order, for instance the item count left by each filter step.
    """

    source: str
    licence: str
    citation: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ParallelText:
    """The same items said in several languages.

    Attributes:
        name: the corpus as the user named it, with the pair where it is not part of the name.
        languages: language codes in a fixed order, for instance ``("en", "fr")``.
        texts: for each language its texts; row ``i`` of every language is item ``i``.
        item_ids: one unique, stable identifier per item.
        provenance: source, licence, citation and processing notes.

    Raises:
        ReproError: languages, texts and identifiers do not fit together.
    """

    name: str
    languages: tuple[str, ...]
    texts: dict[str, tuple[str, ...]]
    item_ids: tuple[str, ...]
    provenance: Provenance

    def __post_init__(self) -> None:
        check_rows(self.name, self.languages, self.texts, self.item_ids)

    def __len__(self) -> int:
        """The number of items."""
        return len(self.item_ids)

    @cached_property
    def fingerprint(self) -> str:
        """The first 16 hexadecimal digits of a SHA-256 over languages, identifiers and texts.

        The name and the provenance are left out: the same items reached by another path have the
        same fingerprint.
        """
        return fingerprint_of(self.languages, self.texts, self.item_ids)

    def take(self, n: int, seed: int) -> ParallelText:
        """A random subsample without replacement, in the order of the whole.

        Args:
            n: the number of items; 0, or at least ``len(self)``, keeps all of them.
            seed: the seed of the draw. The same ``n`` and ``seed`` always give the same items.

        Raises:
            ReproError: ``n`` is negative.
        """
        rows = sample_rows(len(self), n, seed)
        return ParallelText(
            name=self.name,
            languages=self.languages,
            texts={lang: tuple(self.texts[lang][row] for row in rows) for lang in self.languages},
            item_ids=tuple(self.item_ids[row] for row in rows),
            provenance=self.provenance,
        )


def check_rows(
    name: str,
    languages: tuple[str, ...],
    texts: dict[str, tuple[str, ...]],
    item_ids: tuple[str, ...],
) -> None:
    """Check that every language has one text per identifier and that no identifier repeats.

    Raises:
        ReproError: naming the corpus ``name`` and what does not fit.
    """
    if set(languages) != set(texts) or len(set(languages)) != len(languages):
        raise ReproError(
            f"corpus {name}: the languages are {', '.join(languages)} but texts are given for "
            f"{', '.join(texts)}; name each language once"
        )
    for language in languages:
        if len(texts[language]) != len(item_ids):
            raise ReproError(
                f"corpus {name}: {len(texts[language])} texts in {language} for "
                f"{len(item_ids)} items; every item needs one text per language"
            )
    identifier, times = Counter(item_ids).most_common(1)[0] if item_ids else ("", 0)
    if times > 1:
        raise ReproError(f"corpus {name}: the item id {identifier} occurs {times} times")


def fingerprint_of(
    languages: tuple[str, ...],
    texts: dict[str, tuple[str, ...]],
    item_ids: tuple[str, ...],
) -> str:
    """The first 16 hexadecimal digits of a SHA-256 over identifiers, languages and texts.

    Every string goes in with its length in bytes before it, and the number of items comes first,
    so that no two different corpora are read as the same run of bytes.
    """
    digest = hashlib.sha256()

    def add(text: str) -> None:
        encoded = text.encode("utf-8", errors="surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big"))
        digest.update(encoded)

    add(str(len(item_ids)))
    for item in item_ids:
        add(item)
    for language in languages:
        add(language)
        for text in texts[language]:
            add(text)
    return digest.hexdigest()[:_FINGERPRINT_LENGTH]


def places_of(some: Sequence[str], every: Sequence[str]) -> np.ndarray:
    """The rows of ``every`` in which the identifiers of ``some`` stand."""
    row = {item: number for number, item in enumerate(every)}
    return np.array([row[item] for item in some])


def sample_rows(total: int, n: int, seed: int) -> list[int]:
    """``n`` row numbers of ``range(total)`` drawn without replacement, in ascending order.

    0, or any ``n`` of at least ``total``, keeps every row.

    Raises:
        ReproError: ``n`` is negative.
    """
    if n < 0:
        raise ReproError(f"cannot take {n} items; give 0 for all or a positive number")
    if n == 0 or n >= total:
        return list(range(total))
    drawn = np.random.default_rng(seed).choice(total, size=n, replace=False)
    return sorted(int(row) for row in drawn)
