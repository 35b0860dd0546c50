"""Descriptions: the numbers are those of the map, and what it makes of claims is what it gives."""

from pathlib import Path

import numpy as np
import pytest
from shared_claims import claims

import calibrant
from calibrant import ChanceMap, OneVsRest, from_probs, load
from calibrant.cli.names import families
from calibrant.reporting.description import CLAIMS, describe

RNG = np.random.default_rng(0)
PROBS = RNG.dirichlet([0.5, 0.5, 0.5], 400)
PRED = from_probs(
    PROBS, np.array(["a", "b", "c"])[RNG.integers(0, 3, 400)], classes=["a", "b", "c"]
)


@pytest.mark.parametrize("name", families())
def test_every_family_of_one_chance_is_described(name: str, tmp_path: Path) -> None:
    try:
        fitted = families()[name]().fit(claims(500))
    except ValueError as error:
        assert "whole vectors" in str(error)  # noqa: PT017 - it has no map of one chance
        return
    found = describe(fitted)
    assert found.fitted_on == f"{fitted.total:,.0f} claims that the event happens"
    assert [each.claim for each in found.answers] == list(CLAIMS)
    assert isinstance(fitted, ChanceMap)
    assert [each.chance for each in found.answers] == np.clip(fitted(CLAIMS), 0, 1).tolist()
    assert all(
        each.low is None or each.low - 1e-9 <= each.chance <= (each.high or 0) + 1e-9
        for each in found.answers
    )
    assert (found.band is not None) == (name in ("smooth", "venn-abers"))
    fitted.save(tmp_path / "m.safetensors")
    assert describe(load(tmp_path / "m.safetensors")) == found


@pytest.mark.parametrize(
    ("family", "names"),
    [
        (calibrant.Temperature(), ["temperature"]),
        (calibrant.Platt(), ["slope", "intercept"]),
        (calibrant.Beta(), ["a", "b", "intercept"]),
        (calibrant.Quadratic(), ["bend", "slope", "intercept"]),
        (calibrant.Isotonic(), ["points", "levels"]),
        (calibrant.HistogramBinning(7), ["bins"]),
        (calibrant.ScalingBinning(), ["slope", "intercept", "bins"]),
        (calibrant.VennAbers(), ["lower steps", "upper steps"]),
        (calibrant.Smooth(), []),
    ],
    ids=str,
)
def test_the_facts_are_the_numbers_of_the_rule(family: calibrant.Family, names: list[str]) -> None:
    found = describe(family.fit(claims(500)))
    assert [fact.name for fact in found.facts] == names
    assert all(fact.meaning for fact in found.facts)
    if "bins" in names and family == calibrant.HistogramBinning(7):
        assert found.facts[0].value == 7


def test_a_convex_fit_shows_its_certificate() -> None:
    fitted = calibrant.ScalingBinning().fit(claims(500))
    assert describe(fitted).certificate == fitted.rule.smooth.certificate
    assert describe(calibrant.Isotonic().fit(claims(500))).certificate is None


def test_a_map_of_whole_vectors_has_facts_and_no_answers() -> None:
    found = describe(calibrant.Temperature().fit(PRED))
    assert (found.fitted_on, found.answers) == ("probs of 400 rows and 3 classes: a, b, c", ())
    assert [fact.name for fact in found.facts] == ["temperature"]
    with pytest.raises(ValueError, match="has no map for each class"):
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
