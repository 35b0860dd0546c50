"""Weights of a mixture by maximum likelihood, found by Newton's method."""

from itertools import combinations

import numpy as np

from .newton import Certificate, DidNotConverge
from .types import Array
from .weights import Weights, counts, total

# Half its square is what the log loss may lie above its optimum.
_TOLERANCE = 1e-6
_MOST_STEPS = 200
_ROUNDING = 1e-14
# No weight is less on the way, or no step would find it again. From so steep a place on, a step of
# expectation and maximisation goes further than Newton's.
_LEAST = 1e-100
_STEEP = 1e3
_TINY = np.finfo(np.float64).tiny


def mixture_weights(components: Array, w: Weights) -> tuple[Array, Certificate]:
    """Weights of the columns, of sum one, whose mixture has the greatest likelihood.

    `components` are the probabilities that each component, a column, gives to what each row saw.

    >>> mixture_weights(np.array([[0.9, 0.2], [0.9, 0.2]]), None)[0].round(3).tolist()
    [1.0, 0.0]
    """
    n, k = components.shape
    share = counts(w, n)
    share = share / total(w, n)
    mixture = np.full(k, 1 / k)
    for steps in range(_MOST_STEPS):
        mixed = components @ mixture
        ratio = components / mixed[:, None]
        gain = share @ ratio
        slope = _slope(gain)
        if slope <= _TOLERANCE:
            found = np.where(mixture > _LEAST, mixture, 0)
            return found, Certificate(slope, _TOLERANCE, steps)
        if gain.max() > _STEEP:
            mixture = np.maximum(mixture * gain, _LEAST)
            mixture /= mixture.sum()
            continue
        shared = ratio * share[:, None]
        hessian = shared.T @ ratio
        move = least_on_simplex(hessian, 2 * gain)
        move -= mixture
        length = _line_search(components, share, mixture, move, gain)
        mixture = mixture + length * move
        mixture = np.maximum(mixture, _LEAST)
        mixture /= mixture.sum()
    raise DidNotConverge(
        f"the mixture did not converge: slope {slope:.3g} after {_MOST_STEPS} steps; "
        "look for odd weights"
    )


def _slope(gain: Array) -> float:
    """How steep the loss may still be.

    No mixture's loss lies further below than log(max(gain)), so that this assumes nothing.
    """
    excess = gain.max() - 1
    excess = max(0.0, excess)
    return float(np.sqrt(2 * excess))


def _log_loss(components: Array, share: Array, mixture: Array) -> float:
    mixed = components @ mixture
    if not mixed.min() > 0:
        return np.inf
    logs = np.log(mixed)
    return float(-share @ logs)


def _line_search(
    components: Array,
    share: Array,
    mixture: Array,
    move: Array,
    gain: Array,
) -> float:
    """The first length, as steps are halved, that lowers the loss sufficiently (Armijo)."""
    value = _log_loss(components, share, mixture)
    # Near the optimum rounding hides whether values fall: a step that leaves them level is taken.
    rounding = _ROUNDING * (1 + abs(value))
    level = value + rounding
    slope = float(gain @ move)
    length = 1.0
    while length > _ROUNDING:
        ahead = mixture + length * move
        found = _log_loss(components, share, ahead)
        promised = 1e-4 * length * slope
        if found <= level - promised:
            break
        length /= 2
    return length


def least_on_simplex(hessian: Array, pull: Array) -> Array:
    """Where x'Hx/2 - x'pull is least among weights of sum one.

    It is on one of the faces of the simplex, each tried in turn.
    """
    k = len(pull)
    candidates: list[Array] = list(np.eye(k))
    for size in range(2, k + 1):
        for face in combinations(range(k), size):
            x = _least_in_plane(hessian, pull, list(face))
            if x.min() >= 0:
                candidates.append(x)

    def excess(x: Array) -> float:
        slopes = hessian @ x
        slopes -= pull
        mean = slopes @ x
        return float(mean - slopes.min())

    # Zero at the least value and only there; differences of values would drown in rounding.
    return min(candidates, key=excess)


def _least_in_plane(hessian: Array, pull: Array, face: list[int]) -> Array:
    """The least in the plane of a face, which may lie outside the face itself."""
    first, *others = face
    corners = np.eye(len(pull))
    corner = corners[first]
    # From the first corner along the ways to the others, each in units of its own curvature.
    ways = corners[others] - corner
    squared = np.einsum("ij,jk,ik->i", ways, hessian, ways)
    squared = np.maximum(squared, _TINY)
    ways /= np.sqrt(squared)[:, None]
    curvature = ways @ hessian @ ways.T
    slopes = ways @ (pull - hessian[first])
    lengths = np.linalg.lstsq(curvature, slopes)[0]
    return corner + lengths @ ways
