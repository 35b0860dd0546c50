"""Rules with other arrays, and several rules of one kind as one: a hundred isotonic maps are one search."""

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ..fitting.newton import Certificate
from ..fitting.types import Array

Rule = TypeVar("Rule")


def map_arrays(x: Rule, change: Callable[[str, Array], Any], place: str = "") -> Rule:
    """The same rule with each array in it changed, which is told its place: `smooth.inner`, `rules.0.q`."""
    if isinstance(x, np.ndarray):
        return change(place.removeprefix("."), x)
    if isinstance(x, tuple):
        parts = [map_arrays(part, change, f"{place}.{i}") for i, part in enumerate(x)]
        return tuple(parts)  # type: ignore[return-value]
    if not is_dataclass(x) or isinstance(x, type):
        return x
    changed = {
        field.name: map_arrays(getattr(x, field.name), change, f"{place}.{field.name}")
        for field in fields(x)
    }
    return replace(x, **changed)


def stack(rules: Sequence[Rule]) -> Rule:
    """One rule for a column each: numbers become rows of them, arrays become tables of a row each."""
    first: Any = rules[0]
    if any(type(rule) is not type(first) for rule in rules):
        kinds = sorted({type(rule).__name__ for rule in rules})
        raise ValueError(f"rules side by side must be of one kind, got {', '.join(kinds)}")
    stacked = {}
    for field in fields(first):
        values = [getattr(rule, field.name) for rule in rules]
        zeros = field.name in first.padded_with_zeros
        stacked[field.name] = _stack_values(field.name, values, zeros=zeros)
    return replace(first, **stacked)


def _stack_values(name: str, values: Sequence[Any], *, zeros: bool) -> Any:  # noqa: ANN401 - of their kind
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
    """Rows of several lengths as one table: the shorter go on with their last entry, or with zeros."""
    width = max(row.shape[-1] for row in rows)
    padded = []
    for row in rows:
        more = (*row.shape[:-1], width - row.shape[-1])
        # An edge beyond all claims changes nothing where there is none at all.
        last = row[..., -1:] if row.size else np.inf
        padded.append(np.concatenate([row, np.broadcast_to(0.0 if zeros else last, more)], -1))
    return np.stack(padded)
