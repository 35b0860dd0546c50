"""Losses beside their formulas in numpy, obviously right."""

from collections.abc import Callable
from math import exp, inf

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import betaln, expit, log_softmax, logsumexp, softmax
from shared_torch import dense, drawn
from torch import Tensor

from calibrant.torch.kernels import Norm
from calibrant.torch.losses import (
    MMCE,
    ConfidenceGap,
    DualFocal,
    EntropyPenalty,
    Focal,
    Focal53,
    KDECalibration,
    KDEMeanSquared,
    LabelSmoothing,
    Loss,
    WeightedMMCE,
)
from calibrant.torch.losses.kde import Asks

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Value = Callable[[Floats, Ints], float]

H = 0.02


def kernel_means(p: Floats, y: Floats, h: float = H) -> Floats:
    """Leave-one-out means by the Beta kernel, log(0) read as -87; a loop, so plainly right."""
    with np.errstate(divide="ignore"):
        log_p = np.maximum(np.log(p), -87)
        log_1p = np.maximum(np.log1p(-p), -87)
    a = p / h + 1
    b = (1 - p) / h + 1
    found = np.empty(len(p))
    for row in range(len(p)):
        exponents = (a - 1) * log_p[row] + (b - 1) * log_1p[row] - betaln(a, b)
        exponents[row] = -inf
        weights = np.exp(exponents - logsumexp(exponents))
        found[row] = weights @ y
    return found


def pair_means(p: Floats, y: Floats, h: float = H) -> float:
    """Eq. 14 of Popordanoska et al. 2022, by all pairs."""
    a = p / h + 1
    b = (1 - p) / h + 1
    log_p = np.log(p)[:, None]
    log_1p = np.log1p(-p)[:, None]
    kernel = np.exp((a - 1) * log_p + (b - 1) * log_1p - betaln(a, b))
    np.fill_diagonal(kernel, 0)
    squares = kernel**2
    above = (kernel @ y) ** 2 - squares @ y
    below = kernel.sum(1) ** 2 - squares.sum(1)
    return float(np.mean(above / below))


def confidence(z: Floats, y: Ints) -> tuple[Floats, Floats]:
    """The largest chance of each row, and whether it is the label's."""
    right = z.argmax(1) == y
    return softmax(z, axis=1).max(1), right.astype(float)


def label_chance(z: Floats, y: Ints) -> Floats:
    """What each row claims of its label."""
    return softmax(z, axis=1)[np.arange(len(y)), y]


def canonical_term(z: Floats, y: Ints, norm: Norm) -> float:
    """Whole vectors."""
    gap = dense(z, y, H) - softmax(z, axis=1)
    return float((np.abs(gap) ** norm).sum(1).mean())


def classwise_term(z: Floats, y: Ints, norm: Norm) -> float:
    """One class at a time."""
    p = softmax(z, axis=1)
    gaps = []
    for k in range(z.shape[1]):
        happened = (y == k).astype(float)
        gaps.append(kernel_means(p[:, k], happened) - p[:, k])
    return float((np.abs(gaps) ** norm).mean())


def top_label_term(z: Floats, y: Ints, norm: Norm) -> float:
    """The most probable class."""
    r, right = confidence(z, y)
    gap = kernel_means(r, right) - r
    return float((np.abs(gap) ** norm).mean())


def mmce(z: Floats, y: Ints) -> float:
    """All pairs of rows, one by one."""
    r, right = confidence(z, y)
    residual = right - r
    total = 0.0
    for i in range(len(y)):
        for j in range(len(y)):
            total += residual[i] * residual[j] * exp(-abs(r[i] - r[j]) / 0.4)
    return float(np.sqrt(total) / len(y))


def weighted_mmce(z: Floats, y: Ints) -> float:
    """Pairs of wrong rows, of right ones, and of one of each."""
    r, right = confidence(z, y)
    wrong = r[right == 0]
    well = r[right == 1]

    def together(a: Floats, b: Floats, value: Callable[[float, float], float]) -> float:
        terms = [value(s, t) * exp(-abs(s - t) / 0.4) for s in a for t in b]
        return sum(terms) / max(1, len(terms))

    both_wrong = together(wrong, wrong, lambda s, t: s * t)
    both_right = together(well, well, lambda s, t: (1 - s) * (1 - t))
    mixed = together(well, wrong, lambda s, t: (1 - s) * t)
    return float(np.sqrt(max(0.0, both_wrong + both_right - 2 * mixed)))


