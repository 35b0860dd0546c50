"""What rules are made of, what they certify, and how they work in blocks and float types."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.special import expit

from calibrant import (
    Binned,
    Blend,
    Canonical,
    Fact,
    Isotonic,
    OneVsRest,
    Platt,
    Rule,
    Smooth,
    Temperature,
    VectorScaling,
    VennAbers,
    binary,
    canonical,
    from_logits,
    from_probs,
)
from calibrant.families.rules import Bins, in_blocks
from calibrant.fitting import blocks
from calibrant.fitting.newton import Certificate
from calibrant.fitting.types import Array

R = np.random.default_rng(0)
PRED = from_logits(R.normal(0, 2, (200, 3)), R.integers(0, 3, 200))
VIEW = binary(R.random(200), R.random(200) < 0.5)


@dataclass(frozen=True, eq=False)
class Whole(Rule):
    """A rule of some parts, with a certificate of its own or none."""

    tag = "whole"
    of: tuple[Rule, ...] = ()
    certificate: Certificate | None = None

    def facts(self) -> Iterator[Fact]:
        yield Fact("parts", len(self.of), "of which the rule is made")

    def parts(self) -> Sequence[Rule]:
        return self.of


def test_certificates_are_those_of_a_rule_and_of_its_parts() -> None:
    first, second = (Certificate(slope, 1.0, 3) for slope in (0.1, 0.2))
    inner = Whole((), second)
    whole = Whole((Whole(), Whole((inner,))), first)
    assert list(whole.certificates()) == [first, second]
    assert list(Whole((Whole(),)).certificates()) == []


def test_every_class_of_a_one_vs_rest_map_is_certified() -> None:
    rule = OneVsRest(Platt()).fit(PRED).rule
    certificates = list(rule.certificates())
    assert len(certificates) == 3
    assert all(each.slope <= each.tolerance for each in certificates)


def test_a_blend_certifies_its_parts() -> None:
    rule = Blend((Temperature(), VectorScaling()), shares=(0.5, 0.5)).fit(PRED).rule
    assert len(list(rule.certificates())) == 2


def test_rules_of_classes_are_known_where_each_has_one() -> None:
    assert len(OneVsRest(Isotonic()).fit(PRED).rule.by_class) == 3
    assert not Temperature().fit(PRED).rule.by_class


def test_bins_lift_slope_times_claim_to_the_outcome() -> None:
    bins = Bins(
        inner=np.array([0.5]),
        edges="width",
        slope=1,
        count=np.array([2.0, 3.0]),
        mean_p=np.array([0.2, 0.9]),
        mean_y=np.array([0.5, 0.7]),
    )
    np.testing.assert_allclose(bins.lift, [0.3, -0.2])


def test_rules_have_bins_and_bands_or_none() -> None:
    assert Binned(4).fit(VIEW).rule.bins is not None
    assert Isotonic().fit(VIEW).rule.bins is None
    assert Isotonic().fit(VIEW).rule.spread(VIEW) is None
    # The two chances of Venn-Abers are no confidence band.
    assert VennAbers().fit(VIEW).rule.band(VIEW) is None
    for family in (Smooth(), VennAbers()):
        rule = family.fit(VIEW).rule
        low, high = rule.spread(VIEW)
        assert rule.spread_name
        assert (low <= high).all()


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_logit_rules_work_in_the_type_of_the_scores(kind: type) -> None:
    rule = VectorScaling().fit(PRED).rule
    view = canonical(from_logits(PRED.scores.astype(kind), PRED.labels))
    wanted = np.promote_types(kind, np.float32)
    assert rule(view).dtype == wanted
    assert rule.calibrated_logits(view).dtype == wanted
    assert rule.factor.dtype == np.float64


def test_chances_are_the_softmax_of_logits() -> None:
    view = canonical(PRED)
    rule = VectorScaling().fit(PRED).rule
    e = np.exp(rule.calibrated_logits(view))
    np.testing.assert_allclose(rule(view), e / e.sum(1, keepdims=True), atol=1e-15)


@pytest.mark.parametrize("family", [Temperature(), OneVsRest(Isotonic())])
def test_blocks_change_nothing(family: Temperature, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = family.fit(PRED)
    whole = fitted(PRED)
    monkeypatch.setattr(blocks, "BLOCK_CELLS", 30)
    np.testing.assert_array_equal(fitted(PRED), whole)


def test_work_is_done_block_by_block_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_CELLS", 30)
    sizes = []

    def claimed(block: Canonical) -> Array:
        sizes.append(block.n)
        return block.p

    found = in_blocks(claimed, canonical(PRED))
    np.testing.assert_array_equal(found, PRED.probs)
    assert set(sizes) == {10}


def test_a_rule_of_one_chance_gives_an_array() -> None:
    claims = binary([0.2, 0.8], [0, 1])
    q = Platt().fit(VIEW).rule(claims)
    assert isinstance(q, np.ndarray)
    assert q.shape == (2,)


def test_facts_are_told_of_every_number_that_matters() -> None:
    for family in (Temperature(), VectorScaling(), OneVsRest(Binned(3))):
        facts = list(family.fit(from_probs(PRED.probs, PRED.labels)).rule.facts())
        assert facts
        assert all(fact.name and fact.meaning for fact in facts)
        assert all(np.isfinite(fact.value) for fact in facts)


def test_log_odds_beyond_all_numbers_are_those_of_0_and_of_1() -> None:
    fitted = Platt().fit(binary([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1]))
    steep = replace(fitted.rule, slope=1e308)
    assert steep(binary([1e-6, 0.5, 1 - 1e-6], [0, 1, 1])).tolist() == [
        0.0,
        expit(fitted.rule.intercept),
        1.0,
    ]
