"""Newton's method for smooth convex functions of few variables, with a certificate of where it stopped."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.floating[Any]]
Derivatives = tuple[float, Vector, Vector]


@dataclass(frozen=True)
class Certificate:
    """Why a convex fit may be trusted: the slope left at the point where it stopped, and the slope allowed.

    The slope is measured in the function's own curvature, so it means the same on any scale: half its square is
    about how far the value still lies above the optimum.
    """

    slope: float
    tolerance: float
    steps: int


_STUCK = "the fit did not converge: slope {slope:.3g} after {steps} steps; look for extreme scores or weights"


class DidNotConverge(ValueError):
    """No optimum was reached: there is none, or the steps ran out."""


def minimise(
    derivatives: Callable[[Vector], Derivatives],
    start: Vector,
    *,
    lower: float | Vector = -np.inf,
    tolerance: float = 1e-7,
    most_steps: int = 200,
) -> tuple[Vector, Certificate]:
    """Minimum of a convex function of variables at or above `lower`; `derivatives` gives value, gradient, Hessian.

    >>> x, certificate = minimise(lambda x: (float(x[0] ** 2), 2 * x, np.array([[2.0]])), np.array([3.0]), lower=1.0)
    >>> x.tolist(), certificate.slope
    ([1.0], 0.0)
    """
    x, bound = start, np.broadcast_to(lower, start.shape)
    value, gradient, hessian = derivatives(x)
    unit = np.zeros(x.shape)
    for steps in range(most_steps):
        unit = np.maximum(unit, np.sqrt(np.diag(hessian)))
        move = _newton_move(x, gradient, hessian, bound, np.where(unit > 0, unit, 1.0))
        slope = float(np.sqrt(max(0.0, -float(gradient @ move))))
        room = np.divide(bound - x, move, out=np.full(x.shape, np.inf), where=move < 0)
        length = min(1.0, float(room.min()))
        if slope <= tolerance:
            # The last move is taken as well: it doubles the digits, and the slope vouches for where it began.
            return np.where(room <= length, bound, x + length * move), Certificate(
                slope, tolerance, steps
            )
        while True:
            ahead = np.where(room <= length, bound, x + length * move)
            found = derivatives(ahead)
            falls = found[0] <= value + 1e-4 * gradient @ (ahead - x)
            # Near the optimum rounding hides whether values fall, but slopes, which shrink towards it, still tell.
            level = found[0] <= value + 1e-6 * (1 + abs(value))
            if falls or (level and abs(found[1] @ move) <= 0.9 * abs(gradient @ move)):
                break
            length /= 2
            if length < 1e-20:
                raise DidNotConverge(_STUCK.format(slope=slope, steps=steps))
        x, (value, gradient, hessian) = ahead, found
    raise DidNotConverge(_STUCK.format(slope=slope, steps=most_steps))


def _newton_move(
    x: Vector, gradient: Vector, hessian: Vector, bound: Vector, unit: Vector
) -> Vector:
    """Newton's move of the free variables: a variable at its bound is free only to leave it."""
    free = (x > bound) | (gradient < 0)
    while True:
        move = np.zeros(x.shape)
        # Least squares, in units that put variables on one scale: directions the data say nothing about stay.
        scaled = (hessian / np.outer(unit, unit))[np.ix_(free, free)]
        move[free] = -np.linalg.lstsq(scaled, (gradient / unit)[free])[0] / unit[free]
        stuck = free & (x <= bound) & (move < 0)
        if not stuck.any():
            return move
        free &= ~stuck
