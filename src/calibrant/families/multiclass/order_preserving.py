"""Order-preserving maps: gaps between a row's logits are stretched, and every rank stays."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Literal, NamedTuple

import numpy as np

from ...fitting.blocks import working_type
from ...fitting.newton import Certificate, Derivatives, minimise
from ...fitting.types import Array
from ...inputs.views import Canonical
from ..family import VectorFamily
from ..numpy_operations import NUMPY
from ..operations import Operations, Value, Vectors
from ..rules import Fact, LogitRule
from .depths import BENDS, SURENESS, depths, steps
from .stretched_loss import StretchedLoss, precision_matrix
from .temperature import Temperature

Kind = Literal["invariant", "preserving", "diagonal"]
# No gap is shrunk to less than this share of what the best temperature leaves: it would become a
# tie.
_LEAST = 1e-3
# As if so many observations had said that the best temperature is enough, strongest first.
_STRENGTHS = (256.0, 32.0, 4.0, 0.5)
# Half its square, 5e-11, is what the log loss may lie above its optimum.
_TOLERANCE = 1e-5
# What the log loss may rise to keep the order where the best temperature is infinite.
_PRICE_OF_ORDER = 1e-9


@dataclass(frozen=True, eq=False)
class Stretched(LogitRule):
    """Logits times `inverse`, then a rising curve of their depths and factors that differ by row.

    The curve is a line between the depths `bends`, with these slopes. A row's factor is a line of
    its sureness, plus the mean of `by_class_factor` over its chances.
    """

    tag = "stretched"
    kind: Kind
    inverse: float
    bends: Array
    slopes: Array
    sureness: Array
    by_sureness: Array
    by_class_factor: Array
    least: float  # of all slopes
    least_entropy: float
    certificate: Certificate

    def logits(self, x: Vectors, ops: Operations) -> Value:
        below, depth = depths(x.scores, self.inverse, ops)
        of_steps = steps(depth, self.bends, ops)
        curve = 0.0
        for step, slope in zip(of_steps, self.slopes, strict=True):
            curve = curve + step * (slope - self.least)
        # Depths have lost digits that distances below the top still have: with them it stays the
        # top.
        factor = self._factor(depth, ops)
        return ops.row_min(curve) - curve - below * factor

    def facts(self) -> Iterator[Fact]:
        yield Fact("temperature", 1 / self.inverse, "logits are divided by it first")
        depths = self.bends.tolist()
        slopes = self.slopes.tolist()
        for depth, slope in zip(depths, slopes, strict=True):
            claim = 100 * np.exp(-depth)
            meaning = f"of the log-probability of claims below {claim:.3g}%"
            yield Fact(f"slope from {depth:g}", slope, meaning)
        if self.kind != "diagonal":
            meaning = "of a row's logits, among rows more and less sure"
            yield from _least_and_largest("factor", self.by_sureness, meaning)
        if self.kind == "preserving":
            meaning = "added to it by the likely classes"
            yield from _least_and_largest("class factor", self.by_class_factor, meaning)

    def _factor(self, depth: Value, ops: Operations) -> Value:
        """By what a row's distances below the top are multiplied."""
        if self.kind == "diagonal":
            return self.least
        p = ops.exp(-depth)
        entropy = ops.row_sum(p * depth)
        floored = ops.maximum(entropy, self.least_entropy)
        sureness = -ops.log(floored)
        by_sureness = ops.line(sureness, self.sureness, self.by_sureness)
        factor = by_sureness + self.least
        if self.kind == "preserving":
            factor = factor + ops.row_sum(p * self.by_class_factor)
        return factor


def _least_and_largest(name: str, x: Array, meaning: str) -> Iterator[Fact]:
    low = float(x.min())
    high = float(x.max())
    yield Fact(f"least {name}", low, meaning)
    yield Fact(f"largest {name}", high, meaning)


