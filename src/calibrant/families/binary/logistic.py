"""Logistic maps: the log odds of the calibrated chance are linear in a few functions of the claimed log odds."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...fitting.irls import logistic
from ...fitting.newton import Certificate
from ...fitting.types import Array
from ...inputs.views import View
from ..family import ChanceRule, Fact
from ..operations import Claims, Operations, Value
from .family import ChanceFamily


@dataclass(frozen=True, eq=False)
class Sigmoid(ChanceRule):
    """Log odds slope * z + intercept."""

    tag = "sigmoid"
    slope: float
    intercept: float
    certificate: Certificate

    def formula(self, claims: Claims, ops: Operations) -> Value:
        return ops.expit(self.slope * claims.log_odds + self.intercept)

    def facts(self) -> Iterator[Fact]:
        yield Fact("slope", self.slope, "log odds are multiplied by it; below 1, claims soften")
        yield Fact("intercept", self.intercept, "then added to the log odds")


@dataclass(frozen=True, eq=False)
class BetaCurve(ChanceRule):
    """Log odds a ln p - b ln(1 - p) + intercept."""

    tag = "beta-curve"
    a: float
    b: float
    intercept: float
    certificate: Certificate

    def formula(self, claims: Claims, ops: Operations) -> Value:
        log_p = ops.log_expit(claims.log_odds)
        log_rest = ops.log_expit(-claims.log_odds)
        return ops.expit(self.a * log_p - self.b * log_rest + self.intercept)

    def facts(self) -> Iterator[Fact]:
        yield Fact("a", self.a, "times the log of the claim; 1 changes nothing")
        yield Fact("b", self.b, "times the log of one less the claim; 1 changes nothing")
        yield Fact("intercept", self.intercept, "then added to the log odds")


@dataclass(frozen=True, eq=False)
class Parabola(ChanceRule):
    """Log odds (curvature * z + slope) * z + intercept."""

    tag = "parabola"
    curvature: float
    slope: float
    intercept: float
    certificate: Certificate

    def formula(self, claims: Claims, ops: Operations) -> Value:
        z = claims.log_odds
        return ops.expit((self.curvature * z + self.slope) * z + self.intercept)

    def facts(self) -> Iterator[Fact]:
        yield Fact("curvature", self.curvature, "squared log odds times this are added")
        yield Fact("slope", self.slope, "log odds are multiplied by it; below 1, claims soften")
        yield Fact("intercept", self.intercept, "then added to the log odds")


@dataclass(frozen=True)
class Platt(ChanceFamily):
    """A straight line through log odds, fitted to targets drawn in from 0 and 1 as by one more row of each outcome.

    >>> from calibrant import binary
    >>> Platt().fit(binary([0.2] * 5 + [0.9] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0]))([0.2, 0.9]).round(4).tolist()
    [0.2857, 0.7143]
    """

    def chance_rule(self, view: View) -> Sigmoid:
        """Newton's method to the optimum."""
        z, w, happened = view.odds_pool
        n1 = happened.sum()
        n0 = w.sum() - n1
        targets = (happened * (n1 + 1) / (n1 + 2) + (w - happened) / (n0 + 2)) / w
        (slope, intercept), certificate = _fitted([z], [1.0], targets, w)
        return Sigmoid(slope, intercept, certificate)


@dataclass(frozen=True)
class Beta(ChanceFamily):
    """Log odds linear in ln p and ln(1 - p), neither slope negative: the beta curves, which contain the identity.

    >>> from calibrant import binary
    >>> Beta().fit(binary([0.2] * 5 + [0.9] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0]))([0.2, 0.9]).round(4).tolist()
    [0.2, 0.8]
    """

    def chance_rule(self, view: View) -> BetaCurve:
        """Newton's method to the optimum under the two bounds."""
        z, w, happened = view.odds_pool
        log_p, log_rest = _logs(z)
        (a, b, intercept), certificate = _fitted(
            [log_p, -log_rest], [1.0, 1.0], happened / w, w, least=0.0
        )
        return BetaCurve(a, b, intercept, certificate)


@dataclass(frozen=True)
class Quadratic(ChanceFamily):
    """A parabola through log odds.

    >>> from calibrant import binary
    >>> Quadratic().fit(binary([0.2] * 5 + [0.9] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0]))([0.2, 0.9]).round(4).tolist()
    [0.2, 0.8]
    """

    def chance_rule(self, view: View) -> Parabola:
        """Newton's method to the optimum."""
        z, w, happened = view.odds_pool
        (curvature, slope, intercept), certificate = _fitted([z**2, z], [0.0, 1.0], happened / w, w)
        return Parabola(curvature, slope, intercept, certificate)


def _fitted(
    columns: list[Array], identity: list[float], targets: Array, w: Array, least: float = -np.inf
) -> tuple[list[float], Certificate]:
    """Slopes of the columns, none below `least`, and the intercept; a single claim leaves the slopes of identity."""
    features = np.stack([*columns, np.ones_like(w)], axis=1)
    # Seen from one of the claims, a column that is the same for all is 0 and has no say.
    centre = np.append(features[len(w) // 2, :-1], 0.0)
    features -= centre
    start = np.where(features.any(0), 0.0, [*identity, 0.0])
    lower = np.append(np.full(len(columns), least), -np.inf)
    best, certificate = logistic(features, targets, w, start=start, lower=lower)
    best[-1] -= best @ centre
    return best.tolist(), certificate


def _logs(z: Array) -> tuple[Array, Array]:
    """Logarithms of the chance and of the rest, from log odds: exact however near to 0 and 1."""
    return -np.logaddexp(0, -z), -np.logaddexp(0, z)
