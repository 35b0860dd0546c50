"""Names of columns: a named one wins, upper and lower case are one, an unknown one is told."""

from pathlib import Path
from typing import Any

import pytest
from shared_files import outcomes, predictions, refusal, text

from calibrant import read
from calibrant.inputs.column_names import ColumnNames


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


def test_a_wrong_name_is_answered_with_the_likely_one(tmp_path: Path) -> None:
    path = text(tmp_path, "preds.csv", "label,p_0,p_1", "0,1,0")
    assert (
        "there is no column 'lable'; did you mean 'label'? the columns are label, p_0, p_1"
        in refusal(path, label="lable")
    )
    assert "did you mean 'label'" in refusal(path, probs=["labels", "p_1"])
    assert "there is no column 'weight'" in refusal(path, weight="weight")
    assert "there are both" in refusal(path, probs="p_", logits="p_")
    assert f"there is no such file; did you mean {path}?" in refusal(tmp_path / "pred.csv")
    (tmp_path / "empty").mkdir()
    assert "this is a folder, and no file in it ends in" in refusal(tmp_path / "empty")
    wide = text(tmp_path, "wide.csv", ",".join(f"c{i}" for i in range(30)), ",".join("0" * 30))
    assert "c11 and 18 more" in refusal(wide)
