"""Blocks of pages that need packages which most tests run without."""

from pathlib import Path

PAGES = Path(__file__).parents[2] / "docs"


def block(page: str, heading: str) -> str:
    """The first block of code below a heading of a page."""
    text = (PAGES / page).read_text(encoding="utf-8")
    _, below = text.split(f"\n## {heading}\n", 1)
    _, fenced, _ = below.split("```", 2)
    return fenced.split("\n", 1)[1]
