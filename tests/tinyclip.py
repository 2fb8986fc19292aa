"""A random CLIP of another shape than ours, as a folder."""

from __future__ import annotations

from pathlib import Path

import torch
from conftest import train_tokenizer
from tokenizers import processors
from transformers import (
    CLIPConfig,
    CLIPImageProcessorPil,
    CLIPModel,
    PreTrainedTokenizerFast,
)

from reproutils import clip

TEXT_WIDTH, VISION_WIDTH, SHARED, SIDE = 24, 40, 16, 32


def openai_tokenizer() -> PreTrainedTokenizerFast:
    """A tokenizer whose start and end have the highest ids, and which pads with the end."""
    tokenizer = train_tokenizer()
    tokenizer.add_special_tokens(
        {"bos_token": clip.START, "eos_token": clip.END, "pad_token": clip.END}
    )
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{clip.START} $A {clip.END}",
        special_tokens=[
            (clip.START, tokenizer.bos_token_id),
            (clip.END, tokenizer.eos_token_id),
        ],
    )
    assert tokenizer.eos_token_id == len(tokenizer) - 1
    return tokenizer


def save_other_clip(folder: Path) -> Path:
    """A random CLIP whose towers differ in width, with images of another size than ours, and whose
    configuration calls the end 2, as those of OpenAI do, whatever its id is."""
    tokenizer = openai_tokenizer()
    sizes = {"num_attention_heads": 2, "projection_dim": SHARED}
    config = CLIPConfig(
        text_config={
            **sizes,
            "hidden_size": TEXT_WIDTH,
            "intermediate_size": 32,
            "num_hidden_layers": 3,
            "max_position_embeddings": 48,
            "vocab_size": len(tokenizer),
            "bos_token_id": 0,
            "eos_token_id": 2,
            "pad_token_id": 1,
        },
        vision_config={
            **sizes,
            "hidden_size": VISION_WIDTH,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "image_size": SIDE,
            "patch_size": 16,
        },
        projection_dim=SHARED,
    )
    generator = torch.Generator().manual_seed(3)
    network = CLIPModel(config)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            centre = 1.0 if "norm" in name and name.endswith("weight") else 0.0
            parameter.copy_(centre + 0.2 * torch.randn(parameter.shape, generator=generator))
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    CLIPImageProcessorPil(
        size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}
    ).save_pretrained(folder)
    return folder
