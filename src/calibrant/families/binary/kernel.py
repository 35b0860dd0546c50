"""The share of events about a claim, neighbours weighed by Beta kernels."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.special import expit

from ...fitting.bandwidths import LEAST_BANDWIDTH, place_among
from ...fitting.beta_bandwidths import best_bandwidth, predictive_bandwidth, quick_bandwidth
from ...fitting.beta_density import FLOOR, key_table
from ...fitting.beta_kernel import BetaKernel, floored
from ...fitting.blocks import blocks_of, on_all_cores
from ...fitting.pooling import Pool
from ...fitting.types import Array
from ...inputs.checks import check_argument
from ...inputs.views import View
from ..numpy_operations import NUMPY
from ..operations import Claims, GivenClaims, Operations, Value
from ..rules import ChanceRule, Fact
from .family import ChanceFamily

# So many pairs of claims are summed one by one; of more the sums are read off a grid, within 1e-7.
_MOST_PAIRS = 1 << 22
_PAIRS_AT_ONCE = 1 << 18

Choice = Literal["likelihood", "outcomes", "rule"]
Bandwidth = float | int | Choice | None
# What None stands for.
CHOICE: Choice = "likelihood"


@dataclass(frozen=True, eq=False)
class Neighbours(ChanceRule):
    """The claims fitted on, how often each was made and came true, and the Beta kernel about each.

    A kernel's logarithm is `log_p` times log p plus `log_rest` times log(1 - p) plus `height`.
    """

    tag = "neighbours"
    padded_with_zeros = frozenset({"w", "happened"})
    odds: Array
    w: Array
    happened: Array
    log_p: Array
    log_rest: Array
    height: Array
    bandwidth: float
    floor: float

    def formula(self, claims: Claims, ops: Operations) -> Value:
        z = ops.clip(claims.log_odds, self.floor, -self.floor)
        of_p = ops.log_expit(z), self.log_p
        of_rest = ops.log_expit(-z), self.log_rest
        return ops.kernel_mean([of_p, of_rest], self.height, self.happened, self.w)

    def __call__(self, claims: Claims) -> Array:
        z = np.asarray(claims.log_odds)
        if z.size * self.odds.size > _MOST_PAIRS:
            return self._from_grid.at(z)
        most_rows = max(1, _PAIRS_AT_ONCE // self.odds.size)
        blocks = [z[rows] for rows in blocks_of(len(z), most_rows)]
        return np.concatenate(on_all_cores(self._sum, blocks))

    def facts(self) -> Iterator[Fact]:
        claims = len(self.odds)
        place = place_among(self.bandwidth)
        words = "of the Beta kernel; the larger, the smoother"
        yield Fact("bandwidth", self.bandwidth, f"{words}; {place}" if place else words)
        yield Fact("claims", claims, "different ones fitted on, each with a kernel about it")

    def _sum(self, z: Array) -> Array:
        claims = GivenClaims(expit(z), lambda: z)
        return self.formula(claims, NUMPY)

    @cached_property
    def _from_grid(self) -> BetaKernel:
        pool = Pool(self.odds, self.w, self.happened)
        return BetaKernel(pool, self.bandwidth)


@dataclass(frozen=True)
class Kernel(ChanceFamily):
    """The mean outcome of neighbours, weighed by a Beta kernel that narrows towards 0 and 1.

    `bandwidth` "likelihood", as is None: the one that makes each claim most probable given the
    different ones, which is narrow wherever claims crowd; "outcomes": the one whose shares predict
    each outcome best, given the others; "rule": a rule of thumb. A claim that was fitted on is its
    own neighbour; `kde_error` measures without that.

    >>> from calibrant import binary
    >>> fitted = Kernel(0.1).fit(binary([0.2, 0.2, 0.9, 0.9], [0, 1, 1, 1]))
    >>> fitted([0.2, 0.5, 0.9]).round(3).tolist()
    [0.5, 0.591, 1.0]
    """

    bandwidth: Bandwidth = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_bandwidth(self.bandwidth)

    def chance_rule(self, view: View) -> Neighbours:
        """Keep the claims and choose the width."""
        pool = floored(view.odds_pool)
        bandwidth = bandwidth_for(pool, self.bandwidth)
        log_p, log_rest, height = key_table(pool.p, bandwidth)
        return Neighbours(*pool, log_p, log_rest, height, bandwidth, FLOOR)


def bandwidth_for(pool: Pool, bandwidth: Bandwidth) -> float:
    """The width given, or the one chosen for claims in log odds."""
    if bandwidth is None:
        bandwidth = CHOICE
    if bandwidth == "rule":
        return quick_bandwidth(pool)
    if bandwidth == "outcomes":
        return predictive_bandwidth(pool)
    if bandwidth == "likelihood":
        return best_bandwidth(pool)
    return float(bandwidth)


def check_bandwidth(bandwidth: Bandwidth) -> None:
    """A width must be a number above 0, or be left to choose."""
    check_argument("bandwidth", bandwidth, Bandwidth)
    if not isinstance(bandwidth, float | int):
        return
    if not LEAST_BANDWIDTH <= bandwidth < np.inf:
        raise ValueError(
            f"bandwidth must be above 0, at least {LEAST_BANDWIDTH:g}, such as 0.01; "
            f"got {bandwidth}; or 'likelihood', 'outcomes' (what predicts them best) or 'rule'"
        )
