"""Smooth: a penalised curve added to the log odds, averaged over its smoothness and its scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtr

from ...fitting.penalised import penalised_logistic
from ...fitting.pooling import Pool
from ...fitting.types import Array, Bools
from ...inputs.views import View, split_outcomes
from ..maps import ChanceMap
from .family import ChanceFamily
from .penalised_splines import LIMIT, points
from .shift import BareShift, UncertainShift
from .shift_models import PriorOdds, exact_gaps, models

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
        share, kept = _averaged(view)
        odds = _odds(kept)
        at = points()
        some = slice(None, None, _QUANTILES_EVERY)
        variance = np.concatenate([each.variance() for each in kept])
        sd = _WIDENING * np.sqrt(variance)
        quantiles = _quantiles(share, odds[:, some], sd)
        shift = _mean_odds(share, odds) - at
        return UncertainShift(at, shift, _SCORES, at[some], quantiles - at[some])

    def fit_curve(self, view: View) -> ChanceMap:
        """The same map without its band, whose quantiles take as long as all the fits."""
        share, kept = _averaged(split_outcomes(view))
        shift = _mean_odds(share, _odds(kept)) - points()
        return self._chance_map(view, BareShift(points(), shift))


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


class _Members(NamedTuple):
    """Curves that share columns: coefficients on them at all points, and log evidence."""

    basis: Array
    coefficients: Array
    precision: Array
    log_evidence: Array

    def kept(self, rows: Bools) -> "_Members":
        """Some of the curves."""
        return _Members(self.basis, *(each[rows] for each in self[1:]))

    def odds(self) -> Array:
        """Calibrated log odds, (curves, points)."""
        shift = self.coefficients @ self.basis.T
        most = 3 * LIMIT
        return np.clip(points() + shift, -most, most)

    def variance(self) -> Array:
        """Of the log odds, at the points where quantiles are found."""
        x = self.basis[::_QUANTILES_EVERY]
        covariance = np.linalg.inv(self.precision)
        return ((x @ covariance) * x).sum(2)


def _averaged(view: View) -> tuple[Array, list[_Members]]:
    """The curves that matter, with their shares of the evidence."""
    pool = pooled_cells(view.odds_pool)
    found = [_identity(pool)]
    for model in models(pool.p, _PRIOR_ODDS, exact_gaps(view)):
        fit = penalised_logistic(model.design, *pool, model.penalties)
        log_evidence = fit.log_evidence + np.log(model.odds)
        found.append(_Members(model.basis, fit.coefficients, fit.precision, log_evidence))
    log_evidence = np.concatenate([each.log_evidence for each in found])
    share = np.exp(log_evidence - log_evidence.max())
    share[share < _LEAST_WEIGHT * share.sum()] = 0
    share /= share.sum()
    ends = np.cumsum([len(each.log_evidence) for each in found])
    matters = np.split(share > 0, ends[:-1])
    kept = [each.kept(rows) for each, rows in zip(found, matters, strict=True)]
    return share[share > 0], kept


def _identity(pool: Pool) -> _Members:
    """One curve, of no columns."""
    z, w, happened = pool
    softplus = np.logaddexp(0, z)
    log_likelihood = z @ happened - softplus @ w
    log_evidence = log_likelihood + np.log(_PRIOR_ODDS.identity)
    basis = np.zeros((len(points()), 0))
    return _Members(basis, np.zeros((1, 0)), np.zeros((1, 0, 0)), np.array([log_evidence]))


def _odds(members: Sequence[_Members]) -> Array:
    """Calibrated log odds at all points, (curves, points)."""
    return np.concatenate([each.odds() for each in members])


def _mean_odds(share: Array, odds: Array) -> Array:
    """The log odds of the mean chance."""
    chance = share @ expit(odds)
    rest = share @ expit(-odds)
    mean: Array = np.log(chance) - np.log(rest)
    return mean


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
