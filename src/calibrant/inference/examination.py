"""What speaks against the claims of a view: how strongly, by how much, where and which way."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.special import betaincinv

from ..families.defaults import ERROR_FAMILY
from ..fitting.types import Array
from ..inputs.views import View
from ..measures.draws import Cells, cells
from .joint_test import joint_p_value
from .running_sums import PATH_95

Shape = Literal["too high", "too low", "too extreme", "too timid", "uneven"]

_END_95 = 1.96
# Shares of the whole error: that of one direction, and that which one crossing explains.
_ONE_SIDED = 0.6
_ONE_CROSSING = 0.75
# From this error on it is weighed by its points, below it by the likelihood lost.
_PLAIN = 0.01
_TAIL = 0.1
_TAIL_LEVEL = 0.01
_TINY = 1e-15


@dataclass(frozen=True)
class Share:
    """Some rows: what they claim on average, and how often the event happened."""

    rows: float
    claimed: float
    happened: float

    @property
    def factor(self) -> float:
        """How many times too often or too seldom the event is claimed, or else its absence.

        The larger of the two, 1 or more; infinite where what was claimed never happened.
        """
        of_event = ratio(self.claimed, self.happened)
        of_rest = ratio(1 - self.claimed, 1 - self.happened)
        return max(of_event, of_rest)

    @property
    def is_off(self) -> bool:
        """Whether the claim lies outside the exact 99% interval of what happened."""
        events = min(self.rows, self.rows * self.happened)
        failures = max(0.0, self.rows - events)
        low = betaincinv(events, failures + 1, _TAIL_LEVEL / 2) if events > 0 else 0.0
        high = betaincinv(events + 1, failures, 1 - _TAIL_LEVEL / 2) if failures > 0 else 1.0
        return not low <= self.claimed <= high


@dataclass(frozen=True)
class Examination:
    """The evidence against a view's claims, and the size and the place of what is wrong.

    `p_value` is that of the joint test. `limit` is the largest gap of running sums that right
    claims would show, `mean_limit` that of the means, 19 times in 20. `rarer` is how many events
    the claims expect, or failures where these are fewer. `error` is the mean gap to the smooth
    curve of best fit, `widest` the KS error of the cells, `worst` the furthest interval of claims,
    from `low` to `high`.
    """

    p_value: float
    whole: Share
    rarer: float
    limit: float
    mean_limit: float
    error: float
    widest: float
    shape: Shape
    lowest: Share
    highest: Share
    worst: Share
    low: float
    high: float

    @property
    def gap(self) -> float:
        """By how much the claims exceed what happened, on average."""
        return self.whole.claimed - self.whole.happened

    @property
    def has_gap(self) -> bool:
        """Whether the mean gap is more than random variation alone makes."""
        return abs(self.gap) > self.mean_limit

    @property
    def hidden_factor(self) -> float:
        """How many times too high the rarer outcome may be claimed, and these rows not show it."""
        rarer_share = min(self.whole.claimed, 1 - self.whole.claimed)
        if rarer_share <= 0:
            return 1.0
        return 1 + self.mean_limit / rarer_share

    @cached_property
    def tails(self) -> tuple[Share, ...]:
        """Which of the lowest and the highest claims are off, the one more times so first."""
        off = [each for each in (self.lowest, self.highest) if each.is_off]
        return tuple(sorted(off, key=lambda each: -each.factor))


def examine(view: View, *, n_draws: int = 1000, seed: int = 0) -> Examination:
    """Everything that a verdict is made of; mirrored claims have the mirrored examination."""
    part = cells(view)
    q = _curve(part)
    total = float(part.w.sum())
    deviation = float(np.sqrt(part.w @ (part.read * (1 - part.read)))) / total
    sums = np.append(0.0, np.cumsum(part.happened - part.w * part.p)) / total
    worst = _worst(sums)
    gap = float(-sums[-1])
    error = float(part.w @ np.abs(q - part.p)) / total
    return Examination(
        p_value=joint_p_value(part, n_draws=n_draws, seed=seed),
        whole=_share(part, slice(None)),
        rarer=float(min(part.w @ part.read, part.w @ (1 - part.read))),
        limit=PATH_95 * deviation,
        mean_limit=_END_95 * deviation,
        error=error,
        widest=float(np.abs(sums).max()),
        shape=_shape(part, q, error, gap if abs(gap) > _END_95 * deviation else 0.0),
        lowest=_share(part, slice(0, _tail(part.w))),
        highest=_share(part, slice(len(part.w) - _tail(part.w[::-1]), None)),
        worst=_share(part, worst),
        low=float(part.p[worst.start]),
        high=float(part.p[worst.stop - 1]),
    )


def ratio(claimed: float, happened: float) -> float:
    """The larger over the smaller: infinite if only one is 0, and 1 if both are."""
    least = min(claimed, happened)
    most = max(claimed, happened)
    if most <= 1e-12:
        return 1.0
    return most / least if least > 1e-12 else float(np.inf)


def _curve(part: Cells) -> Array:
    """The smooth curve of best fit at each cell."""
    pooled = part.counted(part.happened)
    return ERROR_FAMILY.fit_curve(pooled)(pooled)[::2]


def _share(part: Cells, rows: slice) -> Share:
    w = part.w[rows]
    total = float(w.sum())
    claimed = float(w @ part.p[rows]) / total
    happened = float(part.happened[rows].sum()) / total
    return Share(total, claimed, happened)


def _worst(sums: Array) -> slice:
    """The cells over which the running sums range."""
    ends = sorted([int(sums.argmin()), int(sums.argmax())])
    if ends[0] == ends[1]:
        return slice(0, len(sums) - 1)
    return slice(*ends)


def _tail(w: Array) -> int:
    """How many of the first cells hold a tenth of all rows, one at least."""
    within = np.cumsum(w) <= _TAIL * w.sum()
    return max(1, int(np.count_nonzero(within)))


def _shape(part: Cells, q: Array, error: float, gap: float) -> Shape:
    """Which way the claims err, by where the curve lies above them and where below.

    `gap` is the mean gap if it is more than random variation, else 0.
    """
    off = part.w * (part.p - q)
    if error < _PLAIN:
        off = np.sign(off) * part.w * _divergence(q, part.read)
    whole = np.abs(off).sum()
    if not whole:
        return _one_sided(gap) if gap else "uneven"
    side = off.sum() / whole
    if gap * side > 0 and abs(side) >= _ONE_SIDED:
        return _one_sided(gap)
    # Of all places where low claims may end and high ones begin, the one that explains most.
    crossed = (off.sum() - 2 * np.cumsum(off)) / whole
    extreme = crossed.max()
    timid = -crossed.min()
    if max(extreme, timid) < _ONE_CROSSING or extreme == timid:
        return _one_sided(gap) if abs(gap) > _ONE_SIDED * error else "uneven"
    return "too extreme" if extreme > timid else "too timid"


def _one_sided(gap: float) -> Shape:
    return "too high" if gap > 0 else "too low"


def _divergence(q: Array, p: Array) -> Array:
    """The likelihood lost by claiming p where q is true, in nats."""
    p = np.clip(p, _TINY, 1 - _TINY)
    q = np.clip(q, _TINY, 1 - _TINY)
    lost = q * np.log(q / p)
    lost += (1 - q) * np.log((1 - q) / (1 - p))
    return np.maximum(lost, 0)
