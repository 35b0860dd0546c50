"""Families or models side by side on the same rows, and in plain words which is best and why."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..choosing import BLEND, compare
from ..contenders import Contender, Selection, contender
from ..families.family import Family
from ..families.multiclass.identity import Identity
from ..inputs.labels import are_shares
from ..inputs.predictions import Predictions
from ..inputs.views import Data
from .data_summary import data_in_words
from .recalibration import SAME_ROWS, are_same_rows, fit_command

DIGITS = 4  # of the NLL, as it is shown: what is equal to them is a tie
SCORES = {"nll": "NLL", "brier": "Brier score"}
BEST_FAMILY = "{} lowers the NLL most, by {}{}. To weigh noise as well: `calibrant fit --select`."
NO_FAMILY = "No family lowers the NLL: leave the probabilities as they are."
OTHER_ROWS = (
    "{} has other labels than {}: scores on different rows say little about which model is better."
)
BLENDED = (
    "each weighs by how likely it makes held-out rows, where that is e times as likely as every "
    "simpler one does, and the best mixture of all counts as one more."
)
NO_GAIN = "the blend that the others weigh to does not make held-out rows e times as likely."
ALONE = "nine tenths of the weight or all is its own, by how likely held-out rows are."


@dataclass(frozen=True)
class Ranking:
    """What was found: rows from the least NLL on, in the order given where it is equal."""

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


def rank_families(fit_on: Data, test: Data, families: Mapping[str, Family]) -> Ranking:
    """Families fitted on some rows and scored on others, and the claims as they are among them.

    >>> from calibrant import Isotonic, Temperature, samples
    >>> families = {"isotonic": Isotonic(), "temperature": Temperature()}
    >>> rank_families(*samples.load("c10-resnet18"), families).words  # doctest: +ELLIPSIS
    'temperature lowers the NLL most, by 0.0264: `calibrant fit --family temperature`. ...
    """
    _check_alike(fit_on, test)
    found = compare(fit_on, test, families)
    before = found.rows[0]
    if len(found.rows) == 1:
        name, why = found.failures[0]
        raise ValueError(f"no family could be compared; {name}: {why}")
    rows = _by_nll(found.rows)
    best = rows[0]
    words = NO_FAMILY
    if best is not before:
        words = _best_family(best, families[best.name], before.nll - best.nll)
    return Ranking(
        fitted_on=data_in_words(fit_on),
        scored_on=data_in_words(test),
        has_classes=isinstance(test, Predictions),
        rows=rows,
        failures=found.failures,
        warnings=(SAME_ROWS,) if are_same_rows(fit_on, test) else (),
        words=words,
    )


def rank_models(models: Sequence[tuple[str, Data]]) -> Ranking:
    """Models, by name, as they are.

    >>> from calibrant import samples
    >>> names = ("c10-lenet5", "c10-resnet18")
    >>> rank_models([(name, samples.load(name)[1]) for name in names]).words
    'c10-resnet18 has the least NLL, 0.5867 below c10-lenet5.'
    """
    (first, x), *others = models
    for name, other in others:
        if _sort(other) != _sort(x):
            raise ValueError(
                f"models must be of one sort: {first} has rows of {_sort(x)}, "
                f"{name} of {_sort(other)}"
            )
    strangers = [name for name, other in others if not _has_same_truth(other, x)]
    rows = _by_nll([contender(name, each) for name, each in models])
    has_classes = isinstance(x, Predictions)
    return Ranking(
        fitted_on=None,
        scored_on=f"{x.n:,} rows of {_sort(x)}",
        has_classes=has_classes,
        rows=rows,
        failures=(),
        warnings=tuple(OTHER_ROWS.format(name, first) for name in strangers),
        words=_best_model(rows, has_classes=has_classes),
    )


def reason(found: Selection) -> str:
    """Why cross-validation chose what it did."""
    best = min(found.rows, key=attrgetter("score")).name
    score = SCORES[found.score]
    stay = " The probabilities stay as they are." if isinstance(found.chosen, Identity) else ""
    if found.rows[0].share is not None:
        return f"{_by_weight(found)}{stay}"
    if found.name != best:
        near = f"whose held-out {score} is within a standard error of the best, {best}"
        return f"Chose {found.name}: the simplest {near}.{stay}"
    has_simpler = found.rows[0].name != best
    also = ", and none simpler is within a standard error of it" if has_simpler else ""
    return f"Chose {best}: its held-out {score} is the least{also}.{stay}"


def _by_weight(found: Selection) -> str:
    """Why families have the shares that they have."""
    why = BLENDED if found.name == BLEND else ALONE
    if isinstance(found.chosen, Identity):
        why = NO_GAIN
    return f"Chose {found.name}: {why}"


def _check_alike(fit_on: Data, test: Data) -> None:
    if _sort(fit_on) != _sort(test) or _kind(fit_on) != _kind(test):
        raise ValueError(
            "rows to fit on and rows to score must come from one model and be alike, "
            f"got {_in_full(fit_on)}, to fit on and {_in_full(test)}, to score"
        )


def _in_full(x: Data) -> str:
    kind = _kind(x)
    return data_in_words(x) if kind is None else f"{data_in_words(x)}, as {kind}"


def _best_family(best: Contender, family: Family, gain: float) -> str:
    command = fit_command(family)
    told = "" if command is None else f": `{command}`"
    return BEST_FAMILY.format(best.name, f"{gain:.{DIGITS}f}", told)


def _best_model(rows: Sequence[Contender], *, has_classes: bool) -> str:
    best, second = rows[:2]
    gap = round(second.nll - best.nll, DIGITS)
    ahead = f"{gap:.{DIGITS}f} below" if gap else "as low as that of"
    words = f"{best.name} has the least NLL, {ahead} {second.name}."
    sharpest = max(rows, key=attrgetter("accuracy"))
    if not has_classes or sharpest.accuracy <= best.accuracy:
        return words
    share = f"{100 * sharpest.accuracy:.2f}%"
    return f"{words} {sharpest.name} is right most often, {share} of the time."


def _by_nll(rows: Sequence[Contender]) -> tuple[Contender, ...]:
    def shown_nll(row: Contender) -> float:
        return round(row.nll, DIGITS)

    return tuple(sorted(rows, key=shown_nll))


def _sort(x: Data) -> str:
    return f"{x.k} classes" if isinstance(x, Predictions) else "one chance each"


def _kind(x: Data) -> str | None:
    return x.kind if isinstance(x, Predictions) else None


def _has_same_truth(x: Data, other: Data) -> bool:
    if isinstance(x, Predictions) and isinstance(other, Predictions):
        return np.array_equal(_label_names(x), _label_names(other))
    # Of one chance a row the outcome may be whether the model was right, which is each model's own.
    return x.n == other.n


def _label_names(pred: Predictions) -> NDArray[np.str_]:
    """By name, as two files may order their classes differently."""
    names = np.array([str(name) for name in pred.classes])
    if are_shares(pred.labels):
        return pred.labels[:, np.argsort(names)].astype(np.str_)
    return names[pred.labels]
