"""The laws of a family: `assert_lawful` holds one to all of them, also one of another package."""

import warnings
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pytest
from shared_families import takes_one_chance, takes_whole_vectors
from shared_laws import (
    Rows,
    check_float_types,
    check_row_order,
    check_shares,
    check_weights,
    close,
    random_for,
)
from shared_rows import (
    CLAIMS_THAT_HOLD,
    EXTREME_CLAIMS,
    EXTREME_VECTORS,
    SIX_CLAIMS,
    SIX_VECTORS,
    SOME_CLAIMS,
    SOME_VECTORS,
    VECTORS_THAT_HOLD,
    calibrated_claims,
    calibrated_vectors,
)

from calibrant import (
    Family,
    Map,
    Predictions,
    View,
    calibration_error,
    canonical,
    load,
)
from calibrant.families.names import family_of, name_of
from calibrant.fitting.types import Array

Law = Callable[[Family, Rows], None]


class Trial(NamedTuple):
    """A law, and the rows it is tried on."""

    law: Law
    claims: list[View]
    vectors: list[Predictions]


def assert_lawful(family: Family, *, except_for: Collection[str] = ()) -> None:
    """Hold a family to every law, on a few fixed rows, but for the laws named."""
    assert takes_one_chance(family) or takes_whole_vectors(family)
    for law, claims, vectors in TRIALS:
        if law.__name__ in except_for:
            continue
        rows: list[Rows] = []
        rows += claims if takes_one_chance(family) else []
        rows += vectors if takes_whole_vectors(family) else []
        for x in rows:
            _try(law, family, x)


def _try(law: Law, family: Family, x: Rows) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            law(family, x)
    except Exception as error:
        error.add_note(f"{family!r} breaks the law that {law.__name__}, of {x!r}")
        raise


def row_order_is_irrelevant(family: Family, x: Rows) -> None:
    """The same rows in another order give the same map."""
    # The fit of a vector is as exact as its certificate.
    tolerance = 1e-9 if isinstance(x, View) else 1e-6
    check_row_order(lambda rows: family.fit(rows)(x), x, tolerance)


def a_weight_is_a_count(family: Family, x: Rows) -> None:
    """A weight of 2 fits as the row twice, and a weight of 0 as no row."""
    check_weights(lambda rows: family.fit(rows)(x), x)


def a_share_is_two_rows(family: Family, x: Rows) -> None:
    """An outcome of .3 fits as the row with weight .3 as 1 and with weight .7 as 0."""
    check_shares(lambda rows: family.fit(rows)(x), x)


def float_types_agree(family: Family, x: Rows) -> None:
    """Claims in float32 fit and are mapped as the same claims in float64."""
    check_float_types(lambda rows: family.fit(rows)(rows), x)


def q_is_a_chance(family: Family, x: Rows) -> None:
    """Calibrated chances lie between 0 and 1."""
    q = family.fit(x)(x)
    assert ((q >= 0) & (q <= 1)).all()


def what_is_applied_is_whole(family: Family, x: Rows) -> None:
    """What `apply` gives lies between 0 and 1, and its vectors sum to one."""
    fitted = family.fit(x)
    applied = fitted.apply(x)
    if isinstance(x, View):
        close(applied.p, np.clip(fitted(x), 0, 1))
        return
    assert (applied.probs >= 0).all()
    close(applied.probs.sum(1), 1)
    close(applied.probs, fitted(canonical(x)))


def equal_claims_are_pooled(family: Family, x: Rows) -> None:
    """Rows of equal claims get equal chances, whatever their outcomes."""
    claimed = x.p if isinstance(x, View) else x.values
    q = family.fit(x)(x)
    assert np.isfinite(q).all()
    _, group = np.unique(claimed, axis=0, return_inverse=True)
    for each in np.unique(group):
        pooled = q[group.ravel() == each]
        assert (pooled == pooled[0]).all()


def a_saved_map_is_the_same(family: Family, x: Rows) -> None:
    """A map that was saved and loaded gives the same bits."""
    fitted = family.fit(x)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "map.safetensors"
        fitted.save(path)
        loaded = load(path)
    assert loaded.family == fitted.family
    np.testing.assert_array_equal(_all_given(loaded, x), _all_given(fitted, x))


