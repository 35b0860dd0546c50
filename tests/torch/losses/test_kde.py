"""Kernel losses are what the library measures, and hold where claims are extreme."""

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
import pytest
from scipy.special import betaln, expit, logsumexp

pytest.importorskip("torch", reason="torch is an extra")

import torch
from shared_losses import NORMS, TERMS, H, drawn_batch

from calibrant import Predictions, binary, brier, canonical, classwise, from_logits, top_label
from calibrant.measures.kde import kde_decompose, kde_error
from calibrant.torch.kernels import Norm
from calibrant.torch.losses import KDECalibration, KDEMeanSquared
from calibrant.torch.losses.kde import Asks


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(
    ("view", "asked"),
    [("canonical", canonical), ("classwise", classwise), ("top_label", top_label)],
)
def test_kernel_terms_are_what_calibrant_measures(
    view: Asks, asked: Callable[[Predictions], Any], norm: Norm
) -> None:
    for k, h, scale in [(2, 0.1, 1.0), (3, 0.01, 5.0), (2, 0.01, 40.0), (10, 0.001, 1.0)]:
        z, y = drawn_batch(300, k)
        z *= scale
        x = asked(from_logits(z, y))
        expected = kde_error(x, bandwidth=h, norm=norm) ** norm
        found = KDECalibration(view, norm=norm, bandwidth=h)(torch.tensor(z), torch.tensor(y))
        assert float(found) == pytest.approx(expected, abs=1e-6)


def test_the_squared_chance_is_that_of_the_kernel_decomposition() -> None:
    z, y = drawn_batch(300, 2)
    x = binary(expit(z[:, 1] - z[:, 0]), y)
    chance = kde_decompose(x, bandwidth=H).discrimination + y.mean() ** 2
    found = KDEMeanSquared(0.3, bandwidth=H)(torch.tensor(z), torch.tensor(y))
    assert float(found) == pytest.approx(brier(x) + 0.3 * chance, abs=1e-6)


def test_complements_of_chances_that_round_to_one_are_exact() -> None:
    odds = np.array([45.0, 50.0, 46.0, 38.0, 1.0])
    y = np.array([1, 1, 0, 1, 0])
    log_p, log_1p = -np.logaddexp(0, -odds), -np.logaddexp(0, odds)
    a = np.exp(log_p) + 1
    b = np.exp(log_1p) + 1
    exponents = (a - 1) * log_p[:, None] + (b - 1) * log_1p[:, None] - betaln(a, b)
    np.fill_diagonal(exponents, -inf)
    means = np.exp(exponents - logsumexp(exponents, axis=1, keepdims=True)) @ y
    expected = np.abs(means - expit(odds)).mean()
    for term in (
        KDECalibration("classwise", bandwidth=1.0),
        KDECalibration("top_label", bandwidth=1.0),
    ):
        assert float(term(torch.tensor(odds), torch.tensor(y))) == pytest.approx(expected, rel=1e-9)


def test_pairs_of_rows_far_from_all_others_still_have_a_mean() -> None:
    odds, y = torch.tensor([-30.0, 0.0, 30.0], dtype=torch.float64), torch.tensor([1, 1, 0])
    # Each row has one pair of others, of equal weight whatever their distance: only that of the last is (1, 1).
    expected = float((odds.sigmoid() - y).square().mean()) + 0.5 / 3
    assert float(KDEMeanSquared(0.5, bandwidth=1e-4)(odds, y)) == pytest.approx(expected)


@pytest.mark.parametrize("view", TERMS)
def test_claims_too_sure_have_a_larger_term_that_pulls_them_back(view: Asks) -> None:
    random = torch.Generator().manual_seed(0)
    z = torch.randn(240, 3, generator=random)
    y = torch.multinomial(z.softmax(1), 1, generator=random)[:, 0]
    term = KDECalibration(view, norm=2, bandwidth=0.02)
    sharper = torch.tensor(4.0, requires_grad=True)
    value = term(sharper * z, y)
    assert term(z, y) < value / 2
    assert torch.autograd.grad(value, sharper)[0] > 0


def test_mean_squared_is_for_two_classes() -> None:
    with pytest.raises(ValueError, match="two classes, got 3"):
        KDEMeanSquared()(torch.zeros(4, 3), torch.zeros(4, dtype=torch.int64))


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="gamma must be at least 0 and below 1"):
        KDEMeanSquared(1.0)
    with pytest.raises(ValueError, match=r"above 0, at least 1e-08, such as 0\.01; got 0"):
        KDECalibration(bandwidth=0)
    with pytest.raises(ValueError, match="view must be 'canonical' or 'classwise' or 'top_label'"):
        KDECalibration("top")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="norm must be 1 or 2"):
        KDECalibration(norm=3)  # type: ignore[arg-type]


def test_settings_are_printed() -> None:
    term = KDECalibration("top_label")
    assert repr(term) == "KDECalibration('top_label', norm=1, bandwidth=0.01)"
    assert repr(KDEMeanSquared(0.5)) == "KDEMeanSquared(0.5, bandwidth=0.01)"
