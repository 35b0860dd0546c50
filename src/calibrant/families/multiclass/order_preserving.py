"""Order-preserving maps: the gaps between a row's logits are stretched, and no two classes change places."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.linalg import block_diag

from ...fitting.blocks import on_all_cores, row_blocks, working_type
from ...fitting.newton import Certificate, Derivatives, Vector, minimise
from ...fitting.types import Array
from ...inputs.views import Canonical
from ..family import Family, LogitRule
from .temperature import Temperature

Kind = Literal["invariant", "preserving", "diagonal"]
# A tempered chance's -log is its depth. The curve of depths is a line between these, and beyond the last.
_BENDS = np.array([0, 0.5, 1, 2, 4, 7, 12])
_WIDTHS = np.diff(_BENDS, append=np.inf)
# A row's sureness is -log of its tempered entropy. Between two of these a row takes part in both.
_SURENESS = np.array([-1.5, -0.5, 0.5, 1.5, 3, 5, 8])
# No gap is shrunk to less than this share of what the best temperature leaves: it would become a tie.
_LEAST = 1e-3
# As if so many observations had said that the best temperature is enough, strongest first.
_STRENGTHS = (256.0, 32.0, 4.0, 0.5)
# Half its square, 5e-11, is what the log loss may lie above its optimum.
_TOLERANCE = 1e-5
# What the log loss may rise to keep the order where the best temperature is infinite.
_PRICE_OF_ORDER = 1e-9


@dataclass(frozen=True, eq=False)
class Stretched(LogitRule):
    """Logits times `inverse`; then slopes of the curve of depths, and factors of depth that differ by row."""

    kind: Kind
    inverse: float
    slopes: Array
    factors: Array
    certificate: Certificate

    def logits(self, scores: Array) -> Array:
        """Zero for the top class and less for the others, in float32 at least."""
        out = np.empty(scores.shape, np.promote_types(scores.dtype, np.float32))

        def fill(rows: slice) -> None:
            below, depth = _tempered(scores[rows], self.inverse, out.dtype)
            factor = _shares(self.kind, depth) @ self.factors + _LEAST
            curve = _curve(_steps(depth), self.slopes - _LEAST)
            # Depths have lost digits that distances below the top still have: with them it stays the top.
            out[rows] = (
                curve.min(1, keepdims=True) - curve - below * factor[:, None].astype(out.dtype)
            )

        on_all_cores(fill, row_blocks(scores.shape[0], 4 * scores.shape[1]))
        return out


@dataclass(frozen=True)
class OrderPreserving(Family):
    """The best temperature, then a rising curve of log-probabilities: accuracy and every rank stay what they were.

    `diagonal` is that curve; `invariant` adds factors by the row's entropy, `preserving` also by its likely classes.
    All are linear in coefficients above zero, so each fit is convex. Fits under priors of several strengths, centred
    on the best temperature, are averaged by their evidence; the certificate is that of the least exact of them.

    >>> from calibrant import samples, nll, Temperature
    >>> fit_on, test = samples.load("c100-resnet18")
    >>> [round(nll(family.fit(fit_on).apply(test)), 3) for family in (Temperature(), OrderPreserving())]
    [0.904, 0.879]
    """

    _: KW_ONLY
    kind: Kind = "invariant"

    def vector_rule(self, view: Canonical) -> Stretched:
        """Newton's method from the best temperature, under each strength in turn."""
        inverse = Temperature().vector_rule(view).inverse or _least_inverse(view.scores)
        depth = _tempered(view.scores, inverse, working_type(view.scores))[1]
        shares = _shares(self.kind, depth)
        best, prior = _prior(self.kind, view.pred.k)
        x, fits = best, []
        for strength in _STRENGTHS:
            fits.append(_fit(view, depth, shares, x, best, strength * prior))
            x = fits[-1].x
        evidence = np.array([fit.log_evidence for fit in fits])
        weight = np.exp(evidence - evidence.max())
        mean = weight @ np.array([fit.x for fit in fits]) / weight.sum()
        certificate = max((fit.certificate for fit in fits), key=lambda each: each.slope)
        return Stretched(self.kind, inverse, mean[: len(_BENDS)], mean[len(_BENDS) :], certificate)


class _Fit(NamedTuple):
    x: Vector
    log_evidence: float
    certificate: Certificate


def _fit(
    view: Canonical, depth: Array, shares: Array, start: Vector, best: Vector, prior: Vector
) -> _Fit:
    """Coefficients of least log loss under a normal prior around `best`, with Laplace's evidence for the prior."""
    seen: list[Derivatives] = []

    def derivatives(x: Vector) -> Derivatives:
        loss, gradient, hessian = _loss(view, depth, shares, x)
        pull = prior @ (x - best) / view.total
        seen[:] = [
            (loss + float(pull @ (x - best)) / 2, gradient + pull, hessian + prior / view.total)
        ]
        return seen[0]

    x, certificate = minimise(derivatives, start, lower=_LEAST, tolerance=_TOLERANCE)
    value, _, hessian = seen[0]
    volume = np.linalg.slogdet(prior)[1] - np.linalg.slogdet(hessian * view.total)[1]
    return _Fit(x, volume / 2 - value * view.total, certificate)


