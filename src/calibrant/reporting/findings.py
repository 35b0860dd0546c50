"""What was found of a view's claims: by the strongest evidence, and sizes in points and ratios."""

from typing import Literal

from ..inference.examination import Examination

Finding = Literal[
    "too few rows",
    "no error seen",
    "small error",
    "overconfident",
    "underconfident",
    "too high",
    "too low",
    "too extreme",
    "too timid",
    "uneven",
]
Tone = Literal["good", "so-so", "bad"]

# Right claims are called wrong this often at most, and p-values up to the hint are no good news.
LEVEL = 0.03
HINT = 0.1
# An error that hardly matters, one that rows must be able to show, and one that few rows hide.
SMALL = 0.01
BLUNT = 0.02
VAGUE = 0.15
# Ratios that matter: of all claims, of the lowest or highest tenth, and what rows must show.
OFF_TIMES = 1.25
TAIL_TIMES = 1.5
BLUNT_TIMES = 1.5
FEWEST_ROWS = 10
# The event is common, and its absence is what one counts, where claim and outcome sum to more.
COMMON = 1.5

CALM: tuple[Finding, ...] = ("too few rows", "no error seen", "small error")


def finding_of(found: Examination, *, has_gain: bool) -> Finding:
    """What the evidence amounts to; `has_gain` tells whether a map of other rows clearly gains."""
    is_evident = found.p_value <= LEVEL
    says_little = found.limit > VAGUE or found.rarer < 1
    if found.whole.rows < FEWEST_ROWS or (says_little and not is_evident):
        return "too few rows"
    if not is_evident:
        return "small error" if has_gain else "no error seen"
    return found.shape if _matters(found) else "small error"


def _matters(found: Examination) -> bool:
    """Whether an error that is there is large, in points or as a ratio."""
    # Rows that show no small error show none to be small.
    if found.limit > BLUNT or found.error >= SMALL:
        return True
    if found.widest > max(found.limit, SMALL):
        return True
    if found.has_gap and found.whole.factor >= OFF_TIMES:
        return True
    return any(each.factor >= TAIL_TIMES for each in found.tails)


def is_blunt(found: Examination) -> bool:
    """Whether so few rows, or so few events, would hide an error that matters."""
    return found.limit > BLUNT or found.hidden_factor > BLUNT_TIMES


def is_hinted(found: Examination) -> bool:
    """Whether right claims would seldom show as much, though not so seldom that it is evidence."""
    return LEVEL < found.p_value <= HINT


def tone_of(found: Examination, finding: Finding) -> Tone:
    """How good the news is."""
    if finding not in CALM:
        return "bad"
    # So few rows that they would hide an error speak for nothing.
    is_doubtful = is_blunt(found) or is_hinted(found)
    return "good" if finding == "no error seen" and not is_doubtful else "so-so"
