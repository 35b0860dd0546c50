"""Bands: the binomial's where claims are few, and honest about the truth."""

import numpy as np
import pytest
from scipy.stats import binom
from shared_claims import claims

from calibrant import Binned, Family, Isotonic, Smooth, VennAbers, binary
from calibrant.inference.bands import confidence_band, consistency_band
from calibrant.simulate import task

FLAT = Binned(5, slope=0)


def test_a_single_claim_has_the_bands_of_a_binomial_share() -> None:
    view = binary([0.5] * 200, [1] * 130 + [0] * 70)
    right = consistency_band(view, FLAT, [0.5], n_boot=1000)
    seen = confidence_band(view, FLAT, [0.5], n_boot=1000)
    assert [right.low[0], right.high[0]] == pytest.approx(
        binom.ppf([0.025, 0.975], 200, 0.5) / 200, abs=0.011
    )
    assert [seen.low[0], seen.high[0]] == pytest.approx(
        binom.ppf([0.025, 0.975], 200, 0.65) / 200, abs=0.011
    )


def test_the_truth_lies_within_smooths_band() -> None:
    at = np.linspace(0.1, 0.9, 9)
    inside = []
    for seed in range(8):
        view, truth = task("square", 0.1).sample(500, seed)
        low, high = confidence_band(view, Smooth(), at)
        inside.append((low <= (true := np.interp(at, view.p, truth))) & (true <= high))
    assert np.mean(inside) > 0.85


def test_right_claims_stay_within_the_band_of_right_claims() -> None:
    at = np.linspace(0.1, 0.9, 9)
    inside = []
    for seed in range(10):
        view = claims(300, seed=seed)
        low, high = consistency_band(view, Isotonic(), at, n_boot=100)
        fitted = Isotonic().fit(view)(at)
        inside.append((low <= fitted) & (fitted <= high))
    assert np.mean(inside) > 0.85


def test_the_two_chances_of_venn_abers_are_no_confidence_band() -> None:
    at = np.linspace(0.1, 0.9, 9)
    inside = []
    for seed in range(8):
        view, truth = task("square", 0.1).sample(500, seed)
        low, high = confidence_band(view, VennAbers(), at, n_boot=100)
        true = np.interp(at, view.p, truth)
        inside.append((low <= true) & (true <= high))
    assert np.mean(inside) > 0.85


@pytest.mark.parametrize("family", [Smooth(), VennAbers(), FLAT], ids=repr)
def test_more_confidence_is_wider(family: Family) -> None:
    view = claims(300)
    narrow, wide = (confidence_band(view, family, [0.3, 0.6], level=level) for level in (0.5, 0.99))
    assert (wide.low < narrow.low).all()
    assert (narrow.high < wide.high).all()


@pytest.mark.parametrize("band", [consistency_band, confidence_band])
def test_order_and_repetition_play_no_part(band: object) -> None:
    random = np.random.default_rng(0)
    p, w = random.random(60).round(1), random.integers(0, 4, 60)
    y = random.random(60) < p
    found = band(binary(p, y, weights=w), Isotonic(), [0.2, 0.7], n_boot=50)  # type: ignore[operator]
    again = band(
        binary(np.repeat(p, w)[::-1], np.repeat(y, w)[::-1]), Isotonic(), [0.2, 0.7], n_boot=50
    )  # type: ignore[operator]
    np.testing.assert_allclose(again, found, atol=1e-12)
    assert (found.low <= found.high).all()
