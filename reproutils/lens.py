"""The logit lens on French prompts: which language do the middle blocks speak?

At each block the state of the last prompt token is read with the model's own final norm and output
embedding. For each prompt the first token of the French continuation is compared with the first
token of its English counterpart.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax

from reproutils.errors import ReproError
from reproutils.models import LoadedModel
from reproutils.paths import data_dir
from reproutils.states import Reductions, States, extract

MIN_PROMPTS = 8


@dataclass(frozen=True)
class Lens:
    """Log-probabilities (nats) read at each block.

    Attributes:
        layers: block names, in order.
        french, english: (n_layers, n_prompts) of the own prompt's two words.
        english_other: (n_layers, n_prompts) mean log-probability of the same English word under
            the other prompts: what the word gets without its own context.
        prompts: the prompts kept.
        n_dropped: prompts whose two words begin with the same token, or with a token that is not
            the word's own.
    """

    layers: tuple[str, ...]
    french: np.ndarray
    english: np.ndarray
    english_other: np.ndarray
    prompts: tuple[str, ...]
    n_dropped: int


def read_lens(model: LoadedModel, *, limit: int = 0) -> tuple[Lens, States]:
    """Read the prompts of ``data/lens_prompts.toml`` at every block.

    Args:
        limit: use the first so many prompts; 0: all.

    Raises:
        ReproError: the model has no language-model head, or fewer than eight prompts can be used.
    """
    entries = tomllib.loads((data_dir() / "lens_prompts.toml").read_text(encoding="utf-8"))[
        "prompts"
    ]
    kept = []
    for prompt, french, english in entries:
        # After an elided article the word follows without a blank.
        blank = "" if prompt.endswith("'") else " "
        tokens = [_first_token(model, blank + french), _first_token(model, " " + english)]
        if tokens[0] is not None and tokens[1] is not None and tokens[0] != tokens[1]:
            kept.append((prompt, *tokens))
    chosen = kept[: limit or None]
    if len(chosen) < MIN_PROMPTS:
        raise ReproError(
            f"only {len(chosen)} prompts can be read with the tokenizer of {model.name}; the check "
            f"needs {MIN_PROMPTS}"
        )
    prompts = tuple(prompt for prompt, _, _ in chosen)
    french_ids = np.array([token for _, token, _ in chosen])
    english_ids = np.array([token for _, _, token in chosen])
    layers = tuple(f"block {k}" for k in range(1, model.n_blocks + 1))
    states = extract(model, prompts, layers=layers, reductions=Reductions(spans=(), last=True))
    n = len(prompts)
    french, english, other = (np.empty((len(layers), n)) for _ in range(3))
    for row, layer in enumerate(layers):
        logits = log_softmax(model.unembed(states.last(layer)).astype(np.float64), axis=1)
        by_word = logits[:, english_ids]
        french[row] = logits[np.arange(n), french_ids]
        english[row] = np.diag(by_word)
        other[row] = (by_word.sum(0) - np.diag(by_word)) / (n - 1)
    return Lens(layers, french, english, other, prompts, len(entries) - len(kept)), states


def _first_token(model: LoadedModel, word: str) -> int | None:
    """The first token of ``word``, or None when it covers fewer than two letters: such a token
    begins too many words to stand for one."""
    encoded = model.tokenizer(
        word, add_special_tokens=False, return_offsets_mapping=True, verbose=False
    )
    ids, offsets = encoded["input_ids"], encoded["offset_mapping"]
    if not ids or len(word[slice(*offsets[0])].strip()) < 2:
        return None
    return int(ids[0])
