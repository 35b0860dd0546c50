"""Predictions: the door. What is let in is kept as it is, and its rows can be chosen."""

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from calibrant import Predictions, binary, ece, from_logits, from_probs
from calibrant.fitting.types import Array

LOGITS = np.random.default_rng(0).normal(0, 3, (50, 4))
PROBS = softmax(LOGITS, axis=1)
LABELS = np.random.default_rng(1).integers(0, 4, 50)


def test_probs_and_log_probs_are_those_of_scipy() -> None:
    pred = from_logits(LOGITS, LABELS)
    np.testing.assert_allclose(pred.probs, PROBS, rtol=1e-14)
    np.testing.assert_allclose(pred.log_probs, log_softmax(LOGITS, axis=1), rtol=1e-13)
    np.testing.assert_allclose(from_probs(PROBS, LABELS).log_probs, np.log(PROBS))


def test_scores_are_the_raw_logits_or_else_log_probabilities() -> None:
    assert from_logits(LOGITS, LABELS).scores is LOGITS
    np.testing.assert_array_equal(from_probs(PROBS, LABELS).scores, np.log(PROBS))


def test_arrays_are_not_copied() -> None:
    single = PROBS.astype(np.float32)
    assert from_probs(single, LABELS).probs is single
    assert from_probs(single, LABELS).labels is LABELS


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_float_types_are_kept(kind: type) -> None:
    assert from_logits(LOGITS.astype(kind), LABELS).scores.dtype == kind
    assert from_logits(LOGITS.astype(kind), LABELS).probs.dtype == (
        np.float64 if kind is np.float64 else np.float32
    )


def test_one_dimension_is_class_one() -> None:
    np.testing.assert_allclose(from_probs([0.9, 0.2], [1, 0]).probs, [[0.1, 0.9], [0.8, 0.2]])
    np.testing.assert_allclose(
        from_logits([3.0], [1]).log_probs, [[-np.log1p(np.exp(3)), -np.log1p(np.exp(-3))]]
    )


def test_rows_can_be_chosen() -> None:
    pred = from_logits(LOGITS, LABELS, weights=np.arange(50.0))
    some = pred[np.array([3, 1])]
    assert (some.n, some.k, some.total) == (2, 4, 4.0)
    assert some.w is some.weights
    np.testing.assert_array_equal(some.scores, LOGITS[[3, 1]])
    assert repr(pred) == "Predictions(50 rows of 4 classes from logits, weighing 1225)"


def test_exact_zeros_have_a_finite_logarithm_in_either_type() -> None:
    for kind in (np.float32, np.float64):
        log_probs = from_probs(np.array([[0.0, 1.0]], kind), [1]).log_probs
        np.testing.assert_allclose(np.exp(log_probs), [[1 / 4, 3 / 4]], rtol=1e-6)


def test_logits_far_apart_keep_their_log_probabilities() -> None:
    assert from_logits([[1e4, -1e4, 0.0]], [0]).log_probs.tolist() == [[0.0, -2e4, -1e4]]


def _with(value: float) -> Array:
    """Probabilities, one of which is spoilt."""
    spoilt = PROBS.copy()
    spoilt[17, 2] = value
    return spoilt


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: from_probs(3 * PROBS, LABELS),
            r"probs rows must sum to one \(row 0 sums to 3\); .*use from_logits, else divide rows by",
        ),
        (lambda: from_probs(_with(np.nan), LABELS), r"probs must be finite \(row 17 is \["),
        (lambda: from_probs(_with(np.inf), LABELS), r"probs must be finite \(row 17 is \["),
        (
            lambda: from_probs(_with(-0.1), LABELS),
            r"probs must not be negative \(row 17 is .*use from_logits",
        ),
        (lambda: from_logits(_with(np.nan), LABELS), r"logits must be finite \(row 17 is \["),
        (lambda: from_logits(_with(-np.inf), LABELS), r"logits must be finite \(row 17 is \["),
        (
            lambda: from_probs([[0.5, 0.5]], [0], classes=["a", "a"]),
            r"classes must be 2 different names",
        ),
        (
            lambda: from_probs([[0.5, 0.5]], [0], classes=["a"]),
            r"classes must be 2 different names",
        ),
        (
            lambda: from_probs(np.empty((0, 3)), []),
            r"at least one row and two classes.*got shape \(0, 3\)",
        ),
        (
            lambda: from_probs(np.ones((3, 1)), [0] * 3),
            r"at least one row and two classes.*got shape \(3, 1\)",
        ),
        (lambda: from_probs(np.ones((3, 2, 2)), [0] * 3), r"got shape \(3, 2, 2\)"),
    ],
)
def test_what_is_no_prediction_is_refused_with_the_row_and_the_way_out(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_one_row_or_none() -> None:
    pred = from_probs(PROBS, LABELS)
    assert (pred[3].n, binary([0.2, 0.4], [0, 1])[-1].p.tolist()) == (1, [0.4])
    for rows in (slice(0, 0), np.array([], int), np.zeros(50, bool)):
        with pytest.raises(ValueError, match="at least one row must be taken"):
            pred[rows]


@pytest.mark.parametrize("make", [from_probs, from_logits])
def test_ten_million_rows_of_float32_are_measured_in_little_more_than_their_own_memory(
    make: Callable[..., Predictions],
) -> None:
    p = np.full((10**7, 10), 0.05, np.float32)
    p[:, 3] = 0.55
    labels = np.zeros(10**7, np.uint8)
    ece(make(p[:10], labels[:10]))
    tracemalloc.start()
    ece(make(p, labels))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0 < peak < 0.25 * p.nbytes


@pytest.mark.parametrize("make", [from_logits, from_probs])
def test_labels_may_be_absent(make: Callable[..., Predictions]) -> None:
    pred = make(PROBS)
    assert repr(pred).endswith(", without labels)")
    assert pred[:3].known_labels is None
    with pytest.raises(ValueError, match="these predictions have no labels, so a map can be app"):
        _ = pred.labels


def test_percents_are_recognised() -> None:
    with pytest.raises(ValueError, match=r"\(row 0 sums to 100\); divide percents by 100"):
        from_probs(100 * PROBS, LABELS)
