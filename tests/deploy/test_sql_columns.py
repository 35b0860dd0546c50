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
from calibrant.fitting.types import Array, Values

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


def _named(values: Values) -> Columns:
    """The columns of vectors by their names."""
    return dict(zip(NAMES, values.T, strict=True))


def _assert_close(found: Array, expected: Array) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=DOUBLE)


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
    database.add("t", {"id": np.arange(K), **_named(sure)})
    expected = fitted(sure.astype(float))
    for query in _both_forms(fitted, NAMES):
        found = database.ask(query)
        _assert_close(found[:, 1:], expected)


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
            _assert_close(found[:, 1], chances(p))


def test_each_column_of_a_list_has_its_own_name() -> None:
    database = SQLite()
    database.add("t", {"p_cat": [0.2], "p_dog": [0.3], "p_eel": [0.5]})
    fitted = vector_map(c.Temperature(), "probs", K)
    found = database.ask(f"SELECT p_eel, p_cat FROM (SELECT {fitted.to_sql(NAMES)} FROM t) AS q")
    expected = fitted([[0.2, 0.3, 0.5]])
    _assert_close(found, expected[:, [2, 0]])


@pytest.mark.parametrize("table", ["v_0", '"my table"', "V1"])
def test_a_table_and_columns_to_keep_of_any_name(table: str, database: Database) -> None:
    pred = vectors("probs", n=9, k=K)
    fitted = vector_map(c.Temperature(), "probs", K)
    kept: Columns = {"v0": np.arange(9), '"of whom"': [f"row {row}" for row in range(9)]}
    database.add(table, {**kept, **_named(pred.values)})
    query = fitted.to_sql(NAMES, table=table, keep=list(kept))
    rows = database.fetch(f"{query} ORDER BY v0")
    assert [row[:2] for row in rows] == [(row, f"row {row}") for row in range(9)]
    found = np.array([row[2:] for row in rows])
    _assert_close(found, fitted(pred))


def test_equal_rows_stay_as_many_as_they_are(database: Database) -> None:
    pred = vectors("probs", n=1, k=K)
    fitted = vector_map(c.OneVsRest(c.Platt()), "probs", K)
    four = np.repeat(pred.values, 4, axis=0)
    database.add("t", _named(four))
    expected = fitted(four)
    as_list = fitted.to_sql(NAMES)
    _assert_close(database.ask(f"SELECT {as_list} FROM t"), expected)
    as_query = fitted.to_sql(NAMES, table="t")
    _assert_close(database.ask(as_query), expected)


def test_a_column_may_be_named_with_its_table(database: Database) -> None:
    fitted = chance_map(c.Platt())
    p = [0.2, 0.7]
    database.add("t", {"p": p})
    database.add("u", {"p": [5.0]})
    expression = fitted.to_sql("t.p")
    found = database.ask(f"SELECT {expression} FROM t, u ORDER BY t.p")
    _assert_close(found[:, 0], fitted(p))


def test_a_map_of_one_class_of_two_takes_both_columns() -> None:
    pred = vectors("probs", k=2)
    fitted = c.Isotonic().fit(pred)
    database = SQLite()
    database.add("t", {"no": pred.values[:, 0], "yes": pred.values[:, 1]})
    found = database.ask(f"SELECT {fitted.to_sql(['no', 'yes'])} FROM t")
    np.testing.assert_allclose(found, fitted.apply(pred).probs, rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="or if it is of one class of two, those of both"):
        fitted.to_sql(["a", "b", "c"])
