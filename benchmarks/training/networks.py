"""Networks of the study: plain convolutions of any depth and width, and residual ones."""

from typing import Literal

from torch import Tensor, nn
from torch.nn.functional import adaptive_avg_pool2d, relu

Kind = Literal["plain", "residual"]
# Layers of a residual network by stage: 18 are ResNet-18.
STAGES = {10: (1, 1, 1, 1), 18: (2, 2, 2, 2), 34: (3, 4, 6, 3)}


def network(
    kind: Kind, depth: int, width: int, *, normed: bool, n_classes: int, stem: int = 1
) -> nn.Module:
    """A network that gives logits; weights are drawn from torch's own random numbers."""
    net: nn.Module
    if kind == "plain":
        net = plain(depth, width, normed=normed, n_classes=n_classes, stem=stem)
    else:
        net = residual(depth, width, n_classes=n_classes)
    for part in net.modules():
        if isinstance(part, nn.Conv2d):
            # torch's default is too small for deep networks without normalisation.
            nn.init.kaiming_normal_(part.weight, nonlinearity="relu")
    return net


def plain(depth: int, width: int, *, normed: bool, n_classes: int, stem: int = 1) -> nn.Sequential:
    """Convolutions of 3 by 3 in three stages: twice as many channels and half the side in each.

    `stem` is the stride of the first one.
    """
    layers: list[nn.Module] = []
    before = 3
    for place in range(depth):
        stage = 3 * place // depth
        first_of_stage = place and stage > 3 * (place - 1) // depth
        if first_of_stage:
            layers.append(nn.MaxPool2d(2))
        channels = width * 2**stage
        stride = 1 if place else stem
        layers.append(nn.Conv2d(before, channels, 3, stride, padding=1, bias=not normed))
        if normed:
            layers.append(nn.BatchNorm2d(channels))
        layers.append(nn.ReLU())
        before = channels
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, n_classes)
    )


class Block(nn.Module):
    """Two convolutions beside a shortcut (He et al. 2016)."""

    def __init__(self, before: int, channels: int, stride: int) -> None:
        super().__init__()
        self.one = _normed(before, channels, 3, stride)
        self.two = _normed(channels, channels, 3, 1)
        same = before == channels and stride == 1
        self.shortcut = nn.Identity() if same else _normed(before, channels, 1, stride)

    def forward(self, x: Tensor) -> Tensor:
        """What the block gives."""
        inner = self.two(relu(self.one(x)))
        return relu(inner + self.shortcut(x))


class Residual(nn.Module):
    """Four stages of blocks after a small stem, for small images."""

    def __init__(self, depth: int, width: int, n_classes: int) -> None:
        super().__init__()
        self.stem = _normed(3, width, 3, 1)
        blocks: list[nn.Module] = []
        before = width
        for stage, number in enumerate(STAGES[depth]):
            channels = width * 2**stage
            for place in range(number):
                stride = 2 if stage and not place else 1
                blocks.append(Block(before, channels, stride))
                before = channels
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(before, n_classes)

    def forward(self, x: Tensor) -> Tensor:
        """Logits."""
        found = self.blocks(relu(self.stem(x)))
        return self.head(adaptive_avg_pool2d(found, 1).flatten(1))


def residual(depth: int, width: int, *, n_classes: int) -> Residual:
    """ResNet-10, 18 or 34; width 64 is theirs."""
    if depth not in STAGES:
        raise ValueError(f"depth must be one of {sorted(STAGES)}, got {depth}")
    return Residual(depth, width, n_classes)


def _normed(before: int, channels: int, size: int, stride: int) -> nn.Sequential:
    convolution = nn.Conv2d(before, channels, size, stride, size // 2, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(channels))
