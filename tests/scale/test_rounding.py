"""Exact 0 and 1 are read as they are in memory."""

import numpy as np
import pytest

from calibrant import binary, from_probs, top_label
from calibrant.inputs.views import Data
from calibrant.scale import Sketch

FOREST = np.array([[1.0, 0, 0], [0.99, 0.01, 0], [0, 0.5, 0.5], [0.3, 0.3, 0.4]])


def pair(p: list[float], dtype: type[np.floating]) -> Data:
    first = np.array(p, dtype)
    return from_probs(np.stack([1 - first, first], axis=1), np.arange(len(p)) % 2)


CASES = {
    "three classes": from_probs(FOREST, [0, 0, 1, 2]),
    "nothing exact": from_probs(FOREST[3:], [0]),
    "only 0 and 1": from_probs(np.eye(3)[[0, 1, 2, 0]], [0, 0, 1, 2]),
    "a pair": pair([0.0, 1.0, 0.25, 1e-12], np.float64),
    "a pair in float32": pair([0.0, 1.0, 0.25, 1e-12], np.float32),
    "a coarse pair": pair([0.0, 1.0, 0.25, 0.5], np.float16),
    "claims": binary([0.0, 1.0, 0.1, 1e-20], [0, 1, 1, 0]),
    "half claims": binary(np.array([0.0, 1.0, 0.125], np.float16), [0, 1, 1]),
    "weighted": from_probs(FOREST, [0, 0, 1, 2], weights=[2, 0, 1, 0.5]),
}


@pytest.mark.parametrize("name", CASES)
def test_the_reading_is_that_of_all_rows_in_memory(name: str) -> None:
    x = CASES[name]
    asked = top_label(x) if name not in ("claims", "half claims") else x  # type: ignore[arg-type]
    for part in (slice(None), slice(None, None, -1)):
        sketch = Sketch()
        for row in range(x.n)[part]:
            sketch = sketch.merge(Sketch().update(x[row]))
        found = sketch.view().late_reading.found
        assert found == pytest.approx(asked.late_reading.found, abs=0)


def test_log_odds_are_those_of_single_rows() -> None:
    x = CASES["three classes"]
    sketch = Sketch().update(x)
    for view, exact in [(sketch.view(), top_label(x))]:  # type: ignore[arg-type]
        assert np.allclose(np.sort(view.log_odds), np.sort(exact.log_odds), atol=1e-7)
        other = view.with_floor(0.01).log_odds
        assert np.allclose(np.sort(other), np.sort(exact.with_floor(0.01).log_odds), atol=1e-7)
        assert np.allclose(np.sort(view[1:].log_odds), np.sort(view.log_odds[1:]))
