"""Predictions: the only door in. What a user hands over is checked here and nowhere else."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.logspace import TINY, log_softmax, log_sum_exp, log_vectors, softmax
from ..fitting.types import Array, Ints, Rows
from ..fitting.weights import counts, some, total
from .checks import (
    briefly,
    checked_chances,
    checked_weights,
    floats,
    rounding_of,
)
from .class_names import checked_classes, frame_classes
from .labels import Labels, are_shares, checked_labels
from .rounded import LateReading, fixed, read_claims
from .vector_checks import check_logits, checked_vectors

if TYPE_CHECKING:
    from .answers import Answers

Kind = Literal["logits", "probs"]

NO_LABELS = (
    "these predictions have no labels, so a map can be applied to them and nothing else: "
    "give them, from_{0}({0}, labels)"
)


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a classifier claimed for n rows of k classes, and the class each row turned out to have.

    Made by `from_logits` and `from_probs`, which check; `values` are theirs, uncopied and in their
    own float type.
    """

    values: Array
    known_labels: Labels | None  # None: there are none, and only maps can be applied
    weights: Array | None
    classes: tuple[Hashable, ...]
    kind: Kind
    reading: LateReading | None = None  # of exact 0 and 1; None: to be found among these rows
    clip: float | None = None  # where `nll` clips probabilities; None: at their type's eps
    # Predictions of shares, and of which row each of these is a part.
    split_of: "tuple[Predictions, Ints] | None" = None
    # Of all rows, where these are a sample of them; what is changed or picked loses them.
    answers: "Answers | None" = field(default=None, init=False)

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @property
    def k(self) -> int:
        """Number of classes."""
        return int(self.values.shape[1])

    @property
    def labels(self) -> Labels:
        """The class of each row by its column, or the share of each class, (n, k)."""
        if self.known_labels is None:
            raise ValueError(NO_LABELS.format(self.kind))
        return self.known_labels

    @property
    def w(self) -> Array | None:
        """The weights, by the name that views have for them."""
        return self.weights

    @property
    def total(self) -> float:
        """How many observations the rows stand for."""
        return total(self.weights, self.n)

    @cached_property
    def scores(self) -> Array:
        """The raw logits if they were given, else log-probabilities."""
        return self.values if self.kind == "logits" else self.log_probs

    @cached_property
    def probs(self) -> Array:
        """The chance of each class, (n, k)."""
        return self.values if self.kind == "probs" else _by_rows(softmax, self.values)

    @cached_property
    def log_probs(self) -> Array:
        """Logarithms of `probs`: exact however small from logits, of zeros as they are read."""
        if self.kind == "logits":
            return _by_rows(log_softmax, self.values)
        return _by_rows(partial(log_vectors, floor=self.floor), self.values)

    @cached_property
    def late_reading(self) -> LateReading:
        """What exact 0 and 1 are read as, which parts of the rows share."""
        if self.reading is not None:
            return self.reading
        if self.kind == "logits":
            return fixed(TINY)
        return LateReading(partial(read_claims, self.values, self.weights))

    @property
    def floor(self) -> float:
        """What a probability of exactly 0 is read as in log space."""
        return self.late_reading.found.floor

    @cached_property
    def log_norm(self) -> Array:
        """Per row the log of what its exponentiated logits sum to; 0 for probabilities."""
        if self.kind == "probs":
            return np.zeros(self.n)
        return _by_rows(log_sum_exp, self.values)

    def __getitem__(self, rows: Rows | int) -> "Predictions":
        rows = some_rows(self.n, rows)
        return Predictions(
            self.values[rows],
            None if self.known_labels is None else self.known_labels[rows],
            some(self.weights, rows),
            self.classes,
            self.kind,
            self.late_reading,
            self.clip,
        )

    def with_floor(self, floor: float) -> "Predictions":
        """The same predictions, with exact zeros read as this in log space."""
        return self if floor == self.floor else replace(self, reading=fixed(floor))

    def answered_by(self, answers: "Answers") -> "Predictions":
        """The same rows as a sample of those that can answer for all."""
        same = replace(self)
        object.__setattr__(same, "answers", answers)
        return same

    def __repr__(self) -> str:
        shape = f"{self.n:,} rows of {self.k} classes"
        weighing = "" if self.weights is None else f", weighing {self.total:g}"
        lacking = ", without labels" if self.known_labels is None else ""
        return f"Predictions({shape} from {self.kind}{weighing}{lacking})"


