"""Tensors are let in as arrays are."""

import numpy as np
import pytest
from scipy.special import softmax

pytest.importorskip("torch", reason="torch is an extra")

import torch

from calibrant import from_logits, from_probs

LOGITS = np.random.default_rng(0).normal(0, 3, (50, 4))
PROBS = softmax(LOGITS, axis=1)
LABELS = np.random.default_rng(1).integers(0, 4, 50)


def test_tensors_are_not_copied() -> None:
    assert np.shares_memory(from_logits(torch.from_numpy(LOGITS), LABELS).scores, LOGITS)


def test_gradients_are_let_go() -> None:
    np.testing.assert_array_equal(
        from_probs(torch.from_numpy(PROBS).requires_grad_(), LABELS).probs, PROBS
    )


def test_labels_may_be_tensors() -> None:
    np.testing.assert_array_equal(from_probs(PROBS, torch.from_numpy(LABELS)).labels, LABELS)
    named = from_probs([[0.7, 0.3]] * 2, torch.tensor([1, 0]), classes=["a", "b"])
    assert named.labels.tolist() == [1, 0]


def test_bfloat16_becomes_float32_and_may_miss_one_by_more() -> None:
    assert from_logits(torch.from_numpy(LOGITS).bfloat16(), LABELS).scores.dtype == np.float32
    assert from_probs(torch.softmax(torch.from_numpy(LOGITS), 1).bfloat16(), LABELS).n == 50
