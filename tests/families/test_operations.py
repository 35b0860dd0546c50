"""Claims of classes and ranks over operations, against the views of the same questions."""

import numpy as np
import pytest

from calibrant import Predictions, classwise, from_logits, from_probs, top_r
from calibrant.families.numpy_operations import NUMPY
from calibrant.families.operations import GivenClaims, Vectors

R = np.random.default_rng(0)
LOGITS = R.normal(0, 3, (60, 4))
LOGITS[:5] = LOGITS[:5].round()
LOGITS[5] = [40.0, 0.0, -40.0, 1.0]
LABELS = R.integers(0, 4, 60)
OF_LOGITS = from_logits(LOGITS, LABELS)
PROBS = OF_LOGITS.probs.copy()
PROBS[6] = [1.0, 0.0, 0.0, 0.0]
PREDICTIONS = [OF_LOGITS, from_probs(PROBS, LABELS)]


def _vectors(pred: Predictions) -> Vectors:
    return Vectors(pred.values, pred.kind, pred.k, pred.floor, NUMPY)


@pytest.mark.parametrize("pred", PREDICTIONS, ids=lambda pred: pred.kind)
def test_chances_and_scores_are_those_of_the_predictions(pred: Predictions) -> None:
    x = _vectors(pred)
    np.testing.assert_allclose(x.p, pred.probs, atol=1e-15)
    np.testing.assert_allclose(x.scores, pred.scores, atol=1e-12)


@pytest.mark.parametrize("pred", PREDICTIONS, ids=lambda pred: pred.kind)
def test_claims_of_classes_are_those_of_their_views(pred: Predictions) -> None:
    claims = _vectors(pred).by_class()
    for k, view in enumerate(classwise(pred)):
        np.testing.assert_allclose(claims.p[:, k], view.p, rtol=1e-12)
        np.testing.assert_allclose(claims.log_odds[:, k], view.log_odds, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("pred", PREDICTIONS, ids=lambda pred: pred.kind)
def test_some_classes_are_asked_for_by_their_columns(pred: Predictions) -> None:
    x = _vectors(pred)
    every = x.by_class()
    some = x.by_class(3, 1)
    np.testing.assert_array_equal(some.p, every.p[:, [3, 1]])
    np.testing.assert_array_equal(some.log_odds, every.log_odds[:, [3, 1]])


@pytest.mark.parametrize("pred", PREDICTIONS, ids=lambda pred: pred.kind)
def test_claims_of_ranks_are_those_of_their_views(pred: Predictions) -> None:
    x = _vectors(pred)
    order = NUMPY.descending(x.values)
    claims = x.by_rank(order, 2)
    for rank in range(2):
        view = top_r(pred, rank + 1)
        np.testing.assert_allclose(claims.p[:, rank], view.p, rtol=1e-12)
        np.testing.assert_allclose(claims.log_odds[:, rank], view.log_odds, rtol=1e-9, atol=1e-12)


def test_claims_that_round_to_one_keep_their_log_odds() -> None:
    pred = from_logits([[50.0, 0.0], [80.0, 0.0]], [0, 0])
    claims = _vectors(pred).by_class(0)
    assert (claims.p == 1).all()
    np.testing.assert_allclose(claims.log_odds[:, 0], [50, 80])


def test_log_odds_are_worked_out_once_where_they_are_asked_for() -> None:
    calls = []

    def log_odds() -> float:
        calls.append(1)
        return 2.0

    claims = GivenClaims(0.5, log_odds)
    assert not calls
    assert claims.log_odds == claims.log_odds == 2.0
    assert len(calls) == 1
