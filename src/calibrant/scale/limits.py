"""How much memory rows would take, and how much there is."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from .footers import row_groups

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
# What is read, the same as columns side by side, and what is worked out of it.
_COPIES = 4


def in_bytes(text: str) -> int:
    """A size as people write it.

    >>> in_bytes("1.5GB"), in_bytes("200 M")
    (1500000000, 200000000)
    """
    found = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?)I?B?\s*", text.upper())
    try:
        number = float(found[1]) if found else 0.0
    except ValueError:
        number = 0.0
    if found is None or number <= 0:
        raise ValueError(f"a size is a number with a unit, such as 4GB or 500M; got {text!r}")
    return int(number * UNITS[found[2]])


def usual_limit() -> int:
    """Half of the machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def needed(paths: Sequence[Path]) -> int:
    """About how much memory the rows of Parquet files take once they are read and worked on."""
    return _COPIES * sum(_size(path) for path in paths)


def _size(path: Path) -> int:
    try:
        return sum(group.bytes for group in row_groups(path))
    except ValueError:  # that it is damaged, who reads it says
        return path.stat().st_size
