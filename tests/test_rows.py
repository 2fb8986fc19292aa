"""Rows of output embeddings: against the networks, from files and servers that behave badly."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import huggingface_hub.constants
import numpy as np
import pytest
import torch
from conftest import SENTENCES, VOCABULARY, WIDTH, save_tiny, tiny_network, train_tokenizer
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file
from transformers import PreTrainedModel

from reproutils.errors import ReproError
from reproutils.models import LoadedModel
from reproutils.rows import read_output_rows, read_tokenizer

IDS = [7, 3, 4, 300, 3]
PORTION = 2**16


def output_rows(network: PreTrainedModel, ids: list[int]) -> np.ndarray:
    weight: np.ndarray = network.get_output_embeddings().weight[ids].detach().float().numpy()
    return weight


def write_file(
    path: Path,
    header: dict[str, Any] | bytes,
    data: bytes = b"",
    *,
    length: int | None = None,
) -> Path:
    """A safetensors file with any header; ``length`` is what it claims of the header."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    claimed = len(text) if length is None else length
    path.write_bytes(claimed.to_bytes(8, "little") + text + data)
    return path


def entry(dtype: str, shape: list[int], start: int, stop: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, stop]}


# --- which tensor, and its rows ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("architecture", "tensor", "tied"),
    [
        ("llama", "lm_head.weight", False),
        ("gpt2", "transformer.wte.weight", True),
        ("neox", "embed_out.weight", False),
    ],
)
def test_rows_are_those_of_the_network(
    tiny_folders: dict[str, Path], architecture: str, tensor: str, tied: bool
) -> None:
    folder = tiny_folders[architecture]
    found = read_output_rows(f"path:{folder}", IDS)
    assert (found.tensor, found.tied) == (tensor, tied)
    assert found.rows.dtype == np.float32
    np.testing.assert_array_equal(found.rows, output_rows(tiny_network(architecture), IDS))
    assert found.file_size == (folder / "model.safetensors").stat().st_size
    again = read_output_rows(f"path:{folder / 'model.safetensors'}", IDS)
    np.testing.assert_array_equal(again.rows, found.rows)
    assert again.bytes_read == found.bytes_read


def test_sharded_rows_come_from_one_shard(tmp_path: Path) -> None:
    network = tiny_network("llama")
    network.save_pretrained(tmp_path, max_shard_size="60KB")
    index = json.loads((tmp_path / "model.safetensors.index.json").read_text("utf-8"))
    shard = tmp_path / index["weight_map"]["lm_head.weight"]
    for other in tmp_path.glob("*.safetensors"):
        if other != shard:
            other.unlink()
    found = read_output_rows(f"path:{tmp_path}", IDS)
    np.testing.assert_array_equal(found.rows, output_rows(network, IDS))
    assert found.file_size == shard.stat().st_size
    shard.unlink()
    with pytest.raises(ReproError, match=rf"shard {shard.name} that holds lm_head.weight is miss"):
        read_output_rows(f"path:{tmp_path}", IDS)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_every_type_becomes_float32(tmp_path: Path, dtype: torch.dtype) -> None:
    weight = (100 * torch.randn(50, 6, generator=torch.Generator().manual_seed(0))).to(dtype)
    file = tmp_path / "model.safetensors"
    save_file({"lm_head.weight": weight, "zzz": torch.ones(3)}, file)
    found = read_output_rows(f"path:{file}", range(50))
    np.testing.assert_array_equal(found.rows, weight.float().numpy())


@given(ids=st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=40))
def test_any_ids_in_any_order(
    tiny_folders: dict[str, Path], tiny_models: dict[str, LoadedModel], ids: list[int]
) -> None:
    found = read_output_rows(f"path:{tiny_folders['llama']}", ids)
    np.testing.assert_array_equal(found.rows, output_rows(tiny_models["llama"].network, ids))


def test_a_gigabyte_costs_less_than_a_hundredth(tmp_path: Path) -> None:
    n_rows, width = 250_000, 1024
    size = 4 * n_rows * width
    header = {
        "__metadata__": {"format": "pt"},
        "lm_head.weight": entry("F32", [n_rows, width], 0, size),
        **{f"model.layers.{i}.w": entry("F32", [0, 1], size, size) for i in range(300)},
    }
    file = write_file(tmp_path / "model.safetensors", header)
    start = file.stat().st_size
    ids = [15, 16, 17, *range(1000, n_rows, 2000)]
    expected = np.random.default_rng(0).normal(size=(len(ids), width)).astype("<f4")
    with file.open("r+b") as stream:
        stream.truncate(start + size)
        for token, row in zip(ids, expected, strict=True):
            stream.seek(start + 4 * width * token)
            stream.write(row.tobytes())
    found = read_output_rows(f"path:{tmp_path}", ids)
    np.testing.assert_array_equal(found.rows, expected)
    assert found.file_size > 10**9
    # The header, and each row once.
    assert found.bytes_read == start + 4 * width * len(ids)
    assert found.bytes_read <= 0.01 * found.file_size


