"""Calibration errors: how far a fitted map lies from the identity."""

from typing import Literal

import numpy as np
from scipy.special import ndtr

from ..families.binary.binned import Binned, Edges, Steps
from ..families.binary.smooth import Smooth
from ..families.family import Family
from ..families.folds import cross_fit
from ..fitting.blocks import on_all_cores
from ..fitting.types import Array
from ..inference.bootstrap import draws_if_right, replicates
from ..inputs.checks import check_argument
from ..inputs.predictions import Predictions
from ..inputs.questions import Asked, classwise, views_of
from ..inputs.views import Canonical, View

Norm = Literal[1, 2, "max"]
Debias = bool | Literal["draws"]
_DRAWS = 20


def calibration_error(
    x: Asked | Canonical,
    family: Family = Smooth(),  # noqa: B008 - families are frozen
    *,
    norm: Norm = 1,
    folds: int | None = None,
    debias: Debias = False,
) -> float:
    """Mean distance from each claim to its calibrated chance, the family fitted on the very same rows.

    With `folds`, no row has a say in its own map. With `debias`, what right claims would show by chance is subtracted:
    of bins as in paper 004, of other families, and of all by "draws", as squares, from outcomes drawn again.

    >>> from calibrant import binary
    >>> round(calibration_error(binary([0.8] * 1000, [1] * 600 + [0] * 400)), 3)
    0.199
    """
    check_argument("family", family, Family)
    check_argument("norm", norm, Norm)
    check_argument("debias", debias, Debias)
    views = (x,) if isinstance(x, Canonical) else views_of(x)
    if debias:
        by_formula = debias is True and folds is None
        return float(
            np.mean(
                [
                    _debiased_error(view, family, norm, folds, by_formula=by_formula)
                    for view in views
                ]
            )
        )
    return float(np.mean([distance(*_gaps(view, family, norm, folds), norm) for view in views]))


def ece(
    x: Asked, n_bins: int = 15, *, edges: Edges = "width", norm: Norm = 1, debias: Debias = False
) -> float:
    """Expected calibration error: the gap between mean claim and mean outcome, averaged over bins.

    >>> from calibrant import binary
    >>> round(ece(binary([0.8] * 10, [1] * 6 + [0] * 4)), 3)
    0.2
    """
    return calibration_error(x, Binned(n_bins, edges=edges), norm=norm, debias=debias)


def mce(x: Asked, n_bins: int = 15) -> float:
    """Maximum calibration error: the gap of the worst bin, however few rows it holds."""
    return calibration_error(x, Binned(n_bins), norm="max")


def classwise_ece(pred: Predictions, n_bins: int = 15, *, edges: Edges = "width") -> float:
    """ECE of each class against the rest, averaged over classes."""
    return ece(classwise(pred), n_bins, edges=edges)


def sweep_ece(x: Asked) -> float:
    """ECE with as many bins of equal mass as keep the outcomes rising."""
    return calibration_error(x, Binned(edges="mass", rule="sweep"))


def cv_ece(x: Asked) -> float:
    """ECE with as many bins of equal mass as cross-validation supports."""
    return calibration_error(x, Binned(edges="mass", rule="cv"))


def debiased(steps: Steps, norm: Literal[1, 2]) -> float:
    """Mean gap, or mean squared gap, of bins less what chance alone would show; it may be negative."""
    n, gap = steps.count, np.abs(steps.lift)
    variance = steps.mean_y * (1 - steps.mean_y)
    if norm == 2:
        # One row says nothing of its bin's spread, so its square stays as it is.
        chance = np.divide(variance, n - 1, out=np.zeros_like(n), where=n > 1)
        return float(np.average(gap**2 - chance, weights=n))
    sd = np.sqrt(np.divide(variance, n, out=np.zeros_like(n), where=n > 0))
    z = np.divide(gap, sd, out=np.full_like(gap, np.inf), where=sd > 0)
    folded = sd * np.sqrt(2 / np.pi) * np.exp(-(z**2) / 2) + gap * (2 * ndtr(z) - 1)
    return float(np.average(2 * gap - folded, weights=n))


def _debiased_error(
    view: View | Canonical, family: Family, norm: Norm, folds: int | None, *, by_formula: bool
) -> float:
    if norm == "max":
        raise ValueError(
            "debias=True knows what chance adds to means, not to the largest gap; use norm 1 or 2"
        )
    rule = family.fit(view).rule if by_formula else None
    if isinstance(rule, Steps) and rule.slope == 1:
        value = debiased(rule, norm)
        return value if norm == 1 else float(np.sqrt(max(0.0, value)))

    def shown(x: View | Canonical) -> float:
        return distance(*_gaps(x, family, norm, folds), norm)

    by_chance = np.array(
        replicates(lambda draw, random: shown(draw(random)), [draws_if_right(view)] * _DRAWS, 0)
    )
    return float(np.sqrt(max(0.0, shown(view) ** 2 - float(np.mean(by_chance**2)))))


def _gaps(
    view: View | Canonical, family: Family, norm: Norm, folds: int | None
) -> tuple[Array, Array | None]:
    """Distances from claims to calibrated chances and their weights: by row, or by bin where all its rows agree."""
    if folds is not None:
        return _rowwise(cross_fit(family, view, folds=folds) - view.p, norm), view.w
    fitted = family.fit(view)
    if isinstance(view, Canonical):
        return _rowwise(fitted(view) - view.p, norm), view.w
    if isinstance(fitted.rule, Steps) and fitted.rule.slope == 1:
        return np.abs(fitted.rule.lift), fitted.rule.count
    return np.concatenate(
        on_all_cores(lambda block: np.abs(fitted(block) - block.p), view.blocks())
    ), view.w


def _rowwise(gap: Array, norm: Norm) -> Array:
    if gap.ndim == 1:
        return np.abs(gap)
    return np.linalg.norm(gap, np.inf if norm == "max" else norm, axis=1)


def distance(gap: Array, w: Array | None, norm: Norm) -> float:
    """The mean of gaps, the root of the mean of their squares, or the largest."""
    if norm == "max":
        return float(gap.max() if w is None else gap[w > 0].max())
    return float(np.average(gap**norm, weights=w) ** (1 / norm))
