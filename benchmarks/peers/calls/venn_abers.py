"""venn-abers."""

from typing import Any

import numpy as np
from venn_abers import VennAbers

from .call import Call, Data


def _fitted(d: Data) -> Any:  # noqa: ANN401 - an array
    pairs = np.stack([1 - d.p, d.p], axis=1)
    model = VennAbers()
    model.fit(pairs, d.y)
    return model.predict_proba(pairs)[0][:, 1]


CALLS = {"venn_abers": Call(_fitted)}
