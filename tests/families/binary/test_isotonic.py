"""Isotonic regression against scikit-learn and against its own definition."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from calibrant import Isotonic, binary


@pytest.mark.parametrize("seed", range(8))
def test_against_scikit_learn(seed: int) -> None:
    random = np.random.default_rng(seed)
    p = random.random(300).round(2 + seed)
    y = random.random(300) < p**2
    w = random.integers(1, 4, 300)
    peer = IsotonicRegression(out_of_bounds="clip").fit(p, y, sample_weight=w)
    at = np.linspace(0, 1, 401)
    np.testing.assert_allclose(
        Isotonic().fit(binary(p, y, weights=w))(at), peer.predict(at), atol=1e-12
    )


def test_steps_begin_at_the_first_claim_of_each_pool() -> None:
    view = binary([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1])
    assert Isotonic(interpolate=False).fit(view)([0.1, 0.3, 0.4, 0.7, 0.8, 1]).tolist() == [
        0,
        0,
        0.5,
        0.5,
        1,
        1,
    ]


def test_centred_pools_stand_at_their_mean_claim_and_keep_ranking() -> None:
    view = binary([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1], weights=[1, 3, 1, 1])
    fitted = Isotonic(centred=True).fit(view)
    np.testing.assert_allclose(fitted.rule.x, np.array([0.2, 0.45, 0.8]))
    assert (np.diff(fitted([0.2, 0.4, 0.45, 0.6, 0.8])) > 0).all()
    np.testing.assert_allclose(fitted([0.45]), [0.75])


def test_a_hundred_thousand_float64_claims_are_pooled_as_they_are() -> None:
    random = np.random.default_rng(0)
    p = random.random(100_000)
    y = random.random(100_000) < p**2
    plain = IsotonicRegression(out_of_bounds="clip").fit(p, y).predict(p)
    np.testing.assert_allclose(Isotonic().fit(binary(p, y))(p), plain, rtol=0, atol=1e-12)
