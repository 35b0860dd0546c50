"""The verdict: what the numbers of a view amount to in plain words, held against what chance alone would show."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from ..fitting.types import Ints
from ..inputs.predictions import Predictions
from ..inputs.views import View
from ..measures.ks import ks_error
from ..measures.scores import Line, slope_intercept

Finding = Literal[
    "no error seen",
    "small error",
    "overconfident",
    "underconfident",
    "too extreme",
    "too timid",
    "uneven",
]

# A Brownian path stays within 2.2414 standard deviations 95 times of 100, and its end within 1.96.
PATH_95, END_95 = 2.2414, 1.96
SMALL = 0.01
BLUNT = 0.02
FEW = 1000
RARE = 10
# An outcome is most of the data with this share, or with so many times an even one.
UNEVEN, MUCH = 0.95, 10

OPENINGS: dict[Finding, str] = {
    "no error seen": "Nothing here speaks against these probabilities",
    "small error": "These probabilities are close to the truth, though not exact",
    "overconfident": "Do not take these probabilities at face value: they are overconfident",
    "underconfident": "Do not take these probabilities at face value: they are underconfident",
    "too extreme": "Do not take these probabilities at face value: high ones are too high and low ones too low",
    "too timid": "Do not take these probabilities at face value: high ones are too low and low ones too high",
    "uneven": "Do not take these probabilities at face value: some are too high and others too low",
}
ADVICE: dict[Finding, str] = {
    "no error seen": "Nothing to mend.",
    "small error": "Mending can gain little; `calibrant fit` on other rows would show how much.",
}
MORE_ROWS = "Report on more rows before you trust them."
HARDLY = ", so errors about the others hardly move the numbers"
MEND = "Mend them: `calibrant fit` on rows kept for it, then `calibrant apply`."


class Verdict(NamedTuple):
    """What was found, the words for it, and what to do next."""

    finding: Finding
    words: str
    advice: str


def chance_limit(view: View) -> float:
    """The KS error that calibrated claims such as these stay below 19 times in 20."""
    return PATH_95 * _spread(view)


def judge(view: View, *, has_classes: bool) -> Verdict:
    """Whether the claims can be trusted, which way they lie and by how much, and whether chance could explain it."""
    ks, limit = ks_error(view), chance_limit(view)
    claimed, happened = mean_claim(view), share(view)
    finding = _finding(view, ks, limit, claimed - happened)
    claims, came = (
        ("The top label claims", "is right") if has_classes else ("They claim", "the event happens")
    )
    off = f"{_points(abs(claimed - happened))} points {'less' if happened < claimed else 'more'}"
    rows = f"{view.total:,.0f} {'rows' if view.w is None else 'observations'}"
    words = (
        f"{OPENINGS[finding]}. {claims} {_points(claimed)}% on average and {came} {_points(happened)}% of the time"
        f"{f', {off}' if finding in ('overconfident', 'underconfident') else ''}. "
    )
    if ks > limit:
        words += (
            f"Chance alone does not explain it: in {rows} it makes a KS error of up to {_points(limit)} points "
            f"(19 times in 20), and here it is {_points(ks)}."
        )
    else:
        words += f"The KS error, {_points(ks)} points, is within what chance makes in {rows}: {_points(limit)}."
        if limit > BLUNT:
            words += " So few rows would hide an error of that size."
            return Verdict(finding, words, MORE_ROWS)
    return Verdict(finding, words, ADVICE.get(finding, MEND))


def line(view: View) -> Line | str:
    """Slope and intercept, or why there are none."""
    try:
        return slope_intercept(view)
    except ValueError as error:
        return str(error).rpartition(": ")[2]


def mean_claim(view: View) -> float:
    """The chance claimed on average."""
    return float(np.average(view.p.astype(np.float64), weights=view.w))


def share(view: View) -> float:
    """How often the event happened."""
    return float(np.average(view.y, weights=view.w))


def warnings_about(x: Predictions | View, view: View) -> Iterator[str]:
    """What in the data makes the numbers say less than they seem to."""
    rows = view.n if view.w is None else int(np.count_nonzero(view.w))
    if view.total < FEW:
        limit, called = (
            _points(min(1.0, chance_limit(view))),
            "rows" if view.w is None else "observations",
        )
        yield f"Only {view.total:,.6g} {called}: chance alone makes errors of up to {limit} points."
    if 2 * len(view.pool.p) < rows:
        yield f"Many claims are tied: {len(view.pool.p):,} distinct in {rows:,} rows."
    if isinstance(x, View) or x.kind == "probs":
        sure = ((view.p == 0) | (view.p == 1)) & (True if view.w is None else view.w > 0)
        wrong = sure & (view.y != (view.p == 1))
        if sure.any():
            yield f"Claims of exactly 0 or 1: {sure.sum():,}, of which {wrong.sum():,} wrong."
    uneven = _unevenness(x)
    if uneven is not None:
        yield f"Outcomes are uneven: {uneven}."
    if isinstance(x, Predictions):
        yield from _about_classes(x)


def _about_classes(x: Predictions) -> Iterator[str]:
    seen = np.bincount(x.labels, x.weights, x.k)
    missing, rare = (np.flatnonzero(each) for each in (seen == 0, (seen > 0) & (seen < RARE)))
    if len(missing):
        yield f"{len(missing)} of {x.k} classes never occur ({_some(x, missing)}): nothing is known of their recall."
    if len(rare):
        few = f"{len(rare)} of {x.k} classes occur fewer than {RARE} times"
        yield f"{few} ({_some(x, rare)}): little is known of each."
    denied = (x.values[np.arange(x.n), x.labels] == 0) & (
        True if x.weights is None else x.weights > 0
    )
    impossible = int(denied.sum()) if x.kind == "probs" else 0
    if impossible:
        yield f"Rows with a chance of exactly 0 for the right class: {impossible:,}; NLL reads it as 1e-38."


def _unevenness(x: Predictions | View) -> str | None:
    """Of which outcome there are far more than of others."""
    if isinstance(x, View):
        most = max(share(x), 1 - share(x))
        often = "happens" if share(x) > 0.5 else "fails to happen"
        return f"the event {often} {100 * most:.3g}% of the time{HARDLY}" if most > UNEVEN else None
    seen = np.bincount(x.labels, x.weights, x.k) / x.total
    most, name = float(seen.max()), x.classes[int(seen.argmax())]
    if most > UNEVEN:
        return f"{name} makes up {100 * most:.3g}% of the rows{HARDLY}"
    if most <= MUCH / x.k or most * x.total < RARE:
        return None
    return f"{name} makes up {100 * most:.3g}% of the rows, {most * x.k:.0f} times an even share"


def _some(x: Predictions, places: Ints) -> str:
    return ", ".join(str(x.classes[k]) for k in places[:5]) + (", ..." if len(places) > 5 else "")


def _finding(view: View, ks: float, limit: float, gap: float) -> Finding:
    if ks <= limit:
        return "no error seen"
    if ks < SMALL:
        return "small error"
    if abs(gap) > END_95 * _spread(view):
        return "overconfident" if gap > 0 else "underconfident"
    fitted = line(view)
    if isinstance(fitted, str):
        return "uneven"
    return "too extreme" if fitted.slope < 1 else "too timid"


def _spread(view: View) -> float:
    """Standard deviation of the mean outcome if every claim were true."""
    p, w, _ = view.pool
    return float(np.sqrt(w @ (p * (1 - p)))) / view.total


def _points(fraction: float) -> str:
    return f"{100 * fraction:.2f}"
