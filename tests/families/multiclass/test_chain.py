"""Chain: each step is what the family makes of the rows before it."""

import numpy as np
import pytest

from calibrant import (
    Chain,
    Family,
    Identity,
    Isotonic,
    OneVsRest,
    OrderPreserving,
    Platt,
    StructuredMatrix,
    Temperature,
    from_logits,
    from_probs,
    nll,
    samples,
)


@pytest.mark.parametrize("last", [OrderPreserving(), OneVsRest(Isotonic())], ids=repr)
@pytest.mark.parametrize("kind", ["logits", "probs"])
def test_steps_are_those_taken_by_hand(kind: str, last: Family) -> None:
    fit_on, test = samples.load("c10-resnet18")
    if kind == "probs":
        fit_on = from_probs(fit_on.probs, fit_on.labels)
        test = from_probs(test.probs, test.labels)
    first = StructuredMatrix().fit(fit_on)
    second = last.fit(first.apply(fit_on))
    by_hand = second.apply(first.apply(test))
    found = Chain((StructuredMatrix(), last)).fit(fit_on).apply(test)
    np.testing.assert_allclose(found.probs, by_hand.probs, rtol=1e-6)


def test_of_one_family_is_that_family_and_the_identity_adds_nothing() -> None:
    fit_on, test = samples.load("c10-resnet18")
    alone = Temperature().fit(fit_on).apply(test).probs
    for families in [(Temperature(),), (Identity(), Temperature()), (Temperature(), Identity())]:
        found = Chain(families).fit(fit_on).apply(test).probs
        np.testing.assert_allclose(found, alone, rtol=1e-6)


def test_two_classes_may_end_with_a_family_of_one_chance() -> None:
    random = np.random.default_rng(0)
    z = random.normal(0, 2, 500)
    pred = from_logits(z, random.random(500) < 1 / (1 + np.exp(-z / 2)))
    mended = Chain((Temperature(), Platt())).fit(pred).apply(pred)
    assert nll(mended) < nll(pred)
    np.testing.assert_allclose(mended.probs.sum(1), 1)


def test_what_cannot_be_chained() -> None:
    fit_on, _ = samples.load("c10-resnet18")
    with pytest.raises(ValueError, match=r"must give logits, and OneVsRest.* put it last"):
        Chain((OneVsRest(Isotonic()), Temperature())).fit(fit_on)
    for families in [(), (Temperature(), 3)]:
        with pytest.raises(ValueError, match="families must be a tuple of at least one family"):
            Chain(families)  # type: ignore[arg-type]
