"""Modules of maps as parts of networks: exported, compiled, saved, cast; and networks with a temperature."""

import io
import pickle

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is an extra")

import torch
from shared_exports import RULES, UNDECLARED_VECTORS, some_claims, vectors
from torch import Tensor, nn

import calibrant as c
from calibrant import Family, binary
from calibrant.fitting.types import Array
from calibrant.inputs.predictions import Kind
from calibrant.torch.modules import TemperatureScaled, predict, to_module

EVERY_RULE = c.Blend(tuple(RULES), shares=(1 / len(RULES),) * len(RULES))
VECTOR_RULES: tuple[Family, ...] = (
    c.Identity(),
    c.Temperature(),
    c.EnsembleTemperature(),
    c.VectorScaling(),
    c.Dirichlet(l2=0.1),
    c.MatrixScaling(off_diagonal=1.0, intercept=1.0),
    c.StructuredMatrix(),
    c.OrderPreserving(kind="preserving"),
)
EVERY_VECTOR_RULE = c.Blend(VECTOR_RULES, shares=(0.125,) * 8)
# Between them they have every rule.
ALL_RULES = [
    pytest.param(EVERY_VECTOR_RULE, id="vectors"),
    pytest.param(c.OneVsRest(EVERY_RULE), id="classes"),
    pytest.param(c.Ranked(c.Beta(), ranks=2), id="ranks"),
    pytest.param(c.Ranked(c.Isotonic(), keep_order=False), id="ranks that may change places"),
    *(pytest.param(family, id=repr(family)) for family in UNDECLARED_VECTORS),
]


@pytest.fixture(autouse=True)
def _no_compiled_graphs() -> None:
    """Of one function torch compiles a few graphs in a process, and every map makes another."""
    torch.compiler.reset()


def _assert_close(found: Tensor, expected: Array, tolerance: float = 1e-6) -> None:
    np.testing.assert_allclose(found.numpy(), expected, rtol=0, atol=tolerance)


def _assert_equal(found: Tensor, expected: Tensor, tolerance: float = 0) -> None:
    torch.testing.assert_close(found, expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("family", ALL_RULES)
def test_a_module_is_exported_saved_loaded_and_run_on_any_number_of_rows(family: Family) -> None:
    pred = vectors("logits", n=60, k=4)
    new = vectors("logits", n=33, k=4, seed=1)
    module = to_module(family.fit(pred))
    z = torch.from_numpy(pred.values)
    any_number = {"values": {0: torch.export.Dim("n")}}
    exported = torch.export.export(module, (z,), dynamic_shapes=any_number)
    file = io.BytesIO()
    torch.export.save(exported, file)
    file.seek(0)
    loaded = torch.export.load(file).module()
    for given in (z, torch.from_numpy(new.values)):
        expected = module(given)
        _assert_equal(loaded(given), expected, tolerance=1e-12)


@pytest.mark.parametrize("kind", ["logits", "probs"])
def test_a_module_of_one_chance_is_exported_and_compiled(kind: Kind) -> None:
    fitted = c.Smooth().fit(binary(*some_claims(50)))
    module = to_module(fitted, input=kind)
    z = torch.linspace(-5, 5, 20, dtype=torch.float64)  # nothing beyond its reading of 0 and 1
    p = z.sigmoid()
    given = z if kind == "logits" else p
    expected = fitted(p.numpy())
    exported = torch.export.export(module, (given,)).module()
    _assert_close(exported(given), expected, 1e-12)
    compiled = torch.compile(module, fullgraph=True, backend="eager")
    _assert_close(compiled(given), expected, 1e-12)


@pytest.mark.parametrize("kind", ["logits", "probs"])
@pytest.mark.parametrize("family", ALL_RULES)
def test_a_module_compiles_to_one_graph_that_has_gradients(family: Family, kind: Kind) -> None:
    pred = vectors(kind, n=60, k=3)
    module = to_module(family.fit(pred))
    compiled = torch.compile(module, fullgraph=True, backend="eager")
    x = torch.from_numpy(pred.values)
    x.requires_grad_()
    q = compiled(x)
    torch.testing.assert_close(q, module(x))
    loss = q.square().sum()
    (slope,) = torch.autograd.grad(loss, x)
    assert slope.isfinite().all()


def test_numbers_are_in_the_state_and_keep_their_type_when_the_network_is_cast() -> None:
    pred = vectors("logits", seed=1)
    other = vectors("logits", seed=2)
    family = c.OneVsRest(c.Platt())
    module = to_module(family.fit(pred))
    second = to_module(family.fit(other))
    second.load_state_dict(module.state_dict())
    z = torch.from_numpy(pred.values)
    q = module(z)
    _assert_equal(second(z), q)
    pickled = pickle.dumps(second)
    third = pickle.loads(pickled)
    _assert_equal(third(z), q)
    network = nn.Sequential(nn.Linear(5, 5), second)
    network.to(torch.bfloat16)
    assert network[0].weight.dtype == torch.bfloat16
    assert {x.dtype for x in second.buffers()} == {torch.float64}
    ones = torch.ones(2, 5, dtype=torch.bfloat16)
    assert network(ones).dtype == torch.float32
    _assert_equal(second(z), q)


def test_a_nan_among_logits_makes_no_chance() -> None:
    pred = vectors("logits", n=60, k=3)
    z = pred.values.copy()
    z[3, 1] = np.nan
    of_each_class = [c.OneVsRest(rule) for rule in RULES]
    for family in (*VECTOR_RULES, *of_each_class, c.Ranked(c.Binned(5))):
        module = to_module(family.fit(pred))
        is_nan = module(torch.from_numpy(z)).isnan()
        assert is_nan[3].any(), family
        assert not is_nan[:3].any(), family


def _network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Dropout(0.5))


