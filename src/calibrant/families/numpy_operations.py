"""Formulas on arrays: the operations as numpy does them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from ..fitting.blocks import on_all_cores
from ..fitting.descending import descending
from ..fitting.logspace import log_softmax, softmax
from ..fitting.types import Array, Bools, Ints
from ..inputs.questions import one_class
from ..inputs.views import Canonical, set_log_odds
from .operations import Claims, GivenClaims, Side, Term, Value, Vectors

if TYPE_CHECKING:
    from .rules import ChanceRule

_LEAST_SUM = 1e-280  # above it, what is lost to underflow is nothing


class NumpyVectors(Vectors):
    """Whole vectors of a view, whose claims keep every digit that float32 logits have."""

    def __init__(self, view: Canonical) -> None:
        pred = view.pred
        super().__init__(
            pred.values,
            pred.kind,
            pred.k,
            pred.floor,
            NUMPY,
        )
        self._view = view

    @property
    def p(self) -> Array:
        return self._view.p

    @property
    def scores(self) -> Array:
        scores = self._view.scores
        working = np.promote_types(scores.dtype, np.float32)
        return scores.astype(working, copy=False)

    def by_class(self, *places: int) -> Sequence[Claims]:
        if not places:
            places = tuple(range(self.k))
        pred = self._view.pred
        return [one_class(pred, place) for place in places]

    def by_rank(self, order: Ints, ranks: int) -> Sequence[Claims]:
        first = order[:, :ranks]
        return [self._of_rank(column) for column in first.T]

    def _of_rank(self, column: Ints) -> Claims:
        pred = self._view.pred
        chosen = column[:, None]

        def log_odds() -> Array:
            every = np.arange(pred.n)
            return set_log_odds(pred, every, chosen, pred.floor)

        claims = GivenClaims(None, log_odds)
        if pred.kind == "logits":
            claims.p = expit(claims.log_odds)
        else:
            claimed = np.take_along_axis(pred.values, chosen, 1)
            chance = claimed[:, 0].astype(np.float64)
            claims.p = np.minimum(chance, 1)
        return claims


class NumpyOperations:
    """Formulas on arrays: chances are one-dimensional, vectors have a row each."""

    gap = 4 * float(np.finfo(np.float64).eps)
    exp = staticmethod(np.exp)
    log = staticmethod(np.log)
    expit = staticmethod(expit)
    clip = staticmethod(np.clip)
    minimum = staticmethod(np.minimum)
    maximum = staticmethod(np.maximum)
    where = staticmethod(np.where)
    softmax = staticmethod(softmax)
    log_softmax = staticmethod(log_softmax)
    descending = staticmethod(descending)

    def log_expit(self, z: Array) -> Array:
        return -np.logaddexp(0, -z)

    def step(
        self,
        x: Array,
        edges: Array,
        heights: Array,
        *,
        side: Side,
        gain: Value | None = None,
    ) -> Array:
        del gain  # x is rounded here as it was when the edges were drawn
        place = np.searchsorted(edges, x, side=side)
        return heights[place]

    def line(self, x: Array, points: Array, heights: Array) -> Array:
        return np.interp(x, points, heights)

    def kernel_mean(
        self,
        terms: Sequence[Term],
        height: Array,
        events: Array,
        weights: Array,
    ) -> Array:
        products = [np.multiply.outer(x, table) for x, table in terms]
        logs = sum(products) + height
        logs -= logs.max(1, keepdims=True)
        kernels = np.exp(logs)
        return (kernels @ events) / (kernels @ weights)

    def columns(self, rules: Sequence["ChanceRule"], claims: Sequence[Claims]) -> Array:
        n = len(claims[0].p)
        q = np.empty((n, len(rules)))

        def fill(place: int) -> None:
            rule = rules[place]
            chance = rule(claims[place])
            q[:, place] = np.clip(chance, 0, 1)

        on_all_cores(fill, range(len(rules)))
        return q

    def row_sum(self, x: Array) -> Array:
        return x.sum(1, keepdims=True)

    def row_max(self, x: Array) -> Array:
        return x.max(1, keepdims=True)

    def row_min(self, x: Array) -> Array:
        return x.min(1, keepdims=True)

    def matmul(self, x: Array, matrix: Array) -> Array:
        return x @ matrix.T

    def part(self, x: Array, start: int, stop: int) -> Array:
        return x[:, start:stop]

    def join(self, *columns: Array) -> Array:
        return np.concatenate(columns, axis=1)

    def places(self, x: Array, size: int) -> Array:
        return np.arange(size, dtype=x.dtype)

    def gather(self, x: Array, order: Ints) -> Array:
        return np.take_along_axis(x, order, 1).astype(np.float64)

    def scatter(self, x: Array, order: Ints) -> Array:
        out = np.empty_like(x)
        np.put_along_axis(out, order, x, 1)
        return out

    def sums_from_left(self, x: Array) -> Array:
        return np.cumsum(x, axis=1)

    def log_sums_from_right(self, x: Array) -> Array:
        top = x.max(1, keepdims=True)
        sums = np.cumsum(np.exp(x - top)[:, ::-1], axis=1)[:, ::-1]
        # Far below the top an exponential vanishes: there sums are taken one by one in log space.
        is_far = sums[:, -1] < _LEAST_SUM
        sums[is_far] = 1.0
        logs = np.log(sums) + top
        logs[is_far] = np.logaddexp.accumulate(x[is_far, ::-1], axis=1)[:, ::-1]
        return logs

    def is_first_largest(self, x: Array) -> Bools:
        largest = x.argmax(1)
        k = x.shape[1]
        return np.arange(k) == largest[:, None]


NUMPY = NumpyOperations()
