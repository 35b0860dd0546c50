"""Penalised B-splines along a scale of claims, as curves that a shift of log odds may follow."""

from functools import cache
from typing import Literal

import numpy as np
from scipy.special import expit

from ...fitting.types import Array

# Beyond these log odds a claim is 1 for all that outcomes could tell.
LIMIT = 30.0
# The angle is arcsin of the root. Each scale spreads other claims apart: networks pile up near 1,
# where only log odds tell claims from one another.
Scale = Literal["chance", "angle", "odds"]
Ends = tuple[float, float]
# Order 1 draws the shift towards a constant, order 2 towards a line.
_ORDERS = (1, 2)
_STRENGTHS = np.logspace(-1, 6, 8)
_SPLINES = 24
# Prior standard deviations of what no penalty touches: a constant, and a slope along the scale.
PRIOR_SDS: dict[Scale, tuple[float, float]] = {
    "chance": (1.0, 2.0),
    "angle": (1.0, 2.0),
    "odds": (1.0, 0.5),
}


@cache
def points() -> Array:
    """Log odds spaced evenly by angle, and evenly in themselves where angles are too near to 1."""
    angles = np.linspace(0, np.pi / 2, 302)
    tangents = np.tan(angles[1:-1])
    by_angle = 2 * np.log(tangents)
    by_odds = np.linspace(-LIMIT, LIMIT, 241)
    return np.unique(np.append(by_angle, by_odds))


def scale_ends(z: Array) -> Ends:
    """Between which log odds a scale of ascending claims is stretched."""
    low = z[0]
    high = z[-1]
    if high - low <= 2:
        # One claim alone has no scale: widened, a shift of it is a shift of its neighbours.
        return low - 1, high + 1
    return low, high


def basis(scale: Scale, z: Array, ends: Ends) -> Array:
    """Cubic B-splines along a scale, (rows, splines)."""
    from scipy.interpolate import BSpline

    pieces = _SPLINES - 3
    knots = np.arange(-3, pieces + 4) / pieces
    along = _along(scale, z, ends)
    inside = np.clip(along, 0, 1 - 1e-12)
    return BSpline.design_matrix(inside, knots, 3).toarray()


def penalties(scale: Scale, ends: Ends) -> Array:
    """Precisions of the coefficients for each order and strength, (members, splines, splines).

    Differences of that order are penalised; what they leave free has a weak prior.
    """
    constant = np.ones(_SPLINES)
    free = np.stack([constant, _line(scale, ends)], axis=1)
    variance = np.square(PRIOR_SDS[scale])
    strengths = _STRENGTHS[:, None, None]
    found = []
    for order in _ORDERS:
        differences = np.diff(np.eye(_SPLINES), order, axis=0)
        roughness = differences.T @ differences
        to_free = np.linalg.pinv(free[:, :order])
        scaled = to_free / variance[:order, None]
        prior = to_free.T @ scaled
        found.append(strengths * roughness + prior)
    return np.concatenate(found)


def _along(scale: Scale, z: Array, ends: Ends) -> Array:
    """Where log odds lie along a scale, from 0 to 1."""
    low, high = ends
    if scale == "odds":
        return (z - low) / (high - low)
    if scale == "chance":
        return expit(z)
    root_of_odds = np.exp(z / 2)
    return 2 / np.pi * np.arctan(root_of_odds)


def _line(scale: Scale, ends: Ends) -> Array:
    """Coefficients of a straight line: of log odds themselves, else about the scale's middle."""
    places = np.arange(_SPLINES) - 1
    along = places / (_SPLINES - 3)
    if scale == "odds":
        low, high = ends
        return low + (high - low) * along
    return along - 0.5
