"""Smooth: a penalised spline added to the log odds, averaged over how smooth it is and along which scale."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtri

from ...fitting.penalised import Local, local, penalised_logistic
from ...fitting.pooling import Pool
from ...fitting.types import Array
from ...inputs.views import View
from ..family import ChanceRule, Fact
from ..operations import Claims, Operations, Value
from .family import ChanceFamily

Scale = Literal["chance", "angle", "odds"]
# The angle is arcsin of the root. Each scale spreads other claims apart: networks pile up near 1, where only log odds
# tell claims from one another. Order 1 draws the shift towards a constant, order 2 towards a line.
_ORDERS = (1, 2)
_STRENGTHS = np.logspace(-1, 6, 8)
_SPLINES = 24
# What no penalty touches, a constant and a slope along the scale, is believed to be about this large.
_SCALES: dict[Scale, tuple[float, float]] = {
    "chance": (1.0, 2.0),
    "angle": (1.0, 2.0),
    "odds": (1.0, 0.5),
}
# The odds, beforehand, that the claims are right as they are.
_IDENTITY_ODDS = 0.02
_LEAST_WEIGHT = 1e-3
# Beyond these log odds a claim is 1 for all that outcomes could tell.
_LIMIT = 30.0


@dataclass(frozen=True, eq=False)
class Shift(ChanceRule):
    """What is added to the log odds, a line between the points `odds`, and its standard deviation."""

    tag = "shift"
    band_name = "95% band"
    odds: Array
    shift: Array
    sd: Array

    def formula(self, claims: Claims, ops: Operations) -> Value:
        z = ops.clip(claims.log_odds, self.odds[..., 0], self.odds[..., -1])
        return ops.expit(z + ops.line(z, self.odds, self.shift))

    def band(self, claims: Claims, level: float = 0.95) -> tuple[Array, Array]:
        z = np.clip(claims.log_odds, self.odds[0], self.odds[-1])
        middle = z + np.interp(z, self.odds, self.shift)
        half = ndtri((1 + level) / 2) * np.interp(z, self.odds, self.sd)
        return expit(middle - half), expit(middle + half)

    def facts(self) -> Iterator[Fact]:
        for claim in (0.1, 0.5, 0.9):
            z = logit(claim)
            name = f"shift at {100 * claim:.0f}%"
            yield Fact(
                name, float(np.interp(z, self.odds, self.shift)), "added to the log odds there"
            )


@dataclass(frozen=True)
class Smooth(ChanceFamily):
    """The mean of the true chance when log odds err by some smooth curve; `rule.band` tells how surely it is known.

    Curves of many strengths along three scales are fitted, and weighed by how probable they make the outcomes. There
    is nothing to set.

    >>> from calibrant import simulate
    >>> view, truth = simulate.task("square", 0.1).sample(3000, seed=0)
    >>> bool(abs(Smooth().fit(view)(view) - truth).mean() < 0.03)
    True
    """

    def chance_rule(self, view: View) -> Shift:
        """Fit every member on pooled claims and average those that matter."""
        z, w, happened = _cells(view.odds_pool)
        # One claim alone has no scale: widened, so that a shift of it is a shift of its neighbours.
        ends = (z[0], z[-1]) if z[-1] - z[0] > 2 else (z[0] - 1, z[-1] + 1)
        models = {scale: _model(scale, z.tobytes(), ends) for scale in _SCALES}
        fits = {
            scale: penalised_logistic(model.design, z, w, happened, model.penalties)
            for scale, model in models.items()
        }
        members = sum(len(fit.log_evidence) for fit in fits.values())
        untouched = z @ happened - np.logaddexp(0, z) @ w + np.log(_IDENTITY_ODDS * members)
        weight = _shares(
            np.append(np.concatenate([fit.log_evidence for fit in fits.values()]), untouched)
        )
        at = _points()
        odds, variance = [at[None]], [np.zeros((1, len(at)))]
        shares = [weight[-1:]]
        for (scale, fit), share in zip(fits.items(), np.split(weight[:-1], len(fits)), strict=True):
            if (kept := share > 0).any():
                x = models[scale].basis
                odds.append(np.clip(at + fit.coefficients[kept] @ x.T, -3 * _LIMIT, 3 * _LIMIT))
                variance.append(((x @ np.linalg.inv(fit.precision[kept])) * x).sum(2))
                shares.append(share[kept])
        return _average(at, np.concatenate(odds), np.concatenate(variance), np.concatenate(shares))


def _cells(pool: Pool) -> Pool:
    """Claims as they are where few are distinct, else shared out between points: the work does not grow with rows."""
    z, w, happened = pool
    z, at = np.clip(z, -_LIMIT, _LIMIT), _points()
    if len(z) <= len(at):
        return Pool(z, w, happened)
    # A claim's weight goes to the two points beside it, the nearer the more: no claim's small move makes a jump.
    below = np.clip(np.searchsorted(at, z, side="right") - 1, 0, len(at) - 2)
    above = (z - at[below]) / (at[below + 1] - at[below])
    ends, parts = np.append(below, below + 1), np.append(1 - above, above)
    w, happened = (
        np.bincount(ends, np.tile(x, 2) * parts, len(at)).astype(np.float64) for x in (w, happened)
    )
    # Points between claims stay, though nothing weighs there: rows drawn again then lie on the same ones.
    held = np.flatnonzero(w)
    span = slice(held[0], held[-1] + 1)
    return Pool(at[span], w[span], happened[span])


class _Model(NamedTuple):
    """A scale's splines at the claims and at all points, and the penalties on them."""

    design: Local
    basis: Array
    penalties: Array


