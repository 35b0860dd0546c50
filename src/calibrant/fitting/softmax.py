"""Softmax regression on rows of k numbers: mean log loss and derivatives, in cache-sized passes on all cores."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .blocks import on_all_cores, row_blocks, working_type
from .newton import Vector
from .newton_cg import Linear, Point

Labels = NDArray[np.integer[Any]]
Work = Callable[[slice, Vector], None]


class Design(ABC):
    """How logits depend on the variables, linearly."""

    def __init__(self, z: Vector) -> None:
        self.z = z.astype(working_type(z), copy=False)
        self.k = z.shape[1]
        # Several arrays of a block are in use at once, so it is smaller than one alone could be.
        self.blocks = row_blocks(len(z), 4 * self.k)

    @abstractmethod
    def through(self, x: Vector, work: Work) -> Vector:
        """Logits at x, what `work` puts in the place of each block of them, and what that says of each variable.

        The last is a sum over rows, of what stands in the place of a logit times what the variable adds to it.
        """

    @abstractmethod
    def preconditioner(self, chances: Vector, w: Vector | None, ridge: Vector | float) -> Linear:
        """Undoes the Hessian roughly, at these chances of every row; `ridge` is what a penalty adds to its diagonal."""


class ByClass(Design):
    """A factor and a shift for each class: logits factor * z + shift, with x the k factors and the k shifts."""

    def through(self, x: Vector, work: Work) -> Vector:
        """Block by block: each stays in a core's cache from first to last."""
        factor, shift = np.split(x.astype(self.z.dtype), 2)

        def part(rows: slice) -> Vector:
            block = self.z[rows] * factor
            block += shift
            work(rows, block)
            # A row of ones times a matrix sums its columns faster than `sum` does.
            ones = np.ones(len(block), block.dtype)
            shifts = ones @ block
            block *= self.z[rows]
            return np.append(ones @ block, shifts)

        return np.sum(on_all_cores(part, self.blocks), axis=0, dtype=np.float64)

    def preconditioner(self, chances: Vector, w: Vector | None, ridge: Vector | float) -> Linear:
        """The Hessian less what couples classes is a 2 x 2 matrix a class."""

        def part(rows: slice) -> Vector:
            curved = _curvature(chances, w, rows)
            sums = [curved.sum(0)]
            for _ in range(2):
                curved *= self.z[rows]
                sums.append(curved.sum(0))
            return np.concatenate(sums)

        total = np.sum(on_all_cores(part, self.blocks), axis=0, dtype=np.float64)
        shift, both, factor = (total / _weight(self.z, w)).reshape(3, -1)
        ridge = np.broadcast_to(ridge, 2 * self.k)
        blocks = np.stack(
            [factor + ridge[: self.k], both, both, shift + ridge[self.k :]]
        ).T.reshape(-1, 2, 2)
        # Nothing is flatter than this, or rounding would be taken for a direction without end.
        blocks[:, [0, 1], [0, 1]] += 1e-9 * np.maximum(
            blocks.diagonal(axis1=1, axis2=2), 1e-9 * blocks.max()
        )
        inverse = np.linalg.inv(blocks)
        return lambda x: np.einsum("kij,jk->ik", inverse, x.reshape(2, -1)).ravel()


