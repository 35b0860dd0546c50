"""Parts of a table give the rows that the whole of it gives when it is read."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import calibrant
from calibrant.inputs.column_names import ColumnNames
from calibrant.inputs.predictions import Predictions
from calibrant.inputs.views import Data, View
from calibrant.scale.batches import layout_of

RNG = np.random.default_rng(0)
N = 60
P = RNG.dirichlet(np.ones(3), N)
NAMES = np.array(["cat", "dog", "emu"])
PLACES = RNG.integers(0, 3, N)
VECTORS = {f"prob_{name}": P[:, j] for j, name in enumerate(NAMES)}
SHARES = {
    f"share_{name}": each for name, each in zip(NAMES, RNG.dirichlet(np.ones(3), N).T, strict=True)
}
LISTS = {"logits": np.log(P).astype(np.float32)}

TABLES: dict[str, dict[str, Any]] = {
    "names": VECTORS | {"label": NAMES[PLACES]},
    "places beside names": VECTORS | {"label": PLACES},
    "places": {f"p_{j}": P[:, j] for j in range(3)} | {"y": PLACES.astype(np.int8)},
    "numbers": {f"logit_{j + 5}": np.log(P[:, j]) for j in range(3)} | {"y": PLACES + 5},
    "floats": VECTORS | {"label": PLACES.astype(float)},
    "truths": {"p_false": P[:, 0], "p_true": 1 - P[:, 0], "y": PLACES == 0},
    "shares": VECTORS | SHARES,
    "lists": LISTS | {"target": PLACES, "weight": RNG.integers(0, 3, N), "id": np.arange(N)},
    "lists of shares": LISTS | {"label": RNG.dirichlet(np.ones(3), N)},
    "one chance of class 1": {"probs": P[:, 0], "label": PLACES % 2},
    "confidence": {"confidence": P[:, 0], "correct": PLACES == 0, "count": np.ones(N)},
    "an event": {"p": P[:, 0], "outcome": PLACES % 2},
    "words of truth": {"p": P[:, 0], "correct": np.where(PLACES, "yes", "no")},
    "predicted and true": {"conf": P[:, 0], "pred": PLACES, "label": RNG.integers(0, 3, N)},
}
KINDS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda frame: frame,
    "arrow": pl.DataFrame.to_arrow,
    "batch": lambda frame: frame.to_arrow().combine_chunks().to_batches()[0],
    "pandas": pl.DataFrame.to_pandas,
}


def joined(parts: list[Data]) -> tuple[np.ndarray[Any, Any], ...]:
    """All that rows say."""
    if isinstance(parts[0], View):
        views = [part for part in parts if isinstance(part, View)]
        fields = [[view.p, view.y, view.w] for view in views]
    else:
        fields = [[x.values, x.labels, x.w] for x in parts if isinstance(x, Predictions)]
    return tuple(np.concatenate(each) for each in zip(*fields, strict=True) if each[0] is not None)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TABLES)
def test_parts_give_what_reading_the_whole_gives(name: str, kind: str, tmp_path: Path) -> None:
    frame = pl.DataFrame(TABLES[name])
    frame.write_parquet(tmp_path / "whole.parquet")
    whole = calibrant.read(tmp_path / "whole.parquet")
    layout = pickle.loads(pickle.dumps(layout_of(frame.columns)))
    parts = [layout.rows(KINDS[kind](frame[first : first + 25])) for first in range(0, N, 25)]
    for part in parts:
        assert type(part) is type(whole)
        assert getattr(part, "classes", ()) == getattr(whole, "classes", ())
        assert getattr(part, "kind", "") == getattr(whole, "kind", "")
    for ours, theirs in zip(joined(parts), joined([whole]), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", ["names", "confidence"])
def test_only_columns_that_are_read_are_needed(name: str) -> None:
    frame = pl.DataFrame(TABLES[name]).with_columns(note=pl.lit("x"))
    layout = layout_of(frame.columns)
    assert "note" not in layout.columns
    found = layout.rows(frame.select(layout.columns))
    assert found is not None
    assert found.n == N


def test_columns_are_named_as_in_read() -> None:
    frame = pl.DataFrame({"a": P[:, 0], "b": 1 - P[:, 0], "is": PLACES % 2})
    found = layout_of(frame.columns, ColumnNames(probs="a,b", label="is", classes="no,yes"))
    rows = found.rows(frame)
    assert isinstance(rows, Predictions)
    assert rows.classes == ("no", "yes")
    assert rows.labels.tolist() == (PLACES % 2).tolist()


def test_a_part_without_rows_is_none() -> None:
    layout = layout_of(["prob_a", "prob_b", "label"])
    empty = {"prob_a": pl.Float32, "prob_b": pl.Float32, "label": pl.Int8}
    assert layout.rows(pl.DataFrame(schema=empty)) is None


def test_labels_are_not_needed_to_apply_maps() -> None:
    names = ["prob_a", "prob_b"]
    with pytest.raises(ValueError, match="found no column of labels: name it with label"):
        layout_of(names)
    found = layout_of(names, needs_outcomes=False).rows(pl.DataFrame([[0.1], [0.9]], names))
    assert isinstance(found, Predictions)
    assert found.known_labels is None
    view = layout_of(["p"], needs_outcomes=False).rows(pl.DataFrame({"p": [0.25]}))
    assert isinstance(view, View)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"label": ["cat", "dog", "cow"]}, r"labels must be among the classes .*row 2 is 'cow'"),
        ({"label": ["cat", None, "dog"]}, r"column 'label' must have a value.*first is row 1"),
        ({"prob_cat": [0.5, 0.5, np.nan]}, r"column 'prob_cat'.*the first is row 2"),
        ({"prob_cat": [0.5, 0.5, None]}, r"column 'prob_cat' must have a value.*row 2"),
        ({"prob_cat": [0.5, 0.7, 0.5]}, r"row 1 sums to 1.2"),
        ({"weight": [1.0, -1.0, 1.0]}, r"weights must be counts.*row 1"),
    ],
)
def test_bad_rows_are_told_by_their_number(columns: dict[str, Any], message: str) -> None:
    good = {"prob_cat": [0.5] * 3, "prob_dog": [0.5] * 3, "label": ["cat"] * 3, "weight": [1.0] * 3}
    layout = layout_of(list(good))
    with pytest.raises(ValueError, match=message):
        layout.rows(pl.DataFrame(good | columns))


def test_a_lacking_column_is_named() -> None:
    layout = layout_of(["prob_a", "prob_b", "label"])
    with pytest.raises(ValueError, match="there is no column 'prob_b'"):
        layout.rows(pa.table({"prob_a": [0.5], "label": [0]}))
