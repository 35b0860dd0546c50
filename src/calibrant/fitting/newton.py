"""Newton's method for smooth convex functions of few variables, with a certificate."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .types import Array

Derivatives = tuple[float, Array, Array]
Objective = Callable[[Array], Derivatives]

_STUCK = (
    "the fit did not converge: slope {slope:.3g} after {steps} steps; "
    "look for extreme scores or weights"
)
_NOT_FINITE = (
    "the fit did not converge: the loss {value:.3g} or its derivatives are not finite after "
    "{steps} steps; look for extreme scores or weights"
)
_SHORTEST = 1e-20


@dataclass(frozen=True)
class Certificate:
    """Why a convex fit may be trusted: the slope left where it stopped, and the slope allowed.

    The slope is the Newton decrement: the gradient measured in the function's own curvature, so it
    means the same on any scale. Half its square is about how far the value still lies above the
    optimum.
    """

    slope: float
    tolerance: float
    steps: int


class DidNotConverge(ValueError):
    """No optimum was reached: there is none, or the steps ran out."""


def minimise(
    derivatives: Objective,
    start: Array,
    *,
    lower: float | Array = -np.inf,
    tolerance: float = 1e-7,
    most_steps: int = 200,
) -> tuple[Array, Certificate]:
    """Minimum of a convex function of variables at or above `lower`.

    `derivatives` gives value, gradient and Hessian.

    >>> def square(x):
    ...     return float(x[0] ** 2), 2 * x, np.array([[2.0]])
    >>> x, certificate = minimise(square, np.array([3.0]), lower=1.0)
    >>> x.tolist(), certificate.slope
    ([1.0], 0.0)
    """
    bound = np.broadcast_to(lower, start.shape)
    x = start
    here = derivatives(x)
    scale = np.zeros(x.shape)
    for steps in range(most_steps):
        value, gradient, hessian = here
        if not np.isfinite(value + gradient.sum() + hessian.sum()):
            raise DidNotConverge(_NOT_FINITE.format(value=value, steps=steps))
        curvature = np.diag(hessian)
        scale = np.maximum(scale, np.sqrt(curvature))
        move = _newton_move(x, gradient, hessian, bound, scale)
        slope = _slope(gradient, move)
        ray = _ray(x, move, bound)
        if slope <= tolerance:
            # The last move is taken too: it doubles the digits that the slope vouches for.
            x = ray.at(ray.longest)
            return x, Certificate(slope, tolerance, steps)
        found = _line_search(derivatives, here, ray)
        if found is None:
            raise DidNotConverge(_STUCK.format(slope=slope, steps=steps))
        x, here = found
    raise DidNotConverge(_STUCK.format(slope=slope, steps=most_steps))


def _newton_move(
    x: Array,
    gradient: Array,
    hessian: Array,
    bound: Array,
    scale: Array,
) -> Array:
    """Newton's move of the free variables: a variable at its bound is free only to leave it."""
    # Here, as it takes a while to import.
    from scipy.linalg import lstsq

    # Least squares, in units that put variables on one scale: directions without curvature stay.
    unit = np.where(scale > 0, scale, 1.0)
    scaled_hessian = hessian / np.outer(unit, unit)
    scaled_gradient = gradient / unit
    free = (x > bound) | (gradient < 0)
    while True:
        curvature = scaled_hessian[np.ix_(free, free)]
        # By QR: the singular values that numpy asks for take four times as long, and some builds of
        # LAPACK do not find those of a thousand variables.
        rounding = np.finfo(float).eps * len(curvature)
        solution = lstsq(curvature, scaled_gradient[free], rounding, lapack_driver="gelsy")[0]
        move = np.zeros(x.shape)
        move[free] = -solution / unit[free]
        stuck = free & (x <= bound)
        stuck &= move < 0
        if not stuck.any():
            return move
        free &= ~stuck


def _slope(gradient: Array, move: Array) -> float:
    """The Newton decrement."""
    squared = -float(gradient @ move)
    return float(np.sqrt(np.maximum(squared, 0.0)))  # nan stays nan


class _Ray(NamedTuple):
    """The way from x along a move; each variable stops at its bound, after a length `room`."""

    x: Array
    move: Array
    bound: Array
    room: Array

    @property
    def longest(self) -> float:
        """The length to the first bound, at most a whole move."""
        least = float(self.room.min())
        return min(1.0, least)

    def at(self, length: float) -> Array:
        """Where a step of this length leads."""
        ahead = self.x + length * self.move
        return np.where(self.room <= length, self.bound, ahead)


def _ray(x: Array, move: Array, bound: Array) -> _Ray:
    room = np.full(x.shape, np.inf)
    np.divide(
        bound - x,
        move,
        out=room,
        where=move < 0,
    )
    return _Ray(x, move, bound, room)


def _line_search(
    derivatives: Objective,
    here: Derivatives,
    ray: _Ray,
) -> tuple[Array, Derivatives] | None:
    """The first point, as steps are halved, where the function has fallen, or None."""
    length = ray.longest
    while True:
        x = ray.at(length)
        ahead = derivatives(x)
        if _has_fallen(here, ahead, x, ray):
            return x, ahead
        length /= 2
        if length < _SHORTEST:
            return None


def _has_fallen(
    here: Derivatives,
    ahead: Derivatives,
    x: Array,
    ray: _Ray,
) -> bool:
    """Is the decrease sufficient (Armijo), or hidden by rounding while the slope has shrunk?"""
    value, gradient, _ = here
    found, gradient_ahead, _ = ahead
    promised = 1e-4 * gradient @ (x - ray.x)
    if found <= value + promised:
        return True
    rounding = 1e-6 * (1 + abs(value))
    if not found <= value + rounding:
        return False
    slope = abs(gradient @ ray.move)
    slope_ahead = abs(gradient_ahead @ ray.move)
    return bool(slope_ahead <= 0.9 * slope)
