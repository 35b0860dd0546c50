"""Maps as SQL: DuckDB and SQLite give what the map gives, for every family but those that sort."""

import numpy as np
import pytest

pytest.importorskip("duckdb", reason="duckdb is for tests alone")

from shared_data import needs_real
from shared_databases import (
    Database,
    DuckDB,
    SQLite,
    assert_same_chances,
    assert_same_list,
    assert_same_query,
)
from shared_exports import (
    OF_EACH_CLASS,
    OF_REAL_VECTORS,
    ROUNDED,
    Evening,
    HalfTemper,
    awkward_claims,
    awkward_vectors,
    chance_map,
    maps_of_extremes,
    nearly_one,
    real_chance_map,
    real_vector_map,
    real_vectors,
    real_view,
    sends_to_nothing,
    some_claims,
    vector_map,
    vectors,
    votes,
)
from shared_families import CHANCE_FAMILIES, VECTOR_FAMILIES

import calibrant as c
from calibrant import Family, binary
from calibrant.inputs.predictions import Kind

NAMES = ["p_cat", "p_dog", "p_eel"]
K = len(NAMES)
# Kernels that are as narrow as rows allow make longer tables than SQL may have.
DEEP = c.Chain((c.StructuredMatrix(), c.OrderPreserving()))
TOO_NARROW: list[Family] = [c.Kernel(), c.OneVsRest(c.Kernel()), c.OneVsRest(c.Kernel(0.02))]


def _in_sql(families: list[Family]) -> list[Family]:
    return [family for family in families if not isinstance(family, c.Ranked)]


def _wide_enough(families: list[Family]) -> list[Family]:
    return [family for family in families if family not in TOO_NARROW]


def _numbered(k: int) -> list[str]:
    return [f"p{place}" for place in range(k)]


@pytest.fixture(scope="module", params=[DuckDB, SQLite])
def database(request: pytest.FixtureRequest) -> Database:
    found: Database = request.param()
    return found


@pytest.mark.parametrize("family", CHANCE_FAMILIES, ids=repr)
def test_maps_of_one_chance(family: Family, database: Database) -> None:
    assert_same_chances(database, chance_map(family), awkward_claims())


@pytest.mark.parametrize("family", CHANCE_FAMILIES, ids=repr)
def test_maps_fitted_on_extremes(family: Family) -> None:
    p = np.array([0, 1e-30, 0.3, 0.5, 1 - 1e-9, 1 - 2**-24, 1])
    database = SQLite()
    for fitted in maps_of_extremes(family):
        assert_same_chances(database, fitted, p)


@pytest.mark.parametrize("family", _in_sql(ROUNDED), ids=repr)
def test_zeros_of_vectors_are_read_as_the_map_reads_them(family: Family) -> None:
    assert_same_query(SQLite(), family.fit(votes(0, K)), NAMES, votes(0, K), votes(1, K))


@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("family", _in_sql(VECTOR_FAMILIES), ids=repr)
def test_maps_of_whole_vectors(family: Family, kind: Kind, database: Database) -> None:
    if family == DEEP and isinstance(database, SQLite):
        pytest.skip("its subqueries are deeper than SQLite's parser takes: docs/limits.md")
    fitted = vector_map(family, kind, K)
    given = awkward_vectors(kind, K)
    assert_same_query(database, fitted, NAMES, *given)
    assert_same_list(database, fitted, NAMES, given[0])


@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("family", _wide_enough(OF_EACH_CLASS), ids=repr)
def test_maps_of_each_class(family: Family, kind: Kind) -> None:
    fitted = vector_map(family, kind, K)
    assert_same_query(SQLite(), fitted, NAMES, *awkward_vectors(kind, K))


@needs_real
@pytest.mark.parametrize("family", _wide_enough(CHANCE_FAMILIES), ids=repr)
def test_maps_of_real_claims(family: Family, database: Database) -> None:
    fitted_on, others = real_view()
    p = np.concatenate([fitted_on.p, others.p])
    assert_same_chances(database, real_chance_map(family), p)


@needs_real
@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("family", _wide_enough(_in_sql(OF_REAL_VECTORS)), ids=repr)
def test_maps_of_real_vectors(family: Family, kind: Kind) -> None:
    fitted_on, others = real_vectors(kind)
    fitted = real_vector_map(family, kind)
    assert_same_query(SQLite(), fitted, _numbered(others.k), fitted_on, others)


def test_rows_that_sum_to_one_only_nearly(database: Database) -> None:
    for family in (c.Platt(), c.Binned(5)):
        fitted = c.OneVsRest(family).fit(nearly_one())
        assert_same_query(database, fitted, _numbered(5), nearly_one())


def test_a_row_that_every_rule_sends_to_0_stays_as_it_was_claimed(database: Database) -> None:
    fitted, level = sends_to_nothing()
    assert_same_query(database, fitted, _numbered(5), level)


def test_more_classes_than_a_database_adds_or_compares_in_a_row(database: Database) -> None:
    pred = vectors("logits", n=5, k=1000)
    fitted = c.Temperature().fit(pred)
    assert_same_query(database, fitted, _numbered(1000), pred)


def test_a_family_that_nobody_declared_becomes_sql(database: Database) -> None:
    chances = HalfTemper().fit(binary(*some_claims(300)))
    assert_same_chances(database, chances, awkward_claims())
    families: list[Family] = [Evening(), c.OneVsRest(HalfTemper())]
    for family in families:
        for kind in ("logits", "probs"):
            fitted = family.fit(vectors(kind, k=K))
            given = awkward_vectors(kind, K)
            assert_same_query(database, fitted, NAMES, *given)
            assert_same_list(database, fitted, NAMES, given[0])
