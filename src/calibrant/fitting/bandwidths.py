"""Widths of kernels: those to choose from, and a rule of thumb."""

import numpy as np

BANDWIDTHS = np.concatenate([np.logspace(-5, -1, 15), np.linspace(0.2, 1, 5)])
LEAST_BANDWIDTH = 1e-8


def rule_of_thumb(variance: float, dimensions: int, total: float) -> float:
    """The width that suits a normal density, within those to choose from.

    `variance` is that of the roots of the chances, a dimension: there a kernel of bandwidth h is sqrt(h)/2 wide.

    >>> round(rule_of_thumb(0.04, 1, 1000), 4)
    0.0113
    """
    power = dimensions + 4
    h = 4 * variance * (4 / ((dimensions + 2) * total)) ** (2 / power)
    return float(np.clip(h, BANDWIDTHS[0], BANDWIDTHS[-1]))
