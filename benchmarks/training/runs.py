"""Every run of the study, the most important first."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any, Literal

from .images import Data
from .networks import Kind

Size = Literal["small", "full", "tiny"]
# Of the kernel terms: the paper's .01 to .1, and up to where accuracy breaks.
STRENGTHS = (0.1, 1.0, 5.0)
MORE_STRENGTHS = (0.02, 0.3, 2.0, 20.0)
VIEWS = ("canonical", "classwise", "top_label")
TERMS = tuple(f"{view}-{norm}" for view, norm in product(VIEWS, (1, 2)))
# Losses that others propose, as they are recommended.
OTHERS = (
    ("smoothing", 0.05),
    ("focal", 3.0),
    ("focal53", 0.0),
    ("dual", 5.0),
    ("mmce", 1.0),
)
GAMMAS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8)
TERM_BATCHES = (64, 256, 512)
DECAYS = (0.0, 1e-4, 1e-3, 2e-3, 5e-3)
DEPTHS = (3, 9, 12)
WIDTHS = (8, 16, 64)


@dataclass(frozen=True)
class Run:
    """All that tells one run from another.

    `loss` and `strength` name a recipe of `recipes.py`; `term_batch` is 0 where a term takes the
    batch of the loss, and "held" says that its rows are not learnt from by the loss. `part` is the
    question the run is for.
    """

    part: str
    data: Data
    loss: str = "cross-entropy"
    strength: float = 0.0
    kind: Kind = "plain"
    depth: int = 6
    width: int = 32
    normed: bool = True
    decay: float = 5e-4
    rate: float = 0.1
    epochs: int = 30
    batch: int = 128
    term_batch: int = 0
    held: bool = False
    side: int = 16
    seed: int = 0

    @property
    def network(self) -> str:
        """The network in short."""
        norm = "" if self.normed else "-unnormed"
        return f"{self.kind}{self.depth}x{self.width}{norm}"

    @property
    def name(self) -> str:
        """Of its file; two runs that differ have two names."""
        plain = Run(self.part, self.data)
        extras = {
            "rate": self.rate,
            "decay": self.decay,
            "epochs": self.epochs,
            "batch": self.batch,
            "term_batch": self.term_batch,
            "held": int(self.held),
            "side": self.side,
        }
        said = [f"{key}{value:g}" for key, value in extras.items() if value != getattr(plain, key)]
        loss = f"{self.loss}-by-{self.strength:g}" if self.strength else self.loss
        return "_".join([self.data, self.network, loss, *said, f"seed{self.seed}"])

    def settings(self) -> dict[str, Any]:
        """As json has them."""
        return asdict(self)


def queue(size: Size) -> list[Run]:
    """What is to be run, in order; none twice."""
    found = {"small": _small, "full": _full, "tiny": _tiny}[size]()
    by_name: dict[str, Run] = {}
    for run in found:
        by_name.setdefault(run.name, run)
    return list(by_name.values())


def _small() -> Iterator[Run]:
    nets = (Run("losses", "c10"), Run("losses", "c100"))
    shallow = tuple(replace(run, depth=3) for run in nets)
    yield from _with_seeds((*nets, *shallow), range(3))
    yield from _with_seeds(_other_losses(nets), range(3))
    yield from _with_seeds(_terms(nets, STRENGTHS), range(3))
    yield from _with_seeds(_causes("c100"), range(3))
    yield from _with_seeds(_held(nets), range(3))
    yield from _with_seeds(_binary(), range(3))
    yield from _with_seeds(_other_losses(shallow), range(3))
    yield from _with_seeds(_terms(shallow, STRENGTHS), range(3))
    yield from _with_seeds(_term_batches(), range(3))
    yield from _with_seeds(_causes("c10"), range(3))
    yield from _with_seeds(_long(), range(3))
    yield from _with_seeds(nets, range(3, 5))
    yield from _with_seeds(_terms(nets, MORE_STRENGTHS), range(3))


def _full() -> Iterator[Run]:
    """ResNet-18 and 34 on whole images."""
    for depth in (18, 34):
        nets = tuple(
            Run("losses", data, kind="residual", depth=depth, width=64, side=32, epochs=60)
            for data in ("c10", "c100")
        )
        yield from _with_seeds(nets, range(3))
        yield from _with_seeds(_other_losses(nets), range(3))
        yield from _with_seeds(_terms(nets, STRENGTHS), range(3))


def _with_seeds(runs: tuple[Run, ...] | Iterator[Run], seeds: range) -> Iterator[Run]:
    """All runs with the first seed, then all with the next."""
    kept = tuple(runs)
    for seed in seeds:
        for run in kept:
            yield replace(run, seed=seed)


def _other_losses(nets: tuple[Run, ...]) -> Iterator[Run]:
    for net, (loss, strength) in product(nets, OTHERS):
        yield replace(net, loss=loss, strength=strength)


def _terms(nets: tuple[Run, ...], strengths: tuple[float, ...]) -> Iterator[Run]:
    for strength, net, loss in product(strengths, nets, TERMS):
        yield replace(net, loss=loss, strength=strength)


def _held(nets: tuple[Run, ...]) -> Iterator[Run]:
    """The term at rows that the loss does not learn from."""
    for net, loss, strength in product(nets, ("canonical-1", "top_label-1"), (1.0, 5.0)):
        yield replace(net, part="held", loss=loss, strength=strength, held=True, term_batch=256)


def _binary() -> Iterator[Run]:
    for gamma in GAMMAS:
        yield Run("binary", "vehicles", "kde-mse", gamma)


def _term_batches() -> Iterator[Run]:
    for loss, batch in product(("classwise-1", "top_label-1"), TERM_BATCHES):
        yield Run("batches", "c10", loss, 1.0, term_batch=batch)
    for loss in ("classwise-1", "top_label-1"):
        yield Run("batches", "c10", loss, 1.0)


def _causes(data: Data) -> Iterator[Run]:
    base = Run("causes", data)
    yield from (replace(base, depth=depth) for depth in DEPTHS)
    yield from (replace(base, decay=decay) for decay in DECAYS)
    for normed, rate in product((True, False), (0.02, 0.05)):
        yield replace(base, normed=normed, rate=rate)
    yield from (replace(base, width=width) for width in WIDTHS)


def _long() -> Iterator[Run]:
    """Twice as long and twice as wide, so that NLL has time to turn."""
    for data in ("c100", "c10"):
        yield Run("long", data, width=64, epochs=60)


def _tiny() -> Iterator[Run]:
    """One of each kind, for a few epochs: whether all runs, and how long it takes."""
    nets = tuple(Run("losses", data, epochs=4) for data in ("c10", "c100"))
    yield from nets
    yield from _other_losses(nets[1:])
    yield from _terms(nets[:1], (0.1,))
    yield from _terms(nets[1:], (1.0,))
    for run in (*_held(nets[:1]), *_binary(), *_causes("c100")):
        yield replace(run, epochs=4)
    yield Run("losses", "c10", kind="residual", depth=18, width=64, epochs=1)
