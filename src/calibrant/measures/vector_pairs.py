"""Whole vectors in pairs: how alike any two rows err, a block of pairs at a time."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..fitting.blocks import blocks_of
from ..fitting.types import Array
from ..fitting.weights import present
from ..inputs.labels import Labels, are_shares
from ..inputs.views import Canonical
from ..progress import progress
from .rows import counts_at, sorted_rows, whole_counts

# Pairs of so many rows at a time: a few tables of 8 MB each.
_ROWS = 1024
# The kernel is a Gaussian of standard deviation 1/4. One as wide as that of one chance would see
# little more than whether each class comes up as often as claimed: of vectors too bold by a power
# of 1.5 it finds a tenth, this one most.
_SHARPNESS = 8.0


class KernelRows(NamedTuple):
    """Claims or vectors, their weights, and how many happened, which class did or what shares.

    `mixed` is the variance within fractional outcomes of one chance, summed: w y (1 - y).
    """

    p: Array
    w: Array
    y: NDArray[Any]
    mixed: float = 0.0


def vector_rows(view: Canonical) -> KernelRows:
    """Vectors, weights and classes of rows that have weight, in an order of their own."""
    (pred,) = sorted_rows([view.pred])
    kept = present(pred.weights, pred.n)
    p = pred.probs[kept]
    w = counts_at(pred.weights, kept)
    return KernelRows(
        p=p.astype(np.float64),
        w=w.astype(np.float64),
        y=pred.labels[kept],
    )


def steps(n: int) -> int:
    """How often `vector_sums` of n rows ticks."""
    return len(blocks_of(n, _ROWS))


def vector_sums(
    p: Array,
    y: Labels,
    shares: Array,
    tick: Callable[[], None],
) -> tuple[Array, Array]:
    """How alike rows err, over all pairs, for each column of `shares`, and each with itself.

    Two err alike by exp(-8 |p - q|^2) times the product of what their vectors miss, times the
    shares of both.
    """
    missed = -p
    if are_shares(y):
        missed += y
    else:
        missed[np.arange(len(p)), y] += 1
    alone = np.square(missed).sum(1)
    blocks = blocks_of(len(p), _ROWS)
    together = np.zeros(shares.shape[1])
    for i, rows in enumerate(blocks):
        for others in blocks[i:]:
            alike = _gaussian(p[rows], p[others])
            alike *= missed[rows] @ missed[others].T
            products = shares[rows] * (alike @ shares[others])
            # Two different blocks meet once, and stand for both orders.
            orders = 1 if others is rows else 2
            together += orders * products.sum(0)
        tick()
    return together, alone


def _gaussian(p: Array, q: Array) -> Array:
    """The kernel exp(-8 |p - q|^2) of any row of p and any of q."""
    p_length = _SHARPNESS * np.square(p).sum(1)
    q_length = _SHARPNESS * np.square(q).sum(1)
    kernel = 2 * _SHARPNESS * p @ q.T
    kernel -= p_length[:, None]
    kernel -= q_length
    return np.exp(kernel, out=kernel)


def sign_flips(view: Canonical, n_draws: int, seed: int) -> tuple[float, Array]:
    """The unbiased error, and what it would be if each row erred as far in a random direction.

    Of a calibrated model the two are alike once rows are many, as what one row misses says
    nothing of another.
    """
    p, w, y, _ = vector_rows(view)
    total = w.sum()
    if total <= 1:
        return 0.0, np.zeros(n_draws)
    n = len(w)
    rows = whole_counts(w)
    random = np.random.default_rng(seed)
    flipped = random.binomial(rows, 0.5, (n_draws, n))
    signs = rows - 2 * flipped
    shares = np.vstack([w, signs * (w / rows)])
    with progress("pairs of rows", steps(n)) as tick:
        together, alone = vector_sums(p, y, shares.T, tick)
    pairs = total * (total - 1)
    errors = (together - w @ alone) / pairs
    seen, flipped_errors = errors[0], errors[1:]
    return float(seen), flipped_errors