@pytest.mark.embedded
def test_rows_of_the_embedded_model(smollm: LoadedModel) -> None:
    found = read_output_rows("smollm2-135m", IDS)
    np.testing.assert_array_equal(found.rows, output_rows(smollm.network, IDS))
    assert found.tied
    assert found.bytes_read < 0.001 * found.file_size


def write_checkpoint(folder: Path, names: list[str], config: dict[str, Any] | None) -> Path:
    folder.mkdir(exist_ok=True)
    save_file({name: torch.ones(4, 2) for name in names}, folder / "model.safetensors")
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config), "utf-8")
    return folder


EMBEDDING = ["model.embed_tokens.weight", "model.layers.0.mlp.weight"]


@pytest.mark.parametrize(
    ("names", "config"),
    [
        (EMBEDDING, {"tie_word_embeddings": True}),
        (EMBEDDING, {"model_type": "x", "text_config": {"tie_word_embeddings": True}}),
        (EMBEDDING, {"model_type": "gemma", "architectures": ["GemmaForCausalLM"]}),
        (["wte.weight", "wpe.weight"], {"model_type": "gpt2"}),
        (["word_embeddings.weight"], {"model_type": "bloom"}),
        # Layers of a model that predicts several tokens ahead repeat the embedding.
        ([*EMBEDDING, "model.layers.61.embed_tokens.weight"], {"tie_word_embeddings": True}),
    ],
)
def test_a_tied_embedding_serves(tmp_path: Path, names: list[str], config: dict[str, Any]) -> None:
    found = read_output_rows(f"path:{write_checkpoint(tmp_path, names, config)}", [0])
    assert (found.tensor, found.tied) == (names[0], True)


@pytest.mark.parametrize(
    ("names", "config", "message"),
    [
        (EMBEDDING, None, "no config.json"),
        (EMBEDDING, {"tie_word_embeddings": False}, "says that it is not tied"),
        (EMBEDDING, {"model_type": "llama"}, "model_type llama. does not tie"),
        (EMBEDDING, {"model_type": "unheard"}, "model_type unheard. does not tie"),
        (EMBEDDING, {"architectures": ["LlamaModel"]}, "names a LlamaModel, which has none"),
        (
            ["encoder.embed_tokens.weight", "decoder.embed_tokens.weight"],
            {"tie_word_embeddings": True},
            "decoder.embed_tokens.weight and encoder.embed_tokens.weight may each be",
        ),
        (
            ["norm.weight", "h.0.attn.weight"],
            {},
            r"none of its 2 tensors .*; there are norm.weight$",
        ),
    ],
)
def test_refuses_without_an_output_embedding(
    tmp_path: Path, names: list[str], config: dict[str, Any] | None, message: str
) -> None:
    with pytest.raises(ReproError, match=message):
        read_output_rows(f"path:{write_checkpoint(tmp_path, names, config)}", [0])


def test_an_encoder_without_a_head_is_refused(tiny_folders: dict[str, Path]) -> None:
    with pytest.raises(ReproError, match="names a BertModel, which has none"):
        read_output_rows(f"path:{tiny_folders['bert']}", IDS)


# --- false files -------------------------------------------------------------------------------


def head(dtype: str = "F32", shape: Any = (2, 2), start: int = 0, stop: int = 16) -> Any:
    return {"lm_head.weight": entry(dtype, shape, start, stop)}


DATA = bytes(16)


