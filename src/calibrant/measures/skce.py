"""The squared kernel calibration error: do claims near one another err together?"""

from math import factorial
from typing import Any, Literal

import numpy as np

from ..fitting.blocks import blocks_of
from ..fitting.types import Array
from ..fitting.weights import present, weighted_sum
from ..inputs.checks import check_argument
from ..inputs.habits import takes_one
from ..inputs.questions import Scored
from ..inputs.views import Canonical, View
from ..progress import progress
from .averages import mean_over_questions
from .rows import counts_at, sorted_rows
from .vector_pairs import KernelRows, steps, vector_rows, vector_sums

Estimator = Literal["unbiased", "biased", "block"]
PairSums = tuple[Any, Any]  # over all pairs, and of each row with itself

# exp(-(p - q)^2 / 2) is a sum of products of these features, as p q <= 1: the first one left out
# is below 1e-18.
_RANK = 20
_POWERS = np.arange(_RANK)
_FACTORIALS = [float(factorial(power)) for power in range(_RANK)]
_ROOT_FACTORIALS = np.sqrt(_FACTORIALS)
MOST_DEALT = 10**7
_SCALE = 2 * (1 - np.exp(-0.5))


@takes_one
def skce(
    x: Scored,
    *,
    estimator: Estimator = "unbiased",
    block: int = 64,
    seed: int = 0,
) -> float:
    """Squared kernel calibration error: mean over pairs of rows of how alike they err.

    Claims p and q weigh 2 (1 - e^-1/2) exp(-(p - q)^2 / 2), vectors exp(-8 |p - q|^2). "unbiased"
    is 0 on average for a calibrated model, so it may be negative; "biased" pairs each row with
    itself too; "block" takes pairs within blocks of rows only, dealt out by `seed`: quick where
    vectors are many. A row of a fractional outcome is one row.

    >>> from calibrant import binary
    >>> round(skce(binary([0.8] * 10, [1] * 6 + [0] * 4)), 4)
    0.0105
    """
    check_argument("estimator", estimator, Estimator)
    is_whole = isinstance(block, int | np.integer)
    if not is_whole or block < 2:
        raise ValueError(f"block must be a whole number of rows, at least 2, got {block!r}")

    def error(view: View | Canonical) -> float:
        if estimator == "block":
            return _mean_over_pairs(_dealt_out(view, block, seed))
        rows = _kernel_rows(view)
        if estimator == "biased":
            return _mean_with_itself(rows)
        return _mean_over_pairs([rows])

    return mean_over_questions(error, x)


def pair_mean(p: Array, w: Array, happened: Array) -> Array:
    """The unbiased error for each row of `happened`: how many of each claim did, of `w`."""
    total = w.sum()
    if total <= 1:
        return np.zeros(happened.shape[:-1])
    together, alone = _chance_sums(p, w, happened)
    pairs = total * (total - 1)
    return (together - alone) / pairs


def _kernel_rows(view: View | Canonical) -> KernelRows:
    if isinstance(view, Canonical):
        return vector_rows(view)
    return KernelRows(*view.pool, _mixed(view))


def _mixed(view: View) -> float:
    """What rows of fractional outcomes vary less than if each share of them were a row."""
    if not view.is_fractional:
        return 0.0
    return float(weighted_sum(view.y * (1 - view.y), view.w))


def _mean_with_itself(rows: KernelRows) -> float:
    """The mean over all pairs, each row paired with itself too."""
    ((together, _),) = _pair_sums([rows])
    total = rows.w.sum()
    return float(together / total**2)


def _mean_over_pairs(parts: list[KernelRows]) -> float:
    """The mean over pairs of two rows of one part."""
    total = np.array([rows.w.sum() for rows in parts])
    pairs = total * (total - 1)
    if pairs.sum() <= 0:
        return 0.0
    together, alone = np.transpose(_pair_sums(parts))
    apart = together - alone
    return float(apart.sum() / pairs.sum())


def _dealt_out(view: View | Canonical, block: int, seed: int) -> list[KernelRows]:
    """Rows, each as often as its weight says, dealt out to blocks."""
    p, w, y, _ = _one_outcome_each(view)
    total = w.sum()
    if total > max(MOST_DEALT, len(p)):
        raise ValueError(
            f"blocks are of single rows, and weights make {total:.3g} of {len(p):,}; "
            'use estimator="unbiased", which takes counts as they are'
        )
    rounded = np.rint(w)
    if not np.allclose(rounded, w, rtol=0, atol=1e-9):
        raise ValueError(
            "blocks are of rows, so weights must be whole counts; "
            'use estimator="unbiased" for others'
        )
    times = rounded.astype(np.int64)
    places = np.arange(len(p))
    rows = np.repeat(places, times)
    random = np.random.default_rng(seed)
    dealt = random.permutation(rows)
    parts = []
    for hand in blocks_of(len(dealt), block):
        part = dealt[hand]
        ones = np.ones(len(part))
        outcomes = y[part]
        mixed = outcomes * (1 - outcomes) if p.ndim == 1 else np.zeros(1)
        parts.append(KernelRows(p[part], ones, outcomes, float(mixed.sum())))
    return parts


def _one_outcome_each(view: View | Canonical) -> KernelRows:
    """Rows of one outcome each: a pooled claim becomes one that happened and one that failed."""
    if isinstance(view, Canonical):
        return vector_rows(view)
    if view.is_fractional:
        (ordered,) = sorted_rows([view[present(view.w, view.n)]])
        return KernelRows(ordered.p, counts_at(ordered.w, np.arange(ordered.n)), ordered.y)
    p, w, happened = view.pool
    failed = w - happened
    pairs = np.stack([happened, failed], axis=1)
    return KernelRows(
        p=np.repeat(p, 2),
        w=pairs.ravel(),
        y=np.tile([1.0, 0.0], len(p)),
    )


def _pair_sums(parts: list[KernelRows]) -> list[PairSums]:
    """How alike the rows of each part err: over all pairs, and each row with itself."""
    if parts[0].p.ndim == 1:
        return [_row_sums(rows) for rows in parts]
    n_steps = sum(steps(len(rows.w)) for rows in parts)
    sums: list[PairSums] = []
    with progress("pairs of rows", n_steps) as tick:
        for p, w, y, _ in parts:
            shares = w[:, None]
            (together,), alone = vector_sums(p, y, shares, tick)
            sums.append((together, w @ alone))
    return sums


def _row_sums(rows: KernelRows) -> PairSums:
    together, alone = _chance_sums(rows.p, rows.w, rows.y)
    return together, alone - _SCALE * rows.mixed


def _chance_sums(p: Array, w: Array, happened: Array) -> PairSums:
    residual = happened - w * p
    along_features = residual @ _features(p)
    together = (along_features**2).sum(-1)
    failed = w - happened
    alone = happened @ (1 - p) ** 2
    alone = alone + failed @ p**2
    return _SCALE * together, _SCALE * alone


def _features(p: Array) -> Array:
    """Columns whose products over two claims add up to exp(-(p - q)^2 / 2)."""
    column = p[:, None]
    density = np.exp(-(column**2) / 2)
    return density * column**_POWERS / _ROOT_FACTORIALS
