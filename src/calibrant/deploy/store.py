"""Saved maps: numbers in a safetensors file, words in its header, and a seal over every byte.

Nothing is executed, and nothing that a file names is imported: classes are found by their tags among
the rules of known families. All numbers that a formula uses are in the file.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from os import PathLike
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import numpy as np

from .. import __version__
from ..families.family import Family
from ..families.known import kind_called, known_families, name_of_kind
from ..families.maps import ChanceMap, Map, VectorMap
from ..families.rules import Rule
from ..fitting.newton import Certificate
from ..inputs.paths import write_whole

FORMAT = 2
_UNSEALED = "0" * 64
_PARTS: dict[str, type] = {
    "chance-map": ChanceMap,
    "vector-map": VectorMap,
    "certificate": Certificate,
}
Tensors = dict[str, Any]


def save(fitted: Map, path: str | PathLike[str]) -> None:
    """Write a map to one file, whole or not at all; `map.save(path)` calls this."""
    from safetensors.numpy import save as to_bytes

    tensors: Tensors = {}
    words = {
        "calibrant": json.dumps({"format": FORMAT, "version": __version__}),
        "map": json.dumps(_described(fitted, "", tensors)),
        "sha256": _UNSEALED,
    }
    content = _sealed(to_bytes(tensors, words))
    _refuse_unreadable(fitted, words["map"], tensors)
    write_whole(Path(path), content)


def load(path: str | PathLike[str]) -> Map:
    """Read a map that `map.save` wrote; one that was cut, edited or made by something else is refused."""
    from safetensors.numpy import load as from_bytes

    path = Path(path)
    if not path.is_file():
        raise ValueError(f"no map at {path}: there is no such file")
    content = path.read_bytes()
    words = _header(path, content)
    _refuse_other_format(path, words["calibrant"])
    try:
        fitted = _restored(json.loads(words["map"]), "", from_bytes(content))
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"{path} holds no map that calibrant {__version__} knows: {error}"
        ) from error
    if not isinstance(fitted, Map):
        raise ValueError(f"{path} holds something, but no map")
    return fitted


def tag_of(kind: type[Rule]) -> str:
    """The name of a rule's class in files; that of another package begins with the package's name."""
    package = kind.__module__.partition(".")[0]
    return kind.tag if package == "calibrant" else f"{package}/{kind.tag}"


def known_rules() -> dict[str, type[Rule]]:
    """Every class of rules of a known family's package, by its tag."""
    packages = {kind.__module__.partition(".")[0] for kind in known_families().values()}
    found: dict[str, type[Rule]] = {}
    for kind in _below(Rule):
        if kind.__module__.partition(".")[0] in packages and is_dataclass(kind) and _has_tag(kind):
            first = found.setdefault(tag_of(kind), kind)
            if first is not kind:
                raise ValueError(f"{first.__name__} and {kind.__name__} have one tag, {kind.tag!r}")
    return found


def _has_tag(kind: type) -> bool:
    return "tag" in vars(kind)


def _below(kind: type[Rule]) -> Iterator[type[Rule]]:
    for sub in kind.__subclasses__():
        yield sub
        yield from _below(sub)


def _refuse_other_format(path: Path, words: str) -> None:
    made = json.loads(words)
    if made["format"] > FORMAT:
        raise ValueError(
            f"{path} has format {made['format']} of calibrant {made['version']}, and calibrant "
            f"{__version__} reads up to format {FORMAT}: upgrade calibrant"
        )
    if made["format"] < FORMAT:
        raise ValueError(
            f"{path} has format {made['format']}, of a version that was never released: "
            "fit the map and save it again"
        )


def _refuse_unreadable(fitted: Map, words: str, tensors: Tensors) -> None:
    """What could not be read again is not written."""
    try:
        again = _restored(json.loads(words), "", tensors)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"this map cannot be saved, as it could not be read again: {error}") from error
    if again.classes != fitted.classes:  # type: ignore[attr-defined]
        raise ValueError(
            "classes must be texts or numbers to be saved; "
            f"got {fitted.classes!r}"  # type: ignore[attr-defined]
        )


def _sealed(content: bytes) -> bytes:
    """The same bytes with their own digest in the header, where zeros stood when it was taken."""
    digest = hashlib.sha256(content).hexdigest()
    return content.replace(_UNSEALED.encode(), digest.encode(), 1)


def _header(path: Path, content: bytes) -> dict[str, str]:
    """The words in a file's header, once its seal has been found whole."""
    try:
        length = int.from_bytes(content[:8], "little")
        words = dict(json.loads(content[8 : 8 + length])["__metadata__"])
        seal = words["sha256"].encode()
        made = [words[name].encode() for name in ("calibrant", "map")]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path} is not a map saved by calibrant, or it was damaged") from error
    unsealed = content.replace(seal, _UNSEALED.encode(), 1)
    if not all(made) or _sealed(unsealed) != content:
        raise ValueError(
            f"{path} was cut or changed after it was saved (its sha256 differs): save the map again"
        )
    return words


def _described(thing: Any, place: str, tensors: Tensors) -> Any:  # noqa: ANN401 - any field of a map
    """The same in words that json can hold; arrays go to `tensors` under their place."""
    if isinstance(thing, np.ndarray):
        tensors[place] = np.ascontiguousarray(thing)
        return {"is": "array"}
    if isinstance(thing, tuple):
        return [_described(item, f"{place}{i}.", tensors) for i, item in enumerate(thing)]
    if is_dataclass(thing):
        words = {"is": _name_of(type(thing))}  # type: ignore[arg-type]
        for field in fields(thing):
            value = getattr(thing, field.name)
            words[field.name] = _described(value, f"{place}{field.name}.", tensors)
        return words
    return thing.item() if isinstance(thing, np.generic) else thing


def _name_of(kind: type) -> str:
    if issubclass(kind, Family):
        return f"family:{name_of_kind(kind)}"
    if issubclass(kind, Rule):
        return f"rule:{tag_of(kind)}"
    return next(name for name, part in _PARTS.items() if part is kind)


def _kind_of(name: str) -> type:
    """The class that a name in a file stands for, among those that are known."""
    room, _, called = name.partition(":")
    if room == "family":
        return kind_called(called)
    known: dict[str, Any] = known_rules() if room == "rule" else _PARTS
    if (called or name) not in known:
        raise ValueError(
            f"it is made of {name!r}, which no installed package declares under the entry point "
            "group calibrant.families"
        )
    return known[called or name]


def _restored(words: Any, place: str, tensors: Tensors) -> Any:  # noqa: ANN401 - any field of a map
    if isinstance(words, list):
        return tuple(_restored(item, f"{place}{i}.", tensors) for i, item in enumerate(words))
    if not isinstance(words, dict):
        return words
    if words["is"] == "array":
        return tensors[place]
    kind = _kind_of(words["is"])
    found = {}
    for name, value in words.items():
        if name != "is":
            found[name] = _restored(value, f"{place}{name}.", tensors)
    if issubclass(kind, Rule):
        _check_fields(kind, found)
    return kind(**found)


def _check_fields(kind: type, found: dict[str, Any]) -> None:
    """A rule's fields must be of the types that it declares, and its numbers must be numbers."""
    hints = get_type_hints(kind)
    for name, value in found.items():
        wanted = get_origin(hints.get(name)) or hints.get(name)
        if wanted in (float, int, str, bool, np.ndarray, tuple) and type(value) is not wanted:
            raise ValueError(f"{name} must be of type {wanted.__name__}, got {value!r}")
        if isinstance(value, float | np.ndarray) and np.isnan(value).any():
            raise ValueError(f"{name} must hold numbers, got nan")
