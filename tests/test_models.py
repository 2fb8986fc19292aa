"""Models: names and their errors, what is refused, conversion, the guard, the embedded weights."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch
from conftest import (
    ARCHITECTURES,
    CAUSAL,
    CONTEXT,
    SENTENCES,
    WIDTH,
    save_tiny,
    tiny_network,
    train_tokenizer,
)
from huggingface_hub import constants
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoTokenizer, BloomConfig, BloomForCausalLM, PreTrainedModel

from reproutils import models
from reproutils.errors import ReproError
from reproutils.fetch import WheelFile
from reproutils.models import LoadedModel, ModelSpec, check_guard, load_model, registry
from reproutils.states import Reductions, extract


def refusal(call: Callable[[], object]) -> str:
    """The one line that ``call`` ends with."""
    with pytest.raises(ReproError) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    return message


@pytest.fixture
def folder(tiny_folders: dict[str, Path], tmp_path: Path) -> Path:
    """A copy of the tiny Llama model that a test may damage."""
    copy = tmp_path / "model"
    shutil.copytree(tiny_folders["llama"], copy)
    return copy


def rewrite(path: Path, **changes: Any) -> None:
    """Change entries of a JSON file; None removes one."""
    values = json.loads(path.read_text(encoding="utf-8")) | changes
    kept = {key: value for key, value in values.items() if value is not None}
    path.write_text(json.dumps(kept), encoding="utf-8")


# Names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("smolm2-135m", "did you mean smollm2-135m or smollm2-135m-random"),
        ("smollm2-135m-randon", "did you mean smollm2-135m-random or smollm2-135m"),
        ("MiniLM-L6", "did you mean minilm-l6"),
        ("zzzz", "unknown model 'zzzz'; Known names:"),
        ("", "unknown model ''; Known names:"),
    ],
)
def test_an_unknown_alias_shows_the_nearest(name: str, nearest: str) -> None:
    message = refusal(lambda: load_model(name))
    assert nearest in message
    assert all(alias in message for alias in registry())
    assert "path:FOLDER" in message


def test_the_registry_is_complete() -> None:
    known = registry()
    assert {"smollm2-135m", "smollm2-135m-random", "minilm-l6"} <= set(known)
    for alias, spec in known.items():
        assert spec.alias == alias
        assert spec.kind in ("gguf", "folder", "random", "trained")
        assert spec.about
        assert spec.licence
        if spec.kind == "random":
            assert spec.like in known
            assert spec.seed is not None
        elif spec.kind == "trained":
            assert spec.variant
        else:
            assert spec.files


@pytest.mark.parametrize("dtype", ["float16", "fp32", "int8", ""])
def test_an_unknown_dtype(dtype: str, tiny_folders: dict[str, Path]) -> None:
    message = refusal(lambda: load_model(f"path:{tiny_folders['llama']}", dtype))
    assert message == f"unknown dtype {dtype!r}; choose one of float32, bfloat16, float64"


@pytest.mark.parametrize("device", ["gpu", "cuda:99", "meta", ""])
def test_a_device_that_is_not_there(device: str, tiny_folders: dict[str, Path]) -> None:
    message = refusal(lambda: load_model(f"path:{tiny_folders['llama']}", device=device))
    assert message.startswith(f"device {device!r} is not available here (")
    assert message.endswith("); use cpu")


@pytest.mark.parametrize("name", ["owner/name", "owner/name@main", "a/b/c", "owner/na me"])
def test_a_hub_id_without_a_network(
    name: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    message = refusal(lambda: load_model(name))
    assert message.startswith(f"model {name}: not in the local Hub cache")
    assert "smollm2-135m" in message


def test_a_hub_id_when_the_hub_library_is_offline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("REPROUTILS_OFFLINE", raising=False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    message = refusal(lambda: load_model("owner/name"))
    assert message.startswith("model owner/name: not in the local Hub cache")


def test_a_hub_id_that_was_downloaded_before(
    tiny_folders: dict[str, Path],
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hub = tmp_path / "hub"
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(hub))
    revision = "0123456789abcdef0123456789abcdef01234567"
    repository = hub / "models--owner--tiny"
    shutil.copytree(tiny_folders["llama"], repository / "snapshots" / revision)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(revision, encoding="utf-8")
    local = load_model(f"path:{tiny_folders['llama']}")
    for name in ("owner/tiny", "owner/tiny@main", f"owner/tiny@{revision}"):
        loaded = load_model(name)
        assert loaded.name == name
        assert loaded.fingerprint == local.fingerprint


# Folders -------------------------------------------------------------------------------------


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_folder(architecture: str, tiny_folders: dict[str, Path]) -> None:
    model = load_model(f"path:{tiny_folders[architecture]}")
    assert model.causal == (architecture != "bert")
    assert model.n_blocks == model.network.config.num_hidden_layers
    assert model.width == WIDTH
    assert model.max_length == CONTEXT
    assert not model.network.training
    assert {p.dtype for p in model.network.parameters()} == {torch.float32}
    expected = tiny_network(architecture).state_dict()
    found = model.network.state_dict()
    assert set(found) == set(expected)
    assert all(torch.equal(found[key], tensor) for key, tensor in expected.items())


def test_encode_and_cut(tiny_models: dict[str, LoadedModel]) -> None:
    text = "  The rope, née 12 €."
    for model in (tiny_models["llama"], tiny_models["bert"]):
        ids, surfaces = model.encode(text)
        assert ids == model.tokenizer(text)["input_ids"]
        assert len(surfaces) == len(ids)
        assert all(surface == surface.strip() for surface in surfaces)
        assert {surface for surface in surfaces if surface} <= {
            text[a:b] for a in range(len(text)) for b in range(a + 1, len(text) + 1)
        }
    ids, surfaces = tiny_models["bert"].encode(text)
    assert (ids[0], ids[-1], surfaces[0], surfaces[-1]) == (1, 2, "", "")
    model = tiny_models["llama"]
    ids = model.encode(text)[0]
    assert model.cut(text, len(ids)) == text
    for n in (1, 3, 5):
        assert text.startswith(model.cut(text, n))
        assert model.encode(model.cut(text, n))[0] == ids[:n]


@pytest.mark.parametrize(
    ("n", "band"),
    [(1, (1, 1)), (2, (1, 1)), (3, (1, 2)), (6, (1, 4)), (30, (7, 22)), (32, (8, 24))],
)
def test_middle_blocks(n: int, band: tuple[int, int], tiny_models: dict[str, LoadedModel]) -> None:
    model = replace(tiny_models["llama"])
    model.blocks = list(model.blocks)[:1] * n
    assert model.middle_blocks() == tuple(f"block {k}" for k in range(band[0], band[1] + 1))


def test_no_limit_on_the_length(tmp_path: Path) -> None:
    config = BloomConfig(vocab_size=320, hidden_size=WIDTH, n_layer=2, n_head=4)
    BloomForCausalLM(config).save_pretrained(tmp_path)
    tokenizer = train_tokenizer()
    tokenizer.model_max_length = 10**30
    tokenizer.save_pretrained(tmp_path)
    model = load_model(f"path:{tmp_path}")
    assert model.max_length >= 10**9
    assert model.layer_names == ("embed", "block 1", "block 2", "final_norm")


def test_the_fingerprint(folder: Path, tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    original = load_model(f"path:{tiny_folders['llama']}")
    assert len(original.fingerprint) == 16
    assert load_model(f"path:{folder}").fingerprint == original.fingerprint
    assert load_model(f"path:{folder}", "bfloat16").fingerprint == original.fingerprint
    seen = {original.fingerprint}
    other = save_tiny(tmp_path / "weights", "llama", seed=1)
    seen.add(load_model(f"path:{other}").fingerprint)
    rewrite(folder / "config.json", rms_norm_eps=1e-3)
    seen.add(load_model(f"path:{folder}").fingerprint)
    shutil.copy(tiny_folders["bert"] / "tokenizer.json", folder / "tokenizer.json")
    seen.add(load_model(f"path:{folder}").fingerprint)
    assert len(seen) == 4


def test_a_relative_path_starts_at_the_project(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    shutil.copy(models.registry_file("models.toml"), tmp_path / "data" / "models.toml")
    monkeypatch.setenv("REPROUTILS_ROOT", str(tmp_path))
    monkeypatch.chdir("/")
    assert load_model("path:model").n_blocks == 3


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "path:nowhere/at/all",
            "path:nowhere/at/all: no such folder or .gguf file; check the path",
        ),
        ("path:nowhere.gguf", "path:nowhere.gguf: no such folder or .gguf file; check the path"),
    ],
)
def test_no_such_folder(name: str, message: str) -> None:
    assert refusal(lambda: load_model(name)) == message


def test_a_folder_without_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    name = f"path:{folder}"
    message = refusal(lambda: load_model(name))
    assert message == f"{name}: the folder holds no .safetensors or .gguf weights"


class Trap:
    """Writes a file when it is unpickled."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return (Path.touch, (self.target,))


