"""Fewer claims: sums of bars and bins are those of all rows, and curves are nearly the same."""

import numpy as np
import pytest
from shared_claims import claims

import calibrant
from calibrant import Binned, Isotonic, Smooth, binary
from calibrant.reporting.diagrams import FAMILIES
from calibrant.reporting.fewer_claims import fewer_claims

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("family", [each.family for each in FAMILIES], ids=str)
def test_curves_are_those_of_all_rows(family: calibrant.Family) -> None:
    view = claims(30_000, slope=0.6)
    few = fewer_claims(view)
    assert few.n < 2 * 2200
    at = np.linspace(0.02, 0.98, 25)
    tolerance = {Smooth: 2e-3, Binned: 1e-9, Isotonic: 2e-2}[type(family)]
    assert family.fit(few)(at) == pytest.approx(family.fit(view)(at), abs=tolerance)


def test_neighbours_are_taken_together_but_never_across_an_edge() -> None:
    view = binary(
        np.append(RNG.random(20_000), np.repeat(np.arange(21) / 20, 40)), RNG.random(20_840) < 0.4
    )
    few = fewer_claims(view)
    for axes in ("chance", "logit"):
        one, other = (calibrant.curves.histogram(each, axes=axes) for each in (view, few))
        assert other.edges == pytest.approx(one.edges)
        assert other.count.tolist() == one.count.tolist()
        assert other.happened.tolist() == one.happened.tolist()
        assert other.claimed == pytest.approx(one.claimed)
    assert calibrant.ece(few) == pytest.approx(calibrant.ece(view), abs=1e-12)
    assert fewer_claims(claims(500)).n == 500
