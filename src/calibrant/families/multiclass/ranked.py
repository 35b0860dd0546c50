"""Ranked: a map of one chance for the r-th most probable class, whichever class that is."""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import accumulate

import numpy as np

from ...fitting.blocks import on_all_cores
from ...inputs.questions import top_r
from ...inputs.views import Canonical
from ..family import Family, VectorFamily
from ..operations import Operations, Value, Vectors
from ..rules import ChanceRule, Fact, VectorRule


@dataclass(frozen=True, eq=False)
class EachRank(VectorRule):
    """A rule for each of the first ranks; other classes share what is left in proportion to their claims."""

    tag = "each-rank"
    rules: tuple[ChanceRule, ...]
    ranks: int
    keep_order: bool

    def formula(self, x: Vectors, ops: Operations) -> Value:
        order = ops.descending(x.values)
        first = self._first(ops.columns(self.rules, x.by_rank(order, self.ranks)), x.k, ops)
        left = ops.maximum(1 - sum(first[1:], first[0]), 0.0)
        others = ops.part(ops.gather(x.scores, order), self.ranks, x.k)
        if self.keep_order:
            # A class that may not overtake another stays a little below it: equal chances would go
            # to the lowest column.
            shared = _capped(others, left, first[-1] * (1 - ops.gap), x.k - self.ranks, ops)
        else:
            shared = left * ops.softmax(others)
        return ops.scatter(ops.join(*first, shared), order)

    def facts(self) -> Iterator[Fact]:
        yield Fact(
            "ranks", self.ranks, "the most probable classes, each rank with a map of its own"
        )
        for place, rule in enumerate(self.rules, 1):
            for fact in rule.facts():
                yield Fact(f"{fact.name} of rank {place}", fact.value, fact.meaning)

    def parts(self) -> Sequence[ChanceRule]:
        return self.rules

    def _first(self, chances: Value, k: int, ops: Operations) -> list[Value]:
        """The chances of the first ranks, which sum to one at most, and fall if they must."""
        first = [ops.part(chances, rank, rank + 1) for rank in range(self.ranks)]
        if not self.keep_order:
            return _beside_the_top(first, ops)
        falling = list(accumulate(first, ops.minimum))
        return _at_least_the_mean(_beside_the_top(falling, ops), k, ops)


@dataclass(frozen=True)
class Ranked(VectorFamily):
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
        views = [top_r(pred, rank) for rank in range(1, self.ranks + 1)]
        rules = on_all_cores(self.family.chance_rule, views)
        return EachRank(tuple(rules), self.ranks, self.keep_order)


def _beside_the_top(first: list[Value], ops: Operations) -> list[Value]:
    """The top label's chance stays; those after it are scaled where they would not fit beside it."""
    if len(first) == 1:
        return first
    room = 1 - first[0]
    later = sum(first[2:], first[1])
    too_much = later > room
    scale = ops.where(too_much, room / ops.where(too_much, later, 1.0), 1.0)
    return [first[0], *(chance * scale for chance in first[1:])]


def _at_least_the_mean(first: list[Value], k: int, ops: Operations) -> list[Value]:
    """Falling chances, none below the mean of what it and all ranks after it share."""
    fallen = [ops.maximum(first[0], 1 / k)]
    left = 1 - fallen[0]
    for rank, chance in enumerate(first[1:], 1):
        raised = ops.maximum(chance, left / (k - rank))
        fallen.append(ops.minimum(raised, fallen[-1] * (1 - ops.gap)))
        left = ops.maximum(left - fallen[-1], 0.0)
    return fallen


def _capped(scores: Value, left: Value, cap: Value, size: int, ops: Operations) -> Value:
    """What is left, shared out in proportion to exp(scores), which fall, but to none more than the cap.

    If the m first get the cap, those after them share the rest; m is the least for which the next does
    not exceed it.
    """
    tails = ops.log_sums_from_right(scores)
    free = ops.maximum(left - ops.places(cap, size) * cap, 0.0)
    exceeds = free * ops.exp(scores - tails) > cap
    stays_below = ops.where(exceeds, 0.0, 1.0)
    is_capped = ops.sums_from_left(stays_below) < 0.5
    count = ops.row_sum(ops.where(is_capped, 1.0, 0.0))
    # Of the tails of those below the cap the first is the largest: the one that they all share.
    tail = ops.row_max(ops.where(is_capped, -np.inf, tails))
    share = ops.exp(ops.minimum(scores - tail, 0.0))
    return ops.where(is_capped, cap, share * ops.maximum(left - count * cap, 0.0))