@pytest.mark.parametrize("weights", ["pytorch_model.bin", "model.pt", "model.pth"])
def test_pickled_weights_are_not_opened(weights: str, folder: Path, tmp_path: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / weights).write_bytes(pickle.dumps(Trap(tmp_path / "sprung")))
    message = refusal(lambda: load_model(f"path:{folder}"))
    assert f"{weights} is a pickle file" in message
    assert "safetensors" in message
    assert not (tmp_path / "sprung").exists()


def test_pickled_weights_beside_safetensors_are_not_opened(folder: Path, tmp_path: Path) -> None:
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Trap(tmp_path / "sprung")))
    assert load_model(f"path:{folder}").n_blocks == 3
    assert not (tmp_path / "sprung").exists()


def test_code_that_comes_with_a_model_is_not_run(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sprung = tmp_path / "sprung"
    code = f"from pathlib import Path\nPath({str(sprung)!r}).touch()\n"
    (folder / "own_model.py").write_text(code, encoding="utf-8")
    places = {"AutoConfig": "own_model.Config", "AutoModelForCausalLM": "own_model.Model"}
    rewrite(folder / "config.json", model_type="own", auto_map=places)
    # Even somebody who would say yes is not asked.
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    message = refusal(lambda: load_model(f"path:{folder}"))
    assert "no usable config.json" in message
    assert not sprung.exists()


@pytest.mark.parametrize("content", [None, "", "{", "{}", '{"model_type": "no such type"}'])
def test_no_usable_configuration(content: str | None, folder: Path) -> None:
    if content is None:
        (folder / "config.json").unlink()
    else:
        (folder / "config.json").write_text(content, encoding="utf-8")
    message = refusal(lambda: load_model(f"path:{folder}"))
    assert message.startswith(f"model path:{folder}: no usable config.json in model (")


def test_no_tokenizer(folder: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    message = refusal(lambda: load_model(f"path:{folder}"))
    assert message.startswith(f"model path:{folder}: ")
    assert "tokenizer.json" in message


@pytest.mark.parametrize("content", ["", "{}", '{"version": "1.0"'])
def test_a_damaged_tokenizer(content: str, folder: Path) -> None:
    (folder / "tokenizer.json").write_text(content, encoding="utf-8")
    message = refusal(lambda: load_model(f"path:{folder}"))
    assert message.startswith(f"model path:{folder}: ")
    assert "tokenizer" in message


def alter_weights(folder: Path, alter: Callable[[dict[str, torch.Tensor]], None]) -> None:
    path = folder / "model.safetensors"
    tensors = load_file(path)
    alter(tensors)
    save_file(tensors, path, metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("alter", "message"),
    [
        (
            lambda t: t.pop("model.layers.1.mlp.up_proj.weight"),
            "the checkpoint lacks 1 tensors, first model.layers.1.mlp.up_proj.weight",
        ),
        (
            lambda t: t.pop("lm_head.weight"),
            "the checkpoint lacks 1 tensors, first lm_head.weight",
        ),
        (
            lambda t: t.update({"model.layers.3.mlp.up_proj.weight": torch.zeros(64, 32)}),
            "the checkpoint has unknown 1 tensors, first model.layers.3.mlp.up_proj.weight",
        ),
        (
            lambda t: t.update({"model.norm.weight": torch.zeros(31)}),
            "cannot read the weights in model",
        ),
    ],
)
def test_weights_that_do_not_fit(
    alter: Callable[[dict[str, torch.Tensor]], None], message: str, folder: Path
) -> None:
    alter_weights(folder, alter)
    said = refusal(lambda: load_model(f"path:{folder}"))
    assert said.startswith(f"model path:{folder}: ")
    assert message in said


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:4],
        lambda data: b"",
        lambda data: b"\xff" * 16 + data[16:],
        lambda data: data[:9] + b"\x00" * 40 + data[49:],
    ],
    ids=["half", "four bytes", "empty", "wrong length", "wrong header"],
)
def test_damaged_safetensors(damage: Callable[[bytes], bytes], folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(damage(path.read_bytes()))
    message = refusal(lambda: load_model(f"path:{folder}"))
    assert message.startswith(f"model path:{folder}: cannot read the weights in model (")


# Registered models ---------------------------------------------------------------------------


def test_weights_with_a_wrong_hash(
    folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = "pack/model.safetensors"
    place = cache / "downloads" / "models" / "packed" / member
    place.parent.mkdir(parents=True)
    shutil.copy(folder / "model.safetensors", place)
    size = place.stat().st_size
    pinned = WheelFile("packed==1.0", member, models._file_digest(place), size)
    spec = ModelSpec("packed", "folder", "about", "MIT", files=(pinned,))
    monkeypatch.setattr(models, "registry", lambda: {"packed": spec})
    assert models.fetch_model("packed") == place.parent
    data = bytearray(place.read_bytes())
    data[-1] ^= 1
    place.write_bytes(data)
    message = refusal(lambda: load_model("packed"))
    assert message.startswith(f"{member} of packed==1.0 is not in the cache")
    assert "reproutils fetch" in message


def twin(tiny_folders: dict[str, Path], seed: int, dtype: str = "float32") -> LoadedModel:
    spec = ModelSpec("twin", "random", "about", "MIT", like="tiny", seed=seed)
    return models._random_twin(spec, tiny_folders["llama"], dtype, "cpu")


def test_the_random_twin_is_the_same_each_time(tiny_folders: dict[str, Path]) -> None:
    torch.manual_seed(1)
    first = twin(tiny_folders, 7)
    drawn = torch.rand(1)
    torch.manual_seed(2)
    second = twin(tiny_folders, 7)
    other = twin(tiny_folders, 8)
    assert first.fingerprint == second.fingerprint != other.fingerprint
    weights, same, different = (m.network.state_dict() for m in (first, second, other))
    assert all(torch.equal(tensor, same[key]) for key, tensor in weights.items())
    key = "model.layers.0.mlp.up_proj.weight"
    assert not torch.equal(weights[key], different[key])
    # The global generator goes on as if nothing had been drawn.
    torch.manual_seed(1)
    assert torch.equal(torch.rand(1), drawn)
    half = twin(tiny_folders, 7, "bfloat16").network.state_dict()
    assert torch.equal(half[key], weights[key].bfloat16())


def test_the_random_twin_is_not_the_trained_model(tiny_folders: dict[str, Path]) -> None:
    trained = load_model(f"path:{tiny_folders['llama']}")
    random = twin(tiny_folders, 7)
    assert random.fingerprint != trained.fingerprint
    assert random.layer_names == trained.layer_names
    assert random.encode(SENTENCES[0]) == trained.encode(SENTENCES[0])
    key = "model.layers.0.mlp.up_proj.weight"
    assert not torch.equal(random.network.state_dict()[key], trained.network.state_dict()[key])


def test_the_untrained_control_of_any_model(tiny_folders: dict[str, Path]) -> None:
    trained = load_model(f"path:{tiny_folders['neox']}", "bfloat16")
    assert models.load_untrained("", trained) is None
    first, second = (models.load_untrained("twin", trained) for _ in range(2))
    assert first is not None
    assert second is not None
    assert first.name == f"untrained twin of {trained.name}"
    assert first.fingerprint == second.fingerprint != trained.fingerprint
    assert (first.layer_names, first.dtype) == (trained.layer_names, "bfloat16")
    assert first.encode(SENTENCES[0]) == trained.encode(SENTENCES[0])
    weights, same, learnt = (m.network.state_dict() for m in (first, second, trained))
    assert all(torch.equal(tensor, same[key]) for key, tensor in weights.items())
    key = "gpt_neox.layers.0.mlp.dense_h_to_4h.weight"
    assert not torch.equal(weights[key], learnt[key])
    other = models.load_untrained(f"path:{tiny_folders['llama']}", trained)
    assert other is not None
    assert (other.n_blocks, other.dtype) == (3, "bfloat16")


# GGUF ----------------------------------------------------------------------------------------


def interleave(weight: np.ndarray, n_heads: int) -> np.ndarray:
    """Rows of a query or key projection in the order that GGUF keeps for Llama: rotary pairs side
    by side, not half a head apart."""
    rows, columns = weight.shape
    halves = weight.reshape(n_heads, 2, rows // n_heads // 2, columns)
    return halves.swapaxes(1, 2).reshape(rows, columns)


def write_gguf(path: Path, network: PreTrainedModel) -> None:
    """A Llama model with its tokenizer as an unquantised GGUF file."""
    config = network.config
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_dimension_count(config.head_dim)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(config.vocab_size)
    tokens = json.loads(train_tokenizer().backend_tokenizer.to_str())["model"]
    names = sorted(tokens["vocab"], key=tokens["vocab"].get)
    names += [f"<unused {number}>" for number in range(len(names), config.vocab_size)]
    control, normal = gguf.TokenType.CONTROL, gguf.TokenType.NORMAL
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(names)
    writer.add_token_types([control if name.startswith("<") else normal for name in names])
    writer.add_token_merges([" ".join(merge) for merge in tokens["merges"]])
    writer.add_pad_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    weights = {key: tensor.numpy() for key, tensor in network.state_dict().items()}
    names_of = {
        "input_layernorm": "attn_norm",
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "post_attention_layernorm": "ffn_norm",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
    }
    writer.add_tensor("token_embd.weight", weights["model.embed_tokens.weight"])
    writer.add_tensor("output_norm.weight", weights["model.norm.weight"])
    writer.add_tensor("output.weight", weights["lm_head.weight"])
    for block in range(config.num_hidden_layers):
        for theirs, ours in names_of.items():
            weight = weights[f"model.layers.{block}.{theirs}.weight"]
            if ours == "attn_q":
                weight = interleave(weight, config.num_attention_heads)
            if ours == "attn_k":
                weight = interleave(weight, config.num_key_value_heads)
            writer.add_tensor(f"blk.{block}.{ours}.weight", np.ascontiguousarray(weight))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture
def gguf_file(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.gguf"
    write_gguf(path, tiny_network("llama"))
    return path


def test_a_gguf_file(gguf_file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Random weights cannot pass the guard; see below.
    monkeypatch.setattr(models, "GUARD_REPEAT_LIMIT", float("inf"))
    model = load_model(f"path:{gguf_file}")
    ids = model.encode(SENTENCES[0])[0]
    assert ids == train_tokenizer()(SENTENCES[0])["input_ids"]
    with torch.no_grad():
        expected = tiny_network("llama")(input_ids=torch.tensor([ids])).logits
        found = model.network(input_ids=torch.tensor([ids])).logits
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)

    # The second time, and from the folder, the converted weights are read.
    def no_conversion(*_: object) -> None:
        raise AssertionError("converted again")

    monkeypatch.setattr(models, "check_guard", no_conversion)
    assert load_model(f"path:{gguf_file}").fingerprint == model.fingerprint
    assert load_model(f"path:{gguf_file.parent}").fingerprint == model.fingerprint
    (converted,) = (cache / "models" / "converted").iterdir()
    assert converted.name.startswith("tiny-")


def test_a_gguf_model_that_cannot_read_is_not_kept(gguf_file: Path, cache: Path) -> None:
    message = refusal(lambda: load_model(f"path:{gguf_file}"))
    assert message.startswith("tiny.gguf: perplexity ")
    assert "on a passage read for the second time" in message
    assert not list((cache / "models" / "converted").iterdir())


@pytest.mark.parametrize("size", [0, 100, 20_000])
def test_a_damaged_gguf_file(size: int, gguf_file: Path, cache: Path) -> None:
    gguf_file.write_bytes(gguf_file.read_bytes()[:size])
    message = refusal(lambda: load_model(f"path:{gguf_file}"))
    assert message.startswith("tiny.gguf: cannot be converted (")
    assert not list((cache / "models" / "converted").iterdir())


def test_no_space_for_the_conversion(
    gguf_file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "GUARD_REPEAT_LIMIT", float("inf"))

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("safetensors.torch.save_file", full)
    message = refusal(lambda: load_model(f"path:{gguf_file}"))
    assert "cannot write the converted weights" in message
    assert "No space left on device" in message
    assert not list((cache / "models" / "converted").iterdir())


# The logit lens ------------------------------------------------------------------------------


@pytest.mark.parametrize("architecture", CAUSAL)
def test_unembed_at_the_last_block_gives_the_logits(
    architecture: str, tiny_models: dict[str, LoadedModel], cache: Path
) -> None:
    model = tiny_models[architecture]
    last = f"block {model.n_blocks}"
    ids = model.encode(SENTENCES[1])[0]
    found = extract(
        model,
        [SENTENCES[1]],
        layers=[last],
        reductions=Reductions(spans=(), rows=(tuple(range(len(ids))),)),
    )
    (rows,) = found.rows()
    with torch.no_grad():
        expected = model.network(input_ids=torch.tensor([ids])).logits[0].numpy()
    logits = model.unembed(rows[0])
    assert logits.dtype == np.float32
    assert logits.shape == expected.shape
    np.testing.assert_allclose(logits, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_an_encoder_has_no_words(tiny_models: dict[str, LoadedModel]) -> None:
    model = tiny_models["bert"]
    message = refusal(lambda: model.unembed(np.zeros((1, WIDTH))))
    assert message == f"model {model.name} has no language-model head to read words with"


def test_an_unsupported_architecture() -> None:
    network = torch.nn.Sequential(torch.nn.Linear(1, 1))
    network.config = tiny_network("llama").config  # type: ignore[assignment]
    message = refusal(lambda: models._blocks_and_final_norm(network, "odd"))
    assert message.startswith("model odd: no list of 3 transformer blocks found in Sequential")


class PostNorm(torch.nn.Module):
    """Blocks that end in a norm of their own, after a norm of the embeddings, as in Bart."""

    def __init__(self) -> None:
        super().__init__()
        self.config = tiny_network("llama").config
        self.layernorm_embedding = torch.nn.LayerNorm(WIDTH)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(1, 1) for _ in range(3))


def test_the_norm_of_the_embeddings_is_not_the_final_one() -> None:
    blocks, norm = models._blocks_and_final_norm(PostNorm(), "odd")
    assert len(blocks) == 3
    assert norm is None


# Embedded weights ----------------------------------------------------------------------------

SENTENCE = "The ferry costs 12 € in April."


@pytest.mark.embedded
def test_smollm(smollm: LoadedModel) -> None:
    assert smollm.causal
    assert (smollm.n_blocks, smollm.width, smollm.max_length) == (30, 576, 8192)
    assert smollm.middle_blocks() == tuple(f"block {k}" for k in range(7, 23))
    ids, surfaces = smollm.encode(SENTENCE)
    # Digits stand alone, and so does the blank before them.
    assert ids == [504, 31936, 3499, 216, 33, 34, 24927, 281, 4124, 30]
    assert surfaces == ["The", "ferry", "costs", "", "1", "2", "€", "in", "April", "."]


@pytest.mark.embedded
def test_the_guard_passes_the_embedded_model(smollm: LoadedModel) -> None:
    expected = registry()["smollm2-135m"].guard_perplexity
    assert expected is not None
    check_guard(smollm.network, smollm.tokenizer, smollm.name, expected)
    first, second = models.guard_perplexities(smollm.network, smollm.tokenizer)
    assert first == pytest.approx(expected, rel=2e-3)
    assert 1.0 < second < 2.0
    message = refusal(
        lambda: check_guard(smollm.network, smollm.tokenizer, smollm.name, expected * 1.02)
    )
    assert "converts the weights differently" in message


@contextmanager
def permuted(model: LoadedModel) -> Iterator[None]:
    """Query and key rows in the order of a GGUF file, as a forgotten conversion leaves them."""
    config = model.network.config
    parameters = [
        (projection.weight, heads)
        for block in model.blocks
        for projection, heads in (
            (block.self_attn.q_proj, config.num_attention_heads),
            (block.self_attn.k_proj, config.num_key_value_heads),
        )
    ]
    kept = [weight.detach().clone() for weight, _ in parameters]
    with torch.no_grad():
        for weight, heads in parameters:
            weight.copy_(torch.from_numpy(interleave(weight.numpy(), heads).copy()))
    try:
        yield
    finally:
        with torch.no_grad():
            for (weight, _), original in zip(parameters, kept, strict=True):
                weight.copy_(original)


@pytest.mark.embedded
def test_the_guard_catches_permuted_rows(smollm: LoadedModel) -> None:
    with permuted(smollm):
        # Even where no perplexity is known, as with a GGUF file of the user's own.
        message = refusal(
            lambda: check_guard(smollm.network, smollm.tokenizer, "weights.gguf", None)
        )
    assert message.startswith("weights.gguf: perplexity ")
    assert "the weights were converted wrongly" in message


@pytest.mark.embedded
def test_the_random_twin_of_the_embedded_model(embedded_cache: Path) -> None:
    model = load_model("smollm2-135m-random", "bfloat16")
    assert (model.n_blocks, model.width) == (30, 576)
    first, second = models.guard_perplexities(model.network, model.tokenizer)
    # It knows nothing: the chance level is the size of the vocabulary.
    assert min(first, second) > 10_000


@pytest.mark.embedded
def test_minilm(embedded_cache: Path) -> None:
    model = load_model("minilm-l6")
    assert not model.causal
    assert (model.n_blocks, model.width, model.max_length) == (6, 384, 512)
    assert model.final_norm is None
    ids, surfaces = model.encode(SENTENCE)
    assert ids == [101, 1996, 7115, 5366, 2260, 1574, 1999, 2258, 1012, 102]
    assert surfaces == ["", "The", "ferry", "costs", "12", "€", "in", "April", ".", ""]


@pytest.mark.embedded
def test_sentence_embeddings_of_minilm(embedded_cache: Path) -> None:
    model = load_model("minilm-l6")
    texts = [
        "The ferry to the island leaves at seven.",
        "At seven o'clock the boat sets off for the isle.",
        "Our printer has run out of blue ink again and nobody knows where the spare one is.",
    ]
    found = extract(model, texts, layers=["block 6"]).mean("all", "block 6")
    # An independent reading: the encoder itself, one text at a time.
    folder = models.fetch_model("minilm-l6")
    assert folder is not None
    network, tokenizer = AutoModel.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    for text, vector in zip(texts, found, strict=True):
        with torch.no_grad():
            states = network(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
        np.testing.assert_allclose(vector, states.mean(0), rtol=0, atol=1e-5)
    unit = found / np.linalg.norm(found, axis=1, keepdims=True)
    cosines = unit @ unit.T
    assert cosines[0, 1] > 0.6
    assert max(cosines[0, 2], cosines[1, 2]) < 0.2
