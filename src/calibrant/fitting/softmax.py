"""Softmax regression on rows of k numbers: mean log loss and derivatives, in cache-sized passes on all cores."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .blocks import on_all_cores, row_blocks
from .newton import Vector
from .newton_cg import Linear, Point

Labels = NDArray[np.integer[Any]]
# Few rows cost nothing in float64; of many, the roundings of float32 cancel.
_MANY_CELLS = 1 << 21


class Design(ABC):
    """How logits depend on the variables, linearly; rows `z` are of the type to work in."""

    def __init__(self, z: Vector) -> None:
        working = np.promote_types(z.dtype, np.float32 if z.size > _MANY_CELLS else np.float64)
        self.z = z.astype(working, copy=False)
        self.k = z.shape[1]
        self.blocks = row_blocks(*z.shape)

    @abstractmethod
    def logits(self, x: Vector, rows: slice) -> Vector:
        """Logits of some rows, a new array."""

    @abstractmethod
    def back(self, residual: Vector, rows: slice) -> Vector:
        """Sum over rows of what each logit's residual says of each variable; `residual` may be used up."""

    @abstractmethod
    def unbend(self, chances: Vector, w: Vector | None, ridge: Vector | float) -> Linear:
        """Undoes the Hessian roughly, at these chances of every row; `ridge` is what a penalty adds to its diagonal."""

    @abstractmethod
    def each(self, work: Callable[[slice], Vector]) -> list[Vector]:
        """Do the work on every block."""

    def total(self, work: Callable[[slice], Vector]) -> Vector:
        """Sum over blocks of what the work finds in each."""
        return np.sum(self.each(work), axis=0, dtype=np.float64)


class ByClass(Design):
    """A factor and a shift for each class: logits factor * z + shift, with x the k factors and the k shifts."""

    def logits(self, x: Vector, rows: slice) -> Vector:
        """Scale and shift."""
        x = x.astype(self.z.dtype)
        logits: Vector = self.z[rows] * x[: self.k]
        logits += x[self.k :]
        return logits

    def back(self, residual: Vector, rows: slice) -> Vector:
        """Of factors the residuals times z, of shifts the residuals."""
        # A row of ones times a matrix sums its columns faster than `sum` does.
        ones = np.ones(len(residual), residual.dtype)
        shifts = ones @ residual
        residual *= self.z[rows]
        return np.append(ones @ residual, shifts)

    def unbend(self, chances: Vector, w: Vector | None, ridge: Vector | float) -> Linear:
        """The Hessian less what couples classes is a 2 x 2 matrix a class."""

        def part(rows: slice) -> Vector:
            curved = _curvature(chances, w, rows)
            sums = [curved.sum(0)]
            for _ in range(2):
                curved *= self.z[rows]
                sums.append(curved.sum(0))
            return np.concatenate(sums)

        shift, both, factor = (self.total(part) / _weight(self.z, w)).reshape(3, -1)
        ridge = np.broadcast_to(ridge, 2 * self.k)
        blocks = np.stack([factor + ridge[: self.k], both, both, shift + ridge[self.k :]]).T.reshape(-1, 2, 2)
        # Nothing is flatter than this, or rounding would be taken for a direction without end.
        floor = 1e-9 * np.maximum(blocks.diagonal(axis1=1, axis2=2), 1e-9 * blocks.max())
        blocks[:, [0, 1], [0, 1]] += floor
        inverse = np.linalg.inv(blocks)
        return lambda x: np.einsum("kij,jk->ik", inverse, x.reshape(2, -1)).ravel()

    def each(self, work: Callable[[slice], Vector]) -> list[Vector]:
        """On all cores."""
        return on_all_cores(work, self.blocks)


