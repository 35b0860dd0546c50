"""Subgroups: the same question asked of each part of the rows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from numpy.typing import ArrayLike

from ..fitting.types import Ints
from ..fitting.weights import counts, some, total
from ..inference.measuring import Ends
from ..inference.tests import ks_limit
from ..inputs.groups import grouped
from ..inputs.views import View
from ..measures.draws import summarised
from ..measures.ks import ks_error
from ..measures.scores import event_rate, mean_claim
from ..progress import progress, quiet
from .confidence import report_interval
from .counts import row_count
from .findings import Finding
from .verdict import judge

Parts = Mapping[str, Ints | View]  # the rows of each value, or the view of them
# A value a row; or of several ways to part the rows each by its name, perhaps parted already.
By = ArrayLike | Mapping[str, ArrayLike | Mapping[str, View]]

MOST_GROUPS = 30
TOO_MANY = (
    "{} has {:,} different values: the {} with the most rows are shown. "
    "Of numbers, ranges say more: cut them first, as numpy.digitize does."
)
SOME_LOOK_OFF = "Of {} groups about {:.0f} would look off by chance alone."
# With so many groups one of them is expected beyond a limit that holds 19 times in 20.
MANY_GROUPS = 20


@dataclass(frozen=True)
class Group:
    """One part of the rows: what it claims, what happened, and its KS error.

    `limit` is the KS error that random variation alone stays below.
    """

    by: str
    name: str
    n: int
    total: float
    claimed: float
    happened: float
    ks: float
    limit: float
    low: float | None
    high: float | None
    finding: Finding
    words: str


def groups(
    view: View,
    by: By | None,
    *,
    has_classes: bool,
    intervals: bool = False,
    seed: int = 0,
) -> tuple[tuple[Group, ...], tuple[str, ...]]:
    """Every group of every way to part the rows, and what to mind about them.

    None parts nothing.
    """
    if by is None:
        return (), ()
    parted = {name: _parted(name, values, view) for name, values in _named(by).items()}
    shown = [
        (name, value, rows)
        for name, parts in parted.items()
        for value, rows in _largest(parts, view).items()
    ]
    found: list[Group] = []
    with progress("measuring groups", len(shown)) as tick, quiet():
        for name, value, rows in shown:
            part = rows if isinstance(rows, View) else view[rows]
            ends = report_interval(ks_error, summarised(part), seed) if intervals else None
            group = _group(name, value, part, ends, has_classes=has_classes)
            found.append(group)
            tick()
    return tuple(found), tuple(_notes(parted, len(found)))


def _group(by: str, name: str, view: View, ends: Ends | None, *, has_classes: bool) -> Group:
    low, high = ends or (None, None)
    verdict = judge(view, has_classes=has_classes)
    return Group(
        by=by,
        name=name,
        n=row_count(view),
        total=view.total,
        claimed=mean_claim(view),
        happened=event_rate(view),
        ks=ks_error(view),
        limit=ks_limit(view),
        low=low,
        high=high,
        finding=verdict.finding,
        words=verdict.words,
    )


def _named(by: By) -> dict[str, ArrayLike | Mapping[str, View]]:
    if not isinstance(by, Mapping):
        return {"group": by}
    if not by:
        raise ValueError(
            "by must name at least one way to part the rows, got an empty dict; "
            "leave it out instead"
        )
    return {str(name): values for name, values in by.items()}


def _parted(by: str, values: ArrayLike | Mapping[str, View], view: View) -> Parts:
    return values if isinstance(values, Mapping) else _parts(by, values, view)


def _parts(by: str, values: ArrayLike, view: View) -> Parts:
    """Rows of each value, in the order of the values; rows of no weight are left out."""
    found = grouped(values, view.n, f"by {by!r}")
    weight = counts(view.w, view.n)
    parts = {}
    for name, rows in zip(found.names, found.rows(), strict=True):
        kept = rows[weight[rows] > 0]
        if len(kept):
            parts[name] = kept
    return parts


def _largest(parts: Parts, view: View) -> Parts:
    def weight(name: str) -> float:
        rows = parts[name]
        if isinstance(rows, View):
            return rows.total
        return total(some(view.w, rows), len(rows))

    by_weight = sorted(parts, key=weight, reverse=True)
    if any(isinstance(rows, View) for rows in parts.values()):
        return parts
    kept = set(by_weight[:MOST_GROUPS])
    return {name: rows for name, rows in parts.items() if name in kept}


def _notes(parted: Mapping[str, Parts], n_groups: int) -> Iterator[str]:
    for name, parts in parted.items():
        is_cut = not any(isinstance(rows, View) for rows in parts.values())
        if len(parts) > MOST_GROUPS and is_cut:
            yield TOO_MANY.format(name, len(parts), MOST_GROUPS)
    if n_groups >= MANY_GROUPS:
        yield SOME_LOOK_OFF.format(n_groups, n_groups / MANY_GROUPS)
