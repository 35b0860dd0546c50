"""What is claimed: chances of some events, or whole probability vectors."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from ...inputs.predictions import Kind
from .tables import floored_log

# In log odds, how far rounding may move a claim that is worked out from float32 logits; given ones are not moved.
SLACK: dict[Kind, float] = {"logits": 2.0**-20, "probs": 0.0}


class Claims(NamedTuple):
    """Chances of some events, a column each, and their log odds where a rule asks for them."""

    p: Tensor
    log_odds: Callable[[], Tensor]


@dataclass(frozen=True, eq=False)
class Vectors:
    """Whole probability vectors, as `values` of the kind that the map was fitted on."""

    values: Tensor
    kind: Kind

    def p(self) -> Tensor:
        """Claimed chances."""
        return self.values if self.kind == "probs" else self.values.softmax(1)

    def scores(self) -> Tensor:
        """Logits if they are given, else log-probabilities."""
        return self.values if self.kind == "logits" else floored_log(self.values)

    def log_odds(self) -> Tensor:
        """Of each class against the sum of the others; of the largest, whose 1 - p has lost its digits, by adding."""
        p, k = self.p(), self.values.shape[1]
        top = torch.arange(k, device=p.device) == self.values.argmax(1, keepdim=True)
        if self.kind == "probs":
            rest = torch.where(
                top, p.masked_fill(top, 0).sum(1, keepdim=True), p.sum(1, keepdim=True) - p
            )
            return floored_log(p) - floored_log(rest)
        margin = self.values - self.values.masked_fill(top, -torch.inf).logsumexp(1, keepdim=True)
        return torch.where(top, margin, self.values.log_softmax(1) - (-p.clamp(max=0.5)).log1p())

    def by_class(self) -> Claims:
        """Each class against the rest."""
        p = self.p()

        def log_odds() -> Tensor:
            if self.kind == "logits":
                return self.log_odds()
            # The others of an unlikely class are 1 - p, also where rounding has left the sum a little off one.
            return torch.where(
                p > 0.5, self.log_odds(), floored_log(p) - (-p.clamp(max=0.5)).log1p()
            )

        return Claims(p.clamp(max=1), log_odds)

    def by_rank(self, at: Tensor) -> Claims:
        """The class of each rank, which is in column `at`, against the rest."""
        return Claims(self.p().gather(1, at).clamp(max=1), lambda: self.log_odds().gather(1, at))
