"""The kinds of arrays that functions take and give."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Bools = NDArray[np.bool_]
Ints = NDArray[np.integer[Any]]
Values = NDArray[Any]  # of any type, text too
Outcomes = Values  # whether an event happened, as bools, or to what share
Rows = slice | NDArray[Any]
