"""dirichletcal, the program of the authors of Dirichlet calibration; three names that have moved since are put back."""

from typing import Any

import scipy.linalg
from sklearn import preprocessing

scipy.linalg.pinv2 = scipy.linalg.pinv

import dirichletcal.calib.multinomial as multinomial  # noqa: E402 - only now can it be imported
from dirichletcal.calib.fulldirichlet import FullDirichletCalibrator  # noqa: E402

from ..strengths import PER_ENTRY, PER_SHIFT  # noqa: E402
from .call import Call, Data  # noqa: E402

multinomial.label_binarize = lambda y, classes: preprocessing.label_binarize(y, classes=classes)


def _fitted(d: Data) -> Any:  # noqa: ANN401 - a peer's object
    model = FullDirichletCalibrator(PER_ENTRY, PER_SHIFT, ref_row=False)
    return model.fit(d.probs, d.labels)


CALLS = {"dirichlet": Call(_fitted, lambda found, _: found.calibrator_.weights_)}
