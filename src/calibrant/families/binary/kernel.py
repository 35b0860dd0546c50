"""The share of events about a claim, neighbours weighed by Beta kernels."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from ...fitting.bandwidths import LEAST_BANDWIDTH
from ...fitting.beta_kernel import BetaKernel, best_bandwidth, floored, quick_bandwidth
from ...fitting.pooling import Pool
from ...fitting.types import Array
from ...inputs.checks import check_argument
from ...inputs.views import View
from ..family import ChanceFamily, ChanceRule

Bandwidth = float | int | Literal["rule"] | None


@dataclass(frozen=True, eq=False)
class Neighbours(ChanceRule):
    """The claims fitted on, as log odds, how often each was made and how often its event happened."""

    odds: Array
    w: Array
    happened: Array
    bandwidth: float

    def __call__(self, view: View) -> Array:
        return self._kernel.at(view.log_odds)

    @cached_property
    def _kernel(self) -> BetaKernel:
        return BetaKernel(Pool(self.odds, self.w, self.happened), self.bandwidth)


@dataclass(frozen=True)
class Kernel(ChanceFamily):
    """The mean outcome of neighbours, weighed by a Beta kernel that narrows towards 0 and 1.

    `bandwidth` None: the one that makes each claim most probable given the others; "rule": a rule of thumb. A claim
    that was fitted on is its own neighbour; `kde_error` measures without that.

    >>> from calibrant import binary
    >>> Kernel(0.1).fit(binary([0.2, 0.2, 0.9, 0.9], [0, 1, 1, 1]))([0.2, 0.5, 0.9]).round(3).tolist()
    [0.5, 0.591, 1.0]
    """

    bandwidth: Bandwidth = None

    def __post_init__(self) -> None:
        refuse_bandwidth(self.bandwidth)

    def chance_rule(self, view: View) -> Neighbours:
        """Keep the claims and choose the width."""
        pool = floored(view.odds_pool)
        return Neighbours(*pool, bandwidth_for(pool, self.bandwidth))


def bandwidth_for(pool: Pool, bandwidth: Bandwidth) -> float:
    """The width given, or the one chosen for claims in log odds."""
    if bandwidth == "rule":
        return quick_bandwidth(pool)
    return best_bandwidth(pool) if bandwidth is None else float(bandwidth)


def refuse_bandwidth(bandwidth: Bandwidth) -> None:
    """A width must be a number above 0, or be left to choose."""
    check_argument("bandwidth", bandwidth, Bandwidth)
    if isinstance(bandwidth, float | int) and not LEAST_BANDWIDTH <= bandwidth < np.inf:
        raise ValueError(
            f"bandwidth must be above 0, at least {LEAST_BANDWIDTH:g}, such as 0.01; got {bandwidth}; "
            "None chooses it by likelihood, 'rule' by a rule of thumb"
        )
