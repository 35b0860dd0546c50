"""Newton's method for smooth convex functions of many variables: moves by conjugate gradients, never a matrix."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .newton import Certificate, DidNotConverge, Vector

Linear = Callable[[Vector], Vector]
# Of a move: far from the optimum more digits would be wasted.
_ROUGHLY = 0.1
_MOST_PARTS = 500


class Point(NamedTuple):
    """A function at one point: its value, its gradient, and its Hessian as what it makes of a vector."""

    value: float
    gradient: Vector
    hessian_product: Linear


def minimise_many(
    at: Callable[[Vector], Point],
    start: Vector,
    preconditioner: Linear,
    *,
    tolerance: float,
    most_steps: int = 200,
) -> tuple[Vector, Certificate]:
    """Minimum of a convex function; `preconditioner` undoes its Hessian about as well as can be done cheaply.

    The slope is the gradient's length, in the units of `preconditioner`.

    >>> x, _ = minimise_many(lambda x: Point(x @ x, 2 * x, lambda v: 2 * v), np.ones(3), lambda v: v, tolerance=1e-8)
    >>> bool(abs(x).max() < 1e-8)
    True
    """
    x, here = start, at(start)
    for steps in range(most_steps):
        slope = float(np.sqrt(here.gradient @ preconditioner(here.gradient)))
        if slope <= tolerance:
            return x, Certificate(slope, tolerance, steps)
        move = _newton_move(here, preconditioner, max(min(_ROUGHLY, slope), tolerance / slope / 3))
        length = 1.0
        while not _better(here, ahead := at(x + length * move), length, move) and length > 1e-20:
            length /= 2
        x, here = x + length * move, ahead
    raise DidNotConverge(
        f"the fit did not converge: slope {slope:.3g} after {most_steps} steps, allowed {tolerance:.3g}; look for "
        "extreme scores or weights, or give float64"
    )


def _better(here: Point, ahead: Point, length: float, move: Vector) -> bool:
    """Does the value fall as the slope promised? Where rounding hides it, slopes, which shrink, still tell."""
    promised = float(here.gradient @ move)
    level = ahead.value <= here.value + 1e-6 * (1 + abs(here.value))
    return ahead.value <= here.value + 1e-4 * length * promised or (
        level and abs(float(ahead.gradient @ move)) <= 0.9 * abs(promised)
    )


def _newton_move(here: Point, preconditioner: Linear, share: float) -> Vector:
    """Where the Hessian and the gradient cancel, but for a share of the gradient."""
    move, left = np.zeros_like(here.gradient), -here.gradient
    along = undone = preconditioner(left)
    size = first = float(left @ undone)
    for _ in range(_MOST_PARTS):
        product = here.hessian_product(along)
        curvature = float(along @ product)
        if curvature <= 0:  # flat but for rounding
            return move if move.any() else along
        move = move + size / curvature * along
        left = left - size / curvature * product
        undone = preconditioner(left)
        size, before = float(left @ undone), size
        if size <= share**2 * first:
            break
        along = undone + size / before * along
    return move
