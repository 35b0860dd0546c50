"""Views: log odds keep every digit, and a part of a view is the view of the part."""

from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import softmax

from calibrant import (
    binary,
    canonical,
    from_logits,
    from_probs,
    one_class,
    top_label,
    top_r,
    within_top_r,
)

R = np.random.default_rng(0)
LOGITS = R.normal(0, 3, (300, 5))
LABELS = R.integers(0, 5, 300)
PREDS = [
    from_logits(LOGITS, LABELS),
    from_probs(softmax(LOGITS, axis=1), LABELS, weights=R.integers(0, 3, 300)),
]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("margin", [1e-3, 1.0, 50.0, 800.0, 1e4])
def test_log_odds_from_logits_are_exact(margin: float, kind: type) -> None:
    z: NDArray[Any] = np.array([[margin, 0.0, -0.5, -700.0], [-0.25, -0.5, margin, 0.0]], kind)
    pred = from_logits(z, [0, 2])
    for row, top in ((0, 0), (1, 2)):
        exact = [mpmath.mpf(float(x)) for x in z[row]]
        rest = mpmath.log(sum(mpmath.exp(x) for i, x in enumerate(exact) if i != top))
        expected = float(exact[top] - rest)
        tolerance = 1e-7 if kind is np.float32 else 1e-15
        for view in (top_label(pred), top_r(pred, 1), within_top_r(pred, 1), one_class(pred, top)):
            assert view.log_odds[row] == pytest.approx(expected, rel=tolerance, abs=3 * tolerance)


def test_log_odds_of_the_unlikely_class_are_exact_too() -> None:
    assert one_class(from_logits([[0.0, 1e4]], [1]), 0).log_odds.tolist() == [-1e4]
    assert one_class(from_logits([[0.0, 1e4]], [1]), 1).log_odds.tolist() == [1e4]


def test_a_chance_beside_one_keeps_its_log_odds() -> None:
    for view in (
        top_label(from_probs([[1e-30, 1 - 1e-30]], [1])),
        one_class(from_probs([[1e-30, 1 - 1e-30]], [1]), 1),
    ):
        assert view.log_odds[0] == pytest.approx(-np.log(1e-30))
    assert binary([1e-30, 0.5], [0, 1]).log_odds.tolist() == [np.log(1e-30), 0.0]


def test_exact_zero_and_one_have_finite_log_odds() -> None:
    assert binary([0, 1], [0, 1]).log_odds == pytest.approx([-np.log(3), np.log(3)])
    assert top_label(from_probs([[0.0, 1.0]], [1])).log_odds == pytest.approx([np.log(3)])


def test_a_part_of_a_view_is_the_view_of_the_part() -> None:
    view = top_label(PREDS[0])
    for rows in (slice(10, 90, 3), np.array([5, 2, 2]), LABELS == 1):
        part = view[rows][:7]
        np.testing.assert_allclose(part.log_odds, view.log_odds[rows][:7])
        np.testing.assert_array_equal(part.p, view.p[rows][:7])
    fresh = top_label(PREDS[0])[20:30]
    np.testing.assert_array_equal(fresh.log_odds, view.log_odds[20:30])


def test_canonical_shows_the_whole_vector() -> None:
    view = canonical(PREDS[0])
    assert view.p.shape == view.log_odds.shape == view.scores.shape == (300, 5)
    np.testing.assert_allclose(view.log_odds, np.log(view.p) - np.log1p(-view.p), rtol=1e-9)
    assert view[:7].n == 7
    assert (view.total, view.w) == (300, None)
    assert "each class" in repr(view)


def test_claims_are_pooled_by_their_log_odds_where_they_round_to_one() -> None:
    logits = np.array([[50.0, 0.0], [60.0, 0.0], [60.0, 0.0]])
    view = top_label(from_logits(logits, [0, 1, 0], weights=[1, 2, 0]))
    assert len(view.pool.p) == 1
    pool = view.odds_pool
    assert pool.p.tolist() == [50.0, 60.0]
    assert pool.w.tolist() == [1.0, 2.0]
    assert pool.happened.tolist() == [1.0, 0.0]
    plain = binary([0.2, 0.2, 0.8], [1, 0, 1])
    assert plain.odds_pool.p == pytest.approx(np.log([0.25, 4.0]))


def test_zero_and_one_are_read_by_the_floor() -> None:
    view = binary([0.0, 0.5, 1.0], [0, 1, 1])
    assert view.with_floor(view.floor) is view
    low, middle, high = view.with_floor(1e-3).log_odds
    assert (low, middle, high) == pytest.approx((-np.log(999), 0.0, np.log(999)))
    pred = from_probs([[0.0, 1.0]], [1])
    assert pred.with_floor(pred.floor) is pred
    assert pred.with_floor(1e-3).log_probs[0, 0] == pytest.approx(np.log(1e-3 / 1.001))
