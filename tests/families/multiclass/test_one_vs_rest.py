"""One-vs-rest against a loop over classes."""

import numpy as np
import pytest

from calibrant import Binned, Isotonic, OneVsRest, Temperature, from_logits, from_probs, one_class


@pytest.mark.parametrize("family", [Isotonic(), Temperature(), Binned(5)], ids=repr)
def test_against_a_loop_over_classes(family: Isotonic) -> None:
    random = np.random.default_rng(0)
    fit_on, test = (
        from_logits(random.normal(0, 2, (200, 4)), random.integers(0, 4, 200)) for _ in range(2)
    )
    q = np.stack(
        [family.fit(one_class(fit_on, k))(one_class(test, k)) for k in range(4)], axis=1
    ).clip(0, 1)
    expected = q / q.sum(1, keepdims=True)
    np.testing.assert_allclose(
        OneVsRest(family).fit(fit_on).apply(test).probs, expected, atol=1e-12
    )


def test_a_row_that_every_class_denies_stays_as_claimed() -> None:
    fit_on = from_probs([[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]], [0, 1, 2])
    low = from_probs([[0.9, 0.05, 0.05]] * 3, [1, 1, 2])
    fitted = OneVsRest(Isotonic(interpolate=False)).fit(low)
    np.testing.assert_array_equal(fitted.apply(fit_on).probs.sum(1), 1)
    never = OneVsRest(Isotonic()).fit(
        from_probs([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5]], [1, 2, 0])
    )
    claimed = from_probs([[0.0, 0.0, 1.0]], [0])
    assert np.isfinite(never.apply(claimed).probs).all()


def test_a_class_never_seen_gets_nothing() -> None:
    fit_on = from_probs([[0.6, 0.3, 0.1], [0.3, 0.6, 0.1]], [0, 1])
    assert OneVsRest(Isotonic()).fit(fit_on).apply(fit_on).probs[:, 2].tolist() == [0, 0]
