"""The bootstrap: which rows are the same, and are then drawn together."""

import numpy as np

from calibrant import Predictions, View, binary, classwise, from_probs
from calibrant.inference.bootstrap import exclusive_events, redrawn, same_rows


def test_which_rows_are_one() -> None:
    one, other = binary([0.3, 0.6], [1, 0]), binary([0.7, 0.4], [0, 1])
    assert exclusive_events([one, other])
    assert not exclusive_events([one, one])
    assert not same_rows(one, binary([0.3, 0.6], [1, 0], weights=[1, 2]))


def test_the_same_rows_are_drawn_together() -> None:
    p = np.array([[0.2, 0.8], [0.6, 0.4], [0.5, 0.5], [0.9, 0.1]])
    pred = from_probs(p, [0, 1, 1, 0])
    first, second, other = redrawn([pred, pred, pred[:3]], np.random.default_rng(0))
    assert isinstance(first, Predictions)
    assert isinstance(second, Predictions)
    np.testing.assert_array_equal(first.weights, second.weights)
    assert first.total == 4
    assert other.total == 3


def test_weights_are_counts_of_rows_to_draw() -> None:
    view = binary([0.3, 0.6, 0.9], [1, 0, 1], weights=[0, 2, 5])
    (drawn,) = redrawn([view], np.random.default_rng(0))
    assert isinstance(drawn, View)
    assert drawn.w is not None
    assert drawn.w[0] == 0
    assert drawn.total == 7


def test_events_of_all_classes_exclude_one_another() -> None:
    pred = from_probs([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]], [2, 0])
    assert exclusive_events(classwise(pred))
    assert not exclusive_events(classwise(pred)[:2])
