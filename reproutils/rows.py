"""Rows of a model's output embedding, read by slice: a 7B checkpoint costs kilobytes.

The weights are safetensors files, whose header says where each tensor lies; only the header and
the rows that are asked for are read, from disk or over HTTP byte ranges, never a whole tensor. No
network is built and no weight is loaded otherwise.

Which tensor it is: the one named after a language-model head (``lm_head.weight``,
``embed_out.weight`` and so on, whatever stands before the name); without one, and if
``config.json`` ties the output to the input embedding, the one named after an input embedding
(``embed_tokens.weight``, ``wte.weight`` and so on). Of several, the one with the shortest path.
"""

from __future__ import annotations

import asyncio
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import fsspec
import numpy as np
from aiohttp import ClientError, ClientResponseError, ClientTimeout, InvalidURL
from fsspec.exceptions import FSTimeoutError
from huggingface_hub import hf_hub_url, is_offline_mode, snapshot_download
from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
from huggingface_hub.utils import build_hf_headers
from tenacity import retry, retry_if_exception, stop_after_attempt, wait_exponential
from tokenizers import Tokenizer
from transformers import CONFIG_MAPPING

from reproutils.errors import ReproError
from reproutils.fetch import OFFLINE_VARIABLE, offline
from reproutils.models import fetch_model, registry
from reproutils.paths import named_path

HEADS = ("lm_head", "embed_out", "output_layer")
EMBEDDINGS = ("embed_tokens", "wte", "word_embeddings", "embed_in", "tok_embeddings")

_SINGLE = "model.safetensors"
_INDEX = "model.safetensors.index.json"

# Of the file format: eight bytes of length, then a header of at most 100 MB.
_LENGTH_BYTES = 8
_HEADER_LIMIT = 100_000_000
_ITEM_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}

# Asking once more costs about this many bytes of HTTP headers, so smaller gaps are read along.
_REQUEST_COST = 1024
_CONNECTIONS = 8
_ATTEMPTS = 4
_SECONDS_TO_CONNECT, _SECONDS_OF_SILENCE = 15.0, 30.0

# Of the classes that config.json names: GPT2LMHeadModel, LlamaForCausalLM, BertForMaskedLM.
_HAS_HEAD = re.compile(r"LM(Head|$)|ForConditionalGeneration")


@dataclass(frozen=True, eq=False)
class OutputRows:
    """Rows of an output embedding and what it cost to read them.

    Attributes:
        rows: (n, d) float32, one per token asked for, in that order.
        bytes_read: of configuration, index, header and rows together; HTTP headers are not counted.
        file_size: bytes of the weights file that holds the tensor (one shard of several).
        tensor: its name in the file.
        tied: whether the tensor is the input embedding, which serves as the output embedding too.
    """

    rows: np.ndarray
    bytes_read: int
    file_size: int
    tensor: str
    tied: bool


def read_output_rows(name: str, token_ids: Sequence[int]) -> OutputRows:
    """The output-embedding rows of some tokens.

    Args:
        name: alias of ``data/models.toml``, ``path:FOLDER``, ``path:FILE.safetensors``, the
            ``http(s)://`` address of such a folder or file, or a Hub id ``owner/name[@revision]``.
            A folder holds ``model.safetensors``, or shards with their index.
        token_ids: row numbers; a token may come twice and is read once.

    Raises:
        ReproError: unknown name, no such file, no output embedding (the tensors found are named), a
            damaged or unsupported file, a token outside the tensor, values that are not finite, a
            server that cannot be reached, drops every attempt or does not answer byte ranges, or an
            address or Hub id while downloads are forbidden.
    """
    if not len(token_ids):
        raise ReproError(f"{name}: no token ids to read rows for; name at least one")
    place, filename = _locate(name)
    weights, tensor, tied = _find(place, filename)
    rows = _rows(place, weights, _layout(place, weights, tensor), token_ids)
    if not np.isfinite(rows).all():
        bad = token_ids[int(np.argmin(np.isfinite(rows).all(1)))]
        raise ReproError(
            f"{name}: the row of token {bad} in {tensor} holds values that are not finite; "
            f"use another copy of the checkpoint"
        )
    return OutputRows(rows, place.bytes_read, weights.size, tensor, tied)


