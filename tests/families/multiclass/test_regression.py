"""Softmax regressions: strengths of penalties."""

import numpy as np
import pytest

from calibrant.families.multiclass.regression import check_strength


def test_strengths_are_finite_and_not_negative() -> None:
    with pytest.raises(ValueError, match="off_diagonal must be at least 0 and finite, got -1"):
        check_strength(off_diagonal=-1.0, intercept=1.0)
    with pytest.raises(ValueError, match="l2 must be at least 0 and finite, got inf"):
        check_strength(l2=np.inf)
    check_strength(off_diagonal=0, intercept="cv", l2=None)
