"""What is kept of exact 0 and 1, so that they are read as they are in memory."""

from dataclasses import asdict, dataclass, fields
from typing import Any, Self

import numpy as np

from ..fitting.logspace import NO_SHARE, TINY
from ..fitting.types import Array, Bools
from ..fitting.weights import Weights, weighted_sum
from ..inputs.rounded import HALF_STEP, Reading

_TYPES = (np.float16, np.float32)


@dataclass(frozen=True)
class Rounding:
    """Of all chances seen: the nearest to 0 or 1, and how many rows have one of exactly 0 or 1.

    `type_bits` is the width of the narrowest float type that holds every chance. `has_one`: some
    chance is 1. `is_one_chance`: a row has one chance and its complement; `coarse` are the least
    positive chances of the two columns, of one that has a 0, or else 1.
    """

    nearest: float = np.inf
    rows: float = 0.0
    has_one: bool = False
    type_bits: int = 16
    is_single: bool = False
    least: tuple[float, float] = (1.0, 1.0)
    has_zero: tuple[bool, bool] = (False, False)

    @classmethod
    def of(cls, columns: Array, w: Weights, before: "Rounding") -> "Rounding":
        """What chances by column, (k, n), say; a width that `before` has is not looked for."""
        least = float(columns.min())
        most = float(columns.max())
        is_exact = least <= 0 or most >= 1
        nearest = min(least, 1 - most)
        rows = 0.0
        if is_exact:
            low = least if least > 0 else float(np.where(columns > 0, columns, 1).min())
            high = most if most < 1 else float(np.where(columns < 1, columns, 0).max())
            # Where no chance lies between 0 and 1, none is near.
            nearest = min(low, 1 - high) if low < 1 else np.inf
            has_exact: Bools = (columns <= 0) | (columns >= 1)
            is_rounded = np.asarray(has_exact.any(0))
            rows = float(weighted_sum(is_rounded, w))
        bits = _type_bits(columns, before.type_bits)
        found = cls(nearest, rows, most >= 1, bits, len(columns) == 1)
        if len(columns) != 2:
            return found
        return found._with_pair(columns)

    def merged(self, other: "Rounding") -> "Rounding":
        """Both together."""
        return Rounding(
            min(self.nearest, other.nearest),
            self.rows + other.rows,
            self.has_one or other.has_one,
            max(self.type_bits, other.type_bits),
            self.is_single or other.is_single,
            (min(self.least[0], other.least[0]), min(self.least[1], other.least[1])),
            (self.has_zero[0] or other.has_zero[0], self.has_zero[1] or other.has_zero[1]),
        )

    @property
    def may_share(self) -> bool:
        """Whether zeros may be read as so much that they take from the rest of their vectors."""
        return self.nearest / 2 > NO_SHARE

    def reading(self, k: int, total: float) -> Reading:
        """What a claim of exactly 0 is read as: the rules of `read_claims`."""
        if not self.rows:
            return Reading(max(min(self.nearest / 2, HALF_STEP), TINY), 0.0)
        if self.nearest == np.inf:
            return Reading(1 / (total + 2), self.rows)
        eps = {16: 2.0**-10, 32: 2.0**-23, 64: 2.0**-52}[self.type_bits]
        limit = eps / 4 if self.has_one and self._is_one_chance(k, eps) else TINY
        return Reading(max(self.nearest / 2, limit), self.rows)

    def to_dict(self) -> dict[str, Any]:
        """As json holds it; no claim but 0 and 1 is nearest to None."""
        words = asdict(self)
        return words | {"nearest": None if self.nearest == np.inf else self.nearest}

    @classmethod
    def from_dict(cls, words: dict[str, Any]) -> Self:
        """What `to_dict` gave."""
        values = {each.name: words[each.name] for each in fields(cls)}
        values["nearest"] = np.inf if values["nearest"] is None else float(values["nearest"])
        return cls(**values | {name: tuple(values[name]) for name in ("least", "has_zero")})

    def _with_pair(self, columns: Array) -> "Rounding":
        least = [float(each.min(where=each > 0, initial=1)) for each in columns]
        zero = [bool(each.min() <= 0) for each in columns]
        whole = asdict(self) | {"least": tuple(least), "has_zero": tuple(zero)}
        return Rounding(**whole)

    def _is_one_chance(self, k: int, eps: float) -> bool:
        if self.is_single:
            return True
        if k > 2:
            return False
        pairs = zip(self.least, self.has_zero, strict=True)
        return any(least >= eps / 2 for least, has_zero in pairs if has_zero)


def _type_bits(columns: Array, known: int) -> int:
    """The width of the narrowest type that holds every chance, if it is above what is known."""
    own = 8 * columns.dtype.itemsize
    for kind in _TYPES:
        bits = 8 * np.dtype(kind).itemsize
        if known > bits:
            continue
        if own <= bits or _fits(columns, kind):
            return max(bits, known)
    return 64


def _fits(columns: Array, kind: type[np.floating[Any]]) -> bool:
    # Most that do not fit are seen at once.
    some = columns[:, :100]
    if not np.array_equal(some.astype(kind), some):
        return False
    return bool(np.array_equal(columns.astype(kind), columns))
