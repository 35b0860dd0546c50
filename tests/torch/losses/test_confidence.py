"""Settings of label smoothing; values are checked with those of every loss."""

import pytest

pytest.importorskip("torch", reason="torch is an extra")

from calibrant.torch.losses import LabelSmoothing


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="smoothing must be at least 0 and below 1"):
        LabelSmoothing(1.0)


def test_settings_are_printed() -> None:
    assert repr(LabelSmoothing()) == "LabelSmoothing(smoothing=0.05)"
