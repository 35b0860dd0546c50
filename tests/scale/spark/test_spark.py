"""Spark's executors sum up what one process does: `make test-spark`, which needs Java."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from shared_parts import N, assert_same, files, table

from calibrant import Platt, Temperature, one_class
from calibrant.cli import run
from calibrant.inputs.column_names import ColumnNames
from calibrant.inputs.predictions import Predictions
from calibrant.scale import Sketch, apply, fit, from_spark
from calibrant.scale.batches import layout_of

# Of pandas, through which nothing goes here.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
FRAME = table()


def expected() -> Sketch:
    pred = layout_of(FRAME.columns, ColumnNames()).rows(FRAME)
    assert isinstance(pred, Predictions)
    return Sketch().update(pred)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    # Or workers would be of whichever python3 is first on the path.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    sql = pytest.importorskip("pyspark.sql")
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", 200)
        .config("spark.sql.files.maxPartitionBytes", 20_000)
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def test_partitions_give_what_the_whole_gives(spark: Any, tmp_path: Path) -> None:  # noqa: ANN401
    files(tmp_path, FRAME)
    assert_same(from_spark(spark.read.parquet(str(tmp_path))), expected())


def test_a_temperature_is_that_of_all_rows(spark: Any) -> None:  # noqa: ANN401
    pred = layout_of(FRAME.columns, ColumnNames()).rows(FRAME)
    assert isinstance(pred, Predictions)
    other = Temperature().fit(pred).rule.temperature
    frame = spark.createDataFrame(FRAME.to_arrow()).repartition(2)
    assert fit(Temperature(), frame).rule.temperature == pytest.approx(other, rel=1e-9)


def test_a_map_is_applied_by_partition_and_as_sql(spark: Any, tmp_path: Path) -> None:  # noqa: ANN401
    pred = layout_of(FRAME.columns, ColumnNames()).rows(FRAME)
    assert isinstance(pred, Predictions)
    fitted = Temperature().fit(pred)
    frame = spark.createDataFrame(FRAME.to_arrow()).repartition(3)
    assert apply(fitted, frame, tmp_path / "out").rows == N
    mended = pl.read_parquet(tmp_path / "out").sort("id")
    names = [name for name in FRAME.columns if name.startswith("prob_")]
    expected = fitted.apply(pred).probs
    np.testing.assert_allclose(mended.select(names).to_numpy(), expected, atol=1e-6)
    assert apply(fitted, frame, tmp_path / "out").already == 3
    frame.createOrReplaceTempView("claims")
    by_sql = spark.sql(f"SELECT id, {fitted.to_sql(names)} FROM claims ORDER BY id").toArrow()
    found = np.stack([by_sql.column(1 + j).to_numpy() for j in range(3)], axis=1)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    of_one = Platt().fit(one_class(pred, 0))
    by_sql = frame.selectExpr("id", f"{of_one.to_sql('prob_cat')} AS q").orderBy("id").toArrow()
    p = FRAME["prob_cat"].cast(pl.Float64).to_numpy()
    np.testing.assert_allclose(by_sql.column("q").to_numpy(), of_one(p), atol=1e-6)


def test_a_bad_partition_is_named_or_left_out(spark: Any) -> None:  # noqa: ANN401
    bad = FRAME.with_columns(
        prob_cat=pl.when(pl.col("id") == N // 2).then(float("nan")).otherwise("prob_cat")
    )
    frame = spark.createDataFrame(bad.to_arrow()).repartition(5)
    with pytest.raises(ValueError, match=r"partition \d: "):
        from_spark(frame)
    found = from_spark(frame, skip_bad=True)
    assert found.skipped.parts == 1
    assert 0 < found.n < N


def test_the_command_asks_a_session(
    spark: Any,  # noqa: ANN401
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    paths = [str(path) for path in files(tmp_path, FRAME)]
    address = spark.sparkContext.master
    assert run(["report", *paths, "--engine", "spark", "--address", address, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n"] == N
