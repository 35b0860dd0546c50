"""Smooth: a penalised spline added to the log odds, averaged over its smoothness and its scale."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtri

from ...fitting.penalised import Fits, Local, local, penalised_logistic
from ...fitting.pooling import Pool
from ...fitting.types import Array, Bools
from ...inputs.views import View
from ..operations import Claims, Operations, Value
from ..rules import ChanceRule, Fact
from .family import ChanceFamily

# The angle is arcsin of the root. Each scale spreads other claims apart: networks pile up near 1,
# where only log odds tell claims from one another.
Scale = Literal["chance", "angle", "odds"]
Ends = tuple[float, float]
# Order 1 draws the shift towards a constant, order 2 towards a line.
_ORDERS = (1, 2)
_STRENGTHS = np.logspace(-1, 6, 8)
_SPLINES = 24
# Prior standard deviations of what no penalty touches: a constant, and a slope along the scale.
_PRIOR_SDS: dict[Scale, tuple[float, float]] = {
    "chance": (1.0, 2.0),
    "angle": (1.0, 2.0),
    "odds": (1.0, 0.5),
}
# Prior odds that the claims are right as they are.
_IDENTITY_ODDS = 0.02
_LEAST_WEIGHT = 1e-3
# Beyond these log odds a claim is 1 for all that outcomes could tell.
_LIMIT = 30.0


@dataclass(frozen=True, eq=False)
class Shift(ChanceRule):
    """What is added to the log odds, a line between points `odds`, and its standard deviation."""

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
            shift = np.interp(logit(claim), self.odds, self.shift)
            name = f"shift at {100 * claim:.0f}%"
            yield Fact(name, float(shift), "added to the log odds there")


@dataclass(frozen=True)
class Smooth(ChanceFamily):
    """The mean of the true chance when log odds err by some smooth curve.

    Penalised splines (Eilers and Marx 1996) of many strengths along three scales are fitted, and
    averaged by their evidence. `rule.band` tells how surely the curve is known. There is nothing to
    set.

    >>> from calibrant import simulate
    >>> view, truth = simulate.task("square", 0.1).sample(3000, seed=0)
    >>> bool(abs(Smooth().fit(view)(view) - truth).mean() < 0.03)
    True
    """

    def chance_rule(self, view: View) -> Shift:
        """Fit every curve on pooled claims and average those that matter."""
        pool = _cells(view.odds_pool)
        models = _models(pool.p)
        fits = [penalised_logistic(model.design, *pool, model.penalties) for model in models]
        posterior = _posterior(pool, fits)
        curves = [_identity(posterior[-1:])]
        by_scale = np.split(posterior[:-1], len(fits))
        for model, fit, share in zip(models, fits, by_scale, strict=True):
            kept = share > 0
            if kept.any():
                curves.append(_curves(model, fit, share, kept))
        return _average(curves)


def _cells(pool: Pool) -> Pool:
    """Claims as they are where few are distinct, else dealt out between points.

    So the work does not grow with rows.
    """
    z = np.clip(pool.p, -_LIMIT, _LIMIT)
    at = _points()
    if len(z) <= len(at):
        return Pool(z, pool.w, pool.happened)
    # A claim's weight goes to the two points beside it, the nearer the more: no claim's small move
    # makes a jump.
    place = np.searchsorted(at, z, side="right") - 1
    below = np.clip(place, 0, len(at) - 2)
    above = (z - at[below]) / (at[below + 1] - at[below])
    ends = np.append(below, below + 1)
    parts = np.append(1 - above, above)

    def dealt(x: Array) -> Array:
        weights = np.tile(x, 2) * parts
        return np.bincount(ends, weights, len(at)).astype(np.float64, copy=False)

    w = dealt(pool.w)
    happened = dealt(pool.happened)
    # Points between claims stay, though nothing weighs there: resampled rows then lie on the same.
    filled = np.flatnonzero(w)
    span = slice(filled[0], filled[-1] + 1)
    return Pool(at[span], w[span], happened[span])


@cache
def _points() -> Array:
    """Log odds spaced evenly by angle, and evenly in themselves where angles are too near to 1."""
    angles = np.linspace(0, np.pi / 2, 302)[1:-1]
    by_angle = 2 * np.log(np.tan(angles))
    by_odds = np.linspace(-_LIMIT, _LIMIT, 241)
    return np.unique(np.concatenate([by_angle, by_odds]))


class _Model(NamedTuple):
    """A scale's splines at the claims and at all points, and the penalties on them."""

    design: Local
    basis: Array
    penalties: Array


