"""Dirichlet calibration: a matrix and a shift on log-probabilities, kept near a diagonal."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Literal

from ...fitting.logspace import log_softmax
from ...fitting.newton import Certificate
from ...fitting.types import Array
from ...inputs.views import Canonical
from ..family import VectorFamily
from ..operations import Operations, Value, Vectors
from ..rules import Fact, LogitRule
from .linear import matrix_facts
from .regression import best_table, check_strength, ridge_table


@dataclass(frozen=True, eq=False)
class LogMatrix(LogitRule):
    """Log-probabilities times a matrix, plus a shift."""

    tag = "log-matrix"
    matrix: Array
    shift: Array
    certificate: Certificate

    def logits(self, x: Vectors, ops: Operations) -> Value:
        logs = ops.log_softmax(x.scores)
        return ops.matmul(logs, self.matrix) + self.shift

    def facts(self) -> Iterator[Fact]:
        yield from matrix_facts(self.matrix, self.shift, "log-probabilities")


@dataclass(frozen=True)
class Dirichlet(VectorFamily):
    """Log-probabilities times a matrix, plus a shift (Kull et al. 2019).

    The map is right if each class's claims follow a Dirichlet distribution. `off_diagonal` times
    the mean square of those entries and `intercept` times that of the shifts are added to the log
    loss; "cv" chooses either by cross-validation, and the mean of the folds' maps is the map.
    `l2` instead times the sum of all squared entries of the matrix replaces both.

    >>> from calibrant import samples, nll
    >>> fit_on, test = samples.load("c10-resnet18")
    >>> nll(Dirichlet(off_diagonal=1.0, intercept=1.0).fit(fit_on).apply(test)) < nll(test)
    True
    """

    _: KW_ONLY
    off_diagonal: float | int | Literal["cv"] = "cv"
    intercept: float | int | Literal["cv"] = "cv"
    l2: float | int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_strength(off_diagonal=self.off_diagonal, intercept=self.intercept, l2=self.l2)
        has_others = self.off_diagonal != "cv" or self.intercept != "cv"
        if self.l2 is not None and has_others:
            raise ValueError(
                "l2 replaces off_diagonal and intercept; "
                f"got l2={self.l2} and one of them: give one kind"
            )

    def vector_rule(self, view: Canonical) -> LogMatrix:
        """Newton's method from the best factors."""
        x = log_softmax(view.scores)
        if self.l2 is not None:
            found = ridge_table(view, x, self.l2)
        else:
            found = best_table(view, x, self.off_diagonal, self.intercept)
        return LogMatrix(*found)
