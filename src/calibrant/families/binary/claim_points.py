"""Claims on points that stand for many rows, part by part of the rows."""

from typing import NamedTuple

import numpy as np

from ...fitting.types import Array, Ints
from ...fitting.weights import counts
from ...inputs.views import View


class ClaimPoints(NamedTuple):
    """Points, and for each part of the rows the weight there and the weight of events."""

    x: Array
    w: Array
    happened: Array

    def of_the_others(self) -> "ClaimPoints":
        """For each part, the weights of all other parts."""
        others = 1 - np.eye(len(self.w))
        w = others @ self.w
        happened = others @ self.happened
        return ClaimPoints(self.x, w, happened)


def on_points(
    view: View,
    parts: list[Ints],
    *,
    along: Array,
    most: int = 256,
) -> ClaimPoints:
    """The claims of each part of the rows, `along` some coordinate.

    Points are the distinct claims, or some where there are more than `most`: then the two beside a
    claim share its weight, the nearer the more, and what is linear in the claim stays exact.
    """
    x = along
    at = np.unique(x)
    if len(at) > most:
        places = np.linspace(0, len(at) - 1, most)
        kept = places.round().astype(np.intp)
        at = at[kept]
    below = np.searchsorted(at, x, side="right") - 1
    gaps = np.diff(at, append=at[-1] + 1)
    past = x - at[below]
    above = past / gaps[below]
    size = len(at) + 1

    def dealt(weight: Array) -> Array:
        to_below = weight * (1 - above)
        to_above = weight * above
        of_parts = []
        for rows in parts:
            place = below[rows]
            lower = np.bincount(place, to_below[rows], size)
            upper = np.bincount(place + 1, to_above[rows], size)
            of_parts.append(lower + upper)
        return np.array(of_parts)[:, :-1]

    w = counts(view.w, view.n)
    happened = w * view.y
    return ClaimPoints(at, dealt(w), dealt(happened))
