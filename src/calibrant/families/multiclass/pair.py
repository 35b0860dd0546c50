"""A map of one class of two as a map of both."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..maps import ChanceMap, Map
from ..operations import Operations, Value, Vectors
from ..rules import ChanceRule, Fact, VectorRule


@dataclass(frozen=True, eq=False)
class Pair(VectorRule):
    """The calibrated chance of the class in one column, and beside it what is left."""

    tag = "pair"
    rules: tuple[ChanceRule]
    column: int

    def formula(self, x: Vectors, ops: Operations) -> Value:
        claims = x.by_class(self.column)
        q = ops.columns(self.rules, claims)
        rest = 1 - q
        pair = (rest, q) if self.column else (q, rest)
        return ops.join(*pair)

    def facts(self) -> Iterator[Fact]:
        yield from self.rules[0].facts()

    def parts(self) -> Sequence[ChanceRule]:
        return self.rules


def rule_of_both(fitted: Map) -> VectorRule:
    """The rule of a map of whole vectors; of a map of one class of two, both chances."""
    if isinstance(fitted, ChanceMap):
        return Pair((fitted.rule,), fitted.completes or 0)
    rule: VectorRule = fitted.rule
    return rule
