"""Leave-one-out means by Dirichlet kernels, on any device, with gradients.

All of it is in float64. The exponent <z_i / h, log z_j> reaches 87 / h, and its error is the
relative error of a weight: float32 would leave .01 of it at h = .001, and no shift by a near row
helps where no row is near. Cards for data centres multiply float64 matrices about as fast as plain
float32 ones, and neither autocast nor TF32 touches them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, inf
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor

from ..fitting.beta_density import FLOOR
from ..progress import progress

# Bytes of weights that are kept whole for the gradients.
_SMALL = 2**28
# A block of this many bytes keeps any card busy; more of its memory would gain nothing.
_BLOCK = 2**32
# A block's exponents, weights and gradients at once, and one to spare.
_COPIES = 4
# The processor works on blocks of this many bytes.
_CPU_ROOM = 2**28


def conditional(log_p: Tensor, y: Tensor, h: float) -> Tensor:
    """Leave-one-out mean of outcomes `y` (b, n, m) at each claim of `log_p` (b, n, k).

    These are b problems in float64. Each is softmax attention with queries log z, keys z / h and
    values y, no row attending to itself; n is at least 2.
    """
    return _Conditional.apply(log_p, y, h)  # type: ignore[no-untyped-call]


@dataclass(frozen=True, eq=False)
class DirichletKernels:
    """Kernels Dirichlet(z / h + 1) about claimed vectors z, and the claims as places to look from.

    `queries` are the logs of z, floored; `gammas` the sums of log Gamma(alpha).
    """

    queries: Tensor
    z: Tensor
    alpha: Tensor
    gammas: Tensor
    h: float

    @classmethod
    def at(cls, log_p: Tensor, h: float) -> Self:
        """Kernels at claims whose log-probabilities are (b, n, k)."""
        z = log_p.exp()
        alpha = z / h + 1
        gammas = alpha.lgamma().sum(-1)
        return cls(
            queries=log_p.clamp_min(FLOOR),
            z=z,
            alpha=alpha,
            gammas=gammas[:, None],
            h=h,
        )

    def exponents(self, rows: slice) -> Tensor:
        """Log kernels of all rows at some of them, up to a constant; a row's own is -inf."""
        queries = self.queries[:, rows]
        found = torch.baddbmm(
            self.gammas,
            queries,
            self.z.mT,
            beta=-1,
            alpha=1 / self.h,
        )
        own = found[:, :, rows].diagonal(dim1=1, dim2=2)
        own.fill_(-inf)
        return found

    def weights(self, rows: slice) -> Tensor:
        """Shares of all rows in the means at some of them."""
        return self.exponents(rows).softmax(-1)

    @property
    def are_few(self) -> bool:
        """Whether the weights of all rows at once are small."""
        n = self.z.shape[1]
        return n * self._bytes_a_row <= _SMALL

    def blocks(self, what: str) -> Iterator[slice]:
        """Rows in blocks whose weights fit in memory."""
        n = self.z.shape[1]
        parts = 1
        if not self.are_few:
            room = min(_room(self.z.device) // _COPIES, _BLOCK)
            rows_a_block = max(1, room // self._bytes_a_row)
            parts = ceil(n / rows_a_block)
        ends = [n * part // parts for part in range(parts + 1)]
        with progress(what, parts) as tick:
            for start, stop in pairwise(ends):
                yield slice(start, stop)
                tick()

    @property
    def _bytes_a_row(self) -> int:
        """Of the weights of all rows at one row of every problem."""
        b, n, _ = self.z.shape
        return b * n * self.z.element_size()


class _Conditional(torch.autograd.Function):
    """Attention whose weights are whole in memory only where they are small."""

    @staticmethod
    def forward(ctx: Any, log_p: Tensor, y: Tensor, h: float) -> Tensor:  # noqa: ANN401 - torch's context has any field
        kernels = DirichletKernels.at(log_p, h)
        kept = [kernels.weights(slice(None))] if kernels.are_few else []
        ctx.h = h
        ctx.save_for_backward(
            kernels.queries,
            kernels.z,
            kernels.alpha,
            kernels.gammas,
            y,
            *kept,
        )
        if kept:
            return kept[0] @ y
        means = [kernels.weights(rows) @ y for rows in kernels.blocks("kernel means")]
        return torch.cat(means, 1)

    @staticmethod
    def backward(ctx: Any, above: Tensor) -> tuple[Tensor, None, None]:  # noqa: ANN401
        _refuse_second_gradients()
        queries, z, alpha, gammas, y, *kept = ctx.saved_tensors
        kernels = DirichletKernels(queries, z, alpha, gammas, ctx.h)
        above = above / ctx.h
        if kept:
            to_queries, to_keys, mass = _slopes_at_once(kernels, kept[0], above, y)
        else:
            to_queries, to_keys, mass = _slopes_in_blocks(kernels, above, y)
        of_gammas = alpha.digamma()
        to_z = torch.addcmul(to_keys, of_gammas, mass[..., None], value=-1)
        unfloored = torch.ops.aten.threshold_backward(to_queries, queries, FLOOR)
        return torch.addcmul(unfloored, z, to_z), None, None


class _Slopes(NamedTuple):
    """Gradients that reach queries, keys, and each key's log Gamma functions (the mass)."""

    queries: Tensor
    keys: Tensor
    mass: Tensor


def _slopes_at_once(
    kernels: DirichletKernels,
    weights: Tensor,
    above: Tensor,
    y: Tensor,
) -> _Slopes:
    pulled = _pulled(weights, above, y)
    return _Slopes(
        queries=pulled @ kernels.z,
        keys=pulled.mT @ kernels.queries,
        mass=pulled.sum(1),
    )


def _slopes_in_blocks(kernels: DirichletKernels, above: Tensor, y: Tensor) -> _Slopes:
    z = kernels.z
    to_queries = torch.empty_like(z)
    to_keys = torch.zeros_like(z)
    mass = z.new_zeros(z.shape[:2])
    for rows in kernels.blocks("gradients of kernel means"):
        # Weights are given no name here, so that their memory is free for the next block.
        pulled = _pulled(kernels.weights(rows), above[:, rows], y)
        torch.bmm(pulled, z, out=to_queries[:, rows])
        to_keys.baddbmm_(pulled.mT, kernels.queries[:, rows])
        mass += pulled.sum(1)
    return _Slopes(to_queries, to_keys, mass)


def _pulled(weights: Tensor, above: Tensor, y: Tensor) -> Tensor:
    """Gradients of the exponents, from those `above` of the means."""
    of_weights = above @ y.mT
    return torch.ops.aten._softmax_backward_data(of_weights, weights, -1, weights.dtype)


def _refuse_second_gradients() -> None:
    # What torch has for this lets second gradients of some inputs pass, without what is left out.
    if torch.is_grad_enabled() and not torch.compiler.is_compiling():
        reason = "kernel means have first gradients only"
        raise RuntimeError(f"{reason}; leave out create_graph=True")


def _room(device: torch.device) -> int:
    """Bytes that may be used at once."""
    if device.type != "cuda":
        return _CPU_ROOM
    free, _ = torch.cuda.mem_get_info(device)
    reserved = torch.cuda.memory_reserved(device)
    used = torch.cuda.memory_allocated(device)
    return int(free) + reserved - used
