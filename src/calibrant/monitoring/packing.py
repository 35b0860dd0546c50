"""The bytes of a monitor: numbers in a safetensors file, words in its header, and their digest."""

import hashlib
import json
from typing import Any, TypeVar

import numpy as np

from .. import __version__
from ..families.maps import Map
from ..fitting.types import Array
from .bets import Bets
from .history import History
from .monitor import Monitor

FORMAT = 1
Watching = TypeVar("Watching", bound=Monitor)
_WRONG = (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError)
_DAMAGED = "these bytes are not a monitor that calibrant wrote, or they were damaged"
_BETS = ("starts", "past", "coefficients", "wealth")
_HISTORY = ("blocks", "current")
_PLAIN = ("alpha", "n", "total", "highest", "alarm_at", "event", "_until", "_nearest")


def packed(monitor: Monitor) -> bytes:
    """All of a monitor's state but its map."""
    from safetensors.numpy import save

    arrays = {name: np.ascontiguousarray(getattr(monitor._bets, name)) for name in _BETS}
    arrays |= {name: np.ascontiguousarray(getattr(monitor._history, name)) for name in _HISTORY}
    words = {name: getattr(monitor, name) for name in _PLAIN}
    words |= {"idle": monitor._bets.idle, "begun": monitor._bets.begun}
    words |= {"has_map": monitor.map is not None, "format": FORMAT, "version": __version__}
    text = json.dumps(words)
    return save(arrays, {"monitor": text, "sha256": _digest(text, arrays)})


def unpacked(kind: type[Watching], content: bytes, fitted: Map | None) -> Watching:
    """The monitor in bytes that `packed` made; others are refused, and nothing in them is run."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + length])["__metadata__"]
        arrays = load(content)
        words: dict[str, Any] = json.loads(header["monitor"])
        is_whole = header["sha256"] == _digest(header["monitor"], arrays)
    except (*_WRONG, SafetensorError) as error:
        raise ValueError(_DAMAGED) from error
    if not is_whole:
        raise ValueError(f"{_DAMAGED}: the sha256 differs")
    if words["format"] != FORMAT:
        raise ValueError(
            f"this monitor has format {words['format']!r} of calibrant {words['version']}, and "
            f"calibrant {__version__} reads format {FORMAT}: begin anew, or upgrade"
        )
    if words["has_map"] != (fitted is not None):
        needed = "a map" if words["has_map"] else "no map"
        raise ValueError(f"this monitor watched with {needed}: go on with the same, map=...")
    return _restored(kind(map=fitted, alpha=words["alpha"]), words, arrays)


def _restored(monitor: Watching, words: dict[str, Any], arrays: dict[str, Array]) -> Watching:
    for name in _PLAIN:
        setattr(monitor, name, words[name])
    own = {name: arrays[name] for name in _BETS}
    monitor._bets = Bets(**own, idle=words["idle"], begun=words["begun"])
    monitor._history = History(**{name: arrays[name] for name in _HISTORY})
    return monitor


def _digest(text: str, arrays: dict[str, Array]) -> str:
    seal = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        seal.update(f"{name}{arrays[name].shape}{arrays[name].dtype}".encode())
        seal.update(arrays[name].tobytes())
    return seal.hexdigest()
