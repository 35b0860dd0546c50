"""What predictions claim, and what happened: of one event, or of all classes at once."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal

import numpy as np

from ..fitting.blocks import row_blocks
from ..fitting.logspace import NO_SHARE, read_vectors
from ..fitting.logspace import floored_log as log
from ..fitting.pooling import Pool, pool, runs
from ..fitting.types import Array, Ints, Outcomes, Rows
from ..fitting.weights import counts, some, total
from .labels import Labels
from .predictions import Predictions, some_rows
from .rounded import LateReading, fixed, read_claims


@dataclass(frozen=True, eq=False)
class View:
    """Claims `p` of an event, whether it happened `y`, weights `w` read as counts (None: ones).

    `completes` is the class, of two, whose chance `p` is: with 1 - p it makes up the whole vector
    of `classes`.
    """

    p: Array
    y: Outcomes
    w: Array | None = None
    event: str = "the event happens"
    completes: Literal[0, 1] | None = None
    classes: tuple[Hashable, ...] | None = None
    exact_log_odds: Callable[[Rows, float], Array] | None = None  # of rows, under a floor
    reading: LateReading | None = None  # of exact 0 and 1; None: to be found among these claims
    clip: float | None = None  # where `nll` clips chances; None: at their type's eps; 0: exact
    split_of: "tuple[View, Ints] | None" = None  # a view of shares, and of which row each is a part
    pooled_rows: int | None = field(default=None, init=False)  # of which these are the sums

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.p)

    @property
    def total(self) -> float:
        """How many observations the rows stand for."""
        return total(self.w, self.n)

    @cached_property
    def late_reading(self) -> LateReading:
        """What exact 0 and 1 are read as, which parts of the rows share."""
        if self.reading is not None:
            return self.reading
        return LateReading(partial(read_claims, self.p, self.w))

    @property
    def floor(self) -> float:
        """What a chance of exactly 0, of the event or of the rest, is read as in log space."""
        return self.late_reading.found.floor

    def pooling(self, rows: int) -> "View":
        """The same points, told to be sums of so many rows."""
        same = replace(self)
        object.__setattr__(same, "pooled_rows", rows)
        return same

    @property
    def is_fractional(self) -> bool:
        """Whether outcomes are shares, not only whether the event happened."""
        return self.y.dtype.kind == "f"

    @cached_property
    def log_odds(self) -> Array:
        """Log odds of the claims, from the logits where there are any: 1 - 1e-30 keeps its own."""
        if self.exact_log_odds is not None:
            return self.exact_log_odds(slice(None), self.floor)
        p = self.p.astype(np.float64, copy=False)
        return _log_odds(p, self.floor)

    @cached_property
    def pool(self) -> Pool:
        """Equal claims as one, in ascending order: what any map of the claim alone can see."""
        return pool(self.p, self.y, self.w)

    @cached_property
    def odds_pool(self) -> Pool:
        """The same by log odds, in place of `p`: claims that round to 1 stay apart."""
        if self.exact_log_odds is None:
            odds = _log_odds(self.pool.p, self.floor)
            return self.pool._replace(p=odds)
        w = counts(self.w, self.n)
        kept = np.flatnonzero(w)
        order = kept[np.argsort(self.log_odds[kept])]
        w = w[order]
        happened = w * self.y[order]
        return runs(self.log_odds[order], [w, happened])

    def blocks(self) -> list["View"]:
        """The view in cache-sized pieces."""
        return [self[rows] for rows in row_blocks(self.n)]

    def __getitem__(self, rows: Rows | int) -> "View":
        rows = some_rows(self.n, rows)
        exact = None
        if self.exact_log_odds is not None:
            exact = partial(self._log_odds_of_part, rows)
        return View(
            self.p[rows],
            self.y[rows],
            some(self.w, rows),
            self.event,
            self.completes,
            self.classes,
            exact,
            self.late_reading,
            self.clip,
        )

    def with_floor(self, floor: float) -> "View":
        """The same claims, with chances of exactly 0 and 1 read by this floor in log space."""
        return self if floor == self.floor else replace(self, reading=fixed(floor))

    def __repr__(self) -> str:
        return f"View({self.n:,} claims that {self.event})"

    def _log_odds_of_part(self, part: Rows, rows: Rows, floor: float) -> Array:
        """Log odds of rows of a part, taken from the whole where they are known there already."""
        at = places(self.n, part)[rows]
        is_known = "log_odds" in self.__dict__ and floor == self.floor
        if self.exact_log_odds is None or is_known:
            return self.log_odds[at]
        return self.exact_log_odds(at, floor)


@dataclass(frozen=True, eq=False)
class Canonical:
    """The whole probability vector: does every vector claimed hold, of the rows that claim it?"""

    pred: Predictions

    event = "each class has its chance"

    @property
    def p(self) -> Array:
        """Claimed chances, (n, k)."""
        return self.pred.probs

    @property
    def y(self) -> Labels:
        """The class of each row, as a column's place; or the share of each class, (n, k)."""
        return self.pred.labels

    @property
    def w(self) -> Array | None:
        """Weights read as counts."""
        return self.pred.weights

    @property
    def scores(self) -> Array:
        """Logits if they were given, else log-probabilities."""
        return self.pred.scores

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.pred.n

    @property
    def total(self) -> float:
        """How many observations the rows stand for."""
        return self.pred.total

    @cached_property
    def log_odds(self) -> Array:
        """Log odds of each class against the rest, (n, k)."""
        every = slice(None)
        floor = self.pred.floor
        columns = [class_log_odds(self.pred, k, every, floor) for k in range(self.pred.k)]
        return np.stack(columns, axis=1)

    def __getitem__(self, rows: Rows | int) -> "Canonical":
        return Canonical(self.pred[rows])

    def __repr__(self) -> str:
        return f"Canonical({self.n:,} claims that {self.event})"


