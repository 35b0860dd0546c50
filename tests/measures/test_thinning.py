"""Fewer rows are some of the rows, whatever order they came in."""

import numpy as np

from calibrant import Predictions, from_probs
from calibrant.fitting.weights import counts
from calibrant.measures.thinning import thinned


def _pred(n: int, *, soft: bool = False) -> Predictions:
    random = np.random.default_rng(0)
    p = random.dirichlet(np.ones(3), n).round(2)
    p[:, 2] = 1 - p[:, 0] - p[:, 1]
    labels = random.dirichlet(np.ones(3), n) if soft else random.integers(0, 3, n)
    return from_probs(np.abs(p), labels, weights=random.integers(1, 4, n))


def test_the_order_of_rows_plays_no_part() -> None:
    for soft in (False, True):
        pred = _pred(500, soft=soft)
        mixed = pred[np.random.default_rng(1).permutation(500)]
        one, other = thinned(pred, 60), thinned(mixed, 60)
        assert one.n == 60
        assert np.array_equal(one.values, other.values)
        assert np.array_equal(one.labels, other.labels)
        assert one.w is not None
        assert one.w.tolist() == counts(other.w, 60).tolist()


def test_rows_are_taken_evenly_and_none_twice() -> None:
    p = np.random.default_rng(0).random(1000)
    found = thinned(from_probs(p, p > 0.5), 250).probs[:, 1]
    assert len(np.unique(found)) == 250
    assert abs(found.mean() - p.mean()) < 0.05


def test_few_rows_are_left_as_they_are() -> None:
    pred = _pred(20)
    assert thinned(pred, 20) is pred
