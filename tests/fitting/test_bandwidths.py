"""The rule of thumb is that of a normal density; the best is sought beyond the usual ones."""

from collections.abc import Sequence

import numpy as np
import pytest

from calibrant.fitting.bandwidths import (
    BANDWIDTHS,
    LEAST_BANDWIDTH,
    best_scored,
    place_among,
    rule_of_thumb,
)


def test_in_one_dimension_it_is_silvermans() -> None:
    # A kernel sqrt(h)/2 wide, 1.06 sd n^(-1/5).
    h = rule_of_thumb(0.04, 1, 5000)
    assert np.sqrt(h) / 2 == pytest.approx((4 / 3) ** 0.2 * 0.2 * 5000**-0.2)


def test_it_stays_within_those_to_choose_from() -> None:
    assert rule_of_thumb(0.0, 1, 10) == BANDWIDTHS[0] == pytest.approx(1e-5)
    assert rule_of_thumb(1.0, 1, 1) == BANDWIDTHS[-1] == 1
    assert len(BANDWIDTHS) == 20


@pytest.mark.parametrize("peak", [1e-9, 1e-8, 3e-8, 7e-7, 4e-6, 1e-5, 3e-4, 0.01, 0.6, 1.0, 7.0])
def test_the_best_is_found_wherever_it_lies(peak: float) -> None:
    finer = np.logspace(-8, -5, 12)
    every = np.concatenate([finer[:-1], BANDWIDTHS])
    tried: list[float] = []

    def scores(these: Sequence[float]) -> np.ndarray:
        tried.extend(these)
        return -np.abs(np.log(np.array(these) / peak))

    found = best_scored(scores)
    nearest = every[np.argmin(np.abs(np.log(every / peak)))]
    assert found == pytest.approx(nearest, rel=1e-12)
    assert len(tried) == len(set(tried)) <= 31
    # What is interior costs no more than the usual ones.
    if peak > 2e-5:
        assert len(tried) == 20


def test_where_all_are_as_good_the_least_of_the_usual_ones_is_taken() -> None:
    assert best_scored(lambda tried: np.zeros(len(tried))) == BANDWIDTHS[0]


def test_words_of_where_a_bandwidth_lies() -> None:
    assert place_among(LEAST_BANDWIDTH) == "the narrowest tried"
    assert place_among(2e-6) == "below the usual ones, 1e-05 to 1"
    assert place_among(float(BANDWIDTHS[0])) == place_among(0.3) == ""
    assert place_among(1.0) == "the widest tried"
