"""Reports and rankings on the terminal: they read well at 80 columns, and without colour."""

import re
from collections.abc import Iterator, Sequence
from io import StringIO
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from .units import Unit, shown, shown_finely

if TYPE_CHECKING:
    from ..contenders import Candidate, Contender, Selection
    from .class_errors import ClassError
    from .data_summary import DataFact
    from .groups import Group as RowGroup
    from .measure_table import MeasureRow
    from .ranking import Ranking
    from .recalibration import ScoreRow
    from .summary import Report

TableLine = tuple[str, ...]

MOST_WIDTH = 100
MOST_CLASSES_SHOWN = 5
# Controls, and marks that take no room or turn the direction of writing.
_HIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)


def report_page(found: "Report") -> Group:
    """The whole report: the verdict, the numbers, then what to mind and what to do."""
    title = found.evidence.title
    parts: list[RenderableType] = [] if title is None else [text(title, "bold")]
    parts += [text(found.about, "bold"), "", text(found.verdict), ""]
    for title, body in _sections(found):
        parts += [text(title, "bold"), body, ""]
    return Group(*parts, text(found.advice))


def _sections(found: "Report") -> Iterator[tuple[str, RenderableType]]:
    for view in dict.fromkeys(row.view for row in found.rows):
        yield view, _measures([row for row in found.rows if row.view == view])
    if found.standings:
        yield "What a map fitted on other rows would do", comparison(found.standings)
    if found.k is not None and found.k > 2 and found.classes:
        yield "Classes furthest off", _classes(found.classes[:MOST_CLASSES_SHOWN])
    for by in dict.fromkeys(each.by for each in found.groups):
        yield f"By {by}", _groups([each for each in found.groups if each.by == by])
    for note in found.decisions:
        yield note.title, _indented(note.words)
    if found.warnings:
        yield "Mind", Group(*(_indented(warning) for warning in found.warnings))
    yield "How this was made", _facts(found.evidence.facts)


def comparison(standings: "Sequence[ScoreRow]") -> Table:
    """Scores side by side: a line each."""
    heads = ("accuracy %", "NLL", "Brier", "ECE points", "KS points")

    def line(row: "ScoreRow") -> TableLine:
        return (
            row.name,
            _if_known(row.accuracy, "%"),
            shown(row.nll, "nats"),
            shown(row.brier, ""),
            shown(row.ece, "points"),
            shown(row.ks, "points"),
        )

    return _table(heads, [line(row) for row in standings])


def ranking_page(found: "Ranking") -> Group:
    """Families or models side by side, and which is best."""
    parts: list[RenderableType] = []
    if found.fitted_on is not None:
        parts.append(text(f"Fitted on {found.fitted_on}."))
    parts += [text(f"Scored on {found.scored_on}.\n"), _ranked(found)]
    parts += [*_failed(found.failures), ""]
    parts += [text(f"Mind: {warning}\n") for warning in found.warnings]
    return Group(*parts, text(found.words))


def selection_page(found: "Selection") -> Group:
    """Families as cross-validation saw them, and why one was chosen."""
    from .ranking import SCORES, reason

    score = f"held-out\n{SCORES[found.score]}"
    heads = (score, "standard\nerror", "behind\nthe best", "standard\nerror", "")

    def line(row: "Candidate") -> TableLine:
        return (
            row.name,
            f"{row.score:.5f}",
            f"{row.error:.5f}",
            f"{abs(row.behind):.5f}",
            f"{row.behind_error:.5f}",
            row.mark(found.name),
        )

    table = _table(heads, [line(row) for row in found.rows])
    return Group(table, *_failed(found.failures), "", text(reason(found)), "")


def plain_text(renderable: RenderableType) -> str:
    """Text without colour, as wide as the terminal but no wider than reads well."""
    out = StringIO()
    console = Console(
        file=out,
        width=min(get_terminal_size().columns, MOST_WIDTH),
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
    )
    console.print(renderable)
    lines = out.getvalue().splitlines()
    return "\n".join(line.rstrip() for line in lines)


