"""CIFAR images for short runs: 45,000 to train on, 5,000 to validate, 10,000 to test, kept in .cache.

Images are halved by averaging, to 16 by 16, or whole; the sheets stand beside the checkout.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

ROOT = Path(__file__).parents[2]
SHEETS = ROOT.parent / "shared" / "data" / "cifar"
CACHE = ROOT / ".cache" / "training"
TRAIN = 45_000
# Of the training images the last 5,000 are for validation, as they are for the shipped samples.
VALIDATION = 5_000
A_SHEET = 2_500
VEHICLES = (0, 1, 8, 9)

Data = Literal["c10", "c100", "vehicles"]
Sheets = Literal["c10", "c100"]
Bytes = NDArray[np.uint8]


class Part(NamedTuple):
    """Images (n, height, width, 3) and their labels."""

    images: Bytes
    labels: Bytes


@dataclass(frozen=True)
class Images:
    """All three parts on one device, in one row of images: train, then validation, then test."""

    pixels: Tensor
    labels: Tensor
    n_train: int
    n_validation: int
    n_classes: int
    mean: Tensor
    deviation: Tensor

    @classmethod
    def of(cls, parts: tuple[Part, Part, Part], n_classes: int, device: torch.device) -> Self:
        """The parts, moved to a device."""
        train, validation, test = parts
        pixels = np.concatenate([train.images, validation.images, test.images])
        labels = np.concatenate([train.labels, validation.labels, test.labels])
        colours = train.images.reshape(-1, 3) / 255
        return cls(
            torch.from_numpy(pixels).to(device),
            torch.from_numpy(labels.astype(np.int64)).to(device),
            len(train.labels),
            len(validation.labels),
            n_classes,
            torch.tensor(colours.mean(0), dtype=torch.float32, device=device),
            torch.tensor(colours.std(0), dtype=torch.float32, device=device),
        )

    def batch(self, rows: Tensor, flipped: Tensor | None = None) -> Tensor:
        """Images (n, 3, height, width) of some rows, some seen in a mirror; colours standardised."""
        found = self.pixels[rows]
        if flipped is not None:
            found = torch.where(flipped[:, None, None, None], found.flip(2), found)
        scaled = (found / 255 - self.mean) / self.deviation
        # In memory colours stay last, which is what convolutions like best.
        return scaled.permute(0, 3, 1, 2)

    def first(self, n_train: int, n_validation: int, n_test: int) -> "Images":
        """The first images of each part."""
        starts = (0, self.n_train, self.n_train + self.n_validation)
        sizes = (n_train, n_validation, n_test)
        rows = torch.cat(
            [torch.arange(start, start + size) for start, size in zip(starts, sizes, strict=True)]
        ).to(self.labels.device)
        pixels, labels = self.pixels[rows], self.labels[rows]
        parts = (n_train, n_validation, self.n_classes)
        return Images(pixels, labels, *parts, self.mean, self.deviation)

    def vehicles(self) -> "Images":
        """The same images of CIFAR-10 with two classes: vehicles (1) and animals (0)."""
        chosen = torch.tensor(VEHICLES, device=self.labels.device)
        labels = torch.isin(self.labels, chosen).long()
        parts = (self.n_train, self.n_validation, 2)
        return Images(self.pixels, labels, *parts, self.mean, self.deviation)


def load(name: Sheets, side: int, device: torch.device) -> Images:
    """CIFAR-10 or CIFAR-100, from the cache or, the first time, from the sheets."""
    path = CACHE / f"{name}-{side}.npz"
    if not path.exists():
        _decode(name, side, path)
    with np.load(path, allow_pickle=False) as kept:
        train, validation, test = (
            Part(kept[f"{part}_images"], kept[f"{part}_labels"])
            for part in ("train", "validation", "test")
        )
    return Images.of((train, validation, test), 10 if name == "c10" else 100, device)


def _decode(name: str, side: int, path: Path) -> None:
    labels = np.load(SHEETS / f"{name}-train-labels.npy")
    tests = np.load(SHEETS / f"{name}-test-labels.npy")
    last = len(labels) - VALIDATION
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        path,
        train_images=_rows(f"{name}-train", 0, TRAIN, side),
        train_labels=labels[:TRAIN],
        validation_images=_rows(f"{name}-train", last, len(labels), side),
        validation_labels=labels[last:],
        test_images=_rows(f"{name}-test", 0, len(tests), side),
        test_labels=tests,
    )


def _rows(stem: str, start: int, stop: int, side: int) -> Bytes:
    sheets = range(start // A_SHEET, -(-stop // A_SHEET))
    found = [_halved(_sheet(SHEETS / f"{stem}-{number:02}.webp"), side) for number in sheets]
    return np.concatenate(found)[start - sheets[0] * A_SHEET :][: stop - start]


def _sheet(path: Path) -> Bytes:
    from PIL import Image  # torch runs without it, once images are in the cache

    with Image.open(path) as picture:
        tiles = np.asarray(picture.convert("RGB")).reshape(50, 32, 50, 32, 3)
    return tiles.transpose(0, 2, 1, 3, 4).reshape(-1, 32, 32, 3)


def _halved(images: Bytes, side: int) -> Bytes:
    """Means of squares of pixels, rounded."""
    size = images.shape[1] // side
    squares = images.reshape(len(images), side, size, side, size, 3)
    return np.rint(squares.mean((2, 4))).astype(np.uint8)
