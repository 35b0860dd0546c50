"""Where the command starts: Ctrl-C ends it quietly while the rest is still being loaded."""

import sys


def main() -> None:
    """Run the command `calibrant`."""
    try:
        from .cli import main as run_command

        run_command()
    except KeyboardInterrupt:
        sys.exit(130)
