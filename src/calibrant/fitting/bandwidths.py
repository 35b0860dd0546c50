"""Widths of kernels: those to choose from, the likeliest of them, and a rule of thumb."""

from collections.abc import Callable, Sequence

import numpy as np

from .types import Array

_NARROW = np.logspace(-5, -1, num=15)
_WIDE = np.linspace(0.2, 1, num=5)
BANDWIDTHS = np.concatenate([_NARROW, _WIDE])
LEAST_BANDWIDTH = 1e-8
# Tried where narrow ones are best. None is wider: a kernel of 1 reaches from 0 to 1, and the wider
# ones that claims spread evenly ask for would hold every claim against the share of all events.
_NARROWER = np.logspace(-8, -5, num=12)[-2::-1]
_AT_ONCE = 4

Scores = Callable[[Sequence[float]], Array]


def best_scored(scores: Scores) -> float:
    """The bandwidth of greatest score; where that is the least of all, narrower ones are tried.

    >>> best_scored(lambda tried: -np.square(tried))
    1e-08
    >>> best_scored(lambda tried: np.square(tried))
    1.0
    """
    found = scores(BANDWIDTHS.tolist())
    place = int(np.argmax(found))
    best = float(BANDWIDTHS[place])
    highest = found[place]
    if place > 0:
        return best
    for part in np.array_split(_NARROWER, len(_NARROWER) // _AT_ONCE + 1):
        found = scores(part.tolist())
        place = int(np.argmax(found))
        if found[place] <= highest:
            return best
        best = float(part[place])
        highest = found[place]
        if place < len(part) - 1:
            return best
    return best


def place_among(bandwidth: float) -> str:
    """Where a bandwidth lies among those to choose from, in words; nothing where it is usual.

    >>> place_among(0.01), place_among(LEAST_BANDWIDTH)
    ('', 'the narrowest tried')
    """
    if bandwidth <= LEAST_BANDWIDTH:
        return "the narrowest tried"
    if bandwidth < BANDWIDTHS[0]:
        return f"below the usual ones, {BANDWIDTHS[0]:g} to {BANDWIDTHS[-1]:g}"
    if bandwidth == BANDWIDTHS[-1]:
        return "the widest tried"
    return ""


def rule_of_thumb(variance: float, dimensions: int, total: float) -> float:
    """The bandwidth that suits a normal density, as Silverman's, within those to choose from.

    `variance` is that of the roots of the chances, a dimension: there a kernel of bandwidth h is
    sqrt(h)/2 wide.

    >>> round(rule_of_thumb(0.04, 1, 1000), 4)
    0.0113
    """
    power = 2 / (dimensions + 4)
    ratio = 4 / ((dimensions + 2) * total)
    h = 4 * variance
    h *= ratio**power
    least = BANDWIDTHS[0]
    most = BANDWIDTHS[-1]
    return float(np.clip(h, least, most))
