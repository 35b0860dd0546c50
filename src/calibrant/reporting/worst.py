"""The three groups or classes that are furthest off, beyond what random variation makes."""

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ..inputs.predictions import Predictions
from .class_errors import ClassError
from .findings import Finding
from .groups import Group
from .units import signed

if TYPE_CHECKING:
    from .summary import Report

T = TypeVar("T", Group, ClassError)
MOST = 3
BOTH_WAYS: tuple[Finding, ...] = ("too extreme", "too timid", "uneven")
NOTHING: dict[Finding, str] = {
    "no error seen": "within random variation",
    "too few rows": "too few rows to tell",
}


class Worst(NamedTuple):
    """A group or a class: its claim and outcome, its KS error, and what was found of it."""

    name: str
    claimed: float
    happened: float
    widest: float
    finding: Finding

    @property
    def is_off(self) -> bool:
        """Whether its claims are wrong by more than random variation makes."""
        return self.finding not in NOTHING

    @property
    def gap_in_words(self) -> str:
        """How much too high the claims are on average, or if they err both ways, by how much."""
        if self.finding in BOTH_WAYS:
            return f"\N{PLUS-MINUS SIGN}{100 * self.widest:.2f}"
        return signed(self.claimed - self.happened)

    @property
    def words(self) -> str:
        """What was found."""
        return NOTHING.get(self.finding, self.finding)


def worst(found: "Report") -> tuple[str, tuple[Worst, ...]]:
    """What they are, and they themselves: groups if there are any, else some of many classes."""
    if found.groups:
        return "groups", tuple(map(_of_group, _furthest(found.groups)))
    x = found.source.x
    if not isinstance(x, Predictions) or x.k == 2:
        return "", ()
    return "classes", tuple(_of_class(each) for each in _furthest(found.classes))


def _furthest(parts: tuple[T, ...]) -> list[T]:
    return sorted(parts, key=lambda each: each.limit - each.ks)[:MOST]


def _of_group(each: Group) -> Worst:
    name = f"{each.by} {each.name}"
    return Worst(name, each.claimed, each.happened, each.ks, each.finding)


def _of_class(each: ClassError) -> Worst:
    finding = each.finding or "no error seen"
    return Worst(f"class {each.name}", each.claimed, each.happened, each.ks, finding)
