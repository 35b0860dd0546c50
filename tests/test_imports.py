"""The package stays light, says what it has, and every public name is found."""

import subprocess
import sys
from pathlib import Path

import pytest

import calibrant

HEAVY = (
    "torch",
    "sklearn",
    "matplotlib",
    "plotly",
    "polars",
    "pandas",
    "scipy.optimize",
    "scipy.stats",
    "rich",
    "typer",
)


def _run(program: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_importing_loads_no_heavy_library() -> None:
    assert (
        _run(f"import sys, calibrant; print([name for name in {HEAVY} if name in sys.modules])")
        == "[]"
    )


def test_the_main_measures_load_neither_torch_nor_sklearn_nor_a_drawing_library() -> None:
    program = f"""
import sys, calibrant
pred = calibrant.from_probs([[.7, .3], [.2, .8]], [0, 1])
calibrant.ece(pred), calibrant.ks_error(pred), calibrant.nll(pred), calibrant.Temperature().fit(pred)
print([name for name in {HEAVY[:5]} if name in sys.modules])"""
    assert _run(program) == "[]"


def test_importing_takes_a_fifth_of_a_second_at_most_beyond_numpy() -> None:
    program = """
import time, numpy
start = time.process_time()
import calibrant
print(time.process_time() - start)"""
    assert min(float(_run(program)) for _ in range(3)) < 0.2


@pytest.mark.parametrize("name", calibrant.__all__)
def test_every_public_name_is_found(name: str) -> None:
    assert getattr(calibrant, name) is not None
    assert name in dir(calibrant)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        calibrant.nonsense  # type: ignore[attr-defined]  # noqa: B018


def test_no_module_shares_a_name_with_a_public_function() -> None:
    modules = {path.stem for path in Path(calibrant.__file__).parent.rglob("*.py")}
    assert not {name for name in calibrant.__all__ if callable(getattr(calibrant, name))} & modules
