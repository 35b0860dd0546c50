"""The map of a fold never saw it, and neither did the choice of its family."""

from dataclasses import dataclass

import numpy as np
import pytest

from calibrant import Canonical, Family, Identity, Temperature, canonical, from_logits, nll
from calibrant.families.folds import held_out
from calibrant.measures import fold_maps as room


def _view(n: int = 200, k: int = 3) -> Canonical:
    random = np.random.default_rng(0)
    z = random.normal(0, 1.5, (n, k))
    labels = (z + random.gumbel(size=z.shape)).argmax(1)
    return canonical(from_logits(1.2 * z, labels))


@pytest.fixture
def two_families(monkeypatch: pytest.MonkeyPatch) -> list[Family]:
    families: list[Family] = [Identity(), Temperature()]
    monkeypatch.setattr(room, "_candidates", lambda _: families)
    return families


@pytest.mark.parametrize("many", [10**9, 1], ids=["all pairs", "neighbours"])
def test_choices_are_those_of_a_slow_nested_loop(
    monkeypatch: pytest.MonkeyPatch, two_families: list[Family], many: int
) -> None:
    monkeypatch.setattr(room, "_MANY_CHANCES", many)
    view = _view()
    parts = held_out(view, 5, 0)
    maps = list(room.fold_maps(view, parts, None))
    for place, fold_map in enumerate(maps):
        scores = np.zeros(2)
        for other in range(5):
            is_near = (other - place) % 5 in (1, 4)
            if other == place or (many == 1 and not is_near):
                continue
            kept = [held for i, (_, held) in enumerate(parts) if i not in (place, other)]
            for i, family in enumerate(two_families):
                mended = family.fit(view[np.concatenate(kept)]).apply(view.pred[parts[other][1]])
                scores[i] += nll(mended) * mended.n
        assert fold_map.family == two_families[int(scores.argmin())]


def test_outcomes_of_a_fold_do_not_touch_its_map() -> None:
    view = _view()
    parts = held_out(view, 5, 0)
    before = list(room.fold_maps(view, parts, None))
    for place, (_, held) in enumerate(parts):
        labels = view.y.copy()
        labels[held] = (labels[held] + 1) % 3
        other = canonical(from_logits(view.pred.values, labels))
        after = list(room.fold_maps(other, parts, None))
        assert after[place].family == before[place].family
        assert np.array_equal(after[place](view), before[place](view))


@dataclass(frozen=True)
class _Refuses(Temperature):
    """A family that many rows are too many for."""

    most: int = 0

    def vector_rule(self, view: Canonical) -> object:  # type: ignore[override]
        if view.n > self.most:
            raise ValueError("too many rows")
        return super().vector_rule(view)


@pytest.mark.parametrize("most", [0, 130], ids=["never", "of fewer rows"])
def test_where_the_best_cannot_be_fitted_the_simplest_is(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(room, "_candidates", lambda _: [Identity(), _Refuses(most=most)])
    view = _view()
    maps = room.fold_maps(view, held_out(view, 5, 0), None)
    assert {type(each.family) for each in maps} == {Identity}


def test_a_family_given_is_not_second_guessed() -> None:
    view = _view(40)
    maps = room.fold_maps(view, held_out(view, 2, 0), Temperature())
    assert [each.family for each in maps] == [Temperature()] * 2
