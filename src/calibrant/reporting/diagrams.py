"""The reliability diagrams of a page: every question, as claimed and after each map."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit

from ..choosing import AS_THEY_ARE
from ..curves import Curve, Histogram, histogram, reliability
from ..families.defaults import BINNED_CURVE_FAMILY, CURVE_FAMILY, DECOMPOSITION_FAMILY
from ..families.family import Family
from ..families.maps import Map
from ..fitting.blocks import on_all_cores
from ..fitting.types import Array
from ..inference.bands import Band, confidence_band, consistency_band
from ..inputs.predictions import Predictions
from ..inputs.questions import one_class, top_label, within_top_r
from ..inputs.views import Data, View
from ..progress import progress, quiet
from .confidence import BAND_DRAWS, LEVEL
from .diagram_numbers import (
    BandEnds,
    Bars,
    Diagrams,
    FamilyChoice,
    Numbers,
    PageCurve,
    Picture,
    ViewChoice,
)
from .fewer_claims import fewer_claims
from .first_question import POSITIVE, asks_top_label, first_view
from .measure_table import EACH_CLASS, TOP_LABEL, TOP_TWO

ALONE = "The claims"
# Beyond these log odds nothing can be drawn, and more digits of them cannot be seen.
MOST_LOG_ODDS = 20.0
LOG_ODDS_DIGITS = 4


class PageFamily(NamedTuple):
    """A family whose curves the page shows, its name there, and what its curve is in words.

    `knows_band`: its confidence band needs no draws, and drawing its fits again takes longest.
    """

    name: str
    words: str
    family: Family
    knows_band: bool = False


FAMILIES = (
    PageFamily(
        "smooth",
        "The curve is smooth, as bent as the outcomes ask for.",
        CURVE_FAMILY,
        knows_band=True,
    ),
    PageFamily(
        "15 bins, as in ECE",
        "Each point is the mean of a bin, one of 15 of equal width.",
        BINNED_CURVE_FAMILY,
    ),
    PageFamily(
        "isotonic, as in CORP",
        "The curve is the best of all that never fall.",
        DECOMPOSITION_FAMILY,
    ),
)


class NamedQuestion(NamedTuple):
    """A question as it is chosen, and how to ask it."""

    choice: ViewChoice
    ask: Callable[[Any], View]
    is_leading: bool = False  # whether it is the one seen first


def diagrams(
    x: Data, maps: Mapping[str, Map], columns: Sequence[int], *, bands: bool = False, seed: int = 0
) -> Diagrams:
    """The pictures of every question, of some classes too, as they are and after each map.

    With `bands` most curves have those that need draws, else only those of the first question.
    """
    questions = tuple(_questions(x, columns))
    pictures: list[tuple[Picture, ...]] = []
    with progress("drawing diagrams", (1 + len(maps)) * len(questions)) as tick:
        for fitted in (None, *maps.values()):
            claims = x if fitted is None else fitted.apply(x)
            is_before = fitted is None
            draw = partial(_picture, claims, bands=bands, is_before=is_before, seed=seed, tick=tick)
            pictures.append(tuple(on_all_cores(draw, questions)))
    return Diagrams(
        claims=(AS_THEY_ARE, *(f"after {name}" for name in maps)),
        views=tuple(question.choice for question in questions),
        families=tuple(FamilyChoice(each.name, each.words) for each in FAMILIES),
        pictures=tuple(pictures),
    )


def _questions(x: Data, columns: Sequence[int]) -> Iterator[NamedQuestion]:
    if isinstance(x, View):
        yield NamedQuestion(ViewChoice(ALONE, "", x.event), _itself, is_leading=True)
        return
    if not asks_top_label(x):
        name = str(x.classes[POSITIVE])
        choice = ViewChoice(f"Class {name}", "", f"the class is {name}")
        yield NamedQuestion(choice, first_view, is_leading=True)
        columns = [column for column in columns if column != POSITIVE]
    choice = ViewChoice(TOP_LABEL, "", "the top label is right")
    yield NamedQuestion(choice, top_label, is_leading=asks_top_label(x))
    if x.k > 2:
        choice = ViewChoice(TOP_TWO, "", "the right class is among the top 2")
        yield NamedQuestion(choice, _within_top_two)
    for column in columns:
        name = str(x.classes[column])
        choice = ViewChoice(name, EACH_CLASS, f"the class is {name}")
        yield NamedQuestion(choice, partial(_class, column))


def _itself(view: View) -> View:
    return view


def _within_top_two(pred: Predictions) -> View:
    return within_top_r(pred, 2)


def _class(column: int, pred: Predictions) -> View:
    return one_class(pred, column)


def _picture(
    x: Data,
    question: NamedQuestion,
    *,
    bands: bool,
    is_before: bool,
    seed: int,
    tick: Callable[[], None],
) -> Picture:
    view = fewer_claims(question.ask(x))
    leads = is_before and question.is_leading
    is_of_class = bool(question.choice.group)
    draws = leads or (bands and (is_before or not is_of_class))

    def curve(shown: PageFamily) -> PageCurve | None:
        # Fits that take longest are drawn again only where they are looked at first.
        return _curve(view, shown, draws=leads if shown.knows_band else draws, seed=seed)

    curves = tuple(curve(each) for each in FAMILIES)
    by_chance = histogram(view)
    by_odds = histogram(view, axes="logit")
    tick()
    return Picture(
        rows=view.total,
        claimed=by_chance.mean_claim,
        happened=by_chance.share,
        chance=_bars(by_chance),
        odds=_bars(by_odds),
        curves=curves,
    )


def _curve(view: View, shown: PageFamily, *, draws: bool, seed: int) -> PageCurve | None:
    family = shown.family
    try:
        curve = reliability(view, family, level=None)
    except ValueError:
        return None
    confidence = None
    consistency = None

    def ends(band: Callable[..., Band]) -> BandEnds:
        return _ends(band(view, family, curve.p, level=LEVEL, n_boot=BAND_DRAWS, seed=seed))

    with quiet():
        if draws or shown.knows_band:
            confidence = ends(confidence_band)
        if draws:
            consistency = ends(consistency_band)
    return _page_curve(curve, confidence, consistency)


def _page_curve(
    curve: Curve, confidence: BandEnds | None, consistency: BandEnds | None
) -> PageCurve:
    return PageCurve(
        p=_log_odds(curve.p),
        q=_log_odds(curve.q),
        rows=_plain(curve.count),
        is_binned=curve.bins is not None,
        confidence=confidence,
        consistency=consistency,
        error=curve.error,
    )


def _bars(found: Histogram) -> Bars:
    rows = np.where(found.count > 0, found.count, 1)
    return Bars(
        low=_log_odds(found.edges[:-1]),
        high=_log_odds(found.edges[1:]),
        rows=_plain(found.count),
        claimed=_plain(found.claimed / rows),
        happened=_plain(found.happened / rows),
    )


def _ends(band: Band) -> BandEnds:
    return _log_odds(band.low), _log_odds(band.high)


def _log_odds(p: Array) -> Numbers:
    with np.errstate(divide="ignore"):
        exact = logit(np.clip(p, 0, 1))
    drawable = np.clip(exact, -MOST_LOG_ODDS, MOST_LOG_ODDS)
    return tuple(np.round(drawable, LOG_ODDS_DIGITS).tolist())


def _plain(x: Array) -> Numbers:
    return tuple(np.round(x, 6).tolist())
