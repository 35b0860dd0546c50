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
    edges = np.linspace(0, 1, n_bins + 1)
    return edges[1:-1]


def width_bins(p: Array, inner: Array) -> Ints:
    """The bin of equal width of each claim; a claim on an edge falls below it.

    >>> width_bins(np.array([0.2, 0.25, 0.3]), width_edges(4)).tolist()
    [0, 0, 1]
    """
    n_bins = len(inner) + 1
    scaled = p.astype(np.float64) * n_bins
    bins = np.ceil(scaled).astype(np.intp)
    bins -= 1
    # Multiplying rounds; beside an edge only a comparison with the edge itself decides.
    from_edge = scaled - np.rint(scaled)
    near = np.flatnonzero(np.abs(from_edge) < 1e-9)
    bins[near] = np.searchsorted(inner, p[near], side="left")
    return bins


def running_sums(x: Array | Ints) -> Array:
    """The sum before each entry, and at last of all.

    >>> running_sums(np.array([1.0, 2.0, 4.0])).tolist()
    [0.0, 1.0, 3.0, 7.0]
    """
    return np.append(0.0, np.cumsum(x))


def mass_starts(reached: Array, n_bins: int | Ints, k: Ints) -> Ints:
    """Place of the first claim of bin k of `n_bins` of equal mass.

    `reached` is the summed weight up to each claim. With more bins than rows the last ones start
    beyond any claim and stay empty.
    """
    total = reached[-1]
    is_whole = total == np.rint(total)
    if is_whole and total >= len(reached):
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
        missed = w - happened
        line = slope * p
        squares = happened * (1 - line) ** 2
        squares += missed * line**2
        rows = [w, happened, w * p, squares]
        running = [running_sums(row) for row in rows]
        self.p = p
        # Differences of running sums lose light claims beside heavy ones.
        self.weight = w
        self.happened = happened
        self.running = np.stack(running)

    def inner(self, n_bins: int, edges: Edges) -> Array:
        """Edges between bins; those of equal mass start where an array_split of the rows would."""
        if edges == "width":
            return width_edges(n_bins)
        later = np.arange(1, n_bins)
        claims = np.append(self.p, np.inf)
        return claims[self.starts(n_bins, later)]

    def starts(self, n_bins: int, k: Ints) -> Ints:
        """Place of the first claim of bin k of equal mass."""
        reached = self.running[0, 1:]
        return mass_starts(reached, n_bins, k)

    def cells(self, inner: Array, edges: Edges) -> Array:
        """Weight, events, summed claims and summed squared residuals of each bin."""
        side: Side = "right" if edges == "width" else "left"
        at = np.searchsorted(self.p, inner, side=side)
        last = len(self.p)
        ends = np.concatenate([[0], at, [last]])
        return np.diff(self.running[:, ends])


class Sweep:
    """Counts bins up from one, before some bin has fewer events than the one below."""

    def __init__(self, sums: RunningSums, edges: Edges) -> None:
        self._sums = sums
        self._edges = edges
        reached = sums.running[0]
        weight, happened = sums.weight, sums.happened
        self._total = reached[-1]
        self._heaviest = weight.max()
        falls = np.flatnonzero(_falls(weight, happened))
        self._has_falls = len(falls) > 0
        if self._has_falls:
            # All falls from claim to claim lie between these summed weights.
            self._low = reached[falls[0]]
            self._high = reached[falls[-1] + 2]

    def most_bins(self) -> int:
        """The most bins whose shares of events rise."""
        most = len(self._sums.p)
        if not self._has_falls:
            return most
        for n_bins in range(2, most + 1):
            weight, happened = self._some_bins(n_bins)
            filled = weight > 0
            if _falls(weight[filled], happened[filled]).any():
                return n_bins - 1
        return most

    def _some_bins(self, n_bins: int) -> Array:
        """Weight and events of all bins that may have fewer events than the one below."""
        size = self._total // n_bins
        if self._edges == "mass" and self._heaviest <= size:
            return self._bins_about_falls(n_bins, size)
        inner = self._sums.inner(n_bins, self._edges)
        cells = self._sums.cells(inner, self._edges)
        return cells[:2]

    def _bins_about_falls(self, n_bins: int, size: float) -> Array:
        """Those that hold a fall from claim to claim, or lie beside one."""
        # Sizes of bins differ by one row at most.
        first = int(self._low / (size + 1)) - 2
        last = int(self._high / size) + 3
        first = max(first, 0)
        last = min(last, n_bins)
        bins = np.arange(first, last + 1)
        starts = self._sums.starts(n_bins, bins)
        reached = self._sums.running[:2, starts]
        return np.diff(reached)


def _falls(weight: Array, happened: Array) -> Bools:
    """After which bins the share of events falls."""
    share = happened / weight
    return np.diff(share) < 0
