"""The door: what is let in unchanged, and what is refused with the rule, the value and the way out."""

import tracemalloc
from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import log_softmax, softmax

from calibrant import Predictions, binary, ece, from_logits, from_probs, multilabel
from calibrant.fitting.logspace import LOG_TINY, TINY

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


@pytest.mark.parametrize(
    "given",
    [PROBS.tolist(), pd.DataFrame(PROBS), pl.DataFrame(PROBS, schema=list("abcd"))],
    ids=["list", "pandas", "polars"],
)
def test_inputs_of_other_libraries(given: object) -> None:
    np.testing.assert_array_equal(from_probs(given, LABELS).probs, PROBS)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [LABELS.tolist(), pd.Series(LABELS), pl.Series(LABELS)])
def test_labels_of_other_libraries(given: object) -> None:
    np.testing.assert_array_equal(from_probs(PROBS, given).labels, LABELS)  # type: ignore[arg-type]


def test_one_dimension_is_class_one() -> None:
    np.testing.assert_allclose(from_probs([0.9, 0.2], [1, 0]).probs, [[0.1, 0.9], [0.8, 0.2]])
    np.testing.assert_allclose(
        from_logits([3.0], [1]).log_probs, [[-np.log1p(np.exp(3)), -np.log1p(np.exp(-3))]]
    )


@pytest.mark.parametrize(
    "labels",
    [
        ["cat", "dog", "cat"],
        np.array(["cat", "dog", "cat"]),
        pd.Series(["cat", "dog", "cat"]),
        [0, 1, 0],
    ],
)
def test_labels_may_be_names_or_places_of_named_classes(labels: object) -> None:
    pred = from_probs([[0.7, 0.3]] * 3, labels, classes=["cat", "dog"])  # type: ignore[arg-type]
    assert pred.labels.tolist() == [0, 1, 0]
    assert pred.classes == ("cat", "dog")


def test_labels_are_entries_where_classes_are_other_numbers() -> None:
    assert from_probs([[0.7, 0.3]] * 2, [7, 3], classes=[3, 7]).labels.tolist() == [1, 0]
    assert from_probs([[0.7, 0.3]] * 2, [True, False]).labels.tolist() == [1, 0]
    assert from_probs([[0.7, 0.3]] * 2, [1.0, 0.0]).labels.tolist() == [1, 0]


def test_rows_can_be_chosen() -> None:
    pred = from_logits(LOGITS, LABELS, weights=np.arange(50.0))
    some = pred[np.array([3, 1])]
    assert (some.n, some.k, some.total) == (2, 4, 4.0)
    np.testing.assert_array_equal(some.scores, LOGITS[[3, 1]])
    assert repr(pred) == "Predictions(50 rows of 4 classes from logits, weighing 1225)"


def test_exact_zeros_have_a_finite_logarithm_in_either_type() -> None:
    for kind in (np.float32, np.float64):
        log_probs = from_probs(np.array([[0.0, 1.0]], kind), [1]).log_probs
        np.testing.assert_allclose(log_probs, [[LOG_TINY, 0]], rtol=1e-6)
    assert TINY < 2e-38


def test_logits_far_apart_keep_their_log_probabilities() -> None:
    assert from_logits([[1e4, -1e4, 0.0]], [0]).log_probs.tolist() == [[0.0, -2e4, -1e4]]


