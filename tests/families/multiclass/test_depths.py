"""Depths against the logarithms of tempered chances, and steps along them."""

import numpy as np
import pytest
from scipy.special import log_softmax

from calibrant.families.multiclass.depths import BENDS, depths, steps
from calibrant.families.numpy_operations import NUMPY

SCORES = np.random.default_rng(0).normal(0, 5, (40, 6))


@pytest.mark.parametrize("inverse", [0.3, 1.0, 2.5])
def test_depths_are_minus_the_logs_of_tempered_chances(inverse: float) -> None:
    below, depth = depths(SCORES, inverse, NUMPY)
    np.testing.assert_allclose(depth, -log_softmax(inverse * SCORES, axis=1), atol=1e-12)
    np.testing.assert_allclose(below, inverse * (SCORES.max(1, keepdims=True) - SCORES))
    assert (below.min(1) == 0).all()


def test_steps_add_up_to_the_depth() -> None:
    depth = np.array([[0.0, 0.2, 0.5, 3.0], [6.9, 7.0, 12.0, 40.0]])
    found = steps(depth, BENDS, NUMPY)
    assert len(found) == len(BENDS)
    np.testing.assert_allclose(np.sum(found, axis=0), depth)
    widths = [*np.diff(BENDS), np.inf]
    for step, width in zip(found, widths, strict=True):
        assert (step >= 0).all()
        assert (step <= width).all()


def test_a_step_begins_where_the_one_before_ends() -> None:
    depth = np.array([[0.75, 5.0]])
    found = np.concatenate(steps(depth, BENDS, NUMPY))
    np.testing.assert_allclose(found[:, 0], [0.5, 0.25, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(found[:, 1], [0.5, 0.5, 1, 2, 1, 0, 0])
