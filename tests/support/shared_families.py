"""Every family that laws and exports are tried on, found by itself."""

from dataclasses import is_dataclass
from importlib.metadata import entry_points
from inspect import Parameter, signature

import calibrant as c
from calibrant import Family

# Settings that change a family's path, beside its defaults. Families of families have no defaults.
SETTINGS: dict[type[Family], list[Family]] = {
    c.Binned: [
        c.Binned(5, edges="mass"),
        c.Binned(edges="mass", rule="sweep"),
        c.Binned(edges="mass", rule="cv"),
        c.Binned(4, slope=0),
    ],
    c.HistogramBinning: [c.HistogramBinning(4)],
    c.Isotonic: [c.Isotonic(interpolate=False), c.Isotonic(centred=True)],
    c.Spline: [
        c.Spline(5, runout="parabolic"),
        c.Spline(4, runout="cubic", bounded=True),
        c.Spline("cv"),
        c.Spline(curve="outcomes"),
    ],
    c.PiecewiseLinear: [
        c.PiecewiseLinear(space="logit"),
        c.PiecewiseLinear(segments=3, loss="squared"),
    ],
    c.PiecewisePolynomial: [
        c.PiecewisePolynomial(segments=3),
        c.PiecewisePolynomial(degree=2, segments=2),
    ],
    c.Platt: [c.Platt(smoothed=False)],
    c.VennAbers: [c.VennAbers(gives="p0"), c.VennAbers(gives="p1")],
    c.Kernel: [c.Kernel(0.01), c.Kernel("rule")],
    c.MatrixScaling: [
        c.MatrixScaling(off_diagonal=1.0, intercept=1.0),
        c.MatrixScaling(off_diagonal="cv", intercept="cv"),
    ],
    c.Dirichlet: [c.Dirichlet(l2=0.01)],
    c.EnsembleTemperature: [c.EnsembleTemperature(loss="squared")],
    c.OrderPreserving: [
        c.OrderPreserving(kind="diagonal"),
        c.OrderPreserving(kind="preserving"),
    ],
    c.Ranked: [c.Ranked(c.Isotonic()), c.Ranked(c.Smooth(), ranks=2)],
    c.OneVsRest: [
        c.OneVsRest(c.Smooth()),
        c.OneVsRest(c.Isotonic()),
        c.OneVsRest(c.Binned(5)),
    ],
    c.Blend: [
        c.Blend((c.Platt(), c.Isotonic())),
        c.Blend((c.Platt(), c.Isotonic()), shares=(0.25, 0.75)),
        c.Blend((c.Temperature(), c.OneVsRest(c.Isotonic()))),
        c.Blend((c.Temperature(), c.OneVsRest(c.Isotonic())), shares=(0.5, 0.5)),
    ],
    c.Chain: [
        c.Chain((c.Temperature(), c.OneVsRest(c.Isotonic()))),
        c.Chain((c.StructuredMatrix(), c.OrderPreserving())),
    ],
}


def family_kinds() -> list[type[Family]]:
    """The public families, and those that installed packages declare."""
    public = [getattr(c, name) for name in c.__all__]
    declared = [entry.load() for entry in entry_points(group="calibrant.families")]
    return [thing for thing in [*public, *declared] if is_family_kind(thing)]


def is_family_kind(thing: object) -> bool:
    """A family has fields to be set; `Family` and its forms are there to be subclassed."""
    return isinstance(thing, type) and issubclass(thing, Family) and is_dataclass(thing)


def tried(kind: type[Family]) -> list[Family]:
    """A family with its defaults, where every field has one, and with its settings of note."""
    settings = SETTINGS.get(kind, [])
    return settings if needs_arguments(kind) else [kind(), *settings]


def needs_arguments(kind: type[Family]) -> bool:
    """Whether a family has a setting without a default."""
    settings = signature(kind).parameters.values()
    return any(setting.default is Parameter.empty for setting in settings)


def takes_one_chance(family: Family) -> bool:
    """Whether a family has a rule for one chance."""
    return _has_its_own(family, "chance_rule")


def takes_whole_vectors(family: Family) -> bool:
    """Whether a family has a rule for whole vectors."""
    return _has_its_own(family, "vector_rule")


def _has_its_own(family: Family, method: str) -> bool:
    if isinstance(family, c.Blend):
        return all(_has_its_own(part, method) for part in family.families)
    return getattr(type(family), method) is not getattr(Family, method)


FAMILIES = [family for kind in family_kinds() for family in tried(kind)]
CHANCE_FAMILIES = [family for family in FAMILIES if takes_one_chance(family)]
VECTOR_FAMILIES = [family for family in FAMILIES if takes_whole_vectors(family)]
