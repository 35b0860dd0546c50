"""The structured matrix: factors, shifts and mixing of classes, each kept small as rows allow."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...fitting.logspace import TINY
from ...fitting.newton import Certificate
from ...fitting.types import Array
from ...fitting.weights import Weights, weighted
from ...inputs.views import Canonical
from ..family import VectorFamily
from ..numpy_operations import NUMPY, NumpyVectors
from ..operations import Operations, Value, Vectors
from ..rules import Fact, LogitRule, in_blocks
from .evidence import table_by_evidence
from .linear import matrix_facts
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

    Factors, mixing of classes and shifts are drawn to those of the temperature, each kind as
    firmly as makes the rows likeliest. One part in n + 1 of the uniform vector is mixed in first,
    so that no claim of 0 is beyond mending.

    >>> from calibrant import samples, nll
    >>> fit_on, test = samples.load("c10-resnet18")
    >>> nll(StructuredMatrix().fit(fit_on).apply(test)) < nll(test)
    True
    """

    def vector_rule(self, view: Canonical) -> Structured:
        """Newton's method on what is added to the best temperature."""
        inverse = Temperature().vector_rule(view).inverse
        uniform = 1 / (view.total + 1)

        def mixed(block: Canonical) -> Array:
            return _log_mixed(NumpyVectors(block), inverse, uniform, NUMPY)

        logs = in_blocks(mixed, view)
        mean = _mean(logs, view.w)
        # Seen from the mean, what classes mix in shifts none of them.
        tempered = np.column_stack([np.eye(view.pred.k), mean])
        table = table_by_evidence(view, logs - mean.astype(logs.dtype), tempered)
        matrix = table.entries[:, :-1].copy()
        shift = table.entries[:, -1] - matrix @ mean
        return Structured(inverse, uniform, matrix, shift, table.certificate)


def _mean(logs: Array, w: Weights) -> Array:
    """The mean over rows, which count as far as they are unsure."""
    p = np.exp(logs)
    unsure = 1 - (p**2).sum(1, dtype=np.float64)
    unsure = weighted(np.maximum(unsure, TINY), w)
    mean: Array = unsure @ logs / unsure.sum()
    return mean


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
