"""Settings of every test run."""

from hypothesis import settings

# The same examples on every run, however slow the machine.
settings.register_profile("calibrant", derandomize=True, deadline=None, database=None)
settings.load_profile("calibrant")
