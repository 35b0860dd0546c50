"""Weights are counts: None is ones, and a weight of two is the row twice."""

import numpy as np
import pytest

from calibrant.fitting.weights import (
    counts,
    present,
    some,
    total,
    weighted,
    weighted_mean,
    weighted_sum,
)

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(20, 3))
W = RANDOM.integers(0, 4, 20).astype(float)
REPEATED = np.repeat(X, W.astype(int), axis=0)
ONES = np.ones(20)


def test_a_weight_is_that_many_rows() -> None:
    assert total(W, 20) == len(REPEATED)
    np.testing.assert_allclose(weighted_sum(X, W), REPEATED.sum(0))
    assert weighted_mean(X[:, 0], W) == pytest.approx(REPEATED[:, 0].mean())


@pytest.mark.parametrize("x", [X, X[:, 0], X[:, :, None] * X[:, None]], ids=["2d", "1d", "3d"])
def test_no_weights_are_ones(x: np.ndarray) -> None:
    assert total(None, 20) == total(ONES, 20) == 20
    np.testing.assert_array_equal(counts(None, 20), ONES)
    np.testing.assert_array_equal(weighted(x, None), weighted(x, ONES))
    np.testing.assert_array_equal(weighted_sum(x, None), x.sum(0))
    np.testing.assert_array_equal(present(None, 20), present(ONES, 20))


def test_each_row_is_weighted_whatever_its_shape() -> None:
    np.testing.assert_array_equal(weighted(X, W), X * W[:, None])
    cube = X[:, :, None] * X[:, None]
    np.testing.assert_array_equal(weighted(cube, W), cube * W[:, None, None])
    np.testing.assert_allclose(weighted(X, W).sum(0), weighted_sum(X, W))


def test_nothing_is_copied_without_need() -> None:
    assert weighted(X, None) is X
    assert counts(W, 20) is W


@pytest.mark.parametrize("rows", [slice(3, 9), np.array([5, 1]), W > 1], ids=str)
def test_some_rows(rows: slice | np.ndarray) -> None:
    assert some(None, rows) is None
    np.testing.assert_array_equal(some(W, rows), W[rows])


def test_rows_without_weight_are_not_present() -> None:
    found = present(W, 20)
    assert (W[found] > 0).all()
    assert total(W[found], len(found)) == total(W, 20)
