"""Families as the command takes them: several between commas, and `select` among them."""

from typing import TYPE_CHECKING

import calibrant

if TYPE_CHECKING:
    from ..families.family import Family
    from ..inputs.views import Data


def is_select(name: str | None) -> bool:
    """Whether a name stands for what cross-validation chooses."""
    from ..families.names import SELECT

    return name is not None and name.strip().lower() == SELECT


def families_written(names: str) -> "dict[str, Family | None]":
    """Families by their names; None for one that is chosen where the rows are known."""
    from ..families.grammar import split_names
    from ..families.names import SELECT, family_of, name_of

    found: dict[str, Family | None] = {}
    for name in split_names(names):
        if is_select(name):
            found[SELECT] = None
        else:
            family = family_of(name)
            found[name_of(family)] = family
    return found


def with_selected(named: "dict[str, Family | None]", fit_on: "Data") -> "dict[str, Family]":
    """The same, and what cross-validation chooses on the rows to fit on."""
    return {
        name: family or calibrant.cross_validate(fit_on).chosen for name, family in named.items()
    }
