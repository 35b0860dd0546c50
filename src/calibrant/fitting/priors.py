"""Shares of classes in rows without labels, by maximum likelihood, and how sure they are."""

from typing import NamedTuple

import numpy as np

from .blocks import on_all_cores, row_blocks
from .newton import DidNotConverge
from .types import Array
from .weights import Weights, some, total, weighted_sum

# What the mean log likelihood may lie below its greatest.
_TOLERANCE = 1e-9
_SOME_ROWS = 20_000
_MOST_STEPS = 5000


class Information(NamedTuple):
    """At some shares, of each class the mean likelihood ratio, and the mean product of two."""

    gain: Array
    products: Array


def best_shares(p: Array, prior: Array, w: Weights = None) -> Array:
    """The shares of classes that make claims `p`, (n, k), likeliest where they held for `prior`.

    Expectation and maximisation in turn (Saerens et al. 2002), with extrapolated steps (Varadhan
    and Roland 2008): first on some of the rows, then on all.

    >>> p = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.9, 0.1]])
    >>> best_shares(p, np.array([0.5, 0.5])).round(3).tolist()
    [0.953, 0.047]
    """
    shares = prior
    n = len(p)
    if n > 2 * _SOME_ROWS:
        rows = slice(None, None, n // _SOME_ROWS)
        if total(some(w, rows), len(p[rows])):
            shares = _likeliest(p[rows], prior, some(w, rows), shares)
    return _likeliest(p, prior, w, shares)


def information(p: Array, prior: Array, w: Weights, shares: Array) -> Information:
    """How the log likelihood of shares changes with them, a mean over rows."""
    k = p.shape[1]

    def summed(rows: slice) -> Array:
        ratios = p[rows] / prior
        ratios /= (ratios @ shares)[:, None]
        own = some(w, rows)
        heavy = ratios if own is None else ratios * own[:, None]
        return np.vstack([heavy.sum(0), heavy.T @ ratios])

    sums = np.sum(on_all_cores(summed, row_blocks(len(p), 4 * k)), axis=0)
    sums /= total(w, len(p))
    return Information(sums[0], sums[1:])


def _likeliest(p: Array, prior: Array, w: Weights, start: Array) -> Array:
    shares = start
    for _ in range(_MOST_STEPS):
        once, excess = _step(p, prior, w, shares)
        if excess <= _TOLERANCE:
            return once
        twice, excess = _step(p, prior, w, once)
        if excess <= _TOLERANCE:
            return twice
        shares = _extrapolated(shares, once, twice)
    raise DidNotConverge(
        f"the shares did not converge: the likelihood may rise by {excess:.3g} a row; "
        "look for classes that no claim tells apart"
    )


def _step(p: Array, prior: Array, w: Weights, shares: Array) -> tuple[Array, float]:
    """Shares after one step, and what no shares' mean log likelihood lies above that of these."""
    tilt = shares / prior

    def summed(rows: slice) -> Array:
        chances = p[rows]
        mixed = chances @ tilt
        sums: Array = weighted_sum(chances / mixed[:, None], some(w, rows))
        return sums

    sums = np.sum(on_all_cores(summed, row_blocks(len(p), 2 * len(prior))), axis=0)
    gain = sums / (prior * total(w, len(p)))
    ahead = shares * gain
    return ahead / ahead.sum(), float(gain.max()) - 1


def _extrapolated(start: Array, once: Array, twice: Array) -> Array:
    """On along the way of two steps, as far as shares stay positive."""
    way = once - start
    bend = twice - once - way
    size = np.linalg.norm(bend)
    if not size:
        return twice
    length = max(1.0, float(np.linalg.norm(way) / size))
    while length > 1:
        ahead = start + 2 * length * way + length**2 * bend
        if ahead.min() > 0:
            return ahead / ahead.sum()
        length = (length + 1) / 2 if length > 1.01 else 1.0
    return twice