def focal(gamma: float) -> Value:
    """The focal loss of one gamma."""

    def value(z: Floats, y: Ints) -> float:
        p = label_chance(z, y)
        return float(-np.mean((1 - p) ** gamma * np.log(p)))

    return value


def focal53(z: Floats, y: Ints) -> float:
    """The focal loss whose gamma is each row's own."""
    p = label_chance(z, y)
    gamma = np.where(p < 0.2, 5, 3)
    return float(-np.mean((1 - p) ** gamma * np.log(p)))


def dual_focal(z: Floats, y: Ints) -> float:
    """Row by row."""
    total = 0.0
    for p, label in zip(softmax(z, axis=1), y, strict=True):
        below = p[p < p[label]]
        next_one = below.max() if len(below) else 0
        total -= (1 - p[label] + next_one) ** 5 * np.log(p[label])
    return total / len(y)


def confidence_gap(z: Floats, y: Ints) -> float:
    """Mean confidence from accuracy."""
    r, right = confidence(z, y)
    return float(abs(r.mean() - right.mean()))


def entropy(z: Floats, _: Ints) -> float:
    """Minus the entropy of the claims."""
    terms = softmax(z, axis=1) * log_softmax(z, axis=1)
    return float(terms.sum(1).mean())


def squared_and_kernel(z: Floats, y: Ints) -> float:
    """Squared error, and .3 times the squared chance."""
    p = expit(z[:, 1] - z[:, 0])
    error = np.mean((p - y) ** 2)
    return float(error + 0.3 * pair_means(p, y.astype(float)))


def smoothed(z: Floats, y: Ints) -> float:
    """Cross-entropy to softened labels."""
    k = z.shape[1]
    target = 0.9 * np.eye(k)[y] + 0.1 / k
    return float(-(target * log_softmax(z, axis=1)).sum(1).mean())


TERMS: dict[Asks, Callable[[Floats, Ints, Norm], float]] = {
    "canonical": canonical_term,
    "classwise": classwise_term,
    "top_label": top_label_term,
}


def at_norm(formula: Callable[[Floats, Ints, Norm], float], norm: Norm) -> Value:
    """A term's formula with its norm."""
    return lambda z, y: formula(z, y, norm)


NORMS: tuple[Norm, ...] = (1, 2)
# Each loss, its formula, and how many classes to try it on.
LOSSES: dict[str, tuple[Loss, Value, int]] = {
    f"{view}, norm {norm}": (
        KDECalibration(view, norm=norm, bandwidth=H),
        at_norm(formula, norm),
        4,
    )
    for view, formula in TERMS.items()
    for norm in NORMS
}
LOSSES |= {
    "KDE mean squared": (KDEMeanSquared(0.3, bandwidth=H), squared_and_kernel, 2),
    "MMCE": (MMCE(), mmce, 4),
    "weighted MMCE": (WeightedMMCE(), weighted_mmce, 4),
    "focal 0": (Focal(0), focal(0), 4),
    "focal .5": (Focal(0.5), focal(0.5), 4),
    "focal 3": (Focal(), focal(3), 4),
    "focal 53": (Focal53(), focal53, 4),
    "dual focal": (DualFocal(), dual_focal, 4),
    "confidence gap": (ConfidenceGap(), confidence_gap, 4),
    "label smoothing": (LabelSmoothing(0.1), smoothed, 4),
    "entropy": (EntropyPenalty(), entropy, 4),
}


def drawn_batch(n: int, k: int, seed: int = 0) -> tuple[Floats, Ints]:
    """Logits that are neither timid nor saturated, and labels."""
    return drawn(n, k, 1.5, seed)


def slope(
    loss: Callable[[Tensor, Tensor], Tensor],
    logits: Tensor,
    labels: Tensor,
) -> tuple[Tensor, Tensor]:
    """The loss and its gradient."""
    logits = logits.detach().requires_grad_()
    value = loss(logits, labels)
    (gradient,) = torch.autograd.grad(value, logits)
    return value.detach(), gradient