# What has rows, outcomes and weights: what a map is fitted on, applied to and resampled.
Data = Predictions | View


def places(n: int, rows: Rows) -> Ints:
    """Rows by their places."""
    if isinstance(rows, slice):
        return np.arange(*rows.indices(n))
    return np.arange(n)[rows]


def split_outcomes(view: View) -> View:
    """The same with each fractional outcome as two rows, one that happened and one that did not."""
    if not view.is_fractional:
        return view
    w = counts(view.w, view.n)
    happened = np.concatenate([w * view.y, w * (1 - view.y)])
    kept = np.flatnonzero(happened)
    rows = kept % view.n
    part = view[rows]
    return replace(part, y=kept < view.n, w=happened[kept], split_of=(view, rows))


def class_log_odds(pred: Predictions, k: int, rows: Rows, floor: float) -> Array:
    """Log odds of class k against the rest, of some rows."""
    p = pred.probs[rows, k].astype(np.float64)
    log_p = _class_log_probs(pred, k, rows, floor)
    if pred.kind == "probs" and floor > NO_SHARE:
        p = np.exp(log_p)
    at_most_half = np.minimum(p, 0.5)
    odds = log_p - np.log1p(-at_most_half)
    likely = np.flatnonzero(p > 0.5)
    at = places(pred.n, rows)[likely]
    odds[likely] = likely_log_odds(pred, k, at, floor)
    return odds


def likely_log_odds(pred: Predictions, k: int, at: Ints, floor: float) -> Array:
    """Log odds of class k in rows where it is likely, by their places."""
    # Above one half, 1 - p has lost its digits: the other classes are added up instead.
    chosen = np.full((len(at), 1), k)
    return set_log_odds(pred, at, chosen, floor)


def set_log_odds(pred: Predictions, at: Ints, chosen: Ints, floor: float) -> Array:
    """Log odds that the class is one of the `chosen` columns, of rows by their places."""
    working = np.promote_types(pred.values.dtype, np.float32)
    values = pred.values[at].astype(working)
    if pred.kind == "probs" and floor > NO_SHARE:
        values = np.maximum(values, floor)
    inside = np.take_along_axis(values, chosen, 1)
    # What is left in `values` is outside.
    if pred.kind == "probs":
        np.put_along_axis(values, chosen, 0, 1)
        return _log_odds_of_probs(inside, values, floor)
    np.put_along_axis(values, chosen, -np.inf, 1)
    return _log_odds_of_logits(inside, values)


def _class_log_probs(pred: Predictions, k: int, rows: Rows, floor: float) -> Array:
    if pred.kind == "probs" and floor > NO_SHARE:
        vectors = pred.values[rows].astype(np.float64)
        return np.log(read_vectors(vectors, floor)[:, k])
    claimed = pred.values[rows, k].astype(np.float64)
    if pred.kind == "probs":
        return log(claimed, floor)
    return claimed - pred.log_norm[rows]


def _log_odds(p: Array, floor: float) -> Array:
    if floor > NO_SHARE:
        p = np.clip(p, floor, 1 - floor)
    return log(p, floor) - log(1 - p, floor)


def _log_odds_of_probs(inside: Array, outside: Array, floor: float) -> Array:
    chance = inside.sum(1, dtype=np.float64)
    rest = outside.sum(1, dtype=np.float64)
    return log(chance, floor) - log(rest, floor)


def _log_odds_of_logits(inside: Array, outside: Array) -> Array:
    """The margin between the tops, taken in float64, and what lies beside each of them."""
    above = inside.max(1, initial=-np.inf)
    below = outside.max(1, initial=-np.inf)
    margin = above.astype(np.float64) - below
    beside = _log_sum_below(inside, above) - _log_sum_below(outside, below)
    return margin + beside


def _log_sum_below(z: Array, top: Array) -> Array:
    """Log of the sum of a row's exponentials, relative to the largest of them."""
    relative = np.exp(z - top[:, None])
    total = relative.sum(1, dtype=np.float64)
    return np.log(total)
