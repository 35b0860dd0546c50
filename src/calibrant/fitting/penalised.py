"""Penalised logistic regression under many penalties at once, each with the evidence for it."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .newton import DidNotConverge
from .types import Array, Bools, Ints

# Of the squared Newton decrement: about twice what the loss still lies above its optimum.
_TOLERANCE = 1e-7
# Where outcomes are separable, each step gains about one unit of log odds.
_MOST_STEPS = 1000
# Below it Newton's own step is tried. That of certain claims of much weight is wild, so they come
# nearer to it than others.
_LEAST_DAMPING = 1e-4
_LIGHT = 1e2


class Local(NamedTuple):
    """Columns x of a design whose products are mostly zero.

    `products`, in parts, are those of columns that overlap; `place` is that of each pair of columns
    among them.
    """

    x: Array
    products: list[Array]
    place: Ints


class Fits(NamedTuple):
    """For each penalty: coefficients, their inverse covariance, the log of Laplace's evidence."""

    coefficients: Array
    precision: Array
    log_evidence: Array


def local(x: Array) -> Local:
    """A design of columns that mostly do not overlap, as B-splines do not."""
    n, k = x.shape
    size = np.abs(x)
    overlap = np.tril(size.T @ size)
    i, j = np.nonzero(overlap)
    pairs = len(i)
    place = np.full((k, k), pairs)
    place[i, j] = np.arange(pairs)
    place[j, i] = place[i, j]
    # The last product, of columns further apart, is nothing.
    products = np.zeros((n, pairs + 1))
    products[:, :-1] = x[:, i] * x[:, j]
    # Parts so small that BLAS takes one thread: more of them cost more to wake than they save.
    parts = np.array_split(products, 4, axis=1)
    copies: list[Array] = [part.copy() for part in parts]
    return Local(x, copies, place)


def penalised_logistic(
    design: Local,
    offset: Array,
    w: Array,
    happened: Array,
    penalties: Array,
) -> Fits:
    """Fit log odds offset + x @ a to events `happened` of `w`, under each penalty a @ P @ a / 2."""
    objective = _PenalisedLoss(design, offset, w, happened, penalties)
    here = objective.start()
    damping: Array = np.zeros(len(penalties))
    stalled = damping > 0
    least = min(_LEAST_DAMPING, _LIGHT / float(w.sum()))
    for _ in range(_MOST_STEPS):
        gradient = objective.gradient(here)
        precision = objective.precision(here)
        move = _solve(precision, gradient)
        squared = (gradient * move).sum(1)
        done = squared <= _TOLERANCE
        done |= stalled
        if done.all():
            evidence = _log_evidence(here.loss, penalties, precision)
            return Fits(here.a, precision, evidence)
        if damping.any():
            damped = objective.damped_precision(here, damping)
            move = _solve(damped, gradient)
        fell = objective.advance(here, move)
        # A step that can do no harm and does no good is lost in rounding: nothing is left to gain.
        stalled = ~fell & (damping >= 1)
        damping = _next_damping(damping, fell, least)
    raise DidNotConverge(
        f"the fit did not converge in {_MOST_STEPS} steps; look for extreme scores or weights"
    )


class _Point(NamedTuple):
    """A row for each penalty: coefficients, loss, log odds, chances and those of no event."""

    a: Array
    loss: Array
    eta: Array
    q: Array
    rest: Array

    def take(self, other: "_Point", rows: Bools) -> None:
        """Become another point, in some rows."""
        for own, new in zip(self, other, strict=True):
            own[rows] = new[rows]


