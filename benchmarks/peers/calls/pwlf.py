"""pwlf: piecewise linear least squares, its knots by differential evolution."""

import warnings
from typing import Any

import pwlf

from .call import Call, Data


def _fitted(d: Data) -> Any:  # noqa: ANN401 - an array
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = pwlf.PiecewiseLinFit(d.p, d.y, seed=0)
        model.fit(3)
    return model.predict(d.p)


CALLS = {"broken_line": Call(_fitted)}
