"""Sample predictions shipped with the package: networks trained on CIFAR with cross-entropy."""

from importlib.resources import as_file, files
from typing import Literal

import numpy as np

from ..inputs.predictions import Predictions, from_logits

Name = Literal["c10-lenet5", "c10-resnet18", "c100-resnet18"]
NAMES: tuple[Name, ...] = ("c10-lenet5", "c10-resnet18", "c100-resnet18")


def load(name: Name = "c100-resnet18") -> tuple[Predictions, Predictions]:
    """Predictions to fit on (5,000 validation rows) and to test on (10,000 rows), from logits.

    >>> load("c10-lenet5")[1]
    Predictions(10,000 rows of 10 classes from logits)
    """
    if name not in NAMES:
        known = ", ".join(NAMES)
        raise ValueError(f"no sample is called {name!r}; there are {known}")
    file = files(__name__) / f"{name}.npz"
    with as_file(file) as path, np.load(path, allow_pickle=False) as arrays:
        validation = from_logits(arrays["val_logits"], arrays["val_labels"])
        test = from_logits(arrays["test_logits"], arrays["test_labels"])
    return validation, test
