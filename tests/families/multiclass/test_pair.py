"""A map of one class of two as a map of both."""

import numpy as np
import pytest

from calibrant import Platt, canonical, from_logits, one_class
from calibrant.families.multiclass.pair import Pair

R = np.random.default_rng(0)
PRED = from_logits(R.normal(0, 2, 50), R.integers(0, 2, 50))


@pytest.mark.parametrize("column", [0, 1])
def test_the_other_class_has_what_is_left(column: int) -> None:
    view = one_class(PRED, column)
    rule = Platt().chance_rule(view)
    pair = Pair((rule,), column)
    q = pair(canonical(PRED))
    np.testing.assert_array_equal(q[:, column], rule(view))
    np.testing.assert_array_equal(q[:, 1 - column], 1 - rule(view))
    assert list(pair.facts()) == list(rule.facts())
    assert list(pair.certificates()) == [rule.certificate]
