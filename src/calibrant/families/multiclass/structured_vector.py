"""The structured vector: factors and shifts of classes, kept near the temperature as rows allow."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...fitting.linear_designs import ByClass
from ...fitting.newton import Certificate
from ...fitting.newton_cg import minimise_many
from ...fitting.softmax import SoftmaxLoss
from ...fitting.types import Array
from ...inputs.views import Canonical
from ..family import VectorFamily
from ..numpy_operations import NUMPY, NumpyVectors
from ..operations import Operations, Value, Vectors
from ..rules import Fact, LogitRule, in_blocks
from .linear import largest
from .temperature import Temperature


@dataclass(frozen=True, eq=False)
class StructuredFactors(LogitRule):
    """Log-probabilities of the tempered vector, each times its factor, plus its shift."""

    tag = "structured-factors"
    inverse: float
    factor: Array
    shift: Array
    certificate: Certificate

    def logits(self, x: Vectors, ops: Operations) -> Value:
        logs = _tempered_logs(x, self.inverse, ops)
        return logs * self.factor + self.shift

    def facts(self) -> Iterator[Fact]:
        temperature = 1 / self.inverse if self.inverse else np.inf
        low = float(self.factor.min())
        high = float(self.factor.max())
        yield Fact("temperature", temperature, "logits are divided by it first")
        yield Fact("least factor", low, "of a class's log-probability; 1 changes nothing")
        yield Fact("largest factor", high, "of a class's log-probability; 1 changes nothing")
        yield Fact("largest shift", largest(self.shift), "in size, added to the logit of a class")


@dataclass(frozen=True)
class StructuredVector(VectorFamily):
    """A factor and a shift a class, regularised towards the best temperature (Berta et al. 2025).

    It is `VectorScaling` of log-probabilities with a ridge penalty k/n, so that the map grows only
    as rows allow; `StructuredMatrix` mixes classes too.

    >>> from calibrant import VectorScaling, nll, samples
    >>> fit_on, test = samples.load("c100-resnet18")
    >>> families = VectorScaling(), StructuredVector()
    >>> [round(nll(family.fit(fit_on).apply(test)), 3) for family in families]
    [0.914, 0.9]
    """

    def vector_rule(self, view: Canonical) -> StructuredFactors:
        """Newton's method from the best temperature."""
        k = view.pred.k
        inverse = Temperature().vector_rule(view).inverse

        def tempered_logs(block: Canonical) -> Array:
            return _tempered_logs(NumpyVectors(block), inverse, NUMPY)

        start = np.repeat([1.0, 0.0], k)
        loss = SoftmaxLoss(
            ByClass(in_blocks(tempered_logs, view)),
            view.y,
            view.w,
            ridge=2 * k / view.total,
            centre=start,
        )
        best, certificate = minimise_many(loss, start, tolerance=loss.tolerance)
        factor, shift = np.split(best, 2)
        return StructuredFactors(inverse, factor, shift, certificate)


def _tempered_logs(x: Vectors, inverse: float, ops: Operations) -> Value:
    return ops.log_softmax(x.scores * inverse)
