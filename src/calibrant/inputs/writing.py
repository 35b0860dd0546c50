"""Predictions and views as the bytes of a file, so that they can be read back."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fitting.types import Values
from .column_names import SHARES
from .columns import Arrays
from .contents import Contents
from .labels import Labels, are_shares
from .paths import TABLES
from .predictions import Predictions
from .vector_columns import usual_vector_columns
from .views import Data, View

if TYPE_CHECKING:
    import polars as pl


def _to_npz(x: Data, source: Contents | None) -> bytes:
    arrays = _npz_of_view(x) if isinstance(x, View) else _npz_of_predictions(x)
    if source is not None and not source.has_outcomes:
        arrays = _without(arrays, ["correct", "labels"])
    buffer = BytesIO()
    named: dict[str, Any] = arrays
    np.savez(buffer, **named)
    return buffer.getvalue()


def _npz_of_view(view: View) -> Arrays:
    return _present(
        {
            "confidence": view.p,
            "correct": view.y,
            "weights": view.w,
        }
    )


def _npz_of_predictions(pred: Predictions) -> Arrays:
    names = _names(pred)
    is_numbered = pred.classes == tuple(range(pred.k))
    return _present(
        {
            "probs": pred.probs,
            "labels": _named_labels(pred, names),
            "classes": None if is_numbered else names,
            "weights": pred.weights,
        }
    )


def _to_table(suffix: str, x: Data, source: Contents | None) -> bytes:
    from .tables import saved

    return saved(table_of(x, source), suffix)


def table_of(x: Data, source: Contents | None) -> "pl.DataFrame":
    """Predictions or claims as a table; the other columns of `source` are kept."""
    from .table_columns import joined

    frame = None if source is None else source.table
    if isinstance(x, View):
        stale = []
        arrays = _columns_of_view(x, source)
    else:
        stale = _stale(source)
        arrays = _columns_of_predictions(x, source)
    new = _without(arrays, _left_out(source, arrays))
    return joined(frame, stale, new)


def _columns_of_view(view: View, source: Contents | None) -> Arrays:
    own = "confidence"
    if source is not None and source.table is not None:
        own = source.claimed[0]
    return _present(
        {
            own: view.p,
            "correct": view.y,
            "weight": view.w,
        }
    )


def _columns_of_predictions(pred: Predictions, source: Contents | None) -> Arrays:
    names = _names(pred)
    working = np.promote_types(pred.probs.dtype, np.float32)
    probs = pred.probs.astype(working, copy=False)
    new = [f"prob_{name}" for name in names]
    if source is not None and source.has_chance_columns:
        # They take the place of the old ones, so that the names of columns stay good.
        new = source.claimed
    arrays: dict[str, Values | None] = {}
    labels = _named_labels(pred, names)
    if labels is not None and are_shares(labels):
        for name, share in zip(names, labels.T, strict=True):
            arrays[f"{SHARES}{name}"] = share
    else:
        arrays["label"] = labels
    for j, name in enumerate(new):
        arrays[name] = probs[:, j]
    arrays["weight"] = pred.weights
    return _present(arrays)


def _stale(source: Contents | None) -> list[str]:
    """The vectors of a table that would speak against the new ones."""
    if source is None or source.table is None:
        return []
    stale = list(source.claimed)
    for old in usual_vector_columns(source.table.columns):
        stale += old.columns
    return stale


def _left_out(source: Contents | None, arrays: Arrays) -> list[str]:
    """What is not told: outcomes that were made up, and what a table has under names of its own."""
    if source is None:
        return []
    if source.table is not None:
        shares = [name for name in arrays if name.startswith(SHARES)]
        return ["label", "correct", "weight", *shares]
    if source.has_outcomes:
        return []
    return ["label", "correct"]


def _named_labels(pred: Predictions, names: Values) -> Labels | None:
    """Labels as names of classes, or as shares; None where there are none."""
    labels = pred.known_labels
    return labels if labels is None or are_shares(labels) else names[labels]


def _names(pred: Predictions) -> Values:
    are_texts = all(isinstance(name, str) for name in pred.classes)
    are_whole = all(_is_whole_number(name) for name in pred.classes)
    if are_texts or are_whole:
        return np.array(pred.classes)
    raise ValueError(
        "to be written, classes must be all whole numbers or all text, "
        f"got {pred.classes[:3]}...; "
        "make the predictions with classes=[str(name) for name in classes], and labels alike"
    )


def _is_whole_number(name: object) -> bool:
    is_truth = isinstance(name, bool)
    return isinstance(name, int) and not is_truth


def _present(arrays: Mapping[str, Values | None]) -> Arrays:
    return {name: array for name, array in arrays.items() if array is not None}


def _without(arrays: Arrays, left_out: Sequence[str]) -> Arrays:
    return {name: array for name, array in arrays.items() if name not in left_out}


WRITERS: dict[str, Callable[[Data, Contents | None], bytes]] = {
    ".npz": _to_npz,
    **{suffix: partial(_to_table, suffix) for suffix in TABLES},
}
