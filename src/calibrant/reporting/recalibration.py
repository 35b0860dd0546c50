"""What maps fitted on other rows would mend: scores before and after, and the best of the maps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..choosing import AS_THEY_ARE, Families, named_families
from ..families.defaults import REPORT_FAMILIES
from ..families.family import Family
from ..families.maps import Map
from ..families.names import family_of, name_of
from ..fitting.types import Array
from ..fitting.weights import weighted_sum
from ..inputs.predictions import Predictions
from ..inputs.views import Data
from ..measures.errors import ece
from ..measures.ks import ks_error
from ..measures.rows import weights_of
from ..measures.scores import accuracy, brier, nll, row_losses
from ..progress import progress, quiet
from .first_question import first_view

BEST = "{} lowers the NLL most: `{}`, then `{}`."
LEAVE = "{} map lowers the NLL: leave the probabilities as they are."
NONE = "No map could be fitted, so nothing is known of what would mend these probabilities."
SAME_ROWS = (
    "These are the rows that the families were fitted on: "
    "rich families look better here than they are."
)


@dataclass(frozen=True)
class ScoreRow:
    """Scores of predictions, to be set beside those of others; accuracy only of classes."""

    name: str
    accuracy: float | None
    nll: float
    brier: float
    ece: float
    ks: float


@dataclass(frozen=True, eq=False)
class Recalibration:
    """Scores as they are and after each map, the maps by name, and the best of them.

    `best` is None where no map lowers the NLL, and `command` with it. `gain` is by how much the
    best lowers it, `gain_error` the standard error of that. `advice` says in words what to do next.
    With no rows to fit on all of it is empty.
    """

    standings: tuple[ScoreRow, ...] = ()
    maps: Mapping[str, Map] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    best: str | None = None
    command: str | None = None
    advice: str | None = None
    gain: float = 0.0
    gain_error: float = 0.0

    @property
    def is_clear(self) -> bool:
        """Whether the best map gains more than two standard errors."""
        return self.best is not None and self.gain > 2 * self.gain_error

    @property
    def neither(self) -> str:
        """None of the maps, in a word."""
        return "Neither" if len(self.maps) == 2 else "No"


def score_row(name: str, x: Data) -> ScoreRow:
    """The scores by which two sets of predictions are compared."""
    view = first_view(x)
    right = accuracy(x) if isinstance(x, Predictions) else None
    return ScoreRow(name, right, nll(x), brier(x), ece(view), ks_error(view))


def recalibrate(x: Data, fit_on: Data, families: Families | None = None) -> Recalibration:
    """Fit each family on other rows and score what it makes of these.

    A family that cannot be fitted is told of in the notes.
    """
    _check_sort(x, fit_on)
    named = named_families(REPORT_FAMILIES if families is None else families, name_of)
    is_held_out = not are_same_rows(fit_on, x)
    notes = [] if is_held_out else [SAME_ROWS]
    before = score_row(AS_THEY_ARE, x)
    standings = [before]
    maps: dict[str, Map] = {}
    losses: dict[str, Array] = {}
    with progress("fitting maps", len(named)) as tick, quiet():
        for name, family in named.items():
            try:
                maps[name] = family.fit(fit_on)
            except ValueError as error:
                notes.append(f"{name} could not be fitted: {error}.")
            else:
                mended = maps[name].apply(x)
                standings.append(score_row(name, mended))
                losses[name] = row_losses(mended, "nll")
            tick()
    least = min(standings, key=attrgetter("nll"))
    if least is before:
        return Recalibration(tuple(standings), maps, tuple(notes), advice=_why_none(len(maps)))
    command, advice = _next_step(least.name, named[least.name], x)
    gain, gain_error = _gain(x, losses[least.name]) if is_held_out else (0.0, 0.0)
    return Recalibration(
        tuple(standings), maps, tuple(notes), least.name, command, advice, gain, gain_error
    )


def fit_command(family: Family) -> str | None:
    """The command that fits a family; None for one that the command does not know.

    >>> from calibrant import Temperature
    >>> fit_command(Temperature())
    'calibrant fit --family temperature'
    """
    name = name_of(family)
    try:
        is_known = family_of(name) == family
    except ValueError:
        is_known = False
    return f"calibrant fit --family {quote(name)}" if is_known else None


def are_same_rows(fit_on: Data, x: Data) -> bool:
    """Whether claims and outcomes of both are equal, row by row."""
    pairs = zip(_claims_and_outcomes(fit_on), _claims_and_outcomes(x), strict=True)
    return all(np.array_equal(one, other) for one, other in pairs)


def _claims_and_outcomes(x: Data) -> tuple[NDArray[Any], NDArray[Any]]:
    return (x.values, x.labels) if isinstance(x, Predictions) else (x.p, x.y)


def _gain(x: Data, losses: Array) -> tuple[float, float]:
    """By how much a map lowers the NLL, and the standard error of that, row by row."""
    gains = row_losses(x, "nll") - losses
    w = weights_of(x)
    total = float(weighted_sum(np.ones(x.n), w))
    mean = float(weighted_sum(gains, w)) / total
    variance = float(weighted_sum((gains - mean) ** 2, w)) / total
    return mean, float(np.sqrt(variance / total))


def _check_sort(x: Data, fit_on: Data) -> None:
    if type(fit_on) is not type(x):
        raise ValueError(
            "fit_on must be of the same sort as what is reported on: "
            f"got {type(fit_on).__name__} for {type(x).__name__}; "
            "give other rows of the same model"
        )


def _why_none(n_maps: int) -> str:
    if n_maps == 0:
        return NONE
    return LEAVE.format("Neither" if n_maps == 2 else "No")


def _next_step(name: str, family: Family, x: Data) -> tuple[str, str]:
    """What makes the best map, and the sentence that says so."""
    short = fit_command(family)
    if short is None:
        made = f"map = {family!r}.fit(fit_on)"
        applied = "map.apply(pred)" if isinstance(x, Predictions) else "map(view)"
        return made, BEST.format(name, made, applied)
    # In a sentence the command is named; where it stands alone it is whole.
    advice = BEST.format(name, short, "calibrant apply")
    return f"{short} FILE -o map.safetensors", advice
