"""Passes over many rows in cache-sized blocks, on all cores."""

import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item")
Result = TypeVar("Result")

# About 2 MB of float32: small enough for a core's cache, large enough that Python's own cost vanishes.
BLOCK_CELLS = 1 << 19
MANY_CELLS = 1 << 21
CORES = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def row_blocks(n: int, width: int = 1) -> list[slice]:
    """Cut n rows of `width` numbers into blocks that fit the cache.

    >>> row_blocks(10, 1 << 17)
    [slice(0, 4, None), slice(4, 8, None), slice(8, 10, None)]
    """
    rows = max(1, min(BLOCK_CELLS // width, 1 << 16))
    return [slice(i, min(i + rows, n)) for i in range(0, n, rows)]


def on_all_cores(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Results of `work` in the order of `items`; numpy lets go of the interpreter, so threads are enough."""
    items = list(items)
    if len(items) < 2 or CORES < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(CORES) as pool:
        return list(pool.map(work, items))


def working_type(x: NDArray[np.floating[Any]]) -> np.dtype[Any]:
    """The type to work in: few cells cost nothing in float64; of many, the roundings of float32 cancel.

    >>> str(working_type(np.zeros(3, np.float32)))
    'float64'
    """
    return np.promote_types(x.dtype, np.float32 if x.size > MANY_CELLS else np.float64)
