"""Passes over many rows in cache-sized blocks, on all cores."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np

from .threads import available_cores, blas_held, thread_count
from .types import Array

Item = TypeVar("Item")
Result = TypeVar("Result")
_is_inside: ContextVar[bool] = ContextVar("is_inside", default=False)  # one of our threads

# About 2 MB of float32: small enough for a core's cache, large enough to hide Python's own cost.
BLOCK_CELLS = 1 << 19
MANY_CELLS = 1 << 21
_MOST_ROWS = 1 << 16


CORES = available_cores()


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

    Threads are enough, as numpy lets go of the interpreter; BLAS has one for each of them.
    """
    items = list(items)
    threads = 1 if _is_inside.get() else min(thread_count(), len(items))
    with blas_held():
        if threads < 2:
            return [work(item) for item in items]
        with ThreadPoolExecutor(threads, initializer=_is_inside.set, initargs=(True,)) as pool:
            return list(pool.map(work, items))


def working_type(x: Array) -> np.dtype[Any]:
    """The type to work in: few cells cost nothing in float64; of many, float32's roundings cancel.

    >>> str(working_type(np.zeros(3, np.float32)))
    'float64'
    """
    if x.size > MANY_CELLS:
        return np.promote_types(x.dtype, np.float32)
    return np.promote_types(x.dtype, np.float64)
