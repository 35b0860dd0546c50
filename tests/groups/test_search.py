"""The search for a segment: found where there is one, a level where there is none, rows in any order."""

import numpy as np
import pytest
from scipy.special import expit

from calibrant import View, binary
from calibrant.groups import worst_segment
from calibrant.inference.running_sums import kuiper


def sampled(
    seed: int, n: int, shift: float = 0, slope: float = 1
) -> tuple[View, dict[str, np.ndarray]]:
    """Claims that are right but for those of site 3."""
    random = np.random.default_rng(seed)
    columns = {
        "site": random.integers(0, 6, n),
        "age": random.normal(40, 9, n),
        "sex": random.choice(["f", "m"], n),
    }
    z = random.normal(0, 2, n)
    is_off = columns["site"] == 3
    truth = np.where(is_off, slope * z + shift, z)
    return binary(expit(z), random.random(n) < expit(truth)), columns


@pytest.mark.parametrize(("shift", "slope"), [(1.0, 1.0), (0.0, 0.3)])
def test_the_segment_is_found_whether_off_one_way_or_too_extreme(
    shift: float, slope: float
) -> None:
    view, columns = sampled(0, 4000, shift, slope)
    found = worst_segment(view, columns, n_draws=199)
    assert (found.name, found.column) == ("site = 3", "site")
    assert found.p_value == 1 / 200
    np.testing.assert_array_equal(found.rows, np.flatnonzero(columns["site"] == 3))
    part = view[found.rows]
    assert found.total == part.n
    assert (found.claimed, found.happened) == pytest.approx((part.p.mean(), part.y.mean()))


def test_the_level_holds_after_the_search() -> None:
    rejects = []
    for seed in range(150):
        view, columns = sampled(seed, 600)
        rejects.append(worst_segment(view, columns, n_draws=99).p_value <= 0.1)
    # Of 150 runs at 10%, 25 or more would come in 1 of 100.
    assert sum(rejects) < 25


def test_it_is_the_segment_of_the_largest_kuiper_statistic() -> None:
    random = np.random.default_rng(3)
    p, site = random.choice([0.1, 0.3, 0.5, 0.7], 2000), random.integers(0, 8, 2000)
    view = binary(p, random.random(2000) < p)
    statistics = [kuiper(view[site == each]).statistic for each in range(8)]
    assert worst_segment(view, {"site": site}).name == f"site = {np.argmax(statistics)}"


def test_rows_in_another_order_and_weights() -> None:
    view, columns = sampled(4, 1000, 0.4)
    found = worst_segment(view, columns, n_draws=99)
    order = np.random.default_rng(0).permutation(1000)
    again = worst_segment(view[order], {n: x[order] for n, x in columns.items()}, n_draws=99)
    assert (again.name, again.p_value) == (found.name, found.p_value)
    weighed = binary(view.p, view.y, weights=np.full(1000, 2.0))
    twice = binary(np.tile(view.p, 2), np.tile(view.y, 2))
    one = worst_segment(weighed, columns, n_draws=99)
    other = worst_segment(twice, {n: np.tile(x, 2) for n, x in columns.items()}, n_draws=99)
    assert (one.name, one.total) == (other.name, other.total)
    assert one.p_value == pytest.approx(other.p_value, abs=0.05)


def test_too_few_rows_say_so() -> None:
    view, columns = sampled(5, 60)
    with pytest.raises(ValueError, match="no segment has 50 rows"):
        worst_segment(view, {"site": columns["site"]})
