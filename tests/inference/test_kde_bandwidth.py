"""The bandwidth told is the one that errors are measured with."""

import numpy as np
import pytest
from shared_claims import claims

from calibrant import binary, canonical, classwise, from_probs, kde_bandwidth, kde_error
from calibrant.families.binary.kernel import Bandwidth, Kernel


@pytest.mark.parametrize("bandwidth", [None, "likelihood", "outcomes", "rule", 0.02])
def test_it_is_the_one_that_errors_take(bandwidth: Bandwidth) -> None:
    view = claims(300)
    found = kde_bandwidth(view, bandwidth=bandwidth)
    assert kde_error(view, bandwidth=bandwidth) == kde_error(view, bandwidth=found.value)
    assert Kernel(bandwidth).fit(view).rule.bandwidth == found.value
    random = np.random.default_rng(0)
    pred = from_probs(random.dirichlet(np.ones(3), 100), random.integers(0, 3, 100))
    found = kde_bandwidth(canonical(pred), bandwidth=bandwidth)
    error = kde_error(canonical(pred), bandwidth=bandwidth)
    assert error == kde_error(canonical(pred), bandwidth=found.value)


def test_an_end_is_told() -> None:
    random = np.random.default_rng(0)
    crowded = binary(1e-4 * random.random(200), np.arange(200) % 2)
    assert kde_bandwidth(crowded).note == "below the usual ones, 1e-05 to 1"
    assert "below the usual ones" in str(list(Kernel().fit(crowded).rule.facts()))
    assert kde_bandwidth(crowded, bandwidth=1e-8).note == "the narrowest tried"
    even = binary(np.linspace(0.01, 0.99, 50), np.arange(50) % 2)
    assert kde_bandwidth(even) == (1, "the widest tried")


@pytest.mark.parametrize("rows", [1, 5])
def test_claims_all_equal(rows: int) -> None:
    assert kde_bandwidth(binary([0.3] * rows, [1] * rows)).value == pytest.approx(1e-5)
    pred = from_probs([[0.2, 0.3, 0.5]] * rows, [2] * rows)
    for bandwidth in (None, "outcomes"):
        assert np.isfinite(kde_bandwidth(canonical(pred), bandwidth=bandwidth).value)


def test_several_views_have_one_each() -> None:
    pred = from_probs([[0.2, 0.3, 0.5]] * 4, [0, 1, 2, 2])
    with pytest.raises(ValueError, match="got 3 views; ask of each"):
        kde_bandwidth(classwise(pred))  # type: ignore[arg-type]
