"""How frequent classes are in rows without labels, and how sure that is."""

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtri

from ..families.family import Question
from ..families.multiclass.prior_shift import chances_of, estimated_shares, known_shares
from ..fitting.priors import information
from ..fitting.types import Array
from ..fitting.weights import total
from ..inputs.views import View

_NEAREST = 1e-12  # to 0 and 1, for the sake of log odds


class PriorEstimate(NamedTuple):
    """The share of each class in a population, and between which shares it lies; of a view two."""

    classes: tuple[Hashable, ...]
    shares: Array
    low: Array
    high: Array


def estimate_prior(x: Question, new: Question, *, level: float = 0.95) -> PriorEstimate:
    """Shares of the classes where `new`, without labels, comes from; `x` has labels.

    They are right if claims are calibrated on `x`, and if rows of one class look alike in both
    (prior shift, also label shift). The interval is that of the likelihood; it includes the
    random variation of both samples, not what claims are off.

    >>> from calibrant import binary
    >>> view = binary([0.1] * 50 + [0.9] * 50, [1] * 5 + [0] * 45 + [1] * 45 + [0] * 5)
    >>> found = estimate_prior(view, binary([0.1] * 80 + [0.9] * 20, [0] * 100))
    >>> found.shares.round(3).tolist()
    [0.875, 0.125]
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be a share between 0 and 1, got {level}")
    prior = known_shares(x)
    shares = estimated_shares(x, new)
    p, w = chances_of(new)
    variance = _variance(p, w, prior, shares, x.total)
    inner = np.clip(shares, _NEAREST, 1 - _NEAREST)
    spread = np.sqrt(variance) / (inner * (1 - inner))
    half = ndtri((1 + level) / 2) * spread
    middle = logit(inner)
    return PriorEstimate(_names(x), shares, expit(middle - half), expit(middle + half))


def _names(x: Question) -> tuple[Hashable, ...]:
    if isinstance(x, View):
        return "no event", "event"
    return x.classes if not hasattr(x, "pred") else x.pred.classes


def _variance(p: Array, w: Array | None, prior: Array, shares: Array, labelled: float) -> Array:
    """Of each share: by the likelihood of the new rows, and by how far the old shares may be off."""
    n = total(w, len(p))
    gain, products = information(p, prior, w, shares)
    tangent = _tangent(len(shares))
    curvature = tangent.T @ products @ tangent
    inverse = tangent @ np.linalg.pinv(curvature) @ tangent.T
    covariance = inverse / n
    # How the equations for the shares, mean ratios of one, move with the old shares.
    moved = products * (shares / prior) - np.diag(gain / prior)
    sensitivity = inverse @ moved
    of_labels = (np.diag(prior) - np.outer(prior, prior)) / labelled
    covariance += sensitivity @ of_labels @ sensitivity.T
    return np.maximum(np.diag(covariance), 0)


def _tangent(k: int) -> Array:
    """An orthonormal basis of moves that keep the sum, (k, k - 1)."""
    centred = np.eye(k) - 1 / k
    return np.linalg.svd(centred)[0][:, : k - 1]
