"""The drift of claims tells its worst interval in words."""

import pytest
from matplotlib import pyplot as plt
from shared_claims import claims
from shared_pictures import lay_out, words
from shared_views import ODD_VIEWS

from calibrant import curves, plots, worst_interval


def test_it_tells_the_worst_interval() -> None:
    view = claims(1000, lift=0.7)
    worst = worst_interval(view)
    told = words(plots.drift(curves.drift(view)))
    assert f"Furthest off by {100 * worst.gap:.2f} points, 1,000 rows" in told
    assert f"claims of {100 * worst.low:.1f}% to {100 * worst.high:.1f}%" in told
    assert f"happened {100 * worst.observed:.1f}% (p < 0.001)" in told
    right = claims(1000)
    p_value = f"(p = {worst_interval(right).p_value:.2g})"
    assert p_value in words(plots.drift(curves.drift(right)))


def test_it_is_drawn_on_given_axes() -> None:
    _, ax = plt.subplots()
    assert plots.drift(curves.drift(claims(100)), ax=ax) is ax
    assert ax.get_legend() is not None


@pytest.mark.parametrize("name", ODD_VIEWS)
def test_odd_views_are_drawn_without_a_warning(name: str) -> None:
    lay_out(plots.drift(curves.drift(ODD_VIEWS[name])))
