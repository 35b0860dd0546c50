"""calibrant inside PyTorch: losses to train with, metrics, modules and kernels.

The only room that imports torch.
"""

try:
    import torch  # noqa: F401 - whatever is imported from here needs it
except ImportError as error:
    raise ImportError(
        'calibrant.torch needs torch 2.6 or later: pip install "calibrant[torch]"'
    ) from error
