"""Order-preserving maps: the gaps between a row's logits are stretched, and no two classes change places."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.linalg import block_diag

from ...fitting.blocks import on_all_cores, row_blocks, working_type
from ...fitting.newton import Certificate, Derivatives, minimise
from ...fitting.types import Array
from ...inputs.views import Canonical
from ..family import VectorFamily
from ..numpy_operations import NUMPY
from ..operations import Operations, Value, Vectors
from ..rules import Fact, LogitRule
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
    """Logits times `inverse`, then a rising curve of their depths and factors that differ by row.

    The curve is a line between the depths `bends`, with these slopes. A row's factor is a line of its
    sureness, plus the mean of `by_class` over its chances.
    """

    tag = "stretched"
    kind: Kind
    inverse: float
    bends: Array
    slopes: Array
    sureness: Array
    by_sureness: Array
    by_class_factor: Array
    least: float  # of all slopes
    least_entropy: float
    certificate: Certificate

    def logits(self, x: Vectors, ops: Operations) -> Value:
        below, depth = _depths(x.scores, self.inverse, ops)
        curve = 0.0
        for step, slope in zip(_steps(depth, self.bends, ops), self.slopes, strict=True):
            curve = curve + step * (slope - self.least)
        # Depths have lost digits that distances below the top still have: with them it stays the top.
        return ops.row_min(curve) - curve - below * self._factor(depth, ops)

    def facts(self) -> Iterator[Fact]:
        yield Fact("temperature", 1 / self.inverse, "logits are divided by it first")
        depths = self.bends.tolist()
        slopes = self.slopes.tolist()
        for depth, slope in zip(depths, slopes, strict=True):
            claim = f"claims below {100 * np.exp(-depth):.3g}%"
            yield Fact(f"slope from {depth:g}", slope, f"of the log-probability of {claim}")
        if self.kind != "diagonal":
            low, high = float(self.by_sureness.min()), float(self.by_sureness.max())
            yield Fact("least factor", low, "of a row's logits, among rows more and less sure")
            yield Fact("largest factor", high, "of a row's logits, among rows more and less sure")
        if self.kind == "preserving":
            low, high = float(self.by_class_factor.min()), float(self.by_class_factor.max())
            yield Fact("least class factor", low, "added to it by the likely classes")
            yield Fact("largest class factor", high, "added to it by the likely classes")

    def _factor(self, depth: Value, ops: Operations) -> Value:
        """By what a row's distances below the top are multiplied."""
        if self.kind == "diagonal":
            return self.least
        p = ops.exp(-depth)
        entropy = ops.maximum(ops.row_sum(p * depth), self.least_entropy)
        factor = ops.line(-ops.log(entropy), self.sureness, self.by_sureness) + self.least
        if self.kind == "preserving":
            factor = factor + ops.row_sum(p * self.by_class_factor)
        return factor


@dataclass(frozen=True)
class OrderPreserving(VectorFamily):
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
        scores = view.scores.astype(working_type(view.scores), copy=False)
        depth = _depths(scores, inverse, NUMPY)[1]
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
        slopes, by_sureness, by_class = np.split(mean, [len(_BENDS), len(_BENDS) + len(_SURENESS)])
        least_entropy = float(np.exp(-_SURENESS[-1]))
        return Stretched(
            self.kind, inverse, _BENDS, slopes, _SURENESS, by_sureness, by_class,
            _LEAST, least_entropy, certificate,
        )  # fmt: skip


class _Fit(NamedTuple):
    x: Array
    log_evidence: float
    certificate: Certificate


def _fit(
    view: Canonical, depth: Array, shares: Array, start: Array, best: Array, prior: Array
) -> _Fit:
    """Coefficients of least log loss under a normal prior around `best`, with Laplace's evidence for the prior."""
    seen: list[Derivatives] = []

    def derivatives(x: Array) -> Derivatives:
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


def _loss(view: Canonical, depth: Array, shares: Array, x: Array) -> Derivatives:
    """Mean log loss of the logits -(curve of depth) - (shares @ factors) * depth, its gradient and Hessian."""
    n, bends = view.n, len(_BENDS)
    factor = (shares @ x[bends:].astype(shares.dtype))[:, None]
    mean, square, loss = np.empty((n, bends)), np.empty((n, bends)), np.empty(n)

    def fill(rows: slice) -> None:
        block = depth[rows]
        steps = _steps(block, _BENDS.astype(block.dtype), NUMPY)
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
        w @ (np.stack(_steps(right, _BENDS, NUMPY), 1) - mean), (w * (right - whole[:, 0])) @ shares
    )
    return float(w @ loss) / view.total, gradient / view.total, hessian / view.total


def _prior(kind: Kind, k: int) -> tuple[Array, Array]:
    """Coefficients that leave the best temperature as it is, and how surely it is so, for strength one."""
    # Factors scale a whole row, and so are trusted less than a curve. Classes have no neighbours.
    parts = [_chain(len(_BENDS), 1, 4)]
    if kind != "diagonal":
        parts.append(_chain(len(_SURENESS), 4, 16))
    if kind == "preserving":
        parts.append(_chain(k, 4, 0))
    precision = block_diag(*parts)
    return np.full(len(precision), 1 / len(parts)), precision


def _chain(size: int, alone: float, neighbours: float) -> Array:
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


def _depths(scores: Value, inverse: float, ops: Operations) -> tuple[Value, Value]:
    """How far tempered logits lie below the top of their row, and their depths: -log of the chances."""
    below = (ops.row_max(scores) - scores) * inverse
    return below, below + ops.log(ops.row_sum(ops.exp(-below)))


def _steps(depth: Value, bends: Value, ops: Operations) -> list[Value]:
    """How far a depth has come between each bend and the next."""
    steps = []
    for place in range(len(bends) - 1):
        width = bends[place + 1] - bends[place]
        steps.append(ops.clip(depth - bends[place], 0.0, width))
    return [*steps, ops.maximum(depth - bends[-1], 0.0)]


def _curve(steps: list[Array], slopes: Array) -> Array:
    curve = np.zeros_like(steps[0])
    for step, slope in zip(steps, slopes, strict=True):
        curve += step * step.dtype.type(slope)
    return curve


def _least_inverse(scores: Array) -> float:
    """One over a temperature so high that, against an infinite one, it costs next to nothing."""
    return _PRICE_OF_ORDER / max(1.0, float(scores.max()) - float(scores.min()))
