"""Newton's method for smooth convex functions of many variables, by conjugate gradients.

The Hessian is never formed: its products with vectors are enough.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .newton import Certificate, DidNotConverge
from .types import Array

LinearOperator = Callable[[Array], Array]

# The residual to stop at, as a share of the gradient: far from the optimum less would be wasted.
_LOOSEST_RESIDUAL = 0.1
_MOST_PRODUCTS = 500
_SHORTEST = 1e-20


class Point(NamedTuple):
    """A function at one point: its value, gradient and Hessian-vector product."""

    value: float
    gradient: Array
    hessian_product: LinearOperator


def minimise_many(
    at: Callable[[Array], Point],
    start: Array,
    preconditioner: LinearOperator,
    *,
    tolerance: float,
    most_steps: int = 200,
) -> tuple[Array, Certificate]:
    """Minimum of a convex function; `preconditioner` applies a rough inverse of its Hessian.

    The certificate's slope is the norm of the gradient that the preconditioner defines.

    >>> def square(x):
    ...     return Point(x @ x, 2 * x, lambda v: 2 * v)
    >>> x, _ = minimise_many(square, np.ones(3), lambda v: v, tolerance=1e-8)
    >>> bool(abs(x).max() < 1e-8)
    True
    """
    x = start
    here = at(x)
    for steps in range(most_steps):
        squared = here.gradient @ preconditioner(here.gradient)
        slope = float(np.sqrt(squared))
        if slope <= tolerance:
            return x, Certificate(slope, tolerance, steps)
        share = min(_LOOSEST_RESIDUAL, slope)
        # Nor need a residual be far below what will be tolerated.
        share = max(share, tolerance / slope / 3)
        move = _conjugate_gradients(here, preconditioner, share)
        x, here = _line_search(at, x, here, move)
    raise DidNotConverge(
        f"the fit did not converge: slope {slope:.3g} after {most_steps} steps, "
        f"allowed {tolerance:.3g}; look for extreme scores or weights, or give float64"
    )


def _conjugate_gradients(here: Point, preconditioner: LinearOperator, share: float) -> Array:
    """Newton's move, but for a residual of this share of the gradient, both as preconditioned."""
    move = np.zeros_like(here.gradient)
    residual = -here.gradient
    preconditioned = preconditioner(residual)
    direction = preconditioned
    squared = float(residual @ preconditioned)
    enough = share**2 * squared
    for _ in range(_MOST_PRODUCTS):
        product = here.hessian_product(direction)
        curvature = float(direction @ product)
        if curvature <= 0:  # flat but for rounding
            return move if move.any() else direction
        length = squared / curvature
        move = move + length * direction
        residual = residual - length * product
        preconditioned = preconditioner(residual)
        before = squared
        squared = float(residual @ preconditioned)
        if squared <= enough:
            break
        direction = preconditioned + squared / before * direction
    return move


def _line_search(
    at: Callable[[Array], Point],
    x: Array,
    here: Point,
    move: Array,
) -> tuple[Array, Point]:
    """The first point, as steps are halved, where the function has fallen, or the very last."""
    length = 1.0
    while True:
        there = x + length * move
        ahead = at(there)
        if length <= _SHORTEST or _has_fallen(here, ahead, length, move):
            return there, ahead
        length /= 2


def _has_fallen(
    here: Point,
    ahead: Point,
    length: float,
    move: Array,
) -> bool:
    """Is the decrease sufficient (Armijo), or hidden by rounding while the slope has shrunk?"""
    slope = float(here.gradient @ move)
    if ahead.value <= here.value + 1e-4 * length * slope:
        return True
    rounding = 1e-6 * (1 + abs(here.value))
    if not ahead.value <= here.value + rounding:
        return False
    slope_ahead = float(ahead.gradient @ move)
    return abs(slope_ahead) <= 0.9 * abs(slope)
