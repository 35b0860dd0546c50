"""Frames of every library give the same predictions."""

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from calibrant import binary, from_probs
from calibrant.inputs.frames import as_frame, in_memory

CHANCES = {"prob_cat": [0.2, 0.7, 0.5], "prob_dog": [0.8, 0.3, 0.5]}
LABELS = ["dog", "cat", "cat"]
FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(CHANCES),
    "polars": lambda: pl.DataFrame(CHANCES),
    "a query of polars": lambda: pl.LazyFrame(CHANCES),
    "arrow": lambda: pa.table(CHANCES),
    "a query of DuckDB": lambda: duckdb.from_arrow(pa.table(CHANCES)),
}
COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "pandas": pd.Series,
    "polars": pl.Series,
    "arrow": pa.array,
    "chunks of arrow": lambda x: pa.chunked_array([x[:1], x[1:]]),
}


@pytest.mark.parametrize("library", FRAMES)
def test_a_frame_of_any_library_names_its_classes(library: str) -> None:
    pred = from_probs(FRAMES[library](), LABELS)
    assert pred.classes == ("cat", "dog")
    assert pred.labels.tolist() == [1, 0, 0]
    np.testing.assert_array_equal(pred.probs, np.transpose(list(CHANCES.values())))


@pytest.mark.parametrize("library", COLUMNS)
def test_a_column_of_any_library(library: str) -> None:
    column = COLUMNS[library]
    view = binary(column(CHANCES["prob_cat"]), column([0, 1, 1]), weights=column([1.0, 2.0, 1.0]))
    assert view.p.tolist() == CHANCES["prob_cat"]
    assert view.y.tolist() == [0, 1, 1]
    assert from_probs(FRAMES["pandas"](), column(LABELS)).labels.tolist() == [1, 0, 0]


@pytest.mark.parametrize("x", [np.ones(2), [1.0], "text", 3])
def test_what_is_no_frame_stays_as_it_is(x: object) -> None:
    assert as_frame(x) is x
    assert in_memory(x) is x
