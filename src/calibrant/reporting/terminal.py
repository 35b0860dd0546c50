"""A report on the terminal: a page that reads well at 80 columns, and as plain text anywhere else."""

from collections.abc import Sequence
from io import StringIO
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from .summary import Report, Row, Standing, Unit

MOST_WIDTH = 100


def page(found: "Report") -> Group:
    """The whole report: the verdict first, the numbers after it, then what to mind and what to do."""
    parts: list[RenderableType] = [Text(found.about, "bold"), "", Text(found.verdict), ""]
    for view in dict.fromkeys(row.view for row in found.rows):
        parts += [Text(view, "bold"), _numbers([row for row in found.rows if row.view == view]), ""]
    if found.standings:
        parts += [Text("What a map fitted on other rows would do", "bold"), comparison(found.standings), ""]
    if found.warnings:
        parts += [Text("Mind", "bold"), *(Padding(Text(warning), (0, 0, 0, 2)) for warning in found.warnings), ""]
    return Group(*parts, Text(found.advice))


def comparison(standings: "Sequence[Standing]") -> Table:
    """Scores side by side: a line each."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    heads = ["accuracy %", "NLL", "Brier", "ECE points", "KS points"]
    units: list[Unit] = ["%", "nats", "", "points", "points"]
    values = [(each.accuracy, each.nll, each.brier, each.ece, each.ks) for each in standings]
    first = 0 if values[0][0] is not None else 1
    table.add_column()
    for head in heads[first:]:
        table.add_column(head, justify="right")
    for each, numbers in zip(standings, values, strict=True):
        table.add_row(Text(f"  {each.name}"), *map(_shown, numbers[first:], units[first:]))
    return table


def plain(renderable: RenderableType) -> str:
    """Text without colour, as wide as the terminal but no wider than reads well."""
    out = StringIO()
    width = min(get_terminal_size().columns, MOST_WIDTH)
    Console(file=out, width=width, color_system=None, force_terminal=False, force_jupyter=False).print(renderable)
    return "\n".join(text.rstrip() for text in out.getvalue().splitlines())


def _numbers(rows: "Sequence[Row]") -> Table:
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 0), pad_edge=False)
    for width in (19, 9, 7):
        table.add_column(width=width, no_wrap=True, justify="right" if width == 9 else "left")
    table.add_column(style="dim")
    for row in rows:
        unit = "" if row.value is None else row.unit
        table.add_row(f"  {row.name}", _shown(row.value, row.unit), unit, Text(row.meaning))
    return table


def _shown(value: float | None, unit: "Unit") -> str:
    if value is None:
        return "undefined"
    return f"{100 * value:.2f}" if unit in ("%", "points") else f"{value:.4f}"
