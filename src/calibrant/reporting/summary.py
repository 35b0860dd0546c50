"""Report: numbers that say how far probabilities can be trusted, and what they mean in words."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..choosing import Families
from ..inference.examination import Examination, examine
from ..inference.measuring import Ends
from ..inputs.habits import takes_one
from ..inputs.paths import write_whole
from ..inputs.predictions import Predictions
from ..inputs.views import Data, View
from ..scale import Sketch
from .class_errors import MOST_CLASSES, ClassError, class_errors, class_notes
from .confidence import DRAWS, LEVEL
from .counts import row_count
from .data_summary import DataFact, data_facts, data_in_words
from .data_warnings import data_warnings
from .decisions import DecisionNote, decision_notes
from .evidence import Evidence, Origin, evidence
from .findings import Finding, Tone
from .first_question import asks_top_label, first_view
from .groups import By, Group, groups
from .headline import headline
from .measure_table import MeasureRow, measure_rows
from .recalibration import Recalibration, ScoreRow, recalibrate
from .sizes import Sizes, sizes_of
from .tiles import ERROR, Tile, tiles
from .verdict import counted, judge

if TYPE_CHECKING:
    from .diagram_numbers import Diagrams


@dataclass(frozen=True, eq=False)
class Source:
    """What a report is of, its first question, and the maps fitted for it.

    Its diagrams and tiles are worked out of these.
    """

    x: Data
    view: View
    mended: Recalibration


@dataclass(frozen=True)
class Report:
    """What `report` found: print it, take `to_dict()`, or write a page with `to_html`.

    `classes` are those furthest off. `best` is the map that lowers the NLL most, and `command`
    makes it. `tone` is how good the news of the verdict is, `headline` the verdict in a dozen words.
    `p_value` is that of the test which the verdict follows.
    """

    about: str
    n: int
    k: int | None
    total: float
    headline: str
    finding: Finding
    verdict: str
    advice: str
    tone: Tone
    p_value: float
    sizes: Sizes
    rows: tuple[MeasureRow, ...]
    standings: tuple[ScoreRow, ...]
    warnings: tuple[str, ...]
    classes: tuple[ClassError, ...]
    groups: tuple[Group, ...]
    decisions: tuple[DecisionNote, ...]
    best: str | None
    command: str | None
    facts: tuple[DataFact, ...]
    level: float | None
    draws: int | None
    evidence: Evidence
    source: Source = field(repr=False, compare=False)

    @property
    def first_question(self) -> str:
        """The question that the verdict is on, as the numbers call it."""
        return next((row.view for row in self.rows if row.name == ERROR), "")

    @cached_property
    def diagrams(self) -> "Diagrams":
        """The numbers of the page's pictures; worked out once, when first asked for."""
        from .diagrams import diagrams

        columns = [each.column for each in self.classes]
        maps = self.source.mended.maps
        has_bands = self.level is not None
        seed = self.evidence.seed
        return diagrams(self.source.x, maps, columns, bands=has_bands, seed=seed)

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """The three numbers of a first look, with intervals; worked out once, when asked for."""
        known = _intervals_of(self.rows, self.first_question)
        return tiles(self.source.view, self.source.mended, known, seed=self.evidence.seed)

    def to_dict(self) -> dict[str, Any]:
        """The report as json holds it; errors are fractions, not points.

        `diagrams.to_dict()` has the curves.
        """
        names = [each.name for each in fields(self)]
        return {name: _as_json(getattr(self, name)) for name in names if name != "source"}

    def to_html(self, path: str | PathLike[str]) -> None:
        """Write one page that works offline in any browser, whole or not at all."""
        from .html import page

        write_whole(Path(path), page(self).encode())

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write every number as a table, whole or not at all."""
        from .numbers_table import numbers_csv

        write_whole(Path(path), numbers_csv(self).encode())

    def __str__(self) -> str:
        from .terminal import plain_text, report_page

        return plain_text(report_page(self))

    def _repr_html_(self) -> str:
        from .notebook import html_of

        return html_of(self)

    def __rich__(self) -> object:
        from .terminal import report_page

        return report_page(self)


@takes_one
def report(
    pred: Data | Sketch,
    *,
    fit_on: Data | None = None,
    families: Families | None = None,
    by: By | None = None,
    intervals: bool = False,
    title: str | None = None,
    seed: int = 0,
    origin: Origin | None = None,
) -> Report:
    """Measure predictions, or one view, and say in plain words whether they can be trusted.

    The verdict is on the top label, or of two classes on the second, the positive one.
    With `fit_on`, other rows of the same model, also what `families` fitted on them would mend:
    Temperature and Smooth, or those given. `by` parts the rows into groups: a value a row, or a
    dict of such. `intervals` take seconds. `seed` is that of every draw but those of the verdict;
    `origin` says which files the rows are of.

    >>> from calibrant import binary
    >>> report(binary([0.9] * 100, [True] * 60 + [False] * 40)).finding
    'too high'
    """
    if isinstance(pred, Sketch):
        pred = pred.data()
    _check_report(pred, fit_on, families)
    has_classes = asks_top_label(pred)
    view = first_view(pred)
    parts, group_notes = groups(view, by, has_classes=has_classes, intervals=intervals, seed=seed)
    mended = Recalibration() if fit_on is None else recalibrate(pred, fit_on, families)
    errors = class_errors(pred) if isinstance(pred, Predictions) else ()
    rows, failures = measure_rows(pred, view, errors, intervals=intervals, seed=seed)
    found = examine(view)
    verdict = judge(view, has_classes=has_classes, mended=mended, found=found)
    warnings = (*data_warnings(pred, view), *class_notes(pred), *mended.notes)
    return Report(
        about=data_in_words(pred),
        n=row_count(view),
        k=pred.k if isinstance(pred, Predictions) else None,
        total=view.total,
        headline=headline(found, verdict.finding, _error_of(rows, found), _rows_in_words(view)),
        finding=verdict.finding,
        verdict=verdict.words,
        advice=verdict.advice,
        tone=verdict.tone,
        p_value=found.p_value,
        sizes=sizes_of(found),
        rows=rows,
        standings=mended.standings,
        warnings=(*warnings, *failures, *group_notes),
        classes=errors[:MOST_CLASSES],
        groups=parts,
        decisions=decision_notes(view, by, has_classes=has_classes),
        best=mended.best,
        command=mended.command,
        facts=data_facts(pred, view),
        level=LEVEL if intervals else None,
        draws=DRAWS if intervals else None,
        evidence=evidence(title, seed, origin),
        source=Source(pred, view, mended),
    )


def _error_of(rows: Sequence[MeasureRow], found: Examination) -> float:
    """The calibration error as it is listed, so that no two numbers differ by their rounding."""
    listed = (row.value for row in rows if row.name == ERROR and row.value is not None)
    return next(listed, found.error)


def _intervals_of(rows: Sequence[MeasureRow], view: str) -> dict[str, Ends]:
    """Intervals of a question that were asked for, by the name of the number."""
    return {
        row.name: (row.low, row.high)
        for row in rows
        if row.view == view and row.low is not None and row.high is not None
    }


def _rows_in_words(view: View) -> str:
    return f"{view.total:,.0f} {counted(view)}"


def _check_report(pred: object, fit_on: Data | None, families: Families | None) -> None:
    if not isinstance(pred, Predictions | View):
        raise ValueError(
            f"a report is of Predictions or a View, got {type(pred).__name__}; "
            "make them with from_probs"
        )
    if families is not None and fit_on is None:
        raise ValueError(
            "families are fitted on rows that are not reported on: give them too, as fit_on"
        )


def _as_json(value: object) -> object:
    """As json holds it: dataclasses as dicts, tuples as lists."""
    if isinstance(value, Evidence):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, tuple):
        return [_as_json(each) for each in value]
    return value
