"""What a report asks first: of two classes the positive one, of more the top label."""

from ..inputs.predictions import Predictions
from ..inputs.questions import one_class, top_label
from ..inputs.views import Data, View

POSITIVE = 1


def asks_top_label(x: Data) -> bool:
    """Whether the first question is that of the top label."""
    return isinstance(x, Predictions) and x.k != 2


def first_view(x: Data) -> View:
    """The answer to the first question; a view is its own.

    >>> from calibrant import from_probs
    >>> first_view(from_probs([[0.7, 0.3], [0.4, 0.6]], ["no", "yes"], classes=["no", "yes"]))
    View(2 claims that the class is yes)
    """
    if isinstance(x, View):
        return x
    return top_label(x) if asks_top_label(x) else one_class(x, POSITIVE)