@lru_cache(maxsize=24)
def _model(scale: Scale, claims: bytes, ends: tuple[float, float]) -> _Model:
    """Kept for a while, as rows drawn again make the same claims."""
    z = np.frombuffer(claims)
    return _Model(
        local(_basis(scale, z, ends)), _basis(scale, _points(), ends), _penalties(scale, ends)
    )


@cache
def _points() -> Array:
    """Log odds spaced evenly by angle, and evenly in themselves where angles no longer tell them apart."""
    by_angle = 2 * np.log(np.tan(np.linspace(0, np.pi / 2, 302)[1:-1]))
    return np.unique(np.concatenate([by_angle, np.linspace(-_LIMIT, _LIMIT, 241)]))


def _basis(scale: Scale, z: Array, ends: tuple[float, float]) -> Array:
    """Cubic B-splines along a scale, (rows, splines)."""
    from scipy.interpolate import BSpline

    if scale == "odds":
        u = (z - ends[0]) / (ends[1] - ends[0])
    else:
        u = expit(z) if scale == "chance" else 2 / np.pi * np.arctan(np.exp(z / 2))
    pieces = _SPLINES - 3
    knots = np.arange(-3, pieces + 4) / pieces
    return BSpline.design_matrix(np.clip(u, 0, 1 - 1e-12), knots, 3).toarray()


def _penalties(scale: Scale, ends: tuple[float, float]) -> Array:
    """Of each order and strength: roughness of the coefficients, and the weak belief about what has none."""
    # Coefficients evenly spaced make a line: along log odds themselves, else about the middle of the scale.
    along = (np.arange(_SPLINES) - 1) / (_SPLINES - 3)
    line = ends[0] + (ends[1] - ends[0]) * along if scale == "odds" else along - 0.5
    found = []
    for order in _ORDERS:
        steps = np.diff(np.eye(_SPLINES), order, axis=0)
        free = np.linalg.pinv(np.stack([np.ones(_SPLINES), line][:order], axis=1))
        belief = free.T @ (free / np.square(_SCALES[scale][:order])[:, None])
        found.append(_STRENGTHS[:, None, None] * (steps.T @ steps) + belief)
    return np.concatenate(found)


def _shares(log_evidence: Array) -> Array:
    """Posterior weights; those too small to matter are dropped."""
    weight = np.exp(log_evidence - log_evidence.max())
    weight[weight < _LEAST_WEIGHT * weight.sum()] = 0
    return weight / weight.sum()


def _average(at: Array, odds: Array, variance: Array, share: Array) -> Shift:
    """The mean chance over curves, told as a shift of log odds; the spread is of each curve and between them."""
    mean = np.log(share @ expit(odds)) - np.log(share @ expit(-odds))
    return Shift(at, mean - at, np.sqrt(share @ (variance + (odds - mean) ** 2)))
