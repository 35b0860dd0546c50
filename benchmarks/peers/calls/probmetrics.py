"""probmetrics."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from probmetrics import calibrators
from probmetrics.distributions import CategoricalLogits
from probmetrics.metrics import (
    BrierLoss,
    KolmogorovSmirnovCalibrationMetric,
    KuiperCalibrationMetric,
    LogLoss,
)

from .call import Call, Data


def _scaled(make: Callable[[], Any]) -> Call:
    """A fit of logits, from tensors to tensors."""

    def prepare(d: Data) -> Data:
        logits = CategoricalLogits(torch.from_numpy(d.logits))
        return Data(logits=logits, labels=torch.from_numpy(d.labels))

    def work(d: Data) -> Any:  # noqa: ANN401 - a tensor
        model = make()
        model.fit_torch(d.logits, d.labels)
        return model.predict_proba_torch(d.logits).get_probs()

    return Call(work, lambda q, _: q.numpy(), prepare)


def _vectors(make: Callable[[], Any]) -> Call:
    return Call(lambda d: make().fit(d.probs, d.labels).predict_proba(d.probs))


def _chance(make: Callable[[], Any]) -> Call:
    """A fit of one chance, which is given as both classes'."""

    def prepare(d: Data) -> Data:
        return Data(probs=np.stack([1 - d.p, d.p], axis=1), y=d.y)

    return Call(
        lambda d: make().fit(d.probs, d.y).predict_proba(d.probs),
        lambda q, _: q[:, 1],
        prepare,
    )


def _score(make: Callable[[], Any]) -> Call:
    def prepare(d: Data) -> Data:
        if "labels" in vars(d):
            return Data(y=torch.from_numpy(d.labels), p=torch.from_numpy(d.probs))
        p = torch.from_numpy(np.stack([1 - d.p, d.p], axis=1))
        return Data(y=torch.from_numpy(d.y), p=p)

    return Call(lambda d: make().compute_from_labels_probs(d.y, d.p), prepare=prepare)


CALLS = {
    "brier": _score(BrierLoss),
    "nll": _score(LogLoss),
    "ks": _score(KolmogorovSmirnovCalibrationMetric),
    "kuiper": _score(KuiperCalibrationMetric),
    "temperature": _scaled(calibrators.TemperatureScalingCalibrator),
    "vector": _scaled(calibrators.VectorScalingCalibrator),
    "matrix": _scaled(calibrators.MatrixScalingCalibrator),
    "structured": _vectors(calibrators.SMSCalibrator),
    "platt": _chance(calibrators.BinaryLogisticCalibrator),
    "histogram": _chance(lambda: calibrators.BinaryHistogramBinningCalibrator(15)),
    "spline": _chance(calibrators.CDFSplineCalibrator),
    "kernel": _chance(calibrators.KernelCalibrator),
}
