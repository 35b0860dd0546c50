"""Whether the right class is among columns that each row has of its own: its top, its first r."""

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import expit

from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.descending import leading
from ..fitting.types import Array, Bools, Ints, Outcomes, Rows
from .labels import Labels, are_shares
from .predictions import Predictions
from .views import View, places, set_log_odds

# Of rows by their places, the columns that a question is about.
Columns = Callable[[Ints], Ints]


def top_view(pred: Predictions, event: str) -> View:
    """Is the most probable class right?"""
    working = np.promote_types(pred.values.dtype, np.float32)
    # From logits a claim is known to more digits than they have: in float32, 1 - 1e-9 would be 1.
    kind = working if pred.kind == "probs" else np.float64
    p = np.empty(pred.n, kind)
    y = np.empty(pred.n, _outcome_type(pred))

    def ask(rows: slice) -> None:
        block = pred.values[rows]
        labels = pred.labels[rows]
        # Classes go first: numpy is fast along rows that lie side by side.
        columns = block.T.astype(working, order="C")
        top = columns.max(0)
        is_top = columns == top
        ties = _ties(is_top)
        if are_shares(labels):
            y[rows] = _shares_of(labels, block.argmax(1)[:, None])
        else:
            y[rows] = _top_is_right(block, labels, is_top, ties)
        if pred.kind == "probs":
            np.minimum(top, 1, out=p[rows])
        else:
            p[rows] = _top_chance(columns, top, is_top, ties)

    on_all_cores(ask, row_blocks(pred.n, pred.k))
    return _view(pred, partial(_top_column, pred), p, y, event)


def leading_columns(pred: Predictions, r: int) -> Ints:
    """The columns of the r most probable classes of each row, (n, r)."""

    def first(rows: slice) -> Ints:
        return leading(pred.values[rows], r)

    return np.concatenate(on_all_cores(first, row_blocks(pred.n, pred.k)))


def among(pred: Predictions, chosen: Ints, event: str) -> View:
    """Is the right class among the chosen columns of its row?"""
    p = np.empty(pred.n)
    y = np.empty(pred.n, _outcome_type(pred))

    def ask(rows: slice) -> None:
        block = pred.values[rows]
        y[rows] = _are_right(pred.labels[rows], chosen[rows])
        if pred.kind == "logits":
            at = places(pred.n, rows)
            odds = set_log_odds(pred, at, chosen[rows], pred.floor)
            p[rows] = expit(odds)
        else:
            claimed = np.take_along_axis(block, chosen[rows], 1)
            chance = claimed.sum(1, dtype=np.float64)
            p[rows] = np.minimum(chance, 1)

    on_all_cores(ask, row_blocks(pred.n, pred.k))
    return _view(pred, chosen.__getitem__, p, y, event)


def clip_of(pred: Predictions) -> float | None:
    """Where `nll` clips the chances of a view: nowhere if they come from logits."""
    return 0.0 if pred.kind == "logits" else pred.clip


def _outcome_type(pred: Predictions) -> type[np.bool_ | np.float64]:
    return np.float64 if are_shares(pred.labels) else np.bool_


def _view(pred: Predictions, columns: Columns, p: Array, y: Outcomes, event: str) -> View:
    exact = partial(_exact_log_odds, pred, columns)
    return View(
        p,
        y,
        pred.weights,
        event,
        exact_log_odds=exact,
        reading=pred.late_reading,
        clip=clip_of(pred),
    )


def _exact_log_odds(pred: Predictions, columns: Columns, rows: Rows, floor: float) -> Array:
    at = places(pred.n, rows)
    n = len(at)
    odds = np.empty(n)

    def fill(piece: slice) -> None:
        here = at[piece]
        odds[piece] = set_log_odds(pred, here, columns(here), floor)

    on_all_cores(fill, row_blocks(n, pred.k))
    return odds


def _top_column(pred: Predictions, at: Ints) -> Ints:
    return leading(pred.values[at], 1)


def _are_right(labels: Labels, chosen: Ints) -> Outcomes:
    """Whether the class is among the chosen columns, or the share that they have."""
    if are_shares(labels):
        return _shares_of(labels, chosen)
    is_label = chosen == labels[:, None]
    return is_label.any(1)


def _shares_of(labels: Labels, chosen: Ints) -> Array:
    shares = np.take_along_axis(labels, chosen, 1)
    return np.minimum(shares.sum(1), 1)


def _ties(is_top: Bools) -> Ints | None:
    """How many further classes share the top of each row; None where no row has a tie."""
    n = is_top.shape[1]
    has_ties = np.count_nonzero(is_top) > n
    return is_top.sum(0) - 1 if has_ties else None


def _top_is_right(block: Array, labels: Ints, is_top: Bools, ties: Ints | None) -> Bools:
    n = len(block)
    is_right: Bools = is_top[labels, np.arange(n)]
    if ties is not None:
        # Of several the lowest is the top.
        tied = np.flatnonzero(ties)
        top = block[tied].argmax(1)
        is_right[tied] = top == labels[tied]
    return is_right


def _top_chance(columns: Array, top: Array, is_top: Bools, ties: Ints | None) -> Array:
    """The chance of the top class from logits, which are overwritten."""
    columns -= top
    np.exp(columns, out=columns)
    columns[is_top] = 0
    odds_against = columns.sum(0, dtype=np.float64)
    whole = 1.0 + odds_against
    if ties is not None:
        whole += ties
    return 1 / whole
