"""The mixture of least log loss: shares, of sum one, by Newton's method."""

from itertools import combinations

import numpy as np

from .newton import Certificate, DidNotConverge, Vector

# Half its square is what the log loss may lie above its optimum.
_TOLERANCE = 1e-6
_MOST_STEPS = 200
_ROUNDING = 1e-14


def best_shares(parts: Vector, w: Vector | None) -> tuple[Vector, Certificate]:
    """Shares of the columns whose mixture has the least mean log loss."""
    share = np.full(len(parts), 1 / len(parts)) if w is None else w / w.sum()

    def loss(shares: Vector) -> float:
        mixed = parts @ shares
        return float(-share @ np.log(mixed)) if mixed.min() > 0 else np.inf

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
        while length > _ROUNDING and loss(x + length * move) > level - 1e-4 * length * float(
            gain @ move
        ):
            length /= 2
        x = np.maximum(x + length * move, 0)
        x /= x.sum()
    raise DidNotConverge(
        f"the mixture did not converge: slope {slope:.3g} after {steps + 1} steps; look for odd weights"
    )


def _least_on_simplex(hessian: Vector, pull: Vector) -> Vector:
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

    def excess(x: Vector) -> float:
        slopes = hessian @ x - pull
        return float(slopes @ x - slopes.min())

    # Zero at the least value and only there; differences of values themselves would drown in rounding.
    return min(found, key=excess)
