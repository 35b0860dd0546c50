"""Logits that depend linearly on variables, in cache-sized passes over rows on all cores."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from .blocks import on_all_cores, row_blocks, working_type
from .newton_cg import LinearOperator
from .types import Array
from .weights import Weights

# What is done, in place, to the logits of a block of rows.
Work = Callable[[slice, Array], None]

_LEAST = 1e-9  # of curvatures that rounding would else make 0
# A matrix a class is dear to make: it is worth it after so many products.
_MANY_PRODUCTS = 30
_MOST_CLASSES = 256  # of which such matrices take no more than 140 MB
_MOST_WORK = 1e10  # multiplications that take a second
_LARGE = 1e4  # of scores: beyond it float32 has too few digits


class Design(ABC):
    """How the logits of rows of k numbers, `z`, depend on the variables."""

    def __init__(self, z: Array) -> None:
        n, k = z.shape
        self.z = z.astype(_fine_type(z), copy=False)
        self.k = k
        # Several arrays of a block are in use at once, so it is smaller than one alone could be.
        self.blocks = row_blocks(n, 4 * k)

    @abstractmethod
    def round_trip(self, x: Array, work: Work) -> Array:
        """The transposed design times what `work` makes of the logits at x, block by block."""

    @abstractmethod
    def preconditioner(
        self,
        curvature: Array,
        ridge: Array | float,
        products: int,
    ) -> LinearOperator:
        """The inverse of the Hessian of a loss less what couples classes, or a rough one.

        `curvature` is that of each class in each row, (n, k), and `ridge` what a penalty adds to
        the diagonal of the Hessian. It is the closer the more products moves have taken.
        """


class ByClass(Design):
    """A factor and a shift for each class: logits factor * z + shift.

    The variables are the k factors and the k shifts.
    """

    def round_trip(self, x: Array, work: Work) -> Array:
        """Block by block: each stays in a core's cache from first to last."""
        x = x.astype(self.z.dtype)
        factor, shift = np.split(x, 2)

        def part(rows: slice) -> Array:
            z = self.z[rows]
            block = z * factor
            block += shift
            work(rows, block)
            shifts = _column_sums(block)
            block *= z
            factors = _column_sums(block)
            return np.append(factors, shifts)

        parts = on_all_cores(part, self.blocks)
        return np.sum(parts, axis=0, dtype=np.float64)

    def preconditioner(
        self,
        curvature: Array,
        ridge: Array | float,
        products: int,  # noqa: ARG002 - it is exact however few
    ) -> LinearOperator:
        """A 2 x 2 matrix a class."""
        shift, both, factor = self._moments(curvature)
        penalty = np.broadcast_to(ridge, 2 * self.k)
        of_factor, of_shift = np.split(penalty, 2)
        factor += of_factor
        shift += of_shift
        entries = np.stack([factor, both, both, shift], axis=1)
        inverse = _inverses(entries.reshape(-1, 2, 2))

        def solve(x: Array) -> Array:
            pairs = x.reshape(2, -1)
            solved = np.einsum("kij,jk->ik", inverse, pairs)
            return solved.ravel()

        return solve

    def _moments(self, curvature: Array) -> Array:
        """Sums over rows of the curvature of each class, times 1, z and z squared."""

        def part(rows: slice) -> Array:
            z = self.z[rows]
            moment = curvature[rows]
            sums = [moment.sum(0)]
            for _ in range(2):
                moment = moment * z
                sums.append(moment.sum(0))
            return np.stack(sums)

        parts = on_all_cores(part, self.blocks)
        moments: Array = np.sum(parts, axis=0, dtype=np.float64)
        return moments