def _loss(view: Canonical, depth: Array, shares: Array, x: Vector) -> Derivatives:
    """Mean log loss of the logits -(curve of depth) - (shares @ factors) * depth, its gradient and Hessian."""
    n, bends = view.n, len(_BENDS)
    factor = (shares @ x[bends:].astype(shares.dtype))[:, None]
    mean, square, loss = np.empty((n, bends)), np.empty((n, bends)), np.empty(n)

    def fill(rows: slice) -> None:
        block = depth[rows]
        steps = _steps(block)
        logits = -factor[rows] * block - _curve(steps, x[:bends])
        logits -= logits.max(1, keepdims=True)
        right = logits[np.arange(len(block)), view.y[rows]].astype(np.float64)
        q = np.exp(logits, out=logits)
        total = q.sum(1, keepdims=True)
        q /= total
        loss[rows] = np.log(total[:, 0].astype(np.float64)) - right
        for place, step in enumerate(steps):
            part = q * step
            mean[rows, place] = part.sum(1)
            square[rows, place] = np.einsum("ij,ij->i", part, step)

    on_all_cores(fill, row_blocks(n, bends * view.pred.k))
    w = np.ones(n) if view.w is None else view.w
    each = w[:, None]
    # Whatever has begun a step has all earlier ones behind it, so that first moments give the mixed second moments.
    widths = np.append(_WIDTHS[:-1], 0)
    later = np.cumsum(mean[:, ::-1], axis=1)[:, ::-1] - mean
    whole = mean.sum(1, keepdims=True)
    mixed = np.triu(np.outer(widths, w @ mean), 1)
    of_slopes = np.diag(w @ square) + mixed + mixed.T - mean.T @ (each * mean)
    with_depth = square + widths * later + (_BENDS - whole) * mean
    of_both = (each * with_depth).T @ shares
    spread = np.sqrt(w * np.maximum(with_depth.sum(1), 0))[:, None].astype(shares.dtype) * shares
    hessian = np.block([[of_slopes, of_both], [of_both.T, spread.T @ spread]])
    right = depth[np.arange(n), view.y]
    gradient = np.append(
        w @ (np.stack(_steps(right), 1) - mean), (w * (right - whole[:, 0])) @ shares
    )
    return float(w @ loss) / view.total, gradient / view.total, hessian / view.total


def _prior(kind: Kind, k: int) -> tuple[Vector, Vector]:
    """Coefficients that leave the best temperature as it is, and how surely it is so, for strength one."""
    # Factors scale a whole row, and so are trusted less than a curve. Classes have no neighbours.
    parts = [_chain(len(_BENDS), 1, 4)]
    if kind != "diagonal":
        parts.append(_chain(len(_SURENESS), 4, 16))
    if kind == "preserving":
        parts.append(_chain(k, 4, 0))
    precision = block_diag(*parts)
    return np.full(len(precision), 1 / len(parts)), precision


def _chain(size: int, alone: float, neighbours: float) -> Vector:
    """Precision of coefficients that are each near their best and near their neighbours."""
    gaps = np.diff(np.eye(size), axis=0)
    return alone * np.eye(size) + neighbours * gaps.T @ gaps


def _shares(kind: Kind, depth: Array) -> Array:
    """How much each factor of depth has a say in a row, (n, factors)."""
    if kind == "diagonal":
        return np.empty((len(depth), 0), depth.dtype)
    p = np.exp(-depth)
    sureness = -np.log(np.maximum((p * depth).sum(1), np.exp(-_SURENESS[-1])))
    hats = np.stack(
        [np.interp(sureness, _SURENESS, peak) for peak in np.eye(len(_SURENESS))], axis=1
    )
    return np.hstack([hats, p] if kind == "preserving" else [hats], dtype=depth.dtype)


def _steps(depth: Array) -> list[Array]:
    """How far a depth has come between each bend and the next."""
    return [
        np.clip(depth - depth.dtype.type(bend), 0, width)
        for bend, width in zip(_BENDS, _WIDTHS, strict=True)
    ]


def _curve(steps: list[Array], slopes: Array) -> Array:
    curve = np.zeros_like(steps[0])
    for step, slope in zip(steps, slopes, strict=True):
        curve += step * step.dtype.type(slope)
    return curve


def _tempered(scores: Array, inverse: float, working: np.dtype[Any]) -> tuple[Array, Array]:
    """By how much tempered logits lie below the top of their row, and their depths: -log of the chances."""
    below = scores.astype(working)
    np.subtract(below.max(1, keepdims=True), below, out=below)
    below *= working.type(inverse)
    return below, below + np.log(np.exp(-below).sum(1, keepdims=True))


def _least_inverse(scores: Array) -> float:
    """One over a temperature so high that, against an infinite one, it costs next to nothing."""
    return _PRICE_OF_ORDER / max(1.0, float(scores.max()) - float(scores.min()))
