"""Columns: a named one wins, the others are found by their usual names, and what is unclear is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shared_files import predictions, refusal, text

from calibrant import Predictions, View, read
from calibrant.inputs.columns import ColumnNames, match_labels


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
    ("header", "row", "labels"),
    [
        ("label,p_3,p_5", "5,0.4,0.6", [1]),
        ("label,p_1.0,p_2.0", "2.0,0.4,0.6", [1]),
        ("label,p_no,p_yes", "1,0.4,0.6", [1]),
        ("label,p_true,p_false", "true,0.4,0.6", [0]),
        ("label,p_1,p_other", "1,0.4,0.6", [0]),
    ],
)
def test_labels_meet_the_class_names_of_the_header(
    tmp_path: Path, header: str, row: str, labels: list[int]
) -> None:
    assert predictions(text(tmp_path, "x.csv", header, row)).labels.tolist() == labels


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


@pytest.mark.parametrize(
    "lines",
    [
        ["confidence,correct", "0.9,1", "0.4,0"],
        ["conf,is_correct", "0.9,true", "0.4,false"],
        ["p,y", "0.9,1", "0.4,0"],
        ["score,label,pred", "0.9,cat,cat", "0.4,dog,cat"],
        ["prob,y_true,y_pred", "0.9,2,2", "0.4,2,1"],
        ["probability,outcome", "0.9,1", "0.4,0"],
    ],
)
def test_a_confidence_with_its_outcome_is_a_view(tmp_path: Path, lines: list[str]) -> None:
    view = read(text(tmp_path, "x.csv", *lines))
    assert isinstance(view, View)
    assert (view.p.tolist(), view.y.tolist()) == ([0.9, 0.4], [True, False])


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


def test_a_named_column_wins_over_one_with_a_usual_name(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "p,outcome,correct,pred", "0.9,0,1,a", "0.4,0,1,b")
    assert outcomes(path, confidence="p", label="outcome") == [False, False]
    assert outcomes(path) == [True, True]
    assert outcomes(path, label="outcome", correct="correct") == [True, True]
    assert "not both" in refusal(path, probs="p", confidence="p")


def test_names_ignore_case_and_outer_spaces(tmp_path: Path) -> None:
    path = text(
        tmp_path, "x.csv", "Label, PROB_a, prob_b, Times", "a, 0.9, 0.1, 2", "b, 0.2, 0.8, 1"
    )
    for options in ({}, {"label": "LABEL"}, {"probs": "PROB_", "weight": "times"}):
        pred = predictions(path, **options)
        assert (pred.labels.tolist(), pred.probs[0].tolist()) == ([0, 1], [0.9, 0.1])
    path = text(tmp_path, "x.csv", "y_prob, label", "0.6, 1")
    assert predictions(path).labels.tolist() == [1]


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


@pytest.mark.parametrize(
    ("yes", "no"), [("true", "false"), ("Yes", "No"), ("TRUE", "False"), ("1", "0")]
)
def test_words_are_outcomes(tmp_path: Path, yes: str, no: str) -> None:
    assert outcomes(text(tmp_path, "x.csv", "p,correct", f"0.9,{yes}", f"0.4,{no}")) == [
        True,
        False,
    ]
    lines = [f'{{"p": 0.9, "correct": "{yes}"}}', f'{{"p": 0.4, "correct": "{no}"}}']
    assert outcomes(text(tmp_path, "x.jsonl", *lines)) == [True, False]


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


def test_class_names_become_numbers_only_where_nothing_is_lost(tmp_path: Path) -> None:
    path = text(
        tmp_path, "x.csv", "label,prob_01,prob_02,prob_10", "10,0.2,0.3,0.5", "01,0.5,0.3,0.2"
    )
    pred = predictions(path)
    assert (pred.classes, pred.labels.tolist()) == (("01", "02", "10"), [2, 0])
    assert "'01' is one twice" in refusal(
        text(tmp_path, "x.csv", "label,prob_01,prob_1", "1,0.4,0.6")
    )
    pred = predictions(text(tmp_path, "x.jsonl", '{"label": "01", "prob_01": 0.4, "prob_1": 0.6}'))
    assert (pred.classes, pred.labels.tolist()) == (("01", "1"), [0])
    big = 2**53 + 1
    assert match_labels(np.array([big]), [str(big), str(big - 1)])[1] == [big, big - 1]
    labels, names = match_labels(np.array([1.0, 1.5]), ["1", "1.5"])
    assert (labels.tolist(), names) == (["1", "1.5"], ["1", "1.5"])
    assert "labels must be among the classes" in refusal(
        text(tmp_path, "x.csv", "label,p_01,p_02", "3,0.4,0.6")
    )


@pytest.mark.parametrize("vector", ["[0.4 0.6]", "[4e-1  .6 ]", "[0.4,0.6]", " [0.4\n 0.6]"])
def test_lists_as_numpy_prints_them_are_lists(tmp_path: Path, vector: str) -> None:
    pred = predictions(text(tmp_path, "x.csv", "label,probs", f'1,"{vector}"'))
    assert pred.probs.tolist() == [[0.4, 0.6]]


@pytest.mark.parametrize("truth", ["answer", "reference", "expected"])
def test_logs_of_language_models(tmp_path: Path, truth: str) -> None:
    lines = [
        f'{{"prediction": "Paris", "{truth}": "Paris", "confidence": 0.9}}',
        f'{{"prediction": "Rome", "{truth}": "Oslo", "confidence": 0.8}}',
    ]
    assert outcomes(text(tmp_path, "x.jsonl", *lines)) == [True, False]
    path = text(tmp_path, "x.jsonl", '{"prediction": "Paris", "confidence": 0.9, "label": 1}')
    assert (
        "'prediction' and 'label' never agree; say which tells the outcome with correct"
        in refusal(path)
    )
    assert outcomes(path, correct="label") == [True]
    assert "name it with correct or label" in refusal(
        text(tmp_path, "x.csv", "confidence,id", "0.5,1")
    )


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


def test_options_are_called_as_the_command_calls_them() -> None:
    assert ColumnNames().called("label") == "label"
    assert (
        ColumnNames(sign="--").called("probs", "logits", "confidence")
        == "--probs, --logits or --confidence"
    )
    with pytest.raises(
        ValueError, match="--label is an empty name; name a column, or leave --label out"
    ):
        ColumnNames(label="", sign="--")


@pytest.mark.parametrize(
    "option", ["label", "probs", "logits", "confidence", "correct", "weight", "classes"]
)
def test_an_empty_name_is_refused(tmp_path: Path, option: str) -> None:
    path = text(tmp_path, "x.csv", "label,p_0,p_1", "0,1,0")
    options: Any = {option: " "}
    with pytest.raises(ValueError, match=f"{option} is an empty name"):
        read(path, **options)


def outcomes(path: Path, **options: Any) -> list[bool]:  # noqa: ANN401 - any option of read
    view = read(path, **options)
    assert isinstance(view, View)
    return view.y.tolist()
