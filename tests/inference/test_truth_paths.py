"""Supposed truths lie as far from the claims as they say."""

import numpy as np
import pytest
from shared_claims import claims

from calibrant import binary
from calibrant.inference.truth_paths import truth_paths
from calibrant.measures.draws import cells


def test_truths_lie_at_the_distance_asked() -> None:
    part = cells(claims(2000, lift=0.5))
    towards_fit, in_waves = truth_paths([part])
    for path, rel in ((towards_fit, 1e-9), (in_waves, 0.1)):
        (chance,) = path(0.05)
        away = np.average(np.abs(chance - part.p), weights=part.w)
        assert away == pytest.approx(0.05, rel=rel)
        (start,) = path(0.0)
        np.testing.assert_array_equal(start, part.p)


def test_claims_that_a_fit_leaves_alone_are_taken_to_be_too_bold() -> None:
    part = cells(binary([0.0, 1.0] * 10, [0, 1] * 10))
    towards_fit, _ = truth_paths([part])
    (chance,) = towards_fit(0.2)
    assert chance[0] > 0
    assert chance[1] < 1
