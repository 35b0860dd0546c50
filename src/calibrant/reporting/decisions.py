"""What a report says of decisions, a line each: from where on to answer, and which segment to mend."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..decisions import accuracy_at, auroc, coverage_at, threshold_for
from ..decisions.guarantees import Unreachable
from ..groups import worst_segment
from ..inputs.checks import Undefined
from ..inputs.files import RIGHT
from ..inputs.views import View
from .counts import row_count
from .groups import By

ACCURACY = LEVEL = 0.95
# A segment beyond it is found by a search where all claims are right.
CLEAR = 0.05
ABSTAIN = "To answer or to abstain"
SEGMENT = "The segment that is furthest off"
ANSWER = (
    "With confidence 95%, answers from {threshold:.4g} on are right 95% of the time: these are {coverage:.1%} of "
    "the rows, and {observed:.1%} of them were."
)
NEVER = "No threshold keeps 95% right at confidence 95% on these rows; {}."
BEST = "the best attainable is {:.3g}%"
NONE = "the surest of them are too few, or too often wrong, to vouch for anything"
SURER = " Of a right and a wrong row the right one is the surer {:.0%} of the time (AUROC)."
FURTHEST = (
    "Of all segments of {columns} it is {name}: {total:,.6g} rows, which say {claimed:.1%} on average, and "
    "{happened:.1%} come true; a search of claims that are right finds one as far off with p {p}."
)
MEND = " A map for each: `calibrant fit --by {column}`."


@dataclass(frozen=True)
class DecisionNote:
    """A line on a decision, with the numbers in it by name."""

    title: str
    words: str
    numbers: dict[str, float | str | None]


def decision_notes(view: View, by: By | None, *, has_classes: bool) -> tuple[DecisionNote, ...]:
    """What can be said of rows that are at hand; of a summary of rows nothing."""
    if row_count(view) != view.n:
        return ()
    notes = []
    if has_classes or view.event == RIGHT:
        notes.append(_abstention(view))
    columns = _columns(by)
    if columns:
        notes += _segment(view, columns)
    return tuple(notes)


def _abstention(view: View) -> DecisionNote:
    found: dict[str, float | str | None] = {"accuracy": ACCURACY, "level": LEVEL}
    try:
        cut = threshold_for(view, ACCURACY, level=LEVEL)
    except Unreachable as error:
        best = NONE if error.best is None else BEST.format(100 * error.best)
        words = NEVER.format(best)
        found |= {"threshold": None, "best": error.best}
    else:
        share = coverage_at(view, cut)
        found |= {"threshold": cut, "coverage": share, "observed": accuracy_at(view, share)}
        words = ANSWER.format(**found)
    try:
        found["auroc"] = auroc(view)
    except Undefined:
        return DecisionNote(ABSTAIN, words, found)
    return DecisionNote(ABSTAIN, words + SURER.format(found["auroc"]), found)


def _columns(by: By | None) -> dict[str, object]:
    """Columns of a value a row; what is parted already is none."""
    if by is None:
        return {}
    named = by if isinstance(by, Mapping) else {"group": by}
    return {str(name): each for name, each in named.items() if not isinstance(each, Mapping)}


def _segment(view: View, columns: dict[str, object]) -> Iterator[DecisionNote]:
    """The segment that a search finds, if it finds any that is clear."""
    try:
        found = worst_segment(view, columns)  # type: ignore[arg-type]
    except ValueError:
        # Too few rows in every segment: then there is none to be told.
        return
    numbers: dict[str, float | str | None] = {
        "name": found.name,
        "column": found.column,
        "total": found.total,
        "claimed": found.claimed,
        "happened": found.happened,
        "p_value": found.p_value,
    }
    p = f"= {found.p_value:.2g}"
    words = FURTHEST.format(**numbers, columns=" and ".join(columns), p=p)
    if found.p_value <= CLEAR:
        words += MEND.format(column=found.column)
    yield DecisionNote(SEGMENT, words, numbers)
