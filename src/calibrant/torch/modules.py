"""Fitted maps as modules, so that a network and its calibration are one thing to export and to serve.

What goes in is worked out in float64 and log space, as in the maps themselves, and comes out in float32
at least. A claim from float32 logits within 1e-6, in log odds, of an edge between two steps may fall
on either side.
"""

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from operator import length_hint
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from ..families.maps import ChanceMap, Map, VectorMap
from ..families.multiclass.pair import Pair
from ..families.multiclass.temperature import Temperature
from ..families.operations import GivenClaims, Vectors, read_log_odds
from ..families.rounding import DOUBLE, SINGLE
from ..families.rules import ChanceRule, VectorRule
from ..families.stacking import map_arrays, stack
from ..inputs.checks import check_argument
from ..inputs.predictions import Kind, Predictions, from_logits
from ..progress import progress
from .operations import TorchOperations


def to_module(fitted: Map, *, input: Kind | None = None) -> nn.Module:
    """A module from logits or probabilities to the calibrated chances that the map gives.

    A map of whole vectors takes (n, k), of the kind that it was fitted on. One of one chance takes (n,),
    chances of its event as the map itself does, or log odds with `input="logits"`; where it is of one
    class of two, (n, 2) as well.

    >>> from calibrant import Platt, binary
    >>> module = to_module(Platt().fit(binary([0.2, 0.9], [0, 1])))
    >>> [round(q, 3) for q in module(torch.tensor([0.2, 0.9])).tolist()]
    [0.333, 0.667]
    """
    check_argument("input", input, Kind | None)
    if isinstance(fitted, VectorMap):
        if input not in (None, fitted.kind):
            raise ValueError(
                f"{fitted.family!r} cannot become a module: this map was fitted on {fitted.kind} "
                f"and input is {input}: give {fitted.kind}"
            )
        return VectorModule(fitted)
    if not isinstance(fitted, ChanceMap):
        raise ValueError(f"a module is made of a fitted map, got {type(fitted).__name__}")
    return ChanceModule(fitted, input or "probs")


class Fixed(nn.Module):
    """A module whose buffers stay in float64 when the network around it is cast to another type."""

    def hold(self, name: str, number: ArrayLike) -> None:
        """Keep a number, or many, as a buffer."""
        array = np.array(number, np.float64, order="C")
        self.register_buffer(name, torch.from_numpy(array))

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:  # noqa: FBT001, FBT002 - torch's
        numbers = dict(self.named_buffers(recurse=False))
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        for name, x in numbers.items():
            moved = self.get_buffer(name)
            if moved.dtype != x.dtype:
                setattr(self, name, x.to(moved.device))
        return self


class Formula(Fixed):
    """A rule with its arrays as buffers; rules that stand side by side become one, with tables."""

    def __init__(self, fitted: ChanceMap | VectorMap, rule: VectorRule, kind: Kind) -> None:
        super().__init__()
        self.kind = kind
        self.floor = fitted.floor
        self.family = repr(fitted.family)
        self.rule = _side_by_side(rule)
        map_arrays(self.rule, lambda place, x: self.hold(place.replace(".", "_"), x))

    def held_rule(self) -> Any:  # noqa: ANN401 - a rule with tensors for arrays
        """The rule with its buffers, wherever they have been moved."""
        return map_arrays(self.rule, lambda place, _: self.get_buffer(place.replace(".", "_")))

    def operations(self, given: Tensor) -> TorchOperations:
        """What the formula is worked out with."""
        working = _rounded_type(given)
        slack = SINGLE if working == torch.float32 else DOUBLE
        return TorchOperations(slack if self.kind == "logits" else 0.0, working)

    def vectors(self, given: Tensor, ops: TorchOperations) -> Vectors:
        """What is claimed."""
        return Vectors(given.double(), self.kind, given.shape[1], self.floor, ops)


def _side_by_side(rule: Any) -> Any:  # noqa: ANN401 - a rule of vectors
    """The same, with rules of one chance that stand side by side as one."""
    changed: dict[str, Any] = {}
    for field in fields(rule):
        part = getattr(rule, field.name)
        if isinstance(part, tuple) and part and isinstance(part[0], ChanceRule):
            changed[field.name] = stack(part)
        elif isinstance(part, tuple) and part and isinstance(part[0], VectorRule):
            changed[field.name] = tuple(_side_by_side(each) for each in part)
    return replace(rule, **changed)


