"""netcal."""

from collections.abc import Callable
from typing import Any

from netcal.binning import BBQ, HistogramBinning, IsotonicRegression
from netcal.metrics import ECE, MMCE
from netcal.scaling import BetaCalibration, LogisticCalibration, TemperatureScaling

from .call import Call


def _chance(make: Callable[[], Any]) -> Call:
    return Call(lambda d: make().fit(d.p, d.y).transform(d.p))


def _vectors(make: Callable[[], Any]) -> Call:
    return Call(lambda d: make().fit(d.probs, d.labels).transform(d.probs))


CALLS = {
    "top_ece": Call(lambda d: ECE(15).measure(d.probs, d.labels)),
    "adaptive": Call(lambda d: ECE(15, equal_intervals=False).measure(d.probs, d.labels)),
    "ece": Call(lambda d: ECE(15).measure(d.p, d.y)),
    "mmce": Call(lambda d: MMCE().measure(d.probs, d.labels)),
    "temperature": _vectors(TemperatureScaling),
    "isotonic_rest": _vectors(IsotonicRegression),
    "platt": _chance(LogisticCalibration),
    "beta": _chance(BetaCalibration),
    "isotonic": _chance(IsotonicRegression),
    "histogram": _chance(lambda: HistogramBinning(15)),
    "bbq": _chance(BBQ),
}
