"""What pictures show, and how far two of them differ."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import imread

from calibrant.fitting.types import Array

mpl.use("Agg")


def words(ax: Axes) -> str:
    """All that is written on the axes, below and beside them."""
    found = ax.figure.findobj(mpl.text.Text)
    return "\n".join(text.get_text() for text in found)


def lay_out(ax: Axes) -> None:
    """Place everything as drawing would, which is where matplotlib warns or fails."""
    figure = ax.figure
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()


def in_grey(path: Path) -> Array:
    """A picture's brightness, (height, width)."""
    return imread(path)[:, :, :3].mean(2)


def saved(ax: Axes, path: Path) -> Array:
    """The picture in grey, small: letters drawn by another library hardly matter, marks do."""
    figure = ax.figure
    assert isinstance(figure, Figure)
    figure.savefig(path, dpi=50)
    return in_grey(path)


def distance(one: Array, other: Array) -> float:
    """How far two pictures differ once they are made coarse."""
    gap = _coarse(one) - _coarse(other)
    return float(np.sqrt(np.mean(gap**2)))


def _coarse(grey: Array, side: int = 5) -> Array:
    height, width = (size // side for size in grey.shape)
    whole = grey[: height * side, : width * side]
    return whole.reshape(height, side, width, side).mean((1, 3))
