"""The diagram of smooth ECE: what happened near each claim, by a kernel as wide as the error."""

from dataclasses import dataclass

import numpy as np

from ..fitting.types import Array, Ints
from ..inputs.predictions import Predictions
from ..inputs.views import View
from ..measures.smooth_ece import Smoothed, smoothed
from ..measures.smooth_ece import smece as smooth_error
from .claims import Histogram, histogram, one_view
from .drawn import Drawn

# Of the points that smoothed gives, one in so many is enough for a line.
_EVERY = 8


@dataclass(frozen=True, eq=False)
class SmoothECE(Drawn):
    """The share of events `q` near claims of `p`, their `density`, and the kernel's `width`.

    `error` is the smooth ECE. Where nobody claims anything there is no point.
    """

    drawn_by = "smece"

    event: str
    p: Array
    q: Array
    density: Array
    width: float
    error: float
    total: float
    histogram: Histogram


def smece(x: Predictions | View, *, width: float | None = None) -> SmoothECE:
    """Outcomes smoothed by the kernel of smooth ECE, over the range of the claims.

    `width` is as in `calibrant.smece`.

    >>> from calibrant import binary
    >>> round(smece(binary([0.8] * 10, [1] * 6 + [0] * 4)).error, 3)
    0.2
    """
    view = one_view(x)
    found = smoothed(view, width=width)
    at = _kept(found, view.pool.p)
    return SmoothECE(
        event=view.event,
        p=found.p[at],
        q=found.q[at],
        density=found.density[at],
        width=found.width,
        error=smooth_error(view, width=width),
        total=view.total,
        histogram=histogram(view),
    )


def _kept(found: Smoothed, claims: Array) -> Ints:
    """Places of the points to show: as far as a kernel reaches beyond the first and last claim."""
    from_first = found.p >= claims[0] - found.width
    to_last = found.p <= claims[-1] + found.width
    near = np.flatnonzero(from_first & to_last)
    return np.unique(np.append(near[::_EVERY], near[-1]))
