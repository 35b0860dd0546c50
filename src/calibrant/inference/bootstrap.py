"""The bootstrap: rows drawn with replacement, those of several models or views together."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..fitting.types import Array
from ..fitting.weights import Weights, counts
from ..inputs.predictions import Predictions
from ..inputs.views import Data, View
from ..measures.draws import Cells, Random, resampled_counts
from ..measures.rows import sorted_rows, weights_of

_ROUNDING = 1e-5


def redrawn(xs: Sequence[Data], random: Random) -> list[Data]:
    """As many rows as there are, drawn with replacement; the same rows are drawn together."""
    first = xs[0]
    drawn = resampled_counts(first, random)
    found = []
    for x in xs:
        is_same = same_rows(x, first)
        w = drawn if is_same else resampled_counts(x, random)
        found.append(_reweighted(x, w))
    return found


def same_rows(x: Data, other: Data) -> bool:
    """Whether both have as many rows, of the same labels and weights, so they may be the same."""
    if x.n != other.n:
        return False
    if not _same_labels(x, other):
        return False
    return _same_weights(weights_of(x), weights_of(other))


def exclusive_events(views: Sequence[View]) -> bool:
    """Whether the views ask of the same rows which one of several events happens.

    Those of all classes do.
    """
    if len(views) < 2:
        return False
    first = views[0]
    if not all(same_rows(view, first) for view in views):
        return False
    happened = np.sum([view.y for view in views], axis=0)
    # Shares of a row add up to one but for rounding.
    is_one = np.abs(happened - 1) < _ROUNDING
    return bool(is_one.all())


def row_cells(views: Sequence[View]) -> list[Cells]:
    """The rows of several views as they are, in one order."""
    parts = []
    for view in sorted_rows(views):
        w = counts(view.w, view.n)
        part = Cells(
            view=view,
            p=view.p.astype(np.float64),
            sort_key=view.log_odds,
            w=w,
            happened=w * view.y,
        )
        parts.append(part)
    return parts


def drawn_exclusively(
    parts: Sequence[Cells],
    truth: Sequence[Array],
    random: Random,
) -> list[View]:
    """As many rows drawn with replacement, and for each of them one of the views' events."""
    w = resampled_counts(parts[0].view, random)
    chances = np.stack(truth, axis=1)
    total = chances.sum(1, keepdims=True)
    rows = w.astype(np.int64)
    happened = random.multinomial(rows, chances / total)
    views = []
    for part, events in zip(parts, happened.T, strict=True):
        drawn = replace(part, w=w)
        views.append(drawn.counted(events))
    return views


def _same_labels(x: Data, other: Data) -> bool:
    if not isinstance(x, Predictions) or not isinstance(other, Predictions):
        return True
    return np.array_equal(x.labels, other.labels)


def _same_weights(w: Weights, other: Weights) -> bool:
    if w is None or other is None:
        return w is other
    return np.array_equal(w, other)


def _reweighted(x: Data, w: Array) -> Data:
    if isinstance(x, Predictions):
        return replace(x, weights=w)
    return replace(x, w=w)
