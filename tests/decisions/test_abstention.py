"""Risk and coverage against all orders of equal claims, AUROC against all pairs."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from shared_claims import claims
from shared_laws import check_row_order, check_shares, check_weights
from shared_strategies import grid_claims, outcomes
from shared_views import predictions

from calibrant import View, binary, top_label
from calibrant.decisions import accuracy_at, aurc, auroc, coverage_at
from calibrant.fitting.types import Array, Bools


def area_of(y: Array) -> float:
    """The mean risk over coverages of outcomes from the surest down."""
    return float(np.mean(np.cumsum(1 - y) / np.arange(1, len(y) + 1)))


def test_the_area_against_all_orders_of_equal_claims() -> None:
    p = np.array([0.9, 0.7, 0.7, 0.7, 0.2, 0.2])
    y = np.array([1.0, 0, 1, 0, 1, 0])
    orders = [order for order in permutations(range(6)) if (np.diff(p[list(order)]) <= 0).all()]
    areas = [area_of(y[list(order)]) for order in orders]
    assert len(orders) == 12
    assert aurc(binary(p, y)) == pytest.approx(np.mean(areas))


def test_the_area_of_distinct_claims() -> None:
    view = claims(1000)
    order = np.argsort(-view.p)
    assert aurc(view) == pytest.approx(area_of(view.y[order].astype(float)))


@given(p=grid_claims, y=outcomes)
@settings(max_examples=50)
def test_auroc_against_all_pairs(p: Array, y: Bools) -> None:
    view = binary(p, y)
    if y.all() or not y.any():
        with pytest.raises(ValueError, match="every outcome is the same"):
            auroc(view)
        return
    right, wrong = p[y][:, None], p[~y]
    pairs = (right > wrong) + 0.5 * (right == wrong)
    assert auroc(view) == pytest.approx(pairs.mean())


@given(p=grid_claims, y=outcomes)
@settings(max_examples=25)
def test_laws(p: Array, y: Bools) -> None:
    def answer(view: View) -> list[float]:
        return [aurc(view), accuracy_at(view, 0.3), coverage_at(view, 0.5)]

    for check in (check_row_order, check_weights, check_shares):
        check(answer, binary(p, y))


def test_predictions_ask_the_top_label_and_several_views_their_mean() -> None:
    pred = predictions()
    view = top_label(pred)
    assert aurc(pred) == aurc(view)
    assert auroc([view, claims(50)]) == pytest.approx((auroc(view) + auroc(claims(50))) / 2)
    assert accuracy_at(pred, 1) == pytest.approx(view.y.mean())
    assert coverage_at(pred, 0.5) == (view.p >= 0.5).mean()


def test_a_part_of_equal_claims_is_as_right_as_all_of_them() -> None:
    view = binary([0.9] + [0.6] * 4, [1, 1, 0, 1, 0])
    assert accuracy_at(view, 0.6) == pytest.approx((1 + 2 * 0.5) / 3)
    with pytest.raises(ValueError, match="coverage must be a share above 0"):
        accuracy_at(view, 0)
