"""What filled cells say is what a plain sum over their rows says."""

import numpy as np
import pytest

from calibrant.scale.grid import FINE
from calibrant.scale.tally import Claims, Tally

N = 5000


def rows(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Claims that crowd, outcomes and weights."""
    random = np.random.default_rng(seed)
    p = random.beta(0.5, 0.5, N).round(4)
    return p, random.random(N) < p, random.integers(1, 4, N).astype(float)


def counted(p: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> Tally:
    """All rows, added in two parts."""
    tally = Tally.empty(FINE)
    if w is not None:
        tally.to_floats()
    for part in (slice(0, 2000), slice(2000, None)):
        tally.add(
            Claims(p[part], 1 - p[part]), y[part], None if w is None else w[part], is_exact=True
        )
    return tally


@pytest.mark.parametrize("weighted", [False, True])
def test_points_are_rows_and_events_at_mean_claims(weighted: bool) -> None:
    p, y, w = rows(0)
    weights = w if weighted else np.ones(N)
    points = counted(p, y, w if weighted else None).points()
    assert points.rows.sum() == weights.sum()
    assert points.events.sum() == weights[y].sum()
    assert points.rows @ points.p == pytest.approx(weights @ p, rel=1e-9)
    np.testing.assert_allclose(points.p + points.rest, 1, atol=1e-12)
    assert (np.diff(points.p) > 0).all()
    kept = np.isin([0.0, 1.0], p)
    assert np.isin([0.0, 1.0], points.p).tolist() == kept.tolist()


def test_sums_of_parts_are_those_of_the_whole() -> None:
    p, y, _ = rows(1)
    halves = [counted(p[part], y[part], None) for part in (slice(0, 2500), slice(2500, None))]
    merged = halves[0].merged(halves[1])
    np.testing.assert_array_equal(merged.sums, counted(p, y, None).sums)
