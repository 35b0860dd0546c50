"""Descriptions: the facts are those of the rule, and what it makes of claims is what it gives."""

from pathlib import Path

import numpy as np
import pytest
from shared_claims import claims
from shared_families import CHANCE_FAMILIES, VECTOR_FAMILIES

import calibrant
from calibrant import ChanceMap, Family, OneVsRest, Smooth, VennAbers, from_probs, load
from calibrant.families.names import name_of
from calibrant.reporting.description import CLAIMS, ToldFact, describe

RNG = np.random.default_rng(0)
PROBS = RNG.dirichlet([0.5, 0.5, 0.5], 400)
PRED = from_probs(
    PROBS, np.array(["a", "b", "c"])[RNG.integers(0, 3, 400)], classes=["a", "b", "c"]
)


@pytest.mark.parametrize("family", CHANCE_FAMILIES, ids=name_of)
def test_every_family_of_one_chance_is_described(family: Family, tmp_path: Path) -> None:
    fitted = family.fit(claims(500))
    assert isinstance(fitted, ChanceMap)
    found = describe(fitted)
    assert found.family == name_of(family)
    assert found.fitted_on == f"{fitted.total:,.0f} claims that the event happens"
    assert [each.claim for each in found.answers] == list(CLAIMS)
    assert [each.chance for each in found.answers] == np.clip(fitted(CLAIMS), 0, 1).tolist()
    for each in found.answers:
        assert each.low is None or each.low - 1e-9 <= each.chance <= (each.high or 0) + 1e-9
    assert (found.band is not None) == isinstance(family, Smooth | VennAbers)
    assert found.facts
    assert all(fact.meaning for fact in found.facts)
    expected = [ToldFact(name, value, None, None, why) for name, value, why in fitted.rule.facts()]
    assert list(found.facts) == expected
    fitted.save(tmp_path / "m.safetensors")
    assert describe(load(tmp_path / "m.safetensors")) == found


@pytest.mark.parametrize("family", VECTOR_FAMILIES, ids=name_of)
def test_every_family_of_whole_vectors_is_described(family: Family) -> None:
    found = describe(family.fit(PRED))
    assert found.fitted_on == "probs of 400 rows and 3 classes: a, b, c"
    assert found.facts
    assert all(fact.meaning for fact in found.facts)
    assert bool(found.answers) == isinstance(family, OneVsRest)


def test_rounded_claims_are_told_of() -> None:
    found = describe(
        calibrant.Platt().fit(calibrant.binary([0, 0.1, 0.4, 0.9, 1], [0, 1, 0, 1, 1]))
    )
    assert found.rounded is not None
    assert found.rounded.startswith("2 of the rows claim exactly 0 or 1: ")
    assert found.rounded.endswith(" are read as 0.05 off")
    assert found.to_dict()["rounded"] == found.rounded
    assert describe(calibrant.Platt().fit(claims(50))).rounded is None


@pytest.mark.parametrize(
    ("family", "names"),
    [
        (calibrant.Temperature(), ["temperature"]),
        (calibrant.Platt(), ["slope", "intercept"]),
        (calibrant.Beta(), ["a", "b", "intercept"]),
        (calibrant.Quadratic(), ["curvature", "slope", "intercept"]),
        (calibrant.Isotonic(), ["points", "levels"]),
        (calibrant.HistogramBinning(7), ["bins"]),
        (calibrant.ScalingBinning(), ["slope", "intercept", "bins"]),
        (calibrant.VennAbers(), ["lower steps", "upper steps"]),
    ],
    ids=str,
)
def test_the_facts_begin_with_what_matters_most(family: Family, names: list[str]) -> None:
    facts = describe(family.fit(claims(500))).facts
    assert [fact.name for fact in facts[: len(names)]] == names
    if family == calibrant.HistogramBinning(7):
        assert facts[0].value == 7


def test_a_convex_fit_shows_its_certificate() -> None:
    fitted = calibrant.ScalingBinning().fit(claims(500))
    assert describe(fitted).certificate == fitted.rule.smooth.certificate
    assert describe(calibrant.Isotonic().fit(claims(500))).certificate is None


def test_a_map_of_whole_vectors_has_no_map_for_each_class() -> None:
    found = describe(calibrant.Temperature().fit(PRED))
    assert found.answers == ()
    assert [fact.name for fact in found.facts] == ["temperature"]
    with pytest.raises(ValueError, match="temperature has no map for each class"):
        describe(calibrant.Temperature().fit(PRED), "a")


def test_a_map_for_each_class_is_told_by_its_spread_or_one_by_one() -> None:
    fitted = OneVsRest(calibrant.Platt()).fit(PRED)
    whole, parts = describe(fitted), [describe(fitted, name) for name in "abc"]
    slopes = [part.facts[0].value for part in parts]
    slope = whole.facts[0]
    assert (slope.least, slope.value, slope.most) == (
        min(slopes),
        float(np.median(slopes)),
        max(slopes),
    )
    assert whole.band == "all classes"
    for place, answer in enumerate(whole.answers):
        chances = [part.answers[place].chance for part in parts]
        assert (answer.low, answer.high) == (min(chances), max(chances))
    assert describe(OneVsRest(calibrant.Smooth()).fit(PRED), "b").band == "95% band"
    with pytest.raises(ValueError, match="there is no class 'd'; the classes are a, b, c"):
        describe(fitted, "d")


def test_more_numbers_than_rows_are_told_in_words() -> None:
    few = PRED[:11]
    assert describe(calibrant.VectorScaling().fit(few)).caution is None
    words = describe(calibrant.MatrixScaling().fit(few)).caution
    assert words is not None
    assert words.startswith("12 numbers were fitted to 11 rows")
    assert describe(calibrant.StructuredMatrix().fit(few)).caution is None


def test_what_is_no_map_is_refused() -> None:
    with pytest.raises(ValueError, match="only a fitted map can be described, got Platt"):
        describe(calibrant.Platt())  # type: ignore[arg-type]
