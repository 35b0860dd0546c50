"""Any size: a summary that adds up, and the engines that make it."""

from .sketch import Sketch

__all__ = ["Sketch"]