def read_tokenizer(name: str) -> Tokenizer:
    """The tokenizer that lies beside the weights, as ``tokenizer.json``.

    Args:
        name: as for :func:`read_output_rows`. The file is read whole.

    Raises:
        ReproError: as there, or no usable ``tokenizer.json``.
    """
    place, _ = _locate(name)
    content = place.whole("tokenizer.json")
    if content is None:
        raise ReproError(f"{name}: no tokenizer.json beside the weights; copy it there")
    try:
        return Tokenizer.from_buffer(content)
    except Exception as error:  # the tokenizers library raises bare Exceptions
        raise ReproError(
            f"{name}: tokenizer.json cannot be read ({_first_line(error)}); fetch it again"
        ) from error


@dataclass(frozen=True)
class _Weights:
    """A safetensors file: its size, where its data begin, and what its header says of tensors."""

    filename: str
    size: int
    data_start: int
    tensors: Mapping[str, Any]


@dataclass(frozen=True)
class _Layout:
    """Where a matrix lies in its file."""

    dtype: str
    n_rows: int
    width: int
    start: int

    @property
    def row_bytes(self) -> int:
        return self.width * np.dtype(_ITEM_TYPES[self.dtype]).itemsize


class _Place(ABC):
    """Where the files of one checkpoint lie, and how many bytes were read of them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.bytes_read = 0

    def whole(self, filename: str) -> bytes | None:
        """All of a small file; None where there is none."""
        content = self._whole(filename)
        self.bytes_read += len(content or b"")
        return content

    def parts(self, filename: str, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Bytes ``start`` to ``stop`` of a file, for each of ``ranges``."""
        found = self._parts(filename, ranges)
        for (start, stop), part in zip(ranges, found, strict=True):
            if len(part) != stop - start:
                raise ReproError(
                    f"{self.name}: {filename} gave {len(part)} of the {stop - start} bytes from "
                    f"{start} on; it is cut short, fetch it again"
                )
        self.bytes_read += sum(map(len, found))
        return found

    @abstractmethod
    def size(self, filename: str) -> int | None:
        """Bytes of a file; None where there is none."""

    @abstractmethod
    def _whole(self, filename: str) -> bytes | None: ...

    @abstractmethod
    def _parts(self, filename: str, ranges: Sequence[tuple[int, int]]) -> list[bytes]: ...


