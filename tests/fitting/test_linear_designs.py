"""Designs against plain matrices: logits there, sums back, and a rough inverse of the Hessian."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import softmax

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


@each_weight
@each_design
def test_the_preconditioner_inverts_what_is_left_without_other_classes(
    design: Design, logits: Logits, size: int, w: np.ndarray | None
) -> None:
    p = softmax(Z, axis=1)
    ridge = np.full(size, 0.01)
    jacobian = _jacobian(logits, size)
    counts = np.ones(N) if w is None else w
    curvature = p * (1 - p) * counts[:, None] / counts.sum()
    hessian = np.einsum("vnk,nk,unk->vu", jacobian, curvature, jacobian) + np.diag(ridge)
    solve = design.preconditioner(p, w, ridge)
    product = np.stack([solve(column) for column in hessian])
    # Exact where only two variables feed a class; else roughly so in every direction.
    spread = np.linalg.eigvals(product).real
    least, most = (1 - 1e-6, 1 + 1e-6) if isinstance(design, ByClass) else (0.2, 5)
    assert least < spread.min() <= spread.max() < most


@each_weight
def test_the_diagonal_is_that_of_the_hessian(w: np.ndarray | None) -> None:
    p = softmax(Z, axis=1)
    counts = np.ones(N) if w is None else w
    curvature = p * (1 - p) * counts[:, None] / counts.sum()
    jacobian = _jacobian(_across_classes, K * (K + 1))
    expected = np.einsum("vnk,nk,vnk->v", jacobian, curvature, jacobian)
    np.testing.assert_allclose(AcrossClasses(Z).diagonal(p, w), expected)


@pytest.mark.parametrize("design", [ByClass(Z), AcrossClasses(Z)])
def test_a_class_that_is_never_given_a_chance_does_no_harm(design: Design) -> None:
    p = np.tile([0.5, 0.5, 0.0], (N, 1))
    size = 2 * K if isinstance(design, ByClass) else K * (K + 1)
    solved = design.preconditioner(p, None, 0.0)(np.ones(size))
    assert np.isfinite(solved).all()


def test_weighing_keeps_the_type_of_the_block() -> None:
    block = np.ones((4, K), np.float32)
    weigh(block, W, slice(2, 6))
    np.testing.assert_array_equal(block[:, 0], W[2:6].astype(np.float32))
    assert block.dtype == np.float32
