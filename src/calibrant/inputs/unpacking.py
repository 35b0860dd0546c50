"""What small files may become: how much they unpack to, and how deep their lists lie."""

import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import BytesIO

import numpy as np

GB = 10**9
# Probabilities shrink a few times; what shrinks more than this is repetition.
USUAL_RATIO = 20
MOST_DEPTH = 32

_MAX_GB = ContextVar("max_gb", default=1.0)
_TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_STEPS = np.zeros(256, np.int8)
_STEPS[list(b"[{")] = 1
_STEPS[list(b"]}")] = -1


@contextmanager
def unpacking(max_gb: float) -> Iterator[None]:
    """Within it a file may unpack to so many GB, and to `USUAL_RATIO` times its size always."""
    if not max_gb > 0:
        raise ValueError(f"max_gb must be above 0, got {max_gb}")
    token = _MAX_GB.set(max_gb)
    try:
        yield
    finally:
        _MAX_GB.reset(token)


def most_bytes(packed: int) -> int:
    """What a file of `packed` bytes may unpack to."""
    most = max(_MAX_GB.get() * GB, USUAL_RATIO * packed)
    return int(min(most, 2**62))


def check_unpacked(size: float, packed: int) -> None:
    """Refuse a file that unpacks to more than it may."""
    if size > most_bytes(packed):
        raise ValueError(
            f"the file unpacks to {size / GB:.3g} GB or more, {size / packed:,.0f} times its size; "
            "if that is meant, raise the limit with max_gb (--max-gb)"
        )


def decompressed(content: bytes) -> bytes:
    """What was compressed by gzip."""
    most = most_bytes(len(content))
    try:
        with gzip.open(BytesIO(content)) as file:
            found = file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(
            f"the file is not compressed by gzip, or it was damaged ({error})"
        ) from error
    check_unpacked(len(found), len(content))
    return found


def check_depth(text: bytes) -> None:
    """Refuse lists in lists and so on, whose types alone would take minutes to work out."""
    brackets = text.count(b"[") + text.count(b"{")
    if brackets <= MOST_DEPTH:
        return
    bare = np.frombuffer(_TEXTS.sub(b"", text), np.uint8)
    steps = _STEPS[bare]
    deepest = int(np.cumsum(steps, dtype=np.int32).max(initial=0))
    if deepest > MOST_DEPTH:
        raise ValueError(
            f"lists and objects may lie {MOST_DEPTH} deep, and here lie {deepest} deep"
        )
