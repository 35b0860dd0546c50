"""Kernel calibration errors: do claims near one another err together?"""

from collections.abc import Callable
from contextlib import nullcontext
from math import factorial
from typing import Any, Literal

import numpy as np

from ..fitting.pooling import Pool
from ..fitting.types import Array
from ..inputs.checks import check_argument
from ..inputs.questions import Asked, views_of
from ..inputs.views import Canonical, View
from ..progress import progress
from .skce import rows_of, steps_of, vector_sums

Estimator = Literal["unbiased", "biased", "block"]
# Claims or vectors, weights, and how many happened or which class did.
Rows = tuple[Array, Array, Any]

# exp(-(p - q)^2 / 2) is the sum of products of these features, as p q <= 1: the first one left out is below 1e-18.
_RANK = 20
_SCALE = 2 * (1 - np.exp(-0.5))
# How far claims may lie apart to be held against one another by MMCE: exp(-|p - q| / 0.4).
REACH = 0.4


def skce(
    x: Asked | Canonical, *, estimator: Estimator = "unbiased", block: int = 64, seed: int = 0
) -> float:
    """Squared kernel calibration error: mean over pairs of rows of how alike they err.

    Claims p and q weigh 2 (1 - e^-1/2) exp(-(p - q)^2 / 2), vectors exp(-8 |p - q|^2). "unbiased" is 0 on average for a
    calibrated model, so it may be negative; "biased" pairs each row with itself too; "block" takes pairs within blocks
    of rows only, dealt out by `seed`: quick where vectors are many.

    >>> from calibrant import binary
    >>> round(skce(binary([0.8] * 10, [1] * 6 + [0] * 4)), 4)
    0.0105
    """
    check_argument("estimator", estimator, Estimator)
    if not isinstance(block, int | np.integer) or block < 2:
        raise ValueError(f"block must be a whole number of rows, at least 2, got {block!r}")
    views = (x,) if isinstance(x, Canonical) else views_of(x)
    return float(np.mean([_of_one(view, estimator, block, seed) for view in views]))


def mmce(x: Asked) -> float:
    """Maximum mean calibration error: how far outcomes less claims reach in the kernel exp(-|p - q| / 0.4).

    >>> from calibrant import binary
    >>> round(mmce(binary([0.8] * 10, [1] * 6 + [0] * 4)), 3)
    0.2
    """
    return float(np.mean([_reach(p, (happened - w * p) / w.sum()) for p, w, happened in _pools(x)]))


def weighted_mmce(x: Asked) -> float:
    """MMCE in which the rows that came true count as much as those that did not; those absent are left out."""
    found = []
    for p, w, happened in _pools(x):
        true, false = ((1 - p) * happened, happened), (-p * (w - happened), w - happened)
        found.append(
            _reach(p, sum(gap / count.sum() for gap, count in (true, false) if count.any()))
        )
    return float(np.mean(found))


def pair_mean(p: Array, w: Array, happened: Array) -> Array:
    """The mean over pairs, for each row of `happened`: how many of each claim did, of `w`."""
    total = w.sum()
    if total <= 1:
        return np.zeros(happened.shape[:-1])
    together, alone = _chance_sums(p, w, happened)
    return (together - alone) / (total * (total - 1))


def features(p: Array) -> Array:
    """Columns whose products over two claims add up to exp(-(p - q)^2 / 2)."""
    power = np.arange(_RANK)
    return (
        np.exp(-(p[:, None] ** 2) / 2)
        * p[:, None] ** power
        / np.sqrt([float(factorial(m)) for m in power])
    )


def _of_one(view: View | Canonical, estimator: Estimator, block: int, seed: int) -> float:
    parts = _blocks(view, block, seed) if estimator == "block" else [_rows(view)]
    # One chance needs no pairs: its work is short, and shows no bar.
    steps = sum(steps_of(len(p)) for p, _, _ in parts)
    with (
        progress("pairs of rows", steps)
        if isinstance(view, Canonical)
        else nullcontext(_nothing) as tick
    ):
        together, alone, total = np.transpose(
            [(*_sums(*part, tick), part[1].sum()) for part in parts]
        )
    if estimator == "biased":
        return float(together[0] / total[0] ** 2)
    pairs = (total * (total - 1)).sum()
    return float((together - alone).sum() / pairs) if pairs > 0 else 0.0


def _nothing() -> None:
    pass


def _rows(view: View | Canonical) -> Rows:
    return rows_of(view) if isinstance(view, Canonical) else view.pool


def _blocks(view: View | Canonical, block: int, seed: int) -> list[Rows]:
    """Rows, each as often as its weight says, dealt out to blocks."""
    p, w, y = _rows(view)
    if isinstance(view, View):
        p, w, y = np.repeat(p, 2), np.stack([y, w - y], axis=1).ravel(), np.tile([1.0, 0.0], len(p))
    counts = np.rint(w)
    if not np.allclose(counts, w, rtol=0, atol=1e-9):
        raise ValueError(
            'blocks are of rows, so weights must be whole counts; use estimator="unbiased" for others'
        )
    rows = np.random.default_rng(seed).permutation(
        np.repeat(np.arange(len(p)), counts.astype(np.int64))
    )
    dealt = (rows[i : i + block] for i in range(0, len(rows), block))
    return [(p[part], np.ones(len(part)), y[part]) for part in dealt]


def _sums(p: Array, w: Array, y: Any, tick: Callable[[], None]) -> tuple[float, float]:  # noqa: ANN401 - as in Rows
    """How alike rows err, summed over all pairs, and over each row with itself."""
    if p.ndim == 1:
        together, alone = _chance_sums(p, w, y)
    else:
        together, each = vector_sums(p, w[:, None], y, tick)
        alone = w @ each
    return together.item(), alone.item()


def _chance_sums(p: Array, w: Array, happened: Array) -> tuple[Array, Array]:
    together = (happened - w * p) @ features(p)
    alone = happened @ (1 - p) ** 2 + (w - happened) @ p**2
    return _SCALE * (together**2).sum(-1), _SCALE * alone


def _reach(p: Array, mass: Array) -> float:
    """The root of the sum over pairs of mass times mass times exp(-|p - q| / 0.4), p in ascending order.

    The kernel is that of a process without memory, so the sum is one of squares: of what lies beyond each claim, less
    with distance, times the variance that is new there.
    """
    grown = np.exp(-p / REACH)
    beyond = np.cumsum((mass * grown)[::-1])[::-1] / grown
    new = -np.expm1(-2 / REACH * np.diff(p, prepend=-np.inf))
    return float(np.sqrt(new @ beyond**2))


def _pools(x: Asked) -> list[Pool]:
    return [view.pool for view in views_of(x)]
