"""The numbers of a report: of which question each is, how it is shown, and what it means."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal

import numpy as np

from ..choosing import Measured
from ..inputs.predictions import Predictions
from ..inputs.questions import within_top_r
from ..inputs.views import View
from ..measures.errors import calibration_error, ece, sweep_ece
from ..measures.ks import ks_error
from ..measures.scores import brier, nll, observed_expected, slope_intercept
from ..progress import progress, quiet
from .class_errors import ClassError, measures_all
from .intervals import Ends, of_mean, of_measure, of_share, row_losses, summarised
from .verdict import chance_limit, mean_claim, share

Unit = Literal["%", "points", "nats", ""]
BY_CHANCE = "KS by chance"
WHOLE, TOP, TWO, EACH = "Whole vector", "Top label", "Top two", "Each class against the rest"


@dataclass(frozen=True)
class Row:
    """One number: of which question, its name, its value as a fraction, how it is shown, and what it means.

    A value of None is undefined or was left out, and `meaning` says why. Where they were asked for, `low` and `high`
    are the ends of its 95% interval.
    """

    view: str
    name: str
    value: float | None
    unit: Unit
    meaning: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Number:
    """A row before it is measured: what is asked of a view, and whether chance has a say in it."""

    name: str
    measure: Callable[[View], float]
    unit: Unit
    meaning: str
    varies: bool = True


Entry = tuple[Row, Callable[[], Ends] | None]  # a row, and how to find its interval if it has one

OF_CLAIMS = (
    Number("ECE", ece, "points", "mean gap over 15 bins of equal width"),
    Number("sweep ECE", sweep_ece, "points", "mean gap over as many bins as keep rising"),
    Number("KS error", ks_error, "points", "widest gap of the running sums, no bins"),
    Number(
        BY_CHANCE, chance_limit, "points", "calibrated claims stay below, 19 in 20", varies=False
    ),
    Number(
        "calibration error", calibration_error, "points", "mean gap to a smooth curve of best fit"
    ),
    Number(
        "slope", lambda x: slope_intercept(x).slope, "", "1 is right; below it, claims too extreme"
    ),
    Number(
        "intercept",
        lambda x: slope_intercept(x).intercept,
        "",
        "0 is right; log odds added to the slope",
    ),
    Number("observed/expected", observed_expected, "", "1 is right; below it, too much is claimed"),
)
OF_TOP_TWO = (Number("KS error", ks_error, "points", "is the right class one of the top two?"),)


def rows_of(
    x: Measured, view: View, errors: Sequence[ClassError], *, intervals: bool = False
) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """Every number of a report, and why some have no interval; `errors` are those of classes."""
    entries = list(_entries(x, view, errors))
    if not intervals:
        return tuple(row for row, _ in entries), ()
    rows, failures = [], []
    with progress("drawing intervals", len(entries)) as tick, quiet():
        for row, ends in entries:
            try:
                low, high = (None, None) if ends is None else ends()
                rows.append(replace(row, low=low, high=high))
            except ValueError as error:
                rows.append(row)
                failures.append(f"There is no interval for the {row.name}: {error}.")
            tick()
    return tuple(rows), tuple(failures)


def _entries(x: Measured, view: View, errors: Sequence[ClassError]) -> Iterator[Entry]:
    if isinstance(x, View):
        name = f"Claims that {x.event}"
        yield from _scores(x, view, name, "event rate", "how often the event happened", 1)
        yield from _claims(view, name)
        return
    yield from _scores(x, view, WHOLE, "accuracy", "how often the top label is right", 2)
    yield from _claims(view, TOP)
    if x.k > 2:
        yield from _measured(OF_TOP_TWO, within_top_r(x, 2), TWO)
    yield from _of_classes(x, errors)


def _scores(
    x: Measured, view: View, name: str, rate: str, meaning: str, most: int
) -> Iterator[Entry]:
    yield Row(name, rate, share(view), "%", meaning), lambda: of_share(share(view), view.total)
    surprise, miss = (
        "surprise at the truth; less is better",
        f"squared miss, from 0 (perfect) to {most}",
    )
    yield Row(name, "NLL", nll(x), "nats", surprise), lambda: of_mean(row_losses(x, "nll"), view.w)
    yield (
        Row(name, "Brier score", brier(x), "", miss),
        lambda: of_mean(row_losses(x, "brier"), view.w),
    )


def _claims(view: View, name: str) -> Iterator[Entry]:
    mean = Row(name, "mean confidence", mean_claim(view), "%", "the chance claimed, on average")
    yield mean, lambda: of_mean(view.p.astype(np.float64), view.w)
    yield from _measured(OF_CLAIMS, view, name)


def _measured(numbers: Sequence[Number], view: View, name: str) -> Iterator[Entry]:
    few = cache(partial(summarised, view))
    for each in numbers:
        try:
            row = Row(name, each.name, each.measure(view), each.unit, each.meaning)
        except ValueError as error:
            # A measure refuses where it has no value, and says why after its rule.
            row = Row(name, each.name, None, each.unit, str(error).rpartition(": ")[2])
        yield (
            row,
            partial(_drawn, each.measure, few) if each.varies and row.value is not None else None,
        )


def _drawn(measure: Callable[[View], float], few: Callable[[], View]) -> Ends:
    return of_measure(measure, few())


def _of_classes(pred: Predictions, errors: Sequence[ClassError]) -> Iterator[Entry]:
    means: tuple[float | None, float | None] = (None, None)
    told = ("left out, as it is slow: classwise_ece(x)",) * 2
    if measures_all(pred):
        means = (
            float(np.mean([each.ece for each in errors])),
            float(np.mean([each.ks for each in errors])),
        )
        told = "averaged over classes, most claims near 0", "averaged over classes"
    for name, value, meaning in zip(("mean ECE", "mean KS error"), means, told, strict=True):
        yield Row(EACH, name, value, "points", meaning), None
