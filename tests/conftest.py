"""Shared fixtures: four tiny models with a tokenizer of our own, and caches that tests may fill."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from reproutils import paths
from reproutils.models import LoadedModel, load_model
from reproutils.results import RunRecord

WIDTH, CONTEXT, VOCABULARY = 32, 64, 320
CAUSAL = ("llama", "gpt2", "neox")
ARCHITECTURES = (*CAUSAL, "bert")

# Of a run that a test makes up.
RUN = RunRecord(
    model="m",
    model_fingerprint="f",
    dataset="d",
    dataset_fingerprint="f",
    seed=0,
    dtype="float32",
    device="cpu",
    versions={},
    input_hash="0",
    wall_s=0.0,
    tokens=0,
    date="2026-01-01",
    parameters={},
)

SENTENCES = (
    "The miller counted the sacks twice and found one more than he had bought.",
    "On rainy days the children read maps of rivers that nobody has named.",
    "A lamp in the window, a letter on the table, and no one at home.",
    "She measured the field with a rope, then she measured the rope.",
    "Trains that are late in winter are early in nobody's memory.",
)


def train_tokenizer(*, special_tokens: bool = False) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer; with ``special_tokens`` it frames each text as encoders do."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - 10,
        special_tokens=["<pad>", "<start>", "<end>"],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    if special_tokens:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<start> $A <end>", special_tokens=[("<start>", 1), ("<end>", 2)]
        )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        eos_token="<end>",
        model_max_length=CONTEXT,
    )


def tiny_config(architecture: str) -> PreTrainedConfig:
    """Two or three blocks of width 32; Llama with two query heads to each key head."""
    tokens = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    if architecture == "gpt2":
        return GPT2Config(
            vocab_size=VOCABULARY,
            n_positions=CONTEXT,
            n_embd=WIDTH,
            n_layer=2,
            n_head=4,
            **tokens,
        )
    sizes = {
        "vocab_size": VOCABULARY,
        "hidden_size": WIDTH,
        "intermediate_size": 2 * WIDTH,
        "num_attention_heads": 4,
        "max_position_embeddings": CONTEXT,
        **tokens,
    }
    if architecture == "llama":
        return LlamaConfig(num_hidden_layers=3, num_key_value_heads=2, **sizes)
    if architecture == "neox":
        return GPTNeoXConfig(num_hidden_layers=2, **sizes)
    return BertConfig(num_hidden_layers=3, **sizes)


def tiny_network(architecture: str, seed: int = 0) -> PreTrainedModel:
    """A float32 network whose every parameter is drawn, biases and norms too, so that no two
    layers can be mistaken for each other."""
    builders = {"llama": LlamaForCausalLM, "gpt2": GPT2LMHeadModel, "neox": GPTNeoXForCausalLM}
    network: PreTrainedModel = builders.get(architecture, BertModel)(tiny_config(architecture))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            is_norm = any(part in name.lower() for part in ("norm", "ln_"))
            centre = 1.0 if is_norm and name.endswith("weight") else 0.0
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(centre + 0.2 * noise)
    return network.eval()


def save_tiny(folder: Path, architecture: str, seed: int = 0) -> Path:
    """Write network, configuration and tokenizer to ``folder`` as safetensors."""
    tiny_network(architecture, seed).save_pretrained(folder)
    train_tokenizer(special_tokens=architecture == "bert").save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Architecture -> folder with a tiny random model; read only."""
    parent = tmp_path_factory.mktemp("tiny")
    return {name: save_tiny(parent / name, name) for name in ARCHITECTURES}


@pytest.fixture(scope="session")
def tiny_models(tiny_folders: dict[str, Path]) -> dict[str, LoadedModel]:
    """Architecture -> the tiny model loaded in float64; not to be altered."""
    return {name: load_model(f"path:{folder}", "float64") for name, folder in tiny_folders.items()}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no downloads."""
    folder = tmp_path / "cache"
    monkeypatch.setenv(paths.CACHE_VARIABLE, str(folder))
    monkeypatch.setenv("REPROUTILS_OFFLINE", "1")
    return folder


@pytest.fixture
def embedded_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with the fetched weights and texts, and with no states yet."""
    folder = tmp_path / "cache"
    folder.mkdir()
    for part in ("downloads", "models"):
        (folder / part).symlink_to(paths.cache_dir(part).resolve(), target_is_directory=True)
    monkeypatch.setenv(paths.CACHE_VARIABLE, str(folder))
    monkeypatch.setenv("REPROUTILS_OFFLINE", "1")
    return folder


@pytest.fixture(scope="session")
def smollm() -> LoadedModel:
    """The embedded language model in float32; a test that alters it must put it back."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REPROUTILS_OFFLINE", "1")
        return load_model("smollm2-135m")
