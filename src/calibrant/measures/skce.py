"""The kernel error of whole vectors: sums over all pairs of rows, a block of pairs at a time."""

from collections.abc import Callable

import numpy as np

from ..fitting.types import Array, Ints
from ..inference.bootstrap import sorted_rows, whole_counts
from ..inputs.views import Canonical
from ..progress import progress

# Pairs of so many rows at a time: a few tables of 8 MB each.
_ROWS = 1024
# A Gaussian of standard deviation 1/4. One as wide as that of one chance would see little more than whether each class
# comes up as often as claimed: of vectors that are too bold by a power of 1.5 it finds a tenth, this one most.
_SHARPNESS = 8.0


def rows_of(view: Canonical) -> tuple[Array, Array, Ints]:
    """Vectors, weights and classes of the rows that have weight, in an order that theirs plays no part in."""
    pred = sorted_rows([view.pred])[0]
    w = np.ones(pred.n) if pred.weights is None else pred.weights.astype(np.float64)
    kept = np.flatnonzero(w)
    return pred.probs[kept].astype(np.float64), w[kept], pred.labels[kept]


def steps_of(n: int) -> int:
    """How often `vector_sums` of n rows ticks."""
    return -(-n // _ROWS)


def vector_sums(
    p: Array, shares: Array, y: Ints, tick: Callable[[], None] = lambda: None
) -> tuple[Array, Array]:
    """How alike rows err, times the shares of both, summed over all pairs for each column of `shares`.

    Then how each row is like itself. Two err alike by exp(-8 |p - q|^2) times the product of what their vectors miss.
    """
    missed = -p
    missed[np.arange(len(p)), y] += 1
    length = _SHARPNESS * np.square(p).sum(1)
    blocks = [slice(i, i + _ROWS) for i in range(0, len(p), _ROWS)]
    together = np.zeros(shares.shape[1])
    for i, rows in enumerate(blocks):
        for others in blocks[i:]:
            alike = np.exp(
                2 * _SHARPNESS * p[rows] @ p[others].T - length[rows, None] - length[others]
            )
            alike *= missed[rows] @ missed[others].T
            # Two different blocks meet once, and stand for both orders.
            both = 1 if others is rows else 2
            together += both * (shares[rows] * (alike @ shares[others])).sum(0)
        tick()
    return together, np.square(missed).sum(1)


def sign_flips(view: Canonical, n_draws: int, seed: int) -> tuple[float, Array]:
    """The kernel error without bias, and what it would be if each row missed as far, but to a side left to chance.

    Of a calibrated model the two are alike once rows are many, as what one row misses says nothing of another.
    """
    p, w, y = rows_of(view)
    rows = whole_counts(w)
    tails = np.random.default_rng(seed).binomial(rows, 0.5, (n_draws, len(w)))
    signs = (rows - 2 * tails) * (w / rows)
    with progress("pairs of rows", steps_of(len(w))) as tick:
        together, alone = vector_sums(p, np.vstack([w, signs]).T, y, tick)
    total = w.sum()
    found = (together - w @ alone) / (total * (total - 1)) if total > 1 else np.zeros(n_draws + 1)
    return float(found[0]), found[1:]
