"""Maps by group on the command line: the column that says which group a row is of."""

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from .completion import of_columns
from .map_files import check_sort

if TYPE_CHECKING:
    from rich.table import Table

    from ..families.family import Family
    from ..families.group_maps import GroupMap
    from ..families.maps import Map
    from ..inputs.contents import Contents

NEEDED: Final = (
    "this map has a map for each of {:,} groups: name the column that says the group with --by"
)
NOT_NEEDED: Final = "--by is for a map by group, and this is one map for all: leave it out"
ByColumn = Annotated[
    str | None,
    typer.Option(
        "--by", metavar="COLUMN", help="The group of each row.", autocompletion=of_columns
    ),
]


def fitted_map(family: "Family", source: "Contents", by: str | None) -> "Map":
    """A map for all, or one by group."""
    from ..groups import ByGroup

    if by is None:
        return family.fit(source.x)
    return ByGroup(family).fit(source.x, source.column(by))


def applied(fitted: "Map", source: "Contents", by: str | None) -> Any:  # noqa: ANN401 - of the kind of its x
    """The rows of a file, each through the map of its group where there are groups."""
    from ..groups import GroupMap

    if not isinstance(fitted, GroupMap):
        if by is not None:
            raise ValueError(NOT_NEEDED)
        check_sort(fitted, source.x)
        return fitted.apply(source.x)
    if by is None:
        raise ValueError(NEEDED.format(len(fitted.maps)))
    check_sort(fitted.common, source.x)
    return fitted.apply(source.x, source.column(by))


def one_map(fitted: "Map", name: str | None) -> "Map":
    """The map of a group, or the common one; of one map for all itself."""
    from ..groups import GroupMap

    if not isinstance(fitted, GroupMap):
        if name is not None:
            raise ValueError(NOT_NEEDED.replace("--by", "--group"))
        return fitted
    if name is None:
        return fitted.common
    if name not in fitted.rule.names:
        known = ", ".join(fitted.rule.names[:8])
        raise ValueError(f"there is no group {name!r}; the first of them are {known}")
    return fitted.of(name)


def group_table(fitted: "GroupMap") -> "Table":
    """A line a group: its rows, and for how much its own map counts."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("  group")
    table.add_column("rows", justify="right")
    table.add_column("own share %", justify="right")
    rule = fitted.rule
    for name, total, share in zip(rule.names, rule.totals, rule.shares, strict=True):
        table.add_row(f"  {name}", f"{total:,.6g}", f"{100 * share:.0f}")
    return table
