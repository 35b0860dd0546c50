"""Which columns hold the labels of vectors: one of classes or of lists of shares, or one a class."""

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from ..fitting.types import Values
from .column_names import LABELS, SHARES, ColumnNames, find
from .columns import Columns, numbers
from .gaps import complete


def find_labels(
    columns: Iterable[str], wanted: ColumnNames, carried: Sequence[str] | None
) -> list[str] | None:
    """The column of labels, or those of the shares of each class, in the order of the classes.

    `carried` are the class names in the names of the columns of chances, if these have any.
    """
    if wanted.label is None:
        label = find(columns, None, LABELS)
        return [label] if label is not None else _share_columns(columns, SHARES, wanted, carried)
    if wanted.label.lower() not in [name.lower() for name in columns]:
        shares = _share_columns(columns, wanted.label, wanted, carried)
        if shares is not None:
            return shares
    named = find(columns, wanted.label)
    return None if named is None else [named]


def label_array(columns: Columns, names: Sequence[str]) -> Values:
    """Labels, one a row; or shares of classes, (n, k)."""
    if len(names) > 1:
        return np.stack([numbers(columns, name) for name in names], axis=1)
    (name,) = names
    array = complete(name, columns[name]())
    return numbers(columns, name) if _has_lists(array) else array


def _share_columns(
    columns: Iterable[str],
    prefix: str,
    wanted: ColumnNames,
    carried: Sequence[str] | None,
) -> list[str] | None:
    """The columns of shares, where there is one for each class that has a name."""
    known = {name.lower(): name for name in columns}
    classes: Sequence[Hashable] | None = carried or wanted.class_names
    if classes is None:
        return None
    found = [known.get(f"{prefix}{name}".lower()) for name in classes]
    named = [name for name in found if name is not None]
    is_whole = len(named) == len(found) and len(set(named)) > 1
    return named if is_whole else None


def _has_lists(array: Values) -> bool:
    """Whether entries are lists, also as text such as [0.2, 0.8]."""
    if array.ndim != 1 or array.dtype.kind not in "OUT":
        return False
    first = array[0]
    if isinstance(first, str):
        return first.strip().startswith("[") and first.strip().endswith("]")
    return isinstance(first, list | tuple | np.ndarray)
