"""Sketches of ranks add up to that of all rows."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import torch
from shared_parts import assert_same

from calibrant import from_logits
from calibrant.scale import Sketch
from calibrant.torch.metrics import Summary

RANK = """
import sys, torch, torch.distributed as dist
torch.set_num_threads(1)
from calibrant.torch.metrics import Summary
rank, file = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
z, labels = torch.load(sys.argv[3])
summary = Summary(input="logits", sample=50)
for rows in torch.arange(1000).split([300, 700])[rank].split(64):
    summary.update(z[rows], labels[rows])
open(f"{file}-{rank}", "wb").write(summary.compute().to_bytes())
dist.destroy_process_group()
"""


def test_two_processes_add_up(tmp_path: Path) -> None:
    random = torch.Generator().manual_seed(3)
    z = torch.randn(1000, 4, generator=random) * 3
    labels = torch.randint(0, 4, (1000,), generator=random)
    torch.save((z, labels), tmp_path / "rows")
    file = str(tmp_path / "rendezvous")
    run = [sys.executable, "-c", RANK]
    ranks = [subprocess.Popen([*run, str(rank), file, str(tmp_path / "rows")]) for rank in (0, 1)]
    assert [rank.wait(timeout=100) for rank in ranks] == [0, 0]
    expected = Sketch(sample=50).update(from_logits(z, labels))
    for rank in (0, 1):
        assert_same(Sketch.from_bytes(Path(f"{file}-{rank}").read_bytes()), expected)


def test_a_batch_of_nothing_counts_for_nothing_and_reset_forgets() -> None:
    summary = Summary(input="probs")
    summary.update(torch.zeros(0, 3), torch.zeros(0, dtype=torch.long))
    summary.update(torch.full((5, 3), 1 / 3), torch.arange(5) % 3)
    assert summary.compute().n == 5
    assert np.isclose(summary.compute().nll, np.log(3))
    summary.reset()
    assert summary.sketch.n == 0
