"""MCGrad: its measures and its maps of one chance; its own method is for groups and has no task here."""

from typing import Any

import pandas as pd
from mcgrad import metrics
from mcgrad.methods import IsotonicRegression, PlattScaling

from .call import Call, Data


def _fitted(method: type) -> Call:
    def work(frame: Any) -> Any:  # noqa: ANN401 - a frame, and an array
        return method().fit(frame, "p", "y").predict(frame, "p")

    def prepare(d: Data) -> Any:  # noqa: ANN401 - a frame
        return pd.DataFrame({"p": d.p, "y": d.y})

    return Call(work, prepare=prepare)


CALLS = {
    "kuiper": Call(lambda d: metrics.ecce(d.y, d.p)),
    "ece": Call(lambda d: metrics.expected_calibration_error(d.y, d.p, num_bins=15)),
    "platt": _fitted(PlattScaling),
    "isotonic": _fitted(IsotonicRegression),
}
