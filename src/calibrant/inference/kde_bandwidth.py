"""The bandwidth that kernel errors take, and where it lies among those to choose from."""

from typing import NamedTuple

from ..families.binary.kernel import Bandwidth, bandwidth_for, check_bandwidth
from ..fitting.bandwidths import place_among
from ..fitting.beta_kernel import floored
from ..inputs.predictions import Predictions
from ..inputs.questions import views_of
from ..inputs.views import Canonical, View
from ..measures.kde import vector_bandwidth, vectors_of


class KernelBandwidth(NamedTuple):
    """A bandwidth; `note` is empty unless it lies at an end of those tried or beyond the usual."""

    value: float
    note: str


def kde_bandwidth(
    x: Predictions | View | Canonical,
    *,
    bandwidth: Bandwidth = None,
) -> KernelBandwidth:
    """What `kde_error` chooses: of one chance, or of whole vectors, `canonical(pred)`.

    The usual ones are those of Popordanoska et al. 2022, from 1e-5 to 1; where the narrowest of
    them is best, narrower ones are tried, to 1e-8.

    >>> from calibrant import simulate
    >>> view = simulate.task("square", 0.1).sample(1000, seed=0).view
    >>> found = kde_bandwidth(view, bandwidth="rule")
    >>> round(found.value, 3), found.note
    (0.036, '')
    """
    check_bandwidth(bandwidth)
    if isinstance(x, Canonical):
        value = vector_bandwidth(vectors_of(x.pred), bandwidth)
        return KernelBandwidth(value, place_among(value))
    views = views_of(x)
    if len(views) != 1:
        rule = "a bandwidth is of one view or of canonical(pred)"
        raise ValueError(f"{rule}, got {len(views)} views; ask of each")
    value = bandwidth_for(floored(views[0].odds_pool), bandwidth)
    return KernelBandwidth(value, place_among(value))
