"""What holds for every loss: its formula, its gradients, and what is done with bad batches."""

import subprocess
import sys
from math import inf

import numpy as np
import pytest
from scipy.special import expit

pytest.importorskip("torch", reason="torch is an extra")

import torch
from shared_losses import LOSSES, drawn_batch, slope

from calibrant.torch.losses import EntropyPenalty, KDECalibration, KDEMeanSquared
from calibrant.torch.losses import loss as home

each_loss = pytest.mark.parametrize("name", LOSSES)


@each_loss
def test_the_value_is_that_of_the_formula(name: str) -> None:
    loss, formula, k = LOSSES[name]
    for seed in range(3):
        z, y = drawn_batch(30, k, seed)
        # A row twice, and rows of one claim with other labels.
        z[5] = z[6] = z[7]
        y[5] = y[6]
        assert float(loss(torch.tensor(z), torch.tensor(y))) == pytest.approx(
            formula(z, y), rel=1e-9
        )


@each_loss
def test_classes_that_the_batch_lacks_and_labels_all_alike(name: str) -> None:
    loss, formula, k = LOSSES[name]
    z, _ = drawn_batch(20, k)
    y = np.ones(20, np.int64)
    assert float(loss(torch.tensor(z), torch.tensor(y))) == pytest.approx(formula(z, y), rel=1e-9)


@each_loss
def test_gradients_are_those_of_finite_differences(name: str) -> None:
    loss, _, k = LOSSES[name]
    z, y = drawn_batch(12, k)
    given = torch.tensor(z, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: loss(x, torch.tensor(y)), given)


@each_loss
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_saturated_logits_give_finite_values_and_slopes(name: str, dtype: torch.dtype) -> None:
    loss, _, k = LOSSES[name]
    labels = torch.arange(12) % k
    signs = 2.0 * torch.eye(k, dtype=dtype)[labels] - 1
    rows = torch.cat([1e4 * signs[:4], -1e4 * signs[4:8], 0 * signs[8:9], 30 * signs[9:]])
    for given in (rows, rows[:4], rows[4:8], rows[:1], rows[4:5], rows[:2]):
        value, gradient = slope(loss, given, labels[: len(given)])
        assert value.isfinite()
        assert gradient.isfinite().all()
        assert gradient.dtype == dtype


@each_loss
def test_half_precision_is_worked_on_in_float32_at_least(name: str) -> None:
    loss, formula, k = LOSSES[name]
    z, y = drawn_batch(40, k)
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        given = torch.tensor(z, dtype=dtype)
        value = loss(given, torch.tensor(y))
        assert value.dtype == torch.float32
        assert float(value) == pytest.approx(formula(given.double().numpy(), y), rel=2e-5)


@each_loss
def test_autocast_changes_nothing(name: str) -> None:
    loss, _, k = LOSSES[name]
    z, y = drawn_batch(16, k)
    given = torch.tensor(z, dtype=torch.float32), torch.tensor(y)
    plain = slope(loss, *given)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mixed = slope(loss, *given)
    for one, other in zip(plain, mixed, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


# Dynamo makes an instance of the kernels' function, which torch itself warns of.
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
@each_loss
def test_it_compiles_as_one_graph(name: str) -> None:
    loss, _, k = LOSSES[name]
    z, y = drawn_batch(16, k)
    given = torch.tensor(z), torch.tensor(y)
    torch.compiler.reset()
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    for one, other in zip(slope(loss, *given), slope(compiled, *given), strict=True):
        torch.testing.assert_close(one, other)


@each_loss
def test_one_row_is_defined(name: str) -> None:
    loss, formula, k = LOSSES[name]
    z, y = drawn_batch(1, k)
    value = float(loss(torch.tensor(z), torch.tensor(y)))
    if isinstance(loss, KDECalibration):
        assert value == 0
    elif isinstance(loss, KDEMeanSquared):
        assert value == pytest.approx(((expit(z[:, 1] - z[:, 0]) - y) ** 2).mean())
    else:
        assert value == pytest.approx(formula(z, y))


@each_loss
def test_log_odds_of_one_column_are_two_classes(name: str) -> None:
    loss, formula, _ = LOSSES[name]
    z, y = drawn_batch(20, 2)
    odds = z[:, 1] - z[:, 0]
    pair = np.stack([np.zeros(20), odds], 1)
    assert float(loss(torch.tensor(odds), torch.tensor(y))) == pytest.approx(
        formula(pair, y), rel=1e-9
    )


@each_loss
def test_bad_batches_are_refused_by_name(name: str) -> None:
    loss, _, k = LOSSES[name]
    z, y = (torch.tensor(part) for part in drawn_batch(8, k))
    for bad in (torch.nan, inf, -inf):
        with pytest.raises(
            ValueError,
            match=rf"logits must be finite: 2 of 8 rows are not \(rows 1, 6; got {bad}\)",
        ):
            loss(z.index_fill(0, torch.tensor([1, 6]), bad), y)
    for label in (-1, k):
        with pytest.raises(
            ValueError,
            match=rf"labels must be from 0 to {k - 1}: 1 of 8 rows are not \(rows 3; got {label}\)",
        ):
            loss(z, y.index_fill(0, torch.tensor([3]), label))


def test_a_device_is_waited_for_on_the_first_call_and_then_seldom(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: list[int] = []
    monkeypatch.setattr(home, "refuse_bad_rows", lambda logits, _: looks.append(len(logits)))
    loss = EntropyPenalty()
    # The meta device works out shapes alone: enough to count looks as on any device but the CPU.
    given = torch.zeros(3, 2, device="meta"), torch.zeros(3, dtype=torch.int64, device="meta")
    for _ in range(130):
        loss(*given)
    assert len(looks) == 3


def test_an_absent_torch_says_how_to_get_it() -> None:
    program = "import sys; sys.modules['torch'] = None; import calibrant.torch.losses"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert 'pip install "calibrant[torch]"' in found.stderr.splitlines()[-1]
