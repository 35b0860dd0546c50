"""lm-evaluation-harness: tasks of multiple choice whose results tell how far confidences hold.

A task's YAML names it, `class: !function calibrant.integrations.lm_eval.ChoiceTask`. The samples
that an evaluation logs are read by `calibrant report`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.special import logsumexp

try:
    from lm_eval.api.task import ConfigurableTask
except ImportError as error:
    raise ImportError(
        'calibrant.integrations.lm_eval needs lm-evaluation-harness: pip install "calibrant[integrations]"'
    ) from error

from ..inputs.questions import binary
from .measures import MEASURES, Name

NAMES: tuple[Name, ...] = ("calibration_error", "observed_expected")
Sure = tuple[float, float]  # the chance of the likeliest choice, and whether it was right


class ChoiceTask(ConfigurableTask):
    """A task of multiple choice that has the calibration error beside its metrics.

    A confidence is the chance of the likeliest choice; whether it was right is the metric `acc`.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        known = {name: value for name, value in config.items() if name != "class"}
        super().__init__(config=known)
        if self.OUTPUT_TYPE != "multiple_choice" or "acc" not in super().aggregation():
            raise ValueError(
                "a ChoiceTask is of multiple choice and has the metric acc: got the output type "
                f"{self.OUTPUT_TYPE!r} and the metrics {list(super().aggregation())}"
            )

    def process_results(self, doc: dict[str, Any], results: Sequence[Any]) -> dict[str, Any]:
        """The metrics of a question, and how sure its answer is."""
        found = super().process_results(doc, results)
        choices = len(self.doc_to_choice(doc))
        likelihoods = [likelihood for likelihood, _ in results[:choices]]
        confidence = float(np.exp(max(likelihoods) - logsumexp(likelihoods)))
        return found | dict.fromkeys(NAMES, (confidence, found["acc"]))

    def aggregation(self) -> dict[str, Any]:
        """What makes one number of all questions, by metric."""
        ours: dict[str, Callable[[Sequence[Sure]], float]]
        ours = {name: partial(aggregated, name) for name in NAMES}
        return super().aggregation() | ours

    def higher_is_better(self) -> dict[str, bool]:
        """Whether more is better, of the metrics of which it can be said."""
        return super().higher_is_better() | {"calibration_error": False}


def aggregated(name: Name, pairs: Sequence[Sure]) -> float:
    """A number of all questions of a task."""
    confidences, right = zip(*pairs, strict=True)
    measure = MEASURES[name]
    return float(measure(binary(confidences, right)))
