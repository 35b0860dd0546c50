"""Leave-one-out means: blocks change nothing, gradients are those of finite differences."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is an extra")

import torch
from shared_torch import drawn

from calibrant.torch import leave_one_out
from calibrant.torch.kernels import canonical, canonical_error
from calibrant.torch.leave_one_out import conditional


def in_blocks(monkeypatch: pytest.MonkeyPatch, bytes_: int) -> None:
    monkeypatch.setattr(leave_one_out, "_SMALL", 0)
    monkeypatch.setattr(leave_one_out, "_CPU_ROOM", bytes_)


def test_blocks_of_rows_change_neither_values_nor_gradients(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    logits, y = drawn(53, 7)
    given, labels = torch.tensor(logits, requires_grad=True), torch.tensor(y)
    weights = torch.randn(53, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(0))

    def value_and_slope() -> tuple[torch.Tensor, torch.Tensor]:
        found = canonical(given, labels, bandwidth=0.02)
        return found.detach(), torch.autograd.grad((found * weights).sum(), given)[0]

    whole = value_and_slope()
    for bytes_ in (1, 53 * 8 * 4 * 10):
        in_blocks(monkeypatch, bytes_)
        for one, other in zip(whole, value_and_slope(), strict=True):
            torch.testing.assert_close(one, other, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("small", [2**28, 0])
@pytest.mark.parametrize("h", [1e-3, 1e-2, 1e-1])
def test_gradients_are_those_of_finite_differences(
    h: float, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leave_one_out, "_SMALL", small)
    logits, y = drawn(9, 3, 0.5)
    given = torch.tensor(logits, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: canonical(x, torch.tensor(y), bandwidth=h), given)


def test_the_least_bandwidth_is_defined() -> None:
    logits, y = drawn(40, 3)
    given = torch.tensor(logits, requires_grad=True)
    error = canonical_error(given, torch.tensor(y), bandwidth=1e-8)
    assert 0 < error < 2
    assert torch.autograd.grad(error, given)[0].isfinite().all()


def test_second_derivatives_are_refused_rather_than_wrong() -> None:
    logits, y = drawn(10, 3)
    given = torch.tensor(logits, requires_grad=True)
    error = canonical_error(given, torch.tensor(y), bandwidth=0.1, norm=2)
    with pytest.raises(RuntimeError, match="first gradients only"):
        torch.autograd.grad(error, given, create_graph=True)


def test_many_problems_at_once_are_each_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    given = torch.tensor(random.normal(size=(4, 20, 2))).log_softmax(2).requires_grad_()
    y = torch.tensor(random.integers(0, 2, (4, 20, 1)).astype(float))

    def value_and_slope(part: slice) -> tuple[torch.Tensor, torch.Tensor]:
        found = conditional(given[part], y[part], 0.05)
        return found.detach(), torch.autograd.grad(found.square().sum(), given)[0][part]

    apart = [value_and_slope(slice(place, place + 1)) for place in range(4)]
    for _ in ("whole", "in blocks"):
        together = value_and_slope(slice(None))
        for one, other in zip(together, zip(*apart, strict=True), strict=True):
            torch.testing.assert_close(one, torch.cat(other), rtol=1e-10, atol=1e-12)
        in_blocks(monkeypatch, 4 * 20 * 8 * 4 * 3)
