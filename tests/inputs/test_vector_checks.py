"""What is no matrix of logits or of probabilities is refused, with the row and the way out."""

import numpy as np
import pytest

from calibrant.inputs.vector_checks import check_logits, checked_vectors

FINE = np.array([[0.25, 0.75], [1.0, 0.0]])


def test_right_vectors_stay_the_very_array() -> None:
    assert checked_vectors(FINE, 0.0) is FINE
    check_logits(FINE)


def test_what_rounding_took_below_zero_is_zero() -> None:
    rounded = np.array([[1.0 + 1e-9, -1e-9]])
    assert checked_vectors(rounded, 1e-6)[0, 1] == 0
    assert rounded[0, 1] < 0


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([0.5, 0.7], "row 1 sums to 1.2"),
        ([-0.5, 1.5], "must not be negative"),
        ([np.nan, 1.0], "must be finite"),
        ([30.0, 70.0], "divide percents by 100"),
    ],
)
def test_what_is_no_probability_is_refused(row: list[float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        checked_vectors(np.array([[0.5, 0.5], row]), 0.0)


def test_logits_must_be_finite_and_a_matrix() -> None:
    with pytest.raises(ValueError, match="row 1 is"):
        check_logits(np.array([[0.0, 1.0], [np.inf, 0.0]]))
    with pytest.raises(ValueError, match=r"got shape \(2, 1\)"):
        check_logits(np.zeros((2, 1)))
