"""Inspect: metrics of how far the confidences of scored answers can be trusted.

A scorer keeps the confidence of an answer in its score, `Score(value, metadata={"confidence": 0.9})`, and names one of
these beside `accuracy()`. The logs of an evaluation are read by `calibrant report`.
"""

from collections.abc import Callable

try:
    from inspect_ai.scorer import Metric, SampleScore, metric, value_to_float
except ImportError as error:
    raise ImportError(
        'calibrant.integrations.inspect needs Inspect: pip install "calibrant[integrations]"'
    ) from error

from ..inputs.questions import binary
from ..inputs.views import View
from ..measures import errors, recalibration_line
from ..measures.scores import brier

CONFIDENCE = "confidence"


@metric(name="calibration_error")
def calibration_error(confidence: str = CONFIDENCE) -> Metric:
    """The calibration error of the confidences in scores' metadata."""
    return _of(errors.calibration_error, confidence)


@metric(name="observed_expected")
def observed_expected(confidence: str = CONFIDENCE) -> Metric:
    """How many answers are right for each that is claimed to be."""
    return _of(recalibration_line.observed_expected, confidence)


@metric(name="brier")
def brier_score(confidence: str = CONFIDENCE) -> Metric:
    """The Brier score of the confidences in scores' metadata."""
    return _of(brier, confidence)


def view_of(scores: list[SampleScore], confidence: str = CONFIDENCE) -> View:
    """Confidences and whether the answers were right, or to what share."""
    right = value_to_float()
    told = [(sample.score.metadata or {}).get(confidence) for sample in scores]
    missing = sum(each is None for each in told)
    if missing:
        raise ValueError(
            f"{missing} of {len(told)} scores have no {confidence!r} in their metadata; "
            f"give it in the scorer: Score(value=..., metadata={{{confidence!r}: 0.9}})"
        )
    claimed = [float(each) for each in told if each is not None]
    return binary(claimed, [right(sample.score.value) for sample in scores])


def _of(measure: Callable[[View], float], confidence: str) -> Metric:
    def measured(scores: list[SampleScore]) -> float:
        return float(measure(view_of(scores, confidence)))

    return measured
