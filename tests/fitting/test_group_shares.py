"""Shares of groups' own maps: each group by itself, and by what groups of like size say."""

import numpy as np

from calibrant.fitting.group_shares import SHARES, expected_shares


def test_clear_evidence_of_a_group_decides_alone() -> None:
    gains = np.stack([100 * SHARES, -100 * SHARES, -200 * (SHARES - 0.4) ** 2 * 10])
    shares = expected_shares(gains, np.array([100.0, 1000.0, 10_000.0]))
    np.testing.assert_allclose(shares, [1, 0, 0.4], atol=0.01)


def test_groups_of_like_size_tell_a_group_that_cannot_tell() -> None:
    gains = np.concatenate([np.tile(20 * SHARES, (20, 1)), np.tile(-20 * SHARES, (20, 1))])
    gains = np.concatenate([gains, np.zeros((2, len(SHARES)))])
    sizes = np.concatenate([np.full(20, 5000.0), np.full(20, 50.0), [5000.0, 50.0]])
    large, small = expected_shares(gains, sizes)[-2:]
    assert large > 0.9
    assert small < 0.1


def test_a_group_that_cannot_tell_leans_on_the_common_map() -> None:
    [share] = expected_shares(np.zeros((1, len(SHARES))), np.ones(1))
    assert share < 0.1


def test_no_share_leaves_its_range_by_rounding() -> None:
    random = np.random.default_rng(0)
    gains = np.multiply.outer(random.normal(0, 1000, 500), SHARES)
    shares = expected_shares(gains, np.full(500, 1000.0))
    assert ((shares >= 0) & (shares <= 1)).all()
