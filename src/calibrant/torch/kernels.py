"""Dirichlet-kernel estimates on torch tensors, on any device, with gradients (001 eq. 6, 18-19).

All of it is in float64. The exponent <z_i / h, log z_j> reaches 87 / h, and its error is the relative error of a
weight: float32 would leave .01 of it at h = .001, and no shift by a near row helps where no row is near. Cards for
data centres multiply float64 matrices about as fast as plain float32 ones, and neither autocast nor TF32 touches them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, inf, lgamma, log
from typing import Any, Literal, Self

import torch
from torch import Tensor

from ..fitting.beta_density import FLOOR as FLOOR
from ..inputs.checks import check_argument
from ..progress import progress
from .checks import batch, refuse_bad_rows, width

Norm = Literal[1, 2]

# Bytes of weights that are kept whole for the gradients.
_SMALL = 2**28
# A block of this many bytes keeps any card busy; more of its memory would gain nothing.
_BLOCK = 2**32
# A block's exponents, weights and gradients at once, and one to spare.
_COPIES = 4
# The processor works on blocks of this many bytes.
_CPU_ROOM = 2**28


def canonical(logits: Tensor, labels: Tensor, *, bandwidth: float) -> Tensor:
    """Chances of the classes among the other rows, those of like claims above all: E[y | f] at each row, (n, k).

    Log-probabilities are logits too. Memory is O(n k): gradients work the n by n weights out again.

    >>> claims = torch.tensor([[0.8, 0.2], [0.8, 0.2], [0.3, 0.7], [0.8, 0.2]], dtype=torch.float64).log()
    >>> canonical(claims, torch.tensor([0, 1, 1, 0]), bandwidth=0.001).round(decimals=3).tolist()
    [[0.5, 0.5], [1.0, 0.0], [0.667, 0.333], [0.5, 0.5]]
    """
    logits, labels = _checked(logits, labels)
    log_p = logits.to(torch.float64).log_softmax(1)
    found = conditional(log_p[None], indicators(labels, log_p)[None], width(bandwidth))[0]
    return found.to(torch.promote_types(logits.dtype, torch.float32))


def canonical_error(logits: Tensor, labels: Tensor, *, bandwidth: float, norm: Norm = 1) -> Tensor:
    """Canonical calibration error (001 eq. 18), for norm 2 its root: a scalar with gradients.

    >>> claims = torch.tensor([[0.8, 0.2]] * 10).log()
    >>> round(canonical_error(claims, torch.tensor([0] * 6 + [1] * 4), bandwidth=0.01).item(), 3)
    0.4
    """
    check_argument("norm", norm, Norm)
    whole = batch(logits, labels)[0].to(torch.float64)
    gap = canonical(whole, labels, bandwidth=bandwidth) - whole.softmax(1)
    error = (gap.abs() ** norm).sum(1).mean() ** (1 / norm)
    return error.to(torch.promote_types(logits.dtype, torch.float32))


def log_likelihood(logits: Tensor, *, bandwidth: float) -> float:
    """Mean log density of each row's claim by the kernels at the others: choose the bandwidth that makes it largest.

    >>> claims = torch.linspace(-2, 2, 50)
    >>> max([0.001, 0.01, 0.1, 1.0], key=lambda h: log_likelihood(claims, bandwidth=h))
    0.1
    """
    logits, _ = _checked(logits, torch.zeros(len(logits), dtype=torch.int64, device=logits.device))
    n, k = logits.shape
    h = width(bandwidth)
    with torch.no_grad():
        claims = Claims.of(logits.to(torch.float64).log_softmax(1)[None], h)
        total = sum(
            float(claims.exponents(rows).logsumexp(-1).sum())
            for rows in claims.blocks("log likelihood")
        )
    return total / n + lgamma(1 / h + k) - log(n - 1)


def indicators(labels: Tensor, like: Tensor) -> Tensor:
    """A 1 in each row at its label's place, of the shape and type of `like`."""
    # Not by scatter: compiled, it forgets the type.
    return (labels[:, None] == torch.arange(like.shape[1], device=like.device)).to(like.dtype)


def conditional(log_p: Tensor, y: Tensor, h: float) -> Tensor:
    """Leave-one-out mean of outcomes `y` (b, n, m) at each claim of `log_p` (b, n, k): b problems in float64.

    It is softmax attention with queries log z, keys z / h and values y, no row attending to itself; n is at least 2.
    """
    return _Conditional.apply(log_p, y, h)  # type: ignore[no-untyped-call]


