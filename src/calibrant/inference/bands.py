"""Bands for a calibration curve: what right claims would show, and where the truth may lie."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..families.family import Family
from ..families.names import family_of
from ..fitting.types import Array
from ..inputs.checks import checked_chances
from ..inputs.questions import binary, only_view
from ..inputs.views import View
from ..measures.draws import Cells, Random, cells, replicates
from ..progress import progress
from .measuring import middle
from .memory import Memory


class Band(NamedTuple):
    """The lower and the upper edge, at each claim asked of."""

    low: Array
    high: Array


def consistency_band(
    view: View,
    family: Family | str,
    at: ArrayLike,
    *,
    level: float = 0.95,
    n_boot: int = 200,
    seed: int = 0,
) -> Band:
    """Between which chances the fitted map would lie at claims `at`, if all claims were right.

    >>> from calibrant import Binned
    >>> view = binary([0.8] * 100, [1] * 60 + [0] * 40)
    >>> low, high = consistency_band(view, Binned(5, slope=0), [0.8])
    >>> bool(0.6 < low[0] < 0.8 < high[0])
    True
    """
    family = family_of(family)
    part = cells(only_view(view))
    curves = _refitted(part, part.p, family, checked_chances(at, "at"), n_boot, seed)
    return _quantiles(curves, level)


def confidence_band(
    view: View,
    family: Family | str,
    at: ArrayLike,
    *,
    level: float = 0.95,
    n_boot: int = 200,
    seed: int = 0,
) -> Band:
    """Between which chances the map, as `family` fits it, lies at claims `at`: by the bootstrap.

    Where the fitted rule knows its own band, as Smooth's does, it needs no draws.

    >>> from calibrant import Binned
    >>> view = binary([0.8] * 100, [1] * 60 + [0] * 40)
    >>> low, high = confidence_band(view, Binned(5, slope=0), [0.8])
    >>> bool(low[0] < 0.6 < high[0] < 0.8)
    True
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, such as 0.95; got {level!r}")
    view = only_view(view)
    family = family_of(family)
    p = checked_chances(at, "at")
    own = family.fit(view).rule.band(binary(p, np.zeros(len(p), np.bool_)), level)
    if own is not None:
        return Band(*own)
    part = cells(view)
    curves = _refitted(part, part.happened / part.w, family, p, n_boot, seed)
    return _quantiles(curves, level)


def _refitted(
    part: Cells,
    truth: Array,
    family: Family,
    p: Array,
    n_boot: int,
    seed: int,
) -> list[Array]:
    """What maps fitted to samples from a truth give at claims p."""
    if not isinstance(n_boot, int | np.integer) or n_boot < 2:
        raise ValueError(f"n_boot must be a whole number, at least 2, got {n_boot!r}")
    memory = Memory[Array]()

    def curve(_: int, random: Random) -> Array:
        view = part.drawn(truth, random)
        return memory.of([view], lambda: family.fit_curve(view)(p))

    with progress("fitting again", n_boot) as tick:
        return replicates(curve, range(n_boot), seed, tick)


def _quantiles(curves: list[Array], level: float) -> Band:
    low, high = np.quantile(np.clip(curves, 0, 1), middle(level), axis=0)
    return Band(low, high)
