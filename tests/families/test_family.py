"""Which family takes which view, what options it allows, and families of one's own."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from calibrant import (
    Binned,
    Canonical,
    ChanceFamily,
    ChanceMap,
    ChanceRule,
    Fact,
    Family,
    HistogramBinning,
    Isotonic,
    Kernel,
    LogitRule,
    OneVsRest,
    PiecewiseLinear,
    Spline,
    VectorFamily,
    View,
    binary,
    canonical,
    cross_fit,
    ece,
    from_logits,
    one_class,
    top_label,
)
from calibrant.families.operations import Claims, Operations, Value, Vectors

R = np.random.default_rng(0)
MANY = from_logits(R.normal(0, 2, (90, 3)), R.integers(0, 3, 90))
TWO = from_logits(R.normal(0, 2, 90), R.integers(0, 2, 90))


def test_a_one_chance_family_takes_class_one_of_two_and_each_class_of_more() -> None:
    fitted = Isotonic().fit(TWO)
    assert isinstance(fitted, ChanceMap)
    np.testing.assert_array_equal(
        fitted(one_class(TWO, 1)), Isotonic().fit(one_class(TWO, 1))(one_class(TWO, 1))
    )
    assert Isotonic().fit(MANY).family == OneVsRest(Isotonic())


def test_a_wrong_view_names_the_wrapper() -> None:
    with pytest.raises(ValueError, match=r"use OneVsRest\(Isotonic\("):
        Isotonic().fit(canonical(MANY))
    with pytest.raises(
        ValueError,
        match=r"was given one chance \(that the top label is right\); fit it on Predictions",
    ):
        OneVsRest(Isotonic()).fit(top_label(MANY))


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (Binned, {"edges": "uniform"}, r"edges must be 'width' or 'mass', got 'uniform'"),
        (Binned, {"slope": 2}, r"slope must be 0 or 1, got 2"),
        (Binned, {"n_bins": 2.5}, r"n_bins must be of type int, got 2\.5"),
        (Binned, {"slack": -0.1}, r"slack must be at least 0, such as 0\.001 for 0\.1%; got -0\.1"),
        (
            PiecewiseLinear,
            {"slack": float("nan")},
            r"slack must be at least 0, such as 0\.001 for 0\.1%; got nan",
        ),
        (HistogramBinning, {"n_bins": 0}, r"n_bins must be at least 1, got 0"),
        (Spline, {"knots": "CV"}, r"knots must be 'cv' or of type int, got 'CV'"),
        (
            Spline,
            {"runout": "straight"},
            r"runout must be 'natural' or 'parabolic' or 'cubic', got 'straight'",
        ),
        (Isotonic, {"centred": 1}, r"centred must be of type bool, got 1"),
        (OneVsRest, {"family": "isotone"}, r"there is no family 'isotone'; did you mean isotonic"),
        (OneVsRest, {"family": 7}, r"family must be of type Family, got 7"),
        (
            Isotonic().fit,
            {"x": np.ones(3)},
            r"fitted on Predictions or a view, got ndarray: make them with",
        ),
        (
            cross_fit,
            {"family": Isotonic(), "view": MANY},
            r"cross_fit takes a view, got Predictions: use top_label",
        ),
        (
            cross_fit,
            {"family": Isotonic(), "view": top_label(MANY), "folds": 2.5},
            r"whole number of folds",
        ),
    ],
)
def test_what_an_option_does_not_allow_is_refused(
    make: Callable[..., object], options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make(**options)


@dataclass(frozen=True, eq=False)
class Shared(ChanceRule):
    """Claims times one number."""

    tag = "shared"
    share: float

    def formula(self, claims: Claims, ops: Operations) -> Value:
        return ops.clip(self.share * claims.p, 0.0, 1.0)

    def facts(self) -> Iterator[Fact]:
        yield Fact("share", self.share, "claims are multiplied by it")


@dataclass(frozen=True)
class Sharing(ChanceFamily):
    """Claims times one number, so that their mean is that of the outcomes."""

    def chance_rule(self, view: View) -> Shared:
        p, w, happened = view.pool
        return Shared(float(happened.sum() / (w @ p)))


def test_a_family_of_ones_own_maps_one_chance_and_many_classes() -> None:
    view = binary([0.2, 0.4, 0.6, 0.8], [0, 0, 0, 1])
    np.testing.assert_allclose(Sharing().fit(view)([0.2, 0.9]), [0.1, 0.45])
    mended = Sharing().fit(MANY).apply(MANY)
    np.testing.assert_allclose(mended.probs.sum(1), 1)


@dataclass(frozen=True, eq=False)
class Doubled(LogitRule):
    """Logits times two."""

    tag = "doubled"

    def logits(self, x: Vectors, ops: Operations) -> Value:  # noqa: ARG002
        return 2 * x.scores

    def facts(self) -> Iterator[Fact]:
        yield Fact("factor", 2.0, "logits are multiplied by it")


@dataclass(frozen=True)
class Doubling(VectorFamily):
    """Logits times two."""

    def vector_rule(self, view: Canonical) -> Doubled:  # noqa: ARG002
        return Doubled()


def test_a_family_of_ones_own_maps_whole_vectors() -> None:
    fitted = Doubling().fit(MANY)
    np.testing.assert_array_equal(fitted.apply(MANY).scores, 2 * MANY.scores)
    with pytest.raises(ValueError, match=r"Doubling\(\) maps whole vectors"):
        Doubling().fit(top_label(MANY))


def test_families_to_be_subclassed_must_choose_a_rule() -> None:
    for kind in (ChanceFamily, VectorFamily):
        make: Callable[[], object] = kind
        with pytest.raises(TypeError, match="abstract"):
            make()


@dataclass(frozen=True)
class Neither(Family):
    """Chooses no rule at all."""


def test_a_family_without_rules_says_so() -> None:
    with pytest.raises(ValueError, match=r"Neither\(\) maps whole vectors"):
        Neither().fit(top_label(MANY))
    with pytest.raises(ValueError, match=r"use OneVsRest\(Neither\(\)\)"):
        Neither().fit(MANY)


def test_a_map_knows_what_it_was_fitted_on() -> None:
    weighted = binary([0.2, 0.7], [0, 1], weights=[2, 3.5])
    fitted = Isotonic().fit(weighted)
    assert isinstance(fitted, ChanceMap)
    assert fitted.total == 5.5
    assert (fitted.event, fitted.completes, fitted.classes) == (weighted.event, 1, None)
    of_top = Isotonic().fit(top_label(MANY))
    assert isinstance(of_top, ChanceMap)
    assert (of_top.completes, of_top.classes) == (None, None)
    of_one = Isotonic().fit(one_class(TWO, 0))
    assert isinstance(of_one, ChanceMap)
    assert (of_one.completes, of_one.classes) == (0, TWO.classes)


def test_numbers_of_numpy_are_numbers() -> None:
    assert Spline(np.int64(8)) == Spline(8)  # type: ignore[arg-type]
    assert repr(Spline(np.int32(8))) == repr(Spline(8))  # type: ignore[arg-type]
    assert Kernel(np.float32(0.5)) == Kernel(0.5)  # type: ignore[arg-type]
    (no,) = np.array([False])
    assert Isotonic(interpolate=no) == Isotonic(interpolate=False)
    with pytest.raises(ValueError, match="knots must be 'cv' or of type int, got 8"):
        Spline(np.float64(8.0))  # type: ignore[arg-type]


@pytest.mark.parametrize("family", [Isotonic(), OneVsRest(Isotonic())], ids=repr)
def test_claims_and_outcomes_apart_are_met_with_the_right_call(family: Family) -> None:
    p, y = np.array([0.2, 0.9]), np.array([0, 1])
    with pytest.raises(ValueError, match=r"fit takes one argument, got 2; .*binary\(p, y\)"):
        family.fit(p, y)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"one argument: ece\(binary\(p, y\)\)"):
        ece(y, p)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"got ndarray; map\(p\) maps an array of chances"):
        Isotonic().fit(binary(p, y)).apply(p)
