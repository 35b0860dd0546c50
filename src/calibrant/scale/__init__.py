"""Any size: a summary that adds up, and the engines that make it."""

from importlib import import_module
from typing import TYPE_CHECKING

from .sketch import Sketch

if TYPE_CHECKING:
    from .applying import apply
    from .fits import fit
    from .groups import by_group
    from .sources import from_dask, from_spark, rows, scan_parquet

# These need polars, which is slow to load.
_HOMES = {
    "apply": "applying",
    "by_group": "groups",
    "fit": "fits",
    "from_dask": "sources",
    "from_spark": "sources",
    "rows": "sources",
    "scan_parquet": "sources",
}
__all__ = ["Sketch", "apply", "by_group", "fit", "from_dask", "from_spark", "rows", "scan_parquet"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'calibrant.scale' has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
