"""Which claim a monotone map sends to a chance: where to cut raw claims."""

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from ..fitting.types import Array

# Log odds beyond these are chances that no float tells from 0 and 1.
_LIMIT = 40.0
_POINTS = 20_001
_ROUNDING = 1e-9
_HALVINGS = 60


def inverse(of_log_odds: Callable[[Array], Array], q: Array) -> Array:
    """The least claim whose calibrated chance is q or more, by halving between log odds.

    `of_log_odds` is the map; where a larger claim gives a smaller chance there is no inverse.
    """
    grid = np.linspace(-_LIMIT, _LIMIT, _POINTS)
    reached = of_log_odds(grid)
    _refuse_falls(grid, reached)
    # Rounding may have left one in a billion of a fall.
    reached = np.maximum.accumulate(reached)
    highest = reached[-1]
    if not (q <= highest).all():
        raise ValueError(
            f"this map reaches chances from {reached[0]:.6g} to {highest:.6g}, "
            f"got {q.max():.6g}: no claim becomes that"
        )
    place = np.searchsorted(reached, q)
    high = grid[place]
    low = grid[np.maximum(place - 1, 0)]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_enough = of_log_odds(middle) >= q
        high = np.where(is_enough, middle, high)
        low = np.where(is_enough, low, middle)
    # What every claim reaches is reached by a claim of 0.
    return np.where(place == 0, 0.0, expit(high))


def _refuse_falls(grid: Array, reached: Array) -> None:
    falls = np.diff(reached) < -_ROUNDING
    if falls.any():
        place = int(falls.argmax())
        claim, ahead = expit(grid[place : place + 2])
        raise ValueError(
            "only a map that never falls has an inverse: this one sends a claim of "
            f"{claim:.6g} to {reached[place]:.6g} and {ahead:.6g} to {reached[place + 1]:.6g}; "
            "fit a monotone family, such as Isotonic or Platt"
        )
