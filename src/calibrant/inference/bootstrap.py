"""Data that might have been: rows drawn again, or outcomes drawn from a truth supposed, as weights on pooled claims."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..fitting.types import Array, Bools, Ints
from ..inputs.predictions import Predictions
from ..inputs.views import Canonical, View

# Neighbours among more distinct claims than these are taken together: the work does not grow with rows.
MOST_CELLS = 1024
# So many of every row that chance plays no part.
_ENDLESS = 1e4

Random = np.random.Generator
Rows = Predictions | View
OneSort = TypeVar("OneSort", Predictions, View, Predictions | View)
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Cells:
    """Distinct claims of a view in ascending order, neighbours together where they are many; weights are counts."""

    view: View
    p: Array
    log_odds: Array
    w: Array
    happened: Array

    def counted(self, happened: Array) -> View:
        """The claims as a view in which so many of each happened."""
        p, z, y = self._pairs
        w = np.stack([happened, self.w - happened], axis=1).ravel()
        exact = None if self.view.exact_log_odds is None else z.__getitem__
        return replace(self.view, p=p, y=y, w=w, exact_log_odds=exact)

    def endless(self, chance: Array) -> View:
        """The claims with outcomes in exact proportion to true chances, and so many that nothing is left to chance."""
        return replace(self, w=_ENDLESS * self.w).counted(_ENDLESS * self.w * chance)

    def drawn(self, chance: Array, random: Random) -> View:
        """As many claims drawn again, with outcomes drawn from true chances."""
        view = self.counted(self.w * chance)
        return replace(view, w=_counts(view, random))

    @cached_property
    def _pairs(self) -> tuple[Array, Array, Bools]:
        return (
            np.repeat(self.p, 2),
            np.repeat(self.log_odds, 2),
            np.tile([True, False], len(self.p)),
        )


def cells(view: View) -> Cells:
    """Pool a view's claims, by log odds where these tell more claims apart."""
    kept = slice(None) if view.w is None else np.flatnonzero(view.w)
    z = (view.p.astype(np.float64) if view.exact_log_odds is None else view.log_odds)[kept]
    order = np.argsort(z, kind="stable")
    z, p, y = z[order], view.p[kept][order].astype(np.float64), view.y[kept][order]
    w = np.ones(len(z)) if view.w is None else view.w[kept][order]
    starts = np.flatnonzero(np.append(True, z[1:] != z[:-1]))
    if len(starts) > MOST_CELLS:
        starts = starts[np.linspace(0, len(starts), MOST_CELLS, endpoint=False).astype(np.intp)]
    total, happened, claimed = (np.add.reduceat(each, starts) for each in (w, w * y, w * p))
    last = np.append(starts[1:], len(z)) - 1
    # Equal claims keep their very value: a mean would round, and move a claim across the edge of a bin.
    mean = np.where(z[starts] == z[last], p[starts], np.clip(claimed / total, 0, 1))
    return Cells(view, mean, z[(starts + last) // 2], total, happened)


def of_one(views: Sequence[View]) -> bool:
    """Whether the views ask of the same rows which one of several events happens, as those of all classes do."""
    if len(views) < 2 or not all(same_rows(view, views[0]) for view in views):
        return False
    return bool((np.sum([view.y for view in views], axis=0) == 1).all())


def draws_if_right(view: View | Canonical) -> Callable[[Random], View | Canonical]:
    """A way to draw rows like these again, with outcomes as they would be if every claim were right."""
    if isinstance(view, View):
        pooled = cells(view)
        return lambda random: pooled.drawn(pooled.p, random)
    pred = sorted_rows([view.pred])[0]
    sums = np.cumsum(pred.probs, axis=1, dtype=np.float64)

    def drawn(random: Random) -> Canonical:
        labels = (sums < random.random((pred.n, 1)) * sums[:, -1:]).sum(1)
        return Canonical(replace(pred, labels=np.minimum(labels, pred.k - 1)))

    return drawn


def row_cells(views: Sequence[View]) -> list[Cells]:
    """The rows of several views as they are, in one order."""
    parts = []
    for view in sorted_rows(views):
        w = np.ones(view.n) if view.w is None else view.w
        parts.append(Cells(view, view.p.astype(np.float64), view.log_odds, w, w * view.y))
    return parts


def drawn_as_one(parts: Sequence[Cells], truth: Sequence[Array], random: Random) -> list[View]:
    """As many rows drawn again, and for each of them one of the views' events."""
    w = _counts(parts[0].view, random)
    chances = np.stack(truth, axis=1)
    happened = random.multinomial(w.astype(np.int64), chances / chances.sum(1, keepdims=True))
    return [replace(part, w=w).counted(each) for part, each in zip(parts, happened.T, strict=True)]


def sorted_rows(xs: Sequence[OneSort]) -> list[OneSort]:
    """Rows of all in one order, by what is claimed and what happened, so that their order plays no part."""
    w = _weights(xs[0])
    order = np.lexsort(
        (np.zeros(xs[0].n) if w is None else w, *(key for x in reversed(xs) for key in _keys(x)))
    )
    # A view's log odds are worked out once, not in every replicate.
    return [
        x[order]
        if isinstance(x, Predictions)
        else replace(x[order], exact_log_odds=x.log_odds[order].__getitem__)
        for x in xs
    ]


def redrawn(xs: Sequence[Rows], random: Random) -> list[Rows]:
    """As many rows as there are, drawn with replacement; rows in the same place are drawn together."""
    counts = _counts(xs[0], random)
    return [_reweighed(x, counts if same_rows(x, xs[0]) else _counts(x, random)) for x in xs]


def same_rows(x: Rows, other: Rows) -> bool:
    """Whether both have as many rows, of the same labels and weights, so that rows in the same place may be one."""
    if (
        isinstance(x, Predictions)
        and isinstance(other, Predictions)
        and not np.array_equal(x.labels, other.labels)
    ):
        return False
    w, v = _weights(x), _weights(other)
    return x.n == other.n and (
        (w is None and v is None) or (w is not None and v is not None and np.array_equal(w, v))
    )


def _keys(x: Rows) -> list[NDArray[Any]]:
    return [x.y, x.log_odds, x.p] if isinstance(x, View) else [*x.values.T[::-1], x.labels]


def _reweighed(x: Rows, w: Array) -> Rows:
    return replace(x, weights=w) if isinstance(x, Predictions) else replace(x, w=w)


def _weights(x: Rows) -> Array | None:
    return x.weights if isinstance(x, Predictions) else x.w


def replicates(
    work: Callable[[Item, Random], Result],
    items: Iterable[Item],
    seed: int,
    tick: Callable[[], None] = lambda: None,
) -> list[Result]:
    """What `work` gives for each item with a stream of chance of its own."""
    items, found = list(items), []
    # One after the other: steps are too small for threads, which would wait for one another.
    for item, stream in zip(items, np.random.SeedSequence(seed).spawn(len(items)), strict=True):
        found.append(work(item, np.random.default_rng(stream)))
        tick()
    return found


def whole_counts(w: Array) -> Ints:
    """Weights as counts: one that is none stands for the nearest, but for a row at least."""
    return np.maximum(np.rint(w), 1).astype(np.int64)


def _counts(x: Rows, random: Random) -> Array:
    w = _weights(x)
    if w is None:
        return np.bincount(random.integers(0, x.n, x.n), minlength=x.n).astype(np.float64)
    return random.multinomial(max(1, round(float(w.sum()))), w / w.sum()).astype(np.float64)
