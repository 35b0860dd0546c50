"""The error of whole vectors, bounded from below: what a map that never saw a row says of it.

E|E[y|p] - p| is the largest mean of <s(p), y - p> over functions s whose entries are signs. Signs
of a cross-fitted map, q - p, give a mean that is below it in expectation, whatever the family.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import stdtrit

from ..families.family import Family
from ..families.folds import held_out
from ..families.maps import Map
from ..families.names import family_of
from ..fitting import weights
from ..fitting.types import Array, Bools, Ints
from ..fitting.weights import Weights, some, weighted_mean
from ..inputs.checks import MAKE_THEM, check_argument
from ..inputs.habits import takes_one
from ..inputs.labels import label_shares
from ..inputs.predictions import Predictions
from ..inputs.questions import canonical
from ..inputs.views import Canonical, View
from ..progress import progress
from .fold_maps import Fold, check_folds, fold_maps

VectorNorm = Literal[1, 2]

# A share of a chance that is rounding, so that it has no sign.
_ROUNDING = 1e-5
_LEVEL = 0.95
# Two vectors of chances are no farther apart, in either norm's terms.
_LARGEST = 2.0
# How often pairs of folds count in the variance of a mean: `standard_error` says why.
_PAIRS: dict[VectorNorm, int] = {1: 2, 2: 1}


class VectorError(NamedTuple):
    """An estimate of the error of whole vectors, and where it comes from.

    `error` is a lower bound in expectation. Only `low`, its lower limit of 95%, is a statement
    about the true error. `over` and `under` are the parts of rows whose claims are too extreme and
    too timid; with norm 2 they are parts of the square.
    """

    error: float
    low: float
    over: float
    under: float


@takes_one
def vector_error(
    pred: Predictions | Canonical,
    *,
    norm: VectorNorm = 1,
    family: Family | str | None = None,
    folds: int = 5,
    seed: int = 0,
) -> float:
    """Distance of whole vectors from the true chances, by maps that had not seen the rows.

    With norm 1, the mean of <sign(q - p), y - p>: 0 on average for a calibrated model, so it may be
    negative. With norm 2, the root of what cross-fitted q take off the Brier score. Where no family
    is given, each fold takes the one with the best log score within the rows that it fits on.

    >>> from calibrant import samples
    >>> _, test = samples.load("c10-resnet18")
    >>> round(vector_error(test, family="temperature"), 2)
    0.06
    """
    terms = row_terms(pred, norm=norm, family=family, folds=folds, seed=seed)
    return terms.error


@takes_one
def variational_error(
    pred: Predictions | Canonical,
    *,
    norm: VectorNorm = 1,
    family: Family | str | None = None,
    folds: int = 5,
    seed: int = 0,
) -> VectorError:
    """`vector_error` with its lower limit, and its parts by over- and underconfident rows.

    >>> from calibrant import samples
    >>> _, test = samples.load("c10-resnet18")
    >>> found = variational_error(test, family="temperature")
    >>> found.low > 0, found.over > found.under
    (True, True)
    """
    terms = row_terms(pred, norm=norm, family=family, folds=folds, seed=seed)
    return VectorError(
        error=terms.error,
        low=terms.low,
        over=terms.mean_of(terms.tilt < 0),
        under=terms.mean_of(terms.tilt > 0),
    )


@dataclass(frozen=True, eq=False)
class RowTerms:
    """What each row adds to the error, or to its square.

    `rows` are the places of the rows. `variance` is that of a term where claims are right; `tilt`
    tells whether q lies nearer to the uniform vector than p, below 0, or farther from it.
    """

    norm: VectorNorm
    rows: Ints
    value: Array
    variance: Array
    tilt: Array
    w: Weights

    @property
    def total(self) -> float:
        """How many observations the rows stand for."""
        return weights.total(self.w, len(self.value))

    @property
    def mean(self) -> float:
        """The error, or its square."""
        return weighted_mean(self.value, self.w)

    @property
    def error(self) -> float:
        """The error itself; a square below 0 is none."""
        return self.root(self.mean)

    @property
    def low(self) -> float:
        """The lower limit: above the true error in at most one sample of twenty."""
        low, _ = self.ends(_LEVEL)
        return low

    @property
    def limit(self) -> float:
        """What right claims stay below, 19 times in 20."""
        if self.total <= 1:
            return self.root(_LARGEST)
        quantile = float(stdtrit(self.total - 1, _LEVEL))
        expected = weighted_mean(self.variance, self.w)
        mean = quantile * float(np.sqrt(_PAIRS[self.norm] * expected / self.total))
        return self.root(min(_LARGEST, mean))

    def ends(self, level: float) -> tuple[float, float]:
        """Limits of the bound, below and above, each of which holds with this confidence.

        That below holds for the true error too.
        """
        if self.total <= 1:
            return 0.0, self.root(_LARGEST)
        quantile = float(stdtrit(self.total - 1, level))
        half = quantile * standard_error(self.value, self.variance, self.w, self.norm)
        low = max(0.0, self.mean - half)
        high = min(_LARGEST, self.mean + half)
        return self.root(low), self.root(max(low, high))

    def by_rows(self, n: int) -> Array:
        """The terms in the order of the n rows that were given; those that weigh nothing have 0."""
        value = np.zeros(n)
        value[self.rows] = self.value
        return value

    def spread(self, mean: float) -> float:
        """The error that another mean stands for, which rows that were drawn again have given.

        It lies as far from the mean seen as their standard error says, where signs follow noise.
        """
        return self.root(self.mean + np.sqrt(_PAIRS[self.norm]) * (mean - self.mean))

    def root(self, mean: float) -> float:
        """The error that a mean of terms stands for."""
        if self.norm == 1:
            return mean
        return float(np.sqrt(max(0.0, mean)))

    def mean_of(self, chosen: Bools) -> float:
        """What some of the rows add to the mean."""
        return weighted_mean(np.where(chosen, self.value, 0.0), self.w)


def row_terms(
    pred: Predictions | Canonical,
    *,
    norm: VectorNorm = 1,
    family: Family | str | None = None,
    folds: int = 5,
    seed: int = 0,
) -> RowTerms:
    """The terms of every row that weighs anything, each by a map that had not seen it."""
    view = _checked(pred)
    check_argument("norm", norm, VectorNorm)
    check_argument("family", family, Family | str | None)
    given = None if family is None else family_of(family)
    check_folds(folds, given)
    parts = held_out(view, folds, seed)
    return terms_of_maps(view, parts, fold_maps(view, parts, given), norm)


def terms_of_maps(
    view: Canonical,
    parts: Sequence[Fold],
    maps: Iterable[Map],
    norm: VectorNorm,
) -> RowTerms:
    """The terms of the rows that each fold holds out, by its map."""
    found = []
    with progress("cross-fitting", len(parts)) as tick:
        for fold_map, (_, held) in zip(maps, parts, strict=True):
            found.append(_terms(fold_map, view[held], norm))
            tick()
    rows = np.concatenate([held for _, held in parts])
    value, variance, tilt = np.concatenate(found, axis=1)
    return RowTerms(norm, rows, value, variance, tilt, some(view.w, rows))


def standard_error(value: Array, variance: Array, w: Weights, norm: VectorNorm) -> float:
    """The standard error of a mean of cross-fitted terms.

    Rows show too small a variance where a rare outcome is missing: it is at least what right claims
    would have. With norm 1 it is doubled: where claims are right, the signs of each fold follow the
    noise of the others, and every pair of folds counts twice. With norm 2 what such noise adds is
    less than what it takes off, |q - p|^2.
    """
    total = weights.total(w, len(value))
    mean = weighted_mean(value, w)
    seen = weighted_mean((value - mean) ** 2, w) * total / (total - 1)
    expected = weighted_mean(variance, w)
    return float(np.sqrt(_PAIRS[norm] * max(seen, expected) / total))


def _terms(fold_map: Map, view: Canonical, norm: VectorNorm) -> Array:
    """The value, the variance where claims are right, and the tilt of each row."""
    p = view.p.astype(np.float64)
    gap = fold_map(view) - p
    gap[np.abs(gap) <= _ROUNDING * p] = 0
    residual = label_shares(view.y, view.pred.k) - p
    direction = np.sign(gap) if norm == 1 else 2 * gap
    value = _products(direction, residual)
    if norm == 2:
        value -= _products(gap, gap)
    variance = _products(direction**2, p) - _products(direction, p) ** 2
    tilt = _products(gap, p - 1 / p.shape[1])
    tilt[np.abs(tilt) <= _ROUNDING * np.abs(gap).sum(1)] = 0
    return np.stack([value, np.maximum(variance, 0), tilt])


def _products(x: Array, y: Array) -> Array:
    return np.einsum("ij,ij->i", x, y)


def _checked(pred: Predictions | Canonical) -> Canonical:
    if isinstance(pred, Canonical):
        return pred
    if isinstance(pred, Predictions):
        return canonical(pred)
    if isinstance(pred, View):
        raise ValueError(
            f"vector_error is of whole vectors, and a view has one chance a row (that {pred.event})"
            "; use calibration_error(view)"
        )
    raise ValueError(f"vector_error takes Predictions, got {type(pred).__name__}: {MAKE_THEM}")
