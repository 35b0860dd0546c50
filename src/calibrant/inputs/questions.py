"""The yes/no questions one can ask of predictions."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.types import Array, Bools, Ints, Rows
from .checks import MAKE_THEM, chances, counts, floats, outcomes
from .predictions import Predictions
from .views import Canonical, View, class_log_odds, places, set_log_odds

Asked = Predictions | View | Sequence[View]


def binary(p: ArrayLike, y: ArrayLike, *, weights: ArrayLike | None = None) -> View:
    """Claims and outcomes as given: forecasts, top-1 confidences, language-model confidences.

    >>> binary([0.9, 0.6], [True, False]).total
    2.0
    """
    claims = chances(p)
    return View(claims, outcomes(y, len(claims)), counts(weights, len(claims)), completes=1)


def multilabel(
    probs: ArrayLike, labels: ArrayLike, *, weights: ArrayLike | None = None
) -> tuple[View, ...]:
    """A view for each label of a problem where a row may have several: (n, k) chances and 0/1 labels.

    >>> [round(float(view.p.mean()), 2) for view in multilabel([[0.9, 0.2], [0.7, 0.4]], [[1, 0], [1, 1]])]
    [0.8, 0.3]
    """
    p, y = floats(probs, "probs"), floats(labels, "labels")
    if p.ndim != 2 or p.shape != y.shape:
        raise ValueError(
            f"probs and labels must share one shape (rows, labels), got {p.shape} and {y.shape}"
        )
    w = counts(weights, len(p))
    return tuple(
        View(
            chances(p[:, j], f"probs[:, {j}]"),
            outcomes(y[:, j], len(p)),
            w,
            f"label {j} is present",
            completes=1,
        )
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
    if pred.kind == "logits":
        p = p.astype(np.float64)
        likely = np.flatnonzero(p > 0.5)
        p[likely] = expit(class_log_odds(pred, k, likely))

    def exact(rows: Rows) -> Array:
        return class_log_odds(pred, k, rows)

    completes: Literal[0, 1] | None = None if pred.k > 2 else 1 if k else 0
    event = f"the class is {pred.classes[k]}"
    return View(
        p,
        pred.labels == k,
        pred.weights,
        event,
        completes,
        None if completes is None else pred.classes,
        exact,
    )


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
    raise ValueError(
        f"expected Predictions, a View or a sequence of Views, got {type(x).__name__}: {MAKE_THEM}"
    )


def _ranked_view(pred: Predictions, p: Array, y: Bools, first: int, last: int, event: str) -> View:
    def exact(rows: Rows) -> Array:
        at = places(pred.n, rows)
        out = np.empty(len(at))

        def fill(piece: slice) -> None:
            chosen = leading(pred.values[at[piece]], last)[:, first:]
            out[piece] = set_log_odds(pred, at[piece], chosen)

        on_all_cores(fill, row_blocks(len(at), pred.k))
        return out

    return View(p, y, pred.weights, event, exact_log_odds=exact)


def _ask_ranks(pred: Predictions, first: int, last: int) -> tuple[Array, Bools]:
    p, y = np.empty(pred.n), np.empty(pred.n, np.bool_)

    def ask(rows: slice) -> None:
        chosen = leading(pred.values[rows], last)[:, first:]
        y[rows] = (chosen == pred.labels[rows, None]).any(1)
        if pred.kind == "logits":
            p[rows] = expit(set_log_odds(pred, places(pred.n, rows), chosen))
        else:
            p[rows] = np.minimum(
                np.take_along_axis(pred.values[rows], chosen, 1).sum(1, dtype=np.float64), 1
            )

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


def _refuse_rank(pred: Predictions, r: int, beyond: int) -> None:
    _refuse_other(pred)
    most = pred.k - beyond
    if not isinstance(r, int | np.integer) or not 1 <= r <= most:
        raise ValueError(f"r must be a rank in 1..{most}, got {r!r}")


def _refuse_other(pred: Predictions) -> None:
    if not isinstance(pred, Predictions):
        raise ValueError(f"a view is asked of Predictions, got {type(pred).__name__}: {MAKE_THEM}")