def harmless(words: str) -> str:
    """Words whose control characters, but for ends of lines, are told by codes and not obeyed."""

    def told(sign: re.Match[str]) -> str:
        return sign[0].encode("unicode_escape").decode()

    return _HIDDEN.sub(told, words)


def text(words: str, style: str = "") -> Text:
    """Words that may hold names of somebody else's."""
    return Text(harmless(words), style)


def _facts(found: "Sequence[DataFact]") -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for each in found:
        table.add_row(f"  {each.name}", text(each.words))
    return table


def _indented(words: str) -> Padding:
    return Padding(text(words), (0, 0, 0, 2))


def _failed(failures: Sequence[tuple[str, str]]) -> list[Padding]:
    return [_indented(f"{name} failed: {why}") for name, why in failures]


def _table(heads: TableLine, lines: Sequence[TableLine]) -> Table:
    """A table of lines that begin with a name; a column whose cells are all empty is left out."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(overflow="fold")
    kept = []
    for place, head in enumerate(heads, start=1):
        if any(line[place] for line in lines):
            table.add_column(head, justify="right", no_wrap=True)
            kept.append(place)
    for line in lines:
        cells = [line[place] for place in kept]
        table.add_row(_indented(line[0]), *cells)
    return table


def _ranked(found: "Ranking") -> Table:
    # Of two lines, so that names have room.
    heads = (
        "accuracy\n%",
        "NLL\n",
        "Brier\n",
        "ECE\npoints",
        "ECE by\nclass",
        "KS\npoints",
        "fit\ns",
    )

    def line(row: "Contender") -> TableLine:
        return (
            row.name,
            shown(row.accuracy, "%") if found.has_classes else "",
            shown(row.nll, "nats"),
            shown(row.brier, ""),
            shown(row.ece, "points"),
            _if_known(row.classwise_ece, "points"),
            shown(row.ks_error, "points"),
            _shown_seconds(row.fit_seconds),
        )

    return _table(heads, [line(row) for row in found.rows])


def _measures(rows: "Sequence[MeasureRow]") -> Table:
    has_intervals = any(row.low is not None for row in rows)
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(width=19, no_wrap=True)
    table.add_column(width=9, no_wrap=True, justify="right")
    table.add_column(width=7, no_wrap=True)
    if has_intervals:
        table.add_column(no_wrap=True)
    table.add_column(style="dim")
    for row in rows:
        cells = [f"  {row.name}", shown(row.value, row.unit)]
        cells.append("" if row.value is None else row.unit)
        if has_intervals:
            cells.append(_between(row.low, row.high, row.unit))
        table.add_row(*cells, Text(row.meaning))
    return table


def _classes(found: "Sequence[ClassError]") -> Table:
    heads = ("rows", "claimed %", "happens %", "KS points", "verdict")

    def line(row: "ClassError") -> TableLine:
        return (
            row.name,
            f"{row.seen:,.6g}",
            shown(row.claimed, "%"),
            shown(row.happened, "%"),
            shown_finely(row.ks),
            row.finding or "",
        )

    return _table(heads, [line(row) for row in found])


def _groups(found: "Sequence[RowGroup]") -> Table:
    heads = ("rows", "claimed %", "happens %", "KS points", "95%", "verdict")

    def line(row: "RowGroup") -> TableLine:
        return (
            row.name,
            f"{row.total:,.6g}",
            shown(row.claimed, "%"),
            shown(row.happened, "%"),
            shown(row.ks, "points"),
            _between(row.low, row.high, "points"),
            row.finding,
        )

    return _table(heads, [line(row) for row in found])


def _between(low: float | None, high: float | None, unit: Unit) -> str:
    if low is None or high is None:
        return ""
    return f"{shown(low, unit)} to {shown(high, unit)}"


def _if_known(value: float | None, unit: Unit) -> str:
    return "" if value is None else shown(value, unit)


def _shown_seconds(seconds: float) -> str:
    if not seconds:
        return ""
    return f"{seconds:.2f}" if seconds < 10 else f"{seconds:.0f}"
