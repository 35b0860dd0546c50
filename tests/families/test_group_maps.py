"""Maps of groups: what they need, what they give elsewhere, and what they refuse."""

import duckdb
import numpy as np
import polars as pl
import pytest

from calibrant import Binned, Platt, Smooth, Temperature, binary, from_logits
from calibrant.families.group_maps import GroupShares
from calibrant.groups import ByGroup, GroupMap


def a_map() -> GroupMap:
    random = np.random.default_rng(0)
    p, group = random.random(600), np.repeat(["north", "o'hare", "3"], 200)
    y = random.random(600) < np.where(group == "north", p**2, p)
    return ByGroup(Smooth()).fit(binary(p, y), group)


def test_a_map_of_groups_needs_groups() -> None:
    fitted = a_map()
    view = binary([0.2, 0.4], [0, 1])
    with pytest.raises(ValueError, match=r"3 groups, .*north.*: give the group of each row"):
        fitted.apply(view)
    with pytest.raises(ValueError, match=r"map\.common that of all others"):
        fitted(view)


def test_arrays_of_chances_and_of_vectors() -> None:
    fitted = a_map()
    q = fitted([0.2, 0.2], ["north", "3"])
    assert q.tolist() == [fitted.of("north")([0.2])[0], fitted.of(3)([0.2])[0]]
    pred = from_logits(np.eye(3)[np.arange(60) % 3] * 2, np.arange(60) % 3)
    of_vectors = ByGroup(Temperature()).fit(pred, np.arange(60) % 2)
    found = of_vectors(pred.values, np.arange(60) % 2)
    np.testing.assert_array_equal(found, of_vectors(pred, np.arange(60) % 2))
    assert of_vectors.classes == (0, 1, 2)


def test_facts_tell_groups_and_shares() -> None:
    fitted = a_map()
    facts = {fact.name: fact.value for fact in fitted.rule.facts()}
    assert facts["groups"] == 3
    assert 0 <= facts["least share"] <= facts["largest share"] <= 1


def test_sql_of_one_chance_is_a_case_over_groups() -> None:
    fitted = ByGroup(Platt()).fit(
        binary(np.tile([0.2, 0.5, 0.9], 40), np.arange(120) % 7 < 4),
        np.repeat(["north", "o'hare"], 60),
    )
    names = ["north", "o'hare", "west", None]
    frame = pl.DataFrame({"p": [0.3, 0.3, 0.3, 0.3], "site": names})
    sql = fitted.to_sql("p", group="site")
    found = duckdb.connect().execute(f"SELECT {sql} AS q FROM frame").fetchnumpy()["q"]
    np.testing.assert_allclose(found, fitted(frame["p"], frame["site"]), atol=1e-9)


def test_what_has_no_place_for_groups_is_refused() -> None:
    fitted = a_map()
    with pytest.raises(ValueError, match=r"an ONNX model holds one map.*map\.of\('3'\)"):
        fitted.to_onnx("map.onnx")
    with pytest.raises(ValueError, match="without group=COLUMN"):
        fitted.to_sql("p")


def test_the_least_and_the_largest_share_are_told() -> None:
    rule = GroupShares(("a", "b", "c"), (0.2, 0.9, 0.5), (10.0, 90.0, 50.0))
    told = {fact.name: fact.value for fact in rule.facts()}
    assert (told["groups"], told["least share"], told["largest share"]) == (3, 0.2, 0.9)
    assert rule.to_dict()["b"] == {"total": 90.0, "share": 0.9}


def test_what_measures_beyond_one_is_applied_within_it() -> None:
    random = np.random.default_rng(1)
    p, group = 0.7 + 0.3 * random.random(400), np.repeat(["a", "b"], 200)
    fitted = ByGroup(Binned(1)).fit(binary(p, np.ones(400)), group)
    q = fitted.apply(binary(p, np.ones(400)), group).p
    assert 0.9 < q.max() <= 1
