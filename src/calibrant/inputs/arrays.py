"""Arrays by name: an .npz archive, a folder of .npy files, or one .npy beside the others.

Nothing is executed.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from ..fitting.types import Values
from .column_names import CONFIDENCES, LOG_PROBS, VECTORS, ColumnNames
from .columns import Columns
from .splits import SPLITS, Pick
from .unpacking import check_unpacked

# What the array of a file is, by how its name ends.
ROLES = {
    "probs": VECTORS["probs"],
    "logits": [*VECTORS["logits"], *LOG_PROBS],
    "confidence": CONFIDENCES,
}


def archive(content: bytes) -> Columns:
    """The arrays of an .npz by name, each read once it is asked for."""

    def load() -> Any:  # noqa: ANN401 - an archive, or one array
        return np.load(BytesIO(content), allow_pickle=False)

    arrays = _sound(load, "the file is not an npz")
    if not isinstance(arrays, np.lib.npyio.NpzFile):
        raise ValueError("the file holds one array without a name; write named ones with np.savez")
    sizes = Counter[str]()
    with ZipFile(BytesIO(content)) as packed:
        members = packed.infolist()
    for member in members:
        sizes[member.filename.removesuffix(".npy")] += member.file_size
    return {
        name: partial(_member, arrays, name, sizes[name], len(content)) for name in arrays.files
    }


def files_of_arrays(paths: Iterable[Path]) -> Columns:
    """The arrays of .npy files, each by the name of its file."""
    return {path.stem: partial(_array, path) for path in paths}


def beside(path: Path, wanted: ColumnNames) -> tuple[Columns, ColumnNames]:
    """What lies beside an .npy file, and what to want of it: `test_labels` with `test_probs`."""
    others = sorted(path.parent.glob("*.npy"))
    columns = files_of_arrays(others)
    named = [wanted.probs, wanted.logits, wanted.confidence]
    if any(name is not None for name in named):
        return columns, wanted
    role, prefix = _role(path.stem, wanted)
    own: dict[str, Any] = {role: path.stem}
    columns |= _without(columns, prefix)
    return columns, replace(wanted, **own)


def named_files(wanted: ColumnNames, folder: Path) -> Columns:
    """The arrays that are wanted by the names of their files, which may lie in another folder."""
    columns: Columns = {}
    for name in wanted.given_as_text().values():
        if not name.lower().endswith(".npy"):
            continue
        path = Path(name)
        if not path.is_file():
            path = folder / path
        columns[name] = partial(_array, path)
    return columns


def with_split(columns: Columns, pick: Pick) -> Columns:
    """Columns, and those of the split that is picked also without it: `labels` for `val_labels`."""
    present = [split for split in SPLITS if _without(columns, f"{split}_")]
    chosen = pick(present)
    if chosen is None:
        return columns
    return columns | _without(columns, f"{chosen}_")


def _without(columns: Columns, prefix: str) -> Columns:
    """The columns that begin with the prefix, by their names without it."""
    return {
        name[len(prefix) :]: array
        for name, array in columns.items()
        if name.lower().startswith(prefix.lower())
    }


def _role(name: str, wanted: ColumnNames) -> tuple[str, str]:
    """What an array is, and how its name begins."""
    endings = {ending: role for role, known in ROLES.items() for ending in known}
    # Longer endings first, as log_probs end in probs too.
    for ending in sorted(endings, key=len, reverse=True):
        before = name[: len(name) - len(ending)]
        is_whole_word = before[-1:] in ("", "_", "-", ".")
        if name.lower().endswith(ending) and is_whole_word:
            return endings[ending], before
    options = wanted.called("probs", "logits", "confidence")
    raise ValueError(
        "its name does not tell what it holds: "
        "let it end in probs, logits or confidence, "
        f"or say so with {options} {name}"
    )


def _array(path: Path) -> Values:
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    with path.open("rb") as file:

        def load() -> Values:
            return _as_text(np.lib.format.read_array(file, allow_pickle=False))

        found: Values = _sound(load, f"{path.name} is no .npy, or holds Python objects")
    return found


def _as_text(array: Values) -> Values:
    """Text, where names were written as bytes."""
    return np.char.decode(array, "utf-8") if array.dtype.kind == "S" else array


def _member(arrays: np.lib.npyio.NpzFile, name: str, size: int, packed: int) -> Values:
    check_unpacked(size, packed)

    def load() -> Values:
        found = arrays[name]
        if not isinstance(found, np.ndarray):
            raise TypeError("what does not begin as an .npy comes as bytes")
        return _as_text(found)

    array: Values = _sound(load, f"array {name!r} holds Python objects")
    return array


def _sound(load: Callable[[], Any], wrong: str) -> Any:  # noqa: ANN401 - as `load` gives it
    try:
        return load()
    except PermissionError:
        raise
    except Exception as error:  # which one a damaged archive raises depends on the byte
        raise ValueError(
            f"{wrong}, or it was damaged; write plain arrays with np.save or np.savez"
        ) from error
