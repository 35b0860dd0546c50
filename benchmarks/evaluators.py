"""The families judged where the truth is known: those of Kängsepp et al. 2022, and ours."""

import numpy as np

from calibrant import (
    Beta,
    Binned,
    Family,
    Isotonic,
    PiecewiseLinear,
    PiecewisePolynomial,
    Platt,
    Smooth,
    Spline,
    View,
)
from calibrant.families.folds import simplest_within
from calibrant.families.maps import ChanceMap, Map
from calibrant.measures.debiasing import debiased

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
    "Spline, natural, knots by CV": Spline("cv"),
    "Spline, parabolic, knots by CV": Spline("cv", runout="parabolic"),
    "Spline, cubic, knots by CV": Spline("cv", runout="cubic"),
    "PL": PiecewiseLinear(),
    "PL, squared": PiecewiseLinear(loss="squared"),
    "PL3": PiecewiseLinear(space="logit"),
    "PL3, squared": PiecewiseLinear(space="logit", loss="squared"),
    "PL_DE": PiecewisePolynomial(),
    "PL_DE, degree 2": PiecewisePolynomial(degree=2),
    OURS: Smooth(),
}
NO_SLACK = ", no slack"
# Half a second a fit, or one, where the others take some thousandths.
SLOW = tuple(name for name in FAMILIES if name.startswith("PL"))
# Those in tables of few rows.
ROWS = (
    "ES15",
    "EW15",
    "sweep",
    "CV",
    "Platt",
    "Beta",
    "Isotonic",
    "Spline, natural",
    "PL",
    "PL3",
    OURS,
)


def fits(row: str, view: View) -> dict[str, Map]:
    """A family's map by the name of its row; of piecewise linear ones also that of the least held-out error."""
    family = FAMILIES[row]
    if not isinstance(family, PiecewiseLinear):
        return {row: family.fit(view)}
    lines, held_out = family.candidates(view)
    chosen = {row: simplest_within(held_out, family.slack), row + NO_SLACK: int(held_out.argmin())}
    return {
        name: ChanceMap(family, lines[place], view.total, view.event, None, None)
        for name, place in chosen.items()
    }


def errors(fitted: Map, view: View) -> tuple[float, float]:
    """Calibration errors, absolute and squared; those of bins are debiased."""
    bins = fitted.rule.bins
    if bins is not None:
        return debiased(bins, 1), debiased(bins, 2)
    gap = np.abs(fitted(view) - view.p)
    return float(gap.mean()), float((gap**2).mean())
