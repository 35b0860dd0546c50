"""The yes/no questions one can ask of predictions: the chance claimed, and what happened."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from ..fitting.blocks import row_blocks
from ..fitting.logspace import floored_log as log
from ..fitting.pooling import Pool, pool, runs
from ..fitting.types import Array, Bools, Ints, Rows
from .predictions import Predictions, some_rows


@dataclass(frozen=True, eq=False)
class View:
    """Claims `p` of an event, whether it happened `y`, weights `w` read as counts (None: ones).

    `completes` is the class, of two, whose chance `p` is: with 1 - p it makes up the whole vector of `classes`.
    """

    p: Array
    y: Bools
    w: Array | None = None
    event: str = "the event happens"
    completes: Literal[0, 1] | None = None
    classes: tuple[Hashable, ...] | None = None
    exact_log_odds: Callable[[Rows], Array] | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.p)

    @property
    def total(self) -> float:
        """How many observations the rows stand for."""
        return float(self.n if self.w is None else self.w.sum())

    @cached_property
    def log_odds(self) -> Array:
        """Log odds of the claims, from the logits where there are any: 1 - 1e-30 keeps its own."""
        if self.exact_log_odds is not None:
            return self.exact_log_odds(slice(None))
        return _log_odds(self.p.astype(np.float64, copy=False))

    @cached_property
    def pool(self) -> Pool:
        """Equal claims as one, in ascending order: what any map of the claim alone can see."""
        return pool(self.p, self.y, self.w)

    @cached_property
    def odds_pool(self) -> Pool:
        """The same by log odds, in place of `p`: claims that round to 1 stay apart."""
        if self.exact_log_odds is None:
            return self.pool._replace(p=_log_odds(self.pool.p))
        weight = np.ones(self.n) if self.w is None else self.w
        kept = np.flatnonzero(weight)
        order = kept[np.argsort(self.log_odds[kept])]
        return runs(self.log_odds[order], [weight[order], weight[order] * self.y[order]])

    def blocks(self) -> list["View"]:
        """The view in cache-sized pieces."""
        return [self[rows] for rows in row_blocks(self.n)]

    def __getitem__(self, rows: Rows | int) -> "View":
        rows = some_rows(self.n, rows)
        whole = self.exact_log_odds

        def exact(inner: Rows) -> Array:
            at = places(self.n, rows)[inner]
            # Taken from the whole where that is known already, else worked out for these rows only.
            return self.log_odds[at] if whole is None or "log_odds" in self.__dict__ else whole(at)

        w = None if self.w is None else self.w[rows]
        known = None if whole is None else exact
        return View(self.p[rows], self.y[rows], w, self.event, self.completes, self.classes, known)

    def __repr__(self) -> str:
        return f"View({self.n:,} claims that {self.event})"


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
    def y(self) -> Ints:
        """The class of each row, as a column's place."""
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
        return np.stack(
            [class_log_odds(self.pred, k, slice(None)) for k in range(self.pred.k)], axis=1
        )

    def __getitem__(self, rows: Rows | int) -> "Canonical":
        return Canonical(self.pred[rows])

    def __repr__(self) -> str:
        return f"Canonical({self.n:,} claims that {self.event})"


def places(n: int, rows: Rows) -> Ints:
    """Rows by their places."""
    return np.arange(*rows.indices(n)) if isinstance(rows, slice) else np.arange(n)[rows]


def _log_odds(p: Array) -> Array:
    return log(p) - log(1 - p)


def class_log_odds(pred: Predictions, k: int, rows: Rows) -> Array:
    """Log odds of class k against the rest, of some rows."""
    claimed = pred.values[rows, k].astype(np.float64)
    p = np.minimum(pred.probs[rows, k].astype(np.float64), 1)
    log_p = claimed - pred.log_norm[rows] if pred.kind == "logits" else log(claimed)
    odds = log_p - np.log1p(-np.minimum(p, 0.5))
    # Above one half, 1 - p has lost its digits: the other classes are added up instead.
    likely = np.flatnonzero(p > 0.5)
    odds[likely] = set_log_odds(pred, places(pred.n, rows)[likely], np.full((len(likely), 1), k))
    return odds


def set_log_odds(pred: Predictions, at: Ints, chosen: Ints) -> Array:
    """Log odds that the class is one of the `chosen` columns; the margin itself is taken in float64."""
    rest = pred.values[at].astype(np.promote_types(pred.values.dtype, np.float32))
    some = np.take_along_axis(rest, chosen, 1)
    np.put_along_axis(rest, chosen, 0 if pred.kind == "probs" else -np.inf, 1)
    if pred.kind == "probs":
        return log(some.sum(1, dtype=np.float64)) - log(rest.sum(1, dtype=np.float64))
    above, below = some.max(1, initial=-np.inf), rest.max(1, initial=-np.inf)
    high, low = (
        np.log(np.exp(part - top[:, None]).sum(1, dtype=np.float64))
        for part, top in ((some, above), (rest, below))
    )
    return above.astype(np.float64) - below + (high - low)
