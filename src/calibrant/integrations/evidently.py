"""Evidently: how far the chances of a classification can be trusted, as a metric of its reports."""

from typing import Any

import numpy as np

try:
    import pandas as pd
    from evidently import BinaryClassification, Dataset, MulticlassClassification
    from evidently.core.metric_types import (
        SingleValue,
        SingleValueCalculation,
        SingleValueMetric,
        get_default_render,
        get_default_render_ref,
    )
    from evidently.core.report import Context
    from evidently.legacy.model.widget import BaseWidgetInfo
    from evidently.legacy.renderers.html_widgets import plotly_data
except ImportError as error:
    raise ImportError(
        'calibrant.integrations.evidently needs Evidently and pandas below 3: pip install "calibrant[evidently]"'
    ) from error

from ..curves import reliability
from ..families.defaults import CURVE_FAMILY
from ..fitting.types import Array
from ..inference.bands import confidence_band
from ..inputs.predictions import Predictions, from_probs
from ..inputs.questions import binary
from ..inputs.views import View
from ..reporting.first_question import first_view
from .measures import MEASURES, Name

BLUE, PALE_BLUE, GREY = "#0072B2", "#bfe0f3", "#6b6b6b"


class Calibration(SingleValueMetric):
    """An error or a score of the question that a report asks first, and its reliability diagram.

    Chances are of the positive label, or of every class in columns that are named as the labels.

    >>> Calibration(measure="ece").measure
    'ece'
    """

    measure: Name = "calibration_error"
    classification_name: str = "default"


class CalibrationCalculation(SingleValueCalculation[Calibration]):
    """What `Calibration` comes to, of the current rows and of those of a reference."""

    def display_name(self) -> str:
        """What a report calls it."""
        measure = self.metric.measure.replace("_", " ")
        return f"{measure}, by calibrant"

    def calculate(
        self, context: Context, current_data: Dataset, reference_data: Dataset | None
    ) -> tuple[SingleValue, SingleValue | None]:
        """The number of the current rows, with what a report shows of it, and of the reference."""
        del context
        view = self._view(current_data)
        found = self._measured(view)
        if reference_data is None:
            found.widget = get_default_render(self.display_name(), found)
            reference = None
        else:
            reference = self._measured(self._view(reference_data))
            found.widget = get_default_render_ref(self.display_name(), found, reference)
        found.widget.append(_diagram(view))
        return found, reference

    def _view(self, data: Dataset) -> View:
        return view_of(data, self.metric.classification_name)

    def _measured(self, view: View) -> SingleValue:
        measure = MEASURES[self.metric.measure]
        return self.result(float(measure(view)))


def view_of(data: Dataset, classification: str = "default") -> View:
    """What a classification of the data's definition claims, and what came true."""
    asked = data.data_definition.get_classification(classification)
    if asked is None or not asked.prediction_probas:
        raise ValueError(
            f"the data's definition has no chances of a classification {classification!r}; "
            'name their columns, as in BinaryClassification(prediction_probas="p")'
        )
    frame = data.as_dataframe()
    if isinstance(asked, MulticlassClassification):
        return first_view(_predictions(frame, asked))
    return _binary(frame, asked)


def _predictions(frame: pd.DataFrame, asked: MulticlassClassification) -> Predictions:
    classes = [str(name) for name in asked.prediction_probas]
    labels = frame[asked.target].astype(str)
    return from_probs(frame[asked.prediction_probas], labels, classes=classes)


def _binary(frame: pd.DataFrame, asked: BinaryClassification) -> View:
    target = frame[asked.target]
    others = set(target.unique()) - {asked.pos_label}
    if len(others) > 1:
        raise ValueError(
            f"a binary target has one value beside its pos_label {asked.pos_label!r}, "
            f"got {sorted(map(str, others))}; give BinaryClassification(pos_label=...)"
        )
    event = f"{asked.target} is {asked.pos_label}"
    return binary(frame[asked.prediction_probas], target == asked.pos_label, event=event)


def _diagram(view: View) -> BaseWidgetInfo:
    curve = reliability(view, level=None)
    low, high = confidence_band(view, CURVE_FAMILY, curve.p)
    around = np.concatenate([curve.p, curve.p[::-1]])
    edges = np.concatenate([low, high[::-1]])
    filled = {"fill": "toself", "fillcolor": PALE_BLUE}
    diagonal = np.array([0.0, 1.0])
    data = [
        _line("95% confidence", around, edges, {"width": 0}) | filled,
        _line("as claimed", diagonal, diagonal, {"color": GREY, "dash": "dot", "width": 1}),
        _line("what came true", curve.p, curve.q, {"color": BLUE, "width": 2}),
    ]
    axes = {"range": [0, 1], "tickformat": ".0%"}
    layout = {
        "xaxis": axes | {"title": {"text": "claimed chance"}},
        "yaxis": axes | {"title": {"text": "how often it happens"}},
    }
    title = f"Calibration error {100 * curve.error:.2f} points: {view.event}"
    return plotly_data(title=title, data=data, layout=layout)


def _line(name: str, x: Array, y: Array, look: dict[str, Any]) -> dict[str, Any]:
    points = {"x": x.tolist(), "y": y.tolist()}
    return {"type": "scatter", "mode": "lines", "name": name, "line": look} | points
