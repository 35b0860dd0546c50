"""What the pictures of decisions say."""

import pytest
from shared_claims import claims
from shared_pictures import lay_out, words
from shared_views import ODD_VIEWS

from calibrant import View, plots


def test_words_of_each() -> None:
    view = claims(500)
    assert "Net benefit, 500 rows" in words(plots.net_benefit(view))
    assert "Brier score" in words(plots.murphy(view))
    assert "AURC" in words(plots.risk_coverage(view))


@pytest.mark.parametrize("view", [ODD_VIEWS["one row"], ODD_VIEWS["none happened"]])
def test_odd_views_are_drawn(view: View) -> None:
    for draw in (plots.net_benefit, plots.murphy, plots.risk_coverage):
        lay_out(draw(view))
