"""A random sample of whole rows that does not depend on their order, nor on how they were parted."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..fitting.types import Array, Values
from ..fitting.weights import counts
from ..inputs.labels import are_shares
from ..inputs.predictions import Predictions

Hashes = NDArray[np.uint64]
Keys = NDArray[np.uint32]
_KEY_UNIT = 2.0**-32
_HASH_UNIT = 2.0**-64


class Drawn(NamedTuple):
    """Rows by priority, the least first: what they are, and how often each was seen."""

    priority: Values
    hash: Values
    seen: Values
    values: Values
    labels: Values
    weights: Values


class Reservoir:
    """At most `most` different rows, each drawn with a chance in proportion to its weight.

    Priority sampling (Duffield et al. 2007) by a hash of the row and the seed, so that
    equal rows are one, with a count.
    """

    def __init__(self, most: int, seed: int) -> None:
        self.most = most
        self.seed = seed
        self._limit = np.inf
        self._buffered: list[Drawn] = []
        self._rows = 0

    def offer(self, pred: Predictions, columns: Array) -> None:
        """Rows, and the same by column."""
        if not self.most:
            return
        # A quick key of every row says which of them may be drawn; these alone are hashed.
        key = _keys(columns, pred, self.seed)
        least = key * _KEY_UNIT
        if pred.weights is not None:
            least /= pred.weights
        kept = np.flatnonzero(least <= self._limit)
        if len(kept):
            self._put(_drawn(pred[kept], columns[:, kept], key[kept], self.seed))

    def merge(self, other: "Reservoir") -> "Reservoir":
        """A sample of all rows of both."""
        merged = Reservoir(self.most, self.seed)
        for each in (*self._buffered, *other._buffered):
            merged._put(each)
        return merged

    def drawn(self) -> Drawn | None:
        """What is kept: one row more than `most`, whose priority says what chance the others had."""
        if not self._buffered:
            return None
        self._compact()
        return self._buffered[0]

    def restore(self, drawn: Drawn) -> None:
        """Take what another reservoir kept."""
        self._put(drawn)

    def rows(self) -> tuple[Drawn, Array | None] | None:
        """The sample, and weights of its rows that add up to as many; None where they are equal.

        Where all rows are in it, weights are their own.
        """
        drawn = self.drawn()
        if drawn is None:
            return None
        is_whole = len(drawn.hash) <= self.most
        weights = drawn.weights
        if not is_whole:
            weights = np.maximum(weights, 1 / drawn.priority[-1])
            drawn = Drawn(*(each[: self.most] for each in drawn))
            weights = weights[: self.most]
        weights = weights * drawn.seen
        if not is_whole:
            weights = weights / weights.mean()
        is_equal = (weights == weights[0]).all() and (not is_whole or weights[0] == 1)
        return drawn, None if is_equal else weights

    def _put(self, drawn: Drawn) -> None:
        self._buffered.append(drawn)
        self._rows += len(drawn.hash)
        if self._rows > 2 * self.most + 1000:
            self._compact()

    def _compact(self) -> None:
        parts = self._buffered
        joined = Drawn(*(np.concatenate(each) for each in zip(*parts, strict=True)))
        order = np.lexsort((joined.hash, joined.priority))
        is_new = np.append(True, np.diff(joined.hash[order]) != 0)
        starts = np.flatnonzero(is_new)
        seen = np.add.reduceat(joined.seen[order], starts)
        kept = order[starts][: self.most + 1]
        cut = Drawn(*(each[kept] for each in joined))
        cut = cut._replace(seen=seen[: self.most + 1])
        self._buffered = [cut]
        self._rows = len(kept)
        if self._rows > self.most:
            self._limit = float(cut.priority[-1])


def _drawn(pred: Predictions, columns: Array, key: Keys, seed: int) -> Drawn:
    """Rows with their priorities: a key, further digits by a hash, over the weight."""
    found = _hashes(columns, pred, seed)
    w = counts(pred.weights, pred.n)
    priority = (key + (found + 1.0) * _HASH_UNIT) * _KEY_UNIT / w
    values = np.ascontiguousarray(pred.values)
    return Drawn(priority, found, np.ones(pred.n, np.int64), values, pred.labels, w)


def _keys(columns: Array, pred: Predictions, seed: int) -> Keys:
    """32 bits of each row: of its numbers, and of its label if it has one."""
    halves = columns.view(np.uint32)
    if columns.dtype.itemsize == 8:
        halves = np.concatenate([halves[:, ::2], halves[:, 1::2]])
    halves = halves ^ (halves >> np.uint32(16))
    factors = np.random.default_rng(seed).integers(0, 2**32, len(halves) + 1, np.uint32)
    factors |= np.uint32(1)
    halves *= factors[:-1, None]
    found = halves.sum(0, dtype=np.uint32)
    if not are_shares(pred.labels):
        found += pred.labels.astype(np.uint32) * factors[-1]
    return _mixed_keys(found)


def _mixed_keys(x: Keys) -> Keys:
    """Every bit depends on all, as in `_mixed`."""
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x ^= x >> np.uint32(shift)
        x *= np.uint32(factor)
    x ^= x >> np.uint32(16)
    return x


def _hashes(columns: Array, pred: Predictions, seed: int) -> Hashes:
    """A hash of each row: its numbers, its label and its weight."""
    bits = [_bits(np.ascontiguousarray(column)) for column in columns]
    labels = pred.labels
    if are_shares(labels):
        bits += [_bits(np.ascontiguousarray(share)) for share in labels.T]
    else:
        bits.append(labels.astype(np.uint64))
    if pred.weights is not None:
        bits.append(_bits(counts(pred.weights, pred.n)))
    return _mixed(_multilinear(bits, seed))


def _bits(column: Array) -> Values:
    # Adding 0 makes -0.0 a plain zero.
    kind = np.uint32 if column.dtype.itemsize == 4 else np.uint64
    return (column + column.dtype.type(0)).view(kind)


def _multilinear(bits: Sequence[Values], seed: int) -> Hashes:
    factors = np.random.default_rng(seed).integers(0, 2**64, len(bits) + 1, np.uint64)
    factors |= np.uint64(1)
    found = np.full(len(bits[0]), factors[-1])
    product = np.empty_like(found)
    for column, factor in zip(bits, factors, strict=False):
        np.multiply(column, factor, out=product, dtype=np.uint64)
        found += product
    return found


def _mixed(x: Hashes) -> Hashes:
    """Every bit depends on all (the finaliser of MurmurHash3)."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        x ^= x >> np.uint64(33)
        x *= np.uint64(factor)
    x ^= x >> np.uint64(33)
    return x
