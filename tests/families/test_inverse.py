"""Which claim a map sends to a chance: back and forth, at steps, and where there is none."""

import numpy as np
import pytest
from shared_claims import claims

from calibrant import Beta, ChanceFamily, ChanceMap, Isotonic, Platt, Quadratic, Temperature, binary


def fitted(family: ChanceFamily) -> ChanceMap:
    """Fitted to claims that are too extreme."""
    found = family.fit(claims(2000, slope=0.5))
    assert isinstance(found, ChanceMap)
    return found


@pytest.mark.parametrize("family", [Platt(), Beta(), Temperature()], ids=repr)
def test_there_and_back(family: ChanceFamily) -> None:
    q = np.linspace(0.05, 0.95, 19)
    mapped = fitted(family)
    np.testing.assert_allclose(mapped(mapped.inverse(q)), q, atol=1e-9)
    assert mapped.inverse(0.5).shape == ()
    assert mapped.inverse([[0.2, 0.3]]).shape == (1, 2)


def test_steps_begin_where_they_reach() -> None:
    mapped = fitted(Isotonic(interpolate=False))
    for q in (0.1, 0.3, 0.6, 0.8):
        cut = float(mapped.inverse(q))
        assert mapped([min(1.0, cut * (1 + 1e-9))])[0] >= q
        assert mapped([cut * (1 - 1e-6)])[0] < q


def test_what_every_claim_reaches_is_cut_at_0() -> None:
    mapped = Isotonic().fit(binary([0.2] * 4 + [0.8] * 4, [1, 0, 0, 0, 1, 1, 1, 0]))
    assert mapped.inverse([0.1, 0.25]).tolist() == [0, 0]  # type: ignore[attr-defined]


def test_no_claim_becomes_more_than_the_most() -> None:
    mapped = Isotonic().fit(binary([0.2] * 4 + [0.8] * 4, [1, 0, 0, 0, 1, 1, 1, 0]))
    with pytest.raises(ValueError, match=r"reaches chances from 0.25 to 0.75, got 0.9"):
        mapped.inverse(0.9)  # type: ignore[attr-defined]


def test_a_map_that_falls_has_none() -> None:
    falling = Quadratic().fit(binary([0.1, 0.5, 0.9] * 20, [1, 0, 1] * 19 + [0, 1, 0]))
    with pytest.raises(ValueError, match=r"only a map that never falls has an inverse"):
        falling.inverse(0.5)  # type: ignore[attr-defined]
