"""What is asked first: of two classes the positive one, in words, numbers, pictures and groups."""

import numpy as np
import pytest
from shared_claims import claims

import calibrant
from calibrant import Predictions, from_logits, from_probs, one_class, report, top_label
from calibrant.reporting.first_question import asks_top_label, first_view
from calibrant.reporting.verdict import judge

VIEW = claims(1200, lift=-0.8)


def two_classes() -> Predictions:
    chances = np.stack([1 - VIEW.p, VIEW.p], axis=1)
    return from_probs(chances, VIEW.y.astype(int), classes=["benign", "malign"])


def test_of_more_classes_it_is_the_top_label_and_of_a_view_itself() -> None:
    rng = np.random.default_rng(0)
    pred = from_logits(rng.normal(size=(30, 3)), rng.integers(0, 3, 30))
    assert asks_top_label(pred)
    assert first_view(pred).event == top_label(pred).event
    assert not asks_top_label(VIEW)
    assert first_view(VIEW) is VIEW


def test_a_report_of_two_classes_asks_the_positive_one_everywhere() -> None:
    pred = two_classes()
    malign = one_class(pred, 1)
    found = report(pred, fit_on=pred, by={"half": np.arange(1200) % 2})
    assert found.finding == "too high"
    assert found.verdict.startswith("Do not take these probabilities at face value")
    assert "on average that the class is malign, and it is so" in found.verdict
    views = list(dict.fromkeys(row.view for row in found.rows))
    assert views[1:3] == ["Claims that the class is malign", "Top label"]
    shown = {(row.view, row.name): row.value for row in found.rows}
    assert shown[views[1], "event rate"] == pytest.approx(malign.y.mean())
    assert shown[views[1], "ECE"] == pytest.approx(calibrant.ece(malign))
    assert shown["Top label", "ECE"] == pytest.approx(calibrant.ece(pred))
    assert shown["Whole vector", "accuracy"] == pytest.approx(calibrant.accuracy(pred))
    assert found.standings[0].ece == pytest.approx(calibrant.ece(malign))
    part = judge(malign[np.arange(1200) % 2 == 1], has_classes=False)
    assert (found.groups[1].finding, found.groups[1].words) == (part.finding, part.words)
    first, second, third = found.diagrams.views
    assert (first.name, first.group, first.event) == ("Class malign", "", "the class is malign")
    assert (second.name, third.name) == ("Top label", "benign")
    assert found.diagrams.pictures[0][0].claimed == pytest.approx(VIEW.p.mean())
    curves = [picture.curves[0] for picture in found.diagrams.pictures[0]]
    drawn = [curve is not None and curve.consistency is not None for curve in curves]
    assert drawn == [True, False, False]
