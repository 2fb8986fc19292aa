"""The one training loop: every network that the book trains itself goes through ``train``.

A thin layer over ``transformers.Trainer``. It adds an explicit order of the data (a batch is a
function of the step), a cache that is addressed by content, resume points, snapshots, a progress
bar, a stop on a bad loss, and a folder of safetensors with a model card as the result.
"""

from __future__ import annotations

import copy
import hashlib
import inspect
import json
import logging
import math
import random
import shutil
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
import transformers
from safetensors import SafetensorError
from torch import Tensor
from torch.utils.data import Dataset
from transformers import (
    BaseImageProcessor,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PrinterCallback,
    ProcessorMixin,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)
from transformers.utils import ModelOutput
from transformers.utils import logging as transformers_logging

from reproutils.errors import ReproError
from reproutils.paths import atomic_write, cache_dir, locked
from reproutils.progress import progress

_log = logging.getLogger(__name__)

SCHEDULES = ("cosine", "linear", "constant_with_warmup")

Batch = Mapping[str, Tensor]
LossFunction = Callable[[ModelOutput, Batch], Tensor]

LOG, CARD = "log.json", "README.md"
# Lists the digest of every file beside it; written last, so that a folder that has it is whole.
_SEAL = "complete.json"
_LOCK = "lock"
_RESUME = "resume"
# What a configuration says of where it was read and whether it was ever saved.
_NOT_CONFIGURATION = ("_name_or_path", "architectures", "dtype", "transformers_version")


@dataclass(frozen=True)
class Plan:
    """How a network is trained: AdamW, and a learning rate that rises and falls over the steps.

    One step is one batch and one update of the weights. Step k counts the updates made: the batch
    of step 1 is ``batches(0)``.

    Attributes:
        steps: updates of the weights.
        batch_size: rows of each batch.
        learning_rate: the highest learning rate.
        seed: of dropout and whatever else the network draws; not of the initial weights.
        warmup_steps: steps over which the learning rate rises linearly from 0.
        schedule: what follows: ``cosine`` or ``linear`` down to 0 at the last step, or
            ``constant_with_warmup``.
        weight_decay: decoupled decay of all weights but biases and norms.
        max_grad_norm: longer gradients are scaled to this Euclidean norm.
        snapshots: steps after which the weights are kept beside the final ones; 0 is before
            training.
        save_every: a resume point every so many steps; 0 for none.

    Raises:
        ReproError: an attribute has an impossible value.
    """

    steps: int
    batch_size: int
    learning_rate: float
    seed: int
    warmup_steps: int = 0
    schedule: str = "cosine"
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0
    snapshots: tuple[int, ...] = ()
    save_every: int = 0

    def __post_init__(self) -> None:
        if self.schedule not in SCHEDULES:
            raise ReproError(
                f"unknown schedule {self.schedule!r}; choose one of {', '.join(SCHEDULES)}"
            )
        limits: tuple[tuple[str, float, float, float], ...] = (
            ("steps", self.steps, 1, math.inf),
            ("batch_size", self.batch_size, 1, math.inf),
            ("learning_rate", self.learning_rate, 0, math.inf),
            ("warmup_steps", self.warmup_steps, 0, self.steps),
            ("weight_decay", self.weight_decay, 0, math.inf),
            ("max_grad_norm", self.max_grad_norm, 0, math.inf),
            ("save_every", self.save_every, 0, math.inf),
            *(("snapshot", step, 0, self.steps) for step in self.snapshots),
        )
        for what, value, low, high in limits:
            if not low <= value <= high:
                raise ReproError(
                    f"{what} {value:g} of a training plan is outside its range {low:g} to {high:g}"
                )


@dataclass(frozen=True)
class TrainedRun:
    """A trained network on disk.

    Attributes:
        folder: final weights (safetensors), configuration, tokenizer, model card and log;
            ``load_model(f"path:{folder}")`` reads it.
        snapshots: step -> a folder of the same form with the weights after that step.
        log: one row a step: ``step`` (from 1), ``loss`` (of the batch that the step learnt from,
            before its update) and ``learning_rate``.
        seconds: wall time of this call's training; 0.0 when all came from the cache.
        steps_run: steps trained in this call: fewer than the plan's after a resume.
    """

    folder: Path
    snapshots: dict[int, Path]
    log: pd.DataFrame = field(repr=False, compare=False)
    seconds: float
    steps_run: int


