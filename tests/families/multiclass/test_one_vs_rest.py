"""One-vs-rest against a loop over classes."""

import numpy as np
import pytest

from calibrant import (
    Beta,
    Binned,
    Family,
    Isotonic,
    OneVsRest,
    Platt,
    Quadratic,
    Temperature,
    from_logits,
    from_probs,
    nll,
    one_class,
)


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


@pytest.mark.parametrize("family", [Platt(), Beta(), Quadratic()])
def test_a_class_that_is_always_masked_gets_next_to_nothing(family: Family) -> None:
    random = np.random.default_rng(0)
    logits = random.normal(0, 2, (300, 4)).astype(np.float32)
    labels = (logits[:, :3] + random.gumbel(size=(300, 3))).argmax(1)
    logits[:, 3] = np.finfo(np.float32).min
    pred = from_logits(logits, labels)
    mended = OneVsRest(family).fit(pred).apply(pred)
    assert mended.probs[:, 3].max() < 0.01
    without = OneVsRest(family).fit(from_logits(logits[:, :3], labels))
    assert nll(mended) == pytest.approx(
        nll(without.apply(from_logits(logits[:, :3], labels))), abs=0.01
    )


@pytest.mark.parametrize("family", [Platt(), Beta(), Quadratic()])
def test_logits_at_the_end_of_numbers_are_refused(family: Family) -> None:
    pred = from_logits([[1e99, 0, 1e99], [1e99, 1e99, 0]], [1, 0])
    with pytest.raises(ValueError, match=r"log odds must be at most 1e\+75"):
        OneVsRest(family).fit(pred)


@pytest.mark.parametrize("other", [np.float32, np.float64])
def test_isotonic_does_not_see_the_last_bit(other: type) -> None:
    random = np.random.default_rng(1)
    logits = random.integers(-4, 5, (60, 4)).astype(float)
    labels = (logits / 2 + random.gumbel(size=logits.shape)).argmax(1)
    pred = from_logits(logits, labels)
    shifted = from_logits((logits + 0.1).astype(other), labels)
    first, second = (OneVsRest(Isotonic()).fit(each).apply(each).probs for each in (pred, shifted))
    np.testing.assert_allclose(first, second, atol=1e-5)
