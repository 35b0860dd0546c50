"""Grades against scipy's tests, row by row."""

import numpy as np
import pytest
from scipy.stats import beta, binomtest
from shared_laws import check_row_order, check_weights

from calibrant import View, binary
from calibrant.decisions import grades


def test_a_grade_against_scipy() -> None:
    random = np.random.default_rng(0)
    p = random.choice([0.01, 0.05, 0.2], 600)
    y = random.random(600) < 1.5 * p
    found = grades(binary(p, y))
    assert [each.name for each in found] == ["0.01", "0.05", "0.2"]
    for each, claim in zip(found, (0.01, 0.05, 0.2), strict=True):
        rows = int((p == claim).sum())
        events = int(y[p == claim].sum())
        assert each.rows == rows
        assert each.claimed == pytest.approx(claim)
        assert each.observed == events / rows
        assert each.binomial == pytest.approx(
            binomtest(events, rows, claim, alternative="greater").pvalue
        )
        assert each.jeffreys == pytest.approx(beta(events + 0.5, rows - events + 0.5).cdf(claim))


def test_grades_that_are_named_are_in_order_of_the_claim() -> None:
    names = np.array(["B", "A", "B", "C"], object)
    found = grades(binary([0.1, 0.02, 0.2, 0.5], [0, 0, 1, 1], weights=[1, 2, 1, 0]), names)
    assert [each.name for each in found] == ["A", "B"]
    assert found[0].binomial == 1
    assert found[1].claimed == pytest.approx(0.15)


def test_laws() -> None:
    def answer(view: View) -> list[float]:
        return [value for each in grades(view) for value in each[1:]]

    random = np.random.default_rng(1)
    view = binary(random.integers(0, 5, 80) / 10, random.random(80) < 0.3)
    check_row_order(answer, view)
    check_weights(answer, view)


def test_what_is_refused() -> None:
    view = binary(np.linspace(0.1, 0.9, 200), np.arange(200) % 2)
    with pytest.raises(ValueError, match=r"at most 100 grades, got 200: give each row"):
        grades(view)
    with pytest.raises(ValueError, match=r"one grade for each of the 200 rows, got shape \(3,\)"):
        grades(view, ["a", "b", "c"])
