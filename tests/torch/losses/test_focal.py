"""Settings of focal losses; their values are checked with those of every loss."""

import pytest

pytest.importorskip("torch", reason="torch is an extra")

from calibrant.torch.losses import DualFocal, Focal


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="gamma must be 0 or a positive number, got -1"):
        Focal(-1.0)
    with pytest.raises(ValueError, match="gamma must be 0 or a positive number, got nan"):
        DualFocal(float("nan"))


def test_settings_are_printed() -> None:
    assert repr(Focal(2)) == "Focal(gamma=2)"
    assert repr(DualFocal()) == "DualFocal(gamma=5)"
