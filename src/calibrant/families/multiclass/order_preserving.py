"""Order-preserving maps: gaps between a row's logits are stretched, and every rank stays."""

from dataclasses import KW_ONLY, dataclass, fields
from typing import NamedTuple

import numpy as np

from ...fitting.blocks import working_type
from ...fitting.newton import Certificate, Derivatives, minimise
from ...fitting.types import Array
from ...inputs.predictions import from_logits
from ...inputs.questions import canonical
from ...inputs.views import Canonical, View
from ..family import Family
from ..numpy_operations import NUMPY
from .depths import BENDS, SURENESS, depths
from .stretched import Kind as Kind
from .stretched import Stretched, StretchedChance
from .stretched_loss import StretchedLoss, precision_matrix
from .temperature import Temperature

# No gap is shrunk to less than this share of what the best temperature leaves: it would become a
# tie.
_LEAST = 1e-3
# As if so many observations had said that the best temperature is enough, strongest first.
_STRENGTHS = (256.0, 32.0, 4.0, 0.5)
# Half its square, 5e-11, is what the log loss may lie above its optimum.
_TOLERANCE = 1e-5
# What the log loss may rise to keep the order where the best temperature is infinite.
_PRICE_OF_ORDER = 1e-9


@dataclass(frozen=True)
class OrderPreserving(Family):
    """The best temperature, then a rising curve of log-probabilities (Rahimi et al. 2020).

    Accuracy and every rank stay what they were. `diagonal` is that curve; `invariant` adds factors
    by the row's entropy, `preserving` also by its likely classes. All are linear in coefficients
    above zero, so each fit is convex. Fits under priors of several strengths, centred on the best
    temperature, are averaged by their evidence; the certificate is that of the least exact of them.
    One chance is mapped as two classes, the event and its absence: which of them is likelier stays,
    and the order of rows too if `diagonal`.

    >>> from calibrant import samples, nll, Temperature
    >>> fit_on, test = samples.load("c100-resnet18")
    >>> families = Temperature(), OrderPreserving()
    >>> [round(nll(family.fit(fit_on).apply(test)), 3) for family in families]
    [0.904, 0.879]
    """

    _: KW_ONLY
    kind: Kind = "invariant"

    def chance_rule(self, view: View) -> StretchedChance:
        """That of the event and its absence."""
        z, w, happened = view.odds_pool
        pair = np.stack([-z / 2, z / 2], axis=1)
        weights = np.append(w - happened, happened)
        labels = np.repeat([0, 1], len(z))
        pred = from_logits(np.tile(pair, (2, 1)), labels, weights=weights)
        rule = self.vector_rule(canonical(pred[weights > 0]))
        numbers = [getattr(rule, field.name) for field in fields(rule)]
        return StretchedChance(*numbers)

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
