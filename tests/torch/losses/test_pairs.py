"""MMCE as a loss is MMCE as a measure."""

from collections.abc import Callable

import pytest

pytest.importorskip("torch", reason="torch is an extra")

import torch
from shared_losses import drawn_batch

from calibrant import Predictions, from_logits
from calibrant.measures.mmce import mmce, weighted_mmce
from calibrant.torch.losses import MMCE, Loss, WeightedMMCE


@pytest.mark.parametrize(("loss", "measure"), [(MMCE(), mmce), (WeightedMMCE(), weighted_mmce)])
def test_mmce_is_what_calibrant_measures(
    loss: Loss, measure: Callable[[Predictions], float]
) -> None:
    for k, seed in [(2, 0), (3, 1), (10, 2), (100, 3)]:
        z, y = drawn_batch(300, k, seed)
        z[:20] *= 30
        assert float(loss(torch.tensor(z), torch.tensor(y))) == pytest.approx(
            measure(from_logits(z, y)), abs=1e-6
        )
