"""Blend: a mixture of other families' maps, shared out by what each says of rows it has not seen."""

from dataclasses import dataclass

import numpy as np

from ...fitting.logspace import TINY
from ...fitting.mixture import best_shares
from ...fitting.types import Array
from ...inputs.predictions import Predictions
from ...inputs.views import Canonical, View
from ..family import ChanceMap, ChanceRule, Family, Map, VectorMap, VectorRule
from ..folds import held_out

_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Blended(VectorRule, ChanceRule):
    """The mean of what several maps give, each with its share."""

    maps: tuple[ChanceMap | VectorMap, ...]
    shares: tuple[float, ...]

    def __call__(self, view: View | Canonical) -> Array:
        parts = (
            share * _chances(fitted, view)
            for fitted, share in zip(self.maps, self.shares, strict=True)
        )
        return np.sum(list(parts), axis=0)


@dataclass(frozen=True)
class Blend(Family):
    """The mixture of several families' maps of least held-out log loss, or in the `shares` given.

    >>> from calibrant import OneVsRest, Smooth, Temperature, samples
    >>> fit_on, test = samples.load("c10-resnet18")
    >>> [round(share, 1) for share in Blend((Temperature(), OneVsRest(Smooth()))).fit(fit_on).rule.shares]
    [0.4, 0.6]
    """

    families: tuple[Family, ...]
    shares: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.families or not all(isinstance(family, Family) for family in self.families):
            raise ValueError(
                f"families must be a tuple of at least one family, got {self.families!r}"
            )
        if self.shares is not None and (
            len(self.shares) != len(self.families)
            or min(self.shares) < 0
            or abs(sum(self.shares) - 1) > 1e-6
        ):
            raise ValueError(
                f"shares must be one a family, none negative, and sum to one; got {self.shares!r}"
            )

    def chance_rule(self, view: View) -> Blended:
        """Fit each family, and share out."""
        return self._fit(view)

    def vector_rule(self, view: Canonical) -> Blended:
        """Fit each family, and share out."""
        return self._fit(view)

    def _fit(self, view: View | Canonical) -> Blended:
        shares = self._best_shares(view) if self.shares is None else self.shares
        return Blended(tuple(_fitted(family, view) for family in self.families), shares)

    def _best_shares(self, view: View | Canonical) -> tuple[float, ...]:
        rows = view.n if view.w is None else np.count_nonzero(view.w)
        if rows < 2 * _FOLDS:  # too few to choose by
            return (1 / len(self.families),) * len(self.families)
        right = np.ones((view.n, len(self.families)))
        for some, held in held_out(view, _FOLDS, 0):
            for place, family in enumerate(self.families):
                right[held, place] = _of_outcome(
                    _chances(_fitted(family, view[some]), view[held]), view[held]
                )
        return tuple(best_shares(np.maximum(right, TINY), view.w)[0].tolist())


def _chances(fitted: Map, view: View | Canonical) -> Array:
    """What a map gives for a view's claims; a map of one class of two says both."""
    if isinstance(view, Canonical):
        return fitted.apply(view.pred).probs
    return np.clip(fitted(view), 0, 1)


def _of_outcome(q: Array, view: View | Canonical) -> Array:
    """The chance given to what happened."""
    if isinstance(view, Canonical):
        return q[np.arange(len(q)), view.y]
    return np.where(view.y, q, 1 - q)


def _fitted(family: Family, view: View | Canonical) -> ChanceMap | VectorMap:
    x: View | Predictions = view.pred if isinstance(view, Canonical) else view
    fitted = family.fit(x)
    if not isinstance(fitted, ChanceMap | VectorMap):
        raise ValueError(
            f"{family!r} gives no map that can be blended, but a {type(fitted).__name__}"
        )
    return fitted
