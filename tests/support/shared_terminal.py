"""A screen to write on, in memory."""

from io import StringIO


class Terminal(StringIO):
    """Text that takes itself for a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True
