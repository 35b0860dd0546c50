"""Threads: how many, and what becomes of BLAS while they work."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, get_ident

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from calibrant.fitting.blocks import on_all_cores
from calibrant.fitting.threads import VARIABLE, available_cores, blas_held, thread_count


def _blas() -> list[int]:
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]


@pytest.fixture(autouse=True)
def _no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


def test_limits_of_threadpoolctl_hold_for_ours() -> None:
    with threadpool_limits(1, user_api="blas"):
        assert thread_count() == 1
        with blas_held():
            assert thread_count() == 1
    with threadpool_limits(available_cores(), user_api="blas"):
        assert thread_count() == available_cores()
        with blas_held():
            assert thread_count() == available_cores()


def test_the_variable_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "3")
    with threadpool_limits(1, user_api="blas"):
        assert thread_count() == 3
    together = Barrier(3)  # which one thread alone would not pass

    def work(_: int) -> int:
        together.wait(timeout=30)
        return get_ident()

    assert len(set(on_all_cores(work, range(3)))) == 3
    monkeypatch.setenv(VARIABLE, "1")
    assert set(on_all_cores(lambda _: get_ident(), range(3))) == {get_ident()}


@pytest.mark.parametrize("bad", ["0", "-1", "many", "1.5"])
def test_the_variable_is_checked(monkeypatch: pytest.MonkeyPatch, bad: str) -> None:
    monkeypatch.setenv(VARIABLE, bad)
    with pytest.raises(ValueError, match=f"{VARIABLE} must be a whole number of threads"):
        thread_count()


def test_blas_has_one_thread_while_ours_work_and_all_of_its_own_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, "2")
    before = _blas()
    # Each thread fits for itself, and all end at different times.
    with ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(lambda _: on_all_cores(lambda _: min(_blas()), range(3)), range(8)))
    assert np.unique(seen).tolist() == [1]
    with pytest.raises(ZeroDivisionError):
        on_all_cores(lambda x: 1 // x, [1, 0])
    assert _blas() == before
    # Nor does a thread of theirs keep the right to set limits.
    with threadpool_limits(1, user_api="blas"):
        assert min(_blas()) == 1
    assert _blas() == before


def test_threads_of_ours_start_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "2")

    def inner(_: int) -> bool:
        return set(on_all_cores(lambda _: get_ident(), range(3))) == {get_ident()}

    assert all(on_all_cores(inner, range(4)))
