"""Linear maps of logits: a factor and a shift a class, or a whole matrix that is kept near them."""

from dataclasses import dataclass

import numpy as np

from ..families import Family, LogitRule
from ..fitting.logspace import log_softmax
from ..fitting.newton import Certificate, Vector, minimise
from ..fitting.quasi_newton import minimise_many
from ..fitting.softmax import matrix_pass, vector_pass
from ..predictions import Array
from ..views import Canonical
from .temperature import Temperature

# Up to here Newton's matrix costs little beside a pass over the rows.
_MOST_CLASSES_BY_NEWTON = 200
# Half its square, 5e-11, is what the log loss may lie above its optimum.
_TOLERANCE = 1e-5


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
    """Log-probabilities, their mean taken off each row, times a matrix, plus a shift."""

    matrix: Array
    shift: Array
    certificate: Certificate

    def logits(self, scores: Array) -> Array:
        """Multiply and shift, in float32 at least."""
        x = _centred(scores)
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
        """Newton's method from the best temperature, or L-BFGS where classes are many."""
        k, rows = view.pred.k, (view.scores, view.y, view.w)
        start = np.append(np.full(k, Temperature().vector_rule(view).inverse), np.zeros(k))
        if k <= _MOST_CLASSES_BY_NEWTON:
            best, certificate = minimise(lambda x: vector_pass(*rows, x, whole=True), start, tolerance=_TOLERANCE)
        else:
            curvature = vector_pass(*rows, start, whole=False)[2]
            best, certificate = minimise_many(
                lambda x: vector_pass(*rows, x, whole=False)[:2], start, curvature, tolerance=_TOLERANCE
            )
        return FactorAndShift(best[:k], best[k:], certificate)


@dataclass(frozen=True)
class StructuredMatrix(Family):
    """A matrix near the best temperature: factors, shifts and mixing of classes each pay for what they add.

    Ridge penalties k/n on factors and shifts and k(k - 1)/n on mixing let the map grow only as rows allow. On the
    sample c10-lenet5 they are too weak: on test rows the map is then worse than none.

    >>> from calibrant import samples, nll
    >>> fit_on, test = samples.load("c10-resnet18")
    >>> nll(StructuredMatrix().fit(fit_on).apply(test)) < nll(test)
    True
    """

    def vector_rule(self, view: Canonical) -> MatrixAndShift:
        """L-BFGS on what is added to the best temperature."""
        k, inverse = view.pred.k, Temperature().vector_rule(view).inverse
        identity = np.eye(k, k + 1)
        penalty = np.where(identity > 0, 1, k - 1) * k / view.total
        penalty[:, k] = k / view.total
        x = _centred(view.scores) * inverse

        def value_and_gradient(change: Vector) -> tuple[float, Vector]:
            added = change.reshape(k, k + 1)
            loss, gradient, _ = matrix_pass(x, view.y, view.w, identity + added, curved=False)
            return loss + float((penalty * added**2).sum()), gradient + 2 * (penalty * added).ravel()

        curvature = matrix_pass(x, view.y, view.w, identity, curved=True)[2] + 2 * penalty.ravel()
        change, certificate = minimise_many(value_and_gradient, np.zeros(penalty.size), curvature, tolerance=_TOLERANCE)
        table = identity + change.reshape(k, k + 1)
        return MatrixAndShift(inverse * table[:, :k], table[:, k], certificate)


def _centred(scores: Array) -> Array:
    """Log-probabilities less their mean, a row each: logits and log-probabilities then say the same."""
    x = log_softmax(scores.astype(np.promote_types(scores.dtype, np.float32), copy=False))
    x -= x.mean(1, keepdims=True)
    return x
