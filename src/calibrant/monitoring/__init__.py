"""Streams of predictions and outcomes: do claims still hold, and since when do they not?"""

from .monitor import Monitor as Monitor
