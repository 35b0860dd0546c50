"""Time dirichletcal's fit: `python dirichletcal_fit.py given.npz LAMBDA MU` prints seconds and NLL.

It runs in an environment of its own, as the package needs libraries of 2023, and even there three names that have
moved since must be put back.
"""

import sys
import time

import numpy as np
import scipy.linalg
from sklearn import preprocessing

scipy.linalg.pinv2 = scipy.linalg.pinv

import dirichletcal.calib.multinomial as multinomial  # noqa: E402 - only now can it be imported
from dirichletcal.calib.fulldirichlet import FullDirichletCalibrator  # noqa: E402

multinomial.label_binarize = lambda y, classes: preprocessing.label_binarize(y, classes=classes)

with np.load(sys.argv[1]) as given:
    probs, labels = given["probs"], given["labels"]
for _ in range(2):  # the first time compiles
    start = time.perf_counter()
    peer = FullDirichletCalibrator(float(sys.argv[2]), float(sys.argv[3]), ref_row=False).fit(
        probs, labels
    )
    seconds = time.perf_counter() - start
q = peer.predict_proba(probs)
print(seconds, -np.log(q[np.arange(len(q)), labels]).mean())
