"""What is right, in float64: dense, one loop a bin or a block, and nothing of calibrant."""

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import trapezoid
from scipy.optimize import brentq

Array = NDArray[Any]
BINS = 15


def top(data: SimpleNamespace) -> tuple[Array, Array]:
    """The claim of the top label and whether it was right."""
    right = data.probs.argmax(1) == data.labels
    return data.probs.max(1).astype(np.float64), right.astype(np.float64)


def binned(p: Array, y: Array, edges: Array, norm: int = 1, *, debias: bool = False) -> float:
    """Error in bins (low, high], the first with its lower edge; debiased as Kumar et al. 2019."""
    where = np.searchsorted(edges[1:-1], p)
    total = 0.0
    for k in np.unique(where):
        rows = where == k
        rate = y[rows].mean()
        gap = abs(rate - p[rows].mean()) ** norm
        if debias and rows.sum() > 1:
            gap -= rate * (1 - rate) / (rows.sum() - 1)
        total += rows.mean() * gap
    return max(total, 0.0) ** (1 / norm)


def widths(bins: int = BINS) -> Array:
    """Edges of bins of equal width."""
    return np.arange(bins + 1) / bins


def masses(p: Array, bins: int = BINS) -> Array:
    """Edges of bins of equal mass; half way between neighbours, so that no claim is on one."""
    parts = np.array_split(np.sort(p), bins)
    inner = [(one[-1] + two[0]) / 2 for one, two in pairwise(parts)]
    return np.array([0.0, *inner, 1.0])


def top_ece(data: SimpleNamespace) -> float:
    return binned(*top(data), widths())


def top_adaptive_ece(data: SimpleNamespace) -> float:
    p, y = top(data)
    return binned(p, y, masses(p))


def classwise_ece(data: SimpleNamespace) -> float:
    errors = [
        binned(data.probs[:, k].astype(np.float64), (data.labels == k).astype(float), widths())
        for k in range(data.probs.shape[1])
    ]
    return float(np.mean(errors))


def reliability(p: Array, y: Array) -> Array:
    """Mean claim and share of events of each bin of equal width that holds claims."""
    where = np.searchsorted(widths()[1:-1], p)
    return np.array([[p[where == k].mean(), y[where == k].mean()] for k in np.unique(where)])


def ece(data: SimpleNamespace) -> float:
    return binned(data.p, data.y, widths())


def debiased_error(data: SimpleNamespace) -> float:
    return binned(data.p, data.y, masses(data.p), 2, debias=True)


def ks(data: SimpleNamespace) -> float:
    """The largest absolute running sum of y - p in the order of claims, equal claims at once."""
    order = np.argsort(data.p)
    running = np.cumsum(data.y[order] - data.p[order]) / len(data.p)
    last_of_equals = np.append(np.diff(data.p[order]) > 0, True)
    return float(np.abs(running[last_of_equals]).max())


def kuiper(data: SimpleNamespace) -> float:
    """The range of that running sum, 0 included."""
    order = np.argsort(data.p)
    running = np.cumsum(data.y[order] - data.p[order]) / len(data.p)
    last_of_equals = np.append(np.diff(data.p[order]) > 0, True)
    return float(np.ptp(np.append(running[last_of_equals], 0.0)))


def brier(data: SimpleNamespace) -> float:
    """Mean over rows of the squared distance, summed over classes."""
    p = data.probs.astype(np.float64)
    p[np.arange(len(p)), data.labels] -= 1
    return float((p**2).sum(1).mean())


def nll(data: SimpleNamespace) -> float:
    p = data.probs.astype(np.float64)
    return float(-np.log(p[np.arange(len(p)), data.labels]).mean())


def smooth_ece(data: SimpleNamespace, cells: int = 20_000, nodes: int = 1000) -> float:
    """Błasiok and Nakkiran 2023: the width that equals the error smoothed by it; Gaussian, reflected at 0 and 1.

    Residuals are added up in cells a thousandth of the width or less.
    """
    place = (data.p * cells).astype(int)
    residual = np.bincount(place, data.y - data.p, cells) / len(data.p)
    p = (np.arange(cells) + 0.5) / cells
    at = np.linspace(0, 1, nodes)[:, None]

    def smoothed(width: float) -> float:
        kernel = sum(np.exp(-(((at - centre) / width) ** 2) / 2) for centre in (p, -p, 2 - p))
        curve = kernel @ residual / (np.sqrt(2 * np.pi) * width)
        return float(trapezoid(np.abs(curve), at[:, 0]))

    return brentq(lambda width: smoothed(width) - width, 0.01, 0.5, xtol=1e-6)


def mmce(data: SimpleNamespace) -> float:
    """Kumar et al. 2018: the diagonal included, Laplacian kernel of width .4, of the top label."""
    p, y = top(data)
    kernel = np.exp(-np.abs(p[:, None] - p) / 0.4)
    return float(np.sqrt((y - p) @ kernel @ (y - p)) / len(p))


def isotonic(p: Array, y: Array) -> Array:
    """Pool adjacent violators, equal claims pooled first; the value at each row."""
    _, place, counts = np.unique(p, return_inverse=True, return_counts=True)
    sums = np.bincount(place, y)
    blocks: list[list[float]] = []
    for total, count in zip(sums, counts, strict=True):
        blocks.append([total, count, 1])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            last = blocks.pop()
            blocks[-1] = [one + two for one, two in zip(blocks[-1], last, strict=True)]
    values = [total / count for total, count, _ in blocks]
    return np.repeat(values, [int(size) for *_, size in blocks])[place]


def isotonic_rest(data: SimpleNamespace) -> Array:
    """Isotonic maps one against the rest, rows normalised."""
    k = data.probs.shape[1]
    q = np.stack([isotonic(data.probs[:, j], data.labels == j) for j in range(k)], axis=1)
    return q / q.sum(1, keepdims=True)


def histogram(p: Array, y: Array) -> Array:
    """The share of events in each bin of equal width, at each row."""
    where = np.searchsorted(widths()[1:-1], p)
    rates = {k: y[where == k].mean() for k in np.unique(where)}
    return np.array([rates[k] for k in where])


def venn_abers(p: Array, y: Array, at: Array) -> Array:
    """Vovk and Petej 2014: isotonic fits with the claim added as no event, then as an event."""
    found = []
    for claim in at:
        low = isotonic(np.append(p, claim), np.append(y, 0.0))[-1]
        high = isotonic(np.append(p, claim), np.append(y, 1.0))[-1]
        found.append(high / (1 - low + high))
    return np.array(found)
