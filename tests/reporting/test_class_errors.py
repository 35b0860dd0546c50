"""Classes one by one: their errors are those of the measures, and the furthest off come first."""

import numpy as np
import pytest

import calibrant
from calibrant import Predictions, from_logits, one_class, report, samples
from calibrant.inference.tests import ks_limit
from calibrant.reporting.class_errors import MOST_CLASSES, class_errors

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def pred() -> Predictions:
    return samples.load("c10-resnet18")[1]


def test_errors_are_those_of_the_measures(pred: Predictions) -> None:
    found = class_errors(pred)
    assert sorted(each.column for each in found) == list(range(10))
    assert [each.ks for each in found] == sorted((each.ks for each in found), reverse=True)
    for each in found[:3]:
        view = one_class(pred, each.column)
        assert each.name == str(pred.classes[each.column])
        assert each.seen == np.count_nonzero(pred.labels == each.column)
        assert (each.ks, each.ece) == pytest.approx((calibrant.ks_error(view), calibrant.ece(view)))
        assert (each.claimed, each.happened) == pytest.approx((view.p.mean(), view.y.mean()))
        assert each.limit == pytest.approx(ks_limit(view))
        assert each.finding == report(view).finding


def test_a_report_shows_the_worst() -> None:
    found = report(from_logits(RNG.normal(size=(200, 30)), RNG.integers(0, 30, 200)))
    assert len(found.classes) == MOST_CLASSES
    assert found.classes[0].ks >= found.classes[-1].ks


def test_of_too_many_the_means_tell_which_to_look_at(
    pred: Predictions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calibrant.reporting.class_errors.MOST_CELLS", 10)
    monkeypatch.setattr("calibrant.reporting.class_errors.MOST_CLASSES", 3)
    some = class_errors(pred)
    off = {k: abs(one_class(pred, k).p.mean() - (pred.labels == k).mean()) for k in range(10)}
    assert {each.column for each in some} == set(sorted(off, key=lambda k: -off[k])[:3])
    found = report(pred)
    assert any(
        warning.startswith("Only the 3 classes whose mean claim is furthest off")
        for warning in found.warnings
    )


def test_weights_are_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    z, y, w = RNG.normal(size=(60, 4)), RNG.integers(0, 4, 60), RNG.integers(0, 3, 60)
    rows = np.repeat(np.arange(60), w)
    for most in (10**9, 1):
        monkeypatch.setattr("calibrant.reporting.class_errors.MOST_CELLS", most)
        weighted = class_errors(from_logits(z, y, weights=w))
        for one, other in zip(weighted, class_errors(from_logits(z[rows], y[rows])), strict=True):
            assert (one.column, one.seen) == (other.column, other.seen)
            assert (one.ks, one.ece, one.limit) == pytest.approx((other.ks, other.ece, other.limit))
