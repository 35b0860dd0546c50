"""Report: the numbers that say how far probabilities can be trusted, and what they mean in plain words."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from ..chances.smooth import Smooth
from ..choosing import MOST_CELLS, calibrated
from ..cumulative import ks_error
from ..fitting.blocks import on_all_cores
from ..fitting.newton import DidNotConverge
from ..measures import calibration_error, ece, sweep_ece
from ..predictions import Predictions
from ..scores import accuracy, brier, nll, observed_expected
from ..vectors.temperature import Temperature
from ..views import View, classwise, top_label, within_top_r
from .verdict import Finding, chance_limit, judge, line, mean_claim, share, warnings_about

Unit = Literal["%", "points", "nats", ""]
Measured = Predictions | View

BEST = "{} lowers the NLL most: `calibrant fit --family {}`, then `calibrant apply`."
LEAVE = "Neither map lowers the NLL: leave the probabilities as they are."


@dataclass(frozen=True)
class Row:
    """One number: of which question, its name, its value as a fraction, how it is shown, and what it means.

    A value of None is undefined or was left out, and `meaning` says why.
    """

    view: str
    name: str
    value: float | None
    unit: Unit
    meaning: str


@dataclass(frozen=True)
class Standing:
    """Scores of predictions, to be set beside those of others; accuracy only where there are classes."""

    name: str
    accuracy: float | None
    nll: float
    brier: float
    ece: float
    ks: float


@dataclass(frozen=True)
class Report:
    """What `report` found, as plain numbers and words: print it, or take `to_dict()`."""

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

    def to_dict(self) -> dict[str, Any]:
        """The report as json holds it; errors are fractions, not points."""
        return asdict(self)

    def __str__(self) -> str:
        from .terminal import page, plain

        return plain(page(self))

    def __rich__(self) -> object:
        from .terminal import page

        return page(self)


def report(x: Measured, *, fit_on: Measured | None = None) -> Report:
    """Measure predictions, or one view, and say in plain words whether they can be trusted.

    With `fit_on`, other rows of the same model, also what Temperature and Smooth fitted on them would mend.

    >>> from calibrant import binary
    >>> report(binary([0.9] * 100, [True] * 60 + [False] * 40)).finding
    'overconfident'
    """
    if not isinstance(x, Predictions | View):
        raise ValueError(f"a report is of Predictions or a View, got {type(x).__name__}; make them with from_probs")
    view = top_label(x) if isinstance(x, Predictions) else x
    if isinstance(x, Predictions):
        rows = [*_scores(x, "Whole vector"), *_claims(view, "Top label"), *_classes(x)]
    else:
        rows = [*_scores(x, f"Claims that {x.event}"), *_claims(view, f"Claims that {x.event}")]
    standings, failures = ((), ()) if fit_on is None else _mend(x, fit_on)
    finding, verdict, advice = judge(view, has_classes=isinstance(x, Predictions))
    if standings:
        best = min(standings, key=lambda each: each.nll)
        advice = BEST.format(best.name, best.name.lower()) if best is not standings[0] else LEAVE
    return Report(
        described(x),
        view.n,
        x.k if isinstance(x, Predictions) else None,
        view.total,
        finding,
        verdict,
        advice,
        tuple(rows),
        standings,
        (*warnings_about(x, view), *failures),
    )


def described(x: Measured) -> str:
    """What the data are, in a few words."""
    weights = x.weights if isinstance(x, Predictions) else x.w
    weighted = "" if weights is None else f", standing for {x.total:,.6g}"
    if isinstance(x, Predictions):
        return f"{x.n:,} rows of {x.k} classes, from {x.kind}{weighted}"
    return f"{x.n:,} claims that {x.event}{weighted}"


def standing(name: str, x: Measured) -> Standing:
    """The scores by which two sets of predictions are compared."""
    share = accuracy(x) if isinstance(x, Predictions) else None
    return Standing(name, share, nll(x), brier(x), ece(x), ks_error(x))


def _scores(x: Measured, view: str) -> Iterator[Row]:
    if isinstance(x, Predictions):
        yield Row(view, "accuracy", accuracy(x), "%", "how often the top label is right")
        yield Row(view, "NLL", nll(x), "nats", "surprise at the truth; less is better")
        yield Row(view, "Brier score", brier(x), "", "squared miss, from 0 (perfect) to 2")
    else:
        yield Row(view, "event rate", share(x), "%", "how often the event happened")
        yield Row(view, "NLL", nll(x), "nats", "surprise at the truth; less is better")
        yield Row(view, "Brier score", brier(x), "", "squared miss, from 0 (perfect) to 1")


def _claims(x: View, view: str) -> Iterator[Row]:
    yield Row(view, "mean confidence", mean_claim(x), "%", "the chance claimed, on average")
    yield Row(view, "ECE", ece(x), "points", "mean gap over 15 bins of equal width")
    yield Row(view, "sweep ECE", sweep_ece(x), "points", "mean gap over as many bins as keep rising")
    yield Row(view, "KS error", ks_error(x), "points", "widest gap of the running sums, no bins")
    yield Row(view, "KS by chance", chance_limit(x), "points", "calibrated claims stay below, 19 in 20")
    yield Row(view, "calibration error", calibration_error(x), "points", "mean gap to a smooth curve of best fit")
    fitted = line(x)
    if isinstance(fitted, str):
        yield Row(view, "slope", None, "", fitted)
        yield Row(view, "intercept", None, "", fitted)
    else:
        yield Row(view, "slope", fitted.slope, "", "1 is right; below it, claims too extreme")
        yield Row(view, "intercept", fitted.intercept, "", "0 is right; log odds added to the slope")
    if mean_claim(x) > 0:
        yield Row(view, "observed/expected", observed_expected(x), "", "1 is right; below it, too much is claimed")
    else:
        yield Row(view, "observed/expected", None, "", "every claim is 0")


def _classes(pred: Predictions) -> Iterator[Row]:
    if pred.k > 2:
        ks = ks_error(within_top_r(pred, 2))
        yield Row("Top two", "KS error", ks, "points", "is the right class one of the top two?")
    view = "Each class against the rest"
    if pred.n * pred.k > MOST_CELLS:
        why = "left out, as it is slow: classwise_ece(x)"
        yield Row(view, "mean ECE", None, "points", why)
        yield Row(view, "mean KS error", None, "points", why)
        return
    views = classwise(pred)
    yield Row(view, "mean ECE", _mean(ece, views), "points", "averaged over classes, most claims near 0")
    yield Row(view, "mean KS error", _mean(ks_error, views), "points", "averaged over classes")


def _mean(measure: Callable[[View], float], views: Sequence[View]) -> float:
    return float(np.mean(on_all_cores(measure, views)))


def _mend(x: Measured, fit_on: Measured) -> tuple[tuple[Standing, ...], tuple[str, ...]]:
    if isinstance(x, Predictions) != isinstance(fit_on, Predictions):
        raise ValueError(f"fit_on must be of the same sort as what is reported on: got {fit_on!r} for {x!r}")
    found, failures = [standing("as they are", x)], []
    for family in (Temperature(), Smooth()):
        try:
            found.append(standing(type(family).__name__, calibrated(family.fit(fit_on), x)))
        except DidNotConverge as error:
            failures.append(f"{type(family).__name__} could not be fitted: {error}.")
    return tuple(found), tuple(failures)
