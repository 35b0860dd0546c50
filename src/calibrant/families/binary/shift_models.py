"""What a shift of log odds may be: splines along three scales, a slope, a jump at rounded claims."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...fitting.penalised import Local, local
from ...fitting.types import Array
from ...fitting.weights import present
from ...inputs.views import View
from .penalised_splines import LIMIT, PRIOR_SDS, Scale, basis, penalties, points, scale_ends

_SLOPE_SD = 0.5
# Exact 0 and 1 stand for claims that nobody knows: what they mean may lie off their reading.
_JUMP_SD = 1.0


class PriorOdds(NamedTuple):
    """Beside all splines: that claims are right as they are, and that one temperature mends them."""

    identity: float
    temperature: float


class Gap(NamedTuple):
    """Log odds without claims: between the last other claim and those of exactly 0, or 1."""

    inner: float
    outer: float


Gaps = tuple[Gap, ...]


class Model(NamedTuple):
    """Columns at the claims and at all points, penalties on them, and each one's prior odds."""

    design: Local
    basis: Array
    penalties: Array
    odds: float


def exact_gaps(view: View) -> Gaps:
    """The gaps before claims of exactly 0 and before those of exactly 1.

    They begin and end at points, so that a line between points jumps within a gap alone.
    """
    p = view.p
    if p.min() > 0 and p.max() < 1:
        return ()
    kept = present(view.w, view.n)
    p = p[kept]
    z = np.clip(view.log_odds[kept], -LIMIT, LIMIT)
    other = z[(p > 0) & (p < 1)]
    if not len(other):
        return ()
    found = (_gap(other, z[p >= 1], 1), _gap(other, z[p <= 0], -1))
    return tuple(gap for gap in found if gap is not None)


def _gap(other: Array, exact: Array, sign: int) -> Gap | None:
    if not len(exact):
        return None
    last = float((sign * other).max())
    first = float((sign * exact).min())
    at = points()
    after = at[np.searchsorted(at, last) :]
    before = at[: np.searchsorted(at, first, side="right")]
    if not len(after) or not len(before) or after[0] >= before[-1]:
        return None
    return Gap(sign * float(after[0]), sign * float(before[-1]))


def models(z: Array, prior: PriorOdds, gaps: Gaps = ()) -> list[Model]:
    """Every model of distinct ascending claims, in log odds; all but the identity."""
    claims = z.tobytes()
    splines = [_spline_model(scale, claims, gaps) for scale in PRIOR_SDS]
    return [*splines, *_line_models(z, prior, gaps)]


@lru_cache(maxsize=24)
def _spline_model(scale: Scale, claims: bytes, gaps: Gaps) -> Model:
    """Kept for a while, as resampled rows make the same claims."""
    z = np.frombuffer(claims)
    ends = scale_ends(z)
    precisions = penalties(scale, ends)
    odds = 1 / (len(PRIOR_SDS) * len(precisions))
    return _model(basis(scale, z, ends), basis(scale, points(), ends), precisions, z, gaps, odds)


def _line_models(z: Array, prior: PriorOdds, gaps: Gaps) -> Iterator[Model]:
    """A slope; and, where claims are rounded, their jumps alone."""
    slope = np.full((1, 1, 1), _SLOPE_SD**-2)
    yield _model(z[:, None], points()[:, None], slope, z, gaps, prior.temperature)
    if gaps:
        nothing = np.zeros((1, 0, 0))
        none = np.zeros((len(points()), 0))
        yield _model(np.zeros((len(z), 0)), none, nothing, z, gaps, prior.identity)


def _model(
    at_claims: Array,
    at_points: Array,
    precisions: Array,
    z: Array,
    gaps: Gaps,
    odds: float,
) -> Model:
    """Columns with a jump for each gap."""
    x = np.concatenate([at_claims, _jumps(z, gaps)], axis=1)
    everywhere = np.concatenate([at_points, _jumps(points(), gaps)], axis=1)
    return Model(local(x), everywhere, _with_jumps(precisions, len(gaps)), odds)


def _jumps(z: Array, gaps: Gaps) -> Array:
    """For each gap 0 before it, 1 beyond it and a line within."""
    columns = np.empty((len(z), len(gaps)))
    for place, (inner, outer) in enumerate(gaps):
        past = (z - inner) / (outer - inner)
        columns[:, place] = np.clip(past, 0, 1)
    return columns


def _with_jumps(precisions: Array, jumps: int) -> Array:
    members, k, _ = precisions.shape
    whole = np.zeros((members, k + jumps, k + jumps))
    whole[:, :k, :k] = precisions
    ends = np.arange(k, k + jumps)
    whole[:, ends, ends] = _JUMP_SD**-2
    return whole
