"""What is read off a network at the end of an epoch, on its own device and without waiting for it."""

from typing import NamedTuple

import torch
from torch import Tensor

BINS = 15
# Newton's steps for a temperature, each kept within what is known of it.
STEPS = 20
FAR = 1e3


class Part(NamedTuple):
    """Logits and labels of validation or test rows."""

    logits: Tensor
    labels: Tensor


def readings(validation: Part, test: Part) -> dict[str, Tensor]:
    """Numbers of both parts, before and after the temperature that validation rows like best."""
    parts = {
        "val": Part(validation.logits.double(), validation.labels),
        "test": Part(test.logits.double(), test.labels),
    }
    beta = inverse_temperature(parts["val"])
    found = {"temperature": 1 / beta}
    for name, part in parts.items():
        top = part.logits.argmax(1)
        found[f"{name}_error"] = (top != part.labels).double().mean()
        for when, scale in (("", 1.0), ("_after", beta)):
            log_p = (scale * part.logits).log_softmax(1)
            found[f"{name}_nll{when}"] = -_entries(log_p, part.labels).mean()
            found[f"{name}_entropy{when}"] = -(log_p.exp() * log_p).sum(1).mean()
            found[f"{name}_ece{when}"] = ece(log_p, part.labels)
    return found


def inverse_temperature(part: Part) -> Tensor:
    """1 / T of the least NLL, by Newton's steps within a bracket; between 1/1000 and 1000."""
    logits, labels = part
    of_label = _entries(logits, labels)
    low, high = logits.new_full((), 1 / FAR), logits.new_full((), FAR)
    beta = logits.new_ones(())
    for _ in range(STEPS):
        p = (beta * logits).softmax(1)
        mean = (p * logits).sum(1)
        slope = (mean - of_label).mean()
        curve = ((p * logits.square()).sum(1) - mean.square()).mean()
        low = torch.where(slope < 0, beta, low)
        high = torch.where(slope < 0, high, beta)
        newton = beta - slope / curve
        inside = (newton > low) & (newton < high)
        # Where the slope is next to nothing the step may fall on an end of the bracket.
        stays = (newton - beta).abs() <= 1e-14 * beta
        middle = (low * high).sqrt()
        beta = torch.where(inside | stays, newton, middle)
    return beta


def ece(log_p: Tensor, labels: Tensor) -> Tensor:
    """ECE of the most probable class in 15 bins (low, high] of equal width."""
    best = log_p.max(1)
    p = best.values.exp()
    gap = p - (best.indices == labels).to(p.dtype)
    places = (p * BINS).ceil().long() - 1
    bins = torch.arange(BINS, device=p.device)
    member = (places[:, None] == bins).to(p.dtype)
    return (gap @ member).abs().sum() / len(p)


def _entries(x: Tensor, places: Tensor) -> Tensor:
    return x.gather(1, places[:, None]).squeeze(1)