def _models(z: Array) -> list[_Model]:
    ends = z[0], z[-1]
    if ends[1] - ends[0] <= 2:
        # One claim alone has no scale: widened, a shift of it is a shift of its neighbours.
        ends = z[0] - 1, z[-1] + 1
    return [_model(scale, z.tobytes(), ends) for scale in _PRIOR_SDS]


@lru_cache(maxsize=24)
def _model(scale: Scale, claims: bytes, ends: Ends) -> _Model:
    """Kept for a while, as resampled rows make the same claims."""
    z = np.frombuffer(claims)
    design = local(_basis(scale, z, ends))
    return _Model(design, _basis(scale, _points(), ends), _penalties(scale, ends))


def _basis(scale: Scale, z: Array, ends: Ends) -> Array:
    """Cubic B-splines along a scale, (rows, splines)."""
    from scipy.interpolate import BSpline

    pieces = _SPLINES - 3
    knots = np.arange(-3, pieces + 4) / pieces
    inside = np.clip(_along(scale, z, ends), 0, 1 - 1e-12)
    return BSpline.design_matrix(inside, knots, 3).toarray()


def _along(scale: Scale, z: Array, ends: Ends) -> Array:
    """Where log odds lie along a scale, from 0 to 1."""
    if scale == "odds":
        return (z - ends[0]) / (ends[1] - ends[0])
    if scale == "chance":
        return expit(z)
    return 2 / np.pi * np.arctan(np.exp(z / 2))


def _penalties(scale: Scale, ends: Ends) -> Array:
    """Precisions of the coefficients for each order and strength, (members, splines, splines).

    Differences of that order are penalised; what they leave free has a weak prior.
    """
    line = _line(scale, ends)
    found = []
    for order in _ORDERS:
        differences = np.diff(np.eye(_SPLINES), order, axis=0)
        roughness = differences.T @ differences
        unpenalised = np.stack([np.ones(_SPLINES), line][:order], axis=1)
        to_unpenalised = np.linalg.pinv(unpenalised)
        variance = np.square(_PRIOR_SDS[scale][:order])
        prior = to_unpenalised.T @ (to_unpenalised / variance[:, None])
        found.append(_STRENGTHS[:, None, None] * roughness + prior)
    return np.concatenate(found)


def _line(scale: Scale, ends: Ends) -> Array:
    """Coefficients of a straight line: of log odds themselves, else about the scale's middle."""
    along = (np.arange(_SPLINES) - 1) / (_SPLINES - 3)
    if scale == "odds":
        return ends[0] + (ends[1] - ends[0]) * along
    return along - 0.5


def _posterior(pool: Pool, fits: Sequence[Fits]) -> Array:
    """Posterior probabilities of all curves, and last of the identity; the least are dropped."""
    z, w, happened = pool
    of_curves = np.concatenate([fit.log_evidence for fit in fits])
    log_likelihood = z @ happened - np.logaddexp(0, z) @ w
    of_identity = log_likelihood + np.log(_IDENTITY_ODDS * len(of_curves))
    log_evidence = np.append(of_curves, of_identity)
    weight = np.exp(log_evidence - log_evidence.max())
    weight[weight < _LEAST_WEIGHT * weight.sum()] = 0
    return weight / weight.sum()


class _Curves(NamedTuple):
    """Calibrated log odds at all points, (curves, points), their variances and their shares."""

    odds: Array
    variance: Array
    share: Array


def _identity(share: Array) -> _Curves:
    at = _points()[None]
    return _Curves(at, np.zeros(at.shape), share)


def _curves(model: _Model, fit: Fits, share: Array, kept: Bools) -> _Curves:
    x = model.basis
    shift = fit.coefficients[kept] @ x.T
    odds = np.clip(_points() + shift, -3 * _LIMIT, 3 * _LIMIT)
    covariance = np.linalg.inv(fit.precision[kept])
    variance = ((x @ covariance) * x).sum(2)
    return _Curves(odds, variance, share[kept])


def _average(curves: Sequence[_Curves]) -> Shift:
    """The mean chance over curves, told as a shift of log odds.

    Its variance is that of each curve and between them.
    """
    odds, variance, share = map(np.concatenate, zip(*curves, strict=True))
    mean = np.log(share @ expit(odds)) - np.log(share @ expit(-odds))
    sd = np.sqrt(share @ (variance + (odds - mean) ** 2))
    at = _points()
    return Shift(at, mean - at, sd)