@dataclass(frozen=True, eq=False)
class Claims:
    """Claimed vectors z, each a place to look from (their logs, floored) and a kernel (alpha, log Gamma functions)."""

    queries: Tensor
    z: Tensor
    alpha: Tensor
    gammas: Tensor
    h: float

    @classmethod
    def of(cls, log_p: Tensor, h: float) -> Self:
        """Claims from log-probabilities (b, n, k)."""
        z = log_p.exp()
        alpha = z / h + 1
        return cls(log_p.clamp_min(FLOOR), z, alpha, alpha.lgamma().sum(-1)[:, None], h)

    def exponents(self, rows: slice) -> Tensor:
        """Log kernels of all rows at some of them, but for what is the same for all; a row's own is -inf."""
        e = torch.baddbmm(self.gammas, self.queries[:, rows], self.z.mT, beta=-1, alpha=1 / self.h)
        e[:, :, rows].diagonal(dim1=1, dim2=2).fill_(-inf)
        return e

    def weights(self, rows: slice) -> Tensor:
        """Shares of all rows in the means at some of them."""
        return self.exponents(rows).softmax(-1)

    @property
    def are_few(self) -> bool:
        """Whether the weights of all rows at once are small."""
        b, n, _ = self.z.shape
        return b * n * n * self.z.element_size() <= _SMALL

    def blocks(self, what: str) -> Iterator[slice]:
        """Rows in blocks whose weights fit in memory."""
        b, n, _ = self.z.shape
        room = min(_room(self.z.device) // _COPIES, _BLOCK) // (b * n * self.z.element_size())
        parts = 1 if self.are_few else ceil(n / max(1, room))
        with progress(what, parts) as tick:
            for start, stop in pairwise(n * part // parts for part in range(parts + 1)):
                yield slice(start, stop)
                tick()


class _Conditional(torch.autograd.Function):
    """Attention whose weights are whole in memory only where they are small."""

    @staticmethod
    def forward(ctx: Any, log_p: Tensor, y: Tensor, h: float) -> Tensor:  # noqa: ANN401 - torch's context has any field
        claims = Claims.of(log_p, h)
        kept = [claims.weights(slice(None))] if claims.are_few else []
        ctx.h = h
        ctx.save_for_backward(claims.queries, claims.z, claims.alpha, claims.gammas, y, *kept)
        if kept:
            return kept[0] @ y
        return torch.cat([claims.weights(rows) @ y for rows in claims.blocks("kernel means")], 1)

    @staticmethod
    def backward(ctx: Any, above: Tensor) -> tuple[Tensor, None, None]:  # noqa: ANN401
        # What torch has for this lets second gradients of some inputs pass, without what is left out.
        if torch.is_grad_enabled() and not torch.compiler.is_compiling():
            raise RuntimeError(
                "kernel means have first gradients only; leave out create_graph=True"
            )
        queries, z, alpha, gammas, y, *kept = ctx.saved_tensors
        claims = Claims(queries, z, alpha, gammas, ctx.h)
        above = above / ctx.h

        def pull(rows: slice, weights: Tensor) -> Tensor:
            """Gradients of the exponents, over h."""
            return torch.ops.aten._softmax_backward_data(
                above[:, rows] @ y.mT, weights, -1, weights.dtype
            )

        if kept:
            pulled = pull(slice(None), kept[0])
            to_queries, to_keys, mass = pulled @ z, pulled.mT @ queries, pulled.sum(1)
        else:
            to_queries, to_keys, mass = (
                torch.empty_like(z),
                torch.zeros_like(z),
                z.new_zeros(z.shape[:2]),
            )
            for rows in claims.blocks("gradients of kernel means"):
                pulled = pull(rows, claims.weights(rows))
                torch.bmm(pulled, z, out=to_queries[:, rows])
                to_keys.baddbmm_(pulled.mT, queries[:, rows])
                mass += pulled.sum(1)
        to_z = torch.addcmul(to_keys, alpha.digamma(), mass[..., None], value=-1)
        unfloored = torch.ops.aten.threshold_backward(to_queries, queries, FLOOR)
        return torch.addcmul(unfloored, z, to_z), None, None


def _checked(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    logits, labels = batch(logits, labels)
    if len(logits) < 2:
        raise ValueError("a row is judged by the others, so there must be at least 2 rows; got 1")
    refuse_bad_rows(logits.log_softmax(1).clamp_min(FLOOR), labels)
    return logits, labels


def _room(device: torch.device) -> int:
    if device.type != "cuda":
        return _CPU_ROOM
    unused = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return int(torch.cuda.mem_get_info(device)[0]) + unused
