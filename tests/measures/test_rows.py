"""Rows in one order whatever order they came in, and weights as counts."""

import numpy as np

from calibrant import from_probs, top_label
from calibrant.measures.rows import counts_at, sorted_rows, weights_of, whole_counts

RANDOM = np.random.default_rng(0)
VECTORS = RANDOM.dirichlet(np.ones(3), 40).round(1) + 1e-9
PRED = from_probs(
    VECTORS / VECTORS.sum(1, keepdims=True),
    RANDOM.integers(0, 3, 40),
    weights=RANDOM.integers(0, 3, 40),
)


def test_the_order_given_plays_no_part() -> None:
    shuffled = PRED[RANDOM.permutation(40)]
    (one,), (other,) = sorted_rows([PRED]), sorted_rows([shuffled])
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.labels, other.labels)
    np.testing.assert_array_equal(one.weights, other.weights)


def test_views_are_sorted_with_their_log_odds() -> None:
    (view,) = sorted_rows([top_label(PRED)])
    assert (np.diff(view.p) >= 0).all()
    np.testing.assert_allclose(view.log_odds, np.log(view.p / (1 - view.p)), atol=1e-6)
    assert weights_of(view) is view.w


def test_weights_of_some_rows_are_counts() -> None:
    rows = np.array([2, 0])
    assert counts_at(None, rows).tolist() == [1, 1]
    assert counts_at(np.array([3.0, 1.0, 0.5]), rows).tolist() == [0.5, 3]
    assert whole_counts(np.array([0.2, 1.6, 3.0])).tolist() == [1, 2, 3]
