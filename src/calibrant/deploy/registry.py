"""The names of classes in saved files: families by theirs, rules by tags, and nothing else."""

from collections.abc import Iterator
from dataclasses import is_dataclass

from ..families.family import Family
from ..families.group_maps import GroupMap
from ..families.known import GROUP, known_families, name_of_kind
from ..families.maps import ChanceMap, VectorMap
from ..families.rules import Rule
from ..fitting.newton import Certificate

_PARTS: dict[str, type] = {
    "chance-map": ChanceMap,
    "vector-map": VectorMap,
    "group-map": GroupMap,
    "certificate": Certificate,
}
_UNDECLARED = f"no installed package declares under the entry point group {GROUP}"


class Registry:
    """Every class that a file may be made of, by its name there.

    A class that merely has the same name or tag, defined wherever, is none of them.
    """

    def __init__(self) -> None:
        self._kinds = dict(_PARTS)
        for name, family in known_families().items():
            self._kinds[f"family:{name}"] = family
        for tag, rule in known_rules().items():
            self._kinds[f"rule:{tag}"] = rule

    def kind_of(self, name: object) -> type:
        """The class that a name stands for."""
        if not isinstance(name, str) or name not in self._kinds:
            raise ValueError(f"it is made of {name!r}, which {_UNDECLARED}")
        return self._kinds[name]

    def name_of(self, kind: type) -> str:
        """The name that stands for a class."""
        name = _name(kind)
        if self._kinds.get(name) is not kind:
            raise ValueError(f"it is made of the class {kind.__name__}, which {_UNDECLARED}")
        return name


def _name(kind: type) -> str:
    if issubclass(kind, Family):
        return f"family:{name_of_kind(kind)}"
    if issubclass(kind, Rule):
        return f"rule:{tag_of(kind)}"
    names = {part: name for name, part in _PARTS.items()}
    return names.get(kind, kind.__name__)


def tag_of(kind: type[Rule]) -> str:
    """The name of a rule's class in files; another package's begins with the package's name."""
    package = _package(kind)
    return kind.tag if package == "calibrant" else f"{package}/{kind.tag}"


def known_rules() -> dict[str, type[Rule]]:
    """Every class of rules of a known family's package, by its tag."""
    packages = {_package(family) for family in known_families().values()}
    found: dict[str, type[Rule]] = {}
    for kind in _rules_below(Rule):  # type: ignore[type-abstract]
        if _package(kind) not in packages or not _is_complete(kind):
            continue
        first = found.setdefault(tag_of(kind), kind)
        if first is not kind:
            raise ValueError(f"{first.__name__} and {kind.__name__} have one tag, {kind.tag!r}")
    return found


def _package(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _is_complete(kind: type[Rule]) -> bool:
    """Whether a class has fields and a tag of its own, and is not there to be subclassed."""
    return is_dataclass(kind) and "tag" in vars(kind)


def _rules_below(kind: type[Rule]) -> Iterator[type[Rule]]:
    for below in kind.__subclasses__():
        yield below
        yield from _rules_below(below)
