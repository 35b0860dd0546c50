"""What a sketch answers for its rows is what the rows answer."""

from pathlib import Path

import numpy as np
import pytest
from shared_parts import files, table

import calibrant
from calibrant import (
    Isotonic,
    Platt,
    Predictions,
    Temperature,
    binary,
    interval,
    one_class,
    report,
    samples,
    top_label,
    within_top_r,
)
from calibrant.scale import Sketch, rows
from calibrant.scale.answering import Sums
from calibrant.scale.asking import QUESTIONS
from calibrant.scale.sources import summary


def summed(pred: Predictions) -> Predictions:
    x = Sketch(views=QUESTIONS, sample=1000).update(pred).data()
    assert isinstance(x, Predictions)
    return x


def of_files(folder: Path) -> tuple[Predictions, Predictions]:
    """Rows in files as they are read at once, and as they are summed up with a small sample."""
    files(folder, table())
    found = rows(folder)
    sketch = summary(found, QUESTIONS, 500)
    x = sketch.data(Sums(sketch, found))
    whole = calibrant.read(folder)
    assert isinstance(x, Predictions)
    assert isinstance(whole, Predictions)
    return x, whole


def test_questions_and_scores_are_of_all_rows() -> None:
    _, test = samples.load("c10-resnet18")
    x = summed(test)
    assert x.n == 1000
    for ask in (top_label, lambda pred: within_top_r(pred, 2), lambda pred: one_class(pred, 3)):
        found = ask(x)
        assert found.pooled_rows == test.n
        assert calibrant.ece(found) == pytest.approx(calibrant.ece(ask(test)), abs=1e-7)
    for score in (calibrant.nll, calibrant.brier, calibrant.accuracy):
        assert score(x) == pytest.approx(score(test), rel=1e-12)
        mine, other = interval(score, x), interval(score, test)
        assert (mine.low, mine.high) == pytest.approx((other.low, other.high), rel=1e-9)


def test_what_is_picked_or_changed_is_asked_itself() -> None:
    _, test = samples.load("c10-resnet18")
    x = summed(test)
    assert x[:].answers is None
    assert top_label(x[:100]).n == 100


@pytest.mark.parametrize("name", ["c10-resnet18", "two classes", "view"])
def test_a_report_is_that_of_the_rows(name: str) -> None:
    _, test = samples.load("c10-resnet18")
    x: Predictions | calibrant.View = test
    if name != "c10-resnet18":
        p = np.clip(test.probs[:, 3].astype(float), 1e-9, 1 - 1e-9)
        x = calibrant.from_probs(p, test.labels == 3)
    if name == "view":
        x = binary(p, test.labels == 3)
    mine, other = report(Sketch(views=QUESTIONS).update(x)), report(x)
    assert (mine.finding, mine.tone, mine.advice) == (other.finding, other.tone, other.advice)
    # Where claims are furthest off may differ by a cell.
    assert mine.verdict.split(". ")[:2] == other.verdict.split(". ")[:2]
    assert (mine.about, mine.n, mine.total) == (other.about, other.n, other.total)
    assert mine.warnings == other.warnings
    assert mine.facts[:-1] == other.facts[:-1]
    assert [row.name for row in mine.rows] == [row.name for row in other.rows]
    for one, two in zip(mine.rows, other.rows, strict=True):
        if one.name == "sweep ECE":  # its number of bins jumps, and no bin parts a cell
            continue
        assert one.value == pytest.approx(two.value, abs=1e-4), one.name
    assert [each.name for each in mine.classes] == [each.name for each in other.classes]
    assert mine.diagrams.views == other.diagrams.views


def test_maps_are_fitted_to_all_rows_and_applied_to_all(tmp_path: Path) -> None:
    x, whole = of_files(tmp_path)
    mine, other = Temperature().fit(x), Temperature().fit(whole)
    assert mine.rule.temperature == pytest.approx(other.rule.temperature, rel=1e-9)
    after = mine.apply(x)
    assert after.n == 500
    assert calibrant.nll(after) == pytest.approx(calibrant.nll(other.apply(whole)), rel=1e-7)
    assert calibrant.ece(after) == pytest.approx(calibrant.ece(other.apply(whole)), abs=1e-6)
    curve = Isotonic().fit(x).apply(x)
    expected = Isotonic().fit(whole).apply(whole)
    assert calibrant.nll(curve) == pytest.approx(calibrant.nll(expected), abs=2e-3)


def test_a_report_tells_what_maps_would_mend(tmp_path: Path) -> None:
    x, whole = of_files(tmp_path)
    fit_on = whole[:1500]
    families = [Temperature(), Platt()]
    mine = report(x, fit_on=fit_on, families=families)
    other = report(whole, fit_on=fit_on, families=families)
    assert mine.best == other.best
    for one, two in zip(mine.standings, other.standings, strict=True):
        assert one.nll == pytest.approx(two.nll, rel=1e-6)
        assert one.ks == pytest.approx(two.ks, abs=1e-4)


def test_sums_alone_fit_and_are_not_mended() -> None:
    _, test = samples.load("c10-resnet18")
    x = summed(test)
    fitted = Temperature().fit(x)
    other = Temperature().fit(test).rule.temperature
    assert fitted.rule.temperature == pytest.approx(other, rel=0.2)
    with pytest.raises(ValueError, match="no map can be applied to them: give the rows"):
        fitted.apply(x)
