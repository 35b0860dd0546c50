"""The same work done by us and by a peer, timed in turn."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np


class SelfTimed(NamedTuple):
    """What a peer returns that ran in an environment of its own and took its own time."""

    seconds: float


@dataclass
class Contest:
    """The same work done by us and by a peer, the ratio of times to reach, and what each found."""

    work: str
    peer: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    bar: float
    found: Callable[[Any, Any], str]
    rounds: int = 9


class Timing(NamedTuple):
    """The median seconds of both, the median of the ratios, and what they found last."""

    ours: float
    theirs: float
    ratio: float
    found: tuple[Any, Any]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds that work takes, or says that it took, and what it found."""
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    return (result.seconds if isinstance(result, SelfTimed) else seconds), result


def times(contest: Contest) -> Timing:
    """Both in turn, after a first time that does not count."""
    contest.ours()
    contest.theirs()
    rounds = [(timed(contest.ours), timed(contest.theirs)) for _ in range(contest.rounds)]
    ours = np.array([mine for (mine, _), _ in rounds])
    theirs = np.array([peers for _, (peers, _) in rounds])
    (_, our_find), (_, their_find) = rounds[-1]
    ratio = float(np.median(ours / theirs))
    return Timing(float(np.median(ours)), float(np.median(theirs)), ratio, (our_find, their_find))


def compete(contest: Contest) -> str:
    """One row of the table."""
    timing = times(contest)
    return (
        f"| {contest.work} | {1e3 * timing.ours:.1f} ms | {contest.peer} {1e3 * timing.theirs:.1f} ms "
        f"| {timing.ratio:.2f} | {contest.bar} | {contest.found(*timing.found)} |"
    )
