"""Columns that SQL is asked of: of any name, of whole numbers, with NULL; and tables with more of them."""

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("duckdb", reason="duckdb is for tests alone")

from shared_databases import (
    Columns,
    Database,
    DuckDB,
    SQLite,
    assert_same_chances,
    assert_same_list,
    assert_same_query,
)
from shared_exports import DOUBLE, chance_map, vector_map, vectors

import calibrant as c
from calibrant import Map

NAMES = ["p_cat", "p_dog", "p_eel"]
K = len(NAMES)


@pytest.fixture(scope="module", params=[DuckDB, SQLite])
def database(request: pytest.FixtureRequest) -> Database:
    found: Database = request.param()
    return found


def _both_forms(fitted: Map, columns: str | list[str]) -> Iterator[str]:
    """Queries of ids and calibrated chances, with the map as expressions and as a whole query."""
    yield f"SELECT id, {fitted.to_sql(columns)} FROM t ORDER BY id"
    query = fitted.to_sql(columns, table="t", keep=["id"])
    yield f"{query} ORDER BY id"


def test_a_null_claim_gives_null(database: Database) -> None:
    fitted = chance_map(c.Isotonic())
    database.add("t", {"id": [0, 1, 2], "p": [0.2, None, 0.9]})
    low, high = fitted([0.2, 0.9])
    for query in _both_forms(fitted, "p"):
        found = [row[1] for row in database.fetch(query)]
        assert found == [pytest.approx(low), None, pytest.approx(high)]


@pytest.mark.parametrize("family", [c.Temperature(), c.OneVsRest(c.Isotonic())], ids=repr)
def test_a_row_with_a_null_claim_gives_nothing_but_null(
    family: c.Family, database: Database
) -> None:
    fitted = vector_map(family, "probs", K)
    columns: Columns = {
        "id": [0, 1, 2],
        "p_cat": [0.2, None, 0.2],
        "p_dog": [0.3, 0.5, 0.3],
        "p_eel": [0.5, 0.5, None],
    }
    database.add("t", columns)
    for query in _both_forms(fitted, NAMES):
        whole, *others = database.fetch(query)
        assert whole[1:] == pytest.approx(fitted([[0.2, 0.3, 0.5]])[0])
        assert others == [(1, None, None, None), (2, None, None, None)]


@pytest.mark.parametrize("family", [c.Platt(), c.Isotonic(), c.Binned(5), c.Smooth()], ids=repr)
def test_claims_that_are_whole_numbers(family: c.Family, database: Database) -> None:
    assert_same_chances(database, chance_map(family), np.array([0, 1, 1, 0]))


@pytest.mark.parametrize("family", [c.Temperature(), c.OneVsRest(c.Platt())], ids=repr)
def test_vectors_of_whole_numbers(family: c.Family, database: Database) -> None:
    fitted = vector_map(family, "probs", K)
    sure = np.eye(K, dtype=np.int64)
    columns = dict(zip(NAMES, sure, strict=True))
    database.add("t", {"id": np.arange(K), **columns})
    for query in _both_forms(fitted, NAMES):
        found = database.ask(query)
        np.testing.assert_allclose(found[:, 1:], fitted(sure.astype(float)), rtol=0, atol=DOUBLE)


@pytest.mark.parametrize(
    "names",
    [
        ['"of a cat"', '"of ""that"" dog"', '"select"'],
        ["v1", "v2", "v0"],
        ["V0", "vv1", "v_1"],
        ['"v1"', '"V2"', "p"],
        ["v_0", "t_0", "t0"],
    ],
    ids=str,
)
def test_columns_of_any_name(names: list[str], database: Database) -> None:
    pred = vectors("logits", k=K)
    fitted = vector_map(c.OneVsRest(c.Platt()), "logits", K)
    assert_same_query(database, fitted, names, pred)
    assert_same_list(database, fitted, names, pred)
    chances = chance_map(c.Beta())
    p = np.array([0.1, 0.5, 0.9])
    for name in names:
        database.add("t", {"id": np.arange(3), name: p})
        for query in _both_forms(chances, name):
            found = database.ask(query)
            np.testing.assert_allclose(found[:, 1], chances(p), rtol=0, atol=DOUBLE)


def test_each_column_of_a_list_has_its_own_name() -> None:
    database = SQLite()
    database.add("t", {"p_cat": [0.2], "p_dog": [0.3], "p_eel": [0.5]})
    query = f"SELECT {vector_map(c.Temperature(), 'probs', K).to_sql(NAMES)} FROM t"
    found = database.fetch(f"SELECT p_dog, p_cat, p_eel FROM ({query}) AS q")
    assert sum(found[0]) == pytest.approx(1)


@pytest.mark.parametrize("table", ["v_0", '"my table"', "V1"])
def test_a_table_and_columns_to_keep_of_any_name(table: str, database: Database) -> None:
    pred = vectors("probs", n=9, k=K)
    fitted = vector_map(c.Temperature(), "probs", K)
    kept: Columns = {"v0": np.arange(9), '"of whom"': [f"row {row}" for row in range(9)]}
    claimed = dict(zip(NAMES, pred.values.T, strict=True))
    database.add(table, {**kept, **claimed})
    query = fitted.to_sql(NAMES, table=table, keep=list(kept))
    rows = database.fetch(f"{query} ORDER BY v0")
    assert [row[:2] for row in rows] == [(row, f"row {row}") for row in range(9)]
    found = np.array([row[2:] for row in rows])
    np.testing.assert_allclose(found, fitted(pred), rtol=0, atol=DOUBLE)


def test_equal_rows_stay_as_many_as_they_are(database: Database) -> None:
    pred = vectors("probs", n=1, k=K)
    fitted = vector_map(c.OneVsRest(c.Platt()), "probs", K)
    claimed = dict(zip(NAMES, np.repeat(pred.values.T, 4, axis=1), strict=True))
    database.add("t", claimed)
    as_list = database.ask(f"SELECT {fitted.to_sql(NAMES)} FROM t")
    as_query = database.ask(fitted.to_sql(NAMES, table="t"))
    expected = np.repeat(fitted(pred), 4, axis=0)
    np.testing.assert_allclose(as_list, expected, rtol=0, atol=DOUBLE)
    np.testing.assert_allclose(as_query, expected, rtol=0, atol=DOUBLE)


def test_a_column_may_be_named_with_its_table(database: Database) -> None:
    fitted = chance_map(c.Platt())
    p = [0.2, 0.7]
    database.add("t", {"p": p})
    database.add("u", {"p": [5.0]})
    found = database.ask(f"SELECT {fitted.to_sql('t.p')} FROM t, u ORDER BY t.p")
    np.testing.assert_allclose(found[:, 0], fitted(p), rtol=0, atol=DOUBLE)
