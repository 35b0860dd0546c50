"""ByGroup: each group's map by hand, between the common one and its own as far as rows can tell."""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from calibrant import (
    Isotonic,
    Platt,
    Predictions,
    Smooth,
    Temperature,
    VectorScaling,
    View,
    binary,
    from_logits,
    load,
    nll,
    select,
)
from calibrant.families.family import Family
from calibrant.families.names import family_of, name_of
from calibrant.groups import ByGroup


def sampled(seed: int, n: int, shifts: list[float]) -> tuple[View, np.ndarray]:
    """Groups of as many rows, whose log odds are off by their own shifts."""
    random = np.random.default_rng(seed)
    group = np.repeat(np.arange(len(shifts)), n)
    z = random.normal(0, 2, len(group))
    truth = expit(z + np.array(shifts)[group])
    return binary(expit(z), random.random(len(group)) < truth), group


def vectors(seed: int, n: int = 400) -> tuple[Predictions, np.ndarray]:
    """Three classes, whose logits are twice too large in the second of two groups."""
    random = np.random.default_rng(seed)
    z = random.normal(0, 1.5, (2 * n, 3))
    labels = (z + random.gumbel(size=z.shape)).argmax(1)
    group = np.repeat(["a", "b"], n)
    return from_logits(np.where(group == "b", 2, 1)[:, None] * z, labels), group


@pytest.mark.parametrize("family", [Platt(), Isotonic(), Smooth()], ids=repr)
def test_each_map_is_the_mean_of_both_by_hand(family: Family) -> None:
    view, group = sampled(0, 200, [-1, 0, 1])
    fitted = ByGroup(family).fit(view, group)
    common = family.fit(view)
    for name, share in zip(fitted.rule.names, fitted.rule.shares, strict=True):
        part = view[group == int(name)]
        by_hand = (1 - share) * common(part) + share * family.fit(part)(part)
        np.testing.assert_allclose(fitted.of(name)(part), by_hand, atol=1e-12)
        np.testing.assert_allclose(fitted(view, group)[group == int(name)], by_hand, atol=1e-12)
        np.testing.assert_allclose(fitted.apply(view, group).p[group == int(name)], by_hand)


def test_shares_follow_what_rows_can_tell() -> None:
    apart, group = sampled(1, 1000, [-2, 0, 2])
    assert min(ByGroup(Platt()).fit(apart, group).rule.shares) > 0.95
    alike, group = sampled(2, 60, [0.5] * 20)
    assert np.mean(ByGroup(Platt()).fit(alike, group).rule.shares) < 0.25


def test_unseen_and_small_groups_have_the_common_map() -> None:
    view, group = sampled(3, 100, [-1, 1])
    names = group.astype(object)
    names[:3] = None
    fitted = ByGroup(Platt()).fit(view, names)
    assert fitted.rule.names == ("0", "1")
    for name in ("elsewhere", None, 7):
        assert fitted.of(name) is fitted.common
    np.testing.assert_array_equal(fitted(view, ["x"] * view.n), fitted.common(view))
    assert fitted.of(1.0) is fitted.of("1") is fitted.of(1)


def test_one_class_in_a_group_is_no_trouble() -> None:
    view, group = sampled(4, 100, [-1, 1, 0])
    y = view.y.copy()
    y[group == 0] = False
    y[group == 1] = True
    for family in (Platt(), Isotonic(), Smooth(), Temperature()):
        q = ByGroup(family).fit(binary(view.p, y), group)(view, group)
        assert np.isfinite(q).all()
        if family == Temperature():
            continue
        assert q[group == 0].mean() < 0.1 < 0.9 < q[group == 1].mean()


@pytest.mark.parametrize("family", [Temperature(), VectorScaling(), Isotonic()], ids=repr)
def test_whole_vectors(family: Family, tmp_path: Path) -> None:
    pred, group = vectors(5)
    test, same_group = vectors(6)
    fitted = ByGroup(family).fit(pred, group)
    applied = fitted.apply(test, same_group)
    np.testing.assert_allclose(applied.probs.sum(1), 1, atol=1e-6)
    np.testing.assert_allclose(applied.probs, fitted(test, same_group), atol=1e-6)
    assert nll(applied) < nll(fitted.common.apply(test)) - 0.005
    fitted.save(tmp_path / "map.safetensors")
    again = load(tmp_path / "map.safetensors")
    np.testing.assert_array_equal(again(test, same_group), fitted(test, same_group))  # type: ignore[call-arg]


def test_rows_in_another_order_and_shares_of_outcomes() -> None:
    view, group = sampled(7, 150, [-1, 1])
    fitted = ByGroup(Platt()).fit(view, group)
    order = np.random.default_rng(0).permutation(view.n)
    again = ByGroup(Platt()).fit(view[order], group[order])
    np.testing.assert_allclose(again(view, group), fitted(view, group), atol=1e-9)
    halves = binary(view.p, np.where(view.y, 0.9, 0.2))
    q = ByGroup(Platt()).fit(halves, group)(halves, group)
    assert q.mean() == pytest.approx(halves.y.mean(), abs=0.01)
    soft = from_logits(np.zeros((100, 3)), np.tile([0.5, 0.3, 0.2], (100, 1)))
    found = ByGroup(VectorScaling()).fit(soft, np.arange(100) % 2).apply(soft, np.arange(100) % 2)
    np.testing.assert_allclose(found.probs[0], [0.5, 0.3, 0.2], atol=1e-4)


def test_a_weight_of_nothing_is_no_row() -> None:
    view, group = sampled(8, 100, [-1, 1, 0])
    weighed = binary(view.p, view.y, weights=(group != 2).astype(float))
    fitted = ByGroup(Platt()).fit(weighed, group)
    assert fitted.rule.names == ("0", "1")
    alone = ByGroup(Platt()).fit(view[group != 2], group[group != 2])
    np.testing.assert_allclose(fitted(view, group), alone(view, group), atol=1e-9)


def test_what_is_refused_says_the_way_out() -> None:
    view, group = sampled(9, 50, [0, 1])
    family = ByGroup(Platt())
    with pytest.raises(
        ValueError, match=r"needs the group of each row: ByGroup\(.*fit\(x, groups\)"
    ):
        family.fit(view)
    with pytest.raises(ValueError, match="needs the group of each row"):
        select(view, [family])
    with pytest.raises(ValueError, match="one value for each of the 100 rows"):
        family.fit(view, group[1:])
    with pytest.raises(ValueError, match="every group has fewer than 10 rows"):
        family.fit(view, np.arange(100))
    assert family_of(name_of(family)) == family


def test_a_family_that_refuses_a_group_names_it() -> None:
    class Picky(Platt):
        def chance_rule(self, view: View):  # type: ignore[no-untyped-def]  # noqa: ANN202
            if view.y.all():
                raise ValueError("no")
            return super().chance_rule(view)

    view, group = sampled(10, 50, [0, 1])
    with pytest.raises(ValueError, match="group '1': no"):
        ByGroup(Picky()).fit(binary(view.p, view.y | (group == 1)), group)


def test_many_rows_take_a_sample_to_weigh_by() -> None:
    view, group = sampled(11, 25_000, [-0.5, 0.5])
    fitted = ByGroup(Platt()).fit(view, group)
    assert min(fitted.rule.shares) > 0.95
    assert fitted.rule.totals == (25_000, 25_000)
