"""Which errors may be true: the range holds the truth, and nothing is excluded where nothing is known."""

import pytest
from shared_claims import claims

from calibrant import ece
from calibrant.inference.inversion import by_truths, number
from calibrant.simulate import task


def test_the_range_holds_the_true_error_and_narrows_with_rows() -> None:
    few, many = (
        by_truths(ece, task("square", 0.05).sample(n, seed=3).view, 0.95, 200, 0)
        for n in (300, 10_000)
    )
    for low, high in (few, many):
        assert low < 0.05 < high
    assert many[1] - many[0] < (few[1] - few[0]) / 2


def test_right_claims_may_have_no_error() -> None:
    assert by_truths(ece, claims(400), 0.95, 200, 0)[0] == 0


def test_a_measure_must_give_one_number() -> None:
    with pytest.raises(ValueError, match="measure must give one number"):
        number(lambda _: [1, 2], claims(5))  # type: ignore[arg-type, return-value]
