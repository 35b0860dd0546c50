"""Maps as modules: torch gives what the map gives, for every family in the laws' lists, exported too."""

import io
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is an extra")

import torch
from shared_exports import nearly_one, ranks_of, sends_to_nothing, some_claims, vectors
from shared_families import CHANCE_FAMILIES, VECTOR_FAMILIES
from torch import Tensor, nn

import calibrant as c
from calibrant import Family, Kernel, Map, Predictions, binary, from_logits
from calibrant.families.binary.family import ChanceFamily
from calibrant.families.rules import ChanceRule
from calibrant.fitting.types import Array
from calibrant.inputs.predictions import Kind
from calibrant.inputs.views import View
from calibrant.torch.modules import TemperatureScaled, predict, to_module

ONE_CHANCE = list(dict.fromkeys([*CHANCE_FAMILIES, Kernel(), Kernel(1e-4)]))
# Of each rule one family, quick to fit.
RULES: list[Family] = [
    c.Identity(),
    c.Temperature(),
    c.Platt(),
    c.Beta(),
    c.Quadratic(),
    c.Isotonic(),
    c.Isotonic(interpolate=False),
    c.Binned(5),
    c.HistogramBinning(4),
    c.ScalingBinning(),
    c.BBQ(),
    c.VennAbers(),
    c.Smooth(),
    c.PiecewiseLinear(segments=2),
    Kernel(0.02),
    c.PiecewiseLinear(space="logit", segments=2),
    c.Blend((c.Platt(), c.Isotonic()), shares=(0.25, 0.75)),
]
WHOLE_VECTORS = dict.fromkeys(
    [
        *VECTOR_FAMILIES,
        *(c.OneVsRest(family) for family in RULES),
        *(
            c.Ranked(family, ranks=2, keep_order=False)
            for family in (c.Platt(), c.Isotonic(interpolate=False))
        ),
        c.Ranked(c.Beta(), ranks=3),
        c.Ranked(c.HistogramBinning(3), ranks=3),
    ]
)
EVERY_RULE = c.Blend(tuple(RULES), shares=(1 / len(RULES),) * len(RULES))
EVERY_VECTOR_RULE = c.Blend(
    (
        c.Identity(),
        c.Temperature(),
        c.EnsembleTemperature(),
        c.VectorScaling(),
        c.Dirichlet(l2=0.1),
        c.MatrixScaling(off_diagonal=1.0, intercept=1.0),
        c.StructuredMatrix(),
        c.OrderPreserving(kind="preserving"),
    ),
    shares=(0.125,) * 8,
)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    """Small tensors are no faster on many."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def _close(found: Tensor, expected: Array, tolerance: float = 1e-6) -> None:
    np.testing.assert_allclose(found.numpy(), expected, rtol=0, atol=tolerance)


def _same(fitted: Map, *given: Predictions, kind: Kind | None = None) -> None:
    """From the same numbers the module makes what the map makes, in float64 and in float32."""
    module = to_module(fitted, input=kind)
    for pred in given:
        expected = fitted.apply(pred).probs
        q = module(torch.from_numpy(pred.values))
        assert q.dtype == torch.float64
        _close(q, expected)
        single = module(torch.from_numpy(pred.values.astype(np.float32)))
        assert single.dtype == torch.float32
        _close(single, expected)


@pytest.mark.parametrize("family", ONE_CHANCE, ids=repr)
def test_maps_of_one_chance(family: Family) -> None:
    p, y = some_claims(300)
    fitted = family.fit(binary(p, y))
    module = to_module(fitted, input="probs")
    # Those it was fitted on, on which edges lie; new ones; a grid, on which edges of equal width lie; and the ends.
    ends = np.array([0, 1e-45, 1e-38, 1e-30, 1e-9, 1 - 2**-24, 1])
    new = np.concatenate([p, some_claims(1000, seed=1)[0], np.linspace(0, 1, 61), ends]).astype(
        np.float32
    )
    expected = np.clip(fitted(new.astype(float)), 0, 1)
    # The map of a kernel reads its sums off a grid, the module adds them up.
    _close(
        module(torch.from_numpy(new.astype(float))),
        expected,
        1e-7 if isinstance(family, Kernel) else 1e-12,
    )
    _close(module(torch.from_numpy(new)), expected)
    _close(module(torch.from_numpy(new[5:6])), expected[5:6])


@pytest.mark.parametrize("family", ONE_CHANCE, ids=repr)
def test_maps_fitted_on_extremes(family: Family) -> None:
    p = np.array([0, 1e-30, 0.3, 0.5, 1 - 2**-24, 1])
    for claimed, happened in (([0.3], [1]), ([0, 1, 1, 1], [1, 0, 0, 0]), ([0.2, 0.9], [0, 1])):
        fitted = family.fit(binary(claimed, happened))
        _close(
            to_module(fitted, input="probs")(torch.from_numpy(p)), np.clip(fitted(p), 0, 1), 1e-12
        )


@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("family", WHOLE_VECTORS, ids=repr)
def test_maps_of_wholevectors(family: Family, kind: str) -> None:
    fit_on = vectors(kind)
    # Far apart, probabilities are exact 0 and 1; few different numbers make ties for the largest.
    far, tied = vectors(kind, scale=1e3, seed=2), vectors(kind, scale=0.5, decimals=0, seed=3)
    _same(family.fit(fit_on), fit_on, vectors(kind, seed=1), vectors(kind, n=1, seed=1), far, tied)


@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("column", [0, 1])
@pytest.mark.parametrize("family", [c.Platt(), c.Isotonic(interpolate=False), c.Smooth()], ids=repr)
def test_maps_of_one_class_of_two_take_both_columns_or_one(
    family: Family, column: int, kind: Kind
) -> None:
    pred, far = vectors(kind, k=2), vectors(kind, k=2, scale=50, seed=1)
    view = c.one_class(pred, column)
    fitted = family.fit(view)
    _same(fitted, pred, far, kind=kind)
    module = to_module(fitted, input=kind)
    if kind == "probs":
        _close(module(torch.from_numpy(view.p)), fitted(view.p), 1e-12)
    else:
        _close(module(torch.from_numpy(view.log_odds)), fitted(view), 1e-9)


@pytest.mark.parametrize("wrap", [c.OneVsRest, c.Ranked])
@pytest.mark.parametrize("family", [c.Platt(), c.Binned(5)], ids=repr)
def test_rows_that_sum_to_one_only_nearly(wrap: Callable[[Family], Family], family: Family) -> None:
    _same(wrap(family).fit(nearly_one()), nearly_one())


def test_a_row_that_every_rule_sends_to_0_stays_as_it_was_claimed() -> None:
    fitted, level = sends_to_nothing()
    np.testing.assert_array_equal(fitted(level)[0], level.probs[0])
    _same(fitted, level)


@pytest.mark.parametrize("keep_order", [True, False])
@pytest.mark.parametrize(
    "chances", [(0.5, 0.6, 0.1), (0.1, 0.9, 0.3), (0.05, 0.05, 0.05), (0.0, 0.0, 0.0)]
)
def test_ranks_whose_chances_do_not_fit_together(
    chances: tuple[float, ...], keep_order: bool
) -> None:
    fitted = ranks_of(chances, 9, keep_order=keep_order)
    _same(
        fitted,
        vectors("logits", k=9),
        vectors("logits", k=9, scale=1e3),
        from_logits(np.ones((1, 9)), [0]),
    )


@pytest.mark.parametrize(
    "family",
    [c.HistogramBinning(6), c.Isotonic(interpolate=False), c.BBQ(), c.ScalingBinning()],
    ids=repr,
)
def test_rows_on_the_edge_of_a_step_stay_on_their_side_when_fitted_in_float32(
    family: Family,
) -> None:
    given = vectors("logits")
    single = from_logits(given.values.astype(np.float32), given.labels)
    fitted = c.OneVsRest(family).fit(single)
    _close(to_module(fitted)(torch.from_numpy(single.values)), fitted.apply(single).probs)


def test_a_class_that_may_not_overtake_another_does_not_in_float32() -> None:
    pred = vectors("logits", n=400, scale=0.3)
    # Half of what it claims, the top label would fall behind the others.
    fitted = c.Ranked(c.Isotonic(), ranks=2).fit(from_logits(pred.values, pred.values.argmin(1)))
    q = to_module(fitted)(torch.from_numpy(pred.values).float())
    np.testing.assert_array_equal(q.argmax(1), pred.values.argmax(1))


@pytest.mark.parametrize(
    "family",
    [EVERY_VECTOR_RULE, c.OneVsRest(EVERY_RULE), c.Ranked(c.Isotonic(), ranks=2)],
    ids=["vectors", "classes", "ranks"],
)
def test_a_module_is_exported_saved_loaded_and_run_on_any_number_of_rows(family: Family) -> None:
    pred, new = vectors("logits", n=60, k=4), vectors("logits", n=33, k=4, seed=1)
    module = to_module(family.fit(pred))
    file = io.BytesIO()
    shapes = {"values": {0: torch.export.Dim("n")}}
    torch.export.save(
        torch.export.export(module, (torch.from_numpy(pred.values),), dynamic_shapes=shapes), file
    )
    file.seek(0)
    loaded = torch.export.load(file).module()
    for rows in (pred, new):
        z = torch.from_numpy(rows.values)
        torch.testing.assert_close(loaded(z), module(z), rtol=0, atol=1e-12)


def test_a_module_of_one_chance_is_exported() -> None:
    p, y = some_claims(50)
    fitted = c.Smooth().fit(binary(p, y))
    z = torch.linspace(-9, 9, 20)
    exported = torch.export.export(to_module(fitted, input="logits"), (z,)).module()
    _close(exported(z), fitted(z.double().sigmoid().numpy()))


@pytest.mark.parametrize(
    "family", [c.OneVsRest(EVERY_RULE), c.Ranked(c.Beta(), ranks=2)], ids=["classes", "ranks"]
)
def test_a_module_compiles_to_one_graph_that_has_gradients(family: Family) -> None:
    pred = vectors("logits", n=60, k=3)
    module = to_module(family.fit(pred))
    z = torch.from_numpy(pred.values).requires_grad_()
    compiled = torch.compile(module, fullgraph=True, backend="eager")(z)
    torch.testing.assert_close(compiled, module(z))
    (slope,) = torch.autograd.grad(compiled.square().sum(), z)
    assert slope.isfinite().all()


def test_numbers_are_in_the_state_and_keep_their_type_when_the_network_is_cast() -> None:
    pred, other = vectors("logits", seed=1), vectors("logits", seed=2)
    family = c.OneVsRest(c.Platt())
    module, second = to_module(family.fit(pred)), to_module(family.fit(other))
    second.load_state_dict(module.state_dict())
    z = torch.from_numpy(pred.values)
    torch.testing.assert_close(second(z), module(z), rtol=0, atol=0)
    torch.testing.assert_close(pickle.loads(pickle.dumps(second))(z), module(z), rtol=0, atol=0)
    network = nn.Sequential(nn.Linear(5, 5), second).to(torch.bfloat16)
    assert network[0].weight.dtype == torch.bfloat16
    assert {x.dtype for x in second.buffers()} == {torch.float64}
    assert network(torch.ones(2, 5, dtype=torch.bfloat16)).dtype == torch.float32
    torch.testing.assert_close(second(z), module(z), rtol=0, atol=0)


def test_a_nan_among_logits_makes_no_chance() -> None:
    pred = vectors("logits", n=60, k=3)
    z = pred.values.copy()
    z[3, 1] = np.nan
    for family in (*EVERY_VECTOR_RULE.families, *map(c.OneVsRest, RULES), c.Ranked(c.Binned(5))):
        q = to_module(family.fit(pred))(torch.from_numpy(z))
        assert q[3].isnan().any(), family
        assert not q[:3].isnan().any()


def test_what_goes_in_must_be_of_the_kind_and_shape_that_the_map_was_fitted_on() -> None:
    whole, one = (
        c.Temperature().fit(vectors("logits")),
        c.Platt().fit(c.top_label(vectors("logits"))),
    )
    with pytest.raises(
        ValueError, match=r"Temperature\(\) cannot .* was fitted on logits and input is probs"
    ):
        to_module(whole, input="probs")
    with pytest.raises(ValueError, match=r'say input="logits" or input="probs"'):
        to_module(one)
    with pytest.raises(ValueError, match="input must be 'logits' or 'probs'"):
        to_module(one, input="scores")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"logits must have shape \(n, 5\), got \(2, 4\)"):
        to_module(whole)(torch.zeros(2, 4))
    with pytest.raises(ValueError, match=r"probs must have shape \(n,\), got \(2, 2\)"):
        to_module(one, input="probs")(torch.zeros(2, 2))
    with pytest.raises(ValueError, match="made of a fitted map, got Platt"):
        to_module(c.Platt())  # type: ignore[arg-type]
    assert "Temperature(), logits of 5 classes" in repr(to_module(whole))
    assert "Platt(), probs" in repr(to_module(one, input="probs"))


@dataclass(frozen=True, eq=False)
class Coin(ChanceRule):
    """One half, whatever is claimed."""

    def __call__(self, view: View) -> Array:
        return np.full(view.n, 0.5)


@dataclass(frozen=True)
class Tossed(ChanceFamily):
    """A family that nobody has written for torch."""

    def chance_rule(self, view: View) -> Coin:  # noqa: ARG002
        return Coin()


def test_a_rule_without_a_form_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"Tossed\(\).* cannot become a module: Coin has no form in torch"
    ):
        to_module(Tossed().fit(vectors("logits")))


def _network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Dropout(0.5))


def _batches() -> list[tuple[Tensor, Tensor]]:
    random = torch.Generator().manual_seed(1)
    x, y = torch.randn(90, 4, generator=random), torch.randint(0, 3, (90,), generator=random)
    return [(x[start : start + 32], y[start : start + 32]) for start in (0, 32, 64)]


def test_the_temperature_is_that_of_the_library_and_training_goes_on_as_before() -> None:
    network, batches = _network(), _batches()
    network[1].eval()  # a frozen layer
    with torch.no_grad():
        next(network.parameters()).mul_(9)
    pred = predict(network, batches)
    assert [module.training for module in network.modules()] == [True, True, False, True]
    assert (pred.n, pred.k, pred.kind) == (90, 3, "logits")
    fitted = c.Temperature().fit(pred)
    scaled = TemperatureScaled(network).fit(iter(batches))
    assert [module.training for module in network.modules()] == [True, True, False, True]
    assert scaled.temperature == fitted.rule.temperature
    assert scaled.temperature > 2
    x = torch.cat([x for x, _ in batches])
    _close(scaled.eval()(x).detach(), pred.values / fitted.rule.temperature, 1e-5)
    again = TemperatureScaled(_network())
    again.load_state_dict(scaled.state_dict())
    torch.testing.assert_close(again.eval()(x), scaled(x), rtol=0, atol=0)
    assert again.bfloat16()(x.bfloat16()).dtype == torch.float32
    assert again.temperature == scaled.temperature
    exported = torch.export.export(scaled, (x,)).module()
    torch.testing.assert_close(exported(x), scaled(x))


def test_any_family_is_fitted_on_what_a_network_predicts_and_joined_to_it() -> None:
    network, batches = _network(), _batches()
    pred = predict(network, batches)
    joined = nn.Sequential(network, to_module(c.Dirichlet(l2=0.1).fit(pred))).eval()
    q = joined(torch.cat([x for x, _ in batches]))
    _close(q.detach(), c.Dirichlet(l2=0.1).fit(pred).apply(pred).probs, 1e-5)


def test_one_log_odds_a_row_in_half_precision_has_a_temperature_too() -> None:
    z = torch.tensor([4.0, 4, 4, -4, -4, -4], dtype=torch.bfloat16)
    scaled = TemperatureScaled(nn.Identity()).fit([(z, torch.tensor([1, 1, 0, 0, 0, 1]))])
    assert scaled.temperature == pytest.approx(4 / np.log(2), abs=1e-5)
    assert scaled(z).dtype == torch.float32


def test_logits_that_say_nothing_have_an_infinite_temperature() -> None:
    z = torch.tensor([[3.0, 0.0], [0.0, 3.0]])
    scaled = TemperatureScaled(nn.Identity()).fit([(z, torch.tensor([1, 0]))])
    assert scaled.temperature == float("inf")
    assert scaled(z).tolist() == [[0, 0], [0, 0]]


def test_bad_batches_are_refused_and_training_is_restored() -> None:
    network = TemperatureScaled(_network())
    with pytest.raises(ValueError, match="at least one batch of"):
        network.fit([])
    with pytest.raises(ValueError, match=r"logits must be finite \(row 1 is"):
        network.fit([(torch.tensor([[0.0] * 4, [torch.nan] * 4]), torch.tensor([0, 1]))])
    with pytest.raises(ValueError, match=r"labels must lie in 0\.\.2"):
        network.fit([(torch.ones(2, 4), torch.tensor([0, 3]))])
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        network.fit([(torch.ones(2, 7), torch.tensor([0, 1]))])
    assert network.temperature == 1
    assert all(module.training for module in network.modules())
