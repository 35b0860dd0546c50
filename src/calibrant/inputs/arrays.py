"""Arrays by name: an .npz archive, a folder of .npy files, or one .npy beside the others. Nothing is executed."""

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import CONFIDENCES, LOG_PROBS, VECTORS, ColumnNames, Columns
from .splits import SPLITS, Pick

# What the array of a file is, by how its name ends.
ROLES = {
    "probs": VECTORS["probs"],
    "logits": [*VECTORS["logits"], *LOG_PROBS],
    "confidence": CONFIDENCES,
}


def archive(content: bytes) -> Columns:
    """The arrays of an .npz by name, each read once it is asked for."""
    arrays = _sound(lambda: np.load(BytesIO(content), allow_pickle=False), "the file is not an npz")
    if not isinstance(arrays, np.lib.npyio.NpzFile):
        raise ValueError("the file holds one array without a name; write named ones with np.savez")
    return {
        name: partial(
            _sound, partial(arrays.__getitem__, name), f"array {name!r} holds Python objects"
        )
        for name in arrays.files
    }


def files_of_arrays(paths: Iterable[Path]) -> Columns:
    """The arrays of .npy files, each by the name of its file."""
    return {path.stem: partial(_array, path) for path in paths}


def beside(path: Path, wanted: ColumnNames) -> tuple[Columns, ColumnNames]:
    """What lies beside an .npy file, and what to want of it: its own array, and `test_labels` with `test_probs`."""
    columns = files_of_arrays(sorted(path.parent.glob("*.npy")))
    if wanted.probs is None and wanted.logits is None and wanted.confidence is None:
        role, prefix = _role(path.stem, wanted)
        own: dict[str, Any] = {role: path.stem}
        wanted = replace(wanted, **own)
        columns |= _without(columns, prefix)
    return columns, wanted


def named_files(wanted: ColumnNames, folder: Path) -> Columns:
    """The arrays that are wanted by the names of their files, which may lie in another folder."""
    given = [
        value for field in fields(wanted) if isinstance(value := getattr(wanted, field.name), str)
    ]
    named = {value: Path(value) for value in given if value.lower().endswith(".npy")}
    return {
        name: partial(_array, path if path.is_file() else folder / path)
        for name, path in named.items()
    }


def parted(columns: Columns, pick: Pick) -> Columns:
    """Columns, and those of the split that is picked also by their names without it: `labels` for `val_labels`."""
    splits = [
        split for split in SPLITS if any(name.lower().startswith(f"{split}_") for name in columns)
    ]
    chosen = pick(splits)
    return columns if chosen is None else columns | _without(columns, f"{chosen}_")


def _without(columns: Columns, prefix: str) -> Columns:
    return {
        name[len(prefix) :]: array
        for name, array in columns.items()
        if name.lower().startswith(prefix.lower())
    }


def _role(name: str, wanted: ColumnNames) -> tuple[str, str]:
    """What an array is, and how its name begins: longer endings first, as log_probs end in probs too."""
    endings = {ending: role for role, known in ROLES.items() for ending in known}
    for ending in sorted(endings, key=len, reverse=True):
        before = name[: len(name) - len(ending)]
        if name.lower().endswith(ending) and before[-1:] in ("", "_", "-", "."):
            return endings[ending], before
    raise ValueError(
        "its name does not tell what it holds: let it end in probs, logits or confidence, "
        f"or say so with {wanted.called('probs', 'logits', 'confidence')} {name}"
    )


def _array(path: Path) -> NDArray[Any]:
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    with path.open("rb") as file:
        wrong = f"{path.name} is no .npy, or holds Python objects"
        found: NDArray[Any] = _sound(
            lambda: np.lib.format.read_array(file, allow_pickle=False), wrong
        )
    return found


def _sound(load: Callable[[], Any], wrong: str) -> Any:  # noqa: ANN401 - as `load` gives it
    try:
        return load()
    except PermissionError:
        raise
    except Exception as error:  # which one a damaged archive raises depends on the byte
        raise ValueError(
            f"{wrong}, or it was damaged; write plain arrays with np.save or np.savez"
        ) from error
