"""Contests: a time is what work takes, whatever it returns."""

import time
from typing import Any

import pytest
from contests import Contest, SelfTimed, compete, timed, times

PAUSE = 0.02


def works(result: object) -> Any:  # noqa: ANN401 - as peers return
    time.sleep(PAUSE)
    return result


@pytest.mark.parametrize("result", [1e9, 0.0, 7, None, "text", (5.0, 3.0), [2.0]])
def test_a_time_does_not_depend_on_what_is_returned(result: object) -> None:
    seconds, found = timed(lambda: works(result))
    assert PAUSE <= seconds < 1000
    assert found is result
    contest = Contest("w", "p", lambda: works(0.5), lambda: works(result), 1.0, str, rounds=2)
    timing = times(contest)
    assert PAUSE <= timing.ours < 1000
    assert PAUSE <= timing.theirs < 1000
    assert timing.found == (0.5, result)


def test_who_ran_elsewhere_tells_its_own_seconds() -> None:
    contest = Contest(
        "w", "p", lambda: works(1), lambda: SelfTimed(100.0), 1.0, lambda *_: "same", rounds=3
    )
    assert times(contest).theirs == 100.0
    assert times(contest).ratio < 0.9
    assert "p 100000.0 ms" in compete(contest)
