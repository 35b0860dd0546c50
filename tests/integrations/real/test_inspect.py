"""Metrics of Inspect, within an evaluation of its mock model."""

from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState

import calibrant as c
from calibrant.integrations.inspect import (
    brier_score,
    calibration_error,
    observed_expected,
    view_of,
)

# Its own warnings are its own.
pytestmark = pytest.mark.filterwarnings("default")
ANSWERS = [("yes", 0.9), ("yes", 0.8), ("no", 0.7), ("no", 0.9)]


@scorer(metrics=[accuracy(), calibration_error(), observed_expected(), brier_score()])
def said_and_sure() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        answer, confidence = state.output.completion.split()
        value = "C" if answer == target.text else "I"
        return Score(value=value, metadata={"confidence": float(confidence)})

    return score


def _said(text: str) -> ModelOutput:
    """With its usage, which it would count otherwise by a table from afar."""
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=2, total_tokens=3)
    return output


def test_an_evaluation_has_the_metrics(tmp_path: Path) -> None:
    outputs = [_said(f"{answer} {confidence}") for answer, confidence in ANSWERS]
    task = Task(dataset=[Sample(input="?", target="yes") for _ in ANSWERS], scorer=said_and_sure())
    model = get_model("mockllm/model", custom_outputs=outputs)
    [log] = eval(task, model=model, log_dir=str(tmp_path), display="none", max_connections=1)
    assert log.status == "success", log.error
    metrics = log.results.scores[0].metrics
    view = c.binary([p for _, p in ANSWERS], [1, 1, 0, 0])
    assert metrics["observed_expected"].value == pytest.approx(c.observed_expected(view))
    assert metrics["brier"].value == pytest.approx(c.brier(view))
    assert metrics["calibration_error"].value == pytest.approx(c.calibration_error(view))


def test_scores_without_confidence_are_refused_with_the_way_out() -> None:
    scores = [SampleScore(score=Score(value="C"))]
    with pytest.raises(ValueError, match=r"1 of 1 scores have no 'confidence'.*Score\(value="):
        view_of(scores)
