"""Settings of every test run."""

from importlib.util import find_spec

from hypothesis import settings

# The same examples on every run, however slow the machine.
settings.register_profile("calibrant", derandomize=True, deadline=None, database=None)
settings.load_profile("calibrant")

# Doctests of extras that are not installed are not collected.
collect_ignore = [] if find_spec("sklearn") else ["src/calibrant/sklearn.py"]
