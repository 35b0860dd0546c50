"""Confidences that are stated in words, as language models do: "Confidence: 85%", "I am 9/10 sure"."""

import re
from collections.abc import Sequence

import numpy as np

from ..fitting.types import Array
from .checks import briefly

_NUMBER = r"(?P<{0}>\d+(?:[.,]\d+)?(?:e[+-]?\d+)?)\s*(?:(?P<{0}_percent>%|percent)|(?:/|out of)\s*(?P<{0}_of>\d+))?"
_NAMED = r"(?:confidence|probability|certainty|likelihood|chance)[^\d\n]{0,30}?" + _NUMBER.format(
    "a"
)
_SURE = _NUMBER.format("b") + r"\s*(?:sure|certain|confident|likely|probability|chance)"
_ALONE = r"\A\s*" + _NUMBER.format("c") + r"\s*\.?\s*\Z"
_STATED = re.compile(f"{_NAMED}|{_SURE}|{_ALONE}", re.IGNORECASE)
# The scale as it was asked for, repeated.
_ASKED = re.compile(r"\(\s*0\s*%?\s*(?:-|\u2013|to)\s*\d+\s*%?\s*\)")
_OVER = (
    "a stated confidence must lie between 0 and {scale:g} (row {row} says {said}); "
    "say what scale was asked for, as stated_confidences(texts, scale=100)"
)


def stated_confidences(texts: Sequence[object], *, scale: float = 1) -> Array:
    """The confidence that each text states last, as a chance; nan where it states none.

    Percents and "8/10" say their own scale; `scale` is the most that other numbers may be.

    >>> stated_confidences(["Paris. Confidence: 85%", "I am 9/10 sure: Rome", "Oslo"]).tolist()
    [0.85, 0.9, nan]
    >>> stated_confidences(["Confidence: 70"], scale=100).tolist()
    [0.7]
    """
    if not scale > 0:
        raise ValueError(f"scale must be above 0, such as 1 or 100; got {scale!r}")
    found = np.full(len(texts), np.nan)
    for row, text in enumerate(texts):
        stated = None if text is None else _last(str(text), scale)
        if stated is None:
            continue
        if not 0 <= stated <= 1:
            raise ValueError(_OVER.format(scale=scale, row=row, said=briefly(str(text))))
        found[row] = stated
    return found


def _last(text: str, scale: float) -> float | None:
    """What a text states last."""
    matches = list(_STATED.finditer(_ASKED.sub("", text)))
    if not matches:
        return None
    groups = matches[-1].groupdict()
    for name in "abc":
        if groups[name] is None:
            continue
        number = float(groups[name].replace(",", "."))
        if groups[f"{name}_percent"] is not None:
            return number / 100
        of = groups[f"{name}_of"]
        most = scale if of is None else float(of)
        return number / most if most > 0 else np.inf
    return None