@dataclass(frozen=True, eq=False)
class _PenalisedLoss:
    """Losses and their derivatives, for coefficients under every penalty at once."""

    design: Local
    offset: Array
    w: Array
    happened: Array
    penalties: Array

    @cached_property
    def failed(self) -> Array:
        """How many of each claim did not happen."""
        return self.w - self.happened

    def at(self, a: Array) -> _Point:
        """Losses at coefficients, a row for each penalty."""
        eta = a @ self.design.x.T
        eta += self.offset
        # One exponential gives the loss and its slope. Nothing is subtracted from 1 or from
        # another sum: of a row of weight 1e15, what matters would be lost in rounding.
        decay = np.exp(-np.abs(eta))
        growth = 1 + decay
        is_likely = eta > 0
        q = np.where(is_likely, 1, decay)
        q /= growth
        rest = np.where(is_likely, decay, 1)
        rest /= growth
        loss = np.log1p(decay) @ self.w
        loss += np.maximum(eta, 0) @ self.failed
        loss -= np.minimum(eta, 0) @ self.happened
        penalty = a * _times(self.penalties, a)
        loss += penalty.sum(1) / 2
        return _Point(a, loss, eta, q, rest)

    def advance(self, here: _Point, move: Array) -> Bools:
        """Take a move where it lowers the loss, and tell where that is."""
        ahead = self.at(here.a - move)
        fell = _has_fallen(here.loss, ahead.loss)
        here.take(ahead, fell)
        return fell

    def gradient(self, here: _Point) -> Array:
        """Of the loss, under each penalty."""
        excess = self.failed * here.q
        excess -= self.happened * here.rest
        gradient = excess @ self.design.x
        gradient += _times(self.penalties, here.a)
        return gradient

    def precision(self, here: _Point) -> Array:
        """The Hessian of the loss, under each penalty."""
        curvature = self.w * here.q
        curvature *= here.rest
        return self._hessian(curvature)

    def damped_precision(self, here: _Point, damping: Array) -> Array:
        """The Hessian with some of the curvature of a parabola above the loss.

        Far off, Newton's steps are wild. All of that curvature can do no harm but is slow, so each
        penalty takes as little as still lets its loss fall.
        """
        curvature = _majorising_curvature(here.eta)
        curvature *= damping[:, None]
        curvature += here.q * here.rest
        curvature *= self.w
        return self._hessian(curvature)

    def start(self) -> _Point:
        """Nothing added to the offset, or one least squares to raw shares where that is better."""
        a = self._least_squares()
        nothing = self.at(np.zeros_like(a))
        worse = self.at(a).loss > nothing.loss
        a[worse] = 0
        return self.at(a)

    def _least_squares(self) -> Array:
        """Weighted, to the raw shares: from far off it lands nearer than many steps would."""
        share = self.happened + 0.5
        share /= self.w + 1
        rest = 1 - share
        curvature = self.w * share
        curvature *= rest
        hessian = self._hessian(curvature)
        pull = np.log(share / rest)
        pull -= self.offset
        pull *= curvature
        target = pull @ self.design.x
        each = np.broadcast_to(target, hessian.shape[:2])
        return _solve(hessian, each)

    def _hessian(self, curvature: Array) -> Array:
        """That of rows with this curvature, under each penalty."""
        _, products, place = self.design
        sums = [curvature @ part for part in products]
        found = np.concatenate(sums, axis=-1)
        return self.penalties + found[..., place]


def _log_evidence(loss: Array, penalties: Array, precision: Array) -> Array:
    """Laplace's approximation to the log of the evidence for each penalty."""
    _, prior = np.linalg.slogdet(penalties)
    _, posterior = np.linalg.slogdet(precision)
    evidence = (prior - posterior) / 2
    evidence -= loss
    return evidence


def _has_fallen(loss: Array, ahead: Array) -> Bools:
    """Is each loss no greater ahead, but for rounding?"""
    level = loss + 1e-9
    level += 1e-13 * np.abs(loss)
    return ahead <= level


def _next_damping(damping: Array, fell: Bools, least: float) -> Array:
    """Less after a step that lowered the loss, more after one that did not; none below the least."""
    less = damping / 8
    less[damping <= least] = 0
    more = np.clip(8 * damping, 1e-3, 1)
    return np.where(fell, less, more)


def _majorising_curvature(eta: Array) -> Array:
    """That of the parabola touching log(1 + e^eta) at eta and -eta, which is nowhere below it."""
    curvature = np.full_like(eta, 0.25)
    slope = np.tanh(eta / 2)
    np.divide(
        slope,
        2 * eta,
        out=curvature,
        where=eta != 0,
    )
    return curvature


def _times(matrices: Array, rows: Array) -> Array:
    products = matrices @ rows[..., None]
    return products[..., 0]


def _solve(matrices: Array, rows: Array) -> Array:
    solutions = np.linalg.solve(matrices, rows[..., None])
    return solutions[..., 0]
