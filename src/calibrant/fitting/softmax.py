"""Softmax regression on rows of k numbers: mean log loss and derivatives, in cache-sized passes on all cores."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .blocks import on_all_cores, row_blocks
from .newton import Derivatives, Vector

Labels = NDArray[np.integer[Any]]
# Few rows cost nothing in float64; of many, the roundings of float32 cancel.
_MANY_CELLS = 1 << 21


def vector_pass(z: Vector, labels: Labels, w: Vector | None, x: Vector, *, whole: bool) -> Derivatives:
    """Loss of the logits factor * z + shift, with x the k factors and the k shifts; its gradient, and its Hessian.

    Unless `whole`, the Hessian is its diagonal, less the part that couples a class to itself.
    """
    k = z.shape[1]
    place = np.arange(k)
    factor, shift = x[:k].astype(_working(z)), x[k:].astype(_working(z))

    def part(rows: slice) -> Vector:
        block = z[rows].astype(_working(z), copy=False)
        p, residual, loss = _residual(block * factor + shift, labels[rows], None if w is None else w[rows])
        root = 1.0 if w is None else np.sqrt(w[rows], dtype=p.dtype)[:, None]
        p *= root
        pz = p * block
        gradient = np.append(_total(residual * block), _total(residual))
        straight = [_total(root * each) for each in (pz * block, pz, p)]
        if not whole:
            return np.concatenate([[loss], gradient, straight[0], straight[2]])
        # Per row diag(p) - p p', between the features z and 1 of each class.
        both = np.hstack([pz, p])
        curvature = -(both.T @ both).astype(np.float64)
        for (i, j), each in zip(((0, 0), (0, k), (k, 0), (k, k)), [straight[i] for i in (0, 1, 1, 2)], strict=True):
            curvature[place + i, place + j] += each
        return np.concatenate([[loss], gradient, curvature.ravel()])

    loss, gradient, curvature = np.split(_mean(part, z, w, products=whole), [1, 2 * k + 1])
    return float(loss[0]), gradient, curvature.reshape(2 * k, 2 * k) if whole else curvature


def matrix_pass(z: Vector, labels: Labels, w: Vector | None, table: Vector, *, curved: bool) -> Derivatives:
    """Loss of the logits z @ matrix' + shift, with the table matrix and shift side by side, and its gradient.

    If `curved`, also the curvature of each entry alone; else an empty array in its place.
    """
    k = z.shape[1]
    matrix, shift = table[:, :k].T.astype(_working(z)), table[:, k].astype(_working(z))

    def part(rows: slice) -> Vector:
        block = z[rows].astype(_working(z), copy=False)
        p, residual, loss = _residual(block @ matrix + shift, labels[rows], None if w is None else w[rows])
        features = np.hstack([block, np.ones((len(block), 1), block.dtype)])
        sums = [[loss], (residual.T @ features).ravel()]
        if curved:
            bend = p * (1 - p) if w is None else p * (1 - p) * w[rows, None]
            sums.append((bend.T @ features**2).ravel())
        return np.concatenate(sums)

    loss, gradient, curvature = np.split(_mean(part, z, w, products=True), [1, 1 + table.size])
    return float(loss[0]), gradient, curvature


def _residual(logits: Vector, labels: Labels, w: Vector | None) -> tuple[Vector, Vector, float]:
    """Chances, chances less what happened times weight, and the summed loss; `logits` are used up."""
    rows = np.arange(len(logits))
    logits -= logits.max(1, keepdims=True)
    right = logits[rows, labels].astype(np.float64)
    p = np.exp(logits, out=logits)
    total = p.sum(1, keepdims=True)
    loss = np.log(total[:, 0].astype(np.float64)) - right
    p /= total
    residual = p.copy()
    residual[rows, labels] -= 1
    if w is not None:
        residual *= w[:, None].astype(p.dtype)
        loss *= w
    return p, residual, float(loss.sum())


def _mean(part: Callable[[slice], Vector], z: Vector, w: Vector | None, *, products: bool) -> Vector:
    # Matrix products take all cores themselves: more threads would only stand in their way.
    blocks = row_blocks(*z.shape)
    parts = [part(rows) for rows in blocks] if products else on_all_cores(part, blocks)
    return np.sum(parts, axis=0) / (len(z) if w is None else w.sum())


def _total(x: Vector) -> Vector:
    return x.sum(0, dtype=np.float64)


def _working(z: Vector) -> np.dtype[np.floating[Any]]:
    return np.promote_types(z.dtype, np.float32 if z.size > _MANY_CELLS else np.float64)
