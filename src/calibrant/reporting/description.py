"""What a fitted map is, in words and numbers, and what it makes of a few claims."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from ..families.maps import ChanceMap, Map, VectorMap
from ..families.names import name_of
from ..families.rules import ChanceRule, Fact
from ..fitting.newton import Certificate
from ..fitting.types import Array
from ..inputs.questions import binary
from ..inputs.views import View

ROUNDED = (
    "{:,.6g} of the rows claim exactly 0 or 1: such claims count as rounded and are read as "
    "{:.2g} off"
)
CLAIMS = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
ALL_CLASSES = "all classes"
MANY_NAMES = 8
TOO_FREE = (
    "{:,} numbers were fitted to {:,.0f} rows, more than rows can tell: on other rows the map will "
    "do worse. temperature and order-preserving need few numbers; structured-matrix keeps its own "
    "small"
)


@dataclass(frozen=True)
class ToldFact:
    """One number of a map; of a map for each class the median, the least and the most of them."""

    name: str
    value: float
    least: float | None
    most: float | None
    meaning: str


@dataclass(frozen=True)
class Answer:
    """What a map makes of a claim, and from where to where it may be, if the map can say."""

    claim: float
    chance: float
    low: float | None
    high: float | None


class NamedBand(NamedTuple):
    """From where to where the chance may be, at each claim, and what such a band is called."""

    name: str
    low: Array
    high: Array


@dataclass(frozen=True)
class Description:
    """A fitted map as plain numbers and words.

    `rounded` tells of claims of exactly 0 and 1. `band` names what `low` and `high` of the answers
    are. `certificate` is that of the hardest fit.
    """

    family: str
    fitted_on: str
    rounded: str | None
    caution: str | None
    of_class: str | None
    facts: tuple[ToldFact, ...]
    certificate: Certificate | None
    band: str | None
    answers: tuple[Answer, ...]

    @property
    def is_of_all_classes(self) -> bool:
        """Whether it tells the spread of the maps of all classes."""
        return self.band == ALL_CLASSES

    def to_dict(self) -> dict[str, Any]:
        """The same as json holds it."""
        return asdict(self)


def describe(fitted: Map, of_class: str | None = None) -> Description:
    """What a fitted map is; of a map for each class, that of one, or the spread over all.

    >>> from calibrant import Platt
    >>> y = [1, 0, 0, 0, 0, 1, 1, 1, 1, 0]
    >>> found = describe(Platt().fit(binary([0.2] * 5 + [0.9] * 5, y)))
    >>> found.fitted_on, [fact.name for fact in found.facts]
    ('10 claims that the event happens', ['slope', 'intercept'])
    """
    if not isinstance(fitted, ChanceMap | VectorMap):
        raise ValueError(
            f"only a fitted map can be described, got {type(fitted).__name__}; load one, or fit one"
        )
    of_chances = chance_rules(fitted, of_class)
    rules = of_chances or (fitted.rule,)
    certificates = [each for rule in rules for each in rule.certificates()]
    band, answers = _answers(of_chances) if of_chances else (None, ())
    return Description(
        family=name_of(fitted.family),
        fitted_on=_fitted_on(fitted),
        rounded=_rounded(fitted),
        caution=_caution(fitted),
        of_class=of_class,
        facts=_told_facts([list(rule.facts()) for rule in rules]),
        certificate=max(certificates, key=_hardness, default=None),
        band=band,
        answers=answers,
    )


def chance_rules(
    fitted: ChanceMap | VectorMap, of_class: str | None = None
) -> tuple[ChanceRule, ...]:
    """The rules of one chance: the map's own, those of all classes, or that of one class.

    A map of whole vectors has none.
    """
    rules = tuple(fitted.rule.by_class) if isinstance(fitted, VectorMap) else ()
    if of_class is not None:
        if not isinstance(fitted, VectorMap) or not rules:
            name = name_of(fitted.family)
            raise ValueError(f"{name} has no map for each class: leave the class out")
        return (rules[class_place(of_class, fitted)],)
    return (fitted.rule,) if isinstance(fitted, ChanceMap) else rules


def named_band(rule: ChanceRule, view: View) -> NamedBand | None:
    """The band of a rule, if it has one."""
    spread = rule.spread(view)
    return None if spread is None else NamedBand(rule.spread_name, *spread)


def class_place(of_class: str, fitted: VectorMap) -> int:
    """The column of a class, by its name."""
    names = [str(name) for name in fitted.classes]
    if of_class in names:
        return names.index(of_class)
    near = get_close_matches(of_class, names, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ValueError(f"there is no class {of_class!r}; {hint}the classes are {_listed(names)}")


def _fitted_on(fitted: ChanceMap | VectorMap) -> str:
    if isinstance(fitted, ChanceMap):
        return f"{fitted.total:,.0f} claims that {fitted.event}"
    names = _listed([str(name) for name in fitted.classes])
    rows = f"{fitted.kind} of {fitted.total:,.0f} rows"
    return f"{rows} and {len(fitted.classes)} classes: {names}"


def _rounded(fitted: ChanceMap | VectorMap) -> str | None:
    return ROUNDED.format(fitted.rounded, fitted.floor) if fitted.rounded else None


def _caution(fitted: ChanceMap | VectorMap) -> str | None:
    free = fitted.rule.free_numbers
    return TOO_FREE.format(free, fitted.total) if free > fitted.total else None


def _hardness(certificate: Certificate) -> float:
    return certificate.slope / certificate.tolerance


def _told_facts(of_rules: Sequence[Sequence[Fact]]) -> tuple[ToldFact, ...]:
    """The facts of one rule as they are, of several by their median and their ends."""
    if len(of_rules) == 1:
        (facts,) = of_rules
        return tuple(ToldFact(fact.name, fact.value, None, None, fact.meaning) for fact in facts)
    values: dict[tuple[str, str], list[float]] = {}
    for facts in of_rules:
        for fact in facts:
            values.setdefault((fact.name, fact.meaning), []).append(fact.value)
    return tuple(
        ToldFact(name, float(np.median(found)), min(found), max(found), meaning)
        for (name, meaning), found in values.items()
    )


def _answers(rules: Sequence[ChanceRule]) -> tuple[str | None, tuple[Answer, ...]]:
    """What rules make of some claims, and the name of the band about it."""
    view = binary(CLAIMS, np.zeros(len(CLAIMS)))
    q = np.clip([rule(view) for rule in rules], 0, 1)
    middle = np.median(q, axis=0).tolist()
    band = named_band(rules[0], view)
    if len(rules) > 1:
        band = NamedBand(ALL_CLASSES, q.min(0), q.max(0))
    if band is None:
        nothing = [None] * len(CLAIMS)
        return None, tuple(map(Answer, CLAIMS, middle, nothing, nothing))
    return band.name, tuple(map(Answer, CLAIMS, middle, band.low.tolist(), band.high.tolist()))


def _listed(names: Sequence[str]) -> str:
    if len(names) <= MANY_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[:6])}, ..., {names[-1]}"
