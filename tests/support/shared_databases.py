"""Databases that exported SQL is run in."""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any
from weakref import finalize

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
        finalize(self, self._connection.close)

    def add(self, table: str, columns: Columns) -> None:
        """A table without types: numbers keep theirs."""
        names = ", ".join(columns)
        places = ", ".join("?" * len(columns))
        lists = [np.asarray(column, object).tolist() for column in columns.values()]
        rows = zip(*lists, strict=True)
        self._connection.execute(f"DROP TABLE IF EXISTS {table}")
        self._connection.execute(f"CREATE TABLE {table} ({names})")
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
        arrays = []
        places: list[str] = []
        selected = []
        for name, column in columns.items():
            place = f"c{len(places)}"
            arrays.append(pyarrow.array(column))
            places.append(place)
            selected.append(f"{place} AS {name}")
        self._connection.register("given", pyarrow.table(arrays, places))
        select = f"SELECT {', '.join(selected)} FROM given"
        self._connection.execute(f"CREATE OR REPLACE TABLE {table} AS {select}")

    def fetch(self, query: str) -> list[Any]:
        """The rows of a query."""
        return self._connection.execute(query).fetchall()


def add_rows(database: Database, names: list[str], values: Values) -> None:
    """A table t of rows by their numbers."""
    columns = dict(zip(names, values.T, strict=True))
    database.add("t", {"id": np.arange(len(values)), **columns})


def assert_same_chances(database: Database, fitted: Map, p: Values) -> None:
    """Within 1e-12, as an expression and as a whole query."""
    q = np.clip(fitted(p), 0, 1)
    expected = q[:, None]
    add_rows(database, ["p"], p[:, None])
    expression = fitted.to_sql("p")
    _assert_answers(database, f"SELECT id, {expression} FROM t", expected)
    query = fitted.to_sql("p", table="t", keep=["id"])
    _assert_answers(database, query, expected)


def assert_same_query(
    database: Database, fitted: Map, names: list[str], *given: Predictions
) -> None:
    """Within 1e-12, as a whole query."""
    add_rows(database, names, np.concatenate([pred.values for pred in given]))
    expected = np.concatenate([fitted(pred) for pred in given])
    query = fitted.to_sql(names, table="t", keep=["id"])
    _assert_answers(database, query, expected)


def assert_same_list(database: Database, fitted: Map, names: list[str], pred: Predictions) -> None:
    """Within 1e-12, as a SELECT list."""
    add_rows(database, names, pred.values)
    columns = fitted.to_sql(names)
    _assert_answers(database, f"SELECT id, {columns} FROM t", fitted(pred))


def _assert_answers(database: Database, query: str, expected: Array) -> None:
    """A query gives the rows by their numbers, each with what is expected of it."""
    found = database.ask(f"{query} ORDER BY id")
    np.testing.assert_array_equal(found[:, 0], np.arange(len(expected)))
    np.testing.assert_allclose(found[:, 1:], expected, rtol=0, atol=DOUBLE)
