"""Equal values as one: sorted, with what belongs to them added up."""

from typing import NamedTuple

import numpy as np

from .types import Array, Bools


class Pool(NamedTuple):
    """Claims sorted and made distinct: each with its weight and the weight of the events among it."""

    p: Array
    w: Array
    happened: Array


def pool(p: Array, y: Bools, w: Array | None) -> Pool:
    """Chances `p`, which are not negative, as one where they are equal; rows without weight are left out."""
    p = p + p.dtype.type(0) if p.dtype.itemsize > 2 else p.astype(np.float32)  # -0.0 becomes 0.0
    if w is None:
        # A chance's bits order as its value does and leave the sign bit free: the outcome rides along in one sort.
        keys = (p.view(f"u{p.dtype.itemsize}") << 1) | y
        keys.sort()
        sums: list[Array] = [np.ones(len(keys)), (keys & 1).astype(np.float64)]
        p = (keys >> 1).view(p.dtype)
    else:
        kept = np.flatnonzero(w)
        order = kept[np.argsort(p[kept])]
        p, sums = p[order], [w[order], w[order] * y[order]]
    return runs(p, sums)


def runs(p: Array, sums: list[Array]) -> Pool:
    """Sorted claims made distinct, what belongs to equal ones added up."""
    starts = np.flatnonzero(np.append(True, p[1:] != p[:-1]))
    if len(starts) < len(p):
        p, sums = p[starts], [np.add.reduceat(each, starts) for each in sums]
    return Pool(p.astype(np.float64), *sums)
