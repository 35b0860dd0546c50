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


def picking(wanted: str | None, default: str, called: str, way_out: str | None = None) -> Pick:
    """How to pick among the splits of a file: the one wanted, or the only one, or the default.

    `called` is the name of the option; `way_out` is what to do where there is no such split, if not to choose another.
    """

    def pick(present: Sequence[str]) -> str | None:
        if wanted is None and len(present) < 2:
            return present[0] if present else None
        asked = default if wanted is None else wanted
        chosen = {name.lower(): name for name in present}.get(asked.lower())
        if chosen is None:
            there = f"the splits {', '.join(present)}" if present else "no splits"
            usual = f"choose one with {called}" if present else f"leave {called} out"
            raise ValueError(
                f"there is no split {asked!r}; the file has {there}: {way_out or usual}"
            )
        return chosen

    return pick
