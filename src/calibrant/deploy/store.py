"""Saved maps: numbers in a safetensors file, words in its header, and a seal over every byte.

Nothing is executed, and nothing that a file names is imported: classes are found by their names in a
registry. All numbers that a formula uses are in the file.
"""

import hashlib
import json
from dataclasses import MISSING, fields, is_dataclass
from operator import index
from os import PathLike
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..families.family import Family
from ..families.maps import ChanceMap, Map
from ..inputs.checks import briefly
from ..inputs.paths import write_whole
from .registry import Registry

FORMAT = 2
_UNSEALED = "0" * 64
Tensors = dict[str, Any]
# NDArray[...] is a name of its own from numpy 2.5 on.
_ARRAYS = {np.ndarray, get_origin(NDArray[Any])}
# What may be wrong with the words of a file.
_WRONG = (AttributeError, KeyError, TypeError, ValueError, RecursionError)


def save(fitted: Map, path: str | PathLike[str]) -> None:
    """Write a map to one file, whole or not at all; `map.save(path)` calls this."""
    from safetensors.numpy import save as to_bytes

    described, tensors = _saved(fitted)
    made = json.dumps({"format": FORMAT, "version": __version__})
    words = {"calibrant": made, "map": described, "sha256": _UNSEALED}
    content = to_bytes(tensors, words)
    write_whole(Path(path), _sealed(content))


def digest(fitted: Map) -> str:
    """The sha256 of a map's words and numbers: what tells it from others."""
    described, tensors = _saved(fitted)
    found = hashlib.sha256(described.encode())
    for name in sorted(tensors):
        found.update(np.ascontiguousarray(tensors[name]).tobytes())
    return found.hexdigest()


def _saved(fitted: Map) -> tuple[str, Tensors]:
    """A map as words and numbers, from which it can be made again."""
    tensors: Tensors = {}
    registry = Registry()
    try:
        described = json.dumps(_described(fitted, "", tensors, registry))
        again = _restored(json.loads(described), "", tensors, registry)
    except _WRONG as error:
        raise ValueError(
            f"this map cannot be saved, as it could not be read again: {error}"
        ) from error
    if again.classes != fitted.classes:  # type: ignore[attr-defined]
        raise ValueError(
            "classes must be texts or numbers to be saved, as others would come back as something "
            f"else; got {briefly(fitted.classes)}: name them with classes=[...]"  # type: ignore[attr-defined]
        )
    return described, tensors


def load(path: str | PathLike[str]) -> Map:
    """Read a map that `map.save` wrote; one cut, edited or made by something else is refused."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"no map at {path}: there is no such file")
    content = path.read_bytes()
    words = _header(path, content)
    _refuse_other_format(path, words["calibrant"])
    try:
        described = json.loads(words["map"])
        fitted = _restored(described, "", _tensors(content), Registry())
    except _WRONG as error:
        raise ValueError(
            f"{path} holds no map that calibrant {__version__} knows: {error}"
        ) from error
    if not isinstance(fitted, Map):
        raise ValueError(f"{path} holds no map, but {type(fitted).__name__}")
    for each in fitted.single_maps:
        _check_chances(path, each)
    return fitted


def _check_chances(path: Path, fitted: Any) -> None:  # noqa: ANN401 - a map of either kind
    """Refuse a map whose numbers do not fit together: it must make chances of a few claims."""
    has_one_chance = isinstance(fitted, ChanceMap)
    claims = np.linspace(0, 1, 5) if has_one_chance else np.eye(len(fitted.classes))[:4]
    try:
        with np.errstate(all="ignore"):
            chances = fitted(claims)
            list(fitted.rule.facts())
    except Exception as error:  # whatever a formula does with numbers that are not its own
        raise ValueError(
            f"{path} holds a map whose numbers do not fit together ({error})"
        ) from error
    if chances.shape != claims.shape or not np.isfinite(chances).all():
        raise ValueError(
            f"{path} holds a map whose numbers do not fit together: it makes no chances"
        )


def _refuse_other_format(path: Path, words: str) -> None:
    try:
        made = json.loads(words)
        found = index(made["format"])
        version = str(made["version"])
    except _WRONG as error:
        raise ValueError(f"{path} does not say what format it has: {words:.60}") from error
    if found > FORMAT:
        raise ValueError(
            f"{path} has format {found} of calibrant {version}, and calibrant {__version__} "
            f"reads up to format {FORMAT}: upgrade calibrant"
        )
    if found < FORMAT:
        raise ValueError(
            f"{path} has format {found}, of a version that was never released: "
            "fit the map and save it again"
        )


def _tensors(content: bytes) -> Tensors:
    from safetensors import SafetensorError
    from safetensors.numpy import load as from_bytes

    try:
        return from_bytes(content)
    except SafetensorError as error:
        raise ValueError(f"its arrays cannot be read ({error})") from error


def _sealed(content: bytes) -> bytes:
    """The same bytes with their own digest in the header, where zeros stood when it was taken."""
    digest = hashlib.sha256(content).hexdigest()
    return content.replace(_UNSEALED.encode(), digest.encode(), 1)


def _header(path: Path, content: bytes) -> dict[str, str]:
    """The words in a file's header, once its seal has been found whole."""
    try:
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + length])
        words = dict(header["__metadata__"])
        made = [words[name].encode() for name in ("calibrant", "map")]
        seal = words["sha256"].encode()
    except _WRONG as error:
        raise ValueError(f"{path} is not a map saved by calibrant, or it was damaged") from error
    unsealed = content.replace(seal, _UNSEALED.encode(), 1)
    if not all(made) or _sealed(unsealed) != content:
        raise ValueError(
            f"{path} was cut or changed after it was saved (its sha256 differs): save the map again"
        )
    return words


