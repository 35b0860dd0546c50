"""Random draws of data: rows resampled, and outcomes drawn from supposed true chances."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from scipy.special import expit

from ..fitting.pooling import run_starts
from ..fitting.types import Array, Bools, Ints, Rows
from ..fitting.weights import present
from ..inputs.views import Canonical, Data, View
from .rows import counts_at, sorted_rows, weights_of

# More distinct claims than these are pooled with their neighbours: work does not grow with rows.
# An odd number has a middle, so that mirrored claims are pooled as mirrored.
MOST_CELLS = 1023
# So many of every row that random variation plays no part.
_ENDLESS = 1e4

Random = np.random.Generator
Sampler = Callable[[Random], View | Canonical]
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Cells:
    """Distinct claims of a view, ascending, with their weights and how many of each happened.

    Neighbouring claims are pooled where they are many. `sort_key` is what orders them: log odds
    where the view knows these beyond its claims, else the claims themselves.
    """

    view: View
    p: Array
    sort_key: Array
    w: Array
    happened: Array

    def counted(self, happened: Array) -> View:
        """The claims as a view in which so many of each happened."""
        failed = self.w - happened
        pairs = np.stack([happened, failed], axis=1)
        exact = None
        if self.view.exact_log_odds is not None:
            exact = _fixed_log_odds(self._keys_twice)
        return replace(
            self.view,
            p=self._p_twice,
            y=self._yes_no,
            w=pairs.ravel(),
            exact_log_odds=exact,
            reading=self.view.late_reading,
        )

    def endless(self, chance: Array) -> View:
        """So many rows, in exact proportion to true chances, that none is left to variation."""
        w = _ENDLESS * self.w
        many = replace(self, w=w)
        return many.counted(w * chance)

    def drawn(self, chance: Array, random: Random) -> View:
        """A bootstrap sample of the claims, their outcomes drawn from true chances."""
        view = self.counted(self.w * chance)
        w = resampled_counts(view, random)
        return replace(view, w=w)

    @cached_property
    def log_odds(self) -> Array:
        """Log odds of the claims, exact 0 and 1 as they are read."""
        return self.counted(self.happened).log_odds[::2]

    @cached_property
    def read(self) -> Array:
        """The claims, exact 0 and 1 as they are read."""
        is_exact = (self.p <= 0) | (self.p >= 1)
        return np.where(is_exact, expit(self.log_odds), self.p)

    @cached_property
    def _p_twice(self) -> Array:
        return np.repeat(self.p, 2)

    @cached_property
    def _keys_twice(self) -> Array:
        return np.repeat(self.sort_key, 2)

    @cached_property
    def _yes_no(self) -> Bools:
        return np.tile([True, False], len(self.p))


def cells(view: View) -> Cells:
    """Pool a view's claims, by log odds where these tell more claims apart."""
    kept = present(view.w, view.n)
    z = _sort_key(view)[kept]
    order = np.argsort(z, kind="stable")
    rows = kept[order]
    z = z[order]
    starts = _cell_starts(z)
    last = np.append(starts[1:], len(z)) - 1
    twice_middle = starts + last
    w = counts_at(view.w, rows)
    total = np.add.reduceat(w, starts)
    events = w * view.y[rows]
    happened = np.add.reduceat(events, starts)
    p = view.p[rows].astype(np.float64)
    claimed = np.add.reduceat(w * p, starts)
    mean = np.clip(claimed / total, 0, 1)
    # Equal claims keep their very value: a mean would round, and move a claim across a bin's edge.
    is_one_claim = z[starts] == z[last]
    mean = np.where(is_one_claim, p[starts], mean)
    key = (z[twice_middle // 2] + z[(twice_middle + 1) // 2]) / 2
    return Cells(view, mean, key, total, happened)


def summarised(view: View) -> View:
    """The same claims, neighbours pooled where they are many: draws then cost the same for all."""
    if view.n <= 2 * MOST_CELLS:
        return view
    part = cells(view)
    return part.counted(part.happened)


def null_sampler(view: View | Canonical) -> Sampler:
    """Draws rows like these under the null hypothesis that every claim is right."""
    if isinstance(view, Canonical):
        return _vector_sampler(view)
    pooled = cells(view)

    def drawn(random: Random) -> View:
        return pooled.drawn(pooled.p, random)

    return drawn


def _fixed_log_odds(log_odds: Array) -> Callable[[Rows, float], Array]:
    """Log odds that are known, whatever the floor."""

    def of_rows(rows: Rows, floor: float) -> Array:  # noqa: ARG001 - worked out under theirs
        return log_odds[rows]

    return of_rows


def _nothing() -> None:
    pass


def replicates(
    work: Callable[[Item, Random], Result],
    items: Iterable[Item],
    seed: int,
    tick: Callable[[], None] = _nothing,
) -> list[Result]:
    """What `work` gives for each item with a random stream of its own."""
    items = list(items)
    sequence = np.random.SeedSequence(seed)
    streams = sequence.spawn(len(items))
    found = []
    # One after the other: steps are too small for threads, which would wait for one another.
    for item, stream in zip(items, streams, strict=True):
        random = np.random.default_rng(stream)
        found.append(work(item, random))
        tick()
    return found


def resampled_counts(x: Data, random: Random) -> Array:
    """How often each row is drawn in a sample, with replacement, of as many rows."""
    w = weights_of(x)
    if w is None:
        places = random.integers(0, x.n, x.n)
        times = np.bincount(places, minlength=x.n)
    else:
        total = w.sum()
        size = max(1, round(float(total)))
        times = random.multinomial(size, w / total)
    return times.astype(np.float64)


def _sort_key(view: View) -> Array:
    if view.exact_log_odds is None:
        return view.p.astype(np.float64)
    return view.log_odds


def _cell_starts(z: Array) -> Ints:
    """Where each cell of sorted claims begins."""
    starts = run_starts(z)
    if len(starts) <= MOST_CELLS:
        return starts
    lower = np.arange(MOST_CELLS // 2 + 1) * len(starts) // MOST_CELLS
    upper = len(starts) - lower[:0:-1]
    return starts[np.append(lower, upper)]


def _vector_sampler(view: Canonical) -> Sampler:
    (pred,) = sorted_rows([view.pred])
    cumulative = np.cumsum(pred.probs, axis=1, dtype=np.float64)
    total = cumulative[:, -1:]
    last_class = pred.k - 1

    def drawn(random: Random) -> Canonical:
        uniform = random.random((pred.n, 1))
        is_below = cumulative < uniform * total
        labels = np.minimum(is_below.sum(1), last_class)
        return Canonical(replace(pred, known_labels=labels))

    return drawn
