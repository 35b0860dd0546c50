"""The diagram of smooth ECE is of the very kernel that the error is of."""

import numpy as np
import pytest
from shared_claims import claims

from calibrant import curves
from calibrant.measures.smooth_ece import smece


def test_smooth_ece_comes_with_the_line_it_is_of() -> None:
    view = claims(2000, slope=0.5)
    found = curves.smece(view)
    assert found.error == smece(view)
    assert found.width == pytest.approx(found.error, abs=1e-5)
    # Smoothed outcomes less smoothed claims are the error; less the claims themselves, nearly so.
    density = found.density / np.trapezoid(found.density, found.p)
    gap = np.trapezoid(density * abs(found.q - found.p), found.p)
    assert gap == pytest.approx(found.error, rel=0.2)
    assert found.histogram.total == found.total == view.total
