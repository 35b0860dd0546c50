"""Cubic splines by their heights at knots spaced evenly: their pieces, and bounds on slopes."""

from typing import Literal

import numpy as np

from ...fitting.types import Array

Runout = Literal["natural", "parabolic", "cubic"]
# What is 0 at an end: a sum of the second derivatives at the knots from there on, so weighed.
END_CONDITIONS: dict[Runout, list[float]] = {
    "natural": [1.0],
    "parabolic": [1.0, -1.0],
    "cubic": [1.0, -2.0, 1.0],
}


def cubic_pieces(knots: int, runout: Runout) -> Array:
    """Between each two knots, the coefficients of 1, u, u^2 and u^3.

    They are linear in the heights at all knots: (pieces, 4, knots).
    """
    h = 1 / (knots - 1)
    heights = np.eye(knots)
    curvature = _second_derivatives(knots, runout)
    left = curvature[:-1]
    right = curvature[1:]
    rise = np.diff(heights, axis=0) / h
    sagging = h * (2 * left + right) / 6
    slope = rise - sagging
    third = np.diff(curvature, axis=0) / (6 * h)
    coefficients = [heights[:-1], slope, left / 2, third]
    return np.stack(coefficients, axis=1)


def _second_derivatives(knots: int, runout: Runout) -> Array:
    """Those at the knots, linear in the heights there, of the spline whose slope has no jumps."""
    h = 1 / (knots - 1)
    system = np.eye(knots)
    differences = np.zeros((knots, knots))
    second_difference = np.array([1, -2, 1])
    scaled = second_difference * 6 / h**2
    for i in range(1, knots - 1):
        about = slice(i - 1, i + 2)
        system[i, about] = 1, 4, 1
        differences[i, about] = scaled
    end = END_CONDITIONS[runout]
    size = len(end)
    system[0, :size] = end
    system[-1, -size:] = end[::-1]
    return np.linalg.solve(system, differences)


def bounded_heights(
    free: Array,
    gram: Array,
    p: Array,
    slopes: Array,
) -> Array:
    """Heights nearest to the free optimum, as least squares measures it, with chances in [0, 1].

    Bounds are taken up one by one as they are broken; each problem is a least distance, solved by
    its dual.
    """
    # In these coordinates the squared error is the squared distance to the free optimum.
    factor = np.linalg.cholesky(gram / gram.trace())
    to_heights = np.linalg.inv(factor).T
    normals = np.vstack([slopes, -slopes])
    levels = np.concatenate([-p, p - 1])
    heights = free
    taken: list[int] = []
    while True:
        short = levels - normals @ heights
        worst = int(short.argmax())
        if short[worst] <= 1e-9 or worst in taken:
            return heights
        taken.append(worst)
        bounds = normals[taken]
        missing = levels[taken] - bounds @ free
        shortest = _least_distance(bounds @ to_heights, missing)
        heights = free + to_heights @ shortest


def _least_distance(normals: Array, levels: Array) -> Array:
    """The shortest x for which normals @ x >= levels, by its dual (Lawson and Hanson 1974)."""
    from scipy.optimize import nnls

    system = np.vstack([normals.T, levels])
    target = np.zeros(len(system))
    target[-1] = 1.0
    dual, _ = nnls(system, target)
    residual = system @ dual - target
    last = residual[-1]
    return -residual[:-1] / last
