"""Costs and net benefit against a loop over rows; the best threshold against every other one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_claims import claims
from shared_laws import check_row_order, check_shares, check_weights
from shared_strategies import grid_claims, outcomes

from calibrant import View, binary
from calibrant.decisions import best_threshold, expected_cost, net_benefit
from calibrant.fitting.types import Array, Bools


def cost_by_rows(view: View, threshold: float, fp: float, fn: float) -> float:
    """The mean over rows, one by one."""
    costs = [
        fp * (not y) if p >= threshold else fn * y for p, y in zip(view.p, view.y, strict=True)
    ]
    return float(np.mean(costs))


@given(p=grid_claims, y=outcomes, fp=st.floats(0.1, 10), fn=st.floats(0.1, 10))
@settings(max_examples=50)
def test_costs_against_a_loop(p: Array, y: Bools, fp: float, fn: float) -> None:
    view = binary(p, y)
    for threshold in (0.0, 0.5, 1.0):
        found = expected_cost(view, threshold, false_positive=fp, false_negative=fn)
        assert found == pytest.approx(cost_by_rows(view, threshold, fp, fn))
    best = best_threshold(view, false_positive=fp, false_negative=fn)
    least = expected_cost(view, best, false_positive=fp, false_negative=fn)
    every = [cost_by_rows(view, each, fp, fn) for each in [*p, np.inf]]
    assert least == pytest.approx(min(every))


@given(p=grid_claims, y=outcomes)
@settings(max_examples=25)
def test_laws(p: Array, y: Bools) -> None:
    def answer(view: View) -> list[float]:
        cost = expected_cost(view, false_positive=1, false_negative=3)
        best = best_threshold(view, false_positive=1, false_negative=3)
        return [cost, min(best, 2.0), net_benefit(view, 0.25)]

    for check in (check_row_order, check_weights, check_shares):
        check(answer, binary(p, y))


def test_right_claims_need_no_search() -> None:
    view = claims(200_000)
    for fp, fn in ((1.0, 1.0), (1.0, 9.0), (4.0, 1.0)):
        even = fp / (fp + fn)
        best = best_threshold(view, false_positive=fp, false_negative=fn)
        assert best == pytest.approx(even, abs=0.05)
        usual = expected_cost(view, false_positive=fp, false_negative=fn)
        at_best = expected_cost(view, best, false_positive=fp, false_negative=fn)
        assert at_best <= usual < 1.01 * at_best


def test_no_may_be_best_always() -> None:
    view = binary([0.3, 0.9], [0, 0])
    assert best_threshold(view, false_positive=1, false_negative=1) == np.inf
    assert expected_cost(view, np.inf, false_positive=1, false_negative=1) == 0


def test_net_benefit_against_its_formula() -> None:
    view = claims(500, slope=0.5)
    for t in (0.0, 0.2, 0.5, 0.9):
        yes = view.p >= t
        tp = (yes & view.y).mean()
        fp = (yes & ~view.y.astype(bool)).mean()
        assert net_benefit(view, t) == pytest.approx(tp - fp * t / (1 - t))


def test_costs_must_be_costs() -> None:
    view = claims(10)
    with pytest.raises(ValueError, match=r"false_positive must be a cost above 0, got 0: if that"):
        expected_cost(view, false_positive=0, false_negative=1)
    for wrong in (0, -1, np.nan, np.inf):
        with pytest.raises(ValueError, match=r"false_negative must be a cost above 0"):
            best_threshold(view, false_positive=1, false_negative=wrong)
    with pytest.raises(ValueError, match=r"threshold must be in \[0, 1\), got 1"):
        net_benefit(view, 1)
