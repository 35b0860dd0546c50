"""Rules with other arrays, and several as one: a hundred isotonic maps are one search."""

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ..fitting.newton import Certificate
from ..fitting.types import Array

Rule = TypeVar("Rule")
Change = Callable[[str, Array], Any]


def map_arrays(x: Rule, change: Change, place: str = "") -> Rule:
    """The same rule with each array in it changed.

    The change is told the array's place: `smooth.inner`, `rules.0.q`.
    """
    if isinstance(x, np.ndarray):
        return change(place.removeprefix("."), x)
    if isinstance(x, tuple):
        parts = []
        for i, part in enumerate(x):
            parts.append(map_arrays(part, change, f"{place}.{i}"))
        return tuple(parts)  # type: ignore[return-value]
    if not is_dataclass(x) or isinstance(x, type):
        return x
    changed = {}
    for field in fields(x):
        name = field.name
        value = getattr(x, name)
        changed[name] = map_arrays(value, change, f"{place}.{name}")
    return replace(x, **changed)


def stack(rules: Sequence[Rule]) -> Rule:
    """One rule for a column each: numbers become rows of them, arrays tables of a row each."""
    first: Any = rules[0]
    kinds = {type(rule).__name__ for rule in rules}
    if len(kinds) > 1:
        told = ", ".join(sorted(kinds))
        raise ValueError(f"rules side by side must be of one kind, got {told}")
    stacked = {}
    for field in fields(first):
        name = field.name
        values = [getattr(rule, name) for rule in rules]
        zeros = name in first.padded_with_zeros
        stacked[name] = _stack_values(name, values, zeros=zeros)
    return replace(first, **stacked)


def _stack_values(name: str, values: Sequence[Any], *, zeros: bool) -> Any:  # noqa: ANN401
    """The values of one field in all rules."""
    first = values[0]
    if first is None or isinstance(first, Certificate):
        return first
    if isinstance(first, float):
        return np.array(values)
    if isinstance(first, np.ndarray):
        return _table(values, zeros=zeros)
    if isinstance(first, tuple):
        places = zip(*values, strict=True)
        return tuple(_stack_values(name, place, zeros=zeros) for place in places)
    if is_dataclass(first):
        return stack(values)
    if any(value != first for value in values):
        raise ValueError(f"rules side by side must agree on {name}, got {values!r}")
    return first


def _table(rows: Sequence[Array], *, zeros: bool) -> Array:
    """Rows of several lengths as one table; shorter ones are padded at their ends."""
    width = max(row.shape[-1] for row in rows)
    padded = [_padded(row, width, zeros=zeros) for row in rows]
    return np.stack(padded)


def _padded(row: Array, width: int, *, zeros: bool) -> Array:
    """The row made so wide, with zeros or with its last entry."""
    if zeros:
        filling: Any = 0.0
    elif row.size:
        filling = row[..., -1:]
    else:
        # An edge beyond all claims changes nothing where there is none at all.
        filling = np.inf
    *others, size = row.shape
    shape = (*others, width - size)
    missing = np.broadcast_to(filling, shape)
    return np.concatenate([row, missing], axis=-1)
