"""Fitted maps as modules, so that a network and its calibration are one thing to export and to serve.

What goes in is worked out in float64 and log space, as in the maps themselves, and comes out in float32 at least. A
claim from logits within 1e-6, in log odds, of an edge between two steps may fall on either side.
"""

from collections.abc import Iterable
from operator import length_hint
from typing import Any, Self

import torch
from torch import Tensor, nn

from ...families.family import ChanceMap, Map, VectorMap
from ...families.multiclass.temperature import Temperature
from ...inputs.checks import check_argument
from ...inputs.predictions import Kind, Predictions, from_logits
from ...progress import progress
from .claims import Claims, Vectors
from .tables import Fixed, floored_log
from .vectors import Pair, vector_form


def to_module(fitted: Map, *, input: Kind | None = None) -> nn.Module:
    """A module from logits or probabilities to the calibrated chances that the map gives; `nn.Sequential` joins it on.

    A map of whole vectors takes (n, k), of the kind that it was fitted on. One of one chance must be told its `input`,
    and takes (n,), chances or log odds of its event, or where it is of one class of two, (n, 2).

    >>> from calibrant import Platt, binary
    >>> module = to_module(Platt().fit(binary([0.2, 0.9], [0, 1])), input="probs")
    >>> [round(q, 3) for q in module(torch.tensor([0.2, 0.9])).tolist()]
    [0.333, 0.667]
    """
    check_argument("input", input, Kind | None)
    try:
        if isinstance(fitted, VectorMap):
            if input not in (None, fitted.kind):
                raise ValueError(
                    f"this map was fitted on {fitted.kind} and input is {input}: give {fitted.kind}"
                )
            return _OfVectors(fitted)
        if isinstance(fitted, ChanceMap):
            if input is None:
                raise ValueError(
                    'a map of one chance takes log odds or chances: say input="logits" or input="probs"'
                )
            return _OfChances(fitted, input)
    except ValueError as error:
        raise ValueError(f"{fitted.family!r} cannot become a module: {error}") from error
    raise ValueError(f"a module is made of a fitted map, got {type(fitted).__name__}")


class TemperatureScaled(Fixed):
    """A network whose logits are divided by one temperature, 1 until it is fitted.

    >>> network = TemperatureScaled(nn.Identity())
    >>> logits = torch.tensor([[0.0, 4.0], [0.0, 4.0], [0.0, 4.0], [4.0, 0.0]])
    >>> round(network.fit([(logits, torch.tensor([1, 1, 0, 0]))]).temperature, 3)
    3.641
    """

    inverse: Tensor

    def __init__(self, model: nn.Module) -> None:
        super().__init__(inverse=1.0)
        self.model = model

    @property
    def temperature(self) -> float:
        """Above 1 where the network was overconfident."""
        inverse = self.inverse.item()
        return 1 / inverse if inverse else float("inf")

    def forward(self, *inputs: Any) -> Tensor:  # noqa: ANN401 - whatever the network takes
        """Logits over the temperature, in float32 at least."""
        logits: Tensor = self.model(*inputs)
        working = torch.promote_types(logits.dtype, torch.float32)
        return logits.to(working) * self.inverse.to(working)

    def fit(self, loader: Iterable[tuple[Any, Tensor]]) -> Self:
        """Set the temperature of least log loss on held-out batches of (inputs, labels), found to the optimum."""
        self.inverse.fill_(Temperature().fit(predict(self.model, loader)).rule.inverse)
        return self


def predict(model: nn.Module, loader: Iterable[tuple[Any, Tensor]]) -> Predictions:
    """What a network, in evaluation, gives as logits for batches of (inputs, labels): rows to fit any family on.

    Inputs that are tensors are taken to where the network is; how each part of it was set to train is left as it was.
    """
    training = {module: module.training for module in model.modules()}
    place = next((x.device for part in (model.parameters(), model.buffers()) for x in part), None)
    logits, labels = list[Tensor](), list[Tensor]()
    try:
        model.eval()
        with torch.no_grad(), progress("predicting", length_hint(loader)) as tick:
            for inputs, label in loader:
                given = inputs.to(place) if isinstance(inputs, Tensor) else inputs
                logits.append(model(given).cpu())
                labels.append(torch.as_tensor(label).cpu())
                tick()
    finally:
        for module, was in training.items():
            module.training = was
    if not logits:
        raise ValueError("the loader must give at least one batch of (inputs, labels), got none")
    return from_logits(torch.cat(logits), torch.cat(labels))


class _OfVectors(nn.Module):
    """A map of whole vectors."""

    def __init__(self, fitted: VectorMap) -> None:
        super().__init__()
        self.kind, self.k, self.family = fitted.kind, len(fitted.classes), repr(fitted.family)
        self.form = vector_form(fitted.rule, fitted.kind)

    def forward(self, values: Tensor) -> Tensor:
        """Calibrated chances, (n, k)."""
        if values.ndim != 2 or values.shape[1] != self.k:
            raise ValueError(
                f"{self.kind} must have shape (n, {self.k}), got {tuple(values.shape)}"
            )
        return _rounded(self.form(Vectors(values.double(), self.kind)), values)

    def extra_repr(self) -> str:
        """The family, and what goes in."""
        return f"{self.family}, {self.kind} of {self.k} classes"


class _OfChances(nn.Module):
    """A map of one chance."""

    def __init__(self, fitted: ChanceMap, kind: Kind) -> None:
        super().__init__()
        self.kind, self.family = kind, repr(fitted.family)
        self.completes = fitted.completes is not None
        self.pair = Pair(fitted, kind)

    def forward(self, values: Tensor) -> Tensor:
        """Calibrated chances, of the shape of what goes in."""
        x = values.double()
        if values.ndim == 1:
            column = x[:, None]
            if self.kind == "logits":
                claims = Claims(column.sigmoid(), lambda: column)
            else:
                claims = Claims(column, lambda: floored_log(column) - floored_log(1 - column))
            return _rounded(self.pair.chance(claims)[:, 0], values)
        if values.ndim != 2 or values.shape[1] != 2 or not self.completes:
            whole = " or (n, 2)" if self.completes else ""
            raise ValueError(f"{self.kind} must have shape (n,){whole}, got {tuple(values.shape)}")
        return _rounded(self.pair(Vectors(x, self.kind)), values)

    def extra_repr(self) -> str:
        """The family, and what goes in."""
        return f"{self.family}, {self.kind}"


def _rounded(q: Tensor, given: Tensor) -> Tensor:
    return q.to(torch.promote_types(given.dtype, torch.float32))
