"""Softmax regression: the mean log loss of a design's logits, and its derivatives."""

from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from .linear_designs import Design, weigh
from .newton_cg import LinearOperator, Point
from .types import Array, Ints
from .weights import Weights, some, total, weighted

AnyDesign = TypeVar("AnyDesign", bound=Design)
LEAST_CURVATURE = 1e-9  # as a share of the residual


class SoftmaxLoss(Generic[AnyDesign]):
    """Mean log loss of a design's logits plus a ridge about `centre`, a function of variables."""

    def __init__(
        self,
        design: AnyDesign,
        labels: Ints,
        w: Weights,
        *,
        ridge: Array | float = 0.0,
        centre: Array | float = 0.0,
    ) -> None:
        self.design = design
        self.labels = labels
        self.w = w
        self.ridge = ridge
        self.centre = centre
        self._total = total(w, len(design.z))

    @property
    def tolerance(self) -> float:
        """Half its square is about what the loss may lie above its optimum."""
        if self._type == np.float32:
            return 1e-4  # float32 allows no more
        return 1e-7

    @property
    def _type(self) -> np.dtype[Any]:
        return self.design.z.dtype

    def __call__(self, x: Array) -> Point:
        """The loss at x, with its gradient and its Hessian-vector product."""
        # Rounded as the products will be, or value and slope would speak of different points.
        x = x.astype(self._type)
        x = x.astype(np.float64)
        chances, loss, gradient = self._pass(x)
        away = x - self.centre
        squares = self.ridge * away**2
        loss += float(squares.sum()) / 2
        gradient += self.ridge * away
        product = partial(self._hessian_product, chances)
        return Point(loss, gradient, product, partial(self._preconditioner, chances))

    def chances(self, x: Array) -> Array:
        """What x gives each class, (n, k)."""
        chances, _, _ = self._pass(x)
        return chances

    def curvature(self, chances: Array) -> Array:
        """The weighted variance p (1 - p) of each class in each row, (n, k).

        A little of the residual is added: without it a row wrong with certainty would have no
        curvature, and so no say.
        """
        residual = chances.copy()
        residual[np.arange(len(residual)), self.labels] -= 1
        np.abs(residual, out=residual)
        residual *= LEAST_CURVATURE
        curvature: Array = 1 - chances
        curvature *= chances
        curvature += residual
        weigh(curvature, self.w, slice(None))
        return curvature

    def _pass(self, x: Array) -> tuple[Array, float, Array]:
        """Chances of every row, mean log loss, and its gradient."""
        design = self.design
        chances = np.empty_like(design.z)
        # By block, so that threads do not change the order of the sum.
        starts = [rows.start for rows in design.blocks]
        losses = dict.fromkeys(starts, 0.0)

        def work(rows: slice, logits: Array) -> None:
            p = chances[rows]
            losses[rows.start] = self._to_residuals(rows, logits, p)

        gradient = design.round_trip(x, work)
        gradient /= self._total
        loss = float(np.sum(list(losses.values())))
        return chances, loss / self._total, gradient

    def _to_residuals(self, rows: slice, logits: Array, p: Array) -> float:
        """Turn logits into weighted residuals, put chances in p, and give the summed loss."""
        each = np.arange(len(logits))
        right = each, self.labels[rows]
        logits -= logits.max(1, keepdims=True)
        at_label = logits[right].astype(np.float64)
        np.exp(logits, out=p)
        sums = p.sum(1, keepdims=True)
        p /= sums
        losses = np.log(sums[:, 0], dtype=np.float64)
        losses -= at_label
        np.copyto(logits, p)
        logits[right] -= 1
        weigh(logits, self.w, rows)
        w = some(self.w, rows)
        return float(weighted(losses, w).sum())

    def _preconditioner(self, chances: Array, products: int) -> LinearOperator:
        curvature = self.curvature(chances)
        curvature /= self._total
        return self.design.preconditioner(curvature, self.ridge, products)

    def _hessian_product(self, chances: Array, v: Array) -> Array:
        """The Hessian at these chances times v."""

        def work(rows: slice, u: Array) -> None:
            p = chances[rows]
            u *= p
            u -= p * u.sum(1, keepdims=True)
            weigh(u, self.w, rows)

        product = self.design.round_trip(v, work)
        product /= self._total
        product += self.ridge * v
        return product
