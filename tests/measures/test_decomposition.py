"""The parts of a score against the score itself and against isotonic regression."""

import numpy as np
import pytest

from calibrant import Isotonic, binary, brier, decompose, nll

R = np.random.default_rng(0)
P, Y, W = R.beta(2, 2, 500), R.random(500) < 0.6, R.integers(1, 4, 500)
VIEW = binary(P, Y, weights=W)


@pytest.mark.parametrize("score", ["brier", "log"])
def test_the_parts_make_up_the_score(score: str) -> None:
    parts = decompose(VIEW, score=score)  # type: ignore[arg-type]
    whole = brier(VIEW) if score == "brier" else nll(VIEW)
    assert parts.miscalibration - parts.discrimination + parts.uncertainty == pytest.approx(whole)
    assert min(parts) >= 0
    base = np.average(Y, weights=W)
    expected = (
        base * (1 - base)
        if score == "brier"
        else -base * np.log(base) - (1 - base) * np.log(1 - base)
    )
    assert parts.uncertainty == pytest.approx(expected)


def test_miscalibration_is_what_isotonic_regression_would_gain() -> None:
    q = Isotonic().fit(VIEW)(VIEW)
    assert decompose(VIEW).miscalibration == pytest.approx(
        brier(VIEW) - np.average((q - Y) ** 2, weights=W)
    )
