"""Claims and outcomes given apart are met with the call that takes them as one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import calibrant as c

P = np.linspace(0.1, 0.9, 40)
Y = (P > 0.45).astype(int)
MEASURES = (
    c.accuracy, c.brier, c.calibration_error, c.calibration_test, c.classwise_ece, c.cutoff_error,
    c.cv_ece, c.decompose, c.ece, c.entropy, c.kde_error, c.ks_error, c.mce, c.mmce, c.nll,
    c.null_level, c.observed_expected, c.report, c.select, c.skce, c.slope_intercept, c.smece,
    c.sweep_ece, c.top_label_brier, c.triweight_error, c.variational_error, c.vector_error,
    c.weighted_mmce, c.worst_interval,
)  # fmt: skip


@pytest.mark.parametrize("ask", MEASURES)
def test_the_right_call_is_shown(ask: Callable[..., Any]) -> None:
    name = ask.__name__
    for apart in ((Y, P), (P, Y), (Y.tolist(), P.tolist())):
        with pytest.raises(ValueError, match=rf": {name}\(binary\(p, y\)\), or {name}\(from_probs"):
            ask(*apart)


def test_what_stands_before_them_is_shown_too() -> None:
    ask: Any = c.interval
    with pytest.raises(ValueError, match=r"interval\(measure, binary\(p, y\)\)"):
        ask(c.ece, Y, P)
    cross_fit: Any = c.cross_fit
    with pytest.raises(ValueError, match=r"cross_fit\(family, binary\(p, y\)\)"):
        cross_fit("isotonic", P, Y)


def test_messages_are_one_short_line() -> None:
    family: Any = c.Isotonic()
    for call in (lambda: c.ece(Y, P), lambda: family.fit(P, Y), lambda: c.ece(P)):  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="binary") as caught:
            call()
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 160


def test_right_calls_are_as_they_were() -> None:
    view = c.binary(P, Y)
    assert c.ece([view, view], 15) == pytest.approx(c.ece(view))
    assert c.ece.__name__ == "ece"
    assert "n_bins" in (c.ece.__annotations__)
