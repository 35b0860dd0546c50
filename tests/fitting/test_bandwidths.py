"""The rule of thumb is that of a normal density."""

import numpy as np
import pytest

from calibrant.fitting.bandwidths import BANDWIDTHS, rule_of_thumb


def test_in_one_dimension_it_is_silvermans() -> None:
    # A kernel sqrt(h)/2 wide, 1.06 sd n^(-1/5).
    h = rule_of_thumb(0.04, 1, 5000)
    assert np.sqrt(h) / 2 == pytest.approx((4 / 3) ** 0.2 * 0.2 * 5000**-0.2)


def test_it_stays_within_those_to_choose_from() -> None:
    assert rule_of_thumb(0.0, 1, 10) == BANDWIDTHS[0] == pytest.approx(1e-5)
    assert rule_of_thumb(1.0, 1, 1) == BANDWIDTHS[-1] == 1
    assert len(BANDWIDTHS) == 20
