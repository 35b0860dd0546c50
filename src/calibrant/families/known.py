"""The families there are, by name: the public ones, and those that other packages declare."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from typing import Final

from .. import __all__ as public_names
from . import binary, multiclass
from .family import Family

GROUP: Final = "calibrant.families"
SHORTHANDS: Final = {"ms-odir": "matrix-scaling(off_diagonal=cv, intercept=cv)"}


@cache
def known_families() -> dict[str, type[Family]]:
    """Every family by its name.

    Other packages declare theirs as entry points of the group `calibrant.families`. One that cannot
    be loaded is left out, and told of when it is asked for.

    >>> known_families()["venn-abers"].__name__
    'VennAbers'
    """
    found = {}
    for name, entry in _entries().items():
        try:
            found[name] = _load(entry)
        except Exception:
            continue
    for kind in _public_families():
        found[in_hyphens(kind.__name__)] = kind
    return dict(sorted(found.items()))


def kind_called(name: str) -> type[Family]:
    """The family of a name, in whatever case and with whatever hyphens; the likely one is told."""
    known = known_families()
    for each, kind in known.items():
        if plain(each) == plain(name):
            return kind
    _refuse_broken(name)
    names = sorted([*known, *SHORTHANDS])
    near = nearest(name, names)
    raise ValueError(f"there is no family {name!r}; {near}the families are {', '.join(names)}")


def name_of_kind(kind: type[Family]) -> str:
    """The name that a family is found by; of one that nobody declared, the name it would have."""
    for name, each in known_families().items():
        if each is kind:
            return name
    return in_hyphens(kind.__name__)


def in_hyphens(name: str) -> str:
    """The name of a class as a person writes it.

    >>> in_hyphens("VennAbers"), in_hyphens("BBQ")
    ('venn-abers', 'bbq')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).replace("_", "-").lower()


def plain(name: str) -> str:
    """A name without what is forgiven: case, hyphens and underscores."""
    return re.sub("[-_]", "", name).lower()


def nearest(name: str, known: Iterable[str]) -> str:
    """A question for a message, whether a known name was meant: one that begins alike, or nearly is it.

    >>> nearest("platt-scaling", ["platt", "vector-scaling"])
    'did you mean platt? '
    """
    wanted = plain(name)
    if not wanted:
        return ""
    names = {plain(each): each for each in known}
    alike = [each for each in names if wanted.startswith(each) or each.startswith(wanted)]
    near = alike or get_close_matches(wanted, names, 1)
    return f"did you mean {names[near[0]]}? " if near else ""


def _public_families() -> Iterator[type[Family]]:
    for room in (binary, multiclass):
        for file in iter_modules(room.__path__, f"{room.__name__}."):
            home = import_module(file.name)
            for name, thing in vars(home).items():
                if name in public_names and thing.__module__ == file.name and _is_family(thing):
                    yield thing


def _is_family(thing: object) -> bool:
    return isinstance(thing, type) and issubclass(thing, Family) and is_dataclass(thing)


def _entries() -> dict[str, EntryPoint]:
    return {in_hyphens(entry.name): entry for entry in entry_points(group=GROUP)}


def _load(entry: EntryPoint) -> type[Family]:
    kind: type[Family] = entry.load()
    if not _is_family(kind):
        raise ValueError(f"{entry.value} must be a dataclass that is a Family, got {kind!r}")
    return kind


def _refuse_broken(name: str) -> None:
    """Say why a family that a package declares is left out."""
    for each, entry in _entries().items():
        if plain(each) != plain(name):
            continue
        package = entry.dist.name if entry.dist else entry.value
        try:
            _load(entry)
        except Exception as error:
            raise ValueError(
                f"the package {package} declares {each}, which cannot be loaded: {error}"
            ) from error
