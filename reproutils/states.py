"""Forward passes: from texts to reduced hidden states, streamed and cached.

This is the only module that runs a model over a corpus. Texts are sorted by length and run in
batches; as each block's output comes by it is reduced at once (pooled mean, mean squared norm, last
token, chosen token rows, token loss), and the pass stops after the highest layer asked for.
Reduced states go to disk chunk by chunk, so memory does not grow with the corpus and an interrupted
run goes on where it stopped.

Of the directions of the states only the length of their mean may be kept: it is all that their mean
pairwise cosine distance needs (:mod:`reproutils.dispersion`).

Padding is on the right and never enters a reduction. Position 0 is kept or left out on purpose, by
the span that the caller names.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import safetensors
import safetensors.numpy
import torch
from torch import nn
from torch.utils.hooks import RemovableHandle

from reproutils.errors import ReproError
from reproutils.models import LoadedClip, LoadedModel
from reproutils.paths import atomic_write, cache_dir, locked
from reproutils.progress import progress

log = logging.getLogger(__name__)

BATCH_TOKENS = 1024
CHUNK_TEXTS = 64

Span = tuple[int, int | None]
ALL_POSITIONS: Span = (0, None)
WITHOUT_FIRST: Span = (1, None)
NO_SINKS: Final = "no_sinks"
# A state this many times longer than the median of its text is a sink ("massive activation"); in
# SmolLM2 position 0 is a hundred times longer, ordinary tokens stay below three.
SINK_FACTOR = 10.0

# A string, or the token ids of a text that is tokenised already.
Text = str | tuple[int, ...]


@dataclass(frozen=True)
class Reductions:
    """What to keep of each text's hidden states.

    Attributes:
        spans: name -> (start, stop) token positions pooled over, the same for each text; stop None
            is the end of the text. For each span the mean state and the mean squared norm of the
            states are kept.
        prefixes: name -> per text, the length k of a further span (0, k). In a causal model its
            mean equals the pooled mean of the text cut after k tokens.
        resultants: name -> span, as for ``spans``, of at least two tokens; kept is the squared mean
            resultant length, of ``no_sinks`` too if that is set.
        no_sinks: add the span ``no_sinks``: all positions but the first and but those whose norm
            exceeds ``SINK_FACTOR`` times the median norm of the text's other tokens at that layer.
        rows: per text, the token positions whose states are kept one by one.
        row_layers: the layers at which they are kept; None: all layers asked for.
        last: keep the state of the last token.
        loss: keep the loss of each token given the ones before it (nats; causal models only).
    """

    spans: tuple[tuple[str, Span], ...] = (("all", ALL_POSITIONS),)
    prefixes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    resultants: tuple[tuple[str, Span], ...] = ()
    no_sinks: bool = False
    rows: tuple[tuple[int, ...], ...] | None = None
    row_layers: tuple[str, ...] | None = None
    last: bool = False
    loss: bool = False

    @property
    def span_names(self) -> tuple[str, ...]:
        names = tuple(name for name, _ in (*self.spans, *self.prefixes))
        return (*names, NO_SINKS) if self.no_sinks else names

    @property
    def resultant_names(self) -> tuple[str, ...]:
        names = tuple(name for name, _ in self.resultants)
        return (*names, NO_SINKS) if names and self.no_sinks else names


class States:
    """Reduced hidden states of a corpus, read from disk layer by layer.

    Row i of every result belongs to text i of the corpus, whatever order the batches ran in.

    Attributes:
        layers: the layer names, in the order of the layer axis.
        n_tokens: (n_texts,) tokens of each text, special tokens and position 0 included.
        n_truncated: how many texts were cut to the model's context.
        computed_tokens: tokens that went through the model in this call (0: all from the cache).
        seconds: wall time of this call's forward passes.
    """

    def __init__(
        self,
        layers: tuple[str, ...],
        chunk_files: Sequence[Path],
        order: np.ndarray,
        n_tokens: np.ndarray,
        n_truncated: int,
        computed_tokens: int,
        seconds: float,
        row_layers: tuple[str, ...] | None = None,
        spans: Mapping[str, Span] | None = None,
    ) -> None:
        self.layers = layers
        self._row_layers = row_layers or layers
        self._spans = dict(spans or {})
        self.n_tokens = n_tokens
        self.n_truncated = n_truncated
        self.computed_tokens = computed_tokens
        self.seconds = seconds
        self._files = list(chunk_files)
        self._order = order
        self._place = np.empty_like(order)
        self._place[order] = np.arange(len(order))

    def __len__(self) -> int:
        return len(self._order)

    def mean(self, span: str, layer: str) -> np.ndarray:
        """(n_texts, d) float32 mean state over ``span`` at ``layer``."""
        return self._gather(f"mean:{span}", self._layer(layer))

    def mean_square(self, span: str) -> np.ndarray:
        """(n_texts, n_layers) float32 mean squared norm of the states in ``span``."""
        return self._gather(f"square:{span}", None)

    def resultant(self, span: str) -> np.ndarray:
        """(n_texts, n_layers) float64 squared mean resultant length R² = ‖mean of h/‖h‖‖² of the
        states h in ``span``.

        The directions are added up in float32, which leaves an error of about 1e-7, no more than
        that of float32 states themselves. The mean pairwise cosine distance is
        ``dispersion.from_resultant(span_sizes(span), resultant(span))``.
        """
        return self._gather(f"resultant:{span}", None)

    def span_sizes(self, span: str) -> np.ndarray:
        """(n_texts, n_layers) tokens of each text in a span of ``spans`` or ``resultants``; those
        in ``no_sinks`` differ by layer."""
        if span == NO_SINKS:
            return cast(np.ndarray, self.n_tokens[:, None] - 1 - self.n_sinks())
        if span not in self._spans:
            raise ReproError(f"{span!r} was not among the spans asked for")
        sizes = _span_sizes(self._spans[span], self.n_tokens)
        return np.repeat(sizes[:, None], len(self.layers), axis=1)

    def n_sinks(self) -> np.ndarray:
        """(n_texts, n_layers) tokens left out of the span ``no_sinks`` besides position 0."""
        return self._gather("sinks", None)

    def last(self, layer: str) -> np.ndarray:
        """(n_texts, d) float32 state of the last token at ``layer``."""
        return self._gather("last", self._layer(layer))

    def rows(self) -> Iterator[np.ndarray]:
        """For each text in corpus order its kept rows, (n_row_layers, n_rows, d) float32.

        One chunk's rows are in memory at a time for each open file; nothing else is read.
        """
        with ExitStack() as stack:
            handles = [
                stack.enter_context(safetensors.safe_open(str(path), framework="numpy"))
                for path in self._files
            ]
            offsets = [handle.get_tensor("row_offsets") for handle in handles]
            for place in self._place:
                chunk, row = divmod(int(place), CHUNK_TEXTS)
                start, stop = offsets[chunk][row : row + 2]
                kept = handles[chunk].get_slice("rows")
                # safetensors refuses a slice of no rows.
                if start == stop:
                    yield np.empty((kept.get_shape()[1], 0, kept.get_shape()[2]), np.float32)
                else:
                    yield kept[start:stop].transpose(1, 0, 2)

    def rows_at(self, layer: str) -> np.ndarray:
        """(n_rows, d) float32 kept rows of all texts, in corpus order, at one layer."""
        if layer not in self._row_layers:
            raise ReproError(
                f"no rows were kept at layer {layer!r}; they were at {', '.join(self._row_layers)}"
            )
        at = self._row_layers.index(layer)
        parts: list[np.ndarray] = []
        for path in self._files:
            with safetensors.safe_open(str(path), framework="numpy") as handle:
                kept = handle.get_slice("rows")
                n_rows, _, width = kept.get_shape()
                # safetensors refuses a slice of no rows.
                rows = kept[:, at, :] if n_rows else np.empty((0, width), np.float32)
                parts.extend(rows[a:b] for a, b in pairwise(handle.get_tensor("row_offsets")))
        return np.concatenate([parts[place] for place in self._place])

    def losses(self) -> list[np.ndarray]:
        """For each text its (n_tokens - 1,) token losses in nats."""
        parts: list[np.ndarray] = []
        for path in self._files:
            with safetensors.safe_open(str(path), framework="numpy") as handle:
                values, offsets = handle.get_tensor("loss"), handle.get_tensor("loss_offsets")
            parts.extend(values[a:b] for a, b in pairwise(offsets))
        return [parts[place] for place in self._place]

    def _layer(self, layer: str) -> int:
        try:
            return self.layers.index(layer)
        except ValueError:
            raise ReproError(
                f"layer {layer!r} was not extracted; the layers are {', '.join(self.layers)}"
            ) from None

    def _gather(self, key: str, layer: int | None) -> np.ndarray:
        parts = []
        for path in self._files:
            with safetensors.safe_open(str(path), framework="numpy") as handle:
                if key not in set(handle.keys()):
                    raise ReproError(f"{key!r} was not among the reductions asked for")
                tensor = handle.get_slice(key)
                parts.append(tensor[:] if layer is None else tensor[:, layer, :])
        return cast(np.ndarray, np.concatenate(parts)[self._place])


def extract(
    model: LoadedModel,
    texts: Sequence[Text],
    *,
    layers: Sequence[str],
    reductions: Reductions = Reductions(),
    truncate: bool = False,
    batch_tokens: int = BATCH_TOKENS,
) -> States:
    """Run ``texts`` through ``model`` and reduce the hidden states of ``layers``.

    Results are kept in the cache under a key made of the model's fingerprint (weights and
    tokenizer), the texts, layers, reductions, dtype and this module's source. A second process that
    asks for the same waits for the first one's chunks.

    Args:
        texts: non-empty strings, or tuples of token ids, which are run as they are: no special
            token is added. The ids that the tokenizer gives for a string, special tokens included,
            give the same states as the string.
        layers: names out of ``model.layer_names`` and ``model.sublayer_names``.
        reductions: what to keep.
        truncate: cut texts longer than the model's context instead of refusing them; the number
            cut is ``States.n_truncated``.
        batch_tokens: tokens per batch, padding included.

    Raises:
        ReproError: empty corpus or text, an id outside the vocabulary, unknown layer, a text longer
            than the context, a row or prefix outside its text, a resultant of a single token, NaN
            or infinite states (model, layer and text are named), a token loss asked of an encoder,
            or a cache that cannot be written to.
    """
    layers = _checked_layers(model, layers)
    encoded, n_truncated = _encode(model, texts, truncate)
    lengths = np.array([len(ids) for ids in encoded])
    _check_reductions(model, layers, reductions, lengths)
    order = np.argsort(lengths, kind="stable")
    entry = cache_dir("states", _key(model, texts, layers, reductions, truncate, batch_tokens))
    chunks = [order[at : at + CHUNK_TEXTS] for at in range(0, len(order), CHUNK_TEXTS)]
    files = [entry / f"chunk-{number:05d}.safetensors" for number in range(len(chunks))]

    started = time.perf_counter()
    computed = 0
    with locked(entry):
        todo = [number for number, path in enumerate(files) if not _intact(path)]
        label = f"{model.name}: states"
        for number in progress(todo, label=label, total=len(todo)):
            members = chunks[number]
            tensors = _run_chunk(model, encoded, members, layers, reductions, batch_tokens)
            _check_finite(tensors, model, layers, reductions.row_layers or layers, members)
            if NO_SINKS in reductions.resultant_names:
                _check_ordinary(lengths[members][:, None] - 1 - tensors["sinks"], layers, members)
            _write_chunk(files[number], tensors)
            computed += int(lengths[members].sum())
    return States(
        layers=tuple(layers),
        chunk_files=files,
        order=order,
        n_tokens=lengths,
        n_truncated=n_truncated,
        computed_tokens=computed,
        seconds=time.perf_counter() - started,
        row_layers=reductions.row_layers,
        spans=dict((*reductions.spans, *reductions.resultants)),
    )


@dataclass(frozen=True)
class ImageStates:
    """What the image tower of a CLIP makes of images; row i belongs to image i.

    Attributes:
        pooled: (n, d_vision) float32 states before the projection: the class token after the last
            norm.
        projected: (n, d_shared) float32 states after it, not normalised.
        computed_images: images that went through the tower in this call (0: all from the cache).
        seconds: wall time of this call's forward passes.
    """

    pooled: np.ndarray
    projected: np.ndarray
    computed_images: int
    seconds: float


def embed_images(clip: LoadedClip, images: np.ndarray) -> ImageStates:
    """Run images through the image tower of ``clip``, in chunks that are kept in the cache.

    Args:
        images: (n, h, w, 3) uint8; scaled, cut and normalised as the model's preprocessor says.

    Raises:
        ReproError: no images, or an array of another shape or type; NaN or infinite states; a cache
            that cannot be written to.
    """
    shape, kind = images.shape, images.dtype
    if len(shape) != 4 or shape[-1] != 3 or kind != np.uint8 or not images.size:
        raise ReproError(
            f"images are an array (n, height, width, 3) of uint8, not {shape} of {kind}; read them "
            f"as RGB"
        )
    entry = cache_dir("states", _image_key(clip, images))
    chunks = [images[at : at + CHUNK_TEXTS] for at in range(0, len(images), CHUNK_TEXTS)]
    files = [entry / f"chunk-{number:05d}.safetensors" for number in range(len(chunks))]
    started = time.perf_counter()
    computed = 0
    with locked(entry):
        todo = [number for number, path in enumerate(files) if not _intact(path)]
        for number in progress(todo, label=f"{clip.name}: images", total=len(todo)):
            tensors = _run_images(clip, chunks[number])
            _check_images(tensors, clip, number * CHUNK_TEXTS)
            _write_chunk(files[number], tensors)
            computed += len(chunks[number])
    parts = [safetensors.numpy.load_file(path) for path in files]
    return ImageStates(
        pooled=np.concatenate([part["pooled"] for part in parts]),
        projected=np.concatenate([part["projected"] for part in parts]),
        computed_images=computed,
        seconds=time.perf_counter() - started,
    )


def _image_key(clip: LoadedClip, images: np.ndarray) -> str:
    settings = [
        "images",
        clip.fingerprint,
        clip.dtype,
        torch.device(clip.device).type,
        images.shape,
        hashlib.sha256(Path(__file__).read_bytes()).hexdigest(),
        torch.__version__,
    ]
    digest = hashlib.sha256(json.dumps(settings).encode())
    digest.update(np.ascontiguousarray(images).data)
    return digest.hexdigest()[:32]


@torch.inference_mode()
def _run_images(clip: LoadedClip, images: np.ndarray) -> dict[str, np.ndarray]:
    pooled = clip.network.vision_model(pixel_values=clip.pixels(images)).pooler_output
    projected = clip.network.visual_projection(pooled)
    return {
        "pooled": pooled.float().cpu().numpy(),
        "projected": projected.float().cpu().numpy(),
    }


def _check_images(tensors: dict[str, np.ndarray], clip: LoadedClip, first: int) -> None:
    for key, values in tensors.items():
        bad = np.flatnonzero(~np.isfinite(values).all(1))
        if len(bad):
            raise ReproError(
                f"model {clip.name}, image {first + bad[0]}: NaN or infinite states ({key}); try "
                f"dtype float32, or leave the image out"
            )


def _checked_layers(model: LoadedModel, layers: Sequence[str]) -> tuple[str, ...]:
    known = {*model.layer_names, *model.sublayer_names}
    unknown = [layer for layer in layers if layer not in known]
    if unknown or not layers:
        raise ReproError(
            f"model {model.name} has no layer {', '.join(unknown) or '(none given)'}; "
            f"its layers are {model.layer_names[0]}, {model.layer_names[1]} … "
            f"{model.layer_names[-1]}"
        )
    for layer in set(layers) - set(model.layer_names):
        model.reader(layer)
    return tuple(layers)


def _encode(
    model: LoadedModel, texts: Sequence[Text], truncate: bool
) -> tuple[list[np.ndarray], int]:
    if not texts:
        raise ReproError("no texts to run: the corpus is empty")
    encoded = []
    n_truncated = 0
    for number, text in enumerate(texts):
        ids = model.encode(text)[0] if isinstance(text, str) else list(text)
        if not ids or (isinstance(text, str) and not text.strip()):
            raise ReproError(f"text {number} is empty; remove it from the corpus")
        if not isinstance(text, str):
            _check_ids(model, number, ids)
        if len(ids) > model.max_length:
            if not truncate:
                raise ReproError(
                    f"text {number} has {len(ids)} tokens, the context of {model.name} is "
                    f"{model.max_length}; shorten it, or allow truncation"
                )
            # What an encoder puts after a text stays at its end.
            n_closing = model.n_closing if isinstance(text, str) else 0
            ids = ids[: model.max_length - n_closing] + ids[len(ids) - n_closing :]
            n_truncated += 1
        encoded.append(np.array(ids, dtype=np.int32))
    return encoded, n_truncated


def _check_ids(model: LoadedModel, number: int, ids: Sequence[int]) -> None:
    size = model.network.get_input_embeddings().weight.shape[0]
    values = np.array(ids)
    if values.dtype.kind not in "iu":
        raise ReproError(
            f"text {number} is neither a string nor a tuple of token ids; give one of the two"
        )
    outside = values[(values < 0) | (values >= size)]
    if len(outside):
        raise ReproError(
            f"text {number} holds the token id {outside[0]}, those of {model.name} go from 0 to "
            f"{size - 1}; tokenise the text with the tokenizer of the model"
        )


def _span_sizes(span: Span, lengths: np.ndarray) -> np.ndarray:
    """Tokens of each text in a span, which ends where the text does."""
    start, stop = span
    ends = lengths if stop is None else np.minimum(lengths, stop)
    return cast(np.ndarray, ends - start)


def _check_reductions(
    model: LoadedModel, layers: tuple[str, ...], reductions: Reductions, lengths: np.ndarray
) -> None:
    if (reductions.loss or reductions.prefixes) and not model.causal:
        raise ReproError(
            f"model {model.name} reads in both directions: it has no token loss, and the states of "
            f"a prefix are not those of the cut text"
        )
    if reductions.loss and model.network.get_output_embeddings() is None:
        raise ReproError(
            f"model {model.name} predicts no next token, so that it has no token loss; use a "
            f"language model"
        )
    spans = [*reductions.spans, *([(NO_SINKS, WITHOUT_FIRST)] if reductions.no_sinks else [])]
    for name, (start, stop) in (*spans, *reductions.resultants):
        too_short = np.flatnonzero(lengths <= start)
        if len(too_short):
            raise ReproError(
                f"text {too_short[0]} has {lengths[too_short[0]]} tokens: nothing is left in the "
                f"span {name} from position {start}"
            )
        if start < 0 or (stop is not None and stop <= start):
            raise ReproError(
                f"span {name} from {start} to {stop} is not a range of token positions; count "
                f"from 0 at the start of the text"
            )
    sinkless = [(NO_SINKS, WITHOUT_FIRST)] if NO_SINKS in reductions.resultant_names else []
    for name, span in (*reductions.resultants, *sinkless):
        if dict(reductions.spans).get(name, span) != span:
            raise ReproError(f"{name} names two different spans; give one of them another name")
        too_short = np.flatnonzero(_span_sizes(span, lengths) < 2)
        if len(too_short):
            raise ReproError(
                f"text {too_short[0]} has fewer than 2 tokens in the span {name}: one state has no "
                f"dispersion; take a longer span, or leave the text out"
            )
    per_text = [(f"prefix {name}", stops, lengths) for name, stops in reductions.prefixes]
    if reductions.rows is not None:
        if min((row for rows in reductions.rows for row in rows), default=0) < 0:
            raise ReproError("rows are counted from 0 at the start of the text, not from its end")
        last_rows = tuple(max(rows, default=-1) for rows in reductions.rows)
        per_text.append(("rows", last_rows, lengths - 1))
    for what, reach, limit in per_text:
        if len(reach) != len(lengths):
            raise ReproError(f"{what} given for {len(reach)} texts, the corpus has {len(lengths)}")
        outside = np.flatnonzero(np.array(reach) > limit)
        if len(outside):
            text = outside[0]
            raise ReproError(f"{what} of text {text} reach beyond its {lengths[text]} tokens")
    if not set(reductions.row_layers or ()) <= set(layers):
        raise ReproError("rows can be kept only at layers that are extracted")
    if any(min(stops) < 1 for _, stops in reductions.prefixes):
        raise ReproError("a prefix of no tokens has no mean; prefix lengths start at 1")


def _key(
    model: LoadedModel,
    texts: Sequence[Text],
    layers: tuple[str, ...],
    reductions: Reductions,
    truncate: bool,
    batch_tokens: int,
) -> str:
    digest = hashlib.sha256()
    for text in texts:
        if isinstance(text, str):
            data = b"text" + text.encode("utf-8", "surrogatepass")
        else:
            data = b"ids" + np.array(text, dtype="<i8").tobytes()
        digest.update(len(data).to_bytes(8, "little") + data)
    digest.update(
        json.dumps(
            [
                model.fingerprint,
                model.dtype,
                torch.device(model.device).type,
                layers,
                asdict(reductions),
                truncate and model.max_length,
                batch_tokens,
                hashlib.sha256(Path(__file__).read_bytes()).hexdigest(),
                torch.__version__,
            ]
        ).encode()
    )
    return digest.hexdigest()[:32]


def _batches(members: np.ndarray, lengths: Sequence[int], batch_tokens: int) -> Iterator[list[int]]:
    """Consecutive members (sorted by length) whose padded size stays within ``batch_tokens``."""
    batch: list[int] = []
    for member in members:
        if batch and lengths[member] * (len(batch) + 1) > batch_tokens:
            yield batch
            batch = []
        batch.append(int(member))
    if batch:
        yield batch


def _run_chunk(
    model: LoadedModel,
    encoded: Sequence[np.ndarray],
    members: np.ndarray,
    layers: tuple[str, ...],
    reductions: Reductions,
    batch_tokens: int,
) -> dict[str, np.ndarray]:
    lengths = [len(ids) for ids in encoded]
    parts: dict[str, list[np.ndarray]] = {}
    row_counts: list[int] = []
    for batch in _batches(members, lengths, batch_tokens):
        collector = _Collector([lengths[i] for i in batch], batch, layers, reductions, model)
        _forward(model, [encoded[i] for i in batch], collector)
        for key, value in collector.results().items():
            parts.setdefault(key, []).append(value)
        row_counts += [len(reductions.rows[i]) for i in batch] if reductions.rows else []
    tensors = {key: np.concatenate(values) for key, values in parts.items()}
    if reductions.rows is not None:
        tensors["row_offsets"] = np.cumsum([0, *row_counts])
    if reductions.loss:
        tensors["loss_offsets"] = np.cumsum([0, *(lengths[i] - 1 for i in members)])
    return tensors


class _StopForward(Exception):  # noqa: N818 - a signal, not an error
    """Raised by a hook after the highest layer asked for: the rest of the pass is not needed."""


class _Collector:
    """Reduces the hidden states of one batch, layer by layer, as the hooks hand them over."""

    def __init__(
        self,
        lengths: Sequence[int],
        batch: Sequence[int],
        layers: tuple[str, ...],
        reductions: Reductions,
        model: LoadedModel,
    ) -> None:
        self.layers = layers
        self.reductions = reductions
        self._kept: dict[str, dict[str, torch.Tensor]] = {layer: {} for layer in layers}
        self._losses: list[np.ndarray] = []
        self._row_layers = (reductions.row_layers or layers) if reductions.rows is not None else ()
        device = model.device
        longest = max(lengths)
        self._lengths = torch.tensor(lengths, device=device)

        def ranges(spans: Sequence[tuple[str, Span]]) -> list[list[tuple[int, int]]]:
            return [
                [(start, min(stop or length, length)) for length in lengths]
                for _, (start, stop) in spans
            ]

        def weights(bounds: Sequence[Sequence[tuple[int, int]]]) -> torch.Tensor:
            """[text, span, position]: 1/size inside the span, 0 outside and on padding."""
            shares = torch.zeros(len(lengths), len(bounds), longest)
            for span, of_texts in enumerate(bounds):
                for text, (start, stop) in enumerate(of_texts):
                    shares[text, span, start:stop] = 1.0 / (stop - start)
            return shares.to(device)

        prefixes = [[(0, stops[i]) for i in batch] for _, stops in reductions.prefixes]
        self._weights = weights([*ranges(reductions.spans), *prefixes])
        self._directions = weights(ranges(reductions.resultants))
        positions = torch.arange(longest, device=device)
        self._after_first = (positions > 0) & (positions < self._lengths[:, None])
        if reductions.rows is not None:
            picks = [(text, row) for text, i in enumerate(batch) for row in reductions.rows[i]]
            self._picks = torch.tensor(picks, dtype=torch.long, device=device).reshape(-1, 2)

    @property
    def waiting(self) -> bool:
        """Whether some layer has not come by yet."""
        return not all(self._kept.values())

    def consume(self, layer: str, hidden: torch.Tensor) -> None:
        """Reduce ``hidden``, (batch, longest, d), in float32."""
        if layer not in self._kept:
            return
        states = hidden.float()
        kept = self._kept[layer]
        squares = states.square().sum(-1)
        weights, directions = self._weights, self._directions
        if self.reductions.no_sinks:
            ordinary = self._ordinary(squares)
            kept["sinks"] = self._lengths - 1 - ordinary.sum(1)
            share = (ordinary / ordinary.sum(1, keepdim=True))[:, None]
            weights = torch.cat([weights, share], dim=1)
            if self.reductions.resultants:
                directions = torch.cat([directions, share], dim=1)
        # A direction's share over its norm; a zero state outside the span stays out of it.
        over_norm = directions / squares.sqrt()[:, None]
        directions = torch.where(directions > 0, over_norm, directions)
        n_means = weights.shape[1]
        if n_means or directions.shape[1]:
            means = torch.bmm(torch.cat([weights, directions], dim=1), states)
            kept["mean"], kept["direction"] = means[:, :n_means], means[:, n_means:]
            kept["square"] = torch.bmm(weights, squares[..., None])[..., 0]
        if self.reductions.last:
            kept["last"] = states[torch.arange(len(states)), self._lengths - 1]
        if layer in self._row_layers:
            kept["rows"] = states[self._picks[:, 0], self._picks[:, 1]]
        kept["seen"] = self._lengths

    def _ordinary(self, squares: torch.Tensor) -> torch.Tensor:
        """(batch, longest) whether a token is neither position 0, nor padding, nor a sink."""
        norms = squares.sqrt().masked_fill(~self._after_first, float("nan"))
        limit = SINK_FACTOR * norms.nanmedian(dim=1, keepdim=True).values
        return self._after_first & (norms <= limit)

    def consume_logits(self, logits: torch.Tensor, ids: torch.Tensor) -> None:
        """Token losses of each text, one text's float32 logits at a time."""
        for text, length in enumerate(self._lengths.tolist()):
            loss = nn.functional.cross_entropy(
                logits[text, : length - 1].float(), ids[text, 1:length], reduction="none"
            )
            self._losses.append(loss.cpu().numpy())

    def results(self) -> dict[str, np.ndarray]:
        """Arrays with the layer axis second: (texts or rows, layers[, d])."""
        found: dict[str, np.ndarray] = {}
        for number, span in enumerate(self.reductions.span_names):
            found[f"mean:{span}"] = self._stack("mean", number)
            found[f"square:{span}"] = self._stack("square", number)
        for number, span in enumerate(self.reductions.resultant_names):
            mean = self._stack("direction", number)
            found[f"resultant:{span}"] = np.einsum("tld,tld->tl", mean, mean, dtype=np.float64)
        if self.reductions.no_sinks:
            found["sinks"] = self._stack("sinks")
        if self.reductions.last:
            found["last"] = self._stack("last")
        if self._row_layers:
            found["rows"] = self._stack("rows", layers=self._row_layers)
        if self.reductions.loss:
            found["loss"] = np.concatenate(self._losses)
        return found

    def _stack(
        self, key: str, span: int | None = None, layers: Sequence[str] | None = None
    ) -> np.ndarray:
        values = [self._kept[layer][key] for layer in layers or self.layers]
        picked = values if span is None else [value[:, span] for value in values]
        return torch.stack(picked, dim=1).cpu().numpy()


