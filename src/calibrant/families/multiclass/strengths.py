"""Strengths of two penalties, chosen by a search over their grid."""

from collections.abc import Callable, Sequence
from functools import cache

Place = tuple[int, int]  # of a pair of strengths in the grid
Score = Callable[[int, int], float]

# Strengths to choose from, per entry and strongest first, where "cv" asks to choose.
_POWERS = range(6, -6, -1)
_IN_A_DECADE = (1, 0.5, 0.25)
PER_SHIFT = [10.0**power for power in _POWERS]
PER_ENTRY = [scale * decade for decade in PER_SHIFT for scale in _IN_A_DECADE]
_FIRST_SHIFT = _POWERS.index(0)
_LEVEL = 1 - 1e-5  # of two scores: nearer to one another they are one
# Steps from a place to others, along each of the two strengths.
_NEIGHBOURS: tuple[Place, ...] = (
    (0, 0),
    (-2, 0),
    (-1, 0),
    (1, 0),
    (2, 0),
    (0, -1),
    (0, 1),
)


def best_strengths(score: Score, entries: int, shifts: int) -> Place:
    """The place of least score in a grid, each place scored once at most.

    Each strength is searched in turn by decades from the strongest on, then from neighbour to
    neighbour.

    >>> best_strengths(lambda i, j: (i - 7) ** 2 + (j - 3) ** 2 + 1, 36, 12)
    (7, 3)
    """

    @cache
    def score_at(place: Place) -> float:
        return score(*place)

    first_shift = min(_FIRST_SHIFT, shifts - 1)
    decades = range(0, entries, len(_IN_A_DECADE))
    down = [(i, first_shift) for i in decades]
    i, _ = first_valley(score_at, down)
    along = [(i, j) for j in range(shifts)]
    place = first_valley(score_at, along)
    while True:
        near = _near(place, entries, shifts)
        best = min(near, key=score_at)
        if score_at(best) >= score_at(place) * _LEVEL:
            return place
        place = best


def first_valley(score: Callable[[Place], float], places: Sequence[Place]) -> Place:
    """The best place until two in a row are worse: later ones would be slower to fit, too."""
    best, *others = places
    worse = 0
    for place in others:
        here = score(place)
        least = score(best)
        if here < least * _LEVEL:
            best = place
            worse = 0
        elif here > least / _LEVEL:
            worse += 1
        if worse == 2:
            break
    return best


def _near(place: Place, entries: int, shifts: int) -> list[Place]:
    """The place itself, and its neighbours in the grid."""
    found = []
    for down, along in _NEIGHBOURS:
        i = place[0] + down
        j = place[1] + along
        if 0 <= i < entries and 0 <= j < shifts:
            found.append((i, j))
    return found
