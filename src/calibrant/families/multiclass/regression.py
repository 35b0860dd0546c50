"""Softmax regressions behind the linear families: factors or a whole table, and their penalties."""

from typing import Literal, NamedTuple

import numpy as np

from ...fitting.linear_designs import AcrossClasses, ByClass
from ...fitting.newton import Certificate
from ...fitting.newton_cg import minimise_many
from ...fitting.softmax import AnyDesign, SoftmaxLoss
from ...fitting.types import Array, Ints
from ...fitting.weights import present
from ...inputs.views import Canonical
from ..folds import held_out
from .strengths import PER_ENTRY, PER_SHIFT, best_strengths
from .temperature import Temperature

Strength = float | int | Literal["cv"]
_FOLDS = 5
_MOST_CELLS = 1 << 24  # of five folds; beyond it two must do
_MOST_STEPS = 50  # fits that have an optimum take ten, and separable rows twenty
# Without penalties the loss may fall for ever: rough moves would lose their way, and rounding ends
# the way where the loss lies some 1e-13 above its infimum.
_CLOSE_RESIDUAL = 0.01
_FREE_TOLERANCE = 1e-6
_ROUGHLY = 1e-4  # tells strengths apart; those chosen are then fitted to the full tolerance


class Regression(NamedTuple):
    """Factors or a matrix, a shift, and why they may be trusted."""

    weights: Array
    shift: Array
    certificate: Certificate


def check_strength(**strengths: float | str | None) -> None:
    """Strengths of penalties are finite and not negative."""
    for name, value in strengths.items():
        if value is None or isinstance(value, str):
            continue
        if not 0 <= value < np.inf:
            raise ValueError(f"{name} must be at least 0 and finite, got {value}")


def best_factors(view: Canonical, x: Array) -> Regression:
    """The factor and shift of each class of least log loss."""
    k = view.pred.k
    tempered = Temperature().vector_rule(view)
    start = np.zeros(2 * k)
    start[:k] = tempered.inverse
    loss = SoftmaxLoss(ByClass(x), view.y, view.w)
    best, certificate = _minimise(loss, start)
    factors = best[:k]
    shifts = best[k:]
    return Regression(factors, shifts, certificate)


def best_table(
    view: Canonical,
    x: Array,
    off_diagonal: Strength,
    intercept: Strength,
) -> Regression:
    """The table of least log loss plus penalties.

    "cv" chooses a strength, and then averages the folds' tables.
    """
    if off_diagonal == intercept == 0:
        return _free_table(view, x)
    k = view.pred.k
    entries = [strength * k * (k - 1) for strength in PER_ENTRY]
    shifts = [strength * k for strength in PER_SHIFT]
    if off_diagonal != "cv":
        entries = [float(off_diagonal)]
    if intercept != "cv":
        shifts = [float(intercept)]
    rows = len(present(view.w, view.n))
    pairs = len(entries) * len(shifts)
    if pairs > 1 and rows >= 2 * _FOLDS:
        return _table_by_cv(view, x, entries, shifts)
    # Too few rows to choose by: the strongest, which come first.
    ridge = _ridge(k, entries[0], shifts[0])
    return _table(view, x, ridge, _tempered(view))


def ridge_table(view: Canonical, x: Array, strength: float) -> Regression:
    """The table of least log loss plus `strength` times the sum of the matrix's squares."""
    k = view.pred.k
    ridge = np.empty((k, k + 1))
    ridge[:] = 2 * strength
    ridge[:, k] = 0
    return _table(view, x, ridge.ravel(), _tempered(view))


def least_loss_table(loss: SoftmaxLoss[AnyDesign], start: Array) -> Regression:
    """The matrix and the shift, side by side in the table where the loss is least."""
    best, certificate = _minimise(loss, start)
    return _split(best, certificate)


def _free_table(view: Canonical, x: Array) -> Regression:
    """Begun at the best factors, so that it fits no worse than they do."""
    factors = best_factors(view, x)
    matrix = np.diag(factors.weights)
    start = np.column_stack([matrix, factors.shift]).ravel()
    loss = SoftmaxLoss(AcrossClasses(x), view.y, view.w)
    best, certificate = _minimise_free(loss, start)
    return _split(best, certificate)


