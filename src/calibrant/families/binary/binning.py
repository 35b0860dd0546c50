"""Bins along sorted claims: where they begin, and sums within them."""

import numpy as np

from ...fitting.types import Array, Bools, Ints
from ...inputs.views import View
from ..operations import Side
from ..rules import Edges


def width_edges(n_bins: int) -> Array:
    """Edges between bins of equal width.

    >>> width_edges(4).tolist()
    [0.25, 0.5, 0.75]
    """
    return np.linspace(0, 1, n_bins + 1)[1:-1]


def width_bins(p: Array, inner: Array) -> Ints:
    """The bin of equal width of each claim; a claim on an edge falls below it.

    >>> width_bins(np.array([0.2, 0.25, 0.3]), width_edges(4)).tolist()
    [0, 0, 1]
    """
    n_bins = len(inner) + 1
    scaled = p.astype(np.float64) * n_bins
    k = np.ceil(scaled).astype(np.intp) - 1
    # Multiplying rounds; beside an edge only a comparison with the edge itself decides.
    to_edge = np.abs(scaled - np.rint(scaled))
    near = np.flatnonzero(to_edge < 1e-9)
    k[near] = np.searchsorted(inner, p[near], side="left")
    return k


def mass_starts(reached: Array, n_bins: int | Ints, k: Ints) -> Ints:
    """Place of the first claim of bin k of `n_bins` of equal mass.

    `reached` is the summed weight up to each claim. With more bins than rows the last ones start
    beyond any claim and stay empty.
    """
    total = reached[-1]
    is_count = total == np.rint(total) and total >= len(reached)
    if is_count:
        # Counts are dealt out as array_split does with rows.
        whole, over = np.divmod(total, n_bins)
        before = k * whole + np.minimum(k, over)
    else:
        before = k * (total / n_bins)
    return np.searchsorted(reached, before, side="right")


class RunningSums:
    """Running sums along the sorted claims, so that any bin costs two look-ups."""

    def __init__(self, view: View, slope: int) -> None:
        p, w, happened = view.pool
        line = slope * p
        squares = happened * (1 - line) ** 2 + (w - happened) * line**2
        rows = np.stack([w, happened, w * p, squares])
        start = np.zeros((4, 1))
        self.p = p
        self.running = np.concatenate([start, np.cumsum(rows, axis=1)], axis=1)

    def inner(self, n_bins: int, edges: Edges) -> Array:
        """Edges between bins; those of equal mass start where an array_split of the rows would."""
        if edges == "width":
            return width_edges(n_bins)
        starts = self.starts(n_bins, np.arange(1, n_bins))
        return np.append(self.p, np.inf)[starts]

    def starts(self, n_bins: int, k: Ints) -> Ints:
        """Place of the first claim of bin k of equal mass."""
        reached = self.running[0, 1:]
        return mass_starts(reached, n_bins, k)

    def cells(self, inner: Array, edges: Edges) -> Array:
        """Weight, events, summed claims and summed squared residuals of each bin."""
        side: Side = "right" if edges == "width" else "left"
        at = np.searchsorted(self.p, inner, side=side)
        ends = np.concatenate([[0], at, [len(self.p)]])
        return np.diff(self.running[:, ends])


def sweep(sums: RunningSums, edges: Edges) -> int:
    """The most bins, counted up from one, before some bin has fewer events than the one below."""
    most = len(sums.p)
    weight, happened = np.diff(sums.running[:2])
    falls = _falls(weight, happened)
    if not falls.any():
        return most
    heaviest = weight.max()
    total = sums.running[0, -1]
    falling = np.flatnonzero(falls)
    low, high = sums.running[0, [falling[0], falling[-1] + 2]]
    for n_bins in range(2, most + 1):
        if edges == "mass" and heaviest <= total // n_bins:
            count, happened = _bins_between(sums, n_bins, low, high)
        else:
            inner = sums.inner(n_bins, edges)
            count, happened = sums.cells(inner, edges)[:2]
        filled = count > 0
        if _falls(count[filled], happened[filled]).any():
            return n_bins - 1
    return most


def _falls(weight: Array, happened: Array) -> Bools:
    """After which bins the share of events falls."""
    return np.diff(happened / weight) < 0


def _bins_between(sums: RunningSums, n_bins: int, low: float, high: float) -> Array:
    """Weight and events of the only bins of equal mass that can fall below the one before.

    They hold a fall from claim to claim, or lie beside one; all falls lie between the summed
    weights `low` and `high`. Sizes of bins differ by one row at most.
    """
    total = sums.running[0, -1]
    size = total // n_bins
    first = int(low / (size + 1)) - 2
    last = int(high / size) + 3
    k = np.arange(max(0, first), min(n_bins, last) + 1)
    starts = sums.starts(n_bins, k)
    return np.diff(sums.running[:2, starts])
