"""Blend: shares against a plain search, and mixtures that are what their parts say."""

import numpy as np
import pytest
from shared_claims import claims

from calibrant import (
    Beta,
    Blend,
    Isotonic,
    OneVsRest,
    Platt,
    Smooth,
    Temperature,
    from_logits,
    nll,
    samples,
)
from calibrant.families.folds import held_out


def test_shares_are_those_of_least_held_out_loss() -> None:
    view = claims(600)
    right = np.empty((2, view.n))
    for some, held in held_out(view, 5, 0):
        for place, family in enumerate((Platt(), Isotonic())):
            q = np.clip(family.fit(view[some])(view[held]), 0, 1)
            right[place, held] = np.maximum(np.where(view.y[held], q, 1 - q), 1e-37)
    losses = [
        -np.log(share * right[0] + (1 - share) * right[1]).mean()
        for share in np.linspace(0, 1, 2001)
    ]
    rule = Blend((Platt(), Isotonic())).fit(view).rule
    assert rule.shares[0] == pytest.approx(np.linspace(0, 1, 2001)[np.argmin(losses)], abs=1e-3)


def test_a_mixture_is_the_mean_of_its_parts() -> None:
    fit_on, test = samples.load("c10-resnet18")
    parts = [
        family.fit(fit_on).apply(test).probs for family in (Temperature(), OneVsRest(Isotonic()))
    ]
    q = (
        Blend((Temperature(), OneVsRest(Isotonic())), shares=(0.3, 0.7))
        .fit(fit_on)
        .apply(test)
        .probs
    )
    np.testing.assert_allclose(q, 0.3 * parts[0] + 0.7 * parts[1], atol=1e-6)


def test_two_classes_and_families_of_one_chance() -> None:
    random = np.random.default_rng(0)
    z = random.normal(0, 2, 500)
    pred = from_logits(z, random.random(500) < 1 / (1 + np.exp(-z / 2)))
    fitted = Blend((Temperature(), Platt(), Beta())).fit(pred)
    assert nll(fitted.apply(pred)) < nll(pred)
    np.testing.assert_allclose(fitted.apply(pred).probs.sum(1), 1)


@pytest.mark.parametrize(
    ("families", "shares"),
    [
        ((), None),
        ((Platt(), 3), None),
        ((Platt(),), (0.5,)),
        ((Platt(), Smooth()), (1.5, -0.5)),
        ((Platt(),), (1, 0)),
    ],
)
def test_what_cannot_be_blended(
    families: tuple[object, ...], shares: tuple[float, ...] | None
) -> None:
    with pytest.raises(ValueError, match=r"families must|shares must"):
        Blend(families, shares)  # type: ignore[arg-type]
