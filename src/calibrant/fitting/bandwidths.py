"""Widths of kernels: those to choose from, and a rule of thumb."""

import numpy as np

_NARROW = np.logspace(-5, -1, num=15)
_WIDE = np.linspace(0.2, 1, num=5)
BANDWIDTHS = np.concatenate([_NARROW, _WIDE])
LEAST_BANDWIDTH = 1e-8


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
