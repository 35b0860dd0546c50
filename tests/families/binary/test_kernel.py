"""The family Kernel against the ratio of sums it stands for, and the laws of every family."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from shared_kernels import log_kernels, two

from calibrant import binary, calibration_error, from_probs, simulate
from calibrant.families.binary.kernel import Kernel
from calibrant.fitting.bandwidths import BANDWIDTHS
from calibrant.measures.kde import kde_error

FAMILIES = [Kernel(), Kernel(0.01), Kernel("rule")]
N = 24
claims = arrays(
    float,
    N,
    elements=st.sampled_from([0.0, 1e-30, 0.1, 0.2, 1 / 3, 0.5, 0.6, 0.75, 0.9, 1 - 1e-9, 1.0]),
)
outcomes = arrays(bool, N)
each_family = pytest.mark.parametrize("family", FAMILIES, ids=repr)


@pytest.mark.parametrize("h", [1e-5, 1e-3, 0.1, 1])
@pytest.mark.parametrize("n", [30, 1000])
def test_a_map_is_the_ratio_of_sums(n: int, h: float) -> None:
    random = np.random.default_rng(n)
    p = np.append(random.beta(0.3, 0.3, n - 2), [0, 1])
    y, w = random.random(n) < p, random.integers(0, 3, n)
    new = np.concatenate([random.random(50), [0, 1e-20, 1], p[:20]])
    view = binary(p, y, weights=w)
    found = Kernel(h).fit(view)(new)
    # Exact 0 and 1 as they are read.
    read = [np.clip(claims, view.floor, 1 - view.floor) for claims in (new, p[w > 0])]
    logs = log_kernels(two(read[0]), two(read[1]), h)
    weights = np.exp(logs - logs.max(1, keepdims=True)) * w[w > 0]
    np.testing.assert_allclose(found, weights @ y[w > 0] / weights.sum(1), atol=5e-6)


def test_it_finds_the_true_map() -> None:
    view, truth = simulate.task("square", 0.1).sample(10_000, seed=0)
    for family in (Kernel(), Kernel("rule")):
        assert np.abs(family.fit(view)(view) - truth).mean() < 0.025


def test_without_its_own_row_it_is_what_the_error_measures() -> None:
    # Refitted without each row in turn.
    random = np.random.default_rng(1)
    p, y = random.random(40).round(1), random.random(40) < 0.5
    rows = np.arange(40)
    q = [Kernel(0.02).fit(binary(p[rows != i], y[rows != i]))([p[i]])[0] for i in rows]
    assert kde_error(binary(p, y), bandwidth=0.02) == pytest.approx(
        np.abs(np.array(q) - np.clip(p, 0.05, 0.95)).mean(), abs=1e-12
    )


def test_the_width_is_kept_with_the_map() -> None:
    view = simulate.task("square", 0.1).sample(500, seed=0).view
    assert Kernel().fit(view).rule.bandwidth in BANDWIDTHS
    assert Kernel(0.3).fit(view).rule.bandwidth == 0.3


@each_family
@given(
    p=claims,
    y=outcomes,
    w=arrays(np.int64, N, elements=st.integers(0, 3)),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=10)
def test_laws_of_order_range_equal_claims_and_counts(
    family: Kernel, p: np.ndarray, y: np.ndarray, w: np.ndarray, seed: int
) -> None:
    w[0] = 2
    order = np.random.default_rng(seed).permutation(N)
    q = family.fit(binary(p, y, weights=w))(p)
    np.testing.assert_array_equal(family.fit(binary(p[order], y[order], weights=w[order]))(p), q)
    np.testing.assert_allclose(
        family.fit(binary(np.repeat(p, w), np.repeat(y, w)))(p), q, atol=1e-12
    )
    assert ((q >= 0) & (q <= 1)).all()
    assert all(np.ptp(q[p == claim]) == 0 for claim in np.unique(p))


@each_family
@given(p=arrays(np.float32, N, elements=st.floats(0, 1, width=32)), y=outcomes)
@settings(max_examples=10)
def test_float32_and_float64_agree(family: Kernel, p: np.ndarray, y: np.ndarray) -> None:
    double = p.astype(float)
    np.testing.assert_allclose(
        family.fit(binary(p, y))(p), family.fit(binary(double, y))(double), atol=1e-12
    )


@each_family
@pytest.mark.parametrize(
    ("p", "y"),
    [
        ([0.3], [1]),
        ([0.3] * 5, [1, 0, 0, 0, 0]),
        ([0.1, 0.4, 0.8], [0] * 3),
        ([0, 1, 0, 1], [0, 1, 1, 0]),
        ([0.2, 0.9], [0, 1]),
    ],
    ids=["one row", "one claim", "one outcome", "exact 0 and 1", "two rows"],
)
def test_extremes(family: Kernel, p: list[float], y: list[int]) -> None:
    fitted = family.fit(binary(p, y))
    assert np.isfinite(fitted([0, 1e-300, 0.3, 0.5, 1 - 1e-16, 1])).all()
    assert np.isfinite(calibration_error(binary(p, y), family))
    if len(set(p)) == 1:
        np.testing.assert_allclose(fitted([0.0, 0.3, 0.9]), np.mean(y))


def test_predictions_of_more_classes_are_taken_one_by_one() -> None:
    random = np.random.default_rng(2)
    pred = from_probs(random.dirichlet([1, 1, 1], 300), random.integers(0, 3, 300))
    np.testing.assert_allclose(Kernel(0.05).fit(pred).apply(pred).probs.sum(1), 1)


@pytest.mark.parametrize("bandwidth", [0, 0.0, -1, float("nan"), float("inf"), 1e-12])
def test_a_width_must_be_above_zero(bandwidth: float) -> None:
    with pytest.raises(ValueError, match="bandwidth must be above 0, at least 1e-08"):
        Kernel(bandwidth)


@pytest.mark.parametrize("bandwidth", ["cv", True, (0.1,)])
def test_other_widths_are_refused(bandwidth: object) -> None:
    with pytest.raises(
        ValueError, match="bandwidth must be 'likelihood' or 'outcomes' or 'rule' or of type float"
    ):
        Kernel(bandwidth)  # type: ignore[arg-type]
