"""Settings of every test run."""

from importlib.util import find_spec

from hypothesis import settings

# The same examples on every run, however slow the machine.
settings.register_profile("calibrant", derandomize=True, deadline=None, database=None)
settings.load_profile("calibrant")

# What needs an extra that is not installed is not collected.
_NEEDS = {
    "mkdocs": ["docs/site"],
    "sklearn": [
        "docs/how-to/scikit-learn.md",
        "docs/how-to/training.md",
        "src/calibrant/sklearn.py",
        "tests/families/binary/test_isotonic.py",
        "tests/families/binary/test_venn_abers.py",
        "tests/families/test_folds.py",
        "tests/measures/test_recalibration_line.py",
        "tests/measures/test_scores.py",
        "tests/support/shared_classifiers.py",
        "tests/test_classifier_claims.py",
        "tests/test_sklearn.py",
        "tests/test_with_family.py",
    ],
    "onnx": [
        "src/calibrant/deploy/onnx.py",
        "src/calibrant/deploy/onnx_operations.py",
        "tests/deploy/test_onnx.py",
    ],
    "distributed": ["tests/scale/test_dask.py"],
    "torch": ["docs/how-to/training.md", "src/calibrant/torch", "tests/support/shared_losses.py"],
    "torchmetrics": ["src/calibrant/torch/metrics.py"],
    "evaluate": ["src/calibrant/integrations/evaluate.py"],
    "evidently": ["src/calibrant/integrations/evidently.py"],
    "inspect_ai": ["src/calibrant/integrations/inspect.py"],
    "lm_eval": ["src/calibrant/integrations/lm_eval.py"],
    "mlflow": ["src/calibrant/integrations/mlflow.py"],
}
collect_ignore = [path for extra, paths in _NEEDS.items() if not find_spec(extra) for path in paths]
