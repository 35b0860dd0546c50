"""ByGroup: for each group a map between the common one and its own, as far as its rows can tell."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...fitting.group_shares import SHARES, expected_shares
from ...fitting.logspace import TINY
from ...fitting.types import Array, Ints
from ...fitting.weights import counts, present
from ...inputs.groups import grouped
from ...inputs.labels import are_shares
from ...inputs.predictions import Predictions
from ...inputs.views import Canonical, View
from ...progress import progress
from ..family import Family, Question
from ..folds import drawn_rows, held_out
from ..group_maps import GroupMap, GroupShares
from ..maps import ChanceMap, Map
from .blend import Blend, BlendedChance, BlendedVector

_FOLDS = 5
_FEWEST = 2 * _FOLDS
# Of more rows so many are enough to weigh a group's own map, and one row does not sway the common.
_MANY = 20_000
_NEEDS_GROUPS = "{0} needs the group of each row: {0}.fit(x, groups), an array of one value a row"
_NO_GROUPS = "every group has fewer than {} rows: fit {!r} on all of them instead"


@dataclass(frozen=True)
class ByGroup(Family):
    """A family fitted to all rows and to each group, and for each group a mean of both maps.

    What share a group's own map has is told by rows held out: those of the group, and of groups of
    like size (empirical Bayes), so that small groups lean on the common map unless they differ.
    Rows of groups that were not seen, or of fewer than ten rows, have the common map.

    >>> from calibrant import Platt, binary
    >>> p = np.tile([0.2, 0.5, 0.8], 200)
    >>> site = np.repeat(["north", "south"], 300)
    >>> y = np.where(site == "north", p > 0.4, p > 0.6)
    >>> fitted = ByGroup(Platt()).fit(binary(p, y), site)
    >>> fitted([0.5, 0.5, 0.5], ["north", "south", "west"]).round(1).tolist()
    [1.0, 0.0, 0.5]
    """

    family: Family

    def fit(self, x: Question, *groups: object) -> GroupMap:
        """Fit the common map and that of each group; `groups` is an array of one value a row."""
        if len(groups) != 1 or not isinstance(x, View | Predictions | Canonical):
            raise ValueError(_NEEDS_GROUPS.format(repr(self)))
        rows: View | Predictions = x.pred if isinstance(x, Canonical) else x
        parts = _parts(rows, groups[0])
        if not parts:
            raise ValueError(_NO_GROUPS.format(_FEWEST, self.family))
        common = self.family.fit(rows)
        own = self._own_maps(rows, parts)
        shares = self._shares(rows, common, parts)
        maps = [_mixed(common, each, share) for each, share in zip(own, shares, strict=True)]
        rule = GroupShares(tuple(parts), tuple(shares), tuple(each.total for each in own))
        return GroupMap(
            self,
            rule,
            common.total,
            common,
            tuple(maps),
            floor=common.floor,
            rounded=common.rounded,
        )

    def _own_maps(self, x: View | Predictions, parts: dict[str, Ints]) -> list[Map]:
        found = []
        with progress("fitting groups", len(parts)) as tick:
            for name, rows in parts.items():
                try:
                    found.append(self.family.fit(x[rows]))
                except ValueError as error:
                    raise ValueError(f"group {name!r}: {error}") from error
                tick()
        return found

    def _shares(self, x: View | Predictions, common: Map, parts: dict[str, Ints]) -> list[float]:
        """For how much each group's own map counts."""
        of_all = _chances(common, x) if x.n > _MANY else self._held_out_chances(x)
        gains = []
        with progress("weighing groups", len(parts)) as tick:
            for rows in parts.values():
                drawn = rows[drawn_rows(_view(x[rows]), _MANY, 0)]
                part = x[drawn]
                gains.append(_gains(part, of_all[drawn], self._held_out_chances(part)))
                tick()
        sizes = [float(counts(x.w, x.n)[rows].sum()) for rows in parts.values()]
        return expected_shares(np.array(gains), np.array(sizes)).tolist()

    def _held_out_chances(self, x: View | Predictions) -> Array:
        """Calibrated chances, a column for each outcome, of rows that had no say in their map."""
        found = None
        for fitted, held in held_out(_view(x), _FOLDS, 0):
            q = _chances(self.family.fit(x[fitted]), x[held])
            found = np.full((x.n, q.shape[1]), 1 / q.shape[1]) if found is None else found
            found[held] = q
        assert found is not None
        return found


def _parts(x: View | Predictions, groups: Any) -> dict[str, Ints]:  # noqa: ANN401 - an array
    """The rows that weigh anything of each group that has enough of them."""
    found = grouped(groups, x.n)
    weighs = np.zeros(x.n, np.bool_)
    weighs[present(x.w, x.n)] = True
    parts = {}
    for name, rows in zip(found.names, found.rows(), strict=True):
        kept = rows[weighs[rows]]
        if len(kept) >= _FEWEST:
            parts[name] = kept
    return parts


def _view(x: View | Predictions) -> View | Canonical:
    return x if isinstance(x, View) else Canonical(x)


def _chances(fitted: Map, x: View | Predictions) -> Array:
    """Calibrated chances, a column for each outcome; of a view that of the event is the second."""
    if isinstance(x, Predictions):
        probs: Array = fitted.apply(x).probs
        return probs
    q = np.clip(fitted(x), 0, 1)
    return np.stack([1 - q, q], axis=1)


def _gains(x: View | Predictions, common: Array, own: Array) -> Array:
    """For each share the log likelihood of rows over that of the common map."""
    y = x.y if isinstance(x, View) else x.labels
    if are_shares(y):
        happened = y
    elif y.dtype.kind == "f":
        happened = np.stack([1 - y, y], axis=1)
    else:
        at = y.astype(np.intp)[:, None]
        common, own = (np.take_along_axis(q, at, 1) for q in (common, own))
        happened = np.ones(at.shape)
    ratio = np.maximum(own, TINY) / np.maximum(common, TINY)
    weights = counts(x.w, x.n)[:, None] * happened
    gains = [np.log1p(share * (ratio - 1)) if share < 1 else np.log(ratio) for share in SHARES]
    return np.array([float((weights * gain).sum()) for gain in gains])


def _mixed(common: Map, own: Map, share: float) -> Map:
    """The map of a group, whose own counts for so much."""
    shares = (1 - share, share)
    kind = BlendedChance if isinstance(own, ChanceMap) else BlendedVector
    rule = kind((common.rule, own.rule), shares)
    both = Blend((common.family, own.family), shares=shares)
    return replace(own, family=both, rule=rule, floor=common.floor)
