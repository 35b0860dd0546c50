"""Diagrams of three classes."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from shared_pictures import words

from calibrant import curves, from_logits, plots


def _three_classes() -> curves.Simplex:
    random = np.random.default_rng(0)
    logits = random.normal(0, 2, (400, 3))
    labels = (logits + random.gumbel(0, 2, (400, 3))).argmax(1)
    return curves.simplex(from_logits(logits, labels))


def test_rows_and_gaps_are_two_panels() -> None:
    seen = _three_classes()
    rows, gaps = plots.simplex(seen)
    assert "400 of 400 rows" in words(rows)
    assert f"Canonical error {100 * seen.error:.2f} points" in words(gaps)
    assert f"right claims would show {100 * seen.level:.2f} points" in words(gaps)
    with pytest.raises(ValueError, match="must be 2 axes"):
        plots.simplex(seen, panels=[plt.figure().add_subplot()])
