"""The rule of the first ranks as a module; what no turn-by-turn loop could, a sort and running sums export."""

import torch
from torch import Tensor, nn

from ...families.multiclass.ranked import EachRank
from ...inputs.predictions import Kind
from .chances import Chances
from .claims import SLACK, Vectors

# A class that may not overtake another stays this much below it, or float32 could not tell them apart.
_BELOW = 1 - 2.0**-22


class Ranks(nn.Module):
    """A rule for each of the first ranks; the other classes share what is left."""

    def __init__(self, rule: EachRank, kind: Kind) -> None:
        super().__init__()
        self.ranks, self.keep_order = len(rule.rules), rule.keep_order
        self.chances = Chances(rule.rules, SLACK[kind])

    def forward(self, x: Vectors) -> Tensor:
        """Calibrated chances, (n, k)."""
        # Of equal values the lowest column is first.
        at = x.values.sort(dim=1, descending=True, stable=True).indices[:, : self.ranks]
        first = self.chances(x.by_rank(at))
        if self.keep_order:
            first = first.cummin(1).values
        later, room = first[:, 1:].sum(1, keepdim=True), 1 - first[:, :1]
        scale = torch.where(later > room, room / later.masked_fill(later == 0, 1), 1.0)
        first = torch.cat([first[:, :1], first[:, 1:] * scale], 1)
        if self.keep_order:
            first = _falling(first, x.values.shape[1])
        scores = x.scores().scatter(1, at, -torch.inf)
        left = (1 - first.sum(1, keepdim=True)).clamp(min=0)
        q = (
            _capped(scores, left, first[:, -1:] * _BELOW)
            if self.keep_order
            else scores.softmax(1) * left
        )
        return q.scatter(1, at, first)


def _falling(first: Tensor, k: int) -> Tensor:
    """Chances that fall from rank to rank, none below the mean of what it and all ranks after it share."""
    fallen: list[Tensor] = []
    left = torch.ones_like(first[:, 0])
    for rank, chance in enumerate(first.unbind(1)):
        raised = torch.maximum(chance, left / (k - rank))
        fallen.append(torch.minimum(raised, fallen[-1] * _BELOW) if fallen else raised)
        left = (left - fallen[-1]).clamp(min=0)
    return torch.stack(fallen, 1)


def _capped(scores: Tensor, left: Tensor, cap: Tensor) -> Tensor:
    """What is left shared out in proportion to claims, but to none more than the cap.

    If the m largest get the cap, the others share the rest: m is the least for which the next does not exceed it.
    """
    down, order = scores.sort(dim=1, descending=True, stable=True)
    m = torch.arange(scores.shape[1], device=scores.device)
    tail = down.flip(1).logcumsumexp(1).flip(1)
    share = torch.where(down > -torch.inf, (down - tail).exp(), 0.0)
    high = ((left - m * cap).clamp(min=0) * share > cap).long().cumprod(1)
    count = high.sum(1, keepdim=True)
    free = (left - count * cap).clamp(min=0)
    is_high = torch.zeros_like(high).scatter(1, order, high) > 0
    others = scores.masked_fill(is_high, -torch.inf)
    some = (others > -torch.inf).any(1, keepdim=True)
    return torch.where(
        is_high, cap, torch.where(some, others, 0.0).softmax(1).where(some, 0.0) * free
    )
