"""The search for strengths against the whole grid."""

import pytest

from calibrant.families.multiclass.strengths import (
    PER_ENTRY,
    PER_SHIFT,
    best_strengths,
    first_valley,
)


@pytest.mark.parametrize("best", [(0, 0), (7, 3), (20, 11), (35, 8)])
def test_the_search_finds_the_dip_of_a_smooth_grid(best: tuple[int, int]) -> None:
    def score(i: int, j: int) -> float:
        return 1 + 0.01 * ((i - best[0]) ** 2 / 9 + (j - best[1]) ** 2)

    def of_one(_: int, j: int) -> float:
        return score(best[0], j)

    assert best_strengths(score, 36, 12) == best
    assert best_strengths(of_one, 1, 12) == (0, best[1])


def test_a_single_bump_does_not_end_a_line() -> None:
    scores = [1.0, 0.9, 0.95, 0.8, 0.9, 1.0, 0.1]
    places = [(i, 0) for i in range(7)]
    assert first_valley(lambda place: scores[place[0]], places) == (3, 0)


def test_no_place_is_scored_twice() -> None:
    seen = []

    def score(i: int, j: int) -> float:
        seen.append((i, j))
        return 1 + (i - 5) ** 2 + (j - 5) ** 2

    best_strengths(score, len(PER_ENTRY), len(PER_SHIFT))
    assert len(seen) == len(set(seen))


def test_strengths_fall() -> None:
    for strengths in (PER_ENTRY, PER_SHIFT):
        assert sorted(strengths, reverse=True) == strengths
    assert PER_ENTRY[::3] == PER_SHIFT
