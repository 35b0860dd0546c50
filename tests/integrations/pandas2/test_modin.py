"""Frames and columns of Modin, which reads the pandas of before 3."""

import modin.pandas as pd
import numpy as np
import pytest

import calibrant as c

CHANCES = {"prob_cat": [0.2, 0.7, 0.5], "prob_dog": [0.8, 0.3, 0.5]}
LABELS = ["dog", "cat", "cat"]


def test_a_frame_names_its_classes() -> None:
    pred = c.from_probs(pd.DataFrame(CHANCES), pd.Series(LABELS), weights=pd.Series([1, 2, 1]))
    assert pred.classes == ("cat", "dog")
    assert pred.labels.tolist() == [1, 0, 0]
    assert pred.weights is not None
    assert pred.weights.tolist() == [1, 2, 1]
    np.testing.assert_array_equal(pred.probs, np.transpose(list(CHANCES.values())))


def test_columns_are_claims_and_outcomes() -> None:
    frame = pd.DataFrame({"p": [0.2, 0.7, 0.5], "y": [0, 1, 1], "w": [1.0, 2.0, 1.0]})
    view = c.binary(frame["p"], frame["y"], weights=frame["w"])
    assert (view.p.tolist(), view.y.tolist()) == ([0.2, 0.7, 0.5], [0, 1, 1])
    assert view.w is not None
    assert view.w.tolist() == [1, 2, 1]


def test_rows_without_a_chance_are_refused() -> None:
    with pytest.raises(ValueError, match="row 1"):
        c.binary(pd.Series([0.2, None]), pd.Series([0, 1]))


def test_maps_take_what_they_were_not_fitted_on() -> None:
    random = np.random.default_rng(0)
    p = random.random(300)
    fitted = c.Beta().fit(c.binary(pd.Series(p), pd.Series(random.random(300) < p**2)))
    np.testing.assert_array_equal(fitted(pd.Series(p)), fitted(p))
