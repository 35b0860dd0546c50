"""Ensemble temperature scaling against a general optimiser, its certificate recomputed, its laws and extremes."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import softmax
from shared_bad import BAD_VECTORS
from shared_data import needs_real, real

from calibrant import (
    EnsembleTemperature,
    Predictions,
    Temperature,
    accuracy,
    brier,
    from_logits,
    from_probs,
    load,
    nll,
    samples,
    top_label,
)


def _noisy(seed: int, n: int, k: int, noise: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Logits twice as sharp as they should be, and labels that are a wild guess now and then."""
    random = np.random.default_rng(seed)
    z = random.normal(0, 4, (n, k))
    y = (z / 2 + random.gumbel(size=z.shape)).argmax(1)
    return z, np.where(random.random(n) < noise, random.integers(0, k, n), y)


def _parts(pred: Predictions, inverse: float) -> np.ndarray:
    z, rows = pred.scores.astype(float), np.arange(pred.n)
    chances = [softmax(scale * z, axis=1)[rows, pred.labels] for scale in (inverse, 1, 0)]
    return np.stack(chances, axis=1)


@pytest.mark.parametrize("k", [2, 5, 100])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_against_a_general_optimiser(k: int, kind: type) -> None:
    z, y = _noisy(k, 1000, k)
    w = np.random.default_rng(k).integers(0, 3, 1000)
    pred = from_logits(z.astype(kind), y, weights=w)
    rule = EnsembleTemperature().fit(pred).rule
    parts = _parts(pred, rule.tempered.inverse)
    assert rule.tempered.inverse == Temperature().fit(pred).rule.inverse

    def loss(shares: np.ndarray) -> float:
        return -float(np.average(np.log(parts @ shares), weights=w))

    rest = {"type": "eq", "fun": lambda shares: shares.sum() - 1}
    best = minimize(loss, np.full(3, 1 / 3), bounds=[(1e-12, 1)] * 3, constraints=[rest], tol=1e-12)
    assert loss(np.array(rule.shares)) <= best.fun + 1e-9
    np.testing.assert_allclose(rule.shares, best.x, atol=1e-3)


@pytest.mark.parametrize("name", samples.NAMES)
def test_no_mixture_is_better_by_more_than_the_certificate_says(name: samples.Name) -> None:
    fit_on, test = samples.load(name)
    fitted = EnsembleTemperature().fit(fit_on)
    parts, shares = _parts(fit_on, fitted.rule.tempered.inverse), np.array(fitted.rule.shares)
    # By concavity of the logarithm no loss lies further below than log(max(gain)).
    gain = (parts / (parts @ shares)[:, None]).mean(0)
    assert gain.max() - 1 < 1e-7
    assert fitted.rule.certificate.slope <= fitted.rule.certificate.tolerance
    assert sum(fitted.rule.shares) == pytest.approx(1, abs=1e-15)
    assert (
        nll(fitted.apply(fit_on))
        <= min(nll(fit_on), nll(Temperature().fit(fit_on).apply(fit_on))) + 1e-8
    )
    assert accuracy(fitted.apply(test)) == accuracy(test)


def test_the_mixture_is_what_it_says() -> None:
    pred = from_logits(*_noisy(0, 2000, 4))
    fitted = EnsembleTemperature().fit(pred)
    first, second, third = fitted.rule.shares
    assert min(fitted.rule.shares) > 0
    z = pred.scores
    q = (
        first * softmax(z * fitted.rule.tempered.inverse, axis=1)
        + second * softmax(z, axis=1)
        + third / 4
    )
    np.testing.assert_allclose(fitted(pred), q, atol=1e-15)
    np.testing.assert_array_equal(fitted.apply(pred).probs, fitted(pred))


@pytest.mark.parametrize("k", [2, 5, 1000])
def test_classes_keep_their_order_and_vectors_sum_to_one(k: int) -> None:
    pred = from_logits(*_noisy(1, 400, k))
    q = EnsembleTemperature().fit(pred)(pred)
    np.testing.assert_allclose(q.sum(1), 1, atol=1e-12)
    in_order = np.take_along_axis(q, pred.scores.argsort(1), 1)
    assert (np.diff(in_order, axis=1) >= 0).all()


@pytest.mark.parametrize("k", [2, 5, 1000])
def test_weights_are_counts_and_row_order_is_irrelevant(k: int) -> None:
    z, y = _noisy(2, 300, k)
    random = np.random.default_rng(0)
    w = random.integers(0, 3, 300)
    pred, order, repeated = from_logits(z, y), random.permutation(300), np.repeat(np.arange(300), w)
    fit = EnsembleTemperature().fit
    np.testing.assert_allclose(fit(pred[order])(pred), fit(pred)(pred), atol=1e-7)
    weighted = fit(from_logits(z, y, weights=w))
    np.testing.assert_allclose(weighted(pred), fit(pred[repeated])(pred), atol=1e-7)
    np.testing.assert_array_equal(fit(pred)(pred), fit(pred)(pred))


