"""Bands for a calibration curve, claim by claim: what a calibrated model would show, and where the truth may lie."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..families.binary.smooth import Shift
from ..families.family import Family
from ..fitting.types import Array
from ..inputs.checks import chances
from ..inputs.questions import binary
from ..inputs.views import View
from ..progress import progress
from .bootstrap import Random, cells, replicates


class Band(NamedTuple):
    """The lower and the upper edge, at each claim asked of."""

    low: Array
    high: Array


def consistency_band(
    view: View,
    family: Family,
    at: ArrayLike,
    *,
    level: float = 0.95,
    n_boot: int = 200,
    seed: int = 0,
) -> Band:
    """Between which chances the fitted map would lie at claims `at`, if all claims of the view were right.

    >>> from calibrant import Binned
    >>> low, high = consistency_band(binary([0.8] * 100, [1] * 60 + [0] * 40), Binned(5, slope=0), [0.8])
    >>> bool(0.6 < low[0] < 0.8 < high[0])
    True
    """
    part = cells(view)
    return _of_fits(lambda random: part.drawn(part.p, random), family, at, level, n_boot, seed)


def confidence_band(
    view: View,
    family: Family,
    at: ArrayLike,
    *,
    level: float = 0.95,
    n_boot: int = 200,
    seed: int = 0,
) -> Band:
    """Between which chances the map, as `family` fits it, lies at claims `at`: from rows drawn again.

    For Smooth it is the truth's own posterior band, which needs no draws.

    >>> from calibrant import Binned
    >>> low, high = confidence_band(binary([0.8] * 100, [1] * 60 + [0] * 40), Binned(5, slope=0), [0.8])
    >>> bool(low[0] < 0.6 < high[0] < 0.8)
    True
    """
    p = chances(at, "at")
    rule = family.fit(view).rule
    if isinstance(rule, Shift):
        return Band(*rule.band(binary(p, np.zeros(len(p), np.bool_)), level=level))
    part = cells(view)
    return _of_fits(
        lambda random: part.drawn(part.happened / part.w, random), family, p, level, n_boot, seed
    )


def _of_fits(
    draw: Callable[[Random], View],
    family: Family,
    at: ArrayLike,
    level: float,
    n_boot: int,
    seed: int,
) -> Band:
    p = chances(at, "at")
    if not isinstance(n_boot, int | np.integer) or n_boot < 2:
        raise ValueError(f"n_boot must be a whole number, at least 2, got {n_boot!r}")
    with progress("fitting again", n_boot) as tick:
        curves = replicates(
            lambda _, random: family.fit(draw(random))(p), range(n_boot), seed, tick
        )
    low, high = np.quantile(np.clip(curves, 0, 1), [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Band(low, high)
