"""Families are read as people write them, and written so that they are read again."""

from dataclasses import dataclass

import numpy as np
import pytest
from shared_families import CHANCE_FAMILIES, VECTOR_FAMILIES

import calibrant as c
from calibrant import Family
from calibrant.families.names import family_of, name_of

EVERY = [*CHANCE_FAMILIES, *VECTOR_FAMILIES]


@pytest.mark.parametrize("family", EVERY, ids=repr)
def test_a_name_is_read_as_the_family_it_was_given_to(family: Family) -> None:
    assert family_of(name_of(family)) == family
    assert family_of(name_of(family).upper().replace("-", "_")) == family


@pytest.mark.parametrize("family", EVERY, ids=repr)
def test_a_family_in_python_is_read_too(family: Family) -> None:
    assert family_of(repr(family)) == family
    assert family_of(family) is family


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("isotonic", c.Isotonic()),
        ("spline(knots=14)", c.Spline(14)),
        ("spline(knots=cv, bounded=true)", c.Spline("cv", bounded=True)),
        ("ranked(spline, ranks=2)", c.Ranked(c.Spline(), ranks=2)),
        ("one-vs-rest(smooth)", c.OneVsRest(c.Smooth())),
        ("blend(platt, isotonic)", c.Blend((c.Platt(), c.Isotonic()))),
        ("blend(platt, beta, shares=[0.25, .75])", c.Blend((c.Platt(), c.Beta()), (0.25, 0.75))),
        ("blend((platt, beta), (0.5, 0.5))", c.Blend((c.Platt(), c.Beta()), (0.5, 0.5))),
        ("binned(5, slope=0)", c.Binned(5, slope=0)),
        ("matrix-scaling(off_diagonal=cv)", c.MatrixScaling(off_diagonal="cv")),
        ("matrix-scaling(off-diagonal='cv')", c.MatrixScaling(off_diagonal="cv")),
        ("dirichlet(l2=1e-2)", c.Dirichlet(l2=0.01)),
        ("kernel(none)", c.Kernel()),
        ("ms-odir", c.MatrixScaling(off_diagonal="cv", intercept="cv")),
        ("Histogram_Binning", c.HistogramBinning()),
        ("HistogramBinning()", c.HistogramBinning()),
        ("  VENN-ABERS ", c.VennAbers()),
    ],
)
def test_names_are_read_as_people_write_them(name: str, family: Family) -> None:
    assert family_of(name) == family


@pytest.mark.parametrize(
    ("family", "name"),
    [
        (c.HistogramBinning(), "histogram-binning"),
        (c.Spline(14, runout="cubic"), "spline(knots=14, runout=cubic)"),
        (c.Ranked(c.Isotonic(centred=True), ranks=2), "ranked(isotonic(centred=true), ranks=2)"),
        (c.Blend((c.Platt(), c.Beta()), (0.5, 0.5)), "blend(platt, beta, shares=(0.5, 0.5))"),
        (c.Kernel(np.float64(0.5)), "kernel(bandwidth=0.5)"),
        (c.MatrixScaling(off_diagonal="cv", intercept="cv"), "ms-odir"),
    ],
)
def test_families_are_named_as_people_write_them(family: Family, name: str) -> None:
    assert name_of(family) == name


@dataclass(frozen=True)
class Stranger(Family):
    """A family that no package declares, with settings of other sorts."""

    title: str = "none"
    strength: float = 1.0
    inner: Family | None = None


def test_a_family_that_nobody_declared_has_a_name_of_its_own() -> None:
    assert name_of(Stranger()) == "stranger"
    strange = Stranger("it's a-b", 2.0, c.Platt())
    assert name_of(strange) == 'stranger(title="it\'s a-b", strength=2.0, inner=platt)'
    assert name_of(Stranger("True")) == "stranger(title='True')"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("isotonc", "there is no family 'isotonc'; did you mean isotonic? the families are bbq,"),
        ("platt-scaling", "did you mean platt?"),
        ("ms-odr", "did you mean ms-odir?"),
        ("", "there is no family ''; the families are bbq,"),
        ("one-vs-rest(isotonc)", "there is no family 'isotonc'; did you mean isotonic?"),
        ("spline(knot=3)", "spline has no setting 'knot'; did you mean knots? its settings are kn"),
        ("beta(x=3)", "beta has no setting 'x'; it has no settings"),
        ("spline(3, 4)", "spline takes at most 1 without a name, got 2; its settings are knots, "),
        ("spline(3, knots=4)", "spline takes knots once, got it twice"),
        ("spline(knots=x)", "spline: knots must be cv or a whole number, got x"),
        ("spline(knots=platt(3))", "spline: knots must be cv or a whole number, got 'platt(...)'"),
        ("spline(runout=foo)", "spline: runout must be natural, parabolic or cubic, got foo"),
        ("spline(bounded=1)", "spline: bounded must be true or false, got 1"),
        ("binned(slope=2)", "binned: slope must be 0 or 1, got 2"),
        ("dirichlet(l2=cv)", "dirichlet: l2 must be a number or none, got cv"),
        ("spline(knots=14, kNots=15)", "takes knots once, got it twice"),
        ("one-vs-rest(3)", "one-vs-rest: family must be a family, got 3"),
        ("ranked(spline, ranks=0)", "ranked: ranks must be at least 1, got 0"),
        ("one-vs-rest", "one-vs-rest needs family: write as in one-vs-rest(smooth)"),
        ("blend", "blend needs families: write as in blend(smooth, isotonic)"),
        ("ms-odir(intercept=1)", "write matrix-scaling(off_diagonal=cv, intercept=cv)"),
        ("ranked(select(folds=3))", "select has no settings here"),
        (c.Platt, "or its name such as 'isotonic', is needed; got <class"),
        (3, "is needed; got 3"),
    ],
)
def test_what_is_no_family_is_told_with_the_way_out(name: str, reason: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        family_of(name)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
