"""Tests of whether a model is calibrated: could right claims have shown what is seen?"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtr

from ..fitting.types import Array
from ..inputs.checks import check_argument
from ..inputs.questions import Asked, views_of
from ..inputs.views import Canonical, View
from ..measures.ks import drift
from ..measures.mmce import pair_mean, skce
from ..measures.skce import sign_flips
from .bootstrap import Cells, cells, whole_counts

Method = Literal["ks", "skce", "spiegelhalter"]


class Significance(NamedTuple):
    """How far the outcomes are from the claims, and how often right claims would be as far."""

    statistic: float
    p_value: float


def calibration_test(
    x: Asked | Canonical, *, method: Method = "ks", n_draws: int = 1000, seed: int = 0
) -> Significance:
    """Test that every claim is right: "ks" and "skce" draw outcomes from the claims, `n_draws` times.

    "spiegelhalter" sees only whether claims are too bold or too timid. Of several views the least p-value counts, times
    their number. Whole vectors, `canonical(pred)`, are tested by "skce".

    >>> from calibrant import binary
    >>> p = np.linspace(0.01, 0.99, 400)
    >>> calibration_test(binary(p, p > 0.5)).p_value < 0.01
    True
    """
    check_argument("method", method, Method)
    if not isinstance(n_draws, int | np.integer) or n_draws < 100:
        raise ValueError(f"n_draws must be a whole number, at least 100, got {n_draws!r}")
    if isinstance(x, Canonical):
        if method != "skce":
            raise ValueError(
                f'whole vectors are tested by method="skce", got {method!r}; or ask classwise(pred)'
            )
        return _vectors(x, n_draws, seed)
    found = [_TESTS[method](view, n_draws, seed) for view in views_of(x)]
    statistic, p_value = min(found, key=lambda each: (each.p_value, -abs(each.statistic)))
    return Significance(statistic, min(1.0, len(found) * p_value))


def _ks(view: View, n_draws: int, seed: int) -> Significance:
    def widest(part: Cells, happened: Array) -> Array:
        return np.abs(np.cumsum(happened - part.w * part.p, axis=-1)).max(-1)

    return Significance(
        float(np.abs(drift(view)[1]).max()), _share_beyond(view, widest, n_draws, seed)
    )


def _skce(view: View, n_draws: int, seed: int) -> Significance:
    def alike(part: Cells, happened: Array) -> Array:
        return pair_mean(part.p, part.w, happened)

    return Significance(skce(view), _share_beyond(view, alike, n_draws, seed))


def _vectors(view: Canonical, n_draws: int, seed: int) -> Significance:
    seen, flipped = sign_flips(view, n_draws, seed)
    return Significance(seen, _p_value(seen, flipped, view.total))


def _share_beyond(
    view: View, statistic: Callable[[Cells, Array], Array], n_draws: int, seed: int
) -> float:
    """The p-value by outcomes drawn from the claims."""
    part = cells(view)
    rows = whole_counts(part.w)
    draws = np.random.default_rng(seed).binomial(rows, part.p, (n_draws, len(part.p))) * (
        part.w / rows
    )
    return _p_value(
        float(statistic(part, part.happened)), statistic(part, draws), float(part.w.sum())
    )


def _p_value(seen: float, drawn: Array, total: float) -> float:
    """How many draws, and the one seen, are no less far off than it."""
    # Sums in another order differ in the last digits: what is equal must not count as less.
    as_far = drawn >= seen - 1e-12 * max(abs(seen), total**-2)
    return float((1 + as_far.sum()) / (1 + len(drawn)))


def _spiegelhalter(view: View, n_draws: int, seed: int) -> Significance:  # noqa: ARG001 - it has no need of draws
    p, w, happened = view.pool
    off = (happened - w * p) @ (1 - 2 * p)
    variance = w @ ((1 - 2 * p) ** 2 * p * (1 - p))
    # Claims of 0, 1/2 and 1 alone leave no room for chance: what happened is as claimed, or cannot have been.
    z = float(off / np.sqrt(variance) if variance > 0 else np.copysign(np.inf, off) if off else 0.0)
    return Significance(z, float(2 * ndtr(-abs(z))))


_TESTS: dict[Method, Callable[[View, int, int], Significance]] = {
    "ks": _ks,
    "skce": _skce,
    "spiegelhalter": _spiegelhalter,
}
