"""Hosmer and Lemeshow's test against its formula over groups of sorted rows."""

import numpy as np
import pytest
from scipy.stats import chi2
from shared_claims import claims
from shared_views import ODD_VIEWS

from calibrant import Significance, View, binary, calibration_test, from_logits, top_label


def _test(view: View) -> Significance:
    return calibration_test(view, method="hosmer-lemeshow")


@pytest.mark.parametrize("n", [10, 37, 500])
def test_against_groups_of_sorted_rows(n: int) -> None:
    random = np.random.default_rng(n)
    p = random.random(n)
    y = random.random(n) < p
    statistic = 0.0
    for rows in np.array_split(np.argsort(p), 10):
        claimed = p[rows].mean()
        statistic += len(rows) * (y[rows].mean() - claimed) ** 2 / (claimed * (1 - claimed))
    assert _test(binary(p, y)) == pytest.approx((statistic, chi2.sf(statistic, 10)))


def test_equal_claims_stay_together_and_few_make_few_groups() -> None:
    random = np.random.default_rng(0)
    p = np.array([0.1, 0.4, 0.8])[random.integers(0, 3, 200)]
    y = random.random(200) < p
    statistic = sum(
        (y[p == c].sum() - c * (p == c).sum()) ** 2 / ((p == c).sum() * c * (1 - c))
        for c in (0.1, 0.4, 0.8)
    )
    assert _test(binary(p, y)) == pytest.approx((statistic, chi2.sf(statistic, 3)))


def test_a_block_across_an_edge_goes_to_the_later_group() -> None:
    # Of 20 rows, the third and fourth begin the second group; .2 has the second to the fifth.
    p = np.concatenate([[0.1], [0.2] * 4, np.linspace(0.3, 0.9, 15)])
    y = np.arange(20) % 2 == 0
    groups = [[0], [1, 2, 3, 4, 5], *np.arange(6, 20).reshape(7, 2).tolist()]
    gaps = [(y[g].sum() - p[g].sum()) ** 2 / len(g) for g in groups]
    means = [p[g].mean() for g in groups]
    statistic = sum(gap / (c * (1 - c)) for gap, c in zip(gaps, means, strict=True))
    assert _test(binary(p, y)) == pytest.approx((statistic, chi2.sf(statistic, 9)))


def test_weights_are_counts_and_order_is_irrelevant() -> None:
    random = np.random.default_rng(1)
    p, y, w = random.random(80).round(2), random.random(80) < 0.5, random.integers(0, 4, 80)
    found = _test(binary(p, y, weights=w))
    assert _test(binary(np.repeat(p, w), np.repeat(y, w))) == pytest.approx(found)
    assert _test(binary(p[::-1], y[::-1], weights=w[::-1])) == pytest.approx(found)


def test_level_and_power() -> None:
    random = np.random.default_rng(2)
    rejected = 0
    for _ in range(400):
        p = random.random(500)
        rejected += _test(binary(p, random.random(500) < p)).p_value <= 0.05
    assert 8 <= rejected <= 34
    assert _test(claims(1000, slope=0.5)).p_value < 0.01


@pytest.mark.parametrize("name", ODD_VIEWS)
def test_odd_views_have_a_defined_answer(name: str) -> None:
    found = _test(ODD_VIEWS[name])
    assert np.isfinite(found.statistic)
    assert 0 <= found.p_value <= 1


def test_exact_0_and_1_are_as_they_are_read() -> None:
    assert _test(binary([0.0, 1.0] * 20, [0, 1] * 20)).p_value > 0.3
    assert _test(binary([0.0, 1.0] * 20, [1, 0] * 20)).p_value < 1e-6
    logits = np.tile([[1e4, -1e4]], (10, 1))
    assert _test(top_label(from_logits(logits, np.zeros(10, int)))) == (0, 1)
    assert _test(top_label(from_logits(logits, np.ones(10, int)))).p_value == 0
