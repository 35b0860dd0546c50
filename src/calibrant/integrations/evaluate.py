"""A metric of Hugging Face `evaluate`: how far confidences can be trusted."""

from typing import Any

try:
    import datasets
    import evaluate
except ImportError as error:
    raise ImportError(
        'calibrant.integrations.evaluate needs evaluate: pip install "calibrant[integrations]"'
    ) from error

from ..inputs.questions import binary
from ..inputs.views import View
from .measures import MEASURES

INPUTS = "predictions are confidences in [0, 1]; references say whether each was right (0 or 1), or to what share"


class Calibration(evaluate.Metric):
    """Calibration errors and scores of confidences.

    >>> found = Calibration().compute(predictions=[0.9, 0.9, 0.1, 0.1], references=[1, 1, 0, 1])
    >>> round(found["observed_expected"], 2)
    1.5
    """

    def _info(self) -> evaluate.MetricInfo:
        number = datasets.Value("float64")
        features = datasets.Features({"predictions": number, "references": number})
        return evaluate.MetricInfo(
            description="How far confidences can be trusted, by calibrant.",
            citation="",
            inputs_description=INPUTS,
            features=features,
        )

    def _compute(self, predictions: list[float], references: list[float]) -> dict[str, Any]:
        view: View = binary(predictions, references)
        return {name: measure(view) for name, measure in MEASURES.items()}
