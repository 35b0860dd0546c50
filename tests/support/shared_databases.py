"""Databases that exported SQL is run in."""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow
from shared_exports import DOUBLE

from calibrant import Map, Predictions
from calibrant.fitting.types import Array, Values

Columns = Mapping[str, Values | Sequence[Any]]


class Database(ABC):
    """Tables in memory, with the rows of a query as an array; NULL is nan."""

    @abstractmethod
    def add(self, table: str, columns: Columns) -> None:
        """A table of these columns, whose names are quoted as SQL wants them."""

    @abstractmethod
    def fetch(self, query: str) -> list[Any]:
        """The rows of a query."""

    def ask(self, query: str) -> Array:
        """The rows of a query that has nothing but numbers."""
        return np.array(self.fetch(query), np.float64)

    def __repr__(self) -> str:
        return type(self).__name__


class SQLite(Database):
    """SQLite, as Python brings it."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:")

    def add(self, table: str, columns: Columns) -> None:
        """A table without types: numbers keep theirs."""
        self._connection.execute(f"DROP TABLE IF EXISTS {table}")
        self._connection.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        lists = [np.asarray(column, object).tolist() for column in columns.values()]
        places = ", ".join("?" * len(lists))
        rows = zip(*lists, strict=True)
        self._connection.executemany(f"INSERT INTO {table} VALUES ({places})", rows)

    def fetch(self, query: str) -> list[Any]:
        """The rows of a query."""
        return self._connection.execute(query).fetchall()


class DuckDB(Database):
    """DuckDB, on one thread: tests run side by side."""

    def __init__(self) -> None:
        import duckdb

        self._connection = duckdb.connect()
        self._connection.execute("SET threads = 1")

    def add(self, table: str, columns: Columns) -> None:
        """A table of the types that the columns have."""
        places = [f"c{place}" for place in range(len(columns))]
        arrays = [pyarrow.array(column) for column in columns.values()]
        named = [f"{place} AS {name}" for place, name in zip(places, columns, strict=True)]
        self._connection.register("given", pyarrow.table(arrays, places))
        self._connection.execute(
            f"CREATE OR REPLACE TABLE {table} AS SELECT {', '.join(named)} FROM given"
        )

    def fetch(self, query: str) -> list[Any]:
        """The rows of a query."""
        return self._connection.execute(query).fetchall()


def add_rows(database: Database, names: list[str], values: Values) -> None:
    """A table t of rows by their numbers."""
    columns = dict(zip(names, values.T, strict=True))
    database.add("t", {"id": np.arange(len(values)), **columns})


def assert_same_chances(database: Database, fitted: Map, p: Values) -> None:
    """Within 1e-12, as an expression and as a whole query."""
    expected = np.clip(fitted(p), 0, 1)
    add_rows(database, ["p"], p[:, None])
    found = database.ask(f"SELECT {fitted.to_sql('p')} FROM t ORDER BY id")
    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=DOUBLE)
    query = fitted.to_sql("p", table="t", keep=["id"])
    found = database.ask(f"{query} ORDER BY id")
    np.testing.assert_array_equal(found[:, 0], np.arange(len(p)))
    np.testing.assert_allclose(found[:, 1], expected, rtol=0, atol=DOUBLE)


def assert_same_query(
    database: Database, fitted: Map, names: list[str], *given: Predictions
) -> None:
    """Within 1e-12, as a whole query."""
    add_rows(database, names, np.concatenate([pred.values for pred in given]))
    expected = np.concatenate([fitted(pred) for pred in given])
    query = fitted.to_sql(names, table="t", keep=["id"])
    found = database.ask(f"{query} ORDER BY id")
    np.testing.assert_array_equal(found[:, 0], np.arange(len(expected)))
    np.testing.assert_allclose(found[:, 1:], expected, rtol=0, atol=DOUBLE)


def assert_same_list(database: Database, fitted: Map, names: list[str], pred: Predictions) -> None:
    """Within 1e-12, as a SELECT list."""
    add_rows(database, names, pred.values)
    found = database.ask(f"SELECT id, {fitted.to_sql(names)} FROM t ORDER BY id")
    np.testing.assert_array_equal(found[:, 0], np.arange(pred.n))
    np.testing.assert_allclose(found[:, 1:], fitted(pred), rtol=0, atol=DOUBLE)