def _inf(value: float) -> np.ndarray:
    bad = PROBS.copy()
    bad[17, 2] = value
    return bad


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: from_probs(3 * PROBS, LABELS), r"probs rows must sum to one \(row 0 sums to 3\); .*use from_logits"),
        (lambda: from_probs(_inf(np.nan), LABELS), r"probs must be finite \(row 17 is \["),
        (lambda: from_probs(_inf(np.inf), LABELS), r"probs must be finite \(row 17 is \["),
        (lambda: from_probs(_inf(-0.1), LABELS), r"probs must not be negative \(row 17 is .*use from_logits"),
        (lambda: from_logits(_inf(np.nan), LABELS), r"logits must be finite \(row 17 is \["),
        (lambda: from_logits(_inf(-np.inf), LABELS), r"logits must be finite \(row 17 is \["),
        (lambda: from_probs(PROBS, LABELS + 1), r"labels must lie in 0\.\.3, as there are 4 classes \(row \d+ is 4\)"),
        (lambda: from_probs(PROBS, -LABELS), r"labels must lie in 0\.\.3, as there are 4 classes \(row \d+ is -\d\)"),
        (lambda: from_probs(PROBS, np.eye(4)[LABELS]), r"got shape \(50, 4\); .*labels\.argmax\(1\)"),
        (lambda: from_probs(PROBS, [[0], [1, 2]]), r"labels must be one class for each of the 50 rows, got \[\[0\]"),
        (lambda: from_probs(PROBS + 0j, LABELS), r"probs must be an array of numbers"),
        (lambda: from_probs(PROBS, np.full(50, 1e30)), r"labels must be among the classes"),
        (lambda: from_probs(PROBS, LABELS[:9]), r"labels must be one class for each of the 50 rows, got shape \(9,\)"),
        (lambda: from_probs(PROBS, ["cat"] * 50), r"labels must be among .*row 0 is 'cat'\); name them with classes="),
        (lambda: from_probs(PROBS, LABELS + 0.5), r"labels must be among the classes"),
        (lambda: from_probs([[0.5, 0.5]], ["x"], classes=["a", "b"]), r"among .*\('a', 'b'\) \(row 0 is 'x'\)"),
        (lambda: from_probs([[0.5, 0.5]], [0], classes=["a", "a"]), r"classes must be 2 different names"),
        (lambda: from_probs([[0.5, 0.5]], [0], classes=["a"]), r"classes must be 2 different names"),
        (lambda: from_probs(np.empty((0, 3)), []), r"at least one row and two classes.*got shape \(0, 3\)"),
        (lambda: from_probs(np.ones((3, 1)), [0] * 3), r"at least one row and two classes.*got shape \(3, 1\)"),
        (lambda: from_probs(np.ones((3, 2, 2)), [0] * 3), r"got shape \(3, 2, 2\)"),
        (lambda: from_probs([], []), r"one chance a row with at least one row, got shape \(0,\)"),
        (lambda: from_probs([0.2, 1.2], [0, 1]), r"probs must lie in \[0, 1\] \(row 1 is 1\.2\); .*use from_logits"),
        (lambda: from_probs([["a", "b"]], [0]), r"probs must be an array of numbers.* got \[\['a', 'b'\]\]"),
        (lambda: from_probs([[0.5, 0.5], [1.0]], [0, 0]), r"probs must be an array of numbers"),
        (lambda: from_probs(PROBS, LABELS, weights=-np.ones(50)), r"weights must be counts.*\(row 0 is -1.0\)"),
        (lambda: from_probs(PROBS, LABELS, weights=[np.nan] * 50), r"weights must be counts.*\(row 0 is nan\)"),
        (lambda: from_probs(PROBS, LABELS, weights=np.zeros(50)), r"weights must not all be 0"),
        (lambda: from_probs(PROBS, LABELS, weights=np.ones(5)), r"one number for each of the 50 .*shape \(5,\)"),
        (lambda: binary([0.5, np.nan], [0, 1]), r"p must lie in \[0, 1\] \(row 1 is nan\)"),
        (lambda: binary([0.5, 2.3], [0, 1]), r"p must lie in \[0, 1\] \(row 1 is 2\.3\); for logits use from_logits"),
        (lambda: binary([0.5, 0.3], [0, 2]), r"y must be 0 or 1.*\(row 1 is 2\.0\)"),
        (lambda: binary([0.5, 0.3], [0]), r"y must have one outcome for each of the 2 claims, got shape \(1,\)"),
        (lambda: binary([[0.5]], [[0]]), r"p must be one chance a row"),
        (lambda: multilabel([[0.5, 1.5]], [[0, 1]]), r"probs\[:, 1\] must lie in \[0, 1\] \(row 0 is 1\.5\)"),
        (lambda: multilabel([0.5], [1]), r"probs and labels must share one shape \(rows, labels\)"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_with_the_rule_the_row_and_the_remedy(make, message: str) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "given",
    [
        pl.Series(PROBS.tolist()),
        pd.Series(PROBS.tolist()),
        pl.Series(PROBS.tolist(), dtype=pl.Array(float, 4)),
    ],
)
def test_columns_of_lists(given: object) -> None:
    np.testing.assert_array_equal(from_probs(given, LABELS).probs, PROBS)  # type: ignore[arg-type]


def test_coarse_types_may_miss_one_by_more() -> None:
    assert from_probs(PROBS.astype(np.float16), LABELS).n == 50


def test_rounding_out_of_range_is_put_right() -> None:
    assert binary(np.array([1.0000001], np.float32), [1]).p.tolist() == [1.0]
    assert from_probs([[1.0, -1e-17]], [0]).probs.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("labels", [np.array([1, 0], object), pd.Series([1, 0], dtype="Int64")])
def test_labels_of_odd_types(labels: object) -> None:
    pred = from_probs([[0.7, 0.3]] * 2, labels, classes=["a", "b"])  # type: ignore[arg-type]
    assert pred.labels.tolist() == [1, 0]


def test_classes_may_be_any_names() -> None:
    assert from_probs([[0.7, 0.3]], [True], classes=[False, True]).labels.tolist() == [1]
    assert from_probs([[0.7, 0.3]], [0], classes=np.array(["a", "b"])).classes == ("a", "b")


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
