"""Tasks of lm-evaluation-harness with its dummy model: what it logs, and what a task's results tell."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import lm_eval
import numpy as np
import pytest
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager
from shared_pages import block

import calibrant as c

# Its own warnings are its own.
pytestmark = pytest.mark.filterwarnings("default")

COLOURS = ["red", "green", "blue", "grey"]
TASK = """\
task: colours
dataset_path: json
dataset_kwargs:
  data_files: {{test: {questions}}}
  cache_dir: {cache}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{question}}}}"
doc_to_choice: "{{{{choices}}}}"
doc_to_target: answer
metric_list:
  - {{metric: acc, aggregation: mean, higher_is_better: true}}
"""
LIKELIHOODS = "  - {metric: likelihood, aggregation: bypass, higher_is_better: true}\n"
OURS = "class: !function calibrant.integrations.lm_eval.ChoiceTask\n"


class Evaluated(NamedTuple):
    """The results of a task by metric, the log of its samples, and each one's log-likelihoods."""

    results: dict[str, Any]
    log: Path
    likelihoods: list[list[float]]


def evaluated(folder: Path, choices: list[int], answers: list[Any], more: str = "") -> Evaluated:
    """The task of as many choices a question, by the command's own steps."""
    questions = folder / "questions.jsonl"
    rows = [
        {"question": f"What is {place}?", "choices": COLOURS[:k], "answer": answer}
        for place, (k, answer) in enumerate(zip(choices, answers, strict=True))
    ]
    questions.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    text = TASK.format(questions=questions, cache=folder / "cache") + more
    (folder / "colours.yaml").write_text(text, encoding="utf-8")
    tasks = TaskManager(include_path=str(folder), include_defaults=False)
    found = lm_eval.simple_evaluate(
        model="dummy", tasks=["colours"], task_manager=tasks, bootstrap_iters=0
    )
    samples = found.pop("samples")
    logged = samples["colours"]
    likelihoods = [[each for each, _ in row["filtered_resps"]] for row in logged]
    tracker = EvaluationTracker(output_path=str(folder / "logs"))
    tracker.save_results_aggregated(results=found, samples=samples)
    tracker.save_results_samples(task_name="colours", samples=logged)
    [log] = (folder / "logs").rglob("samples_colours_*.jsonl")
    return Evaluated(found["results"]["colours"], log, likelihoods)


def right_and_sure(likelihoods: list[list[float]]) -> tuple[list[int], list[float]]:
    """The likeliest choice of each question, and its chance."""
    top = [int(np.argmax(each)) for each in likelihoods]
    chances = [np.exp(each) / np.sum(np.exp(each)) for each in likelihoods]
    return top, [float(each.max()) for each in chances]


@pytest.mark.parametrize("more", ["", LIKELIHOODS, OURS])
def test_its_log_is_predictions(tmp_path: Path, more: str) -> None:
    answers = [place % 4 for place in range(12)]
    found = evaluated(tmp_path, [4] * 12, answers, more)
    pred = c.read(found.log)
    assert isinstance(pred, c.Predictions)
    assert (pred.kind, pred.labels.tolist()) == ("logits", answers)
    np.testing.assert_array_equal(pred.scores, found.likelihoods)
    assert found.results["acc,none"] == pytest.approx(c.accuracy(pred))


@pytest.mark.parametrize("more", ["", LIKELIHOODS])
def test_where_choices_vary_its_log_is_confidences(tmp_path: Path, more: str) -> None:
    choices = [2, 3, 4] * 4
    answers = [place % 2 for place in range(12)]
    found = evaluated(tmp_path, choices, answers, more)
    top, sure = right_and_sure(found.likelihoods)
    view = c.read(found.log)
    assert isinstance(view, c.View)
    np.testing.assert_allclose(view.p, sure)
    assert view.y.tolist() == [a == b for a, b in zip(top, answers, strict=True)]


def test_of_several_right_choices_its_log_says_whether_one_was_likeliest(tmp_path: Path) -> None:
    answers = [[0, 1], [2, 3], [1]] * 4
    found = evaluated(tmp_path, [4] * 12, answers, OURS)
    top, sure = right_and_sure(found.likelihoods)
    right = [a in b for a, b in zip(top, answers, strict=True)]
    view = c.read(found.log)
    assert isinstance(view, c.View)
    np.testing.assert_allclose(view.p, sure)
    assert view.y.tolist() == right
    assert found.results["observed_expected,none"] == pytest.approx(sum(right) / sum(sure))


def test_a_choice_task_tells_its_calibration_error(tmp_path: Path) -> None:
    found = evaluated(tmp_path, [4] * 40, [place % 3 for place in range(40)], OURS)
    pred = c.read(found.log)
    assert isinstance(pred, c.Predictions)
    error = found.results["calibration_error,none"]
    assert error == pytest.approx(c.calibration_error(pred), abs=1e-6)
    assert found.results["observed_expected,none"] == pytest.approx(c.observed_expected(pred))


def test_the_page_s_task_takes_what_another_has(tmp_path: Path) -> None:
    evaluated(tmp_path, [4], [1])
    text = block("how-to/integrations.md", "lm-evaluation-harness")
    (tmp_path / "ours.yaml").write_text(text.replace("arc_easy.yaml", "colours.yaml"))
    tasks = TaskManager(include_path=str(tmp_path), include_defaults=False)
    found = lm_eval.simple_evaluate(
        model="dummy", tasks=["arc_easy_calibrated"], task_manager=tasks, bootstrap_iters=0
    )
    assert "calibration_error,none" in found["results"]["arc_easy_calibrated"]


def test_a_choice_task_without_accuracy_is_refused(tmp_path: Path) -> None:
    more = OURS + "metric_list: [{metric: brier_score, aggregation: brier_score}]\n"
    with pytest.raises(ValueError, match=r"has the metric acc: got .*brier_score"):
        evaluated(tmp_path, [4], [1], more)
