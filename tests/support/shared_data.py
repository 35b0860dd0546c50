"""Where other people's predictions are found, beside the checkout; tests that need them skip without."""

from pathlib import Path

import numpy as np
import pytest

from calibrant import Predictions, View, binary, from_logits, from_probs

DATA = Path(__file__).parents[3] / "shared" / "data"
REAL, ZOO = DATA / "real", DATA / "zoo"
needs_real = pytest.mark.skipif(
    not REAL.is_dir(), reason="other people's predictions are not beside the checkout"
)
needs_zoo = pytest.mark.skipif(
    not ZOO.is_dir(), reason="the sample predictions not shipped are not beside the checkout"
)


def real(name: str, split: str = "test") -> Predictions | View:
    """One file of real predictions: a view of its confidences where it holds nothing more."""
    with np.load(REAL / f"{name}.npz", allow_pickle=False) as arrays:
        labels = arrays[f"{split}_labels"]
        if "test_conf" in arrays:
            return binary(arrays["test_conf"], arrays["test_pred"] == labels)
        if f"{split}_logits" in arrays:
            return from_logits(arrays[f"{split}_logits"], labels)
        return from_probs(arrays[f"{split}_probs"], labels)


def zoo(name: str, split: str) -> Predictions:
    """One part of a file of sample predictions, those included that are not shipped."""
    with np.load(ZOO / f"{name}.npz", allow_pickle=False) as arrays:
        return from_logits(arrays[f"{split}_logits"].astype(np.float64), arrays[f"{split}_labels"])
