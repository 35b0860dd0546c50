"""The structured matrix: factors, shifts and mixing of classes, each kept small as rows allow."""

from dataclasses import dataclass

import numpy as np

from ...fitting.logspace import softmax
from ...fitting.newton import Certificate
from ...fitting.newton_cg import minimise_many
from ...fitting.softmax import AcrossClasses, SoftmaxLoss
from ...fitting.types import Array
from ...inputs.views import Canonical
from ..family import Family, LogitRule
from .regression import split_table
from .temperature import Temperature


@dataclass(frozen=True, eq=False)
class Structured(LogitRule):
    """Logits scaled, their chances mixed with a little of the uniform; the logarithms times a matrix, plus a shift."""

    inverse: float
    uniform: float
    matrix: Array
    shift: Array
    certificate: Certificate

    def logits(self, scores: Array) -> Array:
        """Multiply and shift, in float32 at least."""
        x = _log_mixed(scores, self.inverse, self.uniform)
        return x @ self.matrix.T.astype(x.dtype) + self.shift.astype(x.dtype)


@dataclass(frozen=True)
class StructuredMatrix(Family):
    """A matrix near the best temperature: factors, shifts and mixing of classes each pay for what they add.

    Ridge penalties k/n on factors and shifts and k(k - 1)/n on mixing let the map grow only as rows allow. One part
    in n + 1 of the uniform vector is mixed in first, so that no claim of 0 is beyond mending.

    >>> from calibrant import samples, nll
    >>> fit_on, test = samples.load("c10-resnet18")
    >>> nll(StructuredMatrix().fit(fit_on).apply(test)) < nll(test)
    True
    """

    def vector_rule(self, view: Canonical) -> Structured:
        """Newton's method on what is added to the best temperature."""
        k, inverse, uniform = (
            view.pred.k,
            Temperature().vector_rule(view).inverse,
            1 / (view.total + 1),
        )
        identity = np.eye(k, k + 1)
        ridge = np.where(identity > 0, 1, k - 1) * 2 * k / view.total
        ridge[:, k] = 2 * k / view.total
        loss = SoftmaxLoss(
            AcrossClasses(_log_mixed(view.scores, inverse, uniform)),
            view.y,
            view.w,
            ridge=ridge.ravel(),
            centre=identity.ravel(),
        )
        best, certificate = minimise_many(
            loss, identity.ravel(), loss.preconditioner(identity.ravel()), tolerance=loss.tolerance
        )
        return Structured(inverse, uniform, *split_table(best, certificate))


def _log_mixed(scores: Array, inverse: float, uniform: float) -> Array:
    scores = scores.astype(np.promote_types(scores.dtype, np.float32), copy=False)
    mixed = softmax(scores * scores.dtype.type(inverse))
    mixed *= 1 - uniform
    mixed += uniform / mixed.shape[1]
    return np.log(mixed, out=mixed)
