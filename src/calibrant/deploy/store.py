"""Saved maps: numbers in a safetensors file, words in its header, and a seal over every byte. Nothing is executed."""

import dataclasses
import hashlib
import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

import calibrant

from .. import __version__
from ..families.family import ChanceMap, ChanceRule, Family, Map, VectorMap, VectorRule
from ..fitting.newton import Certificate
from ..inputs.paths import write_whole

FORMAT = 1
_UNSEALED = "0" * 64


def save(fitted: Map, path: str | PathLike[str]) -> None:
    """Write a map to one file, whole or not at all; `map.save(path)` calls this."""
    from safetensors.numpy import save as to_bytes

    tensors: dict[str, Any] = {}
    words = {
        "calibrant": json.dumps({"format": FORMAT, "version": __version__}),
        "map": json.dumps(_describe(fitted, "", tensors)),
        "sha256": _UNSEALED,
    }
    write_whole(Path(path), _sealed(to_bytes(tensors, words)))


def load(path: str | PathLike[str]) -> Map:
    """Read a map that `map.save` wrote; a file that was cut, edited or made by something else is refused."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"no map at {path}: there is no such file")
    content = path.read_bytes()
    words = _header(path, content)
    made = json.loads(words["calibrant"])
    if made["format"] > FORMAT:
        raise ValueError(
            f"{path} has format {made['format']} of calibrant {made['version']}, and calibrant {__version__} reads "
            f"up to format {FORMAT}: upgrade calibrant"
        )
    from safetensors.numpy import load as from_bytes

    try:
        fitted = _restore(json.loads(words["map"]), "", from_bytes(content))
        if isinstance(fitted, Map):
            return fitted
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{path} holds no map that calibrant {__version__} knows: {error}"
        ) from error
    raise ValueError(f"{path} holds something, but no map")


def _sealed(content: bytes) -> bytes:
    """The same bytes with their own digest in the header, where zeros stood when it was taken."""
    return content.replace(_UNSEALED.encode(), hashlib.sha256(content).hexdigest().encode(), 1)


def _header(path: Path, content: bytes) -> dict[str, str]:
    """The words in a file's header, once its seal has been found whole."""
    try:
        length = int.from_bytes(content[:8], "little")
        words = json.loads(content[8 : 8 + length])["__metadata__"]
        seal = words["sha256"]
        words["calibrant"], words["map"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{path} is not a map saved by calibrant, or it was damaged") from error
    if _sealed(content.replace(seal.encode(), _UNSEALED.encode(), 1)) != content:
        raise ValueError(
            f"{path} was cut or changed after it was saved (its sha256 differs): save the map again"
        )
    return dict(words)


def _describe(thing: Any, place: str, tensors: dict[str, Any]) -> Any:  # noqa: ANN401 - any field of a map
    """`thing` in words that json can hold; arrays go to `tensors` under their place."""
    if dataclasses.is_dataclass(thing):
        fields = {
            field.name: _describe(getattr(thing, field.name), f"{place}{field.name}.", tensors)
            for field in dataclasses.fields(thing)
        }
        return {"is": type(thing).__name__, **fields}
    if isinstance(thing, np.ndarray):
        tensors[place] = np.ascontiguousarray(thing)
        return {"is": "array"}
    if isinstance(thing, tuple):
        return [_describe(item, f"{place}{i}.", tensors) for i, item in enumerate(thing)]
    return thing.item() if isinstance(thing, np.generic) else thing


def _restore(words: Any, place: str, tensors: dict[str, Any]) -> Any:  # noqa: ANN401 - any field of a map
    if isinstance(words, list):
        return tuple(_restore(item, f"{place}{i}.", tensors) for i, item in enumerate(words))
    if not isinstance(words, dict):
        return words
    if words["is"] == "array":
        return tensors[place]
    kind = _class(words["is"])
    return kind(
        **{
            name: _restore(value, f"{place}{name}.", tensors)
            for name, value in words.items()
            if name != "is"
        }
    )


def _class(name: str) -> type:
    """A class that a file names: a part of a map, a public family, or a rule of one; never one from elsewhere."""
    parts: list[type] = [ChanceMap, VectorMap, Certificate]
    # A map tells its family before its rule, and the family's module is where the rule is found.
    family = getattr(calibrant, name, None)
    if isinstance(family, type) and issubclass(family, Family):
        return family
    for kind in [*parts, *_below(ChanceRule), *_below(VectorRule)]:
        if kind.__name__ == name:
            return kind
    raise ValueError(f"it is made of {name!r}")


def _below(kind: type[Any]) -> list[type[Any]]:
    subs: list[type[Any]] = kind.__subclasses__()
    return subs + [deeper for sub in subs for deeper in _below(sub)]
