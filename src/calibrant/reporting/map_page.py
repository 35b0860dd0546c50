"""A fitted map on the terminal: what it is, its numbers, and what it makes of a few claims."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.table import Table
from rich.text import Text

from .terminal import text

if TYPE_CHECKING:
    from ..before_after import BeforeAfter, Change
    from ..fitting.newton import Certificate
    from .description import Answer, Description, ToldFact

STRIP = 36  # how many characters wide the line from 0 to 100% is
SPREAD = "Over the classes, before the chances are made to sum to one; --class NAME shows one map."


def map_page(found: "Description") -> Group:
    """The whole map: its family, its facts, what to mind, and its answers."""
    whose = "" if found.of_class is None else f"; here the map of class {found.of_class}"
    head = Group(text(found.family, "bold"), text(f"Fitted on {found.fitted_on}{whose}."))
    parts: list[RenderableType] = [head]
    if found.facts:
        parts.append(fact_table(found.facts))
    if found.rounded is not None:
        parts.append(f"{found.rounded}.")
    if found.caution is not None:
        parts.append(caution(found.caution))
    if found.certificate is not None:
        parts.append(optimum(found.certificate))
    if found.is_of_all_classes:
        parts.append(Text(SPREAD))
    if found.answers:
        parts.append(_answers(found))
    return Group(*_parted(parts))


def caution(words: str) -> Text:
    """A line that should be read before the numbers are believed."""
    return Text(f"Caution: {words}.", "yellow")


def optimum(certificate: "Certificate") -> str:
    """How surely the best map of its family was found."""
    reached = f"slope {certificate.slope:.0e}, allowed {certificate.tolerance:.0e}"
    return f"Optimum reached in {certificate.steps} steps ({reached})."


def before_after_line(found: "BeforeAfter", rows: int) -> Text:
    """Scores as claimed and as mended, by maps that had not seen the rows."""
    changes = ", ".join(_change(each) for each in found.changes)
    sample = "" if found.rows == rows else f" on {found.rows:,} of the rows"
    return Text(f"By cross-validation{sample}: {changes}.")


def worse_in_words(found: "BeforeAfter", *, was_named: bool) -> str:
    """Which scores the map makes worse, and what to do about it."""
    names = " and ".join(f"the {each.score}" for each in found.worse)
    grows = "grows" if len(found.worse) == 1 else "grow"
    noise = "its standard error" if len(found.worse) == 1 else "their standard errors"
    way_out = "; without --family one is chosen" if was_named else ""
    return f"on rows that the map has not seen {names} {grows} by more than {noise}{way_out}"


def fact_table(facts: "Sequence[ToldFact]") -> Table:
    """The numbers of a map: a line each."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column()
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    for fact in facts:
        meaning = Text(f"{_spread(fact)}{fact.meaning}", "dim")
        table.add_row(f"  {fact.name}", _shown_number(fact.value), meaning)
    return table


def _parted(parts: Sequence[RenderableType]) -> Iterator[RenderableType]:
    """The parts with an empty line between each two."""
    for place, part in enumerate(parts):
        if place:
            yield ""
        yield part


def _change(each: "Change") -> str:
    if each.score == "ECE":
        return f"ECE {100 * each.before:.2f}% to {100 * each.after:.2f}%"
    return f"{each.score} {each.before:.4f} to {each.after:.4f}"


def _spread(fact: "ToldFact") -> str:
    if fact.least is None or fact.most is None:
        return ""
    return f"({_shown_number(fact.least)} to {_shown_number(fact.most)}) "


def _shown_number(value: float) -> str:
    """A whole number in full, any other with four digits behind its point."""
    is_whole = isinstance(value, int) or value.is_integer()
    return f"{value:,.0f}" if is_whole else f"{value:.4f}"


def _answers(found: "Description") -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("  claim %", justify="right", no_wrap=True)
    table.add_column("chance %", justify="right", no_wrap=True)
    if found.band is not None:
        table.add_column(f"{found.band} %", justify="right", no_wrap=True)
    table.add_column(Legend(), width=STRIP, no_wrap=True)
    for each in found.answers:
        cells = [f"{100 * each.claim:.0f}", f"{100 * each.chance:.2f}"]
        if each.low is not None and each.high is not None:
            cells.append(f"{100 * each.low:.2f} - {100 * each.high:.2f}")
        table.add_row(*cells, Strip(each))
    return table


class Marks(NamedTuple):
    """What stands on a strip for a claim, for its calibrated chance, and for the way between."""

    claim: str
    chance: str
    way: str


def _marks(options: ConsoleOptions) -> Marks:
    return Marks("o", "*", "-") if options.ascii_only else Marks("○", "●", "─")


class Legend:
    """The head over strips: what the marks are, and where the line begins and ends."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        marks = _marks(options)
        words = f"{marks.claim} claim  {marks.chance} chance"
        yield Text(f"0{words:^{STRIP - 4}}100")


@dataclass(frozen=True)
class Strip:
    """A claim and its calibrated chance as two marks on a line from 0 to 100%."""

    answer: "Answer"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        marks = _marks(options)
        claim = round(self.answer.claim * (STRIP - 1))
        chance = round(self.answer.chance * (STRIP - 1))
        cells = [" "] * STRIP
        for place in range(min(claim, chance), max(claim, chance)):
            cells[place] = marks.way
        cells[claim] = marks.claim
        cells[chance] = marks.chance
        yield Text("".join(cells))