def train(
    network: PreTrainedModel,
    batches: Sequence[Batch] | Callable[[int], Batch],
    plan: Plan,
    *,
    name: str,
    identity: Sequence[object],
    loss: LossFunction | None = None,
    minimum_loss: float | None = None,
    card: str,
    tokenizer: PreTrainedTokenizerBase | None = None,
    processor: ProcessorMixin | BaseImageProcessor | None = None,
) -> TrainedRun:
    """Train a copy of ``network``, or find it in the cache.

    The result is kept under a key made of ``identity``, the plan, the configuration and initial
    weights, tokenizer and processor, the kind of device, this module's source and the versions of
    torch and transformers. An interrupted run goes on from its last resume point and ends, on a
    CPU, with the same weights to the bit. A second process that asks for the same waits. The
    random states of the caller are left alone.

    Args:
        network: the initial weights, on the device to train on; left as it is.
        batches: the batch of each step, counted from 0: a pure function of the step, or a sequence
            of prepared batches. Runs that share it see the same data in the same order. Entries
            that the network's ``forward`` does not name go to ``loss`` alone.
        plan: see :class:`Plan`.
        name: what progress bar and errors call the run.
        identity: what the weights depend on and cannot be seen from here, as values that JSON can
            hold: fingerprints and parameters of the data, the source digest of the module that
            makes batches and loss.
        loss: from the network's outputs and the batch to a scalar; None for the loss that the
            network itself returns. Hidden states are among the outputs if the configuration says
            ``output_hidden_states``.
        minimum_loss: the lowest value that the loss can have by its construction.
        card: the model card, to which plan, identity and final loss are added.
        tokenizer: saved beside the weights.
        processor: saved beside the weights.

    Raises:
        ReproError: a loss that is NaN, infinite or below ``minimum_loss`` (run, step and values
            are named; nothing is published), weights that are not finite at the end, a sequence
            with fewer batches than steps, a batch of another size than the plan's or, for the
            network's own loss, with an entry that the network does not know, or a cache that
            cannot be written to.
    """
    if not callable(batches):
        if len(batches) < plan.steps:
            raise ReproError(
                f"{name}: {len(batches)} batches for {plan.steps} steps; give one for each step"
            )
        batches = batches.__getitem__
    tokenizer = _canonical(tokenizer)
    outline = _outline(network, plan, identity, loss, tokenizer, processor)
    entry = cache_dir("trained", hashlib.sha256(outline.encode()).hexdigest()[:32])
    snapshots = {step: _snapshot_folder(entry, step) for step in sorted(set(plan.snapshots))}

    started = time.perf_counter()
    steps_run = 0
    with locked(entry):
        if not _finished(entry, name):
            # Trained on a copy: several runs may start from the same network.
            saver = _Saver(copy.deepcopy(network), tokenizer, processor)
            steps_run = _run(saver, entry, batches, plan, name, loss, minimum_loss)
        shutil.rmtree(entry / _RESUME, ignore_errors=True)
        log = json.loads((entry / LOG).read_text(encoding="utf-8"))
        _write_card(entry / CARD, card, plan, identity, log)
    return TrainedRun(
        folder=entry,
        snapshots=snapshots,
        log=pd.DataFrame(log),
        seconds=time.perf_counter() - started if steps_run else 0.0,
        steps_run=steps_run,
    )


def _outline(
    network: PreTrainedModel,
    plan: Plan,
    identity: Sequence[object],
    loss: LossFunction | None,
    tokenizer: PreTrainedTokenizerBase | None,
    processor: ProcessorMixin | BaseImageProcessor | None,
) -> str:
    """All that the published folder depends on, as JSON."""
    return json.dumps(
        [
            list(identity),
            loss is None,
            _settings(plan),
            type(network).__name__,
            json.loads(network.config.to_json_string(), object_hook=_configured),
            _weights_digest(network),
            network.device.type,
            _tokenizer_text(tokenizer),
            None if processor is None else processor.to_json_string(),
            hashlib.sha256(Path(__file__).read_bytes()).hexdigest(),
            torch.__version__,
            transformers.__version__,
        ],
        sort_keys=True,
    )


def _configured(config: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key not in _NOT_CONFIGURATION}


def _settings(plan: Plan) -> dict[str, Any]:
    """What of the plan the weights depend on: resume points may lie anywhere."""
    return {key: value for key, value in asdict(plan).items() if key != "save_every"}


