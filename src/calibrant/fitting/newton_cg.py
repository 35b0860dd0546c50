"""Newton's method for smooth convex functions of many variables, by conjugate gradients.

The Hessian is never formed: its products with vectors are enough.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .newton import Certificate, DidNotConverge
from .types import Array

LinearOperator = Callable[[Array], Array]
# A rough inverse of the Hessian, the closer the more products a move has taken so far.
Preconditioner = Callable[[int], LinearOperator]

# The residual to stop at, as a share of the gradient: far from the optimum less would be wasted.
_LOOSE_RESIDUAL = 0.1
_MOST_PRODUCTS = 500
# About the largest entry of a move: much further on, all that there is overflows.
_FURTHEST = 1e20
_SHORTEST = 1e-20
# A move that leaves so much of the slope was too short, as where the function falls for ever.
_MUCH_SLOPE = 0.2


class Point(NamedTuple):
    """A function at one point: its value and derivatives, and a rough inverse of its Hessian."""

    value: float
    gradient: Array
    hessian_product: LinearOperator
    preconditioner: Preconditioner


class _Move(NamedTuple):
    """Newton's move but for a residual, and how many products it took."""

    step: Array
    products: int


def minimise_many(
    at: Callable[[Array], Point],
    start: Array,
    *,
    tolerance: float,
    most_steps: int = 200,
    loosest: float = _LOOSE_RESIDUAL,
) -> tuple[Array, Certificate]:
    """Minimum of a convex function; no move leaves more than `loosest` of the gradient.

    The certificate's slope is the Newton decrement at the point returned: the larger of what the
    preconditioner and what conjugate gradients make of it there. A function that falls for ever is
    followed until it lies within the tolerance of its infimum.

    >>> def square(x):
    ...     return Point(x @ x, 2 * x, lambda v: 2 * v, lambda products: lambda v: v)
    >>> x, _ = minimise_many(square, np.ones(3), tolerance=1e-8)
    >>> bool(abs(x).max() < 1e-8)
    True
    """
    x = start
    here = at(x)
    before = slope = np.inf
    effort = 0
    for steps in range(most_steps):
        solve = here.preconditioner(effort)
        rough = _norm(here.gradient, solve(here.gradient))
        share = _residual_share(rough, before, tolerance, loosest)
        before = rough
        move = _conjugate_gradients(here, solve, share)
        slope = max(rough, _norm(here.gradient, -move.step))
        if slope <= tolerance:
            return x, Certificate(slope, tolerance, steps)
        effort = max(effort, move.products)
        x, here = _line_search(at, x, here, move.step)
    raise DidNotConverge(
        f"the fit did not converge: slope {slope:.3g} after {most_steps} steps, "
        f"allowed {tolerance:.3g}; rows that are all but separable have no optimum in reach: "
        "name a penalty, or give more rows; else look for extreme scores or weights"
    )


def _norm(gradient: Array, solved: Array) -> float:
    """The root of their product, which is positive but for rounding."""
    squared = float(gradient @ solved)
    if not np.isfinite(squared):
        raise DidNotConverge(
            f"the fit did not converge: its slope is {squared}; look for extreme scores or weights"
        )
    return float(np.sqrt(max(0.0, squared)))


def _residual_share(slope: float, before: float, tolerance: float, loosest: float) -> float:
    """The residual that is enough: less where the last move has served well (Eisenstat, Walker)."""
    gain = slope / before if np.isfinite(before) else 1.0
    share = min(loosest, gain**2)
    # Nor need a residual be far below what will be tolerated.
    least = tolerance / slope / 3 if slope > 0 else 1.0
    return max(share, least)


def _conjugate_gradients(here: Point, solve: LinearOperator, share: float) -> _Move:
    """Newton's move, but for a residual of this share of the gradient, both as preconditioned."""
    move = np.zeros_like(here.gradient)
    residual = -here.gradient
    preconditioned = solve(residual)
    direction = preconditioned
    squared = float(residual @ preconditioned)
    enough = share**2 * squared
    for products in range(1, _MOST_PRODUCTS + 1):
        product = here.hessian_product(direction)
        curvature = float(direction @ product)
        furthest = float(np.abs(direction).max())
        if curvature * _FURTHEST <= squared * furthest:  # flat but for rounding
            far = max(1.0, furthest / _FURTHEST)
            return _Move(move if move.any() else direction / far, products)
        length = squared / curvature
        move = move + length * direction
        residual = residual - length * product
        preconditioned = solve(residual)
        before = squared
        squared = float(residual @ preconditioned)
        if squared <= enough:
            break
        direction = preconditioned + squared / before * direction
    return _Move(move, products)


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
        if length == 1 and _has_fallen(here, ahead, length, move):
            return _further(at, x, here, ahead, move)
        if length <= _SHORTEST or _has_fallen(here, ahead, length, move):
            return there, ahead
        length /= 2


def _further(
    at: Callable[[Array], Point],
    x: Array,
    here: Point,
    ahead: Point,
    move: Array,
) -> tuple[Array, Point]:
    """The point a whole move away, or one so far beyond, by doubled steps, that the slope is gone."""
    length = 1.0
    slope = float(here.gradient @ move)
    while True:
        left = float(ahead.gradient @ move)
        if left > _MUCH_SLOPE * slope:
            return x + length * move, ahead
        beyond = at(x + 2 * length * move)
        if not beyond.value < ahead.value:
            return x + length * move, ahead
        length *= 2
        slope = left
        ahead = beyond


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
