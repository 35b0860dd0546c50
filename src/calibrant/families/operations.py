"""What formulas are written with. A rule sees these names only, so it runs wherever they are implemented.

Values are arrays here, tensors in `torch/operations.py`, nodes of a graph in `deploy/onnx.py` and
text in `deploy/sql.py`. All of them add, subtract, multiply, divide and compare with operators.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from scipy.special import expit

from ..fitting.blocks import on_all_cores
from ..fitting.logspace import log_softmax, softmax
from ..fitting.types import Array, Ints
from ..inputs.predictions import Kind
from ..inputs.questions import one_class
from ..inputs.views import Canonical, set_log_odds

if TYPE_CHECKING:
    from .family import ChanceRule

Value = Any  # an array, a tensor, a node or text: whatever the operations work on
Side = Literal["left", "right"]
Term = tuple[Value, Array]


class Operations(Protocol):
    """The steps of a formula. Rows are the first axis; what is taken of a row keeps one column."""

    gap: float  # the least share by which two chances must differ to be told apart

    def exp(self, x: Value) -> Value: ...
    def log(self, x: Value) -> Value: ...
    def expit(self, z: Value) -> Value: ...
    def log_expit(self, z: Value) -> Value: ...
    def clip(self, x: Value, low: Value, high: Value) -> Value: ...
    def minimum(self, x: Value, y: Value) -> Value: ...
    def maximum(self, x: Value, y: Value) -> Value: ...
    def where(self, condition: Value, yes: Value, no: Value) -> Value: ...

    def step(
        self, x: Value, edges: Array, heights: Array, *, side: Side, gain: Value | None = None
    ) -> Value:
        """`heights[i]` where i edges lie below x; an equal one counts if side is "right".

        `gain` is given where x was worked out from the claim: how far it moves, in log odds, when the
        claim moves by one. Rounding must not carry such an x over an edge.
        """

    def line(self, x: Value, points: Array, heights: Array) -> Value:
        """Linear interpolation, level outside the points."""

    def kernel_mean(
        self, terms: Sequence[Term], height: Array, events: Array, weights: Array
    ) -> Value:
        """The share of events among neighbours j, weighed by kernels.

        The logarithm of kernel j is height[j] plus, over the terms, each value times its table's
        entry j.
        """

    def columns(self, rules: Sequence["ChanceRule"], claims: Any) -> Value:  # noqa: ANN401
        """Calibrated chances in [0, 1], a column for each rule."""

    def softmax(self, z: Value) -> Value: ...
    def log_softmax(self, z: Value) -> Value: ...
    def row_sum(self, x: Value) -> Value: ...
    def row_max(self, x: Value) -> Value: ...
    def row_min(self, x: Value) -> Value: ...

    def matmul(self, x: Value, matrix: Array) -> Value:
        """Each row times the transposed matrix."""

    def part(self, x: Value, start: int, stop: int) -> Value:
        """Some columns."""

    def join(self, *columns: Value) -> Value:
        """Columns side by side."""

    def places(self, x: Value, size: int) -> Value:
        """The row 0, 1, ..., size - 1, of the kind of x."""

    def descending(self, x: Value) -> Value:
        """Columns from the largest entry of a row to the least, ties to the lowest column."""

    def gather(self, x: Value, order: Value) -> Value:
        """The entries of each row in this order."""

    def scatter(self, x: Value, order: Value) -> Value:
        """Entries in this order back in their places."""

    def sums_from_left(self, x: Value) -> Value:
        """The sum of each entry and those to the left of it."""

    def log_sums_from_right(self, x: Value) -> Value:
        """The log of the summed exponentials of each entry and those to the right of it."""

    def is_first_largest(self, x: Value) -> Value:
        """Which column holds a row's largest entry, the first of equals."""


class Claims(Protocol):
    """Claimed chances and their log odds, which tell claims apart that round to 1."""

    @property
    def p(self) -> Value: ...

    @property
    def log_odds(self) -> Value: ...


class GivenClaims:
    """Chances, and their log odds worked out where a rule asks for them."""

    def __init__(self, p: Value, to_log_odds: Callable[[], Value]) -> None:
        self.p = p
        self._to_log_odds = to_log_odds

    @cached_property
    def log_odds(self) -> Value:
        return self._to_log_odds()


