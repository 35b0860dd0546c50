"""Ranking: families or models side by side on the same rows, and in plain words which is best and why."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..choosing import Contender, Measured, Selection, compare, contender
from ..families.family import Family
from ..families.multiclass.identity import Identity
from ..inputs.predictions import Predictions
from .recalibration import SAME_ROWS, are_same_rows
from .summary import described

DIGITS = 4  # of the NLL, as it is shown: what is equal to them is a tie
SCORES = {"nll": "NLL", "brier": "Brier score"}
BEST = "{} lowers the NLL most, by {}: `calibrant fit --family {}`. To weigh noise as well: `calibrant fit --select`."
LEAVE = "No family lowers the NLL: leave the probabilities as they are."
OTHER_ROWS = (
    "{} has other labels than {}: scores on different rows say little about which model is better."
)


@dataclass(frozen=True)
class Ranking:
    """What was found, as plain numbers and words: rows from the least NLL on, in the order given where it is equal."""

    fitted_on: str | None
    scored_on: str
    has_classes: bool
    rows: tuple[Contender, ...]
    failures: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    words: str

    def to_dict(self) -> dict[str, Any]:
        """The ranking as json holds it; errors are fractions, not points."""
        found = {"best": self.rows[0].name, **asdict(self)}
        if self.fitted_on is None:
            for row in found["rows"]:
                del row["fit_seconds"], row["apply_seconds"]
        return found


def rank_families(fit_on: Measured, test: Measured, families: Mapping[str, Family]) -> Ranking:
    """Families fitted on some rows and scored on others, and the claims as they are among them.

    >>> from calibrant import Isotonic, Temperature, samples
    >>> found = rank_families(*samples.load("c10-resnet18"), {"isotonic": Isotonic(), "temperature": Temperature()})
    >>> found.words  # doctest: +ELLIPSIS
    'temperature lowers the NLL most, by 0.0264: `calibrant fit --family temperature`. ...
    """
    if (_sort(fit_on), _kind(fit_on)) != (_sort(test), _kind(test)):
        got = f"{described(fit_on)}, to fit on and {described(test)}, to score"
        raise ValueError(
            f"rows to fit on and rows to score must come from one model and be alike, got {got}"
        )
    found = compare(fit_on, test, families)
    if len(found.rows) == 1:
        name, why = found.failures[0]
        raise ValueError(f"no family could be compared; {name}: {why}")
    rows, before = _by_nll(found.rows), found.rows[0]
    best, gain = rows[0].name, before.nll - rows[0].nll
    words = LEAVE if rows[0] is before else BEST.format(best, f"{gain:.{DIGITS}f}", best)
    warnings, has_classes = (
        (SAME_ROWS,) if are_same_rows(fit_on, test) else (),
        isinstance(test, Predictions),
    )
    return Ranking(
        described(fit_on), described(test), has_classes, rows, found.failures, warnings, words
    )


def rank_models(models: Sequence[tuple[str, Measured]]) -> Ranking:
    """Models, by name, as they are.

    >>> from calibrant import samples
    >>> found = rank_models([(name, samples.load(name)[1]) for name in ("c10-lenet5", "c10-resnet18")])
    >>> found.words
    'c10-resnet18 has the least NLL, 0.5867 below c10-lenet5.'
    """
    (first, x), *others = models
    for name, other in others:
        if _sort(other) != _sort(x):
            raise ValueError(
                f"models must be of one sort: {first} has rows of {_sort(x)}, {name} of {_sort(other)}"
            )
    rows = _by_nll([contender(name, each) for name, each in models])
    best, second = rows[:2]
    gap = round(second.nll - best.nll, DIGITS)
    words = f"{best.name} has the least NLL, {f'{gap:.{DIGITS}f} below' if gap else 'as low as that of'} {second.name}."
    sharpest = max(rows, key=lambda row: row.accuracy)
    if isinstance(x, Predictions) and sharpest.accuracy > best.accuracy:
        words += (
            f" {sharpest.name} is right most often, {100 * sharpest.accuracy:.2f}% of the time."
        )
    warnings = tuple(
        OTHER_ROWS.format(name, first) for name, other in others if not _has_same_truth(other, x)
    )
    return Ranking(
        None, f"{x.n:,} rows of {_sort(x)}", isinstance(x, Predictions), rows, (), warnings, words
    )


def reason(found: Selection) -> str:
    """Why cross-validation chose what it did."""
    best, score = min(found.rows, key=lambda row: row.score).name, SCORES[found.score]
    stay = " The probabilities stay as they are." if isinstance(found.chosen, Identity) else ""
    if found.name != best:
        near = f"whose held-out {score} is within a standard error of the best, {best}"
        return f"Chose {found.name}: the simplest {near}.{stay}"
    also = (
        "" if found.rows[0].name == best else ", and none simpler is within a standard error of it"
    )
    return f"Chose {best}: its held-out {score} is the least{also}.{stay}"


def _by_nll(rows: Sequence[Contender]) -> tuple[Contender, ...]:
    return tuple(sorted(rows, key=lambda row: round(row.nll, DIGITS)))


def _sort(x: Measured) -> str:
    return f"{x.k} classes" if isinstance(x, Predictions) else "one chance each"


def _kind(x: Measured) -> str | None:
    return x.kind if isinstance(x, Predictions) else None


def _has_same_truth(x: Measured, y: Measured) -> bool:
    if isinstance(x, Predictions) and isinstance(y, Predictions):
        return np.array_equal(_labels(x), _labels(y))
    # Of one chance a row the outcome may be whether the model was right, which is each model's own.
    return x.n == y.n


def _labels(pred: Predictions) -> NDArray[np.str_]:
    """By name, as two files may order their classes differently."""
    return np.array([str(name) for name in pred.classes])[pred.labels]
