"""Intervals of a report: closed forms against draws, and edges where one of them would be wrong."""

import numpy as np
import pytest
from shared_claims import claims

import calibrant
from calibrant import binary, from_logits
from calibrant.reporting.intervals import of_mean, of_measure, of_share, row_losses, summarised

RNG = np.random.default_rng(0)


def test_a_share_of_all_or_none_still_has_a_width() -> None:
    low, high = of_share(1.0, 10)
    assert high == pytest.approx(1)
    # Wilson's lower end for 10 of 10: n / (n + z^2).
    assert low == pytest.approx(10 / (10 + 1.959964**2), abs=1e-6)
    assert of_share(0.0, 10) == pytest.approx((0, 1 - low))


def test_a_share_lies_in_its_interval_19_times_in_20() -> None:
    inside = 0
    for _ in range(1000):
        low, high = of_share(RNG.binomial(80, 0.07) / 80, 80)
        inside += low <= 0.07 <= high
    assert 0.92 < inside / 1000 < 0.98


def test_a_mean_lies_in_its_interval_19_times_in_20_even_of_few_rows() -> None:
    inside = 0
    for _ in range(2000):
        low, high = of_mean(RNG.normal(3, 2, 6), None)
        inside += low <= 3 <= high
    assert 0.935 < inside / 2000 < 0.965
    with pytest.raises(ValueError, match="a mean of 1 rows has no interval"):
        of_mean(np.ones(1), None)


def test_weights_are_counts() -> None:
    x, w = RNG.normal(size=40), RNG.integers(0, 4, 40)
    assert of_mean(x, w.astype(float)) == pytest.approx(of_mean(np.repeat(x, w), None))


def test_row_losses_average_to_the_scores() -> None:
    pred = from_logits(RNG.normal(size=(50, 3)), RNG.integers(0, 3, 50))
    for x in (pred, claims(50)):
        assert row_losses(x, "nll").mean() == pytest.approx(calibrant.nll(x))
        assert row_losses(x, "brier").mean() == pytest.approx(calibrant.brier(x))


def test_many_claims_are_summarised_and_measure_the_same() -> None:
    view, few = claims(50_000), claims(300)
    assert summarised(few) is few
    small = summarised(view)
    assert small.n <= 2048
    assert small.total == 50_000
    assert calibrant.ks_error(small) == pytest.approx(calibrant.ks_error(view), abs=2e-4)
    assert calibrant.slope_intercept(small) == pytest.approx(
        calibrant.slope_intercept(view), abs=2e-3
    )


def test_draws_are_those_of_interval() -> None:
    view = binary([0.2] * 50 + [0.9] * 50, [0, 1] * 50)
    assert (
        of_measure(calibrant.ece, view) == calibrant.interval(calibrant.ece, view, n_boot=200)[1:]
    )
