"""Temperature scaling: every logit divided by one number."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...fitting.blocks import on_all_cores, row_blocks, working_type
from ...fitting.irls import LEAST_CURVATURE, logistic
from ...fitting.newton import Certificate, Derivatives, minimise
from ...fitting.types import Array, Ints
from ...fitting.weights import some, weighted_sum
from ...inputs.views import Canonical, View
from ..family import Family
from ..operations import Claims, Operations, Value, Vectors
from ..rules import ChanceRule, Fact, LogitRule, Rule

_SOME_ROWS = 2000
# Half its square, 5e-13, is what the log loss may lie above its optimum: float32 allows no more.
_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Tempered(Rule):
    """Logits or log odds times `inverse`: one over the temperature."""

    inverse: float
    certificate: Certificate

    @property
    def temperature(self) -> float:
        """Above 1 where the claims were overconfident."""
        return 1 / self.inverse if self.inverse else np.inf

    def facts(self) -> Iterator[Fact]:
        meaning = "log odds are divided by it; above 1, claims soften"
        yield Fact("temperature", self.temperature, meaning)


@dataclass(frozen=True, eq=False)
class TemperedChance(Tempered, ChanceRule):
    """The log odds of one chance over the temperature."""

    tag = "tempered-chance"

    def formula(self, claims: Claims, ops: Operations) -> Value:
        return ops.expit(self.inverse * claims.log_odds)


@dataclass(frozen=True, eq=False)
class TemperedVector(Tempered, LogitRule):
    """Logits over the temperature."""

    tag = "tempered-vector"

    def logits(self, x: Vectors, ops: Operations) -> Value:  # noqa: ARG002 - a product is enough
        return x.scores * self.inverse


@dataclass(frozen=True)
class Temperature(Family):
    """The temperature of least log loss, found to the optimum (Guo et al. 2017).

    It fits one chance and whole vectors alike.

    >>> from calibrant import from_logits
    >>> pred = from_logits([[0.0, 4.0], [0.0, 4.0], [0.0, 4.0], [4.0, 0.0]], [1, 1, 0, 0])
    >>> round(Temperature().fit(pred).rule.temperature, 3)
    3.641
    """

    def chance_rule(self, view: View) -> TemperedChance:
        """Newton's method in one over the temperature."""
        z = view.log_odds[:, None]
        start = np.ones(1)
        best, certificate = logistic(z, view.y, view.w, start=start, lower=0.0)
        return TemperedChance(float(best[0]), certificate)

    def vector_rule(self, view: Canonical) -> TemperedVector:
        """Newton's method in one over the temperature, from the optimum of some of the rows."""
        if view.w is not None and not view.w.all():
            return self.vector_rule(view[view.w > 0])
        start = np.ones(1)
        if view.n > 4 * _SOME_ROWS:
            few = view[:: view.n // _SOME_ROWS]
            start[0] = self.vector_rule(few).inverse

        def derivatives(inverse: Array) -> Derivatives:
            return _derivatives(view, float(inverse[0]))

        best, certificate = minimise(derivatives, start, lower=0.0, tolerance=_TOLERANCE)
        return TemperedVector(float(best[0]), certificate)


def _derivatives(view: Canonical, inverse: float) -> Derivatives:
    """Mean log loss at `inverse`, and its first two derivatives."""
    scores = view.scores
    working = working_type(scores)
    # Rounded as the products below will be, or value and slope would speak of different points.
    inverse = float(working.type(inverse))

    def summed(rows: slice) -> Array:
        z = scores[rows].astype(working)
        terms = row_derivatives(z, view.y[rows], inverse)
        return weighted_sum(terms.T, some(view.w, rows))

    n, k = scores.shape
    of_blocks = on_all_cores(summed, row_blocks(n, k))
    means = np.sum(of_blocks, axis=0) / view.total
    value, slope, curvature = means
    gradient = np.array([slope])
    hessian = np.array([[curvature]])
    return float(value), gradient, hessian


def row_derivatives(z: Array, y: Ints, inverse: float) -> Array:
    """Of each row the log loss at `inverse` and its derivatives, (3, n); logits are overwritten.

    The derivatives are the mean and the variance of the logits under the row's own chances.
    """
    z -= z.max(1, keepdims=True)
    rows = np.arange(len(z))
    right = z[rows, y].astype(np.float64)
    e = np.exp(z * inverse)
    total = e.sum(1).astype(np.float64)
    loss = np.log(total) - inverse * right
    e *= z
    mean = e.sum(1) / total
    slope = mean - right
    mean_square = np.einsum("ij,ij->i", e, z) / total
    curvature = mean_square - mean**2
    # Without this a row wrong with certainty would have no curvature, and so no say.
    curvature += LEAST_CURVATURE * slope**2
    return np.stack([loss, slope, curvature])
