"""How many threads may work at once; while ours do, BLAS has one."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

VARIABLE = "CALIBRANT_THREADS"


def thread_count() -> int:
    """What the variable CALIBRANT_THREADS says; else the cores, but no more than BLAS may use.

    BLAS is limited by `threadpoolctl.threadpool_limits`, or by variables of its own.
    """
    given = os.environ.get(VARIABLE, "")
    if not given:
        return min(available_cores(), _hold.allowed())
    if not given.isdecimal() or int(given) < 1:
        raise ValueError(f"{VARIABLE} must be a whole number of threads, at least 1, got {given!r}")
    return int(given)


def available_cores() -> int:
    """The cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Hold:
    """How many hold BLAS to one thread at the moment, and what it had before the first of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._holders = 0
        self._before: list[int] = []

    def allowed(self) -> int:
        """The threads that BLAS may use where nobody holds it."""
        with self._lock:
            now = self._before if self._holders else _threads_of_blas()
        return max(now, default=available_cores())

    def take(self) -> None:
        with self._lock:
            if not self._holders:
                self._before = _threads_of_blas()
                _limit([1] * len(self._before))
            self._holders += 1

    def release(self) -> None:
        with self._lock:
            self._holders -= 1
            if not self._holders:
                _limit(self._before)


_hold = _Hold()


@contextmanager
def blas_held() -> Iterator[None]:
    """BLAS to one thread, of which several would wait for one another in a spin."""
    _hold.take()
    try:
        yield
    finally:
        _hold.release()


def _threads_of_blas() -> list[int]:
    return [library.num_threads for library in _blas()]


def _limit(threads: list[int]) -> None:
    from threadpoolctl import OpenBLASController

    for library, number in zip(_blas(), threads, strict=True):
        library.set_num_threads(number)
        if isinstance(library, OpenBLASController):
            # Else the thread that took hold alone could let go, and nobody else set a limit.
            library.clear_controlling_thread()


@cache
def _blas() -> list[Any]:
    """The libraries of numpy's BLAS, as threadpoolctl knows them."""
    from threadpoolctl import ThreadpoolController

    found: list[Any] = ThreadpoolController().select(user_api="blas").lib_controllers
    return found
