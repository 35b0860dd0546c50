"""Kernel calibration errors: each claim held against the outcomes of its neighbours, the row itself left out."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from scipy.special import expit

from ..families.binary.kernel import Bandwidth, bandwidth_for, refuse_bandwidth
from ..fitting import dirichlet_kernel
from ..fitting.beta_kernel import BetaKernel, floored
from ..fitting.dirichlet_kernel import Vectors, vectors
from ..fitting.types import Array
from ..inputs.checks import check_argument
from ..inputs.predictions import Predictions
from ..inputs.questions import Asked, views_of
from ..inputs.views import Canonical, View
from ..progress import progress
from .errors import Norm, distance
from .scores import Decomposition

Measured = Asked | Canonical
Found = TypeVar("Found")


def kde_error(
    x: Measured, *, bandwidth: Bandwidth = None, norm: Norm = 1, debias: bool = False
) -> float:
    """Distance of claims from the mean outcome of their neighbours: of one chance, or of whole vectors, `canonical`.

    Neighbours are weighed by Beta or Dirichlet kernels, and no row is its own: a row alone gives 0. Of several views
    the mean is taken, where paper 001, eq. 16, has the sum. `debias`, for norm 2, pairs neighbours up (its eq. 14).
    To choose a bandwidth takes longest: where it is asked often, as by `interval`, give one, or "rule".

    >>> from calibrant import simulate
    >>> round(kde_error(simulate.task("square", 0.1).sample(10_000, seed=0).view), 2)
    0.1
    """
    refuse_bandwidth(bandwidth)
    check_argument("norm", norm, Norm)
    check_argument("debias", debias, bool)
    if debias and norm != 2:
        raise ValueError(f"debias=True knows what chance adds to squares; use norm=2, got {norm!r}")

    def error(part: View | Canonical) -> float:
        if debias:
            return float(np.sqrt(max(0.0, _parts(part, bandwidth).miscalibration)))
        return distance(*_gaps(part, bandwidth, norm), norm)

    return float(np.mean(_of_each(x, error)))


def kde_decompose(x: Measured, *, bandwidth: Bandwidth = None) -> Decomposition:
    """Brier score = miscalibration - discrimination + uncertainty by kernels, without the bias of squares.

    As in paper 001, eq. 8, the score less its miscalibration is the mean of q (1 - q), q being the true chance of a
    claim; squares of q are taken from pairs of neighbours (eq. 14), so parts may be a little below 0.

    >>> from calibrant import simulate
    >>> kde_decompose(simulate.task("square", 0.1).sample(10_000, seed=0).view).miscalibration.__round__(3)
    0.012
    """
    refuse_bandwidth(bandwidth)
    parts = _of_each(x, lambda part: _parts(part, bandwidth))
    return Decomposition(*(float(each) for each in np.mean(parts, axis=0)))


def kde_sharpness(x: Measured, *, bandwidth: Bandwidth = None) -> float:
    """How far true chances differ from claim to claim: their variance, the discrimination of `kde_decompose`."""
    return kde_decompose(x, bandwidth=bandwidth).discrimination


def _of_each(x: Measured, measure: Callable[[View | Canonical], Found]) -> list[Found]:
    if isinstance(x, Canonical):
        return [measure(x)]
    views = views_of(x)
    found = []
    with progress("summing kernels", len(views)) as tick:
        for view in views:
            found.append(measure(view))
            tick()
    return found


def _gaps(x: View | Canonical, bandwidth: Bandwidth, norm: Norm) -> tuple[Array, Array | None]:
    """Distances from claims to their neighbours' outcomes, and weights."""
    if isinstance(x, Canonical):
        rows = vectors_of(x.pred)
        if _least_rows(rows.w, len(rows.y)) <= 1:
            return np.zeros(len(rows.y)), rows.w
        order = np.inf if norm == "max" else norm

        def gap(block: slice, share: Array) -> Array:
            share -= rows.p[block]
            return np.linalg.norm(share, order, axis=1)

        return _over_rows(rows, bandwidth, gap, pairs=False), rows.w
    odds, w, happened = pool = floored(x.odds_pool)
    counts = np.concatenate([happened, w - happened])
    if _least_rows(counts, len(counts)) <= 1:
        return np.zeros(len(counts)), counts
    p = expit(odds)
    kernel = BetaKernel(pool, bandwidth_for(pool, bandwidth))
    return np.abs(
        np.concatenate([kernel.left_out(event=event) - p for event in (True, False)])
    ), counts


def _parts(x: View | Canonical, bandwidth: Bandwidth) -> Decomposition:
    """The parts of the Brier score; mean squares of true chances are those of pairs of neighbours."""
    if isinstance(x, Canonical):
        rows = vectors_of(x.pred)
        _refuse_few(rows.w, len(rows.y))
        squares = _over_rows(rows, bandwidth, lambda _, share: share.sum(1), pairs=True)
        mean_square = np.average(squares, weights=rows.w)
        claimed = rows.p[np.arange(len(rows.y)), rows.y]
        apart = np.average(np.einsum("ij,ij->i", rows.p, rows.p) - 2 * claimed, weights=rows.w)
        share = np.bincount(rows.y, rows.w) / rows.total
        events, base = 1.0, share @ share
    else:
        odds, w, happened = pool = floored(x.odds_pool)
        counts = np.concatenate([happened, w - happened])
        _refuse_few(counts, len(counts))
        p = expit(odds)
        kernel = BetaKernel(pool, bandwidth_for(pool, bandwidth))
        squares = np.concatenate([kernel.pairs_left_out(event=event) for event in (True, False)])
        mean_square = np.average(squares, weights=counts)
        apart = (w @ p**2 - 2 * happened @ p) / w.sum()
        events = happened.sum() / w.sum()
        base = events**2
    return Decomposition(
        float(apart + mean_square), float(mean_square - base), float(events - base)
    )


def vectors_of(pred: Predictions) -> Vectors:
    """Whole vectors as kernels take them."""
    return vectors(pred.values, pred.labels, pred.weights, logits=pred.kind == "logits")


def vector_bandwidth(rows: Vectors, bandwidth: Bandwidth) -> float:
    """The width given, or the one chosen for whole vectors."""
    if bandwidth == "rule":
        return dirichlet_kernel.quick_bandwidth(rows)
    if bandwidth is not None:
        return float(bandwidth)
    with progress("choosing the bandwidth", len(rows.blocks())) as tick:
        return dirichlet_kernel.best_bandwidth(rows, tick)


def _over_rows(
    rows: Vectors, bandwidth: Bandwidth, use: Callable[[slice, Array], Array], *, pairs: bool
) -> Array:
    h = vector_bandwidth(rows, bandwidth)
    with progress("summing kernels", len(rows.blocks())) as tick:
        return dirichlet_kernel.left_out(rows, h, use, tick, pairs=pairs)


def _least_rows(counts: Array | None, n: int) -> float:
    """How many rows there are at least, one that weighs less than one being a row all the same."""
    return n if counts is None else float(np.maximum(counts[counts > 0], 1).sum())


def _refuse_few(counts: Array | None, n: int) -> None:
    if (rows := _least_rows(counts, n)) <= 2:
        raise ValueError(
            f"pairs of neighbours need at least 3 rows, got {rows:g}; use kde_error without debias"
        )
