"""Kernel estimates of calibration on torch tensors, with gradients (Popordanoska et al. 2022)."""

from math import lgamma, log
from typing import Literal

import torch
from torch import Tensor

from ..fitting.beta_density import FLOOR
from ..inputs.checks import check_argument
from .checks import batch, checked_bandwidth, refuse_bad_rows, result_type
from .leave_one_out import DirichletKernels, conditional

Norm = Literal[1, 2]


def canonical(logits: Tensor, labels: Tensor, *, bandwidth: float) -> Tensor:
    """Chances of the classes among the other rows, those of like claims above all.

    It estimates E[y | f] at each row, (n, k). Log-probabilities are logits too. Memory is O(n k):
    gradients work the n by n weights out again.

    >>> p = torch.tensor([[0.8, 0.2], [0.8, 0.2], [0.3, 0.7], [0.8, 0.2]], dtype=torch.float64)
    >>> q = canonical(p.log(), torch.tensor([0, 1, 1, 0]), bandwidth=0.001)
    >>> q.round(decimals=3).tolist()
    [[0.5, 0.5], [1.0, 0.0], [0.667, 0.333], [0.5, 0.5]]
    """
    logits, labels = _checked(logits, labels)
    h = checked_bandwidth(bandwidth)
    log_p = logits.to(torch.float64).log_softmax(1)
    y = indicators(labels, log_p)
    (q,) = conditional(log_p[None], y[None], h)
    return q.to(result_type(logits))


def canonical_error(logits: Tensor, labels: Tensor, *, bandwidth: float, norm: Norm = 1) -> Tensor:
    """Canonical calibration error (Popordanoska et al. 2022), for norm 2 its root, with gradients.

    >>> logits = torch.tensor([[0.8, 0.2]] * 10).log()
    >>> error = canonical_error(logits, torch.tensor([0] * 6 + [1] * 4), bandwidth=0.01)
    >>> round(error.item(), 3)
    0.4
    """
    check_argument("norm", norm, Norm)
    logits, labels = batch(logits, labels)
    exact = logits.to(torch.float64)
    q = canonical(exact, labels, bandwidth=bandwidth)
    gap = q - exact.softmax(1)
    distance = (gap.abs() ** norm).sum(1)
    error = distance.mean() ** (1 / norm)
    return error.to(result_type(logits))


def log_likelihood(logits: Tensor, *, bandwidth: float) -> float:
    """Mean log density of each row's claim by the kernels at the other rows.

    Choose the bandwidth that makes it largest.

    >>> logits = torch.linspace(-2, 2, 50)
    >>> max([0.001, 0.01, 0.1, 1.0], key=lambda h: log_likelihood(logits, bandwidth=h))
    0.1
    """
    any_labels = torch.zeros(
        len(logits),
        dtype=torch.int64,
        device=logits.device,
    )
    logits, _ = _checked(logits, any_labels)
    n, k = logits.shape
    h = checked_bandwidth(bandwidth)
    total = 0.0
    with torch.no_grad():
        log_p = logits.to(torch.float64).log_softmax(1)
        kernels = DirichletKernels.at(log_p[None], h)
        for rows in kernels.blocks("log likelihood"):
            density = kernels.exponents(rows).logsumexp(-1)
            total += float(density.sum())
    mean = total / n
    return mean + lgamma(1 / h + k) - log(n - 1)


def indicators(labels: Tensor, like: Tensor) -> Tensor:
    """A 1 in each row at its label's place, of the shape and type of `like`."""
    # Not by scatter: compiled, it forgets the type.
    classes = torch.arange(like.shape[1], device=like.device)
    return (labels[:, None] == classes).to(like.dtype)


def _checked(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    logits, labels = batch(logits, labels)
    if len(logits) < 2:
        raise ValueError("a row is judged by the others, so there must be at least 2 rows; got 1")
    floored = logits.log_softmax(1).clamp_min(FLOOR)
    refuse_bad_rows(floored, labels)
    return logits, labels
