"""The corrections of binned errors against sampling."""

import numpy as np
import pytest

from calibrant import Binned, binary, ece
from calibrant.measures.debiasing import debiased, mixed_in_bins

R = np.random.default_rng(0)
P = R.beta(3, 1, 500)
Y = R.random(500) < P**1.5
VIEW = binary(P, Y)


def test_the_absolute_correction_is_the_one_that_sampling_finds() -> None:
    bins = Binned(8).fit(VIEW).rule.bins
    full = bins.count > 0
    n, p, y = bins.count[full], bins.mean_p[full], bins.mean_y[full]
    drawn = R.normal(y, np.sqrt(y * (1 - y) / n), (200_000, len(n)))
    expected = 2 * ece(VIEW, 8) - (np.abs(p - drawn).mean(0) @ n) / n.sum()
    assert ece(VIEW, 8, debias=True) == pytest.approx(expected, abs=1e-4)


def test_the_squared_correction_is_unbiased_for_a_calibrated_model() -> None:
    plain, corrected = [], []
    for seed in range(400):
        random = np.random.default_rng(seed)
        p = np.repeat([0.1, 0.4, 0.5, 0.9], 50)
        bins = Binned(10).fit(binary(p, random.random(200) < p)).rule.bins
        plain.append(bins.count @ bins.lift**2 / 200)
        corrected.append(debiased(bins, 2))
    assert np.mean(plain) > 0.003
    assert abs(np.mean(corrected)) < 0.0003
    assert min(corrected) < 0


def test_the_correction_of_fractional_outcomes_is_that_of_their_own_variance() -> None:
    plain, corrected = [], []
    for seed in range(400):
        random = np.random.default_rng(seed)
        p = np.repeat([0.1, 0.4, 0.5, 0.9], 50)
        view = binary(p, random.binomial(4, p) / 4)
        bins = Binned(10).fit(view).rule.bins
        plain.append(bins.count @ bins.lift**2 / 200)
        corrected.append(debiased(bins, 2, mixed_in_bins(bins, view)))
    assert np.mean(plain) > 0.0007
    assert abs(np.mean(corrected)) < 0.0001
    assert ece(view, 10, norm=2, debias=True) == max(corrected[-1], 0) ** 0.5
    variances = [np.var(view.y[p == each]) for each in (0.1, 0.4, 0.5, 0.9)]
    found = bins.mean_y * (1 - bins.mean_y) - mixed_in_bins(bins, view)
    np.testing.assert_allclose(found[bins.count > 0], variances)


def test_bins_of_equal_mass_hold_the_rows_that_they_were_made_of() -> None:
    random = np.random.default_rng(0)
    p = random.random(300).round(2)
    view = binary(p, random.binomial(4, p) / 4, weights=random.integers(1, 4, 300))
    bins = Binned(5, edges="mass").fit(view).rule.bins
    place = np.searchsorted(bins.inner, p, side="right")
    assert view.w is not None
    np.testing.assert_allclose(np.bincount(place, view.w), bins.count)
    within = [
        np.average((view.y * (1 - view.y))[place == each], weights=view.w[place == each])
        for each in range(5)
    ]
    np.testing.assert_allclose(mixed_in_bins(bins, view), within)
