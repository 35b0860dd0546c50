"""A report on the terminal: a page that reads well at 80 columns, and as plain text anywhere else."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from ..choosing import Selection
    from ..fitting.newton import Certificate
    from .class_errors import ClassError
    from .description import Answer, Description, Fact
    from .groups import Group as Part
    from .measure_table import Row, Unit
    from .ranking import Ranking
    from .recalibration import Standing
    from .summary import Report

MOST_WIDTH = 100
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
STRIP = 36
WORST = 5
SPREAD = "Over the classes, before the chances are made to sum to one; --class NAME shows one map."


def page(found: "Report") -> Group:
    """The whole report: the verdict first, the numbers after it, then what to mind and what to do."""
    parts: list[RenderableType] = [_text(found.about, "bold"), "", _text(found.verdict), ""]
    for view in dict.fromkeys(row.view for row in found.rows):
        parts += [
            _text(view, "bold"),
            _numbers([row for row in found.rows if row.view == view]),
            "",
        ]
    if found.standings:
        parts += [
            Text("What a map fitted on other rows would do", "bold"),
            comparison(found.standings),
            "",
        ]
    if found.k is not None and found.k > 2 and found.classes:
        parts += [Text("Classes furthest off", "bold"), _classes(found.classes[:WORST]), ""]
    for by in dict.fromkeys(each.by for each in found.groups):
        parts += [
            _text(f"By {by}", "bold"),
            _groups([each for each in found.groups if each.by == by]),
            "",
        ]
    if found.warnings:
        parts += [
            Text("Mind", "bold"),
            *(Padding(_text(warning), (0, 0, 0, 2)) for warning in found.warnings),
            "",
        ]
    return Group(*parts, _text(found.advice))


def comparison(standings: "Sequence[Standing]") -> Table:
    """Scores side by side: a line each."""
    has_classes = standings[0].accuracy is not None
    columns = [
        *(
            [("accuracy %", [_shown(each.accuracy, "%") for each in standings])]
            if has_classes
            else []
        ),
        ("NLL", [_shown(each.nll, "nats") for each in standings]),
        ("Brier", [_shown(each.brier, "") for each in standings]),
        ("ECE points", [_shown(each.ece, "points") for each in standings]),
        ("KS points", [_shown(each.ks, "points") for each in standings]),
    ]
    return _lines([each.name for each in standings], columns)


def ranking_page(found: "Ranking") -> Group:
    """Families or models side by side, and which is best."""
    fitted = [] if found.fitted_on is None else [_text(f"Fitted on {found.fitted_on}.")]
    warnings = (_text(f"Mind: {warning}\n") for warning in found.warnings)
    scored = _text(f"Scored on {found.scored_on}.\n")
    return Group(
        *fitted, scored, _ranked(found), *_failed(found.failures), "", *warnings, _text(found.words)
    )


def selection_page(found: "Selection") -> Group:
    """Families as cross-validation saw them, and why one was chosen."""
    from .ranking import SCORES, reason

    columns = [
        (f"held-out\n{SCORES[found.score]}", [f"{row.score:.5f}" for row in found.rows]),
        ("standard\nerror", [f"{row.error:.5f}" for row in found.rows]),
        ("behind\nthe best", [f"{abs(row.behind):.5f}" for row in found.rows]),
        ("standard\nerror", [f"{row.behind_error:.5f}" for row in found.rows]),
        ("", ["chosen" if row.name == found.name else "" for row in found.rows]),
    ]
    table = _lines([row.name for row in found.rows], columns)
    return Group(table, *_failed(found.failures), "", _text(reason(found)), "")


def map_page(found: "Description") -> Group:
    """A fitted map: what it is, its numbers, and what it makes of a few claims."""
    whose = "" if found.of_class is None else f"; here the map of class {found.of_class}"
    parts: list[RenderableType] = [
        _text(found.family, "bold"),
        _text(f"Fitted on {found.fitted_on}{whose}."),
        "",
    ]
    if found.facts:
        parts += [facts(found.facts), ""]
    if found.caution is not None:
        parts += [caution(found.caution), ""]
    if found.certificate is not None:
        parts += [optimum(found.certificate), ""]
    if found.band == "all classes":
        parts += [Text(SPREAD), ""]
    return Group(*parts, _answers(found)) if found.answers else Group(*parts[:-1])


def caution(words: str) -> Text:
    """A line that should be read before the numbers are believed."""
    return Text(f"Caution: {words}.", "yellow")


def optimum(proof: "Certificate") -> str:
    """How surely the best map of its family was found."""
    return f"Optimum reached in {proof.steps} steps (slope {proof.slope:.0e}, allowed {proof.tolerance:.0e})."


def facts(found: "Sequence[Fact]") -> Table:
    """The numbers of a map: a line each."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    for justify in ("left", "right", "left"):
        table.add_column(justify=justify, no_wrap=justify == "right")
    for fact in found:
        spread = (
            ""
            if fact.least is None or fact.most is None
            else f"({_told(fact.least)} to {_told(fact.most)}) "
        )
        table.add_row(f"  {fact.name}", _told(fact.value), Text(f"{spread}{fact.meaning}", "dim"))
    return table


def plain(renderable: RenderableType) -> str:
    """Text without colour, as wide as the terminal but no wider than reads well."""
    out = StringIO()
    width = min(get_terminal_size().columns, MOST_WIDTH)
    Console(
        file=out, width=width, color_system=None, force_terminal=False, force_jupyter=False
    ).print(renderable)
    return "\n".join(text.rstrip() for text in out.getvalue().splitlines())


