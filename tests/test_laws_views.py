"""Laws that hold for every function that makes views of predictions, found by themselves."""

import numpy as np
import pytest
from shared_laws import check_float_types, check_row_order, check_weights
from shared_measures import VIEW_FUNCTIONS, Function, Measure, asked_of
from shared_rows import EXTREME_VECTORS, THOUSAND_CLASSES, as_probs, random_vectors

from calibrant import Canonical, Predictions, brier, calibration_error, ece, ks_error, nll, skce
from calibrant.fitting.types import Array

each_view_function = pytest.mark.parametrize("function", VIEW_FUNCTIONS)
OF_ONE_CHANCE = [Measure(each) for each in (ece, ks_error, calibration_error, nll, brier)]
OF_WHOLE_VECTORS = [Measure(each) for each in (nll, brier, skce)]


def measured(function: Function, pred: Predictions) -> Array:
    """What measures say of each view that a function makes."""
    found = []
    for view in asked_of(function, pred):
        measures = OF_WHOLE_VECTORS if isinstance(view, Canonical) else OF_ONE_CHANCE
        found += [measure(view) for measure in measures]
    return np.concatenate(found)


@each_view_function
@pytest.mark.parametrize("seed", range(10))
def test_views_carry_order_and_weights(function: Function, seed: int) -> None:
    for pred in (random_vectors(seed), as_probs(random_vectors(seed))):
        check_row_order(lambda rows: measured(function, rows), pred)
        check_weights(lambda rows: measured(function, rows), pred, 1e-9)


@each_view_function
def test_views_of_float32_and_of_float64_agree(function: Function) -> None:
    check_float_types(lambda rows: measured(function, rows), random_vectors(5, n=500))


@each_view_function
@pytest.mark.parametrize("pred", EXTREME_VECTORS.values(), ids=EXTREME_VECTORS.keys())
def test_views_of_extremes_are_chances(function: Function, pred: Predictions) -> None:
    for view in asked_of(function, pred):
        assert ((view.p >= 0) & (view.p <= 1)).all()
    assert np.isfinite(measured(function, pred)).all()


@each_view_function
def test_views_of_a_thousand_classes_are_chances(function: Function) -> None:
    for view in asked_of(function, THOUSAND_CLASSES):
        assert ((view.p >= 0) & (view.p <= 1)).all()
        assert not np.isnan(view.log_odds).any()
