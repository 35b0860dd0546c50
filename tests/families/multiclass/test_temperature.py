"""Temperature against a general optimiser, at its extremes, and its certificate."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_softmax

from calibrant import (
    Temperature,
    binary,
    from_logits,
    from_probs,
    nll,
    one_class,
    samples,
    top_label,
)


@pytest.mark.parametrize("k", [2, 5, 100])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_whole_vectors_against_a_general_optimiser(k: int, kind: type) -> None:
    random = np.random.default_rng(k)
    z = random.normal(0, 3, (2000, k))
    y = (log_softmax(z / 2.2, axis=1) + random.gumbel(size=z.shape)).argmax(1)
    w = random.integers(0, 3, 2000)

    def loss(inverse: float) -> float:
        return -np.average(log_softmax(inverse * z, axis=1)[np.arange(2000), y], weights=w)

    best = minimize_scalar(loss, bounds=(0.01, 5), method="bounded", options={"xatol": 1e-10}).x
    rule = Temperature().fit(from_logits(z.astype(kind), y, weights=w)).rule
    assert rule.inverse == pytest.approx(best, rel=2e-6)
    assert rule.temperature == pytest.approx(1 / best, rel=2e-6)
    assert rule.certificate.slope <= rule.certificate.tolerance


def test_one_chance_against_a_general_optimiser() -> None:
    random = np.random.default_rng(1)
    z = random.normal(0, 4, 3000)
    y = random.random(3000) < expit(z / 1.7)
    best = minimize_scalar(
        lambda b: np.logaddexp(0, np.where(y, -b, b) * z).mean(), bounds=(0.01, 5), method="bounded"
    ).x
    assert Temperature().fit(binary(expit(z), y)).rule.inverse == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize("name", samples.NAMES)
def test_logits_and_log_probabilities_have_one_temperature(name: samples.Name) -> None:
    fit_on, test = samples.load(name)
    from_z = Temperature().fit(fit_on)
    from_p = Temperature().fit(from_probs(fit_on.probs, fit_on.labels))
    assert from_z.rule.inverse == pytest.approx(from_p.rule.inverse, rel=1e-4)
    assert nll(from_z.apply(test)) < nll(test)
    assert nll(from_z.apply(fit_on)) <= nll(fit_on)


def test_two_classes_agree_with_one_chance() -> None:
    random = np.random.default_rng(2)
    z = random.normal(0, 3, 500)
    pred = from_logits(z, random.random(500) < expit(z / 2))
    vector = Temperature().fit(pred).rule.inverse
    chance = Temperature().fit(binary(expit(z), pred.labels)).rule.inverse
    assert vector == pytest.approx(chance, rel=1e-6)


def test_claims_worse_than_chance_become_uniform() -> None:
    fitted = Temperature().fit(from_logits([[3.0, 0.0], [0.0, 3.0]], [1, 0]))
    assert fitted.rule.temperature == np.inf
    assert fitted.apply(from_logits([[3.0, 0.0]], [0])).probs.tolist() == [[0.5, 0.5]]


def test_claims_wrong_with_certainty_become_uniform() -> None:
    z = np.array([1e4, -1e4, 1e4])
    for fitted in (
        Temperature().fit(from_logits(z, [0, 1, 0])),
        Temperature().fit(one_class(from_logits(z, [0, 1, 0]), 1)),
    ):
        assert fitted.rule.inverse == 0


def test_claims_always_right_grow_sharp_and_stay_finite() -> None:
    fitted = Temperature().fit(from_logits([[3.0, 0.0], [0.0, 3.0]], [0, 1]))
    assert 1 < fitted.rule.inverse < 100


@pytest.mark.parametrize("scale", [1e-6, 1e4])
def test_the_scale_of_logits_does_not_matter(scale: float) -> None:
    fit_on, _ = samples.load("c10-lenet5")
    plain = Temperature().fit(from_logits(fit_on.scores.astype(float), fit_on.labels)).rule.inverse
    scaled = (
        Temperature()
        .fit(from_logits(scale * fit_on.scores.astype(float), fit_on.labels))
        .rule.inverse
    )
    assert scaled * scale == pytest.approx(plain, rel=1e-5)


def test_calibrated_logits_stay_exact_far_from_one_half() -> None:
    fitted = Temperature().fit(from_logits([[2.0, 0.0], [0.0, 2.0], [0.0, 2.0]], [0, 1, 0]))
    mended = fitted.apply(from_logits([[1e4, 0.0]], [0]))
    assert top_label(mended).log_odds[0] == pytest.approx(1e4 * fitted.rule.inverse)


def test_rows_without_weight_are_no_rows_however_many() -> None:
    random = np.random.default_rng(0)
    z, y = random.normal(size=(16_000, 3)), random.integers(0, 3, 16_000)
    w = np.ones(16_000)
    w[::8] = 0
    weighted = Temperature().fit(from_logits(z, y, weights=w)).rule.inverse
    assert weighted == pytest.approx(
        Temperature().fit(from_logits(z[w > 0], y[w > 0])).rule.inverse, abs=1e-6
    )


@pytest.mark.parametrize("seed", range(40))
def test_few_rows_of_float32(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, k = int(random.integers(1, 200)), int(random.integers(2, 6))
    z = np.tile(random.normal(0, 3, (1, k)), (n, 1)) if seed % 2 else random.normal(0, 3, (n, k))
    assert (
        Temperature().fit(from_logits(z.astype(np.float32), random.integers(0, k, n))).rule.inverse
        >= 0
    )
