"""Chain: one family's map after another's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from ...fitting.logspace import TINY
from ...fitting.types import Array
from ...inputs.views import Canonical
from ..family import Family, VectorFamily, check_families
from ..maps import Map, calibrated
from ..operations import Operations, Value, Vectors
from ..rules import Fact, LogitRule, VectorRule
from .pair import rule_of_both


@dataclass(frozen=True, eq=False)
class Chained(VectorRule):
    """Rules in turn, of which all but the last give logits."""

    tag = "chained"
    rules: tuple[VectorRule, ...]

    def formula(self, x: Vectors, ops: Operations) -> Value:
        *before, last = self.rules
        for rule in before:
            x = Vectors(cast(LogitRule, rule).logits(x, ops), "logits", x.k, TINY, ops)
        return last.formula(x, ops)

    def __call__(self, view: Canonical) -> Array:
        # Each in its own way, by blocks or by columns.
        *before, last = self.rules
        for rule in before:
            view = _mended(cast(LogitRule, rule), view)
        return last(view)

    def facts(self) -> Iterator[Fact]:
        for place, rule in enumerate(self.rules, 1):
            for fact in rule.facts():
                yield fact._replace(name=f"{fact.name} of step {place}")

    def parts(self) -> Sequence[VectorRule]:
        return self.rules


@dataclass(frozen=True)
class Chain(VectorFamily):
    """Families in turn, each fitted to what the map before it gives (Zhang et al. 2020).

    Those before the last must give logits, as temperatures, matrices and order-preserving maps do.

    >>> from calibrant import OrderPreserving, StructuredMatrix, nll, samples
    >>> fit_on, test = samples.load("c10-resnet18")
    >>> matrix, order = StructuredMatrix(), OrderPreserving()
    >>> [round(nll(f.fit(fit_on).apply(test)), 3) for f in (matrix, order, Chain((matrix, order)))]
    [0.168, 0.164, 0.162]
    """

    families: tuple[Family, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_families(self.families)

    def vector_rule(self, view: Canonical) -> Chained:
        """Fit each family to what the maps before it make of the rows."""
        *others, final = self.families
        rules: list[VectorRule] = []
        for family in others:
            rule = _logit_rule(family.fit(view.pred))
            rules.append(rule)
            view = _mended(rule, view)
        rules.append(rule_of_both(final.fit(view.pred)))
        return Chained(tuple(rules))


def _mended(rule: LogitRule, view: Canonical) -> Canonical:
    logits = rule.calibrated_logits(view)
    return Canonical(calibrated(view.pred, logits, "logits"))


def _logit_rule(fitted: Map) -> LogitRule:
    if isinstance(fitted.rule, LogitRule):
        return fitted.rule
    raise ValueError(
        f"what comes before the last of a chain must give logits, and {fitted.family!r} gives "
        "chances; put it last"
    )
