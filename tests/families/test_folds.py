"""Folds and cross-fitting: against scikit-learn, and whatever the order of rows."""

import numpy as np
import pytest
from sklearn.model_selection import KFold

from calibrant import (
    Binned,
    Isotonic,
    PiecewiseLinear,
    Platt,
    Spline,
    Temperature,
    View,
    binary,
    canonical,
    cross_fit,
    from_logits,
    from_probs,
    one_class,
)
from calibrant.families.folds import check_slack, held_out, simplest_within
from calibrant.inputs.predictions import split_labels
from calibrant.inputs.views import split_outcomes

R = np.random.default_rng(0)
MANY = from_logits(R.normal(0, 2, (90, 3)), R.integers(0, 3, 90))


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


def test_saturated_claims_are_sorted_by_their_log_odds() -> None:
    z, y = np.append(R.uniform(38, 80, 100), R.normal(0, 3, 100)), R.random(200) < 0.6
    order = R.permutation(200)
    q = cross_fit(Platt(), one_class(from_logits(z, y), 1), folds=5)
    shuffled = cross_fit(Platt(), one_class(from_logits(z[order], y[order]), 1), folds=5)
    np.testing.assert_allclose(shuffled, q[order], atol=1e-9)


def test_folds_partition_the_rows_that_weigh_anything() -> None:
    w = np.ones(30)
    w[[3, 8]] = 0
    view = binary(R.random(30), R.random(30) < 0.5, weights=w)
    parts = held_out(view, 4, 0)
    held = np.concatenate([rows for _, rows in parts])
    assert sorted(held) == np.flatnonzero(w).tolist()
    for fitted, rows in parts:
        assert sorted([*fitted, *rows]) == np.flatnonzero(w).tolist()


def test_there_are_no_more_folds_than_rows() -> None:
    assert len(held_out(binary([0.1, 0.5, 0.9], [0, 1, 1]), 10, 0)) == 3


def test_rows_of_one_claim_are_sorted_by_outcome_and_weight() -> None:
    p = np.full(12, 0.5)
    y = R.random(12) < 0.5
    w = R.integers(1, 4, 12).astype(float)
    order = R.permutation(12)
    view = binary(p, y, weights=w)
    shuffled = binary(p, y[order], weights=w[order])
    for (_, held), (_, also) in zip(held_out(view, 3, 5), held_out(shuffled, 3, 5), strict=True):
        np.testing.assert_array_equal(view.y[held], shuffled.y[also])
        np.testing.assert_array_equal(w[held], w[order][also])


@pytest.mark.parametrize("slack", [-0.1, float("nan")])
def test_a_slack_is_not_negative(slack: float) -> None:
    check_slack(0.0)
    with pytest.raises(
        ValueError, match=r"slack must be at least 0, such as 0\.001 for 0\.1%; got"
    ):
        check_slack(slack)


def test_the_parts_of_a_fractional_outcome_stay_in_one_fold() -> None:
    p = R.random(80).round(1)
    y = R.binomial(4, p) / 4
    w = R.integers(0, 3, 80).astype(float)
    whole = binary(p, y, weights=w)
    split = split_outcomes(whole)
    shares = R.multinomial(3, [0.2, 0.3, 0.5], 80) / 3
    pred = from_probs(R.dirichlet([1, 1, 1], 80), shares, weights=w)
    apart = split_labels(pred)
    for x, parts in ((whole, split), (canonical(pred), canonical(apart))):
        of_view = parts.split_of if isinstance(parts, View) else apart.split_of
        assert of_view is not None
        _, rows = of_view
        assert len(rows) > np.count_nonzero(w)
        for (fitted, held), (all_fitted, all_held) in zip(
            held_out(parts, 10, 0), held_out(x, 10, 0), strict=True
        ):
            assert set(rows[fitted]) == set(all_fitted[w[all_fitted] > 0])
            assert set(rows[held]) == set(all_held[w[all_held] > 0])
            assert sorted([*fitted, *held]) == list(range(parts.n))


def test_one_row_of_a_fractional_outcome_is_answered() -> None:
    one = binary([0.3], [0.4])
    for family in (Spline("cv"), PiecewiseLinear(), Binned(edges="mass", rule="cv")):
        assert np.isfinite(family.fit(one)([0.3])).all()
