"""What a view's claims amount to in plain words: by the strongest evidence, its size and place."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..inference.examination import Examination, Share, examine, ratio
from ..inputs.views import View
from .counts import has_weights
from .findings import (
    BLUNT,
    CALM,
    COMMON,
    FEWEST_ROWS,
    LEVEL,
    OFF_TIMES,
    TAIL_TIMES,
    VAGUE,
    Finding,
    Tone,
    finding_of,
    is_blunt,
    is_hinted,
    tone_of,
)
from .recalibration import Recalibration
from .units import percent

OF_TOP_LABELS: dict[Finding, Finding] = {"too high": "overconfident", "too low": "underconfident"}
DISTRUST = "Do not take these probabilities at face value"
LITTLE_SEEN = "Little here speaks against these probabilities."
OPENINGS: dict[Finding, str] = {
    "too few rows": "These are too few rows to tell whether the probabilities can be trusted",
    "no error seen": "Nothing here speaks against these probabilities",
    "small error": "These probabilities are close to the truth, though not exact",
    "overconfident": f"{DISTRUST}: they are overconfident",
    "underconfident": f"{DISTRUST}: they are underconfident",
    "too high": f"{DISTRUST}: they are too high",
    "too low": f"{DISTRUST}: they are too low",
    "too extreme": f"{DISTRUST}: high ones are too high and low ones too low",
    "too timid": f"{DISTRUST}: high ones are too low and low ones too high",
    "uneven": f"{DISTRUST}: some are too high and others too low",
}
MEND = "Mend them: `calibrant fit` on rows kept for it, then `calibrant apply`."
NOTHING = "Nothing to mend."
LITTLE = "Mending can gain little; `calibrant fit` on other rows would show how much."
MORE_ROWS = "Report on more rows before you trust them."
TRY_OTHERS = "{} map lowers the NLL here: `calibrant compare` tries other families."
HARDLY = "Leave them as they are: what {} gains is within random variation."
WITHIN = "That is within random variation: p = {p:.2g} in {rows}."
SELDOM = "Random variation alone seldom shows as much: p = {p:.2g} in {rows}."
BEYOND = "Random variation does not explain it: p {p} in {rows}."
HIDDEN = "So few rows would hide an error of {} points."
HIDDEN_TIMES = "So few events would hide claims {} times too high or too low."
GAINS = "On these rows {} lowers the NLL by {:.4f} nats (standard error {:.4f})."
HAPPENS = "the event happens"
THAT = "They claim {}% on average that {}, and it is so {}% of the time"
NEITHER = "{} can show neither that they are right nor that they are wrong."
UNEXPECTED = "In {} less than one is expected to come out otherwise than nearly all do."
TAIL = "The {} claims ({}) say {}% on average, and {}% of them come true."
WORST = "Furthest off are {} ({:.2g}% of the rows): they say {}% on average, and {}% come true."


class Verdict(NamedTuple):
    """What was found, the words for it, what to do next, and how good the news is."""

    finding: Finding
    words: str
    advice: str
    tone: Tone


def judge(
    view: View,
    *,
    has_classes: bool,
    mended: Recalibration | None = None,
    found: Examination | None = None,
) -> Verdict:
    """Whether the claims can be trusted, or else which way they lie and by how much.

    `mended` is what maps of other rows gained: a clear gain speaks against the claims too. `found`
    is what `examine` gave of the view, if it was asked already.
    """
    mended = mended or Recalibration()
    found = found or examine(view)
    finding = finding_of(found, has_gain=mended.is_clear)
    tone = tone_of(found, finding)
    is_open = finding == "no error seen" and tone != "good"
    if has_classes:
        finding = OF_TOP_LABELS.get(finding, finding)
    sentences = [
        LITTLE_SEEN if is_open and is_hinted(found) else f"{OPENINGS[finding]}.",
        f"{_means(found, view.event, finding, has_classes)}.",
        *_reasons(found, view, finding, mended),
    ]
    advice = _advice(finding, mended, is_open=is_open)
    return Verdict(finding, " ".join(sentences), advice, tone)


def _reasons(
    found: Examination, view: View, finding: Finding, mended: Recalibration
) -> Iterator[str]:
    """Where the claims fail, how sure that is, and what a map gains."""
    if finding == "too few rows":
        yield _few(found, view)
        return
    yield from _places(found, view, finding)
    yield _evidence(found, view)
    if finding == "no error seen" and is_blunt(found):
        yield _hidden(found)
    yield from _gain(mended)


def counted(view: View) -> str:
    """What a view's total counts."""
    return "observations" if has_weights(view) else "rows"


