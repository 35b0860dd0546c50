"""What is minimised in each run: a loss, and a term added to it."""

from collections.abc import Callable
from typing import NamedTuple, cast

from torch import Tensor
from torch.nn.functional import cross_entropy

from calibrant.torch.kernels import Norm
from calibrant.torch.losses import (
    MMCE,
    DualFocal,
    Focal,
    Focal53,
    KDECalibration,
    KDEMeanSquared,
    LabelSmoothing,
)
from calibrant.torch.losses.kde import Asks

Of = Callable[[Tensor, Tensor], Tensor]
WHOLE: dict[str, Callable[[float], Of]] = {
    "cross-entropy": lambda _: cross_entropy,
    "smoothing": LabelSmoothing,
    "focal": Focal,
    "focal53": lambda _: Focal53(),
    "dual": DualFocal,
    "kde-mse": KDEMeanSquared,
}


class Recipe(NamedTuple):
    """The loss, and the term with its strength, 0 where there is none."""

    loss: Of
    term: Of
    strength: float


def recipe(loss: str, strength: float, n_classes: int) -> Recipe:
    """By its name; a kernel term is called by its view and norm, "classwise-2"."""
    if loss in WHOLE:
        return Recipe(WHOLE[loss](strength), cross_entropy, 0.0)
    if loss == "mmce":
        return Recipe(cross_entropy, MMCE(), strength)
    view, norm = loss.split("-")
    term = KDECalibration(cast(Asks, view), norm=cast(Norm, int(norm)))
    # The paper's class-wise term is the sum over classes, ours the mean.
    classes = n_classes if view == "classwise" else 1
    return Recipe(cross_entropy, term, strength * classes)
