"""Losses that train a network to be calibrated, each called as loss(logits, labels).

Each gives a mean over the batch. Whole losses take the place of cross-entropy: Focal, Focal53,
DualFocal, LabelSmoothing, KDEMeanSquared. Terms are added to a loss, times a small number:
KDECalibration, MMCE, WeightedMMCE, ConfidenceGap, EntropyPenalty.
"""

from .confidence import ConfidenceGap, EntropyPenalty, LabelSmoothing
from .focal import DualFocal, Focal, Focal53
from .kde import KDECalibration, KDEMeanSquared
from .loss import Loss
from .pairs import MMCE, WeightedMMCE

__all__ = [
    "MMCE",
    "ConfidenceGap",
    "DualFocal",
    "EntropyPenalty",
    "Focal",
    "Focal53",
    "KDECalibration",
    "KDEMeanSquared",
    "LabelSmoothing",
    "Loss",
    "WeightedMMCE",
]