class AcrossClasses(Design):
    """A whole matrix and a shift: logits z @ matrix' + shift, with x the table (k, k + 1) of both, side by side."""

    def through(self, x: Vector, work: Work) -> Vector:
        """Products of all rows at once: they take all cores themselves, and threads would only stand in their way."""
        table = x.reshape(self.k, -1).astype(self.z.dtype)
        logits = self.z @ table[:, :-1].T

        def part(rows: slice) -> None:
            logits[rows] += table[:, -1]
            work(rows, logits[rows])

        on_all_cores(part, self.blocks)
        shifts = np.ones(len(logits), logits.dtype) @ logits
        return np.column_stack([logits.T @ self.z, shifts]).ravel().astype(np.float64)

    def preconditioner(self, chances: Vector, w: Vector | None, ridge: Vector | float) -> Linear:
        """The Hessian less what couples classes, as if what feeds a class varied independently about its mean."""
        curved = _curvature(chances, w, slice(None))
        weight = _weight(self.z, w)
        share = (curved.sum(0, dtype=np.float64) / weight)[:, None]
        mean = np.column_stack([curved.T @ self.z / weight, share])
        squared = self.diagonal(chances, w).reshape(self.k, -1)
        alone = squared - np.divide(mean**2, share, out=np.zeros_like(mean), where=share > 0)
        alone = np.maximum(alone, 1e-6 * squared) + np.reshape(
            np.broadcast_to(ridge, squared.size), squared.shape
        )
        alone = np.maximum(alone, 1e-9 * alone.max())
        # The inverse of a diagonal plus one column times itself, row by row of the table.
        column = np.divide(mean, np.sqrt(share), out=np.zeros_like(mean), where=share > 0)
        undone = column / alone
        undone /= np.sqrt(1 + (column * undone).sum(1, keepdims=True))

        def inverse(x: Vector) -> Vector:
            table = x.reshape(squared.shape)
            return (table / alone - undone * (undone * table).sum(1, keepdims=True)).ravel()

        return inverse

    def diagonal(self, chances: Vector, w: Vector | None) -> Vector:
        """The curvature of each variable alone."""
        curved = _curvature(chances, w, slice(None))
        sums = np.column_stack([curved.T @ self.z**2, curved.sum(0)])
        return sums.ravel().astype(np.float64) / _weight(self.z, w)


class SoftmaxLoss:
    """Mean log loss of a design's logits plus a ridge about `centre`, as a function of the variables."""

    def __init__(
        self,
        design: Design,
        labels: Labels,
        w: Vector | None,
        *,
        ridge: Vector | float = 0.0,
        centre: Vector | float = 0.0,
    ) -> None:
        self.design, self.labels, self.w, self.ridge, self.centre = design, labels, w, ridge, centre
        # Half its square is about what the loss may lie above its optimum; float32 allows no more.
        self.tolerance = 1e-4 if design.z.dtype == np.float32 else 1e-7
        self._weight = _weight(design.z, w)

    def __call__(self, x: Vector) -> Point:
        """The loss at x, with the gradient and what the Hessian makes of vectors."""
        # Rounded as the products will be, or value and slope would speak of different points.
        x = x.astype(self.design.z.dtype).astype(np.float64)
        chances, loss, gradient = self._pass(x)
        away = x - self.centre
        penalty = float((self.ridge * away**2).sum()) / 2
        return Point(
            loss + penalty, gradient + self.ridge * away, partial(self._hessian_product, chances)
        )

    def preconditioner(self, x: Vector) -> Linear:
        """About the inverse of the Hessian at x."""
        return self.design.preconditioner(self.chances(x), self.w, self.ridge)

    def chances(self, x: Vector) -> Vector:
        """What x gives each class, (n, k)."""
        return self._pass(x)[0]

    def _pass(self, x: Vector) -> tuple[Vector, float, Vector]:
        """Chances of every row, mean log loss, and its gradient."""
        chances, losses = np.empty_like(self.design.z), np.zeros(len(self.design.blocks))
        first = {rows.start: place for place, rows in enumerate(self.design.blocks)}

        def work(rows: slice, logits: Vector) -> None:
            right = np.arange(len(logits)), self.labels[rows]
            logits -= logits.max(1, keepdims=True)
            at_label = logits[right].astype(np.float64)
            p = np.exp(logits, out=chances[rows])
            total = p.sum(1, keepdims=True)
            p /= total
            loss = np.log(total[:, 0].astype(np.float64)) - at_label
            np.copyto(logits, p)
            logits[right] -= 1
            if self.w is not None:
                loss *= self.w[rows]
                logits *= self.w[rows, None].astype(logits.dtype)
            losses[first[rows.start]] = loss.sum()

        gradient = self.design.through(x, work) / self._weight
        return chances, float(losses.sum()) / self._weight, gradient

    def _hessian_product(self, chances: Vector, v: Vector) -> Vector:
        def work(rows: slice, u: Vector) -> None:
            p = chances[rows]
            u *= p
            u -= p * u.sum(1, keepdims=True)
            if self.w is not None:
                u *= self.w[rows, None].astype(u.dtype)

        return self.design.through(v, work) / self._weight + self.ridge * v


def _curvature(chances: Vector, w: Vector | None, rows: slice) -> Vector:
    p = chances[rows]
    curved: Vector = p * (1 - p)
    return curved if w is None else curved * w[rows, None].astype(p.dtype)


def _weight(z: Vector, w: Vector | None) -> float:
    return len(z) if w is None else float(w.sum())
