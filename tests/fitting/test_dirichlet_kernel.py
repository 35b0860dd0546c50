"""Sums of Dirichlet kernels in blocks against dense ones."""

import numpy as np
import pytest
from shared_kernels import left_out as dense
from shared_kernels import log_density, log_kernels, pairs_left_out

from calibrant.fitting import labelled_vectors as module
from calibrant.fitting.bandwidths import BANDWIDTHS
from calibrant.fitting.dirichlet_kernel import (
    best_bandwidth,
    left_out,
    predictive_bandwidth,
    quick_bandwidth,
)
from calibrant.fitting.labelled_vectors import LabelledVectors, labelled_vectors


def _data(n: int, k: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    p = random.dirichlet(np.full(k, 0.3), n)
    # Exact zeros and ones, and rows that are the same.
    p[0], p[1] = np.eye(k)[0], np.eye(k)[0]
    p[2] = p[3]
    return p, random.integers(0, k, n)


def _shares(rows: LabelledVectors, h: float, *, pairs: bool = False) -> np.ndarray:
    return left_out(rows, h, lambda _, share: share, _nothing, pairs=pairs)


def _nothing() -> None:
    pass


@pytest.mark.parametrize("h", [1e-3, 1e-2, 0.1])
@pytest.mark.parametrize(("n", "k"), [(300, 3), (300, 10), (200, 100), (100, 1000)])
def test_against_dense_sums(n: int, k: int, h: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CELLS", 17 * n)
    p, y = _data(n, k)
    rows = labelled_vectors(p, y, None, logits=False)
    assert len(rows.blocks()) > 3
    order = np.argsort(y, kind="stable")
    np.testing.assert_allclose(_shares(rows, h), dense(p, y, h)[order], rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("h", [1e-4, 0.01, 0.5])
def test_pairs_against_exact_arithmetic(h: float) -> None:
    p, y = _data(30, 3)
    found = _shares(labelled_vectors(p, y, None, logits=False), h, pairs=True)
    expected = pairs_left_out(p, y, h)[np.argsort(y, kind="stable")]
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("pairs", [False, True])
def test_weights_are_counts(*, pairs: bool) -> None:
    p, y = _data(40, 4)
    w = np.random.default_rng(1).integers(0, 4, 40)
    w[2] = 3
    times = np.repeat(np.arange(40), w)
    weighted, repeated = (
        labelled_vectors(p, y, w.astype(float), logits=False),
        labelled_vectors(p[times], y[times], None, logits=False),
    )
    kept = np.argsort(y, kind="stable")
    each = np.repeat(np.arange((w > 0).sum()), w[kept][w[kept] > 0])
    np.testing.assert_allclose(
        _shares(weighted, 0.01, pairs=pairs)[each], _shares(repeated, 0.01, pairs=pairs), atol=1e-12
    )
    assert best_bandwidth(weighted, _nothing) == best_bandwidth(repeated, _nothing)
    assert predictive_bandwidth(weighted, _nothing) == predictive_bandwidth(repeated, _nothing)
    assert quick_bandwidth(weighted) == pytest.approx(quick_bandwidth(repeated))


def test_logits_and_probabilities_agree() -> None:
    random = np.random.default_rng(2)
    z, y = random.normal(0, 3, (100, 5)), random.integers(0, 5, 100)
    z[0] = [1e4, -1e4, 0, 0, 0]
    p = np.exp(z - z.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    found = [
        _shares(labelled_vectors(values, y, None, logits=logits), 0.01)
        for values, logits in ((z, True), (p, False))
    ]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9, atol=1e-14)
    single = _shares(labelled_vectors(z.astype(np.float32), y, None, logits=True), 0.01)
    double = _shares(
        labelled_vectors(z.astype(np.float32).astype(float), y, None, logits=True), 0.01
    )
    np.testing.assert_array_equal(single, double)


def test_a_class_never_seen_has_no_share() -> None:
    p, y = _data(50, 4)
    found = _shares(labelled_vectors(p, np.where(y == 2, 3, y), None, logits=False), 0.01)
    assert (found[:, 2] == 0).all()
    np.testing.assert_allclose(found.sum(1), 1)


def test_the_best_bandwidth_is_that_of_dense_sums() -> None:
    for k in (3, 20):
        p = np.random.default_rng(k).dirichlet(np.ones(k), 200)
        rows = labelled_vectors(p, np.arange(200) % k, None, logits=False)
        assert (
            best_bandwidth(rows, _nothing)
            == BANDWIDTHS[np.argmax([log_density(p, h).sum() for h in BANDWIDTHS])]
        )


def test_equal_vectors_are_left_out_together() -> None:
    random = np.random.default_rng(5)
    p = random.dirichlet(np.ones(3), 40)[random.integers(0, 40, 200)]
    rows = labelled_vectors(p, random.integers(0, 3, 200), None, logits=False)
    dense = [log_density(p, h).sum() for h in BANDWIDTHS]
    expected = min(BANDWIDTHS[np.argmax(dense)], quick_bandwidth(rows))
    assert best_bandwidth(rows, _nothing) == pytest.approx(expected, rel=1e-12)
    assert expected > 1e-3
    same = labelled_vectors(p[:1].repeat(5, 0), np.arange(5) % 3, None, logits=False)
    assert best_bandwidth(same, _nothing) == BANDWIDTHS[0]


def test_narrower_ones_than_usual_are_tried() -> None:
    # Two crowds, 1e-7 wide.
    random = np.random.default_rng(6)
    near = 1e-7 * random.random((100, 1))
    p = np.concatenate([near, 0.5 - near / 2, 0.5 - near / 2], axis=1)
    rows = labelled_vectors(p, random.integers(0, 3, 100), None, logits=False)
    every = np.logspace(-8, -5, 12)
    dense = [log_density(p, h).sum() for h in every]
    assert best_bandwidth(rows, _nothing) == pytest.approx(every[np.argmax(dense)])
    assert best_bandwidth(rows, _nothing) < BANDWIDTHS[0]


def test_the_bandwidth_that_predicts_best_is_that_of_dense_sums() -> None:
    for k in (3, 10):
        p, y = _data(150, k, seed=7)
        rows = labelled_vectors(p, y, None, logits=False)
        loss = [((dense(p, y, h) - np.eye(k)[y]) ** 2).sum() for h in BANDWIDTHS]
        assert predictive_bandwidth(rows, _nothing) == BANDWIDTHS[np.argmin(loss)]


def test_the_quick_bandwidth_is_near_the_best() -> None:
    for k in (3, 10):
        p = np.random.default_rng(k).dirichlet(np.full(k, 2.0), 1000)
        rows = labelled_vectors(p, np.arange(1000) % k, None, logits=False)
        assert 0.2 < quick_bandwidth(rows) / best_bandwidth(rows, _nothing) < 5


def test_every_block_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CELLS", 1000)
    p, y = _data(100, 3)
    rows = labelled_vectors(p, y, None, logits=False)
    ticks: list[None] = []
    best_bandwidth(rows, lambda: ticks.append(None))
    assert len(ticks) == len(rows.blocks()) == 10
    left_out(rows, 0.01, lambda _, share: share, lambda: ticks.append(None))
    assert len(ticks) == 20


def test_the_dense_kernel_is_a_density() -> None:
    # The reference itself, by an integral over the simplex of three classes.
    steps = 400
    first, second = (each.ravel() / steps for each in np.mgrid[1:steps, 1:steps])
    inside = first + second < 1 - 0.5 / steps
    at = np.stack([first, second, 1 - first - second], axis=1)[inside]
    for h in (0.02, 0.2):
        heights = np.exp(log_kernels(at, np.array([[0.2, 0.3, 0.5], [0.4, 0.4, 0.2]]), h))
        np.testing.assert_allclose(heights.sum(0) / steps**2, 1, atol=0.01)


def test_of_a_single_vector_the_least_bandwidth_is_taken() -> None:
    rows = labelled_vectors(
        np.tile([0.2, 0.3, 0.5], (4, 1)), np.array([0, 1, 2, 2]), None, logits=False
    )
    assert predictive_bandwidth(rows, _nothing) == min(BANDWIDTHS)
