"""Order-preserving maps of one chance against those of two classes."""

from dataclasses import fields, replace

import numpy as np
import pytest

from calibrant import OneVsRest, OrderPreserving, binary, from_logits, from_probs, nll, simulate
from calibrant.families.multiclass.stretched import Kind, Stretched

each_kind = pytest.mark.parametrize("kind", ["invariant", "preserving", "diagonal"])


@each_kind
def test_one_chance_is_two_classes(kind: Kind) -> None:
    random = np.random.default_rng(0)
    z = random.normal(0, 4, 800)
    y = random.random(800) < 1 / (1 + np.exp(0.3 - z / 2))
    w = random.integers(1, 4, 800)
    p = 1 / (1 + np.exp(-z))
    family = OrderPreserving(kind=kind)
    of_one = family.fit(binary(p, y, weights=w))
    pair = from_logits(np.stack([-z / 2, z / 2], axis=1), y.astype(int), weights=w)
    of_two = family.fit(pair)
    np.testing.assert_allclose(of_one(p), of_two(pair)[:, 1], atol=1e-6)
    assert [fact.name for fact in of_one.rule.facts()] == [
        fact.name for fact in of_two.rule.facts()
    ]


@each_kind
def test_one_chance_bends_wherever_two_classes_do(kind: Kind) -> None:
    view = simulate.task("stairs", 0.1).sample(500, seed=0).view
    of_one = OrderPreserving(kind=kind).fit(view)
    of_two = OrderPreserving(kind=kind).fit(from_probs(np.stack([1 - view.p, view.p], 1), view.y))
    slopes = np.array([0.5, 2.0, 0.8, 1.5, 0.7, 1.2, 0.4])
    bent = replace(of_one.rule, slopes=slopes)
    numbers = {field.name: getattr(bent, field.name) for field in fields(bent)}
    # The last bend is at a depth of 12, a claim of 6e-6.
    p = np.array([1e-20, 1e-9, 1e-4, 0.03, 0.3, 0.5, 0.9])
    of_chance = replace(of_one, rule=bent)(p)
    of_vector = replace(of_two, rule=Stretched(**numbers))(np.stack([1 - p, p], axis=1))
    np.testing.assert_allclose(of_chance, of_vector[:, 1], rtol=1e-9)


@each_kind
def test_the_likelier_of_event_and_none_stays(kind: Kind) -> None:
    view = simulate.task("stairs", 0.1).sample(2000, seed=0).view
    fitted = OrderPreserving(kind=kind).fit(view)
    p = np.linspace(0, 1, 1001)
    q = fitted(p)
    assert ((q > 0.5) == (p > 0.5)).all()
    if kind == "diagonal":
        assert (np.diff(q) > 0).all()
    assert nll(fitted.apply(view)) < nll(view)


@each_kind
@pytest.mark.parametrize(
    ("p", "y"),
    [
        (np.linspace(0.01, 0.99, 100), np.linspace(0.01, 0.99, 100) > 0.5),
        (np.linspace(0.01, 0.99, 100), np.linspace(0.01, 0.99, 100) < 0.5),
        ([0.2, 0.4, 0.9], [1, 1, 1]),
        ([0.0, 1.0, 0.0, 1.0], [0, 1, 1, 0]),
        ([0.3], [1]),
        ([0.5] * 4, [1, 0, 0, 0]),
        ([1e-300, 1 - 1e-16, 0.5], [1, 0, 1]),
    ],
    ids=["separable", "turned round", "one outcome", "0 and 1", "one row", "one half", "far"],
)
def test_bad_input_has_a_map(kind: Kind, p: list[float], y: list[int]) -> None:
    fitted = OrderPreserving(kind=kind).fit(binary(p, y))
    q = fitted(np.linspace(0, 1, 51))
    assert ((q >= 0) & (q <= 1)).all()


def test_class_by_class() -> None:
    probs = np.random.default_rng(1).dirichlet([1, 1, 1], 200)
    pred = from_probs(probs, probs.argmax(1))
    q = OneVsRest(OrderPreserving()).fit(pred).apply(pred).probs
    np.testing.assert_allclose(q.sum(1), 1)
