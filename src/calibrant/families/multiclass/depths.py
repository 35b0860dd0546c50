"""Depths, -log of tempered chances: along them order-preserving maps are curves."""

from itertools import pairwise

import numpy as np

from ..operations import Operations, Value

# The curve of depths is a line between these, and beyond the last.
BENDS = np.array([0, 0.5, 1, 2, 4, 7, 12])
# A row's sureness is -log of its tempered entropy. Between two of these a row takes part in both.
SURENESS = np.array([-1.5, -0.5, 0.5, 1.5, 3, 5, 8])


def depths(scores: Value, inverse: float, ops: Operations) -> tuple[Value, Value]:
    """How far tempered logits lie below the top of their row, and their depths."""
    below = (ops.row_max(scores) - scores) * inverse
    total = ops.row_sum(ops.exp(-below))
    return below, below + ops.log(total)


def steps(depth: Value, bends: Value, ops: Operations) -> list[Value]:
    """How far a depth has come between each bend and the next."""
    found = []
    for bend, after in pairwise(bends):
        step = ops.clip(depth - bend, 0.0, after - bend)
        found.append(step)
    last = bends[-1]
    beyond = ops.maximum(depth - last, 0.0)
    return [*found, beyond]
