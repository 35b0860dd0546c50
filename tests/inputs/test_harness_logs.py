"""Logs of lm-evaluation-harness: choices are logits, or else a confidence."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from shared_files import predictions, refusal, text

from calibrant import View, read, write
from calibrant.inputs.column_names import ColumnNames
from calibrant.inputs.files import read_contents
from calibrant.inputs.harness_logs import readable_lines


def sample(likelihoods: list[float], target: object, *, as_text: bool) -> str:
    """A line of the log of a question with choices; newer versions write numbers as text."""
    pairs = [
        [str(x), str(x == max(likelihoods))] if as_text else [x, x == max(likelihoods)]
        for x in likelihoods
    ]
    right = float(str(target) == str(likelihoods.index(max(likelihoods))))
    return json.dumps(
        {
            "doc": {"q": "?"},
            "target": target,
            "resps": [pairs],
            "filtered_resps": pairs,
            "acc": right,
        }
    )


@pytest.mark.parametrize("as_text", [True, False])
def test_choices_of_a_language_model_are_logits(tmp_path: Path, *, as_text: bool) -> None:
    rows = [[-1.5, -0.5, -3.0], [-2.0, -9.0, -1.0]]
    targets = ["1", "0"] if as_text else [1, 0]
    lines = [
        sample(row, target, as_text=as_text) for row, target in zip(rows, targets, strict=True)
    ]
    pred = predictions(text(tmp_path, "samples.jsonl", *lines))
    assert (pred.scores.tolist(), pred.labels.tolist(), pred.kind) == (rows, [1, 0], "logits")
    write(
        tmp_path / "out.jsonl",
        pred,
        source=read_contents(tmp_path / "samples.jsonl", ColumnNames(), None, "test"),
    )
    assert np.allclose(predictions(tmp_path / "out.jsonl").probs, pred.probs)


@pytest.mark.parametrize("targets", [(1, 0), ("b", "a")])
def test_choices_of_which_the_number_varies_are_a_confidence(
    tmp_path: Path, targets: tuple[object, ...]
) -> None:
    rows = [[-1.5, -0.5], [-800.0, -802.0, -801.0]]
    if targets == ("b", "a"):
        rows[1] = rows[1][:2]
    lines = [sample(row, target, as_text=True) for row, target in zip(rows, targets, strict=True)]
    view = read(text(tmp_path, "samples.jsonl", *lines))
    assert isinstance(view, View)
    assert np.allclose(
        view.p, [np.max(np.exp(row) / np.sum(np.exp(row))) for row in map(_lifted, rows)]
    )
    assert view.y.tolist() == ([True, True] if targets == (1, 0) else [False, False])


@pytest.mark.parametrize("answer", [[["Paris"]], [["-1.5", "False"]]])
def test_answers_that_are_no_choices_are_left_as_they_are(tmp_path: Path, answer: object) -> None:
    line = json.dumps({"target": "Paris", "filtered_resps": answer, "confidence": 0.9, "acc": 1.0})
    assert "found no column of whether" not in refusal(text(tmp_path, "x.jsonl", line))
    assert read(tmp_path / "x.jsonl", correct="acc").n == 1


def _lifted(row: list[float]) -> NDArray[np.float64]:
    return np.array(row) - max(row)


def test_choices_without_a_right_one_are_left_as_they_are(tmp_path: Path) -> None:
    line = json.dumps({"filtered_resps": [["-1.5", "False"], ["-0.5", "True"]]})
    assert "found no column of probabilities" in refusal(text(tmp_path, "x.jsonl", line))


@pytest.mark.parametrize("targets", [([1], [0]), (["1"], ["0"]), ("[1]", "['0']"), ("1", "0")])
def test_a_list_of_one_right_choice_is_that_choice(tmp_path: Path, targets: tuple[object]) -> None:
    rows = [[-1.5, -0.5, -3.0], [-2.0, -9.0, -1.0]]
    lines = [sample(row, target, as_text=True) for row, target in zip(rows, targets, strict=True)]
    pred = predictions(text(tmp_path, "samples.jsonl", *lines))
    assert (pred.scores.tolist(), pred.labels.tolist(), pred.kind) == (rows, [1, 0], "logits")


@pytest.mark.parametrize("targets", [([1, 2], [0, 1], [2]), ("[1, 2]", "[0, 1]", "[2]")])
def test_of_several_right_choices_any_will_do(tmp_path: Path, targets: tuple[object]) -> None:
    rows = [[-1.5, -0.5, -3.0], [-2.0, -9.0, -1.0], [-2.0, -9.0, -1.0]]
    lines = [json.loads(sample(row, 0, as_text=True)) for row in rows]
    for line, target in zip(lines, targets, strict=True):
        line["target"] = target
        del line["acc"]
    view = read(text(tmp_path, "samples.jsonl", *map(json.dumps, lines)))
    assert isinstance(view, View)
    assert view.y.tolist() == [True, False, True]
    assert view.p[0] == pytest.approx(1 / (1 + np.exp(-1.0) + np.exp(-2.5)))


@pytest.mark.parametrize("as_text", [True, False])
def test_metrics_that_pair_the_right_choice_with_a_list_do_not_hide_the_choices(
    tmp_path: Path, *, as_text: bool
) -> None:
    rows = [[-1.5, -0.5, -3.0], [-2.0, -9.0, -1.0]]
    lines = [json.loads(sample(row, 1, as_text=as_text)) for row in rows]
    for line, row in zip(lines, rows, strict=True):
        line["likelihood"] = [1, row]
    pred = predictions(text(tmp_path, "samples.jsonl", *map(json.dumps, lines), ""))
    assert (pred.scores.tolist(), pred.labels.tolist(), pred.kind) == (rows, [1, 1], "logits")


def test_lines_of_no_log_are_left_to_polars() -> None:
    line = json.dumps({"p": 0.5, "y": 1, "pair": [1, [0.5]]})
    assert readable_lines(line.encode()) is None


@pytest.mark.parametrize("other", ["3", "[1, 2]"])
def test_a_line_that_is_no_sample_is_refused(other: str, tmp_path: Path) -> None:
    line = json.loads(sample([-0.5, -1.0], 1, as_text=False)) | {"likelihood": [1, [-0.5, -1.0]]}
    path = text(tmp_path, "x.jsonl", f"{json.dumps(line)}\n{other}\n")
    assert "the file is not what its suffix says" in refusal(path)
