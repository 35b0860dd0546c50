"""A report as one html page: the template, its style and its program, and plotly within, so that nothing is fetched."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from .. import __version__
from .verdict import Finding

if TYPE_CHECKING:
    from .measure_table import Unit
    from .summary import Report

Tone = Literal["good", "so-so", "bad"]

CALM: tuple[Finding, ...] = ("no error seen", "small error")
MARKS: dict[Tone, str] = {"good": "✓", "so-so": "≈", "bad": "!"}
# On a page there is room for a sentence.
MEANINGS: dict[str, str] = {
    "accuracy": "How often the most probable class is the right one.",
    "event rate": "How often the event happened.",
    "NLL": "Negative log-likelihood: the mean surprise at what happened. Less is better; it rewards both knowing more "
    "and claiming what is true.",
    "Brier score": "Mean squared distance from the probabilities to what happened; 0 is perfect.",
    "mean confidence": "The chance claimed, on average. It should equal how often the claim comes true.",
    "ECE": "Expected calibration error: the gap between claim and outcome, averaged over 15 bins of equal width. "
    "Chance alone makes it larger than 0.",
    "sweep ECE": "The same over as many bins of equal mass as keep the outcomes rising.",
    "KS error": "The widest gap between running sums of claims and of outcomes. It needs no bins, and where all "
    "claims err to one side it is the mean gap itself.",
    "KS by chance": "Calibrated claims such as these show a KS error below this 19 times in 20.",
    "calibration error": "The mean gap from the claims to a smooth curve of best fit.",
    "slope": "Of a line through log odds. 1 is right; below 1 claims are too extreme, above 1 too timid.",
    "intercept": "Of the same line. 0 is right; below 0 the event is claimed too often.",
    "observed/expected": "Events that happened over events claimed. 1 is right; below 1 too much is promised.",
    "mean ECE": "The ECE of each class against the rest, averaged over classes. Most claims there are near 0, so it "
    "is small.",
    "mean KS error": "The KS error of each class against the rest, averaged over classes.",
}


def page(found: "Report") -> str:
    """The whole page as text."""
    room = files(__package__) / "page"
    js, css, template = (
        (room / name).read_text("utf-8") for name in ("page.js", "page.css", "page.html.j2")
    )
    plotly = (files("plotly") / "package_data" / "plotly.min.js").read_text("utf-8")
    headline, _, rest = found.verdict.partition(". ")
    # So few rows that they would hide an error speak for nothing.
    is_sure = found.finding == CALM[0] and not found.is_blunt
    tone: Tone = "bad" if found.finding not in CALM else "good" if is_sure else "so-so"
    return (
        _environment()
        .from_string(template)
        .render(
            found=found,
            version=__version__,
            headline=f"{headline}.",
            rest=rest,
            tone=tone,
            mark=MARKS[tone],
            meanings=MEANINGS,
            calm=CALM,
            css=Markup(css),
            js=Markup(js),
            plotly=Markup(plotly),
            hashes=Markup(" ".join(f"'sha256-{_digest(each)}'" for each in (plotly, js))),
            diagrams=_embedded(found.diagrams.to_dict()),
        )
    )


def _environment() -> Environment:
    made = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters |= {"code": _code, "shown": _shown, "runs": _runs}
    return made


def _code(words: str) -> Markup:
    """Text with what stands between backticks set as code."""
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(words))))


def _shown(value: float | None, unit: "Unit | Literal['fine']") -> str:
    if value is None:
        return "undefined"
    if unit == "fine":
        return f"{100 * value:.3f}"
    return f"{100 * value:.2f}" if unit in ("%", "points") else f"{value:.4f}"


def _runs(rows: Sequence[object], name: str) -> Iterator[tuple[str, list[object]]]:
    """Neighbours that share an attribute, under it."""
    return ((shared, list(part)) for shared, part in groupby(rows, attrgetter(name)))


def _embedded(thing: object) -> Markup:
    """Json that no name within can end early: it holds neither tags nor comments."""
    text = json.dumps(thing, allow_nan=False, separators=(",", ":"), ensure_ascii=True)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _digest(script: str) -> str:
    """By which a browser knows the script that the page was written with, and runs no other."""
    return b64encode(sha256(script.encode()).digest()).decode()
