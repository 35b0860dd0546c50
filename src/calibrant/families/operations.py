"""What formulas are written with: a rule sees these names only, so it runs wherever they are known.

Values are arrays in `numpy_operations.py`, tensors in `torch/operations.py`, nodes of a graph in
`deploy/onnx.py` and text in `deploy/sql.py`. Operators add, multiply and compare all of them.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from ..fitting.logspace import NO_SHARE
from ..fitting.types import Array
from ..inputs.predictions import Kind

if TYPE_CHECKING:
    from .rules import ChanceRule

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
        self,
        x: Value,
        edges: Array,
        heights: Array,
        *,
        side: Side,
        gain: Value | None = None,
    ) -> Value:
        """`heights[i]` where i edges lie below x; an equal one counts if side is "right".

        `gain` is given where x was worked out from the claim: how far it moves, in log odds, when
        the claim moves by one. Rounding must not carry such an x over an edge.
        """

    def line(self, x: Value, points: Array, heights: Array) -> Value:
        """Linear interpolation, level outside the points."""

    def kernel_mean(
        self,
        terms: Sequence[Term],
        height: Array,
        events: Array,
        weights: Array,
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
        self._log_odds: Value = None

    # functools.cached_property takes a lock in Python 3.11, and torch.compile stops at it.
    @property
    def log_odds(self) -> Value:
        if self._log_odds is None:
            self._log_odds = self._to_log_odds()
        return self._log_odds


def read_log_odds(p: Value, floor: float, ops: Operations) -> Value:
    """Log odds of chances, exact 0 and 1 read by the floor."""
    if floor > NO_SHARE:
        p = ops.clip(p, floor, 1 - floor)
    log_p = ops.log(ops.maximum(p, floor))
    return log_p - ops.log(ops.maximum(1 - p, floor))


class Vectors:
    """Whole probability vectors, as `values` of some kind, over any operations."""

    def __init__(
        self,
        values: Value,
        kind: Kind,
        k: int,
        floor: float,
        ops: Operations,
    ) -> None:
        self.values = values
        self.kind = kind
        self.k = k
        self.floor = floor
        self.ops = ops
        self._p: Value = values if kind == "probs" else None
        self._read: Value = None
        self._scores: Value = values if kind == "logits" else None

    @property
    def p(self) -> Value:
        """Claimed chances."""
        if self._p is None:
            self._p = self.ops.softmax(self.values)
        return self._p

    @property
    def scores(self) -> Value:
        """Logits if they were given, else log-probabilities."""
        if self._scores is None:
            self._scores = self._log(self.read)
        return self._scores

    @property
    def read(self) -> Value:
        """Given chances with exact zeros read as the floor, if that takes a share of the row."""
        if self.floor <= NO_SHARE:
            return self.values
        if self._read is None:
            read = self.ops.maximum(self.values, self.floor)
            whole = self.ops.row_sum(self.values)
            self._read = read * (whole / self.ops.row_sum(read))
        return self._read

    def by_class(self, *places: int) -> Any:  # noqa: ANN401 - claims, as `columns` takes them
        """The claims of some classes, or of all, each against the rest."""

        def log_odds() -> Value:
            return self._columns(self._class_log_odds(), places)

        claims = GivenClaims(None, log_odds)
        claims.p = self._columns(self.ops.minimum(self.p, 1.0), places)
        if self.kind == "logits":
            # From log odds a chance near 1 has the digits that a view of the class has.
            claims.p = self.ops.where(claims.p > 0.5, self.ops.expit(claims.log_odds), claims.p)
        return claims

    def by_rank(self, order: Value, ranks: int) -> Any:  # noqa: ANN401 - claims likewise
        """The claims of the classes that come first in the order of each row."""

        def first(x: Value) -> Value:
            ordered = self.ops.gather(x, order)
            return self.ops.part(ordered, 0, ranks)

        def log_odds() -> Value:
            return first(self._log_odds())

        claims = GivenClaims(None, log_odds)
        if self.kind == "logits":
            claims.p = self.ops.expit(claims.log_odds)
        else:
            claims.p = first(self.ops.minimum(self.p, 1.0))
        return claims

    def _columns(self, x: Value, places: Sequence[int]) -> Value:
        if not places:
            return x
        parts = [self.ops.part(x, place, place + 1) for place in places]
        return self.ops.join(*parts)

    def _class_log_odds(self) -> Value:
        if self.kind == "logits":
            return self._log_odds()
        # The rest of an unlikely class is 1 - p, also where rounding left the sum a little off one.
        unlikely = self.scores - self._log_rest()
        return self.ops.where(self.read > 0.5, self._log_odds(), unlikely)

    def _log_odds(self) -> Value:
        """Of each class against the rest; the largest's 1 - p lost digits, so others are added."""
        if self.kind == "probs":
            return self._log_odds_of_probs()
        return self._log_odds_of_logits()

    def _log_odds_of_probs(self) -> Value:
        ops = self.ops
        top = ops.is_first_largest(self.values)
        read = self.read
        others = ops.row_sum(ops.where(top, 0.0, read))
        total = ops.row_sum(read)
        rest = ops.where(top, others, total - read)
        return self.scores - self._log(rest)

    def _log_odds_of_logits(self) -> Value:
        ops = self.ops
        top = ops.is_first_largest(self.values)
        others = ops.where(top, -np.inf, self.values)
        highest = ops.row_max(others)
        beside = ops.row_sum(ops.exp(others - highest))
        margin = self.values - highest - ops.log(beside)
        unlikely = ops.log_softmax(self.values) - self._log_rest()
        return ops.where(top, margin, unlikely)

    def _log_rest(self) -> Value:
        p = self.p if self.kind == "logits" else self.read
        at_most_half = self.ops.minimum(p, 0.5)
        return self.ops.log(1 - at_most_half)

    def _log(self, p: Value) -> Value:
        if self.floor > NO_SHARE:
            # Nothing that was read so is 0.
            return self.ops.log(p)
        return self.ops.log(self.ops.maximum(p, self.floor))
