"""Laws that hold for every measure and score, found by themselves among the public names."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from shared_claims import claims
from shared_laws import (
    Answer,
    check_float_types,
    check_row_order,
    check_shares,
    check_weights,
    close,
)
from shared_measures import MEASURES, RIGHT_VALUES, Measure
from shared_rows import (
    EXTREME_CLAIMS,
    EXTREME_VECTORS,
    THOUSAND_CLASSES,
    as_probs,
    calibrated_claims,
    random_vectors,
)
from shared_strategies import N, grid_claims, outcomes, single_claims

from calibrant import (
    Isotonic,
    Predictions,
    View,
    binary,
    calibration_error,
    canonical,
    ece,
    ks_error,
    top_label,
)
from calibrant.fitting.types import Array, Bools


def each(kind: object, law: str) -> pytest.MarkDecorator:
    """Every measure that takes a kind of rows, but for those exempt from a law."""
    tried = [measure for measure in MEASURES if measure.takes(kind)]
    kept = [measure for measure in tried if not measure.is_exempt_from(law)]
    return pytest.mark.parametrize("measure", kept, ids=repr)


def whole_answers(measure: Measure) -> list[Answer]:
    """What a measure says of predictions: as they are, and of their canonical question."""

    def of_canonical(pred: Predictions) -> Array:
        return measure(canonical(pred))

    found: list[Answer] = [measure]
    return [*found, of_canonical] if measure.takes_whole_vectors else found


@each(View, "ordinary rows")
def test_ordinary_claims_are_answered(measure: Measure) -> None:
    found = measure(calibrated_claims(100))
    assert found.size
    assert np.isfinite(found).all()


@each(Predictions, "ordinary rows")
def test_ordinary_vectors_are_answered(measure: Measure) -> None:
    for answer in whole_answers(measure):
        found = np.asarray(answer(random_vectors(0, k=3)))
        assert found.size
        assert np.isfinite(found).all()


@each(View, "row_order_is_irrelevant")
@given(p=grid_claims, y=outcomes)
@settings(max_examples=25)
def test_row_order_is_irrelevant(measure: Measure, p: Array, y: Bools) -> None:
    check_row_order(measure, binary(p, y))


@each(View, "a_weight_is_a_count")
@given(p=grid_claims, y=outcomes)
@settings(max_examples=25)
def test_a_weight_is_a_count(measure: Measure, p: Array, y: Bools) -> None:
    check_weights(measure, binary(p, y))


@each(View, "a_share_is_two_rows")
@given(p=grid_claims, y=outcomes)
@settings(max_examples=25)
def test_a_share_is_two_rows(measure: Measure, p: Array, y: Bools) -> None:
    check_shares(measure, binary(p, y))


@each(View, "float_types_agree")
@given(p=single_claims, y=outcomes)
@settings(max_examples=10)
def test_float_types_agree(measure: Measure, p: Array, y: Bools) -> None:
    check_float_types(measure, binary(p, y))


@each(Sequence[View], "several_views_have_their_mean")
def test_several_views_have_their_mean(measure: Measure) -> None:
    # Claims that are wrong: of right ones, debiased squares may be below 0, and have no root.
    views = [claims(n, lift=1) for n in (50, 60)]
    apart = np.array([measure(view) for view in views])
    # In norm 2 it is the mean of squares.
    order = 2 if measure.settings.get("norm") == 2 else 1
    close(measure(views), np.mean(apart**order, axis=0) ** (1 / order))


@each(View, "predictions_ask_the_top_label")
def test_predictions_ask_the_top_label(measure: Measure) -> None:
    pred = random_vectors(0)
    if measure.takes(Predictions):
        close(measure(pred), measure(top_label(pred)))


@each(Predictions, "row_order_is_irrelevant")
def test_row_order_of_vectors_is_irrelevant(measure: Measure) -> None:
    for answer in whole_answers(measure):
        for seed in range(10):
            check_row_order(answer, random_vectors(seed, k=3))


@each(Predictions, "a_weight_is_a_count")
def test_a_weight_of_a_vector_is_a_count(measure: Measure) -> None:
    for answer in whole_answers(measure):
        for seed in range(10):
            check_weights(answer, random_vectors(seed, k=3), 1e-9)


@each(Predictions, "a_share_is_two_rows")
def test_a_share_of_a_class_is_a_row(measure: Measure) -> None:
    for answer in whole_answers(measure):
        for seed in range(10):
            check_shares(answer, random_vectors(seed, k=3), 1e-9)


@each(Predictions, "float_types_agree")
def test_float_types_of_vectors_agree(measure: Measure) -> None:
    pred = random_vectors(5, n=500, k=3)
    for answer in whole_answers(measure):
        check_float_types(answer, pred)
        check_float_types(answer, as_probs(pred))


@each(View, "it_goes_to_its_right_value")
def test_a_calibrated_error_goes_to_zero(measure: Measure) -> None:
    right = RIGHT_VALUES.get(measure.function, 0.0)
    few, *_ = measure(calibrated_claims(300))
    many, *_ = measure(calibrated_claims(30_000))
    assert abs(many - right) < 0.03
    # An unbiased estimate of few rows may be right by random variation.
    assert abs(many - right) <= abs(few - right) / 2 + 1e-4


@each(View, "extremes")
@pytest.mark.parametrize("view", EXTREME_CLAIMS.values(), ids=EXTREME_CLAIMS.keys())
def test_extreme_claims(measure: Measure, view: View) -> None:
    assert np.isfinite(measure(view)).all()


@each(Predictions, "extremes")
@pytest.mark.parametrize("pred", EXTREME_VECTORS.values(), ids=EXTREME_VECTORS.keys())
def test_extreme_vectors(measure: Measure, pred: Predictions) -> None:
    for answer in whole_answers(measure):
        assert np.isfinite(answer(pred)).all()


@each(Predictions, "extremes")
def test_a_thousand_classes(measure: Measure) -> None:
    for answer in whole_answers(measure):
        assert np.isfinite(answer(THOUSAND_CLASSES)).all()


def test_sums_of_float32_are_taken_in_float64() -> None:
    claim = np.float32(0.1)
    rows = 10**7
    view = binary(np.full(rows, claim), np.zeros(rows, bool))
    assert ece(view) == pytest.approx(float(claim), abs=1e-12)
    assert ks_error(view) == pytest.approx(float(claim), abs=1e-9)


@given(p=arrays(float, N, elements=st.floats(0.3, 1)), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_ks_is_the_norm_1_error_where_the_gap_has_one_sign(p: Array, seed: int) -> None:
    # Where Isotonic's calibrated chances lie below every claim, gaps only add up.
    y = np.random.default_rng(seed).random(N) < 0.2
    view = binary(p, y)
    q = Isotonic().fit(view)(view)
    if (q <= p).all():
        close(ks_error(view), calibration_error(view, Isotonic()))
