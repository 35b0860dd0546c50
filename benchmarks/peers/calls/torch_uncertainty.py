"""torch-uncertainty. Beside a torch for the processor, torchvision finds no operators of its own and asks for two."""

import logging
from collections.abc import Callable
from typing import Any

import torch
from torch.utils.data import DataLoader, TensorDataset

operators = torch.library.Library("torchvision", "FRAGMENT")  # type: ignore[no-untyped-call]
for name in ("nms", "qnms"):
    operators.define(f"{name}(Tensor boxes, Tensor scores, float overlap) -> Tensor")  # type: ignore[no-untyped-call]

from torch_uncertainty.metrics.classification import (  # noqa: E402 - only now can it be imported
    AdaptiveCalibrationError,
    BrierScore,
    CalibrationError,
    CategoricalNLL,
    ClasswiseCalibrationError,
    SmoothCalibrationError,
)
from torch_uncertainty.post_processing import (  # noqa: E402
    BBQScaler,
    HistogramBinningScaler,
    IsotonicRegressionScaler,
    MatrixScaler,
    TemperatureScaler,
    VectorScaler,
)

from .call import Call, Data  # noqa: E402

logging.disable(logging.WARNING)


def _vectors(d: Data) -> Data:
    return Data(p=torch.from_numpy(d.probs), y=torch.from_numpy(d.labels))


def _chances(d: Data) -> Data:
    # Of float64 its smooth ECE cannot be computed.
    return Data(p=torch.from_numpy(d.p).float(), y=torch.from_numpy(d.y))


def _measure(make: Callable[[int], Any], prepare: Callable[[Data], Data] = _vectors) -> Call:
    return Call(lambda d: make(d.p.shape[-1])(d.p, d.y), prepare=prepare)


def _scaled(make: Callable[[int], Any]) -> Call:
    """A fit of logits, which are given as one batch."""

    def prepare(d: Data) -> Data:
        logits, labels = torch.from_numpy(d.logits), torch.from_numpy(d.labels)
        return Data(x=logits, batches=DataLoader(TensorDataset(logits, labels), len(labels)))

    def work(d: Data) -> Any:  # noqa: ANN401 - a tensor
        model = make(d.x.shape[1])
        model.fit(d.batches, progress=False)
        return model(d.x).softmax(1)

    return Call(work, lambda q, _: q.detach().numpy(), prepare)


def _binned(
    make: Callable[[], Any], *, is_vector: bool = False, kind: torch.dtype = torch.float64
) -> Call:
    """A fit of log odds, or of logits, that gives log odds or logits of the outcome."""

    def prepare(d: Data) -> Data:
        p = torch.from_numpy(d.logits if is_vector else d.p).to(kind)
        x = p if is_vector else torch.logit(p)[:, None]
        y = torch.from_numpy(d.labels if is_vector else d.y.astype(float))
        return Data(x=x, batches=DataLoader(TensorDataset(x, y), len(y)))

    def work(d: Data) -> Any:  # noqa: ANN401 - a tensor
        model = make()
        model.fit(d.batches, progress=False)
        return model(d.x)

    def answer(z: Any, _: Data) -> Any:  # noqa: ANN401 - tensors
        return (z.softmax(-1) if is_vector else z.sigmoid().flatten()).numpy()

    return Call(work, answer, prepare)


CALLS = {
    "top_ece": _measure(lambda k: CalibrationError(task="multiclass", num_classes=k, num_bins=15)),
    "adaptive": _measure(
        lambda k: AdaptiveCalibrationError(task="multiclass", num_classes=k, n_bins=15)
    ),
    "classwise_ece": _measure(lambda k: ClasswiseCalibrationError(k, num_bins=15)),
    "brier": _measure(BrierScore),
    "nll": _measure(lambda _: CategoricalNLL()),
    "smece": _measure(lambda _: SmoothCalibrationError("reflected"), _chances),
    "ece": _measure(lambda _: CalibrationError(task="binary", num_bins=15), _chances),
    "temperature": _scaled(lambda _: TemperatureScaler()),
    "vector": _scaled(VectorScaler),
    "matrix": _scaled(MatrixScaler),
    "isotonic_rest": _binned(IsotonicRegressionScaler, is_vector=True),
    "isotonic": _binned(IsotonicRegressionScaler),
    "histogram": _binned(lambda: HistogramBinningScaler(num_bins=15)),
    "bbq": _binned(BBQScaler, kind=torch.float32),
}
