"""Labels: names or places, in whatever type, become places or are refused."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import DTypeLike
from scipy.special import softmax

from calibrant import from_probs
from calibrant.inputs.labels import class_totals, label_shares

LOGITS = np.random.default_rng(0).normal(0, 3, (50, 4))
PROBS = softmax(LOGITS, axis=1)
LABELS = np.random.default_rng(1).integers(0, 4, 50)


@pytest.mark.parametrize("given", [LABELS.tolist(), pd.Series(LABELS), pl.Series(LABELS)])
def test_labels_of_other_libraries(given: object) -> None:
    np.testing.assert_array_equal(from_probs(PROBS, given).labels, LABELS)  # type: ignore[arg-type]


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


@pytest.mark.parametrize("labels", [np.array([1, 0], object), pd.Series([1, 0], dtype="Int64")])
def test_labels_of_odd_types(labels: object) -> None:
    pred = from_probs([[0.7, 0.3]] * 2, labels, classes=["a", "b"])  # type: ignore[arg-type]
    assert pred.labels.tolist() == [1, 0]


def test_classes_may_be_any_names() -> None:
    assert from_probs([[0.7, 0.3]], [True], classes=[False, True]).labels.tolist() == [1]
    assert from_probs([[0.7, 0.3]], [0], classes=np.array(["a", "b"])).classes == ("a", "b")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: from_probs(PROBS, LABELS + 1),
            r"labels must lie in 0\.\.3, as there are 4 classes \(row \d+ is 4\); subtract 1$",
        ),
        (
            lambda: from_probs(PROBS, -LABELS),
            r"labels must lie in 0\.\.3, as there are 4 classes \(row \d+ is -\d\); they are places of columns",
        ),
        (
            lambda: from_probs(PROBS, np.eye(5)[LABELS]),
            r"got shape \(50, 5\); .*a column for each",
        ),
        (
            lambda: from_probs(PROBS, [[0], [1, 2]]),
            r"labels must be one class for each of the 50 rows, got \[\[0\]",
        ),
        (lambda: from_probs(PROBS, np.full(50, 1e30)), r"labels must be among the classes"),
        (
            lambda: from_probs(PROBS, LABELS[:9]),
            r"labels must be one class for each of the 50 rows, got shape \(9,\)",
        ),
        (
            lambda: from_probs(PROBS, ["cat"] * 50),
            r"labels must be among .*row 0 is 'cat'\); name them with classes=",
        ),
        (lambda: from_probs(PROBS, LABELS + 0.5), r"labels must be among the classes"),
        (
            lambda: from_probs([[0.5, 0.5]], ["x"], classes=["a", "b"]),
            r"among .*\('a', 'b'\) \(row 0 is 'x'\); each needs a column of its own",
        ),
        (
            lambda: from_probs([[0.5, 0.5]], ["Cat"], classes=["cat", "dog"]),
            r"\(row 0 is 'Cat'\); did you mean 'cat'\?",
        ),
    ],
)
def test_labels_that_are_no_classes_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


SHARES = np.random.default_rng(2).multinomial(5, [0.1, 0.2, 0.3, 0.4], 50) / 5


@pytest.mark.parametrize("given", [SHARES, SHARES.tolist(), pd.DataFrame(SHARES), 1.0005 * SHARES])
def test_shares_of_classes_are_labels(given: object) -> None:
    labels = from_probs(PROBS, given).labels  # type: ignore[arg-type]
    np.testing.assert_allclose(labels, SHARES, rtol=1e-12)
    np.testing.assert_allclose(labels.sum(1), 1, rtol=1e-15)


@pytest.mark.parametrize("kind", [np.int8, np.float32, np.bool_])
def test_shares_of_one_class_a_row_are_its_places(kind: DTypeLike) -> None:
    one_hot = np.eye(4)[LABELS].astype(kind)
    pred = from_probs(PROBS, one_hot, classes=["a", "b", "c", "d"])
    assert pred.labels.tolist() == LABELS.tolist()


def test_shares_know_how_many_of_each_class_there_are() -> None:
    w = np.arange(50.0)
    np.testing.assert_allclose(class_totals(SHARES, w, 4), w @ SHARES)
    np.testing.assert_array_equal(class_totals(LABELS, None, 4), np.eye(4)[LABELS].sum(0))
    np.testing.assert_array_equal(label_shares(LABELS, 4), np.eye(4)[LABELS])
    assert label_shares(SHARES, 4) is SHARES


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([0.5, 0.5, 0.5, 0], r"must sum to one \(row 7 is .*, sum 1\.5\); divide counts of votes"),
        ([3, 2, 0, 0], r"row 7 is \[3\. 2\. 0\. 0\.\], sum 5\); divide counts of votes"),
        ([1.2, -0.2, 0, 0], r"must not be negative .*\(row 7"),
        ([np.nan, 1, 0, 0], r"row 7 is \[nan"),
        ([0, 0, 0, 0], r"row 7 is .*, sum 0\)"),
    ],
)
def test_what_is_no_share_is_refused(row: list[float], message: str) -> None:
    given = SHARES.copy()
    given[7] = row
    with pytest.raises(ValueError, match=message):
        from_probs(PROBS, given)


def test_one_share_a_row_does_not_say_of_which_class() -> None:
    with pytest.raises(ValueError, match=r"row 0 is 0\.3\); shares of classes need a column for"):
        from_probs([[0.5, 0.5]], [0.3])
