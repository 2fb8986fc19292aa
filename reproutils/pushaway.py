"""The push-away loss: cross-entropy plus a term that spreads the last hidden states out.

    L = L_CE + λ L_aux,    L_aux = -d

(Li et al. 2026, arXiv 2506.24106), where d is the mean cosine distance 1 - u_i . u_j over pairs of
tokens of a batch, u being their last hidden states (after the final norm) scaled to length 1: over
all pairs, or over pairs from different domains only.

With the sum s of N unit vectors, the inner products of all pairs add up to |s|^2 - N, and those of
pairs across two domains are s_A . s_B: O(N d) time and memory, no N x N matrix. As in
:mod:`reproutils.dispersion`, the same value is computed from the squared distances of the vectors
to their mean, which keeps its digits, and those of its gradient, where they point nearly alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from transformers import PreTrainedModel, Trainer
from transformers.loss.loss_utils import ForCausalLMLoss
from transformers.utils import ModelOutput

from reproutils.errors import ReproError
from reproutils.training import Batch

# What a label says that counts for no loss.
_IGNORED = -100


def pairwise_loss(states: Tensor, keep: Tensor | None = None) -> Tensor:
    """L_aux = -d_avg: minus the mean cosine distance over pairs of different states.

    A scalar in [-N / (N - 1), 0], computed in float32, or in float64 for states in float64; NaN if
    a state is not finite. Its gradient is orthogonal to each state.

    Args:
        states: (n, d) of any floating type.
        keep: (n,) false or 0 for states to leave out, such as those of padding; None keeps all.

    Raises:
        ReproError: fewer than two states, a state that is zero and so has no direction, or shapes
            or types other than these.
    """
    unit = _unit(states, keep)
    if len(unit) < 2:
        raise ReproError(
            f"the push-away loss takes pairs of tokens, and the batch has {len(unit)}; give it "
            f"longer or more texts"
        )
    return -_scatter(unit, unit.mean(0)) / (len(unit) - 1)


def cross_loss(states: Tensor, domains: Tensor, keep: Tensor | None = None) -> Tensor:
    """L_aux = -d: minus the mean cosine distance over pairs of states of different domains.

    Every pair counts once, with more than two domains as well. A scalar in [-2, 0], computed in
    float32, or in float64 for states in float64; NaN if a state is not finite.

    Args:
        states: (n, d) of any floating type.
        domains: (n,) integers.
        keep: (n,) false or 0 for states to leave out, such as those of padding; None keeps all.

    Raises:
        ReproError: states of fewer than two domains, a state that is zero and so has no direction,
            or shapes or types other than these.
    """
    unit = _unit(states, keep)
    _check_entries(domains, states, "domains")
    if domains.is_floating_point():
        raise ReproError(f"domains have type {domains.dtype}; number the domains with integers")
    if keep is not None:
        domains = domains[keep.bool()]
    names = torch.unique(domains).tolist()
    if len(names) < 2:
        found = f"only domain {names[0]}" if names else "no tokens"
        raise ReproError(
            f"the push-away loss across domains needs tokens of two domains, and the batch has "
            f"{found}; put texts of each domain into every batch, or take all pairs (across=False)"
        )
    # Twice the sum of the distances, as in dispersion.within_between.
    n, centre = len(unit), unit.mean(0)
    parts = [unit[domains == name] for name in names]
    n_pairs = sum(len(part) * (n - len(part)) for part in parts)
    distance = unit.new_zeros(())
    for part in parts:
        mean = part.mean(0)
        spread = _scatter(part, mean) * ((n - len(part)) / n_pairs)
        distance = distance + spread + (mean - centre).square().sum() * (n * len(part) / n_pairs)
    return -distance


class Parts(NamedTuple):
    """The push-away loss and what it is made of, scalars all: ``total`` is ``cross_entropy`` plus
    λ times ``auxiliary``."""

    total: Tensor
    cross_entropy: Tensor
    auxiliary: Tensor


@dataclass(frozen=True)
class PushAway:
    """The push-away loss, of the form that ``reproutils.training.train`` takes as its ``loss``.

    The cross-entropy is the network's own loss for the batch's ``labels``. L_aux takes in all
    tokens that the ``attention_mask`` of the batch does not leave out, as the paper's formula does:
    the first one of each row, which has no context and in many networks a state of its own, and
    those whose label is ignored too.

    A batch has ``input_ids``, ``labels``, and an ``attention_mask`` if its rows are padded; across
    domains also ``domain``, (rows,) integers. The outputs have hidden states if the configuration
    of the network says ``output_hidden_states``. With λ above 0 the total may be negative: it is
    at least -2 λ, and no measure of the quality of the network.

    Attributes:
        weight: λ. Negative values pull the states together; with 0 the gradients are those of the
            cross-entropy.
        across: whether only pairs from different domains count.

    Raises:
        ReproError: a weight that is not finite.
    """

    weight: float
    across: bool = False

    def __post_init__(self) -> None:
        if not math.isfinite(self.weight):
            raise ReproError(
                f"the weight of the push-away loss is {self.weight}; give a finite number"
            )

    def __call__(self, outputs: ModelOutput, batch: Batch) -> Tensor:
        """The total loss; see :meth:`parts`."""
        return self.parts(outputs, batch).total

    def parts(self, outputs: ModelOutput, batch: Batch) -> Parts:
        """The total loss with its parts, from the outputs of one forward pass.

        Raises:
            ReproError: outputs without a loss, or what :meth:`auxiliary` refuses.
        """
        if outputs.loss is None:
            raise ReproError("the network's outputs have no loss; add labels to the batch")
        auxiliary = self.auxiliary(outputs, batch)
        return Parts(outputs.loss + self.weight * auxiliary, outputs.loss, auxiliary)

    def auxiliary(self, outputs: ModelOutput, batch: Batch) -> Tensor:
        """L_aux of a batch.

        Raises:
            ReproError: outputs without hidden states, rows that end in ignored labels while there
                is no attention mask, no domains or not one for each row, or what
                :func:`pairwise_loss` and :func:`cross_loss` refuse.
        """
        if outputs.hidden_states is None:
            raise ReproError(
                "the network's outputs have no hidden states; set output_hidden_states=True in its "
                "configuration"
            )
        states = outputs.hidden_states[-1]
        mask, labels = batch.get("attention_mask"), batch.get("labels")
        if mask is None and labels is not None and bool((labels[:, -1] == _IGNORED).any()):
            raise ReproError(
                "a row of the batch ends in ignored labels, as padding does, and there is no "
                "attention_mask; add one, with 1 for each token that is none"
            )
        keep = None if mask is None else mask.flatten()
        flat = states.flatten(0, 1)
        if not self.across:
            return pairwise_loss(flat, keep)
        domain = batch.get("domain")
        if domain is None or domain.shape != states.shape[:1]:
            found = "none" if domain is None else f"shape {tuple(domain.shape)}"
            raise ReproError(
                f"the push-away loss across domains needs the batch entry domain with an integer "
                f"for each of {len(states)} rows, got {found}; add it (Trainer keeps such a column "
                f"with remove_unused_columns=False)"
            )
        return cross_loss(flat, domain.repeat_interleave(states.shape[1]), keep)


class PushAwayTrainer(Trainer):  # type: ignore[misc]
    """``transformers.Trainer`` with the push-away loss in training.

    Evaluation reports the cross-entropy alone, averaged over batches as Trainer does, so that
    exp(``eval_loss``) is the perplexity and comparable between values of λ. The entries of the
    training log have ``auxiliary`` beside ``loss``: the mean of L_aux over the batches of this
    process since the last entry.

    Pairs are those within one forward pass. The term of an update is the mean over its forward
    passes, however many tokens each has, while the cross-entropy is the mean over all its tokens,
    as Trainer has it: of a batch that is split into steps of accumulation, or over devices, the
    pairs between its parts do not count.

    Args:
        push_away: the loss; the other arguments are Trainer's. The network's configuration need
            not ask for hidden states.
    """

    def __init__(self, *arguments: Any, push_away: PushAway, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # Labels of first tokens are never predicted. Trainer leaves them out of its count of tokens
        # for networks whose class is named ...ForCausalLM alone, which GPT-2's is not.
        if getattr(self.model, "loss_function", None) is ForCausalLMLoss:
            self._loss_shifts_labels = True
        self._push_away = push_away
        # Sum of L_aux since the last entry of the log, and over how many batches.
        self._auxiliary, self._batches = torch.zeros(()), 0

    def compute_loss(
        self,
        model: PreTrainedModel,
        inputs: dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: Tensor | int | None = None,
    ) -> Any:
        known = {key: value for key, value in inputs.items() if key != "domain"}
        if not model.training:
            return super().compute_loss(model, known, return_outputs)
        known["output_hidden_states"] = True
        loss, outputs = super().compute_loss(model, known, True, num_items_in_batch)
        auxiliary = self._push_away.auxiliary(outputs, inputs)
        self._auxiliary, self._batches = self._auxiliary + auxiliary.detach(), self._batches + 1
        # Trainer divides a loss by the number of forward passes of the update, but not one that
        # was divided by all its tokens already.
        by_tokens = self.model_accepts_loss_kwargs and num_items_in_batch is not None
        passes = 1
        if by_tokens or self.compute_loss_func is not None:
            passes = self.current_gradient_accumulation_steps
        loss = loss + self._push_away.weight * auxiliary / passes
        return (loss, outputs) if return_outputs else loss

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        if "loss" in logs and self._batches:
            logs["auxiliary"] = self._auxiliary.item() / self._batches
            self._auxiliary, self._batches = torch.zeros(()), 0
        super().log(logs, start_time)


def _unit(states: Tensor, keep: Tensor | None) -> Tensor:
    """The states to keep, scaled to length 1, in float32 or better."""
    if states.ndim != 2 or not states.is_floating_point():
        raise ReproError(
            f"states have shape {tuple(states.shape)} and type {states.dtype}; expected (tokens, "
            f"width) and a floating type"
        )
    if keep is not None:
        _check_entries(keep, states, "keep")
        states = states[keep.bool()]
    states = states.to(torch.promote_types(states.dtype, torch.float32))
    lengths = torch.linalg.vector_norm(states, dim=1, keepdim=True)
    n_zero = int((lengths == 0).sum())
    if n_zero:
        raise ReproError(
            f"{n_zero} of {len(states)} hidden states are the zero vector, which has no direction; "
            f"leave them out as padding is, or mend their source"
        )
    unit: Tensor = states / lengths
    return unit


def _scatter(unit: Tensor, mean: Tensor) -> Tensor:
    """Sum of the squared distances to ``mean``."""
    return (unit - mean).square().sum()


def _check_entries(entries: Tensor, states: Tensor, what: str) -> None:
    if entries.shape != states.shape[:1]:
        raise ReproError(
            f"{what} has shape {tuple(entries.shape)} for {len(states)} states; give one entry for "
            f"each"
        )
