"""Errors and scores of a finished run, by the library: validation and test, before and after temperature."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

import calibrant as c
from calibrant.torch.kernels import canonical

Floats = NDArray[np.floating]
Numbers = dict[str, float]
# Of the kernels by which canonical errors are measured; terms are trained with the same.
BANDWIDTH = 0.01
# Draws of labels from the claims, for what a calibrated network would show.
DRAWS = 1
MASS = partial(c.ece, n_bins=15, edges="mass")
MEASURES: dict[str, Callable[[c.Predictions], float]] = {
    "accuracy": c.accuracy,
    "nll": c.nll,
    "brier": c.brier,
    "entropy": c.entropy,
    "ece": c.ece,
    "ks": c.ks_error,
    "top_label-1": MASS,
    "top_label-2": partial(MASS, norm=2),
    "classwise-1": lambda pred: MASS(c.classwise(pred)),
    "classwise-2": lambda pred: MASS(c.classwise(pred), norm=2),
}


class Rows(NamedTuple):
    """Logits and labels of validation and test rows."""

    val_logits: Floats
    val_labels: NDArray[np.int64]
    test_logits: Floats
    test_labels: NDArray[np.int64]

    def predictions(self) -> dict[str, c.Predictions]:
        """Both parts, before the temperature fitted on validation rows and after it."""
        val = c.from_logits(self.val_logits, self.val_labels)
        test = c.from_logits(self.test_logits, self.test_labels)
        temperature = c.Temperature().fit(val)
        return {
            "val": val,
            "val_after": temperature.apply(val),
            "test": test,
            "test_after": temperature.apply(test),
        }


def measured(rows: Rows) -> dict[str, Numbers]:
    """Every measure of every part."""
    return {
        part: {name: measure(pred) for name, measure in MEASURES.items()}
        for part, pred in rows.predictions().items()
    }


def row_losses(rows: Rows) -> dict[str, Floats]:
    """The log loss of each row, and the confidence and success of test rows."""
    parts = rows.predictions()
    found = {f"{part}_nll": _losses(pred) for part, pred in parts.items()}
    found["test_confidence"] = parts["test"].probs.max(1).astype(np.float16)
    return found


@torch.no_grad()
def canonical_errors(logits: torch.Tensor, labels: torch.Tensor, *, null: bool) -> Numbers:
    """Canonical errors by kernels, of norms 1 and 2.

    "null" is what they would be if the claims were right.
    """
    logits = logits.double()
    numbers = _gaps(logits, labels)
    if null:
        draws = [_gaps(logits, _drawn(logits, seed)) for seed in range(DRAWS)]
        for name in tuple(numbers):
            numbers[f"{name}-null"] = float(np.mean([draw[name] for draw in draws]))
    return numbers


def _gaps(logits: torch.Tensor, labels: torch.Tensor) -> Numbers:
    q = canonical(logits, labels, bandwidth=BANDWIDTH)
    gap = q - logits.softmax(1)
    return {
        "canonical-1": float(gap.abs().sum(1).mean()),
        "canonical-2": float(gap.square().sum(1).mean().sqrt()),
    }


def _drawn(logits: torch.Tensor, seed: int) -> torch.Tensor:
    """Labels drawn from the claims; the same numbers on every device."""
    levels = np.random.default_rng(seed).random(len(logits))
    level = torch.from_numpy(levels).to(logits.device)
    below = logits.softmax(1).cumsum(1) < level[:, None]
    return below.sum(1).clamp_max(logits.shape[1] - 1)


def _losses(pred: c.Predictions) -> Floats:
    rows = np.arange(pred.n)
    return -pred.log_probs[rows, pred.labels].astype(np.float16)
