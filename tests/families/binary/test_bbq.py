"""Bayesian binning against histograms one by one, and its evidence as a probability."""

from itertools import product

import numpy as np
import pytest
from scipy.special import gammaln, softmax

from calibrant import BBQ, binary, from_logits, one_class
from calibrant.families.binary.bbq import Histograms, bin_counts


def _reference(p: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Histogram by histogram, bin by bin."""
    n, root = len(p), np.cbrt(len(p))
    evidence, chances = [], []
    for b in range(max(1, int(root // 10)), int(min(np.ceil(n / 5), np.ceil(10 * root))) + 1):
        edges = [
            0.0,
            *(part[0] if len(part) else 1.0 for part in np.array_split(np.sort(p), b)[1:]),
            1.0,
        ]
        total, q = 0.0, np.empty(len(at))
        for k in range(b):
            low, high = edges[k], edges[k + 1] if k < b - 1 else np.inf
            inside = (p >= low) & (p < high) if k else p < high
            middle = np.clip((low + min(high, 1.0)) / 2, 0.005, 0.995)
            a, d = 2 / b * middle, 2 / b * (1 - middle)
            m, rest = y[inside].sum(), (~y[inside]).sum()
            total += gammaln(2 / b) - gammaln(m + rest + 2 / b)
            total += gammaln(m + a) - gammaln(a) + gammaln(rest + d) - gammaln(d)
            q[(at >= low) & (at < high) if k else at < high] = (m + a) / (m + rest + 2 / b)
        evidence.append(total)
        chances.append(q)
    return softmax(evidence) @ np.array(chances)


@pytest.mark.parametrize("n", [1, 2, 7, 40, 300])
@pytest.mark.parametrize("digits", [1, 9])
def test_against_histograms_one_by_one(n: int, digits: int) -> None:
    random = np.random.default_rng(n)
    p = random.random(n).round(digits)
    y = random.random(n) < p**2
    at = np.linspace(0, 1, 257)
    np.testing.assert_allclose(BBQ().fit(binary(p, y))(at), _reference(p, y, at), atol=1e-11)


@pytest.mark.parametrize("p", [[0.1, 0.2, 0.35, 0.6, 0.8, 0.95], [0.0, 0.5, 0.5, 0.5, 1.0, 1.0]])
def test_the_evidence_of_all_outcomes_sums_to_one(p: list[float]) -> None:
    counts = np.array([1, 2, 3, 5, 9])
    evidence = []
    for y in product([0, 1], repeat=len(p)):
        histograms = Histograms(binary(p, y).pool, counts)
        evidence.append(histograms.log_evidence())
    np.testing.assert_allclose(np.exp(evidence).sum(0), 1, rtol=1e-12)


@pytest.mark.parametrize(
    ("total", "fewest", "most"),
    [(1, 1, 1), (4, 1, 1), (100, 1, 20), (1000, 1, 100), (8e6, 20, 2000)],
)
def test_numbers_of_bins(total: float, fewest: int, most: int) -> None:
    counts = bin_counts(total)
    assert (counts[0], counts[-1]) == (fewest, most)


def test_a_weight_is_a_count() -> None:
    random = np.random.default_rng(0)
    p, w = random.random(150).round(2), random.integers(0, 4, 150)
    y = random.random(150) < p
    at = np.linspace(0, 1, 101)
    repeated = BBQ().fit(binary(np.repeat(p, w), np.repeat(y, w)))
    np.testing.assert_allclose(BBQ().fit(binary(p, y, weights=w))(at), repeated(at), atol=1e-12)


def test_a_calibrated_model_stays_nearly_as_it_is() -> None:
    random = np.random.default_rng(1)
    p = random.random(20_000)
    q = BBQ().fit(binary(p, random.random(20_000) < p))(p)
    assert np.abs(q - p).mean() < 0.025


def test_extreme_log_odds() -> None:
    z = np.array([1e4, -1e4, 0.0, 50.0] * 5)
    view = one_class(from_logits(z, z > 1), 1)
    q = BBQ().fit(view)(view)
    assert (q[view.y] > 0.9).all()
    assert (q[~view.y] < 0.3).all()
