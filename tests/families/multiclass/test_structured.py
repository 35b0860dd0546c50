"""The structured matrix where the truth is known, and on the samples."""

import numpy as np
import pytest
from scipy.special import softmax

from calibrant import (
    Predictions,
    StructuredMatrix,
    Temperature,
    accuracy,
    from_logits,
    from_probs,
    nll,
    samples,
)


def _confused(seed: int, n: int, k: int = 4) -> tuple[Predictions, np.ndarray]:
    """Claims twice as sure as they may be, of classes that are confused in pairs, and the truth."""
    random = np.random.default_rng(seed)
    z = random.normal(0, 1.5, (n, k))
    pairs = np.eye(k) + 0.6 * np.eye(k)[np.arange(k) ^ 1]
    truth = softmax(1.3 * z @ pairs, axis=1)
    labels = (np.log(truth) + random.gumbel(size=truth.shape)).argmax(1)
    return from_logits(2 * z, labels), truth


def _above_truth(mended: Predictions, truth: np.ndarray) -> float:
    return float((truth * (np.log(truth) - mended.log_probs)).sum(1).mean())


def test_classes_that_are_confused_are_mixed() -> None:
    fit_on, _ = _confused(0, 1000, 10)
    test, truth = _confused(1, 10_000, 10)
    mended = StructuredMatrix().fit(fit_on).apply(test)
    assert _above_truth(mended, truth) < 0.07
    assert _above_truth(Temperature().fit(fit_on).apply(test), truth) > 0.2


def test_classes_that_are_not_stay_apart() -> None:
    random = np.random.default_rng(0)
    z = random.normal(0, 2, (21_000, 10))
    pred = from_logits(1.7 * z, (z + random.gumbel(size=z.shape)).argmax(1))
    mended = StructuredMatrix().fit(pred[:1000]).apply(pred[1000:])
    assert _above_truth(mended, softmax(z[1000:], axis=1)) < 0.01


@pytest.mark.parametrize("name", samples.NAMES)
def test_it_fits_its_rows_better_than_a_temperature(name: samples.Name) -> None:
    fit_on, _ = samples.load(name)
    tempered = Temperature().fit(fit_on).apply(fit_on)
    assert nll(StructuredMatrix().fit(fit_on).apply(fit_on)) < nll(tempered)


@pytest.mark.parametrize("name", samples.NAMES)
def test_it_mends_other_rows_too(name: samples.Name) -> None:
    fit_on, test = samples.load(name)
    mended = StructuredMatrix().fit(fit_on).apply(test)
    assert accuracy(mended) == pytest.approx(accuracy(test), abs=0.01)
    assert nll(mended) < nll(test)


def test_it_is_one_for_logits_and_log_probabilities() -> None:
    random = np.random.default_rng(5)
    pred = from_logits(random.normal(0, 2, (300, 4)), random.integers(0, 4, 300))
    claimed = from_probs(pred.probs, pred.labels)
    np.testing.assert_allclose(
        StructuredMatrix().fit(pred).rule.matrix,
        StructuredMatrix().fit(claimed).rule.matrix,
        atol=1e-5,
    )


def test_its_facts_tell_all_that_the_formula_uses() -> None:
    fitted = StructuredMatrix().fit(samples.load("c10-resnet18")[0][:500])
    told = {fact.name: fact.value for fact in fitted.rule.facts()}
    assert told["temperature"] == 1 / fitted.rule.inverse
    assert told["uniform part"] == fitted.rule.uniform
