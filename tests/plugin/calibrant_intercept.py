"""Intercept: one number added to all log odds, as where events are rarer than in training."""

from collections.abc import Iterator
from dataclasses import dataclass

from scipy.optimize import brentq
from scipy.special import expit

from calibrant import ChanceFamily, ChanceRule, Fact, View
from calibrant.families.operations import Claims, Operations, Value


@dataclass(frozen=True, eq=False)
class Added(ChanceRule):
    """Log odds z + intercept."""

    tag = "added"
    intercept: float

    def formula(self, claims: Claims, ops: Operations) -> Value:
        return ops.expit(claims.log_odds + self.intercept)

    def facts(self) -> Iterator[Fact]:
        yield Fact("intercept", self.intercept, "added to the log odds; below 0, claims fall")


@dataclass(frozen=True)
class Intercept(ChanceFamily):
    """The intercept that claims as many events as happened, and `prior` more of each outcome.

    >>> from calibrant import binary
    >>> Intercept().fit(binary([0.5] * 8, [1, 1, 1, 1, 1, 1, 1, 0]))([0.5]).round(3).tolist()
    [0.8]
    """

    prior: float = 1.0

    def chance_rule(self, view: View) -> Added:
        z, w, happened = view.odds_pool

        def excess(intercept: float) -> float:
            pull = self.prior * (2 * expit(intercept) - 1)
            return float(w @ expit(z + intercept) - happened.sum()) + pull

        return Added(float(brentq(excess, -200, 200, xtol=1e-13)))