def a_changed_file_is_refused(family: Family, x: Rows) -> None:
    """A saved map with one bit changed is not loaded, whichever bit it is."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "map.safetensors"
        family.fit(x).save(path)
        content = path.read_bytes()
        for at in random_for(x).choice(len(content), 20, replace=False):
            path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
            with pytest.raises(ValueError, match=r"map\.safetensors"):
                load(path)


def facts_are_told(family: Family, x: Rows) -> None:
    """A fitted rule says what it found: a name, a number, and what it means."""
    facts = list(family.fit(x).rule.facts())
    assert facts
    for fact in facts:
        assert fact.name
        assert fact.meaning
        assert not np.isnan(fact.value)


def a_convex_fit_is_certified(family: Family, x: Rows) -> None:
    """Where a rule has certificates, each tells of a gradient below its tolerance."""
    for certificate in family.fit(x).rule.certificates():
        assert certificate.slope <= certificate.tolerance


def the_wrong_rows_are_refused(family: Family, x: Rows) -> None:  # noqa: ARG001 - of no rows
    """A family that cannot map one chance, or whole vectors, says what to do instead."""
    if not takes_one_chance(family):
        with pytest.raises(ValueError, match="Predictions"):
            family.fit(SIX_CLAIMS)
    if not takes_whole_vectors(family):
        with pytest.raises(ValueError, match="OneVsRest"):
            family.fit(canonical(SIX_VECTORS))


def its_name_gives_it_back(family: Family, x: Rows) -> None:  # noqa: ARG001 - of no rows
    """A family is found again by the name that is written for it."""
    assert family_of(name_of(family)) == family


def an_extreme_is_answered_or_refused(family: Family, x: Rows) -> None:
    """A right answer or a ValueError that says why, and never nan."""
    fitted = _map_unless_refused(family, x)
    if fitted is None:
        return
    if isinstance(x, View):
        q = fitted([0, 1e-300, 0.3, 0.5, 1 - 1e-16, 1])
        assert np.isfinite(q).all()
        assert np.isfinite(calibration_error(x, family))
        return
    applied = fitted.apply(x)
    assert np.isfinite(applied.probs).all()
    close(applied.probs.sum(1), 1, 1e-6)


def the_identity_is_a_fixed_point(family: Family, x: Rows) -> None:
    """Claims that hold to the row stay as they are."""
    claimed = x.p if isinstance(x, View) else x.probs
    close(family.fit(x)(x), claimed, 1e-6)


def a_calibrated_error_is_small(family: Family, x: Rows) -> None:
    """Of a calibrated model the family sees an error of a bin's width at most."""
    assert _error_of_calibrated(family, x, 30_000) < 0.07


def a_calibrated_error_goes_to_zero(family: Family, x: Rows) -> None:
    """The more rows of a calibrated model, the less error the family sees."""
    few = _error_of_calibrated(family, x, 300)
    many = _error_of_calibrated(family, x, 30_000)
    entries = 1 if isinstance(x, View) else 3
    assert many < 0.015 * entries
    assert many <= few / 2


@cache
def _error_of_calibrated(family: Family, x: Rows, n: int) -> float:
    """The error of as many rows, of the kind of `x`, whose claims are right."""
    if isinstance(x, View):
        return calibration_error(calibrated_claims(n), family)
    return calibration_error(canonical(calibrated_vectors(n)), family)


def _map_unless_refused(family: Family, x: Rows) -> Map | None:
    try:
        return family.fit(x)
    except ValueError:
        return None


def _all_given(fitted: Map, x: Rows) -> Array:
    """All that a map gives: for the rows, and for one chance all the way from 0 to 1."""
    if isinstance(x, Predictions):
        return np.stack([fitted(x), fitted.apply(x).probs])
    along = np.linspace(0, 1, 101)
    return np.append(fitted(x), fitted(along))


# Laws that hold of any rows, whatever they are.
FIT_LAWS: list[Law] = [
    row_order_is_irrelevant,
    a_weight_is_a_count,
    a_share_is_two_rows,
    float_types_agree,
    q_is_a_chance,
    what_is_applied_is_whole,
    equal_claims_are_pooled,
]
FILE_AND_WORD_LAWS: list[Law] = [
    a_saved_map_is_the_same,
    a_changed_file_is_refused,
    facts_are_told,
    a_convex_fit_is_certified,
    the_wrong_rows_are_refused,
    its_name_gives_it_back,
]
GROWTH_LAWS: list[Law] = [a_calibrated_error_is_small, a_calibrated_error_goes_to_zero]
TRIALS = [
    *(Trial(law, SOME_CLAIMS, SOME_VECTORS) for law in FIT_LAWS),
    *(Trial(law, SOME_CLAIMS[:1], SOME_VECTORS[:1]) for law in FILE_AND_WORD_LAWS),
    *(Trial(law, SOME_CLAIMS[:1], SOME_VECTORS[:1]) for law in GROWTH_LAWS),
    Trial(the_identity_is_a_fixed_point, [CLAIMS_THAT_HOLD], [VECTORS_THAT_HOLD]),
    Trial(
        an_extreme_is_answered_or_refused,
        [*EXTREME_CLAIMS.values()],
        [*EXTREME_VECTORS.values()],
    ),
]
