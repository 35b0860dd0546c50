"""Dask's workers sum up what one process does, also when one of them dies."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import distributed
import numpy as np
import pandas as pd
import polars as pl
import pytest
from dask import dataframe
from shared_parts import N, assert_same, files, table

from calibrant import Temperature
from calibrant.cli import run
from calibrant.inputs.column_names import ColumnNames
from calibrant.inputs.predictions import Predictions
from calibrant.scale import Sketch, apply, fit, from_dask
from calibrant.scale.batches import layout_of

FRAME = table()


def expected() -> Sketch:
    pred = layout_of(FRAME.columns, ColumnNames()).rows(FRAME)
    assert isinstance(pred, Predictions)
    return Sketch().update(pred)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    settings = {
        "distributed.worker.daemon": False,
        "distributed.admin.log-format": "",
        "distributed.comm.retry.count": 2,
    }
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_partitions_give_what_the_whole_gives(client: Any) -> None:  # noqa: ANN401
    assert client.scheduler_info()
    frame = dataframe.from_pandas(FRAME.to_pandas(), npartitions=11, sort=False)
    assert_same(from_dask(frame), expected())


def test_a_temperature_is_that_of_all_rows(client: Any) -> None:  # noqa: ANN401
    assert client.scheduler_info()
    frame = dataframe.from_pandas(FRAME.to_pandas(), npartitions=4, sort=False)
    pred = layout_of(FRAME.columns, ColumnNames()).rows(FRAME)
    assert isinstance(pred, Predictions)
    other = Temperature().fit(pred).rule.temperature
    assert fit(Temperature(), frame).rule.temperature == pytest.approx(other, rel=1e-9)


def test_a_map_is_applied_by_partition(client: Any, tmp_path: Path) -> None:  # noqa: ANN401
    assert client.scheduler_info()
    frame = dataframe.from_pandas(FRAME.to_pandas(), npartitions=4, sort=False)
    pred = layout_of(FRAME.columns, ColumnNames()).rows(FRAME)
    assert isinstance(pred, Predictions)
    fitted = Temperature().fit(pred)
    assert apply(fitted, frame, tmp_path / "out").rows == N
    mended = pl.read_parquet(tmp_path / "out").sort("id").select("^prob_.*$").to_numpy()
    np.testing.assert_allclose(mended, fitted.apply(pred).probs, atol=1e-6)
    assert apply(fitted, frame, tmp_path / "out").already == 4


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # between Dask and pandas
def test_the_command_asks_a_running_cluster(
    client: Any,  # noqa: ANN401
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    paths = [str(path) for path in files(tmp_path, FRAME, 2, 1000)]
    address = client.scheduler_info()["address"]
    arguments = ["report", *paths, "--engine", "dask", "--address", address, "--json"]
    assert run(arguments) == 0
    assert json.loads(capsys.readouterr().out)["n"] == N
    # A client that stays would look for its cluster for ever, in a thread that draws random numbers.
    clients = list(distributed.Client._instances)
    assert {each.status for each in clients if each is not client} == {"closed"}
    assert client.status == "running"


def dying(part: pd.DataFrame, marker: str) -> pd.DataFrame:
    """Kills the worker that has a certain row, the first time that one has it."""
    time.sleep(0.05)
    if (part["id"] == N // 2).any() and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return part


def test_a_worker_that_dies_changes_nothing(client: Any, tmp_path: Path) -> None:  # noqa: ANN401
    marker = tmp_path / "died"
    before = set(client.scheduler_info()["workers"])
    frame = dataframe.from_pandas(FRAME.to_pandas(), npartitions=11, sort=False)
    frame = frame.map_partitions(dying, str(marker), meta=frame._meta)
    assert_same(from_dask(frame), expected())
    assert marker.exists()
    assert set(client.scheduler_info()["workers"]) != before


def test_a_bad_partition_is_named_or_left_out(client: Any) -> None:  # noqa: ANN401
    bad = FRAME.to_pandas()
    bad.loc[N // 2, "prob_cat"] = float("nan")
    frame = dataframe.from_pandas(bad, npartitions=10, sort=False)
    assert client.scheduler_info()
    with pytest.raises(ValueError, match=r"partition 5: .*have a value|partition 5: .*finite"):
        from_dask(frame)
    found = from_dask(frame, skip_bad=True)
    assert (found.n, found.skipped.parts) == (N - N // 10, 1)
    with pytest.raises(ValueError, match="expected a data frame of Dask"):
        from_dask("some.parquet")
