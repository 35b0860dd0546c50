"""What inference asks of a measure."""

import pytest
from shared_claims import claims

from calibrant import classwise, from_probs
from calibrant.inference.measuring import like, number, several


def test_a_measure_must_give_one_number() -> None:
    with pytest.raises(ValueError, match="measure must give one number"):
        number(lambda _: [1, 2], claims(5))  # type: ignore[arg-type, return-value]


def test_data_keep_the_shape_a_measure_was_given() -> None:
    view = claims(5)
    views = classwise(from_probs([[0.2, 0.8]], [1]))
    assert several(view) == [view]
    assert several(views) == list(views)
    assert like(view, [view]) is view
    assert like(views, list(views)) == list(views)
