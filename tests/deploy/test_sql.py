"""Maps as SQL: DuckDB and SQLite give what the map gives, for every family but those that sort."""

import numpy as np
import pytest
from shared_data import needs_real
from shared_databases import Database, DuckDB, SQLite
from shared_exports import (
    DOUBLE,
    OF_EACH_CLASS,
    OF_REAL_VECTORS,
    awkward_claims,
    awkward_vectors,
    chance_map,
    maps_of_extremes,
    real_chance_map,
    real_vector_map,
    real_vectors,
    real_view,
    vector_map,
)
from shared_families import CHANCE_FAMILIES, VECTOR_FAMILIES

import calibrant as c
from calibrant import Family, Map, Predictions
from calibrant.fitting.types import Array
from calibrant.inputs.predictions import Kind

pytest.importorskip("duckdb", reason="duckdb is for tests alone")

K = 3
NAMES = ["p_cat", "p_dog", "p_eel"]
IN_SQL = [family for family in VECTOR_FAMILIES if not isinstance(family, c.Ranked)]


def _has_a_table(family: Family) -> bool:
    """Whether it sums over the rows fitted on, so that its SQL is long."""
    return "Kernel" in repr(family)


@pytest.fixture(scope="module", params=[DuckDB, SQLite])
def database(request: pytest.FixtureRequest) -> Database:
    found: Database = request.param()
    return found


def _add_rows(database: Database, values: Array, names: list[str]) -> None:
    columns = {name: values[:, place] for place, name in enumerate(names)}
    database.add("t", {"id": np.arange(len(values)), **columns})


def _assert_same_chances(database: Database, fitted: Map, p: Array) -> None:
    """Within 1e-12, as an expression and as a whole query."""
    expected = np.clip(fitted(p), 0, 1)
    _add_rows(database, p[:, None], ["p"])
    query = fitted.to_sql("p", table="t", keep=["id"])
    found = database.ask(f"SELECT {fitted.to_sql('p')} FROM t ORDER BY id")
    queried = database.ask(f"{query} ORDER BY id")
    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=DOUBLE)
    np.testing.assert_allclose(queried[:, 1], expected, rtol=0, atol=DOUBLE)


def _assert_same_query(
    database: Database, fitted: Map, names: list[str], *given: Predictions
) -> None:
    """Within 1e-12, as a whole query."""
    for pred in given:
        _add_rows(database, pred.values, names)
        found = database.ask(f"{fitted.to_sql(names, table='t', keep=['id'])} ORDER BY id")
        np.testing.assert_array_equal(found[:, 0], np.arange(pred.n))
        np.testing.assert_allclose(found[:, 1:], fitted(pred), rtol=0, atol=DOUBLE)


def _assert_same_list(database: Database, fitted: Map, names: list[str], pred: Predictions) -> None:
    """Within 1e-12, as a SELECT list."""
    _add_rows(database, pred.values, names)
    found = database.ask(f"SELECT id, {fitted.to_sql(names)} FROM t ORDER BY id")
    np.testing.assert_array_equal(found[:, 0], np.arange(pred.n))
    np.testing.assert_allclose(found[:, 1:], fitted(pred), rtol=0, atol=DOUBLE)


@pytest.mark.parametrize("family", CHANCE_FAMILIES, ids=repr)
def test_maps_of_one_chance(family: Family, database: Database) -> None:
    _assert_same_chances(database, chance_map(family), awkward_claims())


@pytest.mark.parametrize("family", CHANCE_FAMILIES, ids=repr)
def test_maps_fitted_on_extremes(family: Family) -> None:
    p = np.array([0, 1e-30, 0.3, 0.5, 1 - 1e-9, 1 - 2**-24, 1])
    database = SQLite()
    for fitted in maps_of_extremes(family):
        _assert_same_chances(database, fitted, p)


@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("family", IN_SQL, ids=repr)
def test_maps_of_whole_vectors(family: Family, kind: Kind, database: Database) -> None:
    fitted = vector_map(family, kind, K)
    given = awkward_vectors(kind, K)
    _assert_same_query(database, fitted, NAMES, *given)
    _assert_same_list(database, fitted, NAMES, given[0])


@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("family", OF_EACH_CLASS, ids=repr)
def test_maps_of_each_class(family: Family, kind: Kind) -> None:
    fitted = vector_map(family, kind, K)
    _assert_same_query(SQLite(), fitted, NAMES, *awkward_vectors(kind, K))


@needs_real
@pytest.mark.parametrize("family", CHANCE_FAMILIES, ids=repr)
def test_maps_of_real_claims(family: Family, database: Database) -> None:
    fitted_on, others = real_view()
    p = np.concatenate([fitted_on.p, others.p])
    _assert_same_chances(database, real_chance_map(family), p)


@needs_real
@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("family", OF_REAL_VECTORS, ids=repr)
def test_maps_of_real_vectors(family: Family, kind: Kind) -> None:
    fitted = real_vector_map(family, kind)
    names = [f"p{place}" for place in range(len(fitted.classes))]
    _assert_same_query(SQLite(), fitted, names, *real_vectors(kind))
