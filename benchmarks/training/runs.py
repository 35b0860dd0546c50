"""Every run of the study, the most important first."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any, Literal

from .images import Data
from .networks import Kind

Size = Literal["small", "full", "tiny"]
# Of the kernel terms: the paper's .01 to .1, and up to where accuracy breaks.
STRENGTHS = (0.1, 0.3)
VIEWS = ("canonical", "classwise", "top_label")
KERNELS = tuple(f"{view}-1" for view in VIEWS)
SQUARES = tuple(f"{view}-2" for view in VIEWS)
TERMS = KERNELS + SQUARES
DATA: tuple[Data, ...] = ("c10", "c100")
SEEDS = 3
# Losses that others propose, as they are recommended.
OTHERS = (
    ("smoothing", 0.05),
    ("focal", 3.0),
    ("focal53", 0.0),
    ("dual", 5.0),
    ("mmce", 1.0),
)
GAMMAS = (0.0, 0.2, 0.4, 0.8)
TERM_BATCHES = (32, 64, 256, 512)
DECAYS = (0.0, 2e-3, 1e-2)
DEPTHS = (6, 9)
WIDTHS = (8, 16, 48)
# Without batch normalisation the base rate is too high.
UNNORMED_RATE = 0.02


@dataclass(frozen=True)
class Run:
    """All that tells one run from another.

    `loss` and `strength` name a recipe of `recipes.py`; `term_batch` is 0 where a term takes the
    batch of the loss, and "held" says that its rows are not learnt from by the loss. `images` are
    trained on; `stem` is the stride of the first layer. `part` is the question the run is for.
    """

    part: str
    data: Data
    loss: str = "cross-entropy"
    strength: float = 0.0
    kind: Kind = "plain"
    depth: int = 3
    width: int = 24
    normed: bool = True
    decay: float = 5e-4
    rate: float = 0.1
    epochs: int = 20
    batch: int = 128
    images: int = 5_000
    validation: int = 2_500
    test: int = 5_000
    stem: int = 2
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
    def is_kernel_term(self) -> bool:
        """Whether a kernel estimate of a calibration error is added to cross-entropy."""
        return self.loss in TERMS

    @property
    def name(self) -> str:
        """Of its file; two runs that differ have two names."""
        plain = Run(self.part, self.data)
        extras = {
            "rate": self.rate,
            "decay": self.decay,
            "epochs": self.epochs,
            "batch": self.batch,
            "images": self.images,
            "stem": self.stem,
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
    """What matters most comes first, three seeds of each before the next question."""
    ten, hundred = Run("losses", "c10"), Run("losses", "c100", images=10_000)
    yield from _with_seeds((ten, *_other_losses((ten,))))
    yield from _with_seeds(_terms((ten,), KERNELS, (0.1,)))
    yield from _with_seeds(_terms((ten,), KERNELS, (0.3,)))
    yield from _with_seeds(_causes("c10"))
    yield from _with_seeds((hundred, *_other_losses((hundred,), ("smoothing", "focal", "focal53"))))
    yield from _with_seeds(_terms((ten,), KERNELS[1:], (1.0,)))
    yield from _with_seeds(_held(ten))
    yield from _with_seeds(_binary())
    yield from _with_seeds(_terms((hundred,), ("canonical-1", "top_label-1"), STRENGTHS))
    yield from _with_seeds((Run("long", "c10", epochs=60, decay=1e-4),))
    yield from _with_seeds(_terms((ten,), SQUARES, (0.3,)))
    yield from _with_seeds(_terms((ten,), KERNELS[:1], (0.03, 1.0)))
    yield from _with_seeds(_term_batches())
    yield from _with_seeds(_terms((ten,), KERNELS[1:], (3.0,)))
    yield from _with_seeds(_other_losses((hundred,), ("dual", "mmce")))
    yield from _with_seeds(_terms((hundred,), ("classwise-1",), (0.1,)))
    yield from _with_seeds(_terms((ten,), SQUARES, (1.0,)))
    yield from _with_seeds(_terms((hundred,), SQUARES, (0.3,)))


def _full() -> Iterator[Run]:
    """ResNet-18 and 34 on whole images: losses, then causes."""
    for depth in (18, 34):
        nets = tuple(
            replace(_whole(Run("losses", data)), kind="residual", depth=depth, width=64)
            for data in DATA
        )
        yield from _with_seeds((*nets, *_other_losses(nets)))
        yield from _with_seeds(_terms(nets, TERMS, STRENGTHS))
    for data in DATA:
        yield from _with_seeds(map(_whole, _causes(data)))


def _whole(run: Run) -> Run:
    """On all images as they are, for longer."""
    shape = replace(run, side=32, stem=1, epochs=60)
    return replace(shape, images=45_000, validation=5_000, test=10_000)


def _with_seeds(runs: Iterable[Run]) -> Iterator[Run]:
    """All runs with the first seed, then all with the next."""
    kept = tuple(runs)
    for seed in range(SEEDS):
        for run in kept:
            yield replace(run, seed=seed)


def _other_losses(
    nets: tuple[Run, ...], only: tuple[str, ...] = tuple(dict(OTHERS))
) -> Iterator[Run]:
    for net, loss in product(nets, only):
        yield replace(net, loss=loss, strength=dict(OTHERS)[loss])


def _terms(
    nets: tuple[Run, ...], terms: tuple[str, ...], strengths: tuple[float, ...]
) -> Iterator[Run]:
    for strength, net, loss in product(strengths, nets, terms):
        yield replace(net, loss=loss, strength=strength)


def _held(net: Run) -> Iterator[Run]:
    """The term at rows that the loss does not learn from; strength 0 is the loss at the rest alone."""
    for loss, strength in (("top_label-1", 0.0), ("canonical-1", 0.3), ("top_label-1", 0.3)):
        yield replace(net, part="held", loss=loss, strength=strength, held=True, term_batch=128)


def _binary() -> Iterator[Run]:
    for gamma in GAMMAS:
        yield Run("binary", "vehicles", "kde-mse", gamma)


def _term_batches() -> Iterator[Run]:
    for loss, batch in product(("classwise-1", "top_label-1"), TERM_BATCHES):
        yield Run("batches", "c10", loss, 0.3, term_batch=batch)
    for loss in ("classwise-1", "top_label-1"):
        yield Run("batches", "c10", loss, 0.3)


def _causes(data: Data) -> Iterator[Run]:
    base = Run("causes", data)
    yield from (replace(base, decay=decay) for decay in DECAYS)
    yield from (replace(base, normed=normed, rate=UNNORMED_RATE) for normed in (True, False))
    yield from (replace(base, depth=depth) for depth in DEPTHS)
    yield from (replace(base, width=width) for width in WIDTHS)


def _tiny() -> Iterator[Run]:
    """One of each kind, for an epoch of few images: whether all runs, and how long it takes."""
    seen = set()
    for size in (_small, _full):
        for run in size():
            kind = (run.part, run.data, run.kind, run.depth, run.loss, run.term_batch, run.held)
            if kind not in seen:
                seen.add(kind)
                yield replace(run, epochs=1, images=512, validation=256, test=256)
