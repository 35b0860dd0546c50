"""What claims are worth from epoch to epoch."""

from dataclasses import dataclass

import numpy as np

from ..fitting.types import Array
from ..training.history import Epoch, History
from .drawn import Drawn


@dataclass(frozen=True, eq=False)
class Training(Drawn):
    """A history's numbers, an entry an epoch, and the epochs to mark.

    `best` has the least NLL after temperature, `lowest` the least as claimed; `overfits` says
    whether NLL has since risen by more than random variation.
    """

    drawn_by = "training"

    epoch: Array
    nll: Array
    tempered_nll: Array
    error: Array
    ece: Array
    ks: Array
    temperature: Array
    entropy: Array
    best: Epoch
    lowest: Epoch
    overfits: bool
    faults: Array


def training(history: History) -> Training:
    """The numbers of a history of training, by epoch.

    >>> from calibrant import samples
    >>> from calibrant.training.history import History
    >>> history = History()
    >>> for rows in (1000, 2000):
    ...     epoch = history.add(samples.load("c10-lenet5")[0][:rows])
    >>> training(history).error.round(3).tolist()
    [0.272, 0.27]
    """

    def by_epoch(name: str) -> Array:
        return np.array([getattr(each, name) for each in history.epochs], float)

    return Training(
        epoch=by_epoch("epoch"),
        nll=by_epoch("nll"),
        tempered_nll=by_epoch("tempered_nll"),
        error=by_epoch("error"),
        ece=by_epoch("ece"),
        ks=by_epoch("ks"),
        temperature=by_epoch("temperature"),
        entropy=by_epoch("entropy"),
        best=history.best,
        lowest=history.lowest,
        overfits=history.overfit is not None,
        faults=np.array([each.epoch for each in history.faults], float),
    )