def _advice(finding: Finding, mended: Recalibration, *, is_open: bool) -> str:
    if finding == "too few rows":
        return MORE_ROWS
    if not mended.standings:
        return _advice_alone(finding, is_open=is_open)
    if mended.best is None:
        is_off = finding not in CALM and mended.maps
        return TRY_OTHERS.format(mended.neither) if is_off else str(mended.advice)
    if finding == "no error seen":
        return MORE_ROWS if is_open else HARDLY.format(mended.best)
    return str(mended.advice)


def _advice_alone(finding: Finding, *, is_open: bool) -> str:
    if finding == "no error seen":
        return MORE_ROWS if is_open else NOTHING
    return LITTLE if finding == "small error" else MEND


def _means(
    found: Examination,
    event: str,
    finding: Finding,
    has_classes: bool,  # noqa: FBT001
) -> str:
    """What is claimed and what happens, on average."""
    claimed = percent(found.whole.claimed)
    happened = percent(found.whole.happened)
    if has_classes:
        words = f"The top label claims {claimed}% on average and is right {happened}% of the time"
    elif event == HAPPENS:
        words = f"They claim {claimed}% on average and {event} {happened}% of the time"
    else:
        words = THAT.format(claimed, event, happened)
    if finding in ("too few rows", "no error seen") or not found.has_gap:
        return words
    direction = "less" if found.gap > 0 else "more"
    times = _times(found.whole, has_classes=has_classes)
    return f"{words}, {percent(abs(found.gap))} points {direction}{times}"


def _times(share: Share, *, has_classes: bool) -> str:
    """By how many times the event, or its absence where that is rare, is claimed too often."""
    if share.claimed + share.happened <= COMMON:
        side = "high" if share.claimed > share.happened else "low"
        times = ratio(share.claimed, share.happened)
        return f": claims are {_factor(times)} times too {side}" if _is_much(times) else ""
    often = "as often as" if share.claimed > share.happened else "less often than"
    fails = "it is wrong" if has_classes else "it comes out otherwise"
    times = ratio(1 - share.claimed, 1 - share.happened)
    return f": {fails} {_factor(times)} times {often} claimed" if _is_much(times) else ""


def _is_much(times: float) -> bool:
    return OFF_TIMES <= times < np.inf


def _factor(times: float) -> str:
    return f"{times:.1f}" if times < 10 else f"{times:,.0f}"


def _places(found: Examination, view: View, finding: Finding) -> list[str]:
    """Where on the scale the claims fail."""
    if finding == "no error seen":
        return []
    said = []
    for tail in found.tails[:1]:
        is_part = tail.rows < found.whole.rows / 3
        if is_part and tail.factor >= max(TAIL_TIMES, OFF_TIMES * found.whole.factor):
            name = "lowest" if tail is found.lowest else "highest"
            numbers = percent(tail.claimed), percent(tail.happened)
            said.append(TAIL.format(name, _rows(tail.rows, view), *numbers))
    is_placed = finding in ("too extreme", "too timid", "uneven")
    if is_placed or (finding == "small error" and not found.has_gap):
        worst = found.worst
        share = 100 * worst.rows / found.whole.rows
        numbers = percent(worst.claimed), percent(worst.happened)
        said.append(WORST.format(_range(found.low, found.high), share, *numbers))
    return said


def _range(low: float, high: float) -> str:
    if percent(low) == percent(high):
        return f"claims of {percent(low)}%"
    return f"claims from {percent(low)}% to {percent(high)}%"


def _evidence(found: Examination, view: View) -> str:
    rows = _rows(found.whole.rows, view)
    if is_hinted(found):
        return SELDOM.format(p=found.p_value, rows=rows)
    if found.p_value > LEVEL:
        return WITHIN.format(p=found.p_value, rows=rows)
    p = "< 0.001" if found.p_value < 0.001 else f"= {found.p_value:.2g}"
    return BEYOND.format(p=p, rows=rows)


def _hidden(found: Examination) -> str:
    """What so few rows would hide."""
    if found.limit > BLUNT:
        return HIDDEN.format(f"{100 * min(found.limit, 1):.2g}")
    return HIDDEN_TIMES.format(_factor(found.hidden_factor))


def _few(found: Examination, view: View) -> str:
    """Why so few rows tell nothing."""
    rows = _rows(found.whole.rows, view)
    if found.whole.rows >= FEWEST_ROWS and found.limit <= VAGUE:
        return UNEXPECTED.format(rows)
    return NEITHER.format(rows)


def _gain(mended: Recalibration) -> list[str]:
    """What maps of other rows gained, where it is clear."""
    if not mended.is_clear:
        return []
    return [GAINS.format(mended.best, mended.gain, mended.gain_error)]


def _rows(total: float, view: View) -> str:
    name = counted(view)
    return f"{total:,.0f} {name[:-1] if total == 1 else name}"
