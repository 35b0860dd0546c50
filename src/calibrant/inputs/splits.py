"""Splits: which part of a file is taken, such as val or test."""

from collections.abc import Callable, Sequence

Pick = Callable[[Sequence[str]], str | None]

# What the name of an array may begin with, to say of which split it is.
SPLITS = [
    "test",
    "val",
    "valid",
    "validation",
    "dev",
    "cal",
    "calib",
    "calibration",
    "fit",
    "train",
    "eval",
]


def picking(wanted: str | None, default: str, option: str, way_out: str | None = None) -> Pick:
    """How to pick among the splits of a file: the one wanted, or the only one, or the default.

    `option` is the name of the option; `way_out` is what to do where there is no such split, if
    not to choose another.
    """

    def pick(present: Sequence[str]) -> str | None:
        if wanted is None and not present:
            return None
        if wanted is None and len(present) == 1:
            return present[0]
        asked = default if wanted is None else wanted
        by_lower_case = {name.lower(): name for name in present}
        chosen = by_lower_case.get(asked.lower())
        if chosen is None:
            there, usual = _in_words(present, option)
            raise ValueError(
                f"there is no split {asked!r}; the file has {there}: {way_out or usual}"
            )
        return chosen

    return pick


def _in_words(present: Sequence[str], option: str) -> tuple[str, str]:
    """Which splits there are, and what to do."""
    if not present:
        return "no splits", f"leave {option} out"
    listed = ", ".join(present)
    return f"the splits {listed}", f"choose one with {option}"
