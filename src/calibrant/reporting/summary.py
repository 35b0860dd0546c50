"""Report: the numbers that say how far probabilities can be trusted, and what they mean in plain words."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ..choosing import Families, Measured
from ..families.family import Map
from ..inputs.predictions import Predictions
from ..inputs.questions import top_label
from ..inputs.views import View
from .class_errors import MOST_SHOWN, ClassError, class_errors, notes_about
from .data_summary import Fact, facts_of
from .groups import Group, groups
from .intervals import DRAWS, LEVEL
from .measure_table import BY_CHANCE, Row, rows_of
from .recalibration import Mending, Standing, mend
from .verdict import BLUNT, Finding, judge, warnings_about

if TYPE_CHECKING:
    from .diagrams import Diagrams


@dataclass(frozen=True, eq=False)
class Source:
    """What a report is of, and the maps fitted for it: its diagrams are worked out of these when they are asked for."""

    x: Measured
    maps: Mapping[str, Map]


@dataclass(frozen=True)
class Report:
    """What `report` found, as plain numbers and words: print it, take `to_dict()`, or write a page with `to_html`.

    `classes` are those furthest off. `best` is the map that lowers the NLL most, and `command` makes it.
    """

    about: str
    n: int
    k: int | None
    total: float
    finding: Finding
    verdict: str
    advice: str
    rows: tuple[Row, ...]
    standings: tuple[Standing, ...]
    warnings: tuple[str, ...]
    classes: tuple[ClassError, ...]
    groups: tuple[Group, ...]
    best: str | None
    command: str | None
    facts: tuple[Fact, ...]
    level: float | None
    draws: int | None
    source: Source = field(repr=False, compare=False)

    @property
    def is_blunt(self) -> bool:
        """Whether so few rows would hide an error that matters."""
        return any(row.name == BY_CHANCE and (row.value or 0) > BLUNT for row in self.rows)

    @cached_property
    def diagrams(self) -> "Diagrams":
        """The numbers of the page's pictures; worked out once, when first asked for."""
        from .diagrams import diagrams

        return diagrams(
            self.source.x,
            self.source.maps,
            [each.column for each in self.classes],
            bands=self.level is not None,
        )

    def to_dict(self) -> dict[str, Any]:
        """The report as json holds it; errors are fractions, not points. `diagrams.to_dict()` has the curves."""
        kept = [each.name for each in fields(self) if each.name != "source"]
        return {name: _plain(getattr(self, name)) for name in kept}

    def to_html(self, path: str | PathLike[str]) -> None:
        """Write one page that works offline in any browser, whole or not at all."""
        from ..deploy.store import write_whole
        from .html import page

        write_whole(Path(path), page(self).encode())

    def __str__(self) -> str:
        from .terminal import page, plain

        return plain(page(self))

    def __rich__(self) -> object:
        from .terminal import page

        return page(self)


def report(
    pred: Measured,
    *,
    fit_on: Measured | None = None,
    families: Families | None = None,
    by: ArrayLike | Mapping[str, ArrayLike] | None = None,
    intervals: bool = False,
) -> Report:
    """Measure predictions, or one view, and say in plain words whether they can be trusted.

    With `fit_on`, other rows of the same model, also what `families` fitted on them would mend: Temperature and
    Smooth, or those given. `by` parts the rows into groups: a value a row, or a dict of such. `intervals` take seconds.

    >>> from calibrant import binary
    >>> report(binary([0.9] * 100, [True] * 60 + [False] * 40)).finding
    'overconfident'
    """
    if not isinstance(pred, Predictions | View):
        raise ValueError(
            f"a report is of Predictions or a View, got {type(pred).__name__}; make them with from_probs"
        )
    if families is not None and fit_on is None:
        raise ValueError(
            "families are fitted on rows that are not reported on: give them too, as fit_on"
        )
    has_classes = isinstance(pred, Predictions)
    view = top_label(pred) if isinstance(pred, Predictions) else pred
    parts, notes = (
        ((), ()) if by is None else groups(view, by, has_classes=has_classes, intervals=intervals)
    )
    mending = Mending() if fit_on is None else mend(pred, fit_on, families)
    errors = class_errors(pred) if isinstance(pred, Predictions) else ()
    rows, failures = rows_of(pred, view, errors, intervals=intervals)
    finding, verdict, advice = judge(view, has_classes=has_classes)
    return Report(
        about=described(pred),
        n=view.n,
        k=pred.k if isinstance(pred, Predictions) else None,
        total=view.total,
        finding=finding,
        verdict=verdict,
        advice=mending.advice or advice,
        rows=rows,
        standings=mending.standings,
        warnings=(
            *warnings_about(pred, view),
            *notes_about(pred),
            *mending.notes,
            *failures,
            *notes,
        ),
        classes=errors[:MOST_SHOWN],
        groups=parts,
        best=mending.best,
        command=mending.command,
        facts=facts_of(pred, view),
        level=LEVEL if intervals else None,
        draws=DRAWS if intervals else None,
        source=Source(pred, mending.maps),
    )


def described(x: Measured) -> str:
    """What the data are, in a few words."""
    weights = x.weights if isinstance(x, Predictions) else x.w
    weighted = "" if weights is None else f", standing for {x.total:,.6g}"
    if isinstance(x, Predictions):
        return f"{x.n:,} rows of {x.k} classes, from {x.kind}{weighted}"
    return f"{x.n:,} claims that {x.event}{weighted}"


def _plain(value: object) -> object:
    """As json holds it: dataclasses as dicts, tuples as lists."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
