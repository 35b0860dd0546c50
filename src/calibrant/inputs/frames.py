"""Data frames of any library, as narwhals reads them: pandas, Polars, Arrow, DuckDB, Modin."""

from typing import Any

import numpy as np


def as_frame(x: Any) -> Any:  # noqa: ANN401 - a frame or a column of any library, or neither
    """A frame or a column as narwhals has it, a query run first; what is neither, as it is."""
    if isinstance(x, np.ndarray | list | tuple):
        return x
    import narwhals

    found = narwhals.from_native(x, pass_through=True, allow_series=True)
    return found.collect() if isinstance(found, narwhals.LazyFrame) else found


def in_memory(x: Any) -> Any:  # noqa: ANN401 - as given, or as narwhals has it
    """What numpy cannot read by itself, such as a query of DuckDB, as a frame that it can."""
    return x if hasattr(x, "__array__") else as_frame(x)
