"""Kernel density errors: claims held against the outcomes of their neighbours, but not their own.

The estimators are those of Popordanoska et al. 2022.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from scipy.special import expit

from ..families.binary.kernel import CHOICE, Bandwidth, bandwidth_for, check_bandwidth
from ..fitting import dirichlet_kernel
from ..fitting.beta_kernel import BetaKernel, floored
from ..fitting.labelled_vectors import LabelledVectors, labelled_vectors
from ..fitting.pooling import Pool
from ..fitting.types import Array
from ..fitting.weights import Weights, counts, weighted_mean
from ..inputs.checks import check_argument
from ..inputs.habits import takes_one
from ..inputs.predictions import Predictions, split_labels
from ..inputs.questions import Scored
from ..inputs.views import Canonical, View
from ..progress import progress
from .averages import Norm, of_power, power, questions_of
from .decomposition import Decomposition, mean_decomposition
from .errors import Debias, distance, gap_lengths
from .null_draws import drawn_values

Found = TypeVar("Found")
_DRAWS = 20


@takes_one
def kde_error(
    x: Scored,
    *,
    bandwidth: Bandwidth = None,
    norm: Norm = 1,
    debias: Debias = False,
) -> float:
    """Distance of claims from the mean outcome of their neighbours.

    It is of one chance, or of whole vectors, `canonical(pred)`. Neighbours are weighted by Beta or
    Dirichlet kernels, and no row is its own: a row alone gives 0. Of several views the mean is
    taken, in norm 2 the root of the mean of squares, where eq. 16 has sums: of k classes its error
    is k times this in norm 1, root k times in norm 2. `debias=True`, for norm 2, pairs neighbours up (eq. 14). Of
    many classes, most of the number is what right claims would show (`null_level`): "draws" takes
    it off, as squares, from outcomes drawn from the claims, the bandwidth kept.

    `bandwidth` "likelihood", as is None, is the paper's: the likeliest for the claims themselves,
    each given all that differ from it. Where claims crowd, as a network's at 1, it is so narrow
    that right claims show several points; "outcomes" takes the one that predicts each outcome best
    from the others, and shows about half as much there.
    `kde_bandwidth` says which it is. To choose one takes longest: where it is asked often, as by
    `interval`, give one, or "rule".

    >>> from calibrant import simulate
    >>> round(kde_error(simulate.task("square", 0.1).sample(10_000, seed=0).view), 2)
    0.1
    """
    check_bandwidth(bandwidth)
    check_argument("norm", norm, Norm)
    check_argument("debias", debias, Debias)
    if debias is True and norm != 2:
        rule = "debias=True knows what random variation adds to squares"
        raise ValueError(f'{rule}; use norm=2, got {norm!r}, or debias="draws"')
    if debias and norm == "max":
        raise ValueError("debias is of means, not of the largest gap; use norm 1 or 2")

    def powered(view: View | Canonical) -> float:
        if debias is True:
            return _parts(view, bandwidth).miscalibration
        if debias:
            square = _square_freed_by_draws(view, bandwidth, norm)
            return square if norm == 2 else of_power(square, 2)
        gap, w = _gaps(view, bandwidth, norm)
        return power(distance(gap, w, norm), norm)

    powers = _of_each(powered, x)
    return of_power(float(np.mean(powers)), norm)


def kde_decompose(x: Scored, *, bandwidth: Bandwidth = None) -> Decomposition:
    """Brier score = miscalibration - discrimination + uncertainty, without the bias of squares.

    As in eq. 8, the score less its miscalibration is the mean of q (1 - q), q being the true
    chance of a claim; squares of q are taken from pairs of neighbours (eq. 14), so parts may be a
    little below 0.

    >>> from calibrant import simulate
    >>> view = simulate.task("square", 0.1).sample(10_000, seed=0).view
    >>> round(kde_decompose(view).miscalibration, 3)
    0.012
    """
    check_bandwidth(bandwidth)

    def parts(view: View | Canonical) -> Decomposition:
        return _parts(view, bandwidth)

    return mean_decomposition(_of_each(parts, x))


def kde_sharpness(x: Scored, *, bandwidth: Bandwidth = None) -> float:
    """The variance of true chances from claim to claim: `kde_decompose`'s discrimination."""
    return kde_decompose(x, bandwidth=bandwidth).discrimination


def vectors_of(pred: Predictions) -> LabelledVectors:
    """Whole vectors as kernels take them."""
    is_logits = pred.kind == "logits"
    apart = split_labels(pred)
    return labelled_vectors(apart.values, apart.labels, apart.weights, logits=is_logits)


def vector_bandwidth(rows: LabelledVectors, bandwidth: Bandwidth) -> float:
    """The bandwidth given, or the one chosen for whole vectors."""
    if bandwidth is None:
        bandwidth = CHOICE
    if bandwidth == "rule":
        return dirichlet_kernel.quick_bandwidth(rows)
    if isinstance(bandwidth, float | int):
        return float(bandwidth)
    with progress("choosing the bandwidth", len(rows.blocks())) as tick:
        if bandwidth == "outcomes":
            return dirichlet_kernel.predictive_bandwidth(rows, tick)
        return dirichlet_kernel.best_bandwidth(rows, tick)


def _of_each(measure: Callable[[View | Canonical], Found], x: Scored) -> list[Found]:
    questions = questions_of(x)
    if isinstance(x, Canonical):
        # Its kernels are many, and show their own progress.
        return [measure(x)]
    found = []
    with progress("summing kernels", len(questions)) as tick:
        for view in questions:
            found.append(measure(view))
            tick()
    return found


