"""Scaling, then binning: the smooth map's small variance and the histogram's measurable error."""

from dataclasses import dataclass

import numpy as np

from ...fitting.types import Array
from ...inputs.views import View
from ..family import ChanceFamily, ChanceRule
from .binned import Binned
from .logistic import Platt, Sigmoid


@dataclass(frozen=True, eq=False)
class Rounded(ChanceRule):
    """A smooth map whose values between two of the `inner` edges all become their mean."""

    smooth: Sigmoid
    inner: Array
    mean: Array

    def __call__(self, view: View) -> Array:
        return self.mean[np.searchsorted(self.inner, self.smooth(view), side="right")]


@dataclass(frozen=True)
class ScalingBinning(ChanceFamily):
    """Platt's map rounded to the means of bins of equal mass, so that it takes `n_bins` values at most.

    >>> from calibrant import binary
    >>> view = binary([0.1, 0.3, 0.6, 0.8], [0, 0, 1, 1])
    >>> ScalingBinning(2).fit(view)(view).round(3).tolist()
    [0.294, 0.294, 0.706, 0.706]
    """

    n_bins: int = 15

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_bins < 1:
            raise ValueError(f"n_bins must be at least 1, got {self.n_bins}")

    def chance_rule(self, view: View) -> Rounded:
        """Fit Platt's map, and average its values bin by bin."""
        smooth = Platt().chance_rule(view)
        steps = Binned(self.n_bins, edges="mass").chance_rule(View(smooth(view), view.y, view.w))
        return Rounded(smooth, steps.inner, steps.mean_p)