class VectorModule(Formula):
    """A map of whole vectors."""

    def __init__(self, fitted: VectorMap) -> None:
        super().__init__(fitted, fitted.rule, fitted.kind)
        self.k = len(fitted.classes)

    def forward(self, values: Tensor) -> Tensor:
        """Calibrated chances, (n, k)."""
        if values.ndim != 2 or values.shape[1] != self.k:
            shape = tuple(values.shape)
            raise ValueError(f"{self.kind} must have shape (n, {self.k}), got {shape}")
        ops = self.operations(values)
        q: Tensor = self.held_rule().formula(self.vectors(values, ops), ops)
        return q.to(_rounded_type(values))

    def extra_repr(self) -> str:
        """The family, and what goes in."""
        return f"{self.family}, {self.kind} of {self.k} classes"


class ChanceModule(Formula):
    """A map of one chance."""

    def __init__(self, fitted: ChanceMap, kind: Kind) -> None:
        super().__init__(fitted, Pair((fitted.rule,), fitted.completes or 0), kind)
        self.completes = fitted.completes is not None

    def forward(self, values: Tensor) -> Tensor:
        """Calibrated chances, of the shape of what goes in."""
        ops = self.operations(values)
        rule = self.held_rule()
        if values.ndim == 1:
            q = ops.columns(rule.rules, self._claims(values.double()[:, None], ops))[:, 0]
        elif values.ndim == 2 and values.shape[1] == 2 and self.completes:
            q = rule.formula(self.vectors(values, ops), ops)
        else:
            whole = " or (n, 2)" if self.completes else ""
            shape = tuple(values.shape)
            raise ValueError(f"{self.kind} must have shape (n,){whole}, got {shape}")
        return q.to(_rounded_type(values))

    def extra_repr(self) -> str:
        """The family, and what goes in."""
        return f"{self.family}, {self.kind}"

    def _claims(self, x: Tensor, ops: TorchOperations) -> GivenClaims:
        if self.kind == "logits":
            return GivenClaims(x.sigmoid(), lambda: x)
        return GivenClaims(x, lambda: read_log_odds(x, self.floor, ops))


def _rounded_type(given: Tensor) -> torch.dtype:
    return torch.promote_types(given.dtype, torch.float32)


class TemperatureScaled(Fixed):
    """A network whose logits are divided by one temperature, 1 until it is fitted.

    >>> network = TemperatureScaled(nn.Identity())
    >>> logits = torch.tensor([[0.0, 4.0], [0.0, 4.0], [0.0, 4.0], [4.0, 0.0]])
    >>> round(network.fit([(logits, torch.tensor([1, 1, 0, 0]))]).temperature, 3)
    3.641
    """

    inverse: Tensor

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.hold("inverse", 1.0)
        self.model = model

    @property
    def temperature(self) -> float:
        """Above 1 where the network was overconfident."""
        inverse = self.inverse.item()
        return 1 / inverse if inverse else float("inf")

    def forward(self, *inputs: Any) -> Tensor:  # noqa: ANN401 - whatever the network takes
        """Logits over the temperature, in float32 at least."""
        logits: Tensor = self.model(*inputs)
        working = _rounded_type(logits)
        return logits.to(working) * self.inverse.to(working)

    def fit(self, loader: Iterable[tuple[Any, Tensor]]) -> Self:
        """Set the temperature of least log loss on held-out batches of (inputs, labels)."""
        fitted = Temperature().fit(predict(self.model, loader))
        self.inverse.fill_(fitted.rule.inverse)
        return self


def predict(model: nn.Module, loader: Iterable[tuple[Any, Tensor]]) -> Predictions:
    """What a network, in evaluation, gives as logits for batches: rows to fit any family on.

    Inputs that are tensors are taken to where the network is; how each part of it was set to train is
    left as it was.
    """
    training = {module: module.training for module in model.modules()}
    numbers = [*model.parameters(), *model.buffers()]
    device = numbers[0].device if numbers else None
    logits, labels = list[Tensor](), list[Tensor]()
    try:
        model.eval()
        with torch.no_grad(), progress("predicting", length_hint(loader)) as step:
            for inputs, label in loader:
                given = inputs.to(device) if isinstance(inputs, Tensor) else inputs
                logits.append(model(given).cpu())
                labels.append(torch.as_tensor(label).cpu())
                step()
    finally:
        for module, was in training.items():
            module.training = was
    if not logits:
        raise ValueError("the loader must give at least one batch of (inputs, labels), got none")
    return from_logits(torch.cat(logits), torch.cat(labels))
