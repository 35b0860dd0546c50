"""Ensemble temperature scaling: the tempered claims, the claims themselves and the uniform vector, mixed."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..families import Family, VectorRule
from ..fitting.blocks import on_all_cores, row_blocks
from ..fitting.logspace import softmax
from ..fitting.newton import Certificate, DidNotConverge
from ..predictions import Array
from ..views import Canonical
from .temperature import Scaled, Temperature

# Half its square is what the log loss may lie above its optimum.
_TOLERANCE = 1e-6
_MOST_STEPS = 200
_ROUNDING = 1e-14
_LEAST_CHANCE = 1e-30


@dataclass(frozen=True, eq=False)
class Mixed(VectorRule):
    """Shares, of sum one, of the tempered vector, of the claimed one and of the uniform one."""

    tempered: Scaled
    shares: tuple[float, float, float]
    certificate: Certificate

    def __call__(self, view: Canonical) -> Array:
        scores = view.scores
        sharp, claimed, even = self.shares
        q = np.empty(scores.shape, np.promote_types(scores.dtype, np.float32))

        def fill(rows: slice) -> None:
            z = scores[rows].astype(q.dtype, copy=False)
            q[rows] = sharp * softmax(z * self.tempered.inverse) + claimed * softmax(z) + even / z.shape[1]

        on_all_cores(fill, row_blocks(*scores.shape))
        return q


@dataclass(frozen=True)
class EnsembleTemperature(Family):
    """The temperature of least log loss, then the mixture of least log loss; no two classes change places.

    Both steps are convex and solved to their optimum. `rule.shares` are those of the tempered vector, the claimed one
    and the uniform one.

    >>> from calibrant import samples
    >>> rule = EnsembleTemperature().fit(samples.load("c10-lenet5")[0]).rule
    >>> round(rule.tempered.temperature, 2), [round(share, 2) for share in rule.shares]
    (1.04, [0.61, 0.39, 0.0])
    """

    def vector_rule(self, view: Canonical) -> Mixed:
        """Temperature first, then Newton's method over shares."""
        if view.w is not None and not view.w.all():
            return self.vector_rule(view[view.w > 0])
        tempered = Temperature().vector_rule(view)
        shares, certificate = _best_shares(_chances_of_the_right_class(view, tempered.inverse), view.w)
        first, second, third = shares.tolist()
        return Mixed(tempered, (first, second, third), certificate)


def _best_shares(parts: Array, w: Array | None) -> tuple[Array, Certificate]:
    """Shares of the columns whose mixture has the least mean log loss."""
    share = np.full(len(parts), 1 / len(parts)) if w is None else w / w.sum()

    def loss(shares: Array) -> float:
        mixed = parts @ shares
        # Less than this for what happened is never best, as more of the uniform vector would mend it.
        return float(-share @ np.log(mixed)) if mixed.min() > _LEAST_CHANCE else np.inf

    x = np.full(parts.shape[1], 1 / parts.shape[1])
    for steps in range(_MOST_STEPS):
        ratio = parts / (parts @ x)[:, None]
        gain = share @ ratio
        # No mixture's loss lies further below than log(max(gain)), so the certificate holds without any assumption.
        slope = float(np.sqrt(2 * max(0.0, gain.max() - 1)))
        if slope <= _TOLERANCE:
            return x, Certificate(slope, _TOLERANCE, steps)
        move = _least_on_simplex((ratio * share[:, None]).T @ ratio, 2 * gain) - x
        length, value = 1.0, loss(x)
        # Near the optimum rounding hides whether values fall: a step that leaves them level is taken too.
        level = value + _ROUNDING * (1 + abs(value))
        while length > _ROUNDING and loss(x + length * move) > level - 1e-4 * length * float(gain @ move):
            length /= 2
        x = np.maximum(x + length * move, 0)
        x /= x.sum()
    raise DidNotConverge(
        f"the mixture did not converge: slope {slope:.3g} after {steps + 1} steps; look for odd weights"
    )


def _least_on_simplex(hessian: Array, pull: Array) -> Array:
    """Where x'Hx/2 - x'pull is least among shares: on one of the faces of the simplex, each tried in turn."""
    corners = np.eye(len(pull))
    found = list(corners)
    for size in range(2, len(pull) + 1):
        for face in map(list, combinations(range(len(pull)), size)):
            # Within a face: from its first corner along the ways to its others, each in units of its own curvature.
            ways = corners[face[1:]] - corners[face[0]]
            curvature = np.einsum("ij,jk,ik->i", ways, hessian, ways)
            ways /= np.sqrt(np.maximum(curvature, np.finfo(np.float64).tiny))[:, None]
            along = ways @ (pull - hessian[face[0]])
            x = corners[face[0]] + np.linalg.lstsq(ways @ hessian @ ways.T, along)[0] @ ways
            if x.min() >= 0:
                found.append(x)

    def excess(x: Array) -> float:
        slopes = hessian @ x - pull
        return float(slopes @ x - slopes.min())

    # Zero at the least value and only there; differences of values themselves would drown in rounding.
    return min(found, key=excess)


def _chances_of_the_right_class(view: Canonical, inverse: float) -> Array:
    """Per row what each part of the mixture gives to what happened, (n, 3)."""
    scores, labels = view.scores, view.y
    parts = np.full((view.n, 3), 1 / scores.shape[1])
    working = np.promote_types(scores.dtype, np.float32)

    def fill(rows: slice) -> None:
        z = scores[rows].astype(working)
        z -= z.max(1, keepdims=True)
        right = z[np.arange(len(z)), labels[rows]].astype(np.float64)
        for part, scale in enumerate((inverse, 1.0)):
            parts[rows, part] = np.exp(scale * right) / np.exp(scale * z).sum(1, dtype=np.float64)

    on_all_cores(fill, row_blocks(*scores.shape))
    return parts
