"""Report: numbers that say how far probabilities can be trusted, and what they mean in words."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..choosing import Families
from ..families.maps import Map
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
from .findings import Finding, Tone
from .first_question import asks_top_label, first_view
from .groups import By, Group, groups
from .measure_table import MeasureRow, measure_rows
from .recalibration import Recalibration, ScoreRow, recalibrate
from .verdict import judge

if TYPE_CHECKING:
    from .diagrams import Diagrams


@dataclass(frozen=True, eq=False)
class Source:
    """What a report is of, and the maps fitted for it: its diagrams are worked out of these."""

    x: Data
    maps: Mapping[str, Map]


@dataclass(frozen=True)
class Report:
    """What `report` found: print it, take `to_dict()`, or write a page with `to_html`.

    `classes` are those furthest off. `best` is the map that lowers the NLL most, and `command`
    makes it. `tone` is how good the news of the verdict is.
    """

    about: str
    n: int
    k: int | None
    total: float
    finding: Finding
    verdict: str
    advice: str
    tone: Tone
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
    source: Source = field(repr=False, compare=False)

    @cached_property
    def diagrams(self) -> "Diagrams":
        """The numbers of the page's pictures; worked out once, when first asked for."""
        from .diagrams import diagrams

        columns = [each.column for each in self.classes]
        has_bands = self.level is not None
        return diagrams(self.source.x, self.source.maps, columns, bands=has_bands)

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
) -> Report:
    """Measure predictions, or one view, and say in plain words whether they can be trusted.

    The verdict is on the top label, or of two classes on the second, the positive one.
    With `fit_on`, other rows of the same model, also what `families` fitted on them would mend:
    Temperature and Smooth, or those given. `by` parts the rows into groups: a value a row, or a
    dict of such. `intervals` take seconds.

    >>> from calibrant import binary
    >>> report(binary([0.9] * 100, [True] * 60 + [False] * 40)).finding
    'too high'
    """
    if isinstance(pred, Sketch):
        pred = pred.data()
    _check_report(pred, fit_on, families)
    has_classes = asks_top_label(pred)
    view = first_view(pred)
    parts, group_notes = groups(view, by, has_classes=has_classes, intervals=intervals)
    mended = Recalibration() if fit_on is None else recalibrate(pred, fit_on, families)
    errors = class_errors(pred) if isinstance(pred, Predictions) else ()
    rows, failures = measure_rows(pred, view, errors, intervals=intervals)
    verdict = judge(view, has_classes=has_classes, mended=mended)
    warnings = (*data_warnings(pred, view), *class_notes(pred), *mended.notes)
    return Report(
        about=data_in_words(pred),
        n=row_count(view),
        k=pred.k if isinstance(pred, Predictions) else None,
        total=view.total,
        finding=verdict.finding,
        verdict=verdict.words,
        advice=verdict.advice,
        tone=verdict.tone,
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
        source=Source(pred, mended.maps),
    )


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
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, tuple):
        return [_as_json(each) for each in value]
    return value
