"""The verdict in a dozen words: its direction, its size, and never more than the numbers beside it."""

import numpy as np
import pytest
from shared_claims import claims

from calibrant import View, binary, from_probs, report
from calibrant.reporting.headline import BY_POINTS, ONE_SIDED

P = np.tile([0.02, 0.3, 0.7, 0.98], 500)


def outcomes(*rates: float) -> np.ndarray:
    """Of each of the four claims so many of its 500 rows."""
    rank = np.arange(2000) // 4
    return rank < 500 * np.tile(rates, 500)


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (binary(np.full(400, 0.9), np.arange(400) < 240), "Too high: claims 90.0%, happens 60.0%"),
        (
            binary(np.full(4000, 0.03), np.arange(4000) < 40),
            "Too high: claims 3.0%, happens 1.0%, 3.0 times too much",
        ),
        (
            binary(np.full(4000, 0.01), np.arange(4000) < 120),
            "Too low: claims 1.0%, happens 3.0%, 3.0 times too little",
        ),
        (binary(P, outcomes(0.2, 0.4, 0.6, 0.8)), "Too extreme: off by 14"),
        (binary([0.3], [1]), "Too few rows to tell"),
        (claims(20_000), "No error seen in 20,000 rows"),
    ],
    ids=str,
)
def test_it_has_direction_and_size(view: View, words: str) -> None:
    assert report(view).headline.startswith(words)


def test_top_labels_are_confident_by_so_much() -> None:
    p = np.full((3000, 3), 0.005)
    p[:, 0] = 0.99
    labels = np.where(np.arange(3000) < 2850, 0, 1)
    expected = "Overconfident: claims 99.0%, right 95.0%, wrong 5.0 times too often"
    assert report(from_probs(p, labels)).headline == expected


def test_few_rows_are_said_to_hide_an_error() -> None:
    found = report(claims(200))
    assert found.finding == "no error seen"
    assert found.headline == (
        f"No error seen, but so few rows hide {100 * found.sizes.widest_limit:.1f} points"
    )


def test_no_headline_is_longer_than_a_dozen_words() -> None:
    longest = ["1234", "times", "too", "much"]
    for words in BY_POINTS.values():
        assert len(words.split()) <= 12
    for words in ONE_SIDED.values():
        assert len(words.split()) + len(longest) <= 12
