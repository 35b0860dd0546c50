"""Spline calibration: a smooth curve through the summed residuals, whose slope the claims lack."""

from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from ...fitting.pooling import Pool
from ...fitting.types import Array, Ints
from ...fitting.weights import present
from ...inputs.checks import check_count
from ...inputs.views import View
from ..folds import held_out, simplest_within
from ..multiclass.ranked import Ranked
from .cubic_pieces import END_CONDITIONS, Runout, bounded_heights, cubic_pieces
from .family import ChanceFamily
from .isotonic import Points

Summed = Literal["residuals", "outcomes"]


@dataclass(frozen=True)
class Spline(ChanceFamily):
    """Adds to each claim the slope of a cubic spline through summed residuals (Gupta et al. 2021).

    Knots are spaced evenly by rank. `runout` says how the second derivative ends: at 0, level, or
    in a straight line. With `curve` "outcomes" the spline goes through the summed outcomes and its
    slope is the chance: the paper's text, where its program has residuals, and far worse. `bounded`
    keeps the chances in [0, 1] while fitting, not only by clipping. With "cv" ten folds choose the
    knots, and their maps are averaged. Of more than two classes it maps the top label, as `Ranked`;
    `OneVsRest(Spline())` maps class by class.

    >>> from calibrant import binary
    >>> view = binary([0.2] * 5 + [0.9] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0])
    >>> Spline().fit(view)([0.2, 0.9]).round(2).tolist()
    [0.19, 0.8]
    """

    knots: int | Literal["cv"] = 6
    _: KW_ONLY
    runout: Runout = "natural"
    bounded: bool = False
    curve: Summed = "residuals"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.knots != "cv" and self.knots < self._fewest_knots:
            raise ValueError(
                f"knots must be at least {self._fewest_knots} for runout={self.runout!r}, "
                f"or 'cv'; got {self.knots}"
            )
        if self.knots != "cv":
            check_count("knots", self.knots, 1000)

    def of_many_classes(self) -> Ranked:
        """The top label's chance, as published: class by class, rare classes are distorted."""
        return Ranked(self)

    def chance_rule(self, view: View) -> Points:
        """Least squares, in closed form."""
        rows = len(present(view.w, view.n))
        if self.knots == "cv" and rows > 1:
            return self._by_cv(view, rows)
        knots = self._fewest_knots if self.knots == "cv" else self.knots
        q = self._chances(view.pool, knots)
        return Points(view.pool.p, q, interpolate=True)

    def _by_cv(self, view: View, rows: int) -> Points:
        """The mean of ten maps, of the fewest knots whose error is within 0.1% of the best."""
        folds = held_out(view, min(10, rows), seed=0)
        candidates = self._candidates(rows)
        fits = []
        maps = []
        errors = []
        for fitted, held in folds:
            fit = view[fitted].pool
            rest = view[held].pool
            by_knots = [self._chances(fit, knots) for knots in candidates]
            of_knots = [_squared_error(fit.p, q, rest) for q in by_knots]
            fits.append(fit)
            maps.append(by_knots)
            errors.append(of_knots)
        best = simplest_within(np.mean(errors, axis=0), slack=0.001)
        p = view.pool.p
        chosen = []
        for fit, by_knots in zip(fits, maps, strict=True):
            q = np.interp(p, fit.p, by_knots[best])
            chosen.append(q)
        return Points(p, np.mean(chosen, axis=0), interpolate=True)

    @property
    def _fewest_knots(self) -> int:
        return len(END_CONDITIONS[self.runout]) + 1

    def _candidates(self, rows: int) -> range:
        """Numbers of knots to choose from."""
        most = min(rows // 200, 15) + 2
        fewest = self._fewest_knots
        return range(fewest, max(fewest, most) + 1)

    def _chances(self, pool: Pool, knots: int) -> Array:
        """The calibrated chance of each distinct claim."""
        base = pool.p if self.curve == "residuals" else np.zeros_like(pool.p)
        curve = _Curve(pool, base, knots)
        pieces = cubic_pieces(knots, self.runout)
        gram, moment = curve.normal_equations(pieces)
        heights = np.linalg.solve(gram, moment)
        if self.bounded:
            of_knots = [curve.slopes(pieces, one) for one in np.eye(knots)]
            slopes = np.stack(of_knots, axis=1)
            heights = bounded_heights(heights, gram, base, slopes)
        q = base + curve.slopes(pieces, heights)
        return np.clip(q, 0, 1)


class _Curve:
    """Outcomes less `base`, summed, against fractile, row by row in the order of claims.

    Rows of one claim share its mean outcome, so that their order is irrelevant, and its one
    calibrated chance.
    """

    def __init__(self, pool: Pool, base: Array, knots: int) -> None:
        parts = _parts(pool.w, knots)
        self.w = pool.w
        self.first = np.cumsum(parts) - parts
        self.share = np.repeat(pool.w / parts, parts)
        self.heights = self._heights(pool, base, parts)
        at = np.linspace(0, 1, knots)
        fractiles = self._fractiles()
        self.between_knots = _between(fractiles, at)
        u = np.empty_like(fractiles)
        for rows, knot in zip(self.between_knots, at[:-1], strict=True):
            u[rows] = fractiles[rows] - knot
        powers = [np.ones_like(u), u, u**2, u**3]
        self.powers = np.stack(powers, axis=1)

    def normal_equations(self, pieces: Array) -> tuple[Array, Array]:
        """Those of the weighted least squares of spline against curve."""
        knots = pieces.shape[2]
        gram = np.zeros((knots, knots))
        moment = np.zeros(knots)
        for rows, piece in zip(self.between_knots, pieces, strict=True):
            powers = self.powers[rows]
            heights = self.heights[rows]
            weighted = (powers * self.share[rows, None]).T
            gram += piece.T @ (weighted @ powers) @ piece
            moment += piece.T @ (weighted @ heights)
        return gram, moment

    def slopes(self, pieces: Array, heights: Array) -> Array:
        """The spline's slope at each distinct claim, the mean over its rows."""
        coefficients = pieces @ heights
        derivatives = coefficients[:, 1:] * [1, 2, 3]
        of_rows = np.empty_like(self.share)
        for rows, derivative in zip(self.between_knots, derivatives, strict=True):
            powers = self.powers[rows, :3]
            of_rows[rows] = powers @ derivative
        summed = np.add.reduceat(of_rows * self.share, self.first)
        return summed / self.w

    def _heights(self, pool: Pool, base: Array, parts: Ints) -> Array:
        gap = pool.happened / pool.w - base
        # As published, the curve is read where a row ends and the fractile where it begins.
        half_row = gap * np.minimum(pool.w, 1) / 2
        ahead = np.repeat(half_row, parts)
        residual = self.share * np.repeat(gap, parts)
        summed = np.cumsum(residual) - residual / 2
        return (summed + ahead) / pool.w.sum()

    def _fractiles(self) -> Array:
        middle = np.cumsum(self.share) - self.share / 2
        first = middle[0]
        last = middle[-1]
        return (middle - first) / (last - first)


def _between(fractiles: Array, knots: Array) -> list[slice]:
    """The rows between each two knots."""
    starts = np.searchsorted(fractiles, knots[1:-1])
    edges = [0, *starts, len(fractiles)]
    return [slice(*ends) for ends in pairwise(edges)]


def _parts(w: Array, knots: int) -> Ints:
    """How many rows each claim stands for.

    A heavy claim stands for its rows one by one, up to 10^4 in all. Too few rows for the knots are
    cut finer.
    """
    total = w.sum()
    per_row = min(1.0, 1e4 / total)
    if total < 4 * knots:
        per_row = 1e3 / total
    return np.ceil(w * per_row).astype(np.intp)


def _squared_error(p: Array, q: Array, held: Pool) -> float:
    """The mean squared error of the line through (p, q) on claims held out."""
    chance = np.interp(held.p, p, q)
    missed = held.w - held.happened
    errors = held.happened * (1 - chance) ** 2
    errors += missed * chance**2
    return float(errors.sum() / held.w.sum())