def _described(thing: Any, place: str, tensors: Tensors, registry: Registry) -> Any:  # noqa: ANN401 - any field of a map
    """The same in words that json can hold; arrays go to `tensors` under their place."""
    if isinstance(thing, np.ndarray):
        tensors[place] = np.ascontiguousarray(thing)
        return {"is": "array"}
    if isinstance(thing, np.generic):
        return thing.item()
    if isinstance(thing, tuple):
        return [_described(item, f"{place}{i}.", tensors, registry) for i, item in enumerate(thing)]
    if not is_dataclass(thing):
        return thing
    words = {"is": registry.name_of(type(thing))}
    for field in fields(thing):
        value = getattr(thing, field.name)
        words[field.name] = _described(value, f"{place}{field.name}.", tensors, registry)
    return words


def _restored(words: Any, place: str, tensors: Tensors, registry: Registry) -> Any:  # noqa: ANN401 - any field of a map
    if isinstance(words, list):
        items = enumerate(words)
        return tuple(_restored(item, f"{place}{i}.", tensors, registry) for i, item in items)
    if not isinstance(words, dict):
        return words
    name = words.pop("is", None)
    if name == "array":
        if place not in tensors:
            raise ValueError(f"the numbers of {place.removesuffix('.')} are missing")
        return tensors[place]
    kind: Any = registry.kind_of(name)
    found = {}
    for field, value in words.items():
        found[field] = _restored(value, f"{place}{field}.", tensors, registry)
    _check_fields(name, kind, found)
    return kind(**found)


def _check_fields(name: str, kind: type, found: dict[str, Any]) -> None:
    """A thing's fields must be those that it declares, of their types, and numbers must be numbers."""
    hints = get_type_hints(kind, localns={"Family": Family})
    declared = fields(kind)
    unknown = set(found) - {field.name for field in declared}
    if unknown:
        raise ValueError(f"{name} has no field {', '.join(sorted(unknown))}")
    for field in declared:
        if field.name not in found:
            if field.default is MISSING and field.default_factory is MISSING:
                raise ValueError(f"{name} lacks its field {field.name}")
        elif not _is_of(found[field.name], hints[field.name]):
            value = repr(found[field.name])
            raise ValueError(f"{field.name} of {name} cannot be {value:.60}")


def _is_of(value: Any, hint: Any) -> bool:  # noqa: ANN401 - any annotation
    """Whether a value is what an annotation asks for; no number is nan."""
    origin: Any = get_origin(hint)
    if origin in (Union, UnionType):
        return any(_is_of(value, each) for each in get_args(hint))
    if origin is Literal:
        return any(type(value) is type(word) and value == word for word in get_args(hint))
    if origin is tuple:
        return type(value) is tuple and _are_of(value, get_args(hint))
    if origin in _ARRAYS:
        is_array = isinstance(value, np.ndarray) and value.dtype.kind == "f"
        return is_array and not np.isnan(value).any()
    if hint is float:
        return type(value) is float and not np.isnan(value)
    if hint in (int, bool, str):
        return type(value) is hint
    return not isinstance(hint, type) or isinstance(value, hint)


def _are_of(values: tuple[Any, ...], hints: tuple[Any, ...]) -> bool:
    if hints[-1] is Ellipsis:
        hints = hints[:1] * len(values)
    pairs = zip(values, hints, strict=False)
    return len(values) == len(hints) and all(_is_of(value, hint) for value, hint in pairs)
