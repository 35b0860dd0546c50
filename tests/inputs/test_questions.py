"""Each question against the plainest way to ask it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
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
from calibrant.inputs.predictions import split_labels
from calibrant.inputs.questions import views_of
from calibrant.inputs.views import split_outcomes

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


def test_ties_go_to_the_lowest_class() -> None:
    for kind in (np.float16, np.float32, np.float64):
        pred = from_logits(np.array([[1, 2, 2], [3, 3, 1], [0, 0, 0]], kind), [1, 1, 0])
        assert top_label(pred).y.tolist() == [True, False, True]
        assert top_r(pred, 2).y.tolist() == [False, True, False]


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
    with pytest.raises(ValueError, match=r"k must be a column in 0\.\.4 or .*\['0', .*got 'cat'"):
        one_class(PREDS[0], "cat")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: binary([0.5, np.nan], [0, 1]), r"p must lie in \[0, 1\] \(row 1 is nan\)"),
        (
            lambda: binary([0.5, 2.3], [0, 1]),
            r"p must lie in \[0, 1\] \(row 1 is 2\.3\); for logits use from_logits",
        ),
        (lambda: binary([0.5, 0.3], [0, 2]), r"y must be 0 or 1.*\(row 1 is 2\.0\)"),
        (
            lambda: binary([0.5, 0.3], [0]),
            r"y must have one outcome for each of the 2 claims, got shape \(1,\)",
        ),
        (lambda: binary([[0.5]], [[0]]), r"p must be one chance a row"),
        (
            lambda: multilabel([[0.5, 1.5]], [[0, 1]]),
            r"probs\[:, 1\] must lie in \[0, 1\] \(row 0 is 1\.5\)",
        ),
        (lambda: multilabel([0.5], [1]), r"probs and labels must share one shape \(rows, labels\)"),
    ],
)
def test_claims_and_outcomes_that_are_none_are_refused(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_a_measure_averages_over_views() -> None:
    view = binary([0.5], [1])
    assert views_of(view) == (view,)
    assert views_of([view, view]) == (view, view)
    assert views_of(PREDS[0])[0].event == "the top label is right"
    for stranger in ([], [1], "x"):
        with pytest.raises(ValueError, match="expected Predictions, a View or a sequence of Views"):
            views_of(stranger)  # type: ignore[arg-type]


SHARES = np.array([[0.2, 0.8, 0], [0.5, 0.25, 0.25], [0, 0, 1], [1, 0, 0]])
CLAIMED = np.array([[0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.1, 0.2, 0.7], [0.2, 0.5, 0.3]])


@pytest.mark.parametrize("make", [from_probs, lambda p, y: from_logits(np.log(p), y)])
def test_a_share_of_the_right_class_is_the_outcome(make: Callable[..., Predictions]) -> None:
    pred = make(CLAIMED, SHARES)
    # Of a tie the lowest class is the top.
    np.testing.assert_allclose(top_label(pred).y, [0.2, 0.5, 1, 0])
    np.testing.assert_allclose(top_r(pred, 2).y, [0.8, 0.25, 0, 0])
    np.testing.assert_allclose(within_top_r(pred, 2).y, [1, 0.75, 1, 0])
    np.testing.assert_allclose(one_class(pred, 0).y, SHARES[:, 0])
    for view, share in zip(classwise(pred), SHARES.T, strict=True):
        np.testing.assert_allclose(view.y, share)
    np.testing.assert_allclose(canonical(pred).y, SHARES)
    np.testing.assert_allclose(pred[1:3].labels, SHARES[1:3])


def test_outcomes_may_be_shares() -> None:
    view = binary([0.2, 0.5, 0.9], [0.25, 1, 0.5], weights=[4, 1, 2])
    assert view.is_fractional
    assert view.y.dtype == np.float64
    assert view.pool.happened.tolist() == [1, 1, 1]
    assert not binary([0.2, 0.5], [0.0, 1.0]).is_fractional
    assert [each.y.tolist() for each in multilabel([[0.2, 0.5]], [[0.3, 1]])] == [[0.3], [True]]


@pytest.mark.parametrize("y", [[0.5, np.nan], [1.1, 0.5], [-0.1, 0.5], [np.inf, 0.5]])
def test_what_is_no_share_is_no_outcome(y: list[float]) -> None:
    with pytest.raises(ValueError, match=r"y must be 0 or 1, .* or a share between \(row \d is"):
        binary([0.5, 0.5], y)


def test_shares_are_split_into_rows_of_one_outcome() -> None:
    view = binary([0.2, 0.5, 0.9, 0.4], [0.25, 1, 0.5, 0], weights=[4, 1, 2, 0])
    apart = split_outcomes(view)
    rows = sorted(zip(apart.p.tolist(), apart.y.tolist(), apart.w.tolist(), strict=True))  # type: ignore[union-attr]
    assert rows == [
        (0.2, False, 3),
        (0.2, True, 1),
        (0.5, True, 1),
        (0.9, False, 1),
        (0.9, True, 1),
    ]
    pred = from_probs(CLAIMED, SHARES, weights=[1, 4, 2, 0])
    split = split_labels(pred)
    assert split.labels.tolist() == [0, 1, 0, 1, 2, 2]
    assert split.weights is not None
    np.testing.assert_allclose(split.weights, [0.2, 0.8, 2, 1, 1, 2])
    np.testing.assert_array_equal(split.values, CLAIMED[[0, 0, 1, 1, 1, 2]])
    whole = binary([0.2, 0.5], [0, 1])
    assert split_outcomes(whole) is whole


def test_a_class_may_be_named() -> None:
    pred = from_logits(LOGITS[:, :3], LABELS % 3, classes=["benign", "bad", "worse"])
    for k, name in enumerate(pred.classes):
        by_name, by_number = one_class(pred, str(name)), one_class(pred, k)
        np.testing.assert_array_equal(by_name.p, by_number.p)
        np.testing.assert_array_equal(by_name.y, by_number.y)
        assert by_name.event == by_number.event
    unnamed = one_class(from_logits(LOGITS, LABELS), "3")
    np.testing.assert_array_equal(unnamed.p, one_class(from_logits(LOGITS, LABELS), 3).p)