def harmless(words: str) -> str:
    """Words whose control characters, but for ends of lines, are told and not obeyed by a terminal."""
    return _CONTROL.sub(lambda sign: repr(sign[0])[1:-1], words)


def _text(words: str, style: str = "") -> Text:
    """Words that may hold names of somebody else's."""
    return Text(harmless(words), style)


def _ranked(found: "Ranking") -> Table:
    rows = found.rows
    # Heads of two lines, so that names have room.
    columns = [
        ("accuracy\n%", [_shown(row.accuracy, "%") if found.has_classes else "" for row in rows]),
        ("NLL\n", [_shown(row.nll, "nats") for row in rows]),
        ("Brier\n", [_shown(row.brier, "") for row in rows]),
        ("ECE\npoints", [_shown(row.ece, "points") for row in rows]),
        (
            "ECE by\nclass",
            [
                "" if row.classwise_ece is None else _shown(row.classwise_ece, "points")
                for row in rows
            ],
        ),
        ("KS\npoints", [_shown(row.ks_error, "points") for row in rows]),
        ("fit\ns", [_seconds(row.fit_seconds) if row.fit_seconds else "" for row in rows]),
    ]
    return _lines(
        [row.name for row in rows], [(head, cells) for head, cells in columns if any(cells)]
    )


def _failed(failures: Sequence[tuple[str, str]]) -> list[Padding]:
    return [Padding(_text(f"{name} failed: {why}"), (0, 0, 0, 2)) for name, why in failures]


def _lines(names: Sequence[str], columns: Sequence[tuple[str, Sequence[str]]]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(overflow="fold")
    for head, _ in columns:
        table.add_column(head, justify="right", no_wrap=True)
    for name, *cells in zip(names, *(cells for _, cells in columns), strict=True):
        table.add_row(Padding(_text(name), (0, 0, 0, 2)), *cells)
    return table


def _numbers(rows: "Sequence[Row]") -> Table:
    has_ends = any(row.low is not None for row in rows)
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 0), pad_edge=False)
    for width in (19, 9, 7):
        table.add_column(width=width, no_wrap=True, justify="right" if width == 9 else "left")
    if has_ends:
        table.add_column(no_wrap=True)
    table.add_column(style="dim")
    for row in rows:
        unit = "" if row.value is None else row.unit
        ends = [_between(row.low, row.high, row.unit)] if has_ends else []
        table.add_row(f"  {row.name}", _shown(row.value, row.unit), unit, *ends, Text(row.meaning))
    return table


def _classes(found: "Sequence[ClassError]") -> Table:
    columns = [
        ("rows", [f"{each.seen:,.6g}" for each in found]),
        ("claimed %", [_shown(each.claimed, "%") for each in found]),
        ("happens %", [_shown(each.happened, "%") for each in found]),
        ("KS points", [f"{100 * each.ks:.3f}" for each in found]),
        ("by chance", [f"{100 * each.limit:.3f}" for each in found]),
    ]
    return _lines([each.name for each in found], columns)


def _groups(found: "Sequence[Part]") -> Table:
    columns: list[tuple[str, list[str]]] = [
        ("rows", [f"{each.total:,.6g}" for each in found]),
        ("claimed %", [_shown(each.claimed, "%") for each in found]),
        ("happens %", [_shown(each.happened, "%") for each in found]),
        ("KS points", [_shown(each.ks, "points") for each in found]),
        ("95%", [_between(each.low, each.high, "points") for each in found]),
        ("verdict", [each.finding for each in found]),
    ]
    return _lines(
        [each.name for each in found], [(head, cells) for head, cells in columns if any(cells)]
    )


def _between(low: float | None, high: float | None, unit: "Unit") -> str:
    return "" if low is None or high is None else f"{_shown(low, unit)} to {_shown(high, unit)}"


def _shown(value: float | None, unit: "Unit") -> str:
    if value is None:
        return "undefined"
    return f"{100 * value:.2f}" if unit in ("%", "points") else f"{value:.4f}"


def _seconds(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def _told(value: float) -> str:
    return (
        f"{value:.4f}" if isinstance(value, float) and not value.is_integer() else f"{value:,.0f}"
    )


def _answers(found: "Description") -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for head in ("  claim %", "chance %", *([] if found.band is None else [f"{found.band} %"])):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column(Legend(), width=STRIP, no_wrap=True)
    for each in found.answers:
        band = (
            []
            if each.low is None or each.high is None
            else [f"{100 * each.low:.2f} - {100 * each.high:.2f}"]
        )
        table.add_row(f"{100 * each.claim:.0f}", f"{100 * each.chance:.2f}", *band, Strip(each))
    return table


class Legend:
    """The head over strips: what the marks are, and where the line begins and ends."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        claimed, calibrated, _ = _marks(options)
        yield Text(f"0{f'{claimed} claim  {calibrated} chance':^{STRIP - 4}}100")


@dataclass(frozen=True)
class Strip:
    """A claim and its calibrated chance as two marks on a line from 0 to 100%."""

    answer: "Answer"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        claimed, calibrated, way = _marks(options)
        first, last = (round(x * (STRIP - 1)) for x in (self.answer.claim, self.answer.chance))
        cells = [" "] * STRIP
        cells[min(first, last) : max(first, last)] = way * abs(first - last)
        cells[first], cells[last] = claimed, calibrated
        yield Text("".join(cells))


def _marks(options: ConsoleOptions) -> tuple[str, str, str]:
    return ("o", "*", "-") if options.ascii_only else ("○", "●", "─")
