"""The numbers of a report: of which question each is, how it is shown, and what it means."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from ..inference.measuring import Ends
from ..inference.tests import ks_limit
from ..inputs.checks import Undefined
from ..inputs.predictions import Predictions
from ..inputs.questions import top_label, within_top_r
from ..inputs.views import Data, View
from ..measures.draws import summarised
from ..measures.errors import calibration_error, ece, sweep_ece
from ..measures.ks import ks_error
from ..measures.recalibration_line import observed_expected, slope_intercept
from ..measures.scores import brier, event_rate, mean_claim, nll
from ..measures.thinning import thinned
from ..measures.variational import row_terms
from ..progress import progress, quiet
from .class_errors import ClassError, measures_all
from .confidence import LEVEL, report_interval
from .first_question import asks_top_label
from .units import Unit

BY_CHANCE = "KS by chance"
WHOLE_VECTOR = "Whole vector"
TOP_LABEL = "Top label"
TOP_TWO = "Top two"
EACH_CLASS = "Each class against the rest"
TOO_SLOW = "left out, as it is slow: classwise_ece(x)"


@dataclass(frozen=True)
class MeasureRow:
    """One number: of which question, its name, its value as a fraction, its unit, its meaning.

    A value of None is undefined or was left out, and `meaning` says why. Where they were asked for,
    `low` and `high` are the ends of its 95% interval.
    """

    view: str
    name: str
    value: float | None
    unit: Unit
    meaning: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class ListedMeasure:
    """A measure as the table lists it, and whether its interval needs draws, or it has none."""

    name: str
    measure: Callable[[Any], float]
    unit: Unit
    meaning: str
    interval: Literal["formula", "draws"] | None = "draws"


class Entry(NamedTuple):
    """A row, and how to find its interval where it has one."""

    row: MeasureRow
    interval: Callable[[], Ends] | None


def _slope(view: View) -> float:
    return slope_intercept(view).slope


def _intercept(view: View) -> float:
    return slope_intercept(view).intercept


SURPRISE = "surprise at the truth; less is better"
MISS = "squared miss, from 0 (perfect) to {}"
OF_TOP_LABELS = (
    ListedMeasure("accuracy", event_rate, "%", "how often the top label is right", "formula"),
)
OF_EVENTS = (
    ListedMeasure("event rate", event_rate, "%", "how often the event happened", "formula"),
)
OF_VECTORS = (
    ListedMeasure("NLL", nll, "nats", SURPRISE, "formula"),
    ListedMeasure("Brier score", brier, "", MISS.format(2), "formula"),
)
OF_CHANCES = (
    ListedMeasure("NLL", nll, "nats", SURPRISE, "formula"),
    ListedMeasure("Brier score", brier, "", MISS.format(1), "formula"),
)
OF_CLAIMS = (
    ListedMeasure("mean confidence", mean_claim, "%", "the chance claimed, on average", "formula"),
    ListedMeasure("ECE", ece, "points", "mean gap over 15 bins of equal width"),
    ListedMeasure("sweep ECE", sweep_ece, "points", "mean gap over as many bins as keep rising"),
    ListedMeasure("KS error", ks_error, "points", "widest gap of the running sums, no bins"),
    ListedMeasure(BY_CHANCE, ks_limit, "points", "calibrated claims stay below, 19 in 20", None),
    ListedMeasure(
        "calibration error", calibration_error, "points", "mean gap to a smooth curve of best fit"
    ),
    ListedMeasure("slope", _slope, "", "1 is right; below it, claims too extreme"),
    ListedMeasure("intercept", _intercept, "", "0 is right; log odds added to the slope"),
    ListedMeasure(
        "observed/expected", observed_expected, "", "1 is right; below it, too much is claimed"
    ),
)
VECTOR_ERROR = "vector error"
VECTOR_BY_CHANCE = "vector by chance"
VECTOR_LIMIT = "lower limit"
VECTOR_OVER = "too extreme"
OF_FEWER = "of {:,} rows; vector_error(x) takes all"
# Of so many chances the vector error takes a second or two.
MOST_CHANCES = 100_000
OF_TOP_TWO = (
    ListedMeasure("KS error", ks_error, "points", "is the right class one of the top two?"),
)


def measure_rows(
    x: Data, view: View, errors: Sequence[ClassError], *, intervals: bool = False, seed: int = 0
) -> tuple[tuple[MeasureRow, ...], tuple[str, ...]]:
    """Every number of a report, and why some have no interval; `errors` are those of classes."""
    entries = list(_entries(x, view, errors, seed))
    if not intervals:
        return tuple(entry.row for entry in entries), ()
    rows: list[MeasureRow] = []
    failures: list[str] = []
    with progress("drawing intervals", len(entries)) as tick, quiet():
        for entry in entries:
            try:
                rows.append(_with_interval(entry))
            except ValueError as error:
                rows.append(entry.row)
                failures.append(f"There is no interval for the {entry.row.name}: {error}.")
            tick()
    return tuple(rows), tuple(failures)


def _with_interval(entry: Entry) -> MeasureRow:
    if entry.interval is None:
        return entry.row
    low, high = entry.interval()
    return replace(entry.row, low=low, high=high)


def _entries(x: Data, view: View, errors: Sequence[ClassError], seed: int) -> Iterator[Entry]:
    measured = partial(_measured, seed=seed)
    if isinstance(x, View):
        question = f"Claims that {x.event}"
        for listed in (OF_EVENTS, OF_CHANCES, OF_CLAIMS):
            yield from measured(listed, x, question)
        return
    of_top = view if asks_top_label(x) else top_label(x)
    yield from measured(OF_TOP_LABELS, of_top, WHOLE_VECTOR)
    yield from measured(OF_VECTORS, x, WHOLE_VECTOR)
    if x.k > 2:
        yield from _vector_errors(x, seed)
    if not asks_top_label(x):
        question = f"Claims that {view.event}"
        yield from measured(OF_EVENTS, view, question)
        yield from measured(OF_CLAIMS, view, question)
    yield from measured(OF_CLAIMS, of_top, TOP_LABEL)
    if x.k > 2:
        yield from measured(OF_TOP_TWO, within_top_r(x, 2), TOP_TWO)
    yield from _of_classes(x, errors)


def _measured(
    listed: Sequence[ListedMeasure], x: Data, question: str, *, seed: int
) -> Iterator[Entry]:
    # One summary serves all that draw, and is made when the first is asked for.
    summary = cache(partial(_summary, x))
    for each in listed:
        try:
            value = each.measure(x)
        except ValueError as error:
            row = MeasureRow(question, each.name, None, each.unit, _why(error))
            yield Entry(row, None)
            continue
        row = MeasureRow(question, each.name, value, each.unit, each.meaning)
        yield Entry(row, _interval(each, x, summary, seed))


def _interval(
    listed: ListedMeasure, x: Data, summary: Callable[[], Data], seed: int
) -> Callable[[], Ends] | None:
    def by_formula() -> Ends:
        return report_interval(listed.measure, x, seed)

    def by_draws() -> Ends:
        return report_interval(listed.measure, summary(), seed)

    if listed.interval is None:
        return None
    return by_formula if listed.interval == "formula" else by_draws


def _summary(x: Data) -> Data:
    return summarised(x) if isinstance(x, View) else x


def _why(error: ValueError) -> str:
    return error.reason if isinstance(error, Undefined) else str(error)


def _vector_errors(pred: Predictions, seed: int) -> Iterator[Entry]:
    """The error of whole vectors, what it is at least, and how much of it claims too much."""
    rows = thinned(pred, MOST_CHANCES // pred.k)
    try:
        with quiet():
            terms = row_terms(rows, seed=seed)
    except ValueError as error:
        row = MeasureRow(WHOLE_VECTOR, VECTOR_ERROR, None, "points", _why(error))
        yield Entry(row, None)
        return

    def ends() -> Ends:
        return terms.ends(LEVEL)

    meaning = "gap to the truth, by maps of other rows"
    if rows is not pred:
        meaning = OF_FEWER.format(rows.n)
    row = MeasureRow(WHOLE_VECTOR, VECTOR_ERROR, terms.error, "points", meaning)
    yield Entry(row, ends)
    by_chance = "right vectors stay below, 19 in 20"
    yield Entry(MeasureRow(WHOLE_VECTOR, VECTOR_BY_CHANCE, terms.limit, "points", by_chance), None)
    limit = "the true one is above, 19 times in 20"
    yield Entry(MeasureRow(WHOLE_VECTOR, VECTOR_LIMIT, terms.low, "points", limit), None)
    part = "the part of rows that claim too much"
    over = terms.mean_of(terms.tilt < 0)
    yield Entry(MeasureRow(WHOLE_VECTOR, VECTOR_OVER, over, "points", part), None)


def _of_classes(pred: Predictions, errors: Sequence[ClassError]) -> Iterator[Entry]:
    if not measures_all(pred):
        yield Entry(MeasureRow(EACH_CLASS, "mean ECE", None, "points", TOO_SLOW), None)
        yield Entry(MeasureRow(EACH_CLASS, "mean KS error", None, "points", TOO_SLOW), None)
        return
    mean_ece = float(np.mean([each.ece for each in errors]))
    mean_ks = float(np.mean([each.ks for each in errors]))
    near_zero = "averaged over classes, most claims near 0"
    averaged = "averaged over classes"
    yield Entry(MeasureRow(EACH_CLASS, "mean ECE", mean_ece, "points", near_zero), None)
    yield Entry(MeasureRow(EACH_CLASS, "mean KS error", mean_ks, "points", averaged), None)