@dataclass(frozen=True)
class OrderPreserving(VectorFamily):
    """The best temperature, then a rising curve of log-probabilities (Rahimi et al. 2020).

    Accuracy and every rank stay what they were. `diagonal` is that curve; `invariant` adds factors
    by the row's entropy, `preserving` also by its likely classes. All are linear in coefficients
    above zero, so each fit is convex. Fits under priors of several strengths, centred on the best
    temperature, are averaged by their evidence; the certificate is that of the least exact of them.

    >>> from calibrant import samples, nll, Temperature
    >>> fit_on, test = samples.load("c100-resnet18")
    >>> families = Temperature(), OrderPreserving()
    >>> [round(nll(family.fit(fit_on).apply(test)), 3) for family in families]
    [0.904, 0.879]
    """

    _: KW_ONLY
    kind: Kind = "invariant"

    def vector_rule(self, view: Canonical) -> Stretched:
        """Newton's method from the best temperature, under each strength in turn."""
        tempered = Temperature().vector_rule(view)
        inverse = tempered.inverse or _least_inverse(view.scores)
        working = working_type(view.scores)
        scores = view.scores.astype(working, copy=False)
        _, depth = depths(scores, inverse, NUMPY)
        shares = _shares(self.kind, depth)
        loss = StretchedLoss(view, depth, shares)
        fits = self._fits(loss, view.pred.k)
        mean, certificate = _average(fits)
        first = len(BENDS)
        second = first + len(SURENESS)
        slopes, by_sureness, by_class_factor = np.split(mean, [first, second])
        return Stretched(
            self.kind,
            inverse,
            BENDS,
            slopes,
            SURENESS,
            by_sureness,
            by_class_factor,
            _LEAST,
            _least_entropy(),
            certificate,
        )

    def _fits(self, loss: StretchedLoss, k: int) -> list["_Fit"]:
        """A fit for each strength of the prior, begun where the last one ended."""
        by_row = self.kind != "diagonal"
        by_class = self.kind == "preserving"
        centre, precision = precision_matrix(k, by_row=by_row, by_class=by_class)
        start = centre
        fits = []
        for strength in _STRENGTHS:
            posterior = _Posterior(loss, centre, strength * precision)
            fit = posterior.fit(start)
            fits.append(fit)
            start = fit.x
        return fits


class _Fit(NamedTuple):
    x: Array
    log_evidence: float
    certificate: Certificate


class _Posterior:
    """Mean log loss plus a normal prior around `centre`."""

    def __init__(self, loss: StretchedLoss, centre: Array, precision: Array) -> None:
        self._loss = loss
        self._centre = centre
        self._precision = precision
        self._last: Derivatives

    def fit(self, start: Array) -> _Fit:
        """The mode, and the evidence for the prior by Laplace's approximation."""
        x, certificate = minimise(self._derivatives, start, lower=_LEAST, tolerance=_TOLERANCE)
        total = self._loss.total
        value, _, hessian = self._last
        prior_volume = np.linalg.slogdet(self._precision)[1]
        posterior_volume = np.linalg.slogdet(hessian * total)[1]
        log_evidence = (prior_volume - posterior_volume) / 2 - value * total
        return _Fit(x, log_evidence, certificate)

    def _derivatives(self, x: Array) -> Derivatives:
        value, gradient, hessian = self._loss(x)
        total = self._loss.total
        gap = x - self._centre
        pull = self._precision @ gap / total
        value += float(pull @ gap) / 2
        hessian = hessian + self._precision / total
        self._last = value, gradient + pull, hessian
        return self._last


def _average(fits: list[_Fit]) -> tuple[Array, Certificate]:
    """The mean of the coefficients by their evidence, and the certificate of the least exact."""
    evidence = np.array([fit.log_evidence for fit in fits])
    weight = np.exp(evidence - evidence.max())
    coefficients = np.array([fit.x for fit in fits])
    mean = weight @ coefficients / weight.sum()
    worst = max(fits, key=lambda fit: fit.certificate.slope)
    return mean, worst.certificate


def _shares(kind: Kind, depth: Array) -> Array:
    """How much each factor of depth has a say in a row, (n, factors)."""
    if kind == "diagonal":
        return np.empty((len(depth), 0), depth.dtype)
    p = np.exp(-depth)
    entropy = (p * depth).sum(1)
    floored = np.maximum(entropy, _least_entropy())
    sureness = -np.log(floored)
    peaks = np.eye(len(SURENESS))
    hats = [np.interp(sureness, SURENESS, peak) for peak in peaks]
    shares = np.stack(hats, axis=1)
    if kind == "preserving":
        return np.hstack([shares, p], dtype=depth.dtype)
    return shares.astype(depth.dtype)


def _least_entropy() -> float:
    """That of the surest rows."""
    return float(np.exp(-SURENESS[-1]))


def _least_inverse(scores: Array) -> float:
    """One over a temperature so high that, against an infinite one, it costs next to nothing."""
    low = float(scores.min())
    high = float(scores.max())
    return _PRICE_OF_ORDER / max(1.0, high - low)
