"""Operations on arrays against the obvious, row by row."""

import numpy as np
import pytest
from scipy.special import expit, logsumexp
from scipy.special import softmax as scipy_softmax
from scipy.stats import rankdata

from calibrant import Isotonic, Platt, canonical, classwise, from_logits, from_probs, top_r
from calibrant.families.numpy_operations import NUMPY, NumpyVectors

R = np.random.default_rng(0)
X = R.normal(0, 2, (30, 5))
X[:4] = X[:4].round()
Z = np.concatenate([R.normal(0, 3, 20), [-800.0, -40.0, 0.0, 40.0, 800.0]])


def test_log_expit_is_exact_at_both_ends() -> None:
    found = NUMPY.log_expit(Z)
    moderate = np.abs(Z) < 30
    np.testing.assert_allclose(found[moderate], np.log(expit(Z[moderate])))
    assert found[Z == 800] == 0
    assert found[Z == -800] == -800
    np.testing.assert_allclose(found[Z == 40], -np.exp(-40.0))


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_step_counts_the_edges_below(side: str) -> None:
    edges = np.array([0.2, 0.5, 0.5, 0.9])
    heights = np.array([10.0, 20.0, 30.0, 40.0, 50.0])
    x = np.array([0.0, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0])
    below = [sum(e < v or (side == "right" and e == v) for e in edges) for v in x]
    found = NUMPY.step(x, edges, heights, side=side)  # type: ignore[arg-type]
    assert found.tolist() == heights[below].tolist()
    # However far rounding may carry x elsewhere: here it is what it was.
    again = NUMPY.step(x, edges, heights, side=side, gain=2.0)  # type: ignore[arg-type]
    assert again.tolist() == found.tolist()


def test_a_line_is_level_outside_its_points() -> None:
    x = np.array([-1.0, 0.5, 3.0])
    points = np.array([0.0, 1.0])
    found = NUMPY.line(x, points, 2 + 2 * points)
    assert found.tolist() == [2.0, 3.0, 4.0]


def test_a_kernel_mean_weighs_every_neighbour() -> None:
    x = R.normal(size=6)
    first, second, height = R.normal(size=(3, 4))
    weights = R.random(4)
    events = weights * R.random(4)
    found = NUMPY.kernel_mean([(x, first), (x**2, second)], height, events, weights)
    for row in range(6):
        kernels = np.exp(x[row] * first + x[row] ** 2 * second + height)
        assert found[row] == pytest.approx((kernels @ events) / (kernels @ weights))


def test_a_kernel_mean_far_from_all_neighbours_is_that_of_the_nearest() -> None:
    x = np.array([1e4])
    table = np.array([1.0, 2.0])
    found = NUMPY.kernel_mean([(x, table)], np.zeros(2), np.array([0.0, 3.0]), np.array([1.0, 4.0]))
    assert found.tolist() == [0.75]


def test_sums_largest_and_least_of_rows_keep_a_column() -> None:
    assert NUMPY.row_sum(X).shape == (30, 1)
    np.testing.assert_array_equal(NUMPY.row_sum(X)[:, 0], X.sum(1))
    np.testing.assert_array_equal(NUMPY.row_max(X)[:, 0], X.max(1))
    np.testing.assert_array_equal(NUMPY.row_min(X)[:, 0], X.min(1))


def test_softmax_and_its_logarithm() -> None:
    np.testing.assert_allclose(NUMPY.softmax(X), scipy_softmax(X, axis=1))
    np.testing.assert_allclose(NUMPY.log_softmax(X), np.log(scipy_softmax(X, axis=1)))


def test_each_row_is_multiplied_by_the_transposed_matrix() -> None:
    matrix = R.normal(size=(3, 5))
    expected = [[row @ weights for weights in matrix] for row in X]
    np.testing.assert_allclose(NUMPY.matmul(X, matrix), expected)


def test_parts_are_joined_again() -> None:
    left = NUMPY.part(X, 0, 2)
    right = NUMPY.part(X, 2, 5)
    assert left.shape == (30, 2)
    np.testing.assert_array_equal(NUMPY.join(left, right), X)
    assert NUMPY.places(X, 3).tolist() == [0.0, 1.0, 2.0]


def test_an_order_falls_and_ties_go_to_the_lowest_column() -> None:
    order = NUMPY.descending(X)
    for row, columns in zip(X, order, strict=True):
        expected = sorted(range(5), key=lambda column: (-row[column], column))
        assert columns.tolist() == expected
    assert (rankdata(-X, method="ordinal", axis=1)[np.arange(30), order[:, 0]] == 1).all()


def test_what_is_gathered_is_scattered_back() -> None:
    order = NUMPY.descending(X)
    gathered = NUMPY.gather(X, order)
    assert (np.diff(gathered, axis=1) <= 0).all()
    np.testing.assert_array_equal(NUMPY.scatter(gathered, order), X)


def test_sums_from_either_side() -> None:
    from_left = NUMPY.sums_from_left(X)
    from_right = NUMPY.log_sums_from_right(X)
    for place in range(5):
        np.testing.assert_allclose(from_left[:, place], X[:, : place + 1].sum(1))
        np.testing.assert_allclose(from_right[:, place], logsumexp(X[:, place:], axis=1))


def test_the_first_of_the_largest() -> None:
    is_first = NUMPY.is_first_largest(np.array([[1.0, 3.0, 3.0], [2.0, 0.0, 1.0]]))
    assert is_first.tolist() == [[False, True, False], [True, False, False]]


def test_columns_are_the_rules_one_by_one_within_zero_and_one() -> None:
    pred = from_probs(R.dirichlet(np.ones(3), 50), R.integers(0, 3, 50))
    views = classwise(pred)
    rules = [Isotonic().chance_rule(view) for view in views]
    found = NUMPY.columns(rules, views)
    for place, rule in enumerate(rules):
        np.testing.assert_array_equal(found[:, place], np.clip(rule(views[place]), 0, 1))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_vectors_of_a_view_have_float32_scores_at_least(kind: type) -> None:
    view = canonical(from_logits(X.astype(kind), np.zeros(30, int)))
    x = NumpyVectors(view)
    assert x.scores.dtype == np.promote_types(kind, np.float32)
    np.testing.assert_array_equal(x.p, view.p)


@pytest.mark.parametrize("make", [from_logits, from_probs])
def test_claims_of_vectors_are_views_of_classes_and_of_ranks(make: type) -> None:
    values = X.astype(np.float32) if make is from_logits else scipy_softmax(X, axis=1)
    pred = make(values, np.zeros(30, int))
    x = NumpyVectors(canonical(pred))
    for claims, view in zip(x.by_class(), classwise(pred), strict=True):
        np.testing.assert_array_equal(claims.p, view.p)
        np.testing.assert_array_equal(claims.log_odds, view.log_odds)
    (third,) = x.by_class(2)
    np.testing.assert_array_equal(third.p, classwise(pred)[2].p)
    order = NUMPY.descending(pred.values)
    for rank, claims in enumerate(x.by_rank(order, 2), 1):
        np.testing.assert_array_equal(claims.p, top_r(pred, rank).p)
        np.testing.assert_array_equal(claims.log_odds, top_r(pred, rank).log_odds)


def test_a_rule_sees_claims_as_a_view_has_them() -> None:
    pred = from_logits(X, R.integers(0, 5, 30))
    view = classwise(pred)[1]
    rule = Platt().chance_rule(view)
    (claims,) = NumpyVectors(canonical(pred)).by_class(1)
    np.testing.assert_array_equal(rule(claims), rule(view))