@pytest.mark.parametrize(
    ("header", "data", "length", "message"),
    [
        (head(), DATA, 10**12, "has no safetensors header"),
        (head(), DATA, 2**63, "has no safetensors header"),
        (head(), DATA, 0, "has no safetensors header"),
        (b"version https://git-lfs.github.com/spec/v1", b"", None, "is not JSON"),
        (b"[1, 2]", b"", None, "holds no JSON object"),
        (head(), DATA[:-1], None, "damaged or cut short"),
        (head(stop=12), DATA, None, "damaged or cut short"),
        (head(start=-16, stop=0), DATA, None, "damaged or cut short"),
        (head(start=10**9, stop=10**9 + 16), DATA, None, "damaged or cut short"),
        (head(shape=(2, 10**9)), DATA, None, "damaged or cut short"),
        (head(dtype="I8"), DATA, None, "has type I8; .* not quantised"),
        (head(dtype="F8_E4M3"), DATA, None, "has type F8_E4M3; .* not quantised"),
        (head(shape=(4,)), DATA, None, r"has shape \[4\], not \(tokens, width\)"),
        (head(shape=(0, 2), stop=0), DATA, None, r"has shape \[0, 2\]"),
        (head(shape=("2", 2)), DATA, None, "header entry of lm_head.weight is damaged"),
        (head(shape=5), DATA, None, "header entry of lm_head.weight is damaged"),
        ({"lm_head.weight": {"dtype": "F32"}}, DATA, None, "header entry of lm_head.weight"),
        ({"lm_head.weight": None}, DATA, None, "header entry of lm_head.weight is damaged"),
    ],
)
def test_false_headers_are_refused(
    tmp_path: Path, header: dict[str, Any] | bytes, data: bytes, length: int | None, message: str
) -> None:
    file = write_file(tmp_path / "model.safetensors", header, data, length=length)
    with pytest.raises(ReproError, match=message) as caught:
        read_output_rows(f"path:{file}", [0])
    assert "\n" not in str(caught.value)


def test_a_file_too_short_for_a_header_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"\x01")
    with pytest.raises(ReproError, match="of 1 bytes has no safetensors header"):
        read_output_rows(f"path:{file}", [0])


@pytest.mark.parametrize("shard", ["../model.safetensors", "/etc/hostname", 3])
def test_an_index_cannot_lead_out_of_its_folder(tmp_path: Path, shard: object) -> None:
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"lm_head.weight": shard}}), "utf-8")
    with pytest.raises(ReproError, match="names no shard for each tensor"):
        read_output_rows(f"path:{tmp_path}", [0])


def test_an_index_that_does_not_fit_its_shard(tmp_path: Path) -> None:
    write_file(tmp_path / "a.safetensors", {"x": entry("F32", [2, 2], 0, 16)}, DATA)
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"lm_head.weight": "a.safetensors"}}), "utf-8")
    with pytest.raises(ReproError, match=r"a\.safetensors lacks lm_head\.weight"):
        read_output_rows(f"path:{tmp_path}", [0])


@pytest.mark.parametrize("token", [-1, VOCABULARY])
def test_tokens_without_a_row(tiny_folders: dict[str, Path], token: int) -> None:
    with pytest.raises(ReproError, match=rf"token {token} has no row; .* has {VOCABULARY}"):
        read_output_rows(f"path:{tiny_folders['llama']}", [0, token])


def test_values_that_are_not_finite(tmp_path: Path) -> None:
    weight = torch.ones(5, 3)
    weight[3, 1] = torch.nan
    save_file({"lm_head.weight": weight}, tmp_path / "model.safetensors")
    assert read_output_rows(f"path:{tmp_path}", [2, 4]).rows.shape == (2, 3)
    with pytest.raises(ReproError, match=r"row of token 3 in lm_head\.weight"):
        read_output_rows(f"path:{tmp_path}", [4, 3, 2])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no-such-model", "unknown model 'no-such-model'; known names: smollm2-135m"),
        ("smollm2-135m-random", "drawn from a seed"),
        ("path:nowhere/at/all", "no such folder or .safetensors file"),
        ("http://127.0.0.1:1/model.safetensors", "REPROUTILS_OFFLINE=1 forbids downloads"),
        ("owner/name", "model owner/name: not in the local Hub cache"),
        ("owner/name/more", "not a Hub id"),
    ],
)
def test_names_that_lead_nowhere(
    cache: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(cache))
    with pytest.raises(ReproError, match=message):
        read_output_rows(name, [0])


def test_an_empty_folder_and_no_tokens(tmp_path: Path) -> None:
    with pytest.raises(ReproError, match=r"neither model\.safetensors nor"):
        read_output_rows(f"path:{tmp_path}", [0])
    with pytest.raises(ReproError, match="no token ids"):
        read_output_rows(f"path:{tmp_path}", [])


# --- tokenizers --------------------------------------------------------------------------------


