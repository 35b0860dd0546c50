"""The identity changes nothing, of one chance or of whole vectors."""

from pathlib import Path

import numpy as np
import pytest

from calibrant import Identity, binary, from_logits, from_probs, load, top_label


def test_one_chance_stays_as_claimed() -> None:
    view = binary([0.0, 0.25, 1.0], [0, 1, 0])
    fitted = Identity().fit(view)
    assert fitted(view).tolist() == [0, 0.25, 1]
    assert fitted([[0.1, 0.2]]).tolist() == [[0.1, 0.2]]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("k", [2, 1000])
def test_logits_stay_as_they_are_however_extreme(kind: type, k: int) -> None:
    z: np.ndarray = np.random.default_rng(0).normal(0, 3, (20, k)).astype(kind)
    z[0, :2] = 1e4, -1e4
    pred = from_logits(z, np.zeros(20, int), weights=np.arange(20))
    fitted = Identity().fit(pred)
    assert fitted.apply(pred).values is z
    assert fitted.apply(pred).weights is pred.weights
    np.testing.assert_array_equal(fitted(pred), pred.probs)
    np.testing.assert_array_equal(top_label(fitted.apply(pred)).log_odds, top_label(pred).log_odds)


def test_probabilities_stay_as_they_are() -> None:
    pred = from_probs([[1.0, 0.0, 0.0], [0.5, 0.3, 0.2]], [0, 1])
    fitted = Identity().fit(pred)
    np.testing.assert_array_equal(fitted(pred), pred.probs)
    np.testing.assert_allclose(fitted.apply(pred).probs, pred.probs, atol=1e-15)


def test_saved_and_loaded(tmp_path: Path) -> None:
    pred = from_logits([[0.0, 1.0], [2.0, 0.0]], [1, 0])
    for x in (pred, top_label(pred)):
        Identity().fit(x).save(tmp_path / "map.safetensors")
        loaded = load(tmp_path / "map.safetensors")
        assert loaded.family == Identity()
        np.testing.assert_array_equal(loaded(x), Identity().fit(x)(x))
