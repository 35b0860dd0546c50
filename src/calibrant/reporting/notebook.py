"""A report as a notebook shows it: what the terminal says, and the reliability diagram."""

from io import StringIO

from rich.console import Console

from ..curves import reliability
from .first_question import first_view
from .summary import Report
from .terminal import MOST_WIDTH, report_page

_LINES = '<pre style="font-family: monospace; line-height: 1.3; white-space: pre">{code}</pre>'


def html_of(found: Report) -> str:
    """The words and tables, then the picture."""
    console = Console(file=StringIO(), record=True, width=MOST_WIDTH, force_jupyter=False)
    console.print(report_page(found))
    words = console.export_html(inline_styles=True, code_format=_LINES)
    curve = reliability(first_view(found.source.x), level=None)
    return f"<div>{words}{curve._repr_html_()}</div>"
