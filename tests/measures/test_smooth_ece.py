"""Smooth ECE against its defining integral, and against the package of its authors."""

import numpy as np
import pytest

from calibrant import View, binary, classwise, from_logits, samples, top_label
from calibrant.measures.smooth_ece import smece, smoothed

# relplot 1.0.3 on the claims of `_even`, by width.
RELPLOT = {
    0.005: 0.167692,
    0.01: 0.167370,
    0.02: 0.166971,
    0.05: 0.166633,
    0.1: 0.166789,
    0.2: 0.167028,
    0.5: 0.167223,
}


def _even() -> View:
    p = (np.arange(2000) + 0.5) / 2000
    return binary(p, (np.arange(2000) * 0.6180339887498949) % 1 < p**2)


def _kernel(t: np.ndarray, p: np.ndarray, width: float) -> np.ndarray:
    """Gaussians at all images of p, as far as they reach into [0, 1]."""
    m = np.arange(-int(5 * width) - 2, int(5 * width) + 3)
    images = np.concatenate([2 * m + sign * p[:, None] for sign in (1, -1)], axis=1)
    z = (t[:, None, None] - images) / width
    return np.exp(-(z**2) / 2).sum(2) / (width * np.sqrt(2 * np.pi))


def _dense(p: np.ndarray, y: np.ndarray, width: float) -> float:
    cells = int(max(400, 200 / width))
    t = (np.arange(cells) + 0.5) / cells
    return float(np.abs(_kernel(t, p, width) @ (y - p)).mean() / len(p))


def _claims(kind: str) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(len(kind))
    p = {
        "even": random.random(60),
        "piled up": random.beta(0.2, 0.1, 60),
        "tied": np.append(random.random(56).round(1), [0, 0, 1, 1]),
    }[kind]
    return p, random.random(60) < p**1.5


each_kind = pytest.mark.parametrize("kind", ["even", "piled up", "tied"])


@each_kind
@pytest.mark.parametrize("width", [0.004, 0.02, 0.1, 0.4, 3.0])
def test_a_fixed_width_against_the_integral(kind: str, width: float) -> None:
    p, y = _claims(kind)
    assert smece(binary(p, y), width=width) == pytest.approx(_dense(p, y, width), abs=2e-6)


@pytest.mark.parametrize("width", [0.1, 0.5, 0.9])
def test_few_rows_are_as_exact(width: float) -> None:
    p, y = np.array([0.13, 0.5, 0.91]), np.array([1, 0, 1])
    assert smece(binary(p, y), width=width) == pytest.approx(_dense(p, y, width), abs=2e-6)


@each_kind
def test_the_automatic_width_is_the_error(kind: str) -> None:
    p, y = _claims(kind)
    found = smece(binary(p, y))
    assert smece(binary(p, y), width=found) == pytest.approx(found, abs=1e-6)
    assert _dense(p, y, found) == pytest.approx(found, abs=1e-5)


@pytest.mark.parametrize("n", [10**6, 10**9, 10**11])
def test_small_errors_are_widths_too(n: int) -> None:
    # Claims a thousandth apart that are off by turns, and not: 1/sqrt(n) at first, and nothing from
    # afar.
    p = np.linspace(0.2, 0.8, 601)
    gap = np.where(np.arange(601) % 2, 1, -1) / np.sqrt(n)
    happened = n * (p + gap)
    view = binary(np.tile(p, 2), np.repeat([1, 0], 601), weights=np.append(happened, n - happened))
    found = smece(view)
    assert smece(view, width=max(found, 1e-6)) == pytest.approx(found, abs=1e-6)
    assert found <= n**-0.5 * 1.001


@pytest.mark.parametrize("width", list(RELPLOT))
def test_a_fixed_width_against_relplot(width: float) -> None:
    assert smece(_even(), width=width) == pytest.approx(RELPLOT[width], abs=1e-3)


@pytest.mark.parametrize("name", samples.NAMES)
def test_a_wide_kernel_leaves_the_mean_gap(name: samples.Name) -> None:
    view = top_label(samples.load(name)[1])
    gap = abs(view.y.mean() - view.p.mean(dtype=np.float64))
    assert smece(view, width=5.0) == pytest.approx(gap, abs=1e-9)
    errors = [smece(view, width=width) for width in (1e-4, 1e-3, 0.01, 0.1, 1.0)]
    assert (np.diff(errors) <= 1e-9).all()
    assert errors[-1] >= gap - 1e-9