def _batches() -> list[tuple[Tensor, Tensor]]:
    random = torch.Generator().manual_seed(1)
    x = torch.randn(90, 4, generator=random)
    y = torch.randint(0, 3, (90,), generator=random)
    starts = [32, 64]
    return list(zip(x.tensor_split(starts), y.tensor_split(starts), strict=True))


def _inputs(batches: list[tuple[Tensor, Tensor]]) -> Tensor:
    return torch.cat([x for x, _ in batches])


def _training(network: nn.Module) -> list[bool]:
    return [module.training for module in network.modules()]


def test_the_temperature_is_that_of_the_library_and_training_goes_on_as_before() -> None:
    network = _network()
    batches = _batches()
    network[1].eval()  # a frozen layer
    with torch.no_grad():
        next(network.parameters()).mul_(9)
    pred = predict(network, batches)
    assert _training(network) == [True, True, False, True]
    assert (pred.n, pred.k, pred.kind) == (90, 3, "logits")
    temperature = c.Temperature().fit(pred).rule.temperature
    scaled = TemperatureScaled(network).fit(iter(batches))
    assert _training(network) == [True, True, False, True]
    assert scaled.temperature == temperature
    assert scaled.temperature > 2
    x = _inputs(batches)
    logits = scaled.eval()(x)
    _assert_close(logits.detach(), pred.values / temperature, 1e-5)
    exported = torch.export.export(scaled, (x,)).module()
    torch.testing.assert_close(exported(x), logits)


def test_the_temperature_is_in_the_state_and_keeps_its_type_when_the_network_is_cast() -> None:
    batches = _batches()
    x = _inputs(batches)
    scaled = TemperatureScaled(_network()).fit(batches)
    again = TemperatureScaled(_network())
    again.load_state_dict(scaled.state_dict())
    _assert_equal(again.eval()(x), scaled.eval()(x))
    again.bfloat16()
    assert again(x.bfloat16()).dtype == torch.float32
    assert again.temperature == scaled.temperature


def test_any_family_is_fitted_on_what_a_network_predicts_and_joined_to_it() -> None:
    network = _network()
    batches = _batches()
    pred = predict(network, batches)
    fitted = c.Dirichlet(l2=0.1).fit(pred)
    joined = nn.Sequential(network, to_module(fitted))
    joined.eval()
    q = joined(_inputs(batches))
    _assert_close(q.detach(), fitted.apply(pred).probs, 1e-5)


def test_one_log_odds_a_row_in_half_precision_has_a_temperature_too() -> None:
    z = torch.tensor([4.0, 4, 4, -4, -4, -4], dtype=torch.bfloat16)
    labels = torch.tensor([1, 1, 0, 0, 0, 1])
    scaled = TemperatureScaled(nn.Identity()).fit([(z, labels)])
    assert scaled.temperature == pytest.approx(4 / np.log(2), abs=1e-5)
    assert scaled(z).dtype == torch.float32


def test_logits_that_say_nothing_have_an_infinite_temperature() -> None:
    z = torch.tensor([[3.0, 0.0], [0.0, 3.0]])
    labels = torch.tensor([1, 0])
    scaled = TemperatureScaled(nn.Identity()).fit([(z, labels)])
    assert scaled.temperature == float("inf")
    assert scaled(z).tolist() == [[0, 0], [0, 0]]


def test_bad_batches_are_refused_and_training_is_restored() -> None:
    network = TemperatureScaled(_network())
    labels = torch.tensor([0, 1])
    holes = torch.ones(2, 4)
    holes[1] = torch.nan
    with pytest.raises(ValueError, match="at least one batch of"):
        network.fit([])
    with pytest.raises(ValueError, match=r"logits must be finite \(row 1 is"):
        network.fit([(holes, labels)])
    with pytest.raises(ValueError, match=r"labels must lie in 0\.\.2"):
        network.fit([(torch.ones(2, 4), torch.tensor([0, 3]))])
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        network.fit([(torch.ones(2, 7), labels)])
    assert network.temperature == 1
    assert all(_training(network))
