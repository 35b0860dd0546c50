"""Blend: a mixture of other families' maps, weighed by what each says of rows it has not seen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...fitting.logspace import TINY
from ...fitting.mixture import mixture_weights
from ...fitting.types import Array, Ints
from ...fitting.weights import present
from ...inputs.views import Canonical, View
from ..family import Family, check_families
from ..folds import held_out
from ..operations import Claims, Operations, Value, Vectors
from ..rules import ChanceRule, Fact, Rule, VectorRule
from .pair import rule_of_both

_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Blended(Rule):
    """The mean of what several rules give, each with its share."""

    rules: tuple[Rule, ...]
    shares: tuple[float, ...]

    def facts(self) -> Iterator[Fact]:
        places = range(1, len(self.rules) + 1)
        for place, rule, share in zip(places, self.rules, self.shares, strict=True):
            part = f"part {place}"
            yield Fact(f"share {place}", share, f"of {part} in the mixture")
            for fact in rule.facts():
                name = f"{fact.name} of {part}"
                yield fact._replace(name=name)

    def parts(self) -> Sequence[Rule]:
        return self.rules


@dataclass(frozen=True, eq=False)
class BlendedChance(Blended, ChanceRule):
    """The mean of several calibrated chances."""

    tag = "blended-chance"
    rules: tuple[ChanceRule, ...]
    shares: tuple[float, ...]

    def formula(self, claims: Claims, ops: Operations) -> Value:
        total = 0.0
        for rule, share in zip(self.rules, self.shares, strict=True):
            q = rule.formula(claims, ops)
            clipped = ops.clip(q, 0.0, 1.0)
            total = total + share * clipped
        return total


@dataclass(frozen=True, eq=False)
class BlendedVector(Blended, VectorRule):
    """The mean of several calibrated vectors."""

    tag = "blended-vector"
    rules: tuple[VectorRule, ...]
    shares: tuple[float, ...]

    def formula(self, x: Vectors, ops: Operations) -> Value:
        total = 0.0
        for rule, share in zip(self.rules, self.shares, strict=True):
            total = total + share * rule.formula(x, ops)
        return total

    def __call__(self, view: Canonical) -> Array:
        # Each part in its own way, by blocks or by columns.
        parts = []
        for rule, share in zip(self.rules, self.shares, strict=True):
            parts.append(share * rule(view))
        return np.sum(parts, axis=0)


@dataclass(frozen=True)
class Blend(Family):
    """The mixture of several families' maps of least held-out log loss, or in the `shares` given.

    >>> from calibrant import OneVsRest, Smooth, Temperature, samples
    >>> fit_on, test = samples.load("c10-resnet18")
    >>> blend = Blend((Temperature(), OneVsRest(Smooth())))
    >>> [round(share, 1) for share in blend.fit(fit_on).rule.shares]
    [0.4, 0.6]
    """

    families: tuple[Family, ...]
    shares: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_families(self.families)
        n_families = len(self.families)
        if self.shares is not None and not _are_shares(self.shares, n_families):
            raise ValueError(
                f"shares must be one a family, none negative, and sum to one; got {self.shares!r}"
            )

    def chance_rule(self, view: View) -> BlendedChance:
        """Fit each family, and weigh them."""
        rules = [family.fit(view).rule for family in self.families]
        return BlendedChance(tuple(rules), self._shares(view))

    def vector_rule(self, view: Canonical) -> BlendedVector:
        """Fit each family, and weigh them."""
        maps = [family.fit(view.pred) for family in self.families]
        rules = [rule_of_both(fitted) for fitted in maps]
        return BlendedVector(tuple(rules), self._shares(view))

    def _shares(self, view: View | Canonical) -> tuple[float, ...]:
        if self.shares is not None:
            return self.shares
        rows = len(present(view.w, view.n))
        if rows < 2 * _FOLDS:
            # Too few to choose by.
            even = 1 / len(self.families)
            return (even,) * len(self.families)
        likelihoods = self._held_out_likelihoods(view)
        floored = np.maximum(likelihoods, TINY)
        shares, _ = mixture_weights(floored, view.w)
        return tuple(shares.tolist())

    def _held_out_likelihoods(self, view: View | Canonical) -> Array:
        """What each family's map gives to what happened, in rows that it has not seen."""
        likelihoods = np.ones((view.n, len(self.families)))
        for fitted, held in held_out(view, _FOLDS, 0):
            for place, family in enumerate(self.families):
                likelihoods[held, place] = _likelihood(family, view, fitted, held)
        return likelihoods


def _are_shares(shares: tuple[float, ...], n: int) -> bool:
    if len(shares) != n or min(shares) < 0:
        return False
    return abs(sum(shares) - 1) <= 1e-6


def _likelihood(
    family: Family,
    view: View | Canonical,
    fitted: Ints,
    held: Ints,
) -> Array:
    """The chance that a map fitted on some rows gives to what happened in others."""
    outcomes = view.y[held]
    if isinstance(view, View):
        fold_map = family.fit(view[fitted])
        q = np.clip(fold_map(view[held]), 0, 1)
        return np.where(outcomes, q, 1 - q)
    fold_map = family.fit(view.pred[fitted])
    probs: Array = fold_map.apply(view.pred[held]).probs
    rows = np.arange(len(held))
    return probs[rows, outcomes]