@pytest.mark.parametrize("k", [2, 5, 1000])
def test_float32_agrees_with_float64(k: int) -> None:
    z, y = _noisy(3, 500, k)
    narrow, wide = (
        from_logits(z.astype(np.float32).astype(kind), y) for kind in (np.float32, np.float64)
    )
    q = EnsembleTemperature().fit(narrow)(narrow)
    assert q.dtype == np.float32
    np.testing.assert_allclose(q, EnsembleTemperature().fit(wide)(wide), atol=1e-5)


@pytest.mark.parametrize(
    "pred",
    [
        from_logits([[1e4, -1e4, 0.0]] * 3, [0, 1, 0]),
        from_logits([[1e4, -1e4]], [0]),
        from_logits([[1e4, -1e4]], [1]),
        from_probs([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [0, 2]),
        from_logits([[0.3, 0.1, 0.2]], [1]),
        from_logits([[0.0, 0.0]] * 4, [0, 1, 1, 1]),
        from_logits([[2.0, 0.0], [0.0, 1.0], [3.0, 0.0]], [0, 0, 0]),
        from_logits([[3.0, 0.0], [0.0, 3.0]], [1, 0]),
    ],
    ids=[
        "extreme",
        "right",
        "wrong",
        "exact 0 and 1",
        "one row",
        "all equal",
        "one class",
        "worse than chance",
    ],
)
def test_extremes(pred: Predictions) -> None:
    fitted = EnsembleTemperature().fit(pred)
    q = fitted(pred)
    assert np.isfinite(q).all()
    np.testing.assert_allclose(q.sum(1), 1)
    assert nll(fitted.apply(pred)) <= nll(pred) + 1e-9
    assert nll(fitted.apply(pred)) <= np.log(pred.k) + 1e-9


@pytest.mark.parametrize("seed", range(60))
def test_any_scale_and_number_of_rows_reaches_the_optimum(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, k, scale = (
        int(random.integers(1, 200)),
        int(random.choice([2, 5, 50])),
        10.0 ** random.integers(-6, 5),
    )
    z = random.normal(0, scale, (n, k))
    y = np.where(random.random(n) < 0.1, random.integers(0, k, n), z.argmax(1))
    rule = EnsembleTemperature().fit(from_logits(z, y)).rule
    parts = _parts(from_logits(z, y), rule.tempered.inverse)
    assert (parts / (parts @ rule.shares)[:, None]).mean(0).max() < 1 + 1e-9


def test_saved_and_loaded(tmp_path: Path) -> None:
    pred = from_logits(*_noisy(4, 200, 3))
    fitted = EnsembleTemperature().fit(pred)
    fitted.save(tmp_path / "map.safetensors")
    loaded = load(tmp_path / "map.safetensors")
    np.testing.assert_array_equal(loaded(pred), fitted(pred))
    assert loaded.rule.shares == fitted.rule.shares


def test_one_chance_is_refused() -> None:
    with pytest.raises(ValueError, match="fit it on Predictions"):
        EnsembleTemperature().fit(top_label(from_logits([[0.0, 1.0]], [1])))


@pytest.mark.parametrize("k", [2, 5, 30])
def test_by_squares_against_a_dense_search(k: int) -> None:
    z, y = _noisy(k, 600, k)
    w = np.random.default_rng(k).integers(0, 3, 600)
    pred = from_logits(z, y, weights=w)
    rule = EnsembleTemperature(loss="squared").fit(pred).rule

    def score(inverse: float, shares: np.ndarray) -> float:
        parts = [softmax(z * inverse, axis=1), softmax(z, axis=1), np.full(z.shape, 1 / k)]
        q = np.tensordot(shares, parts, 1)
        return float(np.average(((q - np.eye(k)[y]) ** 2).sum(1), weights=w))

    alone = np.array([1.0, 0, 0])
    searched = [score(inverse, alone) for inverse in np.geomspace(0.02, 20, 400)]
    inverse = rule.tempered.inverse
    assert score(inverse, alone) <= min(searched)
    ours = score(inverse, np.array(rule.shares))
    for part in np.random.default_rng(0).dirichlet([1, 1, 1], 200):
        assert ours <= score(inverse, part) + 1e-12
        near = 0.99 * np.array(rule.shares) + 0.01 * part
        assert ours <= score(inverse, near) + 1e-12
    assert sum(rule.shares) == pytest.approx(1)


@needs_real
def test_by_squares_it_is_what_is_published() -> None:
    """CalArena prints .20893 and .09759 on this file."""
    fit_on, test = (real("nncal_resnet110_c10", split) for split in ("val", "test"))
    assert isinstance(fit_on, Predictions)
    assert isinstance(test, Predictions)
    mended = EnsembleTemperature(loss="squared").fit(fit_on).apply(test)
    assert nll(mended) == pytest.approx(0.20893, abs=1e-5)
    assert brier(mended) == pytest.approx(0.09759, abs=1e-5)


@pytest.mark.parametrize(("z", "y"), BAD_VECTORS.values(), ids=BAD_VECTORS)
def test_by_squares_bad_input_has_a_map(z: np.ndarray, y: np.ndarray) -> None:
    pred = from_logits(z, y)
    q = EnsembleTemperature(loss="squared").fit(pred).apply(pred)
    np.testing.assert_allclose(q.probs.sum(1), 1)
    assert brier(q) <= brier(pred) + 1e-9
