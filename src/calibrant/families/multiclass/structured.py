"""The structured matrix: factors, shifts and mixing of classes, each kept small as rows allow."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...fitting.linear_designs import AcrossClasses
from ...fitting.newton import Certificate
from ...fitting.softmax import SoftmaxLoss
from ...fitting.types import Array
from ...inputs.views import Canonical
from ..family import VectorFamily
from ..numpy_operations import NUMPY, NumpyVectors
from ..operations import Operations, Value, Vectors
from ..rules import Fact, LogitRule, in_blocks
from .linear import matrix_facts
from .regression import least_loss_table
from .temperature import Temperature


@dataclass(frozen=True, eq=False)
class Structured(LogitRule):
    """Tempered chances mixed with the uniform; their logarithms times a matrix, plus a shift."""

    tag = "structured"
    inverse: float
    uniform: float
    matrix: Array
    shift: Array
    certificate: Certificate

    def logits(self, x: Vectors, ops: Operations) -> Value:
        logs = _log_mixed(x, self.inverse, self.uniform, ops)
        return ops.matmul(logs, self.matrix) + self.shift

    def facts(self) -> Iterator[Fact]:
        temperature = 1 / self.inverse if self.inverse else np.inf
        yield Fact("temperature", temperature, "logits are divided by it first")
        yield Fact("uniform part", self.uniform, "mixed in then, so that no claim is exactly 0")
        yield from matrix_facts(self.matrix, self.shift, "log-probabilities")


@dataclass(frozen=True)
class StructuredMatrix(VectorFamily):
    """A matrix regularised towards the best temperature (Berta et al. 2025).

    Ridge penalties k/n on factors and shifts and k(k - 1)/n on mixing of classes let the map grow
    only as rows allow. One part in n + 1 of the uniform vector is mixed in first, so that no claim
    of 0 is beyond mending.

    >>> from calibrant import samples, nll
    >>> fit_on, test = samples.load("c10-resnet18")
    >>> nll(StructuredMatrix().fit(fit_on).apply(test)) < nll(test)
    True
    """

    def vector_rule(self, view: Canonical) -> Structured:
        """Newton's method on what is added to the best temperature."""
        k = view.pred.k
        inverse = Temperature().vector_rule(view).inverse
        uniform = 1 / (view.total + 1)

        def mixed(block: Canonical) -> Array:
            return _log_mixed(NumpyVectors(block), inverse, uniform, NUMPY)

        design = AcrossClasses(in_blocks(mixed, view))
        identity = np.eye(k, k + 1).ravel()
        ridge = _ridge(k, view.total)
        loss = SoftmaxLoss(design, view.y, view.w, ridge=ridge, centre=identity)
        table = least_loss_table(loss, identity)
        return Structured(inverse, uniform, *table)


def _ridge(k: int, total: float) -> Array:
    """Penalties on the matrix and the shift side by side, entry by entry."""
    is_factor = np.eye(k, k + 1) > 0
    relative = np.where(is_factor, 1, k - 1)
    relative[:, k] = 1
    ridge = relative * 2 * k / total
    return ridge.ravel()


def _log_mixed(
    x: Vectors,
    inverse: float,
    uniform: float,
    ops: Operations,
) -> Value:
    """Logarithms of the tempered vectors, each with a little of the uniform one mixed in."""
    tempered = ops.softmax(x.scores * inverse)
    even = uniform / x.k
    mixed = tempered * (1 - uniform) + even
    return ops.log(mixed)
