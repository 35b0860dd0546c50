"""Class names that the columns of a table carry: cat and dog of prob_cat and prob_dog."""

import re
from collections.abc import Hashable, Sequence
from typing import Any, Final, Literal

from .frames import as_frame

PREFIXES: Final[dict[Literal["logits", "probs"], list[str]]] = {
    "probs": ["prob_", "p_", "proba_", "probs_", "probability_", "probabilities_"],
    "logits": ["logit_", "logits_"],
}


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