def _weights_digest(network: PreTrainedModel) -> str:
    digest = hashlib.sha256()
    for key, tensor in sorted(network.state_dict().items()):
        digest.update(f"{key} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    return digest.hexdigest()


def _canonical(tokenizer: PreTrainedTokenizerBase | None) -> PreTrainedTokenizerBase | None:
    """A copy without the padding and truncation that its last call left switched on."""
    if tokenizer is None:
        return None
    tokenizer = copy.deepcopy(tokenizer)
    tokenizer.backend_tokenizer.no_padding()
    tokenizer.backend_tokenizer.no_truncation()
    return tokenizer


def _tokenizer_text(tokenizer: PreTrainedTokenizerBase | None) -> list[Any]:
    if tokenizer is None:
        return []
    backend = tokenizer.backend_tokenizer.to_str()
    return [backend, tokenizer.special_tokens_map, tokenizer.model_max_length]


def _snapshot_folder(entry: Path, step: int) -> Path:
    return entry / "snapshots" / f"step-{step:06d}"


class _Saver:
    """Writes the network as it stands, with the configuration that it came with."""

    def __init__(
        self,
        network: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase | None,
        processor: ProcessorMixin | BaseImageProcessor | None,
    ) -> None:
        self.network = network
        self._config = copy.deepcopy(network.config)
        self._parts = [part for part in (network, tokenizer, processor) if part is not None]

    def save(self, folder: Path) -> None:
        """Save weights, configuration, tokenizer and processor to ``folder``."""
        # Trainer switches the key-value cache off in the configuration; the result should not.
        training_config, self.network.config = self.network.config, self._config
        try:
            with _writing(folder):
                for part in self._parts:
                    part.save_pretrained(folder)
                # Written for the owner alone, while a cache may be shared.
                for weights in folder.glob("*.safetensors"):
                    weights.chmod(0o644)
        finally:
            self.network.config = training_config

    def save_whole(self, folder: Path) -> None:
        """Save to ``folder`` in one step: it is there with all its files, or not at all."""
        temporary = folder.with_name(f".{folder.name}")
        for stale in (temporary, folder):
            shutil.rmtree(stale, ignore_errors=True)
        self.save(temporary)
        temporary.replace(folder)


def _run(
    saver: _Saver,
    entry: Path,
    batch_of: Callable[[int], Batch],
    plan: Plan,
    name: str,
    loss: LossFunction | None,
    minimum_loss: float | None,
) -> int:
    """Train, write the results to ``entry`` and seal it; how many steps were run."""
    point = _resume_point(entry, plan)
    watch = _Watch(saver, entry, plan, name)
    with _quiet(), _caller_random_states(), closing(watch):
        trainer = _Trainer(
            model=saver.network,
            args=_arguments(entry / _RESUME, plan, saver.network.device.type),
            train_dataset=_Steps(batch_of, plan, name),
            data_collator=_only,
            callbacks=[watch],
            run_name=name,
            loss=loss,
            minimum_loss=minimum_loss,
        )
        trainer.remove_callback(PrinterCallback)
        # Trainer's resume points hold tensors in torch files. They are this cache's own, and
        # Trainer reads them with weights_only=True, which runs no code.
        trainer.train(resume_from_checkpoint=str(point) if point else None)
        if not all(bool(tensor.isfinite().all()) for tensor in saver.network.parameters()):
            raise ReproError(
                f"{name}: the weights are not finite after step {plan.steps}; lower the learning "
                f"rate"
            )
        saver.save(entry)
    log = [
        {key: row[key] for key in ("step", "loss", "learning_rate")}
        for row in trainer.state.log_history
        if "loss" in row
    ]
    with atomic_write(entry / LOG) as temporary:
        temporary.write_text(json.dumps(log), encoding="utf-8")
    _seal(entry)
    return plan.steps - _step_of(point)


def _arguments(folder: Path, plan: Plan, device: str) -> TrainingArguments:
    arguments = TrainingArguments(
        output_dir=str(folder),
        max_steps=plan.steps,
        # Batches come ready-made: the loader has one of them for each item.
        per_device_train_batch_size=1,
        train_sampling_strategy="sequential",
        remove_unused_columns=False,
        dataloader_pin_memory=False,
        learning_rate=plan.learning_rate,
        lr_scheduler_type=plan.schedule,
        warmup_steps=plan.warmup_steps,
        weight_decay=plan.weight_decay,
        max_grad_norm=plan.max_grad_norm,
        seed=plan.seed,
        use_cpu=device == "cpu",
        save_strategy="no",
        logging_strategy="steps",
        logging_steps=1,
        logging_nan_inf_filter=False,
        log_level="error",
        report_to="none",
        disable_tqdm=True,
    )
    # With several GPUs Trainer would split each batch over them.
    arguments._n_gpu = min(1, arguments.n_gpu)
    return arguments


class _Steps(Dataset[dict[str, Tensor]]):
    """The batches of a run in order; one that was trained before a resume is not asked for."""

    def __init__(self, batch_of: Callable[[int], Batch], plan: Plan, name: str) -> None:
        self._batch_of = batch_of
        self._plan = plan
        self._name = name

    def __len__(self) -> int:
        return self._plan.steps

    def __getitem__(self, step: int) -> dict[str, Tensor]:
        batch = dict(self._batch_of(step))
        size = self._plan.batch_size
        if not any(tensor.shape[:1] == (size,) for tensor in batch.values()):
            shapes = ", ".join(f"{key} {tuple(tensor.shape)}" for key, tensor in batch.items())
            raise ReproError(
                f"{self._name}: step {step + 1}: nothing in the batch ({shapes}) has {size} rows, "
                f"the batch size of the plan; correct one of them"
            )
        return batch


def _only(items: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    (batch,) = items
    return batch


class _Trainer(Trainer):  # type: ignore[misc]
    """Trainer with the loss of the run, which is checked before the weights learn from it."""

    def __init__(
        self,
        *,
        run_name: str,
        loss: LossFunction | None,
        minimum_loss: float | None,
        **arguments: Any,
    ) -> None:
        super().__init__(**arguments)
        self._run_name = run_name
        self._loss = loss
        self._minimum_loss = minimum_loss
        parameters = inspect.signature(type(self.model).forward).parameters.values()
        self._inputs = {item.name for item in parameters if item.kind != item.VAR_KEYWORD}

    def compute_loss(
        self,
        model: PreTrainedModel,
        inputs: dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: Tensor | int | None = None,
    ) -> Tensor:
        if self._loss is None:
            loss = self._own_loss(model, inputs)
        else:
            known = {key: value for key, value in inputs.items() if key in self._inputs}
            loss = self._loss(model(**known), inputs)
        self._check(loss.item())
        return loss

    def _own_loss(self, model: PreTrainedModel, inputs: dict[str, Any]) -> Tensor:
        unknown = [key for key in inputs if key not in self._inputs]
        if unknown:
            raise ReproError(
                f"{self._run_name}: {type(self.model).__name__} has no input "
                f"{', '.join(unknown)}; rename it, or give a loss that uses it"
            )
        # Contrastive networks compute their loss on request.
        request = {"return_loss": True} if "return_loss" in self._inputs else {}
        loss: Tensor | None = model(**inputs, **request).loss
        if loss is None:
            raise ReproError(
                f"{self._run_name}: {type(self.model).__name__} returns no loss for a batch of "
                f"{', '.join(inputs)}; add labels, or give a loss"
            )
        return loss

    def _check(self, value: float) -> None:
        if math.isfinite(value) and (self._minimum_loss is None or value >= self._minimum_loss):
            return
        step, history = self.state.global_step + 1, self.state.log_history
        before = f" ({history[-1]['loss']:.6g} at the step before)" if history else ""
        low = "" if self._minimum_loss is None else f" and at least {self._minimum_loss:g}"
        raise ReproError(
            f"{self._run_name}: step {step}: the loss is {value:.6g}{before}, it has to be "
            f"finite{low}; lower the learning rate, or check the loss and the batch"
        )

    def _save_checkpoint(self, model: PreTrainedModel, trial: Any) -> None:
        with _writing(Path(self.args.output_dir)):
            super()._save_checkpoint(model, trial)

    def floating_point_ops(self, inputs: dict[str, Any]) -> int:
        # Nobody reads the count, which costs a walk over all parameters at each step.
        return 0


class _Watch(TrainerCallback):  # type: ignore[misc]
    """Moves the progress bar, keeps snapshots and completes resume points."""

    def __init__(self, saver: _Saver, entry: Path, plan: Plan, name: str) -> None:
        self._saver = saver
        self._entry = entry
        self._plan = plan
        self._label = f"{name}: training"
        self._bar = self._ticks(0)

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._bar = self._ticks(self._plan.steps - state.global_step)
        # A bar counts an item when the next one is asked for.
        next(self._bar)
        if state.global_step == 0:
            self._snapshot(0)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        next(self._bar, None)
        step = state.global_step
        self._snapshot(step)
        every = self._plan.save_every
        control.should_save = every > 0 and step % every == 0 and step < self._plan.steps

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        point = Path(args.output_dir) / f"checkpoint-{state.global_step}"
        _seal(point)
        for older in point.parent.iterdir():
            if older != point:
                shutil.rmtree(older)

    def close(self) -> None:
        """Take the progress bar away."""
        self._bar.close()

    def _ticks(self, remaining: int) -> Generator[Any]:
        yield from progress(range(remaining), label=self._label, total=remaining)

    def _snapshot(self, step: int) -> None:
        if step in self._plan.snapshots:
            self._saver.save_whole(_snapshot_folder(self._entry, step))


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Tell a full disk from a mistake; torch reports it as a RuntimeError."""
    try:
        yield
    except (OSError, RuntimeError, SafetensorError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ReproError(
            f"cannot write {folder} ({reason}); free some space, then run again (a run with "
            f"resume points goes on where it was)"
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the messages and progress bars of transformers."""
    verbosity = transformers_logging.get_verbosity()
    bars = transformers_logging.is_progress_bar_enabled()
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(verbosity)
        if bars:
            transformers_logging.enable_progress_bar()


@contextmanager
def _caller_random_states() -> Iterator[None]:
    """Give the caller's random states back at the end: Trainer seeds all of them."""
    cuda_runs = torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
    gpus = list(range(torch.cuda.device_count())) if cuda_runs else []
    python_state, numpy_state = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng(devices=gpus):
            yield
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)


def _finished(entry: Path, name: str) -> bool:
    """Whether the run is in the cache; a damaged one is said so and dropped."""
    if _is_whole(entry):
        return True
    if (entry / _SEAL).exists():
        _log.warning("%s: cache entry %s is damaged; it is trained again", name, entry.name)
        (entry / _SEAL).unlink()
        shutil.rmtree(entry / "snapshots", ignore_errors=True)
    return False


def _resume_point(entry: Path, plan: Plan) -> Path | None:
    """The last resume point that is whole and has its snapshots."""
    for point in sorted((entry / _RESUME).glob("checkpoint-*"), key=_step_of, reverse=True):
        snapshots = [_snapshot_folder(entry, k) for k in plan.snapshots if k <= _step_of(point)]
        if _is_whole(point) and all(folder.is_dir() for folder in snapshots):
            return point
    return None


def _step_of(point: Path | None) -> int:
    return int(point.name.rpartition("-")[2]) if point else 0


def _seal(folder: Path) -> None:
    """Declare ``folder`` complete."""
    beside = {folder / name for name in (_SEAL, _LOCK, CARD)}
    digests = {
        path.relative_to(folder).as_posix(): _file_digest(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path not in beside and folder / _RESUME not in path.parents
    }
    with atomic_write(folder / _SEAL) as temporary:
        temporary.write_text(json.dumps(digests, indent=1), encoding="utf-8")


def _is_whole(folder: Path) -> bool:
    """Whether ``folder`` was sealed and its files are what they were."""
    try:
        digests = json.loads((folder / _SEAL).read_text(encoding="utf-8"))
        return all(_file_digest(folder / path) == digest for path, digest in digests.items())
    except (OSError, ValueError):
        return False


def _file_digest(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _write_card(
    path: Path, card: str, plan: Plan, identity: Sequence[object], log: list[dict[str, float]]
) -> None:
    """Write the model card, unless it is there: it may change without a new training."""
    settings = _settings(plan) | {
        "snapshots": ", ".join(map(str, plan.snapshots)) or "none",
        "optimiser": "AdamW",
        "loss at the last step": f"{log[-1]['loss']:.6g}",
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }
    text = "\n".join(
        [
            card.rstrip(),
            "\n## Training\n\n| setting | value |\n|---|---|",
            *(f"| {key.replace('_', ' ')} | {value} |" for key, value in settings.items()),
            f"\nData and loss:\n\n```json\n{json.dumps(list(identity), indent=1)}\n```\n",
        ]
    )
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        with atomic_write(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
