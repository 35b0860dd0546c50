"""Test inversion: the set holds the true error, and no error is rejected where nothing is known."""

from shared_claims import claims

from calibrant import ece
from calibrant.inference.inversion import invert_tests
from calibrant.inference.measuring import Bootstrap
from calibrant.simulate import task

DRAWS = Bootstrap(0.95, 200, 0)


def test_the_range_holds_the_true_error_and_narrows_with_rows() -> None:
    few, many = (
        invert_tests(ece, task("square", 0.05).sample(n, seed=3).view, DRAWS) for n in (300, 10_000)
    )
    for low, high in (few, many):
        assert low < 0.05 < high
    assert many[1] - many[0] < (few[1] - few[0]) / 2


def test_right_claims_may_have_no_error() -> None:
    assert invert_tests(ece, claims(400), DRAWS)[0] == 0
