"""Labels of files: classes, lists of shares, and a column of shares for each class."""

from pathlib import Path

import numpy as np
import pytest
from shared_command import told
from shared_files import predictions, refusal, text

from calibrant import Predictions, View, binary, from_probs, read, report, write
from calibrant.inputs.paths import WRITABLE

SHARES = [[0.8, 0.2], [0.0, 1.0]]
PROBS = [[0.9, 0.1], [0.4, 0.6]]


def same_shares(pred: Predictions) -> None:
    np.testing.assert_allclose(pred.labels, SHARES, rtol=1e-12)
    np.testing.assert_allclose(pred.probs, PROBS, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", "p,outcome\n.9,1\n.4,0.3\n.2,0\n"),
        ("x.csv", "confidence,correct\n.9,1\n.4,0.3\n.2,0\n"),
        ("x.csv", "score,label\n.9,1\n.4,.3\n.2,0\n"),
        (
            "x.jsonl",
            '{"p": 0.9, "correct": 1}\n{"p": 0.4, "correct": 0.3}\n{"p": 0.2, "correct": 0}\n',
        ),
    ],
)
def test_an_outcome_may_be_a_share(tmp_path: Path, name: str, content: str) -> None:
    view = read(text(tmp_path, name, content))
    assert isinstance(view, View)
    assert view.y.tolist() == [1, 0.3, 0]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", "prob_cat,prob_dog,share_cat,share_dog\n.9,.1,.8,.2\n.4,.6,0,1\n"),
        ("x.csv", "SHARE_dog,prob_cat,Share_Cat,prob_dog\n.2,.9,.8,.1\n1,.4,0,.6\n"),
        ("x.csv", 'prob_cat,prob_dog,label\n.9,.1,"[0.8, 0.2]"\n.4,.6,"[0 1]"\n'),
        (
            "x.jsonl",
            '{"probs": [0.9, 0.1], "label": [0.8, 0.2], "share_cat": 7}\n'
            '{"probs": [0.4, 0.6], "label": [0, 1], "share_cat": 7}\n',
        ),
    ],
)
def test_labels_may_be_shares_of_classes(tmp_path: Path, name: str, content: str) -> None:
    same_shares(predictions(text(tmp_path, name, content)))


def test_shares_follow_the_names_of_classes_wherever_they_stand(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "prob_0,prob_1,share_1,share_0\n.9,.1,.2,.8\n.4,.6,1,0\n")
    pred = predictions(path)
    same_shares(pred)
    assert pred.classes == (0, 1)


def test_a_label_is_taken_before_shares(tmp_path: Path) -> None:
    path = text(
        tmp_path, "x.csv", "prob_a,prob_b,share_a,share_b,label\n.9,.1,.8,.2,b\n.4,.6,0,1,a\n"
    )
    assert predictions(path).labels.tolist() == [1, 0]
    same_shares(predictions(path, label="share_"))


def test_shares_under_names_of_their_own(tmp_path: Path) -> None:
    path = text(tmp_path, "x.csv", "prob_a,prob_b,said_a,said_b\n.9,.1,.8,.2\n.4,.6,0,1\n")
    same_shares(predictions(path, label="said_"))
    assert "no column of labels" in refusal(path)


def test_arrays_of_shares(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", probs=PROBS, labels=SHARES, classes=["cat", "dog"])
    pred = predictions(tmp_path / "x.npz")
    same_shares(pred)
    assert pred.classes == ("cat", "dog")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("prob_a,prob_b,share_a\n.9,.1,.8\n", "found no column of labels"),
        ("prob_a,prob_b,share_a,share_b\n.9,.1,.8,.3\n", "must sum to one (row 0 is [0.8 0.3]"),
        ("prob_a,prob_b,label\n.9,.1,.3\n", "shares of classes need a column for each"),
        ("p,outcome\n.9,1.3\n", "or a share between (row 0 is 1.3)"),
        ('prob_a,prob_b,label\n.9,.1,"[1, 0, 0]"\n', "got shape (1, 3)"),
        ('prob_a,prob_b,label\n.9,.1,"[x, 0]"\n', "must hold numbers (row 0"),
    ],
)
def test_what_is_no_share_is_refused(tmp_path: Path, content: str, message: str) -> None:
    assert message in refusal(text(tmp_path, "x.csv", content))


@pytest.mark.parametrize("suffix", WRITABLE)
def test_what_is_written_is_read_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    for classes in (["cat", "dog"], [0, 1]):
        pred = from_probs(PROBS, SHARES, classes=classes, weights=[1, 2])
        write(path, pred)
        again = predictions(path)
        same_shares(again)
        assert again.classes == pred.classes
        assert again.total == 3
    view = binary([0.9, 0.4], [0.3, 1])
    write(path, view)
    found = read(path)
    assert isinstance(found, View)
    assert found.y.tolist() == [0.3, 1]


def test_the_command_reports_votes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    random = np.random.default_rng(0)
    p = random.random(400).round(2)
    votes = random.binomial(5, 0.25 + p / 2) / 5
    lines = [f"{claim},{share}" for claim, share in zip(p, votes, strict=True)]
    path = text(tmp_path, "votes.csv", "p,outcome", *lines)
    found = told(capsys, "report", str(path))
    expected = report(binary(p, votes))
    assert found["verdict"] == expected.verdict
    assert found["finding"] == expected.finding
    events = next(fact["words"] for fact in found["facts"] if fact["name"] == "events")
    assert events.startswith(f"{votes.sum():,.6g}, ")