class _Folder(_Place):
    """A folder on disk."""

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__(name)
        self._folder = folder

    def size(self, filename: str) -> int | None:
        path = self._folder / filename
        return path.stat().st_size if path.is_file() else None

    def _whole(self, filename: str) -> bytes | None:
        size = self.size(filename)
        return None if size is None else self._parts(filename, [(0, size)])[0]

    def _parts(self, filename: str, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        found = []
        try:
            # Unbuffered: a buffer would read more than is asked for.
            with (self._folder / filename).open("rb", buffering=0) as stream:
                for start, stop in ranges:
                    stream.seek(start)
                    found.append(stream.read(stop - start))
        except OSError as error:
            raise ReproError(
                f"{self.name}: {filename} cannot be read ({error.strerror}); check its permissions"
            ) from error
        return found


class _Site(_Place):
    """A folder on a web server, or a repository of the Hub."""

    def __init__(
        self, name: str, address: Callable[[str], str], headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(name)
        self._address = address
        self._files = fsspec.filesystem(
            "http",
            # A compressed answer has neither the size nor the offsets of the file.
            headers={**(headers or {}), "Accept-Encoding": "identity"},
            client_kwargs={
                "trust_env": True,
                "timeout": ClientTimeout(
                    total=None,
                    sock_connect=_SECONDS_TO_CONNECT,
                    sock_read=_SECONDS_OF_SILENCE,
                ),
            },
        )

    def size(self, filename: str) -> int | None:
        url = self._address(filename)
        found = self._ask(filename, lambda: self._files.info(url)["size"])
        if found is _MISSING:
            return None
        if found is None:
            raise self._no_ranges(filename)
        return int(found)

    def _whole(self, filename: str) -> bytes | None:
        url = self._address(filename)
        found = self._ask(filename, lambda: self._files.cat_file(url))
        return None if found is _MISSING else bytes(found)

    def _parts(self, filename: str, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        with ThreadPoolExecutor(_CONNECTIONS) as pool:
            return list(pool.map(lambda bounds: self._range(filename, *bounds), ranges))

    def _range(self, filename: str, start: int, stop: int) -> bytes:
        def read() -> bytes:
            # A size that is given is not asked for again.
            with self._files.open(
                self._address(filename), "rb", cache_type="none", size=stop
            ) as stream:
                stream.seek(start)
                return bytes(stream.read(stop - start))

        found = self._ask(filename, read)
        if found is _MISSING:
            raise ReproError(f"{self.name}: {filename} is no longer there; check the address")
        assert isinstance(found, bytes)
        return found

    def _ask(self, filename: str, question: Callable[[], Any]) -> Any:
        """The answer, or ``_MISSING`` for a file that is not there."""
        try:
            return _persistently(question)
        except Exception as error:
            cause = _cause(error)
            status = cause.status if isinstance(cause, ClientResponseError) else None
            if isinstance(cause, FileNotFoundError) or status in (404, 410):
                return _MISSING
            if status in (401, 403):
                raise ReproError(
                    f"{self.name}: the server refuses {filename} (status {status}); check the "
                    f"name, and log in where the checkpoint is private or gated"
                ) from error
            if isinstance(cause, InvalidURL):
                raise ReproError(f"{self.name}: not an address that can be asked") from error
            if isinstance(cause, ValueError):
                raise self._no_ranges(filename) from error
            what = f"status {status}" if status else _first_line(cause)
            raise ReproError(
                f"{self.name}: {filename} could not be read ({what}) in up to {_ATTEMPTS} "
                f"attempts; check the address and the network, then run again"
            ) from error

    def _no_ranges(self, filename: str) -> ReproError:
        return ReproError(
            f"{self.name}: the server does not answer byte ranges of {filename}, and rows are not "
            f"worth the whole file; download the checkpoint once and name it path:FOLDER"
        )


_MISSING = object()


def _cause(error: BaseException) -> BaseException:
    """What stopped a request: fsspec wraps it when it asks for a file's size."""
    wrapped = error.__cause__
    return wrapped if isinstance(error, FileNotFoundError) and wrapped is not None else error


def _is_transient(error: BaseException) -> bool:
    """Whether the same request may well succeed a moment later."""
    cause = _cause(error)
    if isinstance(cause, ClientResponseError):
        return cause.status == 429 or cause.status >= 500
    if isinstance(cause, (FileNotFoundError, InvalidURL)):
        return False
    return isinstance(cause, (ClientError, OSError, asyncio.TimeoutError, FSTimeoutError))


@retry(
    retry=retry_if_exception(_is_transient),
    stop=stop_after_attempt(_ATTEMPTS),
    wait=wait_exponential(multiplier=0.1, max=2),
    reraise=True,
)
def _persistently(question: Callable[[], Any]) -> Any:
    return question()


def _locate(name: str) -> tuple[_Place, str | None]:
    """The place of a checkpoint, and its weights file where the name is that of a file."""
    if name.startswith("path:"):
        return _on_disk(name, named_path(name))
    if name.startswith(("http://", "https://")):
        return _on_server(name)
    known = registry()
    if name in known:
        folder = fetch_model(name)
        if folder is None:
            raise ReproError(
                f"{name}: its weights are drawn from a seed and lie in no file to read rows from"
            )
        return _Folder(name, folder), None
    if "/" in name:
        return _on_hub(name), None
    raise ReproError(
        f"unknown model {name!r}; known names: {', '.join(known)}; or use path:FOLDER, "
        f"path:FILE.safetensors, an http(s) address or a Hub id owner/name"
    )


def _on_disk(name: str, path: Path) -> tuple[_Place, str | None]:
    if path.is_dir():
        return _Folder(name, path), None
    if path.is_file() and path.suffix == ".safetensors":
        return _Folder(name, path.parent), path.name
    raise ReproError(f"{name}: no such folder or .safetensors file; check the path")


def _on_server(name: str) -> tuple[_Place, str | None]:
    if offline():
        raise ReproError(
            f"{name}: {OFFLINE_VARIABLE}=1 forbids downloads; unset it or use path:FOLDER"
        )
    parts = urlsplit(name)
    folder, _, last = parts.path.rpartition("/")
    filename = last if last.endswith(".safetensors") else None
    if filename is None:
        folder = parts.path.rstrip("/")
    return (
        _Site(name, lambda wanted: urlunsplit(parts._replace(path=f"{folder}/{wanted}"))),
        filename,
    )


def _on_hub(name: str) -> _Place:
    repository, _, revision = name.partition("@")
    try:
        folder = Path(
            snapshot_download(repository, revision=revision or None, local_files_only=True)
        )
        if any(folder.glob("*.safetensors")):
            return _Folder(name, folder)
    except LocalEntryNotFoundError:
        pass
    except HFValidationError as error:
        raise ReproError(f"{name}: not a Hub id owner/name[@revision]; correct it") from error
    if offline() or is_offline_mode():
        raise ReproError(
            f"model {name}: not in the local Hub cache and downloads are forbidden; unset "
            f"{OFFLINE_VARIABLE}, or use a registry alias ({', '.join(registry())}) or path:FOLDER"
        )
    return _Site(
        name,
        lambda wanted: hf_hub_url(repository, wanted, revision=revision or None),
        build_hf_headers(),
    )


def _find(place: _Place, filename: str | None) -> tuple[_Weights, str, bool]:
    """The file that holds the output embedding, the tensor, and whether it is tied."""
    size = place.size(filename or _SINGLE)
    if size is not None:
        weights = _header(place, filename or _SINGLE, size)
        return weights, *_choose_tensor(weights.tensors, place)
    if filename is not None:
        raise ReproError(f"{place.name}: there is no such file; check the address")
    shards = _shards(place)
    tensor, tied = _choose_tensor(shards, place)
    size = place.size(shards[tensor])
    if size is None:
        raise ReproError(
            f"{place.name}: the shard {shards[tensor]} that holds {tensor} is missing; fetch it"
        )
    return _header(place, shards[tensor], size), tensor, tied


def _json(place: _Place, filename: str, content: bytes) -> dict[str, Any]:
    try:
        values = json.loads(content)
    except ValueError as error:
        raise ReproError(
            f"{place.name}: {filename} is not JSON ({_first_line(error)}); fetch it again"
        ) from error
    if not isinstance(values, dict):
        raise ReproError(f"{place.name}: {filename} holds no JSON object; fetch it again")
    return values


def _shards(place: _Place) -> dict[str, str]:
    """Tensor name to the file that holds it, from the index of a sharded checkpoint."""
    content = place.whole(_INDEX)
    if content is None:
        raise ReproError(
            f"{place.name}: neither {_SINGLE} nor {_INDEX} is there; rows are read from "
            f"safetensors weights only"
        )
    shards = _json(place, _INDEX, content).get("weight_map")
    # A plain file name cannot lead out of the checkpoint's own folder.
    if not isinstance(shards, dict) or not all(
        isinstance(shard, str) and PurePosixPath(shard).name == shard for shard in shards.values()
    ):
        raise ReproError(f"{place.name}: {_INDEX} names no shard for each tensor; fetch it again")
    return shards


def _header(place: _Place, filename: str, size: int) -> _Weights:
    length = -1
    if size > _LENGTH_BYTES:
        (content,) = place.parts(filename, [(0, _LENGTH_BYTES)])
        length = int.from_bytes(content, "little")
    if not 0 < length <= min(_HEADER_LIMIT, size - _LENGTH_BYTES):
        raise ReproError(
            f"{place.name}: {filename} of {size} bytes has no safetensors header; it is damaged, "
            f"or a pointer to the real file: fetch it again"
        )
    data_start = _LENGTH_BYTES + length
    (content,) = place.parts(filename, [(_LENGTH_BYTES, data_start)])
    tensors = _json(place, f"the header of {filename}", content)
    tensors.pop("__metadata__", None)
    return _Weights(filename, size, data_start, tensors)


def _layout(place: _Place, weights: _Weights, tensor: str) -> _Layout:
    """Where ``tensor`` lies, after all that the header says of it has been checked."""
    if tensor not in weights.tensors:
        raise ReproError(
            f"{place.name}: {weights.filename} lacks {tensor}, which {_INDEX} puts there; "
            f"fetch both again"
        )
    entry = weights.tensors[tensor]
    try:
        dtype, shape, (start, stop) = entry["dtype"], entry["shape"], entry["data_offsets"]
        numbers = [*shape, start, stop]
        sound = isinstance(dtype, str) and all(type(number) is int for number in numbers)
    except (KeyError, TypeError, ValueError):
        sound = False
    if not sound:
        raise ReproError(f"{place.name}: the header entry of {tensor} is damaged; fetch it again")
    if dtype not in _ITEM_TYPES:
        raise ReproError(
            f"{place.name}: {tensor} has type {dtype}; rows are read from "
            f"{', '.join(_ITEM_TYPES)}: use a checkpoint that is not quantised"
        )
    if len(shape) != 2 or min(shape) < 1:
        raise ReproError(f"{place.name}: {tensor} has shape {shape}, not (tokens, width)")
    n_rows, width = shape
    layout = _Layout(dtype, n_rows, width, weights.data_start + start)
    data_bytes = weights.size - weights.data_start
    if stop - start != n_rows * layout.row_bytes or start < 0 or stop > data_bytes:
        raise ReproError(
            f"{place.name}: the header puts {tensor}, {dtype} of shape {shape}, at bytes {start} "
            f"to {stop} of {data_bytes}; {weights.filename} is damaged or cut short, fetch it again"
        )
    return layout


def _choose_tensor(names: Iterable[str], place: _Place) -> tuple[str, bool]:
    """The tensor of the output embedding, and whether it is the input embedding."""
    names = list(names)
    if heads := _named_after(HEADS, names):
        return _one_of(heads, place), False
    embeddings = _named_after(EMBEDDINGS, names)
    if not embeddings:
        # Tensors of single blocks have numbers in their names.
        outside = sorted(name for name in names if not re.search(r"\.\d+\.", name)) or names
        raise ReproError(
            f"{place.name}: none of its {len(names)} tensors is named after an output embedding "
            f"({', '.join(HEADS + EMBEDDINGS)}); there are {', '.join(outside[:8])}"
            f"{' and others' if len(outside) > 8 else ''}"
        )
    tied, why = _tied(place)
    if not tied:
        raise ReproError(
            f"{place.name}: {embeddings[0]} is there but no output embedding "
            f"({', '.join(HEADS)}), and {why}; use a checkpoint with a language-model head"
        )
    return _one_of(embeddings, place), True


def _named_after(parts: Sequence[str], names: Iterable[str]) -> list[str]:
    """Those that end in ``PART.weight``, the ones with the shortest path alone."""
    ends = {f"{part}.weight" for part in parts}
    found = sorted(name for name in names if ".".join(name.split(".")[-2:]) in ends)
    depth = min((name.count(".") for name in found), default=0)
    return [name for name in found if name.count(".") == depth]


def _one_of(found: Sequence[str], place: _Place) -> str:
    if len(found) > 1:
        raise ReproError(
            f"{place.name}: {' and '.join(found)} may each be the output embedding; use a "
            f"checkpoint with one language model"
        )
    return found[0]


def _tied(place: _Place) -> tuple[bool, str]:
    """Whether the input embedding is the output embedding too, and if not, why."""
    content = place.whole("config.json")
    if content is None:
        return False, "there is no config.json to say that the input embedding is tied to it"
    config = _json(place, "config.json", content)
    classes = [str(name) for name in config.get("architectures") or ()]
    if classes and not any(_HAS_HEAD.search(name) for name in classes):
        return False, f"config.json names a {classes[0]}, which has none"
    for part in (config, config.get("text_config") or {}):
        if "tie_word_embeddings" in part:
            return bool(part["tie_word_embeddings"]), "config.json says that it is not tied"
    # A configuration file need not repeat its architecture's default.
    kind = config.get("model_type")
    tied = kind in CONFIG_MAPPING and getattr(CONFIG_MAPPING[kind](), "tie_word_embeddings", False)
    return bool(tied), f"config.json (model_type {kind}) does not tie the input embedding to it"


def _rows(
    place: _Place, weights: _Weights, layout: _Layout, token_ids: Sequence[int]
) -> np.ndarray:
    ids = np.asarray(token_ids, dtype=np.int64)
    outside = (ids < 0) | (ids >= layout.n_rows)
    if outside.any():
        raise ReproError(
            f"{place.name}: token {ids[outside][0]} has no row; the output embedding has "
            f"{layout.n_rows}: use ids of the checkpoint's own tokenizer"
        )
    wanted = np.unique(ids)
    starts = layout.start + wanted * layout.row_bytes
    ranges = _merged(starts, layout.row_bytes)
    parts = place.parts(weights.filename, ranges)
    which = np.searchsorted([start for start, _ in ranges], starts, side="right") - 1
    rows = np.stack(
        [
            _decoded(parts[part], start - ranges[part][0], layout)
            for part, start in zip(which, starts.tolist(), strict=True)
        ]
    )
    found: np.ndarray = rows[np.searchsorted(wanted, ids)]
    return found


def _merged(starts: np.ndarray, row_bytes: int) -> list[tuple[int, int]]:
    """Byte ranges that cover rows at these ascending offsets, joined over small gaps."""
    ranges: list[tuple[int, int]] = []
    for start in starts.tolist():
        if ranges and start - ranges[-1][1] <= _REQUEST_COST:
            ranges[-1] = (ranges[-1][0], start + row_bytes)
        else:
            ranges.append((start, start + row_bytes))
    return ranges


def _decoded(part: bytes, offset: int, layout: _Layout) -> np.ndarray:
    """One row in float32."""
    stored = np.frombuffer(part, _ITEM_TYPES[layout.dtype], layout.width, offset)
    if layout.dtype == "BF16":
        # bfloat16 is the upper half of a float32.
        return (stored.astype(np.uint32) << 16).view(np.float32)
    return stored.astype(np.float32)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
