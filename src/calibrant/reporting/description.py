"""Description: what a fitted map is, in words and numbers, and what it makes of a few claims."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..families.binary.smooth import Shift
from ..families.binary.venn_abers import Intervals
from ..families.family import ChanceMap, ChanceRule, Map, VectorMap
from ..families.multiclass.linear import FactorAndShift, MatrixAndShift
from ..families.multiclass.one_vs_rest import EachClass
from ..fitting.newton import Certificate
from ..fitting.types import Array
from ..inputs.questions import binary
from ..inputs.views import View

CLAIMS = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
# Of a rule's number: its name, how it is told, and what it does.
NUMBERS: dict[str, tuple[str, Callable[[float], float], str]] = {
    "inverse": (
        "temperature",
        lambda x: 1 / x if x else np.inf,
        "log odds are divided by it; above 1, claims soften",
    ),
    "slope": ("slope", float, "log odds are multiplied by it; below 1, claims soften"),
    "intercept": ("intercept", float, "then added to the log odds"),
    "bend": ("bend", float, "squared log odds times this are added"),
    "a": ("a", float, "times the log of the claim; 1 changes nothing"),
    "b": ("b", float, "times the log of one less the claim; 1 changes nothing"),
}
# Of a rule's array: the name of its size, how many it counts, and what they are; the others repeat these.
SIZES: dict[str, tuple[str, Callable[[Array], int], str]] = {
    "mean_y": ("bins", len, "each has one share of events"),
    "mean": ("bins", len, "each has one chance"),
    "x": ("points", len, "claims through which the curve runs"),
    "q": ("levels", lambda q: len(np.unique(q)), "different chances among them"),
    "p0": ("lower steps", len, "of the chance if the event does not happen"),
    "p1": ("upper steps", len, "of the chance if it does"),
    "factor": ("factors", len, "one a class, by which its logit is multiplied"),
    "matrix": ("entries", lambda matrix: matrix.size, "of a matrix by which logits are multiplied"),
}
REPEATS = {"inner", "count", "mean_p", "rises0", "rises1", "odds", "shift", "sd"}
# Rules whose every number is free, or nearly so, to follow chance.
FREE = (FactorAndShift, MatrixAndShift)
BANDS: dict[type[ChanceRule], tuple[str, Callable[[Any, View], tuple[Array, Array]]]] = {
    Shift: ("95% band", lambda rule, view: rule.band(view)),
    Intervals: ("Venn-Abers", lambda rule, view: rule.interval(view)),
}


@dataclass(frozen=True)
class Fact:
    """One number of a map; of a map for each class the median, and the least and most among classes."""

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


@dataclass(frozen=True)
class Description:
    """A fitted map as plain numbers and words; `band` names what `low` and `high` of the answers are."""

    family: str
    fitted_on: str
    caution: str | None
    of_class: str | None
    facts: tuple[Fact, ...]
    certificate: Certificate | None
    band: str | None
    answers: tuple[Answer, ...]

    def to_dict(self) -> dict[str, Any]:
        """The same as json holds it."""
        return asdict(self)


def describe(fitted: Map, of_class: str | None = None) -> Description:
    """What a fitted map is; of a map for each class, that of one, or the spread over all.

    >>> from calibrant import Platt
    >>> found = describe(Platt().fit(binary([0.2] * 5 + [0.9] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0])))
    >>> found.fitted_on, [fact.name for fact in found.facts]
    ('10 claims that the event happens', ['slope', 'intercept'])
    """
    if not isinstance(fitted, ChanceMap | VectorMap):
        raise ValueError(
            f"only a fitted map can be described, got {type(fitted).__name__}; load one, or fit one"
        )
    rules = _rules(fitted, of_class)
    is_of_chances = isinstance(fitted, ChanceMap) or isinstance(fitted.rule, EachClass)
    band, answers = _answers(rules) if is_of_chances else (None, ())
    proofs = [part for rule in rules for part in _parts(rule) if isinstance(part, Certificate)]
    hardest = max(proofs, key=lambda proof: proof.slope / proof.tolerance, default=None)
    family, caution = repr(fitted.family), _caution(fitted)
    return Description(
        family, _fitted_on(fitted), caution, of_class, _facts(rules), hardest, band, answers
    )


def _rules(fitted: ChanceMap | VectorMap, of_class: str | None) -> Sequence[Any]:
    rule: object = fitted.rule
    if of_class is None:
        return rule.rules if isinstance(rule, EachClass) else [rule]
    if not isinstance(fitted, VectorMap) or not isinstance(rule, EachClass):
        raise ValueError(f"{fitted.family!r} has no map for each class: leave the class out")
    names = [str(name) for name in fitted.classes]
    if of_class not in names:
        near = get_close_matches(of_class, names, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"there is no class {of_class!r}; {hint}the classes are {_listed(names)}")
    return [rule.rules[names.index(of_class)]]


def _fitted_on(fitted: ChanceMap | VectorMap) -> str:
    if isinstance(fitted, ChanceMap):
        return f"{fitted.total:,.0f} claims that {fitted.event}"
    names = _listed([str(name) for name in fitted.classes])
    return f"{fitted.kind} of {fitted.total:,.0f} rows and {len(fitted.classes)} classes: {names}"


def _caution(fitted: ChanceMap | VectorMap) -> str | None:
    rule: object = fitted.rule
    numbers = sum(part.size for part in vars(rule).values() if isinstance(part, np.ndarray))
    if not isinstance(rule, FREE) or numbers <= fitted.total:
        return None
    return (
        f"{numbers:,} numbers were fitted to {fitted.total:,.0f} rows, more than rows can tell: on other rows the map "
        "will do worse. Temperature() and OrderPreserving() need few numbers; StructuredMatrix() keeps its own small"
    )


def _facts(rules: Sequence[object]) -> tuple[Fact, ...]:
    known: dict[tuple[str, str], list[float]] = {}
    for rule in rules:
        for name, value, meaning in _numbers(rule):
            known.setdefault((name, meaning), []).append(value)
    return tuple(
        Fact(name, values[0], None, None, meaning)
        if len(rules) == 1
        else Fact(name, float(np.median(values)), min(values), max(values), meaning)
        for (name, meaning), values in known.items()
    )


def _numbers(rule: object) -> Iterator[tuple[str, float, str]]:
    """The numbers of a rule and of the rules within it; an array is told by its size, or by itself where short."""
    for name, part in vars(rule).items():
        if isinstance(part, float):
            title, told, meaning = NUMBERS.get(name, (name, float, ""))
            yield title, told(part), meaning
        elif isinstance(part, np.ndarray) and name in SIZES:
            title, size, meaning = SIZES[name]
            yield title, size(part), meaning
        elif isinstance(part, np.ndarray) and name not in REPEATS:
            yield f"{name} numbers", part.size, " by ".join(map(str, part.shape))
        elif is_dataclass(part) and not isinstance(part, Certificate):
            yield from _numbers(part)


def _parts(rule: object) -> Iterator[object]:
    for part in vars(rule).values():
        yield part
        if is_dataclass(part):
            yield from _parts(part)


def _answers(rules: Sequence[ChanceRule]) -> tuple[str | None, tuple[Answer, ...]]:
    view = binary(CLAIMS, np.zeros(len(CLAIMS)))
    chances = np.clip([rule(view) for rule in rules], 0, 1)
    band: str | None = None
    low: Sequence[float | None] = [None] * len(CLAIMS)
    high = low
    if len(rules) > 1:
        band, low, high = "all classes", chances.min(0).tolist(), chances.max(0).tolist()
    elif type(rules[0]) in BANDS:
        band, ends = BANDS[type(rules[0])]
        low, high = (end.tolist() for end in ends(rules[0], view))
    middle = np.median(chances, axis=0).tolist()
    return band, tuple(map(Answer, CLAIMS, middle, low, high))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 8 else f"{', '.join(names[:6])}, ..., {names[-1]}"
