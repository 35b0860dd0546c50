"""Predictions: the only door in. What a user hands over is checked here and nowhere else."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.logspace import floored_log, log_softmax, log_sum_exp, softmax
from ..fitting.types import Array, Bools, Ints, Rows
from .checks import briefly, chances, counts, floats, host, refuse_rows, rounding_of

Kind = Literal["logits", "probs"]

SUM_TOLERANCE = 1e-3


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a classifier claimed for n rows of k classes, and the class each row turned out to have.

    Made by `from_logits` and `from_probs`, which check; `values` are theirs, uncopied and in their own float type.
    """

    values: Array
    labels: Ints
    weights: Array | None
    classes: tuple[Hashable, ...]
    kind: Kind

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @property
    def k(self) -> int:
        """Number of classes."""
        return int(self.values.shape[1])

    @property
    def total(self) -> float:
        """How many observations the rows stand for."""
        return float(self.n if self.weights is None else self.weights.sum())

    @cached_property
    def scores(self) -> Array:
        """The raw logits if they were given, else log-probabilities."""
        return self.values if self.kind == "logits" else self.log_probs

    @cached_property
    def probs(self) -> Array:
        """The chance of each class, (n, k)."""
        return self.values if self.kind == "probs" else _by_rows(self.values, softmax)

    @cached_property
    def log_probs(self) -> Array:
        """Logarithms of `probs`: exact however small when they come from logits, floored when from zeros."""
        return _by_rows(self.values, log_softmax if self.kind == "logits" else floored_log)

    @cached_property
    def log_norm(self) -> Array:
        """Per row the log of what its exponentiated logits sum to; 0 for probabilities."""
        if self.kind == "probs":
            return np.zeros(self.n)
        return _by_rows(self.values, log_sum_exp)

    def __getitem__(self, rows: Rows | int) -> "Predictions":
        rows = some_rows(self.n, rows)
        weights = None if self.weights is None else self.weights[rows]
        return Predictions(self.values[rows], self.labels[rows], weights, self.classes, self.kind)

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else f", weighing {self.total:g}"
        return f"Predictions({self.n:,} rows of {self.k} classes from {self.kind}{weighted})"


def some_rows(n: int, rows: Rows | int) -> Rows:
    """Rows to take out of n: a slice, places or a mask as given, one place as a slice; none at all is refused."""
    if isinstance(rows, int | np.integer):
        rows = np.array([rows])
    if isinstance(rows, slice):
        taken = len(range(*rows.indices(n)))
    else:
        rows = np.asarray(rows)
        taken = int(np.count_nonzero(rows)) if rows.dtype == np.bool_ else len(rows)
    if not taken:
        raise ValueError("at least one row must be taken, got none")
    return rows


def from_logits(
    logits: ArrayLike,
    labels: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    classes: Sequence[Hashable] | NDArray[Any] | None = None,
) -> Predictions:
    """Predictions from raw scores, (n, k), or from log odds of class 1, (n,).

    >>> from_logits([[0.0, 2.0], [1.0, 0.0]], [1, 0]).probs.round(3).tolist()
    [[0.119, 0.881], [0.731, 0.269]]
    """
    z = floats(logits, "logits")
    if z.ndim == 1:
        z = np.stack([np.zeros_like(z), z], axis=1)
    _refuse_shape(z, "logits")
    refuse_rows(
        z, lambda block: ~np.isfinite(block).all(1), "logits must be finite (row {row} is {value})"
    )
    return _predictions(z, labels, weights, classes, "logits")


