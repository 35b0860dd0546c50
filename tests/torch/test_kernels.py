"""Kernel estimates on tensors against dense sums in float64."""

from math import inf, lgamma, log

import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp

pytest.importorskip("torch", reason="torch is an extra")

import torch
from shared_torch import dense, drawn, kernels_of_others

from calibrant.torch import leave_one_out
from calibrant.torch.kernels import canonical, canonical_error, log_likelihood


@pytest.mark.parametrize("h", [1e-3, 1e-2, 1e-1])
@pytest.mark.parametrize(("n", "k"), [(200, 3), (150, 10), (80, 100), (40, 1000)])
def test_it_agrees_with_the_dense_sum(n: int, k: int, h: float) -> None:
    logits, y = drawn(n, k)
    found = canonical(torch.tensor(logits), torch.tensor(y), bandwidth=h).numpy()
    np.testing.assert_allclose(found, dense(logits, y, h), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("h", [1e-3, 1e-1])
def test_float32_logits_are_worked_on_in_float64(h: float) -> None:
    logits, y = drawn(100, 30, 3.0)
    single = torch.tensor(logits, dtype=torch.float32)
    found = canonical(single, torch.tensor(y), bandwidth=h)
    assert found.dtype == torch.float32
    np.testing.assert_allclose(
        found.numpy(), dense(single.double().numpy(), y, h), rtol=1e-6, atol=1e-7
    )


def test_autocast_leaves_it_alone() -> None:
    logits, y = drawn(60, 5)
    given = torch.tensor(logits, dtype=torch.float32), torch.tensor(y)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = canonical(*given, bandwidth=0.01)
    torch.testing.assert_close(found, canonical(*given, bandwidth=0.01), rtol=0, atol=0)


def test_exact_zeros_saturated_logits_and_duplicates_are_defined() -> None:
    rows = np.array(
        [[1e4, -1e4, 0.0], [1e4, -1e4, 0.0], [-1e4, 1e4, 0.0], [0.0, 0.0, 0.0], [-inf, 0.0, 0.0]]
    )
    y = np.array([0, 1, 1, 1, 0])
    given = torch.tensor(rows, requires_grad=True)
    found = canonical(given, torch.tensor(y), bandwidth=1e-3)
    np.testing.assert_allclose(found.detach().numpy(), dense(rows, y, 1e-3), rtol=1e-9, atol=1e-12)
    assert found.detach().numpy()[0].tolist() == [0.0, 1.0, 0.0]
    (slope,) = torch.autograd.grad(found.square().sum(), given)
    assert slope.isfinite().all()


def test_a_class_that_no_row_has_is_given_no_chance() -> None:
    logits, _ = drawn(50, 4)
    found = canonical(torch.tensor(logits), torch.zeros(50, dtype=torch.int64), bandwidth=0.01)
    np.testing.assert_allclose(found.numpy(), np.eye(4)[np.zeros(50, int)], rtol=1e-12)


@pytest.mark.parametrize("norm", [1, 2])
def test_the_error_is_the_mean_distance_or_its_root(norm: int) -> None:
    logits, y = drawn(120, 4)
    gap = np.abs(dense(logits, y, 0.05) - np.exp(log_softmax(logits, axis=1)))
    found = canonical_error(torch.tensor(logits), torch.tensor(y), bandwidth=0.05, norm=norm)  # type: ignore[arg-type]
    assert float(found) == pytest.approx((gap**norm).sum(1).mean() ** (1 / norm), rel=1e-10)


@pytest.mark.parametrize("small", [2**28, 0])
def test_the_likelihood_is_that_of_the_density_at_each_row_from_the_others(
    small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leave_one_out, "_SMALL", small)
    logits, _ = drawn(70, 3)
    expected = (logsumexp(kernels_of_others(logits, 0.05), axis=1) - log(69)).mean()
    assert log_likelihood(torch.tensor(logits), bandwidth=0.05) == pytest.approx(
        expected, rel=1e-10
    )


def test_the_kernel_of_two_classes_is_the_beta_density() -> None:
    z, at, h = 0.3, 0.45, 0.1
    a, b = z / h + 1, (1 - z) / h + 1
    density = lgamma(a + b) - lgamma(a) - lgamma(b) + (a - 1) * log(at) + (b - 1) * log(1 - at)
    pair = torch.tensor([[at, 1 - at], [z, 1 - z]], dtype=torch.float64).log()
    back = kernels_of_others(pair.numpy(), h)
    assert back[0, 1] == pytest.approx(density)
    assert log_likelihood(pair, bandwidth=h) == pytest.approx((back[0, 1] + back[1, 0]) / 2)


def test_bad_input_is_refused_with_the_reason() -> None:
    logits, y = (torch.tensor(part) for part in drawn(10, 3))
    with pytest.raises(
        ValueError, match=r"bandwidth must be above 0, at least 1e-08, such as 0.01; got 0"
    ):
        canonical(logits, y, bandwidth=0)
    with pytest.raises(ValueError, match="at least 2 rows; got 1"):
        canonical(logits[:1], y[:1], bandwidth=0.1)
    with pytest.raises(ValueError, match=r"norm must be 1 or 2, got 3"):
        canonical_error(logits, y, bandwidth=0.1, norm=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"logits must be finite.*\(rows 2, 5; got nan\)"):
        canonical(logits.index_fill(0, torch.tensor([2, 5]), torch.nan), y, bandwidth=0.1)
    with pytest.raises(
        ValueError, match=r"labels must be from 0 to 2: 1 of 10 rows are not \(rows 4; got 3\)"
    ):
        canonical(logits, y.index_fill(0, torch.tensor([4]), 3), bandwidth=0.1)
