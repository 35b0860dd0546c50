"""Scaling, then binning: the smooth map's small variance and the histogram's measurable error."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...fitting.types import Array
from ...inputs.checks import check_count
from ...inputs.views import View
from ..operations import Claims, Operations, Value
from ..rules import ChanceRule, Fact
from .binned import Binned
from .family import ChanceFamily
from .logistic import Platt, Sigmoid


@dataclass(frozen=True, eq=False)
class Rounded(ChanceRule):
    """A smooth map whose values between two of the `inner` edges all become their mean."""

    tag = "rounded"
    smooth: Sigmoid
    inner: Array
    mean: Array

    def formula(self, claims: Claims, ops: Operations) -> Value:
        smooth = self.smooth.formula(claims, ops)
        gain = abs(self.smooth.slope)
        return ops.step(smooth, self.inner, self.mean, side="right", gain=gain)

    def facts(self) -> Iterator[Fact]:
        yield from self.smooth.facts()
        yield Fact("bins", len(self.mean), "each has one chance")

    def parts(self) -> Sequence[ChanceRule]:
        return (self.smooth,)


@dataclass(frozen=True)
class ScalingBinning(ChanceFamily):
    """Platt's map rounded to the means of bins of equal mass, so that it takes few values.

    They are `n_bins` at most (Kumar et al. 2019).

    >>> from calibrant import binary
    >>> view = binary([0.1, 0.3, 0.6, 0.8], [0, 0, 1, 1])
    >>> ScalingBinning(2).fit(view)(view).round(3).tolist()
    [0.294, 0.294, 0.706, 0.706]
    """

    n_bins: int = 15

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("n_bins", self.n_bins)

    def chance_rule(self, view: View) -> Rounded:
        """Fit Platt's map, and average its values bin by bin."""
        smooth = Platt().chance_rule(view)
        scaled = View(smooth(view), view.y, view.w)
        steps = Binned(self.n_bins, edges="mass").chance_rule(scaled)
        return Rounded(smooth, steps.inner, steps.mean_p)
