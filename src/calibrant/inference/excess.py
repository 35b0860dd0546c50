"""What random variation adds to an error, of views: it has to be known to compare two of them."""

import numpy as np

from ..families.defaults import ERROR_FAMILY
from ..fitting.types import Array
from ..inputs.questions import Asked, views_of
from ..measures.draws import Cells, Random, cells, replicates
from .bootstrap import drawn_exclusively, exclusive_events, row_cells
from .measuring import Measure, like, number

_DRAWS = 40


def excess(measure: Measure, x: Asked, seed: int) -> float:
    """How much more than the true error is shown, on average, by as many rows.

    The true chances are taken to be those of a smooth fit: what is added hardly depends on them.
    """
    views = views_of(x)
    is_exclusive = exclusive_events(views)
    parts = row_cells(views) if is_exclusive else [cells(view) for view in views]
    truth = [_fitted(part) for part in parts]
    if is_exclusive:
        total = np.sum(truth, axis=0)
        truth = [chance / total for chance in truth]

    def drawn(_: int, random: Random) -> float:
        if is_exclusive:
            return number(measure, like(x, drawn_exclusively(parts, truth, random)))
        pairs = zip(parts, truth, strict=True)
        return number(measure, like(x, [part.drawn(chance, random) for part, chance in pairs]))

    shown = replicates(drawn, range(_DRAWS), seed)
    pairs = zip(parts, truth, strict=True)
    error = number(measure, like(x, [part.endless(chance) for part, chance in pairs]))
    return float(np.mean(shown)) - error


def _fitted(part: Cells) -> Array:
    """The chance of each claim by the fit, never quite 0, so that one event is left to happen."""
    view = part.counted(part.happened)
    # Every claim stands twice, as one that happened and one that did not.
    chance = ERROR_FAMILY.fit(view)(view[::2])
    return np.clip(chance, 1e-9, 1)
