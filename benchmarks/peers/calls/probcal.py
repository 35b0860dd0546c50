"""probcal."""

from collections.abc import Callable
from typing import Any

import probcal as peer
from probcal import metrics

from .call import Call


def _fitted(make: Callable[[], Any]) -> Call:
    return Call(lambda d: make().fit(d.p, d.y).predict_proba(d.p))


def _weighted(make: Callable[[], Any]) -> Call:
    return Call(lambda d: make().fit(d.p, d.y, sample_weight=d.w).predict_proba(d.at))


CALLS = {
    "ece": Call(lambda d: metrics.ece(d.y, d.p, strategy="width")),
    "smece": Call(lambda d: metrics.smooth_ece(d.y, d.p)),
    "platt": _fitted(peer.PlattCalibrator),
    "beta": _fitted(peer.BetaCalibrator),
    "isotonic": _fitted(peer.IsotonicCalibrator),
    "histogram": _fitted(lambda: peer.HistogramBinningCalibrator(15, "width", None)),
    "bbq": _fitted(peer.BBQCalibrator),
    "venn_abers": _fitted(peer.VennAbersCalibrator),
    "scaling_binning": _fitted(lambda: peer.ScalingBinningCalibrator(15)),
    "weighted_beta": _weighted(peer.BetaCalibrator),
    "weighted_isotonic": _weighted(lambda: peer.IsotonicCalibrator("linear")),
    "smooth": _fitted(peer.SplineCalibrator),
}
