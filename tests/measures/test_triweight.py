"""The triweight estimate against plain sums over all rows."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

from calibrant import binary, triweight_error


def _mirrored_density(p: np.ndarray, at: np.ndarray, width: float) -> np.ndarray:
    mirrored = np.concatenate([-p, p, 2 - p])
    u = (at[:, None] - mirrored) / (3 * width)
    return (35 / 32 * np.where(np.abs(u) < 1, (1 - u**2) ** 3, 0) / (3 * width)).sum(1)


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("width", [None, 0.03])
def test_triweight_against_plain_sums(width: float | None, norm: int) -> None:
    random = np.random.default_rng(6)
    p = random.beta(5, 2, 400)
    y = random.random(400) < p**2
    at = np.linspace(0, 1, 4001)
    w = p.std() * 800**-0.2 if width is None else width
    density, events = _mirrored_density(p, at, w), _mirrored_density(p[y], at, w)
    share = np.divide(events, density, out=np.zeros_like(at), where=density > 0)
    expected = (trapezoid(np.abs(share - at) ** norm * density, at) / trapezoid(density, at)) ** (
        1 / norm
    )
    found = triweight_error(binary(p, y), bandwidth=width, norm=norm)  # type: ignore[arg-type]
    assert found == pytest.approx(expected, abs=1e-5)


def test_widths_that_a_grid_cannot_show() -> None:
    view = binary([0.2, 0.7, 0.9], [0, 1, 1])
    with pytest.raises(ValueError, match=r"bandwidth must be at least 0\.00049"):
        triweight_error(view, bandwidth=1e-4)
    assert triweight_error(view, bandwidth=1e5) == triweight_error(view, bandwidth=100.0)


def test_claims_on_the_ends_weigh_as_much_as_their_mirrors() -> None:
    # A third of the claims are exactly 0 or 1, and stand on the grid's first and last node.
    random = np.random.default_rng(7)
    p = np.concatenate([random.random(200), np.zeros(50), np.ones(50)])
    y = random.random(300) < 0.2 + 0.5 * p
    at = np.linspace(0, 1, 8193)
    density, events = _mirrored_density(p, at, 0.05), _mirrored_density(p[y], at, 0.05)
    expected = trapezoid(np.abs(events - at * density), at) / trapezoid(density, at)
    assert triweight_error(binary(p, y), bandwidth=0.05) == pytest.approx(expected, abs=1e-4)