@each_kind
@pytest.mark.parametrize("width", [None, 1e-4, 0.03])
def test_order_weights_and_types(kind: str, width: float | None) -> None:
    p, y = _claims(kind)
    random = np.random.default_rng(0)
    w, order = random.integers(0, 4, 60), random.permutation(60)
    weighted = smece(binary(p, y, weights=w), width=width)
    assert weighted == pytest.approx(
        smece(binary(np.repeat(p, w), np.repeat(y, w)), width=width), abs=1e-11
    )
    assert weighted == pytest.approx(smece(binary(p, y, weights=10 * w), width=width), abs=1e-11)
    found = smece(binary(p, y), width=width)
    assert smece(binary(p[order], y[order]), width=width) == pytest.approx(found, abs=1e-11)
    single = p.astype(np.float32)
    assert smece(binary(single, y), width=width) == pytest.approx(
        smece(binary(single.astype(float), y), width=width), abs=1e-12
    )


def test_extremes() -> None:
    assert smece(binary([0.3], [1])) == pytest.approx(0.7)
    assert smece(binary([0.3], [1]), width=0.1) == pytest.approx(0.7)
    assert smece(binary([0, 1, 0, 1], [1, 0, 1, 0]), width=1e-6) == pytest.approx(1)
    assert smece(binary([0, 0], [1, 1])) == pytest.approx(1)
    assert smece(binary([0, 1], [0, 1])) == 0
    assert smece(binary([0.25] * 4, [1, 0, 0, 0])) == 0
    assert smece(binary([0.25] * 4, [1, 0, 0, 0]), width=0.1) == pytest.approx(0, abs=1e-15)
    assert smece(binary([0.3, 0.6], [1, 0]), width=1e300) == pytest.approx(0.05)


def test_of_predictions_the_top_label_and_of_views_the_mean() -> None:
    random = np.random.default_rng(1)
    pred = from_logits(random.normal(0, 2, (300, 3)), random.integers(0, 3, 300))
    assert smece(pred) == smece(top_label(pred))
    views = classwise(pred)
    assert smece(views, width=0.1) == pytest.approx(
        np.mean([smece(view, width=0.1) for view in views])
    )


def test_a_calibrated_model_has_an_error_that_goes_to_zero() -> None:
    random = np.random.default_rng(0)
    p = random.random(300_000)
    y = random.random(300_000) < p
    assert smece(binary(p, y)) < 0.006 < smece(binary(p[:300], y[:300]))


@pytest.mark.parametrize("width", [0, -0.1, np.nan, np.inf, 1e-9, "wide"])
def test_other_widths_are_refused(width: float) -> None:
    for ask in (smece, smoothed):
        with pytest.raises(ValueError, match=r"width must be a number of at least 1e-06.*got"):
            ask(_even(), width=width)


@each_kind
@pytest.mark.parametrize("width", [0.01, 0.1])
def test_the_diagram_against_sums_over_all_rows(kind: str, width: float) -> None:
    p, y = _claims(kind)
    found = smoothed(binary(p, y), width=width)
    at = slice(None, None, 16)
    kernel = _kernel(found.p[at], p, width)
    density = kernel.mean(1)
    np.testing.assert_allclose(found.density[at], density, atol=1e-4 * density.max())
    seen = density > 1e-3 * density.max()
    np.testing.assert_allclose(
        found.q[at][seen], (kernel @ y)[seen] / kernel.sum(1)[seen], atol=1e-3
    )
    assert found.width == width
    assert np.trapezoid(found.density, found.p) == pytest.approx(1, abs=1e-6)


def test_a_diagram_where_nobody_claims_anything() -> None:
    found = smoothed(binary([0.2, 0.2, 0.7, 0.7], [0, 1, 1, 1]), width=0.005)
    assert np.isfinite(found.q).all()
    assert ((found.q >= 0) & (found.q <= 1)).all()
    assert (found.density >= 0).all()
    np.testing.assert_allclose(
        np.interp([0, 0.2, 0.45, 0.7, 1], found.p, found.q), [0.5, 0.5, 0.75, 1, 1], atol=1e-3
    )


def test_a_diagram_has_the_width_of_the_error_or_one_that_can_be_seen() -> None:
    assert smoothed(_even()).width == smece(_even())
    assert smoothed(binary([0.25] * 4, [1, 0, 0, 0])).width == 0.001
    weighted, repeated = binary([0.2, 0.7], [1, 0], weights=[2, 0]), binary([0.2, 0.2], [1, 1])
    np.testing.assert_allclose(smoothed(weighted).q, smoothed(repeated).q)
    np.testing.assert_allclose(smoothed(weighted).density, smoothed(repeated).density)
