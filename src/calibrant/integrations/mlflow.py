"""MLflow: an evaluator for `mlflow.models.evaluate`, and reports, curves and maps as artifacts.

The evaluator is found by its entry point: `evaluators="calibrant"`.
"""

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

try:
    import mlflow
    from mlflow.models import EvaluationResult
    from mlflow.models.evaluation import ModelEvaluator
except ImportError as error:
    raise ImportError(
        'calibrant.integrations.mlflow needs MLflow: pip install "calibrant[integrations]"'
    ) from error

from ..deploy.store import load
from ..families.maps import Map
from ..inputs.predictions import Predictions, from_probs
from ..inputs.questions import binary
from ..inputs.views import Data, View
from ..measures.errors import calibration_error, ece
from ..measures.ks import ks_error
from ..measures.scores import nll
from ..reporting.first_question import first_view
from ..reporting.summary import Report, report

FOLDER = "calibrant"
MEASURES: dict[str, Callable[[View], float]] = {
    "calibration_error": calibration_error,
    "ece": ece,
    "ks_error": ks_error,
}


class CalibrantEvaluator(ModelEvaluator):
    """Calibration errors as metrics, and the report as a page and as json.

    Predictions are chances of class 1, or of every class in the order of the sorted labels.
    """

    @classmethod
    def can_evaluate(
        cls, *, model_type: str, evaluator_config: dict[str, Any], **_: object
    ) -> bool:
        """Whether the model gives chances of classes."""
        del evaluator_config
        return model_type == "classifier"

    def evaluate(  # noqa: D102 - MLflow says it
        self,
        *,
        dataset: Any,  # noqa: ANN401 - a class of MLflow without a public name
        run_id: str,
        evaluator_config: dict[str, Any],
        model: Any = None,  # noqa: ANN401
        predictions: str | None = None,
        **_: object,
    ) -> EvaluationResult:
        given = dataset.predictions_data if model is None else model.predict(dataset.features_data)
        if predictions is not None and hasattr(given, "columns"):
            given = given[predictions]
        x = _read(given, dataset.labels_data)
        prefix = (evaluator_config or {}).get("metric_prefix", "")
        metrics = {f"{prefix}{name}": value for name, value in measured(x).items()}
        mlflow.log_metrics(metrics, run_id=run_id)
        log_report(report(x), run_id=run_id)
        return EvaluationResult(metrics=metrics, artifacts={})


def measured(x: Data) -> dict[str, float]:
    """Errors of the question that a report asks first, and the NLL of all classes."""
    view = first_view(x)
    found = {name: float(measure(view)) for name, measure in MEASURES.items()}
    return found | {"nll": float(nll(x))}


def log_report(made: Report, *, run_id: str | None = None) -> None:
    """Log a report as `calibrant/report.html` and `calibrant/report.json`."""
    with TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        made.to_html(page)
        mlflow.log_artifact(str(page), FOLDER, run_id=run_id)
    numbers = json.loads(json.dumps(made.to_dict(), default=str))
    mlflow.log_dict(numbers, f"{FOLDER}/report.json", run_id=run_id)


def log_map(fitted: Map, name: str = "map", *, run_id: str | None = None) -> None:
    """Log a map as `calibrant/NAME.safetensors`."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.safetensors"
        fitted.save(path)
        mlflow.log_artifact(str(path), FOLDER, run_id=run_id)


def load_map(run_id: str, name: str = "map") -> Map:
    """Load a map that `log_map` logged."""
    where = f"{FOLDER}/{name}.safetensors"
    return load(mlflow.artifacts.download_artifacts(run_id=run_id, artifact_path=where))


def _read(given: object, labels: object) -> Predictions | View:
    p = np.asarray(given, dtype=np.float64)
    y = np.asarray(labels)
    if p.ndim == 2 and p.shape[1] == 1:
        p = p[:, 0]
    if p.ndim == 1:
        return binary(p, y)
    return from_probs(p, y, classes=np.unique(y).tolist())
