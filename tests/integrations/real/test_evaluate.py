"""The metric of Hugging Face evaluate, by the real package."""

from typing import Any

import numpy as np
import pytest
from shared_pages import block

import calibrant as c
from calibrant.integrations.evaluate import Calibration


def test_the_metric_gives_what_the_library_gives() -> None:
    random = np.random.default_rng(0)
    p = random.random(500)
    y = (random.random(500) < p**2).astype(float)
    found = Calibration().compute(predictions=p.tolist(), references=y.tolist())
    view = c.binary(p, y)
    assert found["ece"] == pytest.approx(c.ece(view), abs=1e-12)
    assert found["calibration_error"] == pytest.approx(c.calibration_error(view), abs=1e-12)
    assert found["nll"] == pytest.approx(c.nll(view), abs=1e-12)


def test_the_page_s_block_runs() -> None:
    names: dict[str, Any] = {"confidences": [0.9, 0.1], "was_right": [1, 0]}
    exec(block("how-to/integrations.md", "Hugging Face evaluate"), names)
    assert names["found"]["brier"] == pytest.approx(0.01)


def test_batches_add_up() -> None:
    metric = Calibration()
    metric.add_batch(predictions=[0.9, 0.9], references=[1, 0])
    metric.add_batch(predictions=[0.9, 0.9], references=[0, 0])
    assert metric.compute()["observed_expected"] == pytest.approx(0.25 / 0.9)


def test_a_confidence_of_no_probability_is_refused() -> None:
    with pytest.raises(ValueError, match=r"1\.4"):
        Calibration().compute(predictions=[1.4, 0.2], references=[1, 0])