def _table(
    view: Canonical,
    x: Array,
    ridge: Array,
    start: Array,
) -> Regression:
    loss = SoftmaxLoss(AcrossClasses(x), view.y, view.w, ridge=ridge)
    return least_loss_table(loss, start)


def _table_by_cv(
    view: Canonical,
    x: Array,
    entries: list[float],
    shifts: list[float],
) -> Regression:
    """The mean of the folds' tables under the strengths of least held-out loss."""
    k = view.pred.k
    folds = _folds(view, x)

    def score(i: int, j: int) -> float:
        ridge = _ridge(k, entries[i], shifts[j])
        return sum(fold.summed_loss(ridge) for fold in folds)

    grid = len(entries), len(shifts)
    i, j = best_strengths(score, *grid)
    ridge = _ridge(k, entries[i], shifts[j])
    tables = []
    certificates = []
    for fold in folds:
        best, certificate = fold.fit(ridge)
        tables.append(best)
        certificates.append(certificate)
    worst = max(certificates, key=lambda certificate: certificate.slope)
    mean = np.mean(tables, axis=0)
    return _split(mean, worst)


class _Fold:
    """Some rows to fit on and others to score by; each fit begins where the last one ended."""

    def __init__(
        self,
        view: Canonical,
        x: Array,
        fitted: Ints,
        held: Ints,
        start: Array,
    ) -> None:
        self._fitted = view[fitted]
        self._design = AcrossClasses(x[fitted])
        self._last = start
        held_view = view[held]
        design = AcrossClasses(x[held])
        self._held_loss = SoftmaxLoss(design, held_view.y, held_view.w)
        self._held_weight = held_view.total

    def fit(self, ridge: Array, tolerance: float | None = None) -> tuple[Array, Certificate]:
        """The table of least loss on the rows to fit on."""
        fitted = self._fitted
        loss = SoftmaxLoss(self._design, fitted.y, fitted.w, ridge=ridge)
        self._last, certificate = _minimise(loss, self._last, tolerance)
        return self._last, certificate

    def summed_loss(self, ridge: Array) -> float:
        """Log loss of the rows held out."""
        best, _ = self.fit(ridge, _ROUGHLY)
        mean_loss = self._held_loss(best).value
        return self._held_weight * mean_loss


def _folds(view: Canonical, x: Array) -> list[_Fold]:
    start = _tempered(view)
    is_small = x.size <= _MOST_CELLS
    parts = held_out(view, _FOLDS if is_small else 2, 0)
    return [_Fold(view, x, fitted, held, start) for fitted, held in parts]


def _minimise(
    loss: SoftmaxLoss[AnyDesign],
    start: Array,
    tolerance: float | None = None,
) -> tuple[Array, Certificate]:
    if tolerance is None:
        tolerance = loss.tolerance
    return minimise_many(loss, start, tolerance=tolerance, most_steps=_MOST_STEPS)


def _minimise_free(loss: SoftmaxLoss[AnyDesign], start: Array) -> tuple[Array, Certificate]:
    """Where nothing holds the table."""
    return minimise_many(
        loss,
        start,
        tolerance=max(_FREE_TOLERANCE, loss.tolerance),
        most_steps=_MOST_STEPS,
        loosest=_CLOSE_RESIDUAL,
    )


def _ridge(k: int, off_diagonal: float, intercept: float) -> Array:
    """Penalties of the table, entry by entry: twice the strengths, over the entries they mean."""
    entries = max(k * (k - 1), 1)
    ridge = np.empty((k, k + 1))
    ridge[:] = 2 * off_diagonal / entries
    diagonal = np.arange(k)
    ridge[diagonal, diagonal] = 0
    ridge[:, k] = 2 * intercept / k
    return ridge.ravel()


def _tempered(view: Canonical) -> Array:
    """The table of the best temperature."""
    k = view.pred.k
    tempered = Temperature().vector_rule(view)
    identity = np.eye(k, k + 1)
    return tempered.inverse * identity.ravel()


def _split(best: Array, certificate: Certificate) -> Regression:
    """The matrix and the shift that stand side by side in a table."""
    k = int(np.sqrt(best.size))
    table = best.reshape(k, k + 1)
    matrix = table[:, :k].copy()
    shift = table[:, k].copy()
    return Regression(matrix, shift, certificate)
