"""Class names that the columns of a table carry: cat and dog of prob_cat and prob_dog."""

import math
import re
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from .checks import briefly
from .frames import as_frame

PREFIXES: Final[dict[Literal["logits", "probs"], list[str]]] = {
    "probs": ["prob_", "p_", "proba_", "probs_", "probability_", "probabilities_"],
    "logits": ["logit_", "logits_"],
}


def checked_classes(classes: Sequence[Hashable] | NDArray[Any]) -> tuple[Hashable, ...]:
    """The names of classes, each a text or a number, as can be written, saved and shown.

    >>> checked_classes(np.array([3, 4]))
    (3, 4)
    """
    if not isinstance(classes, Iterable):
        raise ValueError(
            f"classes must be a list of names, one for each column, got {briefly(classes)}"
        )
    names = [name.item() if isinstance(name, np.generic) else name for name in classes]
    for name in names:
        if not _is_text(name) and not _is_number(name):
            raise ValueError(
                f"classes must be texts or numbers, got {briefly(name)}: "
                "name them with classes=[str(name) for name in classes], and labels alike"
            )
    return tuple(names)


def _is_text(name: object) -> bool:
    # A lone half of a pair of codes can be in no file.
    return isinstance(name, str) and name.encode(errors="ignore").decode() == name


def _is_number(name: object) -> bool:
    return isinstance(name, int) or (isinstance(name, float) and math.isfinite(name))


def frame_classes(x: Any, kind: Literal["logits", "probs"]) -> Sequence[Hashable] | None:  # noqa: ANN401 - a data frame, or any array
    """The classes that the columns of a data frame are named after; None of what has no columns.

    >>> import polars
    >>> frame_classes(polars.DataFrame({"prob_cat": [0.5], "prob_dog": [0.5]}), "probs")
    ['cat', 'dog']
    """
    names = getattr(as_frame(x), "columns", None)
    if names is None:
        return None
    names = list(names)
    if not all(isinstance(name, str) for name in names):
        return names
    for prefix in PREFIXES[kind]:
        if all(name.lower().startswith(prefix) and name[len(prefix) :] for name in names):
            names = [name[len(prefix) :] for name in names]
            break
    return numbered(names)


def numbered(names: Sequence[str]) -> Sequence[Hashable]:
    """Class names as whole numbers where all are written so.

    >>> numbered(["0", "1"]), numbered(["0", "01"])
    ([0, 1], ['0', '01'])
    """
    are_whole = all(re.fullmatch(r"0|-?[1-9]\d*", name) for name in names)
    return [int(name) for name in names] if are_whole else names
