"""Spline calibration: a smooth curve through the summed residuals, whose slope is what the claims lack."""

from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from ...fitting.pooling import Pool
from ...fitting.types import Array
from ...inputs.views import View
from ..folds import held_out, simplest_within
from .family import ChanceFamily
from .isotonic import Points

Runout = Literal["natural", "parabolic", "cubic"]
_FEWEST: dict[Runout, int] = {"natural": 2, "parabolic": 3, "cubic": 4}


@dataclass(frozen=True)
class Spline(ChanceFamily):
    """Adds to each claim the slope of a cubic spline through summed residuals, with knots spaced evenly by rank.

    `runout` says how its second derivative ends: at 0, level, or in a straight line. `bounded` keeps the chances in
    [0, 1] while fitting, not only by clipping. With "cv" ten folds choose the knots, and their maps are averaged.

    >>> from calibrant import binary
    >>> Spline().fit(binary([0.2] * 5 + [0.9] * 5, [1, 0, 0, 0, 0, 1, 1, 1, 1, 0]))([0.2, 0.9]).round(2).tolist()
    [0.19, 0.8]
    """

    knots: int | Literal["cv"] = 6
    _: KW_ONLY
    runout: Runout = "natural"
    bounded: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        fewest = _FEWEST[self.runout]
        if self.knots != "cv" and self.knots < fewest:
            raise ValueError(
                f"knots must be at least {fewest} for runout={self.runout!r}, or 'cv'; got {self.knots}"
            )

    def chance_rule(self, view: View) -> Points:
        """Least squares, in closed form."""
        rows = view.n if view.w is None else int(np.count_nonzero(view.w))
        if self.knots == "cv" and rows > 1:
            return self._by_cv(view, rows)
        knots = _FEWEST[self.runout] if self.knots == "cv" else self.knots
        return Points(view.pool.p, self._chances(view.pool, knots), interpolate=True)

    def _by_cv(self, view: View, rows: int) -> Points:
        """The fewest knots whose held-out squared error is within 0.1% of the best; the mean of the ten maps."""
        fewest = _FEWEST[self.runout]
        candidates = range(fewest, max(fewest, min(rows // 200, 15) + 2) + 1)
        folds = [
            (view[fitted].pool, view[held].pool)
            for fitted, held in held_out(view, min(10, rows), seed=0)
        ]
        maps = [[self._chances(fit, knots) for knots in candidates] for fit, _ in folds]
        errors = [
            [_squared_error(np.interp(held.p, fit.p, q), held) for q in by_knots]
            for (fit, held), by_knots in zip(folds, maps, strict=True)
        ]
        best = simplest_within(np.mean(errors, axis=0), slack=0.001)
        p = view.pool.p
        ten = [
            np.interp(p, fit.p, by_knots[best])
            for (fit, _), by_knots in zip(folds, maps, strict=True)
        ]
        return Points(p, np.mean(ten, axis=0), interpolate=True)

    def _chances(self, pool: Pool, knots: int) -> Array:
        """The calibrated chance of each distinct claim."""
        rows = _Rows(pool, knots)
        pieces = _pieces(knots, self.runout)
        gram, moment = rows.normal_equations(pieces)
        heights = np.linalg.solve(gram, moment)
        if self.bounded:
            heights = _bounded(
                heights,
                gram,
                pool.p,
                np.stack([rows.slopes(pieces, one) for one in np.eye(knots)], 1),
            )
        return np.clip(pool.p + rows.slopes(pieces, heights), 0, 1)


class _Rows:
    """The summed residuals `curve` against fractile, row by row in the order of claims.

    Rows of one claim share its mean outcome, so that their order is irrelevant, and its one calibrated chance.
    """

    def __init__(self, pool: Pool, knots: int) -> None:
        p, w, happened = pool
        total = w.sum()
        # A heavy claim stands for its rows one by one, up to 10^4 in all; too few rows for the knots are cut finer.
        per_row = min(1.0, 1e4 / total) if total >= 4 * knots else 1e3 / total
        parts = np.ceil(w * per_row).astype(np.intp)
        self.first, self.w = np.cumsum(parts) - parts, w
        self.share = np.repeat(w / parts, parts)
        middle = np.cumsum(self.share) - self.share / 2
        t = (middle - middle[0]) / (middle[-1] - middle[0])
        gap = happened / w - p
        # As published, the curve is read where a row ends and the fractile where it begins.
        ahead = np.repeat(gap * np.minimum(w, 1) / 2, parts)
        residual = self.share * np.repeat(gap, parts)
        self.curve = (np.cumsum(residual) - residual / 2 + ahead) / total
        at = np.linspace(0, 1, knots)
        starts = np.searchsorted(t, at[1:-1])
        self.slices = [slice(*ends) for ends in zip([0, *starts], [*starts, len(t)], strict=True)]
        u = np.concatenate(
            [t[rows] - knot for rows, knot in zip(self.slices, at[:-1], strict=True)]
        )
        self.powers = np.stack([np.ones_like(u), u, u**2, u**3], axis=1)

    def normal_equations(self, pieces: Array) -> tuple[Array, Array]:
        """Those of the weighted least squares of spline against curve."""
        knots = pieces.shape[2]
        gram, moment = np.zeros((knots, knots)), np.zeros(knots)
        for rows, piece in zip(self.slices, pieces, strict=True):
            powers = self.powers[rows]
            weighted = (powers * self.share[rows, None]).T
            gram += piece.T @ (weighted @ powers) @ piece
            moment += piece.T @ (weighted @ self.curve[rows])
        return gram, moment

    def slopes(self, pieces: Array, heights: Array) -> Array:
        """The spline's slope at each distinct claim, the mean over its rows."""
        cubic = pieces @ heights
        row_slopes = np.concatenate(
            [
                self.powers[rows, :3] @ (c[1:] * [1, 2, 3])
                for rows, c in zip(self.slices, cubic, strict=True)
            ]
        )
        return np.add.reduceat(row_slopes * self.share, self.first) / self.w


def _pieces(knots: int, runout: Runout) -> Array:
    """Between each two knots, the coefficients of 1, u, u^2, u^3 as linear functions of the heights at all knots."""
    h = 1 / (knots - 1)
    heights = np.eye(knots)
    left, second = np.eye(knots), np.zeros((knots, knots))
    for i in range(1, knots - 1):
        left[i, i - 1 : i + 2] = 1, 4, 1
        second[i, i - 1 : i + 2] = np.array([1, -2, 1]) * 6 / h**2
    ends = {"natural": [1.0], "parabolic": [1.0, -1.0], "cubic": [1.0, -2.0, 1.0]}[runout]
    left[0, : len(ends)] = ends
    left[-1, knots - len(ends) :] = ends[::-1]
    bend = np.linalg.solve(left, second)
    slope = np.diff(heights, axis=0) / h - h * (2 * bend[:-1] + bend[1:]) / 6
    return np.stack([heights[:-1], slope, bend[:-1] / 2, np.diff(bend, axis=0) / (6 * h)], axis=1)


def _bounded(free: Array, gram: Array, p: Array, slopes: Array) -> Array:
    """Heights nearest to the free optimum, as least squares measures it, that keep every chance in [0, 1].

    Bounds are taken up one by one as they are broken; each problem is a least distance, solved by its dual.
    """
    from scipy.optimize import nnls

    # In these coordinates the squared error is the squared distance to the free optimum.
    to_heights = np.linalg.inv(np.linalg.cholesky(gram / gram.trace())).T
    normals, levels = np.vstack([slopes, -slopes]), np.concatenate([-p, p - 1])
    heights, taken = free, list[int]()
    while True:
        short = levels - normals @ heights
        worst = int(short.argmax())
        if short[worst] <= 1e-9 or worst in taken:
            return heights
        taken.append(worst)
        system = np.vstack([(normals[taken] @ to_heights).T, levels[taken] - normals[taken] @ free])
        one = np.append(np.zeros(len(free)), 1.0)
        residual = system @ nnls(system, one)[0] - one
        heights = free - to_heights @ (residual[:-1] / residual[-1])


def _squared_error(q: Array, held: Pool) -> float:
    return float(
        (held.happened * (1 - q) ** 2 + (held.w - held.happened) * q**2).sum() / held.w.sum()
    )
