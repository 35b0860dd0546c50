"""The yes/no questions one can ask of predictions: the chance claimed, and what happened."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from .fitting.blocks import on_all_cores, row_blocks
from .fitting.logspace import floored_log as log
from .fitting.pooling import Pool, pool, runs
from .predictions import Array, Bools, Ints, Predictions, Rows, chances, counts, floats, outcomes, some_rows

MAKE_THEM = "make them with from_probs(probs, labels), from_logits(logits, labels) or binary(p, y)"


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
            at = _places(self.n, rows)[inner]
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
        return np.stack([view.log_odds for view in classwise(self.pred)], axis=1)

    def __getitem__(self, rows: Rows | int) -> "Canonical":
        return Canonical(self.pred[rows])

    def __repr__(self) -> str:
        return f"Canonical({self.n:,} claims that {self.event})"


Asked = Predictions | View | Sequence[View]


def binary(p: ArrayLike, y: ArrayLike, *, weights: ArrayLike | None = None) -> View:
    """Claims and outcomes as given: forecasts, top-1 confidences, language-model confidences.

    >>> binary([0.9, 0.6], [True, False]).total
    2.0
    """
    claims = chances(p)
    return View(claims, outcomes(y, len(claims)), counts(weights, len(claims)), completes=1)


def multilabel(probs: ArrayLike, labels: ArrayLike, *, weights: ArrayLike | None = None) -> tuple[View, ...]:
    """A view for each label of a problem where a row may have several: (n, k) chances and 0/1 labels.

    >>> [round(float(view.p.mean()), 2) for view in multilabel([[0.9, 0.2], [0.7, 0.4]], [[1, 0], [1, 1]])]
    [0.8, 0.3]
    """
    p, y = floats(probs, "probs"), floats(labels, "labels")
    if p.ndim != 2 or p.shape != y.shape:
        raise ValueError(f"probs and labels must share one shape (rows, labels), got {p.shape} and {y.shape}")
    w = counts(weights, len(p))
    return tuple(
        View(chances(p[:, j], f"probs[:, {j}]"), outcomes(y[:, j], len(p)), w, f"label {j} is present", completes=1)
        for j in range(p.shape[1])
    )


def top_label(pred: Predictions) -> View:
    """Is the most probable class right?

    >>> from calibrant import from_probs
    >>> top_label(from_probs([[0.7, 0.3], [0.4, 0.6]], [0, 0])).y.tolist()
    [True, False]
    """
    _refuse_other(pred)
    working = np.promote_types(pred.values.dtype, np.float32)
    # From logits a claim is known to more digits than they have: in float32, 1 - 1e-9 would be 1.
    p = np.empty(pred.n, working if pred.kind == "probs" else np.float64)
    y = np.empty(pred.n, np.bool_)

    def ask(rows: slice) -> None:
        block = pred.values[rows]
        # Classes go first: numpy is fast along rows that lie side by side, and slow along few classes.
        columns = block.T.astype(working, order="C")
        top, labels = columns.max(0), pred.labels[rows]
        highest = columns == top
        y[rows] = highest[labels, np.arange(len(block))]
        ties: Array | int = 0
        if np.count_nonzero(highest) > len(block):
            ties = highest.sum(0) - 1
            tied = np.flatnonzero(ties)
            y[rows][tied] = block[tied].argmax(1) == labels[tied]
        if pred.kind == "probs":
            np.minimum(top, 1, out=p[rows])
        else:
            columns -= top
            np.exp(columns, out=columns)
            columns[highest] = 0
            p[rows] = 1 / (1.0 + columns.sum(0, dtype=np.float64) + ties)

    on_all_cores(ask, row_blocks(pred.n, pred.k))
    return _ranked_view(pred, p, y, 0, 1, "the top label is right")


def top_r(pred: Predictions, r: int) -> View:
    """Is the r-th most probable class right?"""
    _refuse_rank(pred, r, 0)
    p, y = _ask_ranks(pred, r - 1, r)
    return _ranked_view(pred, p, y, r - 1, r, f"the class ranked {r} is right")


def within_top_r(pred: Predictions, r: int) -> View:
    """Is the right class among the r most probable?"""
    _refuse_rank(pred, r, 1)
    p, y = _ask_ranks(pred, 0, r)
    return _ranked_view(pred, p, y, 0, r, f"the right class is among the top {r}")


def one_class(pred: Predictions, k: int) -> View:
    """Is class number k the right one?"""
    _refuse_other(pred)
    if not isinstance(k, int | np.integer) or not 0 <= k < pred.k:
        raise ValueError(f"k must be a column in 0..{pred.k - 1}, got {k!r}")
    p = np.minimum(pred.probs[:, k], 1)

    def likely_odds(at: Ints) -> Array:
        # Above one half, 1 - p has lost its digits: the other classes are added up instead.
        return _set_log_odds(pred, at, np.full((len(at), 1), k))

    def exact(rows: Rows) -> Array:
        claimed = pred.values[rows, k].astype(np.float64)
        log_p = claimed - pred.log_norm[rows] if pred.kind == "logits" else log(claimed)
        odds = log_p - np.log1p(-np.minimum(p[rows].astype(np.float64), 0.5))
        likely = np.flatnonzero(p[rows] > 0.5)
        odds[likely] = likely_odds(_places(pred.n, rows)[likely])
        return odds

    if pred.kind == "logits":
        p, likely = p.astype(np.float64), np.flatnonzero(p > 0.5)
        p[likely] = expit(likely_odds(likely))
    completes: Literal[0, 1] | None = None if pred.k > 2 else 1 if k else 0
    event = f"the class is {pred.classes[k]}"
    return View(p, pred.labels == k, pred.weights, event, completes, None if completes is None else pred.classes, exact)


def classwise(pred: Predictions) -> tuple[View, ...]:
    """A view for each class against the rest."""
    _refuse_other(pred)
    return tuple(one_class(pred, k) for k in range(pred.k))


def canonical(pred: Predictions) -> Canonical:
    """All classes at once: the strongest question."""
    _refuse_other(pred)
    return Canonical(pred)


def views_of(x: Asked) -> tuple[View, ...]:
    """The views a measure averages over: of predictions the top label, of a view itself, of several each."""
    if isinstance(x, Predictions):
        return (top_label(x),)
    if isinstance(x, View):
        return (x,)
    if isinstance(x, Sequence) and x and all(isinstance(view, View) for view in x):
        return tuple(x)
    raise ValueError(f"expected Predictions, a View or a sequence of Views, got {type(x).__name__}: {MAKE_THEM}")


def _ranked_view(pred: Predictions, p: Array, y: Bools, first: int, last: int, event: str) -> View:
    def exact(rows: Rows) -> Array:
        at = _places(pred.n, rows)
        out = np.empty(len(at))

        def fill(piece: slice) -> None:
            chosen = leading(pred.values[at[piece]], last)[:, first:]
            out[piece] = _set_log_odds(pred, at[piece], chosen)

        on_all_cores(fill, row_blocks(len(at), pred.k))
        return out

    return View(p, y, pred.weights, event, exact_log_odds=exact)


def _ask_ranks(pred: Predictions, first: int, last: int) -> tuple[Array, Bools]:
    p, y = np.empty(pred.n), np.empty(pred.n, np.bool_)

    def ask(rows: slice) -> None:
        chosen = leading(pred.values[rows], last)[:, first:]
        y[rows] = (chosen == pred.labels[rows, None]).any(1)
        if pred.kind == "logits":
            p[rows] = expit(_set_log_odds(pred, _places(pred.n, rows), chosen))
        else:
            p[rows] = np.minimum(np.take_along_axis(pred.values[rows], chosen, 1).sum(1, dtype=np.float64), 1)

    on_all_cores(ask, row_blocks(pred.n, pred.k))
    return p, y


def leading(values: Array, r: int) -> Ints:
    """Columns of the r largest values of each row, largest first, ties to the lowest column."""
    left = values.copy()
    chosen = np.empty((len(values), r), np.intp)
    for place in range(r):
        chosen[:, place] = left.argmax(1)
        np.put_along_axis(left, chosen[:, place, None], -np.inf, 1)
    return chosen


def _set_log_odds(pred: Predictions, at: Ints, chosen: Ints) -> Array:
    """Log odds that the class is one of the `chosen` columns; the margin itself is taken in float64."""
    rest = pred.values[at].astype(np.promote_types(pred.values.dtype, np.float32))
    some = np.take_along_axis(rest, chosen, 1)
    np.put_along_axis(rest, chosen, 0 if pred.kind == "probs" else -np.inf, 1)
    if pred.kind == "probs":
        return log(some.sum(1, dtype=np.float64)) - log(rest.sum(1, dtype=np.float64))
    above, below = some.max(1, initial=-np.inf), rest.max(1, initial=-np.inf)
    high, low = (
        np.log(np.exp(part - top[:, None]).sum(1, dtype=np.float64)) for part, top in ((some, above), (rest, below))
    )
    return above.astype(np.float64) - below + (high - low)


def _places(n: int, rows: Rows) -> Ints:
    return np.arange(*rows.indices(n)) if isinstance(rows, slice) else np.arange(n)[rows]


def _refuse_rank(pred: Predictions, r: int, beyond: int) -> None:
    _refuse_other(pred)
    most = pred.k - beyond
    if not isinstance(r, int | np.integer) or not 1 <= r <= most:
        raise ValueError(f"r must be a rank in 1..{most}, got {r!r}")


def _refuse_other(pred: Predictions) -> None:
    if not isinstance(pred, Predictions):
        raise ValueError(f"a view is asked of Predictions, got {type(pred).__name__}: {MAKE_THEM}")


def _log_odds(p: Array) -> Array:
    return log(p) - log(1 - p)
