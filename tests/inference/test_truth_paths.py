"""Supposed truths lie as far from the claims as they say, and where the fit makes them likeliest."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm
from shared_claims import claims

from calibrant import Smooth, binary
from calibrant.inference.truth_paths import furthest_mean, one_sided, truth_paths
from calibrant.measures.draws import cells


@pytest.mark.parametrize("distance", [0.01, 0.05, 0.2])
def test_truths_lie_at_the_distance_asked(distance: float) -> None:
    part = cells(claims(2000, lift=0.5))
    for path in truth_paths([part]):
        (chance,) = path(distance)
        away = np.average(np.abs(chance - part.p), weights=part.w)
        assert away == pytest.approx(distance, rel=0.02)
        (start,) = path(0.0)
        np.testing.assert_allclose(start, part.p, atol=1e-8)


def test_nearer_than_the_fit_they_are_the_likeliest() -> None:
    p = np.linspace(0.1, 0.9, 9)
    w = np.repeat([40.0, 90.0, 60.0], 3)
    happened = np.round(w * (p - 0.2 * np.sin(3 * p)))
    part = cells(
        binary(np.repeat(p, 2), [1, 0] * 9, weights=np.stack([happened, w - happened], 1).ravel())
    )
    fitted = Smooth().fit(part.view)(p)
    variance = np.maximum(p * (1 - p), fitted * (1 - fitted))
    gap = np.abs(fitted - p)
    length = np.average(gap, weights=w)
    for share in (0.3, 0.7, 0.9):
        (chance,) = truth_paths([part]).wide(share * length)
        away = np.average(np.abs(chance - p), weights=w)
        # By a general optimiser: the likeliest gaps, to first order, of which none passes the fit.
        found = minimize(
            lambda moved: np.sum(w * (moved - gap) ** 2 / variance),
            share * gap,
            bounds=[(0, most) for most in gap],
            constraints={"type": "eq", "fun": lambda moved, to=away: w @ moved - w.sum() * to},
            method="SLSQP",
            options={"ftol": 1e-12},
        )
        np.testing.assert_allclose(np.abs(chance - p), found.x, atol=2e-3)
        towards = np.sign(chance - p) * np.sign(fitted - p)
        assert (towards >= 0).all()


def test_further_than_the_fit_few_claims_or_all_of_them_move_on() -> None:
    random = np.random.default_rng(0)
    p = random.random(5000)
    truth = p + 0.2 * np.exp(-(((p - 0.3) / 0.1) ** 2))
    part = cells(binary(p, random.random(5000) < truth))
    narrow, wide = truth_paths([part])
    (of_few,) = narrow(0.1)
    (of_all,) = wide(0.1)
    assert (of_all != part.p).all()
    assert np.mean(of_few == part.p) > 0.1
    assert np.abs(of_few - part.p).max() > np.abs(of_all - part.p).max()


def test_claims_that_a_fit_leaves_alone_are_taken_to_be_too_bold() -> None:
    part = cells(binary([0.0, 1.0] * 10, [0, 1] * 10))
    for path in truth_paths([part]):
        (chance,) = path(0.2)
        assert chance[0] > 0
        assert chance[1] < 1


def test_several_views_share_the_distance() -> None:
    parts = [cells(claims(500, lift=0.5)), cells(claims(300, lift=-0.5))]
    for path in truth_paths(parts):
        truth = path(0.05)
        away = [
            np.average(np.abs(chance - part.p), weights=part.w)
            for chance, part in zip(truth, parts, strict=True)
        ]
        assert np.mean(away) == pytest.approx(0.05, rel=0.02)


def test_how_far_the_mean_allows() -> None:
    view = claims(400, lift=-0.8)
    gap = view.y - view.p
    expected = gap.mean() - norm.ppf(0.95) * gap.std() / 20
    assert furthest_mean(view, 0.9) == pytest.approx(expected)
    part = cells(view)
    chance = one_sided(part, expected)
    assert (chance < part.p).all()
    assert np.average(chance - part.p, weights=part.w) == pytest.approx(expected)
