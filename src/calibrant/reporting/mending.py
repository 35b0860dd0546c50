"""What maps fitted on other rows would mend: scores before and after, the best, and the command that makes it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields

from ..chances.smooth import Smooth
from ..choosing import Families, calibrated
from ..cumulative import ks_error
from ..families import Family, Map, refuse_other
from ..measures import ece
from ..predictions import Predictions
from ..progress import hushed, ticking
from ..scores import accuracy, brier, nll
from ..vectors.one_vs_rest import OneVsRest
from ..vectors.temperature import Temperature
from ..views import View

Measured = Predictions | View

AS_THEY_ARE = "as they are"
USUAL: tuple[Family, ...] = (Temperature(), Smooth())
BEST = "{} lowers the NLL most: `{}`, then `calibrant apply`."
BEST_BY_HAND = "{} lowers the NLL most: `{}`, then `map.apply(pred)`."
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
    failures: tuple[str, ...] = ()
    best: str | None = None
    command: str | None = None
    advice: str | None = None


def standing(name: str, x: Measured) -> Standing:
    """The scores by which two sets of predictions are compared."""
    share = accuracy(x) if isinstance(x, Predictions) else None
    return Standing(name, share, nll(x), brier(x), ece(x), ks_error(x))


def mend(x: Measured, fit_on: Measured, families: Families | None = None) -> Mending:
    """Fit each family on other rows and score what it makes of these; one that cannot be fitted is told of."""
    if isinstance(x, Predictions) != isinstance(fit_on, Predictions):
        raise ValueError(f"fit_on must be of the same sort as what is reported on: got {fit_on!r} for {x!r}")
    named = _named(USUAL if families is None else families)
    standings, maps, failures = [standing(AS_THEY_ARE, x)], dict[str, Map](), []
    with ticking("fitting maps", len(named)) as tick, hushed():
        for name, family in named.items():
            try:
                maps[name] = family.fit(fit_on)
            except ValueError as error:
                failures.append(f"{name} could not be fitted: {error}.")
            else:
                standings.append(standing(name, calibrated(maps[name], x)))
            tick()
    least = min(standings, key=lambda each: each.nll)
    if least is standings[0]:
        advice = LEAVE.format("Neither" if len(maps) == 2 else "No") if maps else NONE
        return Mending(tuple(standings), maps, tuple(failures), None, None, advice)
    short = _command(maps[least.name].family)
    # In a sentence the command is named; where it stands alone it is whole.
    told = BEST if short else BEST_BY_HAND
    command = f"{short} FILE -o map.safetensors" if short else f"map = {maps[least.name].family!r}.fit(fit_on)"
    advice = told.format(least.name, short or command)
    return Mending(tuple(standings), maps, tuple(failures), least.name, command, advice)


def _command(family: Family) -> str | None:
    """The command that fits a family; None for one with settings, which only a program can give."""
    if isinstance(family, OneVsRest):
        return _command(family.family)
    if not _is_plain(family):
        return None
    return f"calibrant fit --family {re.sub(r'(?<=[a-z])(?=[A-Z])', '-', type(family).__name__).lower()}"


def _is_plain(family: Family) -> bool:
    kind: type = type(family)
    return all(each.default is not MISSING for each in fields(kind)) and family == kind()


def _named(families: Families) -> dict[str, Family]:
    if not isinstance(families, Sequence | Mapping) or not families:
        raise ValueError(f"families must be a list, or a dict by name, of at least one family; got {families!r}")
    if not isinstance(families, Mapping):
        families = {_name(family): family for family in families}
    for name, family in families.items():
        refuse_other(f"families[{name!r}]", family, Family)
    return dict(families)


def _name(family: Family) -> str:
    return type(family).__name__ if isinstance(family, Family) and _is_plain(family) else repr(family)
