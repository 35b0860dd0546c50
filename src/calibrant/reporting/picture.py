"""A saved map as a picture: what it makes of every claim."""

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from ..families.family import ChanceMap, ChanceRule, Map, VectorMap
from ..families.multiclass.one_vs_rest import EachClass
from ..fitting.types import Array
from ..inputs.predictions import Predictions
from ..inputs.questions import binary
from ..inputs.views import View
from .description import BANDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CLASSES: Final = 50
EVENLY: Final = "claimed chance, the rest shared evenly"
_P: Final = np.linspace(0.001, 0.999, 999)


@dataclass(frozen=True, eq=False)
class Lines:
    """What a map makes of the claims p: a line for each class, or one, and from where to where it may be."""

    p: Array
    q: Array
    names: tuple[str, ...]
    band: tuple[str, Array, Array] | None
    about: str


def lines(fitted: Map, of_class: str | None = None) -> Lines:
    """The lines of a fitted map; of many classes those of 50, evenly taken.

    >>> from calibrant import Platt
    >>> found = lines(Platt().fit(binary([0.2] * 5 + [0.9] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0])))
    >>> bool(np.all(np.diff(found.q) > 0))
    True
    """
    if isinstance(fitted, ChanceMap):
        return _of_rules([fitted.rule], ("",))
    if not isinstance(fitted, VectorMap):
        raise ValueError(
            f"only a fitted map can be drawn, got {type(fitted).__name__}; load one, or fit one"
        )
    names = [str(name) for name in fitted.classes]
    every = range(len(names)) if of_class is None else [names.index(of_class)]
    places = [every[i] for i in np.unique(np.linspace(0, len(every) - 1, MOST_CLASSES).astype(int))]
    shown, rule = tuple(names[place] for place in places), fitted.rule
    if isinstance(rule, EachClass):
        return _of_rules([rule.rules[place] for place in places], shown)
    q = np.array([_of_vector(fitted, place) for place in places])
    if np.allclose(q, q[0], atol=1e-9):
        q, shown = q[:1], ("",)
    return Lines(_P, q, shown, None, EVENLY)


def draw(found: Lines, title: str, *, ax: "Axes | None" = None) -> "Axes":
    """Draw what a map makes of claims: several classes by name, many as a bundle and their median."""
    from ..plots.style import (
        BLUE,
        COLOURS,
        DASHES,
        SKY,
        diagonal,
        one_axes,
        percent_axis,
        say,
        styled,
        wrapped,
    )

    @styled
    def drawn() -> "Axes":
        axes = one_axes(ax, 4.6, 4.6)
        diagonal(axes)
        if found.band is not None:
            name, low, high = found.band
            axes.fill_between(found.p, low, high, color=SKY, alpha=0.4, lw=0, label=name)
        few = len(found.q) <= len(COLOURS)
        for place, (name, q) in enumerate(zip(found.names, found.q, strict=True)):
            look = (
                {"color": COLOURS[place], "ls": DASHES[place]}
                if few
                else {"color": SKY, "lw": 0.6, "alpha": 0.7}
            )
            axes.plot(
                found.p, q, **look, clip_on=False, label=wrapped(name, 30) if few and name else None
            )
        if not few:
            axes.plot(
                found.p,
                np.median(found.q, axis=0),
                color=BLUE,
                label=f"median of {len(found.q)} classes",
            )
        say(axes, title=wrapped(title, 48), x=found.about, y="calibrated chance")
        percent_axis(axes, "x", "y")
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        if axes.get_legend_handles_labels()[1]:
            axes.legend(loc="upper left")
        return axes

    return drawn()


def picture(fitted: Map, suffix: str, of_class: str | None = None) -> bytes:
    """A picture of a map as the bytes of a .png, .svg or .pdf file."""
    from matplotlib import pyplot as plt

    title = repr(fitted.family) + ("" if of_class is None else f", class {of_class}")
    figure: Any = draw(lines(fitted, of_class), title).figure
    out = BytesIO()
    try:
        figure.savefig(out, format=suffix.lstrip("."), dpi=150)
    finally:
        plt.close(figure)
    return out.getvalue()


def _of_rules(rules: list[ChanceRule], names: tuple[str, ...]) -> Lines:
    view: View = binary(_P, np.zeros(len(_P)))
    q = np.clip([rule(view) for rule in rules], 0, 1)
    band = None
    if len(rules) == 1 and type(rules[0]) in BANDS:
        name, ends = BANDS[type(rules[0])]
        band = (name, *ends(rules[0], view))
    return Lines(_P, q, names, band, "claimed chance")


def _of_vector(fitted: VectorMap, place: int) -> NDArray[Any]:
    k = len(fitted.classes)
    probs = np.repeat(((1 - _P) / (k - 1))[:, None], k, axis=1)
    probs[:, place] = _P
    values = probs if fitted.kind == "probs" else np.log(probs)
    pred = Predictions(values, np.zeros(len(_P), np.int64), None, fitted.classes, fitted.kind)
    return fitted.apply(pred).probs[:, place]
