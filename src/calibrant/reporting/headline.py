"""The verdict in a dozen words: which way the claims err, and by how much."""

from ..inference.examination import Examination, Share, ratio
from .findings import BLUNT, COMMON, OFF_TIMES, Finding, is_blunt
from .units import percent

BY_POINTS: dict[Finding, str] = {
    "too extreme": "Too extreme: off by {} points on average",
    "too timid": "Too timid: off by {} points on average",
    "uneven": "Uneven: too high here, too low there, by {} points on average",
    "small error": "Close to the truth: off by {} points on average",
}
ONE_SIDED: dict[Finding, str] = {
    "too high": "Too high: claims {}%, happens {}%",
    "too low": "Too low: claims {}%, happens {}%",
    "overconfident": "Overconfident: claims {}%, right {}%",
    "underconfident": "Underconfident: claims {}%, right {}%",
}
TIMES = {
    "too high": ", {} times too much",
    "too low": ", {} times too little",
    "overconfident": ", wrong {} times too often",
}
NOTHING = "No error seen in {}"
HIDDEN = "No error seen, but so few rows hide {} points"
HIDDEN_TIMES = "No error seen, but so few events show little"
FEW = "Too few rows to tell"


def headline(found: Examination, finding: Finding, error: float, rows: str) -> str:
    """The finding with its direction and size; `error` is the calibration error.

    >>> from calibrant import binary, report
    >>> report(binary([0.9] * 100, [True] * 60 + [False] * 40)).headline
    'Too high: claims 90.0%, happens 60.0%, 1.5 times too much'
    """
    if finding == "too few rows":
        return FEW
    if finding == "no error seen":
        return _unseen(found, rows)
    if finding in BY_POINTS:
        return BY_POINTS[finding].format(_points(error))
    whole = found.whole
    words = ONE_SIDED[finding].format(_brief(whole.claimed), _brief(whole.happened))
    return words + _times(whole, finding)


def _unseen(found: Examination, rows: str) -> str:
    if not is_blunt(found):
        return NOTHING.format(rows)
    if found.limit > BLUNT:
        return HIDDEN.format(_points(min(found.limit, 1)))
    return HIDDEN_TIMES


def _times(whole: Share, finding: Finding) -> str:
    """By how many times, where the outcome that is counted is the rarer."""
    is_of_top_label = finding == "overconfident"
    is_common = whole.claimed + whole.happened > COMMON
    if finding not in TIMES or is_common != is_of_top_label:
        return ""
    pair = (whole.claimed, whole.happened)
    times = ratio(*(1 - each for each in pair)) if is_of_top_label else ratio(*pair)
    if not OFF_TIMES <= times < float("inf"):
        return ""
    return TIMES[finding].format(f"{times:.1f}" if times < 10 else f"{times:,.0f}")


def _brief(fraction: float) -> str:
    """In percent, to a tenth where that tells enough."""
    return f"{100 * fraction:.1f}" if 0.01 <= fraction <= 0.99 else percent(fraction)


def _points(error: float) -> str:
    return f"{100 * error:.1f}" if error >= 0.01 else f"{100 * error:.2g}"
