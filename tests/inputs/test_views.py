"""Each view against the plainest way to ask its question."""

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import softmax

from calibrant import (
    Predictions,
    binary,
    canonical,
    classwise,
    from_logits,
    from_probs,
    multilabel,
    one_class,
    top_label,
    top_r,
    within_top_r,
)
from calibrant.fitting.logspace import LOG_TINY

R = np.random.default_rng(0)
LOGITS = R.normal(0, 3, (300, 5))
LABELS = R.integers(0, 5, 300)
PREDS = [
    from_logits(LOGITS, LABELS),
    from_probs(softmax(LOGITS, axis=1), LABELS, weights=R.integers(0, 3, 300)),
]


@pytest.mark.parametrize("pred", PREDS, ids=str)
def test_views_against_a_stable_sort(pred: Predictions) -> None:
    order = np.argsort(-pred.probs, axis=1, kind="stable")
    ranked = np.take_along_axis(pred.probs, order, 1)
    for r in range(1, 5):
        for view, p, y in (
            (top_r(pred, r), ranked[:, r - 1], order[:, r - 1] == LABELS),
            (within_top_r(pred, r), ranked[:, :r].sum(1), (order[:, :r] == LABELS[:, None]).any(1)),
        ):
            np.testing.assert_allclose(view.p, p, rtol=1e-13)
            np.testing.assert_array_equal(view.y, y)
            np.testing.assert_allclose(
                view.log_odds, np.log(p) - np.log1p(-p), rtol=1e-9, atol=1e-9
            )
            assert view.w is pred.weights
    np.testing.assert_allclose(top_label(pred).p, ranked[:, 0], rtol=1e-13)
    np.testing.assert_array_equal(top_label(pred).y, order[:, 0] == LABELS)
    for k, view in enumerate(classwise(pred)):
        np.testing.assert_allclose(view.p, pred.probs[:, k])
        np.testing.assert_array_equal(view.y, k == LABELS)
        np.testing.assert_allclose(
            view.log_odds, np.log(view.p) - np.log1p(-view.p), rtol=1e-9, atol=1e-9
        )


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
    assert binary([0, 1], [0, 1]).log_odds == pytest.approx([LOG_TINY, -LOG_TINY])
    assert top_label(from_probs([[0.0, 1.0]], [1])).log_odds == pytest.approx([-LOG_TINY])


def test_ties_go_to_the_lowest_class() -> None:
    for kind in (np.float16, np.float32, np.float64):
        pred = from_logits(np.array([[1, 2, 2], [3, 3, 1], [0, 0, 0]], kind), [1, 1, 0])
        assert top_label(pred).y.tolist() == [True, False, True]
        assert top_r(pred, 2).y.tolist() == [False, True, False]


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


def test_multilabel_gives_a_view_a_label() -> None:
    views = multilabel([[0.9, 0.2], [0.7, 0.4]], [[1, 0], [1, 1]], weights=[1, 2])
    assert [view.y.tolist() for view in views] == [[True, True], [False, True]]
    assert views[0].total == 3
    assert views[0].event == "label 0 is present"


def test_a_rank_out_of_reach_is_refused() -> None:
    for ask, r in ((top_r, 6), (top_r, 0), (within_top_r, 5)):
        with pytest.raises(ValueError, match=r"r must be a rank in 1\.\.\d, got \d"):
            ask(PREDS[0], r)
    with pytest.raises(ValueError, match=r"k must be a column in 0\.\.4, got 5"):
        one_class(PREDS[0], 5)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("rows", [1, 300])
def test_what_was_given_is_never_changed(rows: int, order: str) -> None:
    for make, values in ((from_logits, LOGITS), (from_probs, softmax(LOGITS, axis=1))):
        given = np.array(values[:rows], order=order)  # type: ignore[call-overload]
        given.flags.writeable = False
        pred = make(given, LABELS[:rows])
        for view in (top_label(pred), top_r(pred, 2), within_top_r(pred, 2), one_class(pred, 1)):
            assert np.isfinite(view.log_odds).all()
            assert len(view.pool.p)
        assert np.isfinite(canonical(pred).log_odds).all()
        assert np.isfinite(pred.log_probs).all()


def test_claims_from_float32_logits_keep_the_digits_of_float64() -> None:
    z = R.normal(0, 30, (400, 4)).astype(np.float32)
    single, double = (
        from_logits(z.astype(kind), R.integers(0, 4, 400)) for kind in (np.float32, np.float64)
    )
    for ask in (
        top_label,
        lambda pred: top_r(pred, 2),
        lambda pred: within_top_r(pred, 2),
        lambda pred: one_class(pred, 1),
    ):
        np.testing.assert_allclose(1 - ask(single).p, 1 - ask(double).p, rtol=1e-5, atol=1e-15)


@pytest.mark.parametrize(
    "ask", [top_label, classwise, canonical, lambda x: top_r(x, 1), lambda x: one_class(x, 0)]
)
def test_views_are_asked_of_predictions_alone(ask: Callable[[Any], object]) -> None:
    with pytest.raises(ValueError, match="a view is asked of Predictions, got View"):
        ask(binary([0.5], [1]))
    with pytest.raises(ValueError, match=r"k must be a column in 0\.\.4, got 'cat'"):
        one_class(PREDS[0], "cat")  # type: ignore[arg-type]
