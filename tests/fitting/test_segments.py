"""Broken lines against numpy's interpolation, and their derivatives against differences."""

import numpy as np
import pytest

from calibrant.fitting.segments import line_derivatives, line_values

POINTS = np.sort(np.random.default_rng(0).random(80))


def _lines(lines: int, segments: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(segments)
    inner = np.sort(random.random((lines, segments - 1)), axis=1)
    knots = np.pad(inner, ((0, 0), (1, 1)), constant_values=(0, 1))
    heights = random.random((lines, segments + 1))
    return knots, heights


@pytest.mark.parametrize("segments", [1, 2, 7])
def test_values_are_interpolated(segments: int) -> None:
    knots, heights = _lines(3, segments)
    expected = [np.interp(POINTS, *line) for line in zip(knots, heights, strict=True)]
    np.testing.assert_allclose(line_values(POINTS, knots, heights), expected, atol=1e-12)


@pytest.mark.parametrize("segments", [1, 2, 5])
def test_derivatives_in_heights_and_knots(segments: int) -> None:
    knots, heights = _lines(2, segments)
    random = np.random.default_rng(1)
    slope = random.normal(size=(2, 80))
    curvature = random.random((2, 80))
    gradient, hessian = line_derivatives(POINTS, knots, heights, slope, curvature)
    for line in range(2):

        def at(v: np.ndarray, line: int = line) -> np.ndarray:
            inner = v[segments + 1 :]
            all_knots = np.concatenate([knots[line, :1], inner, knots[line, -1:]])
            return np.interp(POINTS, all_knots, v[: segments + 1])

        here = np.concatenate([heights[line], knots[line, 1:-1]])
        slopes = np.stack([(at(here + e) - at(here - e)) / 2e-7 for e in 1e-7 * np.eye(len(here))])
        np.testing.assert_allclose(gradient[line], slopes @ slope[line], atol=1e-5)
        expected = (slopes * curvature[line]) @ slopes.T
        np.testing.assert_allclose(hessian[line], expected, atol=1e-4)


def test_a_segment_without_points_adds_nothing() -> None:
    x = np.array([0.1, 0.9])
    knots = np.array([[0.0, 0.3, 0.6, 1.0]])
    heights = np.array([[0.0, 1.0, 0.5, 0.2]])
    ones = np.ones((1, 2))
    gradient, hessian = line_derivatives(x, knots, heights, ones, ones)
    # The heights and knots at the two ends of the middle segment do not act together.
    assert hessian[0, 1, 2] == hessian[0, 4, 5] == 0
    np.testing.assert_allclose(gradient[0, :4].sum(), 2)
