"""Batches that are none, of losses and of metrics, are refused by name."""

import math

import pytest

pytest.importorskip("torch", reason="torch is an extra")
pytest.importorskip("torchmetrics", reason="torchmetrics is an extra")

import torch

from calibrant.inputs.predictions import Kind
from calibrant.torch.losses import Focal
from calibrant.torch.metrics import CalibrationError


def test_shapes_and_types_that_are_no_batch_are_refused() -> None:
    loss = Focal()
    for logits, labels, words in [
        (torch.zeros(0, 3), torch.zeros(0, dtype=torch.int64), "at least one row"),
        (torch.zeros(3, 1), torch.zeros(3, dtype=torch.int64), "k of at least 2"),
        (torch.zeros(2, 3, 4), torch.zeros(2, dtype=torch.int64), r"must be \(n, k\)"),
        (torch.zeros(3, 2), torch.zeros(3), r"use labels.long\(\)"),
        (torch.zeros(3, 2), torch.zeros(4, dtype=torch.int64), "one for each row"),
        (
            torch.zeros(3, 2, dtype=torch.int64),
            torch.zeros(3, dtype=torch.int64),
            r"use logits.float\(\)",
        ),
    ]:
        with pytest.raises(ValueError, match=words):
            loss(logits, labels)
    with pytest.raises(ValueError, match="logits must be a tensor, got list"):
        loss([[0.0, 1.0]], torch.zeros(1, dtype=torch.int64))
    assert float(loss(torch.zeros(2, 2), torch.tensor([True, False]))) > 0


@pytest.mark.parametrize(
    ("kind", "preds", "target", "message"),
    [
        (
            "logits",
            [[0, math.nan], [0, 1], [math.inf, 1]],
            [0, 1, 1],
            r"logits must be finite \(row 0 is .*row 2 is",
        ),
        (
            "logits",
            [[0.0, 1]] * 5,
            [2, 2, -1, 1, 7],
            r"lie in 0\.\.1 \(row 0 is 2, row 1 is 2, row 2 is -1, 4 rows in all",
        ),
        (
            "probs",
            [[0.5, 0.5], [0.9, 0.2]],
            [0, 1],
            r'sum to one; for logits say input="logits" \(row 1 is',
        ),
        (
            "probs",
            [[1.5, -0.5]],
            [0],
            r'\[0, 1\]; for logits say input="logits" \(row 0 is \[1\.5, -0\.5\]',
        ),
        ("probs", [0.2, 1.2], [0, 1], r"must lie in \[0, 1\].*\(row 1 is"),
        ("probs", [0.2, 0.3], [0, 2], r"must be 0 or 1, whether it happened \(row 1 is 2\)"),
        ("probs", [0.2, 0.3], [0.5, 1], r"must be 0 or 1, whether it happened \(row 0 is 0\.5\)"),
        (
            "probs",
            [0.2, 0.3],
            [math.nan, 1],
            r"must be 0 or 1, whether it happened \(row 0 is nan\)",
        ),
        (
            "probs",
            [[0.2], [0.3]],
            [0, 1],
            r"at least two classes, or \(rows,\) for one event; got .* \(2, 1\)",
        ),
        ("probs", [1, 0], [1, 0], r"must be floats of shape"),
        (
            "logits",
            [[0.0, 1]] * 2,
            [[0, 1]] * 2,
            r"one label a row, 2 of them, got shape \(2, 2\); for one-hot",
        ),
        ("logits", [[0.0, 1]] * 2, [1], r"one label a row, 2 of them, got shape \(1,\)$"),
    ],
)
def test_bad_rows_are_refused_by_name(
    kind: Kind, preds: list[float], target: list[int], message: str
) -> None:
    metric = CalibrationError(input=kind)
    with pytest.raises(ValueError, match=message):
        metric.update(torch.tensor(preds), torch.tensor(target))
    assert not metric.sums.any()
