"""Descents of broken lines: knots in order, heights within bounds, losses that fall."""

import numpy as np
import pytest

from calibrant.fitting.levenberg_marquardt import BrokenLines, Losses, apart, descend
from calibrant.fitting.segments import line_values

X = np.linspace(0, 1, 60)
TARGETS = np.stack([np.sin(5 * X), 2 * X**2 - 0.5])
KNOTS = np.tile([0.0, 0.3, 0.7, 1.0], (2, 1))
HEIGHTS = np.zeros((2, 4))


def _squares(f: np.ndarray) -> Losses:
    gap = f - TARGETS
    return (gap**2).sum(1), 2 * gap, np.full(f.shape, 2.0)


def _descended(bounds: tuple[float, float], *, move_knots: bool) -> BrokenLines:
    return descend(
        _squares,
        X,
        KNOTS,
        HEIGHTS,
        bounds=bounds,
        tolerance=1e-12,
        move_knots=move_knots,
    )


def test_knots_are_put_in_order_and_apart() -> None:
    knots = apart(np.array([[0.0, 0.7, 0.4, 0.4, 1.0], [0.0, 1.5, -0.2, 1.0, 1.0]]))
    assert (np.diff(knots) >= 0.99e-6).all()
    np.testing.assert_array_equal(knots[:, [0, -1]], [[0, 1]] * 2)


def test_heights_alone_are_those_of_least_squares() -> None:
    found = _descended((-9, 9), move_knots=False)
    np.testing.assert_allclose(found.knots, KNOTS, atol=1e-12)
    hats = [line_values(X, KNOTS[:1], unit[None])[0] for unit in np.eye(4)]
    expected = np.linalg.lstsq(np.stack(hats, axis=1), TARGETS.T)[0]
    np.testing.assert_allclose(found.heights, expected.T, atol=1e-6)


def test_knots_that_move_lower_the_loss() -> None:
    still = _descended((-9, 9), move_knots=False)
    moved = _descended((-9, 9), move_knots=True)
    assert (moved.loss < still.loss).all()
    np.testing.assert_array_equal(moved.knots[:, [0, -1]], [[0, 1]] * 2)


@pytest.mark.parametrize("move_knots", [False, True])
def test_heights_keep_their_bounds(*, move_knots: bool) -> None:
    found = _descended((-0.2, 0.5), move_knots=move_knots)
    assert found.heights.min() == -0.2
    assert found.heights.max() == 0.5


def test_some_of_the_lines() -> None:
    found = _descended((-9, 9), move_knots=True)
    swapped = found.of(np.array([1, 0]))
    for one, other in zip(found, swapped, strict=True):
        np.testing.assert_array_equal(one[::-1], other)
