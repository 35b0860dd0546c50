"""Shares of families in a blend: against the rule written out, and the laws."""

import numpy as np
import pytest

from calibrant import Blend, Identity, cross_validate, from_logits, select
from calibrant.fitting.blending import LEAST_GAIN, MIXTURE_COST, SHARPNESS, blend_shares
from calibrant.fitting.types import Array


def _losses(seed: int, gains: list[float], n: int = 300) -> list[Array]:
    """Log losses of rows whose sums lie so many nats below the first."""
    random = np.random.default_rng(seed)
    first = random.exponential(0.5, n) + 0.2
    return [first, *(first - gain / n for gain in gains)]


def test_shares_are_roots_of_likelihoods() -> None:
    first, one, two = _losses(0, [6.0, 8.0])
    shares = blend_shares([first, one, two], None)
    # The best mixture is the last family alone, at its own cost.
    odds = np.exp(SHARPNESS * np.array([-2.0, 0.0, -2.0]))
    expected = odds / odds.sum()
    assert shares == pytest.approx([0.0, expected[0], expected[1] + expected[2]], abs=1e-4)


def test_what_a_simpler_family_matches_has_no_share() -> None:
    first, one, worse = _losses(1, [8.0, 7.0])
    assert blend_shares([first, one, worse], None).tolist() == [0.0, 1.0, 0.0]
    # What is ahead by less than e times comes in by the best mixture alone.
    ahead = first - (8.0 + 0.9 * LEAST_GAIN) / len(first)
    shares = blend_shares([first, one, ahead], None)
    odds = np.exp(SHARPNESS * (0.9 * LEAST_GAIN - MIXTURE_COST))
    assert shares[2] == pytest.approx(odds / (1 + odds), abs=1e-3)


def test_without_a_gain_the_first_stays() -> None:
    for gain in (-5.0, 0.0, 0.9 * LEAST_GAIN):
        assert blend_shares(_losses(2, [gain]), None).tolist() == [1.0, 0.0]
    assert blend_shares(_losses(2, [40.0]), None).tolist() == [0.0, 1.0]


def test_what_mends_other_rows_is_blended() -> None:
    random = np.random.default_rng(3)
    first = random.exponential(0.5, 400) + 0.7
    half = random.random(400) < 0.5
    one, two = np.where(half, first - 0.6, first + 0.6), np.where(half, first + 0.6, first - 0.6)
    shares = blend_shares([first, one, two], None)
    assert shares[0] < 0.1
    assert shares[1:] == pytest.approx([0.5, 0.5], abs=0.1)


def test_weights_are_counts_and_the_order_of_rows_is_nothing() -> None:
    random = np.random.default_rng(4)
    losses = [each + random.normal(0, 0.1, 300) for each in _losses(4, [3.0, 7.0])]
    w = random.integers(0, 4, 300)
    weighed = blend_shares(losses, w.astype(float))
    assert weighed.sum() == pytest.approx(1)
    repeated = blend_shares([np.repeat(each, w) for each in losses], None)
    assert weighed == pytest.approx(repeated, abs=1e-5)
    order = random.permutation(300)
    turned = blend_shares([each[order] for each in losses], w[order].astype(float))
    assert weighed == pytest.approx(turned, abs=1e-5)


def test_impossible_outcomes_are_borne() -> None:
    first, one = _losses(5, [20.0])
    one[0] = np.inf
    assert np.isfinite(blend_shares([first, one], None)).all()
    first[0] = np.inf
    assert blend_shares([first, one], None).sum() == pytest.approx(1)


def test_shares_are_told_and_are_those_of_the_blend() -> None:
    random = np.random.default_rng(6)
    z = random.normal(0, 2, (600, 3))
    labels = (z / 1.3 + [0.4, 0.0, -0.4] + random.gumbel(size=z.shape)).argmax(1)
    found = cross_validate(from_logits(z, labels))
    assert isinstance(found.chosen, Blend)
    told = {row.name: row.share for row in found.rows if row.share}
    assert told.pop(found.name) == 1
    assert tuple(told.values()) == found.chosen.shares
    assert tuple(told) == tuple(map(repr, found.chosen.families))
    assert f"{max(told.values()):.0%}" in str(found)


def test_right_claims_seldom_change() -> None:
    changed = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        z = random.normal(0, 2, (300, 3))
        right = from_logits(z, (z + random.gumbel(size=z.shape)).argmax(1))
        changed += select(right, seed=seed).family != Identity()
    assert changed <= 4
