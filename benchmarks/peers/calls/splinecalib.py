"""splinecalib: a smoothing spline of log odds, its strength by cross-validation."""

from typing import Any

from splinecalib import SplineCalib

from .call import Call, Data


def _fitted(d: Data) -> Any:  # noqa: ANN401 - an array
    model = SplineCalib()
    model.fit(d.p, d.y)
    return model.calibrate(d.p)


CALLS = {"smooth": Call(_fitted)}
