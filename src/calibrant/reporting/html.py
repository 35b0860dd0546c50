"""A report as one html page, with its style, its program and plotly within: nothing is fetched."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from .. import __version__
from .findings import CALM, Tone
from .terminal import harmless
from .units import shown, shown_finely

if TYPE_CHECKING:
    from .summary import Report

MARKS: Final[dict[Tone, str]] = {"good": "✓", "so-so": "≈", "bad": "!"}
# On a page there is room for a sentence.
MEANINGS: Final[dict[str, str]] = {
    "accuracy": "How often the most probable class is the right one.",
    "event rate": "How often the event happened.",
    "NLL": (
        "Negative log-likelihood: the mean surprise at what happened. Less is better; it rewards "
        "both knowing more and claiming what is true."
    ),
    "Brier score": "Mean squared distance from the probabilities to what happened; 0 is perfect.",
    "vector error": (
        "How far whole vectors of chances lie from the true ones: the sum of distances over "
        "classes, averaged over rows. Maps fitted on other rows tell where the truth lies, so it "
        "is 0 on average where claims are right, and otherwise rather too small than too large."
    ),
    "lower limit": ("Of the vector error: the true one is larger, in 19 of 20 such sets of rows."),
    "too extreme": (
        "The part of the vector error that comes of rows which claim too much for what is likely; "
        "the rest comes of rows which claim too little."
    ),
    "mean confidence": (
        "The chance claimed, on average. It should equal how often the claim comes true."
    ),
    "ECE": (
        "Expected calibration error: the gap between claim and outcome, averaged over 15 bins of "
        "equal width. Chance alone makes it larger than 0."
    ),
    "sweep ECE": "The same over as many bins of equal mass as keep the outcomes rising.",
    "KS error": (
        "The widest gap between running sums of claims and of outcomes. It needs no bins, and "
        "where all claims err to one side it is the mean gap itself."
    ),
    "KS by chance": "Calibrated claims such as these show a KS error below this 19 times in 20.",
    "calibration error": "The mean gap from the claims to a smooth curve of best fit.",
    "slope": (
        "Of a line through log odds. 1 is right; below 1 claims are too extreme, above 1 too timid."
    ),
    "intercept": "Of the same line. 0 is right; below 0 the event is claimed too often.",
    "observed/expected": (
        "Events that happened over events claimed. 1 is right; below 1 too much is promised."
    ),
    "mean ECE": (
        "The ECE of each class against the rest, averaged over classes. Most claims there are "
        "near 0, so it is small."
    ),
    "mean KS error": "The KS error of each class against the rest, averaged over classes.",
}


def page(found: "Report") -> str:
    """The whole page as text."""
    js = _part("page.js")
    plotly = (files("plotly") / "package_data" / "plotly.min.js").read_text("utf-8")
    headline, _, rest = found.verdict.partition(". ")
    template = _environment().from_string(_part("page.html.j2"))
    return template.render(
        found=found,
        version=__version__,
        headline=f"{headline}.",
        rest=rest,
        tone=found.tone,
        mark=MARKS[found.tone],
        meanings=MEANINGS,
        calm=CALM,
        css=Markup(_part("page.css")),
        js=Markup(js),
        plotly=Markup(plotly),
        hashes=Markup(f"{_digest(plotly)} {_digest(js)}"),
        diagrams=_embedded(found.diagrams.to_dict()),
    )


def _part(name: str) -> str:
    return (files(__package__) / "page" / name).read_text("utf-8")


def _environment() -> Environment:
    made = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_harmless,
    )
    made.filters |= {"code": _code, "shown": shown, "finely": shown_finely, "runs": _runs}
    return made


def _code(words: str) -> Markup:
    """Text with what stands between backticks set as code."""
    escaped = str(escape(harmless(words)))
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", escaped))


def _runs(rows: Sequence[object], name: str) -> Iterator[tuple[str, list[object]]]:
    """Neighbours that share an attribute, under it."""
    for shared, run in groupby(rows, attrgetter(name)):
        yield shared, list(run)


def _embedded(thing: object) -> Markup:
    """Json that no name within can end early: it holds neither tags nor comments."""
    text = json.dumps(_harmless(thing), allow_nan=False, separators=(",", ":"), ensure_ascii=True)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def _harmless(thing: Any) -> Any:  # noqa: ANN401 - what a page or json holds
    """The same, its texts but those of the page itself without hidden marks."""
    if isinstance(thing, Markup):
        return thing
    if isinstance(thing, str):
        return harmless(thing)
    if isinstance(thing, dict):
        return {_harmless(name): _harmless(value) for name, value in thing.items()}
    return [_harmless(each) for each in thing] if isinstance(thing, list | tuple) else thing


def _digest(script: str) -> str:
    """By which a browser knows the script that the page was written with, and runs no other."""
    digest = sha256(script.encode()).digest()
    return f"'sha256-{b64encode(digest).decode()}'"
