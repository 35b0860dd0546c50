"""Numbers of a diagram, which a notebook shows as their picture."""

from abc import ABC
from io import StringIO
from typing import ClassVar


class Drawn(ABC):
    """Shown by notebooks as the function of `calibrant.plots` called `drawn_by` draws them."""

    drawn_by: ClassVar[str]

    def _repr_html_(self) -> str:
        # Matplotlib is slow to import, and numbers need none.
        from matplotlib import pyplot as plt

        from .. import plots

        drawn = getattr(plots, self.drawn_by)(self)
        figure = (drawn[0] if isinstance(drawn, list) else drawn).figure
        out = StringIO()
        figure.savefig(out, format="svg")
        plt.close(figure)
        return out.getvalue().partition("<svg")[2].join(("<svg", ""))
