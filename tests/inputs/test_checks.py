"""What is handed over is let in unchanged, or refused with the rule, the value and the way out."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import softmax

from calibrant import binary, from_probs
from calibrant.inputs.checks import InputError, check_argument

LOGITS = np.random.default_rng(0).normal(0, 3, (50, 4))
PROBS = softmax(LOGITS, axis=1)
LABELS = np.random.default_rng(1).integers(0, 4, 50)


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


@pytest.mark.parametrize(
    "given",
    [PROBS.tolist(), pd.DataFrame(PROBS), pl.DataFrame(PROBS, schema=list("abcd"))],
    ids=["list", "pandas", "polars"],
)
def test_inputs_of_other_libraries(given: object) -> None:
    np.testing.assert_array_equal(from_probs(given, LABELS).probs, PROBS)  # type: ignore[arg-type]


def test_coarse_types_may_miss_one_by_more() -> None:
    assert from_probs(PROBS.astype(np.float16), LABELS).n == 50


def test_rounding_out_of_range_is_put_right() -> None:
    assert binary(np.array([1.0000001], np.float32), [1]).p.tolist() == [1.0]
    assert from_probs([[1.0, -1e-17]], [0]).probs.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: from_probs(PROBS + 0j, LABELS), r"probs must be an array of numbers"),
        (lambda: from_probs([], []), r"one chance a row with at least one row, got shape \(0,\)"),
        (
            lambda: from_probs([0.2, 1.2], [0, 1]),
            r"probs must lie in \[0, 1\] \(row 1 is 1\.2\); .*use from_logits",
        ),
        (
            lambda: from_probs([["a", "b"]], [0]),
            r"probs must be an array of numbers.* got \[\['a', 'b'\]\]",
        ),
        (lambda: from_probs([[0.5, 0.5], [1.0]], [0, 0]), r"probs must be an array of numbers"),
    ],
)
def test_what_is_no_array_of_chances_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: from_probs(PROBS, LABELS, weights=-np.ones(50)),
            r"weights must be counts.*\(row 0 is -1.0\)",
        ),
        (
            lambda: from_probs(PROBS, LABELS, weights=[np.nan] * 50),
            r"weights must be counts.*\(row 0 is nan\)",
        ),
        (lambda: from_probs(PROBS, LABELS, weights=np.zeros(50)), r"weights must not all be 0"),
        (
            lambda: from_probs(PROBS, LABELS, weights=np.ones(5)),
            r"one number for each of the 50 .*shape \(5,\)",
        ),
    ],
)
def test_weights_that_are_no_counts_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (3, int),
        (None, int | None),
        ("width", Literal["width", "mass"]),
        ("cv", int | Literal["cv"]),
        (True, bool),
        (2.5, float),
        (print, Callable[[str], None]),
        ("anything", int | str),
    ],
)
def test_an_argument_is_what_its_annotation_allows(value: object, kind: Any) -> None:  # noqa: ANN401
    check_argument("n_bins", value, kind)


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ("3", int, "n_bins must be of type int, got '3'"),
        (True, int, "n_bins must be of type int, got True"),
        ("depth", Literal["width", "mass"], "n_bins must be 'width' or 'mass', got 'depth'"),
        (True, Literal[1, 2], "n_bins must be 1 or 2, got True"),
        ("x", int | Literal["cv"], "n_bins must be 'cv' or of type int, got 'x'"),
    ],
)
def test_any_other_argument_is_refused(value: object, kind: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=f"^{message}$"):
        check_argument("n_bins", value, kind)


def test_the_way_out_is_told_in_the_words_of_whoever_tells_it() -> None:
    error = InputError("probs {row 0} are no chances", "; for logits {logits}")
    assert str(error) == "probs {row 0} are no chances; for logits use from_logits"
    told = error.told(logits="name them with --logits", classes="--classes")
    assert told == "probs {row 0} are no chances; for logits name them with --logits"
