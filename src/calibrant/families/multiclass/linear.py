"""Linear maps of logits: a factor and a shift a class, or a whole matrix."""

from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from ...fitting.newton import Certificate
from ...fitting.types import Array
from ...inputs.views import Canonical
from ..family import Family, LogitRule
from .regression import best_factors, best_table, refuse_strength


@dataclass(frozen=True, eq=False)
class FactorAndShift(LogitRule):
    """Each class's logit times its factor, plus its shift."""

    factor: Array
    shift: Array
    certificate: Certificate

    def logits(self, scores: Array) -> Array:
        """Scale and shift, in float32 at least."""
        working = np.promote_types(scores.dtype, np.float32)
        return scores * self.factor.astype(working) + self.shift.astype(working)


@dataclass(frozen=True, eq=False)
class MatrixAndShift(LogitRule):
    """Logits times a matrix, plus a shift."""

    matrix: Array
    shift: Array
    certificate: Certificate

    def logits(self, scores: Array) -> Array:
        """Multiply and shift, in float32 at least."""
        x = scores.astype(np.promote_types(scores.dtype, np.float32), copy=False)
        return x @ self.matrix.T.astype(x.dtype) + self.shift.astype(x.dtype)


@dataclass(frozen=True)
class VectorScaling(Family):
    """A factor and a shift for each class, of least log loss, found to the optimum.

    >>> from calibrant import from_logits
    >>> pred = from_logits([[3.0, 0.0], [0.0, 3.0], [3.0, 0.0], [3.0, 0.0]], [0, 1, 1, 0])
    >>> VectorScaling().fit(pred).apply(pred).probs[0].round(3).tolist()
    [0.667, 0.333]
    """

    def vector_rule(self, view: Canonical) -> FactorAndShift:
        """Newton's method from the best temperature."""
        return FactorAndShift(*best_factors(view, view.scores))


@dataclass(frozen=True)
class MatrixScaling(Family):
    """A whole matrix and a shift for each class, of least log loss plus what its size costs.

    `off_diagonal` times the mean square of those entries and `intercept` times that of the shifts are added; "cv"
    chooses either by cross-validation, which makes it MS-ODIR, and the mean of the folds' maps is the map. Without
    penalties it learns chance by heart; where entries outnumber rows they are held, lightly, near `VectorScaling`.

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
        refuse_strength(off_diagonal=self.off_diagonal, intercept=self.intercept)

    def vector_rule(self, view: Canonical) -> MatrixAndShift:
        """Newton's method from the best factors."""
        return MatrixAndShift(*best_table(view, view.scores, self.off_diagonal, self.intercept))
