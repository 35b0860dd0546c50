"""Paths: which files one names to be read, whether one can be written to, and writing it whole."""

import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE

TEXTS = [".csv", ".tsv", ".jsonl", ".json"]
GZIPPED = ".gz"
LOG = ".eval"  # of Inspect
TABLES = [".csv", ".tsv", ".parquet", ".arrow", ".feather", ".jsonl", ".json"]
TABLES += [f"{suffix}{GZIPPED}" for suffix in TEXTS]
READABLE = [".npz", ".npy", *TABLES, LOG]
WRITABLE = [".npz", *TABLES]

STANDARD_INPUT = Path("-")
# How the bytes of standard input begin, which has no suffix; what is none of these is a .csv.
SIGNATURES = {
    b"PK": ".npz",
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"\xff\xff\xff\xff": ".arrow",
    b"{": ".jsonl",
    b"[": ".json",
}
GZIP_SIGNATURE = b"\x1f\x8b"
MAPS = (".safetensors", ".onnx", ".sql")


def listed(suffixes: Sequence[str]) -> str:
    """Suffixes in words, without those of compressed files."""
    return ", ".join(suffix for suffix in suffixes if not suffix.endswith(GZIPPED))


_SUFFIXES = listed(READABLE)


def suffix_of(path: Path) -> str:
    """The suffix of a file, with that before it where it is compressed.

    >>> suffix_of(Path("test.CSV.gz")), suffix_of(Path("v1.2.csv"))
    ('.csv.gz', '.csv')
    """
    suffix = path.suffix.lower()
    if suffix == GZIPPED:
        return f"{Path(path.stem).suffix.lower()}{suffix}"
    return suffix


def standard_input() -> bytes:
    """All that comes in by standard input, of which there must be something."""
    found = sys.stdin.buffer.read()
    if not found:
        raise ValueError("nothing came in; write predictions to it, as in: cat test.csv | ... -")
    return found


def signature_suffix(content: bytes) -> str:
    """The suffix that bytes without a name would have, by how they begin.

    >>> signature_suffix(b'{"p": 0.9, "correct": 1}'), signature_suffix(b"label,p_0,p_1")
    ('.jsonl', '.csv')
    """
    begins = content.removeprefix(b"\xef\xbb\xbf").lstrip(b" \r\n\t")
    found = (suffix for sign, suffix in SIGNATURES.items() if begins.startswith(sign))
    return next(found, ".csv")


def files_at(path: Path) -> list[Path]:
    """The files of a path, at least one: itself, those in a folder or those matching a pattern."""
    if path == STANDARD_INPUT:
        return [path]
    if path.is_dir():
        return _files_in(path)
    if path.is_file():
        _check_suffix(path)
        return [path]
    if any(sign in str(path) for sign in "*?["):
        return _files_matching(path)
    raise _no_such_file(path)


def content(path: Path) -> bytes:
    """The bytes of a file, of which there must be some."""
    found = path.read_bytes()
    if not found:
        raise ValueError("the file is empty; write the predictions again")
    return found


def writable(path: str | PathLike[str], suffixes: Sequence[str]) -> Path:
    """A path that can be written to: of one of the suffixes, in a folder that exists."""
    path = Path(path)
    folder = path.parent
    suffix = suffix_of(path)
    if suffix not in suffixes:
        known = listed(suffixes)
        raise ValueError(f"{path}: the file to write must end in {known}, not {suffix!r}")
    if path.is_dir():
        raise ValueError(f"{path}: this is a folder; name a file to write")
    if not folder.is_dir():
        raise ValueError(f"{path}: there is no folder {folder} to write into; make it first")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{path}: the folder {folder} cannot be written to; name a file elsewhere")
    return path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that an interruption leaves the old one, or none, but never a half."""
    folder = path.parent
    if not folder.is_dir():
        raise ValueError(f"cannot write {path}: there is no folder {folder}; make it first")
    target = path.resolve()  # a link stays, and what it points to is written
    part = target.with_name(f".{target.name}.{token_hex(4)}.part")  # threads each have their own
    try:
        part.write_bytes(content)
        if target.exists():
            part.chmod(S_IMODE(target.stat().st_mode))
        part.replace(target)
    except OSError as error:
        # The part is not what was asked for, so it is not what is named.
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        part.unlink(missing_ok=True)


def _check_suffix(path: Path) -> None:
    suffix = suffix_of(path)
    if suffix in MAPS:
        raise ValueError(
            "this is a map, as calibrant show tells of; name a file of predictions here"
        )
    if suffix not in READABLE:
        raise ValueError(
            f"a file to read must end in {_SUFFIXES}, not {suffix!r}; save it as one of them"
        )


def _files_in(folder: Path) -> list[Path]:
    found = _readable(folder, "*")
    if not found:
        raise ValueError(f"this is a folder, and no file in it ends in {_SUFFIXES}; name a file")
    return found


def _files_matching(pattern: Path) -> list[Path]:
    top = Path(pattern.anchor)
    below = pattern.relative_to(top)
    found = _readable(top, str(below))
    if not found:
        raise ValueError(f"no file that ends in {_SUFFIXES} matches this pattern")
    return found


def _readable(folder: Path, pattern: str) -> list[Path]:
    found = sorted(folder.glob(pattern))
    return [path for path in found if _is_readable(path)]


def _is_readable(path: Path) -> bool:
    # Programs leave notes of their own in folders, named with a dot or an underscore.
    is_note = path.name[0] in "._"
    return suffix_of(path) in READABLE and not is_note and path.is_file()


def _no_such_file(path: Path) -> ValueError:
    names = [each.name for each in path.parent.glob("*")]
    near = get_close_matches(path.name, names, 1, 0.75)
    hint = ""
    if near:
        hint = f"; did you mean {path.with_name(near[0])}?"
    return ValueError(f"there is no such file{hint}")
