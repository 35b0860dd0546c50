"""Softmax regressions behind the linear families: factors, or a whole table, and how strong its penalties are."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from ...fitting.linear_designs import AcrossClasses, ByClass
from ...fitting.newton import Certificate
from ...fitting.newton_cg import minimise_many
from ...fitting.softmax import SoftmaxLoss
from ...fitting.types import Array, Ints
from ...inputs.views import Canonical
from ..folds import held_out
from .temperature import Temperature

Strength = float | int | Literal["cv"]
Place = tuple[int, int]  # of a pair of strengths among those to choose from
# Strengths to choose from, per entry and strongest first, where "cv" asks to choose.
_PER_ENTRY = [scale * 10.0**power for power in range(6, -6, -1) for scale in (1, 0.5, 0.25)]
_PER_SHIFT = [10.0**power for power in range(6, -6, -1)]
_FIRST_SHIFT = len(_PER_SHIFT) // 2  # that of 1
_FOLDS = 5
_MOST_CELLS = 1 << 24  # of five folds; beyond it two must do
_LEVEL = 1 - 1e-5  # of two scores: nearer to one another they are one
_ROUGHLY = 1e-4  # tells strengths apart; those chosen are then fitted to the full tolerance
# Where entries outnumber rows there is no optimum: this share of each one's own curvature then holds it back.
_HOLD = 0.1


class Regression(NamedTuple):
    """Factors or a matrix, a shift, and why they may be trusted."""

    weights: Array
    shift: Array
    certificate: Certificate


def refuse_strength(**strengths: float | str | None) -> None:
    """Strengths of penalties are finite and not negative."""
    for name, value in strengths.items():
        if isinstance(value, float | int) and not 0 <= value < np.inf:
            raise ValueError(f"{name} must be at least 0 and finite, got {value}")


def best_factors(view: Canonical, x: Array) -> Regression:
    """The factor and shift of each class of least log loss."""
    k = view.pred.k
    start = np.append(np.full(k, Temperature().vector_rule(view).inverse), np.zeros(k))
    loss = SoftmaxLoss(ByClass(x), view.y, view.w)
    best, certificate = minimise_many(
        loss, start, loss.preconditioner(start), tolerance=loss.tolerance
    )
    return Regression(best[:k], best[k:], certificate)


def best_table(
    view: Canonical, x: Array, off_diagonal: Strength, intercept: Strength
) -> Regression:
    """The table of least log loss plus penalties; "cv" chooses a strength, and then averages the folds' tables."""
    k = view.pred.k
    if off_diagonal == intercept == 0:
        # Begun and held at the best factors, so that it fits no worse than they do.
        weights, shift, _ = best_factors(view, x)
        start = np.column_stack([np.diag(weights), shift]).ravel()
        return split_table(*_fit(view, x, np.zeros(start.size), start, start))
    start = _tempered(view)
    entries = (
        [s * k * (k - 1) for s in _PER_ENTRY] if off_diagonal == "cv" else [float(off_diagonal)]
    )
    shifts = [s * k for s in _PER_SHIFT] if intercept == "cv" else [float(intercept)]
    rows = view.n if view.w is None else np.count_nonzero(view.w)
    # Too few rows to choose by: the strongest, which come first.
    if len(entries) == len(shifts) == 1 or rows < 2 * _FOLDS:
        return split_table(*_fit(view, x, _ridge(k, entries[0], shifts[0]), start, start))
    parts = held_out(view, _FOLDS if x.size <= _MOST_CELLS else 2, 0)
    folds = [_Fold(view, x, fitted, held, start) for fitted, held in parts]

    @cache
    def score(place: Place) -> float:
        ridge = _ridge(k, entries[place[0]], shifts[place[1]])
        return sum(fold.summed_loss(ridge) for fold in folds)

    i, j = _search(score, len(entries), len(shifts))
    fits = [fold.fit(_ridge(k, entries[i], shifts[j])) for fold in folds]
    worst = max((certificate for _, certificate in fits), key=lambda certificate: certificate.slope)
    return split_table(np.mean([best for best, _ in fits], axis=0), worst)


