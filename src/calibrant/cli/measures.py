"""Measures by the names that the command calls them by."""

from collections.abc import Callable
from typing import Any, Final

import calibrant

MEASURES: Final = (
    "nll",
    "brier",
    "top-label-brier",
    "accuracy",
    "ece",
    "mce",
    "sweep-ece",
    "classwise-ece",
    "ks-error",
)


def measure_called(name: str) -> Callable[[Any], float]:
    """A measure by its name, in whatever case and with whatever hyphens."""
    from ..families.known import nearest

    called = name.lower().replace("_", "-")
    if called not in MEASURES:
        near = nearest(name, MEASURES)
        known = ", ".join(MEASURES)
        raise ValueError(f"there is no measure {name!r}; {near}the measures are {known}")
    found: Callable[[Any], float] = getattr(calibrant, called.replace("-", "_"))
    return found
