"""What the numbers of a view amount to in plain words, held against what chance alone shows."""

from typing import Literal, NamedTuple

from ..inference.tests import ks_limit, mean_gap_limit
from ..inputs.checks import Undefined
from ..inputs.views import View
from ..measures.ks import ks_error
from ..measures.recalibration_line import slope_intercept
from ..measures.scores import event_rate, mean_claim

Finding = Literal[
    "no error seen",
    "small error",
    "overconfident",
    "underconfident",
    "too extreme",
    "too timid",
    "uneven",
]

# A KS error that hardly matters, and one that rows must be able to show.
SMALL = 0.01
BLUNT = 0.02

DISTRUST = "Do not take these probabilities at face value"
OPENINGS: dict[Finding, str] = {
    "no error seen": "Nothing here speaks against these probabilities",
    "small error": "These probabilities are close to the truth, though not exact",
    "overconfident": f"{DISTRUST}: they are overconfident",
    "underconfident": f"{DISTRUST}: they are underconfident",
    "too extreme": f"{DISTRUST}: high ones are too high and low ones too low",
    "too timid": f"{DISTRUST}: high ones are too low and low ones too high",
    "uneven": f"{DISTRUST}: some are too high and others too low",
}
MEND = "Mend them: `calibrant fit` on rows kept for it, then `calibrant apply`."
ADVICE: dict[Finding, str] = {
    "no error seen": "Nothing to mend.",
    "small error": "Mending can gain little; `calibrant fit` on other rows would show how much.",
}
MORE_ROWS = "Report on more rows before you trust them."
WITHIN = "The KS error, {ks} points, is within what chance makes in {rows}: {limit}."
BEYOND = (
    "Chance alone does not explain it: in {rows} it makes a KS error of up to {limit} points "
    "(19 times in 20), and here it is {ks}."
)
HIDDEN = "So few rows would hide an error of that size."


class Verdict(NamedTuple):
    """What was found, the words for it, and what to do next."""

    finding: Finding
    words: str
    advice: str


def judge(view: View, *, has_classes: bool) -> Verdict:
    """Whether the claims can be trusted, or else which way they lie and by how much."""
    ks = ks_error(view)
    limit = ks_limit(view)
    finding = _finding(view, ks, limit)
    means = _means(view, finding, has_classes=has_classes)
    evidence = BEYOND if ks > limit else WITHIN
    rows = f"{view.total:,.0f} {counted(view)}"
    explained = evidence.format(ks=_points(ks), limit=_points(limit), rows=rows)
    words = f"{OPENINGS[finding]}. {means}. {explained}"
    if ks <= limit and limit > BLUNT:
        return Verdict(finding, f"{words} {HIDDEN}", MORE_ROWS)
    return Verdict(finding, words, ADVICE.get(finding, MEND))


def counted(view: View) -> str:
    """What a view's total counts."""
    return "rows" if view.w is None else "observations"


def _finding(view: View, ks: float, limit: float) -> Finding:
    if ks <= limit:
        return "no error seen"
    if ks < SMALL:
        return "small error"
    gap = mean_claim(view) - event_rate(view)
    if abs(gap) > mean_gap_limit(view):
        return "overconfident" if gap > 0 else "underconfident"
    try:
        slope = slope_intercept(view).slope
    except Undefined:
        return "uneven"
    return "too extreme" if slope < 1 else "too timid"


def _means(view: View, finding: Finding, *, has_classes: bool) -> str:
    """What is claimed and what happens, on average."""
    claimed = mean_claim(view)
    happened = event_rate(view)
    if has_classes:
        claims, comes_true = "The top label claims", "is right"
    else:
        claims, comes_true = "They claim", "the event happens"
    words = (
        f"{claims} {_points(claimed)}% on average and {comes_true} {_points(happened)}% of the time"
    )
    if finding not in ("overconfident", "underconfident"):
        return words
    direction = "less" if happened < claimed else "more"
    return f"{words}, {_points(abs(claimed - happened))} points {direction}"


def _points(fraction: float) -> str:
    return f"{100 * fraction:.2f}"
