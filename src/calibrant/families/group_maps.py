"""Maps of groups: the group of each row says which map is its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..fitting.types import Array, Ints
from ..inputs.checks import briefly
from ..inputs.groups import grouped, in_words
from ..inputs.predictions import Predictions
from ..inputs.questions import binary
from ..inputs.views import Canonical, View
from .maps import ChanceMap, Map, calibrated
from .rules import Fact, Rule

NEEDS_GROUPS = (
    "this map has a map for each of {:,} groups, {}: give the group of each row too, as "
    "map.apply(x, groups); map.of(name) is that of one, map.common that of all others"
)
ONE_AT_A_TIME = (
    "{} holds one map, and this one has a map for each of {:,} groups, {}: take them one at a "
    "time, as map.of({!r})"
)


@dataclass(frozen=True, eq=False)
class GroupShares(Rule):
    """The names of the groups, and for how much each one's own rows count in its map."""

    tag = "group-shares"
    names: tuple[str, ...]
    shares: tuple[float, ...]
    totals: tuple[float, ...]

    def facts(self) -> Iterator[Fact]:
        yield Fact("groups", len(self.names), "each with a map; others have the common one")
        yield Fact("least share", min(self.shares), "of a group's own map, beside the common one")
        yield Fact("largest share", max(self.shares), "of a group's own map; 1 is apart from all")

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The rows and the share of each group, as json holds them."""
        named = zip(self.names, self.totals, self.shares, strict=True)
        return {name: {"total": total, "share": share} for name, total, share in named}


@dataclass(frozen=True, eq=False)
class GroupMap(Map):
    """A map for each group, and the `common` one for rows of any other."""

    rule: GroupShares
    common: Map
    maps: tuple[Map, ...]

    def __post_init__(self) -> None:
        rule = self.rule
        numbers = {len(each) for each in (rule.names, rule.shares, rule.totals, self.maps)}
        if len(numbers) != 1:
            raise ValueError(f"every group must have a name, a share and a map, got {numbers}")

    @property
    def classes(self) -> tuple[object, ...] | None:
        """The classes of the predictions it was fitted on."""
        found: tuple[object, ...] | None = self.common.classes  # type: ignore[attr-defined]
        return found

    @property
    def single_maps(self) -> tuple[Map, ...]:
        """The common map, and that of each group."""
        return (self.common, *self.maps)

    def of(self, name: str | float | None) -> Map:
        """The map of a group, or the common one where the group was not among those fitted on."""
        known = in_words(name)
        names = self.rule.names
        return self.maps[names.index(known)] if known in names else self.common

    def __call__(
        self,
        x: View | Canonical | Predictions | ArrayLike,
        groups: ArrayLike | None = None,
    ) -> Array:
        """Calibrated chances for claims, each by the map of its group."""
        if not isinstance(x, View | Canonical | Predictions):
            x = self._asked(x)
        found: Any = None
        for fitted, rows in self._parts(x.n, groups):
            q = fitted(x[rows])
            found = np.empty((x.n, *q.shape[1:]), q.dtype) if found is None else found
            found[rows] = q
        return np.asarray(found)

    def apply(self, x: Predictions | View, groups: ArrayLike | None = None) -> Any:  # noqa: ANN401 - of the kind of x
        """Predictions, or a view, with every row calibrated by the map of its group."""
        parts = [(fitted.apply(x[rows]), rows) for fitted, rows in self._parts(x.n, groups)]
        if isinstance(x, View):
            p = _joined([(part.p, rows) for part, rows in parts], x.n)
            return replace(x, p=p, exact_log_odds=None, reading=None, clip=parts[0][0].clip)
        return calibrated(x, _joined([(part.probs, rows) for part, rows in parts], x.n), "probs")

    def to_onnx(
        self,
        path: str | PathLike[str],  # noqa: ARG002 - there is nothing to write
        *,
        dtype: Literal["float32", "float64"] = "float32",  # noqa: ARG002
    ) -> None:
        """Refuse: a model takes numbers and no names of groups."""
        raise ValueError(self._one_at_a_time("an ONNX model"))

    def to_sql(
        self,
        columns: str | Sequence[str],
        *,
        table: str | None = None,
        keep: Sequence[str] = (),
        dialect: Literal["standard", "spark"] = "standard",
        group: str | None = None,
    ) -> str:
        """One chance as SQL: a CASE over the column `group`, others by the common map."""
        if group is None or table is not None or not isinstance(self.common, ChanceMap):
            raise ValueError(self._one_at_a_time("SQL of whole vectors, or without group=COLUMN,"))
        named = zip(self.rule.names, self.maps, strict=True)
        cases = []
        for name, fitted in named:
            quoted = name.replace("'", "''")
            cases.append(f"WHEN '{quoted}' THEN {fitted.to_sql(columns, dialect=dialect)}")
        rest = self.common.to_sql(columns, keep=keep, dialect=dialect)
        return f"CASE CAST({group} AS VARCHAR) {' '.join(cases)} ELSE {rest} END"

    def _parts(self, n: int, groups: ArrayLike | None) -> Iterator[tuple[Map, Ints]]:
        """Each map with its rows."""
        if groups is None:
            names = self.rule.names
            raise ValueError(NEEDS_GROUPS.format(len(names), briefly(names)))
        found = grouped(groups, n)
        for name, rows in zip(found.names, found.rows(), strict=True):
            yield self.of(name), rows

    def _asked(self, x: ArrayLike) -> View | Predictions:
        if isinstance(self.common, ChanceMap):
            return binary(x, np.zeros(len(np.asarray(x)), np.bool_))
        found: Predictions = self.common._predictions(x)  # type: ignore[attr-defined]
        return found

    def _one_at_a_time(self, what: str) -> str:
        names = self.rule.names
        return ONE_AT_A_TIME.format(what, len(names), briefly(names), names[0])


def _joined(parts: Sequence[tuple[Array, Ints]], n: int) -> Array:
    """Rows of several parts in their places."""
    first = parts[0][0]
    found = np.empty((n, *first.shape[1:]), first.dtype)
    for values, rows in parts:
        found[rows] = values
    return found
