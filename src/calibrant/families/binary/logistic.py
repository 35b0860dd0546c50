"""Logistic maps: calibrated log odds are linear in a few functions of the claimed log odds."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Generic, TypeVar

import numpy as np

from ...fitting.irls import logistic
from ...fitting.newton import Certificate, DidNotConverge
from ...fitting.types import Array
from ...inputs.views import View
from ..operations import Claims, Operations, Value
from ..rules import ChanceRule, Fact
from .family import ChanceFamily

_MOST_ODDS = 1e75
_MOST_SEEN_FROM_AFAR = 1e9  # beyond it slope and intercept cancel in too many digits
_FEW = 5000  # claims that tell where to start
_AT_ONCE = 10  # Newton steps: a fit that needs more runs towards infinity
FittedRule = TypeVar("FittedRule", bound=ChanceRule)


@dataclass(frozen=True, eq=False)
class Sigmoid(ChanceRule):
    """Log odds slope * z + intercept."""

    tag = "sigmoid"
    slope: float
    intercept: float
    certificate: Certificate

    def formula(self, claims: Claims, ops: Operations) -> Value:
        z = self.slope * claims.log_odds + self.intercept
        return ops.expit(z)

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
        linear = self.a * log_p - self.b * log_rest
        return ops.expit(linear + self.intercept)

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
        slope = self.curvature * z + self.slope
        return ops.expit(slope * z + self.intercept)

    def facts(self) -> Iterator[Fact]:
        yield Fact("curvature", self.curvature, "squared log odds times this are added")
        yield Fact("slope", self.slope, "log odds are multiplied by it; below 1, claims soften")
        yield Fact("intercept", self.intercept, "then added to the log odds")


class LogisticFamily(ChanceFamily, Generic[FittedRule]):
    """Log odds linear in `columns` of the claimed log odds, and an intercept."""

    identity: ClassVar[tuple[float, ...]]
    least: ClassVar[float] = -np.inf  # what a slope may be

    @abstractmethod
    def columns(self, z: Array) -> list[Array]:
        """What the slopes are of."""

    @abstractmethod
    def rule(self, best: Sequence[float], certificate: Certificate) -> FittedRule:
        """The rule of slopes and intercept."""

    def targets(self, happened: float, missed: float) -> tuple[float, float]:  # noqa: ARG002
        """What an event and its absence count as, of so many of each."""
        return 1.0, 0.0

    def chance_rule(self, view: View) -> FittedRule:
        """Newton's method to the optimum."""
        z, w, happened = view.odds_pool
        _refuse_extremes(z)
        missed = w - happened
        of_event, of_rest = self.targets(happened.sum(), missed.sum())
        targets = (happened * of_event + missed * of_rest) / w
        best = _fitted(self.columns(z), self.identity, targets, w, self.least)
        return self.rule(*best)


@dataclass(frozen=True)
class Platt(LogisticFamily[Sigmoid]):
    """A straight line through log odds, fitted to targets drawn in from 0 and 1.

    They are drawn in as by one more row of each outcome (Platt 1999). Not `smoothed` it is plain
    logistic regression on the outcomes, steep without end where a threshold parts them.

    >>> from calibrant import binary
    >>> view = binary([0.2] * 5 + [0.9] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0])
    >>> Platt().fit(view)([0.2, 0.9]).round(4).tolist()
    [0.2857, 0.7143]
    """

    identity = (1.0,)
    _: KW_ONLY
    smoothed: bool = True

    def columns(self, z: Array) -> list[Array]:
        return [z]

    def targets(self, happened: float, missed: float) -> tuple[float, float]:
        if not self.smoothed:
            return super().targets(happened, missed)
        return (happened + 1) / (happened + 2), 1 / (missed + 2)

    def rule(self, best: Sequence[float], certificate: Certificate) -> Sigmoid:
        slope, intercept = best
        return Sigmoid(slope, intercept, certificate)


@dataclass(frozen=True)
class Beta(LogisticFamily[BetaCurve]):
    """Log odds linear in ln p and ln(1 - p), neither slope negative.

    These are the beta curves, which contain the identity (Kull et al. 2017).

    >>> from calibrant import binary
    >>> view = binary([0.2] * 5 + [0.9] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0])
    >>> Beta().fit(view)([0.2, 0.9]).round(4).tolist()
    [0.2, 0.8]
    """

    identity = (1.0, 1.0)
    least = 0.0

    def columns(self, z: Array) -> list[Array]:
        # From log odds logarithms are exact however near a claim is to 0 and 1.
        log_p = -np.logaddexp(0, -z)
        minus_log_rest = np.logaddexp(0, z)
        return [log_p, minus_log_rest]

    def rule(self, best: Sequence[float], certificate: Certificate) -> BetaCurve:
        a, b, intercept = best
        return BetaCurve(a, b, intercept, certificate)


@dataclass(frozen=True)
class Quadratic(LogisticFamily[Parabola]):
    """A parabola through log odds.

    >>> from calibrant import binary
    >>> view = binary([0.2] * 5 + [0.9] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0])
    >>> Quadratic().fit(view)([0.2, 0.9]).round(4).tolist()
    [0.2, 0.8]
    """

    identity = (0.0, 1.0)

    def columns(self, z: Array) -> list[Array]:
        return [z**2, z]

    def rule(self, best: Sequence[float], certificate: Certificate) -> Parabola:
        curvature, slope, intercept = best
        return Parabola(curvature, slope, intercept, certificate)


def _refuse_extremes(z: Array) -> None:
    """Squares of log odds must be numbers, and sums of them too."""
    largest = float(np.abs(z).max(initial=0))
    if largest > _MOST_ODDS:
        raise ValueError(
            f"log odds must be at most {_MOST_ODDS:g} in size for a fit, got {largest:.3g}: "
            "clip the scores first"
        )


def _fitted(
    columns: list[Array],
    identity: tuple[float, ...],
    targets: Array,
    w: Array,
    least: float = -np.inf,
) -> tuple[list[float], Certificate]:
    """Slopes of the columns, none below `least`, and the intercept.

    A single claim tells nothing of slopes, which stay those of the identity.
    """
    ones = np.ones_like(w)
    features = np.stack([*columns, ones], axis=1)
    # Seen from one of the claims, a column that is the same for all is 0 and has no say.
    centre = features[len(w) // 2].copy()
    centre[-1] = 0.0
    features -= centre
    start = np.append(identity, 0.0)
    # Nor do claims tell of slopes that are so extreme that these would drown the intercept.
    is_extreme = np.append(np.abs(centre[:-1]) > _MOST_SEEN_FROM_AFAR, False)
    start[features.any(0) | is_extreme] = 0.0
    lower = np.full(len(start), least)
    lower[-1] = -np.inf
    start = _nearby(features, targets, w, start, lower)
    best, certificate = logistic(features, targets, w, start=start, lower=lower)
    best[-1] -= best @ centre
    return best.tolist(), certificate


def _nearby(features: Array, targets: Array, w: Array, start: Array, lower: Array) -> Array:
    """The optimum of every so many claims, which saves most steps over all; the start if they tell of none."""
    every = len(w) // _FEW
    if every < 2:
        return start
    few = slice(None, None, every)
    try:
        found, certificate = logistic(
            features[few],
            targets[few],
            w[few],
            start=start,
            lower=lower,
        )
    except DidNotConverge:
        return start
    return found if certificate.steps <= _AT_ONCE else start
