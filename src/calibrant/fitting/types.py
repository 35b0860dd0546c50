"""The kinds of arrays that functions take and give."""

from typing import Any

import numpy as np

# Not NDArray, in which those who check annotations find no np.ndarray from numpy 2.5 on.
Array = np.ndarray[tuple[Any, ...], np.dtype[np.floating[Any]]]
Bools = np.ndarray[tuple[Any, ...], np.dtype[np.bool_]]
Ints = np.ndarray[tuple[Any, ...], np.dtype[np.integer[Any]]]
Values = np.ndarray[tuple[Any, ...], np.dtype[Any]]  # of any type, text too
Outcomes = Values  # whether an event happened, as bools, or to what share
Rows = slice | Values
