"""Passes over many rows in cache-sized blocks, on all cores."""

import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from .types import Array

Item = TypeVar("Item")
Result = TypeVar("Result")

# About 2 MB of float32: small enough for a core's cache, large enough to hide Python's own cost.
BLOCK_CELLS = 1 << 19
MANY_CELLS = 1 << 21
_MOST_ROWS = 1 << 16


def _available_cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


CORES = _available_cores()


def row_blocks(n: int, width: int = 1) -> list[slice]:
    """Cut n rows of `width` numbers into blocks that fit the cache.

    >>> row_blocks(10, 1 << 17)
    [slice(0, 4, None), slice(4, 8, None), slice(8, 10, None)]
    """
    rows = min(BLOCK_CELLS // width, _MOST_ROWS)
    return blocks_of(n, max(1, rows))


def blocks_of(n: int, rows: int) -> list[slice]:
    """Cut n rows into blocks of so many rows.

    >>> blocks_of(3, 2)
    [slice(0, 2, None), slice(2, 3, None)]
    """
    starts = range(0, n, rows)
    return [slice(start, min(start + rows, n)) for start in starts]


def on_all_cores(
    work: Callable[[Item], Result],
    items: Iterable[Item],
) -> list[Result]:
    """Results of `work` in the order of `items`.

    Threads are enough, as numpy lets go of the interpreter.
    """
    items = list(items)
    if len(items) < 2 or CORES < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(CORES) as pool:
        return list(pool.map(work, items))


def working_type(x: Array) -> np.dtype[Any]:
    """The type to work in: few cells cost nothing in float64; of many, float32's roundings cancel.

    >>> str(working_type(np.zeros(3, np.float32)))
    'float64'
    """
    if x.size > MANY_CELLS:
        return np.promote_types(x.dtype, np.float32)
    return np.promote_types(x.dtype, np.float64)
