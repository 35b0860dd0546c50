"""The kinds of arrays that functions take and give."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Bools = NDArray[np.bool_]
Outcomes = Bools | Array  # whether an event happened, or to what share
Ints = NDArray[np.integer[Any]]
Values = NDArray[Any]  # of any type, text too
Rows = slice | NDArray[Any]
