"""Claims and outcomes that hypothesis draws."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

N = 24
# A coarse grid makes ties; exact 0 and 1 are among it.
GRID = [0.0, 1e-30, 0.1, 0.2, 1 / 3, 0.5, 0.6, 0.75, 0.9, 1 - 1e-9, 1.0]

grid_claims = arrays(float, N, elements=st.sampled_from(GRID))
single_claims = arrays(np.float32, N, elements=st.floats(0, 1, width=32))
outcomes = arrays(bool, N)
