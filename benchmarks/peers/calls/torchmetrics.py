"""torchmetrics."""

import torch
from torchmetrics.functional.classification import (
    binary_calibration_error,
    multiclass_calibration_error,
)

from .call import Call, Data

CALLS = {
    "top_ece": Call(
        lambda d: multiclass_calibration_error(d.p, d.y, d.p.shape[1], n_bins=15, norm="l1"),
        prepare=lambda d: Data(p=torch.from_numpy(d.probs), y=torch.from_numpy(d.labels)),
    ),
    "logit_ece": Call(
        lambda d: multiclass_calibration_error(d.p, d.y, d.p.shape[1], n_bins=15, norm="l1"),
        prepare=lambda d: Data(p=torch.from_numpy(d.logits), y=torch.from_numpy(d.labels)),
    ),
    "ece": Call(
        lambda d: binary_calibration_error(d.p, d.y, n_bins=15, norm="l1"),
        prepare=lambda d: Data(p=torch.from_numpy(d.p), y=torch.from_numpy(d.y)),
    ),
}
