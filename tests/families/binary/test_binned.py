"""Bins against loops over rows."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant import Binned, HistogramBinning, accuracy, binary, brier, samples
from calibrant.families.folds import held_out
from calibrant.families.numpy_operations import NUMPY
from calibrant.families.rules import Edges


def _reference(
    p: np.ndarray, y: np.ndarray, n_bins: int, edges: Edges, slope: int, at: np.ndarray
) -> np.ndarray:
    """Bin by bin, row by row."""
    if edges == "mass":
        starts = [part[0] if len(part) else np.inf for part in np.array_split(np.sort(p), n_bins)]
        bounds = [0.0, *np.minimum(starts[1:], 1), 1.0]
    else:
        starts = bounds = np.linspace(0, 1, n_bins + 1).tolist()

    def place(x: float) -> int:
        return sum(x >= start if edges == "mass" else x > start for start in starts[1:n_bins])

    where = np.array([place(x) for x in p])
    q = []
    for x in at:
        rows = where == place(x)
        middle = (bounds[place(x)] + bounds[place(x) + 1]) / 2
        lift = y[rows].mean() - slope * p[rows].mean() if rows.any() else (1 - slope) * middle
        q.append(slope * x + lift)
    return np.array(q)


@pytest.mark.parametrize("slope", [0, 1])
@pytest.mark.parametrize("edges", ["width", "mass"])
@pytest.mark.parametrize("n_bins", [1, 2, 7, 15, 40])
def test_against_loops(n_bins: int, edges: Edges, slope: int) -> None:
    random = np.random.default_rng(n_bins)
    at = np.linspace(0, 1, 61)
    for p in (
        random.random(100),
        random.random(30).round(1),
        random.beta(9, 0.3, 60),
        np.full(5, 0.2),
    ):
        y = random.random(len(p)) < 0.4
        fitted = Binned(n_bins, edges=edges, slope=slope).fit(binary(p, y))  # type: ignore[arg-type]
        np.testing.assert_allclose(
            fitted(at), _reference(p, y, n_bins, edges, slope, at), atol=1e-12
        )


def test_histogram_binning_is_binned_with_slope_zero() -> None:
    random = np.random.default_rng(0)
    view = binary(random.random(99), random.random(99) < 0.3)
    at = np.linspace(0, 1, 50)
    for edges in ("width", "mass"):
        flat = Binned(6, edges=edges, slope=0).fit(view)(at)
        np.testing.assert_array_equal(HistogramBinning(6, edges=edges).fit(view)(at), flat)


@pytest.mark.parametrize(
    ("rows", "events", "n_bins"),
    [
        (1000, 500, 10),  # (2 * 500)^(2/3) = 100 rows in a bin
        (8000, 4000, 20),
        (8000, 32, 500),  # (2 * 32)^(2/3) = 16
        (8000, 8000 - 32, 500),
        (8000, 0, 1),
        (8000, 8000, 1),
        (1, 1, 1),
        (2, 1, 1),
    ],
)
def test_bins_grow_with_rows_and_where_an_outcome_is_rare(
    rows: int, events: int, n_bins: int
) -> None:
    p = np.linspace(0.1, 0.9, rows)
    y = np.arange(rows) >= rows - events
    counts = HistogramBinning().fit(binary(p, y)).rule.count
    np.testing.assert_array_equal(counts, [len(part) for part in np.array_split(p, n_bins)])
    by_number = HistogramBinning(n_bins).fit(binary(p, y))
    np.testing.assert_array_equal(HistogramBinning().fit(binary(p, y))(p), by_number(p))


def test_bins_are_counted_by_weight_and_by_distinct_claims() -> None:
    random = np.random.default_rng(3)
    p = random.random(200).round(3)
    y = random.random(200) < p / 9
    w = random.integers(0, 4, 200)
    weighted = HistogramBinning().fit(binary(p, y, weights=w))
    repeated = HistogramBinning().fit(binary(np.repeat(p, w), np.repeat(y, w)))
    np.testing.assert_array_equal(weighted.rule.count, repeated.rule.count)
    few = HistogramBinning().fit(binary(np.tile([0.1, 0.5, 0.9], 900), np.arange(2700) > 2690))
    assert len(few.rule.count) == 3


def test_of_a_hundred_classes_bins_by_number_ruin_what_automatic_ones_keep() -> None:
    fit_on, test = samples.load("c100-resnet18")
    fixed = HistogramBinning(15).fit(fit_on).apply(test)
    assert accuracy(fixed) < accuracy(test) - 0.2
    mended = HistogramBinning().fit(fit_on).apply(test)
    assert accuracy(mended) > accuracy(test) - 0.02
    assert brier(mended) < brier(test) + 0.01 < brier(fixed) - 0.1


def test_bins_are_a_number_or_automatic() -> None:
    with pytest.raises(ValueError, match="n_bins must be 'auto' or of type int, got 'many'"):
        HistogramBinning("many")  # type: ignore[arg-type]


def _sweep(p: np.ndarray, y: np.ndarray) -> int:
    best = 1
    for n_bins in range(1, len(np.unique(p)) + 1):
        starts = [part[0] for part in np.array_split(np.sort(p), n_bins)]
        where = np.searchsorted(starts, p, side="right") - 1
        means = [y[where == k].mean() for k in range(n_bins) if (where == k).any()]
        if any(b < a for a, b in pairwise(means)):
            return best
        best = n_bins
    return best


@pytest.mark.parametrize("seed", range(20))
def test_the_sweep_stops_before_outcomes_fall(seed: int) -> None:
    random = np.random.default_rng(seed)
    p = random.random(200).round(3 if seed % 2 else 1)
    y = random.random(200) < p
    if seed % 3 == 0:
        # Nearly parted by a threshold: the sweep then goes on to many bins.
        y = p > 0.3
        y[np.argsort(p)[seed % 7]] ^= True
    steps = Binned(edges="mass", rule="sweep").fit(binary(p, y)).rule
    assert len(steps.inner) + 1 == _sweep(p, y)


def test_cross_validation_chooses_what_a_plain_search_does() -> None:
    random = np.random.default_rng(4)
    p = random.random(400)
    view = binary(p, random.random(400) < p**3)
    scores = []
    for n_bins in range(1, 41):
        errors = []
        for fitted, held in held_out(view, 10, seed=1):
            c = Binned(n_bins, edges="mass").fit(view[fitted])(view[held])
            errors.append(((c - view.y[held]) ** 2).mean())
        scores.append(np.mean(errors))
    expected = next(b for b, score in enumerate(scores, 1) if score <= 1.001 * min(scores))
    assert expected > 1
    assert len(Binned(edges="mass", rule="cv").fit(view).rule.inner) + 1 == expected


def test_no_bins_are_refused() -> None:
    with pytest.raises(ValueError, match="n_bins must be at least 1, got 0"):
        Binned(0)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("slope", [0, 1])
@given(n_bins=st.integers(1, 60), data=st.data())
def test_a_map_gives_what_its_formula_does(
    kind: type, slope: int, n_bins: int, data: st.DataObject
) -> None:
    view = binary([0.1, 0.4, 0.9], [0, 1, 1])
    rule = Binned(n_bins, slope=slope).fit(view).rule  # type: ignore[arg-type]
    edges = st.sampled_from(np.linspace(0, 1, n_bins + 1).tolist())
    p: np.ndarray = np.array(data.draw(st.lists(edges | st.floats(0, 1), min_size=1)), kind)
    claims = binary(p, np.zeros(len(p)))
    np.testing.assert_array_equal(rule(claims), rule.formula(claims, NUMPY))
