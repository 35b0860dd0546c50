"""Calibration errors: how far a fitted map lies from the identity."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..families.binary.binned import Binned
from ..families.defaults import ERROR_FAMILY
from ..families.family import Family
from ..families.folds import cross_fit
from ..families.maps import Map
from ..families.names import family_of
from ..families.rules import Bins, Edges
from ..fitting.blocks import on_all_cores
from ..fitting.types import Array
from ..fitting.weights import Weights, present, weighted_mean
from ..inputs.checks import check_argument
from ..inputs.habits import takes_one
from ..inputs.predictions import Predictions
from ..inputs.questions import Asked, Scored, classwise
from ..inputs.views import Canonical, View
from .averages import Norm, mean_over_questions, of_power, power
from .debiasing import debiased, mixed_in_bins
from .draws import Random, Sampler, null_sampler, replicates

Debias = bool | Literal["draws"]
_DRAWS = 20


@takes_one
def calibration_error(
    x: Scored,
    family: Family | str = ERROR_FAMILY,
    *,
    norm: Norm = 1,
    folds: int | None = None,
    debias: Debias = False,
) -> float:
    """Mean distance from each claim to its calibrated chance, the family fitted on the same rows.

    Of several views it is the mean, in norm 2 of squares, of which the root is taken. With `folds`,
    no row has a say in its own map. With `debias`, what right claims would show by
    random variation is subtracted: of bins by the formulas of Kängsepp et al. 2022; of other
    families, and of all by "draws", as squares, from outcomes drawn from the claims: of fractional
    outcomes, which vary less, too much.

    >>> from calibrant import binary
    >>> round(calibration_error(binary([0.8] * 1000, [1] * 600 + [0] * 400)), 3)
    0.199
    """
    family = family_of(family)
    check_argument("norm", norm, Norm)
    check_argument("debias", debias, Debias)
    if not debias:
        plug_in = _PlugIn(family, norm, folds)
        mean = mean_over_questions(plug_in.power, x)
        return of_power(mean, norm)
    if norm == "max":
        raise ValueError(
            "debias knows what random variation adds to means, not to the largest gap; "
            "use norm 1 or 2"
        )
    corrected = _Debiased(family, norm, folds, by_formula=debias is True)
    mean = mean_over_questions(corrected.power, x)
    return of_power(mean, norm)


@takes_one
def ece(
    x: Asked,
    n_bins: int = 15,
    *,
    edges: Edges = "width",
    norm: Norm = 1,
    debias: Debias = False,
) -> float:
    """Expected calibration error: the gap of mean claim and mean outcome, averaged over bins.

    >>> from calibrant import binary
    >>> round(ece(binary([0.8] * 10, [1] * 6 + [0] * 4)), 3)
    0.2
    """
    family = Binned(n_bins, edges=edges)
    return calibration_error(x, family, norm=norm, debias=debias)


@takes_one
def mce(x: Asked, n_bins: int = 15) -> float:
    """Maximum calibration error: the gap of the worst bin, however few rows it holds."""
    return calibration_error(x, Binned(n_bins), norm="max")


@takes_one
def classwise_ece(pred: Predictions, n_bins: int = 15, *, edges: Edges = "width") -> float:
    """ECE of each class against the rest, averaged over classes."""
    return ece(classwise(pred), n_bins, edges=edges)


@takes_one
def sweep_ece(x: Asked) -> float:
    """ECE with as many bins of equal mass as keep the outcomes rising."""
    family = Binned(edges="mass", rule="sweep")
    return calibration_error(x, family)


@takes_one
def cv_ece(x: Asked) -> float:
    """ECE with as many bins of equal mass as cross-validation supports."""
    family = Binned(edges="mass", rule="cv")
    return calibration_error(x, family)


def distance(gap: Array, w: Weights, norm: Norm) -> float:
    """The mean of gaps, the root of the mean of their squares, or the largest."""
    if norm == "max":
        kept = present(w, len(gap))
        return float(gap[kept].max())
    mean = weighted_mean(gap**norm, w)
    return mean ** (1 / norm)


def gap_lengths(gaps: Array, norm: Norm) -> Array:
    """The length of each row of gaps, one a class."""
    order = np.inf if norm == "max" else norm
    return np.linalg.norm(gaps, order, axis=1)


@dataclass(frozen=True)
class _PlugIn:
    """The plug-in estimator: a family is fitted and held against the claims, in a norm."""

    family: Family
    norm: Norm
    folds: int | None

    def error(self, view: View | Canonical) -> float:
        """The distance of the fitted map from the identity."""
        gap, w = self._gaps(view)
        return distance(gap, w, self.norm)

    def power(self, view: View | Canonical) -> float:
        """The error, in norm 2 its square."""
        return power(self.error(view), self.norm)

    def _gaps(self, view: View | Canonical) -> tuple[Array, Weights]:
        """Distances from claims to calibrated chances, and their weights.

        They are of rows, or of bins where all rows of a bin agree.
        """
        if self.folds is not None:
            q = cross_fit(self.family, view, folds=self.folds)
            return self._lengths(q - view.p), view.w
        if isinstance(view, Canonical):
            q = self.family.fit(view)(view)
            return self._lengths(q - view.p), view.w
        fitted = self.family.fit_curve(view)
        bins = _bins(fitted)
        if bins is not None:
            return np.abs(bins.lift), bins.count
        return _row_gaps(fitted, view), view.w

    def _lengths(self, gap: Array) -> Array:
        if gap.ndim == 1:
            return np.abs(gap)
        return gap_lengths(gap, self.norm)


@dataclass(frozen=True)
class _Debiased:
    """The plug-in estimator less what random variation adds to it."""

    family: Family
    norm: Literal[1, 2]
    folds: int | None
    by_formula: bool

    def power(self, view: View | Canonical) -> float:
        """The error, in norm 2 its square: by the formula of bins if there is one, or by draws."""
        bins = self._bins(view)
        if bins is None or isinstance(view, Canonical):
            square = self._square_by_draws(view)
            return square if self.norm == 2 else of_power(square, 2)
        return debiased(bins, self.norm, mixed_in_bins(bins, view))

    def _bins(self, view: View | Canonical) -> Bins | None:
        has_formula = self.by_formula and self.folds is None
        if not has_formula or isinstance(view, Canonical):
            return None
        return _bins(self.family.fit(view))

    def _square_by_draws(self, view: View | Canonical) -> float:
        """The squared error less the mean squared error of right claims."""
        plug_in = _PlugIn(self.family, self.norm, self.folds)

        def drawn_error(draw: Sampler, random: Random) -> float:
            return plug_in.error(draw(random))

        samplers = [null_sampler(view)] * _DRAWS
        drawn = replicates(drawn_error, samplers, seed=0)
        bias = np.mean(np.square(drawn))
        return plug_in.error(view) ** 2 - float(bias)


def _bins(fitted: Map) -> Bins | None:
    """The bins of a map of one chance, where their gaps are those of all their rows."""
    bins: Bins | None = fitted.rule.bins
    if bins is None or bins.slope != 1:
        return None
    return bins


def _row_gaps(fitted: Map, view: View) -> Array:
    def gaps(block: View) -> Array:
        q = fitted(block)
        return np.abs(q - block.p)

    return np.concatenate(on_all_cores(gaps, view.blocks()))
