"""Families and measures by the names that the command calls them by."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Final

import calibrant

if TYPE_CHECKING:
    from ..choosing import Measured, Selection
    from ..families.family import Family

# What is compared where nothing is named, the simplest first.
OF_VECTORS: Final = (
    "temperature", "ensemble-temperature", "order-preserving", "vector-scaling", "structured-matrix"
)  # fmt: skip
OF_CHANCES: Final = (
    "platt",
    "beta",
    "smooth",
    "spline",
    "isotonic",
    "venn-abers",
    "bbq",
    "histogram-binning",
)
MEASURES: Final = (
    "nll", "brier", "top-label-brier", "accuracy", "ece", "mce", "sweep-ece", "classwise-ece", "ks-error"
)  # fmt: skip


def families() -> dict[str, "type[Family]"]:
    """The public families that need no arguments, by their names in lower case with hyphens."""
    from ..families.family import Family
    from ..reporting.recalibration import in_hyphens

    rooms = [import_module(f"calibrant.{room}") for room in ("chances", "vectors")]
    homes = [
        import_module(f"{room.__name__}.{found.name}")
        for room in rooms
        for found in iter_modules(room.__path__)
    ]
    public = {
        name: thing
        for home in homes
        for name, thing in vars(home).items()
        if name in dir(calibrant)
    }
    return {
        in_hyphens(name): thing
        for name, thing in sorted(public.items())
        if isinstance(thing, type) and issubclass(thing, Family) and is_dataclass(thing)
        if all(field.default is not MISSING for field in fields(thing))
    }


def family(name: str) -> "Family":
    """A family by its name."""
    return _known(families(), name, "family", "families")()


def named_families(names: str) -> "dict[str, Family]":
    """Families by their names, as temperature,isotonic."""
    return {name: family(name) for name in names.replace(" ", "").lower().split(",")}


def usual_families(x: "Measured") -> "dict[str, Family]":
    """What is compared on predictions, or on one chance a row, where nothing is named."""
    vectors = OF_VECTORS if isinstance(x, calibrant.Predictions) else OF_VECTORS[:1]
    table = families()
    return {name: table[name]() for name in (*vectors, *OF_CHANCES)}


def measure(name: str) -> Callable[[Any], float]:
    """A measure by its name."""
    found: Callable[[Any], float] = _known(
        {each: getattr(calibrant, each.replace("-", "_")) for each in MEASURES},
        name,
        "measure",
        "measures",
    )
    return found


def in_words(found: "Selection") -> "Selection":
    """The same, its families called as the command calls them."""
    names = {
        repr(made): name
        for name, kind in families().items()
        for made in (kind(), calibrant.OneVsRest(kind()))
    }
    return replace(
        found,
        name=names.get(found.name, found.name),
        rows=tuple(replace(row, name=names.get(row.name, row.name)) for row in found.rows),
        failures=tuple((names.get(name, name), why) for name, why in found.failures),
    )


def _known(table: Mapping[str, Any], name: str, one: str, many: str) -> Any:  # noqa: ANN401 - whatever the table holds
    called = name.lower().replace("_", "-")
    if called not in table:
        near = get_close_matches(called, table, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ValueError(f"there is no {one} {name!r}; {hint}the {many} are {', '.join(table)}")
    return table[called]
