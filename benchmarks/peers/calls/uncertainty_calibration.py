"""uncertainty-calibration, the program of Kumar et al. 2019; it is imported as `calibration`."""

from collections.abc import Callable
from typing import Any

import calibration

from .call import Call, Data


def _chance(make: Callable[[int], Any]) -> Call:
    def work(d: Data) -> Any:  # noqa: ANN401 - an array
        model = make(len(d.p))
        model.train_calibration(d.p, d.y)
        return model.calibrate(d.p)

    return Call(work)


CALLS = {
    "top_ece": Call(lambda d: calibration.get_ece(d.probs, d.labels)),
    "adaptive": Call(lambda d: calibration.get_ece_em(d.probs, d.labels)),
    "classwise_ece": Call(lambda d: calibration.get_ece(d.probs, d.labels, mode="marginal")),
    "ece": Call(lambda d: calibration.get_ece(d.p, d.y, mode="marginal")),
    "debiased": Call(lambda d: calibration.lower_bound_scaling_ce(d.p, d.y)),
    "platt": _chance(lambda n: calibration.PlattCalibrator(n, 15)),
    "scaling_binning": _chance(lambda n: calibration.PlattBinnerCalibrator(n, 15)),
}
