"""Files of maps: for calibrant itself, for other programs and for databases."""

import re
import shlex
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

import calibrant

from ..inputs.paths import write_whole

if TYPE_CHECKING:
    from ..families.maps import Map
    from ..inputs.contents import Contents
    from ..inputs.views import Data

SUFFIXES: Final = (".safetensors", ".onnx", ".sql")
FOR_OTHERS: Final = {
    ".onnx": "an ONNX model is for other programs",
    ".sql": "SQL is for databases",
}
TO_APPLY: Final = "for calibrant apply, fit with -o MAP.safetensors."
TABLE: Final = "predictions"
OF_CLAIMS: Final = (
    "this map is of one chance (that {}) and these are rows of {:,} classes: "
    "name a column of chances with --confidence, or fit a map on such rows"
)
OF_VECTORS: Final = (
    "this map is of whole vectors ({} of {:,} classes) and these are rows of one chance each: "
    "name a column for each class with --{}, or fit a map on such rows"
)
OF_KIND: Final = "this map takes {} and these are {}: name columns with --{}, or fit a map on such"


def check_extra(target: Path) -> None:
    """What writing needs is missed before the work is done: importing it says how to install it."""
    if target.suffix.lower() == ".onnx":
        import_module("calibrant.deploy.onnx")


def write_map(fitted: "Map", source: "Contents", target: Path) -> str:
    """Write a map in the way that the suffix says, and tell what to do with it.

    `source` is what the map was fitted on.
    """
    suffix = target.suffix.lower()
    if suffix == ".onnx":
        fitted.to_onnx(target)
        return f"It is for other programs; {TO_APPLY}"
    if suffix == ".sql":
        return f"It is {_write_sql(fitted, source, target)}; {TO_APPLY}"
    fitted.save(target)
    return f"Next: calibrant apply {shlex.quote(str(target))} FILE -o OUT"


def load_map(path: Path) -> "Map":
    """A saved map; one for other programs is refused."""
    reason = FOR_OTHERS.get(path.suffix.lower())
    if reason is not None:
        raise ValueError(f"{path}: {reason}; fit with -o MAP.safetensors and name that")
    return calibrant.load(path)


def check_sort(fitted: "Map", x: "Data") -> None:
    """Refuse rows of another sort than those that the map was fitted on, in words for files."""
    if isinstance(fitted, calibrant.VectorMap):
        k = len(fitted.classes)
        if isinstance(x, calibrant.View):
            raise ValueError(OF_VECTORS.format(fitted.kind, k, fitted.kind))
        if x.kind != fitted.kind:
            raise ValueError(OF_KIND.format(fitted.kind, x.kind, fitted.kind))
    if isinstance(x, calibrant.View) or not isinstance(fitted, calibrant.ChanceMap):
        return
    if x.k > 2:
        raise ValueError(OF_CLAIMS.format(fitted.event, x.k))


def _write_sql(fitted: "Map", source: "Contents", target: Path) -> str:
    """Write what fits within a query or, where that is too long, a whole query; tell which."""
    columns = _claimed_columns(fitted, source)
    given = columns[0] if isinstance(fitted, calibrant.ChanceMap) else columns
    try:
        sql = fitted.to_sql(given)
        use = f"to be selected from a table with {_listed(columns)}"
    except ValueError:
        sql = fitted.to_sql(given, table=TABLE)
        use = f"a query of the table {TABLE} with {_listed(columns)}"
    write_whole(target, f"{sql}\n".encode())
    return use


def _claimed_columns(fitted: "Map", source: "Contents") -> list[str]:
    """The columns that were read; where the file has none of its own, p, p_cat or logit_cat."""
    x = source.x
    is_table = source.table is not None
    if isinstance(x, calibrant.View):
        return _quoted(source.claimed) if is_table else ["p"]
    names = source.claimed
    if not is_table or len(names) != x.k:
        stem = "p" if x.kind == "probs" else "logit"
        names = [f"{stem}_{name}" for name in x.classes]
    if isinstance(fitted, calibrant.VectorMap):
        return _quoted(names)
    # A map of one chance that was fitted on two classes is of the second.
    return _quoted(names[1:] if x.kind == "probs" else [f"p_{x.classes[1]}"])


def _quoted(names: list[str]) -> list[str]:
    """Names as SQL has them: in quotes where they are no plain words."""
    return [name if re.fullmatch(r"[a-zA-Z_]\w*", name) else _in_quotes(name) for name in names]


def _in_quotes(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _listed(columns: list[str]) -> str:
    if len(columns) == 1:
        return f"the column {columns[0]}"
    first, *_, last = columns
    return f"columns {', '.join(columns)}" if len(columns) < 6 else f"columns {first} to {last}"
