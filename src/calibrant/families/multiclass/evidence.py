"""Strengths of a table's penalties by evidence: entries are held as firmly as the rows show."""

from typing import NamedTuple

import numpy as np

from ...fitting.linear_designs import AcrossClasses
from ...fitting.newton import Certificate
from ...fitting.newton_cg import minimise_many
from ...fitting.softmax import SoftmaxLoss
from ...fitting.types import Array, Bools
from ...inputs.views import Canonical

# From fit to strengths and back: more rounds change nothing that rows could tell.
_ROUNDS = 4
_ROUGHLY = 1e-5  # for the rounds before the last
# Few pairs of classes are mixed much: a pair's share follows Student's t with so many degrees.
_DEGREES = 4.0
_LEAST, _MOST = 1e-3, 1e7
_LEAST_NUMBER = 1e-3  # of entries that the rows have determined, and of their squares a share


class Table(NamedTuple):
    """A matrix and a shift side by side, the penalties it was fitted with, and its certificate."""

    entries: Array
    ridge: Array
    certificate: Certificate


def table_by_evidence(view: Canonical, z: Array, centre: Array) -> Table:
    """The table of z near `centre`, in three groups: factors, mixing and shifts.

    Each group has a normal prior about the centre whose precision makes the rows likeliest
    (MacKay 1992, with Laplace's approximation class by class); mixing has one for each pair.
    """
    k = view.pred.k
    groups = _groups(k)
    precision = _first_precision(groups, k)
    table = centre
    design = AcrossClasses(z)
    for remaining in reversed(range(_ROUNDS)):
        ridge = precision / view.total
        loss = SoftmaxLoss(design, view.y, view.w, ridge=ridge.ravel(), centre=centre.ravel())
        tolerance = max(loss.tolerance, _ROUGHLY) if remaining else loss.tolerance
        best, certificate = minimise_many(loss, table.ravel(), tolerance=tolerance)
        table = best.reshape(k, k + 1)
        if not remaining:
            break
        variance = _variances(loss, best, precision)
        precision = _next_precision(table - centre, variance, precision, groups)
    return Table(table, ridge, certificate)


def _groups(k: int) -> tuple[Bools, Bools, Bools]:
    """Which entries are factors, mixing and shifts."""
    factors = np.eye(k, k + 1) > 0
    shifts = np.zeros((k, k + 1), np.bool_)
    shifts[:, k] = True
    return factors, ~(factors | shifts), shifts


def _first_precision(groups: tuple[Bools, ...], k: int) -> Array:
    """What Berta et al. (2025) always use."""
    factors, mixing, shifts = groups
    return 2.0 * k * (factors + (k - 1) * mixing + shifts)


def _variances(loss: SoftmaxLoss[AcrossClasses], best: Array, precision: Array) -> Array:
    """The posterior variance of each entry, as if classes were fitted apart."""
    k = len(precision)
    # All rows of the table moved as one change nothing, which a class apart cannot know.
    curvature = loss.curvature(loss.chances(best)) * (k - 1) / k
    return loss.design.variances(curvature, precision)


def _next_precision(
    away: Array, variance: Array, before: Array, groups: tuple[Bools, ...]
) -> Array:
    precision = np.empty_like(before)
    determined = 1 - before * variance
    squared = away**2
    for group in groups:
        number = max(float(determined[group].sum()), _LEAST_NUMBER)
        precision[group] = number / (float(squared[group].sum()) + _LEAST_NUMBER / _MOST)
    mixing = groups[1]
    spread = _DEGREES / precision[mixing] + squared[mixing] + variance[mixing]
    precision[mixing] = (_DEGREES + 1) / spread
    return np.clip(precision, _LEAST, _MOST)
