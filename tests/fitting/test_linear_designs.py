"""Designs against plain matrices: logits there, sums back, and a rough inverse of the Hessian."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import softmax

from calibrant.fitting import linear_designs
from calibrant.fitting.linear_designs import AcrossClasses, ByClass, Design, weigh

RANDOM = np.random.default_rng(0)
N, K = 50, 3
Z = RANDOM.normal(0, 2, (N, K))
W = RANDOM.integers(0, 3, N).astype(float)
Logits = Callable[[np.ndarray], np.ndarray]


def _by_class(x: np.ndarray) -> np.ndarray:
    return Z * x[:K] + x[K:]


def _across_classes(x: np.ndarray) -> np.ndarray:
    table = x.reshape(K, K + 1)
    return Z @ table[:, :K].T + table[:, K]


each_design = pytest.mark.parametrize(
    ("design", "logits", "size"),
    [(ByClass(Z), _by_class, 2 * K), (AcrossClasses(Z), _across_classes, K * (K + 1))],
    ids=["by class", "across classes"],
)
each_weight = pytest.mark.parametrize("w", [None, W], ids=["even", "weighted"])


def _jacobian(logits: Logits, size: int) -> np.ndarray:
    """What each variable adds to every logit."""
    return np.stack([logits(unit) for unit in np.eye(size)])


@each_design
def test_a_round_trip_is_a_product_with_the_design_and_one_with_its_transpose(
    design: Design, logits: Logits, size: int
) -> None:
    x = RANDOM.normal(size=size)
    seen = np.empty((N, K))

    def work(rows: slice, block: np.ndarray) -> None:
        seen[rows] = block
        np.tanh(block, out=block)

    found = design.round_trip(x, work)
    np.testing.assert_allclose(seen, logits(x))
    expected = np.einsum("vnk,nk->v", _jacobian(logits, size), np.tanh(logits(x)))
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("products", [0, 1000])
@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e9])
@each_weight
@each_design
def test_the_preconditioner_inverts_what_is_left_without_other_classes(
    design: Design,
    logits: Logits,
    size: int,
    w: np.ndarray | None,
    products: int,
    unit: float,
) -> None:
    p = softmax(Z, axis=1)
    scale = np.ones(K)
    scale[1] = unit
    in_units = type(design)(Z * scale)
    by_variable = (
        np.append(scale, np.ones(K))
        if isinstance(design, ByClass)
        else np.tile(np.append(scale, 1), K)
    )
    ridge = 0.01 * by_variable**2
    jacobian = _jacobian(logits, size) * by_variable[:, None, None]
    counts = np.ones(N) if w is None else w
    curvature = p * (1 - p) * counts[:, None] / counts.sum()
    hessian = np.einsum("vnk,nk,unk->vu", jacobian, curvature, jacobian) + np.diag(ridge)
    solve = in_units.preconditioner(curvature, ridge, products)
    product = np.stack([solve(column) for column in hessian])
    # Exact where a class has a matrix of its own; else roughly so in every direction.
    spread = np.linalg.eigvals(product * by_variable / by_variable[:, None]).real
    is_exact = isinstance(design, ByClass) or products
    least, most = (1 - 1e-6, 1 + 1e-6) if is_exact else (0.2, 5)
    assert least < spread.min() <= spread.max() < most


@pytest.mark.parametrize("design", [ByClass(Z), AcrossClasses(Z)])
def test_a_class_that_is_never_given_a_chance_does_no_harm(design: Design) -> None:
    p = np.tile([0.5, 0.5, 0.0], (N, 1))
    size = 2 * K if isinstance(design, ByClass) else K * (K + 1)
    for products in (0, 1000):
        solved = design.preconditioner(p * (1 - p), 0.0, products)(np.ones(size))
        assert np.isfinite(solved).all()


def test_few_large_scores_keep_their_digits() -> None:
    assert AcrossClasses(np.full((2, 3), -1e9, np.float32)).z.dtype == np.float64


def test_weighing_keeps_the_type_of_the_block() -> None:
    block = np.ones((4, K), np.float32)
    weigh(block, W, slice(2, 6))
    np.testing.assert_array_equal(block[:, 0], W[2:6].astype(np.float32))
    assert block.dtype == np.float32


@each_weight
@pytest.mark.parametrize("most", [256, 1])
def test_variances_are_those_of_each_class_alone(
    w: np.ndarray | None, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linear_designs, "_MOST_CLASSES", most)
    p = softmax(Z, axis=1)
    counts = np.ones(N) if w is None else w
    curvature = p * (1 - p) * counts[:, None]
    penalty = RANDOM.uniform(1, 2, (K, K + 1))
    found = AcrossClasses(Z).variances(curvature, penalty)
    fed = np.column_stack([Z, np.ones(N)])
    for label in range(K):
        hessian = (fed * curvature[:, label, None]).T @ fed + np.diag(penalty[label])
        exact = np.diag(np.linalg.inv(hessian))
        # Of very many classes roughly: half of it to twice it.
        ratio = found[label] / exact
        least, largest = (1 - 1e-6, 1 + 1e-6) if most > 1 else (0.3, 2)
        assert least < ratio.min() <= ratio.max() < largest
