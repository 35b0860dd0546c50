"""A report as one html page, with its style and its program within: nothing is fetched."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from .. import __version__
from .findings import CALM, Tone
from .next_step import next_step
from .numbers_table import numbers_csv
from .terminal import harmless
from .units import percent, shown, shown_briefly, shown_finely, signed
from .worst import worst

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
    "vector by chance": "Right vectors show a vector error below this, 19 times in 20.",
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
    js = page_part("page.js")
    worst_of, furthest = worst(found)
    return filled(
        "page.html.j2",
        found=found,
        mark=MARKS[found.tone],
        step=next_step(found),
        worst_of=worst_of,
        worst=furthest,
        meanings=MEANINGS,
        calm=CALM,
        js=Markup(js),
        hashes=Markup(_digest(js)),
        diagrams=_embedded(_pictures(found)),
        json_link=_link("application/json", json.dumps(_numbers(found), indent=1)),
        csv_link=_link("text/csv", numbers_csv(found)),
    )


def filled(name: str, **values: object) -> str:
    """A template of the page's, with its style."""
    template = _environment().get_template(name)
    return template.render(version=__version__, css=Markup(page_part("page.css")), **values)


def page_part(name: str) -> str:
    """A file of the page's, as text."""
    return (files(__package__) / "page" / name).read_text("utf-8")


def _pictures(found: "Report") -> dict[str, Any]:
    """The diagrams, and which claims stand beside those that are first: those of the best map."""
    names = list(found.source.mended.maps)
    best = 1 + names.index(found.best) if found.best in names else None
    return found.diagrams.to_dict() | {"best": best}


def _numbers(found: "Report") -> dict[str, Any]:
    return found.to_dict() | {"tiles": [asdict(each) for each in found.tiles]}


def _link(kind: str, text: str) -> str:
    return f"data:{kind};base64,{b64encode(text.encode()).decode()}"


def _environment() -> Environment:
    made = Environment(
        loader=FunctionLoader(page_part),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_harmless,
    )
    made.filters |= {
        "code": _code,
        "shown": shown,
        "tile": shown_briefly,
        "finely": shown_finely,
        "percent": percent,
        "signed": signed,
        "runs": _runs,
    }
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