def best_ridge(view: Canonical, x: Array, strength: float) -> Regression:
    """The table of least log loss plus `strength` times the sum of the matrix's squares."""
    k = view.pred.k
    ridge = np.full((k, k + 1), 2.0 * strength)
    ridge[:, -1] = 0
    start = _tempered(view)
    return split_table(*_fit(view, x, ridge.ravel(), start, start))


class _Fold:
    """Some rows to fit on and others to score by; each fit begins where the last one ended."""

    def __init__(self, view: Canonical, x: Array, fitted: Ints, held: Ints, start: Array) -> None:
        self._fitted, self._x, self._first, self._last = view[fitted], x[fitted], start, start
        held_view = view[held]
        self._held = SoftmaxLoss(AcrossClasses(x[held]), held_view.y, held_view.w)
        self._weight = held_view.total

    def fit(self, ridge: Array, tolerance: float | None = None) -> tuple[Array, Certificate]:
        self._last, certificate = _fit(
            self._fitted, self._x, ridge, self._first, self._last, tolerance
        )
        return self._last, certificate

    def summed_loss(self, ridge: Array) -> float:
        """Log loss of the rows held out."""
        return self._weight * self._held(self.fit(ridge, _ROUGHLY)[0]).value


def _search(score: Callable[[Place], float], entries: int, shifts: int) -> Place:
    """The best of a grid: each strength in turn by decades from the strongest on, then from neighbour to neighbour."""
    place = _line(score, [(i, min(_FIRST_SHIFT, shifts - 1)) for i in range(0, entries, 3)])
    place = _line(score, [(place[0], j) for j in range(shifts)])
    while True:
        near = [
            (place[0] + i, place[1] + j)
            for i, j in ((0, 0), (-2, 0), (-1, 0), (1, 0), (2, 0), (0, -1), (0, 1))
        ]
        best = min(((i, j) for i, j in near if 0 <= i < entries and 0 <= j < shifts), key=score)
        if score(best) >= score(place) * _LEVEL:
            return place
        place = best


def _line(score: Callable[[Place], float], places: Sequence[Place]) -> Place:
    """The best place, until two in a row are worse: those after them would be slower to fit, too."""
    best, worse = places[0], 0
    for place in places[1:]:
        if score(place) < score(best) * _LEVEL:
            best, worse = place, 0
        elif score(place) > score(best) / _LEVEL:
            worse += 1
            if worse == 2:
                break
    return best


def _fit(
    view: Canonical,
    x: Array,
    ridge: Array,
    first: Array,
    last: Array,
    tolerance: float | None = None,
) -> tuple[Array, Certificate]:
    """The table of least loss, begun at `last`; where rows are few, entries are held near `first`, or 0 if they pay."""
    design, centre = AcrossClasses(x), np.zeros(first.size)
    if first.size > view.total:
        held = _HOLD * design.diagonal(SoftmaxLoss(design, view.y, view.w).chances(first), view.w)
        ridge, centre = np.maximum(ridge, held), np.where(ridge == 0, first, 0)
    loss = SoftmaxLoss(design, view.y, view.w, ridge=ridge, centre=centre)
    return minimise_many(
        loss, last, loss.preconditioner(last), tolerance=tolerance or loss.tolerance
    )


def _ridge(k: int, off_diagonal: float, intercept: float) -> Array:
    """Of the table, entry by entry: twice the strengths, as shares of the means they stand before."""
    ridge = np.full((k, k + 1), 2 * off_diagonal / max(k * (k - 1), 1))
    ridge[np.arange(k), np.arange(k)] = 0
    ridge[:, -1] = 2 * intercept / k
    return ridge.ravel()


def _tempered(view: Canonical) -> Array:
    return Temperature().vector_rule(view).inverse * np.eye(view.pred.k, view.pred.k + 1).ravel()


def split_table(best: Array, certificate: Certificate) -> Regression:
    """The matrix and the shift that stand side by side in a table."""
    k = int(np.sqrt(best.size))
    table = best.reshape(k, k + 1)
    return Regression(table[:, :k].copy(), table[:, k].copy(), certificate)