def split_labels(pred: Predictions) -> Predictions:
    """The same with shares of classes as rows of one class each, weighing as much as its share."""
    if not are_shares(pred.labels):
        return pred
    w = counts(pred.weights, pred.n)
    share = w[:, None] * pred.labels
    rows, labels = np.nonzero(share)
    part = pred[rows]
    return replace(part, known_labels=labels, weights=share[rows, labels], split_of=(pred, rows))


def some_rows(n: int, rows: Rows | int) -> Rows:
    """At least one of n rows: a slice, places or a mask as given, one place as an array."""
    if isinstance(rows, int | np.integer):
        rows = np.array([rows])
    if not isinstance(rows, slice):
        rows = np.asarray(rows)
    if not _size(n, rows):
        raise ValueError("at least one row must be taken, got none")
    return rows


def from_logits(
    logits: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    classes: Sequence[Hashable] | NDArray[Any] | None = None,
) -> Predictions:
    """Predictions from raw scores, (n, k), or from log odds of class 1, (n,).

    Labels are classes or, (n, k), the share that each class has of a row, as of votes; without them
    maps can be applied and nothing is measured.

    >>> from_logits([[0.0, 2.0], [1.0, 0.0]], [1, 0]).probs.round(3).tolist()
    [[0.119, 0.881], [0.731, 0.269]]
    """
    z = floats(logits, "logits")
    if z.ndim == 1:
        z = np.stack([np.zeros_like(z), z], axis=1)
    check_logits(z)
    names = frame_classes(logits, "logits") if classes is None else classes
    return _predictions(z, labels, weights, names, "logits")


def from_probs(
    probs: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    classes: Sequence[Hashable] | NDArray[Any] | None = None,
) -> Predictions:
    """Predictions from probabilities, (n, k), or from the chance of class 1, (n,).

    Labels are classes or, (n, k), the share that each class has of a row, as of votes; without them
    maps can be applied and nothing is measured. A probability of exactly 0 or 1 counts as rounded: in
    log space it is read as half the smallest distance of any other from 0 or 1.

    >>> from_probs([0.9, 0.2], ["spam", "ham"], classes=["ham", "spam"])
    Predictions(2 rows of 2 classes from probs)
    """
    p = floats(probs, "probs")
    if p.ndim == 1:
        p = checked_chances(p, "probs")
        p = np.stack([1 - p, p], axis=1)
    p = checked_vectors(p, rounding_of(probs, p))
    names = frame_classes(probs, "probs") if classes is None else classes
    return _predictions(p, labels, weights, names, "probs")


def _predictions(
    values: Array,
    labels: ArrayLike | None,
    weights: ArrayLike | None,
    classes: Sequence[Hashable] | NDArray[Any] | None,
    kind: Kind,
) -> Predictions:
    n, k = values.shape
    names = tuple(range(k)) if classes is None else checked_classes(classes)
    if len(names) != k or len(set(names)) != k:
        raise ValueError(
            f"classes must be {k} different names, one for each column, got {briefly(names)}"
        )
    _check_order(labels, kind, names)
    return Predictions(
        values,
        None if labels is None else checked_labels(labels, n, names),
        checked_weights(weights, n),
        names,
        kind,
    )


def _check_order(labels: object, kind: Kind, names: tuple[Hashable, ...]) -> None:
    """Shares of classes in a data frame must stand in the order of the chances."""
    columns = tuple(frame_classes(labels, kind) or ())
    if columns != names and set(columns) == set(names):
        raise ValueError(
            "labels must have their columns in the order of the classes, "
            f"{briefly(names)}, got {briefly(columns)}; sort them alike"
        )


def _size(n: int, rows: Rows) -> int:
    """How many of n rows these are."""
    if isinstance(rows, slice):
        return len(range(*rows.indices(n)))
    if rows.dtype == np.bool_:
        return int(np.count_nonzero(rows))
    return len(rows)


def _by_rows(work: Callable[[Array], Array], values: Array) -> Any:  # noqa: ANN401 - as work gives
    """What `work` gives for the rows, worked out in blocks on all cores."""
    working = np.promote_types(values.dtype, np.float32)

    def work_on(rows: slice) -> Array:
        block = values[rows].astype(working, copy=False)
        return work(block)

    def fill(rows: slice) -> None:
        out[rows] = work_on(rows)

    first, *others = row_blocks(*values.shape)
    found = work_on(first)
    shape = (len(values), *found.shape[1:])
    out = np.empty(shape, found.dtype)
    out[first] = found
    on_all_cores(fill, others)
    return out
