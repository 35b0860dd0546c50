"""The structured vector against a general optimiser, published figures, and bad input."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from shared_bad import BAD_VECTORS
from shared_data import needs_real, real

from calibrant import (
    Predictions,
    StructuredVector,
    Temperature,
    VectorScaling,
    brier,
    from_logits,
    from_probs,
    nll,
)


def _drawn(seed: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Logits that are too sharp for some classes, and labels drawn from the truth."""
    random = np.random.default_rng(seed)
    z = random.normal(0, 3, (n, k))
    truth = z * random.uniform(0.3, 1, k) + random.normal(0, 0.5, k)
    return z, (truth + random.gumbel(size=(n, k))).argmax(1)


@pytest.mark.parametrize(("n", "k"), [(300, 3), (2000, 5), (40, 12)])
def test_against_a_general_optimiser(n: int, k: int) -> None:
    z, y = _drawn(k, n, k)
    w = np.random.default_rng(1).integers(0, 3, n)
    pred = from_logits(z, y, weights=w)
    rule = StructuredVector().fit(pred).rule
    logs = log_softmax(z * Temperature().fit(pred).rule.inverse, axis=1)
    away = np.repeat([1.0, 0.0], k)

    def objective(x: np.ndarray) -> float:
        found = log_softmax(logs * x[:k] + x[k:], axis=1)
        loss = -np.average(found[np.arange(n), y], weights=w)
        return float(loss + k / w.sum() * np.square(x - away).sum())

    best = minimize(objective, away, method="BFGS", options={"gtol": 1e-8})
    ours = np.append(rule.factor, rule.shift)
    assert objective(ours) <= best.fun + 1e-10
    np.testing.assert_allclose(ours, best.x, atol=1e-4)
    assert rule.certificate.slope <= rule.certificate.tolerance


def test_of_few_rows_it_is_the_temperature_and_of_many_vector_scaling() -> None:
    test = from_logits(*_drawn(9, 4000, 6))
    few = from_logits(*_drawn(9, 8, 6))
    assert nll(StructuredVector().fit(few).apply(test)) < nll(VectorScaling().fit(few).apply(test))
    z, y = _drawn(9, 4000, 6)
    tempered = Temperature().fit(from_logits(z, y)).apply(from_logits(z, y)).probs
    heavy = from_probs(tempered, y, weights=np.full(4000, 1e7))
    ours = StructuredVector().fit(heavy)(tempered)
    np.testing.assert_allclose(ours, VectorScaling().fit(heavy)(tempered), atol=1e-5)


@needs_real
def test_no_worse_than_published() -> None:
    """CalArena prints .20660 (Brier .09745) for its own on this file."""
    fit_on, test = (real("nncal_resnet110_c10", split) for split in ("val", "test"))
    assert isinstance(fit_on, Predictions)
    assert isinstance(test, Predictions)
    mended = StructuredVector().fit(fit_on).apply(test)
    assert nll(mended) == pytest.approx(0.20650, abs=1e-5)
    assert brier(mended) == pytest.approx(0.09743, abs=1e-5)


@pytest.mark.parametrize(("z", "y"), BAD_VECTORS.values(), ids=BAD_VECTORS)
def test_bad_input_has_a_map(z: np.ndarray, y: np.ndarray) -> None:
    pred = from_logits(z, y)
    q = StructuredVector().fit(pred).apply(pred).probs
    assert np.isfinite(q).all()
    np.testing.assert_allclose(q.sum(1), 1)
    assert nll(StructuredVector().fit(pred).apply(pred)) <= nll(pred) + 1e-9
