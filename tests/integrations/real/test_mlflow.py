"""The evaluator of MLflow, found by its entry point, and what it logs."""

import json
from collections.abc import Iterator
from pathlib import Path

import mlflow
import numpy as np
import pandas as pd
import pytest
from shared_pages import block

import calibrant as c
from calibrant.integrations.mlflow import load_map, log_map

# Its own warnings are its own.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def run(tmp_path: Path) -> Iterator[mlflow.ActiveRun]:
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    made = mlflow.create_experiment("test", artifact_location=(tmp_path / "artifacts").as_uri())
    with mlflow.start_run(experiment_id=made) as active:
        yield active


def _rows() -> pd.DataFrame:
    random = np.random.default_rng(1)
    p = random.random(400)
    return pd.DataFrame({"p": p, "y": (random.random(400) < p**2).astype(int)})


def test_the_evaluator_logs_metrics_and_the_report(run: mlflow.ActiveRun) -> None:
    rows = _rows()
    found = mlflow.models.evaluate(
        data=rows, targets="y", predictions="p", model_type="classifier", evaluators="calibrant"
    )
    view = c.binary(rows["p"], rows["y"])
    assert found.metrics["ece"] == pytest.approx(c.ece(view), abs=1e-12)
    run_id = run.info.run_id
    logged = mlflow.get_run(run_id).data.metrics
    assert logged["calibration_error"] == pytest.approx(c.calibration_error(view), abs=1e-12)
    page = Path(
        mlflow.artifacts.download_artifacts(run_id=run_id, artifact_path="calibrant/report.html")
    )
    assert "<html" in page.read_text(encoding="utf-8")
    numbers = Path(
        mlflow.artifacts.download_artifacts(run_id=run_id, artifact_path="calibrant/report.json")
    )
    assert "verdict" in json.loads(numbers.read_text(encoding="utf-8"))


def test_the_page_s_block_runs(run: mlflow.ActiveRun) -> None:
    exec(block("how-to/integrations.md", "MLflow"), {"mlflow": mlflow, "rows": _rows()})
    assert "ks_error" in mlflow.get_run(run.info.run_id).data.metrics


def test_a_map_that_was_logged_comes_back(run: mlflow.ActiveRun) -> None:
    view = c.binary(_rows()["p"], _rows()["y"])
    fitted = c.Beta().fit(view)
    log_map(fitted, "beta")
    again = load_map(run.info.run_id, "beta")
    np.testing.assert_array_equal(again(view), fitted(view))
