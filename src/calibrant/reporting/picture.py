"""A saved map as a picture: what it makes of every claim."""

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..families.maps import ChanceMap, Map, VectorMap
from ..families.names import name_of
from ..families.rules import ChanceRule
from ..fitting.types import Array
from ..inputs.predictions import Predictions
from ..inputs.questions import binary
from .description import NamedBand, chance_rules, class_place, named_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LINES: Final = 50
CLAIMED: Final = "claimed chance"
EVENLY: Final = "claimed chance, the rest shared evenly"
_P: Final = np.linspace(0.001, 0.999, 999)


@dataclass(frozen=True, eq=False)
class MapLines:
    """What a map makes of the claims p: a line for each class, or one, and its band if it has one.

    `about` says what is claimed.
    """

    p: Array
    q: Array
    names: tuple[str, ...]
    band: NamedBand | None
    about: str


def map_lines(fitted: Map, of_class: str | None = None) -> MapLines:
    """The lines of a fitted map; of many classes those of 50, evenly taken.

    >>> from calibrant import Platt
    >>> y = [1, 0, 0, 0, 0, 1, 1, 1, 1, 0]
    >>> found = map_lines(Platt().fit(binary([0.2] * 5 + [0.9] * 5, y)))
    >>> bool(np.all(np.diff(found.q) > 0))
    True
    """
    if isinstance(fitted, ChanceMap):
        return _of_rules([fitted.rule], ("",))
    if not isinstance(fitted, VectorMap):
        raise ValueError(
            f"only a fitted map can be drawn, got {type(fitted).__name__}; load one, or fit one"
        )
    places = _shown_places(fitted, of_class)
    names = tuple(str(fitted.classes[place]) for place in places)
    rules = chance_rules(fitted)
    if rules:
        return _of_rules([rules[place] for place in places], names)
    q = np.array([_of_vector(fitted, place) for place in places])
    if np.allclose(q, q[0], atol=1e-9):
        return MapLines(_P, q[:1], ("",), None, EVENLY)
    return MapLines(_P, q, names, None, EVENLY)


def draw(found: MapLines, title: str, *, ax: "Axes | None" = None) -> "Axes":
    """Draw what a map makes of claims: several classes by name, many as a bundle and a median."""
    # matplotlib is slow to import, and plots import it.
    from ..plots.style import diagonal, one_axes, percent_axis, say, styled, wrapped

    @styled
    def drawn() -> "Axes":
        axes = one_axes(ax, 4.6, 4.6)
        diagonal(axes)
        _draw_band(axes, found)
        _draw_lines(axes, found)
        say(axes, title=wrapped(title, 48), x=found.about, y="calibrated chance")
        percent_axis(axes, "x", "y")
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        _, labels = axes.get_legend_handles_labels()
        if labels:
            axes.legend(loc="upper left")
        return axes

    return drawn()


def picture(fitted: Map, suffix: str, of_class: str | None = None) -> bytes:
    """A picture of a map as the bytes of a .png, .svg or .pdf file."""
    from matplotlib import pyplot as plt

    title = name_of(fitted.family)
    if of_class is not None:
        title += f", class {of_class}"
    figure: Any = draw(map_lines(fitted, of_class), title).figure
    out = BytesIO()
    try:
        figure.savefig(out, format=suffix.lstrip("."), dpi=150)
    finally:
        plt.close(figure)
    return out.getvalue()


def _draw_band(axes: "Axes", found: MapLines) -> None:
    from ..plots.style import SKY

    if found.band is not None:
        name, low, high = found.band
        axes.fill_between(found.p, low, high, color=SKY, alpha=0.4, lw=0, label=name)


def _draw_lines(axes: "Axes", found: MapLines) -> None:
    from ..plots.style import BLUE, COLOURS, DASHES, SKY, wrapped

    if len(found.q) > len(COLOURS):
        for q in found.q:
            axes.plot(found.p, q, color=SKY, lw=0.6, alpha=0.7, clip_on=False)
        label = f"median of {len(found.q)} classes"
        axes.plot(found.p, np.median(found.q, axis=0), color=BLUE, label=label)
        return
    for name, q, colour, dash in zip(found.names, found.q, COLOURS, DASHES, strict=False):
        label = wrapped(name, 30)
        axes.plot(found.p, q, color=colour, ls=dash, clip_on=False, label=label)


def _shown_places(fitted: VectorMap, of_class: str | None) -> list[int]:
    """The columns whose lines are drawn."""
    if of_class is not None:
        return [class_place(of_class, fitted)]
    last = len(fitted.classes) - 1
    evenly = np.linspace(0, last, MOST_LINES).astype(int)
    return [int(place) for place in np.unique(evenly)]


def _of_rules(rules: list[ChanceRule], names: tuple[str, ...]) -> MapLines:
    view = binary(_P, np.zeros(len(_P)))
    q = np.clip([rule(view) for rule in rules], 0, 1)
    band = named_band(rules[0], view) if len(rules) == 1 else None
    return MapLines(_P, q, names, band, CLAIMED)


def _of_vector(fitted: VectorMap, place: int) -> Array:
    """The chance of one class, the others sharing the rest of the claim evenly."""
    k = len(fitted.classes)
    rest = (1 - _P) / (k - 1)
    probs = np.repeat(rest[:, None], k, axis=1)
    probs[:, place] = _P
    values = probs if fitted.kind == "probs" else np.log(probs)
    pred = Predictions(values, None, None, fitted.classes, fitted.kind)
    return fitted.apply(pred).probs[:, place]
