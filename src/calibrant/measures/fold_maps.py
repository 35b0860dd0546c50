"""Maps of folds: each fitted on the other folds, of the family that scores best among those."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from ..families.family import Family
from ..families.maps import Map
from ..families.names import family_of
from ..fitting.types import Array, Ints
from ..fitting.weights import weighted_sum
from ..inputs.views import Canonical
from ..progress import progress
from .scores import row_losses

Fold = tuple[Ints, Ints]  # rows to fit on, and rows held out

# What a map may be. Of very many classes, a curve or a row of numbers for each takes too long.
_QUICK = ("identity", "temperature", "ensemble-temperature", "order-preserving")
_OF_EACH_CLASS = ("structured-matrix", "one-vs-rest(beta)")
_MOST_CLASSES = 200
# Beyond so many chances, a fold is left out together with two others alone.
_MANY_CHANCES = 50_000
_LEAST_FOLDS = 3


def fold_maps(view: Canonical, parts: Sequence[Fold], family: Family | None) -> Iterator[Map]:
    """The map of each fold, which never saw it: of the family given, or of the best.

    The best has the least log score of rows that, like the fold, were held out when it was fitted.
    """
    if family is not None:
        for fitted, _ in parts:
            yield family.fit(view[fitted])
        return
    families = _candidates(view.pred.k)
    losses = _losses(view, parts, families)
    for (fitted, _), of_fold in zip(parts, losses, strict=True):
        best = families[int(np.argmin(of_fold))]
        yield _fitted(best, families[0], view[fitted])


def check_folds(folds: int, family: Family | None) -> None:
    """A family can be chosen where a fold is left of which neither map nor score knows."""
    if family is None and folds < _LEAST_FOLDS:
        raise ValueError(
            f"folds must be at least {_LEAST_FOLDS} where the family is to be chosen, got {folds}; "
            "or give a family"
        )


def _candidates(k: int) -> list[Family]:
    names = _QUICK if k > _MOST_CLASSES else _QUICK + _OF_EACH_CLASS
    return [family_of(name) for name in names]


def _losses(view: Canonical, parts: Sequence[Fold], families: Sequence[Family]) -> Array:
    """For each fold, the log scores of families by rows of other folds, (folds, families).

    Maps are fitted without two folds: what they score in one counts for the choice of the other.
    """
    losses = np.zeros((len(parts), len(families)))
    pairs = _pairs(len(parts), view.p.size)
    with progress("choosing families", len(pairs)) as tick:
        for pair in pairs:
            others = [held for place, (_, held) in enumerate(parts) if place not in pair]
            held = [view[parts[place][1]] for place in pair]
            fitted = view[np.concatenate(others)]
            for place, family in enumerate(families):
                # Each fold's rows speak for the other.
                losses[pair[::-1], place] += _held_losses(family, fitted, held)
            tick()
    return losses


def _pairs(folds: int, chances: int) -> list[list[int]]:
    """Pairs of folds to leave out: all of them, or each with its two neighbours."""
    if folds < _LEAST_FOLDS:
        return []
    pairs = [list(pair) for pair in combinations(range(folds), 2)]
    if chances <= _MANY_CHANCES:
        return pairs
    return [pair for pair in pairs if (pair[1] - pair[0]) in (1, folds - 1)]


def _held_losses(family: Family, fitted: Canonical, held: Sequence[Canonical]) -> list[float]:
    """The log score that some rows add up to; a family that cannot be fitted has none."""
    try:
        fold_map = family.fit(fitted)
    except ValueError:
        return [float("inf")] * len(held)
    found = []
    for rows in held:
        losses = row_losses(fold_map.apply(rows.pred), "nll")
        found.append(float(weighted_sum(losses, rows.w)))
    return found


def _fitted(family: Family, simplest: Family, view: Canonical) -> Map:
    try:
        return family.fit(view)
    except ValueError:
        # It could be fitted on fewer of these rows, but not on all of them.
        return simplest.fit(view)
