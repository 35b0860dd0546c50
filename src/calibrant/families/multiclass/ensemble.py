"""Ensemble temperature scaling: tempered claims, claims and the uniform vector, mixed."""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from ...fitting.blocks import on_all_cores, row_blocks
from ...fitting.mixture import mixture_weights
from ...fitting.newton import Certificate
from ...fitting.types import Array
from ...inputs.views import Canonical
from ..family import VectorFamily
from ..operations import Operations, Value, Vectors
from ..rules import Fact, VectorRule
from .squared_loss import shares_by_squares, tempered_by_squares
from .temperature import Temperature, TemperedVector


@dataclass(frozen=True, eq=False)
class Mixed(VectorRule):
    """Shares, of sum one, of the tempered vector, of the claimed one and of the uniform one."""

    tag = "mixed"
    tempered: TemperedVector
    shares: tuple[float, float, float]
    certificate: Certificate

    def formula(self, x: Vectors, ops: Operations) -> Value:
        sharp, as_claimed, even = self.shares
        tempered = self.tempered.formula(x, ops)
        claimed = ops.softmax(x.scores)
        mixed = sharp * tempered + as_claimed * claimed
        return mixed + even / x.k

    def facts(self) -> Iterator[Fact]:
        sharp, claimed, even = self.shares
        yield from self.tempered.facts()
        yield Fact("tempered share", sharp, "of the vector whose logits are so divided")
        yield Fact("claimed share", claimed, "of the vector as it was claimed")
        yield Fact("uniform share", even, "of the vector that gives all classes the same chance")

    def parts(self) -> Sequence[VectorRule]:
        return (self.tempered,)


@dataclass(frozen=True)
class EnsembleTemperature(VectorFamily):
    """The temperature of least loss, then the mixture of least loss (Zhang et al. 2020).

    No two classes change places. By log loss both steps are convex and solved to their optimum; by
    squared loss, the Brier score, the mixture is, and the temperature is the best dip near a grid.
    `rule.shares` are those of the tempered vector, the claimed one and the uniform one.

    >>> from calibrant import samples
    >>> rule = EnsembleTemperature().fit(samples.load("c10-lenet5")[0]).rule
    >>> round(rule.tempered.temperature, 2), [round(share, 2) for share in rule.shares]
    (1.04, [0.61, 0.39, 0.0])
    """

    _: KW_ONLY
    loss: Literal["log", "squared"] = "log"

    def vector_rule(self, view: Canonical) -> Mixed:
        """Temperature first, then Newton's method over shares."""
        if view.w is not None and not view.w.all():
            return self.vector_rule(view[view.w > 0])
        tempered = Temperature().vector_rule(view)
        if self.loss == "squared":
            tempered = tempered_by_squares(view, tempered.inverse)
            shares, certificate = shares_by_squares(view, tempered.inverse)
        else:
            likelihoods = _likelihoods(view, tempered.inverse)
            shares, certificate = mixture_weights(likelihoods, view.w)
        sharp, claimed, even = shares.tolist()
        return Mixed(tempered, (sharp, claimed, even), certificate)


def _likelihoods(view: Canonical, inverse: float) -> Array:
    """What each part of the mixture gives to what happened, row by row, (n, 3)."""
    scores = view.scores
    n, k = scores.shape
    likelihoods = np.full((n, 3), 1 / k)
    working = np.promote_types(scores.dtype, np.float32)

    def fill(rows: slice) -> None:
        z = scores[rows].astype(working)
        z -= z.max(1, keepdims=True)
        labels = view.y[rows]
        each = np.arange(len(z))
        right = z[each, labels].astype(np.float64)
        for part, scale in enumerate((inverse, 1.0)):
            e = np.exp(scale * z)
            total = e.sum(1, dtype=np.float64)
            chosen = np.exp(scale * right)
            likelihoods[rows, part] = chosen / total

    on_all_cores(fill, row_blocks(n, k))
    return likelihoods
