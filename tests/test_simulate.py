"""Tasks have the truth they claim, families are judged by it, and theorems of it hold.

The theorems are those of Kängsepp et al. 2022.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pytest
from scipy.special import rel_entr, xlogy

from calibrant import (
    Binned,
    Isotonic,
    Platt,
    View,
    binary,
    calibration_error,
    ece,
    samples,
    top_label,
)
from calibrant.families.binary.family import ChanceFamily
from calibrant.families.operations import Claims, Operations, Value
from calibrant.families.rules import ChanceRule, Edges, Fact
from calibrant.fitting.types import Array
from calibrant.simulate import ERRORS, SHAPES, Shape, Task, assess, realistic, task, truth_after


@pytest.mark.parametrize("shape", list(SHAPES))
def test_a_task_has_its_error_and_its_outcomes_follow_the_truth(shape: Shape) -> None:
    for error in (0.0, 0.03, 0.1):
        view, truth = task(shape, error).sample(200_000, seed=1)
        assert np.abs(view.p - truth).mean() == pytest.approx(error, abs=1e-3)
        assert (view.y - truth).mean() == pytest.approx(0, abs=5e-3)
        assert (np.diff(view.p) >= 0).all()


def test_draws_are_the_same_for_every_shape() -> None:
    first, *others = [task(shape, 0.05).sample(100, seed=3) for shape in SHAPES]
    for draw in others:
        assert (draw.view.y == first.view.y).all()
        assert (draw.truth == first.truth).all()


def test_shapes_keep_the_ends() -> None:
    for shape in SHAPES.values():
        assert shape(np.array([1e-12, 1 - 1e-12])) == pytest.approx([0, 1], abs=2e-5)
    assert len(ERRORS) == 21


def _network() -> View:
    return top_label(samples.load("c100-resnet18")[1])


def test_a_realistic_task_has_the_claims_of_the_model_and_outcomes_of_the_map() -> None:
    claims = _network()
    true_map = Isotonic(centred=True).fit(claims)
    view, truth = realistic(claims, true_map).sample(50_000, seed=0)
    assert np.isin(view.p, claims.p).all()
    assert np.isin(view.log_odds, claims.log_odds).all()
    drawn = np.quantile(view.p, [0.1, 0.5])
    np.testing.assert_allclose(drawn, np.quantile(claims.p, [0.1, 0.5]), atol=0.01)
    np.testing.assert_array_equal(truth, true_map(view))
    for low, high in ((0, 0.5), (0.5, 0.9), (0.9, 1)):
        inside = (view.p > low) & (view.p <= high)
        spread = np.sqrt(np.mean(truth[inside] * (1 - truth[inside])) / inside.sum())
        assert abs((view.y - truth)[inside].mean()) < 4 * spread
    assert view.w is None
    assert view.event == claims.event


def test_a_realistic_task_is_drawn_by_weight_and_by_seed() -> None:
    claims = binary([0.2, 0.5, 0.8], [0, 1, 1], weights=[1, 0, 3])
    made = realistic(claims, lambda p: 2 * p)
    assert made.truth.tolist() == [0.4, 1.0, 1.0]
    view, truth = made.sample(40_000, seed=1)
    assert set(view.p.tolist()) == {0.2, 0.8}
    assert (view.p == 0.8).mean() == pytest.approx(0.75, abs=0.01)
    assert view.y[view.p == 0.8].all()
    again, other = made.sample(40_000, seed=1), made.sample(40_000, seed=2)
    assert (again.view.y == view.y).all()
    assert (again.truth == truth).all()
    assert (other.truth != truth).any()


@dataclass(frozen=True, eq=False)
class KnownRule(ChanceRule):
    """A rule that is known beforehand."""

    tag = "known"
    function: Callable[[Array], Array]

    def formula(self, claims: Claims, ops: Operations) -> Value:  # noqa: ARG002 - numpy alone
        return self.function(claims.p)

    def facts(self) -> Iterator[Fact]:
        return iter(())


@dataclass(frozen=True)
class Known(ChanceFamily):
    """A family of one map, whatever the outcomes."""

    function: Callable[[Array], Array]

    def chance_rule(self, view: View) -> KnownRule:  # noqa: ARG002 - the map is known
        return KnownRule(self.function)


@pytest.mark.parametrize(
    "family", [Platt(), Isotonic(), Isotonic(interpolate=False), Binned(5, slope=0)]
)
@pytest.mark.parametrize("of", [task("square", 0.08), task("stairs", 0.05)])
def test_what_is_left_after_a_map_is_never_more_than_its_distance_from_the_truth(
    family: ChanceFamily, of: Task
) -> None:
    found = assess(family, of, n=500, seed=3, n_test=5000)
    assert 0 < found.error_after <= found.map_error


def test_a_family_is_assessed_as_by_hand() -> None:
    of, family = task("sqrt", 0.06), Binned(4, slope=0)
    found = assess(family, of, n=800, seed=5, n_test=4000)
    fit_on, test = of.sample(800, 5), of.sample(4000, 5 + 10**6)
    q = family.fit(fit_on.view)(test.view)
    assert found.map_error == np.abs(q - test.truth).mean()
    gap = q - test.truth
    left = [abs(gap[q == chance].sum()) for chance in set(q.tolist())]
    assert found.error_after == pytest.approx(sum(left) / 4000)
    assert found.estimate == calibration_error(fit_on.view, family)
    assert found.truth == np.abs(fit_on.view.p - fit_on.truth).mean()
    assert found.bias == found.estimate - found.truth


def test_in_norm_2_a_family_is_assessed_by_squares() -> None:
    of, family = task("beta2", 0.06), Platt()
    found = assess(family, of, n=800, seed=5, n_test=4000, norm=2)
    fit_on, test = of.sample(800, 5), of.sample(4000, 5 + 10**6)
    q = family.fit(fit_on.view)(test.view)
    assert found.map_error == pytest.approx(np.sqrt(np.square(q - test.truth).mean()))
    assert found.error_after == pytest.approx(found.map_error)
    assert found.estimate == calibration_error(fit_on.view, family, norm=2)
    gap = fit_on.view.p - fit_on.truth
    assert found.truth == pytest.approx(np.sqrt(np.square(gap).mean()))
    with pytest.raises(ValueError, match="norm must be 1 or 2 or 'max', got 3"):
        assess(family, of, norm=3)  # type: ignore[arg-type]


def test_the_true_map_is_perfect_and_shows_the_true_error() -> None:
    of = task("square", 0.07)
    chances = np.linspace(0, 1, 10**5)
    true_map = Known(lambda p: np.interp(p, of.claim(chances), chances))
    found = assess(true_map, of, n=1000, seed=0, n_test=10_000)
    assert found.map_error == pytest.approx(0, abs=1e-8)
    assert found.error_after == pytest.approx(0, abs=1e-8)
    assert found.bias == pytest.approx(0, abs=1e-8)
    idle = assess(Known(lambda p: p), of, n=1000, seed=0, n_test=10_000)
    assert idle.map_error == idle.error_after
    assert idle.map_error == pytest.approx(0.07, abs=2e-3)
    assert idle.estimate == 0


EDGES: list[Edges] = ["width", "mass"]


# Bregman divergences d(q, truth): against an outcome they are the squared and the log loss.
def _square(q: Array, truth: Array) -> Array:
    return (q - truth) ** 2


def _entropy(q: Array, truth: Array) -> Array:
    return rel_entr(truth, q) + rel_entr(1 - truth, 1 - q)


DIVERGENCES = [_square, _entropy]
# How many rows make each of five claims, and the true chance behind it.
ROWS = [10, 25, 30, 20, 15]
TRUTH = np.array([0.02, 0.3, 0.35, 0.8, 1.0])


def _expected_loss(divergence: Callable[[Array, Array], Array], q: Array) -> Array:
    return TRUTH * divergence(q, np.ones(5)) + (1 - TRUTH) * divergence(q, np.zeros(5))


@pytest.mark.parametrize("divergence", DIVERGENCES)
def test_theorem_1_a_loss_saved_is_a_distance_saved(
    divergence: Callable[[Array, Array], Array],
) -> None:
    first = np.array([0.1, 0.2, 0.5, 0.7, 0.9])
    second = np.array([0.3, 0.3, 0.3, 0.85, 0.85])
    loss_saved = _expected_loss(divergence, first) - _expected_loss(divergence, second)
    distance_saved = divergence(first, TRUTH) - divergence(second, TRUTH)
    np.testing.assert_allclose(loss_saved, distance_saved, atol=1e-15)
    if divergence is _entropy:
        plain = -xlogy(TRUTH, first) - xlogy(1 - TRUTH, 1 - first)
        np.testing.assert_allclose(_expected_loss(divergence, first), plain)


@pytest.mark.parametrize("edges", EDGES)
def test_theorem_2_binned_errors_are_those_of_the_best_map_of_slope_1(edges: Edges) -> None:
    random = np.random.default_rng(0)
    p = random.random(60)
    view = binary(p, random.random(60) < p**2)
    fitted = Binned(5, edges=edges).fit(view)
    # Every map of slope 1 is p plus a height for each bin: the best are found by least squares.
    side: Literal["left", "right"] = "left" if edges == "width" else "right"
    bin_of_row = np.searchsorted(fitted.rule.inner, p, side=side)
    heights = np.linalg.lstsq(np.eye(5)[bin_of_row], view.y - p)[0]
    np.testing.assert_allclose(fitted(view), p + heights[bin_of_row], atol=1e-12)
    gap = np.empty(5)
    for k in range(5):
        inside = bin_of_row == k
        gap[k] = abs((view.y - p)[inside].mean())
        assert fitted([p[inside].mean()]) == pytest.approx([view.y[inside].mean()])
    share = np.bincount(bin_of_row) / 60
    for alpha in (0.5, 1, 2, 3):
        assert (np.abs(fitted(view) - p) ** alpha).mean() == pytest.approx(share @ gap**alpha)
    assert ece(view, 5, edges=edges) == pytest.approx(share @ gap)
    assert ece(view, 5, edges=edges, norm=2) ** 2 == pytest.approx(share @ gap**2)


@pytest.mark.parametrize("divergence", DIVERGENCES)
def test_theorem_3_a_map_is_off_by_what_is_left_and_by_what_it_merged(
    divergence: Callable[[Array, Array], Array],
) -> None:
    # The map makes the second claim equal to the third, the fourth to the fifth.
    truth = np.repeat(TRUTH, ROWS)
    q = np.repeat([0.1, 0.4, 0.4, 0.7, 0.7], ROWS)
    after = truth_after(q, truth)
    second_and_third = (25 * 0.3 + 30 * 0.35) / 55
    fourth_and_fifth = (20 * 0.8 + 15) / 35
    assert set(after.round(12)) == {0.02, round(second_and_third, 12), round(fourth_and_fifth, 12)}
    distance = divergence(q, truth).mean()
    left = divergence(q, after).mean()
    merged = divergence(after, truth).mean()
    assert distance == pytest.approx(left + merged, abs=1e-15)
    assert merged > 0


def test_realistic_takes_scores_and_maps_of_every_kind() -> None:
    _, test = samples.load("c10-lenet5")
    view = top_label(test)
    by_function = [realistic(scores, np.square) for scores in (test, view, view.p)]
    for made in by_function:
        np.testing.assert_allclose(made.truth, view.p**2)
    fitted = Isotonic().fit(view)
    np.testing.assert_array_equal(realistic(test, fitted).truth, fitted(view))
    found = assess(Isotonic(), by_function[0], n=500)
    assert found.distance == abs(found.estimate - found.truth) == abs(found.bias)
