"""The diagram of smooth ECE: what happened near each claim, blurred by as much as the error itself."""

from dataclasses import dataclass

import numpy as np

from ..fitting.types import Array
from ..inputs.predictions import Predictions
from ..inputs.views import View
from ..measures.smooth_ece import smece as smooth_error
from ..measures.smooth_ece import smoothed
from .claims import Histogram, histogram, one_view

# Of the points that smoothed gives, one in so many is enough for a line.
_EVERY = 8


@dataclass(frozen=True, eq=False)
class Blurred:
    """The share of events `q` of those who claim about `p`, the `density` of claims there, and the kernel's `width`.

    `error` is the smooth ECE. Where nobody claims anything there is no point.
    """

    event: str
    p: Array
    q: Array
    density: Array
    width: float
    error: float
    total: float
    histogram: Histogram


def smece(x: Predictions | View, *, width: float | None = None) -> Blurred:
    """Outcomes blurred by the kernel of smooth ECE, over the range of the claims; `width` as in `calibrant.smece`.

    >>> from calibrant import binary
    >>> round(smece(binary([0.8] * 10, [1] * 6 + [0] * 4)).error, 3)
    0.2
    """
    view = one_view(x)
    found = smoothed(view, width=width)
    claims = view.pool.p
    # A kernel reaches about so far beyond the last claim.
    near = (found.p >= claims[0] - found.width) & (found.p <= claims[-1] + found.width)
    at = np.flatnonzero(near)
    at = np.unique(np.append(at[::_EVERY], at[-1]))
    return Blurred(
        view.event,
        found.p[at],
        found.q[at],
        found.density[at],
        found.width,
        smooth_error(view, width=width),
        view.total,
        histogram(view),
    )