@torch.inference_mode()
def _forward(model: LoadedModel, batch: Sequence[np.ndarray], collector: _Collector) -> None:
    """One forward pass whose hidden states go to ``collector`` through hooks."""
    longest = max(len(ids) for ids in batch)
    pad = model.tokenizer.pad_token_id or 0
    ids = torch.full((len(batch), longest), pad, dtype=torch.long)
    mask = torch.zeros((len(batch), longest), dtype=torch.long)
    for row, item in enumerate(batch):
        ids[row, : len(item)] = torch.from_numpy(item.astype(np.int64))
        mask[row, : len(item)] = 1
    ids, mask = ids.to(model.device), mask.to(model.device)
    arguments: dict[str, Any] = {"input_ids": ids}
    # Without padding no mask is passed, which lets attention take its faster path.
    if not bool(mask.all()):
        arguments["attention_mask"] = mask
    if model.causal:
        arguments["use_cache"] = False

    wants_logits = collector.reductions.loss
    with ExitStack() as hooks:
        _attach(model, collector, hooks, stop_early=not wants_logits)
        try:
            if wants_logits:
                collector.consume_logits(model.network(**arguments).logits, ids)
            else:
                model.network.base_model(**arguments)
        except _StopForward:
            pass
    if collector.waiting:
        raise ReproError(f"model {model.name}: a layer asked for did not run in the forward pass")