class Vectors:
    """Whole probability vectors, as `values` of some kind, over any operations."""

    def __init__(self, values: Value, kind: Kind, k: int, floor: float, ops: Operations) -> None:
        self.values = values
        self.kind = kind
        self.k = k
        self.floor = floor
        self.ops = ops

    @cached_property
    def p(self) -> Value:
        """Claimed chances."""
        return self.values if self.kind == "probs" else self.ops.softmax(self.values)

    @cached_property
    def scores(self) -> Value:
        """Logits if they were given, else log-probabilities."""
        return self.values if self.kind == "logits" else self._log(self.values)

    def by_class(self, *places: int) -> Any:  # noqa: ANN401 - claims, as `columns` takes them
        """The claims of some classes, or of all, each against the rest."""

        def columns(x: Value) -> Value:
            return self.ops.join(*(self.ops.part(x, i, i + 1) for i in places)) if places else x

        p = columns(self.ops.minimum(self.p, 1.0))
        return GivenClaims(p, lambda: columns(self._class_log_odds()))

    def by_rank(self, order: Value, ranks: int) -> Any:  # noqa: ANN401 - claims likewise
        """The claims of the classes that come first in the order of each row."""

        def first(x: Value) -> Value:
            return self.ops.part(self.ops.gather(x, order), 0, ranks)

        p = first(self.ops.minimum(self.p, 1.0))
        return GivenClaims(p, lambda: first(self._log_odds()))

    def _class_log_odds(self) -> Value:
        if self.kind == "logits":
            return self._log_odds()
        # The rest of an unlikely class is 1 - p, also where rounding left the sum a little off one.
        unlikely = self.scores - self._log_rest()
        return self.ops.where(self.p > 0.5, self._log_odds(), unlikely)

    def _log_odds(self) -> Value:
        """Of each class against the rest; of the largest, whose 1 - p has lost its digits, by adding."""
        ops = self.ops
        top = ops.is_first_largest(self.values)
        if self.kind == "probs":
            others = ops.row_sum(ops.where(top, 0.0, self.p))
            rest = ops.where(top, others, ops.row_sum(self.p) - self.p)
            return self.scores - self._log(rest)
        others = ops.where(top, -np.inf, self.values)
        highest = ops.row_max(others)
        margin = self.values - highest - ops.log(ops.row_sum(ops.exp(others - highest)))
        return ops.where(top, margin, ops.log_softmax(self.values) - self._log_rest())

    def _log_rest(self) -> Value:
        return self.ops.log(1 - self.ops.minimum(self.p, 0.5))

    def _log(self, p: Value) -> Value:
        return self.ops.log(self.ops.maximum(p, self.floor))


class NumpyVectors(Vectors):
    """Whole vectors of a view, whose claims keep every digit that float32 logits have."""

    def __init__(self, view: Canonical) -> None:
        pred = view.pred
        super().__init__(pred.values, pred.kind, pred.k, pred.floor, NUMPY)
        self._view = view

    @property
    def p(self) -> Array:  # type: ignore[override]
        return self._view.p

    @property
    def scores(self) -> Array:  # type: ignore[override]
        scores = self._view.scores
        return scores.astype(np.promote_types(scores.dtype, np.float32), copy=False)

    def by_class(self, *places: int) -> Sequence[Claims]:
        return [one_class(self._view.pred, place) for place in places or range(self.k)]

    def by_rank(self, order: Ints, ranks: int) -> Sequence[Claims]:
        return [self._of_rank(order[:, rank, None]) for rank in range(ranks)]

    def _of_rank(self, chosen: Ints) -> Claims:
        pred = self._view.pred
        claims = GivenClaims(None, lambda: set_log_odds(pred, np.arange(pred.n), chosen))
        if pred.kind == "logits":
            claims.p = expit(claims.log_odds)
        else:
            given = np.take_along_axis(pred.values, chosen, 1)[:, 0]
            claims.p = np.minimum(given.astype(np.float64), 1)
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
    line = staticmethod(np.interp)
    softmax = staticmethod(softmax)
    log_softmax = staticmethod(log_softmax)

    def log_expit(self, z: Array) -> Array:
        return -np.logaddexp(0, -z)

    def step(
        self, x: Array, edges: Array, heights: Array, *, side: Side, gain: Value | None = None
    ) -> Array:
        del gain  # x is rounded here as it was when the edges were drawn
        return heights[np.searchsorted(edges, x, side=side)]

    def kernel_mean(
        self, terms: Sequence[Term], height: Array, events: Array, weights: Array
    ) -> Array:
        logs = sum(np.multiply.outer(x, table) for x, table in terms) + height
        kernels = np.exp(logs - logs.max(1, keepdims=True))
        return (kernels @ events) / (kernels @ weights)

    def columns(self, rules: Sequence["ChanceRule"], claims: Sequence[Claims]) -> Array:
        q = np.empty((len(claims[0].p), len(rules)))

        def fill(place: int) -> None:
            q[:, place] = np.clip(rules[place](claims[place]), 0, 1)

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

    def descending(self, x: Array) -> Ints:
        return np.argsort(-x, axis=1, kind="stable")

    def gather(self, x: Array, order: Ints) -> Array:
        return np.take_along_axis(x, order, 1).astype(np.float64)

    def scatter(self, x: Array, order: Ints) -> Array:
        out = np.empty_like(x)
        np.put_along_axis(out, order, x, 1)
        return out

    def sums_from_left(self, x: Array) -> Array:
        return np.cumsum(x, axis=1)

    def log_sums_from_right(self, x: Array) -> Array:
        return np.logaddexp.accumulate(x[:, ::-1], axis=1)[:, ::-1]

    def is_first_largest(self, x: Array) -> Array:
        return np.arange(x.shape[1]) == x.argmax(1)[:, None]


NUMPY = NumpyOperations()
