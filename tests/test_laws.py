"""Laws that hold for every family, found by themselves among the public names."""

import numpy as np
import pytest
from exemptions import family_exemptions
from hypothesis import given, settings
from lawful import (
    Law,
    a_share_is_two_rows,
    a_weight_is_a_count,
    assert_lawful,
    equal_claims_are_pooled,
    float_types_agree,
    q_is_a_chance,
    row_order_is_irrelevant,
)
from shared_families import CHANCE_FAMILIES, FAMILIES, VECTOR_FAMILIES
from shared_measures import MEASURES
from shared_rows import EXTREME_CLAIMS, EXTREME_VECTORS, THOUSAND_CLASSES, random_vectors
from shared_strategies import grid_claims, outcomes, single_claims

from calibrant import (
    Family,
    Predictions,
    Temperature,
    View,
    binary,
    brier,
    classwise_ece,
    ece,
    from_logits,
    nll,
    one_class,
    samples,
    top_label,
    top_r,
    within_top_r,
)
from calibrant.fitting.types import Array, Bools

MEASURES_AS_USUAL = [measure for measure in MEASURES if not measure.settings]


def each(families: list[Family], laws: list[Law]) -> pytest.MarkDecorator:
    """Every family with every law, but for those it is exempt from."""
    pairs = [
        pytest.param(law, family, id=f"{law.__name__}-{family!r}")
        for law in laws
        for family in families
        if law.__name__ not in family_exemptions(family)
    ]
    return pytest.mark.parametrize(("law", "family"), pairs)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_every_family_is_lawful(family: Family) -> None:
    assert_lawful(family, except_for=family_exemptions(family))


@each(
    CHANCE_FAMILIES,
    [
        row_order_is_irrelevant,
        a_weight_is_a_count,
        a_share_is_two_rows,
        q_is_a_chance,
        equal_claims_are_pooled,
    ],
)
@given(p=grid_claims, y=outcomes)
@settings(max_examples=25)
def test_laws_of_any_claims(law: Law, family: Family, p: Array, y: Bools) -> None:
    law(family, binary(p, y))


@each(CHANCE_FAMILIES, [float_types_agree])
@given(p=single_claims, y=outcomes)
@settings(max_examples=25)
def test_laws_of_float32_claims(law: Law, family: Family, p: Array, y: Bools) -> None:
    law(family, binary(p, y))


@each(VECTOR_FAMILIES, [row_order_is_irrelevant, a_weight_is_a_count, a_share_is_two_rows])
def test_laws_of_any_vectors(law: Law, family: Family) -> None:
    for seed in range(10):
        law(family, random_vectors(seed))


@pytest.mark.parametrize("family", VECTOR_FAMILIES, ids=repr)
def test_laws_of_many_float32_vectors(family: Family) -> None:
    float_types_agree(family, random_vectors(5, n=500))


@pytest.mark.parametrize("family", CHANCE_FAMILIES, ids=repr)
@pytest.mark.parametrize("view", EXTREME_CLAIMS.values(), ids=EXTREME_CLAIMS.keys())
def test_no_family_of_ours_refuses_extreme_claims(family: Family, view: View) -> None:
    assert np.isfinite(family.fit(view)(view)).all()


@pytest.mark.parametrize("family", VECTOR_FAMILIES, ids=repr)
@pytest.mark.parametrize("pred", EXTREME_VECTORS.values(), ids=EXTREME_VECTORS.keys())
def test_extreme_vectors_can_be_measured_once_calibrated(family: Family, pred: Predictions) -> None:
    check_measures(family.fit(pred).apply(pred))


@pytest.mark.parametrize("family", VECTOR_FAMILIES, ids=repr)
def test_a_thousand_classes(family: Family) -> None:
    pred = THOUSAND_CLASSES
    if "a_thousand_classes" in family_exemptions(family):
        pred = from_logits(pred.values[:, :100], pred.labels)
    calibrated = family.fit(pred).apply(pred)
    np.testing.assert_allclose(calibrated.probs.sum(1), 1, atol=1e-6)
    for measure in (nll, brier, ece, classwise_ece):
        assert np.isfinite(measure(calibrated))


def check_measures(pred: Predictions) -> None:
    """Every measure finds a number, of each question about one chance or of the predictions."""
    views = [top_label(pred), top_r(pred, 2), within_top_r(pred, 2), one_class(pred, 1)]
    for measure in MEASURES_AS_USUAL:
        for x in views if measure.takes(View) else [pred]:
            assert np.isfinite(measure(x)).all()


@pytest.mark.parametrize("name", ["c10-lenet5", "c10-resnet18", "c100-resnet18"])
def test_mean_entropy_is_the_nll_at_the_optimal_temperature(name: samples.Name) -> None:
    fit_on, _ = samples.load(name)
    calibrated = Temperature().fit(fit_on).apply(fit_on)
    probs = calibrated.probs.astype(float)
    entropy = -(probs * calibrated.log_probs).sum(1).mean()
    assert entropy == pytest.approx(nll(calibrated), abs=1e-5)
