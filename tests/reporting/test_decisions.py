"""Lines on decisions: the threshold that the library finds, and the segment that a search finds."""

import json
from pathlib import Path

import numpy as np
import pytest

import calibrant as c
from calibrant.decisions import threshold_for
from calibrant.inputs.files import RIGHT
from calibrant.reporting.decisions import ABSTAIN, SEGMENT, decision_notes

RANDOM = np.random.default_rng(0)
P = RANDOM.uniform(0.5, 1, 3000)
SITE = RANDOM.choice(["north", "south", "west"], 3000)
SEX = RANDOM.choice(["f", "m"], 3000)
Y = RANDOM.random(3000) < np.where(SITE == "west", P - 0.2, P)
VIEW = c.binary(P, Y, event=RIGHT)


def test_answers_have_the_threshold_that_keeps_what_is_asked() -> None:
    sure = c.binary(P, P > 0.7, event=RIGHT)
    (note,) = decision_notes(sure, None, has_classes=False)
    assert note.title == ABSTAIN
    assert note.numbers["threshold"] == threshold_for(sure, 0.95)
    assert "right 95% of the time" in note.words
    assert "(AUROC)" in note.words
    assert decision_notes(c.binary(P, Y), None, has_classes=False) == ()


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (c.binary([0.9] * 3, [1] * 3, event=RIGHT), "too few"),
        (c.binary([0.9] * 20, [1] * 20, event=RIGHT), "the best attainable is 86%"),
    ],
    ids=["too few", "few"],
)
def test_what_cannot_be_kept_says_the_best(view: c.View, words: str) -> None:
    (note,) = decision_notes(view, None, has_classes=False)
    assert note.numbers["threshold"] is None
    assert words in note.words


def test_by_proposes_a_map_for_each_where_a_segment_is_clearly_off() -> None:
    found = c.report(c.binary(P, Y), by={"site": SITE, "sex": SEX})
    (note,) = found.decisions
    assert note.title == SEGMENT
    assert note.numbers["name"] == "site = west"
    assert note.words.endswith("`calibrant fit --by site`.")
    assert json.loads(json.dumps(found.to_dict()))["decisions"][0]["numbers"]["column"] == "site"
    assert "The segment that is furthest off" in str(found)
    right = c.binary(P, np.random.default_rng(1).random(3000) < P)
    (note,) = decision_notes(right, SEX, has_classes=False)
    assert "calibrant fit" not in note.words


def test_few_rows_have_no_segment_and_the_page_folds_lines(tmp_path: Path) -> None:
    few = c.binary([0.5] * 10, [0, 1] * 5)
    assert decision_notes(few, [1, 2] * 5, has_classes=False) == ()
    path = tmp_path / "report.html"
    c.report(VIEW, by=SITE).to_html(path)
    text = path.read_text()
    assert f"<summary>{ABSTAIN}</summary>" in text
    assert f"<summary>{SEGMENT}</summary>" in text