def _gaps(view: View | Canonical, bandwidth: Bandwidth, norm: Norm) -> tuple[Array, Weights]:
    """Distances from claims to their neighbours' outcomes, and their weights."""
    if isinstance(view, Canonical):
        rows = vectors_of(view.pred)
        return _vector_gaps(rows, bandwidth, norm), rows.w
    pool = floored(view.odds_pool)
    return _chance_gaps(pool, bandwidth), _outcome_counts(pool)


def _square_freed_by_draws(view: View | Canonical, bandwidth: Bandwidth, norm: Norm) -> float:
    """The squared error less the mean squared error of right claims."""
    chosen = _chosen_bandwidth(view, bandwidth)

    def error(drawn: View | Canonical) -> float:
        gap, w = _gaps(drawn, chosen, norm)
        return distance(gap, w, norm)

    level = drawn_values(error, view, _DRAWS, seed=0)
    return error(view) ** 2 - float(np.mean(np.square(level)))


def _chosen_bandwidth(view: View | Canonical, bandwidth: Bandwidth) -> Bandwidth:
    """The bandwidth of these rows, unless there are too few of them to have one."""
    if view.n < 2:
        return bandwidth
    if isinstance(view, Canonical):
        return vector_bandwidth(vectors_of(view.pred), bandwidth)
    return bandwidth_for(floored(view.odds_pool), bandwidth)


def _chance_gaps(pool: Pool, bandwidth: Bandwidth) -> Array:
    """Gaps of claims whose event happened, then of those whose event did not."""
    if _least_rows(_outcome_counts(pool)) <= 1:
        return np.zeros(2 * len(pool.p))
    p = expit(pool.p)
    kernel = BetaKernel(pool, bandwidth_for(pool, bandwidth))
    happened = kernel.left_out(event=True) - p
    failed = kernel.left_out(event=False) - p
    gaps = np.concatenate([happened, failed])
    return np.abs(gaps)


def _vector_gaps(rows: LabelledVectors, bandwidth: Bandwidth, norm: Norm) -> Array:
    n = len(rows.y)
    if _least_rows(counts(rows.w, n)) <= 1:
        return np.zeros(n)

    def gap(block: slice, share: Array) -> Array:
        share -= rows.p[block]
        return gap_lengths(share, norm)

    return _over_rows(rows, bandwidth, gap, pairs=False)


def _parts(view: View | Canonical, bandwidth: Bandwidth) -> Decomposition:
    """The parts of the Brier score; mean squares of true chances are those of pairs."""
    if isinstance(view, Canonical):
        return _vector_parts(vectors_of(view.pred), bandwidth)
    return _chance_parts(floored(view.odds_pool), bandwidth)


def _chance_parts(pool: Pool, bandwidth: Bandwidth) -> Decomposition:
    z, w, happened = pool
    w_by_outcome = _outcome_counts(pool)
    _check_rows(w_by_outcome)
    kernel = BetaKernel(pool, bandwidth_for(pool, bandwidth))
    of_events = kernel.pairs_left_out(event=True)
    of_others = kernel.pairs_left_out(event=False)
    squares = np.concatenate([of_events, of_others])
    p = expit(z)
    total = w.sum()
    claims = w @ p**2 - 2 * happened @ p
    rate = happened.sum() / total
    return _decomposition(
        claims=claims / total,
        mean_square=weighted_mean(squares, w_by_outcome),
        rate=rate,
        base=rate**2,
    )


def _vector_parts(rows: LabelledVectors, bandwidth: Bandwidth) -> Decomposition:
    n = len(rows.y)
    _check_rows(counts(rows.w, n))

    def summed(_: slice, share: Array) -> Array:
        return share.sum(1)

    squares = _over_rows(rows, bandwidth, summed, pairs=True)
    lengths = np.einsum("ij,ij->i", rows.p, rows.p)
    right = rows.p[np.arange(n), rows.y]
    rates = np.bincount(rows.y, rows.w) / rows.total
    return _decomposition(
        claims=weighted_mean(lengths - 2 * right, rows.w),
        mean_square=weighted_mean(squares, rows.w),
        rate=1.0,
        base=float(rates @ rates),
    )


def _decomposition(
    *,
    claims: float,
    mean_square: float,
    rate: float,
    base: float,
) -> Decomposition:
    """The parts, of the means of p^2 - 2py, q^2 and y^2, and of the square of the mean of y."""
    return Decomposition(
        miscalibration=float(claims + mean_square),
        discrimination=float(mean_square - base),
        uncertainty=float(rate - base),
    )


def _over_rows(
    rows: LabelledVectors,
    bandwidth: Bandwidth,
    use: Callable[[slice, Array], Array],
    *,
    pairs: bool,
) -> Array:
    h = vector_bandwidth(rows, bandwidth)
    with progress("summing kernels", len(rows.blocks())) as tick:
        return dirichlet_kernel.left_out(rows, h, use, tick, pairs=pairs)


def _outcome_counts(pool: Pool) -> Array:
    """How often each claim's event happened, then how often it did not."""
    failed = pool.w - pool.happened
    return np.concatenate([pool.happened, failed])


def _least_rows(w: Array) -> float:
    """How many rows there are at least: one that weighs less than one is a row all the same."""
    present = w[w > 0]
    return float(np.maximum(present, 1).sum())


def _check_rows(w: Array) -> None:
    rows = _least_rows(w)
    if rows <= 2:
        raise ValueError(
            f"pairs of neighbours need at least 3 rows, got {rows:g}; use kde_error without debias"
        )
