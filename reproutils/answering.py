"""Multiple-choice questions answered by a language model, with the state that reads each question.

A choice is scored by the log-likelihood of its text after the question, per character of the choice
(so that long choices are not at a disadvantage). The answer distribution is the softmax of these
scores times the mean length of the item's choices, which restores the scale of a log-likelihood.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax

from reproutils.corpora.questions import Question
from reproutils.errors import ReproError
from reproutils.models import LoadedModel
from reproutils.states import Reductions, States, extract

PLAIN = "{question}"
ASKED = "Question: {question}\nAnswer:"


@dataclass(frozen=True)
class Answers:
    """What the model answered to n items, and what it looked like.

    Attributes:
        correct: (n,) whether the right choice scored highest.
        chosen: (n,) number of the choice that did.
        entropy: (n,) of the answer distribution, in nats, over its largest value ln(n_choices).
        margin: (n,) probability of the best choice less that of the second.
        question_perplexity: (n,) exp of the mean token loss of the question.
        states: layer -> (n, d) state of the question's last token, before any choice is read.
        extracted: the forward pass behind it, whose texts are the items' choices in order.
    """

    correct: np.ndarray
    chosen: np.ndarray
    entropy: np.ndarray
    margin: np.ndarray
    question_perplexity: np.ndarray
    states: Mapping[str, np.ndarray]
    extracted: States

    def __len__(self) -> int:
        return len(self.correct)


def answer(
    model: LoadedModel,
    questions: Sequence[Question],
    *,
    layers: Sequence[str],
    template: str = PLAIN,
) -> Answers:
    """Score each choice of each question.

    Args:
        model: a language model.
        layers: at which the state of the question's last token is kept.
        template: holds ``{question}``; a space and the choice follow it.

    Raises:
        ReproError: a question with fewer than two tokens, which has no perplexity, or whatever
            :func:`reproutils.states.extract` refuses (an encoder, a question longer than the
            context).
    """
    texts: list[tuple[int, ...]] = []
    rows: list[tuple[int, ...]] = []
    question_tokens, choice_numbers = [], []
    for item in questions:
        asked = model.encode(template.format(question=item.question))[0]
        if len(asked) < 2:
            raise ReproError(f"question {item.id} has fewer than two tokens; leave it out")
        question_tokens.append(len(asked))
        choice_numbers.append(range(len(texts), len(texts) + len(item.choices)))
        for choice in item.choices:
            texts.append((*asked, *model.encode(f" {choice}")[0]))
            rows.append((len(asked) - 1,))
    extracted = extract(
        model,
        texts,
        layers=list(layers),
        reductions=Reductions(spans=(), rows=tuple(rows), loss=True),
    )
    losses = extracted.losses()
    firsts = {numbers[0]: row for row, numbers in enumerate(choice_numbers)}
    kept: list[np.ndarray] = [np.empty(0)] * len(questions)
    for number, state in enumerate(extracted.rows()):
        if number in firsts:
            kept[firsts[number]] = state[:, 0]
    found = np.stack(kept)

    scores = []
    for item, numbers, asked_tokens in zip(questions, choice_numbers, question_tokens, strict=True):
        likelihoods = [-float(losses[n][asked_tokens - 1 :].sum(dtype=np.float64)) for n in numbers]
        characters = np.array([len(choice) for choice in item.choices])
        scores.append(np.array(likelihoods) / characters * characters.mean())
    log_probabilities = [log_softmax(values) for values in scores]
    ordered = [np.sort(np.exp(values))[::-1] for values in log_probabilities]
    chosen = np.array([int(values.argmax()) for values in scores])
    return Answers(
        correct=chosen == np.array([item.answer for item in questions]),
        chosen=chosen,
        entropy=np.array([-float(np.exp(v) @ v) / np.log(len(v)) for v in log_probabilities]),
        margin=np.array([float(v[0] - v[1]) for v in ordered]),
        question_perplexity=np.exp(
            [
                float(losses[numbers[0]][: asked_tokens - 1].mean(dtype=np.float64))
                for numbers, asked_tokens in zip(choice_numbers, question_tokens, strict=True)
            ]
        ),
        states={layer: found[:, at] for at, layer in enumerate(layers)},
        extracted=extracted,
    )
