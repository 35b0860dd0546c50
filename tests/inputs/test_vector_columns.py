"""Vectors in a file are found by their names, and never told from their values."""

from pathlib import Path

import pytest
from shared_files import outcomes, predictions, refusal, text

from calibrant import Predictions, View, read


@pytest.mark.parametrize("label", ["label", "y", "Y_TRUE", "target", "class", "true_label"])
@pytest.mark.parametrize("prefix", ["prob_", "p_", "proba_", "Probs_"])
def test_one_column_a_class_is_found_by_its_prefix(tmp_path: Path, label: str, prefix: str) -> None:
    path = text(
        tmp_path, "x.csv", f"id,{prefix}ham,{prefix}spam,{label}", "7,0.9,0.1,ham", "8,0.2,0.8,spam"
    )
    pred = predictions(path)
    assert (pred.classes, pred.labels.tolist(), pred.kind) == (("ham", "spam"), [0, 1], "probs")


def test_names_and_never_values_tell_logits(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "label,logit_0,logit_1", "1,0.5,0.5")
    assert predictions(path).kind == "logits"
    path = text(tmp_path, "x.csv", "label,prob_0,prob_1", "1,5,2")
    assert (
        "probs rows must sum to one (row 0 sums to 7); for logits name their columns with logits"
        in refusal(path)
    )


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("x.jsonl", ['{"label": 1, "probs": [0.4, 0.6]}', '{"label": 0, "probs": [1, 0]}']),
        (
            "x.jsonl",
            [
                '{"label": 1, "probs": {"0": 0.4, "1": 0.6}}',
                '{"label": 0, "probs": {"0": 1, "1": 0}}',
            ],
        ),
        ("x.csv", ["label,probs", '1,"[0.4, 0.6]"', '0,"[1, 0]"']),
        ("x.csv", ["label,y_prob", "1,0.6", "0,0"]),
    ],
)
def test_a_list_column_and_its_relatives_are_vectors(
    tmp_path: Path, name: str, lines: list[str]
) -> None:
    pred = predictions(text(tmp_path, name, *lines))
    assert pred.probs.tolist() == [[0.4, 0.6], [1.0, 0.0]]
    assert pred.labels.tolist() == [1, 0]


def test_options_name_columns_that_have_unusual_names(tmp_path: Path) -> None:
    path = text(
        tmp_path,
        "x.csv",
        "truth_is,setosa,virginica,times",
        "virginica,0.3,0.7,2",
        "setosa,0.6,0.4,1",
    )
    names = ["setosa", "virginica"]
    for probs in (names, "setosa,virginica", "setosa, virginica"):
        pred = read(path, label="truth_is", probs=probs, weight="times")
        assert isinstance(pred, Predictions)
        assert (pred.labels.tolist(), pred.total, pred.classes) == ([1, 0], 3.0, tuple(names))
    path = text(tmp_path, "x.jsonl", '{"t": "b", "v": [1.0, 2.0]}')
    pred = read(path, label="t", logits="v", classes=["a", "b"])
    assert isinstance(pred, Predictions)
    assert (pred.labels.tolist(), pred.kind) == ([1], "logits")
    path = text(tmp_path, "x.csv", "label,prob_0,prob_1,sure,hit", "0,0.3,0.7,0.7,0")
    assert isinstance(read(path, confidence="sure", correct="hit"), View)


@pytest.mark.parametrize(
    "header",
    [
        "confidence,correct,p_value,p_rank",
        "confidence,outcome,p_value,p_rank",
        "score,is_correct,p_a,p_b",
    ],
)
def test_a_prefix_does_not_hide_a_confidence_and_its_outcome(tmp_path: Path, header: str) -> None:
    assert outcomes(text(tmp_path, "x.csv", header, "0.9,1,0.01,3", "0.4,0,0.7,2")) == [True, False]


@pytest.mark.parametrize("name", ["prob", "y_prob", "p"])
def test_one_chance_is_that_of_class_1_where_classes_are_named(tmp_path: Path, name: str) -> None:
    path = text(tmp_path, "x.csv", f"label,{name}", "spam,0.9", "ham,0.2")
    for classes in (["ham", "spam"], "ham, spam"):
        pred = predictions(path, classes=classes)
        assert (pred.labels.tolist(), pred.probs[:, 1].tolist()) == ([1, 0], [0.9, 0.2])
    if name != "y_prob":
        assert "name both with classes" in refusal(path)
        assert predictions(path, confidence=name, classes=["ham", "spam"]).k == 2
    path = text(tmp_path, "x.csv", "label,prob,pred", "spam,0.9,spam", "ham,0.6,spam")
    assert outcomes(path, classes=["ham", "spam"]) == [True, False]


@pytest.mark.parametrize("name", ["logprobs", "log_probs", "choice_logprobs", "loglikelihoods"])
def test_log_probabilities_of_choices_are_logits_unless_a_confidence_is_told(
    tmp_path: Path, name: str
) -> None:
    pred = predictions(text(tmp_path, "x.jsonl", f'{{"answer": 1, "{name}": [-3.0, -1.0]}}'))
    assert (pred.kind, pred.scores.tolist()) == ("logits", [[-3.0, -1.0]])
    assert outcomes(
        text(tmp_path, "x.jsonl", f'{{"confidence": 0.9, "correct": 1, "{name}": [-3.0, -1.0]}}')
    ) == [True]
    pred = predictions(
        text(tmp_path, "x.jsonl", f'{{"answer": 1, "probs": [0.4, 0.6], "{name}": [-3.0, -1.0]}}')
    )
    assert pred.kind == "probs"
