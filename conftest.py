"""Settings of every test run."""

from importlib.util import find_spec

from hypothesis import settings

# The same examples on every run, however slow the machine.
settings.register_profile("calibrant", derandomize=True, deadline=None, database=None)
settings.load_profile("calibrant")

# Doctests of extras that are not installed are not collected.
_ROOMS = {
    "sklearn": "src/calibrant/sklearn.py",
    "onnx": "src/calibrant/onnx",
    "torch": "src/calibrant/torch",
    "torchmetrics": "src/calibrant/torch/metrics.py",
}
collect_ignore = [room for extra, room in _ROOMS.items() if not find_spec(extra)]
