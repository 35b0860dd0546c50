"""Strengths by evidence: the table against a general optimiser, precisions against plain formulas."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from calibrant import canonical, from_logits
from calibrant.families.multiclass import evidence
from calibrant.families.multiclass.evidence import table_by_evidence

RANDOM = np.random.default_rng(4)
N, K = 400, 3
Z = RANDOM.normal(0, 2, (N, K))
LABELS = (Z / 2 + Z[:, [1, 0, 2]] / 4 + RANDOM.gumbel(size=Z.shape)).argmax(1)
W = RANDOM.integers(0, 3, N)
CENTRE = np.column_stack([np.eye(K), [0.5, -0.5, 0.0]])
each_weight = pytest.mark.parametrize("w", [None, W], ids=["even", "weighted"])


@each_weight
def test_the_table_against_a_general_optimiser(w: np.ndarray | None) -> None:
    view = canonical(from_logits(Z, LABELS, weights=w))
    found = table_by_evidence(view, Z, CENTRE)

    def loss(x: np.ndarray) -> float:
        table = x.reshape(K, K + 1)
        chances = log_softmax(Z @ table[:, :K].T + table[:, K], axis=1)[np.arange(N), LABELS]
        penalty = (found.ridge * (table - CENTRE) ** 2).sum() / 2
        return float(-np.average(chances, weights=w) + penalty)

    best = minimize(loss, CENTRE.ravel(), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(found.entries.ravel(), best.x, atol=1e-5)
    assert found.certificate.slope <= found.certificate.tolerance


@each_weight
def test_precisions_are_those_that_the_last_table_asks_for(
    w: np.ndarray | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "_ROUNDS", 60)
    view = canonical(from_logits(Z, LABELS, weights=w))
    counts = np.ones(N) if w is None else w
    found = table_by_evidence(view, Z, CENTRE)
    precision = found.ridge * counts.sum()
    p = softmax(Z @ found.entries[:, :K].T + found.entries[:, K], axis=1)
    fed = np.column_stack([Z, np.ones(N)])
    variance = np.empty((K, K + 1))
    for label in range(K):
        curvature = counts * p[:, label] * (1 - p[:, label]) * (K - 1) / K
        hessian = (fed * curvature[:, None]).T @ fed + np.diag(precision[label])
        variance[label] = np.diag(np.linalg.inv(hessian))
    squared = (found.entries - CENTRE) ** 2
    determined = 1 - precision * variance
    factors = np.eye(K, K + 1) > 0
    shifts = np.arange(K + 1) == K + np.zeros((K, 1))
    for group in (factors, shifts):
        expected = determined[group].sum() / squared[group].sum()
        np.testing.assert_allclose(precision[group], expected, rtol=1e-2)
    mixing = ~(factors | shifts)
    whole = determined[mixing].sum() / squared[mixing].sum()
    expected = 5 / (4 / whole + squared[mixing] + variance[mixing])
    np.testing.assert_allclose(precision[mixing], expected, rtol=1e-2)
