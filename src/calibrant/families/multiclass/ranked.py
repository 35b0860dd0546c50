"""Ranked: a map of one chance for the r-th most probable class, whichever class that is."""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import accumulate

import numpy as np

from ...fitting.blocks import on_all_cores
from ...inputs.questions import each_rank
from ...inputs.views import Canonical
from ..family import Family, VectorFamily
from ..operations import Operations, Value, Vectors
from ..rules import ChanceRule, Fact, VectorRule


@dataclass(frozen=True, eq=False)
class EachRank(VectorRule):
    """A rule for each of the first ranks; other classes share the rest as they were claimed."""

    tag = "each-rank"
    rules: tuple[ChanceRule, ...]
    ranks: int
    keep_order: bool

    def formula(self, x: Vectors, ops: Operations) -> Value:
        order = ops.descending(x.values)
        claims = x.by_rank(order, self.ranks)
        chances = ops.columns(self.rules, claims)
        first = self._first(chances, x.k, ops)
        taken = sum(first[1:], first[0])
        left = ops.maximum(1 - taken, 0.0)
        ordered = ops.gather(x.scores, order)
        others = ops.part(ordered, self.ranks, x.k)
        if self.keep_order:
            # A class that may not overtake another stays a little below it: equal chances would go
            # to the lowest column.
            cap = first[-1] * (1 - ops.gap)
            size = x.k - self.ranks
            shared = _capped(others, left, cap, size, ops)
        else:
            shared = left * ops.softmax(others)
        return ops.scatter(ops.join(*first, shared), order)

    def facts(self) -> Iterator[Fact]:
        meaning = "the most probable classes, each rank with a map of its own"
        yield Fact("ranks", self.ranks, meaning)
        for place, rule in enumerate(self.rules, 1):
            for fact in rule.facts():
                name = f"{fact.name} of rank {place}"
                yield fact._replace(name=name)

    def parts(self) -> Sequence[ChanceRule]:
        return self.rules

    def _first(self, chances: Value, k: int, ops: Operations) -> list[Value]:
        """The chances of the first ranks, which sum to one at most, and fall if they must."""
        ranks = range(self.ranks)
        first = [ops.part(chances, rank, rank + 1) for rank in ranks]
        if not self.keep_order:
            return _beside_the_top(first, ops)
        falling = list(accumulate(first, ops.minimum))
        beside_the_top = _beside_the_top(falling, ops)
        return _at_least_the_mean(beside_the_top, k, ops)


@dataclass(frozen=True)
class Ranked(VectorFamily):
    """Fits a one-chance family to the r-th most probable class, for the first `ranks`.

    Other classes share what is left. Where the first ranks would sum to more than one, the top
    label keeps its chance and the rest of them are scaled. With `keep_order` no class overtakes one
    ranked before it, so accuracy cannot change: a chance is at most that of the rank before, and at
    least the mean of what is left, which raises a top label below 1/k.

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
            raise ValueError(
                f"ranks must be at most {pred.k - 1}, as the last class takes what is left; "
                f"got {self.ranks}"
            )
        rules = on_all_cores(self.family.chance_rule, each_rank(pred, self.ranks))
        return EachRank(tuple(rules), self.ranks, self.keep_order)


def _beside_the_top(first: list[Value], ops: Operations) -> list[Value]:
    """The top label's chance stays; those after it are scaled to fit beside it."""
    top, *later = first
    if not later:
        return first
    room = 1 - top
    total = sum(later[1:], later[0])
    too_much = total > room
    fitting = room / ops.where(too_much, total, 1.0)
    scale = ops.where(too_much, fitting, 1.0)
    scaled = [chance * scale for chance in later]
    return [top, *scaled]


def _at_least_the_mean(first: list[Value], k: int, ops: Operations) -> list[Value]:
    """Falling chances, none below the mean of what it and all ranks after it share."""
    top, *later = first
    last = ops.maximum(top, 1 / k)
    found = [last]
    left = 1 - last
    for rank, chance in enumerate(later, 1):
        raised = ops.maximum(chance, left / (k - rank))
        last = ops.minimum(raised, last * (1 - ops.gap))
        found.append(last)
        left = ops.maximum(left - last, 0.0)
    return found


def _capped(
    scores: Value,
    left: Value,
    cap: Value,
    size: int,
    ops: Operations,
) -> Value:
    """What is left, shared in proportion to exp(scores), which fall, but to none more than the cap.

    If the m first get the cap, those after them share the rest; m is the least for which the next
    does not exceed it.
    """
    tails = ops.log_sums_from_right(scores)
    capped = ops.places(cap, size) * cap
    free = ops.maximum(left - capped, 0.0)
    share_of_free = ops.exp(scores - tails)
    exceeds = free * share_of_free > cap
    stays_below = ops.where(exceeds, 0.0, 1.0)
    is_capped = ops.sums_from_left(stays_below) < 0.5
    ones = ops.where(is_capped, 1.0, 0.0)
    count = ops.row_sum(ones)
    # Of the tails of those below the cap the first is the largest: the one that they all share.
    below = ops.where(is_capped, -np.inf, tails)
    tail = ops.row_max(below)
    relative = ops.minimum(scores - tail, 0.0)
    share = ops.exp(relative)
    rest = ops.maximum(left - count * cap, 0.0)
    return ops.where(is_capped, cap, share * rest)
