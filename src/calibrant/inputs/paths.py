"""Paths: which files one names to be read, and whether one can be written to."""

import os
from collections.abc import Sequence
from difflib import get_close_matches
from os import PathLike
from pathlib import Path

TABLES = [".csv", ".parquet", ".arrow", ".feather", ".jsonl"]
READABLE = [".npz", ".npy", *TABLES]
WRITABLE = [".npz", *TABLES]


def files_at(path: Path) -> list[Path]:
    """The files of a path, at least one: itself, those in a folder, or those that match a pattern, by name."""
    if path.is_dir():
        if not (found := _readable(path, "*")):
            raise ValueError(
                f"this is a folder, and no file in it ends in {', '.join(READABLE)}; name a file"
            )
        return found
    if path.is_file():
        if path.suffix.lower() not in READABLE:
            rule = f"a file to read must end in {', '.join(READABLE)}, not {path.suffix!r}"
            raise ValueError(f"{rule}; save it as one of them")
        return [path]
    if any(sign in str(path) for sign in "*?["):
        top = Path(path.anchor)
        if not (found := _readable(top, str(path.relative_to(top)))):
            raise ValueError(f"no file that ends in {', '.join(READABLE)} matches this pattern")
        return found
    near = get_close_matches(path.name, [each.name for each in path.parent.glob("*")], 1, 0.75)
    raise ValueError(
        "there is no such file" + (f"; did you mean {path.with_name(near[0])}?" if near else "")
    )


def content(path: Path) -> bytes:
    """The bytes of a file, of which there must be some."""
    found = path.read_bytes()
    if not found:
        raise ValueError("the file is empty; write the predictions again")
    return found


def writable(path: str | PathLike[str], suffixes: Sequence[str]) -> Path:
    """A path that can be written to: of one of the suffixes, in a folder that exists."""
    path = Path(path)
    if path.suffix.lower() not in suffixes:
        raise ValueError(
            f"{path}: the file to write must end in {', '.join(suffixes)}, not {path.suffix!r}"
        )
    if path.is_dir():
        raise ValueError(f"{path}: this is a folder; name a file to write")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent} to write into; make it first")
    if not os.access(path.parent, os.W_OK):
        raise ValueError(
            f"{path}: the folder {path.parent} cannot be written to; name a file elsewhere"
        )
    return path


def _readable(folder: Path, pattern: str) -> list[Path]:
    """Those that can be read; others leave notes of their own in folders, named with a dot or an underscore."""
    found = sorted(folder.glob(pattern))
    return [
        each
        for each in found
        if each.suffix.lower() in READABLE and each.name[0] not in "._" and each.is_file()
    ]
