"""Saved predictions of other people's models and of the samples, found beside the checkout."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from calibrant import Isotonic, Predictions, View, from_logits, from_probs, read, samples, top_label
from calibrant.simulate import Realistic, realistic

DATA = Path(__file__).parents[2] / "shared" / "data"
ZOO = sorted((DATA / "zoo").glob("*.npz"))
REAL = sorted((DATA / "real").glob("*.npz"))


def part(path: Path, split: str) -> Predictions:
    """One part of a file; of confidences alone, the chance that the top label is right."""
    with np.load(path, allow_pickle=False) as arrays:
        labels = arrays[f"{split}_labels"].astype(np.int64)
        if "test_conf" in arrays:
            return from_probs(
                arrays["test_conf"].astype(np.float64),
                (arrays["test_pred"] == labels).astype(np.int64),
            )
        if f"{split}_logits" in arrays:
            return from_logits(arrays[f"{split}_logits"].astype(np.float32), labels)
        return from_probs(arrays[f"{split}_probs"], labels)


def halves(path: Path) -> Iterator[tuple[Predictions, Predictions]]:
    """All rows of a file, shuffled and cut in two: each half once to fit on, the other to test."""
    with np.load(path, allow_pickle=False) as arrays:
        splits = [split for split in ("val", "test") if f"{split}_labels" in arrays]
    parts = [part(path, split) for split in splits]
    make = from_logits if parts[0].kind == "logits" else from_probs
    whole = make(
        np.concatenate([each.values for each in parts]),
        np.concatenate([each.labels for each in parts]),
    )
    order = np.random.default_rng(0).permutation(whole.n)
    first, second = whole[order[: whole.n // 2]], whole[order[whole.n // 2 :]]
    yield first, second
    yield second, first


def names() -> list[str]:
    """The shipped samples, and the files beside the checkout where there are any."""
    return list(dict.fromkeys([*samples.NAMES, *(path.stem for path in (*ZOO, *REAL))]))


def claims(name: str) -> View:
    """The top-label claims of a model, those it was tested on."""
    shipped = next((each for each in samples.NAMES if each == name), None)
    x = read(next(DATA.glob(f"*/{name}.npz"))) if shipped is None else samples.load(shipped)[1]
    return top_label(x) if isinstance(x, Predictions) else x


def imitation(name: str) -> Realistic:
    """A task with a model's claims; a centred isotonic map of all its rows is taken for the truth."""
    made = claims(name)
    return realistic(made, Isotonic(centred=True).fit(made))
