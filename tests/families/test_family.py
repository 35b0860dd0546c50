"""Which family takes which view, what maps apply to, and folds."""

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.model_selection import KFold

from calibrant import (
    Binned,
    HistogramBinning,
    Isotonic,
    OneVsRest,
    PiecewiseLinear,
    Platt,
    Spline,
    Temperature,
    binary,
    canonical,
    cross_fit,
    from_logits,
    from_probs,
    one_class,
    top_label,
)
from calibrant.families.folds import held_out, simplest_within
from calibrant.families.maps import ChanceMap, VectorMap

R = np.random.default_rng(0)
MANY = from_logits(R.normal(0, 2, (90, 3)), R.integers(0, 3, 90))
TWO = from_logits(R.normal(0, 2, 90), R.integers(0, 2, 90))


def test_a_one_chance_family_takes_class_one_of_two_and_each_class_of_more() -> None:
    fitted = Isotonic().fit(TWO)
    assert isinstance(fitted, ChanceMap)
    np.testing.assert_array_equal(
        fitted(one_class(TWO, 1)), Isotonic().fit(one_class(TWO, 1))(one_class(TWO, 1))
    )
    assert Isotonic().fit(MANY).family == OneVsRest(Isotonic())


def test_maps_of_two_classes_complete_the_vector() -> None:
    for fitted, column in ((Isotonic().fit(TWO), 1), (Isotonic().fit(one_class(TWO, 0)), 0)):
        mended = fitted.apply(TWO)
        np.testing.assert_allclose(mended.probs[:, column], fitted(one_class(TWO, column)))
        np.testing.assert_allclose(mended.probs.sum(1), 1)
    # Slope-1 bins may leave [0, 1]; applied, they are clipped.
    lifted = Binned(1).fit(binary([0.1, 0.9], [1, 1]))
    assert lifted([0.9])[0] > 1
    assert lifted.apply(from_probs([0.9], [1])).probs.tolist() == [[0.0, 1.0]]


def test_a_wrong_view_names_the_wrapper() -> None:
    with pytest.raises(ValueError, match=r"use OneVsRest\(Isotonic\("):
        Isotonic().fit(canonical(MANY))
    with pytest.raises(
        ValueError,
        match=r"was given one chance \(that the top label is right\); fit it on Predictions",
    ):
        OneVsRest(Isotonic()).fit(top_label(MANY))


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


def test_folds_are_those_of_scikit_learn_over_sorted_claims() -> None:
    p, y = R.random(57), R.random(57) < 0.5
    order = np.argsort(p)
    for seed in (0, 1):
        ours = held_out(binary(p, y), 10, seed)
        for (fitted, held), (train, test) in zip(
            ours, KFold(10, shuffle=True, random_state=seed).split(order), strict=True
        ):
            np.testing.assert_array_equal(fitted, order[train])
            np.testing.assert_array_equal(held, order[test])


def test_cross_fitting_keeps_each_row_out_of_its_own_map() -> None:
    view = binary(R.random(60), R.random(60) < 0.5)
    q = cross_fit(Isotonic(), view, folds=5, seed=3)
    for fitted, held in held_out(view, 5, 3):
        np.testing.assert_array_equal(q[held], Isotonic().fit(view[fitted])(view[held]))


def test_cross_fitting_ignores_row_order_and_rows_without_weight() -> None:
    p, y = R.random(60).round(1), R.random(60) < 0.5
    order = R.permutation(60)
    q = cross_fit(Isotonic(), binary(p, y), folds=4)
    shuffled = cross_fit(Isotonic(), binary(p[order], y[order]), folds=4)
    # Rows of one claim and outcome are alike, so only their sorted chances can be compared.
    np.testing.assert_allclose(
        shuffled[np.lexsort((shuffled, y[order], p[order]))], q[np.lexsort((q, y, p))]
    )
    w = np.ones(60)
    w[7] = 0
    kept = w > 0
    silent = cross_fit(Isotonic(), binary(p, y, weights=w), folds=4)
    np.testing.assert_allclose(
        silent[kept], cross_fit(Isotonic(), binary(p[kept], y[kept]), folds=4)
    )


def test_cross_fitting_whole_vectors() -> None:
    q = cross_fit(Temperature(), canonical(MANY), folds=3)
    np.testing.assert_allclose(q.sum(1), 1)


def test_too_few_folds_or_rows_are_refused() -> None:
    for view, folds in ((binary([0.5], [1]), 10), (binary([0.5, 0.6], [1, 0]), 1)):
        with pytest.raises(ValueError, match="folds, at least 2, and 2 rows"):
            cross_fit(Isotonic(), view, folds=folds)


@pytest.mark.parametrize(("slack", "place"), [(0.001, 1), (0.0, 2), (0.2, 0)])
def test_the_simplest_little_above_the_best(slack: float, place: int) -> None:
    assert simplest_within(np.array([1.1, 1.0009, 1.0, 1.0]), slack) == place


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (Binned, {"edges": "uniform"}, r"edges must be 'width' or 'mass', got 'uniform'"),
        (Binned, {"slope": 2}, r"slope must be 0 or 1, got 2"),
        (Binned, {"n_bins": 2.5}, r"n_bins must be of type int, got 2\.5"),
        (Binned, {"slack": -0.1}, r"slack must be at least 0, such as 0\.001 for 0\.1%; got -0\.1"),
        (
            PiecewiseLinear,
            {"slack": float("nan")},
            r"slack must be at least 0, such as 0\.001 for 0\.1%; got nan",
        ),
        (HistogramBinning, {"n_bins": 0}, r"n_bins must be at least 1, got 0"),
        (Spline, {"knots": "CV"}, r"knots must be 'cv' or of type int, got 'CV'"),
        (
            Spline,
            {"runout": "straight"},
            r"runout must be 'natural' or 'parabolic' or 'cubic', got 'straight'",
        ),
        (Isotonic, {"centred": 1}, r"centred must be of type bool, got 1"),
        (OneVsRest, {"family": "isotonic"}, r"family must be of type Family, got 'isotonic'"),
        (
            Isotonic().fit,
            {"x": np.ones(3)},
            r"fitted on Predictions or a view, got ndarray: make them with",
        ),
        (
            cross_fit,
            {"family": Isotonic(), "view": MANY},
            r"cross_fit takes a view, got Predictions: use top_label",
        ),
        (
            cross_fit,
            {"family": Isotonic(), "view": top_label(MANY), "folds": 2.5},
            r"whole number of folds",
        ),
    ],
)
def test_what_an_option_does_not_allow_is_refused(
    make: Callable[..., object], options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make(**options)


def test_a_map_of_two_classes_refuses_them_in_another_order() -> None:
    ham = from_logits(TWO.scores, TWO.labels, classes=["ham", "spam"])
    with pytest.raises(ValueError, match="same in the same order"):
        Isotonic().fit(ham).apply(from_logits(TWO.scores, TWO.labels, classes=["spam", "ham"]))


def test_saturated_claims_are_sorted_by_their_log_odds() -> None:
    z, y = np.append(R.uniform(38, 80, 100), R.normal(0, 3, 100)), R.random(200) < 0.6
    order = R.permutation(200)
    q = cross_fit(Platt(), one_class(from_logits(z, y), 1), folds=5)
    shuffled = cross_fit(Platt(), one_class(from_logits(z[order], y[order]), 1), folds=5)
    np.testing.assert_allclose(shuffled, q[order], atol=1e-9)