def test_tokenizer_lies_beside_the_weights(tiny_folders: dict[str, Path]) -> None:
    found = read_tokenizer(f"path:{tiny_folders['llama'] / 'model.safetensors'}")
    expected = train_tokenizer()(SENTENCES[0])["input_ids"]
    assert found.encode(SENTENCES[0]).ids == expected


def test_tokenizer_that_is_missing_or_damaged(tmp_path: Path) -> None:
    with pytest.raises(ReproError, match=r"no tokenizer\.json beside the weights"):
        read_tokenizer(f"path:{tmp_path}")
    (tmp_path / "tokenizer.json").write_text("{", "utf-8")
    with pytest.raises(ReproError, match=r"tokenizer\.json cannot be read"):
        read_tokenizer(f"path:{tmp_path}")


# --- servers -----------------------------------------------------------------------------------


@dataclass
class Server:
    """A web server for one folder, at 127.0.0.1.

    Attributes:
        ranges: whether it answers byte ranges.
        drops: how many GET requests it will yet break off after half of the body.
        refusals: how many requests it will yet answer with ``refusal``.
        sent: bytes of bodies that it sent.
        asked: how often each file was asked for with GET.
    """

    folder: Path
    address: str = ""
    ranges: bool = True
    drops: int = 0
    refusals: int = 0
    refusal: int = 503
    sent: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def takes(self, name: str) -> bool:
        """Counts ``drops`` or ``refusals`` down; whether one was left."""
        with self.lock:
            left = getattr(self, name)
            setattr(self, name, max(0, left - 1))
        return left > 0


def handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self.answer(body=False)

        def do_GET(self) -> None:
            self.answer(body=True)

        def answer(self, *, body: bool) -> None:
            path = server.folder / self.path.partition("?")[0].lstrip("/")
            status = server.refusal if server.takes("refusals") else 200
            if status == 200 and not path.is_file():
                status = 404
            content = path.read_bytes() if status == 200 else b"sorry"
            asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
            self.send_response(206 if status == 200 and asked and server.ranges else status)
            if status == 200 and asked and server.ranges:
                start, last = int(asked[1]), int(asked[2])
                self.send_header("Content-Range", f"bytes {start}-{last}/{len(content)}")
                content = content[start : last + 1]
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if not body:
                return
            drop = server.takes("drops")
            with server.lock:
                server.asked[path.name] += 1
            whole = content[: len(content) // 2] if drop else content
            try:
                for at in range(0, len(whole), PORTION):
                    part = whole[at : at + PORTION]
                    with server.lock:
                        server.sent += len(part)
                    self.wfile.write(part)
            except OSError:
                drop = True
            self.close_connection = self.close_connection or drop

    return Handler


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    monkeypatch.delenv("REPROUTILS_OFFLINE", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    running: list[ThreadingHTTPServer] = []

    def start(folder: Path, **options: Any) -> Server:
        server = Server(folder, **options)
        http = ThreadingHTTPServer(("127.0.0.1", 0), handler(server))
        running.append(http)
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        server.address = f"http://127.0.0.1:{http.server_port}"
        return server

    yield start
    for http in running:
        http.shutdown()
        http.server_close()


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_ranges_over_http(
    serve: Callable[..., Server], tiny_folders: dict[str, Path], architecture: str
) -> None:
    server = serve(tiny_folders[architecture].parent)
    local = read_output_rows(f"path:{tiny_folders[architecture]}", IDS)
    # The length of the header, the header, rows 3 to 7 in one range, row 300.
    for name in (f"{architecture}/", f"{architecture}/model.safetensors?download=true"):
        server.sent, server.asked = 0, Counter()
        found = read_output_rows(f"{server.address}/{name}", IDS)
        np.testing.assert_array_equal(found.rows, local.rows)
        assert (found.tensor, found.tied, found.file_size) == (
            local.tensor,
            local.tied,
            local.file_size,
        )
        assert found.bytes_read == server.sent == local.bytes_read
        assert server.asked["model.safetensors"] == 4


def test_shards_and_tokenizer_over_http(serve: Callable[..., Server], tmp_path: Path) -> None:
    network = tiny_network("neox")
    network.save_pretrained(tmp_path, max_shard_size="60KB")
    train_tokenizer().save_pretrained(tmp_path)
    server = serve(tmp_path)
    found = read_output_rows(server.address, IDS)
    np.testing.assert_array_equal(found.rows, output_rows(network, IDS))
    assert read_tokenizer(server.address).get_vocab_size() == len(train_tokenizer())


def test_rows_far_apart_are_asked_for_one_by_one(
    serve: Callable[..., Server], tmp_path: Path
) -> None:
    weight = torch.randn(400, 600, generator=torch.Generator().manual_seed(0))
    save_file({"lm_head.weight": weight}, tmp_path / "model.safetensors")
    server = serve(tmp_path)
    ids = list(range(399, 0, -7))
    found = read_output_rows(server.address, ids)
    np.testing.assert_array_equal(found.rows, weight[ids].numpy())
    assert server.asked["model.safetensors"] == 2 + len(ids)


def test_a_server_without_ranges(serve: Callable[..., Server], tmp_path: Path) -> None:
    with (tmp_path / "model.safetensors").open("wb") as stream:
        header = json.dumps({"lm_head.weight": entry("F32", [8000, 1000], 0, 32 * 10**6)})
        stream.write(len(header).to_bytes(8, "little") + header.encode())
        stream.truncate(stream.tell() + 32 * 10**6)
    server = serve(tmp_path, ranges=False)
    with pytest.raises(
        ReproError, match=r"does not answer byte ranges of model.safetensors.*name it path:FOLDER"
    ):
        read_output_rows(server.address, IDS)
    # It was stopped in the middle.
    assert server.sent < 24 * 10**6


def test_dropped_connections_are_tried_again(
    serve: Callable[..., Server], tiny_folders: dict[str, Path]
) -> None:
    server = serve(tiny_folders["llama"], drops=2)
    found = read_output_rows(server.address, IDS)
    np.testing.assert_array_equal(found.rows, output_rows(tiny_network("llama"), IDS))
    assert server.drops == 0
    server.drops = 1000
    with pytest.raises(ReproError, match=r"could not be read \(.*\) in up to 4 attempts; check"):
        read_output_rows(server.address, IDS)


def test_a_busy_server_is_asked_again(
    serve: Callable[..., Server], tiny_folders: dict[str, Path]
) -> None:
    server = serve(tiny_folders["llama"], refusals=3)
    assert read_output_rows(server.address, IDS).rows.shape == (len(IDS), WIDTH)
    server.refusals = 1000
    with pytest.raises(ReproError, match=r"could not be read \(status 503\) in up to 4"):
        read_output_rows(server.address, IDS)


def test_a_private_checkpoint(serve: Callable[..., Server], tiny_folders: dict[str, Path]) -> None:
    server = serve(tiny_folders["llama"], refusals=1000, refusal=403)
    with pytest.raises(ReproError, match=r"refuses model.safetensors \(status 403\)"):
        read_output_rows(server.address, IDS)
    # Refused at once: asking for the size takes two requests.
    assert server.refusals == 998


def test_addresses_without_a_checkpoint(serve: Callable[..., Server], tmp_path: Path) -> None:
    server = serve(tmp_path)
    with pytest.raises(ReproError, match=r"neither model\.safetensors nor"):
        read_output_rows(server.address, IDS)
    with pytest.raises(ReproError, match="there is no such file"):
        read_output_rows(f"{server.address}/model.safetensors", IDS)


@pytest.mark.usefixtures("serve")
def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ReproError, match=r"could not be read \(Cannot connect"):
            read_output_rows(address, IDS)


def test_a_page_in_place_of_the_weights(serve: Callable[..., Server], tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_text("<html>Please log in</html>" * 9, "utf-8")
    with pytest.raises(ReproError, match="has no safetensors header"):
        read_output_rows(serve(tmp_path).address, IDS)


# --- the Hub -----------------------------------------------------------------------------------


def test_a_hub_id_is_read_by_ranges(
    serve: Callable[..., Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "owner" / "name" / "resolve" / "v2"
    save_tiny(folder, "llama")
    server = serve(tmp_path)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(
        huggingface_hub.constants,
        "HUGGINGFACE_CO_URL_TEMPLATE",
        server.address + "/{repo_id}/resolve/{revision}/{filename}",
    )
    found = read_output_rows("owner/name@v2", IDS)
    np.testing.assert_array_equal(found.rows, output_rows(tiny_network("llama"), IDS))
    assert found.bytes_read == server.sent


def test_a_hub_id_in_the_local_cache_needs_no_network(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    revision = "0" * 40
    repository = cache / "models--owner--name"
    save_tiny(repository / "snapshots" / revision, "gpt2")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(revision, "utf-8")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(cache))
    found = read_output_rows("owner/name", IDS)
    np.testing.assert_array_equal(found.rows, output_rows(tiny_network("gpt2"), IDS))
