"""Diagrams: the numbers of every reliability diagram that a page can show, as few for many rows as for few."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import logit

from ..choosing import AS_THEY_ARE, Measured, calibrated
from ..curves import Histogram, histogram, reliability
from ..families.binary.binned import Binned
from ..families.binary.isotonic import Isotonic
from ..families.binary.smooth import Smooth
from ..families.family import Family, Map
from ..fitting.blocks import on_all_cores
from ..fitting.types import Array
from ..inference.bands import Band, confidence_band, consistency_band
from ..inputs.predictions import Predictions
from ..inputs.questions import binary, one_class, top_label, within_top_r
from ..inputs.views import View
from ..progress import progress, quiet
from .intervals import DRAWS, LEVEL
from .measure_table import EACH, TOP, TWO

Numbers = tuple[float, ...]

ALONE = "The claims"
LEADING = (ALONE, TOP)

FAMILIES: tuple[tuple[str, str, Family], ...] = (
    ("smooth", "The curve is smooth, as bent as the outcomes ask for.", Smooth()),
    ("15 bins, as in ECE", "Each point is the mean of a bin, one of 15 of equal width.", Binned()),
    ("isotonic, as in CORP", "The curve is the best of all that never fall.", Isotonic()),
)
# Beyond these log odds nothing can be drawn; fewer digits cannot be seen.
_LIMIT, _DIGITS = 20.0, 4
# Neighbours among more distinct claims than these are taken together: pictures of any rows cost the same.
_MOST = 2048


@dataclass(frozen=True)
class Bars:
    """A histogram of claims: the log odds each bar goes from and to, its rows, and their mean claim and outcome."""

    low: Numbers
    high: Numbers
    rows: Numbers
    claimed: Numbers
    happened: Numbers


@dataclass(frozen=True)
class Line:
    """A curve from claims to calibrated chances, in log odds, its bands, and its mean gap to the claims.

    `rows` are those nearest to each point, or in its bin where points are bins. A band of None was not worked out.
    """

    p: Numbers
    q: Numbers
    rows: Numbers
    is_binned: bool
    confidence: tuple[Numbers, Numbers] | None
    consistency: tuple[Numbers, Numbers] | None
    error: float


@dataclass(frozen=True)
class Picture:
    """One question to one set of probabilities: histograms along both axes, and a curve of each family that fits."""

    rows: float
    claimed: float
    happened: float
    chance: Bars
    odds: Bars
    curves: tuple[Line | None, ...]


@dataclass(frozen=True)
class Question:
    """A view as it is chosen: its name, that of its group, and the event in words."""

    name: str
    group: str
    event: str


@dataclass(frozen=True)
class Choice:
    """A family as it is chosen: its name, and what its curve is in words."""

    name: str
    words: str


@dataclass(frozen=True)
class Diagrams:
    """Pictures by what is claimed, as they are first, and by question; each has a curve a family."""

    claims: tuple[str, ...]
    views: tuple[Question, ...]
    families: tuple[Choice, ...]
    pictures: tuple[tuple[Picture, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """The same as json holds it."""
        return asdict(self)


Asked = tuple[Question, Callable[[Any], View]]  # a question, and how to ask it


def diagrams(
    x: Measured, maps: Mapping[str, Map], columns: Sequence[int], *, bands: bool = False
) -> Diagrams:
    """The pictures of every question, of some classes too, as they are and after each map.

    With `bands` most curves have those that need draws, else only those of the first question as it is.
    """
    questions = tuple(_questions(x, columns))
    pictures: list[tuple[Picture, ...]] = []
    with progress("drawing diagrams", (1 + len(maps)) * len(questions)) as tick:
        for fitted in (None, *maps.values()):
            mended = x if fitted is None else calibrated(fitted, x)
            draw = partial(_picture, mended, bands=bands, is_before=fitted is None, tick=tick)
            pictures.append(tuple(on_all_cores(draw, questions)))
    names = (AS_THEY_ARE, *(f"after {name}" for name in maps))
    words = tuple(Choice(name, words) for name, words, _ in FAMILIES)
    return Diagrams(names, tuple(question for question, _ in questions), words, tuple(pictures))


def _questions(x: Measured, columns: Sequence[int]) -> Iterator[Asked]:
    if isinstance(x, View):
        yield Question(ALONE, "", x.event), lambda view: view
        return
    yield Question(TOP, "", "the top label is right"), top_label
    if x.k > 2:
        yield (
            Question(TWO, "", "the right class is among the top 2"),
            lambda pred: within_top_r(pred, 2),
        )
    for k in columns:
        yield Question(str(x.classes[k]), EACH, f"the class is {x.classes[k]}"), partial(_class, k)


def _picture(
    x: Measured, asked: Asked, *, bands: bool, is_before: bool, tick: Callable[[], None]
) -> Picture:
    question, ask = asked
    view, leads = fewer(ask(x)), is_before and not question.group and question.name in LEADING
    draws = leads or (bands and (is_before or not question.group))
    # Fits of Smooth, which take longest, are drawn again only where they are looked at first.
    draws_by: dict[type[Family], bool] = {Smooth: leads}
    curves = tuple(
        _line(view, family, draws=draws_by.get(type(family), draws)) for _, _, family in FAMILIES
    )
    by_chance, by_odds = histogram(view), histogram(view, axes="logit")
    tick()
    claimed, happened = by_chance.mean_claim, by_chance.share
    return Picture(view.total, claimed, happened, _bars(by_chance), _bars(by_odds), curves)


def fewer(view: View) -> View:
    """The claims with neighbours as one where they are many, but none across an edge: bars and bins keep their sums."""
    p, w, happened = view.pool
    if len(p) <= _MOST:
        return view
    ends = binary(p[[0, -1]], [0, 0])
    bars = (
        histogram(ends).edges,
        histogram(ends, axes="logit").edges,
        np.linspace(0, 1, Binned().n_bins + 1),
    )
    # A claim on an edge falls below it. The least and the largest claim stay by themselves.
    edges = np.searchsorted(p, np.concatenate(bars), side="right")
    even = np.linspace(0, len(p), _MOST, endpoint=False).astype(np.intp)
    starts = np.unique(np.concatenate([[0, 1, len(p) - 1], edges[edges < len(p)], even]))
    last = np.append(starts[1:], len(p)) - 1
    total, came, claimed = (np.add.reduceat(each, starts) for each in (w, happened, w * p))
    mean = np.clip(claimed / total, p[starts], p[last])
    counts = np.stack([came, np.maximum(total - came, 0)], axis=1).ravel()
    return View(np.repeat(mean, 2), np.tile([True, False], len(starts)), counts, view.event)


def _line(view: View, family: Family, *, draws: bool) -> Line | None:
    try:
        curve = reliability(view, family, level=None)
    except ValueError:
        return None
    confidence = consistency = None
    with quiet():
        # Of Smooth it is known without draws.
        if draws or isinstance(family, Smooth):
            confidence = _ends(confidence_band(view, family, curve.p, level=LEVEL, n_boot=DRAWS))
        if draws:
            consistency = _ends(consistency_band(view, family, curve.p, level=LEVEL, n_boot=DRAWS))
    is_binned = curve.bins is not None
    return Line(
        _odds(curve.p),
        _odds(curve.q),
        _plain(curve.count),
        is_binned,
        confidence,
        consistency,
        curve.error,
    )


def _bars(found: Histogram) -> Bars:
    rows = np.where(found.count > 0, found.count, 1)
    means = (_plain(each / rows) for each in (found.claimed, found.happened))
    return Bars(_odds(found.edges[:-1]), _odds(found.edges[1:]), _plain(found.count), *means)


def _ends(band: Band) -> tuple[Numbers, Numbers]:
    return _odds(band.low), _odds(band.high)


def _odds(p: Array) -> Numbers:
    with np.errstate(divide="ignore"):
        return tuple(np.round(np.clip(logit(np.clip(p, 0, 1)), -_LIMIT, _LIMIT), _DIGITS).tolist())


def _plain(x: Array) -> Numbers:
    return tuple(np.round(x, 6).tolist())


def _class(k: int, pred: Predictions) -> View:
    return one_class(pred, k)
