"""Temperature scaling: every logit divided by one number."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...fitting.blocks import on_all_cores, row_blocks, working_type
from ...fitting.irls import LEAST_CURVATURE, logistic
from ...fitting.newton import Certificate, Derivatives, minimise
from ...fitting.types import Array
from ...inputs.views import Canonical, View
from ..family import ChanceRule, Fact, Family, LogitRule, Rule
from ..operations import Claims, Operations, Value, Vectors

_SOME_ROWS = 2000
# Half its square, 5e-13, is what the log loss may lie above its optimum; float32 logits allow no more.
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
        yield Fact(
            "temperature", self.temperature, "log odds are divided by it; above 1, claims soften"
        )


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
    """The temperature of least log loss, found to the optimum; fits one chance and whole vectors alike.

    >>> from calibrant import from_logits
    >>> pred = from_logits([[0.0, 4.0], [0.0, 4.0], [0.0, 4.0], [4.0, 0.0]], [1, 1, 0, 0])
    >>> round(Temperature().fit(pred).rule.temperature, 3)
    3.641
    """

    def chance_rule(self, view: View) -> TemperedChance:
        """Newton's method in one over the temperature."""
        best, certificate = logistic(
            view.log_odds[:, None], view.y, view.w, start=np.ones(1), lower=0.0
        )
        return TemperedChance(float(best[0]), certificate)

    def vector_rule(self, view: Canonical) -> TemperedVector:
        """Newton's method in one over the temperature, begun from the optimum of some of the rows."""
        if view.w is not None and not view.w.all():
            return self.vector_rule(view[view.w > 0])
        start = np.ones(1)
        if view.n > 4 * _SOME_ROWS:
            some = view[:: view.n // _SOME_ROWS]
            start[0] = self.vector_rule(some).inverse
        best, certificate = minimise(
            lambda inverse: _derivatives(view, float(inverse[0])),
            start,
            lower=0.0,
            tolerance=_TOLERANCE,
        )
        return TemperedVector(float(best[0]), certificate)


def _derivatives(view: Canonical, inverse: float) -> Derivatives:
    """Mean log loss at `inverse`, and its first two derivatives: by row, the mean and variance of the logits."""
    scores, labels, w = view.scores, view.y, view.w
    working = working_type(scores)
    # Rounded as the products below will be, or value and slope would speak of different points.
    inverse = float(working.type(inverse))

    def part(rows: slice) -> Array:
        z = scores[rows].astype(working)
        z -= z.max(1, keepdims=True)
        right = z[np.arange(len(z)), labels[rows]].astype(np.float64)
        e = np.exp(z * inverse)
        total = e.sum(1).astype(np.float64)
        e *= z
        mean = e.sum(1) / total
        # Without the last term a row wrong with certainty would have no curvature, and so no say.
        spread = (
            np.einsum("ij,ij->i", e, z) / total - mean**2 + LEAST_CURVATURE * (mean - right) ** 2
        )
        terms = np.stack([np.log(total) - inverse * right, mean - right, spread])
        return terms.sum(1) if w is None else terms @ w[rows]

    value, slope, curvature = (
        np.sum(on_all_cores(part, row_blocks(*scores.shape)), axis=0) / view.total
    )
    return float(value), np.array([slope]), np.array([[curvature]])