class AcrossClasses(Design):
    """A whole matrix and a shift: logits z @ matrix' + shift.

    The variables are the table (k, k + 1) of both, side by side.
    """

    def round_trip(self, x: Array, work: Work) -> Array:
        """Block by block, so that the sums do not depend on how many threads there are."""
        table = x.astype(self.z.dtype)
        table = table.reshape(self.k, -1)
        matrix = table[:, :-1].T.copy()
        shift = table[:, -1]

        def part(rows: slice) -> Array:
            z = self.z[rows]
            block = z @ matrix
            block += shift
            work(rows, block)
            return _sums(block, z)

        return self._summed(part).ravel()

    def preconditioner(
        self,
        curvature: Array,
        ridge: Array | float,
        products: int,
    ) -> LinearOperator:
        """A matrix a class, or a simpler one until products are many.

        What feeds a class is then taken to vary independently about its mean, which makes the
        matrix a diagonal plus one of rank one.
        """
        shape = self.k, self.k + 1
        penalty = np.broadcast_to(ridge, self.k * (self.k + 1)).reshape(shape)
        if products > _MANY_PRODUCTS and self.k <= _MOST_CLASSES:
            return self._exact(curvature, penalty)
        return _inverse_of_diagonal_plus_rank_one(*self._rank_one(curvature, penalty))

    def variances(self, curvature: Array, penalty: Array) -> Array:
        """The diagonal of the inverse of each class's Hessian; of very many numbers roughly."""
        if self.k > _MOST_CLASSES or self.z.size * self.k**2 > _MOST_WORK:
            diagonal, solved = _solved(*self._rank_one(curvature, penalty))
            return 1 / diagonal - solved**2
        place = np.arange(self.k + 1)
        matrices = self.class_hessians(curvature)
        matrices[:, place, place] += penalty
        inverse = _inverses(matrices)
        return inverse[:, place, place]

    def _rank_one(self, curvature: Array, penalty: Array) -> tuple[Array, Array]:
        """For each class a diagonal and a column: how what feeds it varies about its mean."""
        mean = self._summed(lambda rows: _sums(curvature[rows], self.z[rows]))
        squared = self._summed(lambda rows: _sums(curvature[rows], self.z[rows] ** 2))
        share = mean[:, -1:]
        diagonal = squared - _divided(mean**2, share)
        diagonal = np.maximum(diagonal, 1e-6 * squared)
        diagonal += penalty
        diagonal[diagonal <= 0] = 1  # nothing depends on it
        return diagonal, _divided(mean, np.sqrt(share))

    def _exact(self, curvature: Array, penalty: Array) -> LinearOperator:
        size = self.k + 1
        place = np.arange(size)
        matrices = self.class_hessians(curvature)
        matrices[:, place, place] += penalty
        inverse = _inverses(matrices)

        def solve(x: Array) -> Array:
            table = x.reshape(-1, size, 1)
            return (inverse @ table).ravel()

        return solve

    def class_hessians(self, curvature: Array) -> Array:
        """The Hessian of each class's row of the table alone, (k, k + 1, k + 1)."""
        ones = np.ones((len(self.z), 1), self.z.dtype)
        fed = np.hstack([self.z, ones])

        def hessian(label: int) -> Array:
            root = np.sqrt(curvature[:, label])
            bent = fed * root[:, None]
            return (bent.T @ bent).astype(np.float64)

        return np.stack(on_all_cores(hessian, range(self.k)))

    def _summed(self, part: Callable[[slice], Array]) -> Array:
        parts = on_all_cores(part, self.blocks)
        summed: Array = np.sum(parts, axis=0, dtype=np.float64)
        return summed


def _fine_type(z: Array) -> np.dtype[Any]:
    """The type to work in, float64 if scores are large."""
    is_large = z.size > 0 and max(z.max(), -z.min()) > _LARGE
    return np.promote_types(z.dtype, np.float64) if is_large else working_type(z)


def weigh(x: Array, w: Weights, rows: slice) -> None:
    """Multiply a block of rows by their weights, in place and in its own type."""
    if w is not None:
        of_rows = w[rows, None]
        x *= of_rows.astype(x.dtype)


def _sums(x: Array, z: Array) -> Array:
    """Sums over rows of each class's number times what feeds it, side by side with it alone."""
    return np.column_stack([x.T @ z, _column_sums(x)])


def _column_sums(x: Array) -> Array:
    """A row of ones times a matrix sums its columns faster than `sum` does."""
    ones = np.ones(len(x), x.dtype)
    return ones @ x


def _inverses(matrices: Array) -> Array:
    """Of symmetric matrices, in units in which each variable's own curvature is one.

    So nothing depends on the scale of a column. A direction flatter than the least has that.
    """
    place = np.arange(matrices.shape[-1])
    own = matrices[:, place, place]
    unit = np.sqrt(np.where(own > 0, own, 1))
    between = unit[:, :, None] * unit[:, None, :]
    scaled = matrices / between
    scaled[:, place, place] = 1 + _LEAST
    inverse: Array = np.linalg.inv(scaled) / between
    return inverse


def _divided(x: Array, by: Array) -> Array:
    """Quotients, zero where there is nothing to divide by."""
    quotient = np.zeros_like(x)
    np.divide(
        x,
        by,
        out=quotient,
        where=by > 0,
    )
    return quotient


def _solved(diagonal: Array, column: Array) -> tuple[Array, Array]:
    """The diagonal, and the column whose square the inverse has less than that of the diagonal."""
    solved = column / diagonal
    squared = (column * solved).sum(1, keepdims=True)
    return diagonal, solved / np.sqrt(1 + squared)


def _inverse_of_diagonal_plus_rank_one(diagonal: Array, column: Array) -> LinearOperator:
    """Of one such matrix for each row of both, by the formula of Sherman and Morrison."""
    diagonal, solved = _solved(diagonal, column)

    def solve(x: Array) -> Array:
        table = x.reshape(diagonal.shape)
        along = (solved * table).sum(1, keepdims=True)
        found = table / diagonal
        found -= solved * along
        return found.ravel()

    return solve
