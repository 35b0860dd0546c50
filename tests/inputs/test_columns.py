"""Columns: read as numbers, outcomes and labels, and refused where they are unclear."""

from pathlib import Path

import numpy as np
import pytest
from shared_files import outcomes, predictions, refusal, text

from calibrant import View, read
from calibrant.inputs.columns import match_labels


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
