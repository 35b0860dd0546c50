"""Supposed truths: the chances that claims may really have, at any distance from them."""

from collections.abc import Callable

import numpy as np

from ..families.defaults import ERROR_FAMILY
from ..fitting.types import Array
from ..fitting.weights import weighted_mean
from ..measures.draws import Cells

Truth = list[Array]  # the true chance of every claim, for each view
TruthPath = Callable[[float], Truth]  # the truth at a mean distance from the claims

# Claims that err upwards and downwards by turns, so many, are as hard to see as any truth tested.
_TURNS = 6
_NOWHERE = 1e-9


def truth_paths(parts: list[Cells]) -> tuple[TruthPath, TruthPath]:
    """Truths at a mean distance from the claims: towards the fit, and in waves."""
    return _towards_fit(parts), _in_waves(parts)


def _towards_fit(parts: list[Cells]) -> TruthPath:
    gaps = [_fitted_gap(part) for part in parts]
    pairs = zip(gaps, parts, strict=True)
    lengths = [weighted_mean(np.abs(gap), part.w) for gap, part in pairs]
    length = float(np.mean(lengths))
    if length < _NOWHERE:
        # A fit that leaves all claims as they are points nowhere: they are taken to be too bold.
        gaps = [np.where(part.p < 0.5, 1.0, -1.0) for part in parts]
        length = 1.0

    def truth(distance: float) -> Truth:
        return _moved(parts, gaps, distance / length)

    return truth


def _in_waves(parts: list[Cells]) -> TruthPath:
    waves = [_wave(part.p) for part in parts]

    def truth(distance: float) -> Truth:
        return _moved(parts, waves, distance)

    return truth


def _moved(parts: list[Cells], direction: list[Array], distance: float) -> Truth:
    pairs = zip(parts, direction, strict=True)
    return [part.p + distance * step for part, step in pairs]


def _fitted_gap(part: Cells) -> Array:
    view = part.counted(part.happened)
    fitted = ERROR_FAMILY.fit(view)
    # Every claim stands twice, as one that happened and one that did not.
    once = view[::2]
    return fitted(once) - part.p


def _wave(p: Array) -> Array:
    """Up and down along the angle, which spreads claims near 0 and 1 apart; of mean size one."""
    angle = 2 * np.arcsin(np.sqrt(p))
    return np.pi / 2 * np.cos(_TURNS * angle)
