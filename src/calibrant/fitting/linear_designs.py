"""Logits that depend linearly on variables, in cache-sized passes over rows on all cores."""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from .blocks import on_all_cores, row_blocks, working_type
from .newton_cg import LinearOperator
from .types import Array
from .weights import Weights, total

# What is done, in place, to the logits of a block of rows.
Work = Callable[[slice, Array], None]

_EVERY_ROW = slice(None)
_DIAGONAL = np.s_[:, [0, 1], [0, 1]]  # of 2 x 2 matrices


class Design(ABC):
    """How the logits of rows of k numbers, `z`, depend on the variables."""

    def __init__(self, z: Array) -> None:
        n, k = z.shape
        self.z = z.astype(working_type(z), copy=False)
        self.k = k
        # Several arrays of a block are in use at once, so it is smaller than one alone could be.
        self.blocks = row_blocks(n, 4 * k)

    @abstractmethod
    def round_trip(self, x: Array, work: Work) -> Array:
        """The transposed design times what `work` makes of the logits at x, block by block."""

    @abstractmethod
    def preconditioner(
        self,
        chances: Array,
        w: Weights,
        ridge: Array | float,
    ) -> LinearOperator:
        """A rough inverse of the Hessian of the mean log loss, at these chances of every row.

        `ridge` is what a penalty adds to the diagonal of the Hessian.
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
        chances: Array,
        w: Weights,
        ridge: Array | float,
    ) -> LinearOperator:
        """The inverse of the Hessian less what couples classes: a 2 x 2 matrix a class."""
        shift, both, factor = self._moments(chances, w)
        penalty = np.broadcast_to(ridge, 2 * self.k)
        of_factor, of_shift = np.split(penalty, 2)
        factor += of_factor
        shift += of_shift
        entries = np.stack([factor, both, both, shift], axis=1)
        matrices = entries.reshape(-1, 2, 2)
        # Nothing is flatter than this, or rounding would be taken for a direction without end.
        least = 1e-9 * matrices.max()
        flat = np.maximum(matrices[_DIAGONAL], least)
        matrices[_DIAGONAL] += 1e-9 * flat
        inverse = np.linalg.inv(matrices)

        def solve(x: Array) -> Array:
            pairs = x.reshape(2, -1)
            solved = np.einsum("kij,jk->ik", inverse, pairs)
            return solved.ravel()

        return solve

    def _moments(self, chances: Array, w: Weights) -> Array:
        """Means over rows of the curvature of each class, times 1, z and z squared."""

        def part(rows: slice) -> Array:
            z = self.z[rows]
            moment = _curvature(chances, w, rows)
            sums = [moment.sum(0)]
            for _ in range(2):
                moment *= z
                sums.append(moment.sum(0))
            return np.stack(sums)

        parts = on_all_cores(part, self.blocks)
        moments: Array = np.sum(parts, axis=0, dtype=np.float64)
        moments /= total(w, len(self.z))
        return moments


class AcrossClasses(Design):
    """A whole matrix and a shift: logits z @ matrix' + shift.

    The variables are the table (k, k + 1) of both, side by side.
    """

    def round_trip(self, x: Array, work: Work) -> Array:
        """Products of all rows at once: they take all cores, so threads would be in their way."""
        table = x.astype(self.z.dtype)
        table = table.reshape(self.k, -1)
        matrix = table[:, :-1]
        shift = table[:, -1]
        logits = self.z @ matrix.T

        def part(rows: slice) -> None:
            block = logits[rows]
            block += shift
            work(rows, block)

        on_all_cores(part, self.blocks)
        entries = logits.T @ self.z
        shifts = _column_sums(logits)
        sums = np.column_stack([entries, shifts])
        return sums.ravel().astype(np.float64)

    def preconditioner(
        self,
        chances: Array,
        w: Weights,
        ridge: Array | float,
    ) -> LinearOperator:
        """The inverse of the Hessian less what couples classes, what is left made simpler.

        What feeds a class is taken to vary independently about its mean, which makes the Hessian of
        a class a diagonal plus a matrix of rank one.
        """
        mean, share = self._means(chances, w)
        squared = self.diagonal(chances, w)
        penalty = np.broadcast_to(ridge, squared.shape)
        squared = squared.reshape(mean.shape)
        diagonal = squared - _divided(mean**2, share)
        diagonal = np.maximum(diagonal, 1e-6 * squared)
        diagonal += penalty.reshape(mean.shape)
        least = 1e-9 * diagonal.max()
        diagonal = np.maximum(diagonal, least)
        column = _divided(mean, np.sqrt(share))
        return _inverse_of_diagonal_plus_rank_one(diagonal, column)

    def diagonal(self, chances: Array, w: Weights) -> Array:
        """The diagonal of the Hessian: the curvature of each variable alone."""
        curvature = _curvature(chances, w, _EVERY_ROW)
        entries = curvature.T @ self.z**2
        shifts = curvature.sum(0)
        sums = np.column_stack([entries, shifts])
        diagonal = sums.ravel().astype(np.float64)
        diagonal /= total(w, len(self.z))
        return diagonal

    def _means(self, chances: Array, w: Weights) -> tuple[Array, Array]:
        """Means of each class's curvature times what feeds it, (k, k + 1), and of it alone."""
        weight = total(w, len(self.z))
        curvature = _curvature(chances, w, _EVERY_ROW)
        share = curvature.sum(0, dtype=np.float64)
        share /= weight
        share = share[:, None]
        entries = curvature.T @ self.z
        entries /= weight
        mean = np.column_stack([entries, share])
        return mean, share


def weigh(x: Array, w: Weights, rows: slice) -> None:
    """Multiply a block of rows by their weights, in place and in its own type."""
    if w is not None:
        of_rows = w[rows, None]
        x *= of_rows.astype(x.dtype)


def _curvature(chances: Array, w: Weights, rows: slice) -> Array:
    """The weighted variance p (1 - p) of each class in each row."""
    p = chances[rows]
    curvature: Array = 1 - p
    curvature *= p
    weigh(curvature, w, rows)
    return curvature


def _column_sums(x: Array) -> Array:
    """A row of ones times a matrix sums its columns faster than `sum` does."""
    ones = np.ones(len(x), x.dtype)
    return ones @ x


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


def _inverse_of_diagonal_plus_rank_one(diagonal: Array, column: Array) -> LinearOperator:
    """Of one such matrix for each row of both, by the formula of Sherman and Morrison."""
    solved = column / diagonal
    squared = (column * solved).sum(1, keepdims=True)
    solved /= np.sqrt(1 + squared)

    def solve(x: Array) -> Array:
        table = x.reshape(diagonal.shape)
        along = (solved * table).sum(1, keepdims=True)
        found = table / diagonal
        found -= solved * along
        return found.ravel()

    return solve
