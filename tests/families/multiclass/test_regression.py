"""Softmax regressions: what regularises tables where rows are few, and strengths."""

import numpy as np
import pytest

from calibrant import canonical, from_logits, nll
from calibrant.families.multiclass.linear import MatrixAndShift
from calibrant.families.multiclass.regression import best_factors, best_table, check_strength
from calibrant.families.numpy_operations import NUMPY, NumpyVectors


def test_more_entries_than_rows_are_held_near_the_best_factors() -> None:
    random = np.random.default_rng(0)
    pred = from_logits(random.normal(0, 2, (60, 12)), random.integers(0, 12, 60))
    view = canonical(pred)
    factors = best_factors(view, view.scores)
    table = best_table(view, view.scores, 0, 0)
    scaled = pred.scores * factors.weights + factors.shift
    logits = MatrixAndShift(*table).logits(NumpyVectors(view), NUMPY)
    assert nll(from_logits(scaled, pred.labels)) >= nll(from_logits(logits, pred.labels))
    assert np.abs(table.weights).max() < 100


def test_strengths_are_finite_and_not_negative() -> None:
    with pytest.raises(ValueError, match="off_diagonal must be at least 0 and finite, got -1"):
        check_strength(off_diagonal=-1.0, intercept=1.0)
    with pytest.raises(ValueError, match="l2 must be at least 0 and finite, got inf"):
        check_strength(l2=np.inf)
    check_strength(off_diagonal=0, intercept="cv", l2=None)
