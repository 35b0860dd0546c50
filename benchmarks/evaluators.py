"""The families whose maps and errors are judged where the truth is known: those of paper 004, and ours."""

import numpy as np

from calibrant import Beta, Binned, Family, Isotonic, PiecewiseLinear, Platt, Smooth, Spline, View
from calibrant.chances.binned import Steps
from calibrant.families import Map
from calibrant.measures import debiased

OURS = "Smooth"
FAMILIES: dict[str, Family] = {
    **{f"ES{n_bins}": Binned(n_bins, edges="mass") for n_bins in (10, 15, 20, 25, 30)},
    "EW15": Binned(15),
    "sweep": Binned(edges="mass", rule="sweep"),
    "CV": Binned(edges="mass", rule="cv"),
    "CV, no slack": Binned(edges="mass", rule="cv", slack=0.0),
    "Platt": Platt(),
    "Beta": Beta(),
    "Isotonic": Isotonic(),
    "Spline, natural": Spline(),
    "Spline, parabolic": Spline(runout="parabolic"),
    "Spline, cubic": Spline(runout="cubic"),
    "PL": PiecewiseLinear(),
    "PL, no slack": PiecewiseLinear(slack=0.0),
    "PL, squared": PiecewiseLinear(loss="squared"),
    "PL3": PiecewiseLinear(space="logit"),
    "PL3, no slack": PiecewiseLinear(space="logit", slack=0.0),
    "PL3, squared": PiecewiseLinear(space="logit", loss="squared"),
    OURS: Smooth(),
}
# Half a second a fit where the others take some thousandths.
SLOW = tuple(name for name in FAMILIES if name.startswith("PL"))


def errors(fitted: Map, view: View) -> tuple[float, float]:
    """Calibration errors, absolute and squared; those of bins are debiased."""
    if isinstance(fitted.rule, Steps):
        return debiased(fitted.rule, 1), debiased(fitted.rule, 2)
    gap = np.abs(fitted(view) - view.p)
    return float(gap.mean()), float((gap**2).mean())


def head(*columns: str) -> list[str]:
    """The first two lines of a table."""
    return ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
