"""What maps fitted on other rows would mend: scores before and after, the best, and the command that makes it."""

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..choosing import AS_THEY_ARE, Families, Measured, calibrated, named_families
from ..families.binary.smooth import Smooth
from ..families.family import Family, Map
from ..families.multiclass.one_vs_rest import OneVsRest
from ..families.multiclass.temperature import Temperature
from ..inputs.predictions import Predictions
from ..measures.errors import ece
from ..measures.ks import ks_error
from ..measures.scores import accuracy, brier, nll
from ..progress import progress, quiet

USUAL: tuple[Family, ...] = (Temperature(), Smooth())
BEST = "{} lowers the NLL most: `{}`, then `calibrant apply`."
BEST_BY_HAND = "{} lowers the NLL most: `{}`, then `{}`."
SAME_ROWS = "These are the rows that the families were fitted on: rich families look better here than they are."
LEAVE = "{} map lowers the NLL: leave the probabilities as they are."
NONE = "No map could be fitted, so nothing is known of what would mend these probabilities."


@dataclass(frozen=True)
class Standing:
    """Scores of predictions, to be set beside those of others; accuracy only where there are classes."""

    name: str
    accuracy: float | None
    nll: float
    brier: float
    ece: float
    ks: float


@dataclass(frozen=True, eq=False)
class Mending:
    """Scores as they are and after each map, the maps by name, the best of them, and what to do next in words.

    `best` is None where no map lowers the NLL, and `command` with it. With no rows to fit on it is empty.
    """

    standings: tuple[Standing, ...] = ()
    maps: Mapping[str, Map] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    best: str | None = None
    command: str | None = None
    advice: str | None = None


def standing(name: str, x: Measured) -> Standing:
    """The scores by which two sets of predictions are compared."""
    share = accuracy(x) if isinstance(x, Predictions) else None
    return Standing(name, share, nll(x), brier(x), ece(x), ks_error(x))


def mend(x: Measured, fit_on: Measured, families: Families | None = None) -> Mending:
    """Fit each family on other rows and score what it makes of these; one that cannot be fitted is told of."""
    if type(fit_on) is not type(x):
        got = (
            f"got {type(fit_on).__name__} for {type(x).__name__}; give other rows of the same model"
        )
        raise ValueError(f"fit_on must be of the same sort as what is reported on: {got}")
    named = named_families(USUAL if families is None else families, _name)
    standings, maps = [standing(AS_THEY_ARE, x)], dict[str, Map]()
    notes = [SAME_ROWS] if are_same_rows(fit_on, x) else []
    with progress("fitting maps", len(named)) as tick, quiet():
        for name, family in named.items():
            try:
                maps[name] = family.fit(fit_on)
            except ValueError as error:
                notes.append(f"{name} could not be fitted: {error}.")
            else:
                standings.append(standing(name, calibrated(maps[name], x)))
            tick()
    least = min(standings, key=lambda each: each.nll)
    if least is standings[0]:
        advice = LEAVE.format("Neither" if len(maps) == 2 else "No") if maps else NONE
        return Mending(tuple(standings), maps, tuple(notes), None, None, advice)
    short = _command(maps[least.name].family)
    # In a sentence the command is named; where it stands alone it is whole.
    apply = "map.apply(pred)" if isinstance(x, Predictions) else "map(view)"
    command = (
        f"{short} FILE -o map.safetensors"
        if short
        else f"map = {maps[least.name].family!r}.fit(fit_on)"
    )
    advice = (
        BEST.format(least.name, short) if short else BEST_BY_HAND.format(least.name, command, apply)
    )
    return Mending(tuple(standings), maps, tuple(notes), least.name, command, advice)


def _command(family: Family) -> str | None:
    """The command that fits a family; None for one with settings, which only a program can give."""
    if isinstance(family, OneVsRest):
        return _command(family.family)
    if not _is_plain(family):
        return None
    return f"calibrant fit --family {in_hyphens(type(family).__name__)}"


def _is_plain(family: Family) -> bool:
    kind: type = type(family)
    return all(each.default is not MISSING for each in fields(kind)) and family == kind()


def in_hyphens(name: str) -> str:
    """The name of a class as the command has it: order-preserving.

    >>> in_hyphens("VennAbers"), in_hyphens("BBQ")
    ('venn-abers', 'bbq')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


def are_same_rows(fit_on: Measured, x: Measured) -> bool:
    """Whether claims and outcomes of both are equal, row by row."""
    return all(map(np.array_equal, _claims_and_outcomes(fit_on), _claims_and_outcomes(x)))


def _claims_and_outcomes(x: Measured) -> tuple[NDArray[Any], NDArray[Any]]:
    return (x.values, x.labels) if isinstance(x, Predictions) else (x.p, x.y)


def _name(family: Family) -> str:
    return (
        type(family).__name__ if isinstance(family, Family) and _is_plain(family) else repr(family)
    )
