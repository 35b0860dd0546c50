"""Curves are shown by notebooks as their pictures."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt

from calibrant import binary, curves, ece, from_probs

P = np.linspace(0.05, 0.95, 200)
VIEW = binary(P, np.random.default_rng(0).random(200) < P)
PROBS = np.random.default_rng(1).dirichlet([1, 1, 1], 100)
PRED = from_probs(PROBS, PROBS.argmax(1))
MADE: Mapping[str, Callable[[], Any]] = {
    "reliability": lambda: curves.reliability(VIEW, "isotonic", level=None),
    "histogram": lambda: curves.histogram(VIEW),
    "cumulative": lambda: curves.cumulative(VIEW),
    "drift": lambda: curves.drift(VIEW),
    "smece": lambda: curves.smece(VIEW),
    "murphy": lambda: curves.murphy(VIEW),
    "net_benefit": lambda: curves.net_benefit(VIEW),
    "risk_coverage": lambda: curves.risk_coverage(PRED),
    "classwise": lambda: curves.classwise(PRED),
    "ordering": lambda: curves.ordering({"a": VIEW, "b": VIEW}, {"ECE": ece}),
}


@pytest.mark.parametrize("name", MADE)
def test_a_curve_is_a_picture_in_a_notebook(name: str) -> None:
    made = MADE[name]()
    before = plt.get_fignums()
    shown = made._repr_html_()
    assert shown.startswith("<svg")
    assert shown.rstrip().endswith("</svg>")
    assert made.drawn_by == name
    assert plt.get_fignums() == before
