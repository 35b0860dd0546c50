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


class DidNotConverge(ValueError):
    """No optimum was reached: there is none, or the steps ran out."""


def minimise(
    derivatives: Callable[[Vector], Derivatives],
    start: Vector,
    *,
    lower: float = -np.inf,
    tolerance: float = 1e-7,
    most_steps: int = 200,
) -> tuple[Vector, Certificate]:
    """Minimum of a convex function of variables at or above `lower`; `derivatives` gives value, gradient, Hessian.

    >>> x, certificate = minimise(lambda x: (float(x[0] ** 2), 2 * x, np.array([[2.0]])), np.array([3.0]), lower=1.0)
    >>> x.tolist(), certificate.slope
    ([1.0], 0.0)
    """
    x = start
    value, gradient, hessian = derivatives(x)
    for steps in range(most_steps):
        # A variable at its bound is free only to leave it.
        free = (x > lower) | (gradient < 0)
        # Least squares: directions the data say nothing about stay where they are.
        move = np.zeros_like(x)
        move[free] = -np.linalg.lstsq(hessian[np.ix_(free, free)], gradient[free])[0]
        slope = float(np.sqrt(max(0.0, -float(gradient @ move))))
        if slope <= tolerance:
            return x, Certificate(slope, tolerance, steps)
        length = 1.0
        while True:
            ahead = np.maximum(x + length * move, lower)
            found = derivatives(ahead)
            # The last term forgives rounding, or the final steps would never be taken.
            if found[0] <= value + 1e-4 * gradient @ (ahead - x) + 1e-9 * (1 + abs(value)):
                break
            length /= 2
            if length < 1e-12:
                raise DidNotConverge(f"the fit did not converge: slope {slope:.3g} after {steps} steps")
        x, (value, gradient, hessian) = ahead, found
    raise DidNotConverge(f"the fit did not converge: slope {slope:.3g} after {most_steps} steps")
