"""What the data are, in words."""

import numpy as np

from calibrant import binary, from_logits, from_probs, report
from calibrant.reporting.data_summary import data_in_words


def told(x: object) -> dict[str, str]:
    return {each.name: each.words for each in report(x).facts}  # type: ignore[arg-type]


def test_predictions_tell_their_classes_and_claims() -> None:
    p = np.array([[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.5, 0.3, 0.2], [0.7, 0.2, 0.1]])
    assert told(from_probs(p, [0, 0, 0, 1], classes=["cat", "dog", "fox"])) == {
        "rows": "4",
        "given as": "probabilities of 3 classes, in float64",
        "classes that occur": "2 of 3",
        "commonest class": "cat: 3 rows, 75%",
        "rarest that occurs": "dog: 1 row, 25%",
        "what is claimed": "that the top label is right",
        "claims": "from 50% to 70%, 3 of them distinct",
    }


def test_a_view_tells_its_events_and_weights_are_counts() -> None:
    found = told(binary([0.1, 0.9, 0.5], [0, 1, 1], weights=[2, 6, 0]))
    assert found["rows"] == "3, standing for 8 observations"
    assert found["events"] == "6, 75% of the claims"
    assert found["claims"] == "from 10% to 90%, 2 of them distinct"


def test_shares_of_classes_are_counted_as_rows() -> None:
    p = np.array([[0.7, 0.2, 0.1], [0.6, 0.3, 0.1]])
    found = told(from_probs(p, [[0.75, 0.25, 0], [0.5, 0.5, 0]], weights=[4, 2]))
    assert found["classes that occur"] == "2 of 3"
    assert found["commonest class"] == "0: 4 rows, 66.7%"
    assert found["rarest that occurs"] == "1: 2 rows, 33.3%"


def test_one_line_says_what_the_data_are() -> None:
    pred = from_logits(np.zeros((1200, 3)), np.zeros(1200, int), weights=np.full(1200, 2.0))
    assert data_in_words(pred) == "1,200 rows of 3 classes, standing for 2,400"
    assert data_in_words(binary([0.5], [1])) == "1 claim that the event happens"
