"""One run of the study: the same steps on a processor, and captured in CUDA graphs on a card."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from .images import Images
from .networks import network
from .readings import Part, readings
from .recipes import recipe
from .runs import Run

MOMENTUM = 0.9
# Epochs at the start, as a share, of a tenth of the rate, and where the rate drops to a tenth.
DROPS = (0.5, 0.75)
# Rows that are read at once, and steps between two looks at other runs.
READ = 250
CHUNK = 39
# Of the rows to train on, the share that only a held term sees.
HELD = 0.25


class Curves(NamedTuple):
    """Numbers by epoch, (epochs, columns), and the columns' names."""

    names: tuple[str, ...]
    values: NDArray[np.float64]


class Training:
    """A network in training.

    `work` does it, a little at a time, so that many can take turns on one card.
    """

    def __init__(self, run: Run, images: Images) -> None:
        self.run = run
        self.images = images
        self.device = images.pixels.device
        self.recipe = recipe(run.loss, run.strength, images.n_classes)
        self.random = np.random.default_rng(run.seed)
        self.net = self._network()
        self.rate = torch.tensor(run.rate, device=self.device)
        self.steps = torch.optim.SGD(
            self.net.parameters(),
            lr=self.rate,
            momentum=MOMENTUM,
            nesterov=True,
            weight_decay=run.decay,
            fused=True,
        )
        n_held = int(HELD * images.n_train) if run.held else 0
        self.n_learnt = images.n_train - n_held
        self.n_steps = self.n_learnt // run.batch
        self.batches = self._places(run.batch)
        self.term_batches = self._places(run.term_batch)
        self.at = torch.zeros((), dtype=torch.int64, device=self.device)
        self.seen = torch.zeros(2, dtype=torch.float64, device=self.device)
        n_read = len(images.labels) - images.n_train
        self.logits = torch.zeros(n_read, images.n_classes, device=self.device)
        self.epoch = torch.zeros((), dtype=torch.int64, device=self.device)
        self.names: tuple[str, ...] = ()
        self.table = torch.zeros(0)

    def work(self) -> Iterator[None]:
        """Train, giving way now and then; what is found is in `logits` and `curves`."""
        step, read = self._step, self._read
        if self.device.type == "cuda":
            step, read = self._captured()
        for epoch in range(self.run.epochs):
            self._begin(epoch)
            for number in range(self.n_steps):
                step()
                if number % CHUNK == CHUNK - 1:
                    yield
            read()
            yield

    def curves(self) -> Curves:
        """By epoch; waits for the device."""
        return Curves(self.names, self.table.cpu().numpy())

    @property
    def parts(self) -> tuple[Part, Part]:
        """Validation and test rows as they were last read."""
        n = self.images.n_validation
        labels = self.images.labels[self.images.n_train :]
        return Part(self.logits[:n], labels[:n]), Part(self.logits[n:], labels[n:])

    def _network(self) -> torch.nn.Module:
        run = self.run
        torch.manual_seed(run.seed)
        net = network(
            run.kind,
            run.depth,
            run.width,
            normed=run.normed,
            stem=run.stem,
            n_classes=self.images.n_classes,
        )
        # torch's types leave this argument out.
        return net.to(self.device, memory_format=torch.channels_last)  # type: ignore[call-overload]

    def _places(self, batch: int) -> Tensor:
        """Room for an epoch's rows, in batches."""
        return torch.zeros(self.n_steps, batch, dtype=torch.int64, device=self.device)

    def _begin(self, epoch: int) -> None:
        """An epoch's order, mirrors and rate."""
        self._fill(self.batches, self.random.permutation(self.n_learnt))
        if self.run.term_batch:
            start = self.n_learnt if self.run.held else 0
            n = self.term_batches.numel()
            rows = self.images.n_train - start
            rounds = [self.random.permutation(rows) for _ in range(-(-n // rows))]
            self._fill(self.term_batches, start + np.concatenate(rounds))
        passed = sum(epoch >= drop * self.run.epochs for drop in DROPS)
        first = 0.1 if not epoch else 1.0
        self.rate.fill_(first * self.run.rate * 0.1**passed)

    def _fill(self, batches: Tensor, rows: NDArray[np.int64]) -> None:
        """Rows in batches; the negative ones are to be seen in a mirror."""
        rows = rows[: batches.numel()]
        mirrored = self.random.random(len(rows)) < 0.5
        signed = np.where(mirrored, -1 - rows, rows).reshape(batches.shape)
        values = torch.from_numpy(signed)
        if self.device.type == "cuda":
            values = values.pin_memory()
        batches.copy_(values, non_blocking=True)

    def _seen(self, batches: Tensor) -> tuple[Tensor, Tensor]:
        """Images and labels of the batch whose turn it is."""
        signed = batches.index_select(0, self.at[None]).squeeze(0)
        mirrored = signed < 0
        rows = torch.where(mirrored, -1 - signed, signed)
        return self.images.batch(rows, mirrored), self.images.labels[rows]

    def _step(self) -> None:
        images, labels = self._seen(self.batches)
        logits = self.net(images)
        loss = self.recipe.loss(logits, labels)
        if self.recipe.strength:
            loss = loss + self.recipe.strength * self._term(logits, labels)
        loss.backward()  # type: ignore[no-untyped-call]
        self.steps.step()
        self.steps.zero_grad()
        with torch.no_grad():
            wrong = (logits.argmax(1) != labels).double().mean()
            self.seen += torch.stack([cross_entropy(logits, labels).double(), wrong])
            self.at += 1

    def _term(self, logits: Tensor, labels: Tensor) -> Tensor:
        if self.run.term_batch:
            images, labels = self._seen(self.term_batches)
            logits = self.net(images)
        return self.recipe.term(logits, labels)

    @torch.no_grad()
    def _read(self) -> None:
        """Validation and test logits, and a row of the table."""
        self.net.eval()
        start = self.images.n_train
        rows = torch.arange(start, len(self.images.labels), device=self.device)
        read = [self.net(self.images.batch(some)) for some in torch.split(rows, READ)]
        self.logits.copy_(torch.cat(read))
        self.net.train()
        found = readings(*self.parts)
        learnt = self.seen / self.n_steps
        found |= {"train_nll": learnt[0], "train_error": learnt[1]}
        if not self.names:
            self.names = tuple(found)
            self.table = torch.zeros(
                self.run.epochs, len(found), dtype=torch.float64, device=self.device
            )
        row = torch.stack(list(found.values()))
        self.table.index_copy_(0, self.epoch[None], row[None])
        self.epoch += 1
        self.seen.zero_()
        self.at.zero_()

    def _captured(self) -> tuple[Callable[[], None], Callable[[], None]]:
        """Both acts as graphs; what warming up has changed is put back."""
        before = {key: value.clone() for key, value in self.net.state_dict().items()}
        self._begin(0)
        for act in (self._step, self._step, self._read):
            act()
        step, read = _graph(self._step), _graph(self._read)
        self.net.load_state_dict(before)
        for state in self.steps.state.values():
            state["momentum_buffer"].zero_()
        for counter in (self.at, self.seen, self.epoch, self.table):
            counter.zero_()
        self.random = np.random.default_rng(self.run.seed)
        return step, read


def _graph(act: Callable[[], None]) -> Callable[[], None]:
    """An act on the stream in use, to be done again at once."""
    graph = torch.cuda.CUDAGraph()
    # Not torch.cuda.graph, which waits for all that other runs have begun.
    graph.capture_begin(capture_error_mode="thread_local")
    act()
    graph.capture_end()
    return graph.replay