def _attach(
    model: LoadedModel, collector: _Collector, hooks: ExitStack, *, stop_early: bool
) -> None:
    """Hook embeddings, blocks, final norm and the states inside blocks that are asked for."""

    def hand_over(layer: str, hidden: Any) -> None:
        collector.consume(layer, hidden[0] if isinstance(hidden, tuple) else hidden)
        if stop_early and not collector.waiting:
            raise _StopForward

    def hook_input(layer: str, module: nn.Module) -> RemovableHandle:
        def before(_module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            hand_over(layer, args[0] if args else kwargs["hidden_states"])

        return module.register_forward_pre_hook(before, with_kwargs=True)

    handles = [hook_input("embed", model.blocks[0])]
    inside = [layer for layer in collector.layers if layer not in model.layer_names]
    handles += [hook_input(layer, model.reader(layer)) for layer in inside]
    named = [(f"block {k}", block) for k, block in enumerate(model.blocks, start=1)]
    if model.final_norm is not None:
        named.append(("final_norm", model.final_norm))
    for name, module in named:
        handles.append(
            module.register_forward_hook(lambda _m, _i, output, name=name: hand_over(name, output))
        )
    for handle in handles:
        hooks.callback(handle.remove)


def _check_finite(
    tensors: dict[str, np.ndarray],
    model: LoadedModel,
    layers: tuple[str, ...],
    row_layers: tuple[str, ...],
    members: np.ndarray,
) -> None:
    for key, values in tensors.items():
        if values.dtype.kind != "f" or np.isfinite(values).all():
            continue
        first = np.argwhere(~np.isfinite(values))[0]
        if key in ("rows", "loss"):
            offsets = tensors["row_offsets" if key == "rows" else "loss_offsets"]
            text = members[np.searchsorted(offsets, first[0], side="right") - 1]
        else:
            text = members[first[0]]
        named = row_layers if key == "rows" else layers
        layer = named[first[1]] if values.ndim > 1 else "the output"
        # A state of length zero has no direction.
        kinds = "NaN, infinite or zero" if key.startswith("resultant:") else "NaN or infinite"
        raise ReproError(
            f"model {model.name}, {layer}, text {text}: {kinds} states ({key}); "
            f"try dtype float32, or leave the text out"
        )


def _check_ordinary(counts: np.ndarray, layers: tuple[str, ...], members: np.ndarray) -> None:
    """Refuse a text that keeps one token besides position 0 and the sinks; (texts, layers)."""
    alone = np.argwhere(counts < 2)
    if len(alone):
        text, layer = alone[0]
        raise ReproError(
            f"text {members[text]} has one token in the span {NO_SINKS} at {layers[layer]}: one "
            f"state has no dispersion; leave the text out"
        )


def _write_chunk(path: Path, tensors: dict[str, np.ndarray]) -> None:
    data = safetensors.numpy.save({key: np.ascontiguousarray(t) for key, t in tensors.items()})
    with atomic_write(path) as temporary:
        temporary.write_bytes(data)
    with atomic_write(_checksum_file(path)) as temporary:
        temporary.write_text(hashlib.sha256(data).hexdigest(), encoding="utf-8")


def _checksum_file(path: Path) -> Path:
    return path.with_suffix(".sha256")


def _intact(path: Path) -> bool:
    """Whether a chunk is there and is what was written; a damaged one is said so and dropped."""
    checksum = _checksum_file(path)
    if not path.is_file() or not checksum.is_file():
        return False
    with path.open("rb") as handle:
        found = hashlib.file_digest(handle, "sha256").hexdigest()
    if found.encode() == checksum.read_bytes():
        return True
    log.warning("cache entry %s/%s is damaged; it is computed again", path.parent.name, path.name)
    return False
