"""The error of whole vectors, bounded from below: what a map that never saw a row says of it.

E|E[y|p] - p| is the largest mean of <s(p), y - p> over functions s whose entries are signs. Signs
of a cross-fitted map, q - p, give a mean that is below it in expectation, whatever the family.
"""

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
from ..inputs.predictions import Predictions
from ..inputs.questions import canonical
from ..inputs.views import Canonical, View
from ..progress import progress
from .scores import row_losses

VectorNorm = Literal[1, 2]

# What the map may be; of many classes, each one's smooth curve would take too long.
_FAMILIES = (
    "identity",
    "temperature",
    "ensemble-temperature",
    "vector-scaling",
    "structured-matrix",
    "order-preserving",
)
_OF_FEW_CLASSES = "one-vs-rest(smooth)"
_OF_MANY_CLASSES = "one-vs-rest(beta)"
_FEW_CLASSES = 20
# Of the rows to fit on, one part in so many scores the families.
_INNER_FOLDS = 4
# A share of a chance that is rounding, so that it has no sign.
_ROUNDING = 1e-5
_LEVEL = 0.95


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
        if self.total <= 1:
            return 0.0
        limit = self.mean - self.half_width(_LEVEL)
        return self.root(max(0.0, limit))

    def half_width(self, tail: float) -> float:
        """How far a quantile of Student's distribution lies from the mean."""
        quantile = stdtrit(self.total - 1, tail)
        error = standard_error(self.value, self.variance, self.w)
        return float(quantile * error)

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
    parts = held_out(view, folds, seed)
    found = []
    with progress("cross-fitting", len(parts)) as tick:
        for fitted, held in parts:
            training = view[fitted]
            fold_map = _best_map(training, seed) if given is None else given.fit(training)
            found.append(_terms(fold_map, view[held], norm))
            tick()
    rows = np.concatenate([held for _, held in parts])
    value, variance, tilt = np.concatenate(found, axis=1)
    return RowTerms(norm, rows, value, variance, tilt, some(view.w, rows))


def standard_error(value: Array, variance: Array, w: Weights) -> float:
    """The standard error of a mean of cross-fitted terms.

    Rows show too small a variance where a rare outcome is missing: it is at least what right claims
    would have. Twice that variance is taken: where claims are right, the map of each fold follows
    the noise of the others, and every pair of folds counts twice.
    """
    total = weights.total(w, len(value))
    mean = weighted_mean(value, w)
    seen = weighted_mean((value - mean) ** 2, w) * total / (total - 1)
    expected = weighted_mean(variance, w)
    return float(np.sqrt(2 * max(seen, expected) / total))


def outcome_vectors(view: Canonical) -> Array:
    """What happened, as vectors: 1 for the class of a row, or its shares of classes."""
    y = np.asarray(view.y)
    if y.ndim == 2:
        return y.astype(np.float64)
    vectors = np.zeros(view.p.shape)
    vectors[np.arange(view.n), y] = 1
    return vectors


def _terms(fold_map: Map, view: Canonical, norm: VectorNorm) -> Array:
    """The value, the variance where claims are right, and the tilt of each row."""
    p = view.p.astype(np.float64)
    gap = fold_map(view) - p
    gap[np.abs(gap) <= _ROUNDING * p] = 0
    residual = outcome_vectors(view) - p
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


def _best_map(view: Canonical, seed: int) -> Map:
    """The map of the family that scores best on rows held out of these, fitted on all of them."""
    families = _candidates(view.pred.k)
    best = families[0]
    if view.n >= _INNER_FOLDS:
        inner = held_out(view, _INNER_FOLDS, seed)
        fitted, held = inner[0]
        losses = [_loss(family, view[fitted], view[held]) for family in families]
        best = families[int(np.argmin(losses))]
    try:
        return best.fit(view)
    except ValueError:
        # It was fitted on fewer of these rows; what cannot be fitted on all of them is left.
        return families[0].fit(view)


def _candidates(k: int) -> list[Family]:
    each_class = _OF_FEW_CLASSES if k <= _FEW_CLASSES else _OF_MANY_CLASSES
    return [family_of(name) for name in (*_FAMILIES, each_class)]


def _loss(family: Family, training: Canonical, held: Canonical) -> float:
    """The log score of rows held out; a family that cannot be fitted has none."""
    try:
        mended = family.fit(training).apply(held.pred)
    except ValueError:
        return float("inf")
    losses = row_losses(mended, "nll")
    return weighted_mean(losses, held.w)


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
