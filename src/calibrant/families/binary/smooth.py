"""Smooth: a penalised curve added to the log odds, averaged over its smoothness and its scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtr

from ...fitting.penalised import Fits, penalised_logistic
from ...fitting.pooling import Pool
from ...fitting.types import Array
from ...inputs.views import View
from .family import ChanceFamily
from .penalised_splines import LIMIT, points
from .shift import UncertainShift
from .shift_models import Model, PriorOdds, exact_gaps, models

_PRIOR_ODDS = PriorOdds(identity=0.05, temperature=0.05)
_LEAST_WEIGHT = 1e-3
# Quantiles of these normal scores are found at every so many points, by so many bisections.
_SCORES = np.arange(-3.0, 4.0)
_QUANTILES_EVERY = 6
_BISECTIONS = 16
# True curves are less smooth than any of these: so much wider their quantiles cover 95%.
_WIDENING = 1.1


@dataclass(frozen=True)
class Smooth(ChanceFamily):
    """The mean of the true chance when log odds err by some smooth curve.

    Penalised splines (Eilers and Marx 1996) of many strengths along three scales, one temperature
    and the identity are averaged by their evidence; what is claimed to be exactly 0 or 1 may jump.
    `rule.band` tells how surely the curve is known. There is nothing to set.

    >>> from calibrant import simulate
    >>> view, truth = simulate.task("square", 0.1).sample(3000, seed=0)
    >>> bool(abs(Smooth().fit(view)(view) - truth).mean() < 0.03)
    True
    """

    def chance_rule(self, view: View) -> UncertainShift:
        """Fit every curve on pooled claims and average those that matter."""
        pool = pooled_cells(view.odds_pool)
        curves = [_identity(pool)]
        for model in models(pool.p, _PRIOR_ODDS, exact_gaps(view)):
            fit = penalised_logistic(model.design, *pool, model.penalties)
            curves.append(_curves(model, fit))
        return _average(curves)


def pooled_cells(pool: Pool) -> Pool:
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


class _Curves(NamedTuple):
    """Calibrated log odds at all points, (curves, points), their variances and log evidence."""

    odds: Array
    variance: Array
    log_evidence: Array


def _identity(pool: Pool) -> _Curves:
    z, w, happened = pool
    softplus = np.logaddexp(0, z)
    log_likelihood = z @ happened - softplus @ w
    at = points()[None]
    log_evidence = log_likelihood + np.log(_PRIOR_ODDS.identity)
    return _Curves(at, np.zeros(at.shape), np.array([log_evidence]))


def _curves(model: Model, fit: Fits) -> _Curves:
    x = model.basis
    shift = fit.coefficients @ x.T
    most = 3 * LIMIT
    odds = np.clip(points() + shift, -most, most)
    covariance = np.linalg.inv(fit.precision)
    variance = ((x @ covariance) * x).sum(2)
    return _Curves(odds, variance, fit.log_evidence + np.log(model.odds))


def _average(curves: Sequence[_Curves]) -> UncertainShift:
    """The mean chance over the curves that matter, told as a shift of log odds."""
    log_evidence = np.concatenate([each.log_evidence for each in curves])
    share = np.exp(log_evidence - log_evidence.max())
    share[share < _LEAST_WEIGHT * share.sum()] = 0
    share /= share.sum()
    kept = share > 0
    share = share[kept]
    odds = np.concatenate([each.odds for each in curves])[kept]
    variance = np.concatenate([each.variance for each in curves])[kept]
    chance = share @ expit(odds)
    rest = share @ expit(-odds)
    mean = np.log(chance) - np.log(rest)
    at = points()
    some = slice(None, None, _QUANTILES_EVERY)
    sd = _WIDENING * np.sqrt(variance[:, some])
    quantiles = _quantiles(share, odds[:, some], sd)
    return UncertainShift(at, mean - at, _SCORES, at[some], quantiles - at[some])


def _quantiles(share: Array, mean: Array, sd: Array) -> Array:
    """Quantiles of mixtures of normal distributions, (scores, points), by bisection."""
    scores = _SCORES[:, None]
    # Each quantile lies between those of the components.
    each = mean[:, None] + scores * sd[:, None]
    low = each.min(0)
    high = each.max(0)
    target = ndtr(scores)
    scale = np.maximum(sd, 1e-9)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        z = (middle - mean[:, None]) / scale[:, None]
        is_below = np.einsum("m,msp->sp", share, ndtr(z)) < target
        low = np.where(is_below, middle, low)
        high = np.where(is_below, high, middle)
    return (low + high) / 2
