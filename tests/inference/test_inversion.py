"""Test inversion: the set holds the true error, and no error is rejected where nothing is known."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm
from shared_claims import claims

from calibrant import View, binary, classwise, ece, from_probs, ks_error
from calibrant.inference.inversion import invert_tests
from calibrant.inference.measuring import Bootstrap
from calibrant.simulate import task

DRAWS = Bootstrap(0.95, 200, 0)

Curve = Callable[[np.ndarray], np.ndarray]
WRONG: dict[str, Curve] = {
    "too high": lambda p: p - 0.12 * p * (1 - p),
    "too high above": lambda p: p - 0.25 * np.maximum(p - 0.6, 0),
    "a bump": lambda p: p + 0.15 * np.exp(-(((p - 0.3) / 0.08) ** 2)),
    "too extreme": lambda p: expit(logit(p) / 1.3),
}


@pytest.mark.parametrize("curve", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("measure", [ece, ks_error])
def test_ranges_hold_errors_of_any_shape(
    measure: Callable[[View], float],
    curve: Curve,
) -> None:
    even = (np.arange(20_000) + 0.5) / 20_000
    pairs = np.repeat(even, 2)
    weights = np.stack([curve(even), 1 - curve(even)], axis=1).ravel()
    true = measure(binary(pairs, [1, 0] * 20_000, weights=weights))
    misses = 0
    for seed in range(100, 110):
        random = np.random.default_rng(seed)
        p = random.random(3000)
        view = binary(p, random.random(3000) < curve(p))
        low, high = invert_tests(measure, view, DRAWS)
        misses += not low <= true <= high
        assert high - low < 0.05
    # Of ten that cover with probability 0.95, more than two miss once in 90 times.
    assert misses <= 2


def test_an_error_on_one_side_is_at_most_what_the_mean_allows() -> None:
    # So few that none are pooled: the mean and its deviation are those of the rows.
    view = task("square", 0.05).sample(1000, seed=1).view
    gap = view.y - view.p
    most = abs(gap.mean()) + norm.ppf(0.975) * gap.std() / np.sqrt(view.n)
    for measure in (ece, ks_error):
        assert invert_tests(measure, view, DRAWS)[1] >= most * (1 - 1e-9)


@pytest.mark.parametrize("outcome", [0, 1])
@pytest.mark.parametrize("measure", [ece, ks_error])
def test_one_class_of_outcomes_leaves_the_claims_uncertain(
    measure: Callable[[View], float],
    outcome: int,
) -> None:
    p = (np.arange(300) + 0.5) / 300
    low, high = invert_tests(measure, binary(p, [outcome] * 300), DRAWS)
    assert low < 0.5 < high
    assert 0.03 < high - low < 0.2


def test_shares_are_rows_of_their_own() -> None:
    random = np.random.default_rng(0)
    p = random.random(500)
    right = invert_tests(ece, binary(p, p), DRAWS)
    assert right[0] == 0
    wrong = invert_tests(ece, binary(p, p**2), DRAWS)
    assert 0 < wrong[0] < 1 / 6 < wrong[1]
    shares = random.dirichlet(np.ones(3), 300)
    soft = from_probs(shares, random.dirichlet(np.ones(3), 300))
    low, high = invert_tests(ece, classwise(soft), DRAWS)
    assert 0 < low < high < 0.5


def test_the_range_holds_the_true_error_and_narrows_with_rows() -> None:
    few, many = (
        invert_tests(ece, task("square", 0.05).sample(n, seed=3).view, DRAWS) for n in (300, 10_000)
    )
    for low, high in (few, many):
        assert low < 0.05 < high
    assert many[1] - many[0] < (few[1] - few[0]) / 2


def test_right_claims_may_have_no_error() -> None:
    assert invert_tests(ece, claims(400), DRAWS)[0] == 0


def test_what_few_rows_draw_again_is_not_measured_again() -> None:
    view = binary([0.1, 0.4, 0.4, 0.9], [0, 1, 0, 1])
    asked = []

    def measure(drawn: View) -> float:
        asked.append((drawn.y.tobytes(), drawn.w.tobytes() if drawn.w is not None else b""))
        return ece(drawn)

    found = invert_tests(measure, view, DRAWS)
    assert len(set(asked)) == len(asked)
    assert found == invert_tests(ece, view, DRAWS)
