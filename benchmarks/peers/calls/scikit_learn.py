"""scikit-learn."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss

from .call import Call, Data


class AsGiven(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier whose rows are its own scores."""

    def __init__(self, classes: Any = None) -> None:  # noqa: ANN401 - an array
        self.classes = classes
        self.classes_ = classes

    def fit(self, x: Any, y: Any) -> "AsGiven":  # noqa: ANN401, ARG002 - arrays
        """Nothing is to be fitted."""
        return self

    def predict(self, x: Any) -> Any:  # noqa: ANN401 - an array
        """The class of the highest score."""
        return self.classes_[x.argmax(1)]

    def decision_function(self, x: Any) -> Any:  # noqa: ANN401 - an array
        """Its rows."""
        return x[:, 0] if x.shape[1] == 1 else x


def _calibrated(method: str, x: Any, y: Any) -> Any:  # noqa: ANN401 - arrays
    model = FrozenEstimator(AsGiven(np.unique(y)))
    return CalibratedClassifierCV(model, method=method).fit(x, y).predict_proba(x)


def _isotonic(d: Data) -> Any:  # noqa: ANN401 - an array
    return IsotonicRegression(out_of_bounds="clip").fit(d.p, d.y).predict(d.p)


CALLS = {
    "curve": Call(
        lambda d: calibration_curve(d.probs.argmax(1) == d.labels, d.probs.max(1), n_bins=15),
        lambda found, _: np.column_stack(found[::-1]),
    ),
    "brier": Call(lambda d: brier_score_loss(d.labels, d.probs, scale_by_half=False)),
    "nll": Call(lambda d: log_loss(d.labels, d.probs)),
    "temperature": Call(lambda d: _calibrated("temperature", d.logits, d.labels)),
    "platt": Call(
        lambda d: _calibrated("sigmoid", d.z, d.y)[:, 1],
        prepare=lambda d: Data(z=np.log(d.p / (1 - d.p))[:, None], y=d.y),
    ),
    "isotonic": Call(_isotonic),
    "weighted_isotonic": Call(
        lambda d: IsotonicRegression(out_of_bounds="clip").fit(d.p, d.y, d.w).predict(d.at)
    ),
    "isotonic_rest": Call(lambda d: _calibrated("isotonic", d.probs, d.labels)),
}
