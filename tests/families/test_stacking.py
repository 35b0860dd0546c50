"""Rules with other arrays, and rules side by side against each by itself."""

from dataclasses import dataclass, fields

import numpy as np
import pytest

from calibrant import (
    BBQ,
    Beta,
    Binned,
    ChanceRule,
    Family,
    Isotonic,
    Kernel,
    PiecewiseLinear,
    Platt,
    Quadratic,
    ScalingBinning,
    Smooth,
    Temperature,
    VennAbers,
    classwise,
    from_probs,
)
from calibrant.families.stacking import map_arrays, stack

R = np.random.default_rng(0)
PROBS = R.dirichlet(np.ones(3), 120)
PRED = from_probs(PROBS, R.integers(0, 3, 120))
FAMILIES: list[Family] = [
    BBQ(),
    Beta(),
    Binned(4),
    Binned(4, edges="mass"),
    Isotonic(),
    Isotonic(interpolate=False),
    Kernel(0.05),
    PiecewiseLinear(segments=2),
    Platt(),
    Quadratic(),
    ScalingBinning(3),
    Smooth(),
    Temperature(),
    VennAbers(),
]


def _rules(family: Family) -> list[ChanceRule]:
    return [family.chance_rule(view) for view in classwise(PRED)]


@dataclass(frozen=True)
class Numbers:
    """Arrays in tuples and in other dataclasses, and what is no array."""

    table: np.ndarray
    parts: tuple["Numbers", ...] = ()
    factor: float = 2.0
    name: str = "numbers"


def test_every_array_is_changed_and_told_its_place() -> None:
    inner = Numbers(np.array([3.0]))
    whole = Numbers(np.array([1.0, 2.0]), (inner, inner))
    places = []

    def doubled(place: str, x: np.ndarray) -> np.ndarray:
        places.append(place)
        return 2 * x

    changed = map_arrays(whole, doubled)
    assert places == ["table", "parts.0.table", "parts.1.table"]
    assert changed.table.tolist() == [2.0, 4.0]
    assert changed.parts[1].table.tolist() == [6.0]
    assert (changed.factor, changed.name) == (2.0, "numbers")
    assert whole.table.tolist() == [1.0, 2.0]


def test_a_rule_of_a_rule_has_places_within() -> None:
    places = []

    def seen(place: str, x: np.ndarray) -> np.ndarray:
        places.append(place)
        return x

    map_arrays(ScalingBinning(3).chance_rule(classwise(PRED)[0]), seen)
    assert places == ["inner", "mean"]


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_rules_side_by_side_hold_the_numbers_of_each(family: Family) -> None:
    rules = _rules(family)
    stacked = stack(rules)
    assert type(stacked) is type(rules[0])
    for field in fields(stacked):  # type: ignore[arg-type]
        together = getattr(stacked, field.name)
        for column, rule in enumerate(rules):
            alone = getattr(rule, field.name)
            if isinstance(alone, np.ndarray):
                row = together[column]
                size = alone.shape[-1]
                np.testing.assert_array_equal(row[..., :size], alone)
            elif isinstance(alone, float):
                assert together[column] == alone


def test_shorter_tables_go_on_with_their_last_entry_or_with_zeros() -> None:
    many = Kernel(0.05).chance_rule(classwise(PRED)[0])
    few = Kernel(0.05).chance_rule(classwise(PRED[:5])[0])
    stacked = stack([many, few])
    assert (stacked.odds[1, 5:] == few.odds[-1]).all()
    assert (stacked.w[1, 5:] == 0).all()
    assert (stacked.happened[1, 5:] == 0).all()


def test_where_there_is_no_edge_one_beyond_all_claims_stands() -> None:
    view = classwise(PRED)[0]
    one, two = (Binned(n, slope=0).chance_rule(view) for n in (1, 2))
    stacked = stack([one, two])
    assert stacked.inner.tolist() == [[np.inf], [0.5]]
    assert (stacked.mean_y[0] == one.mean_y[0]).all()


def test_rules_of_several_kinds_are_refused() -> None:
    view = classwise(PRED)[0]
    rules = [Platt().chance_rule(view), Beta().chance_rule(view)]
    with pytest.raises(ValueError, match="of one kind, got BetaCurve, Sigmoid"):
        stack(rules)


def test_rules_that_differ_in_words_are_refused() -> None:
    view = classwise(PRED)[0]
    rules = [Binned(3).chance_rule(view), Binned(3, edges="mass").chance_rule(view)]
    with pytest.raises(ValueError, match=r"agree on edges, got \['width', 'mass'\]"):
        stack(rules)
