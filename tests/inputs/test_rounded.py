"""Exact 0 and 1 as rounded claims: what they are read as, against the rule written out plainly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import DTypeLike

from calibrant import (
    Predictions,
    Temperature,
    View,
    binary,
    canonical,
    from_logits,
    from_probs,
    one_class,
    top_label,
)
from calibrant.fitting.types import Array
from calibrant.inputs.rounded import exact_rows

FORMATS: list[tuple[DTypeLike, float]] = [
    (np.float16, 2.0**-12),
    (np.float32, 2.0**-25),
    (np.float64, 2.0**-54),
]
counted = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3)), min_size=1, max_size=12)


def view_of(p: object, w: object = None) -> View:
    claims = np.asarray(p)
    return binary(claims, np.arange(len(claims)) % 2, weights=w)  # type: ignore[arg-type]


def plain_reading(claims: list[tuple[int, int]]) -> Fraction | None:
    """What exact 0 and 1 are read as, of claims in twentieths and their counts, in fractions."""
    present = [Fraction(p, 20) for p, w in claims if w]
    n = sum(w for _, w in claims)
    if not any(p in (0, 1) for p in present):
        return None
    distances = [min(p, 1 - p) for p in present if 0 < p < 1]
    return min(distances) / 2 if distances else Fraction(1, n + 2)


@given(claims=counted)
@settings(max_examples=200)
def test_exact_claims_are_read_as_half_the_nearest_other(claims: list[tuple[int, int]]) -> None:
    p, w = np.transpose(claims)
    if not w.any():
        return
    expected = plain_reading(claims)
    found = view_of(p / 20, w).late_reading.found
    pair = from_probs(p / 20, [0] * len(p), weights=w).late_reading.found
    if expected is None:
        assert found.rows == pair.rows == 0
        return
    exact = sum(w for p, w in claims if p in (0, 20))
    assert found.rows == pair.rows == exact
    assert found.floor == pytest.approx(float(expected), rel=1e-12)
    assert pair.floor == pytest.approx(float(expected), rel=1e-12)


@given(claims=counted)
@settings(max_examples=50)
def test_a_count_is_as_many_rows(claims: list[tuple[int, int]]) -> None:
    p, w = np.transpose(claims)
    if not w.any():
        return
    weighted = view_of(p / 20, w).late_reading.found
    repeated = view_of(np.repeat(p / 20, w)).late_reading.found
    assert weighted == repeated


def test_both_ends_are_read_alike_and_all_else_as_it_is() -> None:
    p = np.array([0, 0.1, 0.5, 0.8, 1])
    read = np.array([0.05, 0.1, 0.5, 0.8, 0.95])
    np.testing.assert_allclose(view_of(p).log_odds, np.log(read / (1 - read)), rtol=1e-14)


@pytest.mark.parametrize(("kind", "half_step"), FORMATS)
def test_a_one_is_no_closer_than_the_half_step_of_its_format(
    kind: DTypeLike, half_step: float
) -> None:
    tiny = np.finfo(np.float16).smallest_subnormal if kind is np.float16 else 1e-30
    p = np.array([tiny, 0.3, 1], kind)
    assert view_of(p).floor == half_step
    # The same numbers in a wider type were rounded no less.
    assert view_of(p.astype(np.float64)).floor == half_step
    complement = (1 - p).astype(kind)
    pair = np.stack([complement, p], axis=1)
    assert from_probs(pair, [0, 1, 0]).floor == half_step
    assert from_probs(pair[:, ::-1], [0, 1, 0]).floor == half_step


def test_pairs_that_tell_more_than_complements_keep_what_they_tell() -> None:
    # A softmax in float32: each entry has its own digits, however small.
    pairs = np.array([[1, 1e-30], [1e-20, 1], [0, 1], [0.5, 0.5]], np.float32)
    pred = from_probs(pairs, [0, 1, 0, 1])
    assert pred.floor == pytest.approx(5e-31, rel=1e-6)
    assert one_class(pred, 1).log_odds[1] == pytest.approx(np.log(1e20), rel=1e-6)


def test_a_zero_has_the_digits_of_its_format() -> None:
    p = np.array([0, 1e-30, 0.5])
    assert view_of(p).floor == pytest.approx(5e-31)


def test_vectors_are_read_by_the_smallest_entry_of_all_and_sum_to_one() -> None:
    probs = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.7, 0.1]])
    pred = from_probs(probs, [0, 1, 2])
    assert pred.late_reading.found == (0.05, 2)
    read = np.exp(pred.log_probs)
    np.testing.assert_allclose(read.sum(1), 1, rtol=1e-14)
    np.testing.assert_allclose(read[0], np.array([1, 0.05, 0.05]) / 1.1, rtol=1e-14)
    np.testing.assert_allclose(read[1], np.array([0.5, 0.5, 0.05]) / 1.05, rtol=1e-14)
    np.testing.assert_allclose(read[2], probs[2], rtol=1e-14)


def test_the_distance_of_an_entry_from_one_counts_too() -> None:
    probs = np.array([[1, 0, 0], [0.995, 0.005, 0]])
    assert from_probs(probs, [0, 1]).floor == pytest.approx(0.0025)


def test_one_hot_vectors_are_read_by_their_number() -> None:
    assert from_probs(np.eye(4), [0, 1, 2, 3]).floor == 1 / 6
    assert from_probs(np.eye(4), [0, 1, 2, 3], weights=[2, 1, 0, 1]).floor == 1 / 6


def test_rows_without_weight_have_no_say() -> None:
    assert view_of([0, 1e-6, 0.2, 0.5], [1, 0, 1, 1]).floor == pytest.approx(0.1)
    found = view_of([0, 0.2, 0.5], [0, 1, 1]).late_reading.found
    assert found.rows == 0


def test_logits_are_never_rounded() -> None:
    pred = from_logits([[0.0, 800.0], [900.0, 0.0], [0.0, 1.0]], [1, 0, 0])
    assert pred.probs.max() == 1
    for view in (top_label(pred), one_class(pred, 0)):
        assert view.late_reading.found.rows == 0
        assert view.log_odds.max() == 900


def test_parts_are_read_as_the_whole() -> None:
    view = view_of([0, 0.2, 0.5, 1])
    assert view[np.array([0, 2])].floor == view.floor == 0.1
    pred = from_probs([[1.0, 0.0], [0.9, 0.1], [0.5, 0.5]], [0, 1, 1])
    assert pred.floor == pytest.approx(0.05)
    assert pred[np.array([0, 2])].floor == pred.floor
    assert top_label(pred)[0].floor == pred.floor


def test_maps_count_the_rows_of_their_own() -> None:
    view = view_of([0, 0.2, 0.5, 0.7, 1, 1])
    assert Temperature().fit(view).rounded == 3
    assert Temperature().fit(view[1:5]).rounded == 1
    probs = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.7, 0.1], [0.1, 0.8, 0.1]])
    pred = from_probs(probs, [0, 1, 1, 0], weights=[2, 1, 1, 1])
    assert Temperature().fit(pred).rounded == 3
    assert Temperature().fit(top_label(pred)).rounded == 2
    logits = np.log(np.maximum(probs, 0.01))
    assert Temperature().fit(from_logits(logits, [0, 1, 1, 0])).rounded == 0


def test_exact_rows_are_those_with_any_such_entry() -> None:
    assert exact_rows(np.array([0, 0.5, 1])).tolist() == [True, False, True]
    assert exact_rows(np.array([[0.5, 0.5, 0], [0.2, 0.7, 0.1]])).tolist() == [True, False]


def test_what_is_read_is_monotone_and_kept_for_later_claims() -> None:
    fitted = Temperature().fit(view_of([0, 0.1, 0.4, 0.9, 1, 0.5]))
    assert fitted.floor == pytest.approx(0.05)
    later: Array = fitted([0, 1e-9, 0.01, 0.05, 0.1, 0.9, 0.999, 1])
    assert (np.diff(later) >= 0).all()
    assert later[0] == later[1] == later[3]


def test_canonical_and_predictions_are_read_alike() -> None:
    pred: Predictions = from_probs([[1.0, 0.0], [0.9, 0.1]], [0, 1])
    np.testing.assert_array_equal(canonical(pred).scores, pred.log_probs)
