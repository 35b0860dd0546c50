"""Curves of decisions against the numbers that they are made of."""

import numpy as np
import pytest
from shared_claims import claims
from shared_views import ODD_VIEWS, predictions

from calibrant import View, brier, curves
from calibrant.decisions import accuracy_at, expected_cost, net_benefit


def test_net_benefit_is_that_of_each_threshold() -> None:
    view = claims(1000, slope=0.6)
    found = curves.net_benefit(view)
    for t, claimed, always in zip(found.thresholds, found.claims, found.always, strict=True):
        assert claimed == pytest.approx(net_benefit(view, t))
        assert always == pytest.approx(view.y.mean() - (1 - view.y.mean()) * t / (1 - t))
    assert not found.never.any()
    assert curves.net_benefit(predictions(k=2)).event == "the class is 1"


def test_the_area_of_murphys_diagram_is_half_the_brier_score() -> None:
    view = claims(1000, slope=0.6)
    found = curves.murphy(view)
    assert 2 * found.claims.mean() == pytest.approx(brier(view), abs=2e-3)
    assert found.brier == brier(view)
    for t, score in zip(found.thresholds, found.claims, strict=True):
        cost = expected_cost(view, t, false_positive=t, false_negative=1 - t)
        assert score == pytest.approx(cost)
    assert (found.calibrated <= found.claims + 1e-9).all()


def test_risk_is_one_less_the_accuracy_of_what_is_kept() -> None:
    view = claims(2000)
    found = curves.risk_coverage(view)
    assert len(found.risk) <= 400
    assert found.coverage[-1] == 1
    for share, risk in zip(found.coverage, found.risk, strict=True):
        assert 1 - risk == pytest.approx(accuracy_at(view, share))
    assert found.threshold[0] == view.p.max()


@pytest.mark.parametrize("view", ODD_VIEWS.values(), ids=ODD_VIEWS)
def test_odd_views_have_curves(view: View) -> None:
    for found in (
        curves.net_benefit(view).claims,
        curves.murphy(view).calibrated,
        curves.risk_coverage(view).risk,
    ):
        assert np.isfinite(found).all()
