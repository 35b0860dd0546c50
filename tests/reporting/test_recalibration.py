"""Recalibration: what maps fitted on other rows would do, which is best, and what makes it."""

import shlex
from dataclasses import dataclass
from typing import Any

import pytest
from shared_claims import claims

import calibrant
from calibrant import (
    Binned,
    Family,
    Isotonic,
    MatrixScaling,
    OneVsRest,
    OrderPreserving,
    Platt,
    Predictions,
    Spline,
    Temperature,
    samples,
)
from calibrant.choosing import AS_THEY_ARE
from calibrant.families.names import family_of
from calibrant.reporting.recalibration import fit_command, recalibrate


@dataclass(frozen=True)
class Undeclared(Platt):
    """A family that no package declares."""


@pytest.fixture(scope="module")
def sample() -> tuple[Predictions, Predictions]:
    return samples.load("c10-resnet18")


def test_families_are_scored_in_the_order_given_and_by_their_names(
    sample: tuple[Predictions, Predictions],
) -> None:
    fit_on, pred = sample
    found = recalibrate(pred, fit_on, [Temperature(), OrderPreserving(kind="diagonal")])
    assert [each.name for each in found.standings] == [
        AS_THEY_ARE,
        "temperature",
        "order-preserving(kind=diagonal)",
    ]
    assert list(found.maps) == [each.name for each in found.standings[1:]]
    for each in found.standings[1:]:
        mended = found.maps[each.name].apply(pred)
        assert (each.nll, each.brier, each.accuracy) == pytest.approx(
            (calibrant.nll(mended), calibrant.brier(mended), calibrant.accuracy(mended))
        )
    assert found.best == min(found.standings, key=lambda each: each.nll).name


def test_the_command_makes_the_best_map(sample: tuple[Predictions, Predictions]) -> None:
    fit_on, pred = sample
    plain = recalibrate(pred, fit_on, {"T": Temperature()})
    assert (plain.best, plain.command) == (
        "T",
        "calibrant fit --family temperature FILE -o map.safetensors",
    )
    assert (
        plain.advice
        == "T lowers the NLL most: `calibrant fit --family temperature`, then `calibrant apply`."
    )
    with_settings = recalibrate(pred, fit_on, [OrderPreserving(kind="diagonal")])
    command = "calibrant fit --family 'order-preserving(kind=diagonal)'"
    assert with_settings.command == f"{command} FILE -o map.safetensors"
    assert str(with_settings.advice).endswith(f"`{command}`, then `calibrant apply`.")


@pytest.mark.parametrize(
    "family", [OrderPreserving(), OneVsRest(Isotonic()), Spline(14, bounded=True)], ids=repr
)
def test_a_shell_gives_the_command_the_family_itself(family: Family) -> None:
    command = fit_command(family)
    assert command is not None
    assert family_of(shlex.split(command)[-1]) == family


def test_a_family_that_the_command_does_not_know_is_made_by_hand() -> None:
    found = recalibrate(claims(3000, lift=-1), claims(3000, lift=-1, seed=1), [Undeclared()])
    made = f"map = {Undeclared()!r}.fit(fit_on)"
    assert (found.best, found.command) == ("undeclared", made)
    assert str(found.advice).endswith(f"`{made}`, then `map(view)`.")


def test_where_no_map_helps_nothing_is_recommended() -> None:
    found = recalibrate(claims(3000), claims(30, lift=-3, seed=5))
    assert (found.best, found.command) == (None, None)
    assert str(found.advice).startswith("Neither map lowers the NLL")
    alone = recalibrate(claims(3000), claims(30, lift=-3, seed=5), [Temperature()])
    assert str(alone.advice).startswith("No map lowers the NLL")


def test_a_family_that_cannot_be_fitted_is_told_of_and_kills_nothing() -> None:
    families = [MatrixScaling(), Binned(slope=0)]
    found = recalibrate(claims(300, lift=1), claims(300, lift=1, seed=1), families)
    assert [each.name for each in found.standings] == [AS_THEY_ARE, "binned(slope=0)"]
    assert len(found.notes) == 1
    assert found.notes[0].startswith("matrix-scaling could not be fitted: ")
    assert "maps whole vectors" in found.notes[0]
    none = recalibrate(claims(300), claims(300, seed=1), [MatrixScaling()])
    assert (none.maps, none.best) == ({}, None)
    assert str(none.advice).startswith("No map could be fitted")


@pytest.mark.parametrize("families", [[], {}, "temperatur", [Temperature], 3], ids=str)
def test_what_is_no_family_is_refused(families: Any) -> None:  # noqa: ANN401 - anything a caller might give
    with pytest.raises(ValueError, match=r"famil"):
        recalibrate(claims(30), claims(30, seed=1), families)
