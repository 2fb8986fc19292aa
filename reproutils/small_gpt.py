"""Small GPT-2 networks that the book trains itself: a tokenizer and weights to start from."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

END = "<|endoftext|>"


def train_tokenizer(
    texts: Iterable[str], vocabulary: int, *, context: int
) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer that keeps each digit apart.

    Args:
        texts: to learn the merges from.
        vocabulary: the largest number of tokens; all 256 bytes are among them, so that any text has
            tokens.
        context: the longest text in tokens.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[END],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=END,
        eos_token=END,
        pad_token=END,
        model_max_length=context,
    )


def initial_gpt(
    tokenizer: PreTrainedTokenizerFast,
    *,
    width: int,
    blocks: int,
    heads: int,
    context: int,
    seed: int,
) -> GPT2LMHeadModel:
    """A GPT-2 with random weights drawn from ``seed``, without dropout.

    Input and output embedding are one matrix, as in GPT-2.
    """
    config = GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=context,
        n_embd=width,
        n_layer=blocks,
        n_head=heads,
        embd_pdrop=0.0,
        resid_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return GPT2LMHeadModel(config)
