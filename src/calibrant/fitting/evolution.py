"""Differential evolution: minima of functions with many dips, several problems at once."""

from collections.abc import Callable

import numpy as np

from .types import Array

# Of members (problems, members, size), each an ascending row within [0, 1]: their losses.
LossOfMembers = Callable[[Array], Array]

_MEMBERS = 15  # for each coordinate, and for two more
_GENERATIONS = 300
_CROSSED = 0.7  # share of coordinates that a mutant passes on
_DIGITS = 12  # losses nearer to one another than this are one, however they were rounded


def evolve(losses: LossOfMembers, problems: int, size: int, *, seed: int = 0) -> Array:
    """For each problem the best ascending row found of so many places in [0, 1].

    A member becomes a mutant of three others where that has less loss (Storn and Price 1997). The
    function may have dips that no member came near, so there is no certificate.

    >>> def far_from_thirds(members):
    ...     return abs(members - [1 / 3, 2 / 3]).sum(2)
    >>> evolve(far_from_thirds, 1, 2).round(3).tolist()
    [[0.333, 0.667]]
    """
    random = np.random.RandomState(seed)
    first = np.sort(_latin_hypercube(random, _MEMBERS * (size + 2), size), axis=1)
    members = np.repeat(first[None], problems, axis=0)
    loss = losses(members).round(_DIGITS)
    for _ in range(_GENERATIONS):
        trial = _mutants(random, members)
        trial_loss = losses(trial).round(_DIGITS)
        is_better = trial_loss < loss
        members = np.where(is_better[:, :, None], trial, members)
        loss = np.where(is_better, trial_loss, loss)
        if np.ptp(loss, axis=1).max() == 0:
            break
    best = loss.argmin(1)
    return members[np.arange(problems), best]


def _latin_hypercube(random: np.random.RandomState, count: int, size: int) -> Array:
    """Rows of which each coordinate has one in each of `count` equal parts of [0, 1]."""
    parts = [random.permutation(count) for _ in range(size)]
    within = random.uniform(size=(count, size))
    return (np.stack(parts, axis=1) + within) / count


def _mutants(random: np.random.RandomState, members: Array) -> Array:
    """A trial for each member; what is drawn is the same for every problem."""
    _, count, size = members.shape
    base = random.permutation(count)
    one = random.permutation(count)
    other = (one + random.randint(1, count)) % count
    scale = random.uniform(0.5, 1)
    mutant = members[:, base] + scale * (members[:, one] - members[:, other])
    is_outside = (mutant < 0) | (mutant > 1)
    anew = random.uniform(size=(count, size))
    mutant = np.where(is_outside, anew, mutant)
    is_crossed = random.uniform(size=(count, size)) < _CROSSED
    # One coordinate at least is the mutant's own.
    own = random.randint(size, size=count)
    is_crossed[np.arange(count), own] = True
    return np.sort(np.where(is_crossed, mutant, members), axis=2)
