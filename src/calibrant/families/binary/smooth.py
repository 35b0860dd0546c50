"""Smooth: a penalised spline added to the log odds, averaged over its smoothness and its scale."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtri

from ...fitting.penalised import Fits, penalised_logistic
from ...fitting.pooling import Pool
from ...fitting.types import Array, Bools
from ...inputs.views import View
from ..operations import Claims, Operations, Value
from ..rules import ChanceRule, Fact
from .family import ChanceFamily
from .penalised_splines import LIMIT, Model, models, points

# Prior odds that the claims are right as they are.
_IDENTITY_ODDS = 0.02
_LEAST_WEIGHT = 1e-3


@dataclass(frozen=True, eq=False)
class Shift(ChanceRule):
    """What is added to the log odds, a line between points `odds`, and its standard deviation."""

    tag = "shift"
    odds: Array
    shift: Array
    sd: Array

    def formula(self, claims: Claims, ops: Operations) -> Value:
        low = self.odds[..., 0]
        high = self.odds[..., -1]
        z = ops.clip(claims.log_odds, low, high)
        shift = ops.line(z, self.odds, self.shift)
        return ops.expit(z + shift)

    def band(self, claims: Claims, level: float = 0.95) -> tuple[Array, Array]:
        low = self.odds[0]
        high = self.odds[-1]
        z = np.clip(claims.log_odds, low, high)
        shift = np.interp(z, self.odds, self.shift)
        sd = np.interp(z, self.odds, self.sd)
        middle = z + shift
        half = ndtri((1 + level) / 2) * sd
        return expit(middle - half), expit(middle + half)

    def facts(self) -> Iterator[Fact]:
        for claim in (0.1, 0.5, 0.9):
            z = logit(claim)
            shift = np.interp(z, self.odds, self.shift)
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
        by_scale = models(pool.p)
        fits = []
        for model in by_scale:
            fit = penalised_logistic(model.design, *pool, model.penalties)
            fits.append(fit)
        posterior = _posterior(pool, fits)
        of_curves = posterior[:-1]
        of_identity = posterior[-1:]
        of_scales = np.split(of_curves, len(fits))
        curves = [_identity(of_identity)]
        for model, fit, share in zip(by_scale, fits, of_scales, strict=True):
            kept = share > 0
            if kept.any():
                curves.append(_curves(model, fit, share, kept))
        return _average(curves)


def _cells(pool: Pool) -> Pool:
    """Claims as they are where few are distinct, else dealt out between points.

    So the work does not grow with rows.
    """
    z = np.clip(pool.p, -LIMIT, LIMIT)
    at = points()
    if len(z) <= len(at):
        return Pool(z, pool.w, pool.happened)
    # A claim's weight goes to the two points beside it, the nearer the more: no claim's small move
    # makes a jump.
    place = np.searchsorted(at, z, side="right") - 1
    below = np.clip(place, 0, len(at) - 2)
    gaps = np.diff(at)
    past = z - at[below]
    above = past / gaps[below]
    ends = np.append(below, below + 1)
    parts = np.append(1 - above, above)

    def dealt(x: Array) -> Array:
        weights = np.tile(x, 2) * parts
        sums = np.bincount(ends, weights, len(at))
        return sums.astype(np.float64, copy=False)

    w = dealt(pool.w)
    happened = dealt(pool.happened)
    # Points between claims stay, though nothing weighs there: resampled rows then lie on the same.
    filled = np.flatnonzero(w)
    first = filled[0]
    last = filled[-1]
    span = slice(first, last + 1)
    return Pool(at[span], w[span], happened[span])


def _posterior(pool: Pool, fits: Sequence[Fits]) -> Array:
    """Posterior probabilities of all curves, and last of the identity; the least are dropped."""
    z, w, happened = pool
    of_curves = np.concatenate([fit.log_evidence for fit in fits])
    softplus = np.logaddexp(0, z)
    log_likelihood = z @ happened - softplus @ w
    log_prior = np.log(_IDENTITY_ODDS * len(of_curves))
    log_evidence = np.append(of_curves, log_likelihood + log_prior)
    weight = np.exp(log_evidence - log_evidence.max())
    weight[weight < _LEAST_WEIGHT * weight.sum()] = 0
    return weight / weight.sum()


class _Curves(NamedTuple):
    """Calibrated log odds at all points, (curves, points), their variances and their shares."""

    odds: Array
    variance: Array
    share: Array


def _identity(share: Array) -> _Curves:
    at = points()[None]
    return _Curves(at, np.zeros(at.shape), share)


def _curves(
    model: Model,
    fit: Fits,
    share: Array,
    kept: Bools,
) -> _Curves:
    x = model.basis
    shift = fit.coefficients[kept] @ x.T
    most = 3 * LIMIT
    odds = np.clip(points() + shift, -most, most)
    covariance = np.linalg.inv(fit.precision[kept])
    variance = ((x @ covariance) * x).sum(2)
    return _Curves(odds, variance, share[kept])


def _average(curves: Sequence[_Curves]) -> Shift:
    """The mean chance over curves, told as a shift of log odds.

    Its variance is that of each curve and between them.
    """
    odds = np.concatenate([each.odds for each in curves])
    variance = np.concatenate([each.variance for each in curves])
    share = np.concatenate([each.share for each in curves])
    chance = share @ expit(odds)
    rest = share @ expit(-odds)
    mean = np.log(chance) - np.log(rest)
    between = (odds - mean) ** 2
    sd = np.sqrt(share @ (variance + between))
    at = points()
    return Shift(at, mean - at, sd)
