"""What families for one chance become where there are several classes."""

import numpy as np
import pytest

from calibrant import (
    Beta,
    ChanceFamily,
    ChanceMap,
    Isotonic,
    OneVsRest,
    Platt,
    Ranked,
    Spline,
    VectorMap,
    canonical,
    from_logits,
    one_class,
    top_label,
)

R = np.random.default_rng(0)
TWO = from_logits(R.normal(0, 2, 80), R.integers(0, 2, 80), classes=["no", "yes"])
THREE = from_logits(R.normal(0, 2, (80, 3)), R.integers(0, 3, 80))
FAMILIES: list[ChanceFamily] = [Isotonic(), Platt(), Beta()]
SPLINES: list[ChanceFamily] = [Spline(), Spline(8, runout="parabolic", bounded=True)]


@pytest.mark.parametrize("family", [*FAMILIES, *SPLINES], ids=repr)
def test_of_two_classes_the_second_is_taken(family: ChanceFamily) -> None:
    fitted = family.fit(TWO)
    assert isinstance(fitted, ChanceMap)
    assert (fitted.completes, fitted.classes) == (1, ("no", "yes"))
    assert fitted.event == "the class is yes"
    alone = family.fit(one_class(TWO, 1))
    np.testing.assert_array_equal(fitted.apply(TWO).probs, alone.apply(TWO).probs)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_of_more_classes_each_is_held_against_the_rest(family: ChanceFamily) -> None:
    fitted = family.fit(THREE)
    assert isinstance(fitted, VectorMap)
    assert fitted.family == OneVsRest(family)
    for k, rule in enumerate(fitted.rule.by_class):
        view = one_class(THREE, k)
        np.testing.assert_array_equal(rule(view), family.fit(view)(view))


@pytest.mark.parametrize("family", SPLINES, ids=repr)
def test_of_more_classes_a_spline_maps_the_top_label(family: ChanceFamily) -> None:
    fitted = family.fit(THREE)
    assert fitted.family == Ranked(family)
    np.testing.assert_array_equal(fitted(THREE), Ranked(family).fit(THREE)(THREE))
    of_each_class = OneVsRest(family).fit(THREE)
    assert of_each_class.family == OneVsRest(family)
    assert len(of_each_class.rule.by_class) == 3


@pytest.mark.parametrize("family", [*FAMILIES, *SPLINES], ids=repr)
def test_a_view_is_fitted_as_it_is(family: ChanceFamily) -> None:
    assert isinstance(family.fit(top_label(THREE)), ChanceMap)
    with pytest.raises(ValueError, match="use OneVsRest"):
        family.fit(canonical(THREE))
