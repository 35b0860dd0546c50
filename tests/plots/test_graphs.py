"""Graphs of sums, of all claims, and of several models."""

import pytest
from shared_claims import claims
from shared_pictures import lay_out, words
from shared_views import ODD_VIEWS

from calibrant import curves, ece, ks_error, plots


def test_titles_carry_the_numbers() -> None:
    view = claims(1000, lift=0.7)
    sums, *_ = plots.cumulative(curves.cumulative(view))
    assert f"KS error {100 * ks_error(view):.2f} points" in words(sums)
    ax = plots.histogram(curves.histogram(view))
    assert f"Claimed {100 * view.p.mean():.1f}% on average" in words(ax)


@pytest.mark.parametrize("name", ODD_VIEWS)
def test_odd_views_are_drawn_without_a_warning(name: str) -> None:
    view = ODD_VIEWS[name]
    lay_out(plots.cumulative(curves.cumulative(view))[0])
    lay_out(plots.histogram(curves.histogram(view)))


def test_the_cells_of_an_ordering_carry_the_errors() -> None:
    models = {"bad": claims(300, lift=2), "right": claims(300)}
    told = words(plots.ordering(curves.ordering(models, {"ECE": ece})))
    for name, view in models.items():
        assert f"{name}\n{100 * ece(view):.2f}" in told