class AcrossClasses(Design):
    """A whole matrix and a shift: logits z @ matrix' + shift, with x the table (k, k + 1) of both, side by side."""

    def logits(self, x: Vector, rows: slice) -> Vector:
        """Multiply and shift."""
        table = x.reshape(self.k, -1).astype(self.z.dtype)
        logits: Vector = self.z[rows] @ table[:, :-1].T
        logits += table[:, -1]
        return logits

    def back(self, residual: Vector, rows: slice) -> Vector:
        """Of the matrix the residuals times z, of shifts the residuals."""
        return np.column_stack([residual.T @ self.z[rows], residual.sum(0)]).ravel()

    def unbend(self, chances: Vector, w: Vector | None, ridge: Vector | float) -> Linear:
        """The Hessian's diagonal."""
        diagonal = self.diagonal(chances, w) + ridge
        diagonal = np.maximum(diagonal, 1e-9 * diagonal.max())
        return lambda x: x / diagonal

    def diagonal(self, chances: Vector, w: Vector | None) -> Vector:
        """The curvature of each variable alone."""

        def part(rows: slice) -> Vector:
            curved = _curvature(chances, w, rows)
            return np.column_stack([curved.T @ self.z[rows] ** 2, curved.sum(0)]).ravel()

        return self.total(part) / _weight(self.z, w)

    def each(self, work: Callable[[slice], Vector]) -> list[Vector]:
        """One by one: matrix products take all cores themselves, and more threads would only stand in their way."""
        return [work(rows) for rows in self.blocks]


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
        # In float32 roundings leave a slope of about a tenth of this.
        self.tolerance = 1e-5 if design.z.dtype == np.float32 else 1e-7
        self._happened = design.total(lambda rows: design.back(self._outcomes(rows), rows))
        self._weight = _weight(design.z, w)

    def __call__(self, x: Vector) -> Point:
        """The loss at x, with the gradient and what the Hessian makes of vectors."""
        # Rounded as the products will be, or value and slope would speak of different points.
        x = x.astype(self.design.z.dtype).astype(np.float64)
        chances, found = self._pass(x)
        value = (found[0] - x @ self._happened) / self._weight
        gradient = (found[1:] - self._happened) / self._weight
        away = x - self.centre
        penalty = float((self.ridge * away**2).sum()) / 2
        return Point(float(value) + penalty, gradient + self.ridge * away, partial(self._bend, chances))

    def unbend(self, x: Vector) -> Linear:
        """About the inverse of the Hessian at x."""
        return self.design.unbend(self.chances(x), self.w, self.ridge)

    def chances(self, x: Vector) -> Vector:
        """What x gives each class, (n, k)."""
        return self._pass(x)[0]

    def _pass(self, x: Vector) -> tuple[Vector, Vector]:
        """Chances, (n, k), and the sums of log normalisers and of what chances say of each variable."""
        design, chances = self.design, np.empty_like(self.design.z)

        def part(rows: slice) -> Vector:
            logits = design.logits(x, rows)
            top = logits.max(1)
            logits -= top[:, None]
            p = np.exp(logits, out=chances[rows])
            total = p.sum(1)
            p /= total[:, None]
            normaliser = np.log(total.astype(np.float64)) + top
            w = np.ones(len(p)) if self.w is None else self.w[rows]
            residual = np.multiply(p, w[:, None].astype(p.dtype), out=logits)
            return np.append(normaliser @ w, design.back(residual, rows))

        return chances, design.total(part)

    def _bend(self, chances: Vector, v: Vector) -> Vector:
        design = self.design

        def part(rows: slice) -> Vector:
            p, u = chances[rows], design.logits(v, rows)
            u *= p
            u -= p * u.sum(1, keepdims=True)
            if self.w is not None:
                u *= self.w[rows, None].astype(u.dtype)
            return design.back(u, rows)

        return design.total(part) / self._weight + self.ridge * v

    def _outcomes(self, rows: slice) -> Vector:
        y = np.zeros((len(self.labels[rows]), self.design.k), self.design.z.dtype)
        y[np.arange(len(y)), self.labels[rows]] = 1 if self.w is None else self.w[rows]
        return y


def _curvature(chances: Vector, w: Vector | None, rows: slice) -> Vector:
    p = chances[rows]
    curved: Vector = p * (1 - p)
    return curved if w is None else curved * w[rows, None].astype(p.dtype)


def _weight(z: Vector, w: Vector | None) -> float:
    return len(z) if w is None else float(w.sum())
