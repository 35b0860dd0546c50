"""Class names from the columns of data frames."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from calibrant import from_logits, from_probs
from calibrant.inputs.class_names import frame_classes

P = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("prefix", ["", "prob_", "P_"])
def test_column_names_become_classes(frame: type, prefix: str) -> None:
    table = frame({f"{prefix}{name}": column for name, column in zip("abc", P.T, strict=True)})
    pred = from_probs(table, ["a", "c"])
    assert pred.classes == ("a", "b", "c")
    assert pred.labels.tolist() == [0, 2]
    assert from_probs(table, [0, 2]).labels.tolist() == [0, 2]
    assert from_probs(table, ["x", "z"], classes=["x", "y", "z"]).classes == ("x", "y", "z")
    logits = frame({f"logit_{name}": column for name, column in zip("abc", P.T, strict=True)})
    assert from_logits(logits, ["a", "c"]).classes == ("a", "b", "c")


def test_columns_that_are_numbers_are_classes_that_are_numbers() -> None:
    assert from_probs(pd.DataFrame(P), [0, 2]).classes == (0, 1, 2)
    ones = pd.DataFrame(P, columns=[1, 2, 3])
    for table in (ones, ones.rename(columns=str), ones.add_prefix("prob_")):
        pred = from_probs(table, [1, 3])
        assert pred.classes == (1, 2, 3)
        assert pred.labels.tolist() == [0, 2]


def test_what_has_no_columns_has_no_names() -> None:
    assert frame_classes(P, "probs") is None
    assert frame_classes(pd.Series([0.5]), "probs") is None
    assert from_probs(pd.Series([0.5, 0.2], name="p"), [0, 1]).classes == (0, 1)


def test_shares_in_a_frame_stand_in_the_order_of_the_chances() -> None:
    probs = pd.DataFrame(P, columns=list("abc"))
    shares = pd.DataFrame(P[:, ::-1], columns=list("cba"))
    with pytest.raises(ValueError, match="labels must have their columns in the order of the cl"):
        from_probs(probs, shares)
    np.testing.assert_allclose(from_probs(probs, shares[list("abc")]).labels, P)
