"""All numbers of a report as one table, for a spreadsheet."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from ..inputs.csv_tables import csv_bytes

if TYPE_CHECKING:
    from .summary import Report

HEAD = ("part", "of", "number", "value", "unit", "low", "high")
SCHEMA = dict.fromkeys(HEAD, pl.String) | {"low": pl.Float64, "high": pl.Float64}
Line = tuple[str, str, str, str | None, str, float | None, float | None]
OF_SCORES = ("accuracy", "nll", "brier", "ece", "ks")
OF_CLASSES = ("seen", "claimed", "happened", "ece", "ks", "limit")
OF_GROUPS = ("total", "claimed", "happened", "ks", "limit")


def numbers_csv(found: "Report") -> str:
    """Every number of a report, a line each; errors are fractions, not points.

    >>> from calibrant import binary, report
    >>> text = numbers_csv(report(binary([0.9] * 100, [True] * 60 + [False] * 40)))
    >>> text.splitlines()[0], text.splitlines()[1]
    ('part,of,number,value,unit,low,high', 'verdict,,finding,too high,,,')
    """
    columns = zip(*_lines(found), strict=True)
    frame = pl.DataFrame(dict(zip(HEAD, columns, strict=True)), SCHEMA, strict=False)
    is_empty = pl.col(pl.String).replace("", None)
    return csv_bytes(frame.with_columns(is_empty)).decode()


def _lines(found: "Report") -> Iterator[Line]:
    yield "verdict", "", "finding", found.finding, "", None, None
    yield "verdict", "", "p-value", repr(found.p_value), "", None, None
    for row in found.rows:
        unit = "nats" if row.unit == "nats" else ""
        yield "numbers", row.view, row.name, _told(row.value), unit, row.low, row.high
    for score in found.standings:
        yield from _of("maps", score.name, score, OF_SCORES)
    for each in found.classes:
        yield from _of("classes", each.name, each, OF_CLASSES)
    for group in found.groups:
        for line in _of("groups", f"{group.by}={group.name}", group, OF_GROUPS):
            is_interval = line[2] == "ks"
            yield (*line[:5], group.low, group.high) if is_interval else line


def _of(part: str, name: str, thing: object, numbers: tuple[str, ...]) -> Iterator[Line]:
    for number in numbers:
        yield part, name, number, _told(getattr(thing, number)), "", None, None


def _told(value: float | None) -> str | None:
    """A number with all its digits."""
    return None if value is None else repr(float(value))
