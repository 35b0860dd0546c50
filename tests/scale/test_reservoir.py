"""A sample is the same however rows were parted, and fair."""

import numpy as np

from calibrant import Predictions, from_probs
from calibrant.scale.reservoir import Reservoir


def rows(n: int, seed: int, weights: np.ndarray | None = None) -> Predictions:
    rng = np.random.default_rng(seed)
    return from_probs(rng.dirichlet([1, 1, 1], n), rng.integers(0, 3, n), weights=weights)


def sampled(*parts: Predictions, most: int = 100, seed: int = 0) -> Reservoir:
    kept = Reservoir(most, seed)
    for part in parts:
        kept.offer(part, np.ascontiguousarray(part.values.T))
    return kept


def test_parts_and_their_order_change_nothing() -> None:
    pred = rows(20_000, 0)
    whole = sampled(pred).rows()
    halves = sampled(pred[10_000:]).merge(sampled(pred[:10_000])).rows()
    one_by_one = sampled(*(pred[start : start + 500] for start in range(19_500, -1, -500))).rows()
    assert whole is not None
    for other in (halves, one_by_one):
        assert other is not None
        for mine, theirs in zip(whole[0], other[0], strict=True):
            assert np.array_equal(mine, theirs)


def test_few_rows_are_all_kept_as_they_are() -> None:
    weights = np.array([1.0, 2.0, 0.5])
    found = sampled(rows(3, 1, weights)).rows()
    assert found is not None
    assert sorted(found[1].tolist()) == sorted(weights.tolist())  # type: ignore[union-attr]
    assert sampled(rows(3, 1)).rows()[1] is None  # type: ignore[index]


def test_equal_rows_are_one_that_counts() -> None:
    pred = from_probs([[0.5, 0.3, 0.2]] * 6 + [[0.1, 0.1, 0.8]] * 2, [0] * 8)
    drawn, weights = sampled(pred).rows()  # type: ignore[misc]
    assert len(drawn.values) == 2
    assert sorted(weights.tolist()) == [2, 6]  # type: ignore[union-attr]


def test_rows_are_drawn_by_their_weights_and_weigh_what_they_stand_for() -> None:
    w = np.where(np.arange(4000) % 4 == 0, 10.0, 0.5)
    pred = rows(4000, 2, w)
    shares = []
    for seed in range(40):
        drawn, weights = sampled(pred, seed=seed).rows()  # type: ignore[misc]
        assert len(drawn.values) == 100
        each = np.ones(100) if weights is None else weights
        assert np.isclose(each.sum(), 100)
        shares.append(np.average(drawn.values[:, 0], weights=each))
    truth = np.average(pred.values[:, 0], weights=w)
    off = abs(np.mean(shares) - truth)
    assert off < 4 * np.std(shares) / np.sqrt(40)


def test_no_sample_where_none_is_asked_for() -> None:
    assert sampled(rows(10, 0), most=0).rows() is None
