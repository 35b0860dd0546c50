"""Linear maps of logits: a factor and a shift a class, or a whole matrix."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from ...fitting.newton import Certificate
from ...fitting.types import Array
from ...inputs.views import Canonical
from ..family import VectorFamily
from ..operations import Operations, Value, Vectors
from ..rules import Fact, LogitRule
from .regression import best_factors, best_table, check_strength


@dataclass(frozen=True, eq=False)
class FactorAndShift(LogitRule):
    """Each class's logit times its factor, plus its shift."""

    tag = "factor-and-shift"
    factor: Array
    shift: Array
    certificate: Certificate

    @property
    def free_numbers(self) -> int:  # type: ignore[override]
        return self.factor.size + self.shift.size

    def logits(self, x: Vectors, ops: Operations) -> Value:  # noqa: ARG002 - operators are enough
        return x.scores * self.factor + self.shift

    def facts(self) -> Iterator[Fact]:
        low = float(self.factor.min())
        high = float(self.factor.max())
        yield Fact("factors", len(self.factor), "one a class, by which its logit is multiplied")
        yield Fact("least factor", low, "below 1, claims of the class soften")
        yield Fact("largest factor", high, "above 1, they sharpen")
        yield Fact("largest shift", largest(self.shift), "in size, added to the logit of a class")


@dataclass(frozen=True, eq=False)
class MatrixAndShift(LogitRule):
    """Logits times a matrix, plus a shift."""

    tag = "matrix-and-shift"
    matrix: Array
    shift: Array
    certificate: Certificate
    is_free: bool = False  # whether no penalty held the entries

    @property
    def free_numbers(self) -> int:  # type: ignore[override]
        if not self.is_free:
            return 0
        return self.matrix.size + self.shift.size

    def logits(self, x: Vectors, ops: Operations) -> Value:
        return ops.matmul(x.scores, self.matrix) + self.shift

    def facts(self) -> Iterator[Fact]:
        yield from matrix_facts(self.matrix, self.shift, "logits")


def matrix_facts(matrix: Array, shift: Array, of: str) -> Iterator[Fact]:
    """What a person should know of a matrix by which logits, or other numbers, are multiplied."""
    diagonal = np.diag(matrix)
    mixing = matrix - np.diag(diagonal)
    mean = float(diagonal.mean())
    of_another = f"in size, of another class's {of} in a class"
    yield Fact("entries", matrix.size, f"of a matrix by which {of} are multiplied")
    yield Fact("mean diagonal", mean, "below 1, claims soften")
    yield Fact("largest mixing", largest(mixing), of_another)
    yield Fact("largest shift", largest(shift), "in size, added for a class")


def largest(x: Array) -> float:
    """The entry furthest from 0, with its sign.

    >>> largest(np.array([1.0, -3.0]))
    -3.0
    """
    place = np.abs(x).argmax()
    return float(x.flat[place])


@dataclass(frozen=True)
class VectorScaling(VectorFamily):
    """A factor and a shift for each class, of least log loss (Guo et al. 2017).

    >>> from calibrant import from_logits
    >>> pred = from_logits([[3.0, 0.0], [0.0, 3.0], [3.0, 0.0], [3.0, 0.0]], [0, 1, 1, 0])
    >>> VectorScaling().fit(pred).apply(pred).probs[0].round(3).tolist()
    [0.667, 0.333]
    """

    def vector_rule(self, view: Canonical) -> FactorAndShift:
        """Newton's method from the best temperature."""
        return FactorAndShift(*best_factors(view, view.scores))


@dataclass(frozen=True)
class MatrixScaling(VectorFamily):
    """A whole matrix and a shift for each class, of least log loss plus penalties.

    `off_diagonal` times the mean square of those entries and `intercept` times that of the shifts
    are added; "cv" chooses either by cross-validation, which makes it MS-ODIR (Kull et al. 2019),
    and the mean of the folds' maps is the map. Without penalties it overfits: rows that a matrix
    can tell apart are, until their log loss is 0 but for rounding.

    >>> from calibrant import samples, nll
    >>> fit_on, test = samples.load("c10-resnet18")
    >>> nll(MatrixScaling(off_diagonal=1.0).fit(fit_on).apply(test)) < nll(test)
    True
    """

    _: KW_ONLY
    off_diagonal: float | int | Literal["cv"] = 0.0
    intercept: float | int | Literal["cv"] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_strength(off_diagonal=self.off_diagonal, intercept=self.intercept)

    def vector_rule(self, view: Canonical) -> MatrixAndShift:
        """Newton's method from the best factors."""
        found = best_table(view, view.scores, self.off_diagonal, self.intercept)
        is_free = self.off_diagonal == 0
        return MatrixAndShift(*found, is_free)
