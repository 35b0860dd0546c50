"""Supposed truths: the chances that claims may really have, at any distance from them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from ..families.defaults import ERROR_FAMILY
from ..fitting.types import Array
from ..fitting.weights import weighted_mean
from ..inputs.views import View
from ..measures.draws import Cells

Truth = list[Array]  # the true chance of every claim, for each view
TruthPath = Callable[[float], Truth]  # the truth at a mean distance from the claims

# A path is straight between so many steps from the fit to the claims.
_STEPS = 64
_NOWHERE = 1e-9


class TruthPaths(NamedTuple):
    """Truths at growing distances: errors shared by few claims, and by as many as may be."""

    narrow: TruthPath
    wide: TruthPath


def truth_paths(parts: list[Cells]) -> TruthPaths:
    """Truths at mean distances from the claims, along a fit of their curve.

    Nearer than the fit, the likeliest at each distance: all chances move back towards their claims
    by the same share of their variance, and none past its claim, so the smallest gaps close first.
    Further away, the largest gaps alone grow, or all do.
    """
    p = np.concatenate([part.p for part in parts])
    fitted = np.concatenate([_fitted(part) for part in parts])
    shares = [part.w / (len(parts) * part.w.sum()) for part in parts]
    fit = _Fit(p, fitted, np.concatenate(shares))
    sizes = [len(part.p) for part in parts]
    ends = np.cumsum(sizes)[:-1]

    def narrow(distance: float) -> Truth:
        half = fit.length / 2
        if distance <= half:
            return np.split(fit.likeliest(distance), ends)
        largest = fit.likeliest(half) - p
        return np.split(p + largest * (distance / half), ends)

    def wide(distance: float) -> Truth:
        return np.split(fit.likeliest(distance), ends)

    return TruthPaths(narrow, wide)


@dataclass(frozen=True, eq=False)
class _Fit:
    """Claims of all views, their fitted chances, and the share of each in the mean distance."""

    p: Array
    fitted: Array
    share: Array

    @cached_property
    def gap(self) -> Array:
        """How far each fitted chance lies from its claim, at least by what rounding hides."""
        return np.maximum(np.abs(self.fitted - self.p), _NOWHERE)

    @cached_property
    def length(self) -> float:
        """The mean distance of the fit."""
        return float(self.share @ self.gap)

    @cached_property
    def variance(self) -> Array:
        """That of an outcome, by the claim or by the fit."""
        of_claim = self.p * (1 - self.p)
        of_fit = self.fitted * (1 - self.fitted)
        return np.maximum(of_claim, of_fit) + _NOWHERE

    @cached_property
    def towards(self) -> Array:
        """Up or down; a claim that the fit leaves as it is may be too bold."""
        direction = np.sign(self.fitted - self.p)
        towards_half = np.where(self.p < 0.5, 1.0, -1.0)
        return np.where(direction == 0, towards_half, direction)

    @cached_property
    def _back(self) -> tuple[Array, Array]:
        """Steps back from the fit to the claims, and the distances that they leave."""
        shares = np.linspace(0, 1, _STEPS)
        steps = np.quantile(-self.gap / self.variance, shares)
        distances = [self.share @ self._moved(step) for step in steps]
        return np.append(steps, 0.0), np.append(distances, self.length)

    def likeliest(self, distance: float) -> Array:
        """Chances at a mean distance, before they are clipped."""
        if distance < self.length:
            steps, distances = self._back
            step = float(np.interp(distance, distances, steps))
        else:
            step = (distance - self.length) / float(self.share @ self.variance)
        return self.p + self.towards * self._moved(step)

    def _moved(self, step: float) -> Array:
        return np.maximum(self.gap + step * self.variance, 0)


def furthest_mean(view: View, level: float) -> float:
    """How far outcomes may lie from claims on average, by the normal interval; signed."""
    gap = view.y - view.p
    mean = weighted_mean(gap, view.w)
    variance = weighted_mean((gap - mean) ** 2, view.w)
    error = np.sqrt(variance / view.total)
    furthest = np.abs(mean) + ndtri((1 + level) / 2) * error
    return float(np.copysign(furthest, mean))


def one_sided(part: Cells, mean: float) -> Array:
    """Chances that lie so far from their claims on average, all on one side."""
    variance = part.p * (1 - part.p) + _NOWHERE
    mean_variance = weighted_mean(variance, part.w)
    return part.p + mean / mean_variance * variance


def _fitted(part: Cells) -> Array:
    view = part.counted(part.happened)
    fitted = ERROR_FAMILY.fit(view)
    # Every claim stands twice, as one that happened and one that did not.
    once = view[::2]
    return fitted(once)
