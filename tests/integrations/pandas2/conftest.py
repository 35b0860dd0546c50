"""Modin without an engine of its own; Evidently without word to its makers, or warnings of its imports."""

import os
import warnings

os.environ["MODIN_ENGINE"] = "python"
os.environ["DO_NOT_TRACK"] = "1"

with warnings.catch_warnings(action="ignore"):
    import evidently  # noqa: F401
