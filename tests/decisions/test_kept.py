"""Which question a decision hangs on, and what lies at or above a claim."""

import numpy as np
import pytest
from shared_claims import claims
from shared_views import predictions

from calibrant import binary, classwise, one_class
from calibrant.decisions.kept import decided_view, kept, single_view


def test_rows_at_or_above_against_a_mask() -> None:
    view = binary([0.2, 0.7, 0.2, 0.9], [1, 1, 0, 0], weights=[1, 2, 3, 0.5])
    found = kept(view)
    for threshold in (0.0, 0.2, 0.3, 0.9, 0.95, np.inf):
        is_above = view.p >= threshold
        assert view.w is not None
        rows = view.w[is_above].sum()
        events = (view.w * view.y)[is_above].sum()
        assert found.above(threshold) == (rows, events)


def test_two_classes_ask_for_the_second_and_more_must_be_told() -> None:
    two = predictions(50, k=2)
    np.testing.assert_array_equal(decided_view(two).p, one_class(two, 1).p)
    with pytest.raises(ValueError, match=r"4 classes: ask for it, as in one_class"):
        decided_view(predictions(50))
    with pytest.raises(ValueError, match="got 4 views; ask of each"):
        single_view(classwise(predictions(50)))  # type: ignore[arg-type]
    view = claims(20)
    assert decided_view(view) is view
