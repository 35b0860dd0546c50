"""Tests of whether a model is calibrated: could right claims have shown what is seen?"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy.special import ndtr

from ..fitting.types import Array
from ..inputs.checks import check_argument
from ..inputs.habits import takes_one
from ..inputs.questions import Scored, views_of
from ..inputs.views import Canonical, View
from ..measures.draws import Cells, cells
from ..measures.ks import widest_gap
from ..measures.rows import whole_counts
from ..measures.skce import pair_mean, skce
from ..measures.vector_pairs import sign_flips
from .evidence import log_evidence
from .hosmer_lemeshow import hosmer_lemeshow
from .running_sums import PATH_95, kuiper
from .significance import Significance

Method = Literal["smooth", "ks", "skce", "spiegelhalter", "kuiper", "hosmer-lemeshow"]
Statistic = Callable[[Array], Array]  # of how many claims of each cell came true


Test = Callable[[View, int, int], Significance]


@takes_one
def calibration_test(
    x: Scored,
    *,
    method: Method = "smooth",
    n_draws: int = 1000,
    seed: int = 0,
) -> Significance:
    """Test that every claim is right.

    "smooth" takes the evidence for the curves of `Smooth` over that for the claims as they are; its
    statistic is the log of their ratio. It, "ks" and "skce" draw outcomes from the claims, "kuiper"
    and "hosmer-lemeshow" have closed p-values, and "spiegelhalter" sees only whether claims are too
    bold or too timid. Of several views the least p-value counts, times their number. Whole vectors,
    `canonical(pred)`, are tested by "skce". Of fractional outcomes tests are conservative.

    >>> from calibrant import binary
    >>> p = np.linspace(0.01, 0.99, 400)
    >>> calibration_test(binary(p, p > 0.5)).p_value < 0.01
    True
    """
    check_argument("method", method, Method)
    is_whole = isinstance(n_draws, int | np.integer)
    if not is_whole or n_draws < 100:
        raise ValueError(f"n_draws must be a whole number, at least 100, got {n_draws!r}")
    if isinstance(x, Canonical):
        return _vectors(x, method, n_draws, seed)
    test = _TESTS[method]
    found = [test(view, n_draws, seed) for view in views_of(x)]
    worst = min(found, key=_by_evidence)
    p_value = len(found) * worst.p_value
    return Significance(worst.statistic, min(1.0, p_value))


def ks_limit(view: View) -> float:
    """The KS error that right claims such as these stay below 19 times in 20."""
    return PATH_95 * _standard_error(view)


def _standard_error(view: View) -> float:
    """Standard deviation of the mean outcome if every claim were right."""
    p, w, _ = view.pool
    variance = w @ (p * (1 - p))
    return float(np.sqrt(variance)) / view.total


def _by_evidence(found: Significance) -> tuple[float, float]:
    return found.p_value, -abs(found.statistic)


def _smooth(view: View, n_draws: int, seed: int) -> Significance:
    part = cells(view)
    evidence = log_evidence(part)
    return _by_draws(part, evidence, n_draws, seed)


def _ks(view: View, n_draws: int, seed: int) -> Significance:
    part = cells(view)
    claimed = part.w * part.read

    def widest(happened: Array) -> Array:
        drift = np.cumsum(happened - claimed, axis=-1)
        return np.abs(drift).max(-1)

    found = _by_draws(part, widest, n_draws, seed)
    return Significance(widest_gap(view), found.p_value)


def _skce(view: View, n_draws: int, seed: int) -> Significance:
    part = cells(view)

    def alike(happened: Array) -> Array:
        return pair_mean(part.read, part.w, happened)

    found = _by_draws(part, alike, n_draws, seed)
    return Significance(skce(view), found.p_value)


def _vectors(view: Canonical, method: Method, n_draws: int, seed: int) -> Significance:
    if method != "skce":
        rule = f'whole vectors are tested by method="skce", got {method!r}'
        raise ValueError(f"{rule}; or ask classwise(pred)")
    seen, flipped = sign_flips(view, n_draws, seed)
    p_value = _p_value(seen, flipped, view.total)
    return Significance(seen, p_value)


def _spiegelhalter(view: View, n_draws: int, seed: int) -> Significance:  # noqa: ARG001 - no draws
    p, w, happened = view.pool
    timidity = 1 - 2 * p
    residual = happened - w * p
    off = float(residual @ timidity)
    variances = timidity**2 * p * (1 - p)
    variance = float(w @ variances)
    z = _z_score(off, variance)
    p_value = 2 * ndtr(-abs(z))
    return Significance(z, float(p_value))


def _z_score(off: float, variance: float) -> float:
    if variance > 0:
        return off / float(np.sqrt(variance))
    # Claims of 0, 1/2 and 1 alone do not vary: outcomes are as claimed, or cannot have been.
    if off == 0:
        return 0.0
    return float(np.copysign(np.inf, off))


def _by_draws(part: Cells, statistic: Statistic, n_draws: int, seed: int) -> Significance:
    """The statistic, and its p-value by outcomes drawn from the claims."""
    rows = whole_counts(part.w)
    random = np.random.default_rng(seed)
    happened = random.binomial(rows, part.read, (n_draws, len(rows)))
    seen = float(statistic(part.happened))
    drawn = statistic(happened * (part.w / rows))
    total = float(part.w.sum())
    return Significance(seen, _p_value(seen, drawn, total))


def _p_value(seen: float, drawn: Array, total: float) -> float:
    """How many draws, and the one seen, are no less far off than it."""
    # Sums in another order differ in the last digits: what is equal must not count as less.
    scale = max(abs(seen), total**-2)
    rounding = 1e-12 * scale
    as_far = drawn >= seen - rounding
    n_as_far = 1 + as_far.sum()
    return float(n_as_far / (1 + len(drawn)))


def _without_draws(test: Callable[[View], Significance]) -> Test:
    def of_view(view: View, n_draws: int, seed: int) -> Significance:  # noqa: ARG001 - no draws
        return test(view)

    return of_view


_TESTS: dict[Method, Test] = {
    "smooth": _smooth,
    "ks": _ks,
    "skce": _skce,
    "spiegelhalter": _spiegelhalter,
    "kuiper": _without_draws(kuiper),
    "hosmer-lemeshow": _without_draws(hosmer_lemeshow),
}
