"""Ranked: a map of one chance for the r-th most probable class, whichever class that is."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from ...fitting.blocks import on_all_cores, row_blocks
from ...fitting.logspace import softmax
from ...fitting.types import Array
from ...inputs.predictions import Predictions
from ...inputs.questions import leading, top_r
from ...inputs.views import Canonical
from ..family import ChanceRule, Family, VectorRule

# A class that may not overtake another stays this much below it, as equal chances would go to the lowest column.
_BELOW = 1 - 2.0**-50


@dataclass(frozen=True, eq=False)
class EachRank(VectorRule):
    """A rule for each of the first ranks; the other classes share what is left in proportion to their claims."""

    rules: tuple[ChanceRule, ...]
    keep_order: bool

    def __call__(self, view: Canonical) -> Array:
        pred = view.pred
        q = np.empty((pred.n, pred.k))

        def fill(rows: slice) -> None:
            q[rows] = self._vectors(pred[rows])

        on_all_cores(fill, row_blocks(pred.n, pred.k))
        return q

    def _vectors(self, pred: Predictions) -> Array:
        first = np.stack(
            [rule(top_r(pred, r)) for r, rule in enumerate(self.rules, 1)], axis=1
        ).clip(0, 1)
        first = _falling(first, pred.k) if self.keep_order else _summing_to_one_at_most(first)
        at = leading(pred.values, len(self.rules))
        scores = pred.scores.astype(np.float64)
        np.put_along_axis(scores, at, -np.inf, 1)
        left = np.maximum(1 - first.sum(1), 0)
        q = left[:, None] * softmax(scores)
        if self.keep_order:
            _cap(q, scores, left, first[:, -1] * _BELOW)
        np.put_along_axis(q, at, first, 1)
        return q


@dataclass(frozen=True)
class Ranked(Family):
    """Fits a one-chance family to the r-th most probable class, for the first `ranks`; the others share what is left.

    Where the first ranks would sum to more than one, the top label keeps its chance and the rest of them are scaled.
    With `keep_order` no class overtakes one ranked before it, so accuracy cannot change: a chance is at most that of
    the rank before, and at least the mean of what is left, which raises a top label below 1/k.

    >>> from calibrant import Isotonic, from_probs
    >>> pred = from_probs([[0.8, 0.15, 0.05]] * 5, [0, 0, 0, 1, 2])
    >>> Ranked(Isotonic()).fit(pred).apply(pred).probs[0].round(3).tolist()
    [0.6, 0.3, 0.1]
    """

    family: Family
    _: KW_ONLY
    ranks: int = 1
    keep_order: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ranks < 1:
            raise ValueError(f"ranks must be at least 1, got {self.ranks}")

    def vector_rule(self, view: Canonical) -> EachRank:
        """Fit rank by rank, on all cores."""
        pred = view.pred
        if self.ranks >= pred.k:
            most = pred.k - 1
            raise ValueError(
                f"ranks must be at most {most}, as the last class takes what is left; got {self.ranks}"
            )
        fit = self.family.chance_rule
        return EachRank(
            tuple(on_all_cores(lambda r: fit(top_r(pred, r)), range(1, self.ranks + 1))),
            self.keep_order,
        )


def _summing_to_one_at_most(first: Array) -> Array:
    """The top label's chance stays; those after it are scaled where they would not fit beside it."""
    later, room = first[:, 1:].sum(1), 1 - first[:, 0]
    scale = np.divide(room, later, out=np.ones_like(room), where=later > room)
    return np.concatenate([first[:, :1], first[:, 1:] * scale[:, None]], axis=1)


def _falling(first: Array, k: int) -> Array:
    """Chances that fall from rank to rank, none below the mean of what it and all ranks after it share."""
    first = _summing_to_one_at_most(np.minimum.accumulate(first, axis=1))
    above, left = np.full(len(first), np.inf), np.ones(len(first))
    for rank in range(first.shape[1]):
        first[:, rank] = np.minimum(np.maximum(first[:, rank], left / (k - rank)), above)
        above, left = first[:, rank] * _BELOW, np.maximum(left - first[:, rank], 0)
    return first


def _cap(q: Array, scores: Array, left: Array, cap: Array) -> None:
    """Bring chances above their row's cap down to it, in place; its other classes share what that frees."""
    rows = np.flatnonzero((q > cap[:, None]).any(1))
    while len(rows):
        high = q[rows] >= cap[rows, None]
        q[rows] = np.where(high, cap[rows, None], 0)
        free = np.maximum(left[rows] - high.sum(1) * cap[rows], 0)
        others = np.where(high, -np.inf, scores[rows])
        some = (others > -np.inf).any(1)
        rows = rows[some]
        q[rows] += free[some, None] * softmax(others[some])
        rows = rows[(q[rows] > cap[rows, None]).any(1)]
