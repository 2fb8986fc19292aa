"""Multiple-choice answers against likelihoods that transformers itself computes."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.special import softmax

from reproutils.answering import ASKED, answer
from reproutils.corpora import Question
from reproutils.errors import ReproError
from reproutils.models import LoadedModel

QUESTIONS = tuple(
    Question(name, "g", text, choices, right)
    for name, text, choices, right in (
        ("a", "The miller counted", ("the sacks twice.", "a rope", "the maps of rivers"), 0),
        ("b", "A lamp in the window, a letter", ("on the table", "in winter"), 1),
        ("c", "Trains that are late", ("measured the field.", "early", "no one", "home"), 3),
    )
)
LAYERS = ["block 1", "final_norm"]


def likelihood(model: LoadedModel, item: Question, choice: str) -> tuple[float, float, np.ndarray]:
    """Log-likelihood of the choice, mean loss of the question, state of its last token."""
    asked, rest = model.encode(item.question)[0], model.encode(f" {choice}")[0]
    ids = torch.tensor([[*asked, *rest]])
    with torch.inference_mode():
        output = model.network(input_ids=ids, output_hidden_states=True)
    logp = output.logits[0, :-1].double().log_softmax(-1)
    token = logp[torch.arange(ids.shape[1] - 1), ids[0, 1:]].numpy()
    state = output.hidden_states[-1][0, len(asked) - 1].numpy()
    return float(token[len(asked) - 1 :].sum()), float(-token[: len(asked) - 1].mean()), state


def test_answers_are_those_of_the_likelihoods(
    tiny_models: dict[str, LoadedModel], cache: object
) -> None:
    model = tiny_models["llama"]
    found = answer(model, QUESTIONS, layers=LAYERS)
    for row, item in enumerate(QUESTIONS):
        whole = [likelihood(model, item, choice) for choice in item.choices]
        lengths = np.array([len(choice) for choice in item.choices])
        scores = np.array([value for value, _, _ in whole]) / lengths * lengths.mean()
        probabilities = np.sort(softmax(scores))[::-1]
        assert found.chosen[row] == scores.argmax()
        assert found.correct[row] == (scores.argmax() == item.answer)
        assert found.margin[row] == pytest.approx(probabilities[0] - probabilities[1], abs=1e-5)
        entropy = -(probabilities * np.log(probabilities)).sum() / np.log(len(probabilities))
        assert found.entropy[row] == pytest.approx(entropy, abs=1e-5)
        assert found.question_perplexity[row] == pytest.approx(np.exp(whole[0][1]), rel=1e-5)
        np.testing.assert_allclose(found.states["final_norm"][row], whole[0][2], atol=1e-4)
    assert found.states["block 1"].shape == found.states["final_norm"].shape
    assert len(found) == 3
    assert found.extracted.computed_tokens > 0


def test_the_template_is_put_around_the_question(
    tiny_models: dict[str, LoadedModel], cache: object
) -> None:
    model = tiny_models["gpt2"]
    plain, asked = (
        answer(model, QUESTIONS[:1], layers=LAYERS, template=template)
        for template in ("{question}", ASKED)
    )
    wrapped = Question("a", "g", ASKED.format(question=QUESTIONS[0].question), ("x", "y"), 0)
    same = answer(model, [wrapped], layers=LAYERS)
    np.testing.assert_allclose(asked.states["final_norm"], same.states["final_norm"], atol=1e-5)
    assert not np.allclose(plain.states["final_norm"], asked.states["final_norm"], atol=1e-2)


def test_refusals(tiny_models: dict[str, LoadedModel], cache: object) -> None:
    with pytest.raises(ReproError, match="question short has fewer than two tokens"):
        answer(tiny_models["gpt2"], [Question("short", "g", "a", ("b", "c"), 0)], layers=LAYERS)
    with pytest.raises(ReproError, match="no token loss"):
        answer(tiny_models["bert"], QUESTIONS, layers=["block 1"])
