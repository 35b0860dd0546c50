"""The loss of softmax regression and its derivatives against plain formulas and differences."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import log_softmax

from calibrant.fitting.linear_designs import AcrossClasses, ByClass, Design
from calibrant.fitting.softmax import SoftmaxLoss

R = np.random.default_rng(0)
Z, LABELS, W = R.normal(0, 2, (60, 4)), R.integers(0, 4, 60), R.integers(0, 3, 60).astype(float)
each_design = pytest.mark.parametrize(
    ("design", "logits", "x"),
    [
        (ByClass, lambda z, x: z * x[:4] + x[4:], R.normal(0.5, 0.2, 8)),
        (
            AcrossClasses,
            lambda z, x: z @ x.reshape(4, 5)[:, :4].T + x.reshape(4, 5)[:, 4],
            R.normal(0, 0.3, 20),
        ),
    ],
)
each_weight = pytest.mark.parametrize("w", [None, W], ids=["even", "weighted"])
Logits = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _slopes(
    f: Callable[[np.ndarray], np.ndarray | float], x: np.ndarray, step: float = 1e-5
) -> np.ndarray:
    return np.array(
        [(np.asarray(f(x + step * e)) - f(x - step * e)) / (2 * step) for e in np.eye(x.size)]
    )


@each_weight
@each_design
def test_value_gradient_and_hessian(
    design: type[Design], logits: Logits, x: np.ndarray, w: np.ndarray | None
) -> None:
    ridge, centre = R.random(x.size), R.normal(size=x.size)

    def plain(v: np.ndarray) -> float:
        chances = log_softmax(logits(Z, v), axis=1)[np.arange(60), LABELS]
        return float(-np.average(chances, weights=w) + ridge @ (v - centre) ** 2 / 2)

    loss = SoftmaxLoss(design(Z), LABELS, w, ridge=ridge, centre=centre)
    here = loss(x)
    assert here.value == pytest.approx(plain(x))
    np.testing.assert_allclose(here.gradient, _slopes(plain, x), atol=1e-8)
    hessian = _slopes(lambda v: loss(v).gradient, x)
    np.testing.assert_allclose(
        np.stack([here.hessian_product(e) for e in np.eye(x.size)]), hessian, atol=1e-8
    )
    # Roughly the identity: no direction is off by more than a small factor.
    for products, most in ((0, 10), (1000, 3)):
        undone = np.stack([here.preconditioner(products)(column) for column in hessian])
        spread = np.linalg.eigvals(undone).real
        assert spread.min() > 0.01
        assert spread.max() < most


@each_design
def test_many_rows_in_float32_say_the_same(
    design: type[Design], logits: Logits, x: np.ndarray
) -> None:
    n = 600_000
    z, labels = R.normal(0, 2, (n, 4)).astype(np.float32), R.integers(0, 4, n)
    found = SoftmaxLoss(design(z), labels, None)(x)
    chances = log_softmax(logits(z.astype(float), x), axis=1)
    assert found.value == pytest.approx(-chances[np.arange(n), labels].mean(), abs=1e-6)
    double = SoftmaxLoss(design(z.astype(float)), labels, None)(x)
    np.testing.assert_allclose(found.gradient, double.gradient, atol=1e-6)
    np.testing.assert_allclose(found.hessian_product(x), double.hessian_product(x), atol=1e-6)
