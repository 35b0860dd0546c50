"""Claims on the edge of a step stay on their side, wherever they are worked out again."""

import numpy as np
import pytest

from calibrant.families.rounding import DOUBLE, SINGLE, beyond_rounding

EDGES = np.array([1e-9, 0.01, 0.5, 0.99, 1 - 1e-9])


@pytest.mark.parametrize("slack", [SINGLE, DOUBLE])
def test_an_edge_that_rounding_moved_counts_as_it_did(slack: float) -> None:
    width = EDGES * (1 - EDGES) * slack
    for moved in (EDGES - 0.9 * width, EDGES + 0.9 * width):
        assert (beyond_rounding(moved, slack, None, "right") >= EDGES).all()
        assert (beyond_rounding(moved, slack, None, "left") <= EDGES).all()


def test_what_is_further_off_stays_where_it_is() -> None:
    far = 3 * SINGLE * EDGES * (1 - EDGES) + 1e-15
    assert (beyond_rounding(EDGES - far, SINGLE, None, "right") < EDGES).all()
    assert (beyond_rounding(EDGES + far, SINGLE, None, "left") > EDGES).all()


def test_a_claim_as_given_is_not_moved() -> None:
    assert beyond_rounding(EDGES, 0.0, None, "right") is EDGES


def test_what_was_worked_out_from_a_claim_may_have_moved_by_its_gain() -> None:
    moved = EDGES - 0.9 * 5 * SINGLE * EDGES * (1 - EDGES)
    assert (beyond_rounding(moved, SINGLE, 5.0, "right") >= EDGES).all()
    assert not (beyond_rounding(moved, SINGLE, 1.0, "right") >= EDGES).any()
