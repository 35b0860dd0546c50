"""The corrections of binned errors against sampling."""

import numpy as np
import pytest

from calibrant import Binned, binary, ece
from calibrant.measures.debiasing import debiased

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