def from_probs(
    probs: ArrayLike,
    labels: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    classes: Sequence[Hashable] | NDArray[Any] | None = None,
) -> Predictions:
    """Predictions from probabilities, (n, k), or from the chance of class 1, (n,).

    >>> from_probs([0.9, 0.2], ["spam", "ham"], classes=["ham", "spam"])
    Predictions(2 rows of 2 classes from probs)
    """
    p = floats(probs, "probs")
    if p.ndim == 1:
        p = chances(p, "probs")
        p = np.stack([1 - p, p], axis=1)
    _refuse_shape(p, "probs")
    rounding = rounding_of(probs, p)
    tolerance = max(SUM_TOLERANCE, rounding)
    negative: list[bool] = []
    working = np.promote_types(p.dtype, np.float32)

    def wrong(block: Array) -> Bools:
        # Classes go first, as numpy adds fast along rows that lie side by side. A nan fails the comparison too.
        columns = np.ascontiguousarray(block.T, working)
        fine: Bools = np.abs(columns.sum(0) - 1) <= tolerance
        if columns.min() < 0:
            negative.append(True)
            fine &= (columns >= -rounding).all(0)
        return ~fine

    def reason(row: Array) -> str:
        if not np.isfinite(row).all():
            return "probs must be finite (row {row} is {value})"
        if (row < -rounding).any():
            return "probs must not be negative (row {row} is {value}); for logits use from_logits"
        return f"probs rows must sum to one (row {{row}} sums to {row.sum():.6g}); for logits use from_logits"

    refuse_rows(p, wrong, reason)
    return _predictions(np.maximum(p, 0) if negative else p, labels, weights, classes, "probs")


def _by_rows(values: Array, work: Callable[[Array], Array]) -> Any:  # noqa: ANN401 - as `work` gives it
    working = np.promote_types(values.dtype, np.float32)
    blocks = row_blocks(*values.shape)
    first = work(values[blocks[0]].astype(working, copy=False))
    out = np.empty((len(values), *first.shape[1:]), first.dtype)
    out[blocks[0]] = first

    def fill(rows: slice) -> None:
        out[rows] = work(values[rows].astype(working, copy=False))

    on_all_cores(fill, blocks[1:])
    return out


def _predictions(
    values: Array,
    labels: ArrayLike,
    weights: ArrayLike | None,
    classes: Sequence[Hashable] | NDArray[Any] | None,
    kind: Kind,
) -> Predictions:
    n, k = values.shape
    names = tuple(range(k)) if classes is None else tuple(np.array(classes, object).tolist())
    if len(names) != k or len(set(names)) != k:
        raise ValueError(
            f"classes must be {k} different names, one for each column, got {briefly(names)}"
        )
    return Predictions(values, _labels(labels, n, names), counts(weights, n), names, kind)


def _labels(labels: ArrayLike, n: int, classes: tuple[Hashable, ...]) -> Ints:
    try:
        array = host(labels)
    except ValueError as error:
        raise ValueError(
            f"labels must be one class for each of the {n} rows, got {briefly(labels)}"
        ) from error
    if array.shape != (n,):
        hint = "; for one-hot rows give labels.argmax(1)" if array.ndim == 2 else ""
        raise ValueError(
            f"labels must be one class for each of the {n} rows, got shape {array.shape}{hint}"
        )
    if array.dtype.kind == "O" and all(isinstance(label, int | np.integer) for label in array):
        array = np.array(array.tolist())
    if array.dtype.kind == "b":
        array = array.view(np.uint8)
    if array.dtype.kind in "iuf" and all(isinstance(name, str) for name in classes):
        classes = tuple(range(len(classes)))
    if (
        array.dtype.kind == "f"
        and (array == np.floor(array)).all()
        and (np.abs(array) < 2**53).all()
    ):
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu" or classes != tuple(range(len(classes))):
        return _places(array, classes)
    k = len(classes)
    rule = f"labels must lie in 0..{k - 1}, as there are {k} classes (row {{row}} is {{value}})"
    refuse_rows(array, lambda block: (block < 0) | (block >= k), rule)
    return array


def _places(labels: NDArray[Any], classes: tuple[Hashable, ...]) -> Ints:
    place = {name: i for i, name in enumerate(classes)}
    found = np.fromiter((place.get(name, -1) for name in labels.tolist()), np.intp, len(labels))
    if (found < 0).any():
        row = int((found < 0).argmax())
        hint = "; name them with classes=[...]" if classes == tuple(range(len(classes))) else ""
        raise ValueError(
            f"labels must be among the classes {briefly(classes)} (row {row} is {briefly(labels[row])}){hint}"
        )
    return found


def _refuse_shape(x: Array, name: str) -> None:
    if x.ndim != 2 or x.shape[1] < 2 or not x.shape[0]:
        raise ValueError(
            f"{name} must be (rows, classes) with at least one row and two classes, or (rows,) for class 1; "
            f"got shape {x.shape}"
        )
