"""What maps are called on and applied to, and what they refuse."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from calibrant import (
    Binned,
    Family,
    Identity,
    Isotonic,
    OneVsRest,
    Platt,
    Predictions,
    Ranked,
    Temperature,
    VectorMap,
    VectorScaling,
    View,
    binary,
    canonical,
    ece,
    from_logits,
    from_probs,
    load,
    one_class,
    top_label,
)

Make = Callable[..., Predictions]
R = np.random.default_rng(0)
MANY = from_logits(R.normal(0, 2, (90, 3)), R.integers(0, 3, 90))
TWO = from_logits(R.normal(0, 2, 90), R.integers(0, 2, 90))


def test_maps_of_two_classes_complete_the_vector() -> None:
    for fitted, column in ((Isotonic().fit(TWO), 1), (Isotonic().fit(one_class(TWO, 0)), 0)):
        mended = fitted.apply(TWO)
        np.testing.assert_allclose(mended.probs[:, column], fitted(one_class(TWO, column)))
        np.testing.assert_allclose(mended.probs.sum(1), 1)
    # Slope-1 bins may leave [0, 1]; applied, they are clipped.
    lifted = Binned(1).fit(binary([0.1, 0.9], [1, 1]))
    assert lifted([0.9])[0] > 1
    assert lifted.apply(from_probs([0.9], [1])).probs.tolist() == [[0.0, 1.0]]


def test_a_map_of_a_part_refuses_to_apply() -> None:
    with pytest.raises(
        ValueError,
        match=r"fitted on whether the top label is right .* 3 classes; fit on Predictions",
    ):
        Isotonic().fit(top_label(MANY)).apply(MANY)
    with pytest.raises(ValueError, match=r"have 3 classes"):
        Isotonic().fit(TWO).apply(MANY)
    with pytest.raises(ValueError, match=r"use map\.apply\(pred\)"):
        Isotonic().fit(TWO)(TWO)
    with pytest.raises(ValueError, match=r"use canonical\(pred\)"):
        Temperature().fit(MANY)(top_label(MANY))


def test_vector_maps_refuse_other_scores_and_classes() -> None:
    fitted = Temperature().fit(MANY)
    assert isinstance(fitted, VectorMap)
    with pytest.raises(
        ValueError,
        match=r"fitted on logits and the predictions are probs: give logits, from_logits",
    ):
        fitted.apply(from_probs(MANY.probs, MANY.labels))
    with pytest.raises(ValueError, match="same in the same order"):
        fitted.apply(from_logits(MANY.scores, MANY.labels, classes=["a", "b", "c"]))
    with pytest.raises(ValueError, match=r"3 classes .* 2 classes"):
        fitted.apply(TWO)


def test_maps_take_arrays_of_any_shape_and_check_them() -> None:
    fitted = Isotonic().fit(TWO)
    assert fitted([[0.2, 0.4], [0.6, 0.8]]).shape == (2, 2)
    assert fitted(0.3).shape == ()
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
        fitted([1.5])


def test_a_map_of_two_classes_refuses_them_in_another_order() -> None:
    ham = from_logits(TWO.scores, TWO.labels, classes=["ham", "spam"])
    with pytest.raises(ValueError, match="same in the same order"):
        Isotonic().fit(ham).apply(from_logits(TWO.scores, TWO.labels, classes=["spam", "ham"]))


def test_a_view_is_calibrated_as_a_view() -> None:
    view = one_class(TWO, 1)
    fitted = Platt().fit(view)
    mended = fitted.apply(view)
    assert isinstance(mended, View)
    np.testing.assert_array_equal(mended.p, fitted(view))
    assert mended.y is view.y
    assert mended.event == view.event
    assert mended.completes == view.completes
    # Log odds are those of the new claims.
    np.testing.assert_allclose(expit(mended.log_odds), mended.p)


def test_a_calibrated_view_lies_within_zero_and_one() -> None:
    view = binary([0.1, 0.9], [1, 1])
    lifted = Binned(1).fit(view)
    assert lifted(view).max() > 1
    assert lifted.apply(view).p.tolist() == [0.6, 1.0]


def test_a_map_of_one_chance_is_applied_to_views_of_whatever_event() -> None:
    fitted = Isotonic().fit(top_label(MANY))
    other = one_class(MANY, 2)
    np.testing.assert_array_equal(fitted.apply(other).p, fitted(other))


def test_a_map_of_one_chance_refuses_to_apply_to_arrays() -> None:
    fitted = Isotonic().fit(TWO)
    with pytest.raises(ValueError, match="applied to Predictions or a View, got list"):
        fitted.apply([0.5])
    with pytest.raises(ValueError, match="applied to Predictions or a View, got Canonical"):
        fitted.apply(canonical(TWO))


@pytest.mark.parametrize("make", [from_logits, from_probs])
def test_a_map_of_vectors_takes_arrays_of_the_kind_it_was_fitted_on(make: Make) -> None:
    values = MANY.scores if make is from_logits else MANY.probs
    pred = make(values, MANY.labels)
    for family in (Temperature(), OneVsRest(Isotonic())):
        fitted = family.fit(pred)
        np.testing.assert_array_equal(fitted(values), fitted(pred))
        np.testing.assert_array_equal(fitted(values.tolist()), fitted(canonical(pred)))


def test_a_map_of_vectors_checks_its_arrays() -> None:
    fitted = Temperature().fit(from_probs(MANY.probs, MANY.labels))
    with pytest.raises(ValueError, match="rows must sum to one"):
        fitted([[0.5, 0.4, 0.2]])
    with pytest.raises(ValueError, match="classes"):
        fitted([[0.5, 0.5]])


def test_claims_of_zero_are_read_by_the_floor_of_the_rows_fitted_on() -> None:
    pred = from_probs([[1.0, 0.0], [0.9, 0.1], [0.4, 0.6]] * 20, [0, 1, 1] * 20)
    fitted = Temperature().fit(pred)
    assert fitted.floor == pred.floor
    alone = from_probs([[1.0, 0.0]], [0])
    np.testing.assert_array_equal(fitted(alone), fitted(pred)[:1])


def test_a_saved_map_keeps_how_it_reads_zeros_and_how_many_there_were(tmp_path: Path) -> None:
    claims = [0, 0, 0.1, 0.4, 0.9, 1]
    view = binary(claims, [0, 1, 0, 1, 1, 1], weights=[1, 2, 1, 1, 1, 3])
    pred = from_probs([[1.0, 0.0], [0.9, 0.1], [0.4, 0.6]] * 20, [0, 1, 1] * 20)
    for x, rounded in ((view, 6), (top_label(pred), 20), (pred, 20)):
        for family in (Temperature(), Isotonic() if isinstance(x, View) else Temperature()):
            fitted = family.fit(x)
            fitted.save(tmp_path / "map.safetensors")
            loaded = load(tmp_path / "map.safetensors")
            assert loaded.floor == fitted.floor == pytest.approx(0.05)
            assert loaded.rounded == fitted.rounded == rounded
            np.testing.assert_array_equal(loaded(x), fitted(x))


def test_calibrated_logits_stay_exact_far_from_one_half() -> None:
    fitted = Temperature().fit(from_logits([[2.0, 0.0, 0.0]] * 4, [0, 0, 0, 1]))
    far = from_logits([[0.0, 1e4, -1e4]], [1])
    mended = fitted.apply(far)
    assert mended.kind == "logits"
    expected = fitted.rule.inverse * 1e4
    np.testing.assert_allclose(top_label(mended).log_odds, expected)


EVERY_MAP: list[tuple[Family, Predictions]] = [
    (Temperature(), MANY),
    (OneVsRest(Isotonic()), MANY),
    (Ranked(Isotonic(), ranks=2), MANY),
    (Identity(), MANY),
    (Isotonic(), TWO),
    (VectorScaling(), from_probs(MANY.probs, MANY.labels)),
]


@pytest.mark.parametrize(("family", "pred"), EVERY_MAP)
def test_maps_need_no_labels(family: Family, pred: Predictions) -> None:
    fitted = family.fit(pred)
    make = from_logits if pred.kind == "logits" else from_probs
    served = fitted.apply(make(pred.values))
    np.testing.assert_array_equal(served.probs, fitted.apply(pred).probs)
    assert served.known_labels is None
    with pytest.raises(ValueError, match=r"no labels, .* from_(probs|logits)\((probs|logits), la"):
        ece(served)


@pytest.mark.parametrize("k", [2, 3])
def test_classes_without_names_are_those_of_the_map(k: int) -> None:
    named = from_probs(np.full((30, k), 1 / k), np.arange(30) % k, classes=list("abc"[:k]))
    fitted = OneVsRest(Isotonic()).fit(named)
    served = fitted.apply(from_probs(named.probs))
    np.testing.assert_array_equal(served.probs, fitted.apply(named).probs)
    reversed_ = from_probs(named.probs, named.labels, classes=list(range(k))[::-1])
    with pytest.raises(ValueError, match="same in the same order"):
        OneVsRest(Isotonic()).fit(reversed_).apply(from_probs(named.probs))
